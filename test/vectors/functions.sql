--
-- Functions for the vectors of this folder: for write.sql, and for the regression test that
-- compares the files with the server.
--

-- n letters A, zeros in base64, for each A{n}
CREATE FUNCTION with_zeros(text) RETURNS text LANGUAGE sql AS $$
SELECT string_agg(CASE WHEN piece ~ '^\d+}'
	THEN repeat('A', split_part(piece, '}', 1)::int - 1) || substr(piece, strpos(piece, '}') + 1)
	ELSE left('{', n::int - 1) || piece END, '' ORDER BY n)
FROM string_to_table($1, '{') WITH ORDINALITY p(piece, n)
$$;

-- bloom_key(value::type); null where the type does not take the value
CREATE FUNCTION key_of(type text, value text) RETURNS bloom_key LANGUAGE plpgsql STRICT AS $$
DECLARE
	key bloom_key;
BEGIN
	EXECUTE format('SELECT bloom_key(%L::%s)', value, type) INTO key;
	RETURN key;
EXCEPTION WHEN data_exception THEN
	RETURN NULL;
END $$;

-- Why a text is refused as input of a type; null if it is not
CREATE FUNCTION reason_of(kind regtype, input text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	reason text;
BEGIN
	EXECUTE format('SELECT %L::%s', input, kind);
	RETURN NULL;
EXCEPTION WHEN invalid_text_representation THEN
	GET STACKED DIAGNOSTICS reason = PG_EXCEPTION_DETAIL;
	RETURN reason;
END $$;
