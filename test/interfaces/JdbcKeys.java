import io.github.bloomtype.Key;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.TimeZone;

/**
 * Compares the keys of values that JDBC gives, of java.sql and java.time, with those of the server.
 *
 * <pre>
 * java -cp bloomtype.jar:postgresql.jar JdbcKeys.java URL ZONE...
 * </pre>
 *
 * <p>In each time zone, which is that of the session, too, prints each key that is another one, or
 * is not refused, and last the zone and how many there are.
 */
public final class JdbcKeys {
    private static int keys;
    private static int refused;

    private JdbcKeys() {}

    /** What a driver gives for a column. */
    private interface Getter {
        Object get(ResultSet row) throws SQLException;
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 1; i < arguments.length; i++) {
            keys = 0;
            refused = 0;
            TimeZone.setDefault(TimeZone.getTimeZone(arguments[i]));
            compareAll(arguments[0]);
            System.out.println(arguments[i] + ": " + keys + " keys, " + refused + " refused");
        }
    }

    private static void compareAll(String url) throws Exception {
        try (Connection connection = DriverManager.getConnection(url);
            Statement statement = connection.createStatement()) {
            String timestamps = "SELECT v, bloom_key(v)::text FROM (SELECT timestamp '1970-01-01' "
                + "+ i * interval '4 days 1:23:45.678901' AS v FROM generate_series(1, 5000) i "
                + "UNION VALUES (timestamp 'infinity'), ('-infinity')) s "
                /* without those that the clocks skip */
                + "WHERE (v AT TIME ZONE current_setting('timezone')) "
                + "AT TIME ZONE current_setting('timezone') = v";
            compare(statement, timestamps, row -> row.getTimestamp(1), null);
            compare(statement, timestamps, row -> row.getTimestamp(1), "timestamp");
            String instants = "SELECT v, bloom_key(v)::text FROM (SELECT timestamptz "
                + "'1582-10-26 00:00+00' + i * interval '40 days 1:23:45.678901' AS v "
                + "FROM generate_series(1, 5000) i "
                + "UNION VALUES (timestamptz 'infinity'), ('-infinity')) s";
            compare(statement, instants, row -> row.getTimestamp(1), "timestamptz");
            String dates = "SELECT v, bloom_key(v)::text FROM (SELECT date '1582-10-25' + i * 36 "
                + "AS v FROM generate_series(0, 5000) i "
                + "UNION VALUES (date 'infinity'), ('-infinity')) s";
            compare(statement, dates, row -> row.getDate(1), null);
            compare(statement, dates, row -> row.getDate(1), "date");
            compare(statement, "SELECT v, bloom_key(v)::text FROM (SELECT time '00:00' "
                + "+ i * interval '17.123 s' AS v FROM generate_series(0, 5000) i "
                + "UNION VALUES (time '24:00:00')) s", row -> row.getTime(1), "time");

            /* from the other calendar */
            refuse(statement, "SELECT v::timestamp, v FROM generate_series(timestamp '1499-12-30', "
                + "'1582-10-14 23:00', '1 day 7 hours') v", row -> row.getTimestamp(1), "timestamp");
            refuse(statement, "SELECT v, v FROM generate_series(timestamptz '1499-12-30', "
                + "'1582-10-14 23:00', '1 day 7 hours') v", row -> row.getTimestamp(1), "timestamptz");
            refuse(statement, "SELECT date '1582-10-15' - i, i FROM generate_series(1, 3000) i",
                row -> row.getDate(1), "date");

            /* a day that its zone skipped, and the one for which the driver gives the same */
            refuse(statement, "SELECT v, v FROM unnest('{2011-12-30, 2011-12-31}'::date[]) v "
                + "WHERE current_setting('timezone') = 'Pacific/Apia'",
                row -> row.getDate(1), "date");
        }
    }

    private static void refuse(Statement statement, String query, Getter getter, String type)
            throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            while (row.next()) {
                try {
                    System.out.println(row.getString(1) + " is " + Key.of(getter.get(row), type));
                } catch (IllegalArgumentException e) {
                    refused++;
                }
            }
        }
    }

    private static void compare(Statement statement, String query, Getter getter, String type)
            throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            while (row.next()) {
                Object value = getter.get(row);
                Key key = type == null ? Key.of(value) : Key.of(value, type);
                if (!key.toString().equals(row.getString(2))) {
                    System.out.println(row.getString(1) + " as " + value + ": " + key + ", not "
                        + row.getString(2));
                }
                keys++;
            }
        }
    }
}
