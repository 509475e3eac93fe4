/*
 * JdbcChecks.java
 *	  Keys and filters through JDBC: in each query mode, with statements prepared on the
 *	  server, in text and in binary form; dates of two kinds; COPY; filters as objects.
 *
 * The argument is an URL that has options.  For what is printed see lib.sh.
 */
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.postgresql.PGConnection;
import org.postgresql.util.PGobject;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

public final class JdbcChecks
{
	private static final String WHERE = " FROM sample WHERE type = ?::text";
	private static final String MISMATCH =
		"cannot probe a filter of number keys with a key of family text";

	private static final Map<String, List<String>> ROWS = new HashMap<>();

	/* A type in SQL, a key that the filter of samples.sql has, and one that it has not. */
	private static final class Key
	{
		final String type;
		final Object key;
		final Object absent;

		Key(String type, Object key, Object absent)
		{
			this.type = type;
			this.key = key;
			this.absent = absent;
		}

		/* An array of values, by the name that createArrayOf knows the type by.  It takes a
		 * byte[][], but no Object[] of byte[]. */
		Object array(Object... values)
		{
			Object[] array = (Object[]) Array.newInstance(key.getClass(), values.length);

			System.arraycopy(values, 0, array, 0, values.length);
			return new ArrayOf(type.equals("double precision") ? "float8" : type, array);
		}
	}

	private static final class ArrayOf
	{
		final String type;
		final Object[] values;

		ArrayOf(String type, Object[] values)
		{
			this.type = type;
			this.values = values;
		}
	}

	private static final List<Key> KEYS = List.of(
		new Key("integer", 4711, 4712),
		new Key("bigint", 5000000000L, 5000000001L),
		new Key("numeric", new BigDecimal("12.50"), new BigDecimal("12.51")),
		new Key("double precision", 0.1, 0.2),
		new Key("boolean", true, false),
		new Key("text", "Anna", "Otto"),
		new Key("bytea", new byte[] {0, -1, -128}, new byte[] {0, -1, -127}),
		new Key("uuid", UUID.fromString("6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9"), new UUID(0, 1)),
		new Key("date", LocalDate.of(2026, 2, 28), LocalDate.of(2026, 3, 1)),
		new Key("timestamp", LocalDateTime.parse("2026-02-28T12:34:56.789012"),
			LocalDateTime.parse("2026-02-28T12:34:56.789013")),
		new Key("timestamptz", OffsetDateTime.parse("2026-02-28T13:34:56.789012+01:00"),
			OffsetDateTime.parse("2026-02-28T13:34:56.789013+01:00")));

	private final String mode;
	private final Connection connection;
	private final boolean bytes;

	private JdbcChecks(String mode, Connection connection) throws SQLException
	{
		this.mode = mode;
		this.connection = connection;
		this.bytes = sendsBytes();
	}

	/* Is there a setBytes in this mode?  Version 42.5 has none in simple mode. */
	private boolean sendsBytes() throws SQLException
	{
		try (PreparedStatement statement = connection.prepareStatement("SELECT ?::bytea"))
		{
			statement.setBytes(1, new byte[1]);
			statement.executeQuery();
			return true;
		}
		catch (SQLException e)
		{
			check("setBytes is a syntax error", e.getSQLState().equals("42601"));
			return false;
		}
	}

	private void check(String what, boolean passed)
	{
		System.out.println((passed ? "ok - " : "not ok - ") + mode + ": " + what);
	}

	private void bind(PreparedStatement statement, int i, Object value) throws SQLException
	{
		if (value == null)
			statement.setNull(i, Types.NULL);
		else if (value instanceof Integer)
			statement.setInt(i, (Integer) value);
		else if (value instanceof Long)
			statement.setLong(i, (Long) value);
		else if (value instanceof BigDecimal)
			statement.setBigDecimal(i, (BigDecimal) value);
		else if (value instanceof Double)
			statement.setDouble(i, (Double) value);
		else if (value instanceof Boolean)
			statement.setBoolean(i, (Boolean) value);
		else if (value instanceof String)
			statement.setString(i, (String) value);
		else if (value instanceof byte[] && bytes)
			statement.setBytes(i, (byte[]) value);
		else if (value instanceof byte[])	/* as the text form of a bytea */
			statement.setString(i, String.format("\\x%0" + 2 * ((byte[]) value).length + "x",
				new BigInteger(1, (byte[]) value)));
		else if (value instanceof Timestamp)
			statement.setTimestamp(i, (Timestamp) value);
		else if (value instanceof Date)
			statement.setDate(i, (Date) value);
		else if (value instanceof ArrayOf)
			statement.setArray(i, connection.createArrayOf(((ArrayOf) value).type,
				((ArrayOf) value).values));
		else
			statement.setObject(i, value);
	}

