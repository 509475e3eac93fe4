# tpc.sh
#    Public benchmarks, and a stand-in of the Join Order Benchmark, with bloomtype_join
#    and bloomtype_plan.
#
# A folder of `tpc' has what the generators of TPC-H, TPC-DS or SSB write (.tbl or .dat files), the
# tables and keys as their kits give them (tpcds.sql, tpcds_ri.sql; dss.ddl, dss.ri; ssb.ddl,
# ssb.ri), and queries/*.sql, from qgen, dsqgen or anyone.  Those of SSB may be missing: they are
# in ssb_queries.sql.
#
# Each query is planned with each of the page costs in five forms, bloomtype_join.enable and
# bloomtype_plan.enable: off, on/off, off/on, on/on and force/on.  What has the same plan is executed once (EXPLAIN
# without costs is compared); different plans take turns, and the least processor time of the server
# process counts, with its parallel workers and planning.  A table for each page cost has:
#
#    off        in ms
#    on/off...  the time of off, divided by that of the form; `=' where the plan is that of off
#    filters    that on/off and on/on attach
#    planning   processor time of EXPLAIN, which also prepares the execution: of off, in ms; of on/off
#               and on/on, divided by that
#    notes      `ties': rows differ, but do not without the last LIMIT; `OTHER ROWS': they do
#
# `-' stands for a form that did not end in time.  Means are geometric, of the queries that end in
# all forms; `worst' of those with another plan than off.

# What the server process and its parallel workers that have ended have used of the processor, in
# nanoseconds; of the workers in steps of 10 ms
cpu_with_workers="$cpu + (SELECT (fields[16]::bigint + fields[17]::bigint) * 10000000
	FROM string_to_array(pg_read_file('/proc/' || split_part(pg_read_file('postmaster.pid'), E'\n', 1) || '/stat'), ' ') AS fields)"

tpc_forms=(off on/off off/on on/on force/on)

