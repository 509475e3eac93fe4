# rows.sh
#    Sets that change row by row: a table of small filters, against a unique index.
#
# Eight sessions test and set keys from a range twice as large as their number,
# so that one in five is known.  A table is made for the keys that are new; all
# tables take the same number of keys in turns, and the rates of a turn are
# compared, their medians count.  Written to disk as PostgreSQL does by
# default, first without waiting for each commit (synchronous_commit off); then
# some more keys go into the same tables, waiting.
#
#    keys/s, ratio        tested and set, and against the unique index
#    WAL                  bytes for each key
#    growth               of the table with its index, bytes for each key, from the
#                         second half of the turns on: every filter has its layer
#    HOT                  share of HOT updates in these turns
#    size                 of the table with its index in the end, bytes for each
#                         key in it
#
# A filter of B blocks has 124 + 64 B bytes.  Beside it: how many of them a page
# gets, of those it has room for.  One filter for all is slow, and gets one key in
# a thousand.

# Of each form: what it is called, its table, its statement, and the share of the
# keys that it gets, one in so many.
form_names=()
form_tables=()
form_statements=()
form_shares=()

# NAME TABLE STATEMENT [SHARE]
form()
{
	form_names+=("$1")
	form_tables+=("$2")
	form_statements+=("$3")
	form_shares+=("${4:-1}")
}

