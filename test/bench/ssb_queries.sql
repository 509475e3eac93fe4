-- The queries of the Star Schema Benchmark, with a filter for each dimension that is
-- restricted.  Those without filters are these without the lines that begin with
-- `	AND bloom_contains'.

-- Q1.1
SELECT sum(lo_extendedprice::bigint * lo_discount) AS revenue
FROM lineorder, date
WHERE lo_orderdate = d_datekey AND d_year = 1993
	AND lo_discount BETWEEN 1 AND 3 AND lo_quantity < 25
	AND bloom_contains((SELECT bloom_agg(d_datekey) FROM date WHERE d_year = 1993), lo_orderdate);

-- Q1.2
SELECT sum(lo_extendedprice::bigint * lo_discount) AS revenue
FROM lineorder, date
WHERE lo_orderdate = d_datekey AND d_yearmonthnum = 199401
	AND lo_discount BETWEEN 4 AND 6 AND lo_quantity BETWEEN 26 AND 35
	AND bloom_contains((SELECT bloom_agg(d_datekey) FROM date WHERE d_yearmonthnum = 199401), lo_orderdate);

-- Q1.3
SELECT sum(lo_extendedprice::bigint * lo_discount) AS revenue
FROM lineorder, date
WHERE lo_orderdate = d_datekey AND d_weeknuminyear = 6 AND d_year = 1994
	AND lo_discount BETWEEN 5 AND 7 AND lo_quantity BETWEEN 26 AND 35
	AND bloom_contains((SELECT bloom_agg(d_datekey) FROM date WHERE d_weeknuminyear = 6 AND d_year = 1994), lo_orderdate);

-- Q2.1
SELECT sum(lo_revenue::bigint), d_year, p_brand1
FROM lineorder, date, part, supplier
WHERE lo_orderdate = d_datekey AND lo_partkey = p_partkey AND lo_suppkey = s_suppkey
	AND p_category = 'MFGR#12' AND s_region = 'AMERICA'
	AND bloom_contains((SELECT bloom_agg(p_partkey) FROM part WHERE p_category = 'MFGR#12'), lo_partkey)
	AND bloom_contains((SELECT bloom_agg(s_suppkey) FROM supplier WHERE s_region = 'AMERICA'), lo_suppkey)
GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1;

-- Q2.2
SELECT sum(lo_revenue::bigint), d_year, p_brand1
FROM lineorder, date, part, supplier
WHERE lo_orderdate = d_datekey AND lo_partkey = p_partkey AND lo_suppkey = s_suppkey
	AND p_brand1 BETWEEN 'MFGR#2221' AND 'MFGR#2228' AND s_region = 'ASIA'
	AND bloom_contains((SELECT bloom_agg(p_partkey) FROM part WHERE p_brand1 BETWEEN 'MFGR#2221' AND 'MFGR#2228'), lo_partkey)
	AND bloom_contains((SELECT bloom_agg(s_suppkey) FROM supplier WHERE s_region = 'ASIA'), lo_suppkey)
GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1;

-- Q2.3
SELECT sum(lo_revenue::bigint), d_year, p_brand1
FROM lineorder, date, part, supplier
WHERE lo_orderdate = d_datekey AND lo_partkey = p_partkey AND lo_suppkey = s_suppkey
	AND p_brand1 = 'MFGR#2239' AND s_region = 'EUROPE'
	AND bloom_contains((SELECT bloom_agg(p_partkey) FROM part WHERE p_brand1 = 'MFGR#2239'), lo_partkey)
	AND bloom_contains((SELECT bloom_agg(s_suppkey) FROM supplier WHERE s_region = 'EUROPE'), lo_suppkey)
GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1;

-- Q3.1
SELECT c_nation, s_nation, d_year, sum(lo_revenue::bigint) AS revenue
FROM customer, lineorder, supplier, date
WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey
	AND c_region = 'ASIA' AND s_region = 'ASIA' AND d_year BETWEEN 1992 AND 1997
	AND bloom_contains((SELECT bloom_agg(c_custkey) FROM customer WHERE c_region = 'ASIA'), lo_custkey)
	AND bloom_contains((SELECT bloom_agg(s_suppkey) FROM supplier WHERE s_region = 'ASIA'), lo_suppkey)
	AND bloom_contains((SELECT bloom_agg(d_datekey) FROM date WHERE d_year BETWEEN 1992 AND 1997), lo_orderdate)
GROUP BY c_nation, s_nation, d_year ORDER BY d_year, revenue DESC, c_nation, s_nation;

-- Q3.2
SELECT c_city, s_city, d_year, sum(lo_revenue::bigint) AS revenue
FROM customer, lineorder, supplier, date
WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey
	AND c_nation = 'UNITED STATES' AND s_nation = 'UNITED STATES' AND d_year BETWEEN 1992 AND 1997
	AND bloom_contains((SELECT bloom_agg(c_custkey) FROM customer WHERE c_nation = 'UNITED STATES'), lo_custkey)
	AND bloom_contains((SELECT bloom_agg(s_suppkey) FROM supplier WHERE s_nation = 'UNITED STATES'), lo_suppkey)
	AND bloom_contains((SELECT bloom_agg(d_datekey) FROM date WHERE d_year BETWEEN 1992 AND 1997), lo_orderdate)
GROUP BY c_city, s_city, d_year ORDER BY d_year, revenue DESC, c_city, s_city;

-- Q3.3
SELECT c_city, s_city, d_year, sum(lo_revenue::bigint) AS revenue
FROM customer, lineorder, supplier, date
WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey
	AND c_city IN ('UNITED KI1', 'UNITED KI5') AND s_city IN ('UNITED KI1', 'UNITED KI5')
	AND d_year BETWEEN 1992 AND 1997
	AND bloom_contains((SELECT bloom_agg(c_custkey) FROM customer WHERE c_city IN ('UNITED KI1', 'UNITED KI5')), lo_custkey)
	AND bloom_contains((SELECT bloom_agg(s_suppkey) FROM supplier WHERE s_city IN ('UNITED KI1', 'UNITED KI5')), lo_suppkey)
	AND bloom_contains((SELECT bloom_agg(d_datekey) FROM date WHERE d_year BETWEEN 1992 AND 1997), lo_orderdate)
GROUP BY c_city, s_city, d_year ORDER BY d_year, revenue DESC, c_city, s_city;

-- Q3.4
SELECT c_city, s_city, d_year, sum(lo_revenue::bigint) AS revenue
FROM customer, lineorder, supplier, date
WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey
	AND c_city IN ('UNITED KI1', 'UNITED KI5') AND s_city IN ('UNITED KI1', 'UNITED KI5')
	AND d_yearmonth = 'Dec1997'
	AND bloom_contains((SELECT bloom_agg(c_custkey) FROM customer WHERE c_city IN ('UNITED KI1', 'UNITED KI5')), lo_custkey)
	AND bloom_contains((SELECT bloom_agg(s_suppkey) FROM supplier WHERE s_city IN ('UNITED KI1', 'UNITED KI5')), lo_suppkey)
	AND bloom_contains((SELECT bloom_agg(d_datekey) FROM date WHERE d_yearmonth = 'Dec1997'), lo_orderdate)
GROUP BY c_city, s_city, d_year ORDER BY d_year, revenue DESC, c_city, s_city;

-- Q4.1
SELECT d_year, c_nation, sum(lo_revenue::bigint - lo_supplycost) AS profit
FROM date, customer, supplier, part, lineorder
WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_partkey = p_partkey
	AND lo_orderdate = d_datekey AND c_region = 'AMERICA' AND s_region = 'AMERICA'
	AND p_mfgr IN ('MFGR#1', 'MFGR#2')
	AND bloom_contains((SELECT bloom_agg(c_custkey) FROM customer WHERE c_region = 'AMERICA'), lo_custkey)
	AND bloom_contains((SELECT bloom_agg(s_suppkey) FROM supplier WHERE s_region = 'AMERICA'), lo_suppkey)
	AND bloom_contains((SELECT bloom_agg(p_partkey) FROM part WHERE p_mfgr IN ('MFGR#1', 'MFGR#2')), lo_partkey)
GROUP BY d_year, c_nation ORDER BY d_year, c_nation;

-- Q4.2
SELECT d_year, s_nation, p_category, sum(lo_revenue::bigint - lo_supplycost) AS profit
FROM date, customer, supplier, part, lineorder
WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_partkey = p_partkey
	AND lo_orderdate = d_datekey AND c_region = 'AMERICA' AND s_region = 'AMERICA'
	AND d_year IN (1997, 1998) AND p_mfgr IN ('MFGR#1', 'MFGR#2')
	AND bloom_contains((SELECT bloom_agg(c_custkey) FROM customer WHERE c_region = 'AMERICA'), lo_custkey)
	AND bloom_contains((SELECT bloom_agg(s_suppkey) FROM supplier WHERE s_region = 'AMERICA'), lo_suppkey)
	AND bloom_contains((SELECT bloom_agg(p_partkey) FROM part WHERE p_mfgr IN ('MFGR#1', 'MFGR#2')), lo_partkey)
	AND bloom_contains((SELECT bloom_agg(d_datekey) FROM date WHERE d_year IN (1997, 1998)), lo_orderdate)
GROUP BY d_year, s_nation, p_category ORDER BY d_year, s_nation, p_category;

-- Q4.3
SELECT d_year, s_city, p_brand1, sum(lo_revenue::bigint - lo_supplycost) AS profit
FROM date, customer, supplier, part, lineorder
WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_partkey = p_partkey
	AND lo_orderdate = d_datekey AND c_region = 'AMERICA' AND s_nation = 'UNITED STATES'
	AND d_year IN (1997, 1998) AND p_category = 'MFGR#14'
	AND bloom_contains((SELECT bloom_agg(c_custkey) FROM customer WHERE c_region = 'AMERICA'), lo_custkey)
	AND bloom_contains((SELECT bloom_agg(s_suppkey) FROM supplier WHERE s_nation = 'UNITED STATES'), lo_suppkey)
	AND bloom_contains((SELECT bloom_agg(p_partkey) FROM part WHERE p_category = 'MFGR#14'), lo_partkey)
	AND bloom_contains((SELECT bloom_agg(d_datekey) FROM date WHERE d_year IN (1997, 1998)), lo_orderdate)
GROUP BY d_year, s_city, p_brand1 ORDER BY d_year, s_city, p_brand1;
