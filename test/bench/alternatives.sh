# alternatives.sh
#    One look-up of an absent key and one insert, by a filter and by what the server has: the
#    table of README.md.

# Statements of an alternative: what it is, how to make it from the table keys, how to ask for a
# key $1, and how to add one
alternatives()
{
	cat <<-'END'
		unique b-tree index|CREATE TABLE t AS TABLE keys; CREATE UNIQUE INDEX ON t (id)|SELECT EXISTS (SELECT FROM t WHERE id = $1)|INSERT INTO t VALUES ($1, repeat('x', 60))
		bloom_pages index|CREATE TABLE t AS TABLE keys; CREATE INDEX ON t USING bloom_pages (id)|SELECT EXISTS (SELECT FROM t WHERE id = $1)|INSERT INTO t VALUES ($1, repeat('x', 60))
		BRIN index, bloom|CREATE TABLE t AS TABLE keys; CREATE INDEX ON t USING brin (id int8_bloom_ops)|SELECT EXISTS (SELECT FROM t WHERE id = $1)|INSERT INTO t VALUES ($1, repeat('x', 60))
		contrib bloom index|CREATE TABLE t AS TABLE keys; CREATE INDEX ON t USING bloom ((hashint8(id)))|SELECT EXISTS (SELECT FROM t WHERE hashint8(id) = hashint8($1) AND id = $1)|INSERT INTO t VALUES ($1, repeat('x', 60))
		live set|SELECT bloom_set_create('t', 'bigint', (count(*) * 1.05)::bigint) FROM keys; SELECT cardinality(bloom_set_add_all('t', array_agg(id))) FROM keys GROUP BY bloom_key_to_bigint(bloom_key(id)) >> 58|SELECT bloom_set_contains('t', $1)|SELECT bloom_set_add('t', $1)
		one filter|CREATE TABLE t AS SELECT bloom_agg(id) AS f FROM keys|SELECT f @> $1 FROM t|UPDATE t SET f = bloom_add(f, $1)
		many small filters|CREATE TABLE t AS SELECT p, bloom_agg(id) AS f FROM (SELECT bloom_partition(id, 16384) AS p, id FROM keys) s GROUP BY p; CREATE UNIQUE INDEX ON t (p)|SELECT f @> $1 FROM t WHERE p = bloom_partition($1, 16384)|UPDATE t SET f = bloom_add(f, $1) WHERE p = bloom_partition($1, 16384)
	END
}

# Its size; mean pages and median time of look-ups of absent keys; WAL and the mean time of inserts
# right after a checkpoint: MAKE ASK ADD
measure_alternative()
{
	local table=indexes

	[[ $1 != *'SELECT bloom_agg'* && $1 != *bloom_partition* && $1 != *bloom_set* ]] || table=total_relation
	sql -c "$1" -o /dev/null
	sql -c 'VACUUM ANALYZE t'
	sql -c "SELECT pg_${table}_size('t') / 1024 || ' kB'"
	sql -c "SET enable_seqscan = $([ $table = indexes ] && echo off || echo on)" \
		-c "SELECT format('%s pages, %s ms', pages, round(ms, 3)) FROM look_ups(\$q\$$2\$q\$, $((rounds * 10)))"
	sql -c CHECKPOINT -c "CALL inserts(\$q\$$3\$q\$, $((rounds * 10)))" 2>&1 | sed 's/NOTICE: *//'
	sql -c 'DROP TABLE t'
}

measure_alternatives()
{
	local name make ask add figures

	heading "one look-up of an absent key, and one insert: $rows random keys"
	echo
	sql -c 'CREATE EXTENSION IF NOT EXISTS bloom' -c "CREATE TABLE keys AS
		SELECT hashint8extended(g, 0) AS id, repeat('x', 60) AS pad FROM generate_series(1, $rows) g"
	sql <<-'END'
		CREATE FUNCTION look_ups(query text, n int, OUT pages numeric, OUT ms numeric) LANGUAGE plpgsql AS $$
		DECLARE
			started timestamptz;
			times numeric[];
			plan json;
			answer boolean;
		BEGIN
			pages := 0;
			FOR i IN 1..n LOOP
				started := clock_timestamp();
				EXECUTE query INTO answer USING hashint8extended(i, 1);
				times := times || extract(epoch FROM clock_timestamp() - started) * 1000;
				EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || query INTO plan USING hashint8extended(i, 1);
				pages := pages + (plan #>> '{0,Plan,Shared Hit Blocks}')::int + (plan #>> '{0,Plan,Shared Read Blocks}')::int;
			END LOOP;
			pages := round(pages / n, 1);
			SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY t) INTO ms FROM unnest(times) t;
		END $$;
		CREATE PROCEDURE inserts(statement text, n int) LANGUAGE plpgsql AS $$
		DECLARE
			before pg_lsn := pg_current_wal_insert_lsn();
			started timestamptz := clock_timestamp();
		BEGIN
			FOR i IN 1..n LOOP
				EXECUTE statement USING hashint8extended(i, 2);
				COMMIT;
			END LOOP;
			RAISE NOTICE '% bytes of WAL, % ms', round((pg_current_wal_insert_lsn() - before) / n),
				round((extract(epoch FROM clock_timestamp() - started) * 1000 / n)::numeric, 2);
		END $$;
	END
	while IFS='|' read -r name make ask add; do
		mapfile -t figures < <(measure_alternative "$make" "$ask" "$add")
		printf '%-20s %12s   %-26s   %s\n' "$name" "${figures[@]}"
	done < <(alternatives)
	sql -c 'DROP TABLE keys' -c 'DROP FUNCTION look_ups' -c 'DROP PROCEDURE inserts'
}
