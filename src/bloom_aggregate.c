/*
 * bloom_aggregate.c
 *	  bloom_agg: a filter from a column.
 *
 * A filter is never touched row by row: in one that is larger than the cache
 * every key would wait for memory.  Hashes gather in an exact set of distinct
 * keys, in batches that are prefetched.
 *
 *	bloom_agg(value [, fpp])
 *		The number of distinct keys at the end sizes the filter.
 *	bloom_agg(value, capacity, fpp)
 *		Past 128 distinct keys the set turns into the one layer that this
 *		capacity asks for, whatever comes: same parameters, same geometry.
 *
 * The result depends on the set of keys alone, not on their order, on
 * duplicates, or on how many processes shared the work.
 *
 * Limits: sized by itself, up to 100 million keys, at 11 to 22 bytes each,
 * and 32 at the moments when the table of keys doubles.
 */
#include "compat.h"

#include "bloom_build.h"
#include "call_cache.h"
#include "core/estimate.h"
#include "core/key_set.h"
#include "common/pg_prng.h"
#include "fmgr.h"
#include "key_match.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(bloomtype_agg_transition);
PG_FUNCTION_INFO_V1(bloomtype_agg_combine);
PG_FUNCTION_INFO_V1(bloomtype_agg_serialize);
PG_FUNCTION_INFO_V1(bloomtype_agg_deserialize);
PG_FUNCTION_INFO_V1(bloomtype_agg_final);

/* A table of a gigabyte, and a message between processes below a gigabyte. */
#define MAX_SLOTS			((uint32) 1 << 27)

/* A group of a few keys must cost a few hundred bytes. */
#define FIRST_SLOTS			16

/*
 * From this many slots on (32 KB, the first-level cache) hashes are gathered
 * in a batch, so that their slots or blocks are fetched ahead.
 */
#define BATCH_FROM_SLOTS	4096
#define BATCH_SIZE			256

#define MESSAGE_VERSION		1

typedef struct AggState
{
	MemoryContext context;
	int64		capacity;		/* 0: sized by itself */
	double		fpp;
	uint16		family;			/* of the keys; none before the first */
	uint32		signature;

	BbfKeySet	keys;			/* the distinct keys, until there is a layer */
	BbfLayer	layer;			/* its geometry and bits set */
	unsigned char *blocks;		/* its blocks; null while there is none */

	uint64	   *batch;			/* null while it does not pay */
	int			nbatch;
} AggState;

static void *
alloc_huge(AggState *state, Size size)
{
	return MemoryContextAllocExtended(state->context, size, MCXT_ALLOC_HUGE);
}

static void
new_key_set(AggState *state, BbfKeySet *set, uint32 nslots)
{
	bbf_key_set_init(set, alloc_huge(state, (Size) nslots * sizeof(uint64)),
					 nslots, pg_prng_uint64(&pg_global_prng_state));
}

static AggState *
new_state(MemoryContext context, int64 capacity, double fpp)
{
	AggState   *state = MemoryContextAllocZero(context, sizeof(AggState));

	state->context = context;
	state->capacity = capacity;
	state->fpp = fpp;
	new_key_set(state, &state->keys, FIRST_SLOTS);
	return state;
}

static void
start_batches(AggState *state)
{
	if (state->batch == NULL)
		state->batch = alloc_huge(state, BATCH_SIZE * sizeof(uint64));
}

/*
 * The layer of an aggregate whose capacity is given, without its blocks.
 * Solving for it takes longer than a small group, and most groups ask for the
 * same, so the last answer is remembered.
 */
static BbfGeometry
geometry_of(const AggState *state)
{
	static int64 last_capacity = 0;
	static double last_fpp = 0.0;
	static BbfGeometry last;

	if (state->capacity != last_capacity || state->fpp != last_fpp)
	{
		last = bloomtype_size_layer(bloomtype_first_capacity(state->capacity,
															 DEFAULT_GROWTH),
									state->fpp);
		last_capacity = state->capacity;
		last_fpp = state->fpp;
	}
	return last;
}

/* Add all keys of a set to blocks; returns the bits newly set. */
static uint64
fill_blocks(unsigned char *blocks, uint32 nblocks, int nprobes,
			const BbfKeySet *keys)
{
	uint64		hashes[1024];
	uint64		position = 0;
	uint64		nset = 0;
	size_t		n;

	while ((n = bbf_key_set_read(keys, &position, hashes, lengthof(hashes))) > 0)
	{
		CHECK_FOR_INTERRUPTS();
		nset += bbf_blocks_add_many(blocks, nblocks, nprobes, hashes, n);
	}
	return nset;
}

