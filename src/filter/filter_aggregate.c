/*
 * filter_aggregate.c
 *	  See filter_aggregate.h.
 */
#include "compat.h"

#include "filter/filter_aggregate.h"
#include "filter/call_cache.h"
#include "common/pg_prng.h"
#include "core/counting.h"
#include "core/distinct.h"
#include "core/estimate.h"
#include "fmgr.h"
#include "key/key_match.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "filter/filter_parameters.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(bloomtype_agg_transition);
PG_FUNCTION_INFO_V1(bloomtype_counting_agg_transition);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_agg_transition);
PG_FUNCTION_INFO_V1(bloomtype_agg_combine);
PG_FUNCTION_INFO_V1(bloomtype_agg_serialize);
PG_FUNCTION_INFO_V1(bloomtype_agg_deserialize);

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

/* sort_hashes(), ascending */
#define ST_SORT sort_hashes
#define ST_ELEMENT_TYPE uint64
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE static
#define ST_DEFINE
#define ST_CHECK_FOR_INTERRUPTS
#include "lib/sort_template.h"

static void *
alloc_huge(AggState *state, Size size, int flags)
{
	return MemoryContextAllocExtended(state->context, size,
									  MCXT_ALLOC_HUGE | flags);
}

static AggState *
new_state(MemoryContext context, BbfKind kind, int64 capacity, double fpp)
{
	AggState   *state = MemoryContextAllocZero(context, sizeof(AggState));

	state->context = context;
	state->kind = kind;
	state->capacity = capacity;
	state->fpp = fpp;
	state->room = FIRST_ROOM;
	state->hashes = alloc_huge(state, FIRST_ROOM * sizeof(uint64), 0);
	return state;
}

/*
 * Solving for a geometry takes longer than a small group, and most groups ask
 * for the same, so the last answer is remembered.
 */
BbfGeometry
bloomtype_agg_geometry(const AggState *state)
{
	static BbfKind last_kind;
	static int64 last_capacity = 0;
	static double last_fpp;
	static BbfGeometry last;

	if (state->capacity != last_capacity || state->fpp != last_fpp ||
		state->kind != last_kind)
	{
		last_capacity = 0;
		last = bloomtype_size_layer(state->kind, bloomtype_agg_capacity(state),
									state->fpp);
		last_kind = state->kind;
		last_fpp = state->fpp;
		last_capacity = state->capacity;
	}
	return last;
}

/* The array or the blocks are that large now: drop quick repeats if it pays. */
static void
start_recent_if_large(AggState *state, Size size)
{
	if (state->recent == NULL && size >= RECENT_FROM_BYTES &&
		state->kind != BBF_KIND_COUNTING_BLOOM)
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
	BbfGeometry geometry = bloomtype_agg_geometry(state);
	Size		size = (Size) geometry.nblocks * bbf_block_bytes(state->kind);

	state->nblocks = (uint32) geometry.nblocks;
	state->nprobes = geometry.nprobes;

	/* each block on one cache line */
	state->blocks = (unsigned char *)
		TYPEALIGN(BBF_BLOCK_BYTES,
				  alloc_huge(state, size + BBF_BLOCK_BYTES, MCXT_ALLOC_ZERO));
	start_recent_if_large(state, size);
	if (size >= RECENT_FROM_BYTES && state->room < BATCH_ROOM)
		set_room(state, BATCH_ROOM);
}

void
bloomtype_agg_fill(BbfKind kind, unsigned char *blocks, uint32 nblocks,
				   int nprobes, const uint64 *hashes, uint32 n)
{
	const uint32 piece = 65536;

	for (uint32 i = 0; i < n; i += piece)
	{
		uint32		m = Min(piece, n - i);

		CHECK_FOR_INTERRUPTS();
		if (kind == BBF_KIND_BLOOM)
			bbf_blocks_add_many(blocks, nblocks, nprobes, hashes + i, m);
		else
			bbf_counters_add_many(blocks, nblocks, nprobes, hashes + i, m);
	}
}

