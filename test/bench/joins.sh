# joins.sh
#    Queries that join: as they are, with filters written by hand, and with bloomtype_join.
#
# The Star Schema Benchmark, twice: with keys that are equally common, and with dates and parts
# by Zipf's law; or once, with the rows of --tbl.  Then a star, a snowflake, joins that spill, one
# where all rows pass, and stored filters (joins_queries.sql).  Then joins that have no filter
# written by hand: keys of other types, queries of the shape of TPC-H's, and joins of many
# tables whose columns depend on each other (module_queries.sql).  Each line has:
#
#    time      of the query as it is: median of the rounds, in ms
#    by hand   the ratio of that to the median with filters written by hand; lowest, of the shortest
#              times; CPU, of the processor time of the server process
#    module    the same with bloomtype_join, by its defaults; filters, how many it attaches
#              (with none, the ratio is noise); kB, the memory of these while they are built
#
# All in memory, without parallel workers but for the last set.  The planner's time is that of
# 200 EXPLAINs.

# The queries of a file: NAME FILE writes $private/query.N.{name,with,without,settings}, N from 1 on.
split_queries()
{
	rm -f "$private"/query.*
	awk -v prefix="$private/query" '
		/^-- .*:/ || /^-- Q/ {
			name = $0
			sub(/^-- /, "", name)
			sub(/:.*/, "", name)
			named = name ~ /^(Q[0-9.]+|star|snowflake|spill|all pass|stored|text|uuid|two|TPC-H|films|tiny|twelve)/
			if (named) {
				n++
				print name > (prefix "." n ".name")
			}
			next
		}
		named && /^SET / {
			print > (prefix "." n ".settings")
			next
		}
		named && NF && !/^--/ {
			sub(/;$/, "")
			if (/^\tAND bloom_contains/)
				print name > (prefix "." n ".by_hand")
			print > (prefix "." n ".with")
			if (!/^\tAND bloom_contains/) {
				sub(/, stored_filter/, "")
				sub(/ AND name = .dim_a./, "")
				print > (prefix "." n ".without")
			}
		}' "$1"
	for settings in "$private"/query.*.without; do
		touch "${settings%.without}.settings"
		cp "$settings" "${settings%.without}.module"
	done
}

# What the server process has used of the processor, in nanoseconds
cpu="split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint"

# A statement before a form of a query: the module is for one of them only.
setting_of()
{
	local enable=off

	[ "$1" != module ] || enable=${module_enable:-on}
	echo "SET bloomtype_join.enable = $enable;"
}

# Lines `TIME CPU TIME CPU...', in ms, of the forms of a query that take turns: QUERY FORM...; a
# line a round; the first round is not counted, but its results are compared.
take_turns()
{
	local query=$1 round form
	shift

	{
		echo "LOAD 'bloomtype_join';"
		cat "$query.settings"
		for ((round = 0; round <= rounds; round++)); do
			for form in "$@"; do
				setting_of "$form"
				printf 'SELECT %s AS before \\gset\n\\timing on\n' "$cpu"
				cat "$query.$form"
				if [ $round = 0 ]; then printf '\\g %s\n' "$query.$form.rows"; else echo '\g /dev/null'; fi
				printf '\\timing off\nSELECT %s - :before AS used \\gset\n\\echo used :used\n' "$cpu"
			done
		done
	} | sql >"$times.raw"
	for form in "$@"; do
		sort "$query.$form.rows" | cmp -s - <(sort "$query.without.rows") ||
			die "$(cat "$query.name"): other results"
	done
	awk -v forms=$# '
		/^Time: / { time = $2 }
		/^used / {
			row = row " " time " " $2 / 1e6
			if (++seen % forms == 0) { if (seen > forms) print row; row = "" }
		}' "$times.raw" >"$times"
}

# What bloomtype_join attaches to a query, `FILTERS KB', and the time to plan it, as a ratio: QUERY
attached()
{
	local query=$1 form

	{
		echo "LOAD 'bloomtype_join';"
		cat "$query.settings"
		setting_of module
		echo 'EXPLAIN (ANALYZE, TIMING OFF)'
		cat "$query.module"
		echo ';'
	} | sql | awk '/\(BloomtypeBuild\)/ { n++ } /Peak Memory: / { kb += $(NF - 1) }
		END { printf "%d %d ", n, kb }'
	{
		echo "LOAD 'bloomtype_join';"
		cat "$query.settings"
		for ((round = 0; round <= 20; round++)); do
			for form in without module; do
				setting_of $form
				printf 'SELECT %s AS before \\gset\n' "$cpu"
				for ((i = 0; i < 10; i++)); do
					echo EXPLAIN
					cat "$query.$form"
					echo '\g /dev/null'
				done
				printf 'SELECT %s - :before;\n' "$cpu"
			done
		done
	} | sql | paste -d ' ' - - | tail -n +2 | medians | awk '{ printf "%.3f\n", $2 / $1 }'
}

