package io.github.bloomtype;

import java.util.UUID;
import java.util.regex.Pattern;

/** Hashes of boolean, bytea and uuid. */
final class Scalars {
    private static final Pattern UUID_FORM = Pattern.compile(
        "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");

    private Scalars() {}

    static long hashBoolean(Object value) {
        return XXH3.hash(new byte[] {(byte) (toBoolean(value) ? 1 : 0)});
    }

    private static boolean toBoolean(Object value) {
        if (value instanceof Boolean) {
            return (Boolean) value;
        }
        if (!(value instanceof String)) {
            throw SqlType.wrongClass(value);
        }
        String text = (String) value;
        switch (text) {
            case "t":
            case "true":
                return true;
            case "f":
            case "false":
                return false;
            default:
                throw SqlType.malformed(text);
        }
    }

    static long hashBytea(Object value) {
        if (value instanceof byte[]) {
            return XXH3.hash((byte[]) value);
        }
        if (!(value instanceof String)) {
            throw SqlType.wrongClass(value);
        }
        String text = (String) value;
        if (!text.startsWith("\\x") || text.length() % 2 != 0) {
            throw SqlType.malformed(text);
        }
        byte[] bytes = new byte[text.length() / 2 - 1];
        for (int i = 0; i < bytes.length; i++) {
            int high = hexDigit(text.charAt(2 * i + 2));
            int low = hexDigit(text.charAt(2 * i + 3));
            if (high < 0 || low < 0) {
                throw SqlType.malformed(text);
            }
            bytes[i] = (byte) (high << 4 | low);
        }
        return XXH3.hash(bytes);
    }

    /** Of an ASCII character; -1 if it is none. */
    static int hexDigit(char c) {
        return c < 128 ? Character.digit(c, 16) : -1;
    }

    static long hashUuid(Object value) {
        if (value instanceof UUID) {
            return hash((UUID) value);
        }
        if (!(value instanceof String)) {
            throw SqlType.wrongClass(value);
        }
        String text = (String) value;
        if (!UUID_FORM.matcher(text).matches()) {
            throw SqlType.malformed(text);
        }
        return hash(UUID.fromString(text));
    }

    private static long hash(UUID uuid) {
        return XXH3.hash(Long.reverseBytes(uuid.getMostSignificantBits()),
            Long.reverseBytes(uuid.getLeastSignificantBits()));
    }
}
