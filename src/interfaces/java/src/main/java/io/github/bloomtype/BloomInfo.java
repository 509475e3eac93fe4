package io.github.bloomtype;

import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The columns of {@code bloom_info}. Some are empty for a list, which has no layers. */
public final class BloomInfo extends FilterInfo {
    private final int growth;
    private final int layers;
    private final int probes;
    private final long bits;
    private final long bitsSet;

    BloomInfo(Bloom filter) {
        super(filter);
        growth = filter.image.growth;
        layers = filter.image.layers.size();
        int probesOfAll = 0;
        long bitsOfAll = 0;
        long bitsSetOfAll = 0;
        for (Layer layer : filter.image.layers) {
            probesOfAll += layer.keyBits;
            bitsOfAll += ((BlockLayer) layer).bits();
            bitsSetOfAll += layer.used;
        }
        probes = probesOfAll;
        bits = bitsOfAll;
        bitsSet = bitsSetOfAll;
    }

    /** Returns the factor by which each further layer is larger; 0 for a fixed size. */
    public int growth() {
        return growth;
    }

    /** Returns the number of layers; 0 for a list. */
    public int layers() {
        return layers;
    }

    /** Returns the number of bits that are probed for a key, in all layers. */
    public OptionalInt probes() {
        return layers == 0 ? OptionalInt.empty() : OptionalInt.of(probes);
    }

    /** Returns the number of bits of all layers. */
    public OptionalLong bits() {
        return layers == 0 ? OptionalLong.empty() : OptionalLong.of(bits);
    }

    /** Returns the share of these bits that are set. */
    public OptionalDouble fill() {
        return layers == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) bitsSet / bits);
    }

    @Override
    void putOwnColumns(Map<String, Object> columns) {
        columns.put("growth", growth);
        columns.put("layers", layers);
        columns.put("probes", layers == 0 ? null : probes);
        columns.put("bits", layers == 0 ? null : bits);
        columns.put("bytes", bytes());
        columns.put("fill", layers == 0 ? null : (double) bitsSet / bits);
    }
}
