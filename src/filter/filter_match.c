/*
 * filter_match.c
 *	  The errors of these checks: they name both sides and, in the hint, the
 *	  cast to write.
 */
#include "compat.h"

#include "filter/filter_match.h"

#include "filter/filter_kind.h"

/*
 * For each family without parts, the type that a text is cast to for a key of
 * it; not for floats, of which there are two types.
 */
static const char *const family_types[] = {
	[BBF_FAMILY_BOOLEAN] = "boolean",
	[BBF_FAMILY_NUMBER] = "bigint",
	[BBF_FAMILY_BYTEA] = "bytea",
	[BBF_FAMILY_UUID] = "uuid",
	[BBF_FAMILY_OID] = "oid",
	[BBF_FAMILY_DATE] = "date",
	[BBF_FAMILY_TIMESTAMP] = "timestamp",
	[BBF_FAMILY_TIMESTAMPTZ] = "timestamptz",
	[BBF_FAMILY_TIME] = "time",
	[BBF_FAMILY_NETWORK] = "inet",
	[BBF_FAMILY_MACADDR] = "macaddr8",
};

/*
 * SQL that makes of x, a key of one family, the key of another that means the
 * same.
 */
typedef struct Conversion
{
	BbfFamily	from;
	BbfFamily	to;
	const char *sql;
	const char *remark;			/* or null */
} Conversion;

#define ANY_ZONE	"Write the time zone that is meant in place of UTC."
#define BY_SETTINGS "The text depends on DateStyle and TimeZone."

static const Conversion conversions[] = {
	/* the cast of float8 to numeric keeps 15 digits */
	{BBF_FAMILY_FLOAT, BBF_FAMILY_NUMBER, "x::text::numeric", NULL},
	{BBF_FAMILY_OID, BBF_FAMILY_NUMBER, "x::bigint", NULL},
	{BBF_FAMILY_NUMBER, BBF_FAMILY_OID, "x::bigint::oid", NULL},
	{BBF_FAMILY_TIMESTAMP, BBF_FAMILY_DATE, "x::date", NULL},
	{BBF_FAMILY_TIMESTAMPTZ, BBF_FAMILY_DATE, "(x AT TIME ZONE 'UTC')::date", ANY_ZONE},
	{BBF_FAMILY_DATE, BBF_FAMILY_TIMESTAMP, "x::timestamp", NULL},
	{BBF_FAMILY_TIMESTAMPTZ, BBF_FAMILY_TIMESTAMP, "x AT TIME ZONE 'UTC'", ANY_ZONE},
	{BBF_FAMILY_DATE, BBF_FAMILY_TIMESTAMPTZ, "x::timestamp AT TIME ZONE 'UTC'", ANY_ZONE},
	{BBF_FAMILY_TIMESTAMP, BBF_FAMILY_TIMESTAMPTZ, "x AT TIME ZONE 'UTC'", ANY_ZONE},
	{BBF_FAMILY_BOOLEAN, BBF_FAMILY_TEXT, "x::text", NULL},
	{BBF_FAMILY_NUMBER, BBF_FAMILY_TEXT, "x::text",
	"If it should hold numbers, it was made from literals or parameters without a type: write $1::bigint there."},
	{BBF_FAMILY_FLOAT, BBF_FAMILY_TEXT, "x::text", NULL},
	{BBF_FAMILY_BYTEA, BBF_FAMILY_TEXT, "convert_from(x, 'UTF8')", NULL},
	{BBF_FAMILY_UUID, BBF_FAMILY_TEXT, "x::text", NULL},
	{BBF_FAMILY_OID, BBF_FAMILY_TEXT, "x::text", NULL},
	{BBF_FAMILY_DATE, BBF_FAMILY_TEXT, "x::text", BY_SETTINGS},
	{BBF_FAMILY_TIMESTAMP, BBF_FAMILY_TEXT, "x::text", BY_SETTINGS},
	{BBF_FAMILY_TIMESTAMPTZ, BBF_FAMILY_TEXT, "x::text", BY_SETTINGS},
	{BBF_FAMILY_TIME, BBF_FAMILY_TEXT, "x::text", NULL},
	{BBF_FAMILY_NETWORK, BBF_FAMILY_TEXT, "x::text",
	"Where the filter's texts have no \"/32\", use abbrev(x::inet)."},
	{BBF_FAMILY_MACADDR, BBF_FAMILY_TEXT, "x::text", NULL},
};

