package io.github.bloomtype;

import java.util.OptionalInt;

/** A filter of type {@code counting_bloom}, from which the server can remove keys. */
public final class CountingBloom extends Filter {
    CountingBloom(Image image) {
        super(image);
    }

    /** Returns the filter of a text; see {@link Filter#parse(String)}. */
    public static CountingBloom parse(String text) {
        return parse(text, Integer.MAX_VALUE);
    }

    /** Returns the filter of a text; see {@link Filter#parse(String, int)}. */
    public static CountingBloom parse(String text, int maxBytes) {
        return new CountingBloom(Image.parse(text, Kind.COUNTING_BLOOM, maxBytes));
    }

    /** Returns the filter of an image; see {@link Filter#parse(byte[])}. */
    public static CountingBloom parse(byte[] image) {
        return parse(image, Integer.MAX_VALUE);
    }

    /** Returns the filter of an image; see {@link Filter#parse(byte[], int)}. */
    public static CountingBloom parse(byte[] image, int maxBytes) {
        return new CountingBloom(Image.parse(image, Kind.COUNTING_BLOOM, maxBytes));
    }

    /**
     * Returns how often a key was added, at most; 0 to 14. It is empty, where SQL gives null, from
     * 15 on, as the counters end there. Errors are those of {@link #contains(Object)}.
     */
    public OptionalInt count(Object key) {
        int count = countOf(Key.of(key));
        return count == CounterLayer.LIMIT ? OptionalInt.empty() : OptionalInt.of(count);
    }

    /** Returns the columns of {@code counting_bloom_info}. */
    @Override
    public CountingBloomInfo info() {
        return new CountingBloomInfo(this);
    }
}
