/*
 * external_agg_state.h
 *	  The transition state of external_bloom_agg: the keys of a group, and
 *	  what filter of another system they are for.
 *
 * Hashes stay in the array where the number of distinct keys decides
 * something: the size of the filter, or the number of keys in its header.
 * The result depends on the set of hashes alone.
 */
#ifndef BLOOMTYPE_EXTERNAL_AGG_STATE_H
#define BLOOMTYPE_EXTERNAL_AGG_STATE_H

#include "filter/gathered_keys.h"
#include "interchange/external.h"

typedef struct ExternalAggState
{
	GatheredKeys keys;			/* must be first */
	const BbfExternalFormat *format;
	uint64		capacity;		/* 0: the number of distinct keys */
	double		parameter;
	BbfExternalMeta *meta;		/* of the filter, where the capacity is given */
} ExternalAggState;

/*
 * A state without keys.  Errors: those of the parameters; there is no such
 * filter.
 */
extern ExternalAggState *blt_new_external_agg_state(MemoryContext context,
													const BbfExternalFormat *format,
													uint64 capacity, double parameter);

/* The filter of all keys.  The state may go on taking keys. */
extern bytea *blt_external_filter(ExternalAggState *state);

/*
 * To a message (interchange/external_message.h), and from one.  Error: it is
 * none.
 */
extern bytea *blt_serialize_external_agg_state(ExternalAggState *state);
extern ExternalAggState *blt_deserialize_external_agg_state(const bytea *bytes);

#endif							/* BLOOMTYPE_EXTERNAL_AGG_STATE_H */
