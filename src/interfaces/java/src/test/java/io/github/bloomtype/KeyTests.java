package io.github.bloomtype;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Date;
import java.util.TimeZone;
import java.util.UUID;

/** Keys from native values, and the text form of keys. */
final class KeyTests {
    private KeyTests() {}

    static void run() throws Exception {
        testNumbers();
        testFloats();
        testTexts();
        testTimes();
        testOldDates();
        testSkippedDays();
        testOthers();
        testTypes();
        testTextForm();
        testXXH3();
    }

    /* Has a native value, without and with its type, the key of what PostgreSQL prints? */
    private static void same(Object value, String type, String printed) {
        Key expected = Key.of(printed, type);
        Check.equal(printed + "::" + type, expected, Key.of(value));
        Check.equal(printed + "::" + type + " with its type", expected, Key.of(value, type));
    }

    private static void refused(Object value, String type) {
        Check.fails(value + "::" + type, IllegalArgumentException.class,
            "invalid value for a key of type ", () -> Key.of(value, type));
    }

    private static void refused(Object value) {
        Check.fails("key of " + value, IllegalArgumentException.class, () -> Key.of(value));
    }

    private static void testNumbers() {
        same((byte) -7, "smallint", "-7");
        same((short) 300, "smallint", "300");
        same(70_000, "integer", "70000");
        same(Long.MIN_VALUE, "bigint", "-9223372036854775808");
        same(BigInteger.TEN, "bigint", "10");
        same(BigInteger.TEN.pow(30), "numeric", "1" + "0".repeat(30));
        same(BigInteger.TEN.pow(30).negate(), "numeric", "-1e30");
        same(new BigDecimal("5.00"), "bigint", "5");
        same(new BigDecimal("5E+3"), "numeric", "5000");
        same(new BigDecimal("-0.0500"), "numeric", "-0.05");
        same(new BigDecimal("0E-16383"), "numeric", "0");
        same(new BigDecimal("0E+99999"), "numeric", "0");
        same(new BigDecimal("1E+131071"), "numeric", "1e131071");
        same(new BigDecimal("1E-16383"), "numeric", "1e-16383");
        refused(new BigDecimal("1E+131072"));
        refused(new BigDecimal("1E-16384"));
        refused(new BigDecimal("1E+999999999"));
        refused(BigInteger.ONE.shiftLeft(1_000_000));
        refused("1e999999999999", "numeric");
        refused("1e-99999", "numeric");
        refused("\u0661", "numeric");
        refused("\u0661", "bigint");
        refused(1.0, "numeric");
        refused(1.0, "bigint");
        refused(1.0f, "integer");
        refused(new BigDecimal("5.5"), "bigint");
        refused(new BigDecimal("1E+999999999"), "bigint");
        refused(BigInteger.ONE.shiftLeft(63), "bigint");
        refused(40_000, "smallint");
        refused(1L << 31, "integer");
        refused('a');
        Check.equal("oid", Key.of("4294967295", "oid"), Key.of(4294967295L, "oid"));
        refused(-1, "oid");
        refused(1L << 32, "oid");
        refused("010", "oid");
        refused("00", "oid");
        Check.equal("a leading zero", Key.of(10), Key.of("010", "bigint"));
    }

    private static void testFloats() {
        same(0.1, "float8", "0.1");
        same(0.1f, "real", "0.1");
        same(0.1f, "float8", "0.10000000149011612");
        same(-0.0, "double precision", "0");
        same(Double.longBitsToDouble(0xFFF8000000000001L), "float8", "NaN");
        same(Float.POSITIVE_INFINITY, "real", "Infinity");
        same(Double.MIN_VALUE, "float8", "4.9e-324");
        same(Float.MIN_VALUE, "real", "1e-45");
        Check.equal("0.1 as real", Key.of("0.1", "real"), Key.of(0.1, "real"));
        Check.equal("5 as float", Key.of(5.0), Key.of(5, "float8"));
        Check.isTrue("0.1 and 0.1f", !Key.of(0.1).equals(Key.of(0.1f)));
        refused(1e39, "real");
        refused(1e-60, "real");
        refused("1e-400", "float8");
        refused("0x1p3", "float8");
        refused("1d", "float8");
        refused(" 1", "float8");
        refused("-nan", "float8");
        refused((1L << 53) + 1, "float8");
        refused(Long.MAX_VALUE, "float8");
        refused((1 << 24) + 1, "real");
        refused(new BigDecimal("0.1"), "float8");
    }

