/*
 * external_bloom.c
 *	  SQL functions on Bloom filters of other systems: values of type bytea in
 *	  the serial form of a system, with the name of the format as an argument.
 */
#include "compat.h"

#include <math.h>

#include "access/htup_details.h"
#include "external/external_call.h"
#include "external/external_datum.h"
#include "external/external_format.h"
#include "external/external_agg_state.h"
#include "filter/filter_info.h"
#include "filter/filter_parameters.h"
#include "filter/filter_pieces.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "types/sql_functions.h"

PG_FUNCTION_INFO_V1(bloomtype_external_agg_transition);
PG_FUNCTION_INFO_V1(bloomtype_external_agg_combine);
PG_FUNCTION_INFO_V1(bloomtype_external_agg_serialize);
PG_FUNCTION_INFO_V1(bloomtype_external_agg_deserialize);
PG_FUNCTION_INFO_V1(bloomtype_external_agg_final);
PG_FUNCTION_INFO_V1(bloomtype_external_add);
PG_FUNCTION_INFO_V1(bloomtype_external_add_all);
PG_FUNCTION_INFO_V1(bloomtype_external_contains);
PG_FUNCTION_INFO_V1(bloomtype_external_contains_any);
PG_FUNCTION_INFO_V1(bloomtype_external_contains_all);
PG_FUNCTION_INFO_V1(bloomtype_external_union);
PG_FUNCTION_INFO_V1(bloomtype_external_info);
PG_FUNCTION_INFO_V1(bloomtype_external_chunks);

/* Parameters of a row of external_bloom_agg. */
typedef struct AggParameters
{
	int64		capacity;		/* 0: sized by the number of keys */
	float8		parameter;
} AggParameters;

/*
 * Of (state, value, format, parameter) or (state, value, format, capacity,
 * fpp).
 */
static AggParameters
get_parameters(FunctionCallInfo fcinfo, const ExternalCall *call)
{
	AggParameters result = {0};
	int			last = PG_NARGS() - 1;
	bool		is_fpp = call->format->parameter == BBF_EXTERNAL_FPP;

	if (PG_NARGS() == 5 && !PG_ARGISNULL(3))
	{
		if (!is_fpp)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("format \"%s\" has no capacity", call->format->name),
					 errdetail("Its filters are sized by the number of keys and the bits per key."),
					 errhint("Give the bits per key alone: external_bloom_agg(value, '%s', 10).",
							 call->format->name)));
		result.capacity = blt_get_capacity(fcinfo, 3);
	}
	if (PG_ARGISNULL(last))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg(is_fpp ? "false-positive rate must not be null" :
						"number of bits per key must not be null"),
				 is_fpp ? errhint("For one false positive in a hundred absent keys write 0.01.") :
				 errhint("For one false positive in a hundred absent keys write 10.")));
	result.parameter = PG_GETARG_FLOAT8(last);
	return result;
}

/* Error unless a row, or another state, has the parameters of the group. */
static void
check_same_parameters(const ExternalAggState *state, const BbfExternalFormat *format,
					  uint64 capacity, double parameter)
{
	if (state->format != format || state->capacity != capacity ||
		state->parameter != parameter)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("format and parameters of external_bloom_agg must not change within a group"),
				 errdetail("The first row has format \"%s\", capacity %llu and parameter %g, a later one \"%s\", %llu and %g (capacity 0 stands for none).",
						   state->format->name, (unsigned long long) state->capacity,
						   state->parameter, format->name,
						   (unsigned long long) capacity, parameter),
				 errhint("Add what changes to GROUP BY.")));
}

static void
refuse_null_format(FunctionCallInfo fcinfo, int argno)
{
	if (unlikely(PG_ARGISNULL(argno)))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("format must not be null"),
				 errhint("The formats are %s.", blt_format_names())));
}

/*
 * The state of a group at its first row; the parameters of any other are
 * checked.
 */
