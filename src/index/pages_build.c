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

#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xloginsert.h"
#include "catalog/index.h"
#include "core/prefetch.h"
#include "index/pages_am.h"
#include "index/pages_extend.h"
#include "index/pages_fill.h"
#include "index/pages_geometry.h"
#include "index/pages_growth.h"
#include "index/pages_key.h"
#include "index/pages_snapshot.h"
#include "index/pages_tuning.h"
#include "index/pages_wal.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/*
 * Memory that a key of a batch takes, at most: hash, range, place in the
 * order, and a copy of the hash for counting distinct ones; and as much again
 * while the arrays are made larger.
 */
#define KEY_BYTES	(2 * (2 * sizeof(uint64) + 2 * sizeof(uint32)))

typedef struct BuildState
{
	Relation	index;
	BbfPagesMeta meta;			/* without epochs until the first batch is
								 * written */
	PagesTable	table;
	PagesHasher *hasher;
	double		nindexed;

	/* of some groups of a super-group */
	PagesBatch	batch;
	uint32		first_group;
	uint32		end_group;
	int			max_keys;		/* for which there is memory */
	int			limit;			/* at most */
	uint32	   *order;
} BuildState;

/*
 * Batches
 */

/* The last group that the batch has keys of. */
static inline uint32
last_group(const BuildState *state)
{
	return blt_pages_group(&state->meta, state->batch.last_block);
}

/* The hash by which a level knows a key. */
static inline uint64
hash_of_key(const BuildState *state, BbfPagesLevel level, int i)
{
	return bbf_pages_level_hash(level, state->batch.hashes[i]);
}

/*
 * The number of the block that a key has in a level, among those of the batch.
 */
static inline uint32
block_of_key(const BuildState *state, const BbfPagesEpoch *epoch, BbfPagesLevel level, int i)
{
	uint32		block = bbf_pages_block(epoch, level, hash_of_key(state, level, i));

	if (level == BBF_PAGES_LOWER)
		block += (bbf_pages_group(&state->meta, state->batch.ranges[i]) - state->first_group) *
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

	for (int i = 0; i < state->batch.nkeys; i++)
		starts[block_of_key(state, epoch, level, i) + 1]++;
	for (uint32 block = 0; block < nblocks; block++)
		starts[block + 1] += starts[block];
	for (int i = 0; i < state->batch.nkeys; i++)
		state->order[starts[block_of_key(state, epoch, level, i)]++] = i;
	pfree(starts);
}

