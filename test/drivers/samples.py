# samples.py
#
# What the programs with Python's drivers share: the checks of samples.sql.
#
# Statements have the parameters $1 and $2 and the casts $1::type.  A program has a function
# that turns them into those of its driver, runs a statement and returns its rows, as
# tuples; and one that returns what the driver tells of an error: SQLSTATE, message, detail
# and hint.

import base64
import datetime
import decimal
import uuid

# SQL type: a key that the filter of samples.sql has, and one that it has not
KEYS = {
    "integer": (4711, 4712),
    "bigint": (5000000000, 5000000001),
    "numeric": (decimal.Decimal("12.50"), decimal.Decimal("12.51")),
    "double precision": (0.1, 0.2),
    "boolean": (True, False),
    "text": ("Anna", "Otto"),
    "bytea": (b"\x00\xff\x80", b"\x00\xff\x81"),
    "uuid": (uuid.UUID("6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9"), uuid.UUID(int=1)),
    "date": (datetime.date(2026, 2, 28), datetime.date(2026, 3, 1)),
    "timestamp": (
        datetime.datetime(2026, 2, 28, 12, 34, 56, 789012),
        datetime.datetime(2026, 2, 28, 12, 34, 56, 789013),
    ),
    "timestamptz": (
        datetime.datetime(2026, 2, 28, 12, 34, 56, 789012, datetime.timezone.utc),
        datetime.datetime(2026, 2, 28, 12, 34, 56, 789013, datetime.timezone.utc),
    ),
}

# the rows of each driver's first mode
rows_of_driver = {}

MISMATCH = "cannot probe a filter of number keys with a key of family text"


def check(what, passed):
    print("ok - " if passed else "not ok - ", what, sep="", flush=True)


def refused(run, *arguments):
    """The error of a call that must fail."""
    try:
        run(*arguments)
    except Exception as error:
        return error
    raise AssertionError("no error: %r" % (arguments,))


def without_cast(run, contains, add, key, type):
    """What a parameter without a cast is: `yes', the key that the filter has; the family
    that it has instead; or `error'."""
    try:
        [(found,)] = run(contains + " FROM sample WHERE type = $2::text", [key, type])
        return "yes" if found else "other"
    except Exception:
        pass
    try:
        [(family,)] = run(f"SELECT key_family FROM bloom_info({add})", [key])
        return family
    except Exception:
        return "error"


def print_row(mode, what, cells):
    """Print a row of the page's table, for a driver's first mode and those that differ."""
    first = rows_of_driver.setdefault((mode.split(",")[0], what), cells)
    if first is cells or first != cells:
        print("|", mode, "|", what, "|", " | ".join(cells), "|")


