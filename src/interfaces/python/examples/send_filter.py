#!/usr/bin/env python3
"""Ask the server which of its rows are probably in a list, by a filter of the list.

The server has the table customer(id bigint, email text). Psycopg takes its address from the
environment, for example PGHOST.
"""

import bloomtype
import psycopg

with psycopg.connect() as connection:
    sizing = "SELECT blocks, probes, full_at FROM bloom_sizing(1000, 0.01)"
    wanted = bloomtype.Bloom.create(1000, 0.01, sizing=connection.execute(sizing).fetchone())
    wanted.add_all(f"user{i}@example.com" for i in range(99901, 100401))
    (found,) = connection.execute(
        "SELECT count(*) FROM customer WHERE bloom_contains(%s::bloom, email)",
        [wanted.to_text()],
    ).fetchone()
    print("At most", found, "of about", wanted.cardinality(), "are customers.")
