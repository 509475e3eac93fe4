/*
 * join_filter.c
 *	  Builds the filter of a join within a share of work_mem.
 */
#include "compat.h"

#include "join/join_filter.h"

#include "join/join_hasher.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
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

#define FIRST_GATHERED	256

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

uint32
blt_join_blocks_expected(double nkeys)
{
	double		bytes = Max(nkeys * BITS_PER_KEY / BITS_PER_BYTE, LEAST_MEMORY);

	return (uint32) Min(bytes, memory_of_filter()) / BBF_BLOCK_BYTES;
}

JoinFilter *
blt_join_create_filter(bool is_of_integers)
{
	JoinFilter *filter = palloc0(sizeof(JoinFilter));
	Size		memory = memory_of_filter();
	uint32		nblocks = 1;

	/* a power of two, so that folding by two is exact */
	while ((Size) nblocks * 2 * BBF_BLOCK_BYTES <= memory)
		nblocks *= 2;
	filter->is_of_integers = is_of_integers;
	filter->nblocks_limit = filter->nblocks_building = nblocks;
	/* while the array doubles, both are there */
	filter->gathered_limit = (uint32) (memory / 2 / sizeof(uint64));
	filter->context = AllocSetContextCreate(CurrentMemoryContext, "bloomtype_join filter",
											ALLOCSET_DEFAULT_SIZES);
	return filter;
}

void
blt_join_free_keys(JoinFilter *filter)
{
	filter->gathered = NULL;
	filter->bitmap.words = NULL;
	filter->building = NULL;
	MemoryContextReset(filter->context);
}

void
blt_join_reset_filter(JoinFilter *filter)
{
	JoinFilter	empty = {
		.is_of_integers = filter->is_of_integers,
		.nresets = filter->nresets + 1,
		.peak_bytes = filter->peak_bytes,
		.gathered_limit = filter->gathered_limit,
		.nblocks_building = filter->nblocks_limit,
		.nblocks_limit = filter->nblocks_limit,
		.shared = filter->shared,
		.context = filter->context
	};

	*filter = empty;
	MemoryContextReset(filter->context);
}

