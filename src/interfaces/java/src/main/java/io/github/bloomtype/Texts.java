package io.github.bloomtype;

import java.nio.charset.StandardCharsets;

/** Hashes of the types of text, in UTF-8. */
final class Texts {
    /** The longest value of type name, in bytes. */
    private static final int LONGEST_NAME = 63;

    private Texts() {}

    static long hash(Object value) {
        return XXH3.hash(utf8(text(value)));
    }

    static long hashBlankPadded(Object value) {
        String text = text(value);
        int length = text.length();
        while (length > 0 && text.charAt(length - 1) == ' ') {
            length--;
        }
        return XXH3.hash(utf8(text.substring(0, length)));
    }

    /* Where the server cuts a longer name off depends on the encoding of the database. */
    static long hashName(Object value) {
        byte[] utf8 = utf8(text(value));
        if (utf8.length > LONGEST_NAME) {
            throw new IllegalArgumentException("it is longer than " + LONGEST_NAME + " bytes");
        }
        return XXH3.hash(utf8);
    }

    private static String text(Object value) {
        if (!(value instanceof String)) {
            throw SqlType.wrongClass(value);
        }
        return (String) value;
    }

    /* getBytes() alone would write ? for half a character. */
    private static byte[] utf8(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                throw new IllegalArgumentException("text has no NUL characters in PostgreSQL");
            }
            if (Character.isSurrogate(c)) {
                if (!Character.isHighSurrogate(c) || i + 1 == text.length()
                    || !Character.isLowSurrogate(text.charAt(i + 1))) {
                    throw new IllegalArgumentException("it has an unpaired surrogate");
                }
                i++;
            }
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
