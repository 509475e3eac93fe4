# asyncpg_checks.py
#
# Keys and filters through asyncpg, which prepares each statement and sends values as the type
# that the server says; COPY; a codec for filters.

import asyncio

import asyncpg
from samples import check, check_filters, check_keys, refused

loop = asyncio.new_event_loop()
wait = loop.run_until_complete


def fields(error):
    return error.sqlstate, error.message, error.detail, error.hint


def runner(connection):
    return lambda sql, values=(): [tuple(row) for row in wait(connection.fetch(sql, *values))]


def check_traps(connection, run):
    sql = "SELECT bloom_contains(f, $1) FROM sample WHERE type = 'integer'"
    error = refused(run, sql, [4711])
    expected = "(expected str, got int)" in str(error)
    check("asyncpg: it asks for a string where there is no cast", expected)
    error = refused(run, sql.replace("$1", "$1::bigint"), ["4711"])
    check("asyncpg: it asks for a number where there is one", isinstance(error, asyncpg.DataError))
    rows = run(sql.replace("$1", "$1::text::bigint"), ["4711"])
    check("asyncpg: a string by way of text", rows == [(True,)])
    [(text, image)] = run("SELECT f, f::bytea FROM sample WHERE type = 'integer'")
    check("asyncpg: a filter is a string", isinstance(text, str))
    rows = run("SELECT bloom_contains($1, 4711)", [text])
    check("asyncpg: ... which is a filter without a cast", rows == [(True,)])
    error = refused(run, "SELECT $1::bloom", [image])
    check("asyncpg: bytes are none", "(expected str, got bytes)" in str(error))
    error = refused(wait, connection.copy_records_to_table("stored", records=[("x", text)]))
    check("asyncpg: COPY, which is binary, needs a codec", "bloom" in str(error))


async def check_codec(connection):
    await connection.set_type_codec(
        "bloom", schema="public", encoder=bytes, decoder=bytes, format="binary"
    )

    sql = "SELECT f, f::bytea FROM stored WHERE name = 'large'"
    f, image = await connection.fetchrow(sql)
    check("asyncpg: with a codec a filter is its bytes", f == image)
    found = await connection.fetchval("SELECT bloom_contains($1, 4711)", f)
    check("asyncpg: ... which are a filter", found is True)
    null = await connection.fetchval("SELECT $1::bloom", None)
    check("asyncpg: ... null ones as well", null is None)
    both = await connection.fetchval("SELECT $1::bloom[]", [f, f])
    check("asyncpg: ... and an array", both == [f, f])
    await connection.copy_records_to_table("stored", records=[("copied", f)])
    same = await connection.fetchval("SELECT f = $1 FROM stored WHERE name = 'copied'", f)
    check("asyncpg: ... and sent by COPY", same is True)


print("version: asyncpg", asyncpg.__version__)
for mode, options in (
    ("asyncpg", {}),
    ("asyncpg, statement_cache_size=0", {"statement_cache_size": 0}),
):
    connection = wait(asyncpg.connect(**options))
    run = runner(connection)
    check_keys(mode, run, fields)
    check_filters(mode, run, fields)
check_traps(connection, run)
wait(check_codec(connection))
wait(connection.close())