static ExternalAggState *
get_state(FunctionCallInfo fcinfo, const ExternalCall *call)
{
	AggParameters parameters = get_parameters(fcinfo, call);
	ExternalAggState *state;
	MemoryContext context;

	if (PG_ARGISNULL(0))
	{
		if (!AggCheckCallContext(fcinfo, &context))
			elog(ERROR, "aggregate transition function called outside an aggregate");
		return blt_new_external_agg_state(context, call->format, parameters.capacity,
										  parameters.parameter);
	}
	state = (ExternalAggState *) PG_GETARG_POINTER(0);
	check_same_parameters(state, call->format, parameters.capacity, parameters.parameter);
	return state;
}

/* blt_gather_hash, with the number of words as a constant. */
static inline void
gather(GatheredKeys *keys, const uint64_t *hash)
{
	switch (keys->words)
	{
		case 1:
			blt_gather_hash(keys, hash, 1);
			break;
		case 2:
			blt_gather_hash(keys, hash, 2);
			break;
		default:
			blt_gather_hash(keys, hash, 4);
	}
}

/*
 * (state, value, format, parameter) or (state, value, format, capacity, fpp):
 * gathers a value that is not null.  Errors: the format does not exist or
 * takes no such values; the parameters are not valid, or are not those of the
 * group's first row.
 */
Datum
bloomtype_external_agg_transition(PG_FUNCTION_ARGS)
{
	ExternalCall *call;
	ExternalAggState *state;
	uint64_t	hash[BBF_EXTERNAL_MAX_HASH];

	refuse_null_format(fcinfo, 2);
	call = blt_external_key_call(fcinfo, 2, 1);
	state = get_state(fcinfo, call);

	/* the seed of a new filter is 0 */
	if (!PG_ARGISNULL(1))
	{
		call->hash(call->format, 0, PG_GETARG_DATUM(1), hash);
		gather(&state->keys, hash);
	}
	PG_RETURN_POINTER(state);
}

Datum
bloomtype_external_agg_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	ExternalAggState *state = PG_ARGISNULL(0) ? NULL : (ExternalAggState *) PG_GETARG_POINTER(0);
	ExternalAggState *other = PG_ARGISNULL(1) ? NULL : (ExternalAggState *) PG_GETARG_POINTER(1);

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate combine function called outside an aggregate");

	if (other != NULL)
	{
		/* the other state does not live as long as this one must */
		if (state == NULL)
			state = blt_new_external_agg_state(context, other->format, other->capacity,
											   other->parameter);
		check_same_parameters(state, other->format, other->capacity, other->parameter);
		blt_merge_keys(&state->keys, &other->keys);
	}
	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state);
}

Datum
bloomtype_external_agg_serialize(PG_FUNCTION_ARGS)
{
	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate serialize function called outside an aggregate");
	PG_RETURN_BYTEA_P(blt_serialize_external_agg_state((ExternalAggState *) PG_GETARG_POINTER(0)));
}

Datum
bloomtype_external_agg_deserialize(PG_FUNCTION_ARGS)
{
	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate deserialize function called outside an aggregate");
	PG_RETURN_POINTER(blt_deserialize_external_agg_state(PG_GETARG_BYTEA_PP(0)));
}

/*
 * The bits show the number of keys well enough to see that there are many
 * more than there is room for.  Where the number itself counts, that was an
 * error.
 */
static void
warn_of_overfull(const ExternalAggState *state, bytea *filter)
{
	BbfExternalInfo info;

	if (state->capacity == 0 || state->format->set_keys != NULL)
		return;
	bbf_external_info(state->format, state->meta, blt_filter_bytes(filter),
					  blt_check_for_interrupts, &info);
	if (info.fpp > state->parameter && info.keys > 1.2 * state->capacity + 10)
		ereport(WARNING,
				(errmsg("filter holds more keys than its capacity"),
				 errdetail("It was made for %llu keys and holds about %.0f or more; its false-positive rate is now %.4g instead of %g.",
						   (unsigned long long) state->capacity, info.keys, info.fpp,
						   state->parameter),
				 errhint("Give a larger capacity, or none: external_bloom_agg(value, '%s', %g).",
						 state->format->name, state->parameter)));
}

