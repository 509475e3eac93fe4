# writes.sh
#    What it costs to change a stored filter: time, WAL, and growth of the table,
#    against its size.
#
# A value is written whole, so one key costs what a thousand cost.  The server
# of the benchmark does not wait for its disk (fsync is off), so the times are
# those of the work alone.

# Time in milliseconds and WAL in bytes of an update, each a median:
# STATEMENT
update_cost()
{
	local round

	for ((round = 0; round <= rounds; round++)); do
		printf '%s\n' 'TRUNCATE written; INSERT INTO written TABLE initial;' \
			"SELECT pg_current_wal_insert_lsn() AS before \\gset" \
			'\timing on' "${1//:round/$round};" '\timing off' \
			"SELECT 'wal', pg_current_wal_insert_lsn() - :'before'::pg_lsn;"
	done | sql | awk -F '|' '
		/^Time: / { split($0, word, " "); time = word[2] }
		/^wal/ { if (round++) print time, $2 }' | medians
}

# Bytes by which the table, its TOAST table and the index of that grow with each of ten
# updates, without vacuum.
update_growth()
{
	local size update

	size="SELECT sum(pg_relation_size(oid)) AS bytes FROM pg_class WHERE oid = 'written'::regclass
		OR oid IN (SELECT reltoastrelid FROM pg_class WHERE oid = 'written'::regclass)
		OR oid IN (SELECT i.indexrelid FROM pg_index i JOIN pg_class c ON i.indrelid = c.reltoastrelid
			WHERE c.oid = 'written'::regclass)"
	{
		echo 'TRUNCATE written; INSERT INTO written TABLE initial;'
		echo "SELECT bytes AS before FROM ($size) s \\gset"
		for ((update = 1; update <= 10; update++)); do
			echo "UPDATE written SET f = bloom_add(f, -$update);"
		done
		echo "SELECT (bytes - :before) / 10 FROM ($size) s;"
	} | sql
}

measure_writes()
{
	local kb capacity bytes statement row

	heading "one update of a stored filter, medians of $rounds rounds"
	echo
	printf '%12s   %22s   %22s   %22s\n' '' 'bloom_add' \
		'bloom_add_all, 1000' 'a | b'
	printf '%12s %12s %12s %12s %12s %12s %12s %12s\n' 'filter bytes' \
		ms 'WAL bytes' ms 'WAL bytes' ms 'WAL bytes' growth
	echo 'filter_bytes,add_ms,add_wal,add_all_ms,add_all_wal,union_ms,union_wal,growth' \
		>"$results/writes.csv"

	for kb in 1 8 64 512 4096 32768 65536; do
		# about ten bits a key at 1 %
		capacity=$((kb * 1024 * 8 / 10))
		sql -c "CREATE TABLE written AS SELECT bloom_agg(i, $capacity, 0.01) AS f FROM generate_series(1, 200) i" \
			-c 'CREATE TABLE initial AS TABLE written' \
			-c 'CREATE TABLE delta (n int, f bloom)' \
			-c "INSERT INTO delta SELECT n, bloom_agg(1000 * n + i, $capacity, 0.01) FROM generate_series(0, $rounds) n, generate_series(1, 200) i GROUP BY n"
		bytes=$(sql -c 'SELECT octet_length(f::bytea) FROM written')
		row=$bytes
		for statement in \
			'UPDATE written SET f = bloom_add(f, -1 - :round)' \
			'UPDATE written SET f = bloom_add_all(f, array(SELECT 1000000 * (:round + 1) + i FROM generate_series(1, 1000) i))' \
			'UPDATE written w SET f = w.f | d.f FROM delta d WHERE n = :round'; do
			row="$row $(update_cost "$statement")"
		done
		row="$row $(update_growth)"
		sql -c 'DROP TABLE written, initial, delta'
		printf '%12d %12.2f %12.0f %12.2f %12.0f %12.2f %12.0f %12.0f\n' $row
		printf '%d,%.3f,%.0f,%.3f,%.0f,%.3f,%.0f,%.0f\n' $row >>"$results/writes.csv"
	done
}
