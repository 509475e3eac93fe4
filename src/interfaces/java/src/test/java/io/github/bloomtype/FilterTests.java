package io.github.bloomtype;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/** Questions to filters, and what is refused; the vectors test the answers. */
final class FilterTests {
    private static final String PROBE = "cannot probe a filter of ";

    private FilterTests() {}

    static void run() {
        testQuestions();
        testMismatch();
        testEmpty();
        testInput();
        testSummary();
        testEquality();
        testAllocation();
    }

    private static Bloom numbers() {
        Bloom filter = Bloom.create(10);
        filter.addAll(List.of(1, 2, 3));
        return filter;
    }

    private static void testQuestions() {
        Bloom filter = numbers();
        Check.isTrue("a long", filter.contains(1L) && !filter.contains(4L));
        Check.isTrue("an int", filter.contains(1) && !filter.contains(4));
        Check.isTrue("a Long", filter.contains((Object) 1L));
        Check.isTrue("a Key", filter.contains(Key.of("1.0", "numeric")));
        Check.isTrue("any", filter.containsAny(List.of(4, 3)));
        Check.isTrue("not any", !filter.containsAny(List.of(4, 5)));
        Check.isTrue("any of none", !filter.containsAny(List.of()));
        Check.isTrue("all", filter.containsAll(List.of(2, 3)));
        Check.isTrue("not all", !filter.containsAll(List.of(2, 4)));
        Check.isTrue("all of none", filter.containsAll(List.of()));
        Check.equal("missing", List.of(9, 5, 9), filter.missing(List.of(9, 1, 5, 2, 9)));
        Check.equal("cardinality", 3L, filter.cardinality().getAsLong());
        Check.equal("kind", "bloom", filter.kind());
        Check.equal("family", "number", filter.family());
        Bloom texts = Bloom.create(10);
        texts.add("red");
        Check.isTrue("a text", texts.contains("red") && !texts.contains("Red"));
        Check.isTrue("a CharSequence", texts.contains(new StringBuilder("red")));
        Check.isTrue("a bpchar", texts.contains(Key.of("red ", "bpchar")));
        Check.fails("a char", IllegalArgumentException.class, () -> filter.contains('5'));
        Check.fails("half a character", IllegalArgumentException.class,
            () -> texts.contains("\ud800"));
        Check.fails("null", NullPointerException.class, () -> texts.contains((String) null));
        Check.fails("null", NullPointerException.class, () -> texts.contains((Object) null));
        Check.fails("null", NullPointerException.class,
            () -> texts.missing(Arrays.asList("a", null)));
        CountingBloom counting = CountingBloom.parse("AgEBPEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEAAA"
            + "AAAAAAAAAAAAAA4D8AAAAAAAAAAAAAAAAAAAAA");
        Check.equal("count", OptionalInt.of(0), counting.count(1));
    }

    private static void testMismatch() {
        Bloom numbers = numbers();
        Check.fails("a text", KeyMismatchException.class,
            PROBE + "number keys with a key of family text; make the key with its type: "
                + "Key.of(value, \"bigint\")", () -> numbers.contains("1"));
        Bloom texts = Bloom.create(10);
        texts.add("4711");
        Check.fails("a number", KeyMismatchException.class,
            PROBE + "text keys with a key of family number; make it a text: String.valueOf(value)",
            () -> texts.contains(4711));
        Check.isTrue("made a text", texts.contains(String.valueOf(4711)));
        Check.fails("bytes", KeyMismatchException.class,
            PROBE + "text keys with a key of family bytea; take the text that the server prints",
            () -> texts.contains(new byte[] {1}));
        Check.fails("any", KeyMismatchException.class, PROBE,
            () -> numbers.containsAny(List.of("1")));
        Check.fails("all", KeyMismatchException.class, PROBE,
            () -> numbers.containsAll(List.of(1.0)));
        Check.fails("missing", KeyMismatchException.class, PROBE,
            () -> numbers.missing(List.of(1, true)));
        Check.isTrue("any is decided before", numbers.containsAny(List.of(1, "1")));
        Bloom arrays = Bloom.create(10);
        arrays.add(Key.parse("array/3cd3bb57:0000000000000001"));
        Check.fails("a long", KeyMismatchException.class,
            PROBE + "array keys with a key of family number; take the key from the server",
            () -> arrays.contains(1));
        Check.fails("another subtype", KeyMismatchException.class,
            PROBE + "array keys with a key of family array and another subtype",
            () -> arrays.contains(Key.parse("array/3cd3bb58:0000000000000001")));
        Check.fails("adding another subtype", KeyMismatchException.class,
            "cannot add a key of family array to a filter of array keys of another subtype",
            () -> arrays.add(Key.parse("array/3cd3bb58:0000000000000001")));
        Check.fails("adding another family", KeyMismatchException.class,
            "cannot add a key of family text to a filter of number keys; make the key",
            () -> numbers.add("1"));
    }

