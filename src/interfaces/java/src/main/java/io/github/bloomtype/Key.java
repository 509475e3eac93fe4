package io.github.bloomtype;

import java.util.Objects;

/**
 * The hash of a value, with the family of its type: what a filter knows of a key.
 *
 * <p>Two values of a family are the same key exactly when the server takes them for equal, as
 * {@code 1} and {@code 1.00}. Values of different families are different keys. The key of a value
 * is that of the SQL function {@code bloom_key}. Keys are immutable.
 */
public final class Key {
    private final Family family;
    private final int subtype;
    private final long hash;

    Key(Family family, int subtype, long hash) {
        this.family = family;
        this.subtype = subtype;
        this.hash = hash;
    }

    /**
     * Returns the key of a value whose class tells its SQL type.
     *
     * <table>
     * <caption>Classes and key families</caption>
     * <tr><th>class</th><th>family</th></tr>
     * <tr><td>{@code Boolean}</td><td>boolean</td></tr>
     * <tr><td>{@code Byte}, {@code Short}, {@code Integer}, {@code Long}, {@code BigInteger},
     * {@code BigDecimal}</td><td>number</td></tr>
     * <tr><td>{@code Double}; {@code Float}, which is a real</td><td>float</td></tr>
     * <tr><td>{@code CharSequence}</td><td>text</td></tr>
     * <tr><td>{@code byte[]}</td><td>bytea</td></tr>
     * <tr><td>{@code java.util.UUID}</td><td>uuid</td></tr>
     * <tr><td>{@code LocalDate}, {@code java.sql.Date}</td><td>date</td></tr>
     * <tr><td>{@code LocalDateTime}, {@code java.sql.Timestamp}</td><td>timestamp</td></tr>
     * <tr><td>{@code OffsetDateTime}, {@code ZonedDateTime}, {@code Instant}</td>
     * <td>timestamptz</td></tr>
     * <tr><td>{@code LocalTime}</td><td>time</td></tr>
     * <tr><td>{@code InetAddress}, a host</td><td>network</td></tr>
     * <tr><td>{@code Key}</td><td>its own</td></tr>
     * </table>
     *
     * <p>As in PostgreSQL's JDBC driver, MIN and MAX of {@code LocalDate}, {@code LocalDateTime}
     * and {@code OffsetDateTime} are -infinity and infinity, and {@code LocalTime.MAX} is
     * 24:00:00; likewise the values of the classes of {@code java.sql} that the driver gives for
     * these. A {@code java.sql.Timestamp} with the type timestamptz is the
     * key of that. It cannot have a time that the clock of the default time zone skips, as it does
     * in spring, so prefer the classes of {@code java.time}, which the driver's {@code
     * getObject(column, LocalDateTime.class)} gives. {@code java.util.Date} and {@code
     * java.sql.Time} have milliseconds only, and are taken with a type: timestamptz, and time.
     *
     * <p>Java has no IPv6 address that is mapped to an IPv4 one: give it as a string, with
     * its type.
     *
     * @throws NullPointerException if the value is null
     * @throws IllegalArgumentException if its class is another one; or if the server has no such
     *     value, as for text with a NUL character or an unpaired surrogate, times with fractions
     *     of a microsecond, and numbers and dates out of range; or if it is a
     *     {@code java.sql.Date} or {@code java.sql.Timestamp} before 1582-10-25, where these have
     *     another calendar than the server, or a {@code java.sql.Date} that also stands for a day
     *     which its time zone skipped
     */
    public static Key of(Object value) {
        Objects.requireNonNull(value, "a key cannot be null");
        return value instanceof Key ? (Key) value : SqlType.of(value).keyOf(value);
    }

    /**
     * Returns the key that {@code bloom_key(value::type)} is on the server.
     *
     * @param value of a class that {@link #of(Object)} has for the family of the type, if no
     *     digit would be lost; or a string in the form in which PostgreSQL prints the value,
     *     with DateStyle ISO
     * @param type PostgreSQL's name for one of the types boolean, smallint, integer, bigint,
     *     numeric, real, double precision, text, varchar, bpchar, name, bytea, uuid, oid, date,
     *     timestamp, timestamptz, time, inet, cidr, macaddr and macaddr8, long or short, without
     *     a length or precision. Trailing blanks of a bpchar are cut off
     * @throws NullPointerException if one of the arguments is null
     * @throws IllegalArgumentException if there is no such type, or the value is not one of it
     */
    public static Key of(Object value, String type) {
        Objects.requireNonNull(value, "a key cannot be null");
        return SqlType.named(type).keyOf(value);
    }

    /**
     * Returns the key of a text form, as {@code bloom_key} prints it: the way for arrays, rows
     * and ranges, which only the server hashes.
     *
     * @throws IllegalArgumentException if it is anything but such a text
     */
    public static Key parse(String text) {
        int colon = text.indexOf(':');
        int slash = text.lastIndexOf('/', colon);
        Family family = Family.of(text.substring(0, Math.max(0, slash >= 0 ? slash : colon)));
        if (family == null || family == Family.NONE || family.isNested() != slash >= 0) {
            throw invalid(text);
        }
        int subtype = family.isNested() ? (int) hex(text, slash + 1, colon, 8) : 0;
        return new Key(family, subtype, hex(text, colon + 1, text.length(), 16));
    }

    private static long hex(String text, int from, int to, int digits) {
        long value = 0;
        if (to - from != digits) {
            throw invalid(text);
        }
        for (int i = from; i < to; i++) {
            int digit = "0123456789abcdef".indexOf(text.charAt(i));
            if (digit < 0) {
                throw invalid(text);
            }
            value = value << 4 | digit;
        }
        return value;
    }

    private static IllegalArgumentException invalid(String text) {
        return new IllegalArgumentException(
            "invalid input syntax for type bloom_key: \"" + text + "\"");
    }

    /** Returns the name of the key family, such as {@code number}. */
    public String family() {
        return family.sqlName;
    }

    Family keyFamily() {
        return family;
    }

    /**
     * Returns what tells apart the keys of, say, int[] and text[]: an unsigned number, which is 0
     * for types without parts.
     */
    public int subtype() {
        return subtype;
    }

    /** Returns the hash, an unsigned number. */
    public long hash() {
        return hash;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Key)) {
            return false;
        }
        Key key = (Key) other;
        return hash == key.hash && family == key.family && subtype == key.subtype;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(hash);
    }

    /** Returns the text form of {@code bloom_key}, such as {@code number:2fbc593564db792e}. */
    @Override
    public String toString() {
        return family.isNested()
            ? String.format("%s/%08x:%016x", family.sqlName, subtype, hash)
            : String.format("%s:%016x", family.sqlName, hash);
    }
}
