/*
 * fuzz_state.c
 *	  Fuzz target: serialized states of aggregates.  What is accepted is written as the
 *	  same bytes, and makes a filter that is valid and has all keys of the state.
 *
 * Guards against states that crash whoever deserializes or combines them (tdigest
 * 1.4.4; an aggregate of pg_roaringbitmap that lost keys between workers).
 *
 *		1 byte	bit 0: of external_bloom_agg; bit 1: fit the payload to the bins
 *		...		message
 */
#include "compat.h"

#include "backend.h"
#include "core/aggregate_message.h"
#include "external/external_agg_state.h"
#include "filter/filter_aggregate.h"
#include "fuzz.h"
#include "interchange/external_message.h"

extern Datum bloomtype_agg_serialize(PG_FUNCTION_ARGS);
extern Datum bloomtype_agg_deserialize(PG_FUNCTION_ARGS);
extern Datum bloomtype_agg_combine(PG_FUNCTION_ARGS);
extern Datum bloomtype_bloom_agg_final(PG_FUNCTION_ARGS);
extern Datum bloomtype_counting_bloom_agg_final(PG_FUNCTION_ARGS);
extern Datum bloomtype_cuckoo_agg_final(PG_FUNCTION_ARGS);

static const PGFunction finals[] = {
	[BBF_KIND_BLOOM] = bloomtype_bloom_agg_final,
	[BBF_KIND_COUNTING_BLOOM] = bloomtype_counting_bloom_agg_final,
	[BBF_KIND_CUCKOO] = bloomtype_cuckoo_agg_final
};

StaticAssertDecl(lengthof(finals) == BBF_KIND_MAX + 1, "each kind has a final function");

/* Larger filters take their time to size and to clear. */
#define MAX_CAPACITY	1000
#define MIN_FPP			1e-6
#define MAX_BINS_BYTES	((size_t) 1 << 12)

static bytea *
new_bytea(const unsigned char *bytes, size_t size)
{
	bytea	   *value = palloc(VARHDRSZ + size);

	SET_VARSIZE(value, VARHDRSZ + size);
	memcpy(VARDATA(value), bytes, size);
	return value;
}

/* call_for_value, of a function of an aggregate. */
static bool
call(PGFunction function, Datum a, Datum b, Datum *result)
{
	NullableDatum args[2] = {{.value = a}, {.value = b}};

	return call_for_value(function, true, 2, args, result);
}

/* The filter of a message, alone or twice; false if there is none. */
static bool
filter_of(const BbfAggregateMessage *state, bytea *message, bool twice, bytea **filter)
{
	Datum		one;
	Datum		two;
	Datum		result;

	if (!call(bloomtype_agg_deserialize, PointerGetDatum(message), 0, &one))
		return false;
	if (twice && (!call(bloomtype_agg_deserialize, PointerGetDatum(message), 0, &two) ||
				  !call(bloomtype_agg_combine, one, two, &one)))
		return false;
	if (!call(finals[state->kind], one, 0, &result))
		return false;
	*filter = (bytea *) DatumGetPointer(result);
	return true;
}

/* A filter that comes of a state is valid, and has its keys. */
static void
require_filter(const BbfAggregateMessage *state, bytea *filter)
{
	const unsigned char *bytes = (const unsigned char *) VARDATA(filter);
	BbfMeta		meta;

	REQUIRE(bbf_image_validate(bytes, VARSIZE(filter) - VARHDRSZ, state->kind, &meta,
							   NULL) == NULL);
	REQUIRE(bbf_meta_has_keys(&meta) == (state->nbytes > 0 && (meta.nlist > 0 ||
															   meta.nlayers > 0)));
	for (size_t i = 0; !state->has_bins && i < state->nbytes; i += 8)
		REQUIRE(image_contains(&meta, bytes, bbf_get64(state->payload + i)));
}

