-- The statements of doc/set.md

CREATE SCHEMA live;
SET search_path = live, public;
SELECT bloom_set_create('seen', 'text', 1e6);
SELECT bloom_set_add('seen', 'https://example.com/') AS is_new, bloom_set_add('seen', 'https://example.com/') AS again;

CREATE TABLE queue (url text);
INSERT INTO queue SELECT unnest(bloom_set_add_all('seen', ARRAY['https://example.com/', 'https://example.org/']));

CREATE TABLE event (id bigint, payload text);
SELECT bloom_set_create('event_ids', 'bigint', 1e6, fpp => 1e-6);
INSERT INTO event SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (1, 'a')) AS new (id, payload)
WHERE bloom_set_add('event_ids', id);

INSERT INTO event
SELECT * FROM (SELECT * FROM (VALUES (3, 'c'), (4, '')) AS new (id, payload) WHERE payload <> '' OFFSET 0) AS valid
WHERE bloom_set_add('event_ids', id);
-- only the key whose row is stored is marked; and in a join, too
SELECT bloom_set_missing('event_ids', '{1,2,3,4}'::bigint[]);
CREATE TABLE valid (id bigint);
INSERT INTO valid VALUES (5);
INSERT INTO event SELECT * FROM (SELECT new.* FROM (VALUES (5, 'e'), (6, 'f')) AS new (id, payload) JOIN valid USING (id) OFFSET 0) AS joined
WHERE bloom_set_add('event_ids', id);
SELECT bloom_set_missing('event_ids', '{5,6}'::bigint[]);

SELECT bloom_set_create('requests', 'uuid', 1e5, windows => 8);
SELECT bloom_set_advance('requests');
SELECT bloom_set_add('requests', 'c4ca4238-a0b9-2382-0dcc-509a6f75849b'::uuid) AS do_it;

CREATE TABLE account (name text);
INSERT INTO account VALUES ('ann');
SELECT bloom_set_create('names', 'text', 1e6);
BEGIN;
CREATE TRIGGER names AFTER INSERT OR UPDATE ON account
    FOR EACH ROW EXECUTE FUNCTION bloom_set_follow('names', 'name');
SELECT cardinality(bloom_set_add_all('names', array_agg(name))) FROM account;
COMMIT;
SELECT bloom_set_contains('names', 'ann') AS ann, bloom_set_contains('names', 'bob') AS bob;

SELECT bloom_set_create('watched', 'int[]', 1e6);
SELECT bloom_set_add('watched', ARRAY[42, 7]);
SELECT id FROM generate_series(5, 9) AS item (id) WHERE NOT bloom_set_contains('watched', ARRAY[42, id]);

SELECT count(*) FROM event WHERE (SELECT bloom_set_filter('event_ids')) @> id;
RESET search_path;

SET client_min_messages = warning;
DROP SCHEMA live CASCADE;
