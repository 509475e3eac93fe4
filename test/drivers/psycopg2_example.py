# psycopg2_example.py
#
# What the examples of doc/drivers.md do, with psycopg2.

import psycopg2

connection = psycopg2.connect("")
connection.autocommit = True

with connection.cursor() as cursor:
    for id in 4711, 123456789:
        cursor.execute(
            "SELECT bloom_contains(f, %s::bigint) FROM filter WHERE name = 'customer'", [id]
        )
        (found,) = cursor.fetchone()
        print(id, "is certainly no customer" if found is False else "is probably a customer")

    # many keys in one round trip
    cursor.execute(
        "SELECT bloom_missing(f, %s::bigint[]) FROM filter WHERE name = 'customer'",
        [[4711, 200001, 200002]],
    )
    (missing,) = cursor.fetchone()
    print("certainly no customers:", *missing)

    # add keys in batches
    cursor.execute(
        "UPDATE filter SET f = bloom_add_all(f, %s::bigint[]) WHERE name = 'customer'", [missing]
    )

    # the bytes of a filter, and a filter from bytes
    cursor.execute("SELECT f::bytea FROM filter WHERE name = 'customer'")
    image = bytes(cursor.fetchone()[0])
    print(len(image), "bytes")
    cursor.execute("INSERT INTO filter VALUES ('copy', %s::bytea::bloom)", [image])

    cursor.execute(
        "INSERT INTO filter VALUES ('new', bloom_create(%s::bigint, %s::float8))", [1000000, 0.001]
    )

    # a string is a key of text
    try:
        cursor.execute(
            "SELECT bloom_contains(f, %s) FROM filter WHERE name = 'customer'", ["4711"]
        )
    except psycopg2.errors.DatatypeMismatch as error:
        print(f"{error.pgcode}: {error.diag.message_primary}")
