package io.github.bloomtype;

/**
 * The geometry of the first layer of a filter: three columns of the row of
 * {@code bloom_sizing(capacity, fpp)} on the server. Only the server computes it.
 */
public final class Sizing {
    private static final long MOST_BLOCKS = Layer.MOST_BYTES / BitLayer.BLOCK_BYTES;

    /** The server rounds full_at down to a whole number. */
    private static final int ROUNDING = 1;

    final boolean isList;
    final long blocks;
    final int probes;
    final long fullAt;

    /**
     * Makes a sizing of the columns {@code blocks}, {@code probes} and {@code full_at}, as a
     * driver gives them. All are null for a filter that is a list.
     *
     * @throws IllegalArgumentException if this is no geometry of a layer; also if only
     *     {@code full_at} is null, as it is for a filter of more than 512 MB
     */
    public Sizing(Long blocks, Integer probes, Long fullAt) {
        isList = blocks == null && probes == null && fullAt == null;
        if (isList) {
            this.blocks = 0;
            this.probes = 0;
            this.fullAt = 0;
            return;
        }
        if (blocks == null || probes == null || fullAt == null) {
            throw new IllegalArgumentException("blocks, probes and full_at must all be given, or "
                + "none; full_at is null for a filter that is too large");
        }
        if (blocks < 1 || blocks > MOST_BLOCKS || !BlockLayer.isSizeClass(blocks)) {
            throw new IllegalArgumentException("blocks: " + blocks + " is not possible");
        }
        if (probes < 1 || probes > BlockLayer.MOST_PROBES) {
            throw new IllegalArgumentException("probes: " + probes + " is not possible");
        }
        if (fullAt < 0 || fullAt >= blocks * BlockLayer.BLOCK_BITS) {
            throw new IllegalArgumentException("full_at: " + fullAt + " is not possible");
        }
        this.blocks = blocks;
        this.probes = probes;
        this.fullAt = fullAt;
    }

    /**
     * Can it be that of a layer for so many keys? Then full_at is the number of bits that these
     * set on average, and up to four standard deviations more; a variance is below five times the
     * number of bits.
     */
    boolean canBeOf(long keys) {
        double mean = Estimate.bitsOfKeys(blocks, probes, keys);
        double most = mean + 4 * (Math.sqrt(5.0 * blocks * BlockLayer.BLOCK_BITS) + 1);
        return fullAt >= mean - ROUNDING && fullAt <= most + ROUNDING;
    }
}
