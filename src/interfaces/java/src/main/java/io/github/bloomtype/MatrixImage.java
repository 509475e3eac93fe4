package io.github.bloomtype;

import static io.github.bloomtype.Bytes.get16;
import static io.github.bloomtype.Bytes.get32;
import static io.github.bloomtype.Bytes.get64;
import static io.github.bloomtype.Bytes.get8;

import java.util.Arrays;

/**
 * The bytes of a matrix of filters, and what the header says. FORMAT.md of bloomtype describes
 * them. Of the columns, nothing is kept but the bytes.
 */
final class MatrixImage {
    static final int KIND_OF_MATRIX = 4;

    private static final int RECORD_BYTES = Image.HEADER_BYTES + Image.RECORD_BYTES;
    private static final int SLICES_OF_BLOCK = BlockLayer.BLOCK_BITS;

    /** Words of slices that share cache lines. */
    private static final int WORDS_OF_TILE = 8;

    /** The binary digits of 512. */
    private static final int DIGITS = 10;

    /* Where the fields are in the header */
    private static final int KIND = 0;
    private static final int FORMAT_VERSION = 1;
    private static final int SCHEME = 2;
    private static final int LENGTH_OF_HEADER = 3;
    private static final int LENGTH_OF_RECORD = 4;
    private static final int PROBES = 5;
    private static final int RESERVED = 6;
    private static final int FAMILY = 8;
    private static final int MORE_RESERVED = 10;
    private static final int COLUMNS = 12;
    private static final int SUBTYPE = 16;
    private static final int SALT = 20;
    private static final int BLOCKS = 28;
    private static final int LAST_RESERVED = 32;

    final byte[] bytes;
    final Family family;
    final int subtype;
    final int probes;

    /* These two are those of the header, of 32 bits without a sign, until they are checked. */
    final long columns;
    final long blocks;

    /** How long a slice is. */
    private final long sliceBytes;

    /** Where the slices begin. */
    private final long slices;

    /* Reads the header; what it says is valid once findFault() has returned null. */
    private MatrixImage(byte[] bytes) {
        this.bytes = bytes;
        family = Family.of(get16(bytes, FAMILY));
        subtype = get32(bytes, SUBTYPE);
        probes = get8(bytes, PROBES);
        columns = get32(bytes, COLUMNS) & 0xFFFFFFFFL;
        blocks = get32(bytes, BLOCKS) & 0xFFFFFFFFL;
        sliceBytes = (columns + 63) / 64 * 8;
        slices = (recordOffset(columns) + 4 + 63) / 64 * 64 - 4;
    }

    /** Reads and checks an image, whose array is kept. */
    static MatrixImage parse(byte[] bytes) {
        MatrixImage image = null;
        String reason = "It is shorter than a header.";
        if (bytes.length >= Image.HEADER_BYTES) {
            image = new MatrixImage(bytes);
            reason = image.findFault();
        }
        if (reason != null) {
            throw new InvalidFilterException("invalid value for type bloom_matrix", reason);
        }
        return image;
    }

    /* Why the bytes are not valid, or null; in the order in which the server checks them. */
    private String findFault() {
        String reason = findFaultInHeader();
        if (reason == null) {
            reason = findFaultInSizes();
        }
        if (reason == null) {
            reason = findFaultInRecords();
        }
        if (reason != null) {
            return reason;
        }
        int end = (int) recordOffset(columns);
        if (!Bytes.areZero(bytes, end, (int) slices - end)) {
            return "The bytes between the records and the slices are not zero.";
        }
        for (int word = 0; word < words(); word += WORDS_OF_TILE) {
            if (!tileIsValid(word, Math.min(WORDS_OF_TILE, words() - word))) {
                return "The bits of a column are not what its record says.";
            }
        }
        return null;
    }

