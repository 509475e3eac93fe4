package io.github.bloomtype;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How many keys a filter has, and how often it takes absent keys for present ones, computed from
 * its records as the server does.
 */
final class Estimate {
    private static final double BITS = BlockLayer.BLOCK_BITS;

    /** With so many keys in a block, all its bits are set, as far as a double can tell. */
    private static final int MOST_KEYS_IN_BLOCK = 40 * BlockLayer.BLOCK_BITS;

    /** From this number of blocks on, the keys of a block are taken as Poisson distributed. */
    private static final int MANY_BLOCKS = 16;

    /**
     * Where a smaller share of keys was added to a layer, the rates of the earlier layers, which
     * are not quite independent, are multiplied too often.
     */
    private static final double LEAST_PASSED = 0.5;

    private Estimate() {}

    /** The number of keys that set so many bits on average. */
    static double keysOfBits(long blocks, int probes, long bitsSet) {
        double bits = blocks * BITS;
        double setByKey = -Math.expm1(probes * Math.log1p(-1 / BITS));
        double set = Math.min(bitsSet, bits - 0.5);
        return Math.log1p(-set / bits) / Math.log1p(-setByKey / blocks);
    }

    /** Of a layer: fields of its record, whether it is full, its number of keys and its rate. */
    static final class LayerKeys {
        final double fpp;
        final double capacity;
        final boolean isFull;
        final double keys;
        final double rate;

        LayerKeys(double fpp, double capacity, boolean isFull, double keys, double rate) {
            this.fpp = fpp;
            this.capacity = capacity;
            this.isFull = isFull;
            this.keys = keys;
            this.rate = rate;
        }
    }

    /**
     * The number of keys that were added to layers; NaN where it cannot be told.
     *
     * <p>A key that seems present in an earlier layer is not added to a later one. The earlier
     * ones are full layers with the fpp of the layer, doubled once or several times, and with a
     * capacity that fits. Layers with the same fpp are those of several filters, that a union put
     * side by side: they are averaged.
     */
    static double keysOfLayers(List<LayerKeys> layers, int growth) {
        Map<Double, List<LayerKeys>> withFpp = new HashMap<>();
        for (LayerKeys layer : layers) {
            withFpp.computeIfAbsent(layer.fpp, fpp -> new ArrayList<>()).add(layer);
        }
        double added = 0;
        for (LayerKeys layer : layers) {
            boolean isNext = isNext(layer, withFpp, growth);
            boolean isCompared = withFpp.get(layer.fpp).stream()
                .anyMatch(other -> isNext(other, withFpp, growth));
            double passed = 1;
            double factor = growth;
            for (double fpp = 2 * layer.fpp; fpp < 1 && growth > 0; fpp *= 2) {
                double keys = 0;
                double passing = 0;
                for (LayerKeys before : withFpp.getOrDefault(fpp, List.of())) {
                    double grown = before.capacity * factor;
                    if (before.isFull && (!isCompared
                            || (isNext ? grown == layer.capacity : grown <= layer.capacity))) {
                        keys += before.keys;
                        passing += before.keys * (1 - before.rate);
                    }
                }
                if (keys > 0) {
                    passed *= passing / keys;
                }
                factor *= growth;
            }
            added += passed >= LEAST_PASSED ? layer.keys / passed : Double.NaN;
        }
        return added;
    }

    /** Has it the capacity of a layer that follows one with twice its fpp? */
    private static boolean isNext(LayerKeys layer, Map<Double, List<LayerKeys>> withFpp,
            int growth) {
        return withFpp.getOrDefault(2 * layer.fpp, List.of()).stream()
            .anyMatch(before -> before.capacity * growth == layer.capacity);
    }

    /** The number of bits that so many keys set on average. */
    static double bitsOfKeys(long blocks, int probes, long keys) {
        double setByKey = -Math.expm1(probes * Math.log1p(-1 / BITS));
        return -blocks * BITS * Math.expm1(keys * Math.log1p(-setByKey / blocks));
    }