    private static void testEmpty() {
        Bloom empty = Bloom.create(1000);
        Check.equal("family", "none", empty.family());
        Check.isTrue("no number", !empty.contains(1));
        Check.isTrue("no text", !empty.contains("red"));
        Check.isTrue("no row", !empty.contains(Key.parse("row/b47314cf:35b1e8092a9e94a4")));
        Check.equal("all missing", List.of(1, "a"), empty.missing(List.of(1, "a")));
        Check.equal("rate", 0.0, empty.currentFpp());
        Check.equal("cardinality", 0L, empty.cardinality().getAsLong());
    }

    private static void testInput() {
        String bloom = numbers().toText();
        byte[] bytes = numbers().toBytes();
        Check.equal("bytes", bloom, Filter.parse(bytes).toText());
        Check.equal("bytes of a bloom", bloom, Bloom.parse(bytes).toText());
        Check.isTrue("class", Filter.parse(bloom) instanceof Bloom);
        String other = "invalid value for type cuckoo: It is of another kind of filter.";
        Check.fails("a bloom as cuckoo", InvalidFilterException.class, other,
            () -> Cuckoo.parse(bloom));
        Check.fails("its bytes", InvalidFilterException.class, other, () -> Cuckoo.parse(bytes));
        Check.fails("as counting_bloom", InvalidFilterException.class,
            "invalid value for type counting_bloom: ", () -> CountingBloom.parse(bytes));
        byte[] unknown = bytes.clone();
        unknown[0] = 9;
        Check.fails("an unknown kind", InvalidFilterException.class,
            "invalid value for type filter: It is of another kind of filter.",
            () -> Filter.parse(unknown));
        Check.fails("no base64", InvalidFilterException.class,
            "invalid input syntax for type filter: The value is not base64",
                () -> Filter.parse("?"));
        Check.fails("nothing", InvalidFilterException.class,
            "invalid value for type filter: It is shorter than a header.", () -> Filter.parse(""));
        Check.fails("no bytes", InvalidFilterException.class, () -> Filter.parse(new byte[0]));
        byte[] damaged = bytes.clone();
        damaged[damaged.length - 1] = 0;
        Check.fails("a bloom", InvalidFilterException.class,
            "invalid value for type bloom: The hashes of the list", () -> Filter.parse(damaged));
        Bloom filter = numbers();
        filter.toBytes()[60]++;
        Check.equal("toBytes() copies", bloom, filter.toText());
        testLongText();
        testMaxBytes();
    }

    private static void testSummary() {
        Check.equal("summary", "Bloom[family=number, capacity=10, fpp=0.01, bytes=84]",
            numbers().toString());
        Check.fails("a summary", InvalidFilterException.class,
            () -> Filter.parse(numbers().toString()));
    }

    private static void testEquality() {
        Bloom filter = numbers();
        Bloom other = numbers();
        Check.isTrue("the same keys", filter.equals(other) && other.equals(filter));
        Check.equal("their hash code", filter.hashCode(), other.hashCode());
        Check.equal("a copy", filter, Filter.parse(filter.toText()));
        other.add(4);
        Check.isTrue("another key", !filter.equals(other) && !other.equals(filter));
        Check.isTrue("another hash code", filter.hashCode() != other.hashCode());
        filter.add(4);
        Check.equal("that key, too", filter, other);
        byte[] bytes = Bloom.create(10, 0.01, 0, null).toBytes();
        bytes[0] = 2;
        Check.equal("two without keys", Filter.parse(bytes), Filter.parse(bytes.clone()));
        Check.isTrue("another type",
            !Filter.parse(bytes).equals(Bloom.create(10, 0.01, 0, null)));
        Check.isTrue("no filter", !filter.equals(filter.toText()) && !filter.equals(null));
    }

