--
-- Filters in variables of PL/pgSQL, which PostgreSQL 18 changes in place: a
-- change of one variable never shows in another value.
--
-- Filters of more than 8 kB are changed in place.  The rate is so low that no
-- key is in a filter by chance.
--
\set VERBOSITY terse
CREATE FUNCTION large() RETURNS bloom LANGUAGE sql AS
$$SELECT bloom_agg('key ' || i, 1e-9) FROM generate_series(1, 3000) AS i$$;
SELECT bloom_bytes > 8192 AS is_large FROM (SELECT length(bloom_send(large()))) AS x(bloom_bytes);

CREATE FUNCTION same(f bloom) RETURNS bloom LANGUAGE plpgsql AS
$$BEGIN RETURN f; END$$;
CREATE FUNCTION with_key(f bloom, k text) RETURNS bloom LANGUAGE plpgsql AS
$$BEGIN f := bloom_add(f, k); RETURN f; END$$;
CREATE FUNCTION failing(f bloom) RETURNS bloom LANGUAGE plpgsql AS
$$BEGIN RAISE EXCEPTION 'it fails'; END$$;
CREATE PROCEDURE add_to(INOUT f bloom, k text) LANGUAGE plpgsql AS
$$BEGIN f := bloom_add(f, k); f := bloom_add(f, k || '!'); END$$;

-- two variables
DO $$
DECLARE
	f bloom := large();
	g bloom;
	h bloom;
BEGIN
	f := bloom_add(f, 'a');
	g := f;
	g := bloom_add(g, 'b');
	f := f || 'c'::text;
	h := bloom_add(f, 'd');
	f := bloom_add_all(f, ARRAY['e', 'f']);
	ASSERT f @> 'a'::text AND f @> 'c'::text AND f @> 'e'::text AND f @> 'f'::text;
	ASSERT NOT f @> 'b'::text AND NOT f @> 'd'::text;
	ASSERT g @> 'a'::text AND g @> 'b'::text AND NOT g @> 'c'::text;
	ASSERT h @> 'c'::text AND h @> 'd'::text AND NOT h @> 'e'::text;
END $$;

-- a null key, and a key that is there, change nothing; a null filter is an
-- error
DO $$
DECLARE
	f bloom := large();
	before text;
BEGIN
	f := bloom_add(f, 'a');
	before := f;
	f := bloom_add(f, NULL::text);
	f := bloom_add(f, 'a');
	ASSERT f::text = before;
	f := NULL;
	f := bloom_add(f, 'a');
END $$;

-- an error leaves the value that there was, whatever has been done of the
-- statement
DO $$
DECLARE
	f bloom := large();
	u cuckoo := (SELECT cuckoo_agg(i, 3000, 0.001) FROM generate_series(1, 3000) AS i);
	before text;
	nerrors int := 0;
BEGIN
	f := bloom_add(f, 'a');
	u := cuckoo_add(u, 0);
	FOR i IN 1 .. 3 LOOP
		before := f;
		BEGIN
			f := bloom_add(f, 1.5::float8);
		EXCEPTION WHEN datatype_mismatch THEN nerrors := nerrors + 1;
		END;
		ASSERT f::text = before;
		BEGIN
			f := bloom_add(bloom_add(f, 'b'), (1 / (i - i))::text);
		EXCEPTION WHEN division_by_zero THEN nerrors := nerrors + 1;
		END;
		ASSERT f::text = before;
		BEGIN
			f := failing(bloom_add(f, 'b'));
		EXCEPTION WHEN raise_exception THEN nerrors := nerrors + 1;
		END;
		ASSERT f::text = before;

		-- what an earlier statement has done stays done
		BEGIN
			f := bloom_add(f, 'c' || i);
			RAISE EXCEPTION 'it fails';
		EXCEPTION WHEN raise_exception THEN nerrors := nerrors + 1;
		END;
		ASSERT f @> ('c' || i) AND NOT f @> 'b'::text;

		-- many keys are added before there is no room
		before := u;
		BEGIN
			u := cuckoo_add_all(u, ARRAY(SELECT generate_series(10001, 20000)));
		EXCEPTION WHEN program_limit_exceeded THEN nerrors := nerrors + 1;
		END;
		ASSERT u::text = before;
		u := cuckoo_add(u, -i);
	END LOOP;
	ASSERT nerrors = 15;
