package io.github.bloomtype;

/** The kinds of filters. */
enum Kind {
    BLOOM(1, "bloom") {
        @Override
        Layer newLayer() {
            return new BitLayer();
        }
    },
    COUNTING_BLOOM(2, "counting_bloom") {
        @Override
        Layer newLayer() {
            return new CounterLayer();
        }
    },
    CUCKOO(3, "cuckoo") {
        @Override
        Layer newLayer() {
            return new BucketLayer();
        }
    };

    /** The number in the first byte of an image. */
    final int number;

    /** The name of the type on the server. */
    final String sqlName;

    Kind(int number, String sqlName) {
        this.number = number;
        this.sqlName = sqlName;
    }

    /** A layer without values. */
    abstract Layer newLayer();

    /** The kind of a number, or null. */
    static Kind of(int number) {
        for (Kind kind : values()) {
            if (kind.number == number) {
                return kind;
            }
        }
        return null;
    }
}
