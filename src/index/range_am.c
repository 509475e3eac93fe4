/*
 * range_am.c
 *	  The access method bloom_range: what it can do, its options, its operator
 *	  classes, and what VACUUM asks of it.
 *
 * Such an index has Bloom filters of the keys in ranges of the pages of a
 * table, and answers `column = key` with the ranges that may have the key
 * (core/range.h).  Bits are never taken back, so VACUUM has nothing to do:
 * what dead rows leave behind are false ranges.
 */
#include "compat.h"

#include "access/amvalidate.h"
#include "access/htup_details.h"
#include "access/reloptions.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_opclass.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "core/range.h"
#include "fmgr.h"
#include "index/range_am.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#define EQUAL_STRATEGY	1

PG_FUNCTION_INFO_V1(bloomtype_range_handler);

static bytea *
range_options(Datum options, bool validate)
{
	local_relopts opts;

	init_local_reloptions(&opts, sizeof(RangeOptions));
	add_local_int_reloption(&opts, "pages_per_range",
							"pages of the table in a range",
							0, 1, BBF_RANGE_MAX_PAGES,
							offsetof(RangeOptions, pages_per_range));
	add_local_int_reloption(&opts, "rows_per_range",
							"distinct keys that a range is expected to have",
							0, 1, 100000000,
							offsetof(RangeOptions, rows_per_range));
	add_local_real_reloption(&opts, "false_ranges",
							 "ranges that are expected to be read in vain for a key",
							 RANGE_DEFAULT_FALSE_RANGES, 0.0001, 1000.0,
							 offsetof(RangeOptions, false_ranges));
	return (bytea *) build_local_reloptions(&opts, options, validate);
}

static const char *
family_name(Oid family)
{
	HeapTuple	tuple = SearchSysCache1(OPFAMILYOID, ObjectIdGetDatum(family));
	const char *name;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator family %u", family);
	name = pstrdup(NameStr(((Form_pg_opfamily) GETSTRUCT(tuple))->opfname));
	ReleaseSysCache(tuple);
	return name;
}

/* Report what is wrong with an operator class; returns false. */
static bool
is_invalid(const char *family, Oid operator, const char *reason)
{
	ereport(INFO,
			(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
			 errmsg("operator family \"%s\" of access method %s contains operator %s %s",
					family, "bloom_range", format_operator(operator), reason)));
	return false;
}

static bool
validate_operator(const char *family, Form_pg_amop member)
{
	if (member->amopstrategy != EQUAL_STRATEGY)
		return is_invalid(family, member->amopopr, "with an invalid strategy number");
	if (member->amoppurpose != AMOP_SEARCH)
		return is_invalid(family, member->amopopr, "for ordering");
	if (!check_amop_signature(member->amopopr, BOOLOID,
							  member->amoplefttype, member->amoprighttype))
		return is_invalid(family, member->amopopr, "with wrong signature");
	return true;
}

/*
 * Is an operator class right, and its family?  That its operators take values
 * as equal exactly if they are the same key is not seen here.
 */
static bool
range_validate(Oid opclass)
{
	HeapTuple	tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(opclass));
	Form_pg_opclass form;
	const char *family;
	CatCList   *operators;
	bool		has_own = false;
	bool		valid = true;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator class %u", opclass);
	form = (Form_pg_opclass) GETSTRUCT(tuple);
	family = family_name(form->opcfamily);

	operators = SearchSysCacheList1(AMOPSTRATEGY, ObjectIdGetDatum(form->opcfamily));
	for (int i = 0; i < operators->n_members; i++)
	{
		Form_pg_amop member = (Form_pg_amop) GETSTRUCT(&operators->members[i]->tuple);

		valid = validate_operator(family, member) && valid;
		has_own = has_own || (member->amoplefttype == form->opcintype &&
							  member->amoprighttype == form->opcintype);
	}
	ReleaseCatCacheList(operators);
	if (!has_own)
	{
		ereport(INFO,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("operator class \"%s\" of access method %s is missing its operator",
						NameStr(form->opcname), "bloom_range")));
		valid = false;
	}
	ReleaseSysCache(tuple);
	return valid;
}

/* VACUUM has no rows to remove. */
static IndexBulkDeleteResult *
range_bulk_delete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
				  IndexBulkDeleteCallback callback, void *callback_state)
{
	return stats != NULL ? stats : palloc0(sizeof(IndexBulkDeleteResult));
}

static IndexBulkDeleteResult *
range_vacuum_cleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats)
{
	if (info->analyze_only)
		return stats;
	if (stats == NULL)
		stats = palloc0(sizeof(IndexBulkDeleteResult));
	stats->num_pages = RelationGetNumberOfBlocks(info->index);
	stats->num_index_tuples = info->num_heap_tuples;
	stats->estimated_count = info->estimated_count;
	return stats;
}

static const IndexAmRoutine range_routine = {
	.type = T_IndexAmRoutine,
	.amstrategies = EQUAL_STRATEGY,
	BLT_SUMMARIZING_INDEX
	.ambuild = blt_range_build,
	.ambuildempty = blt_range_build_empty,
	.aminsert = blt_range_insert,
	.ambulkdelete = range_bulk_delete,
	.amvacuumcleanup = range_vacuum_cleanup,
	.amcostestimate = blt_range_cost,
	.amoptions = range_options,
	.amvalidate = range_validate,
	.ambeginscan = blt_range_begin_scan,
	.amrescan = blt_range_rescan,
	.amgetbitmap = blt_range_get_bitmap,
	.amendscan = blt_range_end_scan,
};

/* (internal): the access method, as index_am_handler. */
Datum
bloomtype_range_handler(PG_FUNCTION_ARGS)
{
	blt_return_am_routine(&range_routine);
}
