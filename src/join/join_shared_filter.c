/*
 * join_shared_filter.c
 *	  Merges the parts of a filter that several processes build together.
 */
#include "compat.h"

#include "join/join_shared_filter.h"

#include "join/join_hasher.h"
#include "miscadmin.h"

/* What is merged at a time: some 10 to 100 microseconds */
#define BLOCKS_OF_PIECE	1024
#define KEYS_OF_PIECE	1024

Size
blt_join_shared_size(uint32 nblocks)
{
	/* the blocks start at a cache line */
	return sizeof(SharedJoinFilter) + ((Size) nblocks + 1) * BBF_BLOCK_BYTES;
}

static unsigned char *
shared_blocks(SharedJoinFilter *shared)
{
	return (unsigned char *) TYPEALIGN(BBF_BLOCK_BYTES, shared + 1);
}

static JoinBitmap
shared_bitmap(SharedJoinFilter *shared)
{
	JoinBitmap	bitmap;

	bitmap.words = (uint64 *) shared_blocks(shared);
	bitmap.nwords = blt_join_building_words(shared->nblocks);
	return bitmap;
}

void
blt_join_init_shared(SharedJoinFilter *shared, uint32 nblocks)
{
	pg_atomic_init_u32(&shared->format, JOIN_FILTER_FORMAT);

	/*
	 * Who waits here is building the hash table that the filter is of.  A
	 * tranche of its own would take one of the cluster's numbers for each
	 * query.
	 */
	LWLockInitialize(&shared->lock, LWTRANCHE_PARALLEL_HASH_JOIN);
	shared->nblocks = nblocks;
	shared->nbegun = 0;
	shared->nmerged = 0;
	shared->is_too_full = false;
	shared->is_bitmap = false;
	shared->nkeys = 0;
	memset(shared_blocks(shared), 0, (Size) nblocks * BBF_BLOCK_BYTES);
}

void
blt_join_spoil_shared(void *shared)
{
	pg_atomic_write_u32(&((SharedJoinFilter *) shared)->format, 0);
}

void
blt_join_begin_part(JoinFilter *filter)
{
	SharedJoinFilter *shared = filter->shared;

	if (filter->has_begun)
		return;
	filter->has_begun = true;
	blt_join_begin_fixed(filter, shared->nblocks);
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	shared->nbegun++;
	LWLockRelease(&shared->lock);
}

/*
 * Merging.  A process that waits for the lock cannot be cancelled.  So a part
 * is merged in pieces, and its keys are hashed without the lock.  Nobody
 * probes the filter until all parts are merged.
 */

/*
 * Add the bits of a part.  Returns false if that is a bitmap, and the shared
 * one has become blocks meanwhile: they have none of its bits, or some.
 */
static bool
merge_bits(SharedJoinFilter *shared, const unsigned char *part, uint32 nblocks, bool is_bitmap)
{
	for (uint32 i = 0; i < nblocks; i += BLOCKS_OF_PIECE)
	{
		Size		place = (Size) i * BBF_BLOCK_BYTES;
		bool		is_same;

		LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
		is_same = shared->is_bitmap == is_bitmap;
		if (is_same)
			bbf_blocks_or(shared_blocks(shared) + place, part + place,
						  Min(nblocks - i, BLOCKS_OF_PIECE));
		LWLockRelease(&shared->lock);
		if (!is_same)
			return false;
		CHECK_FOR_INTERRUPTS();
	}
	return true;
}

/* Add the keys of a bitmap to the blocks. */
static void
merge_keys_of_bitmap(SharedJoinFilter *shared, JoinBitmap bitmap, JoinInterval range)
{
	JoinBitmapScan scan = blt_join_bitmap_scan(bitmap, range);
	uint64		hashes[KEYS_OF_PIECE];
	int64		key;
	Size		n;

	do
	{
		for (n = 0; n < lengthof(hashes) && blt_join_bitmap_next(&scan, &key); n++)
			hashes[n] = blt_join_hash_integer(key);
		LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
		bbf_blocks_add_many(shared_blocks(shared), shared->nblocks, JOIN_FILTER_PROBES, hashes, n);
		LWLockRelease(&shared->lock);
		CHECK_FOR_INTERRUPTS();
	} while (n == lengthof(hashes));
}

