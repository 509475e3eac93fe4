"""Keys, filters and answers are those of the server."""

import base64
import unittest

import xxhash

import bloomtype
import vectors

CLASSES = {cls.kind: cls for cls in (bloomtype.Bloom, bloomtype.CountingBloom, bloomtype.Cuckoo)}


class Bytes(unittest.TestCase):
    def test_hash(self):
        for vector in vectors.read("bytes"):
            n = vector["length"]
            data = bytes((i * 7 + n) % 256 for i in range(n))
            with self.subTest(length=n):
                self.assertEqual(xxhash.xxh3_64_hexdigest(data), vector["hash"])
                self.assertEqual(bloomtype.key(data).hash, int(vector["hash"], 16))


class Keys(unittest.TestCase):
    def test_key(self):
        for vector in vectors.read("keys"):
            type_, value, expected = vector["type"], vector["value"], vector["key"]
            with self.subTest(type=type_, value=value):
                if expected is None:
                    self.assertRaises(ValueError, bloomtype.key, value, type_)
                else:
                    self.assertEqual(str(bloomtype.key(value, type_)), expected)
                    self.assertEqual(str(bloomtype.Key.parse(expected)), expected)


class Filters(unittest.TestCase):
    def test_read(self):
        for vector in vectors.read("filters"):
            with self.subTest(vector["name"]):
                text, data = vector["image"], base64.b64decode(vector["image"])
                for filter_ in (
                    bloomtype.parse(text),
                    bloomtype.parse(data),
                    bloomtype.parse(bytearray(data)),
                    bloomtype.parse(memoryview(data)),
                    CLASSES[vector["kind"]].parse(text),
                ):
                    self.assertEqual(type(filter_), CLASSES[vector["kind"]])
                    self.assertEqual(filter_.kind, vector["kind"])
                    self.assertEqual(filter_.to_bytes(), data)
                    self.assertEqual(filter_.to_text(), text)

    def test_info(self):
        for vector in vectors.read("filters"):
            with self.subTest(vector["name"]):
                filter_ = bloomtype.parse(vector["image"])
                info, expected = filter_.info(), vector["info"]
                self.assertEqual(list(info), list(expected))
                for name, value in expected.items():
                    if isinstance(value, float) and not isinstance(info[name], int):
                        self.assertIsInstance(info[name], float)
                        self.assertLessEqual(abs(info[name] - value), 1e-9 * value, name)
                    else:
                        self.assertEqual(info[name], value, name)
                self.assertEqual(filter_.family, expected["key_family"])
                self.assertEqual(filter_.cardinality(), expected["keys"])
                self.assertEqual(filter_.current_fpp(), info["current_fpp"])

    def test_answers(self):
        for vector in vectors.read("filters"):
            filter_ = bloomtype.parse(vector["image"])
            keys, present = [], []
            for probe in vector["probes"]:
                with self.subTest(vector["name"], key=probe["key"]):
                    key = bloomtype.Key.parse(probe["key"])
                    if vector["type"] is not None:
                        self.assertEqual(bloomtype.key(probe["value"], vector["type"]), key)
                    self.assertIs(filter_.contains(key), probe["contains"])
                    self.assertIs(key in filter_, probe["contains"])
                    if filter_.kind != "bloom":
                        self.assertEqual(filter_.count(key), probe["count"])
                    keys.append(key)
                    if probe["contains"]:
                        present.append(key)
            with self.subTest(vector["name"]):
                self.assertEqual(filter_.contains_any(keys), bool(present))
                self.assertEqual(filter_.contains_all(keys), len(present) == len(keys))
                self.assertTrue(filter_.contains_all(present))
                self.assertEqual(
                    filter_.missing(keys), [key for key in keys if key not in present]
                )


class Malformed(unittest.TestCase):
    def test_reason(self):
        for vector in vectors.read("malformed"):
            kind, text, reason = vector["kind"], vector["text"], vector["reason"]
            with self.subTest(kind=kind, text=text):
                with self.assertRaises(bloomtype.InvalidFilterError) as caught:
                    CLASSES[kind].parse(text)
                self.assertEqual(caught.exception.reason, reason)
                what = "input syntax" if "base64" in reason else "value"
                self.assertEqual(
                    str(caught.exception), f"invalid {what} for type {kind}: {reason}"
                )
                # parse() takes any kind
                if reason != "It is of another kind of filter.":
                    with self.assertRaises(bloomtype.InvalidFilterError) as caught:
                        bloomtype.parse(text)
                    self.assertEqual(caught.exception.reason, reason)


