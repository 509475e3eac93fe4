package io.github.bloomtype;

import java.util.Arrays;
import java.util.Base64;

/** The text form of an image: base64 that is exactly what encodes its bytes. */
final class Base64Text {
    static final String NOT_BASE64 = "The value is not base64, without spaces and line breaks.";
    static final String NOT_CANONICAL = "The base64 is not canonical: unused bits must be zero, "
        + "and nothing may follow padding.";

    /** The server decodes so many characters at a time; only the last part may have padding. */
    private static final int PART = 1 << 20;

    /** The value of each character of ASCII; -1: none. */
    private static final byte[] VALUES = new byte[128];

    static {
        String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        Arrays.fill(VALUES, (byte) -1);
        for (int i = 0; i < alphabet.length(); i++) {
            VALUES[alphabet.charAt(i)] = (byte) i;
        }
    }

    private Base64Text() {}

    static String encode(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    /** How many bytes a text is the base64 of, if it is the base64 of any. */
    static int decodedLength(String text) {
        return text.length() / 4 * 3 - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);
    }

    /** The bytes of a text; {@code typeName} is for messages. */
    static byte[] decode(String text, String typeName) {
        int length = text.length();
        int pad = text.indexOf('=');
        int coded = pad < 0 ? length : pad;
        if (length % 4 != 0 || !mayBePadding(text, coded)) {
            throw invalid(typeName, NOT_BASE64);
        }

        byte[] bytes = new byte[(int) (coded * 3L / 4)];
        int to = 0;
        int from = 0;
        for (; from + 4 <= coded; from += 4, to += 3) {
            int group = value(text, from) << 18 | value(text, from + 1) << 12
                | value(text, from + 2) << 6 | value(text, from + 3);
            if (group < 0) {
                throw invalid(typeName, NOT_BASE64);
            }
            bytes[to] = (byte) (group >> 16);
            bytes[to + 1] = (byte) (group >> 8);
            bytes[to + 2] = (byte) group;
        }

        /* two or three characters are left if there is padding: one or two bytes */
        if (from < coded) {
            int third = from + 2 < coded ? value(text, from + 2) : 0;
            int group = value(text, from) << 18 | value(text, from + 1) << 12 | third << 6;
            if (group < 0) {
                throw invalid(typeName, NOT_BASE64);
            }
            bytes[to++] = (byte) (group >> 16);
            if (to < bytes.length) {
                bytes[to++] = (byte) (group >> 8);
            }
            int unused = group & 0xFFFFFF >> 8 * (bytes.length % 3);
            if (unused != 0 || from + 4 != length || text.charAt(length - 1) != '=') {
                throw invalid(typeName, NOT_CANONICAL);
            }
        }
        return bytes;
    }

    /*
     * Would the server's decoder take what comes from the first = on? It looks at the place of
     * that one only, and goes on to decode behind it.
     */
    private static boolean mayBePadding(String text, int from) {
        int length = text.length();
        if (from < length && (from % 4 < 2 || from < (length - 1) / PART * PART)) {
            return false;
        }
        for (int i = from; i < length; i++) {
            if (text.charAt(i) != '=' && value(text, i) < 0) {
                return false;
            }
        }
        return true;
    }

    private static int value(String text, int at) {
        char c = text.charAt(at);
        return c < VALUES.length ? VALUES[c] : -1;
    }

    private static InvalidFilterException invalid(String typeName, String reason) {
        return new InvalidFilterException("invalid input syntax for type " + typeName, reason);
    }
}
