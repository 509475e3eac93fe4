"""Filters: what FORMAT.md shows, what is refused, and how filters are built."""

import base64
import pickle
import struct
import unittest
import uuid
from unittest import mock

import bloomtype
from bloomtype import Bloom, CountingBloom, Cuckoo, Key, key
from bloomtype import _base64, _layers

SIZING = {"blocks": 20, "probes": 6, "full_at": 4634}  # bloom_sizing(1000, 0.01)
EMPTY = bytes.fromhex(
    "0101013c 40020000 00000000 00000000 00000000 00000000 00000000"
    "e8030000 00000000 7b14ae47 e17a843f 00000000 00000000 00000000 00000000"
)


def bloom_of(*keys):
    filter_ = Bloom.create(1000, sizing=SIZING)
    filter_.add_all(keys)
    return filter_


class WorkedExamples(unittest.TestCase):
    """The examples of FORMAT.md."""

    def test_no_keys(self):
        self.assertEqual(Bloom.create(1000).to_bytes(), EMPTY)

    def test_list(self):
        hashes = ("815cd69a3d3ecd34", "5567be7b00dcb167", "132536ccd331d1a9")
        data = bytearray(EMPTY + bytes.fromhex("".join(hashes)))
        data[8], data[10] = 4, 3
        self.assertEqual(bloom_of("red", "green", "blue").to_bytes(), data)
        self.assertTrue(bloomtype.parse(data).contains_all(["red", "green", "blue"]))
        self.assertEqual(bloomtype.parse(data).cardinality(), 3)

    def test_block(self):
        filter_ = Bloom.create(129, 0.5, 0)
        self.assertRaises(bloomtype.FilterFullError, filter_.add_all, range(1, 130))
        # of 256 keys, as bloom_sizing(129, 0.5) tells it, it is one block, too
        for growth in (0, 1):
            with self.assertRaises(ValueError):
                Bloom.create(129, 0.5, growth, (1, 2, 228))

    def test_cuckoo(self):
        data = bytes.fromhex(
            "0301013c 40000000 04000000 01000000 00000000 00000000 00000000"
            "08000000 00000000 7b14ae47 e17a843f 00000000 00000000 00000000 00000000"
            "02000000 0a000000 08000000 00000000 7b14ae47 e17a843f 00000000 00000000"
            "04000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000"
            "efadf91e 00310300 00000000 00000000"
        )
        filter_ = bloomtype.parse(data)
        self.assertIsInstance(filter_, Cuckoo)
        self.assertEqual([filter_.count(color) for color in ("red", "green", "blue", "black")],
                         [2, 1, 1, 0])
        self.assertEqual(filter_.missing(["red", "black", "blue"]), ["black"])


