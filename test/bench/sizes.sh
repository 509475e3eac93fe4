# sizes.sh
#    Time per row against the number of keys, and a chart of it.
#
# A scan with a cheap condition, the same table against a filter, and against
# the keys themselves.  The filter and the server's hash table are built within
# the statement, so both times include that.

measure_sizes()
{
	local keys bytes scan probe join file=$results/sizes.csv

	heading "time per row of $rows, in nanoseconds, medians of $rounds rounds"
	echo
	printf '%10s %12s %8s %8s %8s\n' keys 'filter bytes' scan probe EXISTS
	echo 'keys,filter_bytes,scan_ns,probe_ns,exists_ns' >"$file"

	for keys in 1000 10000 100000 1000000 10000000; do
		[ $keys -le $rows ] || break
		sql -c "CREATE TABLE keys AS SELECT id FROM numbers WHERE id % ($rows / $keys) = 0" \
			-c 'VACUUM ANALYZE keys'
		bytes=$(sql -c 'SELECT octet_length(bloom_agg(id)::bytea) FROM keys')
		take_times \
			'SELECT count(*) FROM numbers WHERE id & 63 = 0' \
			'SELECT count(*) FROM numbers WHERE bloom_contains((SELECT bloom_agg(id) FROM keys), id)' \
			'SELECT count(*) FROM numbers n WHERE EXISTS (SELECT FROM keys k WHERE k.id = n.id)'
		read -r scan probe join < <(medians <"$times" |
			awk -v rows="$rows" '{ for (i = 1; i <= NF; i++) $i = $i * 1e6 / rows; print }')
		sql -c 'DROP TABLE keys'
		printf '%10d %12d %8.1f %8.1f %8.1f\n' "$keys" "$bytes" "$scan" "$probe" "$join"
		echo "$keys,$bytes,$scan,$probe,$join" >>"$file"
	done

	chart_sizes "$file" "$results/sizes.svg" "$rows"
}
