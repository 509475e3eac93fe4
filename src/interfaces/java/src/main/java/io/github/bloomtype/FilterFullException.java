package io.github.bloomtype;

/**
 * Thrown when a key needs a layer whose size only the server computes. The filter is unchanged.
 * Send it, and the keys, to {@code bloom_add_all} on the server.
 *
 * <p>It is an {@link IllegalStateException}, as nothing is wrong with the key: what catches the
 * {@link IllegalArgumentException} of other errors of {@link Bloom#add(Object)} does not catch it.
 */
public final class FilterFullException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    FilterFullException() {
        super("the filter is full: have the server build it with room for the keys that will come, "
            + "bloom_agg(value, capacity, fpp), or add them there by bloom_add_all");
    }
}
