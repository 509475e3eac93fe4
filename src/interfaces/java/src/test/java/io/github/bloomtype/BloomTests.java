package io.github.bloomtype;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Building filters, where the vectors of the server have no case. */
final class BloomTests {
    private static final Sizing OF_1000 = new Sizing(20L, 6, 4634L);
    private static final Sizing OF_LIST = new Sizing(null, null, null);

    private BloomTests() {}

    static void run() {
        testParameters();
        testSizing();
        testFull();
        testAllOrNothing();
        testParsed();
    }

    private static List<Long> numbers(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().collect(Collectors.toList());
    }

    private static void testParameters() {
        Check.equal("defaults", Bloom.create(7, 0.01, 2, null).toText(),
            Bloom.create(7).toText());
        refused(() -> Bloom.create(0));
        refused(() -> Bloom.create(1L << 62, 1e-9));
        refused(() -> Bloom.create(-1));
        refused(() -> Bloom.create(1, 0));
        refused(() -> Bloom.create(1, 1));
        refused(() -> Bloom.create(1, Double.NaN));
        refused(() -> Bloom.create(1, 0.5, -1, null));
        refused(() -> Bloom.create(1, 0.5, 101, null));
    }

    private static void refused(Check.Action action) {
        Check.fails("an argument", IllegalArgumentException.class, action);
    }

    private static void testSizing() {
        refused(() -> new Sizing(20L, 6, null));
        refused(() -> new Sizing(null, 6, 1L));
        refused(() -> new Sizing(0L, 6, 0L));
        refused(() -> new Sizing(129L, 6, 0L));
        refused(() -> new Sizing((1L << 23) + (1L << 17), 6, 0L));
        refused(() -> new Sizing(1L, 0, 0L));
        refused(() -> new Sizing(1L, 25, 0L));
        refused(() -> new Sizing(1L, 24, 512L));
        refused(() -> new Sizing(1L, 24, -1L));
        Check.isTrue("the largest", new Sizing(1L << 23, 24, (1L << 32) - 1).blocks == 1 << 23);

        /* the layer of these is made for fewer or more keys than the sizing */
        Sizing of256 = new Sizing(6L, 7, 1414L);
        Sizing of300 = new Sizing(7L, 7, 1650L);
        Sizing of384 = new Sizing(8L, 6, 1825L);
        refusedForGrowth(200, 1, of256);
        refusedForGrowth(300, 3, of300);
        refusedForGrowth(200, 0, of256);
        Bloom.create(256, 0.01, 1, of256);
        Bloom.create(384, 0.01, 3, of384);
        Bloom.create(100, 0.01, 3, OF_LIST);

        Sizing ofMillion = new Sizing(19456L, 6, 4494502L);
        Bloom.create(1_000_000, 0.01, 0, ofMillion);
        refusedForCapacity(1_000_000, OF_1000);
        refusedForCapacity(1000, ofMillion);
        refusedForCapacity(1L << 57, ofMillion);
        refusedForCapacity(1000, of256);
        refusedForCapacity(256, OF_1000);
        refusedForCapacity(100, OF_1000);
        refusedForCapacity(129, OF_LIST);
        refusedForCapacity(1000, new Sizing(20L, 6, 0L));
        refusedForCapacity(1000, new Sizing(20L, 6, 20 * 512 - 1L));
    }

    private static void refusedForGrowth(long capacity, int growth, Sizing sizing) {
        Check.fails("of growth " + growth, IllegalArgumentException.class,
            "bloom_sizing(" + capacity + ", 0.01) is not the sizing of a filter of growth "
                + growth, () -> Bloom.create(capacity, 0.01, growth, sizing));
    }

    private static void refusedForCapacity(long capacity, Sizing sizing) {
        Check.fails("of another capacity than " + capacity, IllegalArgumentException.class,
            "the sizing is not the one of bloom_sizing(" + capacity + ", 0.01)",
            () -> Bloom.create(capacity, 0.01, 2, sizing));
    }