    private static void testTexts() {
        same(new StringBuilder("Zürich"), "text", "Zürich");
        String text = "a\u00e9\u20ac\ud83d\ude00";
        Check.equal("UTF-8", XXH3.hash(text.getBytes(StandardCharsets.UTF_8)),
            Key.of(text).hash());
        Check.equal("bpchar", Key.of("a"), Key.of("a  ", "bpchar"));
        Check.equal("character", Key.of(""), Key.of("  ", "character"));
        Check.equal("varchar", Key.of("a  "), Key.of("a  ", "character varying"));
        Check.equal("name", Key.of("x".repeat(63)), Key.of("x".repeat(63), "name"));
        refused("x".repeat(64), "name");
        refused("é".repeat(32), "name");
        for (String bad : new String[] {
            "\0", "a\0b", "\ud83d", "\ude00", "a\ud83d ", "\ude00\ud83d"}) {
            refused(bad);
            refused(bad, "text");
            refused(bad, "bpchar");
            refused(bad, "name");
        }
        refused(5, "text");
    }

    private static void testTimes() {
        same(LocalDate.of(2024, 2, 29), "date", "2024-02-29");
        same(LocalDate.of(0, 3, 15), "date", "0001-03-15 BC");
        same(LocalDate.MAX, "date", "infinity");
        same(LocalDate.MIN, "date", "-infinity");
        refused(LocalDate.of(5874898, 1, 1));
        refused(LocalDate.of(-4713, 11, 23));
        same(LocalDate.of(-4713, 11, 24), "date", "4714-11-24 BC");
        LocalDateTime time = LocalDateTime.of(2024, 2, 29, 12, 34, 56, 789_012_000);
        same(time, "timestamp", "2024-02-29 12:34:56.789012");
        same(LocalDateTime.MAX, "timestamp", "infinity");
        same(LocalDateTime.MIN, "timestamp without time zone", "-infinity");
        same(time.atOffset(ZoneOffset.ofHours(2)), "timestamptz", "2024-02-29 12:34:56.789012+02");
        same(time.atZone(ZoneId.of("Asia/Kolkata")), "timestamp with time zone",
            "2024-02-29 12:34:56.789012+05:30");
        same(Instant.parse("1969-12-31T23:59:59.999999Z"), "timestamptz",
            "1969-12-31 23:59:59.999999+00");
        same(OffsetDateTime.MAX, "timestamptz", "infinity");
        same(OffsetDateTime.MIN, "timestamptz", "-infinity");
        same(LocalTime.of(1, 2, 3), "time", "01:02:03");
        same(LocalTime.MAX, "time", "24:00:00");
        refused(time.plusNanos(1));
        refused(Instant.MAX);
        refused(Instant.MIN);
        refused(LocalDateTime.MAX.minusYears(1));
        refused(LocalTime.of(1, 2, 3, 1));
        refused(time, "timestamptz");
        refused(time.atOffset(ZoneOffset.UTC), "timestamp");
        refused(LocalDate.EPOCH, "timestamp");
        refused("2024-02-29T12:34:56", "timestamp");
        refused("2024-02-29 12:34:56", "timestamptz");
        refused("2024-02-29 12:34:56.1234567", "timestamp");
        refused("0000-01-01", "date");
        refused(new java.util.GregorianCalendar());
    }

    private static void testOldDates() {
        for (String zone : new String[] {"UTC", "America/St_Johns", "Asia/Kathmandu"}) {
            TimeZone before = TimeZone.getDefault();
            TimeZone.setDefault(TimeZone.getTimeZone(zone));
            try {
                testOldDatesHere();
            } finally {
                TimeZone.setDefault(before);
            }
        }
    }

    /* Some zones skipped a day: they crossed the date line. Others skip midnight. */
    private static void testSkippedDays() {
        String[][] days = {
            {"Pacific/Apia", "2011-12-30", "2011-12-31", "2011-12-29", "2012-01-01"},
            {"Pacific/Kwajalein", "1993-08-21", "1993-08-22", "1993-08-20", "1993-08-23"},
            {"America/Sao_Paulo", null, null, "2017-10-15", "2017-10-16"},
            {"America/New_York", null, null, "2024-03-10", "2024-03-11"}};
        TimeZone before = TimeZone.getDefault();
        for (String[] zone : days) {
            TimeZone.setDefault(TimeZone.getTimeZone(zone[0]));
            try {
                for (int i = 1; i < 3 && zone[i] != null; i++) {
                    refused(java.sql.Date.valueOf(zone[i]));
                    refused(java.sql.Date.valueOf(zone[i]), "date");
                    same(LocalDate.parse(zone[i]), "date", zone[i]);
                }
                for (int i = 3; i < 5; i++) {
                    same(java.sql.Date.valueOf(zone[i]), "date", zone[i]);
                }
                if (zone[1] != null) {
                    message("invalid value for a key of type date: it may also stand for " + zone[1]
                        + ", which its time zone skipped; give a value of java.time",
                        java.sql.Date.valueOf(zone[1]));
                }
                same(new java.sql.Date(9223372036825200000L), "date", "infinity");
            } finally {
                TimeZone.setDefault(before);
            }
        }
    }

