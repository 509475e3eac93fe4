/*
 * external_agg_state.c
 *	  Keeps the array of hashes small, counts the keys, and moves them into a filter.
 */
#include "compat.h"

#include "external/external_agg_state.h"

#include "common/pg_prng.h"
#include "core/distinct.h"
#include "external/external_datum.h"
#include "external/external_format.h"
#include "filter/filter_pieces.h"
#include "filter/state_message.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

/* The array starts with few hashes: small groups must cost little. */
#define FIRST_ROOM			8

/*
 * A full array of fewer hashes is just doubled; from one of more, copies are removed
 * if a sample shows that there are many.
 */
#define DISTINCT_FROM_ROOM	1024
#define SAMPLE_SIZE			1024

/* Room of the array when it is the buffer in front of a filter. */
#define BATCH_ROOM			1024

/* A gigabyte. */
#define MAX_ROOM(format)	(((uint32) 1 << 27) / (format)->hash_words)

/* Hashes in a piece, and probes in one of those, between which a query can be cancelled. */
#define HASHES_IN_PIECE		65536
#define PROBES_IN_PIECE		(16 * HASHES_IN_PIECE)

/* Hashes of two and of four words, sorted word by word. */

typedef struct TwoWords
{
	uint64_t	word[2];
} TwoWords;

typedef struct FourWords
{
	uint64_t	word[4];
} FourWords;

static inline int
compare_words(const uint64_t *a, const uint64_t *b, int words)
{
	for (int i = 0; i < words; i++)
	{
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

#define ST_SORT sort_two_words
#define ST_ELEMENT_TYPE TwoWords
#define ST_COMPARE(a, b) compare_words((a)->word, (b)->word, 2)
#define ST_SCOPE static
#define ST_DEFINE
#define ST_CHECK_FOR_INTERRUPTS
#include "lib/sort_template.h"

#define ST_SORT sort_four_words
#define ST_ELEMENT_TYPE FourWords
#define ST_COMPARE(a, b) compare_words((a)->word, (b)->word, 4)
#define ST_SCOPE static
#define ST_DEFINE
#define ST_CHECK_FOR_INTERRUPTS
#include "lib/sort_template.h"

StaticAssertDecl(BBF_EXTERNAL_MAX_HASH == 4, "all hashes can be sorted");

static uint64_t *
hash_at(const ExternalState *state, uint32 i)
{
	return state->hashes + (Size) i * state->format->hash_words;
}

static void
set_room(ExternalState *state, uint32 room)
{
	state->hashes = repalloc_huge(state->hashes,
								  (Size) room * state->format->hash_words * sizeof(uint64));
	state->room = room;
}

ExternalState *
blt_new_external_state(MemoryContext context, const BbfExternalFormat *format,
					   uint64 capacity, double parameter)
{
	ExternalState *state = MemoryContextAllocZero(context, sizeof(ExternalState));

	blt_check_external_parameter(format, parameter);
	state->context = context;
	state->format = format;
	state->capacity = capacity;
	state->parameter = parameter;
	if (capacity > 0)
	{
		BbfExternalMeta meta;

		blt_size_external(format, capacity, parameter, &meta);
		state->meta = blt_keep_external_meta(context, &meta);
	}
	state->room = FIRST_ROOM;
	state->hashes = MemoryContextAlloc(context, FIRST_ROOM * format->hash_words *
									   sizeof(uint64));
	return state;
}

/* Does the number of distinct keys decide something? */
static bool
counts_keys(const ExternalState *state)
{
	return state->capacity == 0 || state->format->set_keys != NULL;
}

/* Leave one of each of n words; returns how many are left. */
static uint32
distinct_words(uint64_t *words, uint32 n)
{
	uint64_t   *slots = palloc(bbf_distinct_slots(n) * sizeof(uint64));

	n = bbf_distinct(words, n, slots, pg_prng_uint64(&pg_global_prng_state),
					 blt_check_for_interrupts);
	pfree(slots);
	return n;
}

/* Leave one of each of the hashes; returns how many are left, all words compared. */
static uint32
distinct_hashes(const ExternalState *state)
{
	int			words = state->format->hash_words;
	uint32		nleft = 0;

	if (words == 1)
		return distinct_words(state->hashes, state->nhashes);
	if (words == 2)
		sort_two_words((TwoWords *) state->hashes, state->nhashes);
	else
		sort_four_words((FourWords *) state->hashes, state->nhashes);

	for (uint32 i = 0; i < state->nhashes; i++)
	{
		if (i % HASHES_IN_PIECE == 0)
			CHECK_FOR_INTERRUPTS();
		if (i > 0 && compare_words(hash_at(state, i), hash_at(state, nleft - 1), words) == 0)
			continue;
		if (i != nleft)
			memcpy(hash_at(state, nleft), hash_at(state, i), words * sizeof(uint64));
		nleft++;
	}
	return nleft;
}

/* Error if there are more distinct keys than the limit. */
static void
check_number_of_keys(const ExternalState *state, uint32 nkeys)
{
	if (nkeys > blt_external_max_keys(state->format))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many distinct keys for a filter of format \"%s\"%s",
						state->format->name,
						state->format->set_keys != NULL ? "" : " that is sized by their number"),
				 errdetail("The limit is %u keys.", blt_external_max_keys(state->format)),
				 state->format->set_keys != NULL || state->format->parameter != BBF_EXTERNAL_FPP ?
				 errhint("Split the keys over several filters.") :
				 errhint("Give the capacity: external_bloom_agg(value, '%s', capacity, fpp).",
						 state->format->name)));
}