static const Conversion *
find_conversion(unsigned from, unsigned to)
{
	for (size_t i = 0; i < lengthof(conversions); i++)
	{
		if (conversions[i].from == from && conversions[i].to == to)
			return &conversions[i];
	}
	return NULL;
}

/*
 * What a cast of a text to the type of a family does not tell by itself, or
 * "".
 */
static const char *
remark_on_text(unsigned family)
{
	switch (family)
	{
		case BBF_FAMILY_NUMBER:
			return " A number with decimal places needs ::numeric.";
		case BBF_FAMILY_BYTEA:
			return " For the bytes of a text use convert_to(x, 'UTF8').";
		case BBF_FAMILY_TIMESTAMPTZ:
			return " Without a time zone in the text, that of the session is meant.";
		default:
			return "";
	}
}

/*
 * Set the hint of an error for a text or a number that meets floats.  A
 * filter does not tell of which type they were, and 0.1 is another key as the
 * one than as the other.
 */
static int
errhint_real_or_double(BloomKey key)
{
	if (key.family == BBF_FAMILY_NUMBER)
		return key.was_hashed ?
			errhint("Cast the key to the type of the filter's keys before it is hashed: bloom_key(x::real) if they were of type real, bloom_key(x::float8) if they were of type double precision.") :
			errhint("Cast the key to the type of the filter's keys: x::real if they were of type real, x::float8 if they were of type double precision.");
	return key.was_hashed ?
		errhint("Cast the key to the type of the filter's keys before it is hashed: bloom_key('...'::real) or bloom_key($1::real) if they were of type real, bloom_key('...'::float8) or bloom_key($1::float8) if they were of type double precision.") :
		errhint("Cast the key to the type of the filter's keys: '...'::real or $1::real if they were of type real, '...'::float8 or $1::float8 if they were of type double precision (in an array, '{...}'::real[] or '{...}'::float8[]).");
}

/* Set the hint of an error; to be called within ereport. */
static int
errhint_cast(BbfKind kind, unsigned family, BloomKey key, KeyUse use)
{
	const char *name = bbf_kind_routine(kind)->name;
	const Conversion *conversion = find_conversion(key.family, family);
	const char *before = key.was_hashed ? "bloom_key(" : "";
	const char *after = key.was_hashed ? ")" : "";

	if (family == BBF_FAMILY_FLOAT &&
		(key.family == BBF_FAMILY_NUMBER || key.family == BBF_FAMILY_TEXT))
		return errhint_real_or_double(key);

	/* literals and parameters without a type are texts */
	if (key.family == BBF_FAMILY_TEXT && !bbf_family_is_nested(family))
		return key.was_hashed ?
			errhint("Cast the key to the type of the filter's keys before it is hashed, for example bloom_key('...'::%s) or bloom_key($1::%s).%s",
					family_types[family], family_types[family], remark_on_text(family)) :
			errhint("Cast the key to the type of the filter's keys, for example '...'::%s or $1::%s (in an array, '{...}'::%s[]).%s",
					family_types[family], family_types[family], family_types[family],
					remark_on_text(family));
	if (conversion != NULL)
		return errhint("Cast the key to the type of the filter's keys, for example %s%s%s.%s%s",
					   before, conversion->sql, after,
					   conversion->remark != NULL ? " " : "",
					   conversion->remark != NULL ? conversion->remark : "");
	if (key.family == BBF_FAMILY_ARRAY && family != BBF_FAMILY_ARRAY)
		return use == BLT_KEY_IS_ADDED ?
			errhint("To add the elements of an array use %s_add_all.", name) :
			use == BLT_KEY_IS_REMOVED ?
			errhint("To remove the elements of an array use %s_remove_all.", name) :
			use == BLT_KEY_IS_SEARCHED ?
			errhint("To search for the elements of an array use bloom_matrix_search_any or bloom_matrix_search_all.") :
			errhint("To ask about the elements of an array use %s_contains_any or %s_contains_all.",
					name, name);
	if (family == BBF_FAMILY_ARRAY && key.family != BBF_FAMILY_ARRAY)
		return errhint("The keys of the filter are whole arrays. To make their elements the keys use %s_agg(x) FROM t, unnest(t.a) AS x.",
					   name);
	if (bbf_family_is_nested(family) &&
		(key.family == family || key.family == BBF_FAMILY_TEXT))
		return errhint("Cast the key to the type of the keys that the filter was made from.");
	return use == BLT_KEY_IS_SEARCHED ?
		errhint("Were the filters made from another column? See key_family in bloom_matrix_info(matrix).") :
		errhint("Was the filter made from another column? See key_family in %s_info(filter).",
				name);
}

