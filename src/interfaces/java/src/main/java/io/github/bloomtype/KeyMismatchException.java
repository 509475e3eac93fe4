package io.github.bloomtype;

/**
 * Thrown when a filter is asked about, or given, a key of another family or subtype than its keys
 * have. The message begins as the server's does, and says how to make a key of the right family.
 *
 * <p>It is an {@link IllegalArgumentException}, as is that of a value that cannot be a key: who
 * handles both, and each in its way, must catch this one first. A filter without keys never
 * throws it when it is asked.
 */
public final class KeyMismatchException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private KeyMismatchException(String message, Family family, Family familyOfKey) {
        super(message + "; " + family.howToMakeKey(familyOfKey));
    }

    static KeyMismatchException onProbe(Family family, Family familyOfKey) {
        return new KeyMismatchException(
            "cannot probe a filter of " + family.sqlName + " keys with a key of family "
                + familyOfKey.sqlName + (family == familyOfKey ? " and another subtype" : ""),
            family, familyOfKey);
    }

    static KeyMismatchException onAdd(Family family, Family familyOfKey) {
        return new KeyMismatchException(
            "cannot add a key of family " + familyOfKey.sqlName + " to a filter of "
                + family.sqlName + " keys" + (family == familyOfKey ? " of another subtype" : ""),
            family, familyOfKey);
    }
}
