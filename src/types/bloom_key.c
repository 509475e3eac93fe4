/*
 * bloom_key.c
 *	  SQL functions that hash a value: bloom_key and bloom_partition.
 *
 * Input, output and comparison of the type bloom_key are in key/key_type.c,
 * since src/key/ knows the type by its input function.
 */
#include "compat.h"

#include "filter/call_cache.h"
#include "fmgr.h"
#include "types/sql_functions.h"

PG_FUNCTION_INFO_V1(bloomtype_bloom_key);
PG_FUNCTION_INFO_V1(bloomtype_bloom_partition);

/* (value): its key. */
Datum
bloomtype_bloom_key(PG_FUNCTION_ARGS)
{
	KeyHasher  *hasher = blt_call_hasher(blt_call_cache(fcinfo), fcinfo, 0);
	BloomKey   *key = palloc(sizeof(BloomKey));

	*key = blt_hash_key(hasher, PG_GETARG_DATUM(0));
	key->was_hashed = 0;
	PG_RETURN_BLOOM_KEY_P(key);
}

/*
 * (value, partitions int): the partition of its key, 0 .. partitions - 1.
 * Error: there are no partitions.
 */
Datum
bloomtype_bloom_partition(PG_FUNCTION_ARGS)
{
	KeyHasher  *hasher = blt_call_hasher(blt_call_cache(fcinfo), fcinfo, 0);
	BloomKey	key;
	int32		partitions = PG_GETARG_INT32(1);

	if (partitions < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of partitions must be at least 1"),
				 errdetail("The number given is %d.", partitions),
				 errhint("The value comes before the number of partitions: bloom_partition(value, 16).")));
	key = blt_hash_key(hasher, PG_GETARG_DATUM(0));
	PG_RETURN_INT32((int32) bbf_partition(key.hash, (uint32) partitions));
}
