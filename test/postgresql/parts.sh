# parts.sh
#    The part join-regress of test/run, which sources this: PostgreSQL's own tests, with
#    bloomtype_join in every session, and filters at every join that may have one.
#
# test/bootstrap fetches them, $BLOOMTYPE_TESTS.  EXPLAIN shows plans as they are without filters.
#
# A test passes if its output is what PostgreSQL expects.  Otherwise, all is run once more without
# the library, and the output must be the same as there: what fails on this machine anyhow, or
# with these settings, is no matter.  No test may differ besides, but in the order of rows with
# little memory.
#
# EXPLAIN ANALYZE runs the plan that it shows, the one without filters: such statements of the tests
# show nothing here.

# Tests for a short run, and those that make their tables
short_tests='test_setup copy create_function_c create_misc create_operator create_procedure
	create_table create_type create_schema create_index create_view create_aggregate
	create_function_sql sanity_check join aggregates subselect portals join_hash rowsecurity merge
	select_parallel plpgsql partition_join memoize'

# The schedule of the tests of a mode
schedule_of()
{
	case $1 in
		short)
			awk -v tests="$short_tests" '
				BEGIN		{ n = split(tests, name); for (i = 1; i <= n; i++) wanted[name[i]] }
				/^test:/	{
					line = ""
					for (i = 2; i <= NF; i++) if ($i in wanted) line = line " " $i
					if (line != "") print "test:" line
				}' "$BLOOMTYPE_TESTS/regress/parallel_schedule"
			;;
		isolation) cat "$BLOOMTYPE_TESTS/isolation/isolation_schedule" ;;
		*) cat "$BLOOMTYPE_TESTS/regress/parallel_schedule" ;;
	esac
}

# Lines of configuration for a mode; on the server that is running
settings_of_mode()
{
	case $1 in
		parallel)
			psql -XAtc "SELECT name || ' = regress' FROM pg_settings
				WHERE name IN ('force_parallel_mode', 'debug_parallel_query')"
			;;
		jit) printf '%s\n' 'jit = on' 'jit_above_cost = 0' ;;
		little_memory) printf '%s\n' 'work_mem = 64kB' 'hash_mem_multiplier = 1' ;;
	esac
}

# What the tests load: regress.so, two modules of contrib/, and what hides filters from EXPLAIN
build_test_modules()
{
	local name

	mkdir "$work/modules"
	$(make -s --eval='list: ; @echo $(CC) $(CFLAGS) $(CFLAGS_SL) $(CPPFLAGS) -shared' list) -w \
		-o "$work/modules/regress.so" "$BLOOMTYPE_TESTS/regress/regress.c"
	for name in refint autoinc; do
		cp "$("$PG_CONFIG" --pkglibdir)/$name.so" "$work/modules"
	done
	cp -R test/modules/plain_explain "$work"
	make -s -C "$work/plain_explain"
}

# A plan that must have filters in the sessions of the tests.  In a parallel worker, a join of system
# catalogs would have none.
join_with_filter='CREATE TABLE outer_side AS SELECT generate_series(1, 1000) AS i;
	CREATE TABLE inner_side AS SELECT i FROM outer_side WHERE i < 10;
	SET enable_nestloop = off; SET enable_mergejoin = off;
	EXPLAIN SELECT FROM outer_side JOIN inner_side USING (i)'

# own_tests FOLDER MODE LINE...: run the tests of a mode, on a server with these lines of
# configuration.  FOLDER/log has what is printed, FOLDER/results the output of each test, and
# FOLDER/plan the plan of a join.
own_tests()
{
	local folder=$work/$1 mode=$2 suite=regress runner=pg_regress

	shift 2
	[ "$mode" != isolation ] || { suite=isolation; runner=pg_isolation_regress; }
	mkdir -p "$folder"
	start_server 'max_prepared_transactions = 2' "$@"
	"$(dirname "$("$PG_CONFIG" --pgxs)")/../test/$suite/$runner" --inputdir="$BLOOMTYPE_TESTS/$suite" \
		--outputdir="$folder" --schedule="$work/schedule" --dlpath="$work/modules" \
		--bindir="$(dirname "$(command -v psql)")" --host="$server" --user=postgres \
		--max-connections=5 >"$folder/log" 2>&1 || true
	PGOPTIONS='-c session_preload_libraries=bloomtype_join' \
		psql -Xc "$join_with_filter" >"$folder/plan" 2>&1 || true
	show_crashes >>"$work/crashes"
	stop_server || true
}

# Is the output of a test the one that is expected?
is_as_expected()
{
	grep -Eq "^(test|    ) +$1 +\.\.\. (ok|.* \(ignored\)) |^ok [0-9]+ +[-+] $1 " "$work/forced/log"
}

# Is the output of a test the same with and without filters?  With little memory, where a hash join
# goes by batches, rows may come in another order: that of the hashes of object ids, which differ
# from one run to the next.
is_as_without()
{
	local mode=$1 plain=$work/plain/results/$2.out forced=$work/forced/results/$2.out

	! diff -U2 "$plain" "$forced" >"$work/differences" 2>&1 || return 0
	[ "$mode" = little_memory ] && [ -e "$plain" ] && [ -e "$forced" ] &&
		cmp -s <(sort "$plain") <(sort "$forced")
}

run_join_regress()
{
	local mode=$1 name lines forced

	[ -n "${BLOOMTYPE_TESTS:-}" ] && [ -d "$BLOOMTYPE_TESTS" ] ||
		skip_all "there are no tests of PostgreSQL's source"
	start_server
	mapfile -t lines < <(settings_of_mode "$mode")
	if [ "$mode" = jit ] && [ "$(psql -XAtc 'SET jit = on' -c 'SELECT pg_jit_available()' |
		tail -n 1)" != t ]; then
		stop_server
		skip_all 'the server has no JIT'
	fi
	stop_server
	schedule_of "$mode" >"$work/schedule"
	build_test_modules
	forced=("session_preload_libraries = 'bloomtype_join, $work/plain_explain/plain_explain'"
		'bloomtype_join.enable = force')
	own_tests forced "$mode" "${lines[@]}" "${forced[@]}"
	expect "$mode: the sessions have filters" grep BloomtypeProbe "$work/forced/plan"
	for name in $(sed -n 's/^test://p' "$work/schedule"); do
		is_as_expected "$name" || echo "$name"
	done >"$work/other"
	[ ! -s "$work/other" ] || own_tests plain "$mode" "${lines[@]}"
	for name in $(sed -n 's/^test://p' "$work/schedule"); do
		if is_as_expected "$name" || is_as_without "$mode" "$name"; then
			ok "$mode: $name"
		else
			not_ok "$mode: $name" "$(head -n 200 "$work/differences")"
		fi
	done
	expect_none "$mode: no crashes" "$work/crashes"
	report
}