static void
open_layer(AggState *state)
{
	BbfGeometry geometry = geometry_of(state);
	Size		size = (Size) geometry.nblocks * BBF_BLOCK_BYTES;

	state->layer.nblocks = (uint32) geometry.nblocks;
	state->layer.nprobes = geometry.nprobes;
	state->layer.full_at = geometry.full_at;
	state->blocks = MemoryContextAllocExtended(state->context, size,
											   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	start_batches(state);
}

static void
keys_to_layer(AggState *state)
{
	open_layer(state);
	state->layer.nset = fill_blocks(state->blocks, state->layer.nblocks,
									state->layer.nprobes, &state->keys);
	pfree(state->keys.slots);
	state->keys.slots = NULL;
}

/* Move to a table twice as large. */
static void
enlarge_keys(AggState *state)
{
	BbfKeySet	larger;
	uint32		nslots = state->keys.nslots * 2;
	uint64		hashes[1024];
	uint64		position = 0;
	size_t		n;

	if (nslots > MAX_SLOTS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many distinct keys for a filter that sizes itself"),
				 errdetail("The limit is %u keys.", bbf_key_set_room(MAX_SLOTS)),
				 errhint("Give the capacity: bloom_agg(value, capacity, fpp).")));

	new_key_set(state, &larger, nslots);
	while ((n = bbf_key_set_read(&state->keys, &position, hashes, lengthof(hashes))) > 0)
	{
		CHECK_FOR_INTERRUPTS();
		(void) bbf_key_set_add(&larger, hashes, n);
	}
	pfree(state->keys.slots);
	state->keys = larger;
	if (nslots >= BATCH_FROM_SLOTS)
		start_batches(state);
}

static void
add_hashes(AggState *state, const uint64 *hashes, size_t n)
{
	while (state->blocks == NULL && n > 0)
	{
		size_t		done = bbf_key_set_add(&state->keys, hashes, n);

		hashes += done;
		n -= done;
		if (state->capacity > 0 && state->keys.nkeys > BBF_MAX_LIST)
			keys_to_layer(state);
		else if (n > 0)
			enlarge_keys(state);
	}
	if (n > 0)
		state->layer.nset += bbf_blocks_add_many(state->blocks, state->layer.nblocks,
												 state->layer.nprobes, hashes, n);
}

static void
flush_batch(AggState *state)
{
	int			n = state->nbatch;

	state->nbatch = 0;
	if (n > 0)
		add_hashes(state, state->batch, n);
}

static void
add_hash(AggState *state, uint64 hash)
{
	if (state->batch == NULL)
		add_hashes(state, &hash, 1);
	else
	{
		state->batch[state->nbatch++] = hash;
		if (state->nbatch == BATCH_SIZE)
			flush_batch(state);
	}
}

/* Take the family of the first key; check that of every other. */
static void
match_family(AggState *state, BloomKey key)
{
	bloomtype_match_key(state->family, state->signature, key, KEY_IS_ADDED);
	state->family = key.family;
	state->signature = key.signature;
}

/*
 * The parameters of the call: bloom_agg(value), (value, fpp) or (value,
 * capacity, fpp).  A capacity that is null asks for sizing by itself: 0.
 */
static void
get_parameters(FunctionCallInfo fcinfo, int64 *capacity, double *fpp)
{
	int			fpp_argno = PG_NARGS() - 1;

	*capacity = 0;
	*fpp = DEFAULT_FPP;
	if (PG_NARGS() == 4 && !PG_ARGISNULL(2))
	{
		*capacity = PG_GETARG_INT64(2);
		bloomtype_check_capacity(*capacity);
	}
	if (PG_NARGS() < 3)
		return;

	if (PG_ARGISNULL(fpp_argno))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("false-positive probability must not be null"),
				 errhint("Leave it out for the default of %g.", DEFAULT_FPP)));
	*fpp = PG_GETARG_FLOAT8(fpp_argno);

	if (PG_NARGS() == 3 && *fpp >= 1.0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("false-positive probability must be greater than 0 and less than 1"),
				 errdetail("The probability given is %g.", *fpp),
				 errhint("To give a capacity use the form with three arguments: bloom_agg(value, capacity, fpp).")));
	bloomtype_check_fpp(*fpp);
}

static void
check_same_parameters(const AggState *state, int64 capacity, double fpp)
{
	if (state->capacity != capacity || state->fpp != fpp)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("capacity and false-positive probability of bloom_agg must not change within a group"),
				 errdetail("The first row has capacity %lld and probability %g, a later one %lld and %g (0 stands for sizing by itself).",
						   (long long) state->capacity, state->fpp,
						   (long long) capacity, fpp)));
}

