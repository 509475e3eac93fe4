# parts.sh
#    The parts sanitize, valgrind, sqlsmith and blocks of test/run, which sources this: those that run
#    on a server with assertions.  They use what that script has for all parts: regress, show_crashes
#    and the functions of test/expect.sh.
#
# Any of the first three passes only if nothing is reported but the errors that it plants itself at the
# end, by test/modules/planted_errors, and if each of these is.

# Build everything anew for the server with assertions, in a folder of the part's own,
# and a module of errors to plant.  Arguments: compiler options
build_for_asserting_server()
{
	cp -R "$top" "$work/tree"
	cd "$work/tree"
	private=$work
	PG_CONFIG=$BLOOMTYPE_SERVER/bin/pg_config
	build_and_install COPT="-Wextra -Wno-unused-parameter -Werror $*"
	make -s -C test/modules/planted_errors COPT="$*"
	mkdir "$work/reports"
	reported_lines=0
}

create_planted_error()
{
	psql -Xqc "CREATE FUNCTION planted_error(text) RETURNS void LANGUAGE C
		AS '$work/tree/test/modules/planted_errors/planted_errors'"
}

# expect_none WHAT FILE: one test, is the file free of lines?
expect_none()
{
	if [ ! -s "$2" ]; then ok "$1"; else not_ok "$1" "$(head -n 200 "$2")"; fi
}

# What sanitizers and valgrind wrote since the reports were cleared, and what is in the
# server's log: the undefined behaviour, and what the server itself found.
reported()
{
	find "$work/reports" -type f -exec cat {} +
	tail -n "+$((reported_lines + 1))" "$work/server.log" |
		grep -aE 'runtime error: |detected write past chunk end|TRAP:' || true
}

clear_reports()
{
	rm -f "$work"/reports/*
	reported_lines=$(wc -l <"$work/server.log")
}

check_reports()
{
	reported >"$work/reported"
	expect_none 'no reports' "$work/reported"
}

# One test: plant the error NAME, and see that TEXT is reported, and where that is, or PLACE.
planted()
{
	local name=$1 text=$2 place=${3:-planted_$1|planted_errors.c}

	clear_reports
	psql -Xqc "SELECT planted_error('$name')" >"$work/log" 2>&1 || true
	wait_for_server
	reported >"$work/reported"
	if grep -q "$text" "$work/reported" &&
		grep -qE "$place" "$work/reported"
	then
		ok "planted: $name"
	else
		not_ok "planted: $name" "$(cat "$work/log" "$work/reported")"
	fi
}

# It restarts by itself after a crash.
wait_for_server()
{
	for _ in {1..600}; do
		! psql -Xqc '' 2>/dev/null || return 0
		sleep 0.1
	done
	return 1
}

# The sanitizer of addresses knows what malloc() gave and what is on the stack, but not
# what palloc() made of it.  There, the server overwrites what is freed, and looks at the
# end of each allocation when its memory context is reset; the rest is left to valgrind.
# The sanitizer's library must be there before any other, so the server is started with it.
# (Debian's own server hangs with it in bindtextdomain().)
run_sanitize()
{
	local checks=address,undefined,float-cast-overflow library

	build_for_asserting_server -fsanitize=$checks -fno-sanitize-recover=all \
		-fno-omit-frame-pointer
	library=$(ldd bloomtype.so | awk '$1 ~ /^libasan/ { print $3 }')
	program=$work/program
	cat >"$program" <<-END
		#!/bin/sh
		export LD_PRELOAD=$library
		export ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:log_path=$work/reports/report
		export UBSAN_OPTIONS=print_stacktrace=1
		exec $(command -v postgres) "\$@"
	END
	chmod +x "$program"
	start_server
	include regress
	show_crashes >&2
	check_reports
	create_planted_error
	planted shift 'shift exponent'
	planted stack stack-buffer-overflow
	planted block heap-buffer-overflow
	planted chunk 'detected write past chunk end' 'detected write'
	stop_server || true
	report
}

# Under valgrind everything takes 30 times as long.  These tests, with valgrind.sql, reach
# most lines of src/; the others ask the same of them with more data, or are about plans.
valgrind_tests=(io bloom_key arrays info errors golden malformed cases
	external external_calls external_reading
	join_filter join_filter_rows join_filter_rescans join_filter_types set)

run_valgrind()
{
	names=${names:-${valgrind_tests[*]}}
	build_for_asserting_server
	program=$work/program
	cat >"$program" <<-END
		#!/bin/sh
		exec valgrind -q --leak-check=no --trace-children=yes --num-callers=30 \\
			--suppressions=$BLOOMTYPE_SERVER/share/valgrind.supp \\
			--suppressions=$top/test/asserting/valgrind.supp \\
			--log-file=$work/reports/%p.log $(command -v postgres) "\$@"
	END
	chmod +x "$program"
	PGCTLTIMEOUT=600 start_server
	expect 'test/asserting/valgrind.sql' psql -Xq -o /dev/null -f test/asserting/valgrind.sql
	include regress
	show_crashes >&2
	check_reports
	create_planted_error
	planted chunk 'Invalid write of size 1'
	planted uninitialized 'depends on uninitialised value'
	stop_server || true
	report
}

# Internal errors (XX000) in the server's log: a line `FILE MESSAGE' each
internal_errors()
{
	awk '
		/(ERROR|FATAL):  XX000: / { message = $0; sub(/.*XX000: /, "", message) }
		/LOCATION:  / && message != "" {
			file = $NF
			sub(/:.*/, "", file)
			print file, message
			message = ""
		}' "$work/server.log"
}

