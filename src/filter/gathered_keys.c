/*
 * gathered_keys.c
 *	  Keeps an array of hashes small, and its memory in proportion to the keys.
 */
#include "compat.h"

#include "filter/gathered_keys.h"

#include "common/pg_prng.h"
#include "core/distinct.h"
#include "core/image.h"
#include "filter/filter_parameters.h"
#include "filter/filter_pieces.h"
#include "miscadmin.h"

/*
 * The largest array has a gigabyte: room for the most keys there may be, and for
 * the duplicates that come in before they are removed.
 */
#define MAX_ROOM			((uint32) 1 << 27)

/* The array starts with few elements: small groups must cost little. */
#define FIRST_ROOM			8

/*
 * A full array of fewer than 128 elements is just doubled.  From 128 on duplicates
 * are removed first; from 16384 on only if a sample shows that more than a quarter
 * are duplicates.
 */
#define DISTINCT_FROM_ROOM	128
#define SAMPLE_FROM_ROOM	((uint32) 1 << 14)
#define SAMPLE_SIZE			1024

/* Size of the array when it is the buffer in front of a layer that is not small. */
#define BATCH_ROOM			1024

/*
 * Keys that repeat shortly after one another are dropped by a small table of
 * the last hashes, once array or layer are so much larger that this pays.
 */
#define NRECENT				(1 << RECENT_BITS)
#define RECENT_FROM_BYTES	(2 * NRECENT * sizeof(uint64))

StaticAssertDecl(BBF_DISTINCT_ORDERED >= BBF_MAX_LIST,
				 "what goes into a list must ascend");

/* sort_hashes(), ascending */
#define ST_SORT sort_hashes
#define ST_ELEMENT_TYPE uint64_t
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE static
#define ST_DEFINE
#define ST_CHECK_FOR_INTERRUPTS
#include "lib/sort_template.h"

static void *
alloc_huge(GatheredKeys *keys, Size size, int flags)
{
	return MemoryContextAllocExtended(keys->context, size,
									  MCXT_ALLOC_HUGE | flags);
}

GatheredKeys *
blt_new_gathered_keys(MemoryContext context, const BbfKindRoutine *routine, int64 capacity,
					  double fpp)
{
	GatheredKeys *keys = MemoryContextAllocZero(context, sizeof(GatheredKeys));

	keys->context = context;
	keys->routine = routine;
	keys->capacity = capacity;
	keys->fpp = fpp;
	keys->room = FIRST_ROOM;
	keys->hashes = alloc_huge(keys, FIRST_ROOM * sizeof(uint64), 0);
	return keys;
}

/* The capacity that is given; 1 for one that sizes itself. */
static uint64
given_capacity(const GatheredKeys *keys)
{
	return bbf_first_capacity(keys->routine->kind, Max(keys->capacity, 1),
							  DEFAULT_GROWTH);
}

BbfGeometry
blt_given_geometry(const GatheredKeys *keys)
{
	return blt_size_layer(keys->routine->kind, given_capacity(keys), keys->fpp);
}

/* Drop keys that repeat shortly, if array or layer are that large now. */
static void
start_recent_if_large(GatheredKeys *keys, Size size)
{
	if (keys->recent == NULL && size >= RECENT_FROM_BYTES &&
		!keys->routine->agg_adds_copies)
	{
		keys->recent = alloc_huge(keys, NRECENT * sizeof(uint64), MCXT_ALLOC_ZERO);

		/*
		 * A zero in slot 0 would say that hash 0 has been here.  The largest
		 * hash is looked for in the last slot only.
		 */
		keys->recent[0] = PG_UINT64_MAX;
	}
}

void
blt_set_room(GatheredKeys *keys, uint32 room)
{
	keys->hashes = repalloc_huge(keys->hashes, room * sizeof(uint64));
	keys->room = room;
	start_recent_if_large(keys, room * sizeof(uint64));
}

void
blt_given_layer(const GatheredKeys *keys, BbfLayer *layer)
{
	BbfGeometry geometry = blt_given_geometry(keys);

	blt_start_layer(layer, &geometry, given_capacity(keys), keys->fpp);
}

