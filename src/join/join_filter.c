/*
 * join_filter.c
 *	  Builds the filter of a join within a share of work_mem.
 */
#include "compat.h"

#include "join/join_filter.h"

#include "miscadmin.h"
#include "utils/memutils.h"

/* The memory of a filter is a quarter of work_mem, within these bounds. */
#define WORK_MEM_SHARE	4
#define LEAST_MEMORY	((Size) 64 * 1024)
#define MOST_MEMORY		((Size) 16 * 1024 * 1024)

#define BITS_PER_KEY	12

/* With this many, 18 % pass by chance. */
#define LEAST_BITS_PER_KEY	4

/*
 * A filter of 12 bits a key has 28 % of them set.  A filter is folded as long
 * as at most 30 % are set afterwards, and abandoned at 74 %, when 30 % of all
 * keys pass by chance.
 */
#define FOLD_UP_TO		0.30
#define TOO_FULL		0.74

#define FIRST_HASHES	256

static Size
memory_of_filter(void)
{
	Size		memory = (Size) work_mem * 1024 / WORK_MEM_SHARE;

	return Max(LEAST_MEMORY, Min(memory, MOST_MEMORY));
}

double
blt_join_filter_capacity(void)
{
	return (double) memory_of_filter() * 8 / LEAST_BITS_PER_KEY;
}

JoinFilter *
blt_join_create_filter(MemoryContext parent)
{
	JoinFilter *filter = MemoryContextAllocZero(parent, sizeof(JoinFilter));
	Size		memory = memory_of_filter();
	uint32		nblocks = 1;

	/* a power of two, so that folding by two is exact */
	while ((Size) nblocks * 2 * BBF_BLOCK_BYTES <= memory)
		nblocks *= 2;
	filter->most_blocks = filter->max_blocks = nblocks;
	/* while the array doubles, both are there */
	filter->hashes_limit = (uint32) (memory / 2 / sizeof(uint64));
	filter->context = AllocSetContextCreate(parent, "bloomtype_join filter",
											ALLOCSET_DEFAULT_SIZES);
	return filter;
}

void
blt_join_reset_filter(JoinFilter *filter)
{
	filter->blocks = NULL;
	filter->is_complete = false;
	filter->is_too_full = false;
	filter->nkeys = 0;
	filter->rate = 0;
	filter->hashes = NULL;
	filter->nhashes = 0;
	filter->max_hashes = 0;
	filter->max_blocks = filter->most_blocks;
	filter->nset = 0;
	filter->building = NULL;
	filter->has_begun = false;
	MemoryContextReset(filter->context);
}

static void
note_memory(JoinFilter *filter)
{
	Size		bytes = MemoryContextMemAllocated(filter->context, false);

	filter->most_bytes = Max(filter->most_bytes, bytes);
}

/* Blocks without a bit set, at the start of a cache line */
static unsigned char *
allocate_blocks(JoinFilter *filter, uint32 nblocks)
{
	char	   *memory = MemoryContextAllocZero(filter->context,
												((Size) nblocks + 1) * BBF_BLOCK_BYTES);

	note_memory(filter);
	return (unsigned char *) TYPEALIGN(BBF_BLOCK_BYTES, memory);
}

static double
share_of_bits(const JoinFilter *filter, uint32 nblocks)
{
	return (double) filter->nset / nblocks / BBF_BLOCK_BITS;
}

static void
give_up(JoinFilter *filter)
{
	filter->is_too_full = true;
	filter->rate = 1;
	filter->hashes = NULL;
	filter->building = NULL;
	MemoryContextReset(filter->context);
}

static void
add_to_blocks(JoinFilter *filter, uint64 hash)
{
	filter->nset += bbf_blocks_add(filter->building, filter->max_blocks,
								   JOIN_FILTER_PROBES, hash);
	if (filter->nset > TOO_FULL * filter->max_blocks * BBF_BLOCK_BITS)
		give_up(filter);
}

/* The array is full: make it larger, or use blocks from now on. */
static void
make_room(JoinFilter *filter)
{
	uint64	   *hashes = filter->hashes;

	if (hashes == NULL)
	{
		filter->max_hashes = FIRST_HASHES;
		filter->hashes = MemoryContextAlloc(filter->context, FIRST_HASHES * sizeof(uint64));
	}
	else if (filter->max_hashes < filter->hashes_limit)
	{
		filter->max_hashes = Min(filter->max_hashes * 2, filter->hashes_limit);
		filter->hashes = repalloc(hashes, filter->max_hashes * sizeof(uint64));
	}
	else
	{
		filter->building = allocate_blocks(filter, filter->max_blocks);
		for (uint32 i = 0; i < filter->nhashes && filter->building != NULL; i++)
			add_to_blocks(filter, hashes[i]);
		if (filter->hashes != NULL)
			pfree(filter->hashes);
		filter->hashes = NULL;
	}
	note_memory(filter);
}

void
blt_join_add_to_filter(JoinFilter *filter, uint64 hash)
{
	Assert(!filter->is_complete);
	filter->nkeys++;
	if (filter->is_too_full)
		return;
	if (filter->building == NULL && filter->nhashes == filter->max_hashes)
		make_room(filter);
	if (filter->building != NULL)
		add_to_blocks(filter, hash);
	else if (filter->hashes != NULL)
		filter->hashes[filter->nhashes++] = hash;
}

