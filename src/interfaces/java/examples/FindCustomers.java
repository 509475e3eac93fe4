import io.github.bloomtype.Bloom;
import io.github.bloomtype.Filter;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.OptionalLong;
import org.postgresql.PGConnection;

/**
 * Looks up customers by their e-mail addresses, of which most are unknown. A filter of all
 * addresses, kept in memory, answers "certainly not" without the server.
 *
 * <pre>
 * java -cp bloomtype.jar:postgresql.jar FindCustomers.java URL [SECONDS]
 * </pre>
 *
 * <p>Addresses come from the standard input, one per line. The filter is fetched at the start;
 * then every SECONDS (60) if it has changed, or at once after {@code NOTIFY served_filter}. The
 * tables:
 *
 * <pre>
 * CREATE TABLE customer (id bigint PRIMARY KEY, email text UNIQUE);
 * CREATE TABLE served_filter (
 *     name text PRIMARY KEY, version bigint NOT NULL, filter bloom NOT NULL);
 * </pre>
 *
 * <p>A filter does not follow its table: a customer who was added since it was made is not found.
 */
public final class FindCustomers {
    private static final String NAME = "customer.email";

    private final String url;
    private final int seconds;

    /* Written by one thread, and read by any number. */
    private volatile Filter filter = Bloom.create(1);
    private long version = -1;

    private FindCustomers(String url, int seconds) {
        this.url = url;
        this.seconds = seconds;
    }

    public static void main(String[] arguments) throws Exception {
        int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 60;
        new FindCustomers(arguments[0], seconds).run();
    }

    private void run() throws Exception {
        try (Connection connection = DriverManager.getConnection(url)) {
            if (!fetch(connection)) {
                throw new IllegalStateException("there is no filter " + NAME);
            }
            Thread follower = new Thread(this::follow, "filter");
            follower.setDaemon(true);
            follower.start();

            BufferedReader in = new BufferedReader(
                new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String email = in.readLine(); email != null; email = in.readLine()) {
                if (!filter.contains(email)) {
                    System.out.println(email + ": certainly not a customer");
                } else {
                    OptionalLong id = find(connection, email);
                    System.out.println(email + (id.isPresent()
                        ? ": customer " + id.getAsLong() : ": not a customer"));
                }
            }
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
                Thread.sleep(seconds * 1000L);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private static OptionalLong find(Connection connection, String email) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
            "SELECT id FROM customer WHERE email = ?")) {
            query.setString(1, email);
            ResultSet row = query.executeQuery();
            return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
        }
    }
}