/* Null if there were no rows, and so no format. */
Datum
bloomtype_external_agg_final(PG_FUNCTION_ARGS)
{
	ExternalAggState *state;
	bytea	   *filter;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate final function called outside an aggregate");
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (ExternalAggState *) PG_GETARG_POINTER(0);
	filter = blt_external_filter(state);
	warn_of_overfull(state, filter);
	PG_RETURN_BYTEA_P(filter);
}

/* A filter that is changed: a copy of an argument. */
typedef struct ExternalChange
{
	const BbfExternalFormat *format;
	BbfExternalMeta meta;
	bytea	   *filter;
} ExternalChange;

static void
start_change(ExternalChange *change, const BbfExternalFormat *format, Datum argument)
{
	change->format = format;
	change->filter = blt_copy_external(argument);
	(void) blt_read_external(format, PointerGetDatum(change->filter), &change->meta);
}

static void
add_hash(ExternalChange *change, const uint64_t *hash)
{
	const char *reason = bbf_external_add(change->format, &change->meta,
										  blt_filter_bytes(change->filter), hash);

	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("cannot add a key to a filter of format \"%s\"",
						change->format->name),
				 errdetail("%s", reason),
				 change->format->set_keys != NULL ?
				 errhint("Make a new filter of all keys with external_bloom_agg, and a larger capacity.") :
				 errhint("Make a new filter of all keys with external_bloom_agg.")));
}

/*
 * Error if the filter to add to is null: the result would be null, the key
 * lost.
 */
static void
refuse_null_filter(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("cannot add a key to a null filter"),
				 errdetail("The result would be null, and the key lost."),
				 errhint("Make a filter with external_bloom_agg first.")));
}

/*
 * (filter, format, value): the filter with a key added; a null value adds
 * nothing. Errors: the filter or the format is null, or it is not a filter of
 * that format; the format takes no such values; the filter has no room.
 */
Datum
bloomtype_external_add(PG_FUNCTION_ARGS)
{
	ExternalCall *call;
	ExternalChange change;
	uint64_t	hash[BBF_EXTERNAL_MAX_HASH];

	refuse_null_filter(fcinfo);
	refuse_null_format(fcinfo, 1);
	if (PG_ARGISNULL(2))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	call = blt_external_key_call(fcinfo, 1, 2);
	start_change(&change, call->format, PG_GETARG_DATUM(0));
	call->hash(call->format, change.meta.seed, PG_GETARG_DATUM(2), hash);
	add_hash(&change, hash);
	PG_RETURN_BYTEA_P(change.filter);
}

/* (filter, format, array): the same for each element, in order. */
Datum
bloomtype_external_add_all(PG_FUNCTION_ARGS)
{
	ExternalCall *call;
	ExternalChange change;
	Datum	   *values;
	bool	   *nulls;
	int			n;

	refuse_null_filter(fcinfo);
	refuse_null_format(fcinfo, 1);
	if (PG_ARGISNULL(2))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	call = blt_external_call(fcinfo, 1);
	n = blt_external_elements(call, fcinfo, 2, &values, &nulls);
	start_change(&change, call->format, PG_GETARG_DATUM(0));
	for (int i = 0; i < n; i++)
	{
		uint64_t	hash[BBF_EXTERNAL_MAX_HASH];

		CHECK_FOR_INTERRUPTS();
		if (nulls[i])
			continue;
		call->hash(call->format, change.meta.seed, values[i], hash);
		add_hash(&change, hash);
	}
	PG_RETURN_BYTEA_P(change.filter);
}

static inline bool
probe(const OpenExternal *open, const uint64_t *hash)
{
	if (likely(open->bytes != NULL))
		return bbf_external_contains(open->format, open->meta, open->bytes, hash);
	return blt_probe_external(open, hash);
}

/*
 * Is a key in an open filter, in any of the encodings of the values that SQL
 * calls equal? If these are too many, it may be there.
 */
