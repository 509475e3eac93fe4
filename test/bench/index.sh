# index.sh
#    Indexes for the question whether a key is in a table, and where: bloom_pages, against what the
#    server and contrib have.
#
# A table of twice as many rows as the other parts have, of 300 bytes each: a random uuid, 32
# characters of hexadecimal digits, and a bigint that 100 rows share, in random places.  For each
# column and index:
#
#    MB           size of the index
#    build        seconds of CREATE INDEX
#    absent       a look-up of a key that is not there, with a plan that is kept: microseconds
#                 of the backend's processor time, and buffers
#    present      the same for keys that are there
#    insert       rows that one statement inserts: microseconds, bytes of WAL right after a
#                 checkpoint and with the same pages again, and pages dirtied, a row; net of the
#                 same without an index
#
# At last, single inserts of eight clients, transactions a second, without an index and with each.
# Processor time is read from /proc.

# COLUMN|INDEX|what stands after USING
range_alternatives()
{
	cat <<-'END'
		id|bloom_pages|bloom_pages (id)
		id|btree|btree (id)
		id|hash|hash (id)
		id|brin, 128 pages, 0.001|brin (id uuid_bloom_ops (false_positive_rate = 0.001)) WITH (pages_per_range = 128)
		id|brin, 32 pages, 0.001|brin (id uuid_bloom_ops (false_positive_rate = 0.001)) WITH (pages_per_range = 32)
		token|bloom_pages|bloom_pages (token)
		token|btree|btree (token)
		token|brin, 128 pages, 0.001|brin (token text_bloom_ops (false_positive_rate = 0.001)) WITH (pages_per_range = 128)
		token|contrib bloom|bloom (token) WITH (length = 32, col1 = 8)
		account|bloom_pages|bloom_pages (account)
		account|btree|btree (account)
	END
}