void
blt_report_key_mismatch(BbfKind kind, unsigned family, BloomKey key, KeyUse use)
{
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
				 errhint_cast(kind, family, key, use)));

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
			 errhint_cast(kind, family, key, use)));
}

void
blt_check_same_keys(const BbfMeta *a, const BbfMeta *b, FilterUse use)
{
	const char *a_name = bbf_family_name(a->family);
	const char *b_name = bbf_family_name(b->family);

	if (!bbf_meta_has_keys(a) || !bbf_meta_has_keys(b) ||
		(a->family == b->family && a->subtype == b->subtype))
		return;
	if (a->family == b->family)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 use == BLT_FILTERS_ARE_UNITED ?
				 errmsg("cannot unite filters of %s keys of different subtypes", a_name) :
				 use == BLT_FILTERS_ARE_INTERSECTED ?
				 errmsg("cannot intersect filters of %s keys of different subtypes", a_name) :
				 errmsg("cannot compare filters of %s keys of different subtypes", a_name),
				 errdetail("The parts of their keys belong to different key families."),
				 errhint("Build both filters from columns of the same type.")));
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 use == BLT_FILTERS_ARE_UNITED ?
			 errmsg("cannot unite a filter of %s keys with a filter of %s keys",
					a_name, b_name) :
			 use == BLT_FILTERS_ARE_INTERSECTED ?
			 errmsg("cannot intersect a filter of %s keys with a filter of %s keys",
					a_name, b_name) :
			 errmsg("cannot compare a filter of %s keys with a filter of %s keys",
					a_name, b_name),
			 errdetail("Values of the families \"%s\" and \"%s\" are never the same key.",
					   a_name, b_name),
			 errhint("Build both filters from columns of one key family, with a cast where it differs.")));
}

void
blt_check_same_geometry(const BbfMeta *a, const BbfMeta *b, FilterUse use)
{
	const BbfLayer *a_layer = &a->layers[0];
	const BbfLayer *b_layer = &b->layers[0];
	const FilterKind *kind = blt_filter_kind(a->kind);

	if (a->nlayers == 1 && b->nlayers == 1 &&
		bbf_layer_same_geometry(a_layer, b_layer))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 use == BLT_FILTERS_ARE_UNITED ?
			 errmsg("cannot unite filters of different geometry") :
			 errmsg("cannot intersect filters of different geometry"),
			 a->nlayers == 1 && b->nlayers == 1 ?
			 errdetail("One has %u %s with %d %s, the other has %u %s with %d %s.",
					   a_layer->nbins, kind->bins, a_layer->key_bits, kind->key_bits,
					   b_layer->nbins, kind->bins, b_layer->key_bits, kind->key_bits) :
			 errdetail("The filters have %u and %u layers; each must have one.",
					   a->nlayers, b->nlayers),
			 errhint("Build both with one capacity and false-positive probability: %s_agg(value, capacity, fpp).",
					 bbf_kind_routine(a->kind)->name)));
}
