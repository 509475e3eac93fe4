-- Queries without filters written by hand, of the tables of module_tables.sql and joins_tables.sql.

-- text: a key of text, of which one in ten counts
SELECT count(*), sum(amount) FROM fact_other, dim_other WHERE fact_other.t = dim_other.t AND x < 102;

-- uuid: the same keys as uuid
SELECT count(*), sum(amount) FROM fact_other, dim_other WHERE fact_other.u = dim_other.u AND x < 102;

-- two workers, star: the star of three dimensions
SET max_parallel_workers_per_gather = 2;
SELECT count(*), sum(amount) FROM star_fact, dim_a, dim_b, dim_c
WHERE a = dim_a.id AND b = dim_b.id AND c = dim_c.id AND dim_a.x < 102 AND dim_b.x < 102 AND dim_c.x < 102;

-- two workers, Parallel Hash: a join with a large table
SET max_parallel_workers_per_gather = 2;
SET work_mem = '64MB';
SELECT count(*), sum(amount) FROM star_fact, large WHERE star_fact.id = large.id AND large.x < 102;

-- spill, one in a hundred: work_mem 64 MB
SET work_mem = '64MB';
SELECT count(*), sum(amount) FROM star_fact, large WHERE star_fact.id = large.id AND large.x < 10;

-- spill, many keys: more than the filter has room for; work_mem 4 MB
SELECT count(*), sum(f.amount) FROM star_fact f, (SELECT id FROM large WHERE x < 820) l WHERE f.id = l.id;

-- TPC-H 3: orders of a segment that are not shipped yet
SELECT l_orderkey, sum(l_extendedprice * (100 - l_discount)) AS revenue, o_orderdate
FROM h_customer, h_orders, h_lineitem
WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
	AND o_orderdate < '1995-03-15' AND l_shipdate > '1995-03-15'
GROUP BY l_orderkey, o_orderdate ORDER BY revenue DESC, o_orderdate, l_orderkey LIMIT 10;

-- TPC-H 5: customers and suppliers of one nation, in a region
SELECT n_name, sum(l_extendedprice * (100 - l_discount)) AS revenue
FROM h_customer, h_orders, h_lineitem, h_supplier, h_nation
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey
	AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey AND n_regionkey = 2
	AND o_orderdate >= '1994-01-01' AND o_orderdate < '1995-01-01'
GROUP BY n_name ORDER BY revenue DESC;

-- TPC-H 8: the share of a nation in a type of parts
SELECT extract(year FROM o_orderdate) AS year, sum(CASE WHEN n2.n_name = 'NATION 2' THEN l_extendedprice ELSE 0 END)
FROM h_part, h_supplier, h_lineitem, h_orders, h_customer, h_nation n1, h_nation n2
WHERE p_partkey = l_partkey AND s_suppkey = l_suppkey AND l_orderkey = o_orderkey AND o_custkey = c_custkey
	AND c_nationkey = n1.n_nationkey AND n1.n_regionkey = 1 AND s_nationkey = n2.n_nationkey
	AND o_orderdate BETWEEN '1995-01-01' AND '1996-12-31' AND p_type = 103
GROUP BY year ORDER BY year;

-- TPC-H 9: profit by nation and year, of parts of a color
SELECT n_name, extract(year FROM o_orderdate) AS year, sum(l_extendedprice - ps_supplycost * l_quantity)
FROM h_part, h_supplier, h_lineitem, h_partsupp, h_orders, h_nation
WHERE s_suppkey = l_suppkey AND ps_suppkey = l_suppkey AND ps_partkey = l_partkey AND p_partkey = l_partkey
	AND o_orderkey = l_orderkey AND s_nationkey = n_nationkey AND p_name LIKE '%green%'
GROUP BY n_name, year ORDER BY n_name, year DESC;

-- TPC-H 10: customers who returned parts
SELECT c_custkey, n_name, sum(l_extendedprice * (100 - l_discount)) AS revenue
FROM h_customer, h_orders, h_lineitem, h_nation
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate >= '1993-10-01'
	AND o_orderdate < '1994-01-01' AND l_returnflag = 'R' AND c_nationkey = n_nationkey