    private String findFaultInHeader() {
        if (get8(bytes, KIND) != KIND_OF_MATRIX) {
            return "It is not a matrix of filters.";
        }
        if (get8(bytes, FORMAT_VERSION) != Image.VERSION) {
            return "The format version is unknown.";
        }
        if (get8(bytes, SCHEME) != Image.HASH_SCHEME) {
            return "The hash scheme is unknown.";
        }
        if (get8(bytes, LENGTH_OF_HEADER) != Image.HEADER_BYTES
            || get8(bytes, LENGTH_OF_RECORD) != RECORD_BYTES) {
            return "The length of the header or of a column's record is wrong.";
        }
        if (family == null) {
            return "The key family is unknown.";
        }
        if (!family.isNested() && subtype != 0) {
            return "A key family without parts has a subtype.";
        }
        if (!Bytes.areZero(bytes, SALT, 8)) {
            return "A salt is set, which this hash scheme does not have.";
        }
        if (!Bytes.areZero(bytes, RESERVED, 2) || !Bytes.areZero(bytes, MORE_RESERVED, 2)
            || !Bytes.areZero(bytes, LAST_RESERVED, 28)) {
            return "Reserved bytes of the header are not zero.";
        }
        return null;
    }

    private String findFaultInSizes() {
        if (columns == 0) {
            if (family != Family.NONE || blocks != 0 || probes != 0) {
                return "A matrix without columns has keys, blocks or probes.";
            }
        } else if (blocks < 1 || blocks > Layer.MOST_BYTES / BitLayer.BLOCK_BYTES
            || !BlockLayer.isSizeClass(blocks)) {
            return "The number of blocks is not possible.";
        } else if (probes < 1 || probes > BlockLayer.MOST_PROBES) {
            return "The number of probes is not between 1 and 24.";
        }
        /* at most 2^29 + 2^23 * 2^9 * 2^29, and so less than 2^62 */
        long length = slices + blocks * SLICES_OF_BLOCK * sliceBytes;
        if (length > Layer.MOST_BYTES) {
            return "It would have more than 512 MB.";
        }
        return length != bytes.length ? "Its length does not match what its header says." : null;
    }

    private String findFaultInRecords() {
        long mostBlocks = 0;
        for (int column = 0; column < columns; column++) {
            if (column > 0 && id(column - 1) >= id(column)) {
                return "The ids are not in ascending order.";
            }
            Image record = record(column);
            String reason = record.findFaultInRecord();
            if (reason == null) {
                reason = findFaultInColumn(record);
            }
            if (reason != null) {
                return reason;
            }
            if (!record.layers.isEmpty()) {
                mostBlocks = Math.max(mostBlocks, record.layers.get(0).bins);
            }
        }
        /* without keys, the server computes the blocks, on which no answer depends */
        if (mostBlocks == 0) {
            return family == Family.NONE ? null
                : "There is a key family, but no column has keys.";
        }
        return mostBlocks == blocks ? null : "No column has as many blocks as the matrix.";
    }

    private String findFaultInColumn(Image record) {
        if (record.layers.isEmpty()) {
            return Bytes.areZero(record.bytes, Image.HEADER_BYTES, Image.RECORD_BYTES) ? null
                : "A column without keys has the record of a layer.";
        }
        Layer layer = record.layers.get(0);
        if (record.family != family || record.subtype != subtype) {
            return "The keys of a column are of another family than those of the matrix.";
        }
        if (layer.keyBits != probes) {
            return "A column has another number of probes than the matrix.";
        }
        if (blocks % layer.bins != 0) {
            return "The number of blocks of a column does not divide that of the matrix.";
        }
        return null;
    }

    /* Have so many words of the slices the bits that the records of their columns say? */
    private boolean tileIsValid(int firstWord, int words) {
        int[] ratios = new int[words * 64];
        long[] left = new long[words * 64];
        Arrays.fill(ratios, 1);
        for (int i = 0; i < words * 64 && firstWord * 64 + i < columns; i++) {
            Image record = record(firstWord * 64 + i);
            record.findFaultInRecord();
            for (Layer layer : record.layers) {
                ratios[i] = (int) (blocks / layer.bins);
                left[i] = layer.used;
            }
        }
        long[] planes = new long[DIGITS];
        for (int block = 0; block < blocks; block++) {
            for (int word = 0; word < words; word++) {
                long starts = 0;
                for (int i = 0; i < 64; i++) {
                    starts |= (block % ratios[word * 64 + i] == 0 ? 1L : 0L) << i;
                }
                if (!countBlock(block, firstWord + word, starts, planes)) {
                    return false;
                }
                for (int i = 0; i < 64; i++) {
                    for (int digit = 0; digit < DIGITS; digit++) {
                        left[word * 64 + i] -= (planes[digit] >>> i & 1) << digit;
                    }
                }
            }
        }
        return Arrays.stream(left).allMatch(bits -> bits == 0);
    }

