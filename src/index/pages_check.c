/*
 * pages_check.c
 *	  Checks a page index: each page is where it belongs, and each row of the
 *	  table is found.
 *
 * Bits that have been cleared are the one kind of corruption that scans cannot
 * detect.  The rows whose keys had them are found to be missing here.
 */
#include "compat.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "catalog/index.h"
#include "fmgr.h"
#include "index/pages_key.h"
#include "index/pages_open_for_sql.h"
#include "index/pages_storage.h"
#include "index/pages_snapshot.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(bloomtype_pages_check);

typedef struct Check
{
	Relation	table;
	Relation	index;
	BbfPagesMeta meta;
	PagesHasher *hasher;
	int64		nrows;			/* checked */
} Check;

/*
 * Pages
 */

pg_noreturn static void
report_page(const Check *check, BlockNumber page, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INDEX_CORRUPTED),
			 errmsg("index \"%s\" is damaged at block %u",
					RelationGetRelationName(check->index), page),
			 errdetail_internal("%s", detail),
			 errhint("Please REINDEX it.")));
}

/*
 * May a column of a page have bits?  Those of all ranges may, as the table may
 * have become shorter.
 */
static bool
may_have_bits(const BbfPagesMeta *meta, const BbfPagesPlace *place, uint32 column)
{
	const BbfPagesEpoch *epoch = bbf_pages_epoch(meta, place->group);
	const uint32 width = bbf_pages_width(meta, epoch, place->level, place->group);

	return place->block + column / width < bbf_pages_nblocks(epoch, place->level) &&
		column / width < meta->ncolumns / width &&
		(place->level == BBF_PAGES_LOWER ||
		 place->group + column % width < bbf_pages_epoch_end(meta, epoch));
}

/* Check a page of slices beyond what each reading does. */
static void
check_slices(const Check *check, BlockNumber number, Page page, const BbfPagesPlace *place)
{
	const unsigned slice_bytes = blt_pages_slice_bytes(&check->meta);
	const unsigned char *slices = blt_pages_contents(page);
	const unsigned char *end = slices + bbf_columns_bytes(slice_bytes);
	uint16		counts[BBF_MAX_COLUMNS];

	if (((PageHeader) page)->pd_lower == slices - (unsigned char *) page)
		end = slices;
	else if (((PageHeader) page)->pd_lower != end - (unsigned char *) page)
		report_page(check, number, "The length of its contents is wrong.");
	if (!bbf_all_zero(end, PAGES_CONTENTS_BYTES - (end - slices)))
		report_page(check, number, "Bytes after its contents are not zero.");
	bbf_columns_count(slices, slice_bytes, counts);
	for (uint32 i = 0; i < check->meta.ncolumns; i++)
	{
		if (counts[i] > 0 && !may_have_bits(&check->meta, place, i))
			report_page(check, number, "Bits are set for groups or blocks that do not exist.");
	}
}

/*
 * A copy is checked.  The metadata are read after it, for each page: whatever
 * has bits in it is of groups that were there before.  They are not read under
 * the lock of the page, since the metapage is locked first elsewhere.
 */
static void
check_page(Check *check, BlockNumber number)
{
	Buffer		buffer = ReadBuffer(check->index, number);
	PGAlignedBlock copy;
	BbfPagesPlace place;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	memcpy(copy.data, BufferGetPage(buffer), BLCKSZ);
	UnlockReleaseBuffer(buffer);

	blt_pages_get_meta(check->index, PG_UINT32_MAX, &check->meta);
	(void) bbf_pages_locate(&check->meta, number, &place);
	blt_pages_verify(check->index, number, copy.data, &place);
	check_slices(check, number, copy.data, &place);
}

static void
check_pages(Check *check)
{
	BlockNumber npages;

	blt_pages_get_meta(check->index, PG_UINT32_MAX, &check->meta);
	npages = check->meta.npages;
	for (BlockNumber page = PAGES_META_BLOCK + 1; page < npages; page++)
	{
		CHECK_FOR_INTERRUPTS();
		check_page(check, page);
	}
}

/*
 * Rows
 */

/* Does a level have a key? */
static bool
level_has_key(const Check *check, const BbfPagesEpoch *epoch, const BbfPagesKey *key)
{
	Buffer		buffer = blt_pages_read(check->index, &check->meta, epoch, &key->place);
	bool		has_key;

	if (!BufferIsValid(buffer))
		return false;
	has_key = blt_pages_contain(&check->meta, BufferGetPage(buffer), key);
	UnlockReleaseBuffer(buffer);
	return has_key;
}

