/*
 * join_hasher.c
 *	  Prepares to hash the key columns of rows, and calls hash functions.
 */
#include "compat.h"

#include "join/join_hasher.h"

#include "executor/executor.h"

/*
 * Where a column begins in all rows of a table without nulls; -1 if that
 * varies
 */
static int
fixed_offset(TupleDesc row, AttrNumber column)
{
	int			offset = 0;

	for (int i = 0; i < column; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(row, i);

		if (attribute->attlen <= 0)
			return -1;
		offset = att_align_nominal(offset, attribute->attalign);
		if (i < column - 1)
			offset += attribute->attlen;
	}
	return offset;
}

static void
init_key(JoinKeyHasher *hasher, List *key, TupleDesc row, bool is_of_table)
{
	Oid			function = (Oid) lsecond_int(key);

	hasher->column = (AttrNumber) linitial_int(key);
	hasher->offset = is_of_table ? fixed_offset(row, hasher->column) : -1;
	hasher->by_value = TupleDescAttr(row, hasher->column - 1)->attbyval;
	hasher->length = TupleDescAttr(row, hasher->column - 1)->attlen;
	hasher->integer = blt_join_integer_of(function);
	if (hasher->integer != JOIN_NOT_INTEGER)
		return;
	fmgr_info(function, &hasher->function);
	hasher->call = palloc0(SizeForFunctionCallInfo(2));
	InitFunctionCallInfoData(*hasher->call, &hasher->function, 2, (Oid) lthird_int(key),
							 NULL, NULL);
	/* seed 0, by value or not */
	hasher->call->args[1].value = Int64GetDatum(0);
}

JoinHasher *
blt_join_create_hasher(List *keys, PlanState *source)
{
	JoinHasher *hasher = palloc0(offsetof(JoinHasher, keys) +
								 list_length(keys) * sizeof(JoinKeyHasher));
	bool		is_fixed;
	bool		is_of_table = ExecGetResultSlotOps(source, &is_fixed) == &TTSOpsBufferHeapTuple &&
		is_fixed;
	ListCell   *cell;

	foreach(cell, keys)
	{
		JoinKeyHasher *key = &hasher->keys[hasher->nkeys++];

		init_key(key, lfirst(cell), ExecGetResultType(source), is_of_table);
		if (key->integer == JOIN_NOT_INTEGER)
			hasher->allocates = true;
	}
	return hasher;
}

uint64
blt_join_hash_value(JoinKeyHasher *key, Datum value)
{
	Datum		result;

	key->call->args[0].value = value;
	key->call->args[0].isnull = false;
	key->call->isnull = false;
	result = FunctionCallInvoke(key->call);
	if (key->call->isnull)
		elog(ERROR, "hash function %u returned NULL", key->function.fn_oid);
	return DatumGetUInt64(result);
}