	/* The first row of a statement's result */
	private List<Object> row(String sql, Object... values) throws SQLException
	{
		try (PreparedStatement statement = connection.prepareStatement(sql))
		{
			for (int i = 0; i < values.length; i++)
				bind(statement, i + 1, values[i]);
			try (ResultSet rows = statement.executeQuery())
			{
				List<Object> row = new ArrayList<>();

				rows.next();
				for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++)
					row.add(rows.getObject(i));
				return row;
			}
		}
	}

	private boolean is(List<Object> row, Object... expected)
	{
		return row.equals(Arrays.asList(expected));
	}

	private PSQLException refused(String sql, Object... values)
	{
		try
		{
			row(sql, values);
		}
		catch (SQLException e)
		{
			return (PSQLException) e;
		}
		throw new AssertionError("no error: " + sql);
	}

	/* What a parameter without a cast is: see without_cast in samples.py. */
	private String withoutCast(String contains, String add, Object key, String type)
	{
		try
		{
			return is(row("SELECT " + contains + WHERE, key, type), true) ? "yes" : "other";
		}
		catch (SQLException e)
		{
			try
			{
				return (String) row("SELECT key_family FROM bloom_info(" + add + ")", key).get(0);
			}
			catch (SQLException otherError)
			{
				return "error";
			}
		}
	}

	/* A row of the page's table, of the first mode and of those that differ. */
	private void printRow(String what, List<String> cells)
	{
		if (!cells.equals(ROWS.putIfAbsent(what, cells)))
			System.out.println("| " + mode + " | " + what + " | " + String.join(" | ", cells) + " |");
	}

	private void checkKeys() throws SQLException
	{
		List<String> plain = new ArrayList<>();
		List<String> arrays = new ArrayList<>();

		for (Key k : KEYS)
		{
			String cast = "?::" + k.type;
			Object one = k.array(k.key);
			Object both = k.array(k.key, k.absent);

			for (String call : List.of("bloom_contains(f, " + cast + ")", "f @> " + cast,
				cast + " <@ f"))
				check(call, is(row("SELECT " + call + WHERE, k.key, k.type), true)
					&& is(row("SELECT " + call + WHERE, k.absent, k.type), false)
					&& is(row("SELECT " + call + WHERE, null, k.type), (Object) null));
			check("bloom_add(f, " + cast + ")", is(row("SELECT bloom_add(bloom_create(1000), "
				+ cast + ") = f" + WHERE, k.key, k.type), true));
			check("bloom_add_all(f, " + cast + "[])", is(row(
				"SELECT bloom_add_all(bloom_create(1000), " + cast + "[]) = f" + WHERE, one, k.type),
				true));
			check(cast + "[]", is(row("SELECT bloom_contains_any(f, k), bloom_contains_all(f, k),"
				+ " cardinality(bloom_missing(f, k)) FROM sample, LATERAL (SELECT " + cast
				+ "[]) keys(k) WHERE type = ?::text", both, k.type), true, false, 1));
			check("unnest(" + cast + "[])", is(row("SELECT bloom_agg(k) @> " + cast
				+ " FROM unnest(" + cast + "[]) k", k.key, both), true));
			check("an empty " + cast + "[]", is(row("SELECT bloom_contains_any(f, " + cast + "[])"
				+ WHERE, k.array(), k.type), false));

			String add = "bloom_add(bloom_create(10), ?)";
			String plainKey = withoutCast("bloom_contains(f, ?)", add, k.key, k.type);

			check("f @> ?, " + k.type + ", is as bloom_contains(f, ?)",
				withoutCast("f @> ?", add, k.key, k.type).equals(plainKey));
			plain.add(k.type.equals("bytea") && !bytes ? "error" : plainKey);
			arrays.add(withoutCast("bloom_contains_any(f, ?)",
				"bloom_add_all(bloom_create(10), ?)", one, k.type));
		}
		printRow("keys", plain);
		printRow("arrays", arrays);

		ServerErrorMessage error = refused("SELECT bloom_contains(f, ?::text)" + WHERE, "4711",
			"integer").getServerErrorMessage();

		check("SQLSTATE and message of a wrong family", error.getSQLState().equals("42804")
			&& error.getMessage().equals(MISMATCH));
		check("its detail", error.getDetail().endsWith("are never the same key."));
		check("its hint", error.getHint().startsWith("Cast the key to the type of the filter's"));
	}

	private void checkFilters() throws SQLException
	{
		for (String parameters : List.of("?::bigint, ?::double precision", "?, ?"))
			for (Object capacity : List.of(1000000, 1000000L))
				check("bloom_create(" + parameters + "), " + capacity.getClass().getSimpleName(),
					is(row("SELECT capacity, target_fpp FROM bloom_info(bloom_create(" + parameters
						+ "))", capacity, 0.001), 1000000L, 0.001));

		List<Object> large = row("SELECT f::bytea, f::text, f FROM stored WHERE name = 'large'");
		byte[] image = (byte[]) large.get(0);
		String text = (String) large.get(1);
		PGobject filter = (PGobject) large.get(2);
		PGobject object = new PGobject();

		check("a filter of more than a megabyte", image.length > 1 << 20);
		check("its text is the base64 of its bytes",
			Arrays.equals(Base64.getDecoder().decode(text), image));
		check("it is a PGobject with that text",
			filter.getType().equals("bloom") && filter.getValue().equals(text));
		object.setType("bloom");
		object.setValue(text);
		for (Object[] sent : new Object[][] {{image, "?::bytea::bloom"}, {text, "?::bloom"},
			{object, "?"}, {object, "?::bloom"}})
			check("sent back, " + sent[0].getClass().getSimpleName() + " as " + sent[1],
				is(row("SELECT f = " + sent[1] + " FROM stored WHERE name = 'large'", sent[0]), true));
		check("null as ?::bytea::bloom", is(row("SELECT ?::bytea::bloom IS NULL", (Object) null), true));
		check("a null filter", is(row("SELECT NULL::bloom, NULL::bloom::bytea"), null, null));
		row("INSERT INTO stored VALUES (?, ?::bytea::bloom) RETURNING name", mode, image);
		check("stored again", is(row("SELECT count(DISTINCT f::text) FROM stored"
			+ " WHERE name IN ('large', ?)", mode), 1L));

		for (String kind : List.of("counting_bloom", "cuckoo"))
		{
			Object other = row("SELECT " + kind + "_add(" + kind + "_create(1000), ?::bigint)::bytea",
				4711L).get(0);
			String sql = "SELECT " + kind + "_contains(?::bytea::" + kind + ", ?::bigint)";

			check("a " + kind + " sent back and asked",
				is(row(sql, other, 4711L), true) && is(row(sql, other, 4712L), false));
		}

		ServerErrorMessage error = refused("SELECT ?::bytea::bloom",
			Arrays.copyOf(image, image.length - 1)).getServerErrorMessage();

		check("bytes that are no filter are an error", error.getSQLState().equals("22P03"));
		check("which says why",
			error.getDetail().equals("Its length does not match what its header says."));
	}

	private boolean finds(String literal, String parameter, Object key) throws SQLException
	{
		return is(row("SELECT bloom_add(bloom_create(10), " + literal + ") @> " + parameter, key), true);
	}

	private String family(Object key) throws SQLException
	{
		return (String) row("SELECT key_family FROM bloom_info(bloom_add(bloom_create(10), ?))", key)
			.get(0);
	}

	private void checkTraps() throws SQLException
	{
		Timestamp timestamp = Timestamp.valueOf("2026-02-28 12:34:56.789012");
		String literal = "'2026-02-28 12:34:56.789012'";

		check("setTimestamp without a cast is a text key", family(timestamp).equals("text"));
		check("setDate without a cast is a text key",
			family(Date.valueOf("2026-02-28")).equals("text"));
		check("setTimestamp as timestamp",
			finds("timestamp " + literal, "?::timestamp", timestamp));
		check("setTimestamp as timestamptz",
			finds("timestamptz " + literal, "?::timestamptz", timestamp));
		check("setDate as date",
			finds("date '2026-02-28'", "?::date", Date.valueOf("2026-02-28")));
		check("a LocalDateTime without a cast is no timestamptz", refused(
			"SELECT bloom_contains(f, ?) FROM sample WHERE type = 'timestamptz'",
			LocalDateTime.parse("2026-02-28T12:34:56.789012")).getSQLState().equals("42804"));
		check("nanoseconds are rounded to microseconds", finds("timestamp " + literal,
			"?::timestamp", LocalDateTime.parse("2026-02-28T12:34:56.789012499"))
			&& finds("timestamp " + literal, "?::timestamp",
				LocalDateTime.parse("2026-02-28T12:34:56.789011500")));

		/* A later version may take these. */
		if (connection.getMetaData().getDriverVersion().startsWith("42.5."))
			for (Object unknown : List.of(Instant.now(), ZonedDateTime.now()))
				check("setObject takes no " + unknown.getClass().getSimpleName(),
					refused("SELECT ?::timestamptz", unknown).getSQLState().equals("07006"));
		check("a BigInteger is a number", finds("98765432109876543210", "?",
			new BigInteger("98765432109876543210")));

		check("a string is a text key", family("4711").equals("text"));
		check("a string with a cast is a number", finds("4711", "?::bigint", "4711"));
		check("a string with a cast is a uuid", finds(
			"uuid '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9'", "?::uuid",
			"6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9"));
		check("a char(n) is without its blanks", !finds("'a'::char(3)", "?", "a  "));
		check("... and finds them with a cast", finds("'a'::char(3)", "?::char(3)", "a  "));
	}

	private void checkCopy() throws SQLException, IOException
	{
		PGConnection copying = connection.unwrap(PGConnection.class);

		for (String format : List.of("text", "binary"))
		{
			ByteArrayOutputStream out = new ByteArrayOutputStream();

			copying.getCopyAPI().copyOut("COPY (SELECT 'copied ' || '" + format
				+ "', f FROM stored WHERE name = 'large') TO STDOUT (FORMAT " + format + ")", out);
			copying.getCopyAPI().copyIn("COPY stored FROM STDIN (FORMAT " + format + ")",
				new ByteArrayInputStream(out.toByteArray()));
			check("a filter fetched and sent by COPY in " + format + " form", is(row(
				"SELECT count(DISTINCT f::text) FROM stored WHERE name IN ('large', ?)",
				"copied " + format), 1L));
		}
	}

	public static void main(String[] args) throws SQLException, IOException
	{
		String[][] modes = {
			{"JDBC", ""},
			{"JDBC, prepareThreshold=-1", "&prepareThreshold=-1"},
			{"JDBC, prepareThreshold=1, binaryTransfer=false", "&prepareThreshold=1&binaryTransfer=false"},
			{"JDBC, preferQueryMode=extendedForPrepared", "&preferQueryMode=extendedForPrepared"},
			{"JDBC, preferQueryMode=simple", "&preferQueryMode=simple"},
			{"JDBC, stringtype=unspecified", "&stringtype=unspecified"},
		};

		for (String[] mode : modes)
			try (Connection connection = DriverManager.getConnection(args[0] + mode[1]))
			{
				JdbcChecks checks = new JdbcChecks(mode[0], connection);

				checks.checkKeys();
				checks.checkFilters();
				checks.checkTraps();
			}
		try (Connection connection = DriverManager.getConnection(args[0]))
		{
			new JdbcChecks("JDBC", connection).checkCopy();
			System.out.println("version: JDBC " + connection.getMetaData().getDriverVersion());
		}
	}
}
