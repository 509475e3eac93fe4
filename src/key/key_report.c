/*
 * key_report.c
 *	  All hints that depend on types are made here, after an error has been
 *	  found: the SQL that makes a key of another family, and of types that
 *	  belong to none.
 *
 * A hint is right if, pasted, it gives the right answer.  In it, x stands for
 * the key, a for an array, r for a range; an index is asked for its column.
 */
#include "compat.h"

#include "key/key_report.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"

/*
 * Keys of another family
 */

/*
 * For each family without parts, the type to which a literal or parameter
 * without a type, which is text, is cast, and what else to know, or "".  Of
 * floats there are two types.
 */
static const struct
{
	const char *type;
	const char *remark;
}			casts_of_text[] =

{
	[BBF_FAMILY_BOOLEAN] = {"boolean", ""},
	[BBF_FAMILY_NUMBER] = {"bigint", " A number with decimal places needs ::numeric."},
	[BBF_FAMILY_BYTEA] = {"bytea", " For the bytes of a text use convert_to(x, 'UTF8')."},
	[BBF_FAMILY_UUID] = {"uuid", ""},
	[BBF_FAMILY_OID] = {"oid", ""},
	[BBF_FAMILY_DATE] = {"date", ""},
	[BBF_FAMILY_TIMESTAMP] = {"timestamp", ""},
	[BBF_FAMILY_TIMESTAMPTZ] = {"timestamptz", " Without a time zone in the text, that of the session is meant."},
	[BBF_FAMILY_TIME] = {"time", ""},
	[BBF_FAMILY_NETWORK] = {"inet", ""},
	[BBF_FAMILY_MACADDR] = {"macaddr8", ""},
};

#define ANY_ZONE	" Write the time zone that is meant in place of UTC."
#define BY_SETTINGS " The text depends on DateStyle and TimeZone."

/* The other conversions that keep the meaning of a value. */
static const struct
{
	BbfFamily	from;
	BbfFamily	to;
	const char *sql;
	const char *remark;
}			conversions[] =

{
	/* the cast of float8 to numeric keeps 15 digits */
	{BBF_FAMILY_FLOAT, BBF_FAMILY_NUMBER, "x::text::numeric", ""},
	{BBF_FAMILY_OID, BBF_FAMILY_NUMBER, "x::bigint", ""},
	{BBF_FAMILY_NUMBER, BBF_FAMILY_OID, "x::bigint::oid", ""},
	{BBF_FAMILY_TIMESTAMP, BBF_FAMILY_DATE, "x::date", ""},
	{BBF_FAMILY_TIMESTAMPTZ, BBF_FAMILY_DATE, "(x AT TIME ZONE 'UTC')::date", ANY_ZONE},
	{BBF_FAMILY_DATE, BBF_FAMILY_TIMESTAMP, "x::timestamp", ""},
	{BBF_FAMILY_TIMESTAMPTZ, BBF_FAMILY_TIMESTAMP, "x AT TIME ZONE 'UTC'", ANY_ZONE},
	{BBF_FAMILY_DATE, BBF_FAMILY_TIMESTAMPTZ, "x::timestamp AT TIME ZONE 'UTC'", ANY_ZONE},
	{BBF_FAMILY_TIMESTAMP, BBF_FAMILY_TIMESTAMPTZ, "x AT TIME ZONE 'UTC'", ANY_ZONE},
	{BBF_FAMILY_BOOLEAN, BBF_FAMILY_TEXT, "x::text", ""},
	{BBF_FAMILY_NUMBER, BBF_FAMILY_TEXT, "x::text", " Where the texts have 5 for 5.0, use trim_scale(x)::text."},
	{BBF_FAMILY_FLOAT, BBF_FAMILY_TEXT, "x::text", ""},
	{BBF_FAMILY_BYTEA, BBF_FAMILY_TEXT, "convert_from(x, 'UTF8')", ""},
	{BBF_FAMILY_UUID, BBF_FAMILY_TEXT, "x::text", ""},
	{BBF_FAMILY_OID, BBF_FAMILY_TEXT, "x::text", ""},
	{BBF_FAMILY_DATE, BBF_FAMILY_TEXT, "x::text", BY_SETTINGS},
	{BBF_FAMILY_TIMESTAMP, BBF_FAMILY_TEXT, "x::text", BY_SETTINGS},
	{BBF_FAMILY_TIMESTAMPTZ, BBF_FAMILY_TEXT, "x::text", BY_SETTINGS},
	{BBF_FAMILY_TIME, BBF_FAMILY_TEXT, "x::text", ""},
	{BBF_FAMILY_NETWORK, BBF_FAMILY_TEXT, "x::text",
	" Where the texts have no \"/32\", use abbrev(x::inet)."},
	{BBF_FAMILY_MACADDR, BBF_FAMILY_TEXT, "x::text", ""},
};

