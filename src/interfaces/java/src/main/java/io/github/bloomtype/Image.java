package io.github.bloomtype;

import static io.github.bloomtype.Bytes.get16;
import static io.github.bloomtype.Bytes.get32;
import static io.github.bloomtype.Bytes.get64;
import static io.github.bloomtype.Bytes.get8;
import static io.github.bloomtype.Bytes.getDouble;

import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of a filter, and what header and layer records say. FORMAT.md of bloomtype describes
 * them.
 */
final class Image {
    static final int HEADER_BYTES = 60;
    static final int RECORD_BYTES = 64;
    static final int MOST_HASHES = 128;
    static final int VERSION = 1;
    static final int HASH_SCHEME = 1;

    private static final int MOST_LAYERS = 64;
    private static final int MOST_GROWTH = 100;
    private static final int INTERSECTION = 1;

    /* Where the fields are in the header */
    private static final int KIND = 0;
    private static final int FORMAT_VERSION = 1;
    private static final int SCHEME = 2;
    private static final int LENGTH_OF_HEADER = 3;
    private static final int LENGTH_OF_RECORD = 4;
    private static final int GROWTH = 5;
    private static final int FLAGS = 6;
    private static final int FAMILY = 8;
    private static final int LIST_LENGTH = 10;
    private static final int LAYER_COUNT = 12;
    private static final int RESERVED = 14;
    private static final int SUBTYPE = 16;
    private static final int SALT = 20;
    private static final int CAPACITY = 28;
    private static final int FPP = 36;
    private static final int MORE_RESERVED = 44;

    /* and in a layer record */
    private static final int LAYER_BINS = 0;
    private static final int LAYER_KEY_BITS = 4;
    private static final int LAYER_RESERVED = 5;
    private static final int LAYER_CAPACITY = 8;
    private static final int LAYER_FPP = 16;
    private static final int LAYER_FULL_AT = 24;
    private static final int LAYER_USED = 32;
    private static final int LAYER_MORE_RESERVED = 40;

    final byte[] bytes;
    final Kind kind;
    final int growth;
    final int flags;
    final Family family;
    final int subtype;
    final long capacity;
    final double fpp;

    /** The number of hashes in the list; 0 if there are layers. */
    final int listLength;
    final List<Layer> layers;

    /* Reads header and records; these are valid once findFault() has returned null. */
    private Image(byte[] bytes, Kind kind) {
        this.bytes = bytes;
        this.kind = kind;
        growth = get8(bytes, GROWTH);
        flags = get16(bytes, FLAGS);
        family = Family.of(get16(bytes, FAMILY));
        listLength = get16(bytes, LIST_LENGTH);
        subtype = get32(bytes, SUBTYPE);
        capacity = get64(bytes, CAPACITY);
        fpp = getDouble(bytes, FPP);
        layers = new ArrayList<>(1);
    }

    /** Returns a filter without keys. */
    static Image create(Kind kind, long capacity, double fpp, int growth) {
        byte[] bytes = new byte[HEADER_BYTES];
        bytes[KIND] = (byte) kind.number;
        bytes[FORMAT_VERSION] = VERSION;
        bytes[SCHEME] = HASH_SCHEME;
        bytes[LENGTH_OF_HEADER] = HEADER_BYTES;
        bytes[LENGTH_OF_RECORD] = RECORD_BYTES;
        bytes[GROWTH] = (byte) growth;
        Bytes.put64(bytes, CAPACITY, capacity);
        Bytes.putDouble(bytes, FPP, fpp);
        return new Image(bytes, kind);
    }

    /**
     * Reads and checks the image of a text.
     *
     * @param expected the kind that it must be; null: any
     * @param maxBytes the number of bytes that it may have; a longer text is not decoded
     */
    static Image parse(String text, Kind expected, int maxBytes) {
        return parse(decode(text, maxBytes, nameOf(expected)), expected, maxBytes);
    }

    /** The bytes of a text, not yet checked, unless there are too many. */
    static byte[] decode(String text, int maxBytes, String typeName) {
        checkLength(Base64Text.decodedLength(text), maxBytes, typeName);
        return Base64Text.decode(text, typeName);
    }

    private static String nameOf(Kind kind) {
        return kind == null ? "filter" : kind.sqlName;
    }

    static void checkLength(int length, int maxBytes, String typeName) {
        if (length > maxBytes) {
            throw new InvalidFilterException("invalid value for type " + typeName,
                "It is longer than " + maxBytes + " bytes.");
        }
    }

    /** Reads and checks an image, whose array is kept; as that of a text. */
    static Image parse(byte[] bytes, Kind expected, int maxBytes) {
        checkLength(bytes.length, maxBytes, nameOf(expected));
        Kind kind = bytes.length > 0 ? Kind.of(get8(bytes, KIND)) : null;
        String typeName = nameOf(expected != null ? expected : kind);
        String reason;
        Image image = null;
        if (bytes.length < HEADER_BYTES) {
            reason = "It is shorter than a header.";
        } else if (kind == null || expected != null && kind != expected) {
            reason = "It is of another kind of filter.";
        } else {
            image = new Image(bytes, kind);
            reason = image.findFault();
        }
        if (reason != null) {
            throw new InvalidFilterException("invalid value for type " + typeName, reason);
        }
        return image;
    }