class Matrices(unittest.TestCase):
    def test_read(self):
        for vector in vectors.read("matrices"):
            with self.subTest(vector["name"]):
                text, data = vector["image"], base64.b64decode(vector["image"])
                for matrix in (
                    bloomtype.parse(text),
                    bloomtype.parse(data),
                    bloomtype.parse(bytearray(data)),
                    bloomtype.Matrix.parse(memoryview(data)),
                    bloomtype.Matrix.parse(text),
                ):
                    self.assertIs(type(matrix), bloomtype.Matrix)
                    self.assertEqual(matrix.to_bytes(), data)
                    self.assertEqual(matrix.to_text(), text)
                    self.assertEqual(matrix, bloomtype.Matrix.parse(data))
                    self.assertEqual(hash(matrix), hash(bloomtype.Matrix.parse(data)))
                info, expected = matrix.info(), vector["info"]
                self.assertEqual(list(info), list(expected))
                self.assertAlmostEqual(
                    info.pop("max_fpp"), expected["max_fpp"], delta=1e-9 * expected["max_fpp"]
                )
                del expected["max_fpp"]
                self.assertEqual(info, expected)
                self.assertEqual(matrix.family, expected["key_family"])

    def test_columns(self):
        for vector in vectors.read("matrices"):
            with self.subTest(vector["name"]):
                matrix = bloomtype.parse(vector["image"])
                ids = [int(column["id"]) for column in vector["columns"]]
                self.assertEqual(matrix.columns(), ids)
                for id_, column in zip(ids, vector["columns"]):
                    filter_ = matrix.filter(id_)
                    self.assertIs(type(filter_), bloomtype.Bloom)
                    self.assertEqual(filter_.to_text(), column["filter"])
                    if id_ + 1 not in ids:
                        self.assertIsNone(matrix.filter(id_ + 1))

    def test_search(self):
        for vector in vectors.read("matrices"):
            matrix = bloomtype.parse(vector["image"])
            filters = {id_: matrix.filter(id_) for id_ in matrix.columns()}
            for search in vector["searches"]:
                with self.subTest(vector["name"], key=search["key"]):
                    key = bloomtype.Key.parse(search["key"])
                    if vector["type"] is not None:
                        self.assertEqual(bloomtype.key(search["value"], vector["type"]), key)
                    found = matrix.search(key)
                    self.assertEqual(found, [int(id_) for id_ in search["ids"]])
                    self.assertEqual(
                        found, [id_ for id_, filter_ in filters.items() if key in filter_]
                    )

    def test_reason(self):
        for vector in vectors.read("malformed_matrices"):
            text, reason = vector["text"], vector["reason"]
            with self.subTest(text=text[:200], reason=reason):
                # that takes the sizes of the server, and no answer depends on it
                if reason == ("The blocks of a matrix without keys are not those of its lowest "
                              "rate."):
                    self.assertEqual(bloomtype.Matrix.parse(text).search(1), [])
                    continue
                with self.assertRaises(bloomtype.InvalidFilterError) as caught:
                    bloomtype.Matrix.parse(text)
                self.assertEqual(caught.exception.reason, reason)
                self.assertEqual(
                    str(caught.exception), f"invalid value for type bloom_matrix: {reason}"
                )
                if reason != "It is not a matrix of filters.":
                    with self.assertRaises(bloomtype.InvalidFilterError) as caught:
                        bloomtype.parse(text)
                    self.assertEqual(caught.exception.reason, reason)


class Build(unittest.TestCase):
    def keys(self, vector):
        if vector["keys"] is None:
            return list(range(vector["from"], vector["to"] + 1))
        return [bloomtype.key(value, vector["type"]) for value in vector["keys"]]

    def create(self, vector):
        return bloomtype.Bloom.create(
            vector["capacity"], vector["fpp"], vector["growth"], vector["sizing"]
        )

    def test_add_all(self):
        for vector in vectors.read("build"):
            with self.subTest(vector["name"]):
                filter_, empty = self.create(vector), self.create(vector).to_bytes()
                if vector["image"] is None:
                    with self.assertRaises(bloomtype.FilterFullError):
                        filter_.add_all(self.keys(vector))
                    self.assertEqual(filter_.to_bytes(), empty)
                else:
                    filter_.add_all(self.keys(vector))
                    self.assertEqual(filter_.to_text(), vector["image"])

    def test_add(self):
        for vector in vectors.read("build"):
            with self.subTest(vector["name"]):
                filter_ = self.create(vector)
                try:
                    for key in self.keys(vector):
                        before = filter_.to_bytes()
                        filter_.add(key)
                    self.assertEqual(filter_.to_text(), vector["image"])
                except bloomtype.FilterFullError:
                    self.assertIsNone(vector["image"])
                    self.assertEqual(filter_.to_bytes(), before)

    def test_add_to_parsed(self):
        for vector in vectors.read("build"):
            keys = self.keys(vector)
            if vector["image"] is None or len(keys) < 200:
                continue
            with self.subTest(vector["name"]):
                filter_ = self.create(vector)
                filter_.add_all(keys[:150])
                for form in (filter_.to_bytes(), filter_.to_text()):
                    parsed = bloomtype.Bloom.parse(form)
                    parsed.add_all(keys[150:160])
                    for key in keys[160:]:
                        parsed.add(key)
                    self.assertEqual(parsed.to_text(), vector["image"])


if __name__ == "__main__":
    unittest.main()