/*
 * The bitmap in shared memory becomes blocks, without a bit.  Returns a copy,
 * whose keys this process has to add.  If another one is merging its part
 * into the bitmap, merge_bits() tells it.
 */
static JoinBitmap
take_shared_bitmap(JoinFilter *filter, SharedJoinFilter *shared)
{
	JoinBitmap	bitmap = shared_bitmap(shared);
	JoinBitmap	copy = blt_join_allocate_bitmap(filter, bitmap.nwords);

	memcpy(copy.words, bitmap.words, bitmap.nwords * sizeof(uint64));
	memset(bitmap.words, 0, bitmap.nwords * sizeof(uint64));
	shared->is_bitmap = false;
	return copy;
}

/* Merge the keys of a part, of which there are some. */
static void
merge_keys(JoinFilter *filter, SharedJoinFilter *shared)
{
	JoinBitmap	part = filter->bitmap;
	JoinBitmap	taken = {.words = NULL};
	JoinInterval before;
	bool		fits;

	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	before = shared->range;
	shared->range = blt_join_extend_interval(before, shared->nkeys > 0, filter->range);
	fits = part.words != NULL && blt_join_bitmap_words(shared->range) <= part.nwords;
	if (shared->nkeys == 0)
		shared->is_bitmap = fits;
	else if (shared->is_bitmap && !fits)
		taken = take_shared_bitmap(filter, shared);
	shared->nkeys += filter->nkeys;
	LWLockRelease(&shared->lock);

	if (taken.words != NULL)
		merge_keys_of_bitmap(shared, taken, before);
	if (part.words == NULL)
		(void) merge_bits(shared, filter->building, shared->nblocks, false);
	else if (!merge_bits(shared, (unsigned char *) part.words, part.nwords / JOIN_WORDS_OF_BLOCK, true))
		merge_keys_of_bitmap(shared, part, filter->range);
}

void
blt_join_merge_part(JoinFilter *filter)
{
	SharedJoinFilter *shared = filter->shared;

	if (!filter->has_begun)
		return;
	if (!filter->is_too_full && filter->nkeys > 0)
		merge_keys(filter, shared);
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	shared->is_too_full |= filter->is_too_full;
	shared->nmerged++;
	LWLockRelease(&shared->lock);
	blt_join_free_keys(filter);
}

void
blt_join_adopt_shared(JoinFilter *filter)
{
	SharedJoinFilter *shared = filter->shared;
	bool		is_bitmap;

	LWLockAcquire(&shared->lock, LW_SHARED);
	filter->is_complete = shared->nbegun > 0 && shared->nbegun == shared->nmerged;
	is_bitmap = shared->is_bitmap;
	if (filter->is_complete)
	{
		filter->nkeys = shared->nkeys;
		filter->range = shared->range;
		filter->nblocks = shared->nblocks;
		filter->is_too_full = shared->is_too_full ||
			pg_atomic_read_u32(&shared->format) != JOIN_FILTER_FORMAT;
	}
	LWLockRelease(&shared->lock);
	if (!filter->is_complete)
		return;
	if (filter->is_too_full)
	{
		blt_join_give_up(filter);
		return;
	}
	filter->peak_bytes = Max(filter->peak_bytes, (Size) shared->nblocks * BBF_BLOCK_BYTES);
	if (is_bitmap)
	{
		blt_join_use_bitmap(filter, shared_bitmap(shared));
		return;
	}
	filter->nset = bbf_blocks_count_set(shared_blocks(shared), shared->nblocks);
	blt_join_use_blocks(filter, shared_blocks(shared));
}
