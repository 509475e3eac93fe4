# expect.sh
#    Tests that are commands, as TAP, which prove counts; sourced by bash.
#
# Each test prints `ok - WHAT' or `not ok - WHAT', and what went wrong, as comments, to standard
# error.  report prints the plan at the end: a script that ends before has failed.

tests_passed=0
tests_failed=0

ok()
{
	tests_passed=$((tests_passed + 1))
	echo "ok - $1"
}

# not_ok WHAT [OUTPUT]
not_ok()
{
	tests_failed=$((tests_failed + 1))
	echo "not ok - $1"
	{ echo "failed: $1"; [ -z "${2:-}" ] || echo "$2"; } | sed 's/^/# /' >&2
}

# Run a command; what it prints matters only if it fails.
expect()
{
	local what=$1 output

	shift
	if output=$("$@" 2>&1); then ok "$what"; else not_ok "$what" "${output:-(no output)}"; fi
}

fails()
{
	! "$@"
}

# The same for what takes long: it is shown, as comments.
expect_shown()
{
	local status=0

	"$@" 2>&1 | sed -u 's/^/# /'
	status=${PIPESTATUS[0]}
	if [ "$status" = 0 ]; then ok "$*"; else not_ok "$*" "it ended with status $status"; fi
}

# Run a command that prints TAP, and count its tests as ours.  It fails if none of them does, but
# the command, or if there are none, or not those of its plan.
include()
{
	local before=$tests_failed seen=0 planned=0 skipped='' line status=0

	while IFS= read -r line; do
		line=${line%$'\r'}
		# several tests are counted on, without the numbers that each has
		[[ ! $line =~ ^((not )?ok)\ [0-9]+(.*)$ ]] || line=${BASH_REMATCH[1]}${BASH_REMATCH[3]}
		case $line in
			'ok '*) tests_passed=$((tests_passed + 1)) seen=$((seen + 1)) ;;
			'not ok '*) tests_failed=$((tests_failed + 1)) seen=$((seen + 1)) ;;
			'1..0 # SKIP '*) line="skipped: $1 (${line#1..0 # SKIP })" skipped=yes ;;
			1..[0-9]*)
				planned=$((planned + ${line#1..}))
				continue
				;;
		esac
		printf '%s\n' "$line"
	done < <("$@")
	wait $! || status=$?
	[ "$tests_failed" = "$before" ] || return 0
	if [ $status != 0 ] || [ $seen != $planned ] || [ "$skipped$seen" = 0 ]; then
		not_ok "$*" "it ended with status $status, after $seen tests of $planned"
	fi
}

# Nothing of the script can be tested here, for this reason.
skip_all()
{
	echo "1..0 # SKIP $*"
	exit 0
}

# Print the plan; fail if a test has.
report()
{
	echo "1..$((tests_passed + tests_failed))"
	[ $tests_failed = 0 ]
}
