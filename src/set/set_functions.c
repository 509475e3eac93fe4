/*
 * set_functions.c
 *	  SQL functions that add keys to a set, or ask it for keys.
 *
 * To ask is stable: it sees what the query sees.  To add sees what is there
 * now.
 */
#include "compat.h"

#include "filter/call_cache.h"
#include "miscadmin.h"
#include "set/set_add.h"
#include "utils/array.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(bloomtype_set_add);
PG_FUNCTION_INFO_V1(bloomtype_set_add_all);
PG_FUNCTION_INFO_V1(bloomtype_set_contains);
PG_FUNCTION_INFO_V1(bloomtype_set_missing);

/* The array in the second argument, and its keys, without nulls */
typedef struct KeyArray
{
	Datum	   *values;
	bool	   *nulls;
	int			nvalues;
	SetKey	   *keys;			/* position: that of the value */
	int			n;
} KeyArray;

static KeyArray
get_keys(FunctionCallInfo fcinfo)
{
	CallCache  *cache = blt_call_cache(fcinfo);
	KeyArray	array = {0};

	array.nvalues = blt_call_elements(cache, fcinfo, 1, &array.values, &array.nulls);
	array.keys = palloc_extended(array.nvalues * sizeof(SetKey), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (int i = 0; i < array.nvalues; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (array.nulls[i])
			continue;
		array.keys[array.n].key = blt_hash_key(cache->hasher, array.values[i]);
		array.keys[array.n++].position = i;
	}
	return array;
}

/* An array of the values that are new, in their order. */
static Datum
new_values(FunctionCallInfo fcinfo, KeyArray *array)
{
	const CallCache *cache = blt_call_cache(fcinfo);
	int			n = 0;

	for (int i = 0; i < array->n; i++)
		array->nulls[array->keys[i].position] = !array->keys[i].is_new;
	for (int i = 0; i < array->nvalues; i++)
	{
		if (!array->nulls[i])
			array->values[n++] = array->values[i];
	}
	return PointerGetDatum(construct_array(array->values, n, cache->element_type,
										   cache->hasher->typlen, cache->hasher->typbyval,
										   cache->hasher->typalign));
}

/* (set regclass, key, refresh boolean): add a key; was it new? */
Datum
bloomtype_set_add(PG_FUNCTION_ARGS)
{
	KeyHasher  *hasher = blt_call_hasher(blt_call_cache(fcinfo), fcinfo, 1);
	SetKey		key = {.key = blt_hash_key(hasher, PG_GETARG_DATUM(1))};

	blt_set_add(PG_GETARG_OID(0), &key, 1, PG_GETARG_BOOL(2));
	PG_RETURN_BOOL(key.is_new);
}

/*
 * (set regclass, keys array, refresh boolean): add keys, and return those that
 * were new, each once, in their order.  Nulls are left out.
 */
Datum
bloomtype_set_add_all(PG_FUNCTION_ARGS)
{
	KeyArray	array = get_keys(fcinfo);

	blt_set_add(PG_GETARG_OID(0), array.keys, array.n, PG_GETARG_BOOL(2));
	return new_values(fcinfo, &array);
}

/* Does a set that is open contain a key? */
static bool
contains(BloomSet *set, const BloomKey *key)
{
	unsigned char bits[SET_SLICE_BYTES];

	blt_set_check_key(set, key, false);
	for (int i = set->nlayers - 1; i >= 0; i--)
	{
		const SetLayer *layer = &set->layers[i];

		blt_set_read_slice(set, layer, blt_set_slice(layer, key->hash), bits);
		if (blt_set_slice_contains(layer, bits, key->hash))
			return true;
	}
	return false;
}

/* (set regclass, key): false is certain, true is probable. */
Datum
bloomtype_set_contains(PG_FUNCTION_ARGS)
{
	KeyHasher  *hasher = blt_call_hasher(blt_call_cache(fcinfo), fcinfo, 1);
	BloomKey	key = blt_hash_key(hasher, PG_GETARG_DATUM(1));
	BloomSet	set;
	bool		result;

	blt_set_open(&set, PG_GETARG_OID(0), AccessShareLock);
	blt_set_read_layers(&set, GetActiveSnapshot(), false);
	result = contains(&set, &key);
	blt_set_close(&set);
	PG_RETURN_BOOL(result);
}

/*
 * (set regclass, keys array): the keys that are certainly not there, in their
 * order.  Nulls are left out.
 */
Datum
bloomtype_set_missing(PG_FUNCTION_ARGS)
{
	KeyArray	array = get_keys(fcinfo);
	BloomSet	set;

	blt_set_open(&set, PG_GETARG_OID(0), AccessShareLock);
	blt_set_read_layers(&set, GetActiveSnapshot(), false);
	for (int i = 0; i < array.n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		array.keys[i].is_new = !contains(&set, &array.keys[i].key);
	}
	blt_set_close(&set);
	return new_values(fcinfo, &array);
}