/* A filter of the hashes in the array, which is then freed */
static void
build_from_hashes(JoinFilter *filter)
{
	uint64		nbits = (uint64) filter->nhashes * BITS_PER_KEY;
	uint32		nblocks = Max(1, (uint32) ((nbits + BBF_BLOCK_BITS - 1) / BBF_BLOCK_BITS));

	filter->building = allocate_blocks(filter, nblocks);
	bbf_blocks_add_many(filter->building, nblocks, JOIN_FILTER_PROBES,
						filter->hashes, filter->nhashes);
	filter->nset = bbf_blocks_count_set(filter->building, nblocks);
	filter->nblocks = nblocks;
	if (filter->hashes != NULL)
		pfree(filter->hashes);
	filter->hashes = NULL;
}

/*
 * Halve the blocks while there is room enough.  In place, since each block
 * moves towards the start.
 */
static void
fold(JoinFilter *filter)
{
	unsigned char *blocks = filter->building;
	uint32		nblocks = filter->max_blocks;

	while (nblocks % 2 == 0 && 2 * share_of_bits(filter, nblocks) <= FOLD_UP_TO)
	{
		for (uint32 i = 0; i < nblocks / 2; i++)
		{
			memmove(blocks + (Size) i * BBF_BLOCK_BYTES,
					blocks + (Size) i * 2 * BBF_BLOCK_BYTES, BBF_BLOCK_BYTES);
			bbf_blocks_or(blocks + (Size) i * BBF_BLOCK_BYTES,
						  blocks + ((Size) i * 2 + 1) * BBF_BLOCK_BYTES, 1);
		}
		nblocks /= 2;
		filter->nset = bbf_blocks_count_set(blocks, nblocks);
	}
	filter->nblocks = nblocks;
}

/* Let probes use these blocks, whose bits are counted, unless too full. */
static void
use_blocks(JoinFilter *filter, unsigned char *blocks)
{
	double		share = share_of_bits(filter, filter->nblocks);

	if (share > TOO_FULL)
	{
		give_up(filter);
		return;
	}
	filter->rate = share * share * share * share;
	filter->blocks = blocks;
}

void
blt_join_complete_filter(JoinFilter *filter)
{
	if (filter->is_complete)
		return;
	filter->is_complete = true;
	if (filter->is_too_full)
		return;
	if (filter->building != NULL)
		fold(filter);
	else
		build_from_hashes(filter);
	use_blocks(filter, filter->building);
}

/*
 * Shared filters
 */

uint32
blt_join_shared_blocks(double nkeys)
{
	double		most = (double) (memory_of_filter() / BBF_BLOCK_BYTES);
	double		wanted = nkeys * BITS_PER_KEY / BBF_BLOCK_BITS;

	return (uint32) Max(1, Min(wanted, most));
}

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
	shared->nkeys = 0;
	memset(shared_blocks(shared), 0, (Size) nblocks * BBF_BLOCK_BYTES);
}

void
blt_join_spoil_shared(void *shared)
{
	pg_atomic_write_u32(&((SharedJoinFilter *) shared)->format, 0);
}

void
blt_join_share(JoinFilter *filter, SharedJoinFilter *shared)
{
	blt_join_reset_filter(filter);
	filter->shared = shared;
}

void
blt_join_begin_part(JoinFilter *filter)
{
	SharedJoinFilter *shared = filter->shared;

	if (filter->has_begun)
		return;
	filter->has_begun = true;
	filter->max_blocks = shared->nblocks;
	filter->building = allocate_blocks(filter, shared->nblocks);
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	shared->nbegun++;
	LWLockRelease(&shared->lock);
}

void
blt_join_merge_part(JoinFilter *filter)
{
	SharedJoinFilter *shared = filter->shared;

	if (!filter->has_begun)
		return;
	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	if (filter->building != NULL)
		bbf_blocks_or(shared_blocks(shared), filter->building, shared->nblocks);
	else
		shared->is_too_full = true;
	shared->nkeys += filter->nkeys;
	shared->nmerged++;
	LWLockRelease(&shared->lock);
	filter->building = NULL;
	MemoryContextReset(filter->context);
}

void
blt_join_adopt_shared(JoinFilter *filter)
{
	SharedJoinFilter *shared = filter->shared;

	LWLockAcquire(&shared->lock, LW_SHARED);
	filter->is_complete = shared->nbegun > 0 && shared->nbegun == shared->nmerged;
	if (filter->is_complete)
	{
		filter->nkeys = shared->nkeys;
		filter->nblocks = shared->nblocks;
		filter->is_too_full = shared->is_too_full ||
			pg_atomic_read_u32(&shared->format) != JOIN_FILTER_FORMAT;
	}
	LWLockRelease(&shared->lock);
	if (!filter->is_complete)
		return;
	if (filter->is_too_full)
	{
		give_up(filter);
		return;
	}
	filter->nset = bbf_blocks_count_set(shared_blocks(shared), shared->nblocks);
	filter->most_bytes = Max(filter->most_bytes, (Size) shared->nblocks * BBF_BLOCK_BYTES);
	use_blocks(filter, shared_blocks(shared));
}
