/*
 * bloom_aggregate.c
 *	  bloom_agg: a filter from a column.
 *
 * A filter is never touched row by row: in one that is larger than the cache
 * every key would wait for memory.  Hashes gather in an array.
 *
 *	bloom_agg(value [, fpp])
 *		When the array is full duplicates are removed, and it grows if that
 *		has not made room.  The number of distinct keys at the end sizes the
 *		filter.
 *	bloom_agg(value, capacity, fpp)
 *		Past 128 distinct keys the array becomes the buffer in front of the one
 *		layer that this capacity asks for, whatever comes: same parameters,
 *		same geometry.
 *
 * The result depends on the set of keys alone, not on their order, on
 * duplicates, or on how many processes shared the work.
 *
 * Limits: sized by itself, up to 100 million keys, at 8 to 16 bytes each, up
 * to 32 where they repeat.
 */
#include "compat.h"

#include "bloom_build.h"
#include "call_cache.h"
#include "core/distinct.h"
#include "core/estimate.h"
#include "common/pg_prng.h"
#include "fmgr.h"
#include "key_match.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(bloomtype_agg_transition);
PG_FUNCTION_INFO_V1(bloomtype_agg_combine);
PG_FUNCTION_INFO_V1(bloomtype_agg_serialize);
PG_FUNCTION_INFO_V1(bloomtype_agg_deserialize);
PG_FUNCTION_INFO_V1(bloomtype_agg_final);

/* So that a message between processes stays below a gigabyte. */
#define MAX_KEYS			100000000

/* A gigabyte: room for as many keys, and for duplicates to come in between. */
#define MAX_ROOM			((uint32) 1 << 27)

/* Of hashes in the array; a group of a few keys must cost little. */
#define FIRST_ROOM			8

/*
 * When the array is full duplicates are removed, which may make room, but not
 * while it is small; and from some size on a sample decides whether it is
 * worth the time.
 */
#define DISTINCT_FROM_ROOM	128
#define SAMPLE_FROM_ROOM	((uint32) 1 << 14)
#define SAMPLE_SIZE			1024

/* In front of a layer that is not small. */
#define BATCH_ROOM			1024

/*
 * Keys that repeat shortly after one another are dropped by a small table of
 * the last hashes, once the state is so much larger that this pays.
 */
#define RECENT_BITS			10
#define NRECENT				(1 << RECENT_BITS)
#define RECENT_FROM_BYTES	(2 * NRECENT * sizeof(uint64))

#define MESSAGE_VERSION		1

StaticAssertDecl(BBF_DISTINCT_ORDERED >= BBF_MAX_LIST,
				 "what goes into a list must ascend");

typedef struct AggState
{
	/* what every row uses, on one cache line */
	uint64	   *hashes;			/* gathered, and not yet in blocks */
	uint32		nhashes;		/* always less than room */
	uint32		room;
	uint64	   *recent;			/* by their upper bits; or null */
	uint32		signature;
	uint16		family;			/* of the keys; none before the first */

	uint32		ndistinct;		/* the first so many hashes occur once each */
	MemoryContext context;
	int64		capacity;		/* 0: sized by itself */
	double		fpp;

	unsigned char *blocks;		/* the layer, while there is one; or null */
	uint32		nblocks;
	int			nprobes;
} AggState;

static void *
alloc_huge(AggState *state, Size size, int flags)
{
	return MemoryContextAllocExtended(state->context, size,
									  MCXT_ALLOC_HUGE | flags);
}