def check_keys(mode, run, fields):
    """Check keys of each type as parameters; what they are without a cast is printed."""
    plain, arrays = [], []
    where = "FROM sample WHERE type = $2::text"
    for type, (key, absent) in KEYS.items():
        for call in (f"bloom_contains(f, $1::{type})", f"f @> $1::{type}", f"$1::{type} <@ f"):
            sql = f"SELECT {call} {where}"
            found = [run(sql, [value, type]) for value in (key, absent, None)]
            check(f"{mode}: {call}", found == [[(True,)], [(False,)], [(None,)]])
        for call, value in (("bloom_add", key), ("bloom_add_all", [key])):
            call += f"(bloom_create(1000), $1::{type}{'[]' if value == [key] else ''})"
            check(f"{mode}: {call}", run(f"SELECT {call} = f {where}", [value, type]) == [(True,)])
        rows = run(
            f"""SELECT bloom_contains_any(f, k), bloom_contains_all(f, k), bloom_missing(f, k)
            FROM sample, LATERAL (SELECT $1::{type}[]) keys(k) WHERE type = $2::text""",
            [[key, absent], type],
        )
        check(f"{mode}: $1::{type}[] asked and returned", rows == [(True, False, [absent])])
        rows = run(
            f"SELECT bloom_agg(k) @> $2::{type} FROM unnest($1::{type}[]) k", [[key, absent], key]
        )
        check(f"{mode}: unnest($1::{type}[])", rows == [(True,)])
        rows = run(f"SELECT bloom_contains_any(f, $1::{type}[]) {where}", [[], type])
        check(f"{mode}: an empty $1::{type}[]", rows == [(False,)])

        add = "bloom_add(bloom_create(10), $1)"
        plain.append(without_cast(run, "SELECT bloom_contains(f, $1)", add, key, type))
        operator = without_cast(run, "SELECT f @> $1", add, key, type)
        check(f"{mode}: f @> $1, {type}, is as bloom_contains(f, $1)", operator == plain[-1])
        add = "bloom_add_all(bloom_create(10), $1)"
        arrays.append(without_cast(run, "SELECT bloom_contains_any(f, $1)", add, [key], type))
    print_row(mode, "keys", plain)
    print_row(mode, "arrays", arrays)

    error = refused(run, f"SELECT bloom_contains(f, $1::text) {where}", ["4711", "integer"])
    state, message, detail, hint = fields(error)
    check(f"{mode}: SQLSTATE of a wrong family", state == "42804")
    check(f"{mode}: its message", message == MISMATCH)
    check(f"{mode}: its detail", detail.endswith("are never the same key."))
    check(f"{mode}: its hint", hint.startswith("Cast the key to the type of the filter's keys"))


def check_filters(mode, run, fields):
    """Check capacities as parameters, and filters that go to the application and back."""
    for capacity, rate in ("$1::bigint", "$2::double precision"), ("$1", "$2"):
        rows = run(
            f"SELECT capacity, target_fpp FROM bloom_info(bloom_create({capacity}, {rate}))",
            [1000000, 0.001],
        )
        check(f"{mode}: bloom_create({capacity}, {rate})", rows == [(1000000, 0.001)])

    [(image, text)] = run("SELECT f::bytea, f::text FROM stored WHERE name = 'large'")
    image = bytes(image)
    check(f"{mode}: a filter of more than a megabyte", len(image) > 2**20)
    check(f"{mode}: its text is the base64 of its bytes", base64.b64decode(text) == image)
    for value, cast in ((image, "bytea::bloom"), (text, "text::bloom"), (text, "bloom")):
        rows = run(f"SELECT f = $1::{cast} FROM stored WHERE name = 'large'", [value])
        check(f"{mode}: sent back by $1::{cast}", rows == [(True,)])
        rows = run(f"SELECT $1::{cast} IS NULL", [None])
        check(f"{mode}: null as $1::{cast}", rows == [(True,)])
    run("INSERT INTO stored VALUES ($2::text, $1::bytea::bloom) RETURNING name", [image, mode])
    rows = run(
        """SELECT count(*), count(DISTINCT f::text) FROM stored
        WHERE name IN ('large', $1::text)""",
        [mode],
    )
    check(f"{mode}: stored again", rows == [(2, 1)])
    check(f"{mode}: a null filter", run("SELECT NULL::bloom, NULL::bloom::bytea") == [(None, None)])

    for kind in "counting_bloom", "cuckoo":
        [(other,)] = run(f"SELECT {kind}_add({kind}_create(1000), $1::bigint)::bytea", [4711])
        sql = f"SELECT {kind}_contains($1::bytea::{kind}, $2::bigint)"
        found = [run(sql, [bytes(other), key]) for key in (4711, 4712)]
        check(f"{mode}: a {kind} sent back and asked", found == [[(True,)], [(False,)]])

    state, _, detail, _ = fields(refused(run, "SELECT $1::bytea::bloom", [image[:-1]]))
    check(f"{mode}: bytes that are no filter are an error", state == "22P03")
    check(f"{mode}: which says why", detail == "Its length does not match what its header says.")
