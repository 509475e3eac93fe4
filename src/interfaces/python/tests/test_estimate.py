"""The number of keys of filters with several layers."""

import math
import struct
import unittest

from bloomtype import Bloom, _estimate

BLOCKS, PROBES = 64, 6
BITS = BLOCKS * 512


def bloom_of_layers(*layers, growth=2, spare=-1):
    """A bloom with such layers, each of its fpp, its number of bits set and maybe its capacity.
    So many bits are left until one is full.
    """
    data = bytearray(Bloom.create(1000, growth=growth).to_bytes())
    struct.pack_into("<HHH", data, 8, 2, 0, len(layers))
    for fpp, bits_set, *capacity in layers:
        data += struct.pack("<IB3xQdQQ24x", BLOCKS, PROBES, *(capacity or [1000]), fpp,
                            max(bits_set + spare, 0), bits_set)
    for _, bits_set, *_ in layers:
        data += ((1 << bits_set) - 1).to_bytes(BITS // 8, "little")
    return Bloom.parse(data)


def keys(bits_set):
    return _estimate.keys_of_bits(BLOCKS, PROBES, bits_set)


def rate(bits_set):
    return _estimate.fpp_of_bits(BLOCKS, PROBES, bits_set)


class Grown(unittest.TestCase):
    def check(self, expected, *layers, **fields):
        filter_ = bloom_of_layers(*layers, **fields)
        with self.subTest(layers):
            expected = None if expected is None else round(expected)
            self.assertEqual(filter_.cardinality(), expected)
            self.assertEqual(filter_.info()["keys"], expected)

    def test_one_layer(self):
        self.check(keys(15000), (0.01, 15000))
        self.check(0, (0.01, 0))

    def test_layers_behind_each_other(self):
        a, b, c = 20000, 22000, 24000
        self.check(keys(a) + keys(b) / (1 - rate(a)), (0.2, a), (0.1, b))
        # the bytes, not the order, tell which one is before another
        self.check(keys(a) + keys(b) / (1 - rate(a)), (0.1, b), (0.2, a))
        self.check(
            keys(a) + keys(b) / (1 - rate(a)) + keys(c) / (1 - rate(a)) / (1 - rate(b)),
            (0.2, a), (0.1, b), (0.05, c),
        )
        # without the one in the middle
        self.check(keys(a) + keys(c) / (1 - rate(a)), (0.2, a), (0.05, c))
        self.assertGreater(bloom_of_layers((0.2, a), (0.1, b)).cardinality(), keys(a) + keys(b))

    def test_the_smallest_fpp(self):
        # of which a half is exact, too, or 0
        a, b = 20000, 22000
        self.check(keys(a) + keys(b) / (1 - rate(a)), (5e-324 * 2, a), (5e-324, b))
        self.check(keys(a) + keys(b) / (1 - rate(a)), (0.99, a), (math.ldexp(0.99, -1000), b))

    def test_other_layers(self):
        a, b = 20000, 22000
        for other in (0.2, 0.3, 0.06, math.nextafter(0.1, 1.0)):
            self.check(keys(a) + keys(b), (0.2, a), (other, b))

    def test_layers_with_the_same_fpp(self):
        a, b, c = 12000, 24000, 22000
        passing = (keys(a) * (1 - rate(a)) + keys(b) * (1 - rate(b))) / (keys(a) + keys(b))
        self.check(keys(a) + keys(b) + keys(c) / passing, (0.2, a), (0.1, c), (0.2, b))

    def test_capacities(self):
        a, b, c, d = 20000, 22000, 24000, 21000
        # of two filters, of which one began with half the fpp of the other
        self.check(
            keys(a) + keys(b) / (1 - rate(a)) + keys(c) + keys(d) / (1 - rate(c)),
            (0.2, a, 256), (0.1, b, 512), (0.1, c, 256), (0.05, d, 512),
        )
        # with other capacities: that which does not fit exactly may have been averaged
        self.check(
            keys(a) + keys(b) / (1 - rate(a)) + keys(c) / (1 - rate(a)),
            (0.2, a, 256), (0.1, b, 512), (0.1, c, 5000),
        )
        # one that was shrunk, and none that is next to another
        self.check(keys(a) + keys(b) / (1 - rate(a)), (0.2, a, 256), (0.1, b, 200))
        # filters that do not grow, and layers that are not full
        self.check(keys(a) + keys(b), (0.2, a, 256), (0.1, b, 512), growth=0)
        self.check(keys(a) + keys(b), (0.2, a, 256), (0.1, b, 512), spare=0)

    def test_merged_layers(self):
        a = 2000
        layers = [(0.5**i, a, 1000) for i in range(1, 65)]
        self.assertIsNotNone(bloom_of_layers(*layers, spare=-PROBES).cardinality())
        self.check(None, *layers, spare=-PROBES - 1)
        self.assertIsNotNone(bloom_of_layers(*layers[1:], spare=-PROBES - 1).cardinality())

    def test_layers_without_keys(self):
        a, b = 20000, 22000
        self.check(keys(a), (0.2, 0), (0.1, a))
        self.check(keys(a) + keys(b) / (1 - rate(a)), (0.4, 0), (0.2, a), (0.1, b), (0.05, 0))

    def test_unknown(self):
        a, b = 20000, 22000
        full = BITS - 1000
        self.assertLess(1 - rate(full), 0.5)
        self.check(keys(full), (0.2, full))
        self.check(None, (0.2, full), (0.1, a))
        self.check(None, (0.2, full), (0.1, 0))
        self.check(keys(a) + keys(full) / (1 - rate(a)), (0.1, full), (0.2, a))
        half = next(n for n in range(BITS) if 0.5 < 1 - rate(n) < 0.6)
        self.check(keys(half) + keys(a) / (1 - rate(half)), (0.2, half), (0.1, a))
        self.check(None, (0.4, half), (0.2, half), (0.1, a))
        self.check(None, (0.4, a), (0.2, BITS - 99), (0.1, b))

    def test_not_a_number(self):
        layers = [
            _estimate.LayerKeys(0.2, 1.0, True, 5.0, math.nan),
            _estimate.LayerKeys(0.1, 2.0, True, 5.0, 0.1),
        ]
        self.assertIsNone(_estimate.keys_of_layers(layers, 2))


if __name__ == "__main__":
    unittest.main()