static bool
may_contain(const ExternalCall *call, const OpenExternal *open, Datum value)
{
	const BbfExternalFormat *format = call->format;
	uint32		seed = open->meta->seed;
	uint64_t	hash[BBF_EXTERNAL_MAX_HASH];

	call->hash(format, seed, value, hash);
	if (probe(open, hash))
		return true;
	if (likely(call->other == NULL))
		return false;
	switch (call->other(format, seed, value, hash))
	{
		case EXTERNAL_ONE:
			break;
		case EXTERNAL_TWO:
			return probe(open, hash);
		case EXTERNAL_MANY:
			return true;
	}
	return false;
}

/* (filter, format, value): is the key in it? */
Datum
bloomtype_external_contains(PG_FUNCTION_ARGS)
{
	ExternalCall *call = blt_external_key_call(fcinfo, 1, 2);
	ValueReader *reader = &call->reader;
	const BbfExternalFormat *format = call->format;
	Datum		filter = PG_GETARG_DATUM(0);
	Datum		value = PG_GETARG_DATUM(2);
	OpenExternal open;

	open.format = format;
	open.bytes = blt_remembered_external(reader, format, filter);
	if (likely(open.bytes != NULL))
		open.meta = reader->meta;
	else
		blt_open_external(reader, format, filter, &open);
	PG_RETURN_BOOL(may_contain(call, &open, value));
}

/*
 * Is any element of the array in the filter (deciding: true), or are all?
 *
 * Three-valued, as = ANY and = ALL are: the first element whose answer is the
 * deciding one decides; else a null element makes the result unknown.
 */
static Datum
contains_elements(FunctionCallInfo fcinfo, bool deciding)
{
	ExternalCall *call = blt_external_call(fcinfo, 1);
	OpenExternal open;
	Datum	   *values;
	bool	   *nulls;
	int			n = blt_external_elements(call, fcinfo, 2, &values, &nulls);
	bool		any_null = false;

	blt_open_external(&call->reader, call->format, PG_GETARG_DATUM(0), &open);
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (nulls[i])
		{
			any_null = true;
			continue;
		}
		if (may_contain(call, &open, values[i]) == deciding)
			PG_RETURN_BOOL(deciding);

		/* it is read whole once slices have cost as much */
		if (open.bytes == NULL)
			blt_open_external(&call->reader, call->format, PG_GETARG_DATUM(0), &open);
	}
	if (any_null)
		PG_RETURN_NULL();
	PG_RETURN_BOOL(!deciding);
}

/* (filter, format, array) */
Datum
bloomtype_external_contains_any(PG_FUNCTION_ARGS)
{
	return contains_elements(fcinfo, true);
}

/* (filter, format, array) */
Datum
bloomtype_external_contains_all(PG_FUNCTION_ARGS)
{
	return contains_elements(fcinfo, false);
}

/*
 * (filter, filter, format): a filter of the keys of both, in the form of the
 * one that stores more, where there are several.  Errors: the system has no
 * union of them; it would be larger than what is made here.
 */
Datum
bloomtype_external_union(PG_FUNCTION_ARGS)
{
	const BbfExternalFormat *format = blt_external_call(fcinfo, 2)->format;
	bytea	   *filters[2] = {PG_GETARG_BYTEA_PP(0), PG_GETARG_BYTEA_PP(1)};
	BbfExternalMeta metas[2];
	const char *reason;
	int			into;
	int			from;
	bytea	   *result;

	for (int i = 0; i < 2; i++)
		(void) blt_read_external(format, PointerGetDatum(filters[i]), &metas[i]);
	reason = bbf_external_union_refusal(format, &metas[0], &metas[1]);
	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot unite these filters of format \"%s\"", format->name),
				 errdetail("%s", reason),
				 errhint("Make one filter of all keys with external_bloom_agg.")));
	into = bbf_external_unites_into_second(&metas[0], &metas[1]);
	from = 1 - into;
	if (metas[into].length > BBF_EXTERNAL_MAX_MADE)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("union of these filters of format \"%s\" is too large", format->name),
				 errdetail("It would take %zu bytes; the most that is sure to be printed and dumped is %zu.",
						   metas[into].length, BBF_EXTERNAL_MAX_MADE),
				 errhint("Probe each of them: external_bloom_contains(a, '%s', x) OR external_bloom_contains(b, '%s', x).",
						 format->name, format->name)));

	result = blt_copy_external(PointerGetDatum(filters[into]));
	bbf_external_unite(&metas[into], blt_filter_bytes(result), &metas[from],
					   (const unsigned char *) VARDATA_ANY(filters[from]),
					   blt_check_for_interrupts);
	PG_RETURN_BYTEA_P(result);
}