/*
 * The hint for a key of another family.  owner, a filter or a set, has the
 * keys; name is what the functions of its type begin with.  A bloom_key is
 * cast where it is made.
 */
static const char *
hint_cast(const char *owner, const char *name, BbfFamily from, BbfFamily to, bool was_hashed)
{
	const char *cast = psprintf("Cast the key to the type of the %s's keys%s", owner,
								was_hashed ? " before it is hashed" : "");

	/* a filter has no record of which type its floats were */
	if (from == BBF_FAMILY_TEXT && to == BBF_FAMILY_FLOAT)
		return psprintf("%s: '...'::real or $1::real if they were of type real, '...'::float8 or $1::float8 if they were of type double precision (in an array, '{...}'::real[] or '{...}'::float8[]).",
						cast);
	if (from == BBF_FAMILY_NUMBER && to == BBF_FAMILY_FLOAT)
		return psprintf("%s: x::real if they were of type real, x::float8 if they were of type double precision.",
						cast);
	if (from == BBF_FAMILY_TEXT && !bbf_family_is_nested(to))
		return psprintf("%s, for example '...'::%s or $1::%s (in an array, '{...}'::%s[]).%s",
						cast, casts_of_text[to].type, casts_of_text[to].type,
						casts_of_text[to].type, casts_of_text[to].remark);
	for (size_t i = 0; i < lengthof(conversions); i++)
	{
		if (conversions[i].from == from && conversions[i].to == to)
			return psprintf("%s, for example %s.%s", cast, conversions[i].sql, conversions[i].remark);
	}
	if (from == to || from == BBF_FAMILY_TEXT)
		return psprintf("Cast the key to the type of the keys that the %s was made from.", owner);
	return psprintf("Was it made from another column? See key_family in %s_info.", name);
}

/* What is the matter most often, if numbers are asked of a filter of texts */
#define WAS_UNTYPED " If it should hold numbers, it was made from literals or parameters without a type: write $1::bigint there."

/*
 * Set the hint of an error, also for arrays; to be called within ereport, as
 * are all these functions.
 */
static int
errhint_mismatch(const char *name, BbfFamily family, BloomKey key, KeyUse use)
{
	bool		is_array = key.family == BBF_FAMILY_ARRAY;

	if (is_array == (family == BBF_FAMILY_ARRAY))
		return errhint("%s%s", hint_cast("filter", name, (BbfFamily) key.family, family,
										 key.was_hashed != 0),
					   key.family == BBF_FAMILY_NUMBER && family == BBF_FAMILY_TEXT ? WAS_UNTYPED : "");
	if (!is_array)
		return errhint("The keys of the filter are whole arrays. To make their elements the keys use %s_agg(x) FROM t, unnest(t.a) AS x.",
					   use == BLT_KEY_IS_SEARCHED ? "bloom" : name);
	switch (use)
	{
		case BLT_KEY_IS_ADDED:
			return errhint("To add the elements of an array use %s_add_all.", name);
		case BLT_KEY_IS_REMOVED:
			return errhint("To remove the elements of an array use %s_remove_all.", name);
		case BLT_KEY_IS_SEARCHED:
			return errhint("To search for the elements of an array use bloom_matrix_search_any or bloom_matrix_search_all.");
		default:
			return errhint("To probe for the elements of an array use %s_contains_any or %s_contains_all.",
						   name, name);
	}
}

