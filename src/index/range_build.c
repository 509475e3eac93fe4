/*
 * range_build.c
 *	  Builds an index from the rows of a table.
 *
 * The hashes of one group are gathered at a time, and then sorted by the
 * pages that they go to, first of one level, then of the other, so that each
 * page is touched once for a group.  Of a group that does not fit
 * maintenance_work_mem, parts are.  The first batch decides the geometry.
 */
#include "compat.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xloginsert.h"
#include "catalog/index.h"
#include "filter/gathered_keys.h"
#include "index/range_am.h"
#include "index/range_growth.h"
#include "index/range_key.h"
#include "index/range_snapshot.h"
#include "index/range_wal.h"
#include "miscadmin.h"
#include "optimizer/plancat.h"
#include "utils/memutils.h"

/*
 * Memory that a key of a batch takes, at most: hash, column, place in the
 * order, and a copy of the hash for counting distinct ones; and as much again
 * while the arrays are made larger.
 */
#define KEY_BYTES	(2 * (2 * sizeof(uint64) + sizeof(uint16) + sizeof(uint32)))

#define FIRST_BATCH	1024		/* keys for which memory is allocated at first */

typedef struct BuildState
{
	Relation	index;
	BbfRangeMeta meta;			/* without epochs until the first batch is
								 * written */
	BlockNumber table_pages;
	double		table_density;	/* expected rows of a page of the table */
	int			rows_per_range; /* option, or 0 */
	RangeHasher *hasher;
	double		nindexed;

	/* the batch: keys of one group, by ascending column */
	uint32		group;
	BlockNumber last_block;		/* of the table, seen in it */
	int			nkeys;
	int			max_keys;		/* for which there is memory */
	int			limit;			/* at most */
	uint64	   *hashes;
	uint16	   *columns;
	uint32	   *order;
} BuildState;

/* Count the distinct ones of n hashes, which are sorted for that. */
static int
count_distinct(uint64 *hashes, int n)
{
	int			ndistinct = n > 0;

	blt_sort_hashes(hashes, n);
	for (int i = 1; i < n; i++)
		ndistinct += hashes[i] != hashes[i - 1];
	return ndistinct;
}

/*
 * Geometry
 */

/*
 * The keys of a range, and of the whole group, that the batch leads to expect.
 * From less than a range nothing is known, as the table may just have begun.
 */
static void
measure_batch(const BuildState *state, BbfRangeLoad *load)
{
	const BbfRangeMeta *meta = &state->meta;
	uint64	   *hashes = palloc(Max(state->nkeys, 1) * sizeof(*hashes));
	BlockNumber first = state->group * meta->ncolumns * meta->pages_per_range;
	double		nranges = (state->last_block - first + 1.0) / meta->pages_per_range;
	double		ndistinct = 0.0;	/* in each range, added up */
	int			end;

	memcpy(hashes, state->hashes, state->nkeys * sizeof(*hashes));
	for (int i = 0; i < state->nkeys; i = end)
	{
		for (end = i + 1; end < state->nkeys && state->columns[end] == state->columns[i];)
			end++;
		ndistinct += count_distinct(hashes + i, end - i);
	}
	load->group_keys = count_distinct(hashes, state->nkeys);
	pfree(hashes);

	if (state->nkeys > 0 && nranges >= 1.0)
		load->range_keys = ndistinct / nranges;
	else
		load->range_keys = Max(ndistinct, state->table_density * meta->pages_per_range);
	if (state->rows_per_range > 0)
		load->range_keys = state->rows_per_range;

	/* as much fewer than those of its ranges as in the batch */
	load->group_keys = load->range_keys * meta->ncolumns *
		(ndistinct > 0.0 ? load->group_keys / ndistinct : 1.0);
}

/* Begin the first epoch. */
static void
begin_first_epoch(BuildState *state)
{
	BbfRangeMeta *meta = &state->meta;
	const uint32 table_ranges = state->table_pages / meta->pages_per_range + 1;
	const uint32 least_ranges = BBF_RANGE_SINGLE_LEVEL_GROWING * meta->ncolumns;
	BbfRangeLoad load;

	measure_batch(state, &load);
	load.nranges = Max(table_ranges, least_ranges);
	load.has_upper = bbf_range_needs_upper(meta, table_ranges);
	if (!bbf_range_begin_epoch(meta, &load) || !bbf_range_add_groups(meta))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the ranges of index \"%s\" would have too many rows",
						RelationGetRelationName(state->index)),
				 errhint("Set a smaller pages_per_range.")));
}

