/*
 * gathered_keys.c
 *	  Keeps an array of hashes small, and its memory in proportion to the keys.
 */
#include "compat.h"

#include "filter/gathered_keys.h"

#include "common/pg_prng.h"
#include "core/distinct.h"
#include "filter/filter_datum.h"
#include "filter/filter_pieces.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"

/*
 * The largest array has a gigabyte: room for the most keys there may be, and
 * for the copies that come in before they are removed.
 */
#define MAX_ROOM(keys)		(((uint32) 1 << 27) / (keys)->words)

/* The array starts with few elements: small groups must cost little. */
#define FIRST_ROOM			8

/*
 * A full array of fewer than 128 elements is just doubled.  From 128 on
 * copies are removed first, if a sample shows that more than a quarter are
 * copies.  Up to 16384 hashes of one word need no sample: to remove their
 * copies costs as little.
 */
#define DISTINCT_FROM_ROOM	128
#define SAMPLE_FROM_ROOM	((uint32) 1 << 14)
#define SAMPLE_SIZE			1024

/*
 * Room of the array when it is the buffer in front of bins that are not few.
 */
#define BATCH_ROOM			1024

/*
 * Keys that repeat shortly after one another are dropped by a small table of
 * the last hashes, once array or bins are large enough for that to pay.  Of
 * 1000 keys in a million rows, that saves a fifth of the instructions of
 * external_bloom_agg.
 */
#define NRECENT				(1 << RECENT_BITS)
#define RECENT_BYTES(keys)	(NRECENT * (Size) (keys)->words * sizeof(uint64))

/* bbf_distinct_slots(BBF_DISTINCT_ORDERED) */
#define FEW_SLOTS			512

/*
 * blt_sort_hashes(), sort_two_words(), sort_four_words(): ascending, word by
 * word
 */

typedef struct TwoWords
{
	uint64_t	word[2];
} TwoWords;

typedef struct FourWords
{
	uint64_t	word[4];
} FourWords;

