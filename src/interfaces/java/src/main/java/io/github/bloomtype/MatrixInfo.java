package io.github.bloomtype;

import java.util.LinkedHashMap;
import java.util.Map;

/** What a matrix consists of: the columns of {@code bloom_matrix_info}, a method for each. */
public final class MatrixInfo {
    private final String keyFamily;
    private final long columns;
    private final long blocks;
    private final int probes;
    private final long bytes;
    private final double maxFpp;

    MatrixInfo(MatrixImage image) {
        keyFamily = image.family.sqlName;
        columns = image.columns;
        blocks = image.blocks;
        probes = image.probes;
        bytes = image.bytes.length;
        maxFpp = image.maxFpp();
    }

    /** Returns the family of the keys, such as {@code number}; {@code none} without keys. */
    public String keyFamily() {
        return keyFamily;
    }

    /** Returns the number of filters. */
    public long columns() {
        return columns;
    }

    /** Returns the number of blocks that each filter has in the matrix. */
    public long blocks() {
        return blocks;
    }

    /** Returns the number of bits that are probed for a key. */
    public int probes() {
        return probes;
    }

    /** Returns its size. */
    public long bytes() {
        return bytes;
    }

    /** Returns the false-positive rate of the fullest filter as it is now. */
    public double maxFpp() {
        return maxFpp;
    }

    /**
     * Returns the columns by their names, in their order. Their values are of class String for
     * text, Long for bigint, Integer for integer, and Double for double precision.
     */
    public Map<String, Object> toMap() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("key_family", keyFamily);
        values.put("columns", columns);
        values.put("blocks", blocks);
        values.put("probes", probes);
        values.put("bytes", bytes);
        values.put("max_fpp", maxFpp);
        return values;
    }

    /** Returns the columns, for people. */
    @Override
    public String toString() {
        return getClass().getSimpleName() + toMap();
    }
}