END $$;

-- the same for a variable of the block that catches the error
DO $$
DECLARE
	f bloom := large();
	before text;
BEGIN
	f := bloom_add(f, 'a');
	before := f;
	FOR i IN 1 .. 3 LOOP
		DECLARE
			g bloom := f;
		BEGIN
			g := bloom_add(g, 'b');
			g := bloom_add_all(g, ARRAY[1.5, 2.5]::float8[]);
		EXCEPTION WHEN datatype_mismatch THEN
			ASSERT g @> 'b'::text;
		END;
	END LOOP;
	ASSERT f::text = before;
END $$;

-- RETURN NEXT
CREATE FUNCTION growing(n int) RETURNS SETOF bloom LANGUAGE plpgsql AS
$$
DECLARE
	f bloom := large();
BEGIN
	FOR i IN 1 .. n LOOP
		f := bloom_add(f, 'added ' || i);
		RETURN NEXT f;
	END LOOP;
END $$;
SELECT number, count(*) FILTER (WHERE f @> ('added ' || i)) AS added
FROM growing(4) WITH ORDINALITY AS x(f, number), generate_series(1, 5) AS i
GROUP BY number ORDER BY number;

-- arrays, records, rows and tables
CREATE TEMPORARY TABLE kept(f bloom);
DO $$
DECLARE
	f bloom := large();
	a bloom[];
	r record;
	s record;
	k kept;
BEGIN
	f := bloom_add(f, 'a');
	a := ARRAY[f, f];
	SELECT f AS f, 1 AS n INTO r;
	k.f := f;
	INSERT INTO kept VALUES (f);
	f := bloom_add(f, 'b');
	ASSERT NOT a[1] @> 'b'::text AND NOT a[2] @> 'b'::text AND NOT r.f @> 'b'::text AND NOT k.f @> 'b'::text;
	ASSERT NOT (SELECT bool_or(kept.f @> 'b'::text) FROM kept);
	s := r;
	FOR i IN 1 .. 3 LOOP
		a[1] := bloom_add(a[1], 'c' || i);
		r.f := bloom_add(r.f, 'd' || i);
		k.f := bloom_add(k.f, 'e' || i);
		f := bloom_add(k.f, 'f' || i);
	END LOOP;
	ASSERT a[1] @> 'c1'::text AND a[1] @> 'c3'::text AND NOT a[2] @> 'c1'::text;
	ASSERT r.f @> 'd1'::text AND r.f @> 'd3'::text AND NOT s.f @> 'd1'::text;
	ASSERT k.f @> 'e1'::text AND k.f @> 'e3'::text AND NOT k.f @> 'f1'::text;
	ASSERT f @> 'f3'::text AND NOT f @> 'f2'::text;
	ASSERT s.f = (SELECT kept.f FROM kept);
END $$;

-- cursors
DO $$
DECLARE
	f bloom := large();
	g bloom;
	c CURSOR FOR SELECT f FROM generate_series(1, 2);
BEGIN
	f := bloom_add(f, 'a');
	OPEN c;
	f := bloom_add(f, 'b');
	FETCH c INTO g;
	f := bloom_add(f, 'c');
	ASSERT g @> 'a'::text AND NOT g @> 'b'::text;
	FETCH c INTO g;
	ASSERT g @> 'a'::text AND NOT g @> 'b'::text AND NOT g @> 'c'::text;
	CLOSE c;
END $$;

-- functions that return their argument, change it, or call others
DO $$
DECLARE
	f bloom := large();
	g bloom;
	before text;
BEGIN
	f := bloom_add(f, 'a');
	before := f;
	g := same(f);
	g := bloom_add(g, 'b');
	ASSERT f::text = before;
	g := with_key(f, 'c');
	g := with_key(with_key(g, 'd'), 'e');
	g := bloom_add(same(f), 'f');
	ASSERT f::text = before;
	g := bloom_union(bloom_add(f, 'g'), f);
	ASSERT f::text = before AND g @> 'g'::text;
	f := same(same(bloom_add(with_key(f, 'h'), 'i')));
	ASSERT f @> 'h'::text AND f @> 'i'::text AND NOT f @> 'f'::text;
	f := bloom_add(f, bloom_cardinality(f)::text);
	f := bloom_add(f, CASE WHEN f @> 'h'::text THEN 'j' ELSE 'k' END);
	ASSERT f @> 'j'::text AND NOT f @> 'k'::text;
	g := f;
	CALL add_to(f, 'l');
	ASSERT f @> 'l'::text AND f @> 'l!'::text AND NOT g @> 'l'::text;
	g := bloom_shrink(f);
	g := bloom_add(g, 'm');
	ASSERT NOT f @> 'm'::text;