/*
 * Batches
 */

/* Set the order of the keys to that of their blocks in a level. */
static void
sort_by_block(BuildState *state, const BbfRangeEpoch *epoch, BbfRangeLevel level)
{
	const uint32 nblocks = level == BBF_RANGE_UPPER ? epoch->upper_nblocks : epoch->nblocks;
	uint32	   *starts = palloc0((nblocks + 1) * sizeof(*starts));

	for (int i = 0; i < state->nkeys; i++)
	{
		CHECK_FOR_INTERRUPTS();
		starts[bbf_range_block(epoch, level, state->hashes[i]) + 1]++;
	}
	for (uint32 block = 0; block < nblocks; block++)
		starts[block + 1] += starts[block];
	for (int i = 0; i < state->nkeys; i++)
	{
		CHECK_FOR_INTERRUPTS();
		state->order[starts[bbf_range_block(epoch, level, state->hashes[i])]++] = i;
	}
	pfree(starts);
}

/* Lock the page of a place, after unlocking the one before, if any. */
static Buffer
switch_page(BuildState *state, const BbfRangeEpoch *epoch, Buffer before,
			const BbfRangePlace *place)
{
	Buffer		buffer;

	if (BufferIsValid(before))
		UnlockReleaseBuffer(before);
	CHECK_FOR_INTERRUPTS();
	buffer = ReadBuffer(state->index, bbf_range_page(&state->meta, epoch, place));
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	return buffer;
}

/* Write the batch to the pages of a level. */
static void
write_level(BuildState *state, const BbfRangeEpoch *epoch, BbfRangeLevel level)
{
	const BbfRangeMeta *meta = &state->meta;
	const uint32 column = bbf_range_upper_column(meta, epoch, state->group);
	const bool	is_upper = level == BBF_RANGE_UPPER;
	BbfRangeProbe probe;
	RangeChange change = {.buffer = InvalidBuffer,.probe = &probe,.column = column};
	uint32		block = 0;

	sort_by_block(state, epoch, level);
	for (int i = 0; i < state->nkeys; i++)
	{
		const uint32 key = state->order[i];

		bbf_range_probe(epoch, level, state->hashes[key], &probe);
		probe.place.group = is_upper ? state->group - column : state->group;
		if (!is_upper)
			change.column = state->columns[key];
		if (!BufferIsValid(change.buffer) || probe.place.block != block)
			change.buffer = switch_page(state, epoch, change.buffer, &probe.place);
		block = probe.place.block;
		blt_range_set_bits_unlogged(blt_range_slice_bytes(meta), &change);
	}
	if (BufferIsValid(change.buffer))
		UnlockReleaseBuffer(change.buffer);
}

/* Write the batch, and empty it. */
static void
write_batch(BuildState *state)
{
	BbfRangeMeta *meta = &state->meta;
	const BbfRangeEpoch *epoch;

	if (meta->nepochs == 0)
		begin_first_epoch(state);
	if (state->nkeys == 0)
		return;
	blt_range_grow(state->index, meta, state->group,
				   state->table_pages / meta->pages_per_range + 1);
	epoch = bbf_range_epoch(meta, state->group);
	blt_range_extend_to_group(state->index, meta, epoch, state->group);
	if (epoch->upper_nblocks > 0)
		write_level(state, epoch, BBF_RANGE_UPPER);
	write_level(state, epoch, BBF_RANGE_LOWER);
	state->nkeys = 0;
}

/* Have memory for so many keys. */
static void
resize_batch(BuildState *state, int max_keys)
{
	state->max_keys = max_keys;
	state->hashes = repalloc(state->hashes, max_keys * sizeof(*state->hashes));
	state->columns = repalloc(state->columns, max_keys * sizeof(*state->columns));
	state->order = repalloc(state->order, max_keys * sizeof(*state->order));
}

/* Add the key of a row; called by the server for each. */
static void
add_row(Relation index, ItemPointer tid, Datum *values, bool *isnull, bool is_alive,
		void *callback_state)
{
	BuildState *state = callback_state;
	const BlockNumber block = ItemPointerGetBlockNumber(tid);
	const uint32 group = blt_range_group(&state->meta, block);

	if (isnull[0])
		return;
	if (state->nkeys > 0 && (group != state->group || state->nkeys == state->limit))
		write_batch(state);
	if (state->nkeys == state->max_keys)
		resize_batch(state, Min(2 * state->max_keys, state->limit));
	state->group = group;
	state->last_block = block;
	state->hashes[state->nkeys] = blt_range_hash(state->hasher, values[0]);
	state->columns[state->nkeys] = blt_range_column(&state->meta, block);
	state->nkeys++;
	state->nindexed++;
}

