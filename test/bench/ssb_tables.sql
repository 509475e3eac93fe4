-- The tables of the Star Schema Benchmark (O'Neil, O'Neil, Chen: Star Schema Benchmark,
-- revision 3, 2009), in the order of the columns of its .tbl files.

CREATE TABLE date (d_datekey int PRIMARY KEY, d_date text, d_dayofweek text, d_month text,
	d_year int, d_yearmonthnum int, d_yearmonth text, d_daynuminweek int, d_daynuminmonth int,
	d_daynuminyear int, d_monthnuminyear int, d_weeknuminyear int, d_sellingseason text,
	d_lastdayinweekfl int, d_lastdayinmonthfl int, d_holidayfl int, d_weekdayfl int);
CREATE TABLE customer (c_custkey int PRIMARY KEY, c_name text, c_address text, c_city text,
	c_nation text, c_region text, c_phone text, c_mktsegment text);
CREATE TABLE supplier (s_suppkey int PRIMARY KEY, s_name text, s_address text, s_city text,
	s_nation text, s_region text, s_phone text);
CREATE TABLE part (p_partkey int PRIMARY KEY, p_name text, p_mfgr text, p_category text,
	p_brand1 text, p_color text, p_type text, p_size int, p_container text);
CREATE TABLE lineorder (lo_orderkey int, lo_linenumber int, lo_custkey int, lo_partkey int,
	lo_suppkey int, lo_orderdate int, lo_orderpriority text, lo_shippriority text,
	lo_quantity int, lo_extendedprice int, lo_ordtotalprice int, lo_discount int,
	lo_revenue int, lo_supplycost int, lo_tax int, lo_commitdate int, lo_shipmode text);
