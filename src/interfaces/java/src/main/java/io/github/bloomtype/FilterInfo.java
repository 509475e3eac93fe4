package io.github.bloomtype;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What a filter is and how full, as {@code bloom_info} and the functions like it tell: a method
 * for each column, empty for null. It does not change with the filter.
 */
public abstract class FilterInfo {
    private final String keyFamily;
    private final long capacity;
    private final double targetFpp;
    private final long bytes;
    private final OptionalLong keys;
    private final double currentFpp;
    private final boolean isSaturated;

    FilterInfo(Filter filter) {
        keyFamily = filter.family();
        capacity = filter.image.capacity;
        targetFpp = filter.image.fpp;
        bytes = filter.image.bytes.length;
        keys = filter.cardinality();
        currentFpp = filter.currentFpp();
        isSaturated = filter.image.layers.stream().anyMatch(Layer::isSaturated);
    }

    /** Returns the family of the keys, such as {@code number}; {@code none} without keys. */
    public final String keyFamily() {
        return keyFamily;
    }

    /** Returns the number of keys that the filter was made for. */
    public final long capacity() {
        return capacity;
    }

    /** Returns the false-positive rate that it was made for. */
    public final double targetFpp() {
        return targetFpp;
    }

    /** Returns its size. */
    public final long bytes() {
        return bytes;
    }

    /** Returns the number of keys; see {@link Filter#cardinality()}. */
    public final OptionalLong keys() {
        return keys;
    }

    /** Returns the false-positive rate as it is now; see {@link Filter#currentFpp()}. */
    public final double currentFpp() {
        return currentFpp;
    }

    /** Has it, or one of its layers, more keys than it was made for? */
    public final boolean isSaturated() {
        return isSaturated;
    }

    /**
     * Returns the columns by their names, in their order. Their values are of class String for
     * text, Long for bigint, Integer for integer, Double for double precision, and Boolean; or
     * null, as in SQL.
     */
    public final Map<String, Object> toMap() {
        Map<String, Object> columns = new LinkedHashMap<>();
        columns.put("key_family", keyFamily);
        columns.put("capacity", capacity);
        columns.put("target_fpp", targetFpp);
        putOwnColumns(columns);
        columns.put("keys", keys.isPresent() ? keys.getAsLong() : null);
        columns.put("current_fpp", currentFpp);
        columns.put("saturated", isSaturated);
        return columns;
    }

    /* Those between the first and the last ones, which all filters have; bytes among them. */
    abstract void putOwnColumns(Map<String, Object> columns);

    /** Returns the columns, for people. */
    @Override
    public final String toString() {
        return getClass().getSimpleName() + toMap();
    }
}
