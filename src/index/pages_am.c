/*
 * pages_am.c
 *	  The access method bloom_pages: what it can do, its options, its operator
 *	  classes, and what VACUUM asks of it.
 *
 * Such an index has Bloom filters of the keys in ranges of the pages of a
 * table, and answers `column = key` with the ranges that may have the key
 * (core/pages.h).  Bits are never taken back, so VACUUM has nothing to do:
 * what dead rows leave behind are false ranges.
 */
#include "compat.h"

#include "access/reloptions.h"
#include "core/pages.h"
#include "fmgr.h"
#include "index/pages_am.h"
#include "index/pages_tuning.h"
#include "index/pages_validate.h"
#include "storage/bufmgr.h"

#define EQUAL_STRATEGY	1

PG_FUNCTION_INFO_V1(bloomtype_pages_handler);

/* Error for an option of filters; called with its default, null, too. */
static void
refuse_fpp(const char *value)
{
	if (value != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" is not an option of an index", "fpp"),
				 errhint("Set false_ranges, the number of ranges that a look-up reads in vain.")));
}

static bytea *
pages_options(Datum options, bool validate)
{
	local_relopts opts;

	init_local_reloptions(&opts, sizeof(PagesOptions));
	add_local_int_reloption(&opts, "pages_per_range",
							"pages of the table in a range",
							0, 1, BBF_PAGES_MAX_PER_RANGE,
							offsetof(PagesOptions, pages_per_range));
	add_local_int_reloption(&opts, "rows_per_range",
							"distinct keys that a range is expected to have",
							0, 1, 100000000,
							offsetof(PagesOptions, rows_per_range));
	add_local_real_reloption(&opts, "false_ranges",
							 "ranges that are expected to be read in vain for a key",
							 PAGES_DEFAULT_FALSE_RANGES, 0.0001, 1000.0,
							 offsetof(PagesOptions, false_ranges));
	add_local_string_reloption(&opts, "fpp", NULL, NULL, refuse_fpp, NULL,
							   offsetof(PagesOptions, fpp));
	return (bytea *) build_local_reloptions(&opts, options, validate);
}

/* VACUUM has no rows to remove. */
static IndexBulkDeleteResult *
pages_bulk_delete(IndexVacuumInfo *info, IndexBulkDeleteResult *stats,
				  IndexBulkDeleteCallback callback, void *callback_state)
{
	return stats != NULL ? stats : palloc0(sizeof(IndexBulkDeleteResult));
}

static IndexBulkDeleteResult *
pages_vacuum_cleanup(IndexVacuumInfo *info, IndexBulkDeleteResult *stats)
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

static const IndexAmRoutine pages_routine = {
	.type = T_IndexAmRoutine,
	.amstrategies = EQUAL_STRATEGY,
	BLT_SUMMARIZING_INDEX
	.ambuild = blt_pages_build,
	.ambuildempty = blt_pages_build_empty,
	.aminsert = blt_pages_insert,
	.ambulkdelete = pages_bulk_delete,
	.amvacuumcleanup = pages_vacuum_cleanup,
	.amcostestimate = blt_pages_cost,
	.amoptions = pages_options,
	.amvalidate = blt_pages_validate,
	.ambeginscan = blt_pages_begin_scan,
	.amrescan = blt_pages_rescan,
	.amgetbitmap = blt_pages_get_bitmap,
	.amendscan = blt_pages_end_scan,
};

/* (internal): the access method, as index_am_handler. */
Datum
bloomtype_pages_handler(PG_FUNCTION_ARGS)
{
	blt_return_am_routine(&pages_routine);
}