static void
remove_copies(ExternalState *state)
{
	state->nhashes = distinct_hashes(state);
	check_number_of_keys(state, state->nhashes);
}

/*
 * Is more than a quarter of the array copies?  Without copies, some 512 hashes have a
 * first word below a limit.  All copies of a hash are on the same side of it, so that
 * the distinct ones below tell the share of distinct ones in all; or in the sample,
 * where that is full.
 */
static bool
many_copies(const ExternalState *state)
{
	const uint32 expected = SAMPLE_SIZE / 2;
	uint64_t	sample[SAMPLE_SIZE];
	uint64		limit = PG_UINT64_MAX / state->nhashes * expected;
	uint32		n = 0;

	for (uint32 i = 0; i < state->nhashes && n < SAMPLE_SIZE; i++)
	{
		uint64_t	word = *hash_at(state, i);

		if (i % HASHES_IN_PIECE == 0)
			CHECK_FOR_INTERRUPTS();
		if (word < limit)
			sample[n++] = word;
	}
	return distinct_words(sample, n) < Max(n, expected) / 4 * 3;
}

/* The number of distinct keys, as the first words of their hashes tell them apart. */
static uint32
count_keys(ExternalState *state)
{
	uint64_t   *words;
	uint32		nkeys;

	if (state->format->hash_words == 1)
	{
		state->nhashes = distinct_words(state->hashes, state->nhashes);
		return state->nhashes;
	}
	words = MemoryContextAllocHuge(CurrentMemoryContext,
								   Max(state->nhashes, 1) * sizeof(uint64));
	for (uint32 i = 0; i < state->nhashes; i++)
	{
		if (i % HASHES_IN_PIECE == 0)
			CHECK_FOR_INTERRUPTS();
		words[i] = *hash_at(state, i);
	}
	nkeys = distinct_words(words, state->nhashes);
	pfree(words);
	return nkeys;
}

static void
add_hashes(const ExternalState *state, const BbfExternalMeta *meta, unsigned char *bytes)
{
	uint32		piece = PROBES_IN_PIECE / Max(meta->links[0].nprobes, 16);

	for (uint32 i = 0; i < state->nhashes; i += piece)
	{
		CHECK_FOR_INTERRUPTS();
		bbf_external_add_many(state->format, meta, bytes, hash_at(state, i),
							  Min(piece, state->nhashes - i));
	}
}

/* An empty filter, in the current memory context. */
static bytea *
new_filter(const BbfExternalFormat *format, const BbfExternalMeta *meta)
{
	bytea	   *filter = blt_alloc_filter(meta->length);

	blt_clear(blt_filter_bytes(filter), meta->length);
	bbf_external_write(format, meta, blt_filter_bytes(filter));
	return filter;
}

static void
open_filter(ExternalState *state)
{
	MemoryContext old_context = MemoryContextSwitchTo(state->context);

	state->filter = new_filter(state->format, state->meta);
	MemoryContextSwitchTo(old_context);
}

static void
move_to_filter(ExternalState *state)
{
	if (state->filter == NULL)
		open_filter(state);
	add_hashes(state, state->meta, blt_filter_bytes(state->filter));
	state->nhashes = 0;
	if (state->room > BATCH_ROOM)
		set_room(state, BATCH_ROOM);
}

/* Would so many hashes take more than half of the space of the filter to be? */
static bool
filter_pays(const ExternalState *state, uint32 nhashes)
{
	return !counts_keys(state) &&
		(double) nhashes * state->format->hash_words * sizeof(uint64) >
		state->meta->length / 2.0;
}

/* Move all hashes into the filter, if there is one or is to be. */
static void
flush_keys(ExternalState *state)
{
	if (state->filter != NULL || filter_pays(state, state->nhashes))
		move_to_filter(state);
}