/* Does a scan for this key find this block of the table? */
static bool
finds_block(const Check *check, BlockNumber block, uint64 hash)
{
	const BbfPagesMeta *meta = &check->meta;
	const uint32 group = blt_pages_group(meta, block);
	const BbfPagesEpoch *epoch;
	BbfPagesKey keys[BBF_PAGES_LEVELS];
	int			n;

	if (!bbf_pages_has_group(meta, group))
		return false;
	epoch = bbf_pages_epoch(meta, group);
	n = bbf_pages_place_in_levels(meta, epoch, blt_pages_range(meta, block), hash, keys);
	for (int i = 0; i < n; i++)
	{
		if (!level_has_key(check, epoch, &keys[i]))
			return false;
	}
	return true;
}

/* Check that a row is found; called by the server for each. */
static void
check_row(Relation index, ItemPointer tid, Datum *values, bool *isnull, bool is_alive,
		  void *callback_state)
{
	Check	   *check = callback_state;
	const BlockNumber block = ItemPointerGetBlockNumber(tid);

	CHECK_FOR_INTERRUPTS();
	if (isnull[0])
		return;
	blt_pages_get_meta(index, blt_pages_group(&check->meta, block) + 1, &check->meta);
	if (!finds_block(check, block, blt_pages_hash(check->hasher, values[0])))
		ereport(ERROR,
				(errcode(ERRCODE_INDEX_CORRUPTED),
				 errmsg("index \"%s\" lacks row (%u,%u) of table \"%s\"",
						RelationGetRelationName(index), block,
						ItemPointerGetOffsetNumber(tid),
						RelationGetRelationName(check->table)),
				 errhint("Please REINDEX it.")));
	check->nrows++;
}

/* Error: the transaction has a snapshot that the index is not for. */
static void
check_snapshot(const Check *check, Snapshot snapshot)
{
	const Relation index = check->index;

	if (blt_pages_lacks_rows(&check->meta, snapshot) ||
		(index->rd_index->indcheckxmin &&
		 !TransactionIdPrecedes(HeapTupleHeaderGetXmin(index->rd_indextuple->t_data),
								snapshot->xmin)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot check index \"%s\" with a snapshot that is older than it",
						RelationGetRelationName(index)),
				 errhint("Check it in a new transaction, after older ones have ended.")));
}

/*
 * Check all rows that a new snapshot sees.  As in a build, the server gives
 * for a row the first version of it that was stored in place (HOT), which is
 * in the same block.
 */
static void
check_rows(Check *check)
{
	struct IndexInfo *info = BuildIndexInfo(check->index);
	Snapshot	snapshot = RegisterSnapshot(GetTransactionSnapshot());
	TableScanDesc scan;

	blt_pages_get_meta(check->index, 0, &check->meta);
	check_snapshot(check, snapshot);
	check->hasher = blt_pages_create_hasher(check->index, InvalidOid);
	scan = table_beginscan_strat(check->table, snapshot, 0, NULL, true, true);
	info->ii_Concurrent = true;
	(void) table_index_build_scan(check->table, check->index, info, true, false,
								  check_row, check, scan);
	UnregisterSnapshot(snapshot);
}

/*
 * Check an index; returns the number of rows.  Expressions of the index are
 * evaluated as the owner of the table, and change nothing in the session, as
 * in any maintenance of the table.
 */
static int64
check_index(Oid index_oid)
{
	Check		check = {0};
	Oid			caller;
	int			context;
	int			nest_level;

	check.index = blt_pages_open_for_sql(index_oid, &check.table);
	GetUserIdAndSecContext(&caller, &context);
	SetUserIdAndSecContext(check.table->rd_rel->relowner,
						   context | SECURITY_RESTRICTED_OPERATION);
	nest_level = NewGUCNestLevel();
	blt_restrict_search_path();

	check_pages(&check);
	check_rows(&check);

	AtEOXact_GUC(false, nest_level);
	SetUserIdAndSecContext(caller, context);
	blt_pages_close(check.index, check.table);
	return check.nrows;
}

/*
 * (index regclass): the number of rows that were checked, as bigint.  Errors:
 * a page is damaged, or a row is missing.
 */
Datum
bloomtype_pages_check(PG_FUNCTION_ARGS)
{
	int64		nrows = 0;
	ListCell   *cell;

	foreach(cell, blt_pages_indexes_for_sql(PG_GETARG_OID(0)))
		nrows += check_index(lfirst_oid(cell));
	PG_RETURN_INT64(nrows);
}