void
blt_report_key_mismatch(BbfKind kind, unsigned family, BloomKey key, KeyUse use)
{
	const char *name = use == BLT_KEY_IS_SEARCHED ? "bloom_matrix" :
		bbf_kind_routine(kind)->name;
	const char *filter_name = bbf_family_name(family);
	const char *key_name = bbf_family_name(key.family);

	/* arrays, rows or ranges of different parts */
	if (family == key.family)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 use == BLT_KEY_IS_ADDED ?
				 errmsg("cannot add a key of family %s to a filter of %s keys of another subtype",
						key_name, filter_name) :
				 use == BLT_KEY_IS_REMOVED ?
				 errmsg("cannot remove a key of family %s from a filter of %s keys of another subtype",
						key_name, filter_name) :
				 errmsg("cannot probe a filter of %s keys with a key of family %s and another subtype",
						filter_name, key_name),
				 errdetail("The parts of the key and of the filter's keys belong to different key families."),
				 errhint_mismatch(name, family, key, use)));

	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 use == BLT_KEY_IS_ADDED ?
			 errmsg("cannot add a key of family %s to a filter of %s keys",
					key_name, filter_name) :
			 use == BLT_KEY_IS_REMOVED ?
			 errmsg("cannot remove a key of family %s from a filter of %s keys",
					key_name, filter_name) :
			 errmsg("cannot probe a filter of %s keys with a key of family %s",
					filter_name, key_name),
			 errdetail("Values of the families \"%s\" and \"%s\" are never the same key.",
					   key_name, filter_name),
			 errhint_mismatch(name, family, key, use)));
}

void
blt_report_set_mismatch(unsigned family, BloomKey key, bool is_added)
{
	const char *set_name = bbf_family_name(family);
	const char *key_name = bbf_family_name(key.family);

	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 is_added ?
			 errmsg("cannot add a key of family %s to a set of %s keys", key_name, set_name) :
			 errmsg("cannot ask a set of %s keys for a key of family %s", set_name, key_name),
			 family == key.family ?
			 errdetail("The parts of the key and of the set's keys belong to different key families.") :
			 errdetail("Values of the families \"%s\" and \"%s\" are never the same key.",
					   key_name, set_name),
			 key.family != BBF_FAMILY_ARRAY || family == BBF_FAMILY_ARRAY ?
			 errhint("%s Or make a set for the type of these keys.",
					 hint_cast("set", "bloom_set", (BbfFamily) key.family, (BbfFamily) family,
							   key.was_hashed != 0)) :
			 is_added ? errhint("To add the elements of an array use bloom_set_add_all.") :
			 errhint("To ask for the elements of an array use bloom_set_missing.")));
}

/*
 * Types that cannot be keys, since equal values have no encoding that stays
 * the same for ever.  To accept one later is compatible; to change bytes is
 * not.
 */

/*
 * SQL that makes a key of x, a value of the type, and what else to know; and
 * the same of an immutable expression, which an index can have.
 */
typedef struct Advice
{
	Oid			type;
	const char *sql;
	const char *remark;			/* or "" */
	const char *index_sql;		/* a format with %s for x; or null */
	const char *index_remark;
} Advice;

#define AS_SPELLED	" Two spellings of one document are two keys then."
#define AS_SCALED	" The numbers 1.0 and 1.00 are two keys then."
#define AS_PRINTED	" That is right if values that you call equal print the same."
#define EPOCH(x)	"extract(epoch FROM justify_interval(" x "))"

static const Advice refused_types[] = {
	{CHAROID, "x::text", "", "%s::text", ""},
	{INTERVALOID, EPOCH("x"), "", EPOCH("%s"), ""},
	{TIMETZOID, "x::text", " Or as a time in one time zone, (x AT TIME ZONE 'UTC')::time.", "%s::text", ""},
	{BITOID, "x::text", "", "%s::text", ""},
	{VARBITOID, "x::text", "", "%s::text", ""},
	{CASHOID, "x::numeric", "", NULL, ""},
	{JSONOID, "x::text", AS_SPELLED, "%s::text", AS_SPELLED},
	{JSONBOID, "x::text", AS_SCALED, "%s::text", AS_SCALED},
	{XMLOID, "x::text", AS_SPELLED, "%s::text", AS_SPELLED},
};

static const Advice advice_of_range = {InvalidOid, "ROW(lower(x), upper(x))", " The subtype of the range is not ordered by its default operators.", NULL, ""};
static const Advice advice_of_multirange = {InvalidOid, "ARRAY(SELECT unnest(x))", " Or make a key of each range, unnest(x).", NULL, ""};
static const Advice advice_of_citext = {InvalidOid, "lower(x::text)", "", "lower(%s::text)", ""};
static const Advice advice_of_names = {InvalidOid, "x::oid", " Its name, x::text, depends on search_path.", "%s::oid", ""};
static const Advice advice_of_others = {InvalidOid, "x::text", AS_PRINTED, "%s::text", AS_PRINTED};
static const Advice advice_of_stable = {InvalidOid, "x::text", " That is right if values that you call equal print the same, whatever the settings.", NULL, ""};

/* Is it the type of the elements of an array? */
static bool
is_element(Oid type, Oid whole)
{
	Oid			element = get_element_type(whole);

	return OidIsValid(element) && getBaseType(element) == type;
}

