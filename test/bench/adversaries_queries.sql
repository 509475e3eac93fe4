-- Queries that the libraries have made slower, or might: each line says why.

-- pairs
-- Two columns are the key, and depend on each other less than either alone suggests.
SELECT count(*) FROM wish JOIN purchase USING (person, item) JOIN click USING (person, item);

-- newest
-- The first rows by an index, of a join with few rows.
SELECT person, item FROM wish JOIN purchase USING (person, item) WHERE number = 3 ORDER BY since DESC LIMIT 100;

-- first.days
-- The same with a calendar: the rows of a year lie together.
SELECT id FROM sale JOIN calendar USING (day) WHERE year = 2004 ORDER BY id LIMIT 5000;

-- groups
-- The first groups, in an order that an index has.
SELECT id, count(*) FROM sale JOIN calendar USING (day) WHERE year = 2004 GROUP BY id ORDER BY id LIMIT 5000;

-- function
-- A function that is said to be dear, and is not.
SELECT count(*) FROM task JOIN click ON click.id = click_id WHERE task.id < 100 AND is_due(task.id);

-- anti.join
-- Who never clicked, by a CTE of many rows.
WITH pair AS (SELECT person, item FROM click GROUP BY person, item)
SELECT count(*) FROM wish WHERE NOT EXISTS (SELECT FROM pair WHERE pair.person = wish.person);

-- closed
-- Two fifths of the sales would be of these years, but the region's shops had closed.
SELECT count(name) FROM sale JOIN calendar USING (day) JOIN customer ON customer.id = customer_id
WHERE year BETWEEN 2003 AND 2004 AND region = 0;

-- text
-- Half of the rows pass, and hashing their keys takes long.
SELECT count(*) FROM visit JOIN place USING (short);

-- numeric
SELECT count(*) FROM visit JOIN place USING (fraction);

-- collation
-- A hash under a collation that is not deterministic takes longer than the rest of a join.
SELECT count(*) FROM visit JOIN place USING (other);

-- compressed
-- To hash a key, it is read and decompressed.
SELECT count(*) FROM long_visit JOIN long_place USING (long);

-- wide
SELECT count(*) FROM long_visit JOIN long_place USING (wide);

-- limit
-- The hash table is built, but few rows are looked up in it.
SELECT count(*) FROM (SELECT id FROM visit JOIN visitor USING (n) LIMIT 10) AS first;

-- limit.text
SELECT count(*) FROM (SELECT id FROM visit JOIN place USING (other) LIMIT 10) AS first;

-- partitions
-- The same with scans that are prepared, and not run.
SELECT count(*) FROM (SELECT id FROM part JOIN place USING (n) LIMIT 20) AS first;

-- cursor
SELECT fetched($$SELECT id FROM visit JOIN visitor USING (n)$$, 5);

-- prepared
-- Begun and ended many times, with no row to filter.
SELECT prepared($$SELECT count(*) FROM event JOIN few ON source_id = i WHERE a = 1 AND b = 1$$, 3000);

-- planned
-- The same, and planned each time.
SELECT planned($$SELECT count(*) FROM event JOIN few ON source_id = i WHERE a = 1 AND b = 1$$, 1000);

-- tiny
-- Many joins of few rows, of which none gets a filter.
SELECT planned($$SELECT count(*) FROM few a JOIN few b USING (i) JOIN few c USING (i) JOIN few d USING (i) JOIN few e USING (i)$$, 200);

-- hot.key
-- A twentieth of the values pass, but nearly all of the rows.
SELECT count(*) FROM skewed JOIN few ON k = i;

-- empty
-- Joined in this order, the source's filter is to be built first, though there is no event.
SET join_collapse_limit = 1;
SELECT count(*), sum(highest) FROM event JOIN source ON source.id = source_id
JOIN (SELECT owner_id, max(amount) AS highest FROM payment GROUP BY owner_id HAVING max(amount) % 10 = 0) AS best USING (owner_id)
WHERE a = 1 AND b = 1;
