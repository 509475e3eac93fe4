-- Queries of the tables of job_tables.sql: four to twelve tables each, of which two to six have a
-- movie_id, and conditions that depend on each other.  As in the Join Order Benchmark, each movie_id
-- is compared with each of the others.

-- keyword
SELECT count(*), min(t.title) FROM title t, movie_keyword mk, keyword k, movie_companies mc, company_name cn
WHERE t.id = mk.movie_id AND t.id = mc.movie_id AND mk.movie_id = mc.movie_id AND k.id = mk.keyword_id
	AND cn.id = mc.company_id AND cn.country_code = 'country 3' AND k.keyword BETWEEN 'keyword-20' AND 'keyword-21';

-- places
SELECT count(*), min(mc.note), min(t.title), min(t.production_year)
FROM title t, company_type ct, info_type it, movie_companies mc, movie_info_idx mi
WHERE ct.id = mc.company_type_id AND t.id = mc.movie_id AND t.id = mi.movie_id AND mc.movie_id = mi.movie_id
	AND mi.info_type_id = it.id AND it.info = 'info 112' AND ct.kind = 'company type 1'
	AND mc.note LIKE '%(co-production)%';

-- rating
SELECT count(*), min(mi.info), min(t.title)
FROM title t, info_type it, movie_info_idx mi, movie_keyword mk, keyword k
WHERE t.id = mi.movie_id AND t.id = mk.movie_id AND mk.movie_id = mi.movie_id AND k.id = mk.keyword_id
	AND it.id = mi.info_type_id AND it.info = 'info 101' AND k.keyword LIKE '%-77%' AND mi.info > 9
	AND t.production_year > 2005;

-- language
SELECT count(*), min(t.title)
FROM title t, movie_companies mc, company_type ct, movie_info mi, info_type it
WHERE t.id = mi.movie_id AND t.id = mc.movie_id AND mc.movie_id = mi.movie_id AND ct.id = mc.company_type_id
	AND it.id = mi.info_type_id AND ct.kind = 'company type 2' AND mc.note LIKE '%(2010)%'
	AND mi.info IN ('language 2', 'language 3', 'country 7') AND t.production_year > 2005;

-- persons
SELECT count(*), min(k.keyword), min(n.name), min(t.title)
FROM title t, cast_info ci, name n, movie_keyword mk, keyword k
WHERE k.id = mk.keyword_id AND t.id = mk.movie_id AND t.id = ci.movie_id AND ci.movie_id = mk.movie_id
	AND n.id = ci.person_id AND k.keyword = 'keyword-2014' AND t.production_year > 2010 AND n.name LIKE '%ab%';

-- links
SELECT count(*), min(n.name), min(t.title)
FROM title t, cast_info ci, name n, movie_link ml, link_type lt, aka_name an, person_info pi, info_type it
WHERE n.id = an.person_id AND n.id = pi.person_id AND ci.person_id = n.id AND t.id = ci.movie_id
	AND ml.linked_movie_id = t.id AND lt.id = ml.link_type_id AND it.id = pi.info_type_id
	AND pi.person_id = an.person_id AND pi.person_id = ci.person_id AND an.person_id = ci.person_id
	AND ci.movie_id = ml.linked_movie_id AND it.info = 'info 17' AND lt.link = 'link 5' AND n.gender = 'm'
	AND t.production_year BETWEEN 1980 AND 1995;

-- voices
SELECT count(*), min(an.name), min(t.title)
FROM title t, cast_info ci, name n, aka_name an, movie_companies mc, company_name cn, role_type rt
WHERE an.person_id = n.id AND n.id = ci.person_id AND ci.movie_id = t.id AND t.id = mc.movie_id
	AND mc.company_id = cn.id AND ci.role_id = rt.id AND an.person_id = ci.person_id AND ci.movie_id = mc.movie_id
	AND ci.note = '(voice)' AND cn.country_code = 'country 5' AND rt.role = 'role 2' AND n.gender = 'f';

-- characters
SELECT count(*), min(chn.name), min(t.title)
FROM title t, cast_info ci, char_name chn, role_type rt, movie_companies mc, company_name cn, company_type ct
WHERE t.id = mc.movie_id AND t.id = ci.movie_id AND ci.movie_id = mc.movie_id AND chn.id = ci.person_role_id
	AND rt.id = ci.role_id AND cn.id = mc.company_id AND ct.id = mc.company_type_id
	AND ci.note = '(uncredited)' AND cn.country_code = 'country 9' AND rt.role = 'role 1' AND t.production_year > 2005;

-- sequels
SELECT count(*), min(cn.name), min(lt.link), min(t.title)
FROM title t, movie_link ml, link_type lt, movie_keyword mk, keyword k, movie_companies mc, company_name cn,
	company_type ct
WHERE lt.id = ml.link_type_id AND ml.movie_id = t.id AND t.id = mk.movie_id AND mk.keyword_id = k.id
	AND t.id = mc.movie_id AND mc.company_id = cn.id AND mc.company_type_id = ct.id
	AND ml.movie_id = mk.movie_id AND ml.movie_id = mc.movie_id AND mk.movie_id = mc.movie_id
	AND cn.country_code <> 'country 0' AND k.keyword LIKE 'keyword-1%' AND lt.link IN ('link 1', 'link 2')
	AND t.production_year BETWEEN 1950 AND 2000;

