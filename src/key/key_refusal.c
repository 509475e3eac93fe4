/*
 * key_refusal.c
 *	  The types that cannot be keys, each with SQL that makes a key of it.
 *
 * A type is refused when equal values have no encoding that stays the same
 * for ever.  To accept one later is compatible; to change bytes is not.
 */
#include "compat.h"

#include "key/key_refusal.h"

#include "access/htup_details.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "core/kind.h"
#include "fmgr.h"
#include "key/key_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/*
 * SQL that makes a key of x, a value of the type, and what to know about it,
 * or null.
 */
typedef struct Advice
{
	const char *sql;
	const char *remark;
} Advice;

typedef struct RefusedType
{
	Oid			type;
	Advice		advice;
} RefusedType;

#define AS_REGISTERED \
	{"x::text", "Its number is x::oid."}
#define AS_SPELLED \
	{"x::text", "Two spellings of one document are two keys then."}

static const RefusedType refused_types[] = {
	{CHAROID, {"x::text", NULL}},
	{INTERVALOID, {"justify_interval(x)::text", NULL}},
	{TIMETZOID, {"x::text", "Or as a time in one time zone, (x AT TIME ZONE 'UTC')::time."}},
	{BITOID, {"x::text", NULL}},
	{VARBITOID, {"x::text", NULL}},
	{CASHOID, {"x::numeric", NULL}},
	{JSONOID, AS_SPELLED},
	{JSONBOID, {"x::text", "The numbers 1.0 and 1.00 are two keys then."}},
	{XMLOID, AS_SPELLED},
	{REGPROCOID, AS_REGISTERED},
	{REGPROCEDUREOID, AS_REGISTERED},
	{REGOPEROID, AS_REGISTERED},
	{REGOPERATOROID, AS_REGISTERED},
	{REGCLASSOID, AS_REGISTERED},
	{REGTYPEOID, AS_REGISTERED},
	{REGROLEOID, AS_REGISTERED},
	{REGNAMESPACEOID, AS_REGISTERED},
	{REGCOLLATIONOID, AS_REGISTERED},
	{REGCONFIGOID, AS_REGISTERED},
	{REGDICTIONARYOID, AS_REGISTERED},
};

/*
 * The name of a type without its schema; null if it has been dropped
 * meanwhile.
 */
static const char *
type_name(Oid type)
{
	HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	const char *name;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	name = pstrdup(NameStr(((Form_pg_type) GETSTRUCT(tuple))->typname));
	ReleaseSysCache(tuple);
	return name;
}

