# Shared by the tests that compare what CREATE EXTENSION and ALTER EXTENSION leave in the
# catalogs.
#
#    my $sql = catalog_query();            a query for what the extension consists of
#    my @lines = split /\n/, $node->safe_psql($database, $sql);
#    my $difference = difference($a, $b);  two results of the query
#
# The result is the same for two installations of the extension that differ in nothing but
# OIDs, the order of creation, and the name of the schema, which is written S.  It has a line
# for each column of each row that belongs to the extension:
#
#    pg_proc function S.bloom_shrink(S.bloom): procost = 1
#
# and for rows that have no key, as those of pg_depend, a line for each row.
#
# Neither catalogs nor columns are listed here, so that none is forgotten, nor any that a
# later server has.  What a column of OIDs refers to, the server tells
# (pg_get_catalog_foreign_keys).  Rows belong to the extension
#
# - if they are its members, or depend on these internally or automatically, as the array
#   of a type and the operators of a class do;
# - if a unique index begins with a reference to such a row, as in pg_aggregate and pg_enum;
# - if they are about such a row, as in pg_description, pg_init_privs and pg_depend.
#
# Nobody else may have added anything to the operator families of the extension.

package ExtensionCatalog;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

our @EXPORT = qw(catalog_query difference);

my $functions = <<'SQL';
-- the kind and the name of an object; a schema ends with a dot
CREATE FUNCTION pg_temp.name_of(class oid, object oid) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN object = 0 THEN '0'
		WHEN class = 'pg_namespace'::regclass THEN object::regnamespace || '.'
		ELSE pg_describe_object(class, object, 0) END
$$;

CREATE FUNCTION pg_temp.extension_catalog(extension name) RETURNS SETOF text
	LANGUAGE plpgsql SET search_path = '' AS $body$
DECLARE
	query text;