    /** The false-positive rate of blocks with so many bits set. */
    static double rateOfBits(long blocks, int probes, long bitsSet) {
        double bits = blocks * BITS;
        if (bitsSet == 0) {
            return 0;
        }
        if (bitsSet == bits) {
            return 1;
        }
        if (blocks == 1) {
            return power(bitsSet / bits, probes);
        }
        double keys = keysOfBits(blocks, probes, bitsSet);
        return blocks < MANY_BLOCKS
            ? meanOverBinomial(keys, blocks, probes)
            : meanOverPoisson(keys / blocks, probes);
    }

    /** The false-positive rate of buckets with so many fingerprints. */
    static double rateOfFingerprints(long buckets, int fingerprintBits, long stored) {
        double compared = 2.0 * stored / buckets;
        double equal = 1.0 / ((1L << fingerprintBits) - 1);
        return -Math.expm1(compared * Math.log1p(-equal));
    }

    /*
     * rate(L, k) of FORMAT.md. Weights are relative to that of the most likely number of keys in
     * a block.
     */
    private static double meanOverPoisson(double load, int probes) {
        if (load > MOST_KEYS_IN_BLOCK) {
            return 1;
        }
        double unsetByKey = power(511.0 / 512.0, probes);
        long mode = (long) load;
        double unsetAtMode = power(unsetByKey, mode);
        double rate = 0;
        double total = 0;
        double weight = 1;
        double unset = unsetAtMode;
        for (long j = mode; ; j++) {
            rate += weight * power(1 - unset, probes);
            total += weight;
            weight *= load / (j + 1);
            unset *= unsetByKey;
            if (weight == 0 || weight * (j + 2) < 1e-9 * rate * (j + 2 - load)) {
                break;
            }
        }
        weight = 1;
        unset = unsetAtMode;
        for (long j = mode; j > 0 && weight > 1e-18; j--) {
            weight *= j / load;
            unset /= unsetByKey;
            rate += weight * power(1 - unset, probes);
            total += weight;
        }
        return rate / total;
    }

    /* The same for few blocks: each of the keys is in any of them. */
    private static double meanOverBinomial(double keys, double blocks, int probes) {
        double load = keys / blocks;
        double odds = 1 / (blocks - 1);
        double rate = 0;
        double total = 0;
        double weight = 1;
        for (double j = Math.floor(load); ; j++) {
            rate += weight * rateOfBlock(j, blocks, probes);
            total += weight;
            weight *= Math.max(0, keys - j) / (j + 1) * odds;
            if (weight == 0 || weight * (j + 2) < 1e-9 * rate * (j + 2 - load)) {
                break;
            }
        }
        weight = 1;
        for (double j = Math.floor(load); j > 0 && weight > 1e-18; j--) {
            weight *= j / ((keys - j + 1) * odds);
            rate += weight * rateOfBlock(j - 1, blocks, probes);
            total += weight;
        }
        return rate / total;
    }

    /* The mean of (X / 512)^probes for a block of which X bits are set. */
    private static double rateOfBlock(double keys, double blocks, int probes) {
        if (keys == 0) {
            return 0;
        }
        double oneBit = Math.log1p(-1 / BITS);
        double twoBits = Math.log1p(-2 / BITS);
        double m = probes * keys;
        double unset = Math.exp(m * oneBit);
        double set = -Math.expm1(m * oneBit);
        double variance = (unset * set
            + (BITS - 1) * unset * unset * Math.expm1(m * (twoBits - 2 * oneBit))) / BITS;
        variance *= 1 - 1 / blocks;
        return Math.min(1, power(set, probes)
            * Math.exp(0.5 * probes * (probes - 1) * variance / (set * set)));
    }

    private static double power(double x, long n) {
        double result = 1;
        for (; n > 0; n >>= 1) {
            if ((n & 1) == 1) {
                result *= x;
            }
            x *= x;
        }
        return result;
    }
}
