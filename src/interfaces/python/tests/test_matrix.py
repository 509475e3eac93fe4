"""Matrices: what the vectors do not show."""

import pickle
import struct
import unittest

import bloomtype
import vectors
from bloomtype import Bloom, Key, Matrix


def vector(name):
    (found,) = (v for v in vectors.read("matrices") if v["name"] == name)
    return bloomtype.parse(found["image"])


def without_keys(columns):
    """The image of a matrix of filters without keys, of one block and one probe."""
    record = struct.pack("<BBBBBBHHHHHIQQd16s", 1, 1, 1, 60, 64, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0.5,
                         b"") + bytes(64)
    header = struct.pack("<BBBBBBHHHIIQI28s", 4, 1, 1, 60, 124, 1, 0, 0, 0, columns, 0, 0, 1,
                         b"")
    image = bytearray(header + struct.pack(f"<{columns}q", *range(columns)) + record * columns)
    image += bytes(-(len(image) + 4) % 64)
    return image + bytes(512 * ((columns + 63) // 64 * 8))


class Questions(unittest.TestCase):
    def test_keys(self):
        matrix = vector("the example of FORMAT.md")
        self.assertEqual(matrix.columns(), [-1, 2, 7])
        self.assertEqual(matrix.search("red"), [-1, 2])
        self.assertEqual(matrix.search(bloomtype.key("blue  ", "bpchar")), [-1, 7])
        self.assertTrue(matrix.filter(7).contains("blue"))
        self.assertEqual(matrix.subtype, 0)
        self.assertRaises(TypeError, matrix.search, None)
        with self.assertRaisesRegex(
            bloomtype.KeyMismatchError,
            "^cannot probe a filter of text keys with a key of family number; ",
        ):
            matrix.search(1)

    def test_other_subtype(self):
        matrix = vector("row")
        self.assertRaises(bloomtype.KeyMismatchError, matrix.search, Key("row", 1, 1))
        self.assertEqual(matrix.search(Key("row", matrix.subtype, 1)), [])

    def test_without_keys(self):
        for name in ("no columns", "no keys"):
            matrix = vector(name)
            self.assertEqual(matrix.family, "none")
            for value in (1, "red", Key("array", 1, 1)):
                self.assertEqual(matrix.search(value), [])
            self.assertRaises(TypeError, matrix.search, None)

    def test_changed_filter(self):
        matrix = vector("the example of FORMAT.md")
        before = matrix.to_bytes()
        matrix.filter(7).add("red")
        self.assertEqual(matrix.to_bytes(), before)
        self.assertEqual(matrix.search("red"), [-1, 2])

    def test_summary(self):
        matrix = vector("the example of FORMAT.md")
        self.assertEqual(str(matrix), "<Matrix family='text' columns=3 blocks=2 bytes=8700>")
        self.assertEqual(repr(matrix), str(matrix))
        self.assertEqual(pickle.loads(pickle.dumps(matrix)), matrix)
        self.assertNotEqual(matrix, vector("row"))
        self.assertNotEqual(matrix, matrix.filter(7))
        self.assertRaises(TypeError, Matrix)


class Input(unittest.TestCase):
    def test_other_classes(self):
        data = vector("lists").to_bytes()
        for class_ in (Bloom, bloomtype.CountingBloom, bloomtype.Cuckoo):
            with self.assertRaises(bloomtype.InvalidFilterError) as caught:
                class_.parse(data)
            self.assertEqual(caught.exception.reason, "It is of another kind of filter.")

    def test_limit(self):
        matrix = vector("lists")
        for form in (matrix.to_bytes(), matrix.to_text()):
            self.assertEqual(Matrix.parse(form, max_bytes=4604), matrix)
            for parse in (Matrix.parse, bloomtype.parse):
                with self.assertRaises(bloomtype.InvalidFilterError) as caught:
                    parse(form, max_bytes=4603)
                self.assertEqual(caught.exception.reason, "It is longer than 4603 bytes.")

    def test_many_columns(self):
        image = without_keys(32768 + 65)
        matrix = Matrix.parse(image)
        self.assertEqual(matrix.columns(), list(range(32768 + 65)))
        at = matrix._image.record_offset(32768)
        self.assertEqual(matrix.filter(32768).to_bytes(), image[at : at + 60])
        # a bit of a column of the first tile, of the second, and of none
        for at in (0, 4095, 4096, 4096 + 8, 4096 + 15):
            image[matrix._image.slices + 511 * 4112 + at] = 0x40
            with self.assertRaises(bloomtype.InvalidFilterError) as caught:
                Matrix.parse(image)
            self.assertEqual(caught.exception.reason,
                             "The bits of a column are not what its record says.")
            image[matrix._image.slices + 511 * 4112 + at] = 0


if __name__ == "__main__":
    unittest.main()
