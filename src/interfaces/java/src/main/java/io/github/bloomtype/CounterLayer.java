package io.github.bloomtype;

/** Blocks of 512 counters of 4 bits. */
final class CounterLayer extends BlockLayer {
    /** What a counter counts up to. */
    static final int LIMIT = 15;

    private static final int BLOCK_BYTES = BLOCK_BITS / 2;
    private static final long LOWEST_BITS = 0x1111111111111111L;

    @Override
    int blockBytes() {
        return BLOCK_BYTES;
    }

    @Override
    int usedInWord(long word) {
        return Long.bitCount((word | word >>> 1 | word >>> 2 | word >>> 3) & LOWEST_BITS);
    }

    @Override
    String wrongBins() {
        return "The number of counters above zero is not what the record of the layer says.";
    }

    @Override
    int count(byte[] image, long hash) {
        int block = offset + bin(hash) * BLOCK_BYTES;
        int least = LIMIT;
        long x = hash;
        for (int probe = keyBits; probe > 0 && least > 0; probe--) {
            x *= MULTIPLIER;
            int counter = (int) (x >>> 55);
            least = Math.min(least, image[block + (counter >> 1)] >> 4 * (counter & 1) & LIMIT);
        }
        return least;
    }
}