static void
check_for_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

/* Leave 15 copies of a hash at most: then its counters are at their limit. */
static uint32
limit_copies(uint64 *hashes, uint32 n)
{
	uint32		nleft = 0;
	uint32		copies = 0;

	sort_hashes(hashes, n);
	for (uint32 i = 0; i < n; i++)
	{
		copies = i > 0 && hashes[i] == hashes[i - 1] ? copies + 1 : 1;
		if (copies <= BBF_MAX_COUNTER)
			hashes[nleft++] = hashes[i];
	}
	return nleft;
}

/*
 * Remove hashes that would change nothing, of n at least one; returns how many
 * are left.  slots: see bbf_distinct.
 */
static uint32
remove_copies(BbfKind kind, uint64 *hashes, uint32 n, uint64 *slots)
{
	if (kind == BBF_KIND_COUNTING_BLOOM)
		return limit_copies(hashes, n);
	return bbf_distinct(hashes, n, slots, pg_prng_uint64(&pg_global_prng_state),
						check_for_interrupts);
}

/* All of them are in the array, as there is no layer to put them into. */
pg_noreturn static void
too_many_keys(const AggState *state)
{
	const char *name = bloomtype_kind_name(state->kind);

	if (state->kind == BBF_KIND_CUCKOO)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many distinct keys for cuckoo_agg"),
				 errdetail("The limit is %d keys.", MAX_KEYS),
				 errhint("Split the keys over several filters, one for each bloom_partition(value, partitions).")));
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("too many distinct keys for a filter that sizes itself"),
			 state->kind == BBF_KIND_BLOOM ?
			 errdetail("The limit is %d keys.", MAX_KEYS) :
			 errdetail("The limit is %d keys, each as often as it counts, up to %d times.",
					   MAX_KEYS, BBF_MAX_COUNTER),
			 errhint("Give the capacity: %s_agg(value, capacity, fpp).", name)));
}

static void
remove_duplicates(AggState *state)
{
	uint64		few_slots[512];
	uint64	   *slots = few_slots;
	size_t		nslots = bbf_distinct_slots(state->nhashes);

	if (state->ndistinct == state->nhashes)
		return;

	if (nslots > lengthof(few_slots) && state->kind != BBF_KIND_COUNTING_BLOOM)
		slots = palloc(nslots * sizeof(uint64));
	state->nhashes = remove_copies(state->kind, state->hashes, state->nhashes, slots);
	state->ndistinct = state->nhashes;
	if (slots != few_slots)
		pfree(slots);

	if (state->nhashes > MAX_KEYS && state->blocks == NULL)
		too_many_keys(state);
}

/*
 * Bring a state into the form from which a result is made: blocks that have
 * all keys, or an array without hashes that would change nothing.
 */
static void
settle(AggState *state)
{
	if (state->blocks == NULL)
	{
		remove_duplicates(state);
		if (state->capacity > 0 && state->nhashes > BBF_MAX_LIST &&
			state->kind != BBF_KIND_CUCKOO)
			open_layer(state);
	}
	if (state->blocks != NULL)
	{
		bloomtype_agg_fill(state->kind, state->blocks, state->nblocks,
						   state->nprobes, state->hashes, state->nhashes);
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
	return remove_copies(state->kind, sample, n, slots) < n / 4 * 3;
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
	if (unlikely(!bloomtype_key_matches(state->family, state->signature, key)))
		bloomtype_key_mismatch(state->kind, state->family, key, KEY_IS_ADDED);
	state->family = key.family;
	state->signature = key.signature;
}

/*
 * The parameters of the call: (value), (value, fpp) or (value, capacity, fpp).
 * A capacity that is null asks for sizing by itself: 0.
 */
static void
get_parameters(FunctionCallInfo fcinfo, BbfKind kind, int64 *capacity,
			   double *fpp)
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
				 errhint("To give a capacity use the form with three arguments: %s_agg(value, capacity, fpp).",
						 bloomtype_kind_name(kind))));
	bloomtype_check_fpp(*fpp);
}

