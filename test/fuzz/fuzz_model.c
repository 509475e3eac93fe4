/*
 * fuzz_model.c
 *	  Fuzz target: the rules of filters, held against plain sets of keys.
 *
 * The input is a program over four filters.  Beside each filter there is a table of how
 * often each key was added to it.  Whatever the program does: each filter is valid, no key
 * is lost, both orders of a union or intersection, and all ways to gather keys in
 * aggregates, give the same bytes, and exact numbers are right.
 *
 * Guards against a displaced fingerprint that is dropped (seiflotfy/cuckoofilter 50), a
 * parallel aggregate that loses keys (pg_roaringbitmap 6, 3139 for 10001), compaction
 * that does (RedisBloom 260), and union and add that write into their argument
 * (PipelineDB 1895).
 *
 * An operation is one byte, of which the lower bits say what, and the upper four on which
 * two filters; then what it needs.
 */
#include "compat.h"

#include "backend.h"
#include "core/blocked.h"
#include "core/cuckoo.h"
#include "core/family.h"
#include "filter/open_filter.h"
#include "fuzz.h"

extern Datum bloomtype_agg_combine(PG_FUNCTION_ARGS);
extern Datum bloomtype_agg_deserialize(PG_FUNCTION_ARGS);
extern Datum bloomtype_agg_serialize(PG_FUNCTION_ARGS);
extern Datum bloomtype_bloom_agg_final(PG_FUNCTION_ARGS);
extern Datum bloomtype_bloom_agg_key_transition(PG_FUNCTION_ARGS);
extern Datum bloomtype_bloom_create(PG_FUNCTION_ARGS);
extern Datum bloomtype_bloom_intersection(PG_FUNCTION_ARGS);
extern Datum bloomtype_bloom_shrink(PG_FUNCTION_ARGS);
extern Datum bloomtype_bloom_union(PG_FUNCTION_ARGS);
extern Datum bloomtype_bloom_union_agg_final(PG_FUNCTION_ARGS);
extern Datum bloomtype_counting_bloom_agg_final(PG_FUNCTION_ARGS);
extern Datum bloomtype_counting_bloom_agg_key_transition(PG_FUNCTION_ARGS);
extern Datum bloomtype_counting_bloom_create(PG_FUNCTION_ARGS);
extern Datum bloomtype_counting_bloom_union(PG_FUNCTION_ARGS);
extern Datum bloomtype_cuckoo_agg_final(PG_FUNCTION_ARGS);
extern Datum bloomtype_cuckoo_agg_key_transition(PG_FUNCTION_ARGS);
extern Datum bloomtype_cuckoo_create(PG_FUNCTION_ARGS);

/* By kind; null where there is no such function. */
static const struct
{
	PGFunction	create;
	PGFunction	transition;
	PGFunction	final;
	PGFunction	unite;
}			functions[] = {
	{NULL},
	{bloomtype_bloom_create, bloomtype_bloom_agg_key_transition,
	bloomtype_bloom_agg_final, bloomtype_bloom_union},
	{bloomtype_counting_bloom_create, bloomtype_counting_bloom_agg_key_transition,
	bloomtype_counting_bloom_agg_final, bloomtype_counting_bloom_union},
	{bloomtype_cuckoo_create, bloomtype_cuckoo_agg_key_transition,
	bloomtype_cuckoo_agg_final, NULL}
};

StaticAssertDecl(lengthof(functions) == BBF_KIND_MAX + 1, "each kind has its functions");

#define NKEYS		1024
#define NFILTERS	4
#define MAX_OPERATIONS	32

/* Those of a filter that are worth trying: lists, growth, bins that pay. */
static const double capacities[] = {1, 8, 100, 128, 129, 300, 1000, 2000};
static const double rates[] = {0.5, 0.1, 0.01, 0.001, 0.00001, 0.3, 1e-9, 0.02};

