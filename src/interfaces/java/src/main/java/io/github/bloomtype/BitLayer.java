package io.github.bloomtype;

/** Blocks of 512 bits. */
final class BitLayer extends BlockLayer {
    static final int BLOCK_BYTES = BLOCK_BITS / 8;

    @Override
    int blockBytes() {
        return BLOCK_BYTES;
    }

    @Override
    int usedInWord(long word) {
        return Long.bitCount(word);
    }

    @Override
    String wrongBins() {
        return "The number of bits set in a layer is not what its record says.";
    }

    boolean contains(byte[] image, long hash) {
        int block = offset + bin(hash) * BLOCK_BYTES;
        long x = hash;
        for (int probe = keyBits; probe > 0; probe--) {
            x *= MULTIPLIER;
            int bit = (int) (x >>> 55);
            if ((image[block + (bit >> 3)] >> (bit & 7) & 1) == 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    int count(byte[] image, long hash) {
        return contains(image, hash) ? 1 : 0;
    }

    /** Sets the bits of a key, and counts them; the record in the image is not changed. */
    void add(byte[] image, long hash) {
        int block = offset + bin(hash) * BLOCK_BYTES;
        long x = hash;
        for (int probe = keyBits; probe > 0; probe--) {
            x *= MULTIPLIER;
            int bit = (int) (x >>> 55);
            int at = block + (bit >> 3);
            int mask = 1 << (bit & 7);
            if ((image[at] & mask) == 0) {
                image[at] |= (byte) mask;
                used++;
            }
        }
    }
}
