/*
 * Spark.java
 *	  Spark's side of the script spark: the library spark-sketch, without a cluster.
 *
 *		version					of the filters that this Spark makes: 1 or 2
 *		build TYPE VERSION CAPACITY FPP SEED KEYS FILTER
 *		ask TYPE FILTER KEYS ANSWERS
 *		unite FILTER OTHER UNION
 *		names NAMES FILTER		the two examples of the documents
 *		known FILTER NAME
 *
 * For types of keys and for files see Exchange.java.
 */
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.util.sketch.BloomFilter;
import org.apache.spark.util.sketch.IncompatibleMergeException;

public final class Spark
{
	private Spark()
	{
	}

	static byte[] filterOfNames(List<String> names) throws IOException
	{
		BloomFilter filter = BloomFilter.create(names.size(), 0.01);

		names.forEach(filter::put);

		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		filter.writeTo(bytes);
		return bytes.toByteArray();
	}

	static boolean mayBeKnown(byte[] bytes, String name) throws IOException
	{
		BloomFilter known = BloomFilter.readFrom(new ByteArrayInputStream(bytes));

		return known.mightContain(name);
	}

	private static BloomFilter read(String file) throws IOException
	{
		return BloomFilter.readFrom(new ByteArrayInputStream(Exchange.readFilter(file)));
	}

	private static byte[] bytes(BloomFilter filter) throws IOException
	{
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();

		filter.writeTo(bytes);
		return bytes.toByteArray();
	}

	private static int version() throws IOException
	{
		return bytes(BloomFilter.create(1, 0.5))[3];
	}

	/* A Spark that makes filters of version 2 has a method for those of version 1. */
	@SuppressWarnings({"unchecked", "rawtypes"})
	private static BloomFilter create(int version, long capacity, double fpp, int seed)
		throws IOException, ReflectiveOperationException
	{
		if (version == version() && seed == 0)
			return BloomFilter.create(capacity, fpp);

		Class type = Class.forName("org.apache.spark.util.sketch.BloomFilter$Version");
		Object constant = Enum.valueOf(type, "V" + version);
		long bits = (long) BloomFilter.class.getMethod("optimalNumOfBits", long.class, double.class)
			.invoke(null, capacity, fpp);

		return (BloomFilter) BloomFilter.class
			.getMethod("create", type, long.class, long.class, int.class)
			.invoke(null, constant, capacity, bits, seed);
	}

	public static void main(String[] args)
		throws IOException, IncompatibleMergeException, ReflectiveOperationException
	{
		switch (args[0])
		{
			case "version":
				System.out.println(version());
				break;
			case "build":
				BloomFilter built = create(Integer.parseInt(args[2]), Long.parseLong(args[3]),
					Double.parseDouble(args[4]), Integer.parseInt(args[5]));

				Exchange.readKeys(args[1], args[6]).forEach(built::put);
				Exchange.writeFilter(bytes(built), args[7]);
				break;
			case "ask":
				Exchange.writeAnswers(Exchange.readKeys(args[1], args[3]),
					read(args[2])::mightContain, args[4]);
				break;
			case "unite":
				Exchange.writeFilter(bytes(read(args[1]).mergeInPlace(read(args[2]))), args[3]);
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