class Probes(unittest.TestCase):
    def test_values_and_keys(self):
        filter_ = bloom_of(1, 2, 3)
        self.assertTrue(filter_.contains(1))
        self.assertTrue(filter_.contains(key("1", "numeric")))
        self.assertTrue(1 in filter_)
        self.assertFalse(4 in filter_)
        self.assertTrue(filter_.contains_any([7, 8, key(3)]))
        self.assertFalse(filter_.contains_any([7, 8]))
        self.assertFalse(filter_.contains_any([]))
        self.assertTrue(filter_.contains_all(iter([1, 2])))
        self.assertFalse(filter_.contains_all([1, 2, 4]))
        self.assertTrue(filter_.contains_all([]))
        self.assertEqual(filter_.missing([5, 1, 4, 5]), [5, 4, 5])

    def test_null(self):
        for filter_ in (bloom_of(), bloom_of(1)):
            self.assertRaises(TypeError, filter_.contains, None)
            self.assertRaises(TypeError, filter_.contains_any, [None])
            self.assertRaises(TypeError, filter_.missing, [None])
            self.assertRaises(TypeError, filter_.add, None)
            self.assertRaises(TypeError, filter_.add_all, [2, None])

    def test_one_text_is_not_keys(self):
        for keys in ("red", b"red", bytearray(b"red"), memoryview(b"red")):
            for call in (bloom_of().contains_any, bloom_of().contains_all,
                         bloom_of().missing, bloom_of().add_all):
                self.assertRaises(TypeError, call, keys)

    def test_without_keys(self):
        filter_ = bloom_of()
        for value in (1, "red", b"red", 1.5, uuid.UUID(int=1), Key("array", 1, 1)):
            self.assertFalse(filter_.contains(value))
        self.assertEqual(filter_.family, "none")
        self.assertEqual(filter_.cardinality(), 0)

    def test_other_family(self):
        filter_ = bloom_of(1)
        message = "cannot probe a filter of number keys with a key of family text"
        for call in (filter_.contains, filter_.__contains__,
                     lambda value: filter_.contains_any([value]),
                     lambda value: filter_.missing([value])):
            with self.assertRaises(bloomtype.KeyMismatchError) as caught:
                call("1")
            self.assertEqual(str(caught.exception).split("; ")[0], message)
            self.assertIn("key(value, 'bigint')", str(caught.exception))
        with self.assertRaisesRegex(bloomtype.KeyMismatchError, r"; str\(value\) is of family text$"):
            bloom_of("4711").contains(4711)
        self.assertTrue(bloom_of("4711").contains(str(4711)))
        for value in (True, b"red", 1.0):
            with self.assertRaisesRegex(bloomtype.KeyMismatchError, "; the str that the server prints"):
                bloom_of("red").contains(value)
        with self.assertRaisesRegex(bloomtype.KeyMismatchError, r"; key\(str\(value\), 'numeric'\)"):
            filter_.contains(1.0)
        self.assertIn(bloomtype.key(str(1.0), "numeric"), filter_)

    def test_other_subtype(self):
        filter_ = bloom_of(Key("array", 1, 1))
        self.assertEqual(filter_.subtype, 1)
        with self.assertRaisesRegex(
            bloomtype.KeyMismatchError,
            "^cannot probe a filter of array keys with a key of family array "
            "and another subtype; ",
        ):
            filter_.contains(Key("array", 2, 1))
        with self.assertRaisesRegex(
            bloomtype.KeyMismatchError,
            "^cannot add a key of family array to a filter of array keys of another subtype; ",
        ):
            filter_.add(Key("array", 2, 1))
        with self.assertRaisesRegex(bloomtype.KeyMismatchError, "of array keys.*Key.parse"):
            filter_.contains("{1,2}")

    def test_equality(self):
        """Filters are equal if their bytes are, and hashable if they do not change."""
        for keys in ((), (1,), range(200)):
            one, other = bloom_of(*keys), bloom_of(*keys)
            self.assertTrue(one == other and not one != other)
            self.assertEqual(one, Bloom.parse(one.to_text()))
            other.add(-1)
            self.assertFalse(one == other)
            self.assertTrue(one != other)
            self.assertRaises(TypeError, hash, one)
        # in the bins alone
        data = bytearray(bloom_of(*range(200)).to_bytes())
        at = next(i for i in range(124, len(data)) if 0 < data[i] < 128)
        data[at] = data[at] << 1
        self.assertEqual(len(Bloom.parse(data).to_bytes()), len(data))
        self.assertNotEqual(Bloom.parse(data), bloom_of(*range(200)))
        self.assertNotEqual(bloom_of(), EMPTY)
        for cls, kind in ((CountingBloom, b"\2"), (Cuckoo, b"\3")):
            data = kind + EMPTY[1:5] + b"\0" + EMPTY[6:]
            self.assertNotEqual(cls.parse(data), bloom_of())
            self.assertEqual(len({cls.parse(data), cls.parse(bytearray(data))}), 1)

    def test_summary(self):
        """What is printed is short, and not the text form."""
        filter_ = bloom_of(1)
        summary = "<Bloom family='number' capacity=1000 fpp=0.01 bytes=68>"
        for shown in (repr(filter_), str(filter_), f"{filter_}", "%s" % filter_):
            self.assertEqual(shown, summary)
        self.assertEqual(Bloom.parse(filter_.to_text()).to_bytes(), filter_.to_bytes())
        self.assertRaises(bloomtype.InvalidFilterError, bloomtype.parse, str(filter_))


