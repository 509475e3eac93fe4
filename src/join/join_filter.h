/*
 * join_filter.h
 *	  The filter of one join while a query runs: hashes of the keys of its
 *	  inner side.
 *
 * Hashes are gathered as keys come.  If they are few, the filter is sized for
 * them at the end.  If there are more than fit the memory, they go into a
 * filter of the largest size, which is folded at the end.  A filter with too
 * little room passes all rows.
 *
 * Until all keys are added, a filter passes all.
 */
#ifndef BLOOMTYPE_JOIN_FILTER_H
#define BLOOMTYPE_JOIN_FILTER_H

#include "core/blocked.h"
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
 * follow.
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
	uint64		nkeys;
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
#define JOIN_FORMAT_REVISION	2
#define JOIN_FILTER_FORMAT \
	(JOIN_FORMAT_REVISION << 16 | (int) sizeof(SharedJoinFilter) << 8 | JOIN_FILTER_PROBES)

typedef struct JoinFilter
{
	/* what each row probes */
	const unsigned char *blocks;	/* NULL: all pass */
	uint32		nblocks;

	/* what happened to it */
	bool		is_complete;	/* all keys are added */
	bool		is_too_full;	/* there were too many keys */
	uint64		nkeys;			/* rows with a key */
	double		rate;			/* of keys that pass by chance, when complete */
	Size		most_bytes;		/* greatest size of the memory below */

	/* while keys are added */
	uint64	   *hashes;			/* first these, */
	uint32		nhashes;
	uint32		max_hashes;
	uint32		hashes_limit;	/* beyond which blocks are used */
	uint32		max_blocks;		/* most_blocks, or those of a shared filter */
	uint32		most_blocks;	/* that fit the memory; a power of two */
	uint64		nset;
	unsigned char *building;	/* then these blocks, max_blocks many */

	SharedJoinFilter *shared;	/* NULL: the keys are all of this process */
	bool		has_begun;		/* a part of it */

	MemoryContext context;		/* what is allocated, but for this record */
} JoinFilter;

/* About how many keys a filter can have before it passes all rows */
extern double blt_join_filter_capacity(void);

/*
 * A filter without keys, in a memory context of its own below the one given.
 */
extern JoinFilter *blt_join_create_filter(MemoryContext parent);

/*
 * Forget all keys: from now on the filter passes all, until it is complete
 * again.
 */
extern void blt_join_reset_filter(JoinFilter *filter);

/* Add a key.  Not for a complete filter. */
extern void blt_join_add_to_filter(JoinFilter *filter, uint64 hash);

/* All keys are added. */
extern void blt_join_complete_filter(JoinFilter *filter);

/* How many blocks a shared filter for this number of keys has, and its size */
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

/* May a row with this key have a partner? */
static inline bool
blt_join_filter_passes(const JoinFilter *filter, uint64 hash)
{
	return bbf_blocks_contain(filter->blocks, filter->nblocks, JOIN_FILTER_PROBES, hash);
}

#endif							/* BLOOMTYPE_JOIN_FILTER_H */
