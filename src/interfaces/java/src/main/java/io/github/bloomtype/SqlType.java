package io.github.bloomtype;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.Date;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.ToLongFunction;

/** The SQL types without parts: the key family of each, and how its values are hashed. */
enum SqlType {
    BOOLEAN(Family.BOOLEAN, Scalars::hashBoolean, "boolean", "bool"),
    SMALLINT(Family.NUMBER, v -> Numbers.hashInteger(v, Short.MIN_VALUE, Short.MAX_VALUE),
        "smallint", "int2"),
    INTEGER(Family.NUMBER, v -> Numbers.hashInteger(v, Integer.MIN_VALUE, Integer.MAX_VALUE),
        "integer", "int", "int4"),
    BIGINT(Family.NUMBER, v -> Numbers.hashInteger(v, Long.MIN_VALUE, Long.MAX_VALUE),
        "bigint", "int8"),
    NUMERIC(Family.NUMBER, Numbers::hashNumeric, "numeric", "decimal"),
    REAL(Family.FLOAT, Numbers::hashReal, "real", "float4"),
    DOUBLE(Family.FLOAT, Numbers::hashDouble, "double precision", "float8"),
    TEXT(Family.TEXT, Texts::hash, "text", "varchar", "character varying"),
    BPCHAR(Family.TEXT, Texts::hashBlankPadded, "bpchar", "character"),
    NAME(Family.TEXT, Texts::hashName, "name"),
    BYTEA(Family.BYTEA, Scalars::hashBytea, "bytea"),
    UUID_TYPE(Family.UUID, Scalars::hashUuid, "uuid"),
    OID(Family.OID, Numbers::hashOid, "oid"),
    DATE(Family.DATE, Times::hashDate, "date"),
    TIMESTAMP(Family.TIMESTAMP, Times::hashTimestamp, "timestamp", "timestamp without time zone"),
    TIMESTAMPTZ(Family.TIMESTAMPTZ, Times::hashTimestamptz,
        "timestamptz", "timestamp with time zone"),
    TIME(Family.TIME, Times::hashTime, "time", "time without time zone"),
    INET(Family.NETWORK, Addresses::hashInet, "inet"),
    CIDR(Family.NETWORK, Addresses::hashCidr, "cidr"),
    MACADDR(Family.MACADDR, Addresses::hashMacaddr, "macaddr"),
    MACADDR8(Family.MACADDR, Addresses::hashMacaddr8, "macaddr8");

    private static final Map<String, SqlType> BY_NAME = new HashMap<>();

    static {
        for (SqlType type : values()) {
            for (String name : type.names) {
                BY_NAME.put(name, type);
            }
        }
    }

    private final Family family;
    /* From a value that is no CharSequence other than a String. */
    private final ToLongFunction<Object> hasher;
    private final String[] names;

    SqlType(Family family, ToLongFunction<Object> hasher, String... names) {
        this.family = family;
        this.hasher = hasher;
        this.names = names;
    }

    /** The type of a name, in upper or lower case; an error if there is none. */
    static SqlType named(String name) {
        Objects.requireNonNull(name, "the name of a type cannot be null");
        SqlType type = BY_NAME.get(name.toLowerCase(Locale.ROOT));
        if (type == null) {
            throw new IllegalArgumentException("values of type \"" + name
                + "\" cannot be hashed here; Key.parse() takes the text of bloom_key(value)");
        }
        return type;
    }

    /** The type that the class of a value stands for; an error if that is not clear. */
    static SqlType of(Object value) {
        if (value instanceof Integer || value instanceof Long || value instanceof Short
            || value instanceof Byte || value instanceof BigDecimal
            || value instanceof BigInteger) {
            return NUMERIC;
        } else if (value instanceof CharSequence) {
            return TEXT;
        } else if (value instanceof UUID) {
            return UUID_TYPE;
        } else if (value instanceof Boolean) {
            return BOOLEAN;
        } else if (value instanceof Double || value instanceof Float) {
            return DOUBLE;
        } else if (value instanceof byte[]) {
            return BYTEA;
        } else if (value instanceof LocalDate) {
            return DATE;
        } else if (value instanceof LocalDateTime) {
            return TIMESTAMP;
        } else if (value instanceof OffsetDateTime || value instanceof ZonedDateTime
            || value instanceof Instant) {
            return TIMESTAMPTZ;
        } else if (value instanceof LocalTime) {
            return TIME;
        } else if (value instanceof InetAddress) {
            return INET;
        } else if (value instanceof Date) {
            return OldDates.typeOf((Date) value);
        }
        throw new IllegalArgumentException("a key cannot be made from a "
            + value.getClass().getName() + ": " + whatToGive(value));
    }

    private static String whatToGive(Object value) {
        if (value instanceof Character) {
            return "give a String";
        } else if (value instanceof Number) {
            return "give a Long, a BigDecimal or a Double";
        } else if (value instanceof Calendar) {
            return "give an Instant, of its toInstant()";
        }
        return "give a String with the name of the type, Key.of(text, type)";
    }

    Key keyOf(Object value) {
        try {
            return new Key(family, 0, hasher.applyAsLong(
                value instanceof CharSequence ? value.toString()
                    : value instanceof Date ? OldDates.convert((Date) value, this) : value));
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
            throw new IllegalArgumentException(
                "invalid value for a key of type " + names[0] + ": " + e.getMessage(), e);
        }
    }

    /** To be thrown for a value of a class from which there is no way to the type. */
    static IllegalArgumentException wrongClass(Object value) {
        return new IllegalArgumentException("it cannot be given as a "
            + value.getClass().getName() + ", but as a String");
    }

    /** To be thrown for a string that PostgreSQL does not print for the type. */
    static IllegalArgumentException malformed(String text) {
        return new IllegalArgumentException("PostgreSQL does not print it as \""
            + (text.length() <= 60 ? text : text.substring(0, 60) + "...") + "\"");
    }
}
