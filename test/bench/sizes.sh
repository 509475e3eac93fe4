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

	gnuplot <<-END
		set terminal svg size 720,400 font "sans-serif,13" background "white"
		set output "$results/sizes.svg"
		set datafile separator ","
		set title "Time per row of $rows rows against the number of keys"
		set xlabel "keys (each about 10 bits of filter)"
		set ylabel "nanoseconds per row"
		set logscale x
		set format x "10^{%L}"
		set xrange [500:2e7]
		set yrange [0:]
		set grid ytics linecolor "#dddddd"
		set border 3
		set tics nomirror
		set key left top Left reverse samplen 2
		plot "$file" using 1:5 with linespoints linewidth 2 linecolor "#b2182b" pointtype 7 title "EXISTS (a hash semi-join)", \\
			"" using 1:4 with linespoints linewidth 2 linecolor "#2166ac" pointtype 7 title "bloom\\\\_contains (and building the filter)", \\
			"" using 1:3 with lines linewidth 2 linecolor "#777777" title "scan with a cheap condition"
	END
}
