package io.github.bloomtype;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.Date;
import java.util.TimeZone;

/**
 * Values of the classes of dates and times that are older than java.time. Those of java.sql are
 * known by their names, as an application may run without that module.
 */
final class OldDates {
    /* What PostgreSQL's JDBC driver gives for infinity and -infinity, in milliseconds. */
    private static final long INFINITY = 9_223_372_036_825_200_000L;
    private static final long MINUS_INFINITY = -9_223_372_036_832_400_000L;

    /*
     * In the calendar of java.sql, the ten days before 1582-10-15 are left out, for which the
     * driver gives those ten days later; earlier ones are others than on the server.
     */
    private static final LocalDate FIRST_DAY = LocalDate.of(1582, 10, 25);

    /* What the driver gives for the time 24:00:00 */
    private static final LocalDateTime END_OF_DAY = LocalDateTime.of(1970, 1, 2, 0, 0);

    private static final int NANOS_PER_MILLISECOND = 1_000_000;

    private OldDates() {}

    /** The type that the class of a value stands for; an error if it may have lost digits. */
    static SqlType typeOf(Date value) {
        switch (sqlClassOf(value)) {
            case "java.sql.Timestamp":
                return SqlType.TIMESTAMP;
            case "java.sql.Date":
                return SqlType.DATE;
            case "java.sql.Time":
                throw hasMilliseconds("time", value, "a LocalTime");
            default:
                throw hasMilliseconds("timestamptz", value, "an Instant");
        }
    }

    private static IllegalArgumentException hasMilliseconds(
            String type, Date value, String alternative) {
        return new IllegalArgumentException("a " + value.getClass().getName()
            + " has no microseconds, which a value of type " + type + " may have: give "
            + alternative + ", or Key.of(value, \"" + type + "\") if there are none");
    }

    /** The value of a class of java.time that is of a type; or, if there is none, the value. */
    static Object convert(Date value, SqlType type) {
        switch (sqlClassOf(value)) {
            case "java.sql.Timestamp":
                return type == SqlType.TIMESTAMP ? Sql.dateTimeOf(value)
                    : type == SqlType.TIMESTAMPTZ ? Sql.instantOf(value) : value;
            case "java.sql.Date":
                return type == SqlType.DATE ? Sql.dateOf(value) : value;
            case "java.sql.Time":
                return type == SqlType.TIME ? Sql.timeOf(value) : value;
            default:
                return type == SqlType.TIMESTAMPTZ ? instantOf(value) : value;
        }
    }

    /* The name of the class of java.sql that it belongs to, or that of java.util.Date. */
    private static String sqlClassOf(Date value) {
        Class<?> type = value.getClass();
        while (type != Date.class && !type.getName().startsWith("java.sql.")) {
            type = type.getSuperclass();
        }
        return type.getName();
    }

    private static Object instantOf(Date value) {
        if (isInfinite(value)) {
            return value.getTime() > 0 ? OffsetDateTime.MAX : OffsetDateTime.MIN;
        }
        return value.toInstant();
    }

    private static boolean isInfinite(Date value) {
        return value.getTime() == INFINITY || value.getTime() == MINUS_INFINITY;
    }

    private static void check(LocalDate day) {
        if (day.isBefore(FIRST_DAY)) {
            throw new IllegalArgumentException("its class has another calendar before "
                + FIRST_DAY + "; give a value of java.time");
        }
    }

    /*
     * A java.sql.Date is a time. That of a day which the clock of the zone skipped, as when Samoa
     * crossed the date line, is also that of the day after.
     */
    private static void checkNotSkipped(Date value) {
        Instant time = Instant.ofEpochMilli(value.getTime());
        ZoneOffsetTransition last = TimeZone.getDefault().toZoneId().getRules()
            .previousTransition(time.plusNanos(1));
        if (last == null || !last.isGap()
            || !time.isBefore(last.getInstant().plus(last.getDuration()))) {
            return;
        }
        LocalDate skipped = last.getDateTimeBefore().toLocalDate();
        if (!last.getDateTimeBefore().isAfter(skipped.atStartOfDay())
            && !last.getDateTimeAfter().isBefore(skipped.plusDays(1).atStartOfDay())) {
            throw new IllegalArgumentException("it may also stand for " + skipped
                + ", which its time zone skipped; give a value of java.time");
        }
    }

    /** What needs the module java.sql; this class is loaded where there is such a value. */
    private static final class Sql {
        static LocalDateTime dateTimeOf(Date value) {
            if (isInfinite(value)) {
                return value.getTime() > 0 ? LocalDateTime.MAX : LocalDateTime.MIN;
            }
            LocalDateTime time = ((java.sql.Timestamp) value).toLocalDateTime();
            check(time.toLocalDate());
            return time;
        }

        /* With the nanoseconds of a Timestamp */
        static Object instantOf(Date value) {
            dateTimeOf(value);
            return OldDates.instantOf(value);
        }

        static LocalDate dateOf(Date value) {
            if (isInfinite(value)) {
                return value.getTime() > 0 ? LocalDate.MAX : LocalDate.MIN;
            }
            LocalDate day = ((java.sql.Date) value).toLocalDate();
            check(day);
            checkNotSkipped(value);
            return day;
        }

        /* toLocalTime() leaves the milliseconds out. */
        static LocalTime timeOf(Date value) {
            if (new java.sql.Timestamp(value.getTime()).toLocalDateTime().equals(END_OF_DAY)) {
                return LocalTime.MAX;
            }
            int milliseconds = (int) Math.floorMod(value.getTime(), 1000L);
            return ((java.sql.Time) value).toLocalTime()
                .withNano(milliseconds * NANOS_PER_MILLISECOND);
        }
    }
}