# A table of filters, filled at its final size and emptied:
# NAME TABLE BLOCKS OPTIONS [update]
small_filters()
{
	local name=$1 table=$2 blocks=$3 options=$4 capacity n partition

	read -r capacity n < <(sql -F ' ' -c "
		SELECT max(c), ceil($distinct / ((sqrt(4 * max(c) + 25) - 5) / 2) ^ 2)
		FROM generate_series(129, 4000) c, bloom_sizing(c, 0.01) s WHERE s.blocks <= $blocks")
	partition="bloom_partition(:key::bigint, $n)"
	sql -c "CREATE TABLE $table (part int PRIMARY KEY, f bloom NOT NULL) WITH ($options)" \
		-c "INSERT INTO $table SELECT p, full_size FROM generate_series(0, $n - 1) p, (SELECT bloom_agg(i, $capacity, 0.01) FROM generate_series(1, 129) i) s(full_size)" \
		-c "UPDATE $table SET f = bloom_create($capacity)"
	if [ "${5:-}" = update ]; then
		form "$name" "$table" "UPDATE $table SET f = bloom_add(f, :key::bigint) WHERE part = $partition AND NOT f @> :key::bigint;"
	else
		form "$name" "$table" "INSERT INTO $table AS t SELECT $partition, bloom_add(bloom_create($capacity), :key::bigint)
			WHERE NOT EXISTS (SELECT FROM $table WHERE part = $partition AND f @> :key::bigint)
			ON CONFLICT (part) DO UPDATE SET f = bloom_add(t.f, :key::bigint) WHERE NOT t.f @> :key::bigint RETURNING true;"
	fi
}

# Total size, updates and HOT updates of a table, and the place in the WAL.
rows_state()
{
	sql -F ' ' -c "SELECT pg_total_relation_size('$1'), n_tup_upd, n_tup_hot_upd, pg_current_wal_insert_lsn() - '0/0' FROM pg_stat_user_tables WHERE relname = '$1'"
}

# One turn of all forms: TURN SYNCHRONOUS_COMMIT KEYS RANGE
take_turn()
{
	local turn=$1 commit=$2 keys=$3 range=$4 i n rate table state

	for ((i = 0; i < ${#form_names[@]}; i++)); do
		table=${form_tables[i]}
		n=$((keys / 8 / form_shares[i]))
		[ $n -gt 0 ] || n=1
		printf '\\set key random(1, %d)\n%s\n' "$range" "${form_statements[i]}" >"$private/rows.pgbench"
		state=$(rows_state "$table")
		rate=$(PGOPTIONS="-c synchronous_commit=$commit" pgbench -n -M prepared -c 8 -j 2 -t $n \
			-f "$private/rows.pgbench" 2>"$private/rows.err" | awk '/^tps/ { print $3 }')
		[ ! -s "$private/rows.err" ] || die "$(cat "$private/rows.err")"
		# the statistics of a session are written when it ends
		sleep 0.5
		echo "$i $commit $turn $((8 * n)) $rate $state $(rows_state "$table")" >>"$private/rows"
	done
}

# The line of a form in the table: FORM SYNCHRONOUS_COMMIT
print_row()
{
	awk -v form="$1" -v commit="$2" -v share="${form_shares[$1]}" -v distinct="$distinct" '
		# keys/s, the size, its updates and HOT updates, and the WAL, before and after
		$2 == commit { turns = $3 }
		$1 == 0 { index_rate[$2, $3] = $5 }
		$1 == form { size = $10 }
		$1 == form && $2 == commit {
			ratio[$3] = $5 / index_rate[$2, $3]
			rate[$3] = $5
			keys[$3] = $4
			wal[$3] = $13 - $9
			grown[$3] = $10 - $6
			updates[$3] = $11 - $7
			hot[$3] = $12 - $8
		}
		function median(value, i, j, other) {
			for (i = 2; i <= turns; i++)
				for (j = i; j > 1 && value[j - 1] + 0 > value[j] + 0; j--) {
					other = value[j]
					value[j] = value[j - 1]
					value[j - 1] = other
				}
			return (value[int((turns + 1) / 2)] + value[int(turns / 2) + 1]) / 2
		}
		END {
			first = commit == "off" ? int(turns / 2) + 1 : 1
			for (i = 1; i <= turns; i++) {
				all_wal += wal[i]
				all_keys += keys[i]
				if (i < first)
					continue
				late += keys[i]
				all_grown += grown[i]
				all_updates += updates[i]
				all_hot += hot[i]
			}
			printf "%.0f|%.2f|%.0f|%.1f|%s|%.1f|%s\n", median(rate), median(ratio),
				all_wal / all_keys, all_grown / late,
				all_updates && share == 1 ? sprintf("%.1f %%", 100 * all_hot / all_updates) : "",
				size / 1048576, share == 1 ? sprintf("%.1f", size / distinct) : ""
		}' "$private/rows"
}

measure_rows()
{
	local keys=$((rows / 10)) turns=$((rounds > 3 ? 10 : 4)) turn i commit line

	# of 1.06 times so many keys, from a range of twice as many: the distinct ones
	local distinct=$((keys * 823 / 1000))

	heading "sets that change row by row: $keys keys, 8 sessions"
	echo
	echo '| synchronous_commit | form | keys/s | ratio | WAL | growth | HOT | size, MB | size |'
	echo '| --- | --- | --- | --- | --- | --- | --- | --- | --- |'
	echo 'synchronous_commit,form,keys_per_second,ratio,wal_bytes,growth_bytes,hot,size_mb,size_bytes' \
		>"$results/rows.csv"

	# as a server is by default, but for its shared buffers
	sql -c 'ALTER SYSTEM SET fsync = on' -c 'ALTER SYSTEM SET autovacuum = on' \
		-c "ALTER SYSTEM SET max_wal_size = '1GB'" -c 'SELECT pg_reload_conf()' >/dev/null

	sql -c 'CREATE TABLE indexed (key bigint PRIMARY KEY)'
	form 'unique index' indexed 'INSERT INTO indexed VALUES (:key) ON CONFLICT DO NOTHING;'
	small_filters '13 blocks, 4 of 8' kb1 13 'fillfactor = 50'
	small_filters '13 blocks, 4 of 8, UPDATE alone' kb1_update 13 'fillfactor = 50' update
	small_filters '29 blocks, 1 of 4' kb2_1 29 'fillfactor = 25'
	small_filters '29 blocks, 2 of 4' kb2_2 29 'fillfactor = 50'
	small_filters '29 blocks, 3 of 4' kb2_3 29 'fillfactor = 75'
	small_filters '60 blocks, 1 of 2' kb4 60 'fillfactor = 50, toast_tuple_target = 8160'
	sql -c "CREATE TABLE one AS SELECT bloom_agg(-i, $distinct, 0.01) AS f FROM generate_series(1::bigint, 129) i"
	form 'one filter' one 'UPDATE one SET f = bloom_add(f, :key::bigint) WHERE NOT f @> :key::bigint;' 1000

	: >"$private/rows"
	for ((turn = 1; turn <= turns; turn++)); do
		take_turn $turn off $((keys / turns)) $((2 * keys))
	done
	for turn in 1 2 3; do
		take_turn $turn on $((keys / 50)) $((2 * keys))
	done

	for commit in off on; do
		for ((i = 0; i < ${#form_names[@]}; i++)); do
			line=$(print_row $i $commit)
			echo "| $commit | ${form_names[i]} | ${line//|/ | } |"
			echo "$commit,\"${form_names[i]}\",${line//|/,}" >>"$results/rows.csv"
		done
	done
	for i in "${form_tables[@]}"; do
		[[ $i = @(indexed|one) ]] ||
			sql -c "SELECT 'filters of $i with a second layer: ' || count(*) FROM $i, bloom_info(f) WHERE layers > 1 HAVING count(*) > 0"
	done

	sql -c "DROP TABLE $(IFS=,; echo "${form_tables[*]}")" \
		-c 'ALTER SYSTEM RESET ALL' -c 'SELECT pg_reload_conf()' >/dev/null
}