    private static void testOldDatesHere() {
        same(Timestamp.valueOf("2024-02-29 12:34:56.789012"), "timestamp",
            "2024-02-29 12:34:56.789012");
        same(Timestamp.valueOf("1582-10-25 00:00:00"), "timestamp", "1582-10-25 00:00:00");
        same(new Timestamp(9223372036825200000L), "timestamp", "infinity");
        same(new Timestamp(-9223372036832400000L), "timestamp", "-infinity");
        same(java.sql.Date.valueOf("2024-02-29"), "date", "2024-02-29");
        same(java.sql.Date.valueOf("1582-10-25"), "date", "1582-10-25");
        same(new java.sql.Date(9223372036825200000L), "date", "infinity");
        same(new java.sql.Date(-9223372036832400000L), "date", "-infinity");
        same(new Timestamp(0) {
            private static final long serialVersionUID = 1;

            @Override
            public LocalDateTime toLocalDateTime() {
                return LocalDateTime.of(2024, 2, 29, 0, 0);
            }
        }, "timestamp", "2024-02-29 00:00:00");

        Timestamp instant = Timestamp.from(Instant.parse("1600-02-28T12:34:56.789012Z"));
        Check.equal("a Timestamp of type timestamptz", Key.of(instant.toInstant()),
            Key.of(instant, "timestamptz"));
        Check.equal("infinity", Key.of("infinity", "timestamptz"),
            Key.of(new Timestamp(9223372036825200000L), "timestamptz"));
        Check.equal("-infinity", Key.of("-infinity", "timestamptz"),
            Key.of(new java.util.Date(-9223372036832400000L), "timestamptz"));
        Date date = new Date(-1);
        Check.equal("a Date", Key.of("1969-12-31 23:59:59.999+00", "timestamptz"),
            Key.of(date, "timestamptz"));
        Check.equal("a Date of another class", Key.of(Instant.ofEpochMilli(5)),
            Key.of(new Date(5) {
                private static final long serialVersionUID = 1;
            }, "timestamptz"));
        Check.equal("a Time", Key.of("01:02:03", "time"),
            Key.of(Time.valueOf("01:02:03"), "time"));
        Time time = new Time(Time.valueOf("01:02:03").getTime() + 45);
        Check.equal("its milliseconds", Key.of("01:02:03.045", "time"), Key.of(time, "time"));
        Time end = new Time(Timestamp.valueOf("1970-01-02 00:00:00").getTime());
        Check.equal("the end of a day", Key.of("24:00:00", "time"), Key.of(end, "time"));
        Time early = new Time(Time.valueOf("00:00:00").getTime() + 999);
        Check.equal("a negative number", Key.of("00:00:00.999", "time"), Key.of(early, "time"));

        message("a java.util.Date has no microseconds, which a value of type timestamptz may "
            + "have: give an Instant, or Key.of(value, \"timestamptz\") if there are none", date);
        message("a java.sql.Time has no microseconds, which a value of type time may have: give a "
            + "LocalTime, or Key.of(value, \"time\") if there are none", time);
        message("a key cannot be made from a java.lang.Character: give a String", 'a');
        message("a key cannot be made from a java.util.concurrent.atomic.AtomicLong: give a Long, "
            + "a BigDecimal or a Double", new java.util.concurrent.atomic.AtomicLong());
        message("a key cannot be made from a java.util.GregorianCalendar: give an Instant, of its "
            + "toInstant()", new java.util.GregorianCalendar());
        message("a key cannot be made from a java.lang.Object: give a String with the name of the "
            + "type, Key.of(text, type)", new Object());
        for (String day : new String[] {"1500-01-01", "1582-10-04", "1582-10-15", "1582-10-24"}) {
            refused(java.sql.Date.valueOf(day));
            Timestamp evening = Timestamp.valueOf(day + " 23:59:59.999999");
            refused(evening);
            refused(evening, "timestamptz");
        }
        refused(new Timestamp(1_000_000_000_000_000_000L));
        refused(new Timestamp(0), "date");
        refused(new Timestamp(0), "time");
        refused(new java.sql.Date(0), "timestamp");
        refused(new java.sql.Date(0), "timestamptz");
        refused(time, "timestamp");
        refused(time, "timestamptz");
        refused(date, "timestamp");
        refused(date, "date");
        Timestamp nanoseconds = new Timestamp(0);
        nanoseconds.setNanos(1);
        refused(nanoseconds);
        refused(nanoseconds, "timestamptz");
    }

    private static void message(String message, Object value) {
        IllegalArgumentException e = Check.fails("key of a " + value.getClass().getName(),
            IllegalArgumentException.class, () -> Key.of(value));
        Check.equal("message", message, e == null ? null : e.getMessage());
    }

