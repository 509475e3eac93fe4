--
-- Functions for the vectors of this folder: for write.sql, and for the regression test that
-- compares the files with the server.
--

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