/* A filter, and what it must have. */
typedef struct Filter
{
	BbfKind		kind;
	Datum		value;
	unsigned	added[NKEYS];	/* copies of each key; 0 or 1 of a kind that
								 * skips those that seem present */
} Filter;

static Filter filters[NFILTERS];

/*
 * The hash of a key.  Every fourth is one of few that share their upper bits, so that
 * they meet in the same bins.
 */
static uint64_t
hash_of(unsigned key)
{
	uint64_t	hash = mixed(key);

	return key % 4 == 0 ? (hash & UINT32_MAX) | (uint64_t) (key % 64) << 40 : hash;
}

static BloomKey
key_of(unsigned number)
{
	BloomKey	key = {.hash = hash_of(number),.family = BBF_FAMILY_NUMBER};

	return key;
}

static const unsigned char *
read_value(Datum value, BbfKind kind, BbfMeta *meta)
{
	struct varlena *varlena = (struct varlena *) DatumGetPointer(value);
	const unsigned char *bytes = (const unsigned char *) VARDATA(varlena);

	REQUIRE(bbf_image_validate(bytes, VARSIZE(varlena) - VARHDRSZ, kind, meta, NULL) == NULL);
	return bytes;
}

static NullableDatum
not_null(Datum value)
{
	NullableDatum arg = {.value = value};

	return arg;
}

/*
 * What holds for every filter at any time.  Counters end at 15, and then no longer tell
 * how many copies there are.
 */
static void
require_model(const Filter *filter)
{
	const BbfKindRoutine *routine = bbf_kind_routine(filter->kind);
	BbfMeta		meta;
	const unsigned char *bytes = read_value(filter->value, filter->kind, &meta);
	uint64_t	copies = 0;
	unsigned	distinct = 0;

	for (unsigned key = 0; key < NKEYS; key++)
	{
		unsigned	added = filter->added[key];

		if (routine->saturated_count > 0)
			added = Min(added, (unsigned) routine->saturated_count);
		if (added > 0)
			REQUIRE(image_count(&meta, bytes, hash_of(key)) >= (int) added);
		distinct += added > 0;
		copies += added;
	}
	REQUIRE(bbf_meta_has_keys(&meta) || distinct == 0);
	REQUIRE(!bbf_meta_has_keys(&meta) || meta.family == BBF_FAMILY_NUMBER);
	if (meta.nlist > 0 && (meta.flags & BBF_FLAG_INTERSECTION) == 0)
		REQUIRE(meta.nlist == distinct);
	if (filter->kind == BBF_KIND_CUCKOO)
		REQUIRE(copies == (meta.nlayers > 0 ? meta.layers[0].nset : 0));
}

static void
create(Filter *filter, Input *input)
{
	uint8_t		choice = take8(input);
	uint8_t		growth = take8(input);
	BbfKind		kind = (BbfKind) (growth % BBF_KIND_MAX + 1);
	NullableDatum args[3];
	Datum		value;

	args[0] = not_null(Float8GetDatum(capacities[choice % 8]));
	args[1] = not_null(Float8GetDatum(rates[choice / 8 % 8]));
	args[2] = not_null(Int32GetDatum(growth / 4 % 4));
	if (!call_for_value(functions[kind].create, false, kind == BBF_KIND_BLOOM ? 3 : 2, args, &value))
		return;
	filter->kind = kind;
	filter->value = value;
	memset(filter->added, 0, sizeof(filter->added));
}

/* Keys to add or to remove, one after the other. */
typedef struct Change
{
	Filter	   *filter;
	unsigned	first;
	unsigned	step;
	unsigned	n;
	unsigned	ndone;			/* those that were changed before an error */
	Datum		result;
} Change;

static void
run_add(void *argument)
{
	Change	   *change = argument;
	OpenFilter	open;

	blt_open_to_change(&open, change->filter->value, BBF_KIND_ANY);
	for (unsigned i = 0; i < change->n; i++)
		blt_add_key(&open, key_of((change->first + i * change->step) % NKEYS));
	change->result = blt_close_filter(&open);
}

