"""The reader's side of test/interfaces/python: files in, files out.

    python.py answer TYPE FILTER        about the values of the input: contains, count
    python.py build TYPE PARAMETERS     a filter of the values of the input; PARAMETERS is a
                                        JSON object
    python.py sizings           accepts the sizings of the input, of their capacity and rate
    python.py numbers                   the number of keys of each filter of the input
    python.py damage FILTER...          300 damaged images of these filters: kind, bytes and,
                                        as the reader says, why they are refused
    python.py damage_text FILTER...     likewise, of their text forms
    python.py native                    compares keys of values that psycopg fetches with
                                        those of the server, also in the binary protocol

A FILTER is a file with the text form of one; values are lines of CSV.
"""

import csv
import json
import random
import sys

import bloomtype
from bloomtype import Bloom, CountingBloom, Cuckoo, Key, key

CLASSES = {cls.kind: cls for cls in (Bloom, CountingBloom, Cuckoo)}


def read(file):
    with open(file, encoding="ascii") as lines:
        return lines.read().rstrip("\n")


def keys_of_input(type_):
    make = Key.parse if type_ == "bloom_key" else lambda value: key(value, type_)
    for (value,) in csv.reader(sys.stdin):
        yield make(value)


def answer(type_, file):
    filter_ = bloomtype.parse(read(file))
    keys = list(keys_of_input(type_))
    absent = set(filter_.missing(keys))
    for each in keys:
        contains = filter_.contains(each)
        assert contains == (each not in absent)
        count = "" if filter_.kind == "bloom" else filter_.count(each)
        print("t" if contains else "f", "" if count is None else count, sep=",")


def build(type_, parameters):
    filter_ = Bloom.create(**json.loads(parameters))
    filter_.add_all(keys_of_input(type_))
    print(filter_.to_text())


def sizings():
    number = 0
    for capacity, fpp, *sizing in csv.reader(sys.stdin):
        Bloom.create(int(capacity), float(fpp), sizing=[int(value) for value in sizing])
        number += 1
    print(number)


def numbers():
    for line in sys.stdin:
        keys = Bloom.parse(line.rstrip("\n")).cardinality()
        print("" if keys is None else keys)


def damaged(data, choice):
    """The bytes with some of them changed, a part cut out, or some added."""
    data = bytearray(data)
    # most of the checks are about the first bytes
    at = choice.randrange(min(len(data), choice.choice((60, 124, len(data)))))
    how = choice.choice(("flip", "flip", "set", "cut", "extend"))
    if how == "flip":
        data[at] ^= 1 << choice.randrange(8)
    elif how == "set":
        data[at] = choice.choice((0, 1, 127, 128, 255))
    elif how == "cut":
        del data[at : at + choice.choice((1, 8, len(data)))]
    else:
        data[at:at] = bytes(choice.choice((1, 8, 64)))
    return data


def reason(cls, image):
    try:
        filter_ = cls.parse(image)
    except bloomtype.InvalidFilterError as error:
        return error.reason
    form = filter_.to_text() if isinstance(image, str) else filter_.to_bytes()
    assert form == image
    # whatever the record says
    filter_.info()
    filter_.contains(bloomtype.Key("array", 0, 0) if filter_.family == "none" else
                     bloomtype.Key(filter_.family, filter_.subtype, 1))
    return ""


def damage(*files):
    choice = random.Random(1)
    filters = [bloomtype.parse(read(file)) for file in files]
    writer = csv.writer(sys.stdout)
    for number in range(300):
        filter_ = filters[number % len(filters)]
        image = damaged(filter_.to_bytes(), choice)
        if choice.random() < 0.3:
            image = damaged(image, choice) if image else image
        # now and then as a filter of another kind
        cls = type(filter_) if choice.random() < 0.95 else choice.choice(list(CLASSES.values()))
        writer.writerow((cls.kind, "\\x" + image.hex(), reason(cls, image)))


def damage_text(*files):
    choice = random.Random(2)
    texts = [read(file) for file in files]
    writer = csv.writer(sys.stdout)
    for number in range(300):
        text = texts[number % len(texts)]
        cls = type(bloomtype.parse(text))
        at = choice.randrange(len(text) + 1)
        if choice.random() < 0.5:
            at = max(0, len(text) - choice.randrange(8))
        new = choice.choice(("", "=", "==", "A", "AAAA", "B", "/", " ", "\n", "-", "é"))
        text = text[:at] + new + text[at + choice.choice((0, 1, len(new))) :]
        if choice.random() < 0.2:
            text = text[: choice.randrange(len(text) + 1)]
        writer.writerow((cls.kind, text, reason(cls, text)))


# SQL values for numbers i, and the type that a driver does not tell
NATIVE = (
    ("i % 2 = 0", None),
    ("(i - 100)::smallint", None),
    ("i * 10000000", None),
    ("i * 40000000000000000::bigint - 9223372036854775807", None),
    ("i / 8.0", None),
    ("(i - 100) * 1e18", None),
    ("(i / 10.0)::float8", None),
    ("(i / 10.0)::real", "real"),
    ("repeat(chr(i), i) || i", None),
    ("(i || '  ')::varchar", None),
    ("i::char(10)", "bpchar"),
    ("('name ' || i)::name", None),
    ("sha256(i::text::bytea)", None),
    ("md5(i::text)::uuid", None),
    ("i::oid", "oid"),
    ("date '0001-01-01' + i * 15000", None),
    ("timestamp '1999-12-31' + i * interval '301 seconds 7 microseconds'", None),
    ("timestamptz '2026-03-20 00:00+00' + i * interval '103 minutes 7 microseconds'", None),
    ("time '00:00' + i * interval '301 seconds 7 microseconds'", None),
    ("'10.1.2.3'::inet + i", None),
    ("'10.1.2.3/8'::inet + i", None),
    ("'2001:db8::1'::inet + i", None),
    ("'2001:db8::1/64'::inet + i", None),
    ("network(set_masklen('10.1.2.3'::inet, i % 33))", None),
)


def native():
    import psycopg

    with psycopg.connect() as connection:
        for value, type_ in NATIVE:
            query = (
                "SELECT v, bloom_key(v)::text "
                f"FROM (SELECT {value} AS v FROM generate_series(1, 200) i) s"
            )
            for binary in (False, True):
                for fetched, expected in connection.execute(query, binary=binary):
                    assert str(key(fetched, type_)) == expected, (value, binary, fetched)


if __name__ == "__main__":
    sys.stdin.reconfigure(encoding="utf-8", newline="")
    sys.stdout.reconfigure(encoding="utf-8", newline="")
    commands = (answer, build, sizings, numbers, damage, damage_text, native)
    {command.__name__: command for command in commands}[sys.argv[1]](*sys.argv[2:])
