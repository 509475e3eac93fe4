/*
 * key_refusal.c
 *	  The types that cannot be keys, each with the cast that makes a key of it.
 *
 * A type is refused when equal values have no encoding that stays the same
 * for ever.  To accept one later is compatible; to change bytes is not.
 */
#include "compat.h"

#include "key/key_refusal.h"

#include "catalog/pg_type.h"
#include "key/key_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

typedef struct RefusedType
{
	Oid			type;
	const char *hint;
} RefusedType;

static const RefusedType refused_types[] = {
	{CHAROID, gettext_noop("Cast it to text: x::text.")},
	{INTERVALOID, gettext_noop("Say what makes two intervals the same key, for example justify_interval(x)::text.")},
	{TIMETZOID, gettext_noop("Cast it to text, x::text, or to time in one time zone, (x AT TIME ZONE 'UTC')::time.")},
	{BITOID, gettext_noop("Cast it to text: x::text.")},
	{VARBITOID, gettext_noop("Cast it to text: x::text.")},
	{CASHOID, gettext_noop("Cast it to numeric: x::numeric.")},
	{JSONOID, gettext_noop("Cast it to text, x::text, which takes two spellings of one document for two keys.")},
	{JSONBOID, gettext_noop("Cast it to text, x::text, which takes the numbers 1.0 and 1.00 for two keys.")},
	{XMLOID, gettext_noop("Cast it to text, x::text, which takes two spellings of one document for two keys.")},
	{REGPROCOID, gettext_noop("Cast it to text, x::text, or to its number, x::oid.")},
	{REGPROCEDUREOID, gettext_noop("Cast it to text, x::text, or to its number, x::oid.")},
	{REGOPEROID, gettext_noop("Cast it to text, x::text, or to its number, x::oid.")},
	{REGOPERATOROID, gettext_noop("Cast it to text, x::text, or to its number, x::oid.")},
	{REGCLASSOID, gettext_noop("Cast it to text, x::text, or to its number, x::oid.")},
	{REGTYPEOID, gettext_noop("Cast it to text, x::text, or to its number, x::oid.")},
	{REGROLEOID, gettext_noop("Cast it to text, x::text, or to its number, x::oid.")},
	{REGNAMESPACEOID, gettext_noop("Cast it to text, x::text, or to its number, x::oid.")},
	{REGCOLLATIONOID, gettext_noop("Cast it to text, x::text, or to its number, x::oid.")},
	{REGCONFIGOID, gettext_noop("Cast it to text, x::text, or to its number, x::oid.")},
	{REGDICTIONARYOID, gettext_noop("Cast it to text, x::text, or to its number, x::oid.")},
	{RECORDARRAYOID, gettext_noop("Cast it to an array of a named composite type.")},
};

/* The type may have been dropped meanwhile: it has no name then. */
static const char *
hint_for(Oid type)
{
	const char *name = format_type_extended(type, -1, FORMAT_TYPE_INVALID_AS_NULL);

	for (size_t i = 0; i < lengthof(refused_types); i++)
	{
		if (refused_types[i].type == type)
			return refused_types[i].hint;
	}

	if (blt_is_bloom_key(type))
		return gettext_noop("Make the key from the whole value: bloom_key(ROW(a, b)), not ROW(bloom_key(a), bloom_key(b)).");
	if (type_is_range(type))
		return gettext_noop("Its subtype is not ordered by its default operators. Use the bounds: ROW(lower(x), upper(x)).");
	if (type_is_multirange(type))
		return gettext_noop("Cast it to text, x::text, or make a key of each range: unnest(x).");
	if (name != NULL && strcmp(name, "citext") == 0)
		return gettext_noop("Cast it to text in one case: lower(x::text).");
	return gettext_noop("Cast it to text, x::text, if values that you call equal print the same.");
}

void
blt_report_refused_type(Oid type)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot use a value of type %s as a key", format_type_be(type)),
			 errdetail("The type belongs to no key family."),
			 errhint("%s", _(hint_for(type)))));
}
