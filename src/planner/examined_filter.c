/*
 * examined_filter.c
 *	  Examines the filter that a call probes: a constant, whose metadata have
 *	  its numbers, or the result of an aggregate.
 */
#include "compat.h"

#include "planner/examined_filter.h"

#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "external/external_estimate.h"
#include "filter/filter_datum.h"
#include "filter/filter_pieces.h"
#include "key/key_hasher.h"
#include "key/key_match.h"
#include "nodes/nodeFuncs.h"
#include "planner/expression.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

/* Of a filter of another system, at the default rate */
#define EXTERNAL_BYTES_PER_KEY	1.25

/* A constant filter of ours. */
static void
examine_const(Const *constant, ExaminedFilter *filter)
{
	const BbfMeta *meta = &filter->filter.meta;

	filter->source = BLT_FILTER_CONST;
	blt_read_filter(constant->constvalue, BBF_KIND_ANY, &filter->filter);
	filter->numbers.is_external = false;
	filter->numbers.kind = meta->kind;
	/* of an intersection too high, for want of a better number */
	filter->numbers.keys = bbf_meta_keys(meta);
	filter->numbers.keys_are_limit = false;
	filter->numbers.fpp = bbf_meta_fpp(meta);
	filter->bytes = meta->length;
	filter->layers = meta->nlayers;
}

/* A constant filter of another system, whose format is constant, too. */
static void
examine_external(Const *constant, Const *format, ExaminedFilter *filter)
{
	if (!IsA(format, Const) || format->constisnull ||
		!blt_estimate_external(format->constvalue, constant->constvalue, &filter->numbers.keys,
							   &filter->numbers.fpp, &filter->bytes))
		return;
	filter->source = BLT_FILTER_CONST;
	filter->numbers.is_external = true;
	filter->numbers.keys_are_limit = false;
	filter->layers = 1.0;
}

/*
 * A filter that the query makes, at the default rate or one not far from it.
 */
static void
examine_query_filter(PlannerInfo *root, Node *node, ExaminedFilter *filter)
{
	const BbfKindRoutine *routine;

	if (!blt_estimate_query_filter(root, node, &filter->numbers))
		return;
	filter->source = BLT_FILTER_OF_QUERY;
	filter->layers = 1.0;
	if (filter->numbers.is_external)
	{
		filter->bytes = filter->numbers.keys * EXTERNAL_BYTES_PER_KEY;
		return;
	}
	routine = bbf_kind_routine(filter->numbers.kind);
	filter->bytes = filter->numbers.keys * routine->bytes_per_key;
	if (bbf_has_trait(routine, BBF_TRAIT_LIST) && filter->numbers.keys <= BBF_MAX_LIST)
		filter->layers = 0.0;
}

void
blt_examine_filter(PlannerInfo *root, const MembershipCall *call, ExaminedFilter *filter)
{
	filter->source = BLT_FILTER_UNKNOWN;
	if (blt_is_null(call->filter))
		filter->source = BLT_FILTER_NULL;
	else if (!blt_is_varlena_const(call->filter))
		examine_query_filter(root, call->filter, filter);
	else if (call->format == NULL)
		examine_const((Const *) call->filter, filter);
	else
		examine_external((Const *) call->filter, (Const *) call->format, filter);
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
		(OidIsValid(element) && family == BBF_FAMILY_NONE) ||
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
contains(const ExaminedFilter *filter, KeyHasher *hasher, Datum value)
{
	BloomKey	key;

	/*
	 * one without a key, or of another family, is an error if the query meets
	 * it, not now
	 */
	if (!has_key(hasher, value))
		return false;
	key = blt_hash_key(hasher, value);
	return blt_key_matches(filter->filter.meta.family, filter->filter.meta.subtype, key) &&
		bbf_filter_contains(&filter->filter, key.hash);
}

Selectivity
blt_common_values_selectivity(PlannerInfo *root, const MembershipCall *call, Node *value,
							  const ExaminedFilter *filter, double *common)
{
	VariableStatData column;
	AttStatsSlot slot;
	KeyHasher  *hasher;
	Selectivity selectivity = 0.0;

	*common = 0.0;
	if (filter->source != BLT_FILTER_CONST || filter->numbers.is_external)
		return 0.0;

	/* casts that change nothing but the type are left out of the statistics */
	examine_variable(root, value, 0, &column);
	if (HeapTupleIsValid(column.statsTuple) &&
		statistic_proc_security_check(&column, call->function_oid) &&
		(hasher = hasher_without_error(exprType(value))) != NULL &&
		get_attstatsslot(&slot, column.statsTuple, STATISTIC_KIND_MCV, InvalidOid,
						 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
	{
		for (int i = 0; i < slot.nvalues; i++)
		{
			if (contains(filter, hasher, slot.values[i]))
				selectivity += slot.numbers[i];
			*common += slot.numbers[i];
		}
		free_attstatsslot(&slot);
	}
	ReleaseVariableStats(column);
	return selectivity;
}
