package io.github.bloomtype;

/** A filter of type {@code cuckoo}, from which the server can remove keys. */
public final class Cuckoo extends Filter {
    Cuckoo(Image image) {
        super(image);
    }

    /** Returns the filter of a text; see {@link Filter#parse(String)}. */
    public static Cuckoo parse(String text) {
        return parse(text, Integer.MAX_VALUE);
    }

    /** Returns the filter of a text; see {@link Filter#parse(String, int)}. */
    public static Cuckoo parse(String text, int maxBytes) {
        return new Cuckoo(Image.parse(text, Kind.CUCKOO, maxBytes));
    }

    /** Returns the filter of an image; see {@link Filter#parse(byte[])}. */
    public static Cuckoo parse(byte[] image) {
        return parse(image, Integer.MAX_VALUE);
    }

    /** Returns the filter of an image; see {@link Filter#parse(byte[], int)}. */
    public static Cuckoo parse(byte[] image, int maxBytes) {
        return new Cuckoo(Image.parse(image, Kind.CUCKOO, maxBytes));
    }

    /**
     * Returns how often a key was added, at most; 0 to 8. Errors are those of
     * {@link #contains(Object)}.
     */
    public int count(Object key) {
        return countOf(Key.of(key));
    }

    /** Returns the columns of {@code cuckoo_info}. */
    @Override
    public CuckooInfo info() {
        return new CuckooInfo(this);
    }
}
