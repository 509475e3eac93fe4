# psycopg_example.py
#
# The example of doc/drivers.md for psycopg.

import psycopg

with psycopg.connect(autocommit=True) as connection:
    for id in 4711, 123456789:
        (found,) = connection.execute(
            "SELECT bloom_contains(f, %s::bigint) FROM filter WHERE name = 'customer'", [id]
        ).fetchone()
        print(id, "is certainly no customer" if found is False else "is probably a customer")

    # many keys in one round trip
    (missing,) = connection.execute(
        "SELECT bloom_missing(f, %s::bigint[]) FROM filter WHERE name = 'customer'",
        [[4711, 200001, 200002]],
    ).fetchone()
    print("certainly no customers:", *missing)

    # add keys in batches
    connection.execute(
        "UPDATE filter SET f = bloom_add_all(f, %s::bigint[]) WHERE name = 'customer'", [missing]
    )

    # the bytes of a filter, and a filter from bytes
    (image,) = connection.execute(
        "SELECT f::bytea FROM filter WHERE name = 'customer'"
    ).fetchone()
    print(len(image), "bytes")
    connection.execute("INSERT INTO filter VALUES ('copy', %s::bytea::bloom)", [image])

    connection.execute(
        "INSERT INTO filter VALUES ('new', bloom_create(%s::bigint, %s::float8))", [1000000, 0.001]
    )

    # a string is a key of text
    try:
        connection.execute(
            "SELECT bloom_contains(f, %s) FROM filter WHERE name = 'customer'", ["4711"]
        )
    except psycopg.errors.DatatypeMismatch as error:
        print(f"{error.sqlstate}: {error.diag.message_primary}")
