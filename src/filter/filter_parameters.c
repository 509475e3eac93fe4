/*
 * filter_parameters.c
 *	  Checks of parameters, with the errors that a user sees.
 */
#include "compat.h"

#include "filter/filter_parameters.h"

#include <math.h>

#include "core/cuckoo.h"

#define BYTES_OF_MB		(1024 * 1024)

void
blt_check_capacity(int64 capacity)
{
	if (capacity < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("capacity must be at least 1"),
				 errdetail("The capacity given is %lld.", (long long) capacity),
				 errhint("The capacity is the number of distinct keys that the filter is made for.")));
}

void
blt_check_fpp(float8 fpp)
{
	if (!(fpp > 0.0 && fpp < 1.0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("false-positive probability must be greater than 0 and less than 1"),
				 errdetail("The probability given is %g.", fpp),
				 errhint("For one false positive in a hundred absent keys write 0.01.")));
}

static void
check_size(double nbytes, uint64 capacity, double fpp)
{
	if (nbytes > (double) BBF_MAX_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("filter for %llu keys at a false-positive probability of %g is too large",
						(unsigned long long) capacity, fpp),
				 nbytes < 1e15 ?
				 errdetail("It would take %.0f MB; the limit is 512 MB.",
						   ceil(nbytes / BYTES_OF_MB)) :
				 errdetail("It would be far above the limit of 512 MB."),
				 errhint("Split the keys over several filters, one for each bloom_partition(value, partitions), or allow a higher probability.")));
}

double
blt_geometry_bytes(BbfKind kind, const BbfGeometry *geometry)
{
	unsigned	bin_bits = bbf_kind_routine(kind)->bin_bits(geometry->key_bits);

	/* in whole words */
	return ceil((double) geometry->nbins * bin_bits / 64) * 8;
}

BbfGeometry
blt_size_any_layer(BbfKind kind, uint64 capacity, double fpp)
{
	BbfGeometry geometry = bbf_kind_routine(kind)->size(capacity, fpp);

	if (geometry.key_bits == 0)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("false-positive probability of %g is too low for a %s filter",
						fpp, bbf_kind_routine(kind)->name),
				 errdetail("Fingerprints have at most %d bits, enough for 2e-9.",
						   BBF_MAX_FINGERPRINT_BITS),
				 errhint("Allow a higher probability, or use bloom or counting_bloom.")));
	return geometry;
}

BbfGeometry
blt_size_layer(BbfKind kind, uint64 capacity, double fpp)
{
	BbfGeometry geometry = blt_size_any_layer(kind, capacity, fpp);

	check_size(blt_geometry_bytes(kind, &geometry), capacity, fpp);
	return geometry;
}

uint64
blt_saturating_product(uint64 capacity, int growth)
{
	if (growth > 0 && capacity > (uint64) PG_INT64_MAX / growth)
		return PG_INT64_MAX;
	return capacity * growth;
}

uint64
blt_first_capacity(BbfKind kind, uint64 capacity, int growth)
{
	const BbfKindRoutine *routine = bbf_kind_routine(kind);

	if (routine->layer_repeats_header)
		return capacity;
	if (!routine->is_set)
		growth = DEFAULT_GROWTH;
	return Max(capacity, blt_saturating_product(BBF_MAX_LIST, Max(growth, 1)));
}

void
blt_check_same_geometry(const BbfMeta *a, const BbfMeta *b, FilterUse use)
{
	const BbfLayer *a_layer = &a->layers[0];
	const BbfLayer *b_layer = &b->layers[0];

	if (a->nlayers == 1 && b->nlayers == 1 &&
		bbf_layer_same_geometry(a_layer, b_layer))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 use == FILTERS_ARE_UNITED ?
			 errmsg("cannot unite filters of different geometry") :
			 errmsg("cannot intersect filters of different geometry"),
			 a->nlayers == 1 && b->nlayers == 1 ?
			 errdetail("One has %u blocks with %d probes, the other has %u blocks with %d probes.",
					   a_layer->nbins, a_layer->key_bits,
					   b_layer->nbins, b_layer->key_bits) :
			 errdetail("The filters have %u and %u layers; each must have one.",
					   a->nlayers, b->nlayers),
			 errhint("Build both with one capacity and false-positive probability: %s_agg(value, capacity, fpp).",
					 bbf_kind_routine(a->kind)->name)));
}
