/*
 * pages_build.c
 *	  Builds an index from the rows of a table.
 *
 * The hashes of some groups are gathered at a time, and then sorted by the
 * pages that they go to, first of one level, then of the other, so that each
 * page is touched once for all of them.  The first batch, which decides the
 * geometry, is of the small groups; of a group that does not fit
 * maintenance_work_mem, parts are gathered.
 */
#include "compat.h"

#include <math.h>

#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xloginsert.h"
#include "catalog/index.h"
#include "core/prefetch.h"
#include "filter/gathered_keys.h"
#include "index/pages_am.h"
#include "index/pages_extend.h"
#include "index/pages_growth.h"
#include "index/pages_key.h"
#include "index/pages_snapshot.h"
#include "index/pages_wal.h"
#include "miscadmin.h"
#include "optimizer/plancat.h"
#include "utils/memutils.h"

/*
 * Memory that a key of a batch takes, at most: hash, range, place in the
 * order, and a copy of the hash for counting distinct ones; and as much again
 * while the arrays are made larger.
 */
#define KEY_BYTES	(2 * (2 * sizeof(uint64) + 2 * sizeof(uint32)))

#define FIRST_BATCH	1024		/* keys for which memory is allocated at first */
#define LARGEST_BATCH	(256 * 1024)	/* so that a cache holds most of it */

typedef struct BuildState
{
	Relation	index;
	BbfPagesMeta meta;			/* without epochs until the first batch is
								 * written */
	BlockNumber table_pages;
	double		table_density;	/* expected rows of a page of the table */
	double		nrows;			/* seen, of which some have no key, */
	BlockNumber nblocks;		/* in the first so many pages */
	int			rows_per_range; /* option, or 0 */
	PagesHasher *hasher;
	double		nindexed;

	/* the batch: keys of some groups of a super-group, by ascending range */
	uint32		first_group;
	uint32		end_group;
	BlockNumber last_block;		/* of the table, seen in it */
	int			nkeys;
	int			max_keys;		/* for which there is memory */
	int			limit;			/* at most */
	uint64	   *hashes;
	uint32	   *ranges;
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
 * Rows of a page of the table, as seen in a range or more: as many keys may
 * come to a column that is still null.
 */
static double
density(const BuildState *state)
{
	return state->nblocks > state->meta.pages_per_range ? state->nrows / state->nblocks :
		state->table_density;
}

/*
 * The keys of a range, and of the whole group, that the batch leads to expect;
 * of ranges that differ, those of the fuller ones.
 * From less than a range nothing is known, as the table may just have begun.
 */
static void
measure_batch(const BuildState *state, BbfPagesLoad *load)
{
	const BbfPagesMeta *meta = &state->meta;
	uint64	   *hashes = palloc(Max(state->nkeys, 1) * sizeof(*hashes));
	BlockNumber first = (state->nkeys > 0 ? state->ranges[0] : 0) * meta->pages_per_range;
	double		nranges = (state->last_block - first + 1.0) / meta->pages_per_range;
	double		ndistinct = 0.0;	/* in each range, added up */
	double		squares = 0.0;	/* of these numbers */
	int			end;

	memcpy(hashes, state->hashes, state->nkeys * sizeof(*hashes));
	for (int i = 0; i < state->nkeys; i = end)
	{
		double		n;

		for (end = i + 1; end < state->nkeys && state->ranges[end] == state->ranges[i];)
			end++;
		n = count_distinct(hashes + i, end - i);
		ndistinct += n;
		squares += n * n;
	}
	load->group_keys = count_distinct(hashes, state->nkeys);
	pfree(hashes);

	if (state->rows_per_range > 0)
		load->range_keys = state->rows_per_range;
	else if (state->nkeys > 0 && nranges >= 1.0)
		load->range_keys = ndistinct / nranges;
	else
		load->range_keys = Max(ndistinct, density(state) * meta->pages_per_range);

	/* as much fewer than those of its ranges as in the batch */
	load->group_keys = load->range_keys * meta->ncolumns *
		(ndistinct > 0.0 ? load->group_keys / ndistinct : 1.0);
	if (state->rows_per_range == 0 && nranges >= 1.0)
		load->range_keys += sqrt(Max(squares / nranges - pow(ndistinct / nranges, 2), 0.0));
}

/* The ranges of the table, and one that is to come */
static uint32
count_ranges(const BuildState *state)
{
	return (uint32) Min((uint64) state->table_pages / state->meta.pages_per_range + 1,
						PG_UINT32_MAX);
}

/* Begin the first epoch. */
static void
begin_first_epoch(BuildState *state)
{
	BbfPagesMeta *meta = &state->meta;
	const uint32 table_ranges = count_ranges(state);
	const uint32 least_ranges = BBF_PAGES_SINGLE_LEVEL * meta->ncolumns;
	BbfPagesLoad load;
	double		npages;

	measure_batch(state, &load);
	load.nranges = Max(table_ranges, least_ranges);
	load.ngroups = bbf_pages_group(meta, load.nranges - 1) + 1;
	load.has_upper = load.nranges > least_ranges;
	if (!bbf_pages_begin_epoch(meta, &load) || !bbf_pages_add_groups(meta))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the ranges of index \"%s\" would have too many rows",
						RelationGetRelationName(state->index)),
				 errhint("Set a smaller pages_per_range or rows_per_range.")));

	npages = (double) meta->epochs[0].nblocks / meta->ncolumns *
		Max(table_ranges, bbf_pages_group_width(meta, 0));
	if (npages > Max(state->table_pages, 16 * 1024 * 1024 / BLCKSZ))
		ereport(NOTICE,
				(errmsg("index \"%s\" will have about %.0f MB, more than its table",
						RelationGetRelationName(state->index), npages * BLCKSZ / (1024 * 1024)),
				 errhint("Set a smaller pages_per_range or rows_per_range.")));
}

