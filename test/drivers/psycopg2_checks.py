# psycopg2_checks.py
#
# Keys and filters through psycopg2, which puts them into the statement as literals; COPY; a
# filter as bytes.

import base64
import io
import re
import uuid

import psycopg2
import psycopg2.extensions
import psycopg2.extras
from samples import check, check_filters, check_keys, refused

connection = psycopg2.connect("")
connection.autocommit = True
cursor = connection.cursor()


def fields(error):
    diag = error.diag
    return error.pgcode, diag.message_primary, diag.message_detail, diag.message_hint


def run(sql, values=()):
    values = {f"p{i}": value for i, value in enumerate(values, 1)}
    cursor.execute(re.sub(r"\$(\d)", r"%(p\1)s", sql), values)
    return [tuple(map(comparable, row)) for row in cursor.fetchall()]


# the elements of a bytea[] are memoryviews of characters, which equal no bytes
def comparable(value):
    if isinstance(value, list) and value and isinstance(value[0], memoryview):
        return [bytes(element) for element in value]
    return value


def check_uuid():
    error = refused(run, "SELECT $1::uuid", [uuid.UUID(int=1)])
    check("psycopg2: no UUID", str(error) == "can't adapt type 'UUID'")
    psycopg2.extras.register_uuid()
    rows = run("SELECT $1", [uuid.UUID(int=1)])
    check("psycopg2: ... before register_uuid()", rows == [(uuid.UUID(int=1),)])


def check_traps():
    sql = "SELECT bloom_contains(f, $1) FROM sample WHERE type = 'double precision'"
    state, message, _, _ = fields(refused(run, sql, [0.1]))
    check(
        "psycopg2: a float is a number key",
        (state, message)
        == ("42804", "cannot probe a filter of float keys with a key of family number"),
    )
    for type, key in ("integer", "4711"), ("uuid", "6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9"):
        sql = f"SELECT bloom_contains(f, $1) FROM sample WHERE type = '{type}'"
        error = refused(run, sql, [key])
        check(f"psycopg2: a string is a text key, not of {type}", error.pgcode == "42804")
        rows = run(sql.replace("$1", f"$1::{type}"), [key])
        check(f"psycopg2: a string with a cast is a key of {type}", rows == [(True,)])
    rows = run("SELECT bloom_add(bloom_create(10), -5) @> $1", [-5])
    check("psycopg2: a negative number", rows == [(True,)])
    [(text,)] = run("SELECT f FROM sample WHERE type = 'integer'")
    check("psycopg2: a filter is a string", isinstance(text, str))
    [(image,)] = run("SELECT f::bytea FROM sample WHERE type = 'integer'")
    check("psycopg2: its bytes are a memoryview", isinstance(image, memoryview))
    check("psycopg2: ... which can be sent", run("SELECT $1::bytea::bloom", [image]) == [(text,)])


def check_copy():
    for form, file in ("text", io.StringIO()), ("binary", io.BytesIO()):
        cursor.copy_expert(
            f"""COPY (SELECT '{form}', f FROM stored WHERE name = 'large')
            TO STDOUT (FORMAT {form})""",
            file,
        )
        file.seek(0)
        cursor.copy_expert(f"COPY stored FROM STDIN (FORMAT {form})", file)
        rows = run(
            f"""SELECT count(*), count(DISTINCT f::text) FROM stored
            WHERE name IN ('large', '{form}')"""
        )
        check(f"psycopg2: a filter fetched and sent by COPY in {form} form", rows == [(2, 1)])


def check_type():
    cursor.execute("SELECT 'bloom'::regtype::oid")
    (oid,) = cursor.fetchone()
    bloom = psycopg2.extensions.new_type(
        (oid,), "bloom", lambda text, cursor: text and base64.b64decode(text)
    )
    psycopg2.extensions.register_type(bloom, connection)

    [(image, f)] = run("SELECT f::bytea, f FROM stored WHERE name = 'large'")
    check("psycopg2: a filter is bytes, where its type is registered", f == bytes(image))
    check("psycopg2: a null one", run("SELECT NULL::bloom") == [(None,)])


print("version: psycopg2", psycopg2.__version__.split()[0])
check_uuid()
check_keys("psycopg2", run, fields)
check_filters("psycopg2", run, fields)
check_traps()
check_copy()
check_type()
