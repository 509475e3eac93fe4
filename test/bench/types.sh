# types.sh
#    The types bloom, counting_bloom and cuckoo side by side.
#
# For each false-positive rate p, filters made for so many keys:
#
#    bits, rate           of the full filter: from its bytes, and over as many
#                         absent keys as there are rows
#    build                TYPE_agg(key, keys, p) over a table
#    present, absent      TYPE_contains of each row of a table of such keys, the
#                         filter being full and in memory
#    add_all, remove_all  a tenth of the keys, of a filter half full
#    add, remove          one key, by an update of a stored filter of 1 MB that
#                         is half full
#
# What the statement takes without that (a scan, a copy of the filter) is taken
# off in each round, but for the updates.
#
# The last line is for reference: a unique index on a table of the same keys, in
# random order.  Keys are looked up one by one, inserted and deleted.

# Statements that take turns, two for each column, and the keys by which their
# difference is divided, which is then in nanoseconds; 0 leaves milliseconds.
statements=()
divisors=()

# STATEMENT [WITHOUT KEYS]
column()
{
	statements+=("$1" "${2:-\\echo Time: 0}")
	divisors+=("${3:-0}")
}

# Take turns; set columns to the median of each.
take_columns()
{
	take_times "${statements[@]}"
	read -r -a columns < <(awk -v divisors="${divisors[*]}" '
		BEGIN { n = split(divisors, keys, " ") }
		{
			for (i = 1; i <= n; i++)
				printf "%f ", ($(2 * i - 1) - $(2 * i)) * (keys[i] ? 1e6 / keys[i] : 1)
			print ""
		}' "$times" | medians)
	statements=()
	divisors=()
}

# A line of the table: P TYPE BITS RATE COLUMN...; the last two may be missing
print_type()
{
	printf '| %s | %s | %.1f | %s | %.0f | %.0f | %.0f | %.0f | %.2f |' "${@:1:9}"
	if [ $# -gt 9 ]; then printf ' %.0f | %.2f |\n' "${@:10}"; else echo ' | |'; fi
	(IFS=,; echo "$*") >>"$results/types.csv"
}

# The filters of a type, and the columns for them: TYPE P
type_columns()
{
	local type=$1 p=$2 capacity keys_of
	local full="(SELECT f::bytea::$type FROM full_$type)"
	local renew="TRUNCATE stored_$type; INSERT INTO stored_$type TABLE small_$type"

	sql -c "CREATE TABLE full_$type AS SELECT ${type}_agg(id, $keys, $p) AS f FROM present"
	capacity=$(sql -c "SELECT $keys * 1048576::bigint / octet_length(f::bytea) FROM full_$type")
	sql -c "CREATE TABLE half_$type AS SELECT ${type}_agg(id, $keys, $p) AS f FROM present WHERE id <= $keys / 2" \
		-c "CREATE TABLE more_$type AS SELECT ${type}_add_all(f, a) AS f FROM half_$type, batch" \
		-c "CREATE TABLE small_$type AS SELECT ${type}_agg(i, $capacity, $p) AS f FROM generate_series(1::bigint, $capacity / 2) i" \
		-c "CREATE TABLE stored_$type AS TABLE small_$type"

	column "SELECT ${type}_agg(id, $keys, $p) IS NULL FROM present" \
		'SELECT count(id) FROM present' $keys
	for keys_of in present absent; do
		column "SELECT count(${type}_contains($full, id)) FROM $keys_of" \
			"SELECT count(id) FROM $keys_of WHERE ${type}_cardinality($full) > 0" $keys
	done
	column "SELECT ${type}_cardinality(${type}_add_all(f, a)) FROM half_$type, batch" \
		"SELECT ${type}_cardinality(${type}_add_all(f, one)) + array_length(a, 1) FROM half_$type, batch" \
		$((keys / 10))
	column "$renew; UPDATE stored_$type SET f = ${type}_add(f, -1)"
	[ "$type" != bloom ] || return 0
	column "SELECT ${type}_cardinality(${type}_remove_all(f, a)) FROM more_$type, batch" \
		"SELECT ${type}_cardinality(${type}_remove_all(f, one)) + array_length(a, 1) FROM more_$type, batch" \
		$((keys / 10))
	column "$renew; UPDATE stored_$type SET f = ${type}_remove(f, 1)"
}

# The same of a unique index.
index_columns()
{
	local keys_of renew="TRUNCATE indexed; INSERT INTO indexed SELECT id FROM present WHERE id <= $keys / 2"

	sql -c 'CREATE TABLE indexed (id bigint UNIQUE)' \
		-c 'CREATE UNIQUE INDEX present_id ON present (id)' -c 'VACUUM ANALYZE present'

	column 'DROP INDEX present_id; CREATE UNIQUE INDEX present_id ON present (id)' \
		'SELECT count(id) FROM present' $keys
	for keys_of in present absent; do
		column "SELECT count(coalesce((SELECT true FROM present p WHERE p.id = k.id), false)) FROM $keys_of k" \
			"SELECT count(id) FROM $keys_of" $keys
	done
	column "$renew; INSERT INTO indexed SELECT unnest(a) FROM batch" \
		'SELECT count(u) FROM batch, unnest(a) u' $((keys / 10))
	column 'INSERT INTO indexed VALUES (-1)'
	column 'DELETE FROM indexed s USING batch, unnest(a) u WHERE s.id = u' \
		'SELECT count(u) FROM batch, unnest(a) u' $((keys / 10))
	column 'DELETE FROM indexed WHERE id = 1'
}

measure_types()
{
	local rounds=$((rounds > 5 ? 5 : rounds)) keys=$((rows / 10))
	local p type row size rate columns types=(bloom counting_bloom cuckoo)

	heading "types: $keys keys, medians of $rounds rounds; ns a key, of add and remove ms"
	echo
	echo '| p | type | bits | rate | build | present | absent | add_all | add | remove_all | remove |'
	echo '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |'
	echo 'p,type,bits,rate,build_ns,present_ns,absent_ns,add_all_ns,add_ms,remove_all_ns,remove_ms' \
		>"$results/types.csv"

	# array: not compressed, as the filters are not
	sql -c "CREATE TABLE present AS SELECT id FROM numbers WHERE id <= $keys ORDER BY hashint8(id)" \
		-c 'CREATE TABLE absent AS SELECT -id AS id FROM present' \
		-c 'CREATE TABLE batch (a bigint[], one bigint[])' \
		-c 'ALTER TABLE batch ALTER a SET STORAGE EXTERNAL' \
		-c "INSERT INTO batch SELECT array_agg(id), (array_agg(id))[1:1] FROM present WHERE id > $keys / 2 AND id <= $keys / 2 + $keys / 10" \
		-c 'VACUUM ANALYZE'

	for p in 0.03 0.01 0.001 0.0001; do
		for type in "${types[@]}"; do
			type_columns "$type" $p
		done
		take_columns
		for type in "${types[@]}"; do
			size=$(sql -c "SELECT octet_length(f::bytea) * 8.0 / $keys FROM full_$type")
			rate=$(sql -c "SELECT count(*) / $rows.0 FROM numbers WHERE ${type}_contains((SELECT f FROM full_$type), -id)")
			rate=$(printf '%.4f %%' "$(awk -v r="$rate" 'BEGIN { print 100 * r }')")
			row=7
			[ "$type" != bloom ] || row=5
			print_type $p "$type" "$size" "$rate" "${columns[@]:0:row}"
			columns=("${columns[@]:row}")
			sql -c "DROP TABLE full_$type, half_$type, more_$type, small_$type, stored_$type"
		done
	done

	index_columns
	take_columns
	size=$(sql -c "SELECT pg_relation_size('present_id') * 8.0 / $keys")
	print_type '' 'unique index' "$size" 0 "${columns[@]}"
	sql -c 'DROP TABLE present, absent, batch, indexed'
}
