# costs.sh
#    What the planner charges for a condition, and what it takes, beside one another.
#
# Each condition is that of a scan that no row passes.  What it takes is the time for a row,
# without that of a scan with `id IS NULL'; what is charged is the same of the planner's costs, in
# units of cpu_operator_cost.  Both are also divided by those of `id & 63 = 0', the first.
#
# A look-up in a hash table is no condition, but is there to compare with.
#
# The planner evaluates the cheapest condition first.  At the end: the pairs of conditions, one of
# them a filter, in which one takes 20 % less than the other and is charged more.

cost_names=()
cost_conditions=()

# NAME CONDITION, of the table `keys'
condition()
{
	cost_names+=("$1")
	cost_conditions+=("$2")
}

# The sub-select that reads a stored filter.
filter_of()
{
	echo "(SELECT f FROM cost_filters WHERE name = '$1')"
}

# The same, made by the query.
made_of()
{
	echo "(SELECT bloom_agg(-i::bigint) FROM generate_series(1, $1) i)"
}

# What is charged for a condition, for a row.
charged()
{
	sql -c "EXPLAIN SELECT count(*) FROM keys WHERE $1" |
		sed -nE 's/.*(Seq Scan on keys|Hash.* Join)  \(cost=[0-9.]+\.\.([0-9.]+) .*/\2/p' | head -n 1
}

measure_costs()
{
	local n statements=() base i

	sql -v n=$((rows / 2)) <<'END'
SET client_min_messages = warning;
DROP TABLE IF EXISTS keys, cost_keys, cost_filters;
CREATE TABLE keys AS
SELECT i::bigint AS id, md5(i::text) AS word, i::numeric AS number FROM generate_series(1, :n) i;
CREATE TABLE cost_filters AS
SELECT 'small' AS name, bloom_agg(-i::bigint) AS f FROM generate_series(1, 5000) i
UNION ALL
SELECT '1 MB', bloom_agg(-i::bigint) FROM generate_series(1, 800000) i
UNION ALL
SELECT '12 MB', bloom_agg(-i::bigint) FROM generate_series(1, 10000000) i
UNION ALL
SELECT 'seven layers', bloom_add_all(bloom_create(100), array_agg(-i::bigint)) FROM generate_series(1, 20000) i;
CREATE TABLE cost_keys AS SELECT -i::bigint AS id FROM generate_series(1, 5000) i;
VACUUM ANALYZE keys, cost_keys, cost_filters;
END

	condition 'id & 63 = 0' 'id & 63 = -1'
	condition 'id < 0' 'id < 0'
	condition 'text = text' "word = 'c4ca4238a0b923820dcc509a6f75849c'"
	condition 'text LIKE' "word LIKE '%xyz%'"
	condition 'numeric < numeric' 'number < 0'
	condition 'a look-up in a hash table' 'EXISTS (SELECT FROM cost_keys WHERE cost_keys.id = keys.id)'
	condition 'a list of 10' "bloom_contains($(made_of 10), id)"
	condition 'a list of 100' "bloom_contains($(made_of 100), id)"
	condition 'one layer' "bloom_contains($(made_of 5000), id)"
	condition 'one layer, f @> id' "$(made_of 5000) @> id"
	condition 'text keys' "bloom_contains((SELECT bloom_agg('x' || i) FROM generate_series(1, 5000) i), word)"
	condition 'numeric keys' "bloom_contains($(made_of 5000), number)"
	condition 'counting_bloom' "counting_bloom_contains((SELECT counting_bloom_agg(-i::bigint) FROM generate_series(1, 5000) i), id)"
	condition 'cuckoo' "cuckoo_contains((SELECT cuckoo_agg(-i::bigint) FROM generate_series(1, 5000) i), id)"
	condition 'another system' "external_bloom_contains((SELECT external_bloom_agg(-i::bigint, 'guava_long', 0.01) FROM generate_series(1, 5000) i), 'guava_long', id)"
	condition 'any of an array of three' "bloom_contains_any($(made_of 5000), ARRAY[id, id, id])"
	condition 'stored' "bloom_contains($(filter_of small), id)"
	condition 'stored, 1 MB' "bloom_contains($(filter_of '1 MB'), id)"
	condition 'stored, 12 MB' "bloom_contains($(filter_of '12 MB'), id)"
	condition 'stored, seven layers' "bloom_contains($(filter_of 'seven layers'), id)"
	condition 'constant, seven layers' "bloom_contains('$(sql -c "$(filter_of 'seven layers' | sed 's/^(//; s/)$//')")'::bloom, id)"

	n=${#cost_names[@]}
	statements=('SELECT count(*) FROM keys WHERE id IS NULL')
	for ((i = 0; i < n; i++)); do
		statements+=("SELECT count(*) FROM keys WHERE ${cost_conditions[i]}")
	done
	take_times "${statements[@]}"
	base=$(charged 'id IS NULL')
	{
		medians <"$times" | tr ' ' '\n' | sed '/^$/d; 1!d'
		paste -d '|' <(printf '%s\n' "${cost_names[@]}") <(medians <"$times" | tr ' ' '\n' | sed '/^$/d; 1d') \
			<(for ((i = 0; i < n; i++)); do charged "${cost_conditions[i]}"; done)
	} | awk -F '|' -v base="$base" -v rows=$((rows / 2)) -v csv="$results/costs.csv" '
		BEGIN {
			printf "\n%-28s %10s %12s %12s %12s\n", "condition", "ns a row", "operators", "ratio taken", "charged"
			print "condition,ns,operators,taken,charged" >csv
		}
		NR == 1 { scan = $1; next }
		{
			name[++n] = $1
			ns[n] = ($2 - scan) * 1e6 / rows
			operators[n] = ($3 - base) / rows / 0.0025
			printf "%-28s %10.1f %12.1f %12.2f %12.2f\n", $1, ns[n], operators[n], ns[n] / ns[1], operators[n] / operators[1]
			printf "\"%s\",%.2f,%.2f,%.2f,%.2f\n", $1, ns[n], operators[n], ns[n] / ns[1], operators[n] / operators[1] >>csv
		}
		END {
			print ""
			for (i = 1; i <= n; i++)
				for (j = 7; j <= n; j++)
					if (i < j && i != 6 && ((ns[i] < 0.8 * ns[j] && operators[i] > operators[j]) ||
							(ns[j] < 0.8 * ns[i] && operators[j] > operators[i])))
						printf "wrong order: %s, %s\n", name[i], name[j]
		}'
}