make_range_table()
{
	sql -c 'CREATE EXTENSION IF NOT EXISTS bloom' \
		-c "CREATE UNLOGGED TABLE event AS SELECT md5(g::text)::uuid AS id, md5('t' || g) AS token,
			hashint8extended(g, 7) % $((rows * 2 / 100)) AS account, repeat('x', 200) AS pad
			FROM generate_series(1, $rows * 2) g" \
		-c 'ALTER TABLE event SET LOGGED' -c 'VACUUM ANALYZE event'
	sql <<-'END'
		CREATE FUNCTION cpu() RETURNS numeric LANGUAGE sql VOLATILE AS $$
			SELECT split_part(pg_read_file('/proc/' || pg_backend_pid() || '/schedstat'), ' ', 1)::numeric / 1000
		$$;

		-- The n-th key of a column, of the table or of none
		CREATE FUNCTION key_of(name text, n bigint, is_present boolean) RETURNS text LANGUAGE sql AS $$
			SELECT CASE name WHEN 'id' THEN md5(v)::uuid::text WHEN 'token' THEN md5('t' || v)
				ELSE (CASE WHEN is_present THEN hashint8extended(n, 7) % ((SELECT reltuples FROM pg_class
					WHERE relname = 'event')::bigint / 100) ELSE n + (1::bigint << 40) END)::text END
			FROM (SELECT CASE WHEN is_present THEN n::text ELSE 'absent' || n END) s (v)
		$$;

		-- Look-ups for two seconds or 2,000 keys, and the buffers of one of them
		CREATE FUNCTION look_ups(name text, is_present boolean) RETURNS text LANGUAGE plpgsql AS $$
		DECLARE
			keys text[] := (SELECT array_agg(key_of(name, (hashint4(g) & 1048575) + 1, is_present)) FROM generate_series(1, 2000) g);
			until timestamptz := clock_timestamp() + interval '2 s';
			done int := 0;
			buffers int := 0;
			started numeric;
			k text;
			line text;
		BEGIN
			EXECUTE format('PREPARE look_up AS SELECT count(*) FROM event WHERE %I = $1', name);
			SET LOCAL plan_cache_mode = force_generic_plan;
			FOREACH k IN ARRAY keys[1:10] LOOP
				EXECUTE format('EXECUTE look_up(%L)', k);
			END LOOP;
			started := cpu();
			FOREACH k IN ARRAY keys LOOP
				EXECUTE format('EXECUTE look_up(%L)', k);
				done := done + 1;
				EXIT WHEN clock_timestamp() > until;
			END LOOP;
			started := (cpu() - started) / done;
			FOR i IN 1..10 LOOP
				FOR line IN EXECUTE format('EXPLAIN (ANALYZE, BUFFERS, COSTS off, TIMING off) EXECUTE look_up(%L)', keys[i]) LOOP
					CONTINUE WHEN line !~ '^ +Buffers: shared';
					buffers := buffers + coalesce(substring(line FROM 'hit=(\d+)')::int, 0) + coalesce(substring(line FROM 'read=(\d+)')::int, 0);
					EXIT;
				END LOOP;
			END LOOP;
			DEALLOCATE look_up;
			RETURN format('%s us %s buffers', round(started, 1), buffers / 10);
		END $$;

		-- What one row costs of an insert of n: microseconds, bytes of WAL and pages dirtied
		CREATE FUNCTION insert_rows(n int) RETURNS numeric[] LANGUAGE plpgsql AS $$
		DECLARE
			plan json;
			started numeric := cpu();
		BEGIN
			EXECUTE format($q$EXPLAIN (ANALYZE, BUFFERS, WAL, TIMING off, FORMAT json)
				INSERT INTO event SELECT gen_random_uuid(), md5(random()::text), (random() * 1e6)::bigint,
				repeat('x', 200) FROM generate_series(1, %s)$q$, n) INTO plan;
			started := cpu() - started;
			RETURN ARRAY[started, (plan #>> '{0,Plan,WAL Bytes}')::numeric, (plan #>> '{0,Plan,Shared Dirtied Blocks}')::numeric] / n;
		END $$;
		CREATE FUNCTION "/" (a numeric[], n int) RETURNS numeric[] LANGUAGE sql AS 'SELECT array_agg(x / n ORDER BY i) FROM unnest(a) WITH ORDINALITY u (x, i)';
		CREATE OPERATOR / (LEFTARG = numeric[], RIGHTARG = int, FUNCTION = "/");
	END
}

# Insert 20,000 rows after a checkpoint and again: "us wal dirtied us wal dirtied".
insert_figures()
{
	sql -c CHECKPOINT
	sql -F ' ' -c "SELECT a[1], a[2], a[3], b[1], b[2], b[3] FROM insert_rows(20000) a, insert_rows(20000) b"
}

# Transactions a second of eight clients that insert a row each
write_rate()
{
	echo "INSERT INTO event VALUES (gen_random_uuid(), md5(random()::text), (random() * 1e6)::bigint, repeat('x', 200));" >"$private/insert.sql"
	pgbench -n -c 8 -j 2 -T $((rounds * 3)) -f "$private/insert.sql" 2>/dev/null | sed -n 's/^tps = \([0-9]*\).*/\1/p'
}

measure_index()
{
	local column name using base=()

	heading "indexes of a table of $((rows * 2)) rows"
	make_range_table
	mapfile -t base < <(insert_figures)
	printf '\n%-8s %-24s %6s %7s   %-24s %-24s   %s\n' column index MB build absent present 'insert: us, WAL bytes and pages dirtied after a checkpoint; later'
	while IFS='|' read -r column name using; do
		sql <<-END | tr -d '\n'
			SELECT cpu() AS before \gset
			CREATE INDEX of_event ON event USING $using;
			SELECT format('%-8s %-24s %6s %7s   ', '$column', '$name', round(pg_relation_size('of_event') / 1048576.0, 1),
				round((cpu() - :before) / 1000000, 1));
			SET enable_seqscan = off;
			-- so that pages are in shared buffers
			SELECT NULL FROM look_ups('$column', true);
			SELECT format('%-24s %-24s   ', look_ups('$column', false), look_ups('$column', true));
		END
		insert_figures </dev/null | awk -v base="${base[*]}" '{ split(base, b, " "); for (i = 1; i <= 6; i++) printf "%.4g ", $i - b[i]; print "" }'
		sql -c 'DROP INDEX of_event' </dev/null
	done < <(range_alternatives)
	heading "single inserts of eight clients, a second"
	echo "no index: $(write_rate)"
	for using in 'bloom_pages (id)' 'btree (id)'; do
		sql -c "CREATE INDEX of_event ON event USING $using"
		echo "$using: $(write_rate)"
		sql -c 'DROP INDEX of_event'
	done
	sql -c 'DROP TABLE event'
}
