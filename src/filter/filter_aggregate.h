/*
 * filter_aggregate.h
 *	  The aggregates that build a filter from a column: TYPE_agg, in its forms
 *	  (value), (value, fpp) and (value, capacity, fpp).
 *
 * The result depends on the set of keys alone, not on their order or on how
 * many processes shared the work; nor on duplicates, except that those count
 * in a counting Bloom filter, up to 15, where counters end.
 *
 * Limits: an aggregate without a capacity, and cuckoo_agg in any case, takes up to
 * 100 million distinct keys in each state, at 8 to 16 bytes each, up to 32 if they
 * repeat.  In counting_bloom_agg up to 15 copies of each key count towards that.
 */
#ifndef BLOOMTYPE_FILTER_AGGREGATE_H
#define BLOOMTYPE_FILTER_AGGREGATE_H

#include "core/image.h"
#include "filter/gathered_keys.h"
#include "fmgr.h"

/*
 * The body of TYPE_agg_transition: (state, value), (state, value, fpp) or
 * (state, value, capacity, fpp).
 */
extern Datum blt_agg_transition(FunctionCallInfo fcinfo, BbfKind kind);

/*
 * The body of TYPE_agg_final, for a kind to which many keys can be added in any
 * order.
 */
extern Datum blt_agg_final(FunctionCallInfo fcinfo, BbfKind kind);

/*
 * For a kind with a final function of its own: flush and sort the state, and set
 * the metadata of a result without keys.  Returns null if there were no rows, or
 * nulls only, so that this is the result.  The state may go on taking keys.
 */
extern GatheredKeys *blt_agg_finish(FunctionCallInfo fcinfo, BbfKind kind,
									BbfMeta *meta);

#endif							/* BLOOMTYPE_FILTER_AGGREGATE_H */
