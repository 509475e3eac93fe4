# example.sh
#    The example of a package, which asks a filter before it asks the server, with the tables of
#    doc/clients.md; sourced by bash, after ../interchange/lib.sh.
#
# A script has run_example SECONDS, which becomes the example, with the database $database; and
#
#    says_absent    its answer about an address that the filter does not have
#    says_unfound   its answer about one that the filter has, but not the table
#    waits_long     set if after an error it fetches nothing before SECONDS are over

create_tables()
{
	sql <<'SQL'
CREATE TABLE customer (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	email text UNIQUE NOT NULL);
CREATE TABLE served_filter (name text PRIMARY KEY, version bigint GENERATED ALWAYS AS IDENTITY,
	filter bloom NOT NULL);
INSERT INTO customer (email) SELECT 'name' || i || '@example.com' FROM generate_series(1, 1000) i;
SQL
}

build_filter()
{
	sql <<'SQL'
INSERT INTO served_filter AS s (name, filter) SELECT 'customer.email', bloom_agg(email) FROM customer
ON CONFLICT (name) DO UPDATE SET version = DEFAULT, filter = excluded.filter
	WHERE s.filter <> excluded.filter;
SQL
}

# start_example SECONDS: what it writes to standard error is in example.log
start_example()
{
	: >example.log
	coproc example { run_example "$1" 2>>example.log; }
	example_pid=$example_PID
}

# Does it end with its input, without an error, within ten seconds?
ends_with_input()
{
	local status=0 watch

	exec {example[1]}>&-
	{ sleep 10 && kill "$example_pid"; } 2>/dev/null &
	watch=$!
	wait "$example_pid" || status=$?
	kill "$watch" 2>/dev/null && [ $status = 0 ]
}

# within_seconds COMMAND...: does it succeed within twenty seconds?
within_seconds()
{
	for _ in {1..200}; do
		! "$@" >tried || return 0
		sleep 0.1
	done
	cat tried
	return 1
}

# answers EMAIL ANSWER: is this its answer?  ANSWER is a pattern.
answers()
{
	local answer

	echo "$1" >&"${example[1]}"
	read -r -t 20 answer <&"${example[0]}" && [[ $answer == "$1: "$2 ]] && return
	echo "$answer"
	return 1
}

has_reported()
{
	grep -q "$1" example.log
}

# rename TABLE OTHER
rename()
{
	sql -c "ALTER TABLE $1 RENAME TO $2"
}

# a new customer: sets id
add_customer()
{
	id=$(sql -c "INSERT INTO customer (email) VALUES ('$1') RETURNING id")
}

# Tell it of a new filter, if it is to be told.
notify()
{
	sql -c "$notification"
}

# learns_of EMAIL: is a new customer found when there is a new filter, and not before?
learns_of()
{
	within_seconds answers "$1" "$says_absent" && add_customer "$1" && answers "$1" "$says_absent" &&
		build_filter && notify && within_seconds answers "$1" "customer $id"
}

needs_notification()
{
	add_customer "$1" && build_filter && sleep 1 && answers "$1" "$says_absent" &&
		notify && within_seconds answers "$1" "customer $id"
}

# without a row it keeps its filter
row_is_replaced()
{
	within_seconds answers row@example.com "$says_absent" && add_customer row@example.com &&
		sql -c 'DELETE FROM served_filter' && notify && sleep 1.5 &&
		answers row@example.com "$says_absent" &&
		build_filter && notify && within_seconds answers row@example.com "customer $id"
}

look_up_fails()
{
	rename customer renamed && answers name1@example.com 'unknown: *"customer"*' &&
		answers absent@example.com "$says_absent" && rename renamed customer &&
		answers name1@example.com 'customer 1'
}

filter_is_missed()
{
	: >example.log
	rename served_filter renamed && notify && within_seconds has_reported '"served_filter"' &&
		answers name1@example.com 'customer 1' && answers absent@example.com "$says_absent" &&
		rename renamed served_filter
}

# how many of its connections there are, after something was done with each
connections()
{
	sql -c "SELECT count($1) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()
			AND backend_type = 'client backend'"
}

has_connections()
{
	[ "$(connections pid)" = "$1" ]
}

# that of the filter comes back by itself, that of customers for the next answer or the one after
connections_are_replaced()
{
	: >example.log
	answers name1@example.com 'customer 1' && has_connections 2 &&
		[ "$(connections 'nullif(pg_terminate_backend(pid), false)')" = 2 ] &&
		within_seconds has_reported . && answers absent@example.com "$says_absent" &&
		{ answers name1@example.com 'unknown: ?*' || answers name1@example.com 'customer 1'; } &&
		answers name1@example.com 'customer 1' && within_seconds has_connections 2
}

# Without a filter the server is asked.  A notification may come before the example listens.
finds_filter()
{
	within_seconds answers "$1" "$says_unfound" && "${@:2}" && within_seconds is_notified "$1"
}

is_notified()
{
	notify && answers "$1" "$says_absent"
}

# check_example WHEN SECONDS NOTIFICATION
check_example()
{
	local absent found notification=$3

	build_filter
	absent=$(sql -c "SELECT 'absent' || i FROM generate_series(1, 100) i, served_filter
		WHERE NOT bloom_contains(filter, 'absent' || i) LIMIT 1")
	found=$(sql -c "SELECT 'absent' || i FROM generate_series(1, 10000) i, served_filter
		WHERE bloom_contains(filter, 'absent' || i) LIMIT 1")
	if [ -n "$notification" ]; then
		sql -c 'DELETE FROM served_filter'
		start_example "$2"
		check "$1: the example asks the server as long as there is no row" \
			finds_filter "$absent" build_filter
	else
		rename served_filter renamed
		start_example "$2"
		check "$1: the example cannot fetch a filter that is not there" \
			within_seconds has_reported '"served_filter"'
		check '... and asks the server until it is' finds_filter "$absent" rename renamed served_filter
	fi
	check '... finds a customer' answers name7@example.com 'customer 7'
	check '... knows that another is none' answers "$absent" "$says_absent"
	check '... asks the server about a false positive' answers "$found" "$says_unfound"
	[ -z "$notification" ] ||
		check '... fetches no filter before it is told' needs_notification "told$2@example.com"
	check '... fetches a new filter' learns_of "new$2@example.com"
	check '... and the next one' learns_of "next$2@example.com"
	check '... and a row that was deleted and inserted again' row_is_replaced
	check '... says that the server could not be asked' look_up_fails
	if [ -z "$notification" ] || [ -z "$waits_long" ]; then
		check '... goes on when its connections were terminated' connections_are_replaced
		check '... and fetches a new filter' learns_of "terminated$2@example.com"
		check '... goes on when there is no filter' filter_is_missed
		check '... and fetches a new one' learns_of "renamed$2@example.com"
	fi
	check '... ends with its input' ends_with_input
	sql -c "DELETE FROM customer WHERE email = 'row@example.com'" -c 'DELETE FROM served_filter'
}

# test_example [WAITS_LONG]
test_example()
{
	waits_long=${1:-}
	create_tables
	check_example 'every second' 1 ''
	check_example 'after NOTIFY' 600 'NOTIFY served_filter'
}
