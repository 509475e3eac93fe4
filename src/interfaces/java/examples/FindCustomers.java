import io.github.bloomtype.Filter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;

/**
 * Looks up customers by their e-mail addresses, of which most are unknown. A filter of all
 * addresses, kept in memory, answers "certainly not" without the server.
 *
 * <pre>
 * java -cp bloomtype.jar:postgresql.jar examples/FindCustomers.java URL [SECONDS]
 * </pre>
 *
 * <p>Addresses come from the standard input, one per line. The filter is fetched at the start;
 * then every SECONDS (60) if it has changed, and at once after {@code NOTIFY served_filter}. After
 * an error of the database, the program connects again. The tables:
 *
 * <pre>
 * CREATE TABLE customer (
 *     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, email text UNIQUE NOT NULL);
 * CREATE TABLE served_filter (
 *     name text PRIMARY KEY, version bigint GENERATED ALWAYS AS IDENTITY, filter bloom NOT NULL);
 * </pre>
 *
 * <p>This builds the filter, and builds it again. Nothing is written where nothing has changed, and
 * a version is never used twice:
 *
 * <pre>
 * INSERT INTO served_filter AS s (name, filter)
 *     SELECT 'customer.email', bloom_agg(email) FROM customer
 *     ON CONFLICT (name) DO UPDATE SET version = DEFAULT, filter = excluded.filter
 *     WHERE s.filter &lt;&gt; excluded.filter;
 * NOTIFY served_filter;
 * </pre>
 *
 * <p>A filter does not follow its table: a customer who was added after it was built is "certainly
 * not a customer" until a newer filter was built and fetched.
 */
public final class FindCustomers {
    private static final String NAME = "customer.email";
    private static final int PAUSE_AFTER_ERROR = 2000;

    private final String url;
    private final int seconds;

    /* Written by one thread, and read by any number. Null until one was fetched. */
    private volatile Filter filter;
    private long version = -1;

    /** For looking up customers; null if there is none that works. */
    private Connection connection;

    private FindCustomers(String url, int seconds) {
        this.url = url;
        this.seconds = seconds;
    }

    public static void main(String[] arguments) throws IOException {
        int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 60;
        FindCustomers customers = new FindCustomers(arguments[0], seconds);
        Thread follower = new Thread(customers::follow, "filter");
        follower.setDaemon(true);
        follower.start();

        BufferedReader in = new BufferedReader(
            new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String email = in.readLine(); email != null; email = in.readLine()) {
            System.out.println(email + ": " + customers.answer(email));
        }
        customers.disconnect();
    }

    private String answer(String email) {
        try {
            return mayContain(email) ? find(email) : "certainly not a customer";
        } catch (SQLException | IllegalArgumentException e) {
            disconnect();
            return "unknown: " + e.getMessage().replaceAll("\\s+", " ");
        }
    }

    /** Fetches the filter if it has changed, and tells whether it has. */
    private boolean fetch(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
            "SELECT version, filter FROM served_filter WHERE name = ? AND version <> ?")) {
            query.setString(1, NAME);
            query.setLong(2, version);
            ResultSet row = query.executeQuery();
            if (!row.next()) {
                return false;
            }
            filter = Filter.parse(row.getString("filter"));
            version = row.getLong("version");
            return true;
        }
    }

    /** False: certainly not; true: perhaps, also as long as there is no filter. */
    private boolean mayContain(String email) {
        return filter == null || filter.contains(email);
    }

    /** Fetches the filter again and again. While the server is away, the last one serves. */
    private void follow() {
        while (true) {
            try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
                statement.execute("LISTEN served_filter");
                while (true) {
                    if (fetch(connection)) {
                        System.err.println("version " + version);
                    }
                    /* returns after a notification, or after so many milliseconds */
                    connection.unwrap(PGConnection.class).getNotifications(seconds * 1000);
                }
            } catch (SQLException | IllegalArgumentException e) {
                System.err.println("could not fetch the filter: " + e.getMessage());
            }
            try {
                Thread.sleep(PAUSE_AFTER_ERROR);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private String find(String email) throws SQLException {
        if (connection == null) {
            connection = DriverManager.getConnection(url);
        }
        try (PreparedStatement query = connection.prepareStatement(
            "SELECT id FROM customer WHERE email = ?")) {
            query.setString(1, email);
            ResultSet row = query.executeQuery();
            return row.next() ? "customer " + row.getLong("id") : "not a customer";
        }
    }

    private void disconnect() {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException e) {
            /* it is not used again */
        }
        connection = null;
    }
}
