/*
 * bloom.c
 *	  SQL functions that make a filter and add keys to one.
 */
#include "compat.h"

#include "filter/filter_change.h"
#include "filter/call_cache.h"
#include "fmgr.h"
#include "miscadmin.h"

PG_FUNCTION_INFO_V1(bloomtype_create);
PG_FUNCTION_INFO_V1(bloomtype_add);
PG_FUNCTION_INFO_V1(bloomtype_add_all);

Datum
bloomtype_create(PG_FUNCTION_ARGS)
{
	int64		capacity = PG_GETARG_INT64(0);
	float8		fpp = PG_GETARG_FLOAT8(1);
	int32		growth = PG_GETARG_INT32(2);
	BloomBuild	build;

	bloomtype_check_capacity(capacity);
	bloomtype_check_fpp(fpp);
	if (growth < 0 || growth > BBF_MAX_GROWTH)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("growth must be between 0 and %d", BBF_MAX_GROWTH),
				 errdetail("The growth given is %d.", growth),
				 errhint("It is the factor by which each further layer is larger; 0 makes a filter of fixed size.")));

	/* fail now, not at the key that needs the blocks */
	(void) bloomtype_size_layer(BBF_KIND_BLOOM, bloomtype_first_capacity(capacity, growth), fpp);

	bloomtype_build_new(&build, capacity, fpp, growth);
	PG_RETURN_DATUM(bloomtype_build_finish(&build));
}

static void
start_from_argument(FunctionCallInfo fcinfo, BloomBuild *build)
{
	bloomtype_refuse_null_filter(fcinfo, BBF_KIND_BLOOM);
	bloomtype_build_from(build, PG_GETARG_DATUM(0));
}

Datum
bloomtype_add(PG_FUNCTION_ARGS)
{
	BloomBuild	build;

	start_from_argument(fcinfo, &build);
	if (!PG_ARGISNULL(1))
	{
		Funnel	   *funnel = bloomtype_call_funnel(bloomtype_call_cache(fcinfo),
												   fcinfo, 1);

		bloomtype_build_add(&build, bloomtype_funnel_hash(funnel, PG_GETARG_DATUM(1)));
	}
	PG_RETURN_DATUM(bloomtype_build_finish(&build));
}

Datum
bloomtype_add_all(PG_FUNCTION_ARGS)
{
	BloomBuild	build;

	start_from_argument(fcinfo, &build);
	if (!PG_ARGISNULL(1))
	{
		CallCache  *cache = bloomtype_call_cache(fcinfo);
		Datum	   *values;
		bool	   *nulls;
		int			n = bloomtype_call_elements(cache, fcinfo, 1, &values, &nulls);

		for (int i = 0; i < n; i++)
		{
			CHECK_FOR_INTERRUPTS();
			if (!nulls[i])
				bloomtype_build_add(&build, bloomtype_funnel_hash(cache->funnel, values[i]));
		}
	}
	PG_RETURN_DATUM(bloomtype_build_finish(&build));
}
