package io.github.bloomtype;

import java.util.Arrays;
import java.util.Optional;

/**
 * Many Bloom filters, each with an id, and the question which of them may contain a key: the type
 * {@code bloom_matrix}. It does not change, and any number of threads may ask it.
 */
public final class Matrix {
    private final MatrixImage image;

    private Matrix(MatrixImage image) {
        this.image = image;
    }

    /**
     * Returns the matrix of a text.
     *
     * @param text base64, as PostgreSQL prints a {@code bloom_matrix}
     * @throws InvalidFilterException if it is not the text of a valid matrix
     */
    public static Matrix parse(String text) {
        return parse(text, Integer.MAX_VALUE);
    }

    /**
     * Returns the matrix of a text, unless it is too long, which is checked before the text is
     * decoded.
     *
     * @param text base64, as PostgreSQL prints a {@code bloom_matrix}
     * @param maxBytes how many bytes the matrix may have
     * @throws InvalidFilterException if it has more, or is not the text of a valid matrix
     */
    public static Matrix parse(String text, int maxBytes) {
        return new Matrix(MatrixImage.parse(Image.decode(text, maxBytes, "bloom_matrix")));
    }

    /**
     * Returns the matrix of an image.
     *
     * @param image the bytes of a matrix, as its cast to bytea gives them. The matrix keeps the
     *     array, which must not be changed from now on
     * @throws InvalidFilterException if it is not the image of a valid matrix
     */
    public static Matrix parse(byte[] image) {
        return parse(image, Integer.MAX_VALUE);
    }

    /**
     * Returns the matrix of an image, unless it is too long.
     *
     * @param image as {@link #parse(byte[])} takes it
     * @param maxBytes how many bytes it may have
     * @throws InvalidFilterException if it has more, or is not the image of a valid matrix
     */
    public static Matrix parse(byte[] image, int maxBytes) {
        Image.checkLength(image.length, maxBytes, "bloom_matrix");
        return new Matrix(MatrixImage.parse(image));
    }

    /** Returns the family of the keys, such as {@code number}; {@code none} without keys. */
    public String family() {
        return image.family.sqlName;
    }

    /** Returns the ids of the filters, ascending: a new array. */
    public long[] columns() {
        long[] ids = new long[(int) image.columns];
        Arrays.setAll(ids, image::id);
        return ids;
    }

    /**
     * Returns the ids of the filters that probably contain a key, ascending: a new array. The
     * others certainly do not contain it.
     *
     * @throws KeyMismatchException if its family is not that of the keys of the filters
     * @throws NullPointerException if it is null
     * @throws IllegalArgumentException as {@link Key#of(Object)} does
     */
    public long[] search(Object key) {
        Key probed = Key.of(key);
        if (image.family == Family.NONE) {
            return new long[0];
        }
        if (probed.keyFamily() != image.family || probed.subtype() != image.subtype) {
            throw KeyMismatchException.onProbe(image.family, probed.keyFamily());
        }
        return image.search(probed.hash());
    }

    /**
     * Returns the filter with an id, with the bytes that it had when it was put into the matrix,
     * but that a list comes back as a layer; empty if there is none. It has memory of its own.
     */
    public Optional<Bloom> filter(long id) {
        int column = image.find(id);
        return column < 0 ? Optional.empty() : Optional.of(Bloom.parse(image.filter(column)));
    }

    /** Returns the columns of {@code bloom_matrix_info}. */
    public MatrixInfo info() {
        return new MatrixInfo(image);
    }

    /** Returns a copy of the image, which can be cast to the type from bytea. */
    public byte[] toBytes() {
        return image.bytes.clone();
    }

    /** Returns the text form, base64, which the server prints and takes for the type. */
    public String toText() {
        return Base64Text.encode(image.bytes);
    }

    /** Is the other a matrix with the same bytes? */
    @Override
    public boolean equals(Object other) {
        return other instanceof Matrix && Arrays.equals(image.bytes, ((Matrix) other).image.bytes);
    }

    /** Returns a hash code of the bytes. */
    @Override
    public int hashCode() {
        return Arrays.hashCode(image.bytes);
    }

    /** Returns a summary, for people; {@link #toText()} is the text form. */
    @Override
    public String toString() {
        return "Matrix[family=" + family() + ", columns=" + image.columns + ", blocks="
            + image.blocks + ", bytes=" + image.bytes.length + "]";
    }
}