/*
 * The build
 */

/*
 * The rows of a page, as the planner expects them in a table of which nothing
 * is known.
 */
static double
expected_density(Relation table)
{
	int32		width = MAXALIGN(get_rel_data_width(table, NULL)) +
		MAXALIGN(SizeofHeapTupleHeader) + sizeof(ItemIdData);

	return (BLCKSZ - SizeOfPageHeaderData) / (double) width;
}

/* Set up what options and the size of the table decide. */
static void
init_build(BuildState *state, Relation table, BlockNumber table_pages, Relation index)
{
	const RangeOptions *options = (RangeOptions *) index->rd_options;
	const Size	limit = maintenance_work_mem * (Size) 1024 / KEY_BYTES;
	BbfRangeMeta *meta = &state->meta;

	memset(state, 0, sizeof(*state));
	state->index = index;
	state->table_pages = table_pages;
	state->table_density = expected_density(table);
	state->rows_per_range = options != NULL ? options->rows_per_range : 0;
	state->hasher = blt_range_create_hasher(index, InvalidOid);

	meta->ncolumns = bbf_range_columns(RANGE_CONTENTS_BYTES);
	meta->false_ranges = options != NULL ? options->false_ranges : RANGE_DEFAULT_FALSE_RANGES;
	meta->pages_per_range = options != NULL ? options->pages_per_range : 0;
	if (meta->pages_per_range == 0)
		meta->pages_per_range = bbf_range_best_pages(table_pages);

	state->limit = Min(limit, MaxAllocSize / sizeof(*state->hashes));
	state->max_keys = Min(FIRST_BATCH, state->limit);
	state->hashes = palloc(state->max_keys * sizeof(*state->hashes));
	state->columns = palloc(state->max_keys * sizeof(*state->columns));
	state->order = palloc(state->max_keys * sizeof(*state->order));
}

/* Write the metapage of the index that has been built. */
static void
write_metapage(BuildState *state)
{
	Buffer		buffer = ReadBuffer(state->index, RANGE_META_BLOCK);

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	blt_range_write_meta(BufferGetPage(buffer), &state->meta);
	MarkBufferDirty(buffer);
	UnlockReleaseBuffer(buffer);
}

IndexBuildResult *
blt_range_build(Relation table, Relation index, struct IndexInfo *info)
{
	IndexBuildResult *result = palloc(sizeof(IndexBuildResult));
	BuildState	state;

	if (RelationGetNumberOfBlocks(index) != 0)
		elog(ERROR, "index \"%s\" already contains data", RelationGetRelationName(index));
	blt_range_forget(index);
	init_build(&state, table, RelationGetNumberOfBlocks(table), index);
	blt_range_extend(index, RANGE_META_BLOCK + 1);

	/* from the first block on: batches are of one group */
	result->heap_tuples = table_index_build_scan(table, index, info, false, true, add_row,
												 &state, NULL);
	write_batch(&state);
	result->index_tuples = state.nindexed;

	state.meta.build_xid = blt_range_build_xid(info);
	write_metapage(&state);
	if (RelationNeedsWAL(index))
		log_newpage_range(index, MAIN_FORKNUM, 0, RelationGetNumberOfBlocks(index), true);
	return result;
}

/* Make the index that an unlogged one is after a crash. */
void
blt_range_build_empty(Relation index)
{
	Relation	table = table_open(index->rd_index->indrelid, NoLock);
	BuildState	state;
	Buffer		buffer;

	init_build(&state, table, 0, index);
	table_close(table, NoLock);
	begin_first_epoch(&state);

	buffer = ReadBufferExtended(index, INIT_FORKNUM, P_NEW, RBM_NORMAL, NULL);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	START_CRIT_SECTION();
	blt_range_write_meta(BufferGetPage(buffer), &state.meta);
	MarkBufferDirty(buffer);
	(void) log_newpage_buffer(buffer, true);
	END_CRIT_SECTION();
	UnlockReleaseBuffer(buffer);
}