/* A column of pg_proc that is text; null if it is null. */
static char *
text_of_function(HeapTuple tuple, AttrNumber column)
{
	bool		isnull;
	Datum		value = SysCacheGetAttr(PROCOID, tuple, column, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

/*
 * Is there this function of the key type in the library in which another C
 * function is?  Then that is this library.
 */
static bool
is_this_library(const char *library)
{
	return (PGFunction) load_external_function(library, "bloomtype_bloom_key_in", false, NULL) ==
		bloomtype_bloom_key_in;
}

/*
 * The name of the input function of a type of this library, in the library;
 * null if the type is none.  By it our types are known, whatever their names
 * and schema are.
 */
static const char *
input_function(Oid type)
{
	HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	char	   *name = NULL;
	char	   *library = NULL;
	Oid			input;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	input = ((Form_pg_type) GETSTRUCT(tuple))->typinput;
	ReleaseSysCache(tuple);

	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(input));
	if (!HeapTupleIsValid(tuple))
		return NULL;
	if (((Form_pg_proc) GETSTRUCT(tuple))->prolang == ClanguageId)
	{
		name = text_of_function(tuple, Anum_pg_proc_prosrc);
		library = text_of_function(tuple, Anum_pg_proc_probin);
	}
	ReleaseSysCache(tuple);
	return name != NULL && library != NULL && strncmp(name, "bloomtype_", 10) == 0 &&
		is_this_library(library) ? name : NULL;
}

/*
 * The kind of filter with this input function, bloomtype_KIND_in; null if
 * there is none.
 */
static const BbfKindRoutine *
filter_with_input(const char *input)
{
	for (int kind = 0; kind <= BBF_KIND_MAX; kind++)
	{
		if (bbf_kind_is_valid(kind) &&
			strcmp(input, psprintf("bloomtype_%s_in", bbf_kind_routine((BbfKind) kind)->name)) == 0)
			return bbf_kind_routine((BbfKind) kind);
	}
	return NULL;
}

static const Advice *
advice_for(Oid type, Oid whole, const char *name)
{
	static const Advice of_range = {"ROW(lower(x), upper(x))", "The subtype of the range is not ordered by its default operators."};
	static const Advice of_multirange = {"x::text", "Or make a key of each range, unnest(x)."};
	static const Advice of_citext = {"lower(x::text)", NULL};
	static const Advice of_others = {"x::text", "That is right if values that you call equal print the same."};

	for (size_t i = 0; i < lengthof(refused_types); i++)
	{
		if (refused_types[i].type == type)
			return &refused_types[i].advice;
	}
	if (type_is_range(type) && type == whole)
		return &of_range;
	if (type_is_multirange(type))
		return &of_multirange;
	if (name != NULL && strcmp(name, "citext") == 0)
		return &of_citext;
	return &of_others;
}

/* Set the hint of an error; to be called within ereport. */
static int
errhint_refused(Oid type, Oid whole)
{
	const char *name = type_name(type);
	const Advice *advice = advice_for(type, whole, name);
	const char *space = advice->remark != NULL ? " " : "";
	const char *remark = advice->remark != NULL ? advice->remark : "";
	Oid			element = get_element_type(whole);
	const char *input = input_function(type);
	const BbfKindRoutine *filter = input != NULL ? filter_with_input(input) : NULL;

	if (blt_is_bloom_key(type))
		return errhint("Make the key from the whole value: bloom_key(ROW(a, b)), not ROW(bloom_key(a), bloom_key(b)).");
	if (type == RECORDARRAYOID)
		return errhint("Cast it to an array of a named composite type.");
	if (filter != NULL && filter->unite != NULL)
		return errhint("To unite filters use a | b or %s_union_agg. To ask about a key put the filter first: %s_contains(filter, key).",
					   filter->name, filter->name);
	if (filter != NULL)
		return errhint("To ask about a key put the filter first: %s_contains(filter, key).",
					   filter->name);
	if (input != NULL && strcmp(input, "bloomtype_bloom_matrix_in") == 0)
		return errhint("To ask about a key put the matrix first: bloom_matrix_search(matrix, key).");
	if (type == whole)
		return errhint("Use %s as the key.%s%s", advice->sql, space, remark);
	if (OidIsValid(element) && getBaseType(element) == type)
		return strncmp(advice->sql, "x::", 3) == 0 ?
			errhint("Use a::%s[] for the array a.%s%s", advice->sql + 3, space, remark) :
			errhint("Use ARRAY(SELECT %s FROM unnest(a) AS x) for the array a. It must have one dimension.%s%s",
					advice->sql, space, remark);
	if (type_is_range(whole))
		return errhint("Use a row of its bounds, ROW(lower(r), upper(r)) for the range r, with %s for each bound x.%s%s",
					   advice->sql, space, remark);
	return errhint("Select the columns that make up the key, with %s for an x of that type: ROW(a, %s).%s%s",
				   advice->sql, advice->sql, space, remark);
}

void
blt_report_refused_type(Oid type, Oid whole)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot use a value of type %s as a key", format_type_be(whole)),
			 type == whole ? errdetail("The type belongs to no key family.") :
			 errdetail("It has parts of type %s, which belongs to no key family.",
					   format_type_be(type)),
			 errhint_refused(type, whole)));
}
