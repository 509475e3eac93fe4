# clients.sh
#    A question to a filter in an application, with the readers of src/interfaces/, against
#    one to the server.
#
# The filter has a million keys at 1 %.  Each reader measures itself, and a Bloom filter
# library of its language (see the programs in src/interfaces/*/bench/): nanoseconds for one
# key, its hash included.  The server is asked over its socket, by prepared statements, of
# pgbench and of psycopg.
#
# A reader must stay below the limit for a whole number.  One whose language is not
# there is left out.

# Lines of NAME NANOSECONDS: the larger one of those of a name, whatever follows a dash in it.
largest()
{
	awk '{ sub(/[-_](present|absent)$/, "", $1) }
		!($1 in most) || most[$1] < $2 + 0 { most[$1] = $2 + 0 }
		END { for (name in most) print name, most[name] }' | sort
}

# measure_reader LANGUAGE LIMIT COMMAND...: the limit in nanoseconds
measure_reader()
{
	local language=$1 limit=$2 name nanoseconds verdict

	shift 2
	"$@" "$private/million" >"$private/nanoseconds" || { echo "$language: not measured"; return; }
	largest <"$private/nanoseconds" | while read -r name nanoseconds; do
		verdict=
		if [ "$name" = integer ]; then
			verdict=$(awk -v n="$nanoseconds" -v limit="$limit" \
				'BEGIN { print n < limit ? "pass" : "FALLS SHORT" }')
			verdict="< $limit  $verdict"
		fi
		printf '%-12s %-28s %12.0f ns  %s\n' "$language" "$name" "$nanoseconds" "$verdict"
		printf '%s,%s,%.0f\n' "$language" "$name" "$nanoseconds" >>"$results/clients.csv"
	done
}

# Ask the server by psycopg: the median of 5,000.
round_trips='
import statistics, time, psycopg
with psycopg.connect(autocommit=True) as connection:
    times = []
    for key in range(1, 5001):
        start = time.perf_counter_ns()
        connection.execute("SELECT f @> %s::bigint FROM served WHERE id = 1", [key]).fetchone()
        times.append(time.perf_counter_ns() - start)
    print("psycopg", round(statistics.median(times)))
'

measure_clients()
{
	local interfaces=$top/src/interfaces python=python3 classes=$private/classes
	local guava=/usr/share/java/guava.jar

	heading 'a question to a filter of a million keys'
	echo 'language,name,nanoseconds' >"$results/clients.csv"
	sql -c "CREATE TABLE served AS SELECT 1 AS id, bloom_agg(i) AS f FROM generate_series(1, 1000000) i"
	sql -c "SELECT f FROM served" >"$private/million"

	echo "\\set key random(1, 2000000)
SELECT f @> :key::bigint FROM served WHERE id = 1;" >"$private/ask.sql"
	! /usr/bin/python3 -c 'import xxhash' 2>/dev/null || python=/usr/bin/python3
	{
		pgbench -n -M prepared -T 10 -f "$private/ask.sql" 2>/dev/null |
			awk '/^latency average = / { printf "pgbench %.0f\n", $4 * 1e6 }'
		"$python" -c "$round_trips" || true
	} | while read -r name nanoseconds; do
		printf '%-12s %-28s %12.0f ns\n' server "$name" "$nanoseconds"
		echo "server,$name,$nanoseconds" >>"$results/clients.csv"
	done

	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$interfaces/python measure_reader Python 5000 \
		"$python" "$interfaces/python/bench/probe.py"
	measure_reader JavaScript 1000 node "$interfaces/javascript/bench/bench.js"
	mkdir -p "$classes"
	if javac --release 11 -d "$classes" -cp "$guava" \
		$(find "$interfaces/java/src/main" "$interfaces/java/bench" -name '*.java' ! -name module-info.java); then
		measure_reader Java 300 java -cp "$classes:$guava" Bench
	fi
}
