-- A stand-in of the data of the Join Order Benchmark (Leis and others, 2015), which is of films
-- and cannot be generated: its 21 tables and their columns that join, with a tenth of its rows at
-- :scale 1.  What makes it hard to estimate is made up: few films have most rows in all tables
-- (low numbers), and year, kind, genre, country, language, companies, rating and roles of a film
-- depend on each other.

SELECT setseed(0.5) \gset

CREATE TABLE kind_type (id int PRIMARY KEY, kind text);
INSERT INTO kind_type VALUES (1, 'movie'), (2, 'tv series'), (3, 'tv movie'), (4, 'video'), (5, 'tv mini'),
	(6, 'video game'), (7, 'episode');
CREATE TABLE info_type AS SELECT i AS id, 'info ' || i AS info FROM generate_series(1, 113) i;
CREATE TABLE role_type AS SELECT i AS id, 'role ' || i AS role FROM generate_series(1, 12) i;
CREATE TABLE company_type AS SELECT i AS id, 'company type ' || i AS kind FROM generate_series(1, 4) i;
CREATE TABLE comp_cast_type AS SELECT i AS id, 'cast type ' || i AS kind FROM generate_series(1, 4) i;
CREATE TABLE link_type AS SELECT i AS id, 'link ' || i AS link FROM generate_series(1, 18) i;

-- films: half of them episodes, all of these late; the genre (0 to 19) and the country (0 to 49, many
-- of country 0) are those of their companies and of what is said of them
CREATE TABLE title AS
SELECT i AS id, CASE WHEN year > 1985 AND r < 0.7 THEN 7 ELSE 1 + (6 * r ^ 3)::int % 6 END AS kind_id,
	year AS production_year, 'Title ' || md5(i::text) AS title, floor(20 * random() ^ 2)::int AS genre,
	floor(50 * random() ^ 3)::int AS country
FROM (SELECT i, 2013 - floor(120 * random() ^ 3)::int AS year, random() AS r
	FROM generate_series(1, (250000 * :scale)::int) i OFFSET 0) s;
CREATE TABLE name AS
SELECT i AS id, 'Name ' || md5(i::text) AS name, CASE WHEN random() < 0.6 THEN 'm' ELSE 'f' END AS gender,
	floor(50 * random() ^ 3)::int AS country
FROM generate_series(1, (410000 * :scale)::int) i;
CREATE TABLE char_name AS SELECT i AS id, 'Character ' || md5(i::text) AS name
FROM generate_series(1, (310000 * :scale)::int) i;
CREATE TABLE keyword AS SELECT i AS id, 'keyword-' || i AS keyword
FROM generate_series(1, (13000 * :scale)::int) i;
CREATE TABLE company_name AS
SELECT i AS id, 'Company ' || md5(i::text) AS name, 'country ' || i % 50 AS country_code
FROM generate_series(1, 50 * ceil(470 * :scale)::int) i;

-- a film's companies are of its country, three times out of four
CREATE TABLE movie_companies AS
SELECT row_number() OVER () AS id, title.id AS movie_id, 1 + 50 * floor((470 * :scale) * random() ^ 2)::int
	+ CASE WHEN random() < 0.75 THEN (country + 49) % 50 ELSE floor(49 * random())::int END AS company_id,
	1 + floor(2 * random() ^ 2)::int AS company_type_id,
	CASE WHEN random() < 0.3 THEN '(co-production)' WHEN random() < 0.5 THEN '(' || production_year || ')' END AS note
FROM title, generate_series(1, 1 + 20000 / (title.id + 10000)) n;
-- keywords by their genre, the more the lower the number of the film
CREATE TABLE movie_keyword AS
SELECT row_number() OVER () AS id, m AS movie_id,
	1 + (genre * 50 + floor((13000 * :scale) * random() ^ 3)::int) % (13000 * :scale)::int AS keyword_id
FROM (SELECT 1 + floor((250000 * :scale) * random() ^ 1.5)::int AS m FROM generate_series(1, (450000 * :scale)::int)) s
	JOIN title ON id = m;
-- genre (3), country (8), language (4), release (16): the last three follow each other
CREATE TABLE movie_info AS
SELECT row_number() OVER () AS id, title.id AS movie_id, type AS info_type_id,
	CASE type WHEN 3 THEN 'genre ' || (genre + n * (random() < 0.3)::int) WHEN 8 THEN 'country ' || country
		WHEN 4 THEN 'language ' || country / 3 WHEN 16 THEN 'country ' || country || ': ' || production_year
		ELSE md5(title.id::text) END AS info
