# matrix.sh
#    Which of many filters may have a key: matrices of them, against a scan.
#
# Two tables of filters at 1 %: with 10 million rows, 10,000 of 100,000 keys each and 100,000 of
# 1,000, each filter made of keys of its own.  Of each, tables of matrices with 256 filters in a
# value and more.  The question is which filters may have a key that one of them has:
#
#    scan      SELECT id FROM filters WHERE f @> key
#    search    SELECT s.id FROM matrices, bloom_matrix_search(m, key) s(id)
#
#    size           of the matrices, and divided by that of the filters, both as they are printed
#    build          time of CREATE TABLE AS of all matrices, divided by that of a copy of the
#                   filters, which was made just before
#    memory         peak of a process that builds one value, without shared memory, divided by its size
#    warm           execution time and pages (buffers); each key was asked before.  Without the time
#                   to plan, which is the same for both
#    cold           the same after a restart, nothing of the cluster being in the system's cache
#
# Scan and search take turns; times are medians.  Whether nothing is cached is up to
# posix_fadvise, which Linux follows.

matrix_keys=()

# Make filters, NUMBER of KEYS each, and choose those to ask about: NUMBER KEYS
make_many_filters()
{
	local i

	sql -c 'CREATE TABLE filters (id bigint, f bloom)' \
		-c "INSERT INTO filters SELECT g, (SELECT bloom_agg(g * $2 + i, $2, 0.01) FROM generate_series(1, $2) i) FROM generate_series(0::bigint, $1 - 1) g" \
		-c 'VACUUM ANALYZE filters'
	matrix_keys=()
	for i in 1 2 3 4 5; do
		matrix_keys+=($(($1 * $2 / 7 * i + i * i)))
	done
}

# The statements: KEY, and the table of matrices
scan_for()
{
	echo "SELECT id FROM filters WHERE f @> $1::bigint"
}
search_for()
{
	echo "SELECT s.id FROM $2, bloom_matrix_search(m, $1::bigint) s(id)"
}

# Read the output of EXPLAIN; a line for each: milliseconds, buffers, and of these those read.
read_plans()
{
	awk '
		/Buffers:/ && !seen {
			seen = 1
			hit = read = 0
			for (i = 1; i <= NF; i++) {
				if ($i ~ /^hit=/) hit = substr($i, 5)
				if ($i ~ /^read=/) read = substr($i, 6)
			}
		}
		/Execution Time:/ { print $3, hit + read, read; seen = 0 }'
}

explain='EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, COSTS OFF)'