static const Advice *
advice_for(Oid type, Oid whole, const char *name)
{
	Oid			output;
	bool		is_varlena;

	for (size_t i = 0; i < lengthof(refused_types); i++)
	{
		if (refused_types[i].type == type)
			return &refused_types[i];
	}
	if (type_is_range(type) && type == whole)
		return &advice_of_range;
	/* ranges of users need not be keys */
	if (type_is_multirange(type) && type < FirstNormalObjectId && !is_element(type, whole))
		return &advice_of_multirange;
	if (strcmp(name, "citext") == 0)
		return &advice_of_citext;
	/* regclass and the like */
	if (strncmp(name, "reg", 3) == 0 && type < FirstNormalObjectId)
		return &advice_of_names;

	/* no index has a text that depends on settings */
	if (*name == '\0')
		return &advice_of_others;
	getTypeOutputInfo(type, &output, &is_varlena);
	return func_volatile(output) == PROVOLATILE_IMMUTABLE ? &advice_of_others : &advice_of_stable;
}

/*
 * The name of a type without its schema; "" if it has been dropped meanwhile.
 */
static const char *
type_name(Oid type)
{
	HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	const char *name;

	if (!HeapTupleIsValid(tuple))
		return "";
	name = pstrdup(NameStr(((Form_pg_type) GETSTRUCT(tuple))->typname));
	ReleaseSysCache(tuple);
	return name;
}

/* Is it a type of filters, or that of matrices? */
static bool
is_filter(Oid type)
{
	Oid			extension = getExtensionOfObject(TypeRelationId, type);
	char	   *name = OidIsValid(extension) ? get_extension_name(extension) : NULL;

	return name != NULL && strcmp(name, "bloomtype") == 0;
}

/* Is the SQL a cast, which can be one of arrays, too? */
static bool
is_cast(const char *sql)
{
	return strncmp(sql, "x::", 3) == 0;
}

static int
errhint_index_instead(Oid type, Oid whole, const Advice *advice, Oid index)
{
	const char *sql = advice->index_sql;
	const char *remark = advice->index_remark;
	const char *column = pg_get_indexdef_columns(index, false); /* or expression */

	if (sql != NULL && type == whole)
		return errhint("Index an expression: USING bloom_pages ((%s)).%s",
					   psprintf(sql, column), remark);
	if (sql != NULL && is_cast(advice->sql) && is_element(type, whole))
		return errhint("Index an expression: USING bloom_pages ((%s[])).%s",
					   psprintf(sql, column), remark);
	return errhint("Index an expression without values of that type, if need be the result of an immutable function of your own.");
}

static int
errhint_refused(Oid type, Oid whole, Oid index)
{
	const Advice *advice = advice_for(type, whole, type_name(type));
	const char *sql = advice->sql;
	const char *remark = advice->remark;

	if (blt_is_bloom_key(type))
		return errhint("Make the key from the whole value: bloom_key(ROW(a, b)), not ROW(bloom_key(a), bloom_key(b)).");
	if (type == RECORDARRAYOID)
		return errhint("Cast it to an array of a named composite type.");
	if (is_filter(type))
		return errhint("A filter or matrix comes before the key, as in bloom_contains(filter, key). To unite filters of type bloom or counting_bloom use a | b.");
	if (OidIsValid(index))
		return errhint_index_instead(type, whole, advice, index);
	if (type == whole)
		return errhint("Use %s as the key.%s", sql, remark);
	if (is_element(type, whole) && is_cast(sql))
		return errhint("Use a::%s[] for the array a.%s", sql + 3, remark);
	if (is_element(type, whole))
		return errhint("Use ARRAY(SELECT %s FROM unnest(a) AS x) for the array a. It must have one dimension.%s",
					   sql, remark);
	if (type_is_range(whole))
		return errhint("Use a row of its bounds, ROW(lower(r), upper(r)) for the range r, with %s for each bound x.%s",
					   sql, remark);
	return errhint("Select the columns that make up the key, with %s for an x of that type: ROW(a, %s).%s",
				   sql, sql, remark);
}

void
blt_report_refused_type(Oid type, Oid whole, Oid index)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot use a value of type %s as a key", format_type_be(whole)),
			 type == whole ? errdetail("The type belongs to no key family.") :
			 errdetail("It has parts of type %s, which belongs to no key family.",
					   format_type_be(type)),
			 errhint_refused(type, whole, index)));
}