void
blt_make_external_room(ExternalState *state)
{
	uint32		max_room = MAX_ROOM(state->format);

	if (state->filter != NULL || filter_pays(state, state->room))
	{
		/* a buffer for batches, however small the filter */
		if (state->room < BATCH_ROOM)
			set_room(state, state->room * 2);
		else
			move_to_filter(state);
		return;
	}
	if (counts_keys(state) && state->room >= DISTINCT_FROM_ROOM &&
		(state->room == max_room || many_copies(state)))
		remove_copies(state);
	if (state->nhashes > state->room / 2 && state->room < max_room)
		set_room(state, state->room * 2);
}

void
blt_merge_external_state(ExternalState *state, ExternalState *other)
{
	if (other->filter != NULL)
	{
		if (state->filter == NULL)
			open_filter(state);
		bbf_external_unite(state->meta, blt_filter_bytes(state->filter),
						   other->meta, blt_filter_bytes(other->filter),
						   blt_check_for_interrupts);
	}
	for (uint32 i = 0; i < other->nhashes; i++)
	{
		if (i % HASHES_IN_PIECE == 0)
			CHECK_FOR_INTERRUPTS();
		blt_gather_external(state, hash_at(other, i));
	}
}

/* Set the number of keys in the head, of a format that has one. */
static void
set_keys(const ExternalState *state, BbfExternalMeta *meta, unsigned char *bytes,
		 uint32 nkeys)
{
	const char *reason = NULL;

	if (state->format->set_keys != NULL)
		reason = state->format->set_keys(meta, bytes, nkeys);
	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many keys for a filter of format \"%s\" with a capacity of %llu",
						state->format->name, (unsigned long long) state->capacity),
				 errdetail("There are %u distinct keys.", nkeys),
				 errhint("Give a larger capacity, or none: external_bloom_agg(value, '%s', %g).",
						 state->format->name, state->parameter)));
}

bytea *
blt_external_filter(ExternalState *state)
{
	BbfExternalMeta *meta = state->meta;
	BbfExternalMeta by_number;
	bytea	   *filter;
	uint32		nkeys = 0;

	flush_keys(state);
	if (state->filter != NULL)
		return blt_make_bytea(blt_filter_bytes(state->filter), state->meta->length);

	if (counts_keys(state))
	{
		nkeys = count_keys(state);
		check_number_of_keys(state, nkeys);
	}
	if (meta == NULL)
	{
		blt_size_external(state->format, nkeys, state->parameter, &by_number);
		meta = &by_number;
	}
	filter = new_filter(state->format, meta);
	add_hashes(state, meta, blt_filter_bytes(filter));
	set_keys(state, meta, blt_filter_bytes(filter), nkeys);
	return filter;
}

bytea *
blt_serialize_external_state(ExternalState *state)
{
	BbfExternalMessage message;
	Size		head_bytes = bbf_external_message_header_bytes(state->format);
	bytea	   *result;
	unsigned char *payload;

	flush_keys(state);
	if (state->nhashes > blt_external_max_keys(state->format))
		remove_copies(state);
	message.format = state->format;
	message.capacity = state->capacity;
	message.parameter = state->parameter;
	message.has_filter = state->filter != NULL;
	message.nbytes = message.has_filter ? state->meta->links[0].nbytes :
		(Size) state->nhashes * state->format->hash_words * sizeof(uint64);

	result = blt_alloc_state(head_bytes, message.nbytes, &payload);
	bbf_external_message_write(&message, (unsigned char *) VARDATA(result));
	if (message.has_filter)
		blt_copy(payload, blt_filter_bytes(state->filter) + state->meta->links[0].offset,
				 message.nbytes);
	else
		bbf_message_put_words(payload, state->hashes, message.nbytes / sizeof(uint64),
							blt_check_for_interrupts);
	return result;
}

ExternalState *
blt_deserialize_external_state(const bytea *bytes)
{
	BbfExternalMessage message;
	ExternalState *state;

	blt_check_state(bbf_external_message_read((const unsigned char *) VARDATA_ANY(bytes),
											VARSIZE_ANY_EXHDR(bytes), &message));
	state = blt_new_external_state(CurrentMemoryContext, message.format, message.capacity,
								   message.parameter);
	if (message.has_filter)
	{
		blt_check_state(bbf_external_message_check_bits(&message, state->meta));
		open_filter(state);
		blt_copy(blt_filter_bytes(state->filter) + state->meta->links[0].offset,
				 message.payload, message.nbytes);
	}
	else
	{
		Size		nwords = message.nbytes / sizeof(uint64);
		uint32		n = nwords / message.format->hash_words;

		set_room(state, Max(pg_nextpower2_32(n + 1), FIRST_ROOM));
		bbf_message_get_words(message.payload, state->hashes, nwords,
							blt_check_for_interrupts);
		state->nhashes = n;
	}
	return state;
}
