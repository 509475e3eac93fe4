package io.github.bloomtype;

import static io.github.bloomtype.Bytes.get32;
import static io.github.bloomtype.Bytes.get64;

/**
 * XXH3, 64 bits, seed 0, the hash function of all keys. Its output is fixed by its authors
 * since xxHash 0.8.0.
 *
 * <p>Every length has a method of its own: up to 16, up to 128 and up to 240 bytes, and more.
 * All arithmetic is modulo 2<sup>64</sup>, so it is that of {@code long}.
 */
final class XXH3 {
    private static final long PRIME32_1 = 0x9E3779B1L;
    private static final long PRIME32_2 = 0x85EBCA77L;
    private static final long PRIME32_3 = 0xC2B2AE3DL;
    private static final long PRIME64_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME64_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME64_3 = 0x165667B19E3779F9L;
    private static final long PRIME64_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME64_5 = 0x27D4EB2F165667C5L;
    private static final long PRIME_MX1 = 0x165667919E3779F9L;
    private static final long PRIME_MX2 = 0x9FB21C651E98DF25L;

    /** The secret of XXH3 where none is given; its bytes, in hexadecimal. */
    private static final byte[] SECRET = fromHex(""
            + "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
            + "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
            + "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
            + "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
            + "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
            + "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e");

    /* Inputs of more than 240 bytes are read in stripes of 8 words, and blocks of 16 stripes. */
    private static final int STRIPE = 64;
    private static final int STRIPES_OF_BLOCK = (SECRET.length - STRIPE) / 8;

    /* What inputs of 4 to 8, and of 9 to 16 bytes are combined with. */
    private static final long MASK_8 = secret(8) ^ secret(16);
    private static final long MASK_16_LOW = secret(24) ^ secret(32);
    private static final long MASK_16_HIGH = secret(40) ^ secret(48);

    private XXH3() {}

    /** The hash of all bytes of an array. */
    static long hash(byte[] bytes) {
        int length = bytes.length;
        if (length <= 16) {
            return hashTo16(bytes, length);
        }
        if (length <= 128) {
            return hashTo128(bytes, length);
        }
        return length <= 240 ? hashTo240(bytes, length) : hashLong(bytes, length);
    }

    /** The hash of the eight bytes of a number, little-endian. */
    static long hash(long value) {
        return hash4To8(Long.rotateLeft(value, 32), 8);
    }

    /** The hash of the sixteen bytes of two numbers, both little-endian. */
    static long hash(long first, long second) {
        return hash9To16(first, second, 16);
    }

    /** The hash of the four bytes of a number, little-endian. */
    static long hash(int value) {
        long word = value & 0xFFFFFFFFL;
        return hash4To8(word | word << 32, 4);
    }

    private static long hashTo16(byte[] b, int length) {
        if (length > 8) {
            return hash9To16(get64(b, 0), get64(b, length - 8), length);
        }
        if (length >= 4) {
            long first = get32(b, 0) & 0xFFFFFFFFL;
            long last = get32(b, length - 4) & 0xFFFFFFFFL;
            return hash4To8(last | first << 32, length);
        }
        if (length > 0) {
            long first = b[0] & 0xFF;
            long middle = b[length >> 1] & 0xFF;
            long last = b[length - 1] & 0xFF;
            long combined = first << 16 | middle << 24 | last | (long) length << 8;
            return avalancheOfXXH64(combined
                ^ (get32(SECRET, 0) ^ get32(SECRET, 4)) & 0xFFFFFFFFL);
        }
        return avalancheOfXXH64(secret(56) ^ secret(64));
    }

    private static long hash4To8(long input, int length) {
        long h = input ^ MASK_8;
        h ^= Long.rotateLeft(h, 49) ^ Long.rotateLeft(h, 24);
        h *= PRIME_MX2;
        h ^= (h >>> 35) + length;
        h *= PRIME_MX2;
        return h ^ h >>> 28;
    }

    private static long hash9To16(long first, long last, int length) {
        long low = first ^ MASK_16_LOW;
        long high = last ^ MASK_16_HIGH;
        return avalanche(length + Long.reverseBytes(low) + high + foldedProduct(low, high));
    }

    /* Pairs of 16 bytes from both ends, the outermost pair last. */
    private static long hashTo128(byte[] b, int length) {
        long sum = length * PRIME64_1;
        for (int i = (length - 1) / 32; i >= 0; i--) {
            sum += mix16(b, 16 * i, 32 * i);
            sum += mix16(b, length - 16 * (i + 1), 32 * i + 16);
        }
        return avalanche(sum);
    }