/*
 * (filter, format): bits, probes, bits set, keys, rate.  The bits are null
 * where a filter of Go says that it has 2^63 or more; the keys, where the
 * bits do not show them: all are set, or no probe looks at them.
 */
Datum
bloomtype_external_info(PG_FUNCTION_ARGS)
{
	const BbfExternalFormat *format = blt_external_call(fcinfo, 1)->format;
	BbfExternalMeta meta;
	BbfExternalInfo info;
	const unsigned char *bytes = blt_read_external(format, PG_GETARG_DATUM(0), &meta);
	Datum		values[5];
	bool		nulls[5] = {false};

	bbf_external_info(format, &meta, bytes, blt_check_for_interrupts, &info);
	nulls[0] = info.nbits > PG_INT64_MAX;
	nulls[3] = info.fpp >= 1.0 || !(info.keys < (double) PG_INT64_MAX);
	values[0] = Int64GetDatum((int64) info.nbits);
	values[1] = Int32GetDatum((int32) info.nprobes);
	values[2] = Int64GetDatum((int64) info.nset);
	values[3] = Int64GetDatum(nulls[3] ? 0 : (int64) rint(info.keys));
	values[4] = Float8GetDatum(info.fpp);
	return blt_return_row(fcinfo, values, nulls);
}

/* What external_bloom_chunks remembers between its rows. */
typedef struct Chunks
{
	const BbfExternalFormat *format;
	BbfExternalMeta meta;
	const unsigned char *bytes;
} Chunks;

/*
 * (filter, format): rows of iterator and chunk, in the order in which the
 * system takes them.  Error: it takes filters whole.
 */
Datum
bloomtype_external_chunks(PG_FUNCTION_ARGS)
{
	FuncCallContext *context;
	Chunks	   *chunks;
	BbfExternalSlice slice;
	uint64_t	iterator;
	Datum		values[2];
	bool		nulls[2] = {false};

	if (SRF_IS_FIRSTCALL())
	{
		text	   *name = PG_GETARG_TEXT_PP(1);
		MemoryContext old_context;

		context = SRF_FIRSTCALL_INIT();
		old_context = MemoryContextSwitchTo(context->multi_call_memory_ctx);
		if (get_call_result_type(fcinfo, NULL, &context->tuple_desc) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		context->tuple_desc = BlessTupleDesc(context->tuple_desc);
		chunks = palloc(sizeof(Chunks));
		chunks->format = blt_find_format(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
		if (chunks->format->chunk == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("format \"%s\" has no chunks", chunks->format->name),
					 errdetail("Its readers take a filter whole.")));
		chunks->bytes = blt_read_external(chunks->format,
										  PointerGetDatum(blt_copy_external(PG_GETARG_DATUM(0))),
										  &chunks->meta);
		context->user_fctx = chunks;
		MemoryContextSwitchTo(old_context);
	}
	context = SRF_PERCALL_SETUP();
	chunks = context->user_fctx;
	if (!chunks->format->chunk(&chunks->meta, context->call_cntr, &slice, &iterator))
		SRF_RETURN_DONE(context);

	values[0] = Int64GetDatum((int64) iterator);
	values[1] = PointerGetDatum(blt_make_bytea(chunks->bytes + slice.offset, slice.length));
	SRF_RETURN_NEXT(context,
					HeapTupleGetDatum(heap_form_tuple(context->tuple_desc, values, nulls)));
}
