# asyncpg_example.py
#
# The example of doc/drivers.md for asyncpg.

import asyncio

import asyncpg


async def main():
    connection = await asyncpg.connect()

    for id in 4711, 123456789:
        found = await connection.fetchval(
            "SELECT bloom_contains(f, $1::bigint) FROM filter WHERE name = 'customer'", id
        )
        print(id, "is certainly no customer" if found is False else "is probably a customer")

    # many keys in one round trip
    missing = await connection.fetchval(
        "SELECT bloom_missing(f, $1::bigint[]) FROM filter WHERE name = 'customer'",
        [4711, 200001, 200002],
    )
    print("certainly no customers:", *missing)

    # add keys in batches
    await connection.execute(
        "UPDATE filter SET f = bloom_add_all(f, $1::bigint[]) WHERE name = 'customer'", missing
    )

    # the bytes of a filter, and a filter from bytes
    image = await connection.fetchval("SELECT f::bytea FROM filter WHERE name = 'customer'")
    print(len(image), "bytes")
    await connection.execute("INSERT INTO filter VALUES ('copy', $1::bytea::bloom)", image)

    await connection.execute(
        "INSERT INTO filter VALUES ('new', bloom_create($1::bigint, $2::float8))", 1000000, 0.001
    )

    # a string is a key of text
    try:
        await connection.fetchval(
            "SELECT bloom_contains(f, $1) FROM filter WHERE name = 'customer'", "4711"
        )
    except asyncpg.DatatypeMismatchError as error:
        print(f"{error.sqlstate}: {error.message}")


asyncio.run(main())