static AggState *
new_state(MemoryContext context, int64 capacity, double fpp)
{
	AggState   *state = MemoryContextAllocZero(context, sizeof(AggState));

	state->context = context;
	state->capacity = capacity;
	state->fpp = fpp;
	state->room = FIRST_ROOM;
	state->hashes = alloc_huge(state, FIRST_ROOM * sizeof(uint64), 0);
	return state;
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

/* The array or the blocks are that large now: drop quick repeats if it pays. */
static void
start_recent_if_large(AggState *state, Size size)
{
	if (state->recent == NULL && size >= RECENT_FROM_BYTES)
	{
		state->recent = alloc_huge(state, NRECENT * sizeof(uint64), MCXT_ALLOC_ZERO);

		/* hash 0 has not been here yet; this one is never looked up there */
		state->recent[0] = PG_UINT64_MAX;
	}
}

static void
set_room(AggState *state, uint32 room)
{
	state->hashes = repalloc_huge(state->hashes, room * sizeof(uint64));
	state->room = room;
	start_recent_if_large(state, room * sizeof(uint64));
}

static void
open_layer(AggState *state)
{
	BbfGeometry geometry = geometry_of(state);
	Size		size = (Size) geometry.nblocks * BBF_BLOCK_BYTES;

	state->nblocks = (uint32) geometry.nblocks;
	state->nprobes = geometry.nprobes;

	/* each block on one cache line */
	state->blocks = (unsigned char *)
		TYPEALIGN(BBF_BLOCK_BYTES,
				  alloc_huge(state, size + BBF_BLOCK_BYTES, MCXT_ALLOC_ZERO));
	start_recent_if_large(state, size);
	if (state->recent != NULL && state->room < BATCH_ROOM)
		set_room(state, BATCH_ROOM);
}

/* Add hashes to blocks, in pieces that can be interrupted. */
static void
fill_blocks(unsigned char *blocks, uint32 nblocks, int nprobes,
			const uint64 *hashes, uint32 n)
{
	const uint32 piece = 65536;

	for (uint32 i = 0; i < n; i += piece)
	{
		CHECK_FOR_INTERRUPTS();
		bbf_blocks_add_many(blocks, nblocks, nprobes, hashes + i,
							Min(piece, n - i));
	}
}

static void
check_for_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

static void
remove_duplicates(AggState *state)
{
	uint64		few_slots[512];
	uint64	   *slots = few_slots;
	size_t		nslots = bbf_distinct_slots(state->nhashes);

	if (state->ndistinct == state->nhashes)
		return;

	if (nslots > lengthof(few_slots))
		slots = palloc(nslots * sizeof(uint64));
	state->nhashes = bbf_distinct(state->hashes, state->nhashes, slots,
								  pg_prng_uint64(&pg_global_prng_state),
								  check_for_interrupts);
	state->ndistinct = state->nhashes;
	if (slots != few_slots)
		pfree(slots);

	if (state->capacity == 0 && state->nhashes > MAX_KEYS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many distinct keys for a filter that sizes itself"),
				 errdetail("The limit is %d keys.", MAX_KEYS),
				 errhint("Give the capacity: bloom_agg(value, capacity, fpp).")));
}

/*
 * Bring a state into the form from which a result is made: blocks that have
 * all keys, or each of them once in the array.
 */
static void
settle(AggState *state)
{
	if (state->blocks == NULL)
	{
		remove_duplicates(state);
		if (state->capacity > 0 && state->nhashes > BBF_MAX_LIST)
			open_layer(state);
	}
	if (state->blocks != NULL)
	{
		fill_blocks(state->blocks, state->nblocks, state->nprobes,
					state->hashes, state->nhashes);
		state->nhashes = 0;
		state->ndistinct = 0;
	}
}

/*
 * Is more than a quarter of the array duplicates?  All copies of a hash lie on
 * the same side of a limit, so the hashes below it, some 512, have the same
 * share of duplicates.
 */
static bool
many_duplicates(const AggState *state)
{
	uint64		sample[SAMPLE_SIZE];
	uint64		slots[2 * SAMPLE_SIZE];
	uint64		limit = PG_UINT64_MAX / state->nhashes * (SAMPLE_SIZE / 2);
	uint32		n = 0;

	for (uint32 i = 0; i < state->nhashes && n < SAMPLE_SIZE; i++)
	{
		if (state->hashes[i] < limit)
			sample[n++] = state->hashes[i];
	}
	return bbf_distinct(sample, n, slots, pg_prng_uint64(&pg_global_prng_state),
						check_for_interrupts) < n / 4 * 3;
}

/* The array is full. */
static void
make_room(AggState *state)
{
	if (state->blocks != NULL ||
		(state->room >= DISTINCT_FROM_ROOM &&
		 (state->room < SAMPLE_FROM_ROOM || state->room == MAX_ROOM ||
		  many_duplicates(state))))
		settle(state);
	if (state->nhashes > state->room / 2)
		set_room(state, Min(state->room * 2, MAX_ROOM));
}