    private static void testOthers() throws Exception {
        same(true, "boolean", "t");
        same(false, "bool", "false");
        same(new byte[] {0, (byte) 255}, "bytea", "\\x00fF");
        UUID uuid = UUID.fromString("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11");
        same(uuid, "uuid", "A0EEBC99-9c0b-4ef8-bb6d-6bb9bd380a11");
        refused("1-1-1-1-1", "uuid");
        refused("\\xg0", "bytea");
        refused("x00", "bytea");
        refused("\\X00", "bytea");
        refused("T", "boolean");
        same(InetAddress.getByName("10.1.2.3"), "inet", "10.1.2.3");
        same(InetAddress.getByName("10.1.2.3"), "cidr", "10.1.2.3/32");
        same(InetAddress.getByName("2001:db8::1"), "inet", "2001:db8::1/128");
        refused(java.net.Inet6Address.getByAddress(null, new byte[16], 3));
        for (String bad : new String[] {
            "1::2::3", "1:2:3", "1:2:3:4:5:6:7:8:9", "::g", "1.2.3.4::", "::1.2.3", "12345::",
            "10", "1.2.3.04", "1.2.3.4/", "1.2.3.4/08", "/8", "::1%lo", ":"}) {
            refused(bad, "inet");
        }
        Check.equal("all groups", Key.of("1:2:3:4:5:6:7:8", "inet"),
            Key.of("1:2:3:4:5:6:0.7.0.8", "inet"));
        Check.equal("macaddr", Key.of("08:00:2b:ff:fe:01:02:03", "macaddr8"),
            Key.of("08:00:2B:01:02:03", "macaddr"));
        refused("08:00:2b:ff:fe:01:02:03", "macaddr");
    }

    private static void testTypes() {
        Check.equal("upper case", Key.of(5), Key.of("5", "BIGINT"));
        for (String type : new String[] {"jsonb", "int[]", "", "numeric(5,2)", "interval"}) {
            Check.fails(type, IllegalArgumentException.class, "values of type",
                () -> Key.of("1", type));
        }
        Check.fails("null", NullPointerException.class, "a key cannot be null",
            () -> Key.of(null));
        Check.fails("null", NullPointerException.class, () -> Key.of(null, "text"));
        Check.fails("null", NullPointerException.class, () -> Key.of("", null));
        Check.equal("a key", Key.of("red"), Key.of(Key.of("red")));
        refused(Key.of(5), "bigint");
        refused(new Object());
    }

    private static void testTextForm() {
        Key number = Key.of(1);
        Check.equal("text form", "number:2fbc593564db792e", number.toString());
        Check.equal("family", "number", number.family());
        Check.equal("hash", 0x2fbc593564db792eL, number.hash());
        Key row = Key.parse("row/b47314cf:35b1e8092a9e94a4");
        Check.equal("subtype", 0xb47314cf, row.subtype());
        Check.equal("text form of a row", "row/b47314cf:35b1e8092a9e94a4", row.toString());
        Check.equal("the same key", Key.parse("number:2fbc593564db792e"), number);
        Check.equal("its hash code", number.hashCode(), Key.of("1", "numeric").hashCode());
        Check.isTrue("another family", !Key.parse("oid:2fbc593564db792e").equals(number));
        Check.isTrue("another subtype", !Key.parse("row/b47314c0:35b1e8092a9e94a4").equals(row));
        Check.isTrue("another class", !number.equals((Object) "number:2fbc593564db792e"));
        for (String bad : new String[] {
            "", ":", "/", "number", "number:", "number:2fbc593564db792",
            "number:2fbc593564db792e ", "Number:2fbc593564db792e", "number:2FBC593564DB792E",
            "number/00000000:2fbc593564db792e", "row:35b1e8092a9e94a4", "row/:35b1e8092a9e94a4",
            "none:2fbc593564db792e", "row/b47314cf0:35b1e8092a9e94a4", "x:2fbc593564db792e",
            "row//b47314cf:35b1e8092a9e94a4", "number:-fbc593564db792e"}) {
            Check.fails("'" + bad + "'", IllegalArgumentException.class, "invalid input syntax",
                () -> Key.parse(bad));
        }
    }

    /* The short cuts for numbers. */
    private static void testXXH3() {
        for (long number : new long[] {0, 1, -1, Long.MIN_VALUE, 0x0123456789ABCDEFL}) {
            byte[] bytes = new byte[8];
            Bytes.put64(bytes, 0, number);
            Check.equal("hash of a long", XXH3.hash(bytes), XXH3.hash(number));
            byte[] four = java.util.Arrays.copyOf(bytes, 4);
            Check.equal("hash of an int", XXH3.hash(four), XXH3.hash((int) number));
        }
    }
}
