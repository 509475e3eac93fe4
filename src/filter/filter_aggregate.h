/*
 * filter_aggregate.h
 *	  What the aggregates that build a filter from a column have in common.
 *
 * A filter is never touched row by row: in one that is larger than the cache
 * every key would wait for memory.  Hashes gather in an array.
 *
 *	(value [, fpp])
 *		When the array is full duplicates are removed, and it grows if that
 *		has not made room.  The number of distinct keys at the end sizes the
 *		filter.
 *	(value, capacity, fpp)
 *		Past 128 hashes the array becomes the buffer in front of the one layer
 *		that this capacity asks for, whatever comes: same parameters, same
 *		geometry.  (Not for a cuckoo filter, whose keys are added in order.)
 *
 * The result depends on the set of keys alone, not on their order or on how
 * many processes shared the work; nor on duplicates, except that those count
 * in a counting Bloom filter, up to 15, where counters end.
 *
 * Limits: sized by itself, and for a cuckoo filter in any case, up to 100
 * million keys, at 8 to 16 bytes each, up to 32 where they repeat; where
 * duplicates count, each of a key, up to 15, is a key of these.
 */
#ifndef BLOOMTYPE_FILTER_AGGREGATE_H
#define BLOOMTYPE_FILTER_AGGREGATE_H

#include "compat.h"

#include "core/image.h"
#include "fmgr.h"
#include "filter/filter_parameters.h"

typedef struct AggState
{
	/* what every row uses, on one cache line */
	uint64	   *hashes;			/* gathered, and not yet in blocks */
	uint32		nhashes;		/* always less than room */
	uint32		room;
	uint64	   *recent;			/* by their upper bits; or null */
	uint32		signature;
	uint16		family;			/* of the keys; none before the first */

	uint32		ndistinct;		/* the first so many hashes have no copies to
								 * remove */
	MemoryContext context;
	BbfKind		kind;
	int64		capacity;		/* 0: sized by itself */
	double		fpp;

	unsigned char *blocks;		/* the layer, while there is one; or null */
	uint32		nblocks;
	int			nprobes;
} AggState;

/*
 * The state in a call of a final function, whose aggregate makes this kind of
 * filter; null where there was no row.  Either has blocks, which have all keys,
 * or has in hashes each key as often as it counts.  May go on taking keys.
 */
extern AggState *bloomtype_agg_settled(FunctionCallInfo fcinfo, BbfKind kind);

/* Sort the hashes of a settled state; returns how many are distinct. */
extern uint32 bloomtype_agg_sort(AggState *state);

/* Keys that the layer of an aggregate whose capacity is given is made for. */
static inline uint64
bloomtype_agg_capacity(const AggState *state)
{
	return state->kind == BBF_KIND_CUCKOO ? (uint64) state->capacity :
		bloomtype_first_capacity(state->capacity, DEFAULT_GROWTH);
}

/* That layer, without its blocks. */
extern BbfGeometry bloomtype_agg_geometry(const AggState *state);

/* Add hashes to blocks, of bits or of counters, in pieces that can be interrupted. */
extern void bloomtype_agg_fill(BbfKind kind, unsigned char *blocks,
							   uint32 nblocks, int nprobes,
							   const uint64 *hashes, uint32 n);

/* A warning, once for a call site, if a result holds more keys than its capacity. */
extern void bloomtype_agg_warn_if_overfull(FunctionCallInfo fcinfo,
										   const BbfImage *image);

#endif							/* BLOOMTYPE_FILTER_AGGREGATE_H */