Datum
bloomtype_agg_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	AggState   *state = PG_ARGISNULL(0) ? NULL : (AggState *) PG_GETARG_POINTER(0);
	int64		capacity;
	double		fpp;
	BloomKey	key;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "bloom_agg transition function called outside an aggregate");

	get_parameters(fcinfo, &capacity, &fpp);
	if (state == NULL)
	{
		state = new_state(context, capacity, fpp);

		/* fail at the first row, not once there are blocks to make */
		if (capacity > 0)
			(void) geometry_of(state);
	}
	else
		check_same_parameters(state, capacity, fpp);

	if (!PG_ARGISNULL(1))
	{
		key = bloomtype_funnel_hash(bloomtype_call_funnel(fcinfo, 1),
									PG_GETARG_DATUM(1));
		match_family(state, key);
		add_hash(state, key.hash);
	}
	PG_RETURN_POINTER(state);
}

/* Add what another state has gathered; that state is left as it is. */
static void
merge_state(AggState *state, AggState *other)
{
	BloomKey	kind = {0};
	uint64		hashes[1024];
	uint64		position = 0;
	size_t		n;

	if (other->family == BBF_FAMILY_NONE)
		return;
	kind.family = other->family;
	kind.signature = other->signature;
	match_family(state, kind);

	flush_batch(state);
	flush_batch(other);
	if (other->blocks != NULL)
	{
		if (state->blocks == NULL)
			keys_to_layer(state);
		state->layer.nset = bbf_blocks_or(state->blocks, other->blocks,
										  state->layer.nblocks);
	}
	else
	{
		while ((n = bbf_key_set_read(&other->keys, &position, hashes,
									 lengthof(hashes))) > 0)
		{
			CHECK_FOR_INTERRUPTS();
			add_hashes(state, hashes, n);
		}
	}
}

Datum
bloomtype_agg_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	AggState   *state = PG_ARGISNULL(0) ? NULL : (AggState *) PG_GETARG_POINTER(0);
	AggState   *other = PG_ARGISNULL(1) ? NULL : (AggState *) PG_GETARG_POINTER(1);

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "bloom_agg combine function called outside an aggregate");

	if (other != NULL)
	{
		/* the other state does not live as long as this one must */
		if (state == NULL)
			state = new_state(context, other->capacity, other->fpp);
		check_same_parameters(state, other->capacity, other->fpp);
		merge_state(state, other);
	}
	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state);
}

Datum
bloomtype_agg_serialize(PG_FUNCTION_ARGS)
{
	AggState   *state = (AggState *) PG_GETARG_POINTER(0);
	StringInfoData message;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "bloom_agg serialize function called outside an aggregate");

	flush_batch(state);
	pq_begintypsend(&message);
	pq_sendbyte(&message, MESSAGE_VERSION);
	pq_sendint64(&message, state->capacity);
	pq_sendfloat8(&message, state->fpp);
	pq_sendint16(&message, state->family);
	pq_sendint32(&message, state->signature);
	pq_sendbyte(&message, state->blocks != NULL);
	if (state->blocks != NULL)
		pq_sendbytes(&message, (char *) state->blocks,
					 state->layer.nblocks * BBF_BLOCK_BYTES);
	else
	{
		uint64		hashes[1024];
		uint64		position = 0;
		size_t		n;

		while ((n = bbf_key_set_read(&state->keys, &position, hashes,
									 lengthof(hashes))) > 0)
		{
			CHECK_FOR_INTERRUPTS();
			for (size_t i = 0; i < n; i++)
				pq_sendint64(&message, hashes[i]);
		}
	}
	PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

