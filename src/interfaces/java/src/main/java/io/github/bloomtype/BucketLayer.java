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

    /* As many places as a word has room for are looked at together: buckets, or half a bucket. */
    @Override
    boolean binsAreValid(byte[] image) {
        boolean isHalf = keyBits > 16;
        int places = isHalf ? 2 : 64 / (PLACES * keyBits) * PLACES;
        int step = places * keyBits;
        long lowest = lowestBits(places, keyBits);
        long top = lowest << keyBits - 1;
        long belowTop = top - lowest;
        long first = lowestBits(isHalf ? 1 : places / PLACES, PLACES * keyBits) << keyBits - 1;
        long behindAnother = top & ~first;
        long end = bins * PLACES * keyBits;
        long found = 0;
        boolean isFull = true;
        boolean isSecondHalf = false;
        for (long start = 0; start < end; start += step) {
            long word = bits(image, start, (int) Math.min(step, end - start));
            /* the top bit of each place that is not 0: the addition carries into it */
            long taken = ((word & belowTop) + belowTop | word) & top;
            if ((taken & behindAnother & ~(taken << keyBits)) != 0 || taken != 0 && !isFull) {
                return false;
            }
            found += Long.bitCount(taken);
            isFull = !isHalf || isSecondHalf || taken == top;
            isSecondHalf = !isSecondHalf;
        }
        return found == used && (end % 64 == 0 || word(image, end) >>> end % 64 == 0);
    }

    /* The lowest bits of so many numbers of so many bits, side by side. */
    private static long lowestBits(int count, int bits) {
        long word = 0;
        for (int i = 0; i < count; i++) {
            word |= 1L << i * bits;
        }
        return word;
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
    boolean canEstimateKeys() {
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