void
blt_open_bins(GatheredKeys *keys)
{
	Size		size;

	blt_given_layer(keys, &keys->layer);
	size = bbf_bins_bytes(keys->routine, &keys->layer);

	/* each block on one cache line */
	keys->bins = (unsigned char *)
		TYPEALIGN(BBF_BLOCK_BYTES,
				  alloc_huge(keys, size + BBF_BLOCK_BYTES, 0));
	blt_clear(keys->bins, size);
	start_recent_if_large(keys, size);
	if (size >= RECENT_FROM_BYTES && keys->room < BATCH_ROOM)
		blt_set_room(keys, BATCH_ROOM);
}

void
blt_fill_bins(const GatheredKeys *keys, const BbfLayer *layer, unsigned char *bins)
{
	const uint32 piece = 65536;

	for (uint32 i = 0; i < keys->nhashes; i += piece)
	{
		CHECK_FOR_INTERRUPTS();
		keys->routine->add_many(layer, bins, keys->hashes + i,
								Min(piece, keys->nhashes - i));
	}
}

/*
 * Leave as many copies of each hash as count; returns how many hashes are left, in
 * ascending order.
 */
static uint32
limit_copies(uint64_t *hashes, uint32 n, uint32 max_copies)
{
	uint32		nleft = 0;
	uint32		copies = 0;

	sort_hashes(hashes, n);
	for (uint32 i = 0; i < n; i++)
	{
		copies = i > 0 && hashes[i] == hashes[i - 1] ? copies + 1 : 1;
		if (copies <= max_copies)
			hashes[nleft++] = hashes[i];
	}
	return nleft;
}

/*
 * Remove hashes that would change nothing, of n at least one; returns how many
 * are left.  slots: see bbf_distinct.
 */
static uint32
remove_copies(const GatheredKeys *keys, uint64_t *hashes, uint32 n,
			  uint64_t *slots)
{
	if (keys->routine->agg_adds_copies)
		return limit_copies(hashes, n, keys->routine->stuck_count);
	return bbf_distinct(hashes, n, slots, pg_prng_uint64(&pg_global_prng_state),
						blt_check_for_interrupts);
}

/* The error for keys that are all in the array, as there is no layer for them. */
pg_noreturn static void
report_too_many_keys(const GatheredKeys *keys)
{
	const char *name = keys->routine->name;

	if (keys->routine->add_many == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many distinct keys for %s_agg", name),
				 errdetail("The limit is %d keys.", MAX_GATHERED_KEYS),
				 errhint("Split the keys over several filters, one for each bloom_partition(value, partitions). See \"A billion keys\" in bloomtype's doc/recipes.md.")));
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("too many distinct keys for a filter that sizes itself"),
			 keys->routine->agg_adds_copies ?
			 errdetail("The limit is %d keys, each as often as it counts, up to %d times.",
					   MAX_GATHERED_KEYS, keys->routine->stuck_count) :
			 errdetail("The limit is %d keys.", MAX_GATHERED_KEYS),
			 errhint("Give the capacity: %s_agg(value, capacity, fpp).", name)));
}

static void
remove_duplicates(GatheredKeys *keys)
{
	uint64_t	few_slots[512];
	uint64_t   *slots = few_slots;
	size_t		nslots = bbf_distinct_slots(keys->nhashes);

	if (keys->ndistinct == keys->nhashes)
		return;

	if (nslots > lengthof(few_slots) && !keys->routine->agg_adds_copies)
		slots = palloc(nslots * sizeof(uint64));
	keys->nhashes = remove_copies(keys, keys->hashes, keys->nhashes, slots);
	keys->ndistinct = keys->nhashes;
	if (slots != few_slots)
		pfree(slots);

	if (keys->nhashes > MAX_GATHERED_KEYS && keys->bins == NULL)
		report_too_many_keys(keys);
}

/* Bytes of the bins, where a capacity is given; 0 where there will be none. */
static double
given_bytes(const GatheredKeys *keys)
{
	BbfGeometry geometry;

	if (keys->capacity == 0 || keys->routine->add_many == NULL)
		return 0.0;
	geometry = blt_given_geometry(keys);
	return blt_geometry_bytes(keys->routine->kind, &geometry);
}

