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

#include "access/reloptions.h"
#include "core/range.h"
#include "fmgr.h"
#include "index/range_am.h"
#include "index/range_validate.h"
#include "storage/bufmgr.h"

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
	.amvalidate = blt_range_validate,
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
