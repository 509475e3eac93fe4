/*
 * gathered_keys.h
 *	  The keys of a group on their way into a filter, in every aggregate that
 *	  makes one.
 *
 * A filter is never touched row by row: in one that is larger than the cache
 * every key would wait for memory.  Hashes of one or more words gather in an
 * array.
 *
 *	without bins
 *		Where the number of distinct keys decides something, such as the size
 *		of the filter, the hashes stay in the array until the end.  When it is
 *		full, copies are removed, and it grows if that has not made room.
 *	with bins of a given size
 *		The bins are made once the hashes, without their copies, take half as
 *		much space: few keys in each of many groups do not take a filter each.
 *		From then on the array is the buffer in front of the bins.
 *
 * What bins are is left to a KeyTarget.  The transition state of an aggregate
 * begins with a GatheredKeys: see filter_agg_state.h and
 * external/external_agg_state.h.
 *
 * Limits: at most 1 GB of hashes; see blt_max_gathered_keys() for the number
 * of keys.
 */
#ifndef BLOOMTYPE_GATHERED_KEYS_H
#define BLOOMTYPE_GATHERED_KEYS_H

#include "core/aggregate_message.h"

/* The table of the last hashes has a slot for each value of this many bits. */
#define RECENT_BITS			10

/* Hashes between which a query can be cancelled. */
#define BLT_HASHES_IN_PIECE	65536

typedef struct GatheredKeys GatheredKeys;

/* What is made of keys: functions on the bins of a filter. */
typedef struct KeyTarget
{
	/* Allocate bins without keys, of keys->bins_bytes, in keys->context. */
	unsigned char *(*make_bins) (const GatheredKeys *keys);

	/*
	 * Add all hashes of the array to the bins, in pieces that can be
	 * interrupted.
	 */
	void		(*add_many) (const GatheredKeys *keys);

	/* Add the keys in the bins of another state, of the same parameters. */
	void		(*unite) (const GatheredKeys *keys, const GatheredKeys *other);

	/* The error for more keys than the array may have. */
	void		(*report_too_many) (const GatheredKeys *keys);
} KeyTarget;

struct GatheredKeys
{
	/* what every row uses */
	uint64_t   *hashes;			/* gathered, and not yet in bins */
	uint32		nhashes;		/* always less than room */
	uint32		room;
	uint64_t   *recent;			/* by their upper bits; or null */

	uint32		ndistinct;		/* number of hashes, the first ones, of which
								 * no copies are left to remove */
	int			words;			/* of a hash: 1, 2 or 4 */
	uint32		max_copies;		/* copies of a key that count; 0: it is a set */
	uint32		max_list;		/* up to this many hashes make no bins */
	MemoryContext context;
	const KeyTarget *target;
	unsigned char *bins;		/* null: none yet */
	Size		bins_bytes;		/* 0: there will be none */
};

/*
 * The number of distinct keys that can be in the array: they are serialized.
 */
static inline uint32
blt_max_gathered_keys(int words)
{
	return BBF_MAX_MESSAGE_WORDS / words;
}

/* Sort hashes of one word, ascending.  It can be interrupted. */
extern void blt_sort_hashes(uint64_t *hashes, size_t n);

/*
 * Prepare an array without keys, of which all fields are zero.  max_copies
 * and max_list stay zero unless the caller sets them.
 */
extern void blt_init_gathered_keys(GatheredKeys *keys, MemoryContext context,
								   const KeyTarget *target, int words, Size bins_bytes);

/* Make room in the array, which is full. */
extern void blt_make_room(GatheredKeys *keys);

/*
 * Remove the copies of keys that do not count.  Error: too many distinct keys.
 */
extern void blt_remove_copies(GatheredKeys *keys);

/*
 * If there are bins, or are to be and the hashes take more than half of their
 * space, add all hashes to the bins and empty the array.
 */
extern void blt_flush_keys(GatheredKeys *keys);

/* Gather the keys of another state, of the same parameters. */
extern void blt_merge_keys(GatheredKeys *keys, GatheredKeys *other);

/*
 * Sort the hashes, of one word, which may have copies; returns how many are
 * distinct.
 */
extern uint32 blt_sort_keys(GatheredKeys *keys);

/*
 * How many keys are in the array?  It may have copies; the first words of
 * hashes distinguish keys.  Error: too many.
 */
extern uint32 blt_count_keys(GatheredKeys *keys);

/*
 * Flush the keys and allocate a message (core/aggregate_message.h), which has
 * all but its header.  Error: too many distinct keys.
 */
extern bytea *blt_write_keys(GatheredKeys *keys, Size header_bytes);

/*
 * Take the hashes of a message, or its bins, of keys->bins_bytes; there are
 * no keys yet.
 */
extern void blt_read_keys(GatheredKeys *keys, bool has_bins, const unsigned char *payload,
						  Size nbytes);

/* The error for a message that cannot be read, unless the reason is null. */
extern void blt_check_message(const char *reason);

/* Gather the hash of a key, of keys->words words. */
static pg_attribute_always_inline void
blt_gather_hash(GatheredKeys *keys, const uint64_t *hash, int words)
{
	/* it may be one of the last */
	if (keys->recent != NULL)
	{
		uint64_t   *recent = &keys->recent[(hash[0] >> (64 - RECENT_BITS)) * words];
		int			i = 0;

		while (i < words && recent[i] == hash[i])
			i++;
		if (i == words)
			return;
		memcpy(recent, hash, words * sizeof(uint64));
	}
	memcpy(keys->hashes + (Size) keys->nhashes * words, hash, words * sizeof(uint64));
	if (unlikely(++keys->nhashes == keys->room))
		blt_make_room(keys);
}

#endif							/* BLOOMTYPE_GATHERED_KEYS_H */
