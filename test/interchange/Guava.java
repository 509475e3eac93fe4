/*
 * Guava.java
 *	  Guava's side of the script guava.
 *
 *		build FUNNEL STRATEGY CAPACITY FPP KEYS FILTER
 *		ask FUNNEL FILTER KEYS ANSWERS
 *		unite FUNNEL FILTER OTHER UNION
 *		sizes FILE SIZES		each line: capacity,fpp; and bits,probes behind it
 *		names NAMES FILTER		the two examples of the documents
 *		known FILTER NAME
 *
 * A strategy is 32 or 64.  For files see Exchange.java.
 */
import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

public final class Guava
{
	private Guava()
	{
	}

	static byte[] filterOfNames(List<String> names) throws IOException
	{
		BloomFilter<CharSequence> filter = BloomFilter.create(
			Funnels.stringFunnel(StandardCharsets.UTF_8), names.size(), 0.01);

		names.forEach(filter::put);

		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		filter.writeTo(bytes);
		return bytes.toByteArray();
	}

	static boolean mayBeKnown(byte[] bytes, String name) throws IOException
	{
		BloomFilter<CharSequence> known = BloomFilter.readFrom(
			new ByteArrayInputStream(bytes), Funnels.stringFunnel(StandardCharsets.UTF_8));

		return known.mightContain(name);
	}

	/* What Exchange.java calls the keys of a funnel. */
	private static String type(String funnel)
	{
		return funnel.equals("chars") ? "text" : funnel;
	}

	@SuppressWarnings("unchecked")
	private static Funnel<Object> funnel(String name)
	{
		Funnel<?> funnel;

		switch (name)
		{
			case "int":
				funnel = Funnels.integerFunnel();
				break;
			case "long":
				funnel = Funnels.longFunnel();
				break;
			case "bytes":
				funnel = Funnels.byteArrayFunnel();
				break;
			case "text":
				funnel = Funnels.stringFunnel(StandardCharsets.UTF_8);
				break;
			case "chars":
				funnel = Funnels.unencodedCharsFunnel();
				break;
			default:
				throw new IllegalArgumentException("no funnel: " + name);
		}
		return (Funnel<Object>) funnel;
	}

	/* Only Guava's own tests choose the strategy: the method is not public. */
	@SuppressWarnings("unchecked")
	private static BloomFilter<Object> create(Funnel<Object> funnel, String strategy,
		long capacity, double fpp) throws ReflectiveOperationException
	{
		Class<?> type = Class.forName("com.google.common.hash.BloomFilter$Strategy");
		Class<?> strategies = Class.forName("com.google.common.hash.BloomFilterStrategies");
		Method create = BloomFilter.class.getDeclaredMethod("create", Funnel.class, long.class,
			double.class, type);

		create.setAccessible(true);
		for (Object constant : strategies.getEnumConstants())
			if (constant.toString().equals("MURMUR128_MITZ_" + strategy))
				return (BloomFilter<Object>) create.invoke(null, funnel, capacity, fpp, constant);
		throw new IllegalArgumentException("no strategy: " + strategy);
	}

	private static BloomFilter<Object> read(String file, String funnel) throws IOException
	{
		return BloomFilter.readFrom(new ByteArrayInputStream(Exchange.readFilter(file)),
			funnel(funnel));
	}

	private static byte[] bytes(BloomFilter<Object> filter) throws IOException
	{
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();

		filter.writeTo(bytes);
		return bytes.toByteArray();
	}

	private static void sizes(String file, String sizes) throws IOException
	{
		List<String> lines = new ArrayList<>();

		for (String line : Files.readAllLines(Path.of(file)))
		{
			String[] size = line.split(",");
			byte[] bytes = bytes(BloomFilter.create(funnel("long"), Long.parseLong(size[0]),
				Double.parseDouble(size[1])));

			lines.add(line + "," + (bytes.length - 6) * 8 + "," + (bytes[1] & 255));
		}
		Files.write(Path.of(sizes), lines);
	}

	public static void main(String[] args) throws IOException, ReflectiveOperationException
	{
		switch (args[0])
		{
			case "build":
				BloomFilter<Object> built = create(funnel(args[1]), args[2],
					Long.parseLong(args[3]), Double.parseDouble(args[4]));

				Exchange.readKeys(type(args[1]), args[5]).forEach(built::put);
				Exchange.writeFilter(bytes(built), args[6]);
				break;
			case "ask":
				Exchange.writeAnswers(Exchange.readKeys(type(args[1]), args[3]),
					read(args[2], args[1])::mightContain, args[4]);
				break;
			case "unite":
				BloomFilter<Object> united = read(args[2], args[1]);

				united.putAll(read(args[3], args[1]));
				Exchange.writeFilter(bytes(united), args[4]);
				break;
			case "sizes":
				sizes(args[1], args[2]);
				break;
			case "names":
				Exchange.writeFilter(filterOfNames(Files.readAllLines(Path.of(args[1]))), args[2]);
				break;
			case "known":
				System.out.println(mayBeKnown(Exchange.readFilter(args[1]), args[2]));
				break;
			default:
				throw new IllegalArgumentException("no command: " + args[0]);
		}
	}
}