Datum
bloomtype_agg_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *source = PG_GETARG_BYTEA_PP(0);
	StringInfoData message;
	AggState   *state;
	int64		capacity;
	double		fpp;
	bool		has_blocks;
	Size		rest;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "bloom_agg deserialize function called outside an aggregate");

	/* only read from, so not copied */
	message.data = VARDATA_ANY(source);
	message.len = VARSIZE_ANY_EXHDR(source);
	message.maxlen = message.len;
	message.cursor = 0;

	if (pq_getmsgbyte(&message) != MESSAGE_VERSION)
		elog(ERROR, "unknown version of a bloom_agg state");
	capacity = pq_getmsgint64(&message);
	fpp = pq_getmsgfloat8(&message);
	if (capacity != 0)
		bloomtype_check_capacity(capacity);
	bloomtype_check_fpp(fpp);

	state = new_state(CurrentMemoryContext, capacity, fpp);
	state->family = pq_getmsgint(&message, 2);
	state->signature = pq_getmsgint(&message, 4);
	has_blocks = pq_getmsgbyte(&message) != 0;
	rest = message.len - message.cursor;

	if (has_blocks)
	{
		if (capacity == 0 ||
			rest != geometry_of(state).nblocks * BBF_BLOCK_BYTES)
			elog(ERROR, "invalid length of a bloom_agg state");
		open_layer(state);
		memcpy(state->blocks, pq_getmsgbytes(&message, rest), rest);
		state->layer.nset = bbf_blocks_count(state->blocks, state->layer.nblocks);
	}
	else
	{
		if (rest % sizeof(uint64) != 0)
			elog(ERROR, "invalid length of a bloom_agg state");
		for (Size i = 0; i < rest / sizeof(uint64); i++)
		{
			CHECK_FOR_INTERRUPTS();
			add_hash(state, pq_getmsgint64(&message));
		}
		flush_batch(state);
	}
	pq_getmsgend(&message);

	/* keys have a family, and a family is of keys */
	if (state->family == BBF_FAMILY_NONE ? rest > 0 :
		!bbf_family_is_valid(state->family, state->signature) || rest == 0)
		elog(ERROR, "invalid key family of a bloom_agg state");
	PG_RETURN_POINTER(state);
}

static int
compare_hashes(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a;
	uint64		y = *(const uint64 *) b;

	return (x > y) - (x < y);
}

/* The rate rises, but no key is lost: say so, once. */
static void
warn_if_overfull(FunctionCallInfo fcinfo, const BbfImage *image)
{
	if (bbf_is_saturated(image) && bbf_estimate_fpp(image) > image->fpp &&
		bloomtype_call_is_first(fcinfo))
		ereport(WARNING,
				(errmsg("filter holds more keys than its capacity"),
				 errdetail("It was made for %llu keys and holds about %.0f; its false-positive probability is now %.2g instead of %g.",
						   (unsigned long long) image->capacity,
						   bbf_estimate_keys(image), bbf_estimate_fpp(image),
						   image->fpp),
				 errhint("Give a larger capacity to bloom_agg, or a null one to let it size the filter.")));
}

/* Leaves the state as it is, except that its batch has gone into the set. */
Datum
bloomtype_agg_final(PG_FUNCTION_ARGS)
{
	AggState   *state = PG_ARGISNULL(0) ? NULL : (AggState *) PG_GETARG_POINTER(0);
	BloomBuild	build;
	BbfImage   *image = &build.image;
	uint64		capacity;
	BbfGeometry geometry;
	unsigned char *blocks;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "bloom_agg final function called outside an aggregate");

	/* no row at all: the empty filter, so that NOT bloom_contains is true */
	if (state == NULL)
	{
		bloomtype_build_new(&build, 1, DEFAULT_FPP, DEFAULT_GROWTH);
		PG_RETURN_DATUM(bloomtype_build_finish(&build));
	}

	flush_batch(state);
	capacity = state->capacity > 0 ? state->capacity : Max(state->keys.nkeys, 1);
	bloomtype_build_new(&build, capacity, state->fpp, DEFAULT_GROWTH);
	image->family = state->family;
	image->signature = state->signature;

	if (state->blocks != NULL)
	{
		geometry = geometry_of(state);
		capacity = bloomtype_first_capacity(capacity, DEFAULT_GROWTH);
		blocks = bloomtype_build_open_layer(&build, capacity, state->fpp, &geometry);
		memcpy(blocks, state->blocks, (Size) geometry.nblocks * BBF_BLOCK_BYTES);
		image->layers[0].nset = state->layer.nset;
		warn_if_overfull(fcinfo, image);
	}
	else if (state->keys.nkeys <= BBF_MAX_LIST)
	{
		uint64		hashes[BBF_MAX_LIST];
		uint64		position = 0;
		size_t		n = bbf_key_set_read(&state->keys, &position, hashes,
										 lengthof(hashes));

		qsort(hashes, n, sizeof(uint64), compare_hashes);
		bloomtype_build_set_list(&build, hashes, n);
	}
	else
	{
		geometry = bloomtype_size_layer(capacity, state->fpp);
		blocks = bloomtype_build_open_layer(&build, capacity, state->fpp, &geometry);
		image->layers[0].nset = fill_blocks(blocks, image->layers[0].nblocks,
											image->layers[0].nprobes, &state->keys);
	}
	PG_RETURN_DATUM(bloomtype_build_finish(&build));
}
