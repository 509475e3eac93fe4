# reader.sh
#    What a package knows of keys and filters, against the same of a server, for the tests of all
#    packages; sourced by bash, after ../interchange/lib.sh.
#
# A script has run_reader FILE, which runs commands of the package.  There is one in a line, with
# tabs between its parts, in which names are those of files:
#
#    keys TYPE VALUES KEYS           the key of each value
#    ask FILTER TYPE VALUES ANSWERS  true or false for each value and, but of a bloom, how often it
#                                    was added, or -1
#    build CAPACITY FPP GROWTH SIZING TYPE VALUES FILTER
#                                    a bloom of the values
#    add FILTER TYPE VALUES FILTER   the same filter with the values
#    numbers FILTERS NUMBERS         the number of keys of each filter, or nothing
#    reasons INPUTS REASONS          why each line, a kind and a text, is refused, or "accepted"
#    sizings INPUTS ANSWERS          is each line, "CAPACITY FPP SIZING", accepted or refused?
#
# A file has a value in each line, as psql prints it.  A SIZING is blocks, probes and full_at with
# commas between them, of which any is empty where it is null.  The TYPE bloom_key stands for keys,
# in their text form: those of arrays, rows and ranges only the server makes.

# Tables of what the reader is asked about.  Of each sample the first KEYS values are in the
# filters, and as many are asked about in addition.
fill_samples()
{
	sql <<'SQL'
CREATE TABLE sample (n serial PRIMARY KEY, type text, keys int, expression text);
CREATE TABLE value (n int, i int, value text, key bloom_key);
CREATE TABLE filter (name text, n int, bloom bloom, counting_bloom counting_bloom, cuckoo cuckoo);
CREATE TABLE build (n int, keys int, capacity bigint, fpp float8, growth int);

CREATE FUNCTION bytes(length int) RETURNS bytea LANGUAGE sql IMMUTABLE AS
$$
SELECT substr(string_agg(sha256(convert_to(length || '.' || i, 'UTF8')), ''), 1, length)
FROM generate_series(0, length / 32) i
$$;
-- between 0 and 1: random, but always the same
CREATE FUNCTION noise(i bigint, salt int) RETURNS float8 LANGUAGE sql IMMUTABLE AS
$$ SELECT (hashint8extended(i, salt) >> 11) / 9007199254740992.0 + 0.5 $$;

COPY sample (type, keys, expression) FROM STDIN (DELIMITER '#');
bigint#20000#i * 1000000007::bigint * (1 - 2 * (i % 2))
text#20000#repeat(chr((ARRAY[97, 252, 8364, 66615, 128512])[i % 5 + 1]), i % 40) || ' ключ ' || i
boolean#1#i = 1
smallint#500#i * 32 - 16000
int4#500#i * 2000000 - 1000000000
integer#2000#i % 1500 * (i % 7)
integer#2000#i
bigint#2000#i::bigint * 2305843009213693 - 4611686018427387904
numeric#500#i / 8.0
numeric#500#(i - 400) * 1e17
numeric#500#1.5 * 10.0 ^ (i % 100 * (1 - 2 * (i % 2)))
numeric#500#((i - 500) * 1.25) ^ 3 / 1000
numeric#500#(noise(i, 1) - 0.5)::numeric * 10::numeric ^ (i % 60 - 30)
decimal#500#CASE i WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' WHEN 3 THEN '-Infinity' ELSE i || '.' || repeat('0', i % 9) END
real#500#i / 10.0
real#500#((i - 500) / 7.0)::real * 10::real ^ (i % 60 - 30)
float4#500#exp(i / 12.0) * (1 - 2 * (i % 2))
double precision#500#sqrt(i)
double precision#500#((i - 500) / 7.0::float8) * 10::float8 ^ (i % 400 - 200)
float8#500#CASE i WHEN 1 THEN 'NaN' WHEN 2 THEN '-Infinity' WHEN 3 THEN '-0' ELSE '1e-' || i % 300 END
text#500#CASE i WHEN 1 THEN '' ELSE repeat(chr(i + 13), i % 300) || i END
varchar#500#i || '  '
bpchar#500#i || repeat(' ', i % 5)
name#500#repeat(chr((ARRAY[97, 252, 8364])[i % 3 + 1]), i % 20) || i
bytea#1000#bytes(i)
bytea#4#bytes((ARRAY[0, 4095, 4096, 4097, 10000, 65536, 100001, 300000])[i])
uuid#500#md5(i::text)::uuid
oid#500#i * 4000000::bigint
date#500#date '4714-11-24 BC' + i * 5000
date#500#CASE i WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity' ELSE (date '1999-06-01' + i)::text END
timestamp#500#timestamp '2000-01-01' + (i - 300) * (i - 300) * interval '37 days 1.000001 s'
timestamp#500#CASE i WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity' ELSE (timestamp '0010-01-01' - i * interval '9 days 0.001 s')::text END
timestamp without time zone#500#'0001-01-01'::timestamp + (i - 500) * interval '37 days 1:02:03.456789'
timestamptz#500#timestamptz '1883-11-01 00:00+00' + i * interval '2 hours 1.000001 s'
timestamptz#500#CASE i WHEN 1 THEN 'infinity' ELSE (timestamptz '1900-01-01 00:00+00' + (i - 500) * interval '37 days 1:02:03.456789')::text END
timestamp with time zone#500#timestamptz '2026-03-01 00:00+00' + i * interval '7 hours'
time#500#time '00:00' + i * interval '17.000001 s'
time#500#CASE i WHEN 1 THEN '24:00' ELSE (time '00:00' + noise(i, 1) * interval '1 day')::text END
inet#500#'10.0.0.0/8'::inet + i
inet#500#'2001:db8::/64'::inet + i * 1000000007::bigint
inet#500#set_masklen('10.1.2.3'::inet + i, i % 33)
inet#500#set_masklen('2001:db8::'::inet + i * 1000000007::bigint, i % 129)
cidr#500#network(set_masklen('10.1.2.3'::inet + i * 77777, i % 33))
cidr#500#network(set_masklen('2001:db8::ffff'::inet + i * 1000000007::bigint, i % 129))
macaddr#500#left(md5(i::text), 12)::macaddr
macaddr8#500#left(md5(i::text), 16)::macaddr8
bloom_key#500#bloom_key(ARRAY[i, NULL])
bloom_key#500#bloom_key(ARRAY['a', i::text])
bloom_key#500#bloom_key(ROW(i, 'a'))
bloom_key#500#bloom_key(int4range(i, CASE WHEN i % 3 > 0 THEN i + i % 9 END))
\.

DO $$
DECLARE
	s sample;
BEGIN
	FOR s IN SELECT * FROM sample LOOP
		EXECUTE format('INSERT INTO value SELECT %s, i, format(''%%s'', v), %s
			FROM generate_series(1, %s) i, LATERAL (SELECT (%s)::%s) AS s (v)', s.n,
			CASE s.type WHEN 'bloom_key' THEN 'v' ELSE 'bloom_key(v)' END,
			2 * s.keys, s.expression, s.type);
	END LOOP;
END $$;
CREATE INDEX ON value (n, i);
ANALYZE value;

INSERT INTO filter
SELECT n, n, bloom_agg(key), counting_bloom_agg(key), cuckoo_agg(key)
FROM value JOIN sample USING (n) WHERE i <= keys GROUP BY n ORDER BY n;
INSERT INTO filter
SELECT 'full', n, bloom_agg(key, 100, 0.01), NULL::counting_bloom, cuckoo_agg(key, 2000, 0.9)
FROM value JOIN sample USING (n) WHERE i <= keys AND expression = 'i' GROUP BY n
UNION ALL
SELECT 'precise', n, NULL, NULL, cuckoo_agg(key, 2000, 3e-9)
FROM value JOIN sample USING (n) WHERE i <= keys AND expression = 'i' GROUP BY n;

-- of capacities that are a list or a layer, fixed sizes with too many keys, all kinds of rates
INSERT INTO build SELECT n, keys, greatest(keys, 3000), 0.01, 2 FROM sample;
INSERT INTO build
SELECT n, b.*
FROM sample, (VALUES (20000, 24000, 0.001, 1), (20000, 20000, 0.00001, 100), (20000, 1000, 0.001, 0),
	(10000, 10000, 0.001, 0), (10000, 300, 0.5, 0), (10000, 50000, 0.000001, 1),
	(10000, 12800, 0.05, 100)) b
WHERE sample.keys = 20000;
INSERT INTO build
SELECT n, b.keys, capacity, fpp, growth
FROM sample, (VALUES ('uuid', 1000, 300, 0.05, 0), ('numeric', 128, 100, 0.01, 2),
	('date', 129, 129, 1e-9, 2), ('inet', 300, 256, 0.9, 0), ('varchar', 128, 100, 0.01, 2))
	b (type, keys, capacity, fpp, growth)
WHERE sample.type = b.type;
SQL
}

