package io.github.bloomtype;

import java.util.ArrayList;
import java.util.List;

/** A filter of type {@code bloom}, to which keys can be added. */
public final class Bloom extends Filter {
    private static final double DEFAULT_FPP = 0.01;
    private static final int DEFAULT_GROWTH = 2;
    private static final int MOST_GROWTH = 100;

    /** That of the first layer, if it is known; else null. */
    private final Sizing sizing;

    /** Is the array of the image that of a caller? Then it is copied before it is changed. */
    private boolean isShared;

    Bloom(Image image, Sizing sizing) {
        super(image);
        this.sizing = sizing;
        isShared = true;
    }

    /** Returns the filter of a text; see {@link Filter#parse(String)}. */
    public static Bloom parse(String text) {
        return parse(text, Integer.MAX_VALUE);
    }

    /** Returns the filter of a text; see {@link Filter#parse(String, int)}. */
    public static Bloom parse(String text, int maxBytes) {
        return new Bloom(Image.parse(text, Kind.BLOOM, maxBytes), null);
    }

    /** Returns the filter of an image; see {@link Filter#parse(byte[])}. */
    public static Bloom parse(byte[] image) {
        return parse(image, Integer.MAX_VALUE);
    }

    /** Returns the filter of an image; see {@link Filter#parse(byte[], int)}. */
    public static Bloom parse(byte[] image, int maxBytes) {
        return new Bloom(Image.parse(image, Kind.BLOOM, maxBytes), null);
    }

    /** Returns the empty filter of {@code bloom_create(capacity)}: at 1 %, of growth 2. */
    public static Bloom create(long capacity) {
        return create(capacity, DEFAULT_FPP);
    }

    /** Returns the empty filter of {@code bloom_create(capacity, fpp)}, of growth 2. */
    public static Bloom create(long capacity, double fpp) {
        return create(capacity, fpp, DEFAULT_GROWTH, null);
    }

