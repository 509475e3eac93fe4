/*
 * filter_parameters.c
 *	  Checks parameters, with the errors that a user sees, and makes filters
 *	  without keys.
 */
#include "compat.h"

#include "filter/filter_parameters.h"

#include <math.h>

#include "core/image.h"
#include "filter/filter_datum.h"
#include "filter/filter_kind.h"

#define BYTES_PER_MB		(1024 * 1024)

/* The number of values that the hash of a key can have. */
#define NUM_HASHES			18446744073709551616.0	/* 2^64 */

/* Whole numbers without an exponent, but for those far out of range. */
static int
errdetail_capacity(float8 capacity)
{
	if (capacity == rint(capacity) && fabs(capacity) < 1e18)
		return errdetail("The capacity given is %.0f.", capacity);
	return errdetail("The capacity given is %.15g.", capacity);
}

int64
blt_get_capacity(FunctionCallInfo fcinfo, int argno)
{
	float8		capacity = PG_GETARG_FLOAT8(argno);

	/* a NaN is not equal to itself */
	if (capacity != rint(capacity) || isinf(capacity))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("capacity must be a whole number"),
				 errdetail_capacity(capacity),
				 capacity > 1.0 && !isinf(capacity) ?
				 errhint("Round it up, for example with ceil(capacity).") :
				 errhint("The capacity, a number of keys, comes before the false-positive rate: (1000000, 0.01).")));
	if (capacity > (float8) BLT_MAX_CAPACITY)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("capacity is too large for a number of type double precision"),
				 errdetail_capacity(capacity),
				 errhint("The capacity, a number of keys, comes before the false-positive rate. It must be less than 2^53.")));
	if (capacity < 1.0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("capacity must be at least 1"),
				 errdetail_capacity(capacity),
				 errhint("The capacity is the number of distinct keys to be added.")));
	return (int64) capacity;
}

void
blt_check_fpp(float8 fpp)
{
	if (!(fpp > 0.0 && fpp < 1.0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("false-positive rate must be greater than 0 and less than 1"),
				 errdetail("The rate given is %g.", fpp),
				 errhint("For one false positive in a hundred absent keys write 0.01.")));
}

static void
check_size(double nbytes, uint64 capacity, double fpp)
{
	if (nbytes > (double) BBF_MAX_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("filter for %llu keys at a false-positive rate of %g is too large",
						(unsigned long long) capacity, fpp),
				 nbytes < 1e15 ?
				 errdetail("It would take %.0f MB; the limit is 512 MB.",
						   ceil(nbytes / BYTES_PER_MB)) :
				 errdetail("It would be far above the limit of 512 MB."),
				 errhint("Allow a higher rate, or split the keys, one filter or set for each bloom_partition(value, partitions).")));
}

/* A geometry, and what it was the answer to. */
typedef struct KnownGeometry
{
	BbfKind		kind;			/* BBF_KIND_ANY: none yet */
	uint64		capacity;
	double		fpp;
	BbfGeometry geometry;
	double		bytes;			/* bbf_geometry_bytes */
} KnownGeometry;

static bool
is_known(const KnownGeometry *known, BbfKind kind, uint64 capacity, double fpp)
{
	return known->kind == kind && known->capacity == capacity && known->fpp == fpp;
}

/*
 * Solving for a geometry takes 40 us, longer than a small group of an
 * aggregate or planning a small query, and most ask for the same again.  So
 * the last ones are remembered, the latest first: a query plans with one, its
 * groups start with another, and their filters have others.
 */
static const KnownGeometry *
know_geometry(BbfKind kind, uint64 capacity, double fpp)
{
	static KnownGeometry known[4];
	KnownGeometry wanted;
	size_t		i = 0;

	if (likely(is_known(&known[0], kind, capacity, fpp)))
		return &known[0];
	while (++i < lengthof(known) && !is_known(&known[i], kind, capacity, fpp))
		;
	if (i < lengthof(known))
		wanted = known[i];
	else
	{
		i--;
		wanted.kind = kind;
		wanted.capacity = capacity;
		wanted.fpp = fpp;
		wanted.geometry = bbf_kind_routine(kind)->size(capacity, fpp);
		wanted.bytes = bbf_geometry_bytes(bbf_kind_routine(kind), &wanted.geometry);
	}
	memmove(known + 1, known, i * sizeof(KnownGeometry));
	known[0] = wanted;
	return &known[0];
}