# Warm: medians of milliseconds and pages of the scan and of tables of matrices, two columns
# each: TABLE...
ask_warm()
{
	local round key table

	for ((round = 0; round <= rounds; round++)); do
		for key in "${matrix_keys[@]}"; do
			echo "$explain $(scan_for "$key");"
			for table in "$@"; do
				echo "$explain $(search_for "$key" "$table");"
			done
		done
	done | sql | read_plans |
		awk -v n=$((1 + $#)) -v skip=$(((1 + $#) * ${#matrix_keys[@]})) '
			NR > skip { row = row " " $1 " " $2; if (NR % n == 0) { print row; row = "" } }' | medians
}

# Restart the server, and drop what the system has cached of its files.
cool_down()
{
	pg_ctl -s -w -m fast -D "$server/data" stop
	sync
	find "$server/data" -type f -exec dd if={} iflag=nocache count=0 status=none \;
	pg_ctl -s -w -D "$server/data" -l "$server/server.log" start
}

# Cold, the same, of one table or the scan: STATEMENT, with KEY for the key
ask_cold()
{
	local key

	for key in "${matrix_keys[@]:0:3}"; do
		cool_down
		# so that the library and the catalogs are read
		sql -c "SELECT f @> 1::bigint, bloom_matrix_search(m, 1::bigint) FROM warm" \
			-c "$explain ${1//KEY/$key}" | read_plans
	done | awk '{ print $1, $3 }' | medians
}

# Peak memory of a process that builds a matrix, divided by the bytes of that: FILTERS
build_memory()
{
	sql <<-END | awk '/^Vm|^Rss/ { kb[$1] = $2 } /^[0-9]/ { bytes = $1 }
		END { printf "%.2f\n", (kb["VmHWM:"] - kb["RssShmem:"] - kb["RssFile:"]) * 1024 / bytes }'
		SELECT bytes FROM (SELECT bloom_matrix_agg(id, f) FROM filters WHERE id < $1) s(m), bloom_matrix_info(m);
		SELECT pg_read_file('/proc/self/status');
	END
}

# Build the matrices, print a line of the table for each number of filters in a value: FILTERS...
measure_matrices()
{
	local n tables=() build=() filters size warm scan_cold cold i

	for n in "$@"; do
		build+=("$(sql <<-END | awk '/^Time: / { time[++n] = $2 } END { print time[2] / time[1] }'
			\timing on
			CREATE TABLE copied AS TABLE filters;
			CREATE TABLE matrices_$n AS SELECT bloom_matrix_agg(id, f) AS m FROM filters GROUP BY id / $n;
			\timing off
			DROP TABLE copied;
			VACUUM ANALYZE matrices_$n;
		END
		)")
		tables+=("matrices_$n")
	done
	filters=$(sql -c 'SELECT sum(octet_length(f::bytea)) FROM filters')
	read -r -a warm < <(ask_warm "${tables[@]}")
	read -r -a scan_cold < <(ask_cold "$(scan_for KEY)")

	printf '| scan | %.0f | | | | %.2f | | %.0f | | %.0f | %.0f |\n' "$(awk -v b="$filters" 'BEGIN { print b / 1e6 }')" \
		"${warm[0]}" "${warm[1]}" "${scan_cold[0]}" "${scan_cold[1]}"
	for ((i = 1; i <= $#; i++)); do
		n=${!i}
		size=$(sql -c "SELECT sum(bytes) FROM matrices_$n, bloom_matrix_info(m)")
		read -r -a cold < <(ask_cold "$(search_for KEY "matrices_$n")")
		echo "$n $size $filters ${build[i - 1]} $(build_memory "$n") \
			${warm[2 * i]} ${warm[0]} ${warm[2 * i + 1]} ${warm[1]} ${cold[*]}"
	done | awk -v name="$(sql -c 'SELECT count(*) FROM filters')" -v csv="$results/matrix.csv" '{
		printf "| %d | %.0f | %.3f | %.2f | %.2f | %.2f | %.0f | %d | %.1f | %.1f | %d |\n", $1, $2 / 1e6, $2 / $3, $4, $5,
			$6, $7 / $6, $8, $9 / $8, $10, $11
		printf "%d,%d,%.3f,%.2f,%.2f,%.3f,%.3f,%d,%d,%.1f,%d\n", name, $1, $2 / $3, $4, $5, $6, $7, $8, $9, $10, $11 >>csv
	}'
	sql -c "DROP TABLE $(IFS=,; echo "${tables[*]}"), filters"
}

measure_matrix()
{
	local lines='| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |'
	local heads='| columns | size, MB | to filters | build | memory | warm, ms | gain | pages | gain | cold, ms | pages read |'
	local server=${server:-$private}

	echo 'filters,columns,size,build,memory,warm_ms,scan_ms,pages,scan_pages,cold_ms,cold_pages' >"$results/matrix.csv"
	sql -c 'CREATE TABLE warm AS SELECT f, bloom_matrix_agg(1, f) AS m FROM bloom_add(bloom_create(10), 1::bigint) f GROUP BY f'

	heading "matrix: $((rows / 1000)) filters of 100,000 keys"
	printf '\n%s\n%s\n' "$heads" "$lines"
	make_many_filters $((rows / 1000)) 100000
	measure_matrices 256 512 1024 2048 4096

	heading "matrix: $((rows / 100)) filters of 1,000 keys"
	printf '\n%s\n%s\n' "$heads" "$lines"
	make_many_filters $((rows / 100)) 1000
	measure_matrices 256 512 1024 2048 4096 8192
	sql -c 'DROP TABLE warm'
}