    private static long hashTo240(byte[] b, int length) {
        long sum = length * PRIME64_1;
        for (int i = 0; i < 8; i++) {
            sum += mix16(b, 16 * i, 16 * i);
        }
        sum = avalanche(sum);
        for (int i = 8; i < length / 16; i++) {
            sum += mix16(b, 16 * i, 16 * (i - 8) + 3);
        }
        return avalanche(sum + mix16(b, length - 16, 136 - 17));
    }

    /*
     * The eight sums are variables: of an array that no other method keeps, OpenJDK 17 compiled
     * wrong code, and so the hashes of more than a block of 1,024 bytes became wrong.
     */
    private static long hashLong(byte[] b, int length) {
        long sum0 = PRIME32_3;
        long sum1 = PRIME64_1;
        long sum2 = PRIME64_2;
        long sum3 = PRIME64_3;
        long sum4 = PRIME64_4;
        long sum5 = PRIME32_2;
        long sum6 = PRIME64_5;
        long sum7 = PRIME32_1;
        int stripes = (length - 1) / STRIPE;

        /* then the last 64 bytes, which may overlap with the stripe before */
        for (int i = 0; i <= stripes; i++) {
            boolean last = i == stripes;
            int ofBlock = i % STRIPES_OF_BLOCK;
            int at = last ? length - STRIPE : i * STRIPE;
            int secretAt = last ? SECRET.length - STRIPE - 7 : 8 * ofBlock;
            long word0 = get64(b, at);
            long word1 = get64(b, at + 8);
            long word2 = get64(b, at + 16);
            long word3 = get64(b, at + 24);
            long word4 = get64(b, at + 32);
            long word5 = get64(b, at + 40);
            long word6 = get64(b, at + 48);
            long word7 = get64(b, at + 56);
            sum0 += word1 + productOfHalves(word0 ^ secret(secretAt));
            sum1 += word0 + productOfHalves(word1 ^ secret(secretAt + 8));
            sum2 += word3 + productOfHalves(word2 ^ secret(secretAt + 16));
            sum3 += word2 + productOfHalves(word3 ^ secret(secretAt + 24));
            sum4 += word5 + productOfHalves(word4 ^ secret(secretAt + 32));
            sum5 += word4 + productOfHalves(word5 ^ secret(secretAt + 40));
            sum6 += word7 + productOfHalves(word6 ^ secret(secretAt + 48));
            sum7 += word6 + productOfHalves(word7 ^ secret(secretAt + 56));
            if (!last && ofBlock == STRIPES_OF_BLOCK - 1) {
                sum0 = scrambled(sum0, 0);
                sum1 = scrambled(sum1, 8);
                sum2 = scrambled(sum2, 16);
                sum3 = scrambled(sum3, 24);
                sum4 = scrambled(sum4, 32);
                sum5 = scrambled(sum5, 40);
                sum6 = scrambled(sum6, 48);
                sum7 = scrambled(sum7, 56);
            }
        }
        return avalanche(length * PRIME64_1
            + foldedProduct(sum0 ^ secret(11), sum1 ^ secret(19))
            + foldedProduct(sum2 ^ secret(27), sum3 ^ secret(35))
            + foldedProduct(sum4 ^ secret(43), sum5 ^ secret(51))
            + foldedProduct(sum6 ^ secret(59), sum7 ^ secret(67)));
    }

    private static long productOfHalves(long word) {
        return (word & 0xFFFFFFFFL) * (word >>> 32);
    }

    private static long scrambled(long sum, int secretAt) {
        return (sum ^ sum >>> 47 ^ secret(SECRET.length - STRIPE + secretAt)) * PRIME32_1;
    }

    private static long mix16(byte[] b, int at, int secretAt) {
        return foldedProduct(get64(b, at) ^ secret(secretAt),
            get64(b, at + 8) ^ secret(secretAt + 8));
    }

    /* Both halves of the unsigned product of 128 bits, combined by XOR. */
    private static long foldedProduct(long a, long b) {
        long high = Math.multiplyHigh(a, b) + (a >> 63 & b) + (b >> 63 & a);
        return a * b ^ high;
    }

    private static long avalanche(long h) {
        h = (h ^ h >>> 37) * PRIME_MX1;
        return h ^ h >>> 32;
    }

    private static long avalancheOfXXH64(long h) {
        h = (h ^ h >>> 33) * PRIME64_2;
        h = (h ^ h >>> 29) * PRIME64_3;
        return h ^ h >>> 32;
    }

    private static long secret(int at) {
        return get64(SECRET, at);
    }

    private static byte[] fromHex(String digits) {
        byte[] bytes = new byte[digits.length() / 2];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
        }
        return bytes;
    }
}
