package io.github.bloomtype;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Hashes of dates and times: days or microseconds since 2000-01-01, as the server counts. */
final class Times {
    private static final String DATE = "(\\d{4,7})-(\\d\\d)-(\\d\\d)";
    private static final String TIME = "(\\d\\d):(\\d\\d):(\\d\\d)(?:\\.(\\d{1,6}))?";
    private static final String OFFSET = "([+-])(\\d\\d)(?::(\\d\\d)(?::(\\d\\d))?)?";
    private static final Pattern DATE_FORM = Pattern.compile(DATE + "( BC)?");
    private static final Pattern TIME_FORM = Pattern.compile(TIME);
    private static final Pattern TIMESTAMP_FORM = Pattern.compile(DATE + " " + TIME + "( BC)?");
    private static final Pattern TIMESTAMPTZ_FORM =
        Pattern.compile(DATE + " " + TIME + OFFSET + "( BC)?");

    private static final LocalDate EPOCH = LocalDate.of(2000, 1, 1);
    private static final Instant EPOCH_INSTANT = EPOCH.atStartOfDay().toInstant(ZoneOffset.UTC);
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long SECONDS_PER_DAY = 24 * 60 * 60;

    /* The server's ranges, from 4714-11-24 BC on; the ends are out of range. */
    private static final long FIRST_DAY = -2_451_545;
    private static final long END_OF_DAYS = 2_145_031_949;
    private static final long FIRST_MICROSECOND = -211_813_488_000_000_000L;
    private static final long END_OF_MICROSECONDS = 9_223_371_331_200_000_000L;

    private Times() {}

    /* date */

    static long hashDate(Object value) {
        return XXH3.hash(days(value));
    }

    private static long days(Object value) {
        if (value.equals("infinity") || value.equals(LocalDate.MAX)) {
            return Integer.MAX_VALUE;
        }
        if (value.equals("-infinity") || value.equals(LocalDate.MIN)) {
            return Integer.MIN_VALUE;
        }
        LocalDate date;
        if (value instanceof LocalDate) {
            date = (LocalDate) value;
        } else {
            date = date(match(DATE_FORM, value), 4);
        }
        return inRange(date.toEpochDay() - EPOCH.toEpochDay(), FIRST_DAY, END_OF_DAYS, value);
    }

    /* timestamp and timestamptz */

    static long hashTimestamp(Object value) {
        if (value.equals("infinity") || value.equals(LocalDateTime.MAX)) {
            return XXH3.hash(Long.MAX_VALUE);
        }
        if (value.equals("-infinity") || value.equals(LocalDateTime.MIN)) {
            return XXH3.hash(Long.MIN_VALUE);
        }
        LocalDateTime time;
        if (value instanceof LocalDateTime) {
            time = (LocalDateTime) value;
        } else {
            Matcher parts = match(TIMESTAMP_FORM, value);
            time = LocalDateTime.of(date(parts, 8), time(parts, 4));
        }
        return hashMicroseconds(time.toInstant(ZoneOffset.UTC), value);
    }

    static long hashTimestamptz(Object value) {
        if (value.equals("infinity") || value.equals(OffsetDateTime.MAX)) {
            return XXH3.hash(Long.MAX_VALUE);
        }
        if (value.equals("-infinity") || value.equals(OffsetDateTime.MIN)) {
            return XXH3.hash(Long.MIN_VALUE);
        }
        Instant instant;
        if (value instanceof Instant) {
            instant = (Instant) value;
        } else if (value instanceof OffsetDateTime) {
            instant = ((OffsetDateTime) value).toInstant();
        } else if (value instanceof ZonedDateTime) {
            instant = ((ZonedDateTime) value).toInstant();
        } else {
            Matcher parts = match(TIMESTAMPTZ_FORM, value);
            LocalDateTime time = LocalDateTime.of(date(parts, 12), time(parts, 4));
            instant = time.toInstant(offset(parts, 8));
        }
        return hashMicroseconds(instant, value);
    }

    private static long hashMicroseconds(Instant instant, Object value) {
        long seconds = instant.getEpochSecond() - EPOCH_INSTANT.getEpochSecond();
        return XXH3.hash(inRange(
            Math.addExact(Math.multiplyExact(seconds, MICROS_PER_SECOND),
                microseconds(instant.getNano())),
            FIRST_MICROSECOND, END_OF_MICROSECONDS, value));
    }

    private static long microseconds(int nanoseconds) {
        if (nanoseconds % 1000 != 0) {
            throw new IllegalArgumentException(
                "it has a fraction of a microsecond; round it as PostgreSQL's driver does");
        }
        return nanoseconds / 1000;
    }

    /* time */

    static long hashTime(Object value) {
        if (value.equals("24:00:00") || value.equals(LocalTime.MAX)) {
            return XXH3.hash(SECONDS_PER_DAY * MICROS_PER_SECOND);
        }
        LocalTime time = value instanceof LocalTime
            ? (LocalTime) value : time(match(TIME_FORM, value), 1);
        return XXH3.hash(time.toSecondOfDay() * MICROS_PER_SECOND + microseconds(time.getNano()));
    }

    /* The parts of strings; each takes groups of a match from one on. */

    private static Matcher match(Pattern form, Object value) {
        if (!(value instanceof String)) {
            throw SqlType.wrongClass(value);
        }
        Matcher parts = form.matcher((String) value);
        if (!parts.matches()) {
            throw SqlType.malformed((String) value);
        }
        return parts;
    }

    /* 1 BC is the year 0 of java.time. */
    private static LocalDate date(Matcher parts, int groupOfBc) {
        int year = Integer.parseInt(parts.group(1));
        if (year == 0) {
            throw SqlType.malformed(parts.group());
        }
        return LocalDate.of(parts.group(groupOfBc) != null ? 1 - year : year,
            Integer.parseInt(parts.group(2)), Integer.parseInt(parts.group(3)));
    }

    private static LocalTime time(Matcher parts, int group) {
        String fraction = parts.group(group + 3) == null ? "" : parts.group(group + 3);
        return LocalTime.of(Integer.parseInt(parts.group(group)),
            Integer.parseInt(parts.group(group + 1)), Integer.parseInt(parts.group(group + 2)),
            Integer.parseInt(fraction + "0".repeat(9 - fraction.length())));
    }

    private static ZoneOffset offset(Matcher parts, int group) {
        int sign = parts.group(group).equals("-") ? -1 : 1;
        String minutes = parts.group(group + 2);
        String seconds = parts.group(group + 3);
        return ZoneOffset.ofHoursMinutesSeconds(sign * Integer.parseInt(parts.group(group + 1)),
            minutes == null ? 0 : sign * Integer.parseInt(minutes),
            seconds == null ? 0 : sign * Integer.parseInt(seconds));
    }

    private static long inRange(long number, long first, long end, Object value) {
        if (number < first || number >= end) {
            throw new IllegalArgumentException(value + " is out of range");
        }
        return number;
    }
}