/*
 * Batches
 */

/* The last group that the batch has keys of. */
static inline uint32
last_group(const BuildState *state)
{
	return blt_pages_group(&state->meta, state->last_block);
}

/* The hash by which a level knows a key. */
static inline uint64
hash_of_key(const BuildState *state, BbfPagesLevel level, int i)
{
	return bbf_pages_level_hash(level, state->hashes[i]);
}

/*
 * The number of the block that a key has in a level, among those of the batch.
 */
static inline uint32
block_of_key(const BuildState *state, const BbfPagesEpoch *epoch, BbfPagesLevel level, int i)
{
	uint32		block = bbf_pages_block(epoch, level, hash_of_key(state, level, i));

	if (level == BBF_PAGES_LOWER)
		block += (bbf_pages_group(&state->meta, state->ranges[i]) - state->first_group) *
			epoch->nblocks;
	return block;
}

/* Set the order of the keys to that of their pages in a level. */
static void
sort_by_page(BuildState *state, const BbfPagesEpoch *epoch, BbfPagesLevel level)
{
	const uint32 ngroups = last_group(state) + 1 - state->first_group;
	const uint32 nblocks = bbf_pages_nblocks(epoch, level) *
		(level == BBF_PAGES_LOWER ? ngroups : 1);
	uint32	   *starts = palloc0((nblocks + 1) * sizeof(*starts));

	for (int i = 0; i < state->nkeys; i++)
		starts[block_of_key(state, epoch, level, i) + 1]++;
	for (uint32 block = 0; block < nblocks; block++)
		starts[block + 1] += starts[block];
	for (int i = 0; i < state->nkeys; i++)
		state->order[starts[block_of_key(state, epoch, level, i)]++] = i;
	pfree(starts);
}