FROM title, unnest('{3, 8, 4, 16, 18, 98}'::int[]) type, generate_series(0, (type IN (3, 16))::int) n
WHERE type IN (3, 8) OR random() < 0.6;
-- votes (100) and rating (101) of films with low numbers, places (112) of few of them
CREATE TABLE movie_info_idx AS
SELECT row_number() OVER () AS id, title.id AS movie_id, type AS info_type_id,
	CASE type WHEN 101 THEN round((10 - 8 * random() * title.id / (250000 * :scale))::numeric, 1) ELSE title.id END AS info
FROM title, unnest('{99, 100, 101, 112}'::int[]) type
WHERE CASE type WHEN 112 THEN title.id <= 250 ELSE random() > title.id / (280000 * :scale) END;
-- casts: voices (role 2, with a note) in genres 5 and 6; few persons play most roles, often at home
CREATE TABLE cast_info AS
SELECT row_number() OVER () AS id, m AS movie_id, 1 + floor((410000 * :scale) * random() ^ 1.5)::int AS person_id,
	CASE WHEN random() < 0.6 THEN 1 + floor((310000 * :scale) * random() ^ 1.5)::int END AS person_role_id,
	CASE WHEN genre IN (5, 6) AND random() < 0.6 THEN 2 ELSE 1 + floor(12 * random() ^ 2)::int END AS role_id,
	CASE WHEN genre IN (5, 6) AND random() < 0.7 THEN '(voice)' WHEN random() < 0.1 THEN '(uncredited)' END AS note
FROM (SELECT 1 + floor((250000 * :scale) * random() ^ 1.5)::int AS m FROM generate_series(1, (3600000 * :scale)::int)) s
	JOIN title ON id = m;
CREATE TABLE movie_link AS
SELECT i AS id, 1 + floor((250000 * :scale) * random() ^ 1.5)::int AS movie_id,
	1 + floor((250000 * :scale) * random() ^ 1.5)::int AS linked_movie_id, 1 + floor(18 * random() ^ 2)::int AS link_type_id
FROM generate_series(1, (3000 * :scale)::int) i;
CREATE TABLE complete_cast AS
SELECT i AS id, 1 + floor((250000 * :scale) * random() ^ 1.5)::int AS movie_id, 1 + i % 2 AS subject_id, 3 + i % 2 AS status_id
FROM generate_series(1, (13500 * :scale)::int) i;
CREATE TABLE aka_title AS SELECT i AS id, 1 + floor((250000 * :scale) * random() ^ 1.5)::int AS movie_id, 'Aka ' || i AS title
FROM generate_series(1, (36000 * :scale)::int) i;
CREATE TABLE aka_name AS SELECT i AS id, 1 + floor((410000 * :scale) * random() ^ 1.5)::int AS person_id, 'Aka ' || i AS name
FROM generate_series(1, (90000 * :scale)::int) i;
CREATE TABLE person_info AS
SELECT i AS id, 1 + floor((410000 * :scale) * random() ^ 1.5)::int AS person_id, 15 + floor(25 * random() ^ 2)::int AS info_type_id
FROM generate_series(1, (300000 * :scale)::int) i;
ALTER TABLE title DROP genre, DROP country;
ALTER TABLE name DROP country;

SELECT format('ALTER TABLE %I ADD PRIMARY KEY (id)', relname) FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'kind_type' \gexec
SELECT format('ALTER TABLE %I ADD FOREIGN KEY (%I) REFERENCES %I', relname, attname, target)
FROM (VALUES ('movie_id', 'title'), ('linked_movie_id', 'title'), ('person_id', 'name'), ('keyword_id', 'keyword'),
	('company_id', 'company_name'), ('company_type_id', 'company_type'), ('info_type_id', 'info_type'),
	('kind_id', 'kind_type'), ('role_id', 'role_type'), ('person_role_id', 'char_name'),
	('link_type_id', 'link_type'), ('subject_id', 'comp_cast_type'), ('status_id', 'comp_cast_type')) k (key, target)
	JOIN pg_attribute ON attname = key JOIN pg_class ON attrelid = pg_class.oid
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace \gexec
