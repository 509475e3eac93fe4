/*
 * JdbcExample.java
 *	  The example of doc/drivers.md for JDBC.  The argument is an URL.
 */
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.postgresql.util.PSQLException;

public final class JdbcExample
{
	private JdbcExample()
	{
	}

	static boolean isKnown(Connection connection, long id) throws SQLException
	{
		try (PreparedStatement statement = connection.prepareStatement(
			"SELECT bloom_contains(f, ?::bigint) FROM filter WHERE name = 'customer'"))
		{
			statement.setLong(1, id);
			try (ResultSet rows = statement.executeQuery())
			{
				return !rows.next() || rows.getBoolean(1) || rows.wasNull();
			}
		}
	}

	/* Those that are certainly no customers, in one round trip */
	static Long[] missing(Connection connection, Long... ids) throws SQLException
	{
		try (PreparedStatement statement = connection.prepareStatement(
			"SELECT bloom_missing(f, ?::bigint[]) FROM filter WHERE name = 'customer'"))
		{
			statement.setArray(1, connection.createArrayOf("bigint", ids));
			try (ResultSet rows = statement.executeQuery())
			{
				rows.next();
				return (Long[]) rows.getArray(1).getArray();
			}
		}
	}

	/* Keys are added in batches. */
	static void add(Connection connection, Long... ids) throws SQLException
	{
		try (PreparedStatement statement = connection.prepareStatement(
			"UPDATE filter SET f = bloom_add_all(f, ?::bigint[]) WHERE name = 'customer'"))
		{
			statement.setArray(1, connection.createArrayOf("bigint", ids));
			statement.executeUpdate();
		}
	}

	/* The bytes of a filter, and a filter from bytes */
	static byte[] fetch(Connection connection, String name) throws SQLException
	{
		try (PreparedStatement statement = connection.prepareStatement(
			"SELECT f::bytea FROM filter WHERE name = ?"))
		{
			statement.setString(1, name);
			try (ResultSet rows = statement.executeQuery())
			{
				return rows.next() ? rows.getBytes(1) : null;
			}
		}
	}

	static void store(Connection connection, String name, byte[] image) throws SQLException
	{
		try (PreparedStatement statement = connection.prepareStatement(
			"INSERT INTO filter VALUES (?, ?::bytea::bloom)"))
		{
			statement.setString(1, name);
			statement.setBytes(2, image);
			statement.executeUpdate();
		}
	}

	static void create(Connection connection, String name, long capacity, double rate)
		throws SQLException
	{
		try (PreparedStatement statement = connection.prepareStatement(
			"INSERT INTO filter VALUES (?, bloom_create(?::bigint, ?::float8))"))
		{
			statement.setString(1, name);
			statement.setLong(2, capacity);
			statement.setDouble(3, rate);
			statement.executeUpdate();
		}
	}

	/* A string is a key of text. */
	static void ask(Connection connection, String key) throws SQLException
	{
		try (PreparedStatement statement = connection.prepareStatement(
			"SELECT bloom_contains(f, ?) FROM filter WHERE name = 'customer'"))
		{
			statement.setString(1, key);
			statement.executeQuery();
		}
		catch (PSQLException e)
		{
			System.out.println(e.getSQLState() + ": " + e.getServerErrorMessage().getMessage());
		}
	}

	public static void main(String[] args) throws SQLException
	{
		try (Connection connection = DriverManager.getConnection(args[0]))
		{
			for (long id : new long[] {4711, 123456789})
				System.out.println(id + (isKnown(connection, id) ? " is probably a customer"
					: " is certainly no customer"));

			Long[] missing = missing(connection, 4711L, 200001L, 200002L);

			System.out.println("certainly no customers: " + missing[0] + " " + missing[1]);
			add(connection, missing);

			byte[] image = fetch(connection, "customer");

			System.out.println(image.length + " bytes");
			store(connection, "copy", image);
			create(connection, "new", 1000000, 0.001);
			ask(connection, "4711");
		}
	}
}