static void
run_remove(void *argument)
{
	Change	   *change = argument;
	OpenFilter	open;

	blt_open_to_change(&open, change->filter->value, BBF_KIND_ANY);
	for (unsigned i = 0; i < change->n; i++)
		blt_remove_key(&open, key_of((change->first + i * change->step) % NKEYS));
	change->result = blt_close_filter(&open);
}

/* An error leaves the filter as it was; and so does a change, which makes a new one. */
static void
add(Filter *filter, Input *input)
{
	Change		change = {.filter = filter};
	struct varlena *old = (struct varlena *) DatumGetPointer(filter->value);
	unsigned char *before = exact_copy((unsigned char *) old, VARSIZE(old));
	bool		skips_present = bbf_has_trait(bbf_kind_routine(filter->kind), BBF_TRAIT_SKIPS_PRESENT);

	change.first = take16(input) % NKEYS;
	change.n = take8(input);
	change.step = take8(input) % 8;
	if (succeeds(run_add, &change))
	{
		filter->value = change.result;
		for (unsigned i = 0; i < change.n; i++)
		{
			unsigned   *added = &filter->added[(change.first + i * change.step) % NKEYS];

			*added = skips_present ? 1 : *added + 1;
		}
	}
	else
		REQUIRE(error_is_expected());
	REQUIRE(memcmp(before, old, VARSIZE(old)) == 0);
	free(before);
}

/*
 * Only keys that are there may be removed, and not if their counters are stuck; others
 * only if they are certainly absent.
 */
static void
remove_key(Filter *filter, Input *input)
{
	const BbfKindRoutine *routine = bbf_kind_routine(filter->kind);
	unsigned	key = take16(input) % NKEYS;
	Change		change = {.filter = filter,.first = key,.n = 1};
	BbfMeta		meta;
	const unsigned char *bytes = read_value(filter->value, filter->kind, &meta);
	bool		absent = !image_contains(&meta, bytes, hash_of(key));

	if (routine->remove == NULL || (filter->added[key] == 0 && !absent))
		return;
	REQUIRE(!absent || filter->added[key] == 0);
	REQUIRE(succeeds(run_remove, &change));
	if (absent)
		REQUIRE(change.result == filter->value);
	else
		filter->added[key]--;
	filter->value = change.result;
}

/* The union, or the error, of two filters, whichever comes first. */
static void
unite(Filter *filter, const Filter *other)
{
	NullableDatum args[2] = {not_null(filter->value), not_null(other->value)};
	NullableDatum swapped[2] = {args[1], args[0]};
	Datum		one;
	Datum		two;
	bool		united;

	if (filter->kind != other->kind || functions[filter->kind].unite == NULL)
		return;
	united = call_for_value(functions[filter->kind].unite, false, 2, args, &one);
	if (call_for_value(functions[filter->kind].unite, false, 2, swapped, &two) != united)
		REQUIRE(error_code == ERRCODE_OUT_OF_MEMORY);
	else if (united)
	{
		REQUIRE(same_value(one, two));
		filter->value = one;
		for (unsigned key = 0; key < NKEYS; key++)
		{
			if (filter->kind == BBF_KIND_BLOOM)
				filter->added[key] |= other->added[key];
			else
				filter->added[key] += other->added[key];
		}
	}
}

static void
intersect(Filter *filter, const Filter *other)
{
	NullableDatum args[2] = {not_null(filter->value), not_null(other->value)};
	NullableDatum swapped[2] = {args[1], args[0]};
	Datum		one;
	Datum		two;
	bool		intersected;

	if (filter->kind != BBF_KIND_BLOOM || other->kind != BBF_KIND_BLOOM)
		return;
	intersected = call_for_value(bloomtype_bloom_intersection, false, 2, args, &one);
	REQUIRE(call_for_value(bloomtype_bloom_intersection, false, 2, swapped, &two) == intersected);
	if (!intersected)
		return;
	REQUIRE(same_value(one, two));
	filter->value = one;
	for (unsigned key = 0; key < NKEYS; key++)
		filter->added[key] = filter->added[key] && other->added[key];
}

