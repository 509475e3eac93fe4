/*
 * join_shared_filter.h
 *	  The filter of a join that several processes build together.
 */
#ifndef BLOOMTYPE_JOIN_SHARED_FILTER_H
#define BLOOMTYPE_JOIN_SHARED_FILTER_H

#include "join/join_filter.h"
#include "port/atomics.h"
#include "storage/lwlock.h"

/*
 * A filter in shared memory.  Each process builds the part of its own rows,
 * and merges that into the blocks, which follow.  As long as all keys are
 * integers in a range that is small enough, a bitmap is in the first half of
 * their memory.
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
	JoinInterval range;			/* of integers, if there are any */
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

/* The size of a shared filter with so many blocks */
extern Size blt_join_shared_size(uint32 nblocks);

/* Prepare shared memory of that size, or prepare it once more. */
extern void blt_join_init_shared(SharedJoinFilter *shared, uint32 nblocks);

/*
 * Make the shared filter at this address, which has another format, pass all
 * rows in every process.  Must be called before this process returns a row.
 */
extern void blt_join_spoil_shared(void *shared);

/*
 * The same as completing a filter, for a part of a shared one; begun before
 * the first key
 */
extern void blt_join_begin_part(JoinFilter *filter);
extern void blt_join_merge_part(JoinFilter *filter);

/* Use the blocks of the shared filter, if all parts are merged. */
extern void blt_join_adopt_shared(JoinFilter *filter);

#endif							/* BLOOMTYPE_JOIN_SHARED_FILTER_H */