# Of those, the ones that are raised in files of the extension
our_internal_errors()
{
	internal_errors | awk 'NR == FNR { ours[$1]; next } $1 in ours' \
		<(find src test/modules -name '*.c' -printf '%f\n') -
}

run_sqlsmith()
{
	local seconds=$((${BLOOMTYPE_MINUTES:-10} * 60)) seed=${BLOOMTYPE_SEED:-1} status=0
	local calls functions

	build_for_asserting_server
	start_server 'log_error_verbosity = verbose' 'track_functions = all' \
		'max_parallel_workers_per_gather = 0'
	psql -Xq -f test/asserting/sqlsmith.sql
	expect 'joins have filters' grep BloomtypeProbe <(psql -Xq -U smith \
		-c 'EXPLAIN SELECT FROM public.keys JOIN public.keys AS other USING (i4)')
	psql -Xqc 'SELECT pg_stat_reset()' >/dev/null

	echo "# SQLsmith for $seconds seconds, seed $seed" >&2
	timeout "$seconds" sqlsmith --seed="$seed" --exclude-catalog --verbose --target="host=$server \
		user=smith dbname=postgres options='-c search_path=smith,pg_catalog,public'" \
		>"$work/log" 2>&1 || status=$?
	grep -E '^queries: ' "$work/log" | tail -n 1 >&2 || true
	grep -E '^error rate: ' "$work/log" | tail -n 1 >&2 || true
	if [ $status = 124 ]; then ok 'SQLsmith'; else not_ok 'SQLsmith' "$(tail -n 20 "$work/log")"; fi

	show_crashes >"$work/found"
	expect_none 'no crashes' "$work/found"

	echo '# internal errors of the server, by number' >&2
	internal_errors | sed 's/[0-9]\+/N/g' | sort | uniq -c | sort -rn | sed 's/^/# /' >&2
	our_internal_errors >"$work/found"
	expect_none 'no internal errors of the extension' "$work/found"

	expect 'page indexes have all rows' psql -Xqc "SELECT bloom_pages_check(c.oid)
		FROM pg_class c JOIN pg_am a ON relam = a.oid WHERE amname = 'bloom_pages'"
	expect 'page indexes are scanned' grep -x t <(psql -XAtc "SELECT sum(idx_scan) > 0
		FROM pg_stat_user_indexes WHERE indexrelname LIKE 'range%'")

	# aggregates are not counted
	read -r calls functions < <(psql -XAt -F ' ' -c "SELECT coalesce(sum(calls), 0), count(*)
		FROM pg_stat_user_functions WHERE calls > 0 AND funcid IN (SELECT objid FROM pg_depend
			WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e')")
	expect "$calls calls of $functions functions of the extension" test "$calls" -gt 0

	create_planted_error
	psql -Xqc "SELECT planted_error('internal')" >"$work/log" 2>&1 || true
	expect 'planted: internal' grep 'planted internal error' <(our_internal_errors)
	psql -Xqc "SELECT planted_error('assertion')" >"$work/log" 2>&1 || true
	wait_for_server
	expect 'planted: assertion' grep -m 1 'TRAP:.*planted_errors' <(show_crashes)
	stop_server || true
	report
}

# The size of pages decides how much a row has out of line, and how many ranges a page of such an index has.
# Other regression tests count pages, or have rows of more than 4 kB.
block_tests=(io reading planner page_index_types page_index_operators page_index_expressions)
block_tap_tests=(040_page_index_wal 042_page_index_damage 044_page_index_answers)

# run_blocks SIZE: SIZE is as in the server's folder, such as 4kB.
run_blocks()
{
	local BLOOMTYPE_SERVER=$BLOOMTYPE_SERVER-$1 test

	names=${names:-${block_tests[*]}}
	build_for_asserting_server
	with_server include regress
	for test in "${block_tap_tests[@]}"; do
		BLOOMTYPE_SLOW='' BLOOMTYPE_STATEMENTS=${BLOOMTYPE_STATEMENTS:-300} \
			include run_perl_test "test/t/$test.pl"
	done
	report
}
