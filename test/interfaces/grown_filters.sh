# grown_filters.sh
#    Filters that have grown, and unions of them, with the number of keys that the server tells;
#    sourced by bash, after ../interchange/lib.sh.

# grown_filters FILTERS NUMBERS: a line for each; empty where the number is null
grown_filters()
{
	sql <<'SQL'
SET client_min_messages = error;
CREATE TABLE grown AS
SELECT fpp, growth, bloom_add_all(bloom_create(128, fpp, growth), ARRAY(
		SELECT (fpp * 1000)::bigint * 10000000 + growth * 1000000 + generate_series(1, keys))) AS f
FROM (VALUES (1, 7600), (2, 20000), (3, 20000)) g (growth, keys),
	unnest(ARRAY[0.001, 0.01, 0.03, 0.1, 0.2, 0.5, 0.99]) fpp;
CREATE TABLE counted AS
SELECT row_number() OVER () AS n, f, bloom_cardinality(f) AS keys
FROM (SELECT f FROM grown
	UNION ALL
	SELECT a.f | b.f FROM grown a JOIN grown b
	ON (a.fpp, a.growth) < (b.fpp, b.growth) AND (a.growth = b.growth OR a.fpp = b.fpp)) u;
SQL
	sql -c "SELECT f FROM counted ORDER BY n" >"$1"
	sql -c "SELECT keys FROM counted ORDER BY n" >"$2"
	[ "$(grep -c . "$2")" -gt 40 ] && grep -q '^$' "$2"
}
