/*
 * external_agg_state.h
 *	  The keys of a group, on their way into a filter of another system: the state of
 *	  external_bloom_agg.
 *
 * Hashes gather in an array.  Where the number of distinct keys decides something, the
 * size of the filter or the number of keys in its head, they stay there until the end;
 * copies are removed when there are many.  Otherwise they move into the filter as soon
 * as they take more than half of its space.  The result depends on the set of hashes
 * alone.
 *
 * Limit: a gigabyte of hashes, and in it as many keys as blt_external_max_keys tells.
 */
#ifndef BLOOMTYPE_EXTERNAL_AGG_STATE_H
#define BLOOMTYPE_EXTERNAL_AGG_STATE_H

#include "core/aggregate_message.h"
#include "interchange/external_message.h"

typedef struct ExternalState
{
	uint64_t   *hashes;			/* of format->hash_words words each */
	uint32		nhashes;		/* always less than room */
	uint32		room;

	MemoryContext context;
	const BbfExternalFormat *format;
	uint64		capacity;		/* 0: the number of distinct keys */
	double		parameter;

	BbfExternalMeta *meta;		/* of the filter, where the capacity is given */
	bytea	   *filter;			/* while there is one; or null */
} ExternalState;

/* Distinct keys that can be gathered: 100, 50 or 25 million, by the size of a hash. */
static inline uint32
blt_external_max_keys(const BbfExternalFormat *format)
{
	return BBF_MAX_MESSAGE_WORDS / format->hash_words;
}

/* No keys yet.  Errors: those of the parameters; there is no such filter. */
extern ExternalState *blt_new_external_state(MemoryContext context,
											 const BbfExternalFormat *format,
											 uint64 capacity, double parameter);

/* Make room in the array, which is full.  Error: too many distinct keys. */
extern void blt_make_external_room(ExternalState *state);

/* Gather the hash of a key. */
static inline void
blt_gather_external(ExternalState *state, const uint64_t *hash)
{
	int			words = state->format->hash_words;
	uint64_t   *next = state->hashes + (Size) state->nhashes * words;

	for (int i = 0; i < words; i++)
		next[i] = hash[i];
	if (unlikely(++state->nhashes == state->room))
		blt_make_external_room(state);
}

/* Gather the keys of another state, of the same parameters. */
extern void blt_merge_external_state(ExternalState *state, ExternalState *other);

/* The filter of all keys.  The state may go on taking keys. */
extern bytea *blt_external_filter(ExternalState *state);

/* To a message (core/aggregate_message.h), and from one.  Error: it is none. */
extern bytea *blt_serialize_external_state(ExternalState *state);
extern ExternalState *blt_deserialize_external_state(const bytea *bytes);

#endif							/* BLOOMTYPE_EXTERNAL_AGG_STATE_H */
