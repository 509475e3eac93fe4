/*
 * filter_agg_state.c
 *	  Makes bins of gathered keys, and messages of both.
 */
#include "compat.h"

#include "filter/filter_agg_state.h"

#include "core/distinct.h"
#include "filter/filter_parameters.h"
#include "filter/filter_pieces.h"
#include "miscadmin.h"

StaticAssertDecl(BBF_DISTINCT_ORDERED >= BBF_MAX_LIST,
				 "what goes into a list must ascend");

static unsigned char *
make_bins(const GatheredKeys *keys)
{
	/* each block on one cache line */
	unsigned char *bins = (unsigned char *)
		TYPEALIGN(BBF_BLOCK_BYTES,
				  MemoryContextAllocHuge(keys->context,
										 keys->bins_bytes + BBF_BLOCK_BYTES));

	blt_clear(bins, keys->bins_bytes);
	return bins;
}

void
blt_fill_bins(const FilterAggState *state, const BbfLayer *layer, unsigned char *bins)
{
	const GatheredKeys *keys = &state->keys;

	for (uint32 i = 0; i < keys->nhashes; i += BLT_HASHES_IN_PIECE)
	{
		CHECK_FOR_INTERRUPTS();
		state->routine->add_many(layer, bins, keys->hashes + i,
								 Min(BLT_HASHES_IN_PIECE, keys->nhashes - i));
	}
}

static void
add_to_bins(const GatheredKeys *keys)
{
	const FilterAggState *state = (const FilterAggState *) keys;

	blt_fill_bins(state, &state->layer, keys->bins);
}

static void
unite_bins(const GatheredKeys *keys, const GatheredKeys *other)
{
	const FilterAggState *state = (const FilterAggState *) keys;

	blt_unite_bins(state->routine, &state->layer, keys->bins, other->bins);
}

static void
report_too_many_keys(const GatheredKeys *keys)
{
	const BbfKindRoutine *routine = ((const FilterAggState *) keys)->routine;
	const uint32 limit = blt_max_gathered_keys(1);

	if (routine->add_many == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many distinct keys for %s_agg", routine->name),
				 errdetail("The limit is %u keys.", limit),
				 errhint("Split the keys over several filters, one for each bloom_partition(value, partitions).")));
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("too many distinct keys for a filter that sizes itself"),
			 bbf_has_trait(routine, BBF_TRAIT_AGG_ADDS_COPIES) ?
			 errdetail("The limit is %u keys, each as often as it counts, up to %d times.",
					   limit, routine->saturated_count) :
			 errdetail("The limit is %u keys.", limit),
			 errhint("Give the capacity: %s_agg(value, capacity, fpp).", routine->name)));
}

static const KeyTarget filter_target = {
	make_bins,
	add_to_bins,
	unite_bins,
	report_too_many_keys
};

FilterAggState *
blt_new_filter_agg_state(MemoryContext context, const BbfKindRoutine *routine,
						 int64 capacity, double fpp)
{
	uint64		made_for = bbf_first_capacity(routine->kind, Max(capacity, 1), BBF_DEFAULT_GROWTH);
	BbfLayer	layer = blt_new_layer(routine->kind, made_for, fpp);
	FilterAggState *state = MemoryContextAllocZero(context, sizeof(FilterAggState));
	bool		has_bins = capacity > 0 && routine->add_many != NULL;

	state->routine = routine;
	state->capacity = capacity;
	state->fpp = fpp;
	state->layer = layer;
	blt_init_gathered_keys(&state->keys, context, &filter_target, 1,
						   has_bins ? bbf_bins_bytes(routine, &state->layer) : 0);
	state->keys.max_copies = bbf_has_trait(routine, BBF_TRAIT_AGG_ADDS_COPIES) ? routine->saturated_count : 0;
	state->keys.max_list = BBF_MAX_LIST;
	return state;
}

/*
 * Would copies of hashes be wrong in the result?  In bins they change
 * nothing, so what goes there need not be searched for them, unless it may
 * yet be a list.
 */
static bool
must_be_distinct(const FilterAggState *state)
{
	return state->keys.bins_bytes == 0 ||
		(bbf_has_trait(state->routine, BBF_TRAIT_LIST) && state->keys.ndistinct <= BBF_MAX_LIST);
}

void
blt_flush_filter_agg_state(FilterAggState *state)
{
	if (state->keys.bins == NULL && must_be_distinct(state))
		blt_remove_copies(&state->keys);
	blt_flush_keys(&state->keys);
}

bytea *
blt_serialize_filter_agg_state(FilterAggState *state)
{
	BbfAggregateMessage message;
	bytea	   *result;

	blt_flush_filter_agg_state(state);
	message.kind = state->routine->kind;
	message.capacity = state->capacity;
	message.fpp = state->fpp;
	message.family = state->family;
	message.subtype = state->subtype;
	message.has_bins = state->keys.bins != NULL;
	result = blt_write_keys(&state->keys, BBF_MESSAGE_HEADER_BYTES);
	bbf_message_write(&message, (unsigned char *) VARDATA(result));
	return result;
}

FilterAggState *
blt_deserialize_filter_agg_state(const bytea *bytes)
{
	BbfAggregateMessage message;
	FilterAggState *state;

	blt_check_message(bbf_message_read((const unsigned char *) VARDATA_ANY(bytes),
									   VARSIZE_ANY_EXHDR(bytes), &message));
	state = blt_new_filter_agg_state(CurrentMemoryContext, bbf_kind_routine(message.kind),
									 message.capacity, message.fpp);
	state->family = message.family;
	state->subtype = message.subtype;
	if (message.has_bins)
		blt_check_message(bbf_message_check_bins(&message, &state->layer,
												 blt_check_for_interrupts));
	blt_read_keys(&state->keys, message.has_bins, message.payload, message.nbytes);
	return state;
}
