package io.github.bloomtype;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Hashes of the types of numbers: integers, numeric, floating-point numbers, and oid. */
final class Numbers {
    private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,20}");
    private static final Pattern LEADING_ZERO = Pattern.compile("-?0[0-9]+");
    private static final Pattern DECIMAL = Pattern.compile(
        "([+-]?)([0-9]*)(?:\\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,9}))?");

    private static final Pattern ZERO = Pattern.compile("[+-]?[0.]*(?:[eE].*)?");

    /* The server's limits on a numeric */
    private static final int DIGITS_BEFORE_POINT = 131072;
    private static final int DIGITS_AFTER_POINT = 16383;
    private static final int MOST_BITS =
        (int) ((DIGITS_BEFORE_POINT + DIGITS_AFTER_POINT) * 3.33);

    private static final long LARGEST_OID = 0xFFFFFFFFL;

    private Numbers() {}

    /* Integers */

    static long hashInteger(Object value, long least, long largest) {
        return XXH3.hash(toLong(value, least, largest));
    }

    /* With a leading zero, an oid is octal as of PostgreSQL 16, and decimal before. */
    static long hashOid(Object value) {
        if (value instanceof String && LEADING_ZERO.matcher((String) value).matches()) {
            throw SqlType.malformed((String) value);
        }
        return XXH3.hash((int) toLong(value, 0, LARGEST_OID));
    }

    private static long toLong(Object value, long least, long largest) {
        long number;
        if (isSmallInteger(value)) {
            number = ((Number) value).longValue();
        } else if (value instanceof BigInteger) {
            number = ((BigInteger) value).longValueExact();
        } else if (value instanceof BigDecimal) {
            number = ((BigDecimal) value).longValueExact();
        } else if (value instanceof String) {
            String text = (String) value;
            if (!INTEGER.matcher(text).matches()) {
                throw SqlType.malformed(text);
            }
            number = new BigInteger(text).longValueExact();
        } else {
            throw SqlType.wrongClass(value);
        }
        if (number < least || number > largest) {
            throw new IllegalArgumentException(number + " is out of range");
        }
        return number;
    }

    private static boolean isSmallInteger(Object value) {
        return value instanceof Long || value instanceof Integer || value instanceof Short
            || value instanceof Byte;
    }

    /* numeric */

    static long hashNumeric(Object value) {
        if (isSmallInteger(value)) {
            return XXH3.hash(((Number) value).longValue());
        } else if (value instanceof BigInteger) {
            return hashNumeric((BigInteger) value, 0);
        } else if (value instanceof BigDecimal) {
            BigDecimal number = (BigDecimal) value;
            return hashNumeric(number.unscaledValue(), number.scale());
        } else if (value instanceof String) {
            return hashNumeric((String) value);
        }
        throw SqlType.wrongClass(value);
    }

    private static long hashNumeric(BigInteger unscaled, int scale) {
        if (unscaled.bitLength() > MOST_BITS) {
            throw tooManyDigits();
        }
        return hashNumeric(unscaled.signum() < 0, unscaled.abs().toString(), scale);
    }

    private static long hashNumeric(String text) {
        String special = special(text);
        if (special != null) {
            return XXH3.hash(special.getBytes(StandardCharsets.US_ASCII));
        }
        Matcher parts = matchDecimal(text);
        String fraction = parts.group(3) == null ? "" : parts.group(3);
        int exponent = parts.group(4) == null ? 0 : Integer.parseInt(parts.group(4));
        return hashNumeric(parts.group(1).equals("-"), parts.group(2) + fraction,
            (long) fraction.length() - exponent);
    }

    /* NaN, Infinity or -Infinity, of which the server has several spellings; else null. */
    private static String special(String text) {
        switch (text.toLowerCase(Locale.ROOT)) {
            case "nan":
                return "NaN";
            case "inf":
            case "infinity":
            case "+inf":
            case "+infinity":
                return "Infinity";
            case "-inf":
            case "-infinity":
                return "-Infinity";
            default:
                return null;
        }
    }

    private static Matcher matchDecimal(String text) {
        Matcher parts = DECIMAL.matcher(text);
        if (!parts.matches()
            || parts.group(2).isEmpty() && (parts.group(3) == null || parts.group(3).isEmpty())) {
            throw SqlType.malformed(text);
        }
        return parts;
    }

    /* Of the number digits / 10^scale: as bigint if it is one, else as its shortest decimal. */
    private static long hashNumeric(boolean negative, String digits, long scale) {
        if (scale > DIGITS_AFTER_POINT) {
            throw tooManyDigits();
        }
        int first = 0;
        int end = digits.length();
        while (first < end && digits.charAt(first) == '0') {
            first++;
        }
        if (first == end) {
            return XXH3.hash(0L);
        }
        if (end - first - scale > DIGITS_BEFORE_POINT) {
            throw tooManyDigits();
        }
        while (digits.charAt(end - 1) == '0') {
            end--;
            scale--;
        }
        String decimal = (negative ? "-" : "")
            + placePoint(digits.substring(first, end), (int) scale);
        if (scale <= 0 && decimal.length() <= 20) {
            BigInteger whole = new BigInteger(decimal);
            if (whole.bitLength() < Long.SIZE) {
                return XXH3.hash(whole.longValue());
            }
        }
        return XXH3.hash(decimal.getBytes(StandardCharsets.US_ASCII));
    }

    private static String placePoint(String digits, int scale) {
        int before = digits.length() - scale;
        if (scale <= 0) {
            return digits + "0".repeat(-scale);
        }
        return before > 0
            ? digits.substring(0, before) + "." + digits.substring(before)
            : "0." + "0".repeat(-before) + digits;
    }

    private static ArithmeticException tooManyDigits() {
        return new ArithmeticException("a numeric has at most " + DIGITS_BEFORE_POINT
            + " digits before the point and " + DIGITS_AFTER_POINT + " after it");
    }

    /* Floating-point numbers: a real has the key of the double that is equal to it. */

    static long hashDouble(Object value) {
        if (value instanceof Double || value instanceof Float) {
            return hash(((Number) value).doubleValue());
        } else if (value instanceof String) {
            String text = (String) value;
            double number = Double.parseDouble(checkFloat(text));
            checkRounding(text, number);
            return hash(number);
        }
        return hash(exactDouble(value));
    }

    static long hashReal(Object value) {
        if (value instanceof Float) {
            return hash((Float) value);
        } else if (value instanceof Double) {
            double number = (Double) value;
            float rounded = (float) number;
            if (Float.isInfinite(rounded) && !Double.isInfinite(number)
                || rounded == 0 && number != 0) {
                throw new ArithmeticException(number + " is out of range");
            }
            return hash(rounded);
        } else if (value instanceof String) {
            String text = (String) value;
            float number = Float.parseFloat(checkFloat(text));
            checkRounding(text, number);
            return hash(number);
        }
        double number = exactDouble(value);
        if ((float) number != number) {
            throw new ArithmeticException(value + " cannot be stored exactly");
        }
        return hash(number);
    }

    private static long hash(double number) {
        return XXH3.hash(Double.doubleToLongBits(number == 0 ? 0.0 : number));
    }

    /* The text as Java parses it. */
    private static String checkFloat(String text) {
        String special = special(text);
        return special != null ? special : matchDecimal(text).group();
    }

    /* Parsing rounds what is too large to infinity, and what is too small to zero. */
    private static void checkRounding(String text, double number) {
        if (Double.isInfinite(number) && special(text) == null
            || number == 0 && !ZERO.matcher(text).matches()) {
            throw new ArithmeticException(text + " is out of range");
        }
    }

    private static double exactDouble(Object value) {
        if (!isSmallInteger(value)) {
            throw SqlType.wrongClass(value);
        }
        long number = ((Number) value).longValue();
        if ((long) (double) number != number || number == Long.MAX_VALUE) {
            throw new ArithmeticException(number + " cannot be stored exactly");
        }
        return number;
    }
}
