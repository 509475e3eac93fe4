/*
 * known_filter.c
 *	  Asks constant filters, while planning, about common values.
 */
#include "compat.h"

#include "planner/known_filter.h"

#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "filter/filter_pieces.h"
#include "fmgr.h"
#include "key/key_hasher.h"
#include "key/key_match.h"
#include "utils/lsyscache.h"

bool
blt_is_known_filter(Node *node)
{
	Const	   *constant = (Const *) node;

	return IsA(node, Const) && !constant->constisnull && constant->constlen == -1;
}

/*
 * A hasher for the values of a type; null where that might be an error, for
 * types that are no keys, or have parts that may be none, or no characters of
 * UTF-8: of texts, has_key() asks those that are values of variable length
 * themselves.
 */
static KeyHasher *
hasher_without_error(Oid type)
{
	Oid			base = getBaseType(type);
	Oid			element = get_element_type(base);
	BbfFamily	family;
	ScalarEncode encode;

	if (!blt_converts_to_utf8() ||
		!blt_find_scalar(OidIsValid(element) ? getBaseType(element) : base,
						 InvalidOid, &family, &encode) ||
		(family == BBF_FAMILY_TEXT && !blt_is_utf8() &&
		 (OidIsValid(element) || get_typlen(base) != -1)))
		return NULL;
	return blt_create_hasher(type, InvalidOid, CurrentMemoryContext);
}

/*
 * Has a value a key?  Not all that an encoding admits are characters in UTF-8.
 */
static bool
has_key(const KeyHasher *hasher, Datum value)
{
	struct varlena *s;
	bool		result;

	if (hasher->family != BBF_FAMILY_TEXT || blt_is_utf8())
		return true;
	Assert(hasher->typlen == -1);
	s = PG_DETOAST_DATUM_PACKED(value);
	result = blt_has_utf8(VARDATA_ANY(s), VARSIZE_ANY_EXHDR(s));
	if (PointerGetDatum(s) != value)
		pfree(s);
	return result;
}

static bool
contains(const KnownFilter *filter, KeyHasher *hasher, Datum value)
{
	BloomKey	key;

	/*
	 * one without a key, or of another family, is an error if the query meets
	 * it, not now
	 */
	if (!has_key(hasher, value))
		return false;
	key = blt_hash_key(hasher, value);
	return blt_key_matches(filter->meta.family, filter->meta.subtype, key) &&
		bbf_filter_contains(filter, key.hash);
}

bool
blt_known_filter_contains(const KnownFilter *filter, Const *value, bool *is_known)
{
	KeyHasher  *hasher = hasher_without_error(value->consttype);

	*is_known = hasher != NULL && has_key(hasher, value->constvalue);
	return *is_known && contains(filter, hasher, value->constvalue);
}

Selectivity
blt_common_values_selectivity(VariableStatData *column, Oid function_oid,
							  Oid value_type, const KnownFilter *filter,
							  double *common)
{
	AttStatsSlot slot;
	KeyHasher  *hasher;
	Selectivity selectivity = 0.0;

	*common = 0.0;
	if (!HeapTupleIsValid(column->statsTuple) ||
		!statistic_proc_security_check(column, function_oid))
		return 0.0;

	/* casts that change nothing but the type are left out of the statistics */
	hasher = hasher_without_error(value_type);
	if (hasher == NULL ||
		!get_attstatsslot(&slot, column->statsTuple, STATISTIC_KIND_MCV, InvalidOid,
						  ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
		return 0.0;

	for (int i = 0; i < slot.nvalues; i++)
	{
		if (contains(filter, hasher, slot.values[i]))
			selectivity += slot.numbers[i];
		*common += slot.numbers[i];
	}
	free_attstatsslot(&slot);
	return selectivity;
}

const BbfExternalFormat *
blt_format_of_constant(Const *name)
{
	text	   *characters;

	if (name == NULL || name->constisnull || name->consttype != TEXTOID)
		return NULL;
	characters = DatumGetTextPP(name->constvalue);
	return bbf_external_by_name(VARDATA_ANY(characters), VARSIZE_ANY_EXHDR(characters));
}

bool
blt_count_external_keys(const BbfExternalFormat *format, Const *filter,
						double *keys, double *fpp, double *length)
{
	bytea	   *value = DatumGetByteaPP(filter->constvalue);
	const unsigned char *bytes = (const unsigned char *) VARDATA_ANY(value);
	BbfExternalMeta meta;
	BbfExternalInfo info;

	if (bbf_external_validate(format, bytes, VARSIZE_ANY_EXHDR(value), &meta) != NULL)
		return false;
	bbf_external_info(format, &meta, bytes, blt_check_for_interrupts, &info);
	*keys = info.keys;
	*fpp = info.fpp;
	*length = meta.length;
	return *keys >= 0.0 && *fpp >= 0.0;
}
