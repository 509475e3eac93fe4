# lib.sh
#    What the scripts of this folder share; sourced by bash.
#
# A script runs programs that use one driver, against a server with the extension and in a
# database of its own: see ../interchange/lib.sh, on which this is built.

. "$(dirname "$0")/../interchange/lib.sh"

page=$here/../../doc/drivers.md
export PYTHONDONTWRITEBYTECODE=1

# Debian's packages are those of its own Python, which need not be the first in PATH.  Set
# $python to one that has a module.
has_module()
{
	for python in /usr/bin/python3 python3; do
		! "$python" -c "import $1" 2>/dev/null || return 0
	done
	return 1
}

# Call this when the driver is there.
start_driver()
{
	start_exchange
	export PGDATABASE=$database
	sql -f "$here/samples.sql"
}

# The output of a program that prints a line for each check, `ok - ...' or `not ok - ...', with
# a plan
checks_of()
{
	local status=0

	"$@" >output || status=$?
	grep -v '^|' output
	echo "1..$(grep -cE '^(not )?ok - ' output)"
	return $status
}

# run_checks COMMAND...: such a program.  Its lines that begin with a bar say what a parameter of
# each type is without a cast: rows of without_cast.out, which doc/drivers.md sums up.  That must
# have them as they are if the page has this version of the driver.
run_checks()
{
	local version row

	include checks_of "$@"
	version=$(sed -n 's/^version: //p' output)
	grep '^|' output >rows || true
	while read -r row; do
		if grep -qF -- "$version" "$page"; then
			check "as expected: $row" grep -qxF -- "$row" "$here/without_cast.out"
		else
			echo "of another version than the page's: $row"
		fi
	done <rows
}

# run_example COMMAND...: the page's example for a driver, which prints the same with all
run_example()
{
	sql -f "$here/example.sql"
	"$@" >example.out || true
	check "the example prints what the page says" same_lines "$here/example.out" example.out
	check_sql "the example has added keys" \
		"bloom_contains_all(f, ARRAY[1, 200001, 200002]) FROM filter WHERE name = 'customer'"
	check_sql "the example has sent a filter" "a.f = b.f
		FROM filter a, filter b WHERE a.name = 'customer' AND b.name = 'copy'"
	check_sql "the example has made a filter" "(capacity, target_fpp) = (1000000, 0.001)
		FROM filter, bloom_info(f) WHERE name = 'new'"

	# the rest of the example needs the row
	sql -c 'DELETE FROM filter'
	"$@" >example.out 2>&1 || true
	check "without the filter, it denies no key" fails grep 'is certainly no customer' example.out
}
