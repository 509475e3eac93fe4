package io.github.bloomtype;

/**
 * Thrown when a key needs a layer whose size only the server computes. The filter is unchanged.
 * Send it, and the keys, to {@code bloom_add_all} on the server.
 */
public final class FilterFullException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    FilterFullException() {
        super("the filter is full; growth is the server's: bloom_add_all");
    }
}