static void
try_state(const unsigned char *bytes, size_t size, bool fit)
{
	unsigned char header[BBF_MESSAGE_HEADER_BYTES];
	BbfAggregateMessage	state;
	BbfLayer	layer = {0};
	BbfGeometry geometry;
	bytea	   *message;
	bytea	   *filter;
	bytea	   *again;
	Datum		copy;

	if (bbf_message_read(bytes, size, &state) != NULL)
		return;
	bbf_message_write(&state, header);
	REQUIRE(memcmp(header, bytes, sizeof(header)) == 0);
	REQUIRE(state.payload + state.nbytes == bytes + size);

	/* the filter it asks for, unless that is large, or takes long to size */
	if (state.capacity > MAX_CAPACITY || state.fpp < MIN_FPP)
		return;
	geometry = bbf_kind_routine(state.kind)->size(bbf_first_capacity(state.kind,
																	 Max(state.capacity, 1),
																	 BBF_DEFAULT_GROWTH),
												  state.fpp);
	if (geometry.nbins > MAX_BINS_BYTES / 64 || geometry.key_bits == 0)
		return;
	layer.nbins = geometry.nbins;
	layer.key_bits = geometry.key_bits;
	message = new_bytea(bytes, size);
	if (state.has_bins)
	{
		size_t		wanted = bbf_bins_bytes(bbf_kind_routine(state.kind), &layer);

		if (fit)
		{
			bytea	   *fitted = palloc0(VARHDRSZ + BBF_MESSAGE_HEADER_BYTES + wanted);

			SET_VARSIZE(fitted, VARHDRSZ + BBF_MESSAGE_HEADER_BYTES + wanted);
			memcpy(VARDATA(fitted), bytes, BBF_MESSAGE_HEADER_BYTES + Min(wanted, state.nbytes));
			message = fitted;
		}
		REQUIRE(bbf_message_read((unsigned char *) VARDATA(message), VARSIZE(message) - VARHDRSZ,
							   &state) == NULL);
		if (bbf_message_check_bins(&state, &layer, no_pause) != NULL)
		{
			REQUIRE(!call(bloomtype_agg_deserialize, PointerGetDatum(message), 0, &copy));
			return;
		}
	}

	if (!filter_of(&state, message, false, &filter))
		return;
	require_filter(&state, filter);

	/* as another process would go on with it */
	REQUIRE(call(bloomtype_agg_deserialize, PointerGetDatum(message), 0, &copy));
	REQUIRE(call(bloomtype_agg_serialize, copy, 0, &copy));
	REQUIRE(filter_of(&state, (bytea *) DatumGetPointer(copy), false, &again));
	REQUIRE(same_value(PointerGetDatum(filter), PointerGetDatum(again)));

	/* keys of a set count once */
	if (filter_of(&state, message, true, &again))
	{
		require_filter(&state, again);
		REQUIRE(state.kind == BBF_KIND_COUNTING_BLOOM ||
				same_value(PointerGetDatum(filter), PointerGetDatum(again)));
	}
}

/* Of an external state: deserialize it, serialize that, and make the filter. */
typedef struct ExternalTrial
{
	const bytea *message;
	bytea	   *again;
	bytea	   *filter;
} ExternalTrial;

static void
run_external(void *argument)
{
	ExternalTrial *trial = argument;
	ExternalAggState *state = blt_deserialize_external_agg_state(trial->message);

	trial->again = blt_serialize_external_agg_state(state);
	blt_merge_keys(&state->keys,
				   &blt_deserialize_external_agg_state(trial->message)->keys);
	trial->filter = blt_external_filter(state);
}

static void
try_external_state(const unsigned char *bytes, size_t size, bool fit)
{
	unsigned char header[2 + 255 + 17];
	size_t		header_bytes;
	BbfExternalMessage state;
	BbfExternalMeta meta;
	bytea	   *message;
	ExternalTrial trial;
	ExternalTrial second;

	if (bbf_external_message_read(bytes, size, &state) != NULL)
		return;
	header_bytes = bbf_external_message_header_bytes(state.format);
	REQUIRE(header_bytes <= sizeof(header));
	bbf_external_message_write(&state, header);
	REQUIRE(memcmp(header, bytes, header_bytes) == 0);
	REQUIRE(state.payload + state.nbytes == bytes + size);

	if (bbf_external_size(state.format, Max(state.capacity, size / 8), state.parameter,
						  &meta) != NULL || meta.length > MAX_BINS_BYTES ||
		meta.links[0].nprobes > 256)
		return;
	message = new_bytea(bytes, size);
	if (state.has_filter && fit &&
		bbf_external_size(state.format, state.capacity, state.parameter, &meta) == NULL)
	{
		size_t		wanted = meta.links[0].nbytes;

		message = palloc0(VARHDRSZ + header_bytes + wanted);
		SET_VARSIZE(message, VARHDRSZ + header_bytes + wanted);
		memcpy(VARDATA(message), bytes, header_bytes + Min(wanted, state.nbytes));
	}

	trial.message = message;
	if (!succeeds(run_external, &trial))
	{
		REQUIRE(error_is_expected());
		return;
	}
	REQUIRE(bbf_external_validate(state.format, (unsigned char *) VARDATA(trial.filter),
								  VARSIZE(trial.filter) - VARHDRSZ, &meta) == NULL);
	for (size_t i = 0; !state.has_filter && i < state.nbytes;
		 i += state.format->hash_words * sizeof(uint64))
	{
		uint64_t	hash[BBF_EXTERNAL_MAX_HASH];

		bbf_message_get_words(state.payload + i, hash, state.format->hash_words, NULL);
		REQUIRE(bbf_external_contains(state.format, &meta,
									  (unsigned char *) VARDATA(trial.filter), hash));
	}

	second.message = trial.again;
	REQUIRE(succeeds(run_external, &second));
	REQUIRE(same_value(PointerGetDatum(trial.filter), PointerGetDatum(second.filter)));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	uint8_t		flags = take8(&input);
	unsigned char *bytes = exact_copy(input.data, input.size);

	if (flags & 1)
		try_external_state(bytes, input.size, (flags & 2) != 0);
	else
		try_state(bytes, input.size, (flags & 2) != 0);
	free(bytes);
	free_all_memory();
	return 0;
}
