/*
 * filter_aggregate.h
 *	  The aggregates that build a filter from a column: TYPE_agg, in its forms
 *	  (value), (value, fpp) and (value, capacity, fpp).
 *
 * The result depends on the set of keys alone, not on their order or on how
 * many processes shared the work; nor on duplicates, except that those count
 * in a counting Bloom filter, up to 15, where counters end.
 *
 * Limits: an aggregate without a capacity, and cuckoo_agg in any case, takes
 * up to 100 million distinct keys in each state, at 8 to 16 bytes each, up to
 * 32 if they repeat.  In counting_bloom_agg up to 15 copies of each key count
 * towards that.
 */
#ifndef BLOOMTYPE_FILTER_AGGREGATE_H
#define BLOOMTYPE_FILTER_AGGREGATE_H

#include "core/image.h"
#include "filter/call_cache.h"
#include "filter/filter_agg_state.h"
#include "filter/filter_parameters.h"
#include "fmgr.h"
#include "key/key_match.h"

/*
 * The state of a group at its first row.  Errors: the parameters in the row
 * are not valid, or ask for too large a filter.
 */
extern FilterAggState *blt_agg_start_group(FunctionCallInfo fcinfo, BbfKind kind);

/* Error unless the parameters of a row are valid, and those of the group. */
extern void blt_agg_check_parameters(FunctionCallInfo fcinfo,
									 const FilterAggState *state);

/*
 * Are the parameters of a row those of the group, which are valid?  False also
 * where the answer takes longer: with a null capacity.
 */
static inline bool
blt_agg_same_parameters(FunctionCallInfo fcinfo, const FilterAggState *state)
{
	int			fpp_argno = PG_NARGS() - 1;

	return PG_NARGS() == 2 ||
		((PG_NARGS() == 3 ||
		  (!PG_ARGISNULL(2) && state->capacity > 0 &&
		   PG_GETARG_FLOAT8(2) == (float8) state->capacity)) &&
		 !PG_ARGISNULL(fpp_argno) && PG_GETARG_FLOAT8(fpp_argno) == state->fpp);
}

/* Take the family of the first key; check that of every other. */
static inline void
blt_agg_match_family(FilterAggState *state, BloomKey key)
{
	blt_check_key(state->routine->kind, state->family, state->subtype, key, BLT_KEY_IS_ADDED);
	state->family = key.family;
	state->subtype = key.subtype;
}

/*
 * The bodies of TYPE_agg_transition are inlined, with the kind as a constant:
 * a call would take 23 instructions more for each row, as callgrind counts
 * them for bloom_agg(bigint).
 */

/* The state for a row, which is that of a new group if there is none. */
static pg_attribute_always_inline FilterAggState *
blt_agg_state_for_row(FunctionCallInfo fcinfo, BbfKind kind)
{
	FilterAggState *state;

	if (unlikely(PG_ARGISNULL(0)))
		return blt_agg_start_group(fcinfo, kind);
	state = (FilterAggState *) PG_GETARG_POINTER(0);
	if (unlikely(!blt_agg_same_parameters(fcinfo, state)))
		blt_agg_check_parameters(fcinfo, state);
	return state;
}

static pg_attribute_always_inline void
blt_agg_add_key(FilterAggState *state, BloomKey key)
{
	uint64_t	hash = key.hash;

	blt_agg_match_family(state, key);
	blt_gather_hash(&state->keys, &hash, 1);
}

/* Of (state, value), (state, value, fpp) or (state, value, capacity, fpp). */
static pg_attribute_always_inline Datum
blt_agg_transition(FunctionCallInfo fcinfo, BbfKind kind)
{
	FilterAggState *state = blt_agg_state_for_row(fcinfo, kind);

	if (!PG_ARGISNULL(1))
	{
		KeyHasher  *hasher = blt_call_hasher(blt_call_cache(fcinfo), fcinfo, 1);

		blt_agg_add_key(state, blt_hash_key(hasher, PG_GETARG_DATUM(1)));
	}
	PG_RETURN_POINTER(state);
}

/*
 * The same where the value is a bloom_key: without a hasher, so that nothing
 * is looked up where each row comes with a new FmgrInfo.
 */
static pg_attribute_always_inline Datum
blt_agg_key_transition(FunctionCallInfo fcinfo, BbfKind kind)
{
	FilterAggState *state = blt_agg_state_for_row(fcinfo, kind);

	if (!PG_ARGISNULL(1))
		blt_agg_add_key(state, blt_read_key(PG_GETARG_DATUM(1)));
	PG_RETURN_POINTER(state);
}

/*
 * The body of TYPE_agg_final, for a kind to which many keys can be added in
 * any order.
 */
extern Datum blt_agg_final(FunctionCallInfo fcinfo, BbfKind kind);

/*
 * For a kind with a final function of its own: flush and sort the state, and
 * set the metadata of the result, but for its layer.  Returns null if there
 * were no rows, or nulls only, so that there is none.  The state may go on
 * taking keys.
 */
extern FilterAggState *blt_agg_finish(FunctionCallInfo fcinfo, BbfKind kind,
									  BbfMeta *meta);

#endif							/* BLOOMTYPE_FILTER_AGGREGATE_H */
