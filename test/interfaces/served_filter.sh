# served_filter.sh
#    The tables of doc/clients.md, and the statement that builds their filter, for the tests of
#    the examples; sourced by bash, after ../interchange/lib.sh.

create_tables()
{
	sql <<'SQL'
CREATE TABLE customer (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	email text UNIQUE NOT NULL);
CREATE TABLE served_filter (name text PRIMARY KEY, version bigint GENERATED ALWAYS AS IDENTITY,
	filter bloom NOT NULL);
SQL
}

# add_customers NAME: 1000, NAME1@example.com and so on
add_customers()
{
	sql -c "INSERT INTO customer (email)
		SELECT '$1' || i || '@example.com' FROM generate_series(1, 1000) i"
}

# add_customer EMAIL: prints the id
add_customer()
{
	sql -c "INSERT INTO customer (email) VALUES ('$1') RETURNING id"
}

build_filter()
{
	sql <<'SQL'
INSERT INTO served_filter AS s (name, filter) SELECT 'customer.email', bloom_agg(email) FROM customer
ON CONFLICT (name) DO UPDATE SET version = DEFAULT, filter = excluded.filter
	WHERE s.filter <> excluded.filter;
SQL
}
