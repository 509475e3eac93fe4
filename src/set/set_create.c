/*
 * set_create.c
 *	  SQL functions that make a set, and begin its next window.
 */
#include "compat.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "filter/filter_parameters.h"
#include "fmgr.h"
#include "key/key_hasher.h"
#include "miscadmin.h"
#include "set/set_layers.h"
#include "set/set_statements.h"
#include "set/set_value.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(bloomtype_set_create);
PG_FUNCTION_INFO_V1(bloomtype_set_advance);

/* The family of the keys, from their type. */
static void
set_family(SetLayer *layer, Oid type)
{
	KeyHasher  *hasher;

	if (!SearchSysCacheExists1(TYPEOID, ObjectIdGetDatum(type)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("type with OID %u does not exist", type)));
	hasher = blt_create_hasher(type, InvalidOid, CurrentMemoryContext);
	if (hasher->family == BBF_FAMILY_NONE || hasher->type == RECORDOID)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("type %s does not say of which family the keys of a set are",
						format_type_be(type)),
				 hasher->type == RECORDOID ?
				 errhint("Create a composite type, and give that.") :
				 errhint("Give the type of the values that are hashed. Such a set takes keys of type bloom_key, too.")));
	layer->family = hasher->family;
	layer->subtype = blt_hasher_subtype(hasher);
}

static int
get_number(FunctionCallInfo fcinfo, int argno, const char *name, int least, int most,
		   const char *hint)
{
	int			number = PG_GETARG_INT32(argno);

	if (number < least || number > most)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be between %d and %d", name, least, most),
				 errdetail("The number given is %d.", number),
				 errhint("%s", hint)));
	return number;
}

/* A table that is not made, in silence, would be found missing much later. */
static void
check_no_nulls(FunctionCallInfo fcinfo)
{
	static const char *const names[] = {"name", "type", "capacity", "fpp", "windows", "growth"};

	for (size_t i = 0; i < lengthof(names); i++)
	{
		if (PG_ARGISNULL(i))
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s must not be null", names[i])));
	}
}

/*
 * (name text, type regtype, capacity float8, fpp float8, windows int, growth
 * int): the table of a new set.  Errors: the parameters are null, or not
 * valid; the type cannot be a key; the table cannot be made.
 */
Datum
bloomtype_set_create(PG_FUNCTION_ARGS)
{
	SetLayer	first = {.window = 1};
	int64		capacity;

	check_no_nulls(fcinfo);
	capacity = blt_get_capacity(fcinfo, 2);
	first.fpp = PG_GETARG_FLOAT8(3);
	blt_check_fpp(first.fpp);
	first.windows = get_number(fcinfo, 4, "windows", 1, SET_MAX_WINDOWS,
							   "Keys are known for so many windows; each is begun by bloom_set_advance.");
	first.growth = get_number(fcinfo, 5, "growth", 0, BBF_MAX_GROWTH,
							  "It is the factor by which each further layer is larger; 0 makes windows of fixed size.");
	first.opened = GetCurrentTransactionStartTimestamp();
	set_family(&first, PG_GETARG_OID(1));
	blt_set_size_first(&first, capacity);

	PG_RETURN_OID(blt_set_create_table(text_to_cstring(PG_GETARG_TEXT_PP(0)), &first));
}

/*
 * Read the set as it is, with the head of its newest layer locked, so that no
 * other transaction opens one.  Its snapshot is registered.
 */
static void
lock_and_read(BloomSet *set)
{
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		CommandCounterIncrement();
		set->snapshot = RegisterSnapshot(GetTransactionSnapshot());
		blt_set_read_layers(set, set->snapshot, false);
		blt_set_check_newest(set);
		if (blt_set_lock_head(set, blt_set_newest(set)->number, true) && blt_set_is_newest(set))
			return;
		UnregisterSnapshot(set->snapshot);
	}
}

/*
 * The keys that the newest window has, or was made for, whichever is more: one
 * quiet night is no reason to have too little room the next day.
 */
static uint64
keys_of_newest(BloomSet *set)
{
	BbfMeta		meta;

	blt_set_read_slices(set, NULL);
	blt_set_window_meta(set, blt_set_newest(set)->window, &meta);
	return Max(meta.capacity, (uint64) bbf_meta_keys(&meta));
}

/*
 * (set regclass, capacity float8): begin the next window, for that many keys,
 * or null for as many as the last one has or was made for; returns its number.
 *
 * The rows that are deleted are those of windows that were no longer kept
 * before.  Hardly anyone still adds to them, and those are not waited for.
 */
Datum
bloomtype_set_advance(PG_FUNCTION_ARGS)
{
	BloomSet	set;
	SetLayer	next;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PreventCommandIfReadOnly("bloom_set_advance()");
	blt_set_open(&set, PG_GETARG_OID(0), RowExclusiveLock);
	lock_and_read(&set);
	next = *blt_set_newest(&set);
	next.number++;
	next.number_in_window = 0;
	next.window++;
	next.opened = GetCurrentTransactionStartTimestamp();
	blt_set_size_first(&next, PG_ARGISNULL(1) ? keys_of_newest(&set) : (uint64) blt_get_capacity(fcinfo, 1));
	UnregisterSnapshot(set.snapshot);
	blt_set_insert_layer(&set, &next);
	blt_set_delete_layers(&set, set.layers[0].number);
	blt_set_close(&set);
	PG_RETURN_INT64(next.window);
}
