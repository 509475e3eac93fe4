/*
 * join_filter.h
 *	  The filter of one join while a query runs: the keys of its inner side.
 *
 * A filter is a Bloom filter of the keys' hashes, or, if the join has a single
 * key, an integer, a bitmap of the keys.  A bitmap is exact and faster, and is
 * used where it is not larger than the Bloom filter would be.
 *
 * Keys are gathered as they come, and the filter is sized for them at the end.
 * More keys than fit the memory go into a bitmap, as long as their range is
 * small enough for it, or else into a Bloom filter of the largest size, which
 * is folded at the end.  A Bloom filter with too little room passes all rows.
 *
 * Until all keys are added, a filter passes all.
 */
#ifndef BLOOMTYPE_JOIN_FILTER_H
#define BLOOMTYPE_JOIN_FILTER_H

#include "core/blocked.h"
#include "join/join_bitmap.h"

/*
 * As few as the branch-free probe takes: at 12 bits a key, fewer than 1 %
 * pass by chance.
 */
#define JOIN_FILTER_PROBES 4

/* Of a bitmap that is in the memory of blocks */
#define JOIN_WORDS_OF_BLOCK (BBF_BLOCK_BITS / JOIN_BITMAP_WORD_BITS)

/* So many keys can be listed. */
#define JOIN_FEW_KEYS 256

typedef struct JoinFilter
{
	bool		is_of_integers; /* keys are integers, or else hashes */

	/* what each row probes; neither: all pass */
	JoinBitmapProbe probe;
	const unsigned char *blocks;
	uint32		nblocks;

	int64	   *few;			/* few keys of a filter with blocks, or NULL */

	/* what happened to it */
	bool		is_complete;	/* all keys are added */
	bool		is_too_full;	/* there were too many keys */
	bool		is_bitmap;
	uint32		nresets;		/* how often keys were forgotten */
	uint64		nkeys;			/* rows with a key */
	JoinInterval range;			/* of integers, if there are any */
	double		rate;			/* of keys that pass by chance, when complete */
	Size		peak_bytes;		/* greatest size of the memory below */

	/* while keys are added */
	uint64	   *gathered;		/* first these keys, */
	uint32		ngathered;
	uint32		max_gathered;
	uint32		gathered_limit;
	JoinBitmap	bitmap;			/* then this one of integers, */
	unsigned char *building;	/* and then these blocks, nblocks_building
								 * many */
	uint32		nblocks_building;	/* nblocks_limit, or those of a shared
									 * filter */
	uint32		nblocks_limit;	/* that fit the memory; a power of two */
	uint64		nset;

	struct SharedJoinFilter *shared;	/* that it is a part of, or NULL */
	bool		has_begun;		/* a part of it */

	MemoryContext context;		/* what is allocated, but for this record */
} JoinFilter;

/* About how many keys a filter can have before it passes all rows */
extern double blt_join_filter_capacity(void);

/*
 * A filter without keys, which will be integers, or else hashes.  They get a
 * memory context of their own.
 */
extern JoinFilter *blt_join_create_filter(bool is_of_integers);

/*
 * Forget all keys: from now on the filter passes all, until it is complete
 * again.
 */
extern void blt_join_reset_filter(JoinFilter *filter);

/*
 * Add a key to a filter of hashes, or to one of integers.  Not for a complete
 * filter, nor for one with too many keys.
 */
extern void blt_join_add_hash(JoinFilter *filter, uint64 hash);
extern void blt_join_add_integer(JoinFilter *filter, int64 key);

/* Pass all rows from now on, as if there were too many keys. */
extern void blt_join_give_up(JoinFilter *filter);

/* All keys are added. */
extern void blt_join_complete_filter(JoinFilter *filter);

/* The memory that is probed, in bytes */
extern Size blt_join_filter_size(const JoinFilter *filter);

/*
 * List the keys of a complete filter of integers, some perhaps twice.  Returns
 * how many there are, or -1 if they are too many, or are not known.
 */
extern int	blt_join_filter_keys(const JoinFilter *filter, int64 keys[JOIN_FEW_KEYS]);

/*
 * May a complete filter of integers, which is not too full, have a key in a
 * range?
 */
extern bool blt_join_filter_has_in(const JoinFilter *filter, JoinInterval range);

/* Do all rows pass? */
static inline bool
blt_join_is_open(const JoinFilter *filter)
{
	return filter->blocks == NULL && filter->probe.words == NULL;
}

/*
 * May a row whose key has this hash have a partner?  For filters with blocks.
 */
static inline bool
blt_join_filter_passes(const JoinFilter *filter, uint64 hash)
{
	return bbf_blocks_contain(filter->blocks, filter->nblocks, JOIN_FILTER_PROBES, hash);
}

/*
 * For a filter that is a part of another one
 */

/*
 * How many blocks take a number of keys, if their size cannot be changed
 * later.  There may be more keys than expected: so it is never smaller than
 * the least memory of filters, which takes a hundred thousand.
 */
extern uint32 blt_join_blocks_expected(double nkeys);

/*
 * Words of the bitmap that is in place of such blocks.  Where keys move to the
 * blocks, both are there.
 */
extern uint64 blt_join_building_words(uint32 nblocks);

/* Begin with a bitmap, or blocks, of that size, in place of an array. */
extern void blt_join_begin_fixed(JoinFilter *filter, uint32 nblocks);

/* A bitmap without keys, freed with those of the filter */
extern JoinBitmap blt_join_allocate_bitmap(JoinFilter *filter, uint64 nwords);

/* Free the memory of the keys. */
extern void blt_join_free_keys(JoinFilter *filter);

/*
 * Let probes use a bitmap, or blocks whose bits are counted, unless too many
 * are set.
 */
extern void blt_join_use_bitmap(JoinFilter *filter, JoinBitmap bitmap);
extern void blt_join_use_blocks(JoinFilter *filter, unsigned char *blocks);

#endif							/* BLOOMTYPE_JOIN_FILTER_H */
