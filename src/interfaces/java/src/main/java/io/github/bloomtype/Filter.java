package io.github.bloomtype;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * A filter of bloomtype: a summary of a set of keys. Asked about a key, it answers either
 * <i>certainly not in the set</i> or <i>probably in the set</i>.
 *
 * <p>Keys are {@link Key}s, or values of the classes that {@link Key#of(Object)} takes. A filter
 * has keys of one family; to ask about a key of another one is a {@link KeyMismatchException}.
 * A filter without keys contains nothing, of any family.
 *
 * <p>A value of type {@code bloom_matrix} is not a filter: {@link Matrix#parse(String)} reads it.
 *
 * <p>Any number of threads may ask a filter, once it is visible to them, for example by way of a
 * volatile field. To add keys to a {@link Bloom} while other threads use it is not safe.
 */
public abstract class Filter {
    Image image;

    Filter(Image image) {
        this.image = image;
    }

    /**
     * Returns the {@link Bloom}, {@link CountingBloom} or {@link Cuckoo} that a text is.
     *
     * @param text base64, as PostgreSQL prints a filter
     * @throws InvalidFilterException if it is not the text of a valid filter
     */
    public static Filter parse(String text) {
        return parse(text, Integer.MAX_VALUE);
    }

    /**
     * Returns the {@link Bloom}, {@link CountingBloom} or {@link Cuckoo} that a text is, unless it
     * is too long. To check a filter takes a time in proportion to its length, up to 512 MB; the
     * length is checked before the text is decoded.
     *
     * @param text base64, as PostgreSQL prints a filter
     * @param maxBytes how many bytes the filter may have
     * @throws InvalidFilterException if it has more, or is not the text of a valid filter
     */
    public static Filter parse(String text, int maxBytes) {
        return of(Image.parse(text, null, maxBytes));
    }

    /**
     * Returns the {@link Bloom}, {@link CountingBloom} or {@link Cuckoo} that an image is.
     *
     * @param image the bytes of a filter, as its cast to bytea gives them. The filter keeps the
     *     array, which must not be changed from now on
     * @throws InvalidFilterException if it is not the image of a valid filter
     */
    public static Filter parse(byte[] image) {
        return parse(image, Integer.MAX_VALUE);
    }

    /**
     * Returns the {@link Bloom}, {@link CountingBloom} or {@link Cuckoo} that an image is, unless
     * it is too long.
     *
     * @param image as {@link #parse(byte[])} takes it
     * @param maxBytes how many bytes it may have
     * @throws InvalidFilterException if it has more, or is not the image of a valid filter
     */
    public static Filter parse(byte[] image, int maxBytes) {
        return of(Image.parse(image, null, maxBytes));
    }

    private static Filter of(Image image) {
        switch (image.kind) {
            case BLOOM:
                return new Bloom(image, null);
            case COUNTING_BLOOM:
                return new CountingBloom(image);
            default:
                return new Cuckoo(image);
        }
    }

    /** Returns the name of its type: {@code bloom}, {@code counting_bloom} or {@code cuckoo}. */
    public final String kind() {
        return image.kind.sqlName;
    }

    /** Returns the family of its keys, such as {@code number}; {@code none} if there are none. */
    public final String family() {
        return image.family.sqlName;
    }

    /**
     * Is a key in the filter? If not, it certainly is not in the set.
     *
     * @throws KeyMismatchException if its family is not that of the filter's keys
     * @throws NullPointerException if it is null
     * @throws IllegalArgumentException as {@link Key#of(Object)} does
     */
    public final boolean contains(Object key) {
        return contains(Key.of(key));
    }

    /** {@link #contains(Object)} for a whole number; it allocates nothing. */
    public final boolean contains(long key) {
        return checkFamily(Family.NUMBER, 0) && image.count(XXH3.hash(key)) > 0;
    }

    /** {@link #contains(Object)} for a text. */
    public final boolean contains(String key) {
        return contains((Object) key);
    }

    /**
     * Refuses a char, which Java would take for its number.
     *
     * @throws IllegalArgumentException always: a key is a String
     */
    public final boolean contains(char key) {
        return contains((Object) key);
    }

    private boolean contains(Key key) {
        return countOf(key) > 0;
    }

    final int countOf(Key key) {
        return checkFamily(key.keyFamily(), key.subtype()) ? image.count(key.hash()) : 0;
    }

    /* False if the filter has no keys, and so no family; an error if it has another one. */
    private boolean checkFamily(Family family, int subtype) {
        if (family == image.family && subtype == image.subtype) {
            return true;
        }
        if (image.family == Family.NONE) {
            return false;
        }
        throw KeyMismatchException.onProbe(image.family, family);
    }

    /** Is any of some keys in the filter? Errors are those of {@link #contains(Object)}. */
    public final boolean containsAny(Iterable<?> keys) {
        for (Object key : keys) {
            if (contains(key)) {
                return true;
            }
        }
        return false;
    }

    /** Are all of some keys in the filter? Errors are those of {@link #contains(Object)}. */
    public final boolean containsAll(Iterable<?> keys) {
        for (Object key : keys) {
            if (!contains(key)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns those of some keys that are certainly not in the set, in their order. Errors are
     * those of {@link #contains(Object)}.
     */
    public final <T> List<T> missing(Iterable<? extends T> keys) {
        List<T> missing = new ArrayList<>();
        for (T key : keys) {
            if (!contains(key)) {
                missing.add(key);
            }
        }
        return missing;
    }

    /**
     * Returns what the filter is and how full: the columns of {@code bloom_info},
     * {@code counting_bloom_info} or {@code cuckoo_info}.
     */
    public abstract FilterInfo info();

    /**
     * Returns the number of distinct keys: exact up to 128 keys of a {@link Bloom}, else
     * estimated; of a {@link Cuckoo}, the number of keys that were added. It is empty where SQL
     * gives null: for an intersection, for a filter of whose bits nearly all are set, where more
     * than half of the keys were not added to a layer, as they seemed present in earlier ones,
     * and for a union that had too many layers or blocks, so that layers were merged.
     */
    public final OptionalLong cardinality() {
        if (image.isIntersection() || image.hasMergedLayers()
                || !image.layers.stream().allMatch(Layer::canEstimateKeys)) {
            return OptionalLong.empty();
        }
        double keys = image.listLength;
        if (image.layers.size() == 1) {
            keys = image.layers.get(0).keys();
        } else if (image.layers.size() > 1) {
            keys = Estimate.keysOfLayers(image.layers.stream()
                .map(layer -> new Estimate.LayerKeys(layer.fpp, layer.capacity,
                    layer.used > layer.fullAt, layer.keys(), layer.rate()))
                .collect(Collectors.toList()), image.growth);
        }
        return Double.isNaN(keys) ? OptionalLong.empty()
            : OptionalLong.of((long) Math.rint(keys));
    }

    /**
     * Returns the false-positive rate at the present number of keys: the share of absent
     * keys that the filter takes for present ones, 0 to 1.
     */
    public final double currentFpp() {
        double fpp = 0;
        for (Layer layer : image.layers) {
            fpp += layer.rate() * (1 - fpp);
        }
        return fpp;
    }

    /** Returns a copy of the image, which can be cast to the type from bytea. */
    public final byte[] toBytes() {
        return image.bytes.clone();
    }

    /** Returns the text form, base64, which the server prints and takes for the type. */
    public final String toText() {
        return Base64Text.encode(image.bytes);
    }

    /**
     * Is the other a filter of the same type, with the same bytes? Then a {@link Bloom} is no
     * longer equal to what it was once a key has been added.
     */
    @Override
    public final boolean equals(Object other) {
        return other instanceof Filter && Arrays.equals(image.bytes, ((Filter) other).image.bytes);
    }

    /**
     * Returns a hash code of the bytes. It changes when keys are added: a {@link Bloom} that is
     * changed must not be a key of a map, nor an element of a set, in which it would not be found.
     */
    @Override
    public final int hashCode() {
        return Arrays.hashCode(image.bytes);
    }

    /** Returns a summary, for people; {@link #toText()} is the text form. */
    @Override
    public final String toString() {
        return getClass().getSimpleName() + "[family=" + family() + ", capacity="
            + image.capacity + ", fpp=" + image.fpp + ", bytes=" + image.bytes.length + "]";
    }
}
