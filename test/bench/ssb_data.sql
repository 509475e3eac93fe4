-- Rows for the tables of ssb_tables.sql, with the sizes and the distributions of the
-- benchmark's own generator, but not its rows.  :scale is the scale factor; :skew is 0 for
-- keys that are equally common, or 1 for dates and parts by Zipf's law.

CREATE FUNCTION nation(i int, OUT nation text, OUT region text) LANGUAGE sql IMMUTABLE AS
$$
SELECT ('{ALGERIA,ETHIOPIA,KENYA,MOROCCO,MOZAMBIQUE,ARGENTINA,BRAZIL,CANADA,PERU,UNITED STATES,'
	'CHINA,INDIA,INDONESIA,JAPAN,VIETNAM,FRANCE,GERMANY,ROMANIA,RUSSIA,UNITED KINGDOM,'
	'EGYPT,IRAN,IRAQ,JORDAN,SAUDI ARABIA}'::text[])[1 + i],
	('{AFRICA,AMERICA,ASIA,EUROPE,MIDDLE EAST}'::text[])[1 + i / 5]
$$;

-- A number from 1 to n: each as common as others, or the k-th of a fixed order with a
-- probability of about 1 / k.
CREATE FUNCTION any_of(n int, skew int) RETURNS int LANGUAGE sql VOLATILE
RETURN CASE WHEN skew = 0 THEN 1 + floor(n * random())
	ELSE 1 + (floor(exp(random() * ln(n + 1)))::bigint - 1) * 7919 % n END;

DO $$ BEGIN PERFORM setseed(0.5); END $$;

INSERT INTO date
SELECT to_char(d, 'YYYYMMDD')::int, to_char(d, 'FMMonth DD, YYYY'), to_char(d, 'FMDay'),
	to_char(d, 'FMMonth'), extract(year FROM d), to_char(d, 'YYYYMM')::int, to_char(d, 'MonYYYY'),
	extract(dow FROM d) + 1, extract(day FROM d), extract(doy FROM d), extract(month FROM d),
	(extract(doy FROM d) - 1)::int / 7 + 1, 'Summer', 0, 0, 0, 1
FROM generate_series('1992-01-01'::timestamp, '1998-12-30', '1 day') d;

INSERT INTO customer
SELECT i, 'Customer#' || lpad(i::text, 9, '0'), substr(md5(i::text), 1, 15),
	rpad(substr(n.nation, 1, 9), 9) || floor(10 * random()), n.nation, n.region,
	'10-123-456-7890', 'MACHINERY'
FROM (SELECT i, floor(25 * random())::int AS r FROM generate_series(1, (30000 * :scale)::int) i) s,
	nation(r) n;

INSERT INTO supplier
SELECT i, 'Supplier#' || lpad(i::text, 9, '0'), substr(md5(i::text), 1, 15),
	rpad(substr(n.nation, 1, 9), 9) || floor(10 * random()), n.nation, n.region, '10-123-456-7890'
FROM (SELECT i, floor(25 * random())::int AS r FROM generate_series(1, (2000 * :scale)::int) i) s,
	nation(r) n;

INSERT INTO part
SELECT i, 'forest azure', 'MFGR#' || m, 'MFGR#' || m || c, 'MFGR#' || m || c || b, 'azure',
	'PROMO BURNISHED COPPER', 1 + floor(50 * random()), 'JUMBO PKG'
FROM (SELECT i, 1 + floor(5 * random()) AS m, 1 + floor(5 * random()) AS c, 1 + floor(40 * random()) AS b
	FROM generate_series(1, (200000 * greatest(1 + log(2, :scale::numeric), :scale))::int) i) s;

-- four lines an order, one customer and one date each
INSERT INTO lineorder
SELECT o, l, customer, any_of(parts, :skew), 1 + floor(suppliers * random()), date,
	'1-URGENT', '0', quantity, quantity * price, 4 * quantity * price, discount,
	quantity * price * (100 - discount) / 100, 6 * price / 10, floor(9 * random()), date, 'REG AIR'
FROM (SELECT count(*)::int FROM part) p(parts),
	(SELECT count(*) FROM supplier) s(suppliers),
	(SELECT array_agg(d_datekey ORDER BY d_datekey) FROM date WHERE d_datekey < 19980803) d(dates),
	(SELECT count(*) FROM customer) c(customers),
	LATERAL (SELECT o, 1 + floor(customers * random()) AS customer,
			dates[any_of(cardinality(dates), :skew)] AS date
		FROM generate_series(1, (1500000 * :scale)::int) o OFFSET 0) o,
	LATERAL (SELECT l, 1 + floor(50 * random())::int AS quantity, 900 + floor(1100 * random())::int AS price,
			floor(11 * random())::int AS discount
		FROM generate_series(1, 4) l WHERE o > 0 OFFSET 0) l;

DROP FUNCTION nation, any_of;
