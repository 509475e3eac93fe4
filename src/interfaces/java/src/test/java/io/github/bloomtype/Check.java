package io.github.bloomtype;

import java.util.Objects;

/** Counts checks, and prints those that fail. */
final class Check {
    static int passed;
    static int failed;

    private Check() {}

    /** Something that may throw. */
    interface Action {
        void run() throws Exception;
    }

    static void isTrue(String what, boolean condition) {
        if (condition) {
            passed++;
        } else {
            failed++;
            System.out.println("not ok - " + what);
        }
    }

    static void equal(String what, Object expected, Object actual) {
        isTrue(what + ": " + expected + " was expected, not " + actual,
            Objects.equals(expected, actual));
    }

    /** Returns what the action throws, or null after a failure. */
    static <E extends Throwable> E fails(String what, Class<E> expected, Action action) {
        try {
            action.run();
        } catch (Throwable e) {
            isTrue(what + ": throws " + e, expected.isInstance(e));
            return expected.isInstance(e) ? expected.cast(e) : null;
        }
        isTrue(what + ": throws nothing", false);
        return null;
    }

    static void fails(String what, Class<? extends Throwable> expected, String message,
            Action action) {
        Throwable thrown = fails(what, expected, action);
        if (thrown != null) {
            isTrue(what + ": the message is " + thrown.getMessage(),
                thrown.getMessage().startsWith(message));
        }
    }
}