static void
check_rate(BbfKind kind, const BbfGeometry *geometry, double fpp)
{
	const FilterKind *words = blt_filter_kind(kind);

	if (geometry->key_bits == 0)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("false-positive rate of %g is too low for a %s filter",
						fpp, bbf_kind_routine(kind)->name),
				 errdetail("%s", words->lowest_rate),
				 errhint("%s", words->rate_advice)));
}

BbfGeometry
blt_find_geometry(BbfKind kind, uint64 capacity, double fpp, int checks)
{
	const KnownGeometry *known = know_geometry(kind, capacity, fpp);

	/* one that has no key_bits has no bytes */
	if (checks & BLT_CHECK_SIZE)
		check_size(known->bytes, capacity, fpp);
	if (checks & BLT_CHECK_RATE)
		check_rate(kind, &known->geometry, fpp);
	return known->geometry;
}

BbfLayer
blt_new_layer(BbfKind kind, uint64 capacity, double fpp)
{
	BbfGeometry geometry = blt_find_geometry(kind, capacity, fpp, BLT_CHECK_GEOMETRY);
	BbfLayer	layer;

	bbf_layer_init(&layer, &geometry, capacity, fpp);
	return layer;
}

/*
 * An absent key collides with one of n keys with probability n / 2^64.
 * Where a filter that allows as much would be too large, that is the error to
 * report.
 */
void
blt_check_fpp_for_capacity(BbfKind kind, int64 capacity, float8 fpp)
{
	double		lowest = (double) capacity / NUM_HASHES;
	double		allowed = 1.1 * lowest;
	BbfGeometry geometry;

	if (fpp >= lowest)
		return;
	geometry = bbf_kind_routine(kind)->size(capacity, allowed);
	if (geometry.key_bits == 0 ||
		bbf_geometry_bytes(bbf_kind_routine(kind), &geometry) > (double) BBF_MAX_BYTES)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("false-positive rate of %g is too low for a capacity of %lld",
					fpp, (long long) capacity),
			 errdetail("Hashes of keys have 64 bits, so with that capacity the rate is at least %.2g.",
					   lowest),
			 errhint("Allow a rate of %.2g or more.", allowed)));
}

int
blt_default_growth(BbfKind kind)
{
	return bbf_has_trait(bbf_kind_routine(kind), BBF_TRAIT_GROWTH) ? BBF_DEFAULT_GROWTH : 0;
}

Datum
blt_create_filter(FunctionCallInfo fcinfo, BbfKind kind)
{
	int64		capacity = blt_get_capacity(fcinfo, 0);
	float8		fpp = PG_GETARG_FLOAT8(1);
	int32		growth = PG_NARGS() > 2 ? PG_GETARG_INT32(2) : 0;
	BbfMeta		meta;

	blt_check_fpp(fpp);
	blt_check_fpp_for_capacity(kind, capacity, fpp);
	if (growth < 0 || growth > BBF_MAX_GROWTH)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("growth must be between 0 and %d", BBF_MAX_GROWTH),
				 errdetail("The growth given is %d.", growth),
				 errhint("It is the factor by which each further layer is larger; 0 makes a filter of fixed size.")));

	/* fail now, not at the key that needs the layer */
	(void) blt_find_geometry(kind, bbf_first_capacity(kind, capacity, growth), fpp,
							 BLT_CHECK_GEOMETRY);

	bbf_meta_init(&meta, kind, capacity, fpp, growth);
	return blt_make_empty_filter(&meta);
}

Datum
blt_make_default_filter(BbfKind kind)
{
	BbfMeta		meta;

	bbf_meta_init(&meta, kind, 1, BLT_DEFAULT_FPP, blt_default_growth(kind));
	return blt_make_empty_filter(&meta);
}
