/*
 * set_slice.c
 *	  Changes the row of a slice, as UPDATE would.
 *
 * A statement costs three times as much as what it does to the row.  So the
 * row is changed here, if nothing but the statement itself would see the
 * difference; else, by the statement.
 */
#include "compat.h"

#include "set/set_slice.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "catalog/pg_namespace.h"
#include "core/bytes.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "set/set_statements.h"
#include "utils/acl.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(bloomtype_set_slice_add);

/*
 * Does an UPDATE of the table by the current user change its rows, and nothing
 * else?  If he may not, or only columns, or if a library has a say in this,
 * the statement finds out.
 */
static bool
is_plain(Relation table)
{
	TupleConstr *constraints = RelationGetDescr(table)->constr;
	List	   *indexes = RelationGetIndexList(table);
	int			nindexes = list_length(indexes);

	list_free(indexes);
	return RelationGetDescr(table)->natts == SET_COLUMNS &&
		table->trigdesc == NULL && table->rd_rules == NULL && ExecutorCheckPerms_hook == NULL &&
		!table->rd_rel->relispartition && nindexes == 1 &&
		(constraints == NULL || constraints->num_check == 0) &&
		blt_may_use_schema(RelationGetNamespace(table)) &&
		pg_class_aclcheck(RelationGetRelid(table), GetUserId(), ACL_UPDATE) == ACLCHECK_OK;
}

/*
 * Keys as bloomtype_set_slice_add takes them: the number of probes, then of
 * each the block in the slice, and the hash
 */
#define KEYS_HEADER		1
#define KEY_BYTES		9

static bytea *
write_keys(const SetLayer *layer, SetKey *const *keys, int n)
{
	Size		size = VARHDRSZ + KEYS_HEADER + (Size) n * KEY_BYTES;
	bytea	   *written = palloc(size);
	unsigned char *at = (unsigned char *) VARDATA(written);

	SET_VARSIZE(written, size);
	*at++ = (unsigned char) layer->layer.key_bits;
	for (int i = 0; i < n; i++, at += KEY_BYTES)
	{
		at[0] = (unsigned char) blt_set_block(layer, keys[i]->key.hash);
		bbf_put64(at + 1, keys[i]->key.hash);
	}
	return written;
}

/*
 * Add keys to the bits of a slice; not, and false, if one of them is there.
 * Error: they are of another slice.
 */
static bool
add_if_absent(bytea *bits, const bytea *keys)
{
	unsigned char *blocks = (unsigned char *) VARDATA(bits);
	int			nblocks = (VARSIZE(bits) - VARHDRSZ) / BBF_BLOCK_BYTES;
	const unsigned char *first = (const unsigned char *) VARDATA_ANY(keys) + KEYS_HEADER;
	const unsigned char *end = first - KEYS_HEADER + VARSIZE_ANY_EXHDR(keys);
	int			nprobes = first[-1];

	for (int pass = 0; pass < 2; pass++)
	{
		for (const unsigned char *key = first; key < end; key += KEY_BYTES)
		{
			unsigned char *block = blocks + key[0] * BBF_BLOCK_BYTES;
			uint64		hash = bbf_get64(key + 1);

			if (key[0] >= nblocks)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("invalid slice of a set"),
						 errdetail("It has %d blocks; a key is in number %d.", nblocks, key[0])));
			if (pass == 1)
				(void) bbf_block_add(block, nprobes, hash);
			else if (bbf_block_contains(block, nprobes, hash))
				return false;
		}
	}
	return true;
}

/*
 * (bits bytea, keys bytea): the bits of a slice with some keys added; null if
 * one of these is there.  Error: the keys are not as above, or of another
 * slice.
 */
Datum
bloomtype_set_slice_add(PG_FUNCTION_ARGS)
{
	bytea	   *bits = PG_GETARG_BYTEA_P_COPY(0);
	bytea	   *keys = PG_GETARG_BYTEA_PP(1);
	int			nbytes = VARSIZE_ANY_EXHDR(keys) - KEYS_HEADER;
	int			nprobes = nbytes < 0 ? 0 : *(unsigned char *) VARDATA_ANY(keys);

	if (nprobes < 1 || nprobes > BBF_MAX_PROBES || nbytes % KEY_BYTES != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid keys for a slice of a set"),
				 errhint("Add keys with bloom_set_add.")));
	if (!add_if_absent(bits, keys))
		PG_RETURN_NULL();
	PG_RETURN_BYTEA_P(bits);
}

/*
 * Change the version of a row that is at tid.  False if it is not the last.
 * Where the new one is in another page, it gets an entry in the index, of
 * which the first of the values are the key.
 */
static bool
update_row(const BloomSet *set, ItemPointer tid, Datum *values, bool *isnull)
{
	HeapTuple	row = heap_form_tuple(RelationGetDescr(set->table), values, isnull);
	TM_FailureData failure;
	LockTupleMode mode;
	TM_Result	result = blt_heap_update(set->table, tid, row, GetCurrentCommandId(true),
										 &failure, &mode);

	if (result == TM_Ok)
	{
		if (!HeapTupleIsHeapOnly(row))
		{
			Relation	index = index_open(set->index, RowExclusiveLock);

			index_insert(index, values, isnull, &row->t_self, set->table, UNIQUE_CHECK_YES, true,
						 BuildIndexInfo(index));
			index_close(index, NoLock);
		}
		CommandCounterIncrement();
	}
	else if (result != TM_Updated && result != TM_Deleted)
		elog(ERROR, "could not update \"%s\"", RelationGetRelationName(set->table));
	else if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent update")));
	heap_freetuple(row);
	return result == TM_Ok;
}

static bool
add_in_place(BloomSet *set, const SetLayer *layer, int slice, const bytea *keys)
{
	bytea	   *bits = palloc(VARHDRSZ + SET_SLICE_BYTES);
	Datum		values[SET_COLUMNS] = {Int32GetDatum(slice), Int32GetDatum(layer->number), PointerGetDatum(bits)};
	bool		isnull[SET_COLUMNS] = {false};
	bool		is_done = false;
	Snapshot	snapshot;
	ItemPointerData tid;

	CheckCmdReplicaIdentity(set->table, CMD_UPDATE);
	SET_VARSIZE(bits, VARHDRSZ + blt_set_slice_bytes(layer, slice));
	snapshot = RegisterSnapshot(IsolationUsesXactSnapshot() ? GetTransactionSnapshot() : set->snapshot);
	while (blt_set_find_slice(set, layer, slice, snapshot, (unsigned char *) VARDATA(bits), &tid) &&
		   add_if_absent(bits, keys))
	{
		CHECK_FOR_INTERRUPTS();
		is_done = update_row(set, &tid, values, isnull);
		if (is_done)
			break;
		UnregisterSnapshot(snapshot);
		snapshot = RegisterSnapshot(GetLatestSnapshot());
	}
	UnregisterSnapshot(snapshot);
	pfree(bits);
	return is_done;
}

bool
blt_set_add_to_slice(BloomSet *set, const SetLayer *layer, int slice, SetKey *const *keys, int n)
{
	bytea	   *written = write_keys(layer, keys, n);
	bool		is_done = is_plain(set->table) ? add_in_place(set, layer, slice, written) :
		blt_set_add_by_statement(set, layer, slice, written);

	pfree(written);
	return is_done;
}