BEGIN
	CREATE TEMP TABLE member AS
		WITH RECURSIVE m(classid, objid) AS (
			SELECT tableoid, oid FROM pg_extension WHERE extname = extension
			UNION
			SELECT d.classid, d.objid
			FROM m JOIN pg_depend d ON (refclassid, refobjid) = (m.classid, m.objid)
			WHERE deptype = 'e'
				OR deptype IN ('i', 'a') AND refclassid <> 'pg_extension'::regclass)
		SELECT * FROM m;

	FOR query IN
		WITH reference AS (
			SELECT fktable, fkcols[1] AS attname, pktable, is_array
			FROM pg_get_catalog_foreign_keys() WHERE pkcols = '{oid}'),
		-- a column, and the expression for its value, without OIDs
		value AS (
			SELECT attrelid, attnum, a.attname, CASE
				WHEN a.attname IN ('objid', 'objoid', 'refobjid')
				THEN format('pg_temp.name_of(%s, %s)', replace(a.attname, 'obj', 'class'), a.attname)
				WHEN is_array
				THEN format('(SELECT string_agg(pg_temp.name_of(%L::regclass, o), '', '' ORDER BY i)
					FROM unnest(%I::oid[]) WITH ORDINALITY u(o, i))', pktable, a.attname)
				WHEN pktable IS NOT NULL
				THEN format('pg_temp.name_of(%L::regclass, %I)', pktable, a.attname)
				WHEN a.attname = 'prosqlbody' THEN 'pg_get_function_sqlbody(oid)'
				WHEN a.attname = 'ev_action' THEN 'pg_get_ruledef(oid)'
				WHEN atttypid = 'pg_node_tree'::regtype
				THEN format('pg_get_expr(%I, %s)', a.attname, CASE attrelid::regclass::text
					WHEN 'pg_attrdef' THEN 'adrelid' WHEN 'pg_constraint' THEN 'conrelid'
					WHEN 'pg_index' THEN 'indrelid' ELSE '0' END)
				WHEN atttypid = 'aclitem[]'::regtype
				THEN format('CASE WHEN %1$I IS NOT NULL
					THEN ARRAY(SELECT a::text COLLATE "C" FROM unnest(%1$I) a ORDER BY 1)::text END',
					a.attname)
				ELSE quote_ident(a.attname) || '::text' END AS expression
			FROM pg_attribute a
				LEFT JOIN reference r ON (fktable, r.attname) = (attrelid, a.attname::text)
			WHERE attnum > 0 AND NOT attisdropped
				-- the database, and what is of the contents of a table, not of its definition
				AND a.attname NOT IN ('oid', 'dbid', 'relfilenode', 'relpages', 'reltuples',
					'relallvisible', 'relallfrozen', 'relfrozenxid', 'relminmxid')),
		-- rows whose reference says that they belong to an object
		condition AS (
			SELECT attrelid, '(tableoid, oid)' AS belongs
			FROM pg_attribute WHERE attname = 'oid'
			UNION
			SELECT indrelid, format('(%L::regclass, %I)', pktable, a.attname)
			FROM pg_index JOIN pg_attribute a ON (attrelid, attnum) = (indrelid, indkey[0])
				JOIN reference r ON (fktable, r.attname) = (attrelid, a.attname::text)
			WHERE indisunique AND NOT is_array
			UNION
			SELECT attrelid, format('(%s, %s)', replace(attname, 'obj', 'class'), attname)
			FROM pg_attribute WHERE attname IN ('objid', 'objoid')),
		key AS (
			SELECT DISTINCT ON (indrelid) indrelid, indkey
			FROM pg_index
			WHERE indisunique AND NOT EXISTS (SELECT FROM pg_attribute
				WHERE attrelid = indrelid AND attnum = ANY (indkey) AND attname = 'oid')
			ORDER BY indrelid, indexrelid)
		SELECT CASE WHEN c.oid IN (SELECT classid FROM pg_temp.member)
				-- (objects have a name; those of pg_depend have none, nor the labels of an enum)
			THEN format('SELECT format(''%1$s %%s: %%s = %%s'', pg_temp.name_of(tableoid, oid), c,
					coalesce(v, ''null''))
				FROM %1$s, LATERAL (VALUES %2$s) v(c, v)', relname,
				string_agg(format('(%L, %s)', attname, expression), ', ' ORDER BY attnum))
			WHEN k.indkey IS NOT NULL
			THEN format('SELECT format(''%1$s %%s: %%s = %%s'', concat_ws('' '', %2$s), c,
					coalesce(v, ''null''))
				FROM %1$s, LATERAL (VALUES %3$s) v(c, v)', relname,
				string_agg(expression, ', ' ORDER BY attnum) FILTER (WHERE attnum = ANY (k.indkey)),
				string_agg(format('(%L, %s)', attname, expression), ', ' ORDER BY attnum))
			ELSE format('SELECT concat_ws('' '', ''%1$s'', %2$s) FROM %1$s', relname,
				string_agg(format('%L, coalesce(%s, ''null'')', attname, expression), ', '
					ORDER BY attnum)) END
			|| ' WHERE (' || (SELECT string_agg(format('%s IN (SELECT * FROM pg_temp.member)', belongs),
				' OR ') FROM condition WHERE condition.attrelid = c.oid) || ')'
			|| CASE WHEN relname = 'pg_shdepend' THEN ' AND dbid = (SELECT oid FROM pg_database
				WHERE datname = current_database())' ELSE '' END
		FROM pg_class c JOIN value ON value.attrelid = c.oid LEFT JOIN key k ON indrelid = c.oid
		WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r'
			AND (NOT relisshared OR relname = 'pg_shdepend')
		GROUP BY c.oid, relname, k.indkey
	LOOP
		CONTINUE WHEN query IS NULL;
		RETURN QUERY EXECUTE query;
	END LOOP;
	DROP TABLE pg_temp.member;
END
$body$;
SQL

my $select = q{
	-- numbers that the server made up: of a TOAST table, and what some minor releases put
	-- into the options of an attribute
	SELECT regexp_replace(replace(replace(line, E'\n', ' '), quote_ident(nspname) || '.', 'S.'),
		'\m(pg_toast_|pg_attver=)\d+', '\1N', 'g')
	FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace,
		pg_temp.extension_catalog(extname) line
	WHERE extname = 'bloomtype';
};

# The query; it may be one of several in a session, or within a transaction.
sub catalog_query
{
	return "SET client_min_messages = error;
		DROP FUNCTION IF EXISTS pg_temp.extension_catalog, pg_temp.name_of;
		RESET client_min_messages;
		$functions $select";
}

# The lines that only one of two results has: - those of the first, + those of the second.
sub difference
{
	my ($first, $second) = @_;
	my %count;

	$count{$_}-- foreach split /\n/, $first;
	$count{$_}++ foreach split /\n/, $second;
	return join "\n", map { ($count{$_} < 0 ? '-' : '+') . " $_" } grep { $count{$_} } sort keys %count;
}

1;
