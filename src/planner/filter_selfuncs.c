/*
 * filter_selfuncs.c
 *	  What the planner asks about functions and operators on filters.
 *
 * Two filters nearly always overlap as far as && can tell, unless one is a
 * list: their bits meet.
 */
#include "compat.h"

#include "filter/filter_datum.h"
#include "fmgr.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "planner/expression.h"
#include "planner/membership.h"
#include "planner/probe_cost.h"
#include "planner/selectivity.h"
#include "types/sql_functions.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(bloomtype_contains_support);
PG_FUNCTION_INFO_V1(bloomtype_contains_sel);
PG_FUNCTION_INFO_V1(bloomtype_contains_joinsel);
PG_FUNCTION_INFO_V1(bloomtype_overlaps_sel);
PG_FUNCTION_INFO_V1(bloomtype_overlaps_joinsel);

/*
 * Of an operator that names our estimators for a function that is none of
 * ours.
 */
#define UNKNOWN_SELECTIVITY			0.1

/*
 * The share of pairs of filters that overlap: two with layers nearly always
 * share a bit. How often a list overlaps with another filter is a guess.
 */
#define OVERLAP_SELECTIVITY			0.99
#define LIST_OVERLAP_SELECTIVITY	0.5

/* For every function of membership.c. */
Datum
bloomtype_contains_support(PG_FUNCTION_ARGS)
{
	Node	   *rawreq = (Node *) PG_GETARG_POINTER(0);
	MembershipCall call;

	if (IsA(rawreq, SupportRequestSelectivity))
	{
		SupportRequestSelectivity *req = (SupportRequestSelectivity *) rawreq;

		if (!blt_membership_call(req->funcid, req->args, &call))
			PG_RETURN_POINTER(NULL);
		req->selectivity = blt_selectivity(req->root, &call, req->args, req->varRelid);
		PG_RETURN_POINTER(rawreq);
	}
	if (IsA(rawreq, SupportRequestCost))
	{
		SupportRequestCost *req = (SupportRequestCost *) rawreq;

		if (!blt_membership_call(req->funcid, blt_arguments(req->node), &call))
			PG_RETURN_POINTER(NULL);
		req->startup = 0.0;
		req->per_tuple = blt_probe_cost(req->root, &call);
		PG_RETURN_POINTER(rawreq);
	}
	PG_RETURN_POINTER(NULL);
}

/*
 * The share of rows that pass, by an operator; see examine_variable for
 * relation.
 */
static Selectivity
contains_selectivity(PlannerInfo *root, Oid operator, List *args, int relation)
{
	MembershipCall call;

	if (!blt_membership_call(get_opcode(operator), args, &call))
		return UNKNOWN_SELECTIVITY;
	return blt_selectivity(root, &call, args, relation);
}

/* For filter @> value and value <@ filter, by their functions. */
Datum
bloomtype_contains_sel(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(contains_selectivity((PlannerInfo *) PG_GETARG_POINTER(0),
										  PG_GETARG_OID(1),
										  (List *) PG_GETARG_POINTER(2),
										  PG_GETARG_INT32(3)));
}

/* The same for a filter and a value of different tables. */
Datum
bloomtype_contains_joinsel(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(contains_selectivity((PlannerInfo *) PG_GETARG_POINTER(0),
										  PG_GETARG_OID(1),
										  (List *) PG_GETARG_POINTER(2), 0));
}

/* The share of pairs of filters that overlap. */
static Selectivity
overlaps_selectivity(PlannerInfo *root, Oid function_oid, List *args)
{
	Selectivity selectivity = OVERLAP_SELECTIVITY;
	ListCell   *cell;

	if (!blt_is_function(function_oid, bloomtype_bloom_overlaps))
		return selectivity;
	foreach(cell, args)
	{
		Node	   *filter = estimate_expression_value(root, lfirst(cell));
		BbfMeta		meta;

		if (blt_is_null(filter))
			return 0.0;
		if (!blt_is_varlena_const(filter))
			continue;
		blt_read_meta(((Const *) filter)->constvalue, BBF_KIND_BLOOM, &meta);
		if (!bbf_meta_has_keys(&meta))
			return 0.0;
		if (meta.nlist > 0)
			selectivity = LIST_OVERLAP_SELECTIVITY;
	}
	return selectivity;
}

/* For filter && filter. */
Datum
bloomtype_overlaps_sel(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(overlaps_selectivity((PlannerInfo *) PG_GETARG_POINTER(0),
										  get_opcode(PG_GETARG_OID(1)),
										  (List *) PG_GETARG_POINTER(2)));
}

/* The same for filters of different tables. */
Datum
bloomtype_overlaps_joinsel(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(overlaps_selectivity((PlannerInfo *) PG_GETARG_POINTER(0),
										  get_opcode(PG_GETARG_OID(1)),
										  (List *) PG_GETARG_POINTER(2)));
}
