# psycopg_checks.py
#
# Keys and filters through psycopg (version 3): in text and in binary form, prepared, and put
# into the statement by the client; COPY; a type of its own for filters.

import datetime
import re

import psycopg
from psycopg_type import Bloom, register_bloom
from samples import check, check_filters, check_keys, refused


def fields(error):
    diag = error.diag
    return error.sqlstate, diag.message_primary, diag.message_detail, diag.message_hint


def runner(connection, placeholder="s", **options):
    def run(sql, values=()):
        values = {f"p{i}": value for i, value in enumerate(values, 1)}
        sql = re.sub(r"\$(\d)", rf"%(p\1){placeholder}", sql)
        return connection.execute(sql, values, **options).fetchall()

    return run


def connect(**options):
    return psycopg.connect(autocommit=True, **options)


def check_modes():
    for mode, cursor, options in (
        ("psycopg", psycopg.Cursor, {}),
        ("psycopg, %t", psycopg.Cursor, {"placeholder": "t"}),
        ("psycopg, %b", psycopg.Cursor, {"placeholder": "b"}),
        ("psycopg, binary=True", psycopg.Cursor, {"binary": True}),
        ("psycopg, prepare=True", psycopg.Cursor, {"prepare": True}),
        ("psycopg, ClientCursor", psycopg.ClientCursor, {}),
    ):
        with connect(cursor_factory=cursor) as connection:
            run = runner(connection, **options)
            check_keys(mode, run, fields)
            check_filters(mode, run, fields)


# what strings are, and how filters come
def check_traps():
    with connect() as connection:
        run = runner(connection)
        for type, key in (
            ("integer", "4711"),
            ("uuid", "6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9"),
            ("timestamp", "2026-02-28 12:34:56.789012"),
        ):
            sql = f"SELECT bloom_contains(f, $1) FROM sample WHERE type = '{type}'"
            error = refused(run, sql, [key])
            check(f"psycopg: a string is a text key, not of {type}", error.sqlstate == "42804")
            rows = run(sql.replace("$1", f"$1::{type}"), [key])
            check(f"psycopg: a string with a cast is a key of {type}", rows == [(True,)])
        sql = "SELECT bloom_contains(bloom_add(bloom_create(10), $1), 4711)"
        error = refused(run, sql, ["4711"])
        check("psycopg: ... also one added to a new filter", error.sqlstate == "42804")
        rows = run("SELECT bloom_add(bloom_create(10), 'a'::char(3)) @> $1", ["a  "])
        check("psycopg: char(n) is without its blanks", rows == [(False,)])
        rows = run("SELECT bloom_add(bloom_create(10), 'a'::char(3)) @> $1::char(3)", ["a  "])
        check("psycopg: ... and finds them with a cast", rows == [(True,)])
        sql = "SELECT bloom_add(bloom_create(10), '2026-02-28 12:00+00'::timestamptz) @> $1"
        noon = datetime.datetime(2026, 2, 28, 12)
        error = refused(run, sql, [noon])
        check("psycopg: a datetime without a zone is no timestamptz", error.sqlstate == "42804")
        found = []
        for zone in "UTC", "Asia/Tokyo":
            connection.execute(f"SET TimeZone = '{zone}'")
            found += run(sql + "::timestamptz", [noon])
            found += run(sql, [noon.replace(tzinfo=datetime.timezone.utc)])
        check(
            "psycopg: ... and with a cast depends on the session's zone",
            found == [(True,), (True,), (False,), (True,)],
        )
        sql = "SELECT f FROM sample WHERE type = 'integer'"
        [(text,)], [(image,)] = run(sql), runner(connection, binary=True)(sql)
        check("psycopg: a filter is a string", isinstance(text, str))
        check("psycopg, binary=True: a filter is its bytes", isinstance(image, bytes))
        rows = run("SELECT bloom_contains($1, 4711)", [text])
        check("psycopg: a string is a filter, without a cast", rows == [(True,)])
        state, message, _, _ = fields(refused(run, "SELECT bloom_contains($1, $2)", [image, 4711]))
        check(
            "psycopg: bytes are none, without one",
            (state, message)
            == ("42883", "function bloom_contains(bytea, smallint) does not exist"),
        )