static inline int
compare_words(const uint64_t *a, const uint64_t *b, int words)
{
	for (int i = 0; i < words; i++)
	{
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

#define ST_SORT blt_sort_hashes
#define ST_ELEMENT_TYPE uint64_t
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE extern
#define ST_DEFINE
#define ST_CHECK_FOR_INTERRUPTS
#include "lib/sort_template.h"

#define ST_SORT sort_two_words
#define ST_ELEMENT_TYPE TwoWords
#define ST_COMPARE(a, b) compare_words((a)->word, (b)->word, 2)
#define ST_SCOPE static
#define ST_DEFINE
#define ST_CHECK_FOR_INTERRUPTS
#include "lib/sort_template.h"

#define ST_SORT sort_four_words
#define ST_ELEMENT_TYPE FourWords
#define ST_COMPARE(a, b) compare_words((a)->word, (b)->word, 4)
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

static Size
hash_bytes_of(const GatheredKeys *keys, uint32 nhashes)
{
	return (Size) nhashes * keys->words * sizeof(uint64);
}

static uint64_t *
hash_at(const GatheredKeys *keys, uint32 i)
{
	return keys->hashes + (Size) i * keys->words;
}

void
blt_init_gathered_keys(GatheredKeys *keys, MemoryContext context,
					   const KeyTarget *target, int words, Size bins_bytes)
{
	Assert(words == 1 || words == 2 || words == 4);
	keys->context = context;
	keys->target = target;
	keys->words = words;
	keys->bins_bytes = bins_bytes;
	keys->room = FIRST_ROOM;
	keys->hashes = alloc_huge(keys, hash_bytes_of(keys, FIRST_ROOM), 0);
}

/* Drop keys that repeat shortly, if array or bins are that large now. */
static void
start_recent_if_large(GatheredKeys *keys, Size size)
{
	if (keys->recent == NULL && size >= 2 * RECENT_BYTES(keys) && keys->max_copies == 0)
	{
		keys->recent = alloc_huge(keys, RECENT_BYTES(keys), MCXT_ALLOC_ZERO);

		/*
		 * A zero in slot 0 would say that hash 0 has been here.  The largest
		 * hash is looked for in the last slot only.
		 */
		keys->recent[0] = PG_UINT64_MAX;
	}
}

static void
set_room(GatheredKeys *keys, uint32 room)
{
	keys->hashes = repalloc_huge(keys->hashes, hash_bytes_of(keys, room));
	keys->room = room;
	start_recent_if_large(keys, hash_bytes_of(keys, room));
}

static void
open_bins(GatheredKeys *keys)
{
	keys->bins = keys->target->make_bins(keys);
	start_recent_if_large(keys, keys->bins_bytes);
	if (keys->bins_bytes >= 2 * RECENT_BYTES(keys) && keys->room < BATCH_ROOM)
		set_room(keys, BATCH_ROOM);
}

/*
 * Leave at most max_copies of each hash; returns how many hashes are left, in
 * ascending order.
 */
static uint32
limit_copies(uint64_t *hashes, uint32 n, uint32 max_copies)
{
	uint32		nleft = 0;
	uint32		copies = 0;

	blt_sort_hashes(hashes, n);
	for (uint32 i = 0; i < n; i++)
	{
		copies = i > 0 && hashes[i] == hashes[i - 1] ? copies + 1 : 1;
		if (copies <= max_copies)
			hashes[nleft++] = hashes[i];
	}
	return nleft;
}

/*
 * Leave the copies that count of each of n words; returns how many are left.
 */
static uint32
distinct_words(const GatheredKeys *keys, uint64_t *words, uint32 n)
{
	uint64_t	few_slots[FEW_SLOTS];
	uint64_t   *slots;

	if (keys->max_copies > 0)
		return limit_copies(words, n, keys->max_copies);

	/* these need no random number either */
	if (n <= BBF_DISTINCT_ORDERED)
		return bbf_distinct(words, n, few_slots, 0, blt_check_for_interrupts);

	slots = palloc(bbf_distinct_slots(n) * sizeof(uint64));
	n = bbf_distinct(words, n, slots, pg_prng_uint64(&pg_global_prng_state),
					 blt_check_for_interrupts);
	pfree(slots);
	return n;
}

/*
 * Leave one of each of the hashes, all words compared; returns how many are
 * left.
 */
static uint32
distinct_hashes(const GatheredKeys *keys)
{
	int			words = keys->words;
	uint32		nleft = 0;

	if (words == 1)
		return distinct_words(keys, keys->hashes, keys->nhashes);
	if (words == 2)
		sort_two_words((TwoWords *) keys->hashes, keys->nhashes);
	else
		sort_four_words((FourWords *) keys->hashes, keys->nhashes);

	for (uint32 i = 0; i < keys->nhashes; i++)
	{
		if (i % BLT_HASHES_IN_PIECE == 0)
			CHECK_FOR_INTERRUPTS();
		if (i > 0 && compare_words(hash_at(keys, i), hash_at(keys, nleft - 1), words) == 0)
			continue;
		if (i != nleft)
			memcpy(hash_at(keys, nleft), hash_at(keys, i), words * sizeof(uint64));
		nleft++;
	}
	return nleft;
}

static void
check_number_of_keys(const GatheredKeys *keys, uint32 nkeys)
{
	if (nkeys > blt_max_gathered_keys(keys->words) && keys->bins == NULL)
		keys->target->report_too_many(keys);
}

void
blt_remove_copies(GatheredKeys *keys)
{
	if (keys->ndistinct == keys->nhashes)
		return;
	keys->nhashes = distinct_hashes(keys);
	keys->ndistinct = keys->nhashes;
	check_number_of_keys(keys, keys->nhashes);
}

/*
 * Add all hashes to the bins, which may have to be made, and empty the array.
 */
static void
move_to_bins(GatheredKeys *keys)
{
	if (keys->bins == NULL)
		open_bins(keys);
	keys->target->add_many(keys);
	keys->nhashes = 0;
	keys->ndistinct = 0;
	if (keys->room > BATCH_ROOM)
		set_room(keys, BATCH_ROOM);
}

/*
 * Are there bins to be, and would nhashes hashes take more than half of their
 * space?
 */
static bool
bins_pay(const GatheredKeys *keys, uint32 nhashes)
{
	return keys->bins_bytes > 0 && nhashes > keys->max_list &&
		hash_bytes_of(keys, nhashes) > keys->bins_bytes / 2;
}

void
blt_flush_keys(GatheredKeys *keys)
{
	if (keys->bins != NULL || bins_pay(keys, keys->nhashes))
		move_to_bins(keys);
}

/*
 * Is more than a quarter of the array copies?  Without copies, some 512
 * hashes have a first word below a limit.  All copies of a hash are on the
 * same side of it, so that the distinct ones below show the share of distinct
 * ones in all; or in the sample, where that is full.
 */
static bool
many_copies(const GatheredKeys *keys)
{
	const uint32 expected = SAMPLE_SIZE / 2;
	uint64_t	sample[SAMPLE_SIZE];
	const uint64_t *hash = keys->hashes;
	uint64		limit = PG_UINT64_MAX;
	uint32		n = 0;

	if (keys->nhashes > SAMPLE_SIZE)
		limit = limit / keys->nhashes * expected;
	for (uint32 i = 0; i < keys->nhashes && n < SAMPLE_SIZE; i += BLT_HASHES_IN_PIECE)
	{
		const uint64_t *end = hash_at(keys, Min(i + BLT_HASHES_IN_PIECE, keys->nhashes));

		CHECK_FOR_INTERRUPTS();
		for (; hash < end && n < SAMPLE_SIZE; hash += keys->words)
		{
			if (*hash <= limit)
				sample[n++] = *hash;
		}
	}
	return distinct_words(keys, sample, n) < Max(n, Min(expected, keys->nhashes)) / 4 * 3;
}

/* Are copies to be removed from the array, which is full? */
static bool
removing_pays(const GatheredKeys *keys)
{
	if (keys->room < DISTINCT_FROM_ROOM)
		return false;
	return keys->room == MAX_ROOM(keys) ||
		(keys->words == 1 && keys->room < SAMPLE_FROM_ROOM) || many_copies(keys);
}

/* May the array grow, to no more than half of the space of the bins to be? */
static bool
may_grow(const GatheredKeys *keys)
{
	return keys->bins_bytes == 0 || keys->room < 2 * DISTINCT_FROM_ROOM ||
		hash_bytes_of(keys, 2 * keys->room) <= keys->bins_bytes / 2;
}

void
blt_make_room(GatheredKeys *keys)
{
	if (keys->bins == NULL && removing_pays(keys))
		blt_remove_copies(keys);

	if (keys->bins != NULL)
		move_to_bins(keys);
	else if (keys->nhashes > keys->room / 2)
	{
		if (may_grow(keys))
			set_room(keys, Min(keys->room * 2, MAX_ROOM(keys)));
		else
			move_to_bins(keys);
	}
}

void
blt_merge_keys(GatheredKeys *keys, GatheredKeys *other)
{
	uint32		done = 0;

	if (other->bins != NULL)
	{
		move_to_bins(other);
		if (keys->bins == NULL)
			open_bins(keys);
		keys->target->unite(keys, other);
		return;
	}
	while (done < other->nhashes)
	{
		uint32		piece = Min(other->nhashes - done, keys->room - keys->nhashes);

		blt_copy(hash_at(keys, keys->nhashes), hash_at(other, done),
				 hash_bytes_of(keys, piece));
		keys->nhashes += piece;
		if (keys->nhashes == keys->room)
			blt_make_room(keys);
		done += piece;
	}
}

uint32
blt_sort_keys(GatheredKeys *keys)
{
	uint32		ndistinct = 0;

	blt_sort_hashes(keys->hashes, keys->nhashes);
	for (uint32 i = 0; i < keys->nhashes; i++)
		ndistinct += i == 0 || keys->hashes[i] != keys->hashes[i - 1];
	return ndistinct;
}

uint32
blt_count_keys(GatheredKeys *keys)
{
	uint64_t   *words;
	uint32		nkeys;

	if (keys->words == 1)
	{
		blt_remove_copies(keys);
		return keys->nhashes;
	}
	words = MemoryContextAllocHuge(CurrentMemoryContext,
								   Max(keys->nhashes, 1) * sizeof(uint64));
	for (uint32 i = 0; i < keys->nhashes; i++)
	{
		if (i % BLT_HASHES_IN_PIECE == 0)
			CHECK_FOR_INTERRUPTS();
		words[i] = *hash_at(keys, i);
	}
	nkeys = distinct_words(keys, words, keys->nhashes);
	pfree(words);
	check_number_of_keys(keys, nkeys);
	return nkeys;
}

bytea *
blt_write_keys(GatheredKeys *keys, Size header_bytes)
{
	bytea	   *message;
	unsigned char *payload;

	blt_flush_keys(keys);
	if (keys->nhashes > blt_max_gathered_keys(keys->words))
		blt_remove_copies(keys);
	message = blt_alloc_filter(header_bytes + (keys->bins != NULL ? keys->bins_bytes :
											   hash_bytes_of(keys, keys->nhashes)));
	payload = blt_filter_bytes(message) + header_bytes;
	if (keys->bins != NULL)
		blt_copy(payload, keys->bins, keys->bins_bytes);
	else
		bbf_message_put_words(payload, keys->hashes, (Size) keys->nhashes * keys->words,
							  blt_check_for_interrupts);
	return message;
}

void
blt_read_keys(GatheredKeys *keys, bool has_bins, const unsigned char *payload, Size nbytes)
{
	if (has_bins)
	{
		open_bins(keys);
		blt_copy(keys->bins, payload, nbytes);
	}
	else
	{
		uint32		n = nbytes / hash_bytes_of(keys, 1);

		set_room(keys, Max(pg_nextpower2_32(n + 1), FIRST_ROOM));
		bbf_message_get_words(payload, keys->hashes, nbytes / sizeof(uint64),
							  blt_check_for_interrupts);
		keys->nhashes = n;
	}
}

void
blt_check_message(const char *reason)
{
	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg_internal("%s", reason)));
}