    /*
     * Counts the bits of 64 columns in a block, in binary digits. starts has the columns of which
     * a block starts here; the others repeat the block before. False if they do not.
     */
    private boolean countBlock(int block, int word, long starts, long[] planes) {
        int at = blockOffset(block) + word * 8;
        int before = at - SLICES_OF_BLOCK * (int) sliceBytes;
        Arrays.fill(planes, 0);
        for (int slice = 0; slice < SLICES_OF_BLOCK; slice++) {
            long bits = get64(bytes, at);
            if (starts != -1 && ((bits ^ get64(bytes, before)) & ~starts) != 0) {
                return false;
            }
            long carry = bits & starts;
            for (int i = 0; carry != 0; i++) {
                long next = planes[i] & carry;
                planes[i] ^= carry;
                carry = next;
            }
            at += (int) sliceBytes;
            before += (int) sliceBytes;
        }
        return true;
    }

    private int words() {
        return (int) sliceBytes / 8;
    }

    private long recordOffset(long column) {
        return Image.HEADER_BYTES + columns * 8 + column * RECORD_BYTES;
    }

    private int blockOffset(int block) {
        return (int) (slices + block * SLICES_OF_BLOCK * sliceBytes);
    }

    /** Header and layer record of the filter of a column; its layers are not read yet. */
    private Image record(int column) {
        int at = (int) recordOffset(column);
        return Image.ofRecord(Arrays.copyOfRange(bytes, at, at + RECORD_BYTES));
    }

    long id(int column) {
        return get64(bytes, Image.HEADER_BYTES + column * 8);
    }

    /** The number of the column with an id, or -1. */
    int find(long id) {
        int low = 0;
        int high = (int) columns;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (id(middle) < id) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < columns && id(low) == id ? low : -1;
    }

    /** The ids of the columns that may have a key. */
    long[] search(long hash) {
        int block = blockOffset((int) ((hash >>> 32) * blocks >>> 32));
        long[] found = new long[words()];
        Arrays.fill(found, -1);
        long x = hash;
        for (int probe = 0; probe < probes; probe++) {
            x *= BlockLayer.MULTIPLIER;
            int slice = block + (int) (x >>> 55) * (int) sliceBytes;
            for (int i = 0; i < found.length; i++) {
                found[i] &= get64(bytes, slice + i * 8);
            }
        }
        long[] ids = new long[Arrays.stream(found).mapToInt(Long::bitCount).sum()];
        int n = 0;
        for (int i = 0; i < found.length; i++) {
            for (long bits = found[i]; bits != 0; bits &= bits - 1) {
                ids[n++] = id(i * 64 + Long.numberOfTrailingZeros(bits));
            }
        }
        return ids;
    }

    /** The image of the filter of a column; one that was widened is narrowed. */
    byte[] filter(int column) {
        int at = (int) recordOffset(column);
        Image record = record(column);
        record.findFaultInRecord();
        if (record.layers.isEmpty()) {
            return Arrays.copyOf(record.bytes, Image.HEADER_BYTES);
        }
        int filterBlocks = (int) record.layers.get(0).bins;
        int ratio = (int) blocks / filterBlocks;
        byte[] filter = new byte[RECORD_BYTES + filterBlocks * BitLayer.BLOCK_BYTES];
        System.arraycopy(bytes, at, filter, 0, RECORD_BYTES);
        for (int block = 0; block < filterBlocks; block++) {
            int from = blockOffset(block * ratio) + column / 8;
            int to = RECORD_BYTES + block * BitLayer.BLOCK_BYTES;
            for (int bit = 0; bit < SLICES_OF_BLOCK; bit++) {
                filter[to + bit / 8] |= (byte) ((bytes[from] >> column % 8 & 1) << bit % 8);
                from += (int) sliceBytes;
            }
        }
        return filter;
    }

    /** The highest false-positive rate of a column at its present number of keys. */
    double maxFpp() {
        double max = 0;
        for (int column = 0; column < columns; column++) {
            Image record = record(column);
            record.findFaultInRecord();
            for (Layer layer : record.layers) {
                max = Math.max(max, layer.rate());
            }
        }
        return max;
    }
}