class Input(unittest.TestCase):
    def test_forms(self):
        data = bloom_of("red").to_bytes()
        for form in (data, bytearray(data), memoryview(data), base64.b64encode(data).decode()):
            self.assertEqual(bloomtype.parse(form).to_bytes(), data)
            self.assertEqual(Bloom.parse(form).to_text(), base64.b64encode(data).decode())
        for other in (None, 5, [1], base64):
            self.assertRaises(TypeError, bloomtype.parse, other)
            self.assertRaises(TypeError, Bloom.parse, other)

    def test_input_may_change_afterwards(self):
        data = bytearray(bloom_of(*range(200)).to_bytes())
        filter_ = bloomtype.parse(data)
        data[:] = bytes(len(data))
        self.assertTrue(filter_.contains_all(range(200)))

    def test_only_parse_makes_filters(self):
        for cls in (Bloom, CountingBloom, Cuckoo, bloomtype.Filter):
            self.assertRaises(TypeError, cls)

    def refused(self, data, parse=Bloom.parse):
        with self.assertRaises(bloomtype.InvalidFilterError) as caught:
            parse(data)
        self.assertIsInstance(caught.exception, ValueError)
        return caught.exception

    def test_another_kind(self):
        reason = "It is of another kind of filter."
        self.assertEqual(self.refused(EMPTY, Cuckoo.parse).reason, reason)
        self.assertEqual(str(self.refused(EMPTY, Cuckoo.parse)),
                         f"invalid value for type cuckoo: {reason}")
        unknown = b"\5" + EMPTY[1:]
        self.assertEqual(self.refused(unknown).reason, reason)
        self.assertEqual(self.refused(unknown, bloomtype.parse).reason, reason)
        self.assertEqual(str(self.refused(unknown, bloomtype.parse)),
                         f"invalid value for a filter: {reason}")

    def test_error_can_be_pickled(self):
        error = pickle.loads(pickle.dumps(self.refused(b"")))
        self.assertEqual(error.reason, "It is shorter than a header.")
        self.assertIn(error.reason, str(error))

    def test_max_bytes(self):
        for keys in ((), (1,), (1, 2), (1, 2, 3)):
            filter_ = bloom_of(*keys)
            length = len(filter_.to_bytes())
            reason = f"It is longer than {length - 1} bytes."
            for data in (filter_.to_text(), filter_.to_bytes(), bytearray(filter_.to_bytes()),
                         memoryview(filter_.to_bytes())):
                for parse in (bloomtype.parse, Bloom.parse):
                    self.assertEqual(parse(data, max_bytes=length), filter_)
                    self.assertEqual(parse(data, max_bytes=None), filter_)
                    error = self.refused(data, lambda data: parse(data, max_bytes=length - 1))
                    self.assertEqual(error.reason, reason)
                self.assertEqual(str(error), f"invalid value for type bloom: {reason}")

    def test_max_bytes_is_checked_first(self):
        """Before the text is decoded, or looked at."""
        text = "?" * (1 << 26)
        with mock.patch.object(_base64, "decode", side_effect=AssertionError):
            error = self.refused(text, lambda data: bloomtype.parse(data, max_bytes=1 << 20))
        self.assertEqual(error.reason, "It is longer than 1048576 bytes.")
        data = memoryview(bytearray(1 << 20)).cast("I")
        error = self.refused(data, lambda data: bloomtype.parse(data, max_bytes=1 << 19))
        self.assertEqual(error.reason, "It is longer than 524288 bytes.")

    def test_base64(self):
        for text, start in (
            ("A=AA", "The value is not base64"), ("AA=", "The value is not base64"),
            ("AA==AA==", "The base64 is not canonical"), ("AA=A", "The base64 is not canonical"),
            ("AB==", "The base64 is not canonical"), ("AA==\n", "The value is not base64"),
            ("AA\0=", "The value is not base64"), ("AAA\u0141", "The value is not base64"),
            ("AAA\ud800", "The value is not base64"), ("AA==", "It is shorter"),
        ):
            with self.subTest(text):
                error = self.refused(text)
                self.assertTrue(error.reason.startswith(start), error.reason)

    def test_base64_in_pieces(self):
        # the server decodes pieces of 2^20 characters
        piece = "A" * (1 << 20)
        for text, start in (
            (piece + "AA==", "It is of another kind"),
            (piece + "AB==", "The base64 is not canonical"),
            (piece[:-2] + "==", "It is of another kind"),
            (piece[:-2] + "==" + "AAAA", "The value is not base64"),
            (piece[:-2] + "B=" + "AAAA", "The value is not base64"),
            (piece[:-1] + " " + "AAAA", "The value is not base64"),
        ):
            with self.subTest(text[-8:]):
                self.assertTrue(self.refused(text).reason.startswith(start))

    def test_every_bit_of_the_metadata(self):
        """A flipped bit gives another image or an error, and never another exception."""
        data = bloom_of(*range(200)).to_bytes()
        for bit in range(8 * 124):
            damaged = bytearray(data)
            damaged[bit // 8] ^= 1 << bit % 8
            try:
                self.assertEqual(bloomtype.parse(damaged).to_bytes(), damaged)
            except bloomtype.InvalidFilterError as error:
                self.assertTrue(error.reason.endswith("."))

    def test_every_length(self):
        data = bloom_of(*range(200)).to_bytes()
        for length in range(len(data)):
            self.refused(data[:length])
        self.refused(data + b"\0")

    def test_bits_of_every_piece(self):
        data = bytearray(4 * _layers._PIECE)
        layer = _layers.BitLayer(len(data) // 64, 1, 1, 0.5, 0, 0)
        layer.data = data
        for at in (0, _layers._PIECE - 1, _layers._PIECE, len(data) - 1):
            self.assertTrue(layer.bins_are_valid())
            data[at] = 0x81
            self.assertFalse(layer.bins_are_valid())
            layer.bits_set += 2

    def test_counters_of_every_piece(self):
        data = bytearray(4 * _layers._PIECE)
        layer = _layers.CounterLayer(len(data) // 256, 1, 1, 0.5, 0, 0)
        layer.data = data
        for at in (0, _layers._PIECE - 1, _layers._PIECE, len(data) - 1):
            self.assertTrue(layer.bins_are_valid())
            data[at] = 0x0F if at else 0x21
            layer.bits_set += 1
            self.assertEqual(layer.bins_are_valid(), at > 0)
            layer.bits_set += not at

    @mock.patch.object(_layers, "_PIECE", 256)
    def test_buckets_of_every_width(self):
        """Of each place in turn: empty, in use, and in use behind an empty one."""
        for f in range(1, 33):
            for buckets in (2, 2 * (_layers._PIECE // f) + 6):
                layer = _layers.BucketLayer(buckets, f, 1, 0.5, 0, 1)
                places = 4 * buckets
                # the first place of buckets, and the second, after the first or without it
                for bucket in {0, 1, 2 * (_layers._PIECE // f) - 1, buckets - 1}:
                    if bucket >= buckets:
                        continue
                    for value in {1, (1 << f) - 1, 1 << f - 1}:
                        first = value << 4 * bucket * f
                        for image, stored, valid in (
                            (first, 1, True), (first, 2, False),
                            (first | first << f, 2, True), (first << f, 1, False),
                            (first | first << 2 * f, 2, False),
                            (first | first << f | first << 3 * f, 3, False),
                        ):
                            layer.bits_set = stored
                            layer.data = image.to_bytes(layer.nbytes(), "little")
                            self.assertEqual(layer.bins_are_valid(), valid, (f, bucket))
                if layer.nbytes() * 8 > places * f:
                    layer.bits_set = 0
                    layer.data = (1 << places * f).to_bytes(layer.nbytes(), "little")
                    self.assertFalse(layer.bins_are_valid(), f)

    def test_no_keys_in_a_layer(self):
        data = bytearray(bloom_of(*range(200)).to_bytes())
        struct.pack_into("<Q", data, 60 + 32, 0)
        data[124:] = bytes(len(data) - 124)
        self.assertFalse(Bloom.parse(data).contains_any(range(200)))
        self.assertEqual(Bloom.parse(data).cardinality(), 0)
        self.assertEqual(Bloom.parse(data).current_fpp(), 0.0)


class Building(unittest.TestCase):
    def test_parameters(self):
        for parameters in (
            (0,), (-1,), (2**63,), (1.5,), (True,), ("1",), (1000, 0.0), (1000, 1.0),
            (1000, float("nan")), (1000, 0.01, -1), (1000, 0.01, 101), (1000, 0.01, 1.5),
            (10**6, 1e-15),
        ):
            with self.subTest(parameters):
                self.assertRaises(ValueError, Bloom.create, *parameters)

    def test_sizing_forms(self):
        expected = bloom_of(*range(200)).to_bytes()
        for sizing in ((20, 6, 4634), [20, 6, 4634], {**SIZING, "bytes": 1404}):
            filter_ = Bloom.create(1000, sizing=sizing)
            filter_.add_all(range(200))
            self.assertEqual(filter_.to_bytes(), expected)
        for nothing in (None, (None, None, None), dict.fromkeys(SIZING)):
            self.assertEqual(Bloom.create(100, sizing=nothing).to_bytes()[28], 100)

    def test_sizing_that_cannot_be(self):
        for sizing in (
            (), (20, 6), (20, 6, None), (None, 6, 4634), (0, 6, 0), (129, 6, 0), (20, 0, 0),
            (20, 25, 0), (20, 6, 20 * 512), (20, 6, -1), ("20", 6, 0), (20.0, 6, 0),
            (2**23 + 2**17, 6, None),
        ):
            with self.subTest(sizing):
                self.assertRaises(ValueError, Bloom.create, 1000, sizing=sizing)
        self.assertRaises(KeyError, Bloom.create, 1000, sizing={})

    def test_sizing_of_another_layer(self):
        """bloom_sizing tells of a layer for max(capacity, 256) keys."""
        for capacity, growth in ((200, 1), (255, 0), (256, 3), (1000, 100)):
            with self.subTest(capacity=capacity, growth=growth):
                with self.assertRaisesRegex(ValueError, "first layer"):
                    Bloom.create(capacity, 0.01, growth, SIZING)
        for capacity, growth in ((200, 2), (256, 0), (256, 1)):
            Bloom.create(capacity, 0.01, growth, (6, 7, 1414))
        Bloom.create(384, 0.01, 3, (8, 6, 1825))

    def test_sizing_of_another_capacity(self):
        million = (19456, 6, 4494502)
        Bloom.create(1000000, sizing=million)
        for capacity, sizing in (
            (1000000, SIZING), (1000, million), (100, SIZING), (1100, SIZING), (10**17, million),
            (1000, (20, 6, 0)), (1000, (20, 6, 4000)), (1000, (20, 6, 20 * 512 - 1)),
        ):
            with self.subTest(capacity=capacity, sizing=sizing):
                with self.assertRaisesRegex(ValueError, rf"bloom_sizing\({capacity}, 0.01\)"):
                    Bloom.create(capacity, 0.01, 2, sizing)

    def test_list_only(self):
        filter_ = Bloom.create(1000)
        filter_.add_all(range(128))
        before = filter_.to_bytes()
        filter_.add_all([5, 6])
        with self.assertRaisesRegex(bloomtype.FilterFullError, "bloom_add_all"):
            filter_.add(128)
        self.assertRaises(bloomtype.FilterFullError, filter_.add_all, [1, 128])
        self.assertEqual(filter_.to_bytes(), before)
        # a parsed filter does not know its sizing
        parsed = Bloom.parse(before)
        self.assertRaises(bloomtype.FilterFullError, parsed.add, 128)
        self.assertEqual(parsed.to_bytes(), before)

    def test_all_or_nothing(self):
        filter_ = bloom_of(*range(200))
        before = filter_.to_bytes()
        self.assertRaises(bloomtype.FilterFullError, filter_.add_all, range(5000))
        self.assertRaises(bloomtype.KeyMismatchError, filter_.add_all, [300, "red"])
        self.assertRaises(TypeError, filter_.add_all, [300, object()])
        self.assertRaises(ValueError, filter_.add_all, [300, key(301), 10**200000])
        self.assertEqual(filter_.to_bytes(), before)
        empty = bloom_of()
        self.assertRaises(bloomtype.KeyMismatchError, empty.add_all, [1, "red"])
        self.assertEqual(empty.to_bytes(), EMPTY)
        empty.add_all([])
        self.assertEqual(empty.to_bytes(), EMPTY)

    def test_full_layer(self):
        filter_ = bloom_of(*range(900))
        number = 900
        with self.assertRaises(bloomtype.FilterFullError):
            while True:
                before = filter_.to_bytes()
                filter_.add(number)
                number += 1
        self.assertGreater(number, 1000)
        self.assertEqual(filter_.to_bytes(), before)
        filter_.add(5)
        self.assertEqual(filter_.to_bytes(), before)

    def test_layer_that_is_full_at_once(self):
        # some lists of 128 keys set all 512 bits of one block
        for first in range(0, 128 * 100, 128):
            filter_ = Bloom.create(256, sizing=(1, 24, 511))
            filter_.add_all(range(first, first + 128))
            before = filter_.to_bytes()
            try:
                filter_.add(-1)
            except bloomtype.FilterFullError:
                break
        else:
            self.fail("no list fills the layer")
        self.assertEqual(filter_.to_bytes(), before)

    def test_fixed_size(self):
        filter_ = Bloom.create(1000, 0.01, 0, SIZING)
        filter_.add_all(range(3000))
        self.assertTrue(filter_.contains_all(range(3000)))
        self.assertTrue(filter_.info()["saturated"])

    def test_parsed_bytes_stay(self):
        data = bloom_of(*range(200)).to_bytes()
        copy = bytes(bytearray(data))
        filter_ = Bloom.parse(data)
        filter_.add(200)
        filter_.add_all([201])
        self.assertEqual(data, copy)
        self.assertTrue(filter_.contains_all(range(202)))
        self.assertEqual(filter_.to_bytes(), bloom_of(*range(202)).to_bytes())

    def test_other_family(self):
        with self.assertRaisesRegex(
            bloomtype.KeyMismatchError,
            "^cannot add a key of family text to a filter of number keys; ",
        ):
            bloom_of(1).add("red")


if __name__ == "__main__":
    unittest.main()
