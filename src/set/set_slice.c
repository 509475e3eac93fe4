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
#include "executor/executor.h"
#include "miscadmin.h"
#include "set/set_statements.h"
#include "utils/acl.h"
#include "utils/snapmgr.h"

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

/* Add keys to the bits of a slice; not, and false, if one of them is there. */
static bool
add_if_absent(const SetLayer *layer, unsigned char *bits, const uint64 *hashes, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (blt_set_slice_contains(layer, bits, hashes[i]))
			return false;
	}
	for (int i = 0; i < n; i++)
		(void) bbf_block_add(bits + blt_set_block(layer, hashes[i]) * BBF_BLOCK_BYTES,
							 layer->layer.key_bits, hashes[i]);
	return true;
}

/* The index entry of a new version, which is in another page than the old. */
static void
insert_index_entry(const BloomSet *set, HeapTuple row)
{
	Relation	index = index_open(set->index, RowExclusiveLock);
	IndexInfo  *info = BuildIndexInfo(index);
	TupleTableSlot *slot = MakeSingleTupleTableSlot(RelationGetDescr(set->table),
													&TTSOpsHeapTuple);
	Datum		values[INDEX_MAX_KEYS];
	bool		isnull[INDEX_MAX_KEYS];

	ExecStoreHeapTuple(row, slot, false);
	FormIndexDatum(info, slot, NULL, values, isnull);
	index_insert(index, values, isnull, &row->t_self, set->table, UNIQUE_CHECK_YES, true, info);
	ExecDropSingleTupleTableSlot(slot);
	pfree(info);
	index_close(index, NoLock);
}

/* Change the version of a row that is at tid.  False if it is not the last. */
static bool
update_row(const BloomSet *set, ItemPointer tid, HeapTuple row)
{
	TM_FailureData failure;
	LockTupleMode mode;
	TM_Result	result = blt_heap_update(set->table, tid, row, GetCurrentCommandId(true),
										 &failure, &mode);

	if (result == TM_Ok)
	{
		if (!HeapTupleIsHeapOnly(row))
			insert_index_entry(set, row);
		CommandCounterIncrement();
		return true;
	}
	if (result != TM_Updated && result != TM_Deleted)
		elog(ERROR, "could not update \"%s\"", RelationGetRelationName(set->table));
	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent update")));
	return false;
}

bool
blt_set_add_to_slice(BloomSet *set, const SetLayer *layer, int slice, const uint64 *hashes, int n,
					 Oid function)
{
	union
	{
		int32		aligned;
		char		bytes[VARHDRSZ + SET_SLICE_BYTES];
	}			bits;
	Datum		values[SET_COLUMNS] = {Int32GetDatum(slice), Int32GetDatum(layer->number), PointerGetDatum(&bits)};
	bool		isnull[SET_COLUMNS] = {false};
	bool		is_done = false;
	Snapshot	snapshot;
	ItemPointerData tid;

	if (!is_plain(set->table))
		return blt_set_add_by_statement(set, layer, slice, hashes, n, function);

	CheckCmdReplicaIdentity(set->table, CMD_UPDATE);
	SET_VARSIZE(&bits, VARHDRSZ + blt_set_slice_bytes(layer, slice));
	snapshot = RegisterSnapshot(IsolationUsesXactSnapshot() ? GetTransactionSnapshot() : set->snapshot);
	while (blt_set_find_slice(set, layer, slice, snapshot, (unsigned char *) VARDATA(&bits), &tid) &&
		   add_if_absent(layer, (unsigned char *) VARDATA(&bits), hashes, n))
	{
		HeapTuple	row = heap_form_tuple(RelationGetDescr(set->table), values, isnull);

		CHECK_FOR_INTERRUPTS();
		is_done = update_row(set, &tid, row);
		heap_freetuple(row);
		if (is_done)
			break;
		UnregisterSnapshot(snapshot);
		snapshot = RegisterSnapshot(GetLatestSnapshot());
	}
	UnregisterSnapshot(snapshot);
	return is_done;
}