GROUP BY c_custkey, n_name ORDER BY revenue DESC, c_custkey LIMIT 20;

-- TPC-H 17: small orders of a brand
SELECT sum(l_extendedprice) FROM h_lineitem, h_part
WHERE p_partkey = l_partkey AND p_brand = 'Brand#23' AND p_size < 3 AND l_quantity < 5;

-- TPC-H 18: large orders
SELECT o_orderkey, o_custkey, sum(l_quantity) FROM h_orders, h_lineitem
WHERE o_orderkey IN (SELECT l_orderkey FROM h_lineitem GROUP BY l_orderkey HAVING sum(l_quantity) > 170)
	AND o_orderkey = l_orderkey
GROUP BY o_orderkey, o_custkey ORDER BY o_orderkey LIMIT 100;

-- TPC-H 21: suppliers of a nation who kept orders waiting
SELECT s_suppkey, count(*) FROM h_supplier, h_lineitem l1, h_orders
WHERE s_suppkey = l1.l_suppkey AND o_orderkey = l1.l_orderkey AND o_orderpriority = 1
	AND l1.l_receiptdate > l1.l_shipdate + 25 AND s_nationkey = 20
	AND EXISTS (SELECT FROM h_lineitem l2 WHERE l2.l_orderkey = l1.l_orderkey AND l2.l_suppkey <> l1.l_suppkey)
GROUP BY s_suppkey ORDER BY count(*) DESC, s_suppkey LIMIT 100;

-- films, keyword: cast of films with a rare keyword
SELECT count(*), min(person.id) FROM film, plays, person, film_keyword, keyword
WHERE plays.film = film.id AND plays.person = person.id AND film_keyword.film = film.id
	AND film_keyword.keyword = keyword.id AND word = 'keyword 9000' AND year > 1950;

-- films, correlated: kind and year, which depend on each other
SELECT count(*), min(film.id) FROM film, film_info i1, film_info i2, film_company, company
WHERE i1.film = film.id AND i2.film = film.id AND film_company.film = film.id AND film_company.company = company.id
	AND film.kind = 7 AND film.year > 1990 AND i1.said = 'series2' AND i2.said = 'series3' AND country = 7;

-- films, many to many: persons who play together, of a town
SELECT count(*), min(p1.film) FROM plays p1, plays p2, person
WHERE p1.film = p2.film AND p1.person = person.id AND town = 999 AND p2.role = 3;

-- films, keywords of keywords: films that share a keyword with those of a company
SELECT count(*) FROM film_keyword k1, film_keyword k2, film_company, company
WHERE k1.keyword = k2.keyword AND k1.film = film_company.film AND film_company.company = company.id
	AND company.country = 3 AND company.id < 100 AND k2.keyword > 5000;

-- films, six tables: roles of women in films of a country
SELECT count(*), min(film.year) FROM film, plays, person, film_company, company, film_keyword
WHERE plays.film = film.id AND plays.person = person.id AND film_company.film = film.id
	AND film_company.company = company.id AND film_keyword.film = film.id
	AND gender = 'f' AND town < 20 AND country = 11 AND film.year BETWEEN 1930 AND 1960;

-- tiny: three tables of a few rows
SELECT count(*) FROM tiny_a, tiny_b, tiny_c WHERE tiny_a.b = tiny_b.id AND tiny_b.c = tiny_c.id;

-- twelve tables: to plan them
SELECT count(*) FROM film f1, film f2, film f3, film f4, film_info i1, film_info i2, film_info i3, film_company c1,
	film_company c2, company a, company b, keyword
WHERE f1.id = f2.id AND f2.id = f3.id AND f3.id = f4.id AND i1.film = f1.id AND i2.film = f2.id AND i3.film = f3.id
	AND c1.film = f4.id AND c2.film = f1.id AND c1.company = a.id AND c2.company = b.id AND keyword.id = f1.id
	AND a.country = 1 AND b.country = 2 AND f1.year = 1950 AND i1.what = 1 AND i2.what = 2 AND i3.what = 3;