/* Where a level has the key that is in this place of the order. */
static inline uint32
column_of_key(const BuildState *state, const BbfPagesEpoch *epoch, BbfPagesLevel level, int i,
			  BbfPagesPlace *place)
{
	const uint32 key = state->order[i];

	if (i + BBF_PREFETCH_DISTANCE < state->nkeys)
	{
		const uint32 later = state->order[i + BBF_PREFETCH_DISTANCE];

		BBF_PREFETCH_FOR_READ(&state->hashes[later]);
		BBF_PREFETCH_FOR_READ(&state->ranges[later]);
	}
	return bbf_pages_column(&state->meta, epoch, level, state->ranges[key],
							hash_of_key(state, level, key), place);
}

/*
 * Write the keys of one page, of which this is the first in the order.
 * Returns the first one of the next page.
 */
static int
write_page(BuildState *state, const BbfPagesEpoch *epoch, BbfPagesLevel level, int i)
{
	const unsigned slice_bytes = blt_pages_slice_bytes(&state->meta);
	const int	nprobes = bbf_pages_nprobes(epoch, level);
	BbfPagesPlace place;
	BbfPagesPlace next;
	uint32		column = column_of_key(state, epoch, level, i, &place);
	Buffer		buffer;
	Page		page;

	CHECK_FOR_INTERRUPTS();
	buffer = ReadBuffer(state->index, bbf_pages_number(&state->meta, epoch, &place));
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	page = BufferGetPage(buffer);
	(void) blt_pages_use_slices(page, slice_bytes);
	do
	{
		bbf_columns_add(blt_pages_contents(page), slice_bytes, column,
						hash_of_key(state, level, state->order[i]), nprobes);
		if (++i == state->nkeys)
			break;
		column = column_of_key(state, epoch, level, i, &next);
	} while (next.block == place.block && next.group == place.group);
	MarkBufferDirty(buffer);
	UnlockReleaseBuffer(buffer);
	return i;
}

/* Write the batch to the pages of a level. */
static void
write_level(BuildState *state, const BbfPagesEpoch *epoch, BbfPagesLevel level)
{
	sort_by_page(state, epoch, level);
	for (int i = 0; i < state->nkeys;)
		i = write_page(state, epoch, level, i);
}

/* Write the batch, and empty it. */
static void
write_batch(BuildState *state)
{
	BbfPagesMeta *meta = &state->meta;
	const BbfPagesEpoch *epoch;

	if (meta->nepochs == 0)
		begin_first_epoch(state);
	if (state->nkeys == 0)
		return;
	blt_pages_grow(state->index, meta, last_group(state), count_ranges(state));
	epoch = bbf_pages_epoch(meta, state->first_group);
	blt_pages_extend(state->index, meta, last_group(state), true);
	write_level(state, epoch, BBF_PAGES_LOWER);
	if (epoch->upper_nblocks > 0)
		write_level(state, epoch, BBF_PAGES_UPPER);
	state->nkeys = 0;
}

/*
 * Begin a batch with this group.  It goes on as far as the groups that there
 * are have the same pages of the second level; the next ones are laid out when
 * these have been written.
 */
static void
begin_batch(BuildState *state, uint32 group)
{
	const BbfPagesMeta *meta = &state->meta;

	state->first_group = group;
	state->end_group = group + 1;
	if (meta->nepochs == 0)
		state->end_group = Max(state->end_group, BBF_PAGES_SMALL_GROUPS);
	else if (group < meta->ngroups)
	{
		const BbfPagesEpoch *epoch = bbf_pages_epoch(meta, group);
		const uint32 column = bbf_pages_upper_column(epoch, group);

		state->end_group = bbf_pages_epoch_end(meta, epoch);
		if (epoch->width > 0)
			state->end_group = Min(state->end_group, group - column + epoch->width);
	}
}

/* Have memory for so many keys. */
static void
resize_batch(BuildState *state, int max_keys)
{
	state->max_keys = max_keys;
	state->hashes = repalloc(state->hashes, max_keys * sizeof(*state->hashes));
	state->ranges = repalloc(state->ranges, max_keys * sizeof(*state->ranges));
	state->order = repalloc(state->order, max_keys * sizeof(*state->order));
}

