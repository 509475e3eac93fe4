package io.github.bloomtype;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Little-endian numbers at any offset of an array. */
final class Bytes {
    private static final VarHandle SHORT = view(short[].class);
    private static final VarHandle INT = view(int[].class);
    private static final VarHandle LONG = view(long[].class);

    private Bytes() {}

    private static VarHandle view(Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
    }

    static int get8(byte[] bytes, int at) {
        return bytes[at] & 0xFF;
    }

    static int get16(byte[] bytes, int at) {
        return (short) SHORT.get(bytes, at) & 0xFFFF;
    }

    static int get32(byte[] bytes, int at) {
        return (int) INT.get(bytes, at);
    }

    static long get64(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at);
    }

    static double getDouble(byte[] bytes, int at) {
        return Double.longBitsToDouble(get64(bytes, at));
    }

    static void put16(byte[] bytes, int at, int value) {
        SHORT.set(bytes, at, (short) value);
    }

    static void put32(byte[] bytes, int at, int value) {
        INT.set(bytes, at, value);
    }

    static void put64(byte[] bytes, int at, long value) {
        LONG.set(bytes, at, value);
    }

    static void putDouble(byte[] bytes, int at, double value) {
        put64(bytes, at, Double.doubleToRawLongBits(value));
    }

    static boolean areZero(byte[] bytes, int from, int count) {
        for (int i = from; i < from + count; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }
}
