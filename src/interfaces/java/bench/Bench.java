import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import io.github.bloomtype.Bloom;
import io.github.bloomtype.Filter;
import io.github.bloomtype.Sizing;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import java.util.function.IntPredicate;
import java.util.function.ToIntFunction;

/**
 * Measures one question to a filter, hash of the key included.
 *
 * <pre>
 * java -cp bloomtype.jar:guava.jar Bench.java FILE
 * </pre>
 *
 * <p>The file has the base64 of a bloom of the whole numbers from 1 to a million, with one layer.
 * The filters of texts and of UUIDs have the same geometry, and those of Guava the same
 * capacity and rate. Half of the keys that are asked for are in the filter. It prints a line
 * {@code NAME nanoseconds} for each measurement: the median of rounds.
 */
public final class Bench {
    private static final int KEYS = 1_000_000;

    /* Few enough that keys are still in the cache, as those of an application are. */
    private static final int QUESTIONS = 1 << 16;
    private static final int REPETITIONS = 8;
    private static final int WARMING_ROUNDS = 5;
    private static final int ROUNDS = 15;

    private static long sink;

    private Bench() {}

    public static void main(String[] arguments) throws Exception {
        Bloom numbers = Bloom.parse(Files.readString(Path.of(arguments[0])).strip());
        if (!numbers.family().equals("number") || numbers.info().layers() != 1) {
            throw new IllegalArgumentException("the filter must have numbers, in one layer");
        }

        /* keys in random order, of which the odd ones are absent: 1 to KEYS are present */
        long[] longs = new long[QUESTIONS];
        String[] texts = new String[QUESTIONS];
        UUID[] uuids = new UUID[QUESTIONS];
        long seed = 1;
        for (int i = 0; i < QUESTIONS; i++) {
            seed = seed * 6364136223846793005L + 1442695040888963407L;
            longs[i] = (seed >>> 33) % KEYS + 1 + (i % 2 == 0 ? 0 : KEYS);
            texts[i] = text(longs[i]);
            uuids[i] = uuid(longs[i]);
        }

        Bloom ofTexts = sameGeometry(numbers);
        Bloom ofUuids = sameGeometry(numbers);
        BloomFilter<Long> guavaNumbers = BloomFilter.create(Funnels.longFunnel(), KEYS, 0.01);
        BloomFilter<CharSequence> guavaTexts = BloomFilter.create(
            Funnels.stringFunnel(StandardCharsets.UTF_8), KEYS, 0.01);
        BloomFilter<UUID> guavaUuids = BloomFilter.create((uuid, into) ->
            into.putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits()),
            KEYS, 0.01);
        for (long i = 1; i <= KEYS; i++) {
            ofTexts.add(text(i));
            ofUuids.add(uuid(i));
            guavaNumbers.put(i);
            guavaTexts.put(text(i));
            guavaUuids.put(uuid(i));
        }

        measure("integer", i -> numbers.contains(longs[i]));
        measure("text", i -> ofTexts.contains(texts[i]));
        measure("uuid", i -> ofUuids.contains(uuids[i]));
        measure("guava_integer", i -> guavaNumbers.mightContain(longs[i]));
        measure("guava_text", i -> guavaTexts.mightContain(texts[i]));
        measure("guava_uuid", i -> guavaUuids.mightContain(uuids[i]));
        String base64 = numbers.toText();
        measureOnce("parse", i -> Filter.parse(base64).kind().length());
        if (sink == 0) {
            throw new IllegalStateException("nothing was found");
        }
    }

    private static String text(long i) {
        return "customer" + i + "@example.com";
    }

    private static UUID uuid(long i) {
        return new UUID(i * 0x9E3779B97F4A7C15L, i * 0xC2B2AE3D27D4EB4FL);
    }

    /*
     * Of fixed size, so that the keys fit whatever the limit of the layer is. That limit and the
     * capacity are taken from the record of the layer, which FORMAT.md describes.
     */
    private static Bloom sameGeometry(Bloom filter) {
        ByteBuffer record = ByteBuffer.wrap(filter.toBytes()).order(ByteOrder.LITTLE_ENDIAN);
        long capacity = record.getLong(60 + 8);
        long fullAt = record.getLong(60 + 24);
        long bits = filter.info().bits().getAsLong();
        int probes = filter.info().probes().getAsInt();
        return Bloom.create(capacity, 0.01, 0, new Sizing(bits / 512, probes, fullAt));
    }

    private static void measure(String name, IntPredicate question) {
        measure(name, REPETITIONS * QUESTIONS, () -> {
            long found = 0;
            for (int i = 0; i < REPETITIONS * QUESTIONS; i++) {
                if (question.test(i % QUESTIONS)) {
                    found++;
                }
            }
            sink += found;
        });
    }

    private static void measureOnce(String name, ToIntFunction<Integer> work) {
        measure(name, 1, () -> sink += work.applyAsInt(0));
    }

    private static void measure(String name, int repetitions, Runnable round) {
        double[] nanoseconds = new double[ROUNDS];
        for (int i = -WARMING_ROUNDS; i < ROUNDS; i++) {
            long start = System.nanoTime();
            round.run();
            if (i >= 0) {
                nanoseconds[i] = (double) (System.nanoTime() - start) / repetitions;
            }
        }
        Arrays.sort(nanoseconds);
        System.out.printf("%s %.1f%n", name, nanoseconds[ROUNDS / 2]);
    }
}