# Measure the queries of a file: SET FILE; ends with the geometric mean
measure_queries()
{
	local set=$1 file=$2 query n forms

	split_queries "$file"
	printf '\n%-30s %9s | %7s %7s %7s | %7s %7s %7s %7s %7s %8s\n' "$set" 'time, ms' \
		'by hand' lowest CPU module lowest CPU filters kB planning
	for ((n = 1; ; n++)); do
		query=$private/query.$n
		[ -f "$query.name" ] || break
		forms=(without module)
		[ ! -f "$query.by_hand" ] || forms+=(with)
		take_turns "$query" "${forms[@]}"
		{
			awk '{ for (i = 1; i <= NF; i++) if (NR == 1 || $i < low[i]) low[i] = $i }
				END { for (i = 1; i <= NF; i++) printf "%s ", low[i]; print "" }' "$times"
			medians <"$times"
			attached "$query"
		} | tr '\n' ' ' | awk -v name="$(cat "$query.name")" -v set="$set" -v csv="$results/joins.csv" \
			-v forms="${#forms[@]}" '
			{
				n = 2 * forms
				for (i = 1; i <= n; i++) { low[i] = $i; time[i] = $(n + i) }
				hand = "      -       -       -"
				hand_csv = ","
				if (forms == 3) {
					hand = sprintf("%7.2f %7.2f %7.2f", time[1] / time[5], low[1] / low[5], time[2] / time[6])
					hand_csv = sprintf("%.3f,%.3f", time[1] / time[5], time[2] / time[6])
				}
				printf "  %-28s %9.1f | %s | %7.2f %7.2f %7.2f %7d %7d %8.3f\n", name, time[1], hand,
					time[1] / time[3], low[1] / low[3], time[2] / time[4], $(2 * n + 1), $(2 * n + 2), $(2 * n + 3)
				printf "\"%s\",\"%s\",%.1f,%s,%.3f,%.3f,%d,%d,%.3f\n", set, name, time[1], hand_csv,
					time[1] / time[3], time[2] / time[4], $(2 * n + 1), $(2 * n + 2), $(2 * n + 3) >>csv
			}'
	done
}

# Geometric mean and worst of a set, by hand and with the module
summarize()
{
	awk -F '"?,"?' -v set="\"$1" '
		function note(column, value)
		{
			if (value == "") return
			n[column]++
			sum[column] += log(value)
			if (!(column in worst) || value < worst[column]) worst[column] = value
		}
		function mean(column) { return n[column] ? sprintf("%7.2f", exp(sum[column] / n[column])) : "      -" }
		function least(column) { return n[column] ? sprintf("%7.2f", worst[column]) : "      -" }
		$1 == set { for (i = 4; i <= 7; i++) note(i, $(NF - 10 + i)) }
		END {
			printf "  %-28s %9s | %s %7s %s | %s %7s %s\n", "geometric mean", "", mean(4), "", mean(5), mean(6), "", mean(7)
			printf "  %-28s %9s | %s %7s %s | %s %7s %s\n", "worst", "", least(4), "", least(5), least(6), "", least(7)
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
	echo 'set,query,time,by hand,by hand CPU,module,module CPU,filters,kB,planning' >"$results/joins.csv"
	if [ -n "$tbl" ]; then
		measure_ssb 'SSB of files' 0
	else
		measure_ssb 'SSB' 0
		measure_ssb 'SSB skewed' 1
	fi
	sql -c "SET client_min_messages = error; DROP TABLE IF EXISTS lineorder"
	sql -f "$top/test/bench/joins_tables.sql"
	measure_queries 'other joins' "$top/test/bench/joins_queries.sql"
	module_enable=force measure_queries 'other joins, force' "$top/test/bench/joins_queries.sql"
	sql -v scale="$scale" -f "$top/test/bench/module_tables.sql"
	measure_queries 'without filters by hand' "$top/test/bench/module_queries.sql"
	summarize 'without filters by hand'
	echo
	cat "$top"/test/bench/{ssb,joins,module}_queries.sql
}
