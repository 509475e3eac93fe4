/*
 * set_slice.c
 *	  Changes the row of a slice, as UPDATE would.
 *
 * Statements cost several times as much as what they do to the row.  So the
 * row is changed here, if nothing but the statements themselves would see the
 * difference; else, by them.
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

/* A slice was filled if it has got this part of its bits, by some ten keys. */
#define FILLED_PART		128

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
 * Copy the bits that were found in a slice, and add those keys that are absent
 * there; the others are not new.  Returns whether there were any to add.
 */
static bool
add_absent(const SetLayer *layer, const unsigned char *found, bytea *bits,
		   SetKey *const *keys, int n)
{
	unsigned char *blocks = (unsigned char *) VARDATA(bits);
	bool		is_changed = false;

	memcpy(blocks, found, VARSIZE(bits) - VARHDRSZ);
	for (int i = 0; i < n; i++)
	{
		uint64		hash = keys[i]->key.hash;

		if (blt_set_slice_contains(layer, found, hash))
			keys[i]->is_new = false;
		else
		{
			(void) bbf_block_add(blocks + blt_set_block(layer, hash) * BBF_BLOCK_BYTES,
								 layer->layer.key_bits, hash);
			is_changed = true;
		}
	}
	return is_changed;
}

/*
 * Have others added so much to a slice since the set was read that the layer
 * may be full?  Of calls with many keys, each waits for the one before in the
 * first slice.
 */
static bool
was_filled(BloomSet *set, const SetLayer *layer, int slice, const unsigned char *found)
{
	const int	nblocks = blt_set_slice_bytes(layer, slice) / BBF_BLOCK_BYTES;
	unsigned char before[SET_SLICE_BYTES];

	blt_set_read_slice(set, layer, slice, before);
	return bbf_blocks_count_set(found, nblocks) >
		bbf_blocks_count_set(before, nblocks) + nblocks * BBF_BLOCK_BITS / FILLED_PART;
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

/* Change the row here, by as many snapshots as it takes. */
static SetSliceState
add_in_place(BloomSet *set, const SetLayer *layer, int slice, bytea *bits,
			 SetKey *const *keys, int n, bool is_first)
{
	Datum		values[SET_COLUMNS] = {Int32GetDatum(slice), Int32GetDatum(layer->number), PointerGetDatum(bits)};
	bool		isnull[SET_COLUMNS] = {false};
	unsigned char found[SET_SLICE_BYTES];
	SetSliceState state = SET_SLICE_HAS_KEYS;
	bool		is_there;
	Snapshot	snapshot;
	ItemPointerData tid;

	CheckCmdReplicaIdentity(set->table, CMD_UPDATE);
	snapshot = RegisterSnapshot(IsolationUsesXactSnapshot() ? GetTransactionSnapshot() : set->snapshot);
	is_there = blt_set_find_slice(set, layer, slice, snapshot, found, &tid);
	while (is_there && state == SET_SLICE_HAS_KEYS &&
		   add_absent(layer, found, bits, keys, n) &&
		   !update_row(set, &tid, values, isnull))
	{
		CHECK_FOR_INTERRUPTS();
		UnregisterSnapshot(snapshot);
		snapshot = RegisterSnapshot(GetLatestSnapshot());
		is_there = blt_set_find_slice(set, layer, slice, snapshot, found, &tid);
		if (is_there && is_first && was_filled(set, layer, slice, found))
			state = SET_SLICE_WAS_FILLED;
	}
	UnregisterSnapshot(snapshot);
	return is_there ? state : SET_SLICE_IS_GONE;
}

/* Error unless a slice has these bits, as this command has left it. */
static void
check_written(BloomSet *set, const SetLayer *layer, int slice, const bytea *bits)
{
	unsigned char found[SET_SLICE_BYTES];
	ItemPointerData tid;
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());

	if (!blt_set_find_slice(set, layer, slice, snapshot, found, &tid) ||
		memcmp(found, VARDATA(bits), VARSIZE(bits) - VARHDRSZ) != 0)
		blt_set_report_kept(blt_set_name(set));
	UnregisterSnapshot(snapshot);
}

/* Lock the row by a statement, and change it by another one. */
static SetSliceState
add_by_statements(BloomSet *set, const SetLayer *layer, int slice, bytea *bits,
				  SetKey *const *keys, int n, bool is_first)
{
	unsigned char found[SET_SLICE_BYTES];

	if (!blt_set_lock_slice(set, layer, slice, found))
		return SET_SLICE_IS_GONE;
	if (is_first && was_filled(set, layer, slice, found))
		return SET_SLICE_WAS_FILLED;
	if (add_absent(layer, found, bits, keys, n))
	{
		blt_set_update_slice(set, layer, slice, bits);
		check_written(set, layer, slice, bits);
	}
	return SET_SLICE_HAS_KEYS;
}

SetSliceState
blt_set_add_to_slice(BloomSet *set, const SetLayer *layer, int slice, SetKey *const *keys, int n,
					 bool is_first)
{
	bytea	   *bits = palloc(VARHDRSZ + SET_SLICE_BYTES);
	SetSliceState state;

	SET_VARSIZE(bits, VARHDRSZ + blt_set_slice_bytes(layer, slice));
	state = is_plain(set->table) ?
		add_in_place(set, layer, slice, bits, keys, n, is_first) :
		add_by_statements(set, layer, slice, bits, keys, n, is_first);
	pfree(bits);
	return state;
}