static pg_attribute_always_inline void
add_hash(AggState *state, uint64 hash)
{
	if (state->recent != NULL)
	{
		uint64	   *recent = &state->recent[hash >> (64 - RECENT_BITS)];

		if (*recent == hash)
			return;
		*recent = hash;
	}
	state->hashes[state->nhashes++] = hash;
	if (unlikely(state->nhashes == state->room))
		make_room(state);
}

static void
add_hashes(AggState *state, const uint64 *hashes, uint32 n)
{
	while (n > 0)
	{
		uint32		piece = Min(n, state->room - state->nhashes);

		memcpy(state->hashes + state->nhashes, hashes, piece * sizeof(uint64));
		state->nhashes += piece;
		if (state->nhashes == state->room)
			make_room(state);
		hashes += piece;
		n -= piece;
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
				 state->capacity > 0 && capacity > 0 ?
				 errdetail("The first row has capacity %lld and probability %g, a later one %lld and %g.",
						   (long long) state->capacity, state->fpp,
						   (long long) capacity, fpp) :
				 errdetail("The first row has capacity %lld and probability %g, a later one %lld and %g (0 stands for null: sized by itself).",
						   (long long) state->capacity, state->fpp,
						   (long long) capacity, fpp)));
}

static AggState *
start_group(FunctionCallInfo fcinfo)
{
	MemoryContext context;
	AggState   *state;
	int64		capacity;
	double		fpp;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "bloom_agg transition function called outside an aggregate");

	get_parameters(fcinfo, &capacity, &fpp);
	state = new_state(context, capacity, fpp);

	/* fail at the first row, not once there are blocks to make */
	if (capacity > 0)
		(void) geometry_of(state);
	return state;
}

/*
 * Are the parameters of this row those of the group, which are valid?  False
 * also where the answer takes longer: with a null capacity.
 */
static inline bool
same_parameters(FunctionCallInfo fcinfo, const AggState *state)
{
	int			fpp_argno = PG_NARGS() - 1;

	return PG_NARGS() == 2 ||
		((PG_NARGS() == 3 ||
		  (!PG_ARGISNULL(2) && PG_GETARG_INT64(2) == state->capacity &&
		   state->capacity > 0)) &&
		 !PG_ARGISNULL(fpp_argno) && PG_GETARG_FLOAT8(fpp_argno) == state->fpp);
}

Datum
bloomtype_agg_transition(PG_FUNCTION_ARGS)
{
	AggState   *state;

	if (unlikely(PG_ARGISNULL(0)))
		state = start_group(fcinfo);
	else
	{
		state = (AggState *) PG_GETARG_POINTER(0);
		if (unlikely(!same_parameters(fcinfo, state)))
		{
			int64		capacity;
			double		fpp;

			get_parameters(fcinfo, &capacity, &fpp);
			check_same_parameters(state, capacity, fpp);
		}
	}

	if (!PG_ARGISNULL(1))
	{
		Funnel	   *funnel = bloomtype_call_funnel(bloomtype_call_cache(fcinfo),
												   fcinfo, 1);
		BloomKey	key = bloomtype_funnel_hash(funnel, PG_GETARG_DATUM(1));

		match_family(state, key);
		add_hash(state, key.hash);
	}
	PG_RETURN_POINTER(state);
}

