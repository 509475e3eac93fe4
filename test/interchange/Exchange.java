/*
 * Exchange.java
 *	  Files that the programs of this folder exchange with psql.
 *
 * Each is as psql's \copy ... (FORMAT csv) writes and reads a column: a value per
 * line; a filter or a key of bytes as \x and hexadecimal digits, a number in
 * decimal.
 */
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

final class Exchange
{
	private Exchange()
	{
	}

	/* Keys, as values of a type: int, long, bytes, or text, which is given as bytes. */
	static List<Object> readKeys(String type, String file) throws IOException
	{
		List<Object> keys = new ArrayList<>();

		for (String line : Files.readAllLines(Path.of(file)))
			switch (type)
			{
				case "int":
					keys.add(Integer.valueOf(line));
					break;
				case "long":
					keys.add(Long.valueOf(line));
					break;
				case "bytes":
					keys.add(bytes(line));
					break;
				case "text":
					keys.add(new String(bytes(line), StandardCharsets.UTF_8));
					break;
				default:
					throw new IllegalArgumentException("no type of keys: " + type);
			}
		return keys;
	}

	static byte[] readFilter(String file) throws IOException
	{
		return bytes(Files.readString(Path.of(file)).trim());
	}

	static void writeFilter(byte[] filter, String file) throws IOException
	{
		StringBuilder line = new StringBuilder("\\x");

		for (byte b : filter)
		{
			line.append(Character.forDigit(b >> 4 & 15, 16));
			line.append(Character.forDigit(b & 15, 16));
		}
		Files.writeString(Path.of(file), line.append('\n'));
	}

	/* One answer, t or f, for each key. */
	static void writeAnswers(List<Object> keys, Predicate<Object> found, String file)
		throws IOException
	{
		try (PrintWriter out = new PrintWriter(file))
		{
			for (Object key : keys)
				out.println(found.test(key) ? "t" : "f");
		}
	}

	private static byte[] bytes(String line)
	{
		byte[] bytes = new byte[line.length() / 2 - 1];

		if (!line.startsWith("\\x"))
			throw new IllegalArgumentException("not \\x and digits: " + line);
		for (int i = 0; i < bytes.length; i++)
			bytes[i] = (byte) Integer.parseInt(line.substring(2 * i + 2, 2 * i + 4), 16);
		return bytes;
	}
}