/* Add the key of a row; called by the server for each. */
static void
add_row(Relation index, ItemPointer tid, Datum *values, bool *isnull, bool is_alive,
		void *callback_state)
{
	BuildState *state = callback_state;
	const BlockNumber block = ItemPointerGetBlockNumber(tid);
	const uint32 group = blt_pages_group(&state->meta, block);

	state->nrows++;
	state->nblocks = Max(state->nblocks, block + 1);
	if (isnull[0])
		return;
	/* rows come in the order of the table, unless its access method differs */
	if (state->nkeys > 0 && (group >= state->end_group || state->nkeys == state->limit ||
							 block < state->last_block))
		write_batch(state);
	if (state->nkeys == 0)
		begin_batch(state, group);
	if (state->nkeys == state->max_keys)
		resize_batch(state, Min(2 * state->max_keys, state->limit));
	state->last_block = block;
	state->hashes[state->nkeys] = blt_pages_hash(state->hasher, values[0]);
	state->ranges[state->nkeys] = blt_pages_range(&state->meta, block);
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
	const PagesOptions *options = (PagesOptions *) index->rd_options;
	const Size	limit = maintenance_work_mem * (Size) 1024 / KEY_BYTES;
	BbfPagesMeta *meta = &state->meta;

	memset(state, 0, sizeof(*state));
	state->index = index;
	state->table_pages = table_pages;
	state->table_density = expected_density(table);
	state->rows_per_range = options != NULL ? options->rows_per_range : 0;
	state->hasher = blt_pages_create_hasher(index, InvalidOid);

	meta->npages = 1;
	meta->ncolumns = bbf_pages_columns(PAGES_CONTENTS_BYTES);
	meta->false_ranges = options != NULL ? options->false_ranges : PAGES_DEFAULT_FALSE_RANGES;
	meta->pages_per_range = options != NULL ? options->pages_per_range : 0;
	if (meta->pages_per_range == 0)
		meta->pages_per_range = bbf_pages_best_range(table_pages);

	state->limit = Min(limit, LARGEST_BATCH);
	state->max_keys = Min(FIRST_BATCH, state->limit);
	state->hashes = palloc(state->max_keys * sizeof(*state->hashes));
	state->ranges = palloc(state->max_keys * sizeof(*state->ranges));
	state->order = palloc(state->max_keys * sizeof(*state->order));
}

/* Write the metapage of the index that has been built. */
static void
write_metapage(BuildState *state)
{
	Buffer		buffer = ReadBuffer(state->index, PAGES_META_BLOCK);

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	blt_pages_write_meta(BufferGetPage(buffer), &state->meta);
	MarkBufferDirty(buffer);
	UnlockReleaseBuffer(buffer);
}

IndexBuildResult *
blt_pages_build(Relation table, Relation index, struct IndexInfo *info)
{
	IndexBuildResult *result = palloc(sizeof(IndexBuildResult));
	BuildState	state;

	if (RelationGetNumberOfBlocks(index) != 0)
		elog(ERROR, "index \"%s\" already contains data", RelationGetRelationName(index));
	blt_pages_forget(index);
	init_build(&state, table, RelationGetNumberOfBlocks(table), index);
	ReleaseBuffer(ReadBuffer(index, P_NEW));

	/* from the first block on */
	result->heap_tuples = table_index_build_scan(table, index, info, false, true, add_row,
												 &state, NULL);
	write_batch(&state);
	result->index_tuples = state.nindexed;

	state.meta.build_xid = blt_pages_build_xid(info);
	write_metapage(&state);
	if (RelationNeedsWAL(index))
		log_newpage_range(index, MAIN_FORKNUM, 0, RelationGetNumberOfBlocks(index), true);
	return result;
}

/* Make the index that an unlogged one is after a crash. */
void
blt_pages_build_empty(Relation index)
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
	blt_pages_write_meta(BufferGetPage(buffer), &state.meta);
	MarkBufferDirty(buffer);
	(void) log_newpage_buffer(buffer, true);
	END_CRIT_SECTION();
	UnlockReleaseBuffer(buffer);
}
