package io.github.bloomtype;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/** The number of keys of filters with several layers. */
final class EstimateTests {
    private static final int BLOCKS = 64;
    private static final int PROBES = 6;
    private static final int BITS = BLOCKS * 512;

    private EstimateTests() {}

    static void run() {
        testBehindEachOther();
        testOthers();
        testCapacities();
        testMergedLayers();
        testUnknown();
    }

    private static double keys(int used) {
        return Estimate.keysOfBits(BLOCKS, PROBES, used);
    }

    private static double rate(int used) {
        return Estimate.rateOfBits(BLOCKS, PROBES, used);
    }

    /* A bloom with such layers; of each its fpp, and its number of bits set. */
    private static Bloom bloomOfLayers(double... layers) {
        double[] all = new double[layers.length / 2 * 3];
        for (int i = 0; i < layers.length / 2; i++) {
            all[3 * i] = layers[2 * i];
            all[3 * i + 1] = layers[2 * i + 1];
            all[3 * i + 2] = 1000;
        }
        return bloomOfLayers(2, -1, all);
    }

    /* Each with its capacity; so many bits are left until one is full. */
    private static Bloom bloomOfLayers(int growth, int spare, double[] layers) {
        int count = layers.length / 3;
        int start = 60 + 64 * count;
        ByteBuffer image = ByteBuffer.allocate(start + count * BITS / 8)
            .order(ByteOrder.LITTLE_ENDIAN);
        image.put(Bloom.create(1000, 0.01, growth, null).toBytes()).putShort(8, (short) 2)
            .putShort(12, (short) count);
        for (int i = 0; i < count; i++) {
            int record = 60 + 64 * i;
            int used = (int) layers[3 * i + 1];
            image.putInt(record, BLOCKS).put(record + 4, (byte) PROBES);
            image.putLong(record + 8, (long) layers[3 * i + 2]);
            image.putDouble(record + 16, layers[3 * i]);
            image.putLong(record + 24, Math.max(used + spare, 0)).putLong(record + 32, used);
            for (int bit = 0; bit < used; bit++) {
                int at = start + i * BITS / 8 + bit / 8;
                image.put(at, (byte) (image.get(at) | 1 << bit % 8));
            }
        }
        return Bloom.parse(image.array());
    }

    private static void check(double expected, double... layers) {
        check(expected, bloomOfLayers(layers));
    }

    private static void check(double expected, Bloom filter) {
        Check.equal("keys of " + filter.info().layers() + " layers",
            (long) Math.rint(expected), filter.cardinality().orElse(-1));
        Check.equal("in the info", filter.cardinality(), filter.info().keys());
    }

    private static void testBehindEachOther() {
        int a = 20000;
        int b = 22000;
        int c = 24000;
        check(keys(a), 0.01, a);
        check(0, 0.01, 0);
        check(keys(a) + keys(b) / (1 - rate(a)), 0.2, a, 0.1, b);
        /* the bytes, not the order, tell which one is before another */
        check(keys(a) + keys(b) / (1 - rate(a)), 0.1, b, 0.2, a);
        check(keys(a) + keys(b) / (1 - rate(a)) + keys(c) / (1 - rate(a)) / (1 - rate(b)),
            0.2, a, 0.1, b, 0.05, c);
        check(keys(a) + keys(c) / (1 - rate(a)), 0.2, a, 0.05, c);
        Check.isTrue("more than the sum",
            bloomOfLayers(0.2, a, 0.1, b).cardinality().getAsLong() > keys(a) + keys(b));
        /* the smallest fpp, of which a half is exact, too */
        check(keys(a) + keys(b) / (1 - rate(a)), 2 * Double.MIN_VALUE, a, Double.MIN_VALUE, b);
        check(keys(a) + keys(b) / (1 - rate(a)), 0.99, a, 0.99 * 0x1p-1000, b);
    }

    private static void testOthers() {
        int a = 12000;
        int b = 24000;
        int c = 22000;
        for (double other : new double[] {0.2, 0.3, 0.06, Math.nextUp(0.1)}) {
            check(keys(b) + keys(c), 0.2, b, other, c);
        }
        double passing =
            (keys(a) * (1 - rate(a)) + keys(b) * (1 - rate(b))) / (keys(a) + keys(b));
        check(keys(a) + keys(b) + keys(c) / passing, 0.2, a, 0.1, c, 0.2, b);
        check(keys(a), 0.2, 0, 0.1, a);
        check(keys(a) + keys(b) / (1 - rate(a)), 0.4, 0, 0.2, a, 0.1, b, 0.05, 0);
    }

    private static void testCapacities() {
        int a = 20000;
        int b = 22000;
        int c = 24000;
        int d = 21000;
        /* of two filters, of which one began with half the fpp of the other */
        check(keys(a) + keys(b) / (1 - rate(a)) + keys(c) + keys(d) / (1 - rate(c)),
            bloomOfLayers(2, -1, new double[] {
                0.2, a, 256, 0.1, b, 512, 0.1, c, 256, 0.05, d, 512}));
        /* with another capacity, that may be next to the first, too */
        check(keys(a) + keys(b) / (1 - rate(a)) + keys(c) / (1 - rate(a)),
            bloomOfLayers(2, -1, new double[] {0.2, a, 256, 0.1, b, 512, 0.1, c, 5000}));
        /* one that was shrunk */
        double[] two = {0.2, a, 256, 0.1, b, 512};
        check(keys(a) + keys(b) / (1 - rate(a)),
            bloomOfLayers(2, -1, new double[] {0.2, a, 256, 0.1, b, 200}));
        /* filters that do not grow, and layers that are not full */
        check(keys(a) + keys(b), bloomOfLayers(0, -1, two));
        check(keys(a) + keys(b), bloomOfLayers(2, 0, two));
    }

    private static void testMergedLayers() {
        double[] layers = new double[3 * 64];
        for (int i = 0; i < 64; i++) {
            layers[3 * i] = Math.pow(0.5, i + 1);
            layers[3 * i + 1] = 2000;
            layers[3 * i + 2] = 1000;
        }
        Check.isTrue("as full as by adding keys",
            bloomOfLayers(2, -PROBES, layers).cardinality().isPresent());
        check(-1, bloomOfLayers(2, -PROBES - 1, layers));
        Check.isTrue("fewer layers", bloomOfLayers(2, -PROBES - 1,
            Arrays.copyOfRange(layers, 3, layers.length)).cardinality().isPresent());
    }

    private static void testUnknown() {
        int a = 20000;
        int full = BITS - 1000;
        check(keys(full), 0.2, full);
        check(-1, 0.2, full, 0.1, a);
        check(-1, 0.2, full, 0.1, 0);
        check(keys(a) + keys(full) / (1 - rate(a)), 0.1, full, 0.2, a);
        int half = 0;
        while (rate(half) < 0.45) {
            half++;
        }
        check(keys(half) + keys(a) / (1 - rate(half)), 0.2, half, 0.1, a);
        check(-1, 0.4, half, 0.2, half, 0.1, a);
        check(-1, 0.4, a, 0.2, BITS - 99, 0.1, a);
        Check.isTrue("no number", Double.isNaN(Estimate.keysOfLayers(List.of(
            new Estimate.LayerKeys(0.2, 1, true, 5, Double.NaN),
            new Estimate.LayerKeys(0.1, 2, true, 5, 0.1)), 2)));
    }
}
