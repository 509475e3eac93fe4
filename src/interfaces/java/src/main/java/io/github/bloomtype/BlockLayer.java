package io.github.bloomtype;

/** Blocks of 512 bits or counters; a counter above zero is a set bit. */
abstract class BlockLayer extends Layer {
    static final int BLOCK_BITS = 512;
    static final int MOST_PROBES = 24;

    /** 2^64 / golden ratio. Each probe of a key multiplies the hash by it once more. */
    static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    /** The fewest bits not set from whose number that of the keys can be told. */
    private static final int FEWEST_UNSET = 100;

    /** Of a block. */
    abstract int blockBytes();

    /** Bits set, or counters above zero, in eight bytes. */
    abstract int usedInWord(long word);

    static boolean isSizeClass(long blocks) {
        int shift = Math.max(0, Long.SIZE - 7 - Long.numberOfLeadingZeros(blocks));
        return blocks >>> shift << shift == blocks;
    }

    final long bits() {
        return bins * BLOCK_BITS;
    }

    final boolean isFull() {
        return used > fullAt;
    }

    @Override
    final String findFault() {
        if (bins < 1 || byteCount() > MOST_BYTES || !isSizeClass(bins)) {
            return "The number of blocks of a layer is not possible.";
        }
        if (keyBits < 1 || keyBits > MOST_PROBES) {
            return "The number of probes of a layer is not between 1 and 24.";
        }
        if (Long.compareUnsigned(fullAt, bits()) >= 0) {
            return "The limit of a layer on bits set is as high as its number of bits.";
        }
        if (Long.compareUnsigned(used, bits()) > 0) {
            return "A layer claims more bits set than it has.";
        }
        return null;
    }

    @Override
    final long byteCount() {
        return bins * blockBytes();
    }

    @Override
    final boolean binsAreValid(byte[] image) {
        int end = offset + (int) byteCount();
        long found = 0;
        for (int i = offset; i < end; i += 8) {
            found += usedInWord(Bytes.get64(image, i));
        }
        return found == used;
    }

    @Override
    final double keys() {
        return Estimate.keysOfBits(bins, keyBits, used);
    }

    @Override
    final boolean canEstimateKeys() {
        return bits() - used >= FEWEST_UNSET;
    }

    @Override
    final double rate() {
        return Estimate.rateOfBits(bins, keyBits, used);
    }

    /* The key that made the layer full may have set all its probes. */
    @Override
    final boolean isSaturated() {
        return used > fullAt + keyBits || used == bits();
    }
}