# to_file FILE QUERY: what psql writes the query to a file by
to_file()
{
	printf '\\o %s\n%s;\n' "$1" "$2"
}

# note COMMAND ARGUMENT...: what the reader is to do in run_noted WHAT, all of it at once
note()
{
	local IFS=$'\t'

	echo "$*" >>commands
}

run_noted()
{
	check "the commands of $1 are carried out" run_reader commands
	: >commands
}

# The sizing that build is given
sizing_of()
{
	echo "(SELECT format('%s,%s,%s', blocks, probes, full_at) FROM bloom_sizing($1))"
}

# Of each sample: keys, answers of filters of all kinds, filters that the reader makes, with the
# bytes of the server's, and the answers of these.  What is expected of a file in actual/ is in
# the file of that name in expected/.
compare_samples()
{
	local n type keys capacity fpp growth sizing name kind count file
	local -a names

	mkdir values expected actual filters
	fill_samples
	while IFS='#' read -r n type; do
		to_file values/$n "SELECT value FROM value WHERE n = $n ORDER BY i"
		to_file expected/$n.keys "SELECT key FROM value WHERE n = $n ORDER BY i"
		note keys "$type" values/$n actual/$n.keys
	done >statements < <(sql -F'#' -c 'SELECT n, type FROM sample')

	while IFS='#' read -r n type keys capacity fpp growth sizing; do
		name=$n.${capacity}_${fpp}_${growth}
		to_file values/$name "SELECT value FROM value WHERE n = $n AND i <= $keys ORDER BY i"
		echo "INSERT INTO filter SELECT '$name', n, bloom_add_all(
			bloom_create($capacity, $fpp, $growth), array_agg(key ORDER BY i))
			FROM value WHERE n = $n AND i <= $keys GROUP BY n;"
		to_file expected/$name.built "SELECT bloom FROM filter WHERE name = '$name'"
		note build $capacity $fpp $growth "$sizing" "$type" values/$name actual/$name.built
	done >>statements < <(sql -F'#' -c "SELECT n, type, b.keys, capacity, fpp, growth,
		$(sizing_of 'capacity, fpp') FROM build b JOIN sample USING (n)")

	while IFS='#' read -r n type; do
		to_file filters/$n.few "SELECT bloom_add_all(bloom_create(100000), array_agg(key))
			FROM value WHERE n = $n AND i <= 500"
		to_file expected/$n.added "SELECT bloom_add_all(bloom_create(100000), array_agg(key))
			FROM value WHERE n = $n"
		note add filters/$n.few "$type" values/$n actual/$n.added
	done >>statements < <(sql -F'#' -c 'SELECT n, type FROM sample WHERE keys = 20000')
	sql -f statements

	while IFS='#' read -r name n type kind; do
		count=
		[ $kind = bloom ] || count=", coalesce(${kind}_count($kind, key), -1)"
		file=filters/$name.$kind
		[ ! -e expected/$name.built ] || file=actual/$name.built
		to_file filters/$name.$kind "SELECT $kind FROM filter WHERE name = '$name'"
		to_file expected/$name.$kind "SELECT concat_ws(' ', ${kind}_contains($kind, key)::text$count)
			FROM filter JOIN value USING (n) WHERE name = '$name' ORDER BY i"
		note ask $file "$type" values/$n actual/$name.$kind
	done >statements < <(sql -F'#' -c "SELECT name, n, type, kind FROM filter JOIN sample USING (n),
		unnest('{bloom,counting_bloom,cuckoo}'::text[]) kind
		WHERE row_to_json(filter)->>kind IS NOT NULL")
	sql -f statements

	run_noted keys
	while IFS='#' read -r n name; do
		names[$n]=$name
	done < <(sql -F'#' -c "SELECT n, concat_ws(', ', type, expression) FROM sample")
	for file in $(cd expected && ls -v); do
		n=${file%%.*}
		# of full and precise, which are no numbers
		name=integer
		[[ $n = *[!0-9]* ]] || name=${names[$n]}
		check "$file ($name): $(wc -l <expected/$file) lines" same_nonempty {expected,actual}/$file
	done
}

# same_nonempty FILE OTHER
same_nonempty()
{
	[ -s "$1" ] && same_lines "$1" "$2"
}

# The keys of texts, and then twelve times over those of bytes, in one run.  What is compiled while
# it runs can go wrong after a while: OpenJDK 17 made wrong hashes of more than 1,024 bytes.
compare_rounds()
{
	local n round

	while read -r n; do
		note keys text values/$n actual/$n.keys
	done < <(sql -c "SELECT n FROM sample WHERE type = 'text' ORDER BY n")
	n=$(sql -c "SELECT n FROM sample WHERE expression = 'bytes(i)'")
	for round in {1..12}; do
		note keys bytea values/$n actual/$n.round_$round
	done
	run_noted rounds
	for round in {1..12}; do
		check "keys of bytes, round $round" same_nonempty expected/$n.keys actual/$n.round_$round
	done
}

# Sizings of capacities from 129 to 10 million.  They are accepted for their capacity, and refused
# for a thousand times as many keys, or as few.
compare_sizings()
{
	sql <<SQL
CREATE TABLE sizing AS
SELECT capacity, fpp, $(sizing_of 'capacity, fpp') AS sizing
FROM (SELECT 129 UNION SELECT round(129 * (1e7 / 129) ^ (i / 40.0))::bigint FROM generate_series(1, 40) i
		UNION VALUES (255), (256), (257), (1000)) c (capacity),
	unnest('{0.9,0.7,0.5,0.3,0.2,0.1,0.05,0.02,0.01,0.003,1e-3,1e-4,1e-5,1e-6,1e-7,1e-8,1e-9}'::float8[]) fpp;
CREATE TABLE sizing_of AS
SELECT concat_ws(' ', capacity, fpp, sizing) AS input, 'accepted' AS answer FROM sizing
UNION ALL
SELECT concat_ws(' ', other, fpp, sizing), 'refused'
FROM sizing, unnest(ARRAY[capacity * 1000, CASE WHEN capacity >= 1000 THEN 256 END,
	CASE WHEN capacity >= 256000 THEN capacity / 1000 END,
	CASE WHEN capacity < 100000 THEN 1000000 END,
	CASE WHEN capacity > 100000 THEN 1000 END]) other
WHERE other IS NOT NULL;
SQL
	sql -c 'SELECT input FROM sizing_of ORDER BY input' >inputs
	sql -c 'SELECT answer FROM sizing_of ORDER BY input' >expected_answers
	note sizings inputs answers
	run_noted sizings
	check "$(wc -l <inputs) sizings, of which $(grep -c accepted expected_answers) are right" \
		same_lines expected_answers answers
	check_sql 'they are 700 or more, none of them null' \
		"count(*) >= 700 AND bool_and(sizing ~ '^\d+,\d+,\d+\$') FROM sizing"
}

# Filters that have grown, and unions of them: the number of keys, empty where it is null
compare_numbers()
{
	sql <<'SQL'
CREATE TABLE grown AS
SELECT fpp, growth, bloom_add_all(bloom_create(128, fpp, growth), ARRAY(
		SELECT (fpp * 1000)::bigint * 10000000 + growth * 1000000 + generate_series(1, keys))) AS f
FROM (VALUES (1, 7600), (2, 20000), (3, 20000)) g (growth, keys),
	unnest(ARRAY[0.001, 0.01, 0.03, 0.1, 0.2, 0.5, 0.99]) fpp;
CREATE TABLE counted AS
SELECT row_number() OVER () AS n, f, bloom_cardinality(f) AS keys
FROM (SELECT f FROM grown
	UNION ALL
	SELECT a.f | b.f FROM grown a JOIN grown b
	ON (a.fpp, a.growth) < (b.fpp, b.growth) AND (a.growth = b.growth OR a.fpp = b.fpp)) u;
SQL
	sql -c "SELECT f FROM counted ORDER BY n" >inputs
	sql -c "SELECT keys FROM counted ORDER BY n" >expected_answers
	note numbers inputs answers
	run_noted numbers
	check 'the numbers of keys of filters that have grown' same_lines expected_answers answers
	check_sql 'they are 40 or more, and some are null' \
		'count(keys) > 40 AND count(*) > count(keys) FROM counted'
}

# Damaged filters of all kinds: images of which a bit is flipped or a byte set, which are cut off
# or go on, or of another kind, and texts of which some characters are others
compare_reasons()
{
	sql <<'SQL'
CREATE FUNCTION to_base64(bytes bytea) RETURNS text LANGUAGE sql AS
$$ SELECT translate(encode(bytes, 'base64'), E'\n', '') $$;
CREATE FUNCTION reason(kind text, input text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	detail text;
BEGIN
	EXECUTE format('SELECT %L::%I', input, kind);
	RETURN 'accepted';
EXCEPTION WHEN invalid_text_representation THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN detail;
END
$$;
CREATE TABLE image AS
SELECT row_number() OVER () - 1 AS n, kind, image
FROM (SELECT 'bloom', bloom_create(1000)::bytea
	UNION ALL SELECT 'bloom', bloom_agg(i)::bytea FROM generate_series(1, 50) i
	UNION ALL SELECT 'bloom', bloom_agg(i::text)::bytea FROM generate_series(1, 200) i
	UNION ALL SELECT 'bloom', bloom_agg(ARRAY[i])::bytea FROM generate_series(1, 300) i
	UNION ALL SELECT 'bloom', bloom_add_all(bloom_create(1, 0.5, 1), array_agg(i))::bytea
		FROM generate_series(1, 500) i
	UNION ALL SELECT 'counting_bloom', counting_bloom_agg(i % 50)::bytea
		FROM generate_series(1, 200) i
	UNION ALL SELECT 'counting_bloom', counting_bloom_agg(i % 100)::bytea
		FROM generate_series(1, 500) i
	UNION ALL SELECT 'cuckoo', cuckoo_agg(i)::bytea FROM generate_series(1, 100) i
	UNION ALL SELECT 'cuckoo', cuckoo_agg(i, 20, 0.9)::bytea FROM generate_series(1, 20) i
	UNION ALL SELECT 'cuckoo', cuckoo_agg(i::text, 3, 0.9)::bytea FROM generate_series(1, 3) i)
	s (kind, image);
CREATE TABLE input AS
SELECT i, CASE WHEN i % 20 = 7 THEN (ARRAY['bloom', 'counting_bloom', 'cuckoo'])[i % 3 + 1]
		ELSE kind END AS kind,
	to_base64(CASE i % 7
		WHEN 0 THEN substr(image, 1, (noise(i, 1) * length(image))::int)
		WHEN 1 THEN image || bytes(i % 20)
		WHEN 2 THEN set_bit(image, bit, 1 - get_bit(image, bit))
		WHEN 3 THEN set_byte(image, early / 8, (ARRAY[0, 1, 127, 128, 255])[i % 5 + 1])
		WHEN 4 THEN substr(image, 1, early / 8) || bytes(8) || substr(image, early / 8 + 1)
		ELSE set_bit(image, early, 1 - get_bit(image, early)) END) AS text
FROM (SELECT i, kind, image, (noise(i, 2) * (length(image) * 8 - 1))::bigint AS bit,
		(noise(i, 3) * (least(length(image), 124) * 8 - 1))::int AS early
	FROM generate_series(1, 3000) i JOIN image ON n = i % 10) s
UNION ALL
SELECT 3000 + i, kind, CASE i % 3
	WHEN 0 THEN overlay(text PLACING new FROM (noise(i, 4) * (length(text) - 1))::int + 1 FOR i % 4)
	WHEN 1 THEN overlay(text PLACING new FROM length(text) - i % 8 FOR i % 2)
	ELSE text || substr('====AAA', i % 8, i % 5) END
FROM (SELECT i, kind, to_base64(image) AS text,
		(ARRAY['', '=', '==', 'A', 'AAAA', 'B', '/', '+', ' ', '?', '-', 'zé'])[i % 12 + 1] AS new
	FROM generate_series(1, 1000) i JOIN image ON n = i % 10) s;
ALTER TABLE input ADD reason text;
UPDATE input SET reason = reason(kind, text);
SQL
	sql -c "SELECT kind || ' ' || text FROM input ORDER BY i" >inputs
	sql -c "SELECT reason FROM input ORDER BY i" >expected_answers
	note reasons inputs answers
	run_noted reasons
	check '4,000 damaged filters: refused or not, and the reasons' same_lines expected_answers answers
	check_sql 'they have 20 reasons or more, and some are accepted' \
		"count(DISTINCT reason) > 20 AND bool_or(reason = 'accepted') FROM input"
}

compare_with_server()
{
	# no warnings of filters past their capacity
	local -x PGOPTIONS='-c client_min_messages=error'

	compare_samples
	compare_rounds
	compare_sizings
	compare_numbers
	compare_reasons
}
