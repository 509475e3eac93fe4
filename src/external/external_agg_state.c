/*
 * external_agg_state.c
 *	  Makes filters of other systems of gathered keys, and messages of both.
 */
#include "compat.h"

#include "external/external_agg_state.h"

#include "external/external_datum.h"
#include "external/external_format.h"
#include "filter/filter_pieces.h"
#include "interchange/external_message.h"
#include "miscadmin.h"

StaticAssertDecl(BBF_EXTERNAL_MAX_HASH == 4, "gathered hashes have at most four words");

/* Probes in a piece of work between which a query can be cancelled. */
#define PROBES_IN_PIECE		((uint32) 1 << 20)

/* Add all hashes of the array to a filter. */
static void
add_hashes(const ExternalAggState *state, const BbfExternalMeta *meta, unsigned char *filter)
{
	const GatheredKeys *keys = &state->keys;
	uint32		piece = PROBES_IN_PIECE / Max(meta->links[0].nprobes, 16);

	for (uint32 i = 0; i < keys->nhashes; i += piece)
	{
		CHECK_FOR_INTERRUPTS();
		bbf_external_add_many(state->format, meta, filter,
							  keys->hashes + (Size) i * keys->words,
							  Min(piece, keys->nhashes - i));
	}
}

/* A filter without keys, in the current memory context. */
static bytea *
new_filter(const BbfExternalFormat *format, const BbfExternalMeta *meta)
{
	bytea	   *filter = blt_alloc_filter(meta->length);

	blt_clear(blt_filter_bytes(filter), meta->length);
	bbf_external_write(format, meta, blt_filter_bytes(filter));
	return filter;
}

/* The filter whose bits are the bins of a state. */
static unsigned char *
filter_around(const GatheredKeys *keys)
{
	const ExternalAggState *state = (const ExternalAggState *) keys;

	return keys->bins - state->meta->links[0].offset;
}

static unsigned char *
open_bits(const GatheredKeys *keys)
{
	const ExternalAggState *state = (const ExternalAggState *) keys;
	MemoryContext old_context = MemoryContextSwitchTo(keys->context);
	bytea	   *filter = new_filter(state->format, state->meta);

	MemoryContextSwitchTo(old_context);
	return blt_filter_bytes(filter) + state->meta->links[0].offset;
}

static void
add_to_bits(const GatheredKeys *keys)
{
	const ExternalAggState *state = (const ExternalAggState *) keys;

	add_hashes(state, state->meta, filter_around(keys));
}

static void
unite_bits(const GatheredKeys *keys, const GatheredKeys *other)
{
	const BbfExternalMeta *meta = ((const ExternalAggState *) keys)->meta;

	bbf_external_unite(meta, filter_around(keys), meta, filter_around(other),
					   blt_check_for_interrupts);
}

static void
report_too_many_keys(const GatheredKeys *keys)
{
	const BbfExternalFormat *format = ((const ExternalAggState *) keys)->format;

	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 format->set_keys != NULL ?
			 errmsg("too many distinct keys for a filter of format \"%s\"", format->name) :
			 errmsg("too many distinct keys for a filter of format \"%s\" that is sized by their number",
					format->name),
			 errdetail("The limit is %u keys.", blt_max_gathered_keys(keys->words)),
			 format->set_keys != NULL || format->parameter != BBF_EXTERNAL_FPP ?
			 errhint("Split the keys over several filters.") :
			 errhint("Give the capacity: external_bloom_agg(value, '%s', capacity, fpp).",
					 format->name)));
}

static const KeyTarget external_target = {
	open_bits,
	add_to_bits,
	unite_bits,
	report_too_many_keys
};

ExternalAggState *
blt_new_external_agg_state(MemoryContext context, const BbfExternalFormat *format,
						   uint64 capacity, double parameter)
{
	ExternalAggState *state = MemoryContextAllocZero(context, sizeof(ExternalAggState));
	bool		has_bins = capacity > 0 && format->set_keys == NULL;

	blt_check_external_parameter(format, parameter);
	state->format = format;
	state->capacity = capacity;
	state->parameter = parameter;
	if (capacity > 0)
	{
		BbfExternalMeta meta;

		blt_size_external(format, capacity, parameter, &meta);
		state->meta = blt_keep_external_meta(context, &meta);
	}
	blt_init_gathered_keys(&state->keys, context, &external_target, format->hash_words,
						   has_bins ? state->meta->links[0].nbytes : 0);
	return state;
}

/* Set the number of keys in the header, of a format that has one. */
static void
set_keys(const ExternalAggState *state, BbfExternalMeta *meta, unsigned char *bytes,
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
blt_external_filter(ExternalAggState *state)
{
	GatheredKeys *keys = &state->keys;
	BbfExternalMeta *meta = state->meta;
	BbfExternalMeta by_number;
	bytea	   *filter;
	uint32		nkeys = 0;

	blt_flush_keys(keys);
	if (keys->bins != NULL)
		return blt_make_bytea(filter_around(keys), meta->length);

	if (keys->bins_bytes == 0)
		nkeys = blt_count_keys(keys);
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
blt_serialize_external_agg_state(ExternalAggState *state)
{
	BbfExternalMessage message;
	bytea	   *result;

	result = blt_write_keys(&state->keys, bbf_external_message_header_bytes(state->format));
	message.format = state->format;
	message.capacity = state->capacity;
	message.parameter = state->parameter;
	message.has_filter = state->keys.bins != NULL;
	bbf_external_message_write(&message, (unsigned char *) VARDATA(result));
	return result;
}

ExternalAggState *
blt_deserialize_external_agg_state(const bytea *bytes)
{
	BbfExternalMessage message;
	ExternalAggState *state;

	blt_check_message(bbf_external_message_read((const unsigned char *) VARDATA_ANY(bytes),
												VARSIZE_ANY_EXHDR(bytes), &message));
	state = blt_new_external_agg_state(CurrentMemoryContext, message.format,
									   message.capacity, message.parameter);
	if (message.has_filter)
		blt_check_message(bbf_external_message_check_bits(&message, state->meta));
	blt_read_keys(&state->keys, message.has_filter, message.payload, message.nbytes);
	return state;
}