def check_copy():
    with connect() as connection, connection.cursor() as cursor:
        [(image, text)] = connection.execute(
            "SELECT f::bytea, f::text FROM stored WHERE name = 'large'"
        )
        with cursor.copy("COPY stored FROM STDIN") as copy:
            copy.write_row(("copied text", text))
        with cursor.copy("COPY stored FROM STDIN (FORMAT binary)") as copy:
            copy.set_types(["text", "bytea"])
            copy.write_row(("copied bytes", image))
        [(filters, different)] = connection.execute(
            """SELECT count(*), count(DISTINCT f::text) FROM stored
            WHERE name IN ('large', 'copied text', 'copied bytes')"""
        )
        check("psycopg: filters sent by COPY in both forms", (filters, different) == (3, 1))
        query = "COPY (SELECT f FROM stored WHERE name = 'large') TO STDOUT"
        with cursor.copy(query) as copy:
            rows = list(copy.rows())
        check("psycopg: a filter fetched by COPY as text", rows == [(text,)])
        with cursor.copy(query + " (FORMAT binary)") as copy:
            copy.set_types(["bytea"])
            rows = list(copy.rows())
        check("psycopg: a filter fetched by COPY in binary form", rows == [(image,)])


def check_type():
    with connect() as connection:
        register_bloom(connection)
        for mode, options in ("text", {}), ("binary", {"binary": True}):
            run = runner(connection, **options)
            [(image, f)] = run("SELECT f::bytea, f FROM stored WHERE name = 'large'")
            check(f"psycopg: a filter is a Bloom, {mode}", type(f) is Bloom and f == image)
            rows = run("SELECT bloom_contains($1, 4711), bloom_contains($1, 10000000)", [f])
            check(f"psycopg: a Bloom is a filter without a cast, {mode}", rows == [(True, False)])
            rows = run("SELECT f, ARRAY[f, f] FROM sample WHERE type = 'integer'")
            check(f"psycopg: an array of them, {mode}", rows == [(rows[0][0], [rows[0][0]] * 2)])
            check(f"psycopg: a null one, {mode}", run("SELECT NULL::bloom") == [(None,)])
        with connection.cursor() as cursor:
            with cursor.copy("COPY stored FROM STDIN (FORMAT binary)") as copy:
                copy.set_types(["text", "bloom"])
                copy.write_row(("a Bloom", f))
        rows = run("SELECT f = $1 FROM stored WHERE name = 'a Bloom'", [f])
        check("psycopg: a Bloom sent by COPY", rows == [(True,)])


# The extension is dropped and created again, which gives the type another OID, while a
# statement is prepared.
def check_prepared():
    with connect() as connection, connect() as other:
        run = runner(connection, prepare=True)
        answer = "SELECT bloom_contains(bloom_add(bloom_create(10), $1::bigint), 7)"
        returned = "SELECT bloom_create($1::bigint)"
        check("psycopg: a prepared answer", run(answer, [7]) == [(True,)])
        run(returned, [10])
        other.execute("DROP EXTENSION bloomtype CASCADE; CREATE EXTENSION bloomtype")
        check("psycopg: ... when the extension was created again", run(answer, [7]) == [(True,)])
        error = refused(run, returned, [10])
        check("psycopg: a filter of a prepared statement is an error", error.sqlstate == "0A000")
        rows = runner(connection, prepare=False)(returned, [10])
        check("psycopg: ... but not of another statement", len(rows) == 1)


print("version: psycopg", psycopg.__version__)
check_modes()
check_traps()
check_copy()
check_type()
check_prepared()