# The settings of a form, PAGE_COST:ENABLE/ESTIMATE
set_form()
{
	local join=${1#*:}

	echo "SET random_page_cost = ${1%:*};"
	echo "SET bloomtype_join.enable = ${join%/*}; SET bloomtype_plan.enable = ${join#*/};"
}

# A session of both libraries: what is read of it, with the settings and the views of a QUERY
tpc_session()
{
	local query=$1 setting

	{
		echo "LOAD 'bloomtype_join'; LOAD 'bloomtype_plan';"
		for setting in "statement_timeout=$time_limit" "${settings[@]}"; do
			printf "SET %s = '%s';\n" "${setting%%=*}" "${setting#*=}"
		done
		cat "$query.before"
		cat
		echo 'SET statement_timeout = 0;'
		cat "$query.after"
	} | sql -v ON_ERROR_STOP=0 2>>"$results/tpc.errors"
}

# The statements of files, each to $private/tpc/N.{name,sql}, and to N.{before,after} the views and
# settings that it needs.  `limit' after a semicolon is as qgen puts it; -1 stands for none.
split_statements()
{
	rm -rf "$private/tpc"
	mkdir "$private/tpc"
	awk -v folder="$private/tpc/" '
		function put(suffix, what) { printf "%s", what >>(folder n suffix) }
		function emit()
		{
			if (tolower(held) ~ /^(create|set) /)
				before = before held ";\n"
			else if (tolower(held) ~ /^drop/)
				put(".after", held ";\n")
			else if (held != "") {
				n++
				part = name == last ? part + 1 : 1
				last = name
				put(".name", name (part > 1 ? "." part : ""))
				put(".sql", held)
				put(".before", before)
				put(".after", "")
			}
			held = ""
		}
		function finish()
		{
			sub(/^[ \t\n]+/, "", text)
			if (tolower(text) ~ /^limit/)
				held = held (text ~ /-1/ ? "" : "\n" text)
			else if (text != "") {
				emit()
				held = text
			}
			text = ""
		}
		FNR == 1 {
			finish(); emit()
			before = ""
			name = FILENAME
			gsub(/.*\/|\.sql$/, "", name)
		}
		/^-- [A-Za-z0-9.]+\r?$/ { finish(); emit(); name = $2 }
		/^-- start query .*query[0-9]+\.tpl/ {
			finish(); emit()
			name = $NF
			gsub(/[^0-9]/, "", name)
		}
		/^[ \t]*--/ || /^\tAND bloom_contains/ { next }
		{ sub(/ day \(3\)/, " day") }
		/;[ \t\r]*$/ {
			sub(/;[ \t\r]*$/, "")
			text = text $0 "\n"
			finish()
			next
		}
		{ text = text $0 "\n" }
		END { finish(); emit() }' "$@"
}

# What is explained of a query: a statement that it has a function run, or all of it
statement_of()
{
	sed -zE 's/^SELECT [a-z]+\(\$\$(.*)\$\$.*/\1\n/' "$1.sql"
}

# The plans of a query, to $query.FORM.plan; plan_of[FORM] is the first form with the same plan
plan_forms()
{
	local query=$1 form other

	for form in "${!forms[@]}"; do
		set_form "${forms[form]}"
		echo 'EXPLAIN (COSTS OFF)'
		statement_of "$query"
		printf '\\g %s\n' "$query.$form.plan"
	done | tpc_session "$query"
	for form in "${!forms[@]}"; do
		for ((other = 0; other < form; other++)); do
			! cmp -s "$query.$other.plan" "$query.$form.plan" || break
		done
		plan_of[form]=$other
	done
}

# The least processor times, in ms, of the plans of a query, into plan_time[FORM]; none if it does
# not end.  The rows: $query.FORM.rows
time_plans()
{
	local query=$1 form round used

	{
		for form in "${!forms[@]}"; do echo "\\set late_$form 0"; done
		for ((round = 1; round <= rounds; round++)); do
			for form in "${!forms[@]}"; do
				[ "${plan_of[form]}" = "$form" ] || continue
				printf '\\if :late_%s\n\\else\n' "$form"
				set_form "${forms[form]}"
				printf 'SELECT %s AS before \\gset\n' "$cpu_with_workers"
				cat "$query.sql"
				printf '\\g %s\n' "$query.$form.rows"
				printf '\\if :ERROR\n\\set late_%s 1\n\\echo late %s\n\\else\n' "$form" "$form"
				printf 'SELECT %s - :before AS used \\gset\n\\echo used %s :used\n\\endif\n\\endif\n' "$cpu_with_workers" "$form"
			done
		done
	} | tpc_session "$query" >"$times.raw"
	while read -r form used; do
		plan_time[form]=$used
	done < <(awk '
		$1 == "late" { late[$2] = 1 }
		$1 == "used" && (!($2 in least) || $3 < least[$2]) { least[$2] = $3 }
		END { for (form in least) if (!(form in late)) printf "%d %.1f\n", form, least[form] / 1e6 }' "$times.raw")
}

# Rows of a form against those of another: nothing if they are the same, `ties' if they are but for
# which of equal rows the last LIMIT lets through
compare_rows()
{
	local query=$1 one=$2 other=$3 form

	same_rows() { cmp -s <(sort "$query.$one.$1") <(sort "$query.$other.$1"); }
	! same_rows rows || return 0
	for form in "$one" "$other"; do
		set_form "${forms[form]}"
		sed -zE 's/\slimit\s+[0-9]+\s*$//I' "$query.sql"
		printf '\\g %s\n' "$query.$form.all"
	done | tpc_session "$query"
	if [ -s "$query.$one.all" ] && same_rows all; then echo ties; else echo 'OTHER ROWS'; fi
}

# The processor time of EXPLAIN: of off, in ms; of on/off and on/on, as ratios to it
planning_of()
{
	local query=$1 round form i

	for ((round = 0; round <= 5; round++)); do
		for form in off on/off on/on; do
			set_form "${page_costs%%,*}:$form"
			printf 'SELECT %s AS before \\gset\n' "$cpu"
			for ((i = 0; i < 3; i++)); do
				echo EXPLAIN
				statement_of "$query"
				echo '\g /dev/null'
			done
			printf 'SELECT %s - :before;\n' "$cpu"
		done
	done | tpc_session "$query" | paste -d ' ' - - - | awk '
		NR > 1 { for (i = 1; i <= 3; i++) if (NR == 2 || $i < least[i]) least[i] = $i }
		END { printf "%.2f,%.3f,%.3f\n", least[1] / 3e6, least[2] / least[1], least[3] / least[1] }'
}

# Measure a query: lines of $results/tpc.csv, one for each form
measure_tpc_query()
{
	local suite=$1 query=$2 form plan base= note planning
	local -a plan_of=() plan_time=() notes=()

	plan_forms "$query"
	if [ ! -s "$query.0.plan" ]; then
		echo "$suite $(cat "$query.name") is refused: $results/tpc.errors"
		return
	fi
	time_plans "$query"
	for form in "${!plan_time[@]}"; do
		base=${base:-$form}
		[ "$form" = "$base" ] || notes[form]=$(compare_rows "$query" "$base" "$form")
	done
	planning=$(planning_of "$query")
	for form in "${!forms[@]}"; do
		plan=${plan_of[form]}
		echo "$suite,$(cat "$query.name"),${forms[form]/:/,},${plan_time[plan]:-},$plan,$(
			grep -c '(BloomtypeBuild)' "$query.$form.plan"),${notes[plan]:-},$planning"
	done >>"$results/tpc.csv"
}

# The table of a suite with a page cost, from $results/tpc.csv
print_tpc_table()
{
	printf '\n%-12s %9s |' "$1" off
	printf ' %9s' "${tpc_forms[@]:1}"
	printf ' | filters |    planning, ms | random_page_cost = %s\n' "$2"
	awk -F , -v suite="$1" -v cost="$2" -v list="${tpc_forms[*]}" '
		BEGIN { n = split(list, forms, " ") }
		$1 != suite || $3 != cost { next }
		{
			if (!($2 in line)) { line[$2] = ++lines; name[lines] = $2 }
			q = line[$2]
			time[q, $4] = $5; plan[q, $4] = $6; filters[q, $4] = $7
			if ($8 != "") notes[q] = notes[q] " " $4 ": " $8 ";"
			planning[q] = sprintf("%6.1f %4.2f %4.2f", $9, $10, $11)
			log_planning[1] += log($10) / n; log_planning[2] += log($11) / n
			if ($11 > most[2]) most[2] = $11
			if ($10 > most[1]) most[1] = $10
		}
		function row(title, values, format,    f)
		{
			printf "  %-20s |", title
			for (f = 2; f <= n; f++)
				if (forms[f] in values) printf format, values[forms[f]]
				else printf " %9s", "-"
		}
		END {
			for (q = 1; q <= lines; q++) {
				printf "  %-10s %9s |", name[q], time[q, "off"] == "" ? "-" : time[q, "off"]
				all = 1
				for (f = 1; f <= n; f++)
					all = all && time[q, forms[f]] != ""
				for (f = 2; f <= n; f++) {
					form = forms[f]
					same = plan[q, form] == plan[q, "off"]
					if (time[q, "off"] == "" || time[q, form] == "") {
						printf " %9s", time[q, form] == "" ? "-" : time[q, form] " ms"
						continue
					}
					ratio = time[q, "off"] / time[q, form]
					printf " %8.2f%s", ratio, same ? "=" : " "
					if (!same) {
						changed[form]++
						if (!(form in worst) || ratio < worst[form]) { worst[form] = ratio; which[form] = name[q] }
					}
					if (all) {
						mean[form] += log(ratio)
						sum[form] += time[q, form]
					}
				}
				if (all) { ended++; off += time[q, "off"] }
				printf " | %3d %3d | %s |%s\n", filters[q, "on/off"], filters[q, "on/on"], planning[q], notes[q]
			}
			for (f = 2; ended && f <= n; f++) {
				mean[forms[f]] = exp(mean[forms[f]] / ended)
				sum[forms[f]] = off / sum[forms[f]]
			}
			row("mean of " ended, mean, " %9.2f")
			printf " |         |        %4.2f %4.2f |\n", exp(log_planning[1] / lines), exp(log_planning[2] / lines)
			row("of their sums", sum, " %9.2f"); print ""
			row("worst", worst, " %9.2f")
			printf " |         |        %4.2f %4.2f |\n", most[1], most[2]
			row("which", which, " %9s"); print ""
			row("plans changed", changed, " %9d"); print ""
		}' "$results/tpc.csv"
}

# Measure the statements of files: SUITE FILE...
measure_statements()
{
	local suite=$1 page_cost form n
	local -a forms=()
	shift

	for page_cost in ${page_costs//,/ }; do
		for form in "${tpc_forms[@]}"; do
			forms+=("$page_cost:$form")
		done
	done
	split_statements "$@"
	for ((n = 1; ; n++)); do
		[ -f "$private/tpc/$n.sql" ] || break
		measure_tpc_query "$suite" "$private/tpc/$n"
	done
	for page_cost in ${page_costs//,/ }; do
		print_tpc_table "$suite" "$page_cost"
	done
}

# Indexes on foreign keys that no other index begins with, if wanted, and statistics
finish_tables()
{
	[ -z "$index_foreign_keys" ] || sql -c "
		SELECT format('CREATE INDEX ON %s (%s);', conrelid::regclass, string_agg(quote_ident(attname), ', ' ORDER BY i))
		FROM pg_constraint, unnest(conkey) WITH ORDINALITY AS k (key, i), pg_attribute
		WHERE contype = 'f' AND attrelid = conrelid AND attnum = key AND NOT EXISTS (
			SELECT FROM pg_index WHERE indrelid = conrelid AND (indkey::int2[])[0 : cardinality(conkey) - 1] = conkey)
		GROUP BY pg_constraint.oid, conrelid" | sql
	sql -c 'VACUUM ANALYZE'
}

# Load the files of a folder into a database of its own
load_tpc()
{
	local folder=$1 file table

	shopt -s nullglob
	find "$folder" -maxdepth 1 \( -name tpcds.sql -o -name '*.ddl' \) -exec cat {} + | sql
	for file in "$folder"/*.{tbl,dat}; do
		table=$(basename "${file%.*}")
		sed 's/|$//' "$file" | sql -c 'SET client_encoding = latin1' -c "COPY $table FROM STDIN DELIMITER '|' NULL ''"
	done
	# written for another server, and for a table `date_' with one line an order
	find "$folder" -maxdepth 1 \( -name '*_ri.sql' -o -name '*.ri' \) -exec cat {} + | sed -E '
		/^(CONNECT|COMMIT)/d
		s/TPCD\.//gI
		s/FOREIGN KEY [A-Z]+_FK[0-9] /FOREIGN KEY /
		s/\bdate_\b/date/g
		s/\(lo_orderkey\)/(lo_orderkey, lo_linenumber)/' | sql
	shopt -u nullglob
	finish_tables
}

measure_tpc()
{
	local folder suite files

	for folder in "${folders[@]}"; do
		suite=$(basename "$folder")
		createdb "$suite"
		PGDATABASE=$suite load_tpc "$folder"
		files=("$folder"/queries/*.sql)
		[ -f "${files[0]}" ] || files=("$top/test/bench/ssb_queries.sql")
		PGDATABASE=$suite measure_statements "$suite" "${files[@]}"
	done
}

measure_job()
{
	createdb job
	PGDATABASE=job sql -v scale="$scale" -f "$top/test/bench/job_tables.sql"
	PGDATABASE=job finish_tables
	PGDATABASE=job measure_statements JOB "$top/test/bench/job_queries.sql"
}
