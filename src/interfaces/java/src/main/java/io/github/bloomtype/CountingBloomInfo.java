package io.github.bloomtype;

import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The columns of {@code counting_bloom_info}. Two are empty for a filter without keys. */
public final class CountingBloomInfo extends FilterInfo {
    private final boolean isEmpty;
    private final int probes;
    private final long counters;
    private final double fill;

    CountingBloomInfo(CountingBloom filter) {
        super(filter);
        isEmpty = filter.image.layers.isEmpty();
        BlockLayer layer = isEmpty ? null : (BlockLayer) filter.image.layers.get(0);
        probes = isEmpty ? 0 : layer.keyBits;
        counters = isEmpty ? 0 : layer.bits();
        fill = isEmpty ? 0 : (double) layer.used / layer.bits();
    }

    /** Returns the number of counters of a key. */
    public OptionalInt probes() {
        return isEmpty ? OptionalInt.empty() : OptionalInt.of(probes);
    }

    /** Returns the number of counters. */
    public OptionalLong counters() {
        return isEmpty ? OptionalLong.empty() : OptionalLong.of(counters);
    }

    /** Returns the share of the counters that are greater than zero. */
    public double fill() {
        return fill;
    }

    @Override
    void putOwnColumns(Map<String, Object> columns) {
        columns.put("probes", isEmpty ? null : probes);
        columns.put("counters", isEmpty ? null : counters);
        columns.put("bytes", bytes());
        columns.put("fill", fill);
    }
}
