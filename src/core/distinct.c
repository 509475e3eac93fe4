/*
 * distinct.c
 *	  Partitions hashes in place by their upper bits, and keeps each once by
 *	  means of a hash table; a few of them in order.
 */
#include "core/distinct.h"

#include <stdbool.h>
#include <string.h>

#include "core/prefetch.h"

#define DIGIT_BITS		8
#define NDIGITS			(1 << DIGIT_BITS)
#define HASHES_IN_LINE	8

/* A table of 512 KB, which fits a second-level cache. */
#define MAX_SLOT_BITS	16
#define MAX_PART		max_filled((size_t) 1 << MAX_SLOT_BITS)

/* With fewer hashes the table is in the first-level cache anyway. */
#define SINGLES_FROM	2048

typedef struct Distinct
{
	uint64_t   *slots;			/* 0: free */
	uint64_t	multiplier;		/* random and odd */
	BbfPause	pause;
	uint64_t   *end;			/* of what is kept */
} Distinct;

/* A table is filled to three quarters at most, so that runs stay short. */
static inline size_t
max_filled(size_t nslots)
{
	return nslots / 4 * 3;
}

static int
log2_slots(size_t n)
{
	int			bits = 3;

	while (bits < MAX_SLOT_BITS && max_filled((size_t) 1 << bits) < n)
		bits++;
	return bits;
}

size_t
bbf_distinct_slots(size_t n)
{
	const size_t few = n < BBF_DISTINCT_ORDERED ? n : BBF_DISTINCT_ORDERED;
	const size_t nslots = (size_t) 1 << log2_slots(n);
	const size_t nslots_few = (size_t) 2 << log2_slots(few);

	return nslots > nslots_few ? nslots : nslots_few;
}

/*
 * Keep each of n <= BBF_DISTINCT_ORDERED hashes once, in ascending order, in
 * a table whose slots follow the upper bits and whose runs are kept in order
 * (Amble and Knuth, "Ordered Hash Tables", 1974).  The last run may extend
 * beyond the table, by up to n slots.  Chosen keys make one run of all:
 * quadratic, but of 128.
 */
static size_t
keep_few_in_order(uint64_t *hashes, size_t n, uint64_t *slots)
{
	const int	bits = log2_slots(n);
	const size_t nslots = ((size_t) 1 << bits) + n;
	bool		has_zero = false;
	size_t		ndistinct = 0;
	size_t		kept = 0;

	memset(slots, 0, nslots * sizeof(uint64_t));
	for (size_t i = 0; i < n; i++)
	{
		uint64_t	hash = hashes[i];
		size_t		slot = (size_t) (hash >> (64 - bits));

		if (hash == 0)
		{
			/* marks a free slot, so it is kept aside */
			has_zero = true;
			continue;
		}
		while (slots[slot] != 0 && slots[slot] < hash)
			slot++;
		if (slots[slot] == hash)
			continue;
		while (slots[slot] != 0)
		{
			uint64_t	displaced = slots[slot];

			slots[slot++] = hash;
			hash = displaced;
		}
		slots[slot] = hash;
		ndistinct++;
	}
	ndistinct += has_zero;

	if (has_zero)
		hashes[kept++] = 0;
	for (size_t slot = 0; kept < ndistinct; slot++)
	{
		hashes[kept] = slots[slot];
		kept += slots[slot] != 0;
	}
	return kept;
}

/* A number below 2^bits that a hash is spread to. */
static inline size_t
spread(const Distinct *distinct, uint64_t hash, int bits)
{
	return (size_t) (hash * distinct->multiplier >> (64 - bits));
}

/*
 * Move hashes that certainly occur once to the start; returns their number.
 * Each hash is mapped to one of 2^bits counters, which count 1 and more in
 * two bitmaps, once and twice; it is unique if its counter is 1.  That takes
 * half the time of the hash table, and most often leaves little for it.
 */
static size_t
move_unique_first(const Distinct *distinct, uint64_t *hashes, size_t n,
				  int bits)
{
	const size_t nwords = (size_t) 1 << bits >> 6;
	uint64_t   *once = distinct->slots;
	uint64_t   *twice = once + nwords;
	size_t		i;

	memset(once, 0, 2 * nwords * sizeof(uint64_t));
	for (i = 0; i < n; i++)
	{
		size_t		bit = spread(distinct, hashes[i], bits);
		uint64_t	mask = (uint64_t) 1 << (bit & 63);

		twice[bit >> 6] |= once[bit >> 6] & mask;
		once[bit >> 6] |= mask;
	}

	i = 0;
	while (i < n)
	{
		uint64_t	hash = hashes[i];
		size_t		bit = spread(distinct, hash, bits);

		if ((twice[bit >> 6] >> (bit & 63) & 1) == 0)
			i++;
		else
		{
			hashes[i] = hashes[--n];
			hashes[n] = hash;
		}
	}
	return i;
}

