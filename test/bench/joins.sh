# joins.sh
#    Queries that join, with filters written by hand and without, and the same results.
#
# The Star Schema Benchmark, twice: with keys that are equally common, and with dates and parts
# by Zipf's law; or once, with the rows of --tbl.  Then a star, a snowflake, joins that spill, one
# where all rows pass, and stored filters (joins_queries.sql).  Each line has, of the query
# without and with filters:
#
#    time      median of the rounds, in ms; the ratio says how many times faster filters make it
#    lowest    the ratio of the shortest times
#    CPU       the same ratio, of the processor time of the server process
#
# All in memory, without parallel workers.

# The queries of a file: NAME FILE writes $private/query.N.{name,with,without}, N from 1 on.
split_queries()
{
	rm -f "$private"/query.*
	awk -v prefix="$private/query" '
		/^-- .*:/ || /^-- Q/ {
			name = $0
			sub(/^-- /, "", name)
			sub(/:.*/, "", name)
			if (name ~ /^(Q[0-9.]+|star|snowflake|spill|all pass|stored)/) {
				n++
				print name > (prefix "." n ".name")
			}
			next
		}
		n && NF && !/^--/ {
			sub(/;$/, "")
			print > (prefix "." n ".with")
			if (!/^\tAND bloom_contains/) {
				sub(/, stored_filter/, "")
				sub(/ AND name = .dim_a./, "")
				print > (prefix "." n ".without")
			}
		}' "$1"
}

# What the server process has used of the processor, in nanoseconds
cpu="split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint"

# Lines `TIME CPU TIME CPU', in ms, of the two forms of a query that take turns: a line a
# round; the first round is not counted, but its results are compared.
take_turns()
{
	local query=$1 round form

	for ((round = 0; round <= rounds; round++)); do
		for form in without with; do
			printf 'SELECT %s AS before \\gset\n\\timing on\n' "$cpu"
			cat "$query.$form"
			if [ $round = 0 ]; then printf '\\g %s\n' "$query.$form.rows"; else echo '\g /dev/null'; fi
			printf '\\timing off\nSELECT %s - :before AS used \\gset\n\\echo used :used\n' "$cpu"
		done
	done | sql >"$times.raw"
	cmp -s "$query.without.rows" "$query.with.rows" || die "$(cat "$query.name"): other results"
	awk '
		/^Time: / { time = $2 }
		/^used / {
			row = row " " time " " $2 / 1e6
			if (++seen % 2 == 0) { if (seen > 2) print row; row = "" }
		}' "$times.raw" >"$times"
}

# Measure the queries of a file: SET FILE [SETTINGS...]; ends with the geometric mean
measure_queries()
{
	local set=$1 file=$2 query n line

	split_queries "$file"
	printf '\n%-32s %10s %10s %7s %7s %7s\n' "$set" 'without' 'with' 'ratio' 'lowest' 'CPU'
	for ((n = 1; ; n++)); do
		query=$private/query.$n
		[ -f "$query.name" ] || break
		take_turns "$query"
		line=$(awk '{ for (i = 1; i <= 4; i++) if (NR == 1 || $i < low[i]) low[i] = $i }
			END { print low[1] / low[3] }' "$times")
		read -r without cpu_without with cpu_with < <(medians <"$times")
		awk -v name="$(cat "$query.name")" -v a="$without" -v b="$with" -v low="$line" \
			-v ca="$cpu_without" -v cb="$cpu_with" -v set="$set" -v csv="$results/joins.csv" '
			BEGIN {
				printf "  %-30s %10.0f %10.0f %7.2f %7.2f %7.2f\n", name, a, b, a / b, low, ca / cb
				printf "\"%s\",\"%s\",%.1f,%.1f,%.3f,%.3f,%.3f\n", set, name, a, b, a / b, low, ca / cb >>csv
			}'
	done
}

# Geometric mean and worst of a set.
summarize()
{
	awk -F '"?,"?' -v set="\"$1" '
		$1 == set {
			n++
			sum += log($5)
			cpu += log($7)
			if (n == 1 || $5 < worst) worst = $5
		}
		END {
			printf "  %-30s %10s %10s %7.2f %7s %7.2f\n", "geometric mean", "", "", exp(sum / n), "", exp(cpu / n)
			printf "  %-30s %10s %10s %7.2f\n", "worst", "", "", worst
		}' "$results/joins.csv"
}

measure_ssb()
{
	sql -c 'SET client_min_messages = warning' -c 'DROP TABLE IF EXISTS date, customer, supplier, part, lineorder'
	sql -f "$top/test/bench/ssb_tables.sql"
	if [ -n "$tbl" ]; then
		for table in date customer supplier part lineorder; do
			sed 's/|$//' "$tbl/$table.tbl" | sql -c "COPY $table FROM STDIN DELIMITER '|'"
		done
	else
		sql -v scale="$scale" -v skew="$2" -f "$top/test/bench/ssb_data.sql"
	fi
	sql -c 'VACUUM ANALYZE date, customer, supplier, part, lineorder'
	measure_queries "$1" "$top/test/bench/ssb_queries.sql"
	summarize "$1"
}

measure_joins()
{
	echo 'set,query,without,with,ratio,lowest,CPU' >"$results/joins.csv"
	if [ -n "$tbl" ]; then
		measure_ssb 'SSB of files' 0
	else
		measure_ssb 'SSB' 0
		measure_ssb 'SSB skewed' 1
	fi
	sql -c "SET client_min_messages = error; DROP TABLE IF EXISTS lineorder"
	sql -f "$top/test/bench/joins_tables.sql"
	measure_queries 'other joins' "$top/test/bench/joins_queries.sql"
	echo
	cat "$top/test/bench/ssb_queries.sql" "$top/test/bench/joins_queries.sql"
}
