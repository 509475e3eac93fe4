/*
 * filter_parameters.c
 *	  See filter_parameters.h.
 */
#include "filter/filter_parameters.h"

#include <math.h>

#include "core/cuckoo.h"
#include "filter/filter_datum.h"

#define BYTES_OF_MB		(1024 * 1024)

void
bloomtype_check_capacity(int64 capacity)
{
	if (capacity < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("capacity must be at least 1"),
				 errdetail("The capacity given is %lld.", (long long) capacity),
				 errhint("The capacity is the number of distinct keys that the filter is made for.")));
}

void
bloomtype_check_fpp(float8 fpp)
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

BbfGeometry
bloomtype_size_layer(BbfKind kind, uint64 capacity, double fpp)
{
	BbfGeometry geometry;

	if (kind != BBF_KIND_CUCKOO)
	{
		geometry = bbf_size_layer(capacity, fpp);
		check_size((double) geometry.nblocks * bbf_block_bytes(kind), capacity, fpp);
		return geometry;
	}

	geometry = bbf_size_cuckoo(capacity, fpp);
	if (geometry.nprobes == 0)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("false-positive probability of %g is too low for a cuckoo filter", fpp),
				 errdetail("Fingerprints have at most %d bits, enough for 2e-9.",
						   BBF_MAX_FINGERPRINT_BITS),
				 errhint("Allow a higher probability, or use bloom or counting_bloom.")));

	/* in whole words */
	check_size(ceil((double) geometry.nblocks * BBF_BUCKET_PLACES * geometry.nprobes / 64) * 8,
			   capacity, fpp);
	return geometry;
}

uint64
bloomtype_saturating_product(uint64 capacity, int growth)
{
	if (growth > 0 && capacity > (uint64) PG_INT64_MAX / growth)
		return PG_INT64_MAX;
	return capacity * growth;
}

uint64
bloomtype_first_capacity(uint64 capacity, int growth)
{
	return Max(capacity, bloomtype_saturating_product(BBF_MAX_LIST, Max(growth, 1)));
}

/* Silence here would lose the key. */
void
bloomtype_refuse_null_filter(FunctionCallInfo fcinfo, BbfKind kind)
{
	const char *name = bloomtype_kind_name(kind);

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("cannot add a key to a null filter"),
				 errdetail("The result would be null, and the key lost."),
				 errhint("Start with %s_create, for example coalesce(filter, %s_create(1000)).",
						 name, name)));
}