/* Keep each of n hashes once; n is at most MAX_PART. */
static void
keep_once(Distinct *distinct, uint64_t *hashes, size_t n)
{
	uint64_t   *slots = distinct->slots;
	uint64_t   *end = distinct->end;
	bool		has_zero = false;
	int			bits = log2_slots(n);
	size_t		i = 0;

	if (n >= SINGLES_FROM)
	{
		/* eight bits for each slot, twice: a quarter of the slots */
		i = move_unique_first(distinct, hashes, n, bits + 3);
		memmove(end, hashes, i * sizeof(uint64_t));
		end += i;
		bits = log2_slots(n - i);
	}

	memset(slots, 0, sizeof(uint64_t) << bits);
	for (; i < n; i++)
	{
		const uint64_t hash = hashes[i];
		size_t		slot = spread(distinct, hash, bits);

		if (hash == 0)
		{
			/* marks a free slot, so it is kept aside */
			if (!has_zero)
				*end++ = 0;
			has_zero = true;
			continue;
		}
		while (slots[slot] != 0 && slots[slot] != hash)
			slot = (slot + 1) & (((size_t) 1 << bits) - 1);
		if (slots[slot] == 0)
		{
			slots[slot] = hash;
			*end++ = hash;
		}
	}
	distinct->end = end;
}

static inline unsigned
digit(uint64_t hash, int shift)
{
	return (unsigned) (hash >> shift) & (NDIGITS - 1);
}

/*
 * Partition n hashes in place by the eight bits above shift; partition i then
 * ends at ends[i].
 *
 * Each round takes the partitions in turn, and swaps every hash in the
 * unfinished part of one with that at the next free position of the partition
 * where it belongs; rounds repeat until all are finished.  The swaps are
 * independent of one another, and the positions of a partition are
 * consecutive, so that the next cache line can be prefetched.
 */
static void
radix_partition(const Distinct *distinct, uint64_t *hashes, size_t n, int shift,
				uint64_t **ends)
{
	uint64_t   *next[NDIGITS];	/* the hashes before it belong there */
	size_t		counts[NDIGITS] = {0};
	uint64_t   *place = hashes;
	bool		finished;

	for (size_t i = 0; i < n; i++)
		counts[digit(hashes[i], shift)]++;
	for (int part = 0; part < NDIGITS; part++)
	{
		next[part] = place;
		place += counts[part];
		ends[part] = place;
	}

	do
	{
		finished = true;
		for (int part = 0; part < NDIGITS; part++)
		{
			bbf_pause(distinct->pause);
			for (uint64_t *from = next[part]; from < ends[part]; from++)
			{
				uint64_t	hash = *from;
				uint64_t   *to = next[digit(hash, shift)]++;

				BBF_PREFETCH_FOR_WRITE(to + HASHES_IN_LINE);
				*from = *to;
				*to = hash;
			}
			if (next[part] < ends[part])
				finished = false;
		}
	} while (!finished);
}

static void
part_and_keep_once(Distinct *distinct, uint64_t *hashes, size_t n, int shift)
{
	uint64_t   *ends[NDIGITS];
	uint64_t   *start = hashes;

	if (n <= MAX_PART)
	{
		keep_once(distinct, hashes, n);
		bbf_pause(distinct->pause);
		return;
	}
	if (shift < 0)
	{
		/* no bit is left to distinguish them */
		*distinct->end++ = hashes[0];
		return;
	}

	radix_partition(distinct, hashes, n, shift, ends);
	for (int part = 0; part < NDIGITS; part++)
	{
		part_and_keep_once(distinct, start, (size_t) (ends[part] - start),
						   shift - DIGIT_BITS);
		start = ends[part];
	}
}

size_t
bbf_distinct(uint64_t *hashes, size_t n, uint64_t *slots, uint64_t random,
			 BbfPause pause)
{
	Distinct	distinct = {slots, random | 1, pause, hashes};

	if (n > BBF_DISTINCT_ORDERED)
	{
		part_and_keep_once(&distinct, hashes, n, 64 - DIGIT_BITS);
		n = (size_t) (distinct.end - hashes);
	}
	if (n <= BBF_DISTINCT_ORDERED)
		n = keep_few_in_order(hashes, n, slots);
	return n;
}