static void
shrink(Filter *filter)
{
	NullableDatum arg = not_null(filter->value);
	Datum		value;

	if (filter->kind == BBF_KIND_BLOOM && call_for_value(bloomtype_bloom_shrink, false, 1, &arg, &value))
		filter->value = value;
}

/*
 * Aggregates
 */

#define NSTATES		3

/* Add keys to a state, which may be null.  False for an error. */
static bool
gather(BbfKind kind, NullableDatum *state, const NullableDatum *parameters, int nparameters,
	   unsigned first, unsigned step, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
	{
		BloomKey	key = key_of((first + i * step) % NKEYS);
		NullableDatum args[4] = {*state, not_null(PointerGetDatum(&key))};

		for (int j = 0; j < nparameters; j++)
			args[2 + j] = parameters[j];
		if (!call_for_value(functions[kind].transition, true, 2 + nparameters, args, &state->value))
			return false;
		state->isnull = false;
	}
	return true;
}

/* Send a state to another process. */
static bool
transfer(NullableDatum *state)
{
	if (state->isnull)
		return true;
	return call_for_value(bloomtype_agg_serialize, true, 1, state, &state->value) &&
		call_for_value(bloomtype_agg_deserialize, true, 1, state, &state->value);
}

/* Combine states in an order; the first of them goes on as the state of the result. */
static bool
combine(BbfKind kind, NullableDatum *states, const int *order, bool send, Datum *result)
{
	NullableDatum all = {.isnull = true};

	for (int i = 0; i < NSTATES; i++)
	{
		NullableDatum args[2] = {all, states[order[i]]};

		if ((send && !transfer(&args[1])) || args[1].isnull)
		{
			if (args[1].isnull)
				continue;
			return false;
		}
		if (!call_for_value(bloomtype_agg_combine, true, 2, args, &all.value))
			return false;
		all.isnull = false;
	}
	return call_for_value(functions[kind].final, true, 1, &all, result);
}

/*
 * An aggregate over some rows, by one process, and by three whose states are combined in
 * two orders, sent or not: the same bytes each time.
 */
static void
aggregate(Filter *filter, Input *input)
{
	static const int orders[][NSTATES] = {{0, 1, 2}, {2, 0, 1}};
	uint8_t		choice = take8(input);
	uint8_t		flags = take8(input);
	BbfKind		kind = (BbfKind) (flags % BBF_KIND_MAX + 1);
	int			nparameters = flags / 4 % 3;
	NullableDatum parameters[2];
	NullableDatum single = {.isnull = true};
	unsigned	first[NSTATES];
	unsigned	n[NSTATES];
	unsigned	step = flags / 16 % 4;
	Datum		result;
	bool		made = true;

	parameters[0] = not_null(Float8GetDatum(capacities[choice % 8]));
	parameters[0].isnull = flags / 64 % 2;
	parameters[1] = not_null(Float8GetDatum(rates[choice / 8 % 8]));
	if (nparameters == 1)
		parameters[0] = parameters[1];
	for (int i = 0; i < NSTATES; i++)
	{
		first[i] = take16(input);
		n[i] = take8(input);
		made = made && gather(kind, &single, parameters, nparameters, first[i], step, n[i]);
	}
	if (!made || !call_for_value(functions[kind].final, true, 1, &single, &result))
		return;

	for (int order = 0; order < 2; order++)
	{
		NullableDatum states[NSTATES];
		Datum		combined;

		for (int i = 0; i < NSTATES; i++)
		{
			states[i].isnull = true;
			made = made && gather(kind, &states[i], parameters, nparameters, first[i], step,
								  n[i]);
		}
		if (!made || !combine(kind, states, orders[order], (choice >> 6 & 1 << order) != 0,
							  &combined))
		{
			REQUIRE(error_code == ERRCODE_OUT_OF_MEMORY);
			return;
		}
		REQUIRE(same_value(result, combined));
	}
	filter->kind = kind;
	filter->value = result;
	memset(filter->added, 0, sizeof(filter->added));
	for (int i = 0; i < NSTATES; i++)
	{
		for (unsigned j = 0; j < n[i]; j++)
		{
			unsigned   *added = &filter->added[(first[i] + j * step) % NKEYS];

			*added = kind == BBF_KIND_COUNTING_BLOOM ? *added + 1 : 1;
		}
	}
}

