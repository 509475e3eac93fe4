package io.github.bloomtype;

/**
 * Thrown for text or bytes that are no filter, or none of the kind that is asked for, or longer
 * than is allowed. It is an {@link IllegalArgumentException}, and so is not checked: catch it where
 * filters come from outside.
 */
public final class InvalidFilterException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final String reason;

    InvalidFilterException(String message, String reason) {
        super(message + ": " + reason);
        this.reason = reason;
    }

    /**
     * Returns why: a sentence, which is the DETAIL of the server's error for the same input; only
     * that it is too long is none of the server's.
     */
    public String reason() {
        return reason;
    }
}