/* Are there bins to be, and do the hashes take more than half of their space? */
static bool
bins_pay(const GatheredKeys *keys)
{
	double		nbytes = given_bytes(keys);

	return nbytes > 0.0 && keys->nhashes > BBF_MAX_LIST &&
		(double) keys->nhashes * sizeof(uint64) > nbytes / 2;
}

/* Add all hashes to the bins, which may have to be made, and empty the array. */
static void
move_to_bins(GatheredKeys *keys)
{
	if (keys->bins == NULL)
		blt_open_bins(keys);
	blt_fill_bins(keys, &keys->layer, keys->bins);
	keys->nhashes = 0;
	keys->ndistinct = 0;
	if (keys->room > BATCH_ROOM)
		blt_set_room(keys, BATCH_ROOM);
}

/*
 * Would copies of hashes be wrong in the result?  In bins they change nothing, so
 * what goes there need not be searched for them, unless it may yet be a list.
 */
static bool
must_be_distinct(const GatheredKeys *keys)
{
	return given_bytes(keys) == 0.0 ||
		(keys->routine->has_list && keys->ndistinct <= BBF_MAX_LIST);
}

void
blt_flush_keys(GatheredKeys *keys)
{
	if (keys->bins == NULL && must_be_distinct(keys))
		remove_duplicates(keys);
	if (keys->bins != NULL || bins_pay(keys))
		move_to_bins(keys);
}

/*
 * Is more than a quarter of the array duplicates?  Without duplicates, some 512 hashes
 * are below a limit.  All copies of a hash lie on the same side of it, so the distinct
 * ones below tell the share of distinct ones in all; or in the sample, where that is
 * full.
 */
static bool
many_duplicates(const GatheredKeys *keys)
{
	const uint32 expected = SAMPLE_SIZE / 2;
	uint64_t	sample[SAMPLE_SIZE];
	uint64_t	slots[2 * SAMPLE_SIZE];
	uint64		limit = PG_UINT64_MAX / keys->nhashes * expected;
	uint32		n = 0;

	for (uint32 i = 0; i < keys->nhashes && n < SAMPLE_SIZE; i++)
	{
		if (keys->hashes[i] < limit)
			sample[n++] = keys->hashes[i];
	}
	return remove_copies(keys, sample, n, slots) < Max(n, expected) / 4 * 3;
}

/* May the array grow, to no more than half of the space of the bins to be? */
static bool
may_grow(const GatheredKeys *keys)
{
	double		nbytes = given_bytes(keys);

	return nbytes == 0.0 || keys->room < 2 * DISTINCT_FROM_ROOM ||
		2.0 * keys->room * sizeof(uint64) <= nbytes / 2;
}

void
blt_make_room(GatheredKeys *keys)
{
	if (keys->bins == NULL && keys->room >= DISTINCT_FROM_ROOM &&
		(keys->room < SAMPLE_FROM_ROOM || keys->room == MAX_ROOM ||
		 many_duplicates(keys)))
		remove_duplicates(keys);

	if (keys->bins != NULL)
		move_to_bins(keys);
	else if (keys->nhashes > keys->room / 2)
	{
		if (may_grow(keys))
			blt_set_room(keys, Min(keys->room * 2, MAX_ROOM));
		else
			move_to_bins(keys);
	}
}

void
blt_gather_hashes(GatheredKeys *keys, const uint64_t *hashes, uint32 n)
{
	while (n > 0)
	{
		uint32		piece = Min(n, keys->room - keys->nhashes);

		memcpy(keys->hashes + keys->nhashes, hashes, piece * sizeof(uint64));
		keys->nhashes += piece;
		if (keys->nhashes == keys->room)
			blt_make_room(keys);
		hashes += piece;
		n -= piece;
	}
}

uint32
blt_sort_keys(GatheredKeys *keys)
{
	uint32		ndistinct = 0;

	sort_hashes(keys->hashes, keys->nhashes);
	for (uint32 i = 0; i < keys->nhashes; i++)
		ndistinct += i == 0 || keys->hashes[i] != keys->hashes[i - 1];
	return ndistinct;
}