    /* A whole number is looked for without anything being allocated. */
    private static void testAllocation() {
        Bloom filter = Bloom.create(1000, 0.01, 0, new Sizing(20L, 6, 4634L));
        for (long i = 0; i < 1000; i++) {
            filter.add(i);
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        long found = countContained(filter);
        long before = threads.getThreadAllocatedBytes(thread);
        found += countContained(filter);
        long allocated = threads.getThreadAllocatedBytes(thread) - before;
        Check.isTrue("100000 questions allocate " + allocated + " bytes", allocated < 10_000);
        Check.isTrue("all keys are found", found >= 2000);
    }

    private static long countContained(Bloom filter) {
        long found = 0;
        for (long i = 0; i < 100_000; i++) {
            if (filter.contains(i)) {
                found++;
            }
        }
        return found;
    }

    /* The server decodes a megabyte at a time, and padding belongs to the last. */
    private static void testLongText() {
        String megabyte = "A".repeat(1 << 20);
        String notBase64 = "The value is not base64, without spaces and line breaks.";
        String notCanonical = "The base64 is not canonical: unused bits must be zero, "
            + "and nothing may follow padding.";
        reason(megabyte + "AAA=", "It is of another kind of filter.");
        reason(megabyte + "AAB=", notCanonical);
        reason(megabyte + "AAB=AAAA", notCanonical);
        reason(megabyte + "AA=A", notCanonical);
        reason(megabyte + "AA=?", notBase64);
        reason(megabyte + "A===", notBase64);
        reason(megabyte.substring(4) + "AA==AAAA", notBase64);
        reason(megabyte.substring(4) + "AA==", "It is of another kind of filter.");
        reason(megabyte.substring(4) + "AA\u0141A", notBase64);
    }

    private static void testMaxBytes() {
        for (int keys = 0; keys < 4; keys++) {
            Bloom filter = Bloom.create(10);
            filter.addAll(List.of(1, 2, 3).subList(0, keys));
            String text = filter.toText();
            byte[] bytes = filter.toBytes();
            int length = bytes.length;
            String reason = "It is longer than " + (length - 1) + " bytes.";
            Check.equal("a text", filter, Filter.parse(text, length));
            Check.equal("a text of a bloom", filter, Bloom.parse(text, length));
            Check.equal("bytes", filter, Filter.parse(bytes, length));
            Check.equal("bytes of a bloom", filter, Bloom.parse(bytes, length));
            Check.fails("a longer text", InvalidFilterException.class,
                "invalid value for type filter: " + reason, () -> Filter.parse(text, length - 1));
            Check.fails("a longer text of a bloom", InvalidFilterException.class,
                "invalid value for type bloom: " + reason, () -> Bloom.parse(text, length - 1));
            Check.fails("more bytes", InvalidFilterException.class,
                "invalid value for type filter: " + reason, () -> Filter.parse(bytes, length - 1));
            Check.fails("more bytes of a bloom", InvalidFilterException.class,
                "invalid value for type bloom: " + reason, () -> Bloom.parse(bytes, length - 1));
        }
        /* before it is decoded */
        String long_ = "?".repeat(1 << 20);
        Check.fails("no base64", InvalidFilterException.class,
            "invalid value for type counting_bloom: It is longer than 1000 bytes.",
            () -> CountingBloom.parse(long_, 1000));
        Check.fails("no base64", InvalidFilterException.class,
            "invalid value for type cuckoo: It is longer than 1000 bytes.",
            () -> Cuckoo.parse(long_, 1000));
        Check.fails("no counting_bloom", InvalidFilterException.class,
            "invalid value for type counting_bloom: It is longer than 59 bytes.",
            () -> CountingBloom.parse(new byte[60], 59));
        Check.fails("no cuckoo", InvalidFilterException.class,
            "invalid value for type cuckoo: It is longer than 59 bytes.",
            () -> Cuckoo.parse(new byte[60], 59));
    }

    private static void reason(String text, String reason) {
        InvalidFilterException e = Check.fails(text.substring(text.length() - 8),
            InvalidFilterException.class, () -> Bloom.parse(text));
        Check.equal(text.substring(text.length() - 8), reason, e == null ? null : e.reason());
    }
}