-- genres
SELECT count(*), min(mi.info), min(mx.info), min(t.title)
FROM title t, cast_info ci, name n, movie_info mi, info_type it1, movie_info_idx mx, info_type it2
WHERE t.id = mi.movie_id AND t.id = mx.movie_id AND t.id = ci.movie_id AND ci.movie_id = mi.movie_id
	AND ci.movie_id = mx.movie_id AND mi.movie_id = mx.movie_id AND n.id = ci.person_id
	AND it1.id = mi.info_type_id AND it2.id = mx.info_type_id AND it1.info = 'info 3' AND it2.info = 'info 101'
	AND mi.info = 'genre 5' AND mx.info > 9 AND n.gender = 'f' AND ci.note = '(voice)';

-- countries
SELECT count(*), min(mx.info), min(t.title)
FROM title t, kind_type kt, movie_info mi, info_type it1, movie_info_idx mx, info_type it2, movie_keyword mk, keyword k
WHERE kt.id = t.kind_id AND t.id = mi.movie_id AND t.id = mk.movie_id AND t.id = mx.movie_id
	AND mk.movie_id = mi.movie_id AND mk.movie_id = mx.movie_id AND mi.movie_id = mx.movie_id
	AND k.id = mk.keyword_id AND it1.id = mi.info_type_id AND it2.id = mx.info_type_id
	AND it1.info = 'info 8' AND it2.info = 'info 101' AND kt.kind = 'movie' AND k.keyword LIKE 'keyword-3%'
	AND mi.info IN ('country 1', 'country 2', 'country 3') AND mx.info < 6 AND t.production_year > 1990;

-- everything
SELECT count(*), min(cn.name), min(mi.info), min(n.name), min(t.title)
FROM title t, kind_type kt, movie_companies mc, company_name cn, movie_info mi, info_type it1, movie_info_idx mx,
	info_type it2, movie_keyword mk, keyword k, cast_info ci, name n
WHERE kt.id = t.kind_id AND t.id = mc.movie_id AND t.id = mi.movie_id AND t.id = mx.movie_id AND t.id = mk.movie_id
	AND t.id = ci.movie_id AND mc.movie_id = mi.movie_id AND mc.movie_id = mx.movie_id AND mc.movie_id = mk.movie_id
	AND mc.movie_id = ci.movie_id AND mi.movie_id = mx.movie_id AND mi.movie_id = mk.movie_id
	AND mi.movie_id = ci.movie_id AND mx.movie_id = mk.movie_id AND mx.movie_id = ci.movie_id
	AND mk.movie_id = ci.movie_id AND cn.id = mc.company_id AND k.id = mk.keyword_id AND n.id = ci.person_id
	AND it1.id = mi.info_type_id AND it2.id = mx.info_type_id AND it1.info = 'info 3' AND it2.info = 'info 100'
	AND cn.country_code = 'country 4' AND k.keyword LIKE 'keyword-5%' AND mi.info = 'genre 4'
	AND n.gender = 'm' AND kt.kind IN ('movie', 'tv movie') AND t.production_year > 1980;

-- remakes
SELECT count(*), min(t1.title), min(t2.title)
FROM title t1, title t2, movie_link ml, link_type lt, movie_info_idx x1, movie_info_idx x2, movie_companies c1,
	movie_companies c2, company_name n1
WHERE t1.id = ml.movie_id AND t2.id = ml.linked_movie_id AND lt.id = ml.link_type_id AND t1.id = x1.movie_id
	AND t2.id = x2.movie_id AND t1.id = c1.movie_id AND t2.id = c2.movie_id AND ml.movie_id = x1.movie_id
	AND ml.movie_id = c1.movie_id AND x1.movie_id = c1.movie_id AND ml.linked_movie_id = x2.movie_id
	AND ml.linked_movie_id = c2.movie_id AND x2.movie_id = c2.movie_id AND n1.id = c1.company_id
	AND lt.link IN ('link 1', 'link 3') AND x1.info_type_id = 101 AND x2.info_type_id = 101 AND x2.info < 8
	AND n1.country_code = 'country 0' AND t2.production_year BETWEEN 2000 AND 2010;

-- complete
SELECT count(*), min(t.title)
FROM title t, complete_cast cc, comp_cast_type s, comp_cast_type f, cast_info ci, char_name chn, name n,
	movie_keyword mk, keyword k
WHERE t.id = mk.movie_id AND t.id = ci.movie_id AND t.id = cc.movie_id AND mk.movie_id = ci.movie_id
	AND mk.movie_id = cc.movie_id AND ci.movie_id = cc.movie_id AND chn.id = ci.person_role_id AND n.id = ci.person_id
	AND k.id = mk.keyword_id AND s.id = cc.subject_id AND f.id = cc.status_id AND s.kind = 'cast type 1'
	AND f.kind = 'cast type 3' AND chn.name LIKE '%ab%' AND k.keyword LIKE 'keyword-1%' AND t.production_year > 1950;