    private static void testFull() {
        for (Sizing sizing : new Sizing[] {null, OF_LIST}) {
            Bloom list = Bloom.create(100, 0.01, 2, sizing);
            list.addAll(numbers(1, 128));
            list.add(5);
            String before = list.toText();
            Check.fails("a list", FilterFullException.class,
                "the filter is full: have the server build it with room for the keys that will come, "
                    + "bloom_agg(value, capacity, fpp), or add them there by bloom_add_all", () -> list.add(129));
            Check.equal("unchanged", before, list.toText());
            list.addAll(numbers(1, 128));
            Check.equal("the same keys", before, list.toText());
        }

        /* of the one block of a layer, the keys of this list set all bits already */
        Sizing oneBlock = new Sizing(1L, 24, 511L);
        Bloom tiny = Bloom.create(256, 0.5, 2, oneBlock);
        tiny.addAll(numbers(1, 128));
        String before = tiny.toText();
        Check.fails("a layer that is full at once", FilterFullException.class,
            () -> tiny.add(129));
        Check.equal("still a list", before, tiny.toText());
        Check.fails("all", FilterFullException.class,
            () -> tiny.addAll(numbers(129, 140)));
        Check.equal("still a list", before, tiny.toText());

        Bloom fixed = Bloom.create(256, 0.5, 0, oneBlock);
        fixed.addAll(numbers(1, 1000));
        Check.equal("all bits", 1.0, fixed.info().fill().getAsDouble());
        Check.equal("fixed size", 60 + 64 + 64, fixed.toBytes().length);
    }

    private static void testAllOrNothing() {
        Bloom filter = Bloom.create(1000, 0.01, 2, OF_1000);
        List<Object> mixed = new ArrayList<>(numbers(1, 10));
        mixed.add("red");
        String empty = filter.toText();
        Check.fails("two families", KeyMismatchException.class,
            "cannot add a key of family text to a filter of number keys",
                () -> filter.addAll(mixed));
        Check.equal("none was added", empty, filter.toText());
        mixed.set(10, null);
        Check.fails("a null", NullPointerException.class, () -> filter.addAll(mixed));
        Check.equal("none was added", empty, filter.toText());

        filter.addAll(numbers(1, 900));
        String before = filter.toText();
        Check.fails("too many", FilterFullException.class,
            () -> filter.addAll(numbers(800, 2000)));
        Check.equal("none of many was added", before, filter.toText());
        Check.isTrue("nor found", filter.missing(numbers(1000, 2000)).size() > 900);
        filter.addAll(numbers(901, 1000));
        Check.isTrue("all are found", filter.containsAll(numbers(1, 1000)));
        Check.isTrue("it goes on", filter.cardinality().getAsLong() > 950);
    }

    private static void testParsed() {
        Bloom filter = Bloom.create(1000, 0.01, 2, OF_1000);
        filter.addAll(numbers(1, 500));
        byte[] image = filter.toBytes();
        byte[] copy = image.clone();
        Bloom parsed = Bloom.parse(image);
        parsed.addAll(numbers(501, 600));
        parsed.add(601);
        Check.isTrue("the caller's array is not changed", java.util.Arrays.equals(image, copy));
        filter.addAll(numbers(501, 601));
        Check.equal("a parsed filter", filter.toText(), parsed.toText());
        Check.fails("a full one", FilterFullException.class,
            () -> parsed.addAll(numbers(602, 3000)));
        Check.equal("unchanged", filter.toText(), parsed.toText());
        Bloom list = Bloom.create(1000, 0.01, 2, OF_1000);
        list.addAll(numbers(1, 128));
        Bloom parsedList = Bloom.parse(list.toText());
        Check.fails("a list of unknown sizing", FilterFullException.class,
            () -> parsedList.add(129));
    }
}