    /** Header and layer record of a Bloom filter alone; they are to be checked. */
    static Image ofRecord(byte[] record) {
        return new Image(record, Kind.BLOOM);
    }

    /** Reads a header and a layer record. Why they are not possible, or have a list; or null. */
    String findFaultInRecord() {
        String reason = get8(bytes, KIND) != Kind.BLOOM.number
            ? "It is of another kind of filter." : findFaultInHeader();
        if (reason == null) {
            reason = readRecords();
        }
        return reason == null && listLength > 0
            ? "The filter of a column has a list, or several layers." : reason;
    }

    /* Why the bytes are not valid, or null; in the order in which the server checks them. */
    private String findFault() {
        String reason = findFaultInHeader();
        if (reason == null) {
            reason = readLayers();
        }
        return reason != null ? reason : findFaultInData();
    }

    private String findFaultInHeader() {
        if (get8(bytes, FORMAT_VERSION) != VERSION) {
            return "The format version is unknown.";
        }
        if (get8(bytes, SCHEME) != HASH_SCHEME) {
            return "The hash scheme is unknown.";
        }
        if (get8(bytes, LENGTH_OF_HEADER) != HEADER_BYTES
            || get8(bytes, LENGTH_OF_RECORD) != RECORD_BYTES) {
            return "The length of the header or of a layer record is wrong.";
        }
        if (growth > MOST_GROWTH) {
            return "The growth factor is not between 0 and 100.";
        }
        if ((flags & ~INTERSECTION) != 0) {
            return "An unknown flag is set.";
        }
        if (family == null) {
            return "The key family is unknown.";
        }
        if (!family.isNested() && subtype != 0) {
            return "A key family without parts has a subtype.";
        }
        if (capacity < 1) {
            return "The capacity is not positive.";
        }
        if (!isFpp(fpp)) {
            return "The false-positive rate is not between 0 and 1.";
        }
        if (!Bytes.areZero(bytes, SALT, 8)) {
            return "A salt is set, which this hash scheme does not have.";
        }
        if (!Bytes.areZero(bytes, RESERVED, 2) || !Bytes.areZero(bytes, MORE_RESERVED, 16)) {
            return "Reserved bytes of the header are not zero.";
        }
        int layerCount = get16(bytes, LAYER_COUNT);
        if (listLength > MOST_HASHES) {
            return "The list is longer than 128 hashes.";
        }
        if (layerCount > MOST_LAYERS) {
            return "There are more than 64 layers.";
        }
        if (listLength > 0 && layerCount > 0) {
            return "There are both a list and layers.";
        }
        if (kind != Kind.BLOOM
            && (growth > 0 || flags != 0 || listLength > 0 || layerCount > 1)) {
            return "This kind of filter has no growth, no flags, no list, and one layer at most.";
        }
        if ((family == Family.NONE) != (listLength == 0 && layerCount == 0)) {
            return "There are keys without a key family, or the reverse.";
        }
        return null;
    }

    private String readLayers() {
        String reason = readRecords();
        if (reason != null) {
            return reason;
        }
        int end = HEADER_BYTES + 8 * listLength + layers.size() * RECORD_BYTES;
        for (Layer layer : layers) {
            layer.offset = end;
            end += (int) layer.byteCount();
        }
        return end != bytes.length ? "Its length does not match what its header says." : null;
    }

    private String readRecords() {
        int layerCount = get16(bytes, LAYER_COUNT);
        if (bytes.length < HEADER_BYTES + layerCount * RECORD_BYTES) {
            return "It is shorter than its layer records.";
        }
        long binBytes = 0;
        for (int i = 0; i < layerCount; i++) {
            int record = HEADER_BYTES + i * RECORD_BYTES;
            Layer layer = readLayer(record);
            String reason = findFaultInLayer(layer, record);
            if (reason != null) {
                return reason;
            }
            layers.add(layer);
            binBytes += layer.byteCount();
        }
        if (kind == Kind.CUCKOO && layerCount > 0
            && (layers.get(0).capacity != capacity || layers.get(0).fpp != fpp)) {
            return "The capacity or rate of the layer is not that of the header.";
        }
        if (binBytes > Layer.MOST_BYTES) {
            return "The layers together have more than 512 MB of blocks.";
        }
        return null;
    }

    private Layer readLayer(int record) {
        Layer layer = kind.newLayer();
        layer.bins = get32(bytes, record + LAYER_BINS) & 0xFFFFFFFFL;
        layer.keyBits = get8(bytes, record + LAYER_KEY_BITS);
        layer.capacity = get64(bytes, record + LAYER_CAPACITY);
        layer.fpp = getDouble(bytes, record + LAYER_FPP);
        layer.fullAt = get64(bytes, record + LAYER_FULL_AT);
        layer.used = get64(bytes, record + LAYER_USED);
        return layer;
    }