static void
check_same_parameters(const AggState *state, int64 capacity, double fpp)
{
	if (state->capacity != capacity || state->fpp != fpp)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("capacity and false-positive probability of %s_agg must not change within a group",
						bloomtype_kind_name(state->kind)),
				 state->capacity > 0 && capacity > 0 ?
				 errdetail("The first row has capacity %lld and probability %g, a later one %lld and %g.",
						   (long long) state->capacity, state->fpp,
						   (long long) capacity, fpp) :
				 errdetail("The first row has capacity %lld and probability %g, a later one %lld and %g (0 stands for null: sized by itself).",
						   (long long) state->capacity, state->fpp,
						   (long long) capacity, fpp)));
}

static AggState *
start_group(FunctionCallInfo fcinfo, BbfKind kind)
{
	MemoryContext context;
	AggState   *state;
	int64		capacity;
	double		fpp;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate transition function called outside an aggregate");

	get_parameters(fcinfo, kind, &capacity, &fpp);
	state = new_state(context, kind, capacity, fpp);

	/* fail at the first row, not once there are blocks to make */
	if (capacity > 0)
		(void) bloomtype_agg_geometry(state);
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

static pg_attribute_always_inline Datum
transition(FunctionCallInfo fcinfo, BbfKind kind)
{
	AggState   *state;

	if (unlikely(PG_ARGISNULL(0)))
		state = start_group(fcinfo, kind);
	else
	{
		state = (AggState *) PG_GETARG_POINTER(0);
		if (unlikely(!same_parameters(fcinfo, state)))
		{
			int64		capacity;
			double		fpp;

			get_parameters(fcinfo, kind, &capacity, &fpp);
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

Datum
bloomtype_agg_transition(PG_FUNCTION_ARGS)
{
	return transition(fcinfo, BBF_KIND_BLOOM);
}

Datum
bloomtype_counting_agg_transition(PG_FUNCTION_ARGS)
{
	return transition(fcinfo, BBF_KIND_COUNTING_BLOOM);
}

Datum
bloomtype_cuckoo_agg_transition(PG_FUNCTION_ARGS)
{
	return transition(fcinfo, BBF_KIND_CUCKOO);
}

/* Add what another state has gathered. */
static void
merge_state(AggState *state, AggState *other)
{
	BloomKey	key = {.family = other->family,.signature = other->signature};

	if (other->family == BBF_FAMILY_NONE)
		return;
	match_family(state, key);

	if (other->blocks != NULL)
	{
		settle(other);
		if (state->blocks == NULL)
			open_layer(state);
		if (state->kind == BBF_KIND_BLOOM)
			bbf_blocks_or(state->blocks, other->blocks, state->nblocks);
		else
			bbf_counters_unite(state->blocks, other->blocks, state->nblocks);
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
		elog(ERROR, "aggregate combine function called outside an aggregate");

	if (other != NULL)
	{
		/* the other state does not live as long as this one must */
		if (state == NULL)
			state = new_state(context, other->kind, other->capacity, other->fpp);
		if (other->kind != state->kind)
			elog(ERROR, "states of different aggregates");
		check_same_parameters(state, other->capacity, other->fpp);
		merge_state(state, other);
	}
	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state);
}

/* Little-endian on every machine: states may go from one to another. */
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
		elog(ERROR, "aggregate serialize function called outside an aggregate");

	settle(state);
	pq_begintypsend(&message);
	pq_sendbyte(&message, MESSAGE_VERSION);
	pq_sendbyte(&message, state->kind);
	pq_sendint64(&message, state->capacity);
	pq_sendfloat8(&message, state->fpp);
	pq_sendint16(&message, state->family);
	pq_sendint32(&message, state->signature);
	pq_sendbyte(&message, state->blocks != NULL);
	if (state->blocks != NULL)
		pq_sendbytes(&message, (char *) state->blocks,
					 state->nblocks * bbf_block_bytes(state->kind));
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
	int			kind;
	int			has_blocks;
	Size		rest;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate deserialize function called outside an aggregate");

	/* only read from, so not copied */
	message.data = VARDATA_ANY(source);
	message.len = VARSIZE_ANY_EXHDR(source);
	message.maxlen = message.len;
	message.cursor = 0;

	if (pq_getmsgbyte(&message) != MESSAGE_VERSION)
		elog(ERROR, "unknown version of an aggregate state");
	kind = pq_getmsgbyte(&message);
	if (kind != BBF_KIND_BLOOM && kind != BBF_KIND_COUNTING_BLOOM &&
		kind != BBF_KIND_CUCKOO)
		elog(ERROR, "unknown kind of an aggregate state");
	capacity = pq_getmsgint64(&message);
	fpp = pq_getmsgfloat8(&message);
	if (capacity != 0)
		bloomtype_check_capacity(capacity);
	bloomtype_check_fpp(fpp);

	state = new_state(CurrentMemoryContext, kind, capacity, fpp);
	if (capacity > 0)
		(void) bloomtype_agg_geometry(state);
	state->family = pq_getmsgint(&message, 2);
	state->signature = pq_getmsgint(&message, 4);
	has_blocks = pq_getmsgbyte(&message);
	rest = message.len - message.cursor;

	if (has_blocks > 1 ||
		(has_blocks && (capacity == 0 || kind == BBF_KIND_CUCKOO)))
		elog(ERROR, "invalid form of an aggregate state");
	if (has_blocks)
	{
		if (rest != bloomtype_agg_geometry(state).nblocks * bbf_block_bytes(state->kind))
			elog(ERROR, "invalid length of an aggregate state");
		open_layer(state);
		memcpy(state->blocks, pq_getmsgbytes(&message, rest), rest);

		/* a counting filter has no layer without keys */
		if (kind == BBF_KIND_COUNTING_BLOOM &&
			bbf_counters_count(state->blocks, state->nblocks) == 0)
			elog(ERROR, "invalid form of an aggregate state");
	}
	else
	{
		uint32		n = rest / sizeof(uint64);
		const unsigned char *hashes;

		if (rest % sizeof(uint64) != 0 || n > MAX_KEYS)
			elog(ERROR, "invalid length of an aggregate state");

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
		elog(ERROR, "invalid key family of an aggregate state");
	PG_RETURN_POINTER(state);
}

AggState *
bloomtype_agg_settled(FunctionCallInfo fcinfo, BbfKind kind)
{
	AggState   *state = PG_ARGISNULL(0) ? NULL : (AggState *) PG_GETARG_POINTER(0);

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate final function called outside an aggregate");
	if (state == NULL)
		return NULL;
	if (state->kind != kind)
		elog(ERROR, "state of another aggregate");
	settle(state);
	return state;
}

uint32
bloomtype_agg_sort(AggState *state)
{
	uint32		ndistinct = 0;

	sort_hashes(state->hashes, state->nhashes);
	for (uint32 i = 0; i < state->nhashes; i++)
		ndistinct += i == 0 || state->hashes[i] != state->hashes[i - 1];
	return ndistinct;
}

/* The rate rises, but no key is lost: say so, once. */
void
bloomtype_agg_warn_if_overfull(FunctionCallInfo fcinfo, const BbfImage *image)
{
	if (bbf_is_saturated(image) && bbf_estimate_fpp(image) > image->fpp &&
		bloomtype_call_is_first(fcinfo))
	{
		const char *name = bloomtype_kind_name(image->kind);

		ereport(WARNING,
				(errmsg("filter holds more keys than its capacity"),
				 errdetail("It was made for %llu keys and holds about %.0f; its false-positive probability is now %.2g instead of %g.",
						   (unsigned long long) image->capacity,
						   bbf_estimate_keys(image), bbf_estimate_fpp(image),
						   image->fpp),
				 errhint("Give a larger capacity to %s_agg, or a null one to let it size the filter.",
						 name)));
	}
}
