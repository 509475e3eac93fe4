package io.github.bloomtype;

import java.util.Locale;

/** The key families. The ordinal of each is its number in an image. */
enum Family {
    NONE(null),
    BOOLEAN("boolean"),
    NUMBER("bigint"),
    FLOAT("float8"),
    TEXT("text"),
    BYTEA("bytea"),
    UUID("uuid"),
    OID("oid"),
    DATE("date"),
    TIMESTAMP("timestamp"),
    TIMESTAMPTZ("timestamptz"),
    TIME("time"),
    NETWORK("inet"),
    MACADDR("macaddr8"),
    ARRAY(null),
    ROW(null),
    RANGE(null);

    private static final Family[] BY_NUMBER = values();

    /** The name that the server has for it. */
    final String sqlName = name().toLowerCase(Locale.ROOT);

    /** A type whose values are keys of this family; null for families that have parts. */
    private final String exampleType;

    Family(String exampleType) {
        this.exampleType = exampleType;
    }

    /** The family of a number, or null. */
    static Family of(int number) {
        return number < BY_NUMBER.length ? BY_NUMBER[number] : null;
    }

    /** The family of a name, or null. */
    static Family of(String sqlName) {
        for (Family family : BY_NUMBER) {
            if (family.sqlName.equals(sqlName)) {
                return family;
            }
        }
        return null;
    }

    /** Have its keys parts, and so a subtype? */
    boolean isNested() {
        return ordinal() >= ARRAY.ordinal();
    }

    /** How to make a key of this family, for a message, of a value that is of another one. */
    String howToMakeKey(Family other) {
        if (isNested()) {
            return "take the key from the server: Key.parse(text of bloom_key(value))";
        }
        if (this != TEXT) {
            return "make the key with its type: Key.of(value, \"" + exampleType + "\")";
        }
        return other == NUMBER || other == UUID
            ? "make it a text: String.valueOf(value)"
            : "take the text that the server prints for value::text";
    }
}
