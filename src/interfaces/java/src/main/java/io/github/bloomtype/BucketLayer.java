package io.github.bloomtype;

/** Buckets of four places for fingerprints; 0 is a free place. */
final class BucketLayer extends Layer {
    private static final int PLACES = 4;

    @Override
    String findFault() {
        if (keyBits < 1 || keyBits > 32) {
            return "The length of a fingerprint is not between 1 and 32 bits.";
        }
        if (bins < 2 || bins % 2 != 0 || byteCount() > MOST_BYTES) {
            return "The number of buckets is not possible.";
        }
        if (fullAt != 0) {
            return "A cuckoo filter has a limit on bits set.";
        }
        if (Long.compareUnsigned(used, bins * PLACES) > 0) {
            return "There are more fingerprints than places.";
        }
        return null;
    }

    /* Whole words. */
    @Override
    long byteCount() {
        return (bins * PLACES * keyBits + 63) / 64 * 8;
    }

    @Override
    String wrongBins() {
        return "The buckets are not as full as the record of the layer says, or not in order.";
    }

    @Override
    boolean binsAreValid(byte[] image) {
        long end = bins * PLACES * keyBits;
        long mask = mask();
        long found = 0;
        for (long start = 0; start < end; start += PLACES * keyBits) {
            long low = bits(image, start, 2 * keyBits);
            long high = bits(image, start + 2 * keyBits, 2 * keyBits);
            boolean first = (low & mask) != 0;
            boolean second = low >>> keyBits != 0;
            boolean third = (high & mask) != 0;
            boolean fourth = high >>> keyBits != 0;
            if (second && !first || third && !second || fourth && !third) {
                return false;
            }
            found += (first ? 1 : 0) + (second ? 1 : 0) + (third ? 1 : 0) + (fourth ? 1 : 0);
        }
        return found == used && (end % 64 == 0 || word(image, end) >>> end % 64 == 0);
    }

    @Override
    int count(byte[] image, long hash) {
        long fingerprint = 1 + ((hash & 0xFFFFFFFFL) * mask() >>> 32);
        int first = bin(hash);
        int second = (bin(XXH3.hash((int) fingerprint)) | 1) - first;
        if (second < 0) {
            second += (int) bins;
        }
        return places(image, first, fingerprint) + places(image, second, fingerprint);
    }

    private long mask() {
        return (1L << keyBits) - 1;
    }

    /* How many places of a bucket have a value? Two are read at a time. */
    private int places(byte[] image, int bucket, long value) {
        long start = (long) bucket * PLACES * keyBits;
        long low = bits(image, start, 2 * keyBits);
        long high = bits(image, start + 2 * keyBits, 2 * keyBits);
        long mask = mask();
        return ((low & mask) == value ? 1 : 0) + (low >>> keyBits == value ? 1 : 0)
            + ((high & mask) == value ? 1 : 0) + (high >>> keyBits == value ? 1 : 0);
    }

    /* Some bits, 1 to 64 of them, which may reach into the next word. */
    private long bits(byte[] image, long bit, int count) {
        int shift = (int) (bit & 63);
        long first = word(image, bit) >>> shift;
        long last = word(image, bit + count - 1) << 1 << 63 - shift;
        return (first | last) & -1L >>> 64 - count;
    }

    /* The word that has a bit. */
    private long word(byte[] image, long bit) {
        return Bytes.get64(image, offset + (int) (bit >>> 6 << 3));
    }

    /** The share of places that are in use. */
    double load() {
        return (double) used / (bins * PLACES);
    }

    @Override
    double keys() {
        return used;
    }

    @Override
    boolean tellsKeys() {
        return true;
    }

    @Override
    double rate() {
        return Estimate.rateOfFingerprints(bins, keyBits, used);
    }

    @Override
    boolean isSaturated() {
        return used > capacity;
    }
}