END $$;

-- every function reads such a variable as it reads a stored value
DO $$
DECLARE
	f bloom := large();
	g bloom;
BEGIN
	f := bloom_add(f, 'a');
	f := bloom_add(f, 'b');
	g := f::text;
	ASSERT f = g AND NOT f <> g AND f::bytea = g::bytea;
	ASSERT bloom_info(f)::text = bloom_info(g)::text;
	ASSERT bloom_overhead(f)::text = bloom_overhead(g)::text;
	ASSERT bloom_cardinality(f) = bloom_cardinality(g);
	ASSERT bloom_current_fpp(f) = bloom_current_fpp(g);
	ASSERT bloom_contains_all(f, ARRAY['a', 'b']) AND NOT bloom_contains_any(f, ARRAY['c', 'd']);
	ASSERT bloom_missing(f, ARRAY['a', 'c']) = ARRAY['c'];
	ASSERT f && g AND (bloom_overlap(f, g)).keys_both = (bloom_overlap(g, g)).keys_both;
	ASSERT (f | g) = g AND (g | f) = g AND (f & g) = (g & g);
	ASSERT bloom_shrink(f) = bloom_shrink(g);
	ASSERT (SELECT bloom_union_agg(x) FROM (VALUES (f), (f), (g)) AS v(x)) = g;
	ASSERT (SELECT count(*) FROM (SELECT x FROM (VALUES (f), (f), (g)) AS v(x) GROUP BY x) AS distinct_x) = 1;
	ASSERT bloom_matrix_filter((SELECT bloom_matrix_agg(id, x) FROM (VALUES (1, f)) AS v(id, x)), 1) = g;
END $$;

-- a filter that grows, and one that loses its keys, have the bytes that they
-- have if all keys come in one call
DO $$
DECLARE
	f bloom := bloom_create(1000, 0.01);
	c counting_bloom := counting_bloom_create(20000, 0.01);
	u cuckoo := cuckoo_create(20000, 0.01);
	keys int[] := ARRAY(SELECT generate_series(1, 12000));
BEGIN
	FOR i IN 1 .. 12000 LOOP
		f := bloom_add(f, i);
		c := counting_bloom_add(c, i);
		u := cuckoo_add(u, i);
	END LOOP;
	ASSERT f = bloom_add_all(bloom_create(1000, 0.01), keys);
	ASSERT (bloom_info(f)).layers > 2;
	ASSERT c = counting_bloom_add_all(counting_bloom_create(20000, 0.01), keys);
	ASSERT u = cuckoo_add_all(cuckoo_create(20000, 0.01), keys);
	FOR i IN 1 .. 12000 LOOP
		c := counting_bloom_remove(c, i);
		u := cuckoo_remove(u, i);
		IF i = 6000 THEN
			ASSERT counting_bloom_count(c, 6000) = 0 AND counting_bloom_count(c, 12000) = 1;
			ASSERT NOT u @> 6000 AND u @> 12000;
		END IF;
	END LOOP;
	ASSERT c = counting_bloom_create(20000, 0.01);
	ASSERT u = cuckoo_create(20000, 0.01);
	c := counting_bloom_add(c, 'a');
	u := cuckoo_add(u, 'a');
	ASSERT c = counting_bloom_add(counting_bloom_create(20000, 0.01), 'a');
	ASSERT u = cuckoo_add(cuckoo_create(20000, 0.01), 'a');
END $$;

-- the warning of a filter that has become too full comes once
DO $$
DECLARE
	f bloom := bloom_create(8000, 0.01, 0);
BEGIN
	FOR i IN 1 .. 9000 LOOP
		f := bloom_add(f, i);
	END LOOP;
END $$;

DROP FUNCTION large, same, with_key, failing, growing;
DROP PROCEDURE add_to;
DROP TABLE kept;