/* Add what another state has gathered. */
static void
merge_state(AggState *state, AggState *other)
{
	BloomKey	kind = {.family = other->family,.signature = other->signature};

	if (other->family == BBF_FAMILY_NONE)
		return;
	match_family(state, kind);

	if (other->blocks != NULL)
	{
		settle(other);
		if (state->blocks == NULL)
			open_layer(state);
		bbf_blocks_or(state->blocks, other->blocks, state->nblocks);
	}
	else
		add_hashes(state, other->hashes, other->nhashes);
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

/* Little-endian, as everywhere else: states may go from machine to machine. */
static void
send_hashes(StringInfo message, const uint64 *hashes, uint32 n)
{
	enlargeStringInfo(message, n * sizeof(uint64));
	for (uint32 i = 0; i < n; i++)
	{
		bbf_put64((unsigned char *) message->data + message->len, hashes[i]);
		message->len += sizeof(uint64);
	}
}

Datum
bloomtype_agg_serialize(PG_FUNCTION_ARGS)
{
	AggState   *state = (AggState *) PG_GETARG_POINTER(0);
	StringInfoData message;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "bloom_agg serialize function called outside an aggregate");

	settle(state);
	pq_begintypsend(&message);
	pq_sendbyte(&message, MESSAGE_VERSION);
	pq_sendint64(&message, state->capacity);
	pq_sendfloat8(&message, state->fpp);
	pq_sendint16(&message, state->family);
	pq_sendint32(&message, state->signature);
	pq_sendbyte(&message, state->blocks != NULL);
	if (state->blocks != NULL)
		pq_sendbytes(&message, (char *) state->blocks,
					 state->nblocks * BBF_BLOCK_BYTES);
	else
		send_hashes(&message, state->hashes, state->nhashes);
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
	int			has_blocks;
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
	if (capacity > 0)
		(void) geometry_of(state);
	state->family = pq_getmsgint(&message, 2);
	state->signature = pq_getmsgint(&message, 4);
	has_blocks = pq_getmsgbyte(&message);
	rest = message.len - message.cursor;

	if (has_blocks > 1 || (has_blocks && capacity == 0))
		elog(ERROR, "invalid form of a bloom_agg state");
	if (has_blocks)
	{
		if (rest != geometry_of(state).nblocks * BBF_BLOCK_BYTES)
			elog(ERROR, "invalid length of a bloom_agg state");
		open_layer(state);
		memcpy(state->blocks, pq_getmsgbytes(&message, rest), rest);
	}
	else
	{
		uint32		n = rest / sizeof(uint64);
		const unsigned char *hashes;

		if (rest % sizeof(uint64) != 0 || n > MAX_KEYS)
			elog(ERROR, "invalid length of a bloom_agg state");

		set_room(state, pg_nextpower2_32(Max(n + 1, FIRST_ROOM)));
		hashes = (const unsigned char *) pq_getmsgbytes(&message, rest);
		for (uint32 i = 0; i < n; i++)
			state->hashes[i] = bbf_get64(hashes + i * sizeof(uint64));
		state->nhashes = n;
	}
	pq_getmsgend(&message);

	/* keys have a family, and a family is of keys */
	if (state->family == BBF_FAMILY_NONE ? rest > 0 || state->signature != 0 :
		!bbf_family_is_valid(state->family, state->signature) || rest == 0)
		elog(ERROR, "invalid key family of a bloom_agg state");
	PG_RETURN_POINTER(state);
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

/* The state may go on taking keys. */
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

	settle(state);
	capacity = state->capacity > 0 ? state->capacity : Max(state->nhashes, 1);
	bloomtype_build_new(&build, capacity, state->fpp, DEFAULT_GROWTH);
	image->family = state->family;
	image->signature = state->signature;

	if (state->blocks == NULL && state->nhashes <= BBF_MAX_LIST)
	{
		bloomtype_build_set_list(&build, state->hashes, state->nhashes);
		PG_RETURN_DATUM(bloomtype_build_finish(&build));
	}

	if (state->blocks != NULL)
	{
		geometry = geometry_of(state);
		capacity = bloomtype_first_capacity(capacity, DEFAULT_GROWTH);
		blocks = bloomtype_build_open_layer(&build, capacity, state->fpp, &geometry);
		memcpy(blocks, state->blocks, (Size) state->nblocks * BBF_BLOCK_BYTES);
	}
	else
	{
		geometry = bloomtype_size_layer(capacity, state->fpp);
		blocks = bloomtype_build_open_layer(&build, capacity, state->fpp, &geometry);
		fill_blocks(blocks, (uint32) geometry.nblocks, geometry.nprobes,
					state->hashes, state->nhashes);
	}
	image->layers[0].nset = bbf_blocks_count(blocks, (uint32) geometry.nblocks);

	/* what sizes itself is never too full */
	if (state->blocks != NULL)
		warn_if_overfull(fcinfo, image);
	PG_RETURN_DATUM(bloomtype_build_finish(&build));
}