static void
note_memory(JoinFilter *filter)
{
	Size		bytes = MemoryContextMemAllocated(filter->context, false);

	filter->peak_bytes = Max(filter->peak_bytes, bytes);
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

JoinBitmap
blt_join_allocate_bitmap(JoinFilter *filter, uint64 nwords)
{
	JoinBitmap	bitmap;

	bitmap.words = MemoryContextAllocZero(filter->context, nwords * sizeof(uint64));
	bitmap.nwords = nwords;
	note_memory(filter);
	return bitmap;
}

void
blt_join_give_up(JoinFilter *filter)
{
	filter->is_too_full = true;
	filter->rate = 1;
	blt_join_free_keys(filter);
}

static void
add_to_blocks(JoinFilter *filter, uint64 hash)
{
	filter->nset += bbf_blocks_add(filter->building, filter->nblocks_building,
								   JOIN_FILTER_PROBES, hash);
	if (filter->nset > TOO_FULL * filter->nblocks_building * BBF_BLOCK_BITS)
		blt_join_give_up(filter);
}

/* The hash of a gathered key */
static uint64
hash_of(const JoinFilter *filter, uint64 key)
{
	return filter->is_of_integers ? blt_join_hash_integer((int64) key) : key;
}

uint64
blt_join_building_words(uint32 nblocks)
{
	return (uint64) Max(1, nblocks / 2) * JOIN_WORDS_OF_BLOCK;
}

void
blt_join_begin_fixed(JoinFilter *filter, uint32 nblocks)
{
	filter->nblocks_building = nblocks;
	if (filter->is_of_integers)
		filter->bitmap = blt_join_allocate_bitmap(filter, blt_join_building_words(nblocks));
	else
		filter->building = allocate_blocks(filter, nblocks);
}

/*
 * There are more keys than the array may have: they go into a bitmap or, if
 * their range is too large for it, into blocks.
 */
static void
leave_array(JoinFilter *filter)
{
	uint64		nwords = blt_join_building_words(filter->nblocks_building);

	if (filter->is_of_integers && blt_join_bitmap_words(filter->range) <= nwords)
	{
		filter->bitmap = blt_join_allocate_bitmap(filter, nwords);
		for (uint32 i = 0; i < filter->ngathered; i++)
			blt_join_bitmap_add(filter->bitmap, (int64) filter->gathered[i]);
	}
	else
	{
		filter->building = allocate_blocks(filter, filter->nblocks_building);
		for (uint32 i = 0; i < filter->ngathered && filter->building != NULL; i++)
			add_to_blocks(filter, hash_of(filter, filter->gathered[i]));
	}
	if (filter->gathered != NULL)
		pfree(filter->gathered);
	filter->gathered = NULL;
}

/* Move the keys from the bitmap to so many blocks. */
static void
leave_bitmap(JoinFilter *filter, JoinInterval range, uint32 nblocks)
{
	JoinBitmapScan scan = blt_join_bitmap_scan(filter->bitmap, range);
	int64		key;

	filter->building = allocate_blocks(filter, nblocks);
	while (blt_join_bitmap_next(&scan, &key))
		bbf_blocks_add(filter->building, nblocks, JOIN_FILTER_PROBES, blt_join_hash_integer(key));
	filter->nset = bbf_blocks_count_set(filter->building, nblocks);
	pfree(filter->bitmap.words);
	filter->bitmap.words = NULL;
}

/* Make the array of keys larger, unless it has its greatest size. */
static void
make_room(JoinFilter *filter)
{
	if (filter->gathered == NULL)
	{
		filter->max_gathered = FIRST_GATHERED;
		filter->gathered = MemoryContextAlloc(filter->context, FIRST_GATHERED * sizeof(uint64));
	}
	else if (filter->max_gathered < filter->gathered_limit)
	{
		filter->max_gathered = Min(filter->max_gathered * 2, filter->gathered_limit);
		filter->gathered = repalloc(filter->gathered, filter->max_gathered * sizeof(uint64));
	}
	else
		leave_array(filter);
	note_memory(filter);
}

/* Are keys gathered in the array, and has it room for another one? */
static bool
has_room(JoinFilter *filter)
{
	if (filter->bitmap.words != NULL || filter->building != NULL)
		return false;
	if (filter->ngathered == filter->max_gathered)
		make_room(filter);
	return filter->gathered != NULL;
}

void
blt_join_add_hash(JoinFilter *filter, uint64 hash)
{
	Assert(!filter->is_complete && !filter->is_too_full && !filter->is_of_integers);
	filter->nkeys++;
	if (has_room(filter))
		filter->gathered[filter->ngathered++] = hash;
	else if (filter->building != NULL)
		add_to_blocks(filter, hash);
}

void
blt_join_add_integer(JoinFilter *filter, int64 key)
{
	JoinInterval before = filter->range;
	JoinInterval this_key = {key, key};

	Assert(!filter->is_complete && !filter->is_too_full && filter->is_of_integers);
	filter->range = blt_join_extend_interval(before, filter->nkeys > 0, this_key);
	filter->nkeys++;
	if (has_room(filter))
	{
		filter->gathered[filter->ngathered++] = (uint64) key;
		return;
	}
	if (filter->bitmap.words != NULL && blt_join_bitmap_words(filter->range) > filter->bitmap.nwords)
		leave_bitmap(filter, before, filter->nblocks_building);
	if (filter->bitmap.words != NULL)
		blt_join_bitmap_add(filter->bitmap, key);
	else if (filter->building != NULL)
		add_to_blocks(filter, blt_join_hash_integer(key));
}

/* Blocks of the right size for a number of keys */
static uint32
blocks_for(uint64 nkeys)
{
	uint64		nbits = nkeys * BITS_PER_KEY;

	return Max(1, (uint32) ((nbits + BBF_BLOCK_BITS - 1) / BBF_BLOCK_BITS));
}

/* Is a bitmap of the keys not larger than these blocks? */
static bool
is_small(const JoinFilter *filter, uint32 nblocks)
{
	return filter->is_of_integers && filter->nkeys > 0 &&
		blt_join_bitmap_words(filter->range) <= (uint64) nblocks * JOIN_WORDS_OF_BLOCK;
}

/* A filter of the keys in the array, which is then freed */
static void
build_from_array(JoinFilter *filter)
{
	uint64	   *keys = filter->gathered;
	uint32		nkeys = filter->ngathered;
	uint32		nblocks = blocks_for(nkeys);

	filter->gathered = NULL;
	if (is_small(filter, nblocks))
	{
		filter->bitmap = blt_join_allocate_bitmap(filter, blt_join_bitmap_words(filter->range));
		for (uint32 i = 0; i < nkeys; i++)
			blt_join_bitmap_add(filter->bitmap, (int64) keys[i]);
	}
	else
	{
		if (filter->is_of_integers && nkeys > 0 && nkeys <= JOIN_FEW_KEYS)
			filter->few = memcpy(MemoryContextAlloc(filter->context, nkeys * sizeof(int64)), keys,
								 nkeys * sizeof(int64));
		for (uint32 i = 0; i < nkeys; i++)
			keys[i] = hash_of(filter, keys[i]);
		filter->building = allocate_blocks(filter, nblocks);
		bbf_blocks_add_many(filter->building, nblocks, JOIN_FILTER_PROBES, keys, nkeys);
		filter->nset = bbf_blocks_count_set(filter->building, nblocks);
		filter->nblocks = nblocks;
	}
	if (keys != NULL)
		pfree(keys);
}

/* A filter of the keys in the bitmap, which is then freed, unless kept */
static void
build_from_bitmap(JoinFilter *filter)
{
	JoinBitmap	bitmap = filter->bitmap;
	uint64		nwords = blt_join_bitmap_words(filter->range);
	uint32		nblocks = blocks_for(pg_popcount((char *) bitmap.words,
												 (int) (bitmap.nwords * sizeof(uint64))));

	if (!is_small(filter, nblocks))
	{
		leave_bitmap(filter, filter->range, nblocks);
		filter->nblocks = nblocks;
	}
	else if (nwords < bitmap.nwords)
	{
		JoinBitmapScan scan = blt_join_bitmap_scan(bitmap, filter->range);
		int64		key;

		filter->bitmap = blt_join_allocate_bitmap(filter, nwords);
		while (blt_join_bitmap_next(&scan, &key))
			blt_join_bitmap_add(filter->bitmap, key);
		pfree(bitmap.words);
	}
}

/*
 * Halve the blocks while there is room enough.  In place, since each block
 * moves towards the start.
 */
static void
fold(JoinFilter *filter)
{
	unsigned char *blocks = filter->building;
	uint32		nblocks = filter->nblocks_building;

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

void
blt_join_use_blocks(JoinFilter *filter, unsigned char *blocks)
{
	double		share = share_of_bits(filter, filter->nblocks);

	if (share > TOO_FULL)
	{
		blt_join_give_up(filter);
		return;
	}
	filter->rate = share * share * share * share;
	filter->blocks = blocks;
}

void
blt_join_use_bitmap(JoinFilter *filter, JoinBitmap bitmap)
{
	filter->is_bitmap = true;
	filter->bitmap = bitmap;
	filter->probe = blt_join_bitmap_probe(bitmap, filter->range);
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
	else if (filter->bitmap.words != NULL)
		build_from_bitmap(filter);
	else
		build_from_array(filter);
	if (filter->building != NULL)
		blt_join_use_blocks(filter, filter->building);
	else
		blt_join_use_bitmap(filter, filter->bitmap);
}

Size
blt_join_filter_size(const JoinFilter *filter)
{
	if (filter->is_bitmap)
		return filter->bitmap.nwords * sizeof(uint64);
	return (Size) filter->nblocks * BBF_BLOCK_BYTES;
}

int
blt_join_filter_keys(const JoinFilter *filter, int64 keys[JOIN_FEW_KEYS])
{
	JoinBitmapScan scan;
	int			nkeys = 0;
	int64		key;

	Assert(filter->is_complete && filter->is_of_integers);
	if (filter->nkeys == 0)
		return 0;
	if (filter->probe.words == NULL)
	{
		if (filter->few == NULL)
			return -1;
		memcpy(keys, filter->few, filter->nkeys * sizeof(int64));
		return (int) filter->nkeys;
	}
	scan = blt_join_bitmap_scan(filter->bitmap, filter->range);
	while (blt_join_bitmap_next(&scan, &key))
	{
		if (nkeys == JOIN_FEW_KEYS)
			return -1;
		keys[nkeys++] = key;
	}
	return nkeys;
}

bool
blt_join_filter_has_in(const JoinFilter *filter, JoinInterval range)
{
	JoinBitmapScan scan;
	int64		key;

	Assert(filter->is_complete && filter->is_of_integers && !filter->is_too_full);
	if (filter->nkeys == 0)
		return false;
	range.least = Max(range.least, filter->range.least);
	range.greatest = Min(range.greatest, filter->range.greatest);
	if (range.least > range.greatest)
		return false;
	if (filter->probe.words != NULL)
	{
		scan = blt_join_bitmap_scan(filter->bitmap, range);
		return blt_join_bitmap_next(&scan, &key);
	}
	return range.least < range.greatest ||
		blt_join_filter_passes(filter, blt_join_hash_integer(range.least));
}