/* Where a level has the key that is in this place of the order. */
static inline uint32
column_of_key(const BuildState *state, const BbfPagesEpoch *epoch, BbfPagesLevel level, int i,
			  BbfPagesPlace *place)
{
	const uint32 key = state->order[i];

	if (i + BBF_PREFETCH_DISTANCE < state->batch.nkeys)
	{
		const uint32 later = state->order[i + BBF_PREFETCH_DISTANCE];

		BBF_PREFETCH_FOR_READ(&state->batch.hashes[later]);
		BBF_PREFETCH_FOR_READ(&state->batch.ranges[later]);
	}
	return bbf_pages_column(&state->meta, epoch, level, state->batch.ranges[key],
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
	BlockNumber number;
	Buffer		buffer;
	Page		page;

	CHECK_FOR_INTERRUPTS();
	number = bbf_pages_number(&state->meta, epoch, &place);
	buffer = ReadBuffer(state->index, number);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	page = BufferGetPage(buffer);
	blt_pages_verify(state->index, number, page, &place);
	(void) blt_pages_use_slices(page, slice_bytes);
	do
	{
		bbf_columns_add(blt_pages_contents(page), slice_bytes, column,
						hash_of_key(state, level, state->order[i]), nprobes);
		if (++i == state->batch.nkeys)
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
	for (int i = 0; i < state->batch.nkeys;)
		i = write_page(state, epoch, level, i);
}

/* Begin the first epoch; say so if it makes the index absurdly large. */
static void
begin_first_epoch(BuildState *state)
{
	BbfPagesMeta *meta = &state->meta;
	double		npages;

	blt_pages_begin_first_epoch(state->index, meta, &state->table, &state->batch);
	npages = (double) meta->epochs[0].nblocks / meta->ncolumns *
		Max(blt_pages_count_ranges(meta, &state->table), bbf_pages_group_width(meta, 0));
	if (npages > Max(state->table.npages, 16 * 1024 * 1024 / BLCKSZ))
		ereport(NOTICE,
				(errmsg("index \"%s\" will have about %.0f MB, more than its table",
						RelationGetRelationName(state->index), npages * BLCKSZ / (1024 * 1024)),
				 errhint("Set a smaller pages_per_range or rows_per_range.")));
}

/* Write the batch, and empty it. */
static void
write_batch(BuildState *state)
{
	BbfPagesMeta *meta = &state->meta;
	const BbfPagesEpoch *epoch;

	if (meta->nepochs == 0)
		begin_first_epoch(state);
	if (state->batch.nkeys == 0)
		return;
	blt_pages_grow(state->index, meta, last_group(state),
				   blt_pages_count_ranges(meta, &state->table), state->table.least_keys);
	epoch = bbf_pages_epoch(meta, state->first_group);
	blt_pages_extend(state->index, meta, last_group(state), true);
	write_level(state, epoch, BBF_PAGES_LOWER);
	if (epoch->upper_nblocks > 0)
		write_level(state, epoch, BBF_PAGES_UPPER);
	state->batch.nkeys = 0;
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
	PagesBatch *batch = &state->batch;

	state->max_keys = max_keys;
	batch->hashes = repalloc(batch->hashes, max_keys * sizeof(*batch->hashes));
	batch->ranges = repalloc(batch->ranges, max_keys * sizeof(*batch->ranges));
	state->order = repalloc(state->order, max_keys * sizeof(*state->order));
}

/* Add the key of a row; called by the server for each. */
static void
add_row(Relation index, ItemPointer tid, Datum *values, bool *isnull, bool is_alive,
		void *callback_state)
{
	BuildState *state = callback_state;
	PagesBatch *batch = &state->batch;
	const BlockNumber block = ItemPointerGetBlockNumber(tid);
	const uint32 group = blt_pages_group(&state->meta, block);

	state->table.nrows++;
	state->table.nseen = Max(state->table.nseen, block + 1);
	if (isnull[0])
		return;
	/* rows come in the order of the table, unless its access method differs */
	if (batch->nkeys > 0 && (group >= state->end_group || batch->nkeys == state->limit ||
							 block < batch->last_block))
		write_batch(state);
	if (batch->nkeys == 0)
		begin_batch(state, group);
	if (batch->nkeys == state->max_keys)
		resize_batch(state, Min(2 * state->max_keys, state->limit));
	batch->last_block = block;
	batch->hashes[batch->nkeys] = blt_pages_hash(state->hasher, values[0]);
	batch->ranges[batch->nkeys] = blt_pages_range(&state->meta, block);
	batch->nkeys++;
	state->nindexed++;
}

/*
 * The build
 */

/* Set up what options and the size of the table decide. */
static void
init_build(BuildState *state, Relation table, BlockNumber table_pages, Relation index)
{
	const PagesOptions *options = (PagesOptions *) index->rd_options;
	const Size	limit = maintenance_work_mem * (Size) 1024 / KEY_BYTES;
	BbfPagesMeta *meta = &state->meta;

	memset(state, 0, sizeof(*state));
	state->index = index;
	blt_pages_init_table(table, table_pages, index, &state->table);
	blt_pages_check_type(index);
	state->hasher = blt_pages_create_hasher(index, InvalidOid);

	meta->npages = 1;
	meta->ncolumns = bbf_pages_columns(PAGES_CONTENTS_BYTES);
	meta->false_ranges = options != NULL ? options->false_ranges : PAGES_DEFAULT_FALSE_RANGES;
	meta->pages_per_range = options != NULL ? options->pages_per_range : 0;
	if (meta->pages_per_range == 0)
		meta->pages_per_range = bbf_pages_best_range(table_pages);

	state->limit = Min(limit, PAGES_LARGEST_BATCH);
	state->max_keys = Min(PAGES_FIRST_BATCH, state->limit);
	state->batch.hashes = palloc(state->max_keys * sizeof(*state->batch.hashes));
	state->batch.ranges = palloc(state->max_keys * sizeof(*state->batch.ranges));
	state->order = palloc(state->max_keys * sizeof(*state->order));
}

/* Add all rows of the table, from its first block on; returns how many. */
static double
add_rows(BuildState *state, Relation table, struct IndexInfo *info)
{
	double		nrows = table_index_build_scan(table, state->index, info, false, true, add_row,
											   state, NULL);

	write_batch(state);
	return nrows;
}

/*
 * Has a table whose first rows are sparse got filters that are far too small
 * for those after them?  If so, be ready to build the index again, for its
 * fullest range: once, or until that is known, as a filter that is too full
 * does not tell how many keys it has.
 */
static bool
begin_again(BuildState *state)
{
	BbfPagesMeta *meta = &state->meta;
	PagesTotals totals;

	if (state->table.rows_per_range > 0)
		return false;
	blt_pages_add_up(state->index, meta, state->table.npages, &totals);
	if (totals.false_ranges <= PAGES_MANY_FALSE_RANGES * meta->false_ranges ||
		totals.most_keys <= PAGES_MANY_KEYS * state->table.least_keys)
		return false;
	state->table.least_keys = totals.most_keys;
	state->table.nrows = 0;
	state->table.nseen = 0;
	meta->nepochs = 0;
	meta->ngroups = 0;
	meta->npages = 1;
	state->nindexed = 0;
	return true;
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

	result->heap_tuples = add_rows(&state, table, info);
	while (begin_again(&state))
		result->heap_tuples = add_rows(&state, table, info);
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
	blt_pages_begin_first_epoch(index, &state.meta, &state.table, &state.batch);

	buffer = ReadBufferExtended(index, INIT_FORKNUM, P_NEW, RBM_NORMAL, NULL);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	START_CRIT_SECTION();
	blt_pages_write_meta(BufferGetPage(buffer), &state.meta);
	MarkBufferDirty(buffer);
	(void) log_newpage_buffer(buffer, true);
	END_CRIT_SECTION();
	UnlockReleaseBuffer(buffer);
}
