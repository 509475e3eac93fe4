package io.github.bloomtype;

import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The columns of {@code cuckoo_info}. Two are empty for a filter without keys. */
public final class CuckooInfo extends FilterInfo {
    private final boolean isEmpty;
    private final int fingerprintBits;
    private final long buckets;
    private final double load;

    CuckooInfo(Cuckoo filter) {
        super(filter);
        isEmpty = filter.image.layers.isEmpty();
        BucketLayer layer = isEmpty ? null : (BucketLayer) filter.image.layers.get(0);
        fingerprintBits = isEmpty ? 0 : layer.keyBits;
        buckets = isEmpty ? 0 : layer.bins;
        load = isEmpty ? 0 : layer.load();
    }

    /** Returns the number of bits of a fingerprint. */
    public OptionalInt fingerprintBits() {
        return isEmpty ? OptionalInt.empty() : OptionalInt.of(fingerprintBits);
    }

    /** Returns the number of buckets. */
    public OptionalLong buckets() {
        return isEmpty ? OptionalLong.empty() : OptionalLong.of(buckets);
    }

    /** Returns the share of places that are in use. */
    public double load() {
        return load;
    }

    @Override
    void putOwnColumns(Map<String, Object> columns) {
        columns.put("fingerprint_bits", isEmpty ? null : fingerprintBits);
        columns.put("buckets", isEmpty ? null : buckets);
        columns.put("bytes", bytes());
        columns.put("load", load);
    }
}
