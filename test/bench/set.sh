# set.sh
#    A live set, against INSERT ... ON CONFLICT DO NOTHING with a unique index.
#
# Eight sessions bring keys from a range twice as large as their number, so that one in five is
# known, one in a transaction.  Set and index take the same number of keys in turns; the rates of a
# turn are compared, and the medians count.  First without waiting for each commit
# (synchronous_commit off), then waiting, as PostgreSQL does by default.
#
#    keys/s, ratio   brought by all sessions, and against the index
#    WAL             bytes for each key, right after a checkpoint and later
#    asked/s, ratio  keys asked for by all sessions
#    HOT             share of HOT updates
#    size            of the table with its index in the end, bytes for each key in it
#
# Then, of one session: keys that bloom_set_add_all adds in a second, 10,000 in a call, and the time
# of bloom_set_filter for ten times as many keys.

set_forms=(index set)
declare -A set_add=(
	[index]='INSERT INTO index_keys VALUES (:key) ON CONFLICT DO NOTHING;'
	[set]="SELECT bloom_set_add('set_keys', :key::bigint);"
)
declare -A set_ask=(
	[index]='SELECT FROM index_keys WHERE key = :key;'
	[set]="SELECT bloom_set_contains('set_keys', :key::bigint);"
)

# The rate of a statement: FORM TURN WHAT KEYS RANGE STATEMENT [SYNCHRONOUS_COMMIT]
set_turn()
{
	local form=$1 turn=$2 what=$3 keys=$4 before rate

	printf '\\set key random(1, %d)\n%s\n' "$5" "$6" >"$private/set.pgbench"
	[ "$what" != after ] || sql -c CHECKPOINT
	before=$(sql -c "SELECT pg_current_wal_insert_lsn() - '0/0'")
	rate=$(PGOPTIONS="-c synchronous_commit=${7:-off}" pgbench -n -M prepared -c 8 -j 2 \
		-t $((keys / 8)) -f "$private/set.pgbench" 2>"$private/set.err" | awk '/^tps/ { print $3 }')
	[ ! -s "$private/set.err" ] || die "$(cat "$private/set.err")"
	echo "$form $what $turn $rate $(sql -c "SELECT round((pg_current_wal_insert_lsn() - '0/0' - $before) / $keys)")" \
		>>"$private/set"
}

# Medians of a form: rate and ratio to the index, or with wal the bytes: FORM WHAT [wal]
set_median()
{
	awk -v form="$1" -v what="$2" -v wal="${3:-}" '
		$2 == what && $1 == "index" { index_rate[$3] = $4 }
		$2 == what && $1 == form { rate[$3] = $4; bytes[$3] = $5; turns = $3 }
		function median(value, i, j, other) {
			for (i = 2; i <= turns; i++)
				for (j = i; j > 1 && value[j - 1] + 0 > value[j] + 0; j--) {
					other = value[j]
					value[j] = value[j - 1]
					value[j - 1] = other
				}
			return value[int((turns + 1) / 2)]
		}
		END {
			for (i = 1; i <= turns; i++)
				ratio[i] = rate[i] / index_rate[i]
			if (wal != "")
				printf "%d", median(bytes)
			else
				printf "%.0f, %.2f", median(rate), median(ratio)
		}' "$private/set"
}

measure_set()
{
	local keys=$((rows / 10)) turn form table n

	heading "a live set: $keys keys, 8 sessions"
	sql -c 'ALTER SYSTEM SET fsync = on' -c 'ALTER SYSTEM SET autovacuum = on' -c 'SELECT pg_reload_conf()' >/dev/null
	sql -c 'CREATE TABLE index_keys (key bigint PRIMARY KEY)' \
		-c "SELECT bloom_set_create('set_keys', 'bigint', $keys)" >/dev/null
	: >"$private/set"
	for ((turn = 1; turn <= rounds; turn++)); do
		for form in "${set_forms[@]}"; do
			set_turn $form $turn after $((keys / rounds / 10)) $((2 * keys)) "${set_add[$form]}"
			set_turn $form $turn later $((keys / rounds)) $((2 * keys)) "${set_add[$form]}"
			set_turn $form $turn waits $((keys / rounds / 10)) $((2 * keys)) "${set_add[$form]}" on
			set_turn $form $turn asked $((keys / rounds / 2)) $((2 * keys)) "${set_ask[$form]}"
		done
	done

	echo
	echo '| form | keys/s, ratio | waiting | WAL | asked/s, ratio | HOT | size |'
	echo '| --- | --- | --- | --- | --- | --- | --- |'
	for form in "${set_forms[@]}"; do
		table=${form}_keys
		n=$(sql -c 'SELECT count(*) FROM index_keys')
		echo "| $form | $(set_median $form later) | $(set_median $form waits) |" \
			"$(set_median $form after wal); $(set_median $form later wal) | $(set_median $form asked) |" \
			"$(sql -c "SELECT round(100.0 * n_tup_hot_upd / nullif(n_tup_upd, 0), 1) FROM pg_stat_user_tables WHERE relname = '$table'") |" \
			"$(sql -c "SELECT round(pg_total_relation_size('$table')::numeric / $n, 1)") |"
	done | tee "$results/set.txt"

	sql -c "SELECT bloom_set_create('many_keys', 'bigint', $keys)" \
		-c "SELECT bloom_set_create('large_keys', 'bigint', $((10 * keys)))" \
		-c "SELECT cardinality(bloom_set_add_all('large_keys', array_agg(i))) FROM generate_series(1::bigint, $((9 * keys))) i" >/dev/null
	take_times "SELECT cardinality(bloom_set_add_all('many_keys', array_agg((random() * 1e15)::bigint))) FROM generate_series(1, 10000)" \
		"SELECT length(bloom_set_filter('large_keys')::bytea)"
	medians <"$times" | awk -v keys="$((10 * keys))" '{
		printf "bloom_set_add_all: %.0f keys a second; bloom_set_filter for %d keys: %.0f ms\n", 1e7 / $1, keys, $2 }' |
		tee -a "$results/set.txt"
	sql -c 'DROP TABLE index_keys, set_keys, many_keys, large_keys' \
		-c 'ALTER SYSTEM RESET ALL' -c 'SELECT pg_reload_conf()' >/dev/null
}