    private String findFaultInLayer(Layer layer, int record) {
        String reason = layer.findFault();
        if (reason != null) {
            return reason;
        }
        if (layer.capacity < 1) {
            return "The capacity of a layer is not positive.";
        }
        if (!isFpp(layer.fpp)) {
            return "The false-positive rate of a layer is not between 0 and 1.";
        }
        if (kind != Kind.BLOOM && layer.used == 0) {
            return "There is a layer without keys.";
        }
        if (!Bytes.areZero(bytes, record + LAYER_RESERVED, 3)
            || !Bytes.areZero(bytes, record + LAYER_MORE_RESERVED, 24)) {
            return "Reserved bytes of a layer are not zero.";
        }
        return null;
    }

    private String findFaultInData() {
        for (int i = 1; i < listLength; i++) {
            if (Long.compareUnsigned(listHash(i - 1), listHash(i)) >= 0) {
                return "The hashes of the list are not in ascending order.";
            }
        }
        for (Layer layer : layers) {
            if (!layer.binsAreValid(bytes)) {
                return layer.wrongBins();
            }
        }
        return null;
    }

    static boolean isFpp(double fpp) {
        return fpp > 0 && fpp < 1;
    }

    boolean isIntersection() {
        return (flags & INTERSECTION) != 0;
    }

    /** Has a union merged layers, as there were too many layers or blocks? */
    boolean hasMergedLayers() {
        long blocks = layers.stream().mapToLong(layer -> layer.bins).sum();
        return layers.size() > 1
            && (layers.size() == MOST_LAYERS || blocks > Layer.MOST_BYTES / 64 / 2)
            && layers.stream().anyMatch(Layer::isSaturated);
    }

    long listHash(int i) {
        return get64(bytes, HEADER_BYTES + 8 * i);
    }

    /** The place of a hash in the list; if it is not there, -1 - the place where it would be. */
    int findInList(long hash) {
        int low = 0;
        int high = listLength;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Long.compareUnsigned(listHash(middle), hash) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low < listLength && listHash(low) == hash ? low : -1 - low;
    }

    /** How often a key was added at most; of a set 0 or 1. */
    int count(long hash) {
        if (layers.isEmpty()) {
            return listLength > 0 && findInList(hash) >= 0 ? 1 : 0;
        }
        /* the last layer is the largest and has most of the keys */
        for (int i = layers.size() - 1; i >= 0; i--) {
            int count = layers.get(i).count(bytes, hash);
            if (count > 0) {
                return count;
            }
        }
        return 0;
    }

    /** A list with one hash more, which is not in it; of keys of a family. */
    Image withHash(long hash, Family family, int subtype) {
        int at = HEADER_BYTES + 8 * (-1 - findInList(hash));
        byte[] longer = new byte[bytes.length + 8];
        System.arraycopy(bytes, 0, longer, 0, at);
        Bytes.put64(longer, at, hash);
        System.arraycopy(bytes, at, longer, at + 8, bytes.length - at);
        Bytes.put16(longer, FAMILY, family.ordinal());
        Bytes.put32(longer, SUBTYPE, subtype);
        Bytes.put16(longer, LIST_LENGTH, listLength + 1);
        return new Image(longer, kind);
    }

    /** The hashes of the list in a first layer, which is given without an offset. */
    Image withFirstLayer(BitLayer layer) {
        layer.offset = HEADER_BYTES + RECORD_BYTES;
        byte[] larger = new byte[layer.offset + (int) layer.byteCount()];
        System.arraycopy(bytes, 0, larger, 0, HEADER_BYTES);
        Bytes.put16(larger, LIST_LENGTH, 0);
        Bytes.put16(larger, LAYER_COUNT, 1);
        Bytes.put32(larger, HEADER_BYTES + LAYER_BINS, (int) layer.bins);
        larger[HEADER_BYTES + LAYER_KEY_BITS] = (byte) layer.keyBits;
        Bytes.put64(larger, HEADER_BYTES + LAYER_CAPACITY, layer.capacity);
        Bytes.putDouble(larger, HEADER_BYTES + LAYER_FPP, layer.fpp);
        Bytes.put64(larger, HEADER_BYTES + LAYER_FULL_AT, layer.fullAt);
        for (int i = 0; i < listLength; i++) {
            layer.add(larger, listHash(i));
        }
        Image image = new Image(larger, kind);
        image.layers.add(layer);
        image.writeUsed(0);
        return image;
    }

    /** Adds a key to a layer of bits. */
    void addToLayer(int i, long hash) {
        ((BitLayer) layers.get(i)).add(bytes, hash);
        writeUsed(i);
    }

    private void writeUsed(int i) {
        Bytes.put64(bytes, HEADER_BYTES + i * RECORD_BYTES + LAYER_USED, layers.get(i).used);
    }

    /** An image of its own, to be changed. */
    Image copy() {
        Image copy = new Image(bytes.clone(), kind);
        copy.readLayers();
        return copy;
    }
}
