package io.github.bloomtype;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.regex.Pattern;

/** Hashes of the addresses of networks, hosts and devices. */
final class Addresses {
    private static final Pattern BYTE = Pattern.compile("0|[1-9][0-9]{0,2}");
    private static final Pattern GROUP = Pattern.compile("[0-9a-fA-F]{1,4}");
    private static final Pattern MAC = Pattern.compile("[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}");
    private static final Pattern MAC8 = Pattern.compile("[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){7}");

    private Addresses() {}

    /* inet and cidr: version, length of the prefix, address */

    static long hashInet(Object value) {
        return XXH3.hash(network(value));
    }

    static long hashCidr(Object value) {
        byte[] network = network(value);
        for (int bit = network[1] & 0xFF; bit < 8 * (network.length - 2); bit++) {
            if ((network[2 + bit / 8] & 0x80 >> bit % 8) != 0) {
                throw new IllegalArgumentException("a cidr has no bits behind its prefix");
            }
        }
        return XXH3.hash(network);
    }

    private static byte[] network(Object value) {
        if (value instanceof InetAddress) {
            checkScope((InetAddress) value);
            byte[] address = ((InetAddress) value).getAddress();
            return network(address, 8 * address.length);
        }
        if (!(value instanceof String)) {
            throw SqlType.wrongClass(value);
        }
        String text = (String) value;
        int slash = text.indexOf('/');
        String host = slash < 0 ? text : text.substring(0, slash);
        byte[] address = host.indexOf(':') < 0 ? parseIpv4(host) : parseIpv6(host);
        if (address == null) {
            throw SqlType.malformed(text);
        }
        int prefix = 8 * address.length;
        if (slash >= 0) {
            String digits = text.substring(slash + 1);
            if (!BYTE.matcher(digits).matches() || Integer.parseInt(digits) > prefix) {
                throw SqlType.malformed(text);
            }
            prefix = Integer.parseInt(digits);
        }
        return network(address, prefix);
    }

    private static byte[] network(byte[] address, int prefix) {
        byte[] network = new byte[2 + address.length];
        network[0] = (byte) (address.length == 4 ? 4 : 6);
        network[1] = (byte) prefix;
        System.arraycopy(address, 0, network, 2, address.length);
        return network;
    }

    private static void checkScope(InetAddress address) {
        if (address instanceof Inet6Address
            && (((Inet6Address) address).getScopeId() != 0
                || ((Inet6Address) address).getScopedInterface() != null)) {
            throw new IllegalArgumentException("an inet has no scope");
        }
    }

    /* The four bytes, or null if the text is malformed. */
    private static byte[] parseIpv4(String text) {
        String[] parts = text.split("\\.", -1);
        byte[] address = new byte[4];
        if (parts.length != 4) {
            return null;
        }
        for (int i = 0; i < 4; i++) {
            if (!BYTE.matcher(parts[i]).matches() || Integer.parseInt(parts[i]) > 255) {
                return null;
            }
            address[i] = (byte) Integer.parseInt(parts[i]);
        }
        return address;
    }

    /* The sixteen bytes, or null. At most one :: stands for groups of zeros. */
    private static byte[] parseIpv6(String text) {
        int gap = text.indexOf("::");
        if (gap < 0) {
            byte[] address = parseGroups(text);
            return address != null && address.length == 16 ? address : null;
        }
        byte[] first = gap == 0 ? new byte[0] : parseGroups(text.substring(0, gap));
        byte[] last = gap + 2 == text.length()
            ? new byte[0] : parseGroups(text.substring(gap + 2));
        if (first == null || last == null || first.length + last.length > 14
            || text.lastIndexOf('.', gap) >= 0) {
            return null;
        }
        byte[] address = Arrays.copyOf(first, 16);
        System.arraycopy(last, 0, address, 16 - last.length, last.length);
        return address;
    }

    /* Groups of four digits; the last may be an IPv4 address. */
    private static byte[] parseGroups(String text) {
        String[] groups = text.split(":", -1);
        boolean endsAsIpv4 = groups[groups.length - 1].indexOf('.') >= 0;
        byte[] ipv4 = endsAsIpv4 ? parseIpv4(groups[groups.length - 1]) : new byte[0];
        int count = endsAsIpv4 ? groups.length - 1 : groups.length;
        if (ipv4 == null || count > 8) {
            return null;
        }
        byte[] bytes = new byte[2 * count + ipv4.length];
        for (int i = 0; i < count; i++) {
            if (!GROUP.matcher(groups[i]).matches()) {
                return null;
            }
            int group = Integer.parseInt(groups[i], 16);
            bytes[2 * i] = (byte) (group >> 8);
            bytes[2 * i + 1] = (byte) group;
        }
        System.arraycopy(ipv4, 0, bytes, 2 * count, ipv4.length);
        return bytes;
    }

    /* macaddr and macaddr8: eight bytes; six are widened by FF FE in the middle */

    static long hashMacaddr(Object value) {
        return hashMac(value, false);
    }

    static long hashMacaddr8(Object value) {
        return hashMac(value, true);
    }

    private static long hashMac(Object value, boolean mayHaveEight) {
        if (!(value instanceof String)) {
            throw SqlType.wrongClass(value);
        }
        String text = (String) value;
        String eight = text;
        if (MAC.matcher(text).matches()) {
            eight = text.substring(0, 9) + "ff:fe:" + text.substring(9);
        } else if (!mayHaveEight || !MAC8.matcher(text).matches()) {
            throw SqlType.malformed(text);
        }
        byte[] bytes = new byte[8];
        for (int i = 0; i < 8; i++) {
            bytes[i] = (byte) Integer.parseInt(eight.substring(3 * i, 3 * i + 2), 16);
        }
        return XXH3.hash(bytes);
    }
}