/* A plain copy, as the state of an aggregate and its arguments do not share memory. */
static Datum
copy_of(Datum value)
{
	struct varlena *from = pg_detoast_datum((struct varlena *) DatumGetPointer(value));
	struct varlena *to = palloc(VARSIZE(from));

	memcpy(to, from, VARSIZE(from));
	return PointerGetDatum(to);
}

/* bloom_union_agg over all filters, twice: the bytes of | over the same. */
static void
unite_all(Filter *filter)
{
	NullableDatum state = {.isnull = true};
	Datum		united = 0;
	Datum		result;

	for (int i = 0; i < 2 * NFILTERS; i++)
	{
		const Filter *other = &filters[i % NFILTERS];
		NullableDatum args[2];

		if (other->kind != BBF_KIND_BLOOM)
			continue;
		if (state.isnull)
		{
			state = not_null(copy_of(other->value));
			united = other->value;
			continue;
		}
		args[0] = not_null(united);
		args[1] = not_null(other->value);
		if (!call_for_value(bloomtype_bloom_union, false, 2, args, &united))
			return;
		args[0] = state;
		if (!call_for_value(bloomtype_bloom_union, true, 2, args, &state.value))
		{
			REQUIRE(error_code == ERRCODE_OUT_OF_MEMORY);
			return;
		}
	}
	if (state.isnull || !call_for_value(bloomtype_bloom_union_agg_final, true, 1, &state, &result))
		return;
	result = copy_of(result);
	REQUIRE(same_value(result, united));
	if (filter->kind == BBF_KIND_BLOOM)
	{
		for (int i = 0; i < NFILTERS; i++)
		{
			for (unsigned key = 0; filters[i].kind == BBF_KIND_BLOOM && key < NKEYS; key++)
				filter->added[key] |= filters[i].added[key];
		}
		filter->value = result;
	}
}

static void
run_unite_all(void *argument)
{
	unite_all(argument);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	static const uint8_t first_data[] = {2, 8};
	Input		first = {first_data, sizeof(first_data)};

	create(&filters[0], &first);
	for (int i = 1; i < NFILTERS; i++)
		filters[i] = filters[0];
	for (int i = 0; i < MAX_OPERATIONS && input.size > 0; i++)
	{
		uint8_t		operation = take8(&input);
		Filter	   *filter = &filters[operation >> 4 & 3];
		const Filter *other = &filters[operation >> 6];

		switch (operation & 15)
		{
			case 0:
				create(filter, &input);
				break;
			case 1:
				aggregate(filter, &input);
				break;
			case 2:
				unite(filter, other);
				break;
			case 3:
				intersect(filter, other);
				break;
			case 4:
				shrink(filter);
				break;
			case 5:
				if (!succeeds(run_unite_all, filter))
					REQUIRE(error_code == ERRCODE_OUT_OF_MEMORY);
				break;
			case 6:
				*filter = *other;
				break;
			case 7:
			case 8:
			case 9:
				remove_key(filter, &input);
				break;
			default:
				add(filter, &input);
		}
		require_model(filter);
	}
	for (int i = 0; i < NFILTERS; i++)
		require_model(&filters[i]);
	free_all_memory();
	return 0;
}
