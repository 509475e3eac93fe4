package io.github.bloomtype;

/**
 * An array of bins, with the fields of its record in an image. A bin is what the upper half of a
 * hash selects: a block of bits, a block of counters, or a bucket of fingerprints.
 *
 * <p>The fields are those of FORMAT.md. Until they are checked, they hold whatever the image
 * says; numbers of 64 bits are unsigned.
 */
abstract class Layer {
    /** The most bytes that all bins of a filter have. */
    static final long MOST_BYTES = 1L << 29;

    /** Blocks or buckets. */
    long bins;

    /** Of blocks, the probes; of buckets, the bits of a fingerprint. */
    int keyBits;
    long capacity;
    double fpp;
    long fullAt;

    /** Bits set, counters above zero, or fingerprints. */
    long used;

    /** Where the bins begin in the image. */
    int offset;

    /** Why the record is not possible, or null. */
    abstract String findFault();

    /** The length of the bins in bytes. */
    abstract long byteCount();

    /** What {@link #binsAreValid} finds wrong, as a sentence. */
    abstract String wrongBins();

    /** Are the bins well-formed, and as full as the record says? */
    abstract boolean binsAreValid(byte[] image);

    /** How often a key was added at most; of a set 0 or 1. */
    abstract int count(byte[] image, long hash);

    /** The number of keys. */
    abstract double keys();

    /** Is {@link #keys} about their number, and not just a lower bound? */
    abstract boolean canEstimateKeys();

    /** The false-positive rate at the present number of keys. */
    abstract double rate();

    /** Has it more keys than it was made for? */
    abstract boolean isSaturated();

    /** The number of the bin of a key, less than 2^31. */
    final int bin(long hash) {
        return (int) ((hash >>> 32) * bins >>> 32);
    }
}
