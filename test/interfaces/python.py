"""The reader's side of test/interfaces/python.

    python.py FILE              runs the commands in the file, which reader.sh describes
    python.py                   compares keys of values that psycopg fetches with those of the
                                server, also in the binary protocol
"""

import sys

import bloomtype
from bloomtype import Bloom, CountingBloom, Cuckoo, Key, key

CLASSES = {cls.kind: cls for cls in (Bloom, CountingBloom, Cuckoo)}


def read(file):
    with open(file, encoding="utf-8", newline="\n") as lines:
        return lines.read().split("\n")[:-1]


def write(file, lines):
    with open(file, "w", encoding="utf-8", newline="\n") as out:
        out.writelines(line + "\n" for line in lines)


def read_keys(type_, file):
    make = Key.parse if type_ == "bloom_key" else lambda value: key(value, type_)
    return [make(value) for value in read(file)]


def read_sizing(columns):
    values = [int(column) if column else None for column in columns.split(",")]
    return dict(zip(("blocks", "probes", "full_at"), values))


def keys(type_, values, to):
    write(to, map(str, read_keys(type_, values)))


def ask(file, type_, values, to):
    filter_ = bloomtype.parse(read(file)[0])
    asked = read_keys(type_, values)
    absent = set(filter_.missing(asked))
    answers = []
    for each in asked:
        contains = filter_.contains(each)
        assert contains == (each not in absent)
        answer = "true" if contains else "false"
        if filter_.kind != "bloom":
            count = filter_.count(each)
            answer += f" {-1 if count is None else count}"
        answers.append(answer)
    write(to, answers)


def build(capacity, fpp, growth, sizing, type_, values, to):
    filter_ = Bloom.create(
        int(capacity), float(fpp), growth=int(growth), sizing=read_sizing(sizing)
    )
    filter_.add_all(read_keys(type_, values))
    write(to, [filter_.to_text()])


def add(file, type_, values, to):
    filter_ = bloomtype.parse(read(file)[0])
    filter_.add_all(read_keys(type_, values))
    write(to, [filter_.to_text()])


def sizings(inputs, to):
    def answer(line):
        capacity, fpp, sizing = line.split(" ")
        try:
            Bloom.create(int(capacity), float(fpp), sizing=list(read_sizing(sizing).values()))
            return "accepted"
        except ValueError as error:
            assert str(error).startswith("sizing is not the one of bloom_sizing("), error
            return "refused"

    write(to, map(answer, read(inputs)))


def numbers(filters, to):
    counts = (Bloom.parse(text).cardinality() for text in read(filters))
    write(to, ("" if count is None else str(count) for count in counts))


def reasons(inputs, to):
    write(to, (reason(*line.split(" ", 1)) for line in read(inputs)))


def reason(kind, text):
    try:
        filter_ = CLASSES[kind].parse(text)
    except bloomtype.InvalidFilterError as error:
        return error.reason
    image = filter_.to_bytes()
    assert filter_.to_text() == text
    assert CLASSES[kind].parse(image).to_bytes() == image
    # whatever the record says
    filter_.info()
    filter_.contains(
        Key("array", 0, 0) if filter_.family == "none" else Key(filter_.family, filter_.subtype, 1)
    )
    return "accepted"


def run(file):
    commands = {each.__name__: each for each in (keys, ask, build, add, sizings, numbers, reasons)}
    for line in read(file):
        command, *arguments = line.split("\t")
        commands[command](*arguments)


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
    if sys.argv[1:]:
        run(sys.argv[1])
    else:
        native()
