package io.github.bloomtype;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;

/** The buckets of a cuckoo, of fingerprints of all lengths. */
final class CuckooTests {
    private static final int AT_BINS = 60 + 64;
    private static final int ROUNDS = 7;
    private static final int TIMED_BYTES = 1 << 23;

    private CuckooTests() {}

    static void run() {
        for (int bits = 1; bits <= 32; bits++) {
            testBuckets(bits);
            testEachBit(bits);
        }
        testTime();
    }

    /* An image of so many buckets, of which so many fingerprints are said to be there. */
    private static ByteBuffer image(int bits, int buckets, long stored) {
        int length = (int) ((4L * buckets * bits + 63) / 64 * 8);
        ByteBuffer image = ByteBuffer.allocate(AT_BINS + length).order(ByteOrder.LITTLE_ENDIAN);
        /* kind, version, scheme, lengths; the family number; one layer */
        image.put(new byte[] {3, 1, 1, 60, 64, 0, 0, 0, 2, 0, 0, 0, 1});
        image.putLong(28, 1000).putDouble(36, 0.01);
        image.putInt(60, buckets).put(64, (byte) bits).putLong(68, 1000).putDouble(76, 0.01);
        return image.putLong(92, stored);
    }

    private static void flip(ByteBuffer image, int bit) {
        int at = AT_BINS + bit / 8;
        image.put(at, (byte) (image.get(at) ^ 1 << bit % 8));
    }

    private static boolean bit(ByteBuffer image, int bit) {
        return (image.get(AT_BINS + bit / 8) >> bit % 8 & 1) == 1;
    }

    /* Place by place: -1 if a bucket is not in order, or bits behind the last one are set. */
    private static int countSlowly(ByteBuffer image, int bits, int buckets) {
        int stored = 0;
        for (int bucket = 0; bucket < buckets; bucket++) {
            boolean isInUse = true;
            for (int place = 0; place < 4; place++) {
                boolean wasInUse = isInUse;
                isInUse = false;
                for (int i = 0; i < bits; i++) {
                    isInUse |= bit(image, (4 * bucket + place) * bits + i);
                }
                if (isInUse && !wasInUse) {
                    return -1;
                }
                stored += isInUse ? 1 : 0;
            }
        }
        for (int i = 4 * buckets * bits; i < (image.capacity() - AT_BINS) * 8; i++) {
            if (bit(image, i)) {
                return -1;
            }
        }
        return stored;
    }

    private static boolean isAccepted(ByteBuffer image, long stored) {
        try {
            Cuckoo.parse(image.putLong(92, stored).array());
            return true;
        } catch (InvalidFilterException e) {
            return !e.reason().startsWith("The buckets are not as full as");
        }
    }

    private static void testBuckets(int bits) {
        Random random = new Random(bits);
        int accepted = 0;
        int refused = 0;
        for (int round = 0; round < 60; round++) {
            int buckets = 2 + 2 * random.nextInt(12);
            ByteBuffer image = image(bits, buckets, 1);
            for (int bucket = 0; bucket < buckets; bucket++) {
                /* one bit of each fingerprint, the highest or another */
                for (int place = round == 0 ? 4 : random.nextInt(5); place > 0; place--) {
                    flip(image, (4 * bucket + place) * bits - 1
                        - random.nextInt(2) * random.nextInt(bits));
                }
            }
            for (int flipped = round % 3; flipped > 0; flipped--) {
                flip(image, random.nextInt((image.capacity() - AT_BINS) * 8));
            }
            int stored = countSlowly(image, bits, buckets);
            if (stored > 0) {
                accepted++;
                Check.isTrue(bits + " bits are accepted", isAccepted(image, stored));
                Check.isTrue(bits + " bits of another number are refused",
                    !isAccepted(image, stored > 1 ? stored - 1 : 2));
            } else if (stored < 0) {
                refused++;
                boolean isEverAccepted = false;
                for (int claimed = 1; claimed <= 4 * buckets; claimed++) {
                    isEverAccepted |= isAccepted(image, claimed);
                }
                Check.isTrue(bits + " bits are refused", !isEverAccepted);
            }
        }
        Check.isTrue(bits + " bits: " + accepted + ", " + refused, accepted > 20 && refused > 5);
    }

    /* A bit is in the first place of a bucket, or the bucket is not in order. */
    private static void testEachBit(int bits) {
        int wrong = 0;
        for (int bit = 0; bit < 16 * bits; bit++) {
            ByteBuffer image = image(bits, 4, 1);
            flip(image, bit);
            wrong += isAccepted(image, 1) == (bit / bits % 4 == 0) ? 0 : 1;
        }
        Check.equal(bits + " bits: wrong answers about one bit", 0, wrong);
    }

    /* Of short fingerprints, as many bytes take about as much of the processor as of long ones. */
    private static void testTime() {
        ThreadMXBean thread = ManagementFactory.getThreadMXBean();
        int[] lengths = {1, 2, 4, 8, 16, 32};
        long[] times = new long[33];
        Arrays.fill(times, Long.MAX_VALUE);
        for (int round = 0; round < ROUNDS; round++) {
            for (int bits : lengths) {
                int buckets = TIMED_BYTES / bits * 2;
                byte[] image = image(bits, buckets, 4L * buckets).array();
                Arrays.fill(image, AT_BINS, image.length, (byte) 0xFF);
                long start = thread.getCurrentThreadCpuTime();
                Cuckoo.parse(image);
                times[bits] = Math.min(times[bits], thread.getCurrentThreadCpuTime() - start);
            }
        }
        /* twice the time, and as much again where other processes use the same caches */
        for (int bits : lengths) {
            Check.isTrue(bits + " bits take " + times[bits] + " ns, and 32 bits " + times[32],
                times[bits] < 4 * times[32]);
        }
    }
}
