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
#include "port/atomics.h"
#include "storage/lwlock.h"

/*
 * As few as the branch-free probe takes: at 12 bits a key, fewer than 1 %
 * pass by chance.
 */
#define JOIN_FILTER_PROBES 4

/*
 * A filter that several processes build together, in shared memory.  Each
 * builds the part of its own rows, and merges that into the blocks, which
 * follow.  As long as all keys are integers in a range that is small enough, a
 * bitmap is in the first half of their memory.
 *
 * The first member is the same in all releases: see JOIN_FILTER_FORMAT.
 */
typedef struct SharedJoinFilter
{
	pg_atomic_uint32 format;	/* 0: a process could not add its rows */
	LWLock		lock;			/* of all below */
	uint32		nblocks;
	uint32		nbegun;			/* processes that build a part, */
	uint32		nmerged;		/* and of these, those whose part is merged */
	bool		is_too_full;
	bool		is_bitmap;
	uint64		nkeys;
	JoinRange	range;			/* of integers, if there are any */
} SharedJoinFilter;

/*
 * What the processes of one query must agree on.  A session keeps the library
 * that it has loaded, while its parallel workers load the one that is
 * installed.  So the leader's number is in the plan and in the shared memory;
 * a process that finds a different one passes its rows on, and neither probes
 * nor adds them.
 *
 * JOIN_FORMAT_REVISION is incremented whenever the hash of a key changes, or
 * how the hashes of several columns are combined, how a hash selects its bits,
 * the members of SharedJoinFilter, or the lists in custom_private.
 */
#define JOIN_FORMAT_REVISION	4
#define JOIN_FILTER_FORMAT \
	(JOIN_FORMAT_REVISION << 16 | (int) sizeof(SharedJoinFilter) << 8 | JOIN_FILTER_PROBES)

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
	JoinRange	range;			/* of integers, if there are any */
	double		rate;			/* of keys that pass by chance, when complete */
	Size		most_bytes;		/* greatest size of the memory below */

	/* while keys are added */
	uint64	   *gathered;		/* first these keys, */
	uint32		ngathered;
	uint32		max_gathered;
	uint32		gathered_limit;
	JoinBitmap	bitmap;			/* then this one of integers, */
	unsigned char *building;	/* and then these blocks, max_blocks many */
	uint32		max_blocks;		/* most_blocks, or those of a shared filter */
	uint32		most_blocks;	/* that fit the memory; a power of two */
	uint64		nset;

	SharedJoinFilter *shared;	/* NULL: the keys are all of this process */
	bool		has_begun;		/* a part of it */

	MemoryContext context;		/* what is allocated, but for this record */
} JoinFilter;

/* About how many keys a filter can have before it passes all rows */
extern double blt_join_filter_capacity(void);

/*
 * A filter without keys, in a memory context of its own below the one given.
 * Its keys will be integers, or else hashes.
 */
extern JoinFilter *blt_join_create_filter(MemoryContext parent, bool is_of_integers);

/*
 * Forget all keys: from now on the filter passes all, until it is complete
 * again.
 */
extern void blt_join_reset_filter(JoinFilter *filter);

/*
 * Add a key to a filter of hashes, or to one of integers.  Not for a complete
 * filter.
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
 * How many blocks a shared filter has, whose size cannot be changed later, and
 * its size.  There may be more keys than expected: so it is never smaller than
 * the least memory of filters, which takes a hundred thousand.
 */
extern uint32 blt_join_shared_blocks(double nkeys);
extern Size blt_join_shared_size(uint32 nblocks);

/* Prepare shared memory of that size, or prepare it once more. */
extern void blt_join_init_shared(SharedJoinFilter *shared, uint32 nblocks);

/*
 * Make the shared filter at this address, which has another format, pass all
 * rows in every process.  Must be called before this process returns a row.
 */
extern void blt_join_spoil_shared(void *shared);

/* From now on, the filter is a part of a shared one; NULL: no longer. */
extern void blt_join_share(JoinFilter *filter, SharedJoinFilter *shared);

/*
 * The same as completing a filter, for a part of a shared one; begun before
 * the first key
 */
extern void blt_join_begin_part(JoinFilter *filter);
extern void blt_join_merge_part(JoinFilter *filter);

/* Use the blocks of the shared filter, if all parts are merged. */
extern void blt_join_adopt_shared(JoinFilter *filter);

/*
 * List the keys of a complete filter of integers, some perhaps twice.  Returns
 * how many there are, or -1 if they are too many, or are not known.
 */
extern int	blt_join_filter_keys(const JoinFilter *filter, int64 keys[JOIN_FEW_KEYS]);

/*
 * May a complete filter of integers, which is not too full, have a key in a
 * range?
 */
extern bool blt_join_filter_has_in(const JoinFilter *filter, JoinRange range);

/* Do all rows pass? */
static inline bool
blt_join_passes_all(const JoinFilter *filter)
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

#endif							/* BLOOMTYPE_JOIN_FILTER_H */