    /**
     * Returns the empty filter of {@code bloom_create(capacity, fpp, growth)}.
     *
     * @param capacity the number of distinct keys that it is made for, at least 1
     * @param fpp its false-positive rate at that number, between 0 and 1
     * @param growth the factor by which the server makes each further layer larger, 0 to 100; 0
     *     for a filter of fixed size
     * @param sizing that of {@code bloom_sizing(capacity, fpp)}; or null, for at most 128 keys
     * @throws IllegalArgumentException if an argument is out of range, or if the sizing cannot be
     *     that of this capacity, or if it is for another number of keys than the first layer. That
     *     is the case for a growth of 0 or 1 and a capacity from 129 to 255, and for a growth above
     *     2 and a capacity from 129 to 128 times the growth
     */
    public static Bloom create(long capacity, double fpp, int growth, Sizing sizing) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity must be at least 1");
        }
        if (!Image.isFpp(fpp)) {
            throw new IllegalArgumentException(
                "false-positive rate must be greater than 0 and less than 1");
        }
        /* of so many keys, an absent one has the hash of one at this rate */
        if (fpp < capacity / 0x1p64) {
            throw new IllegalArgumentException("false-positive rate of " + fpp
                + " is too low for a capacity of " + capacity);
        }
        if (growth < 0 || growth > MOST_GROWTH) {
            throw new IllegalArgumentException("growth must be between 0 and " + MOST_GROWTH);
        }
        Image image = Image.create(Kind.BLOOM, capacity, fpp, growth);
        if (sizing != null) {
            checkSizing(sizing, image);
        }
        return new Bloom(image, sizing);
    }

    private static void checkSizing(Sizing sizing, Image image) {
        long first = capacityOfFirstLayer(image);
        String call = "bloom_sizing(" + image.capacity + ", " + image.fpp + ")";
        if (!sizing.isList && first != Math.max(image.capacity, 2 * Image.MOST_HASHES)) {
            throw new IllegalArgumentException(
                call + " is not the sizing of a filter of growth " + image.growth);
        }
        if (sizing.isList ? image.capacity > Image.MOST_HASHES : !sizing.canBeOf(first)) {
            throw new IllegalArgumentException("the sizing is not the one of " + call);
        }
    }

    private static long capacityOfFirstLayer(Image image) {
        return Math.max(image.capacity,
            Math.max(image.growth * Image.MOST_HASHES, Image.MOST_HASHES));
    }

    /**
     * Adds a key. A filter that contains it already is not changed.
     *
     * @throws FilterFullException if the key needs a layer whose sizing is not known; the filter
     *     is not changed
     * @throws KeyMismatchException if its family is not that of the filter's keys
     * @throws NullPointerException if it is null
     * @throws IllegalArgumentException as {@link Key#of(Object)} does
     */
    public void add(Object key) {
        addHash(checked(Key.of(key), image.family, image.subtype));
    }

    /**
     * Adds some keys, in their order: either all of them or, if there is an error, none. Errors
     * are those of {@link #add(Object)}.
     */
    public void addAll(Iterable<?> keys) {
        List<Key> toAdd = new ArrayList<>();
        for (Object key : keys) {
            toAdd.add(Key.of(key));
        }
        Family family = image.family;
        int subtype = image.subtype;
        for (Key key : toAdd) {
            checked(key, family, subtype);
            family = key.keyFamily();
            subtype = key.subtype();
        }
        /* layers are changed in place: only where that may fail, what they were is kept */
        Image before = mayBecomeFull(toAdd.size()) ? image.copy() : null;
        try {
            for (Key key : toAdd) {
                addHash(key);
            }
        } catch (FilterFullException e) {
            image = before;
            throw e;
        }
    }

    private static Key checked(Key key, Family family, int subtype) {
        if (family != Family.NONE && (key.keyFamily() != family || key.subtype() != subtype)) {
            throw KeyMismatchException.onAdd(family, key.keyFamily());
        }
        return key;
    }

    /* The rules of "Growth" in FORMAT.md, for a key whose family is the right one. */
    private void addHash(Key key) {
        long hash = key.hash();
        if (image.count(hash) > 0) {
            return;
        }
        if (image.layers.isEmpty() && image.listLength < Image.MOST_HASHES) {
            image = image.withHash(hash, key.keyFamily(), key.subtype());
            isShared = false;
            return;
        }
        Image next = image.layers.isEmpty() ? image.withFirstLayer(firstLayer()) : image;
        int layer = layerForKey(next);
        if (next == image && isShared) {
            next = image.copy();
        }
        next.addToLayer(layer, hash);
        image = next;
        isShared = false;
    }

    private BitLayer firstLayer() {
        if (sizing == null || sizing.isList) {
            throw new FilterFullException();
        }
        BitLayer layer = new BitLayer();
        layer.bins = sizing.blocks;
        layer.keyBits = sizing.probes;
        layer.capacity = capacityOfFirstLayer(image);
        layer.fpp = image.fpp;
        layer.fullAt = sizing.fullAt;
        return layer;
    }

    /* The number of the first layer that is not full; without growth, of the last one. */
    private static int layerForKey(Image image) {
        for (int i = 0; i < image.layers.size(); i++) {
            if (!((BlockLayer) image.layers.get(i)).isFull()) {
                return i;
            }
        }
        if (image.growth == 0) {
            return image.layers.size() - 1;
        }
        throw new FilterFullException();
    }

    /* Can there be so many keys of which one needs a layer that is not known? */
    private boolean mayBecomeFull(int newKeys) {
        if (image.growth == 0 && !image.layers.isEmpty()) {
            return false;
        }
        for (Layer layer : image.layers) {
            if (layer.fullAt - layer.used >= (long) newKeys * layer.keyBits) {
                return false;
            }
        }
        return image.listLength + (long) newKeys > Image.MOST_HASHES || !image.layers.isEmpty();
    }

    /** Returns the columns of {@code bloom_info}. */
    @Override
    public BloomInfo info() {
        return new BloomInfo(this);
    }
}
