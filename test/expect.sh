# expect.sh
#    Count tests that are commands; sourced by bash.

passed=0
failed=0

# Run a command; what it prints matters only if it fails.
expect()
{
	local what=$1 output

	shift
	if output=$("$@" 2>&1); then
		passed=$((passed + 1))
		echo "ok - $what"
	else
		failed=$((failed + 1))
		printf 'not ok - %s\n%s\n' "$what" "${output:-(no output)}"
	fi
}

fails()
{
	! "$@"
}

# Print the last line; fail if a test has.
report()
{
	echo "$passed passed, $failed failed"
	[ $failed = 0 ]
}
