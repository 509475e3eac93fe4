/*
 * set_table.c
 *	  Opens the table of a set, and reads its rows.
 */
#include "compat.h"

#include "set/set_table.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/relscan.h"
#include "access/stratnum.h"
#include "access/xlog.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "core/bytes.h"
#include "core/hash.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/resowner.h"
#include "utils/rls.h"
#include "utils/syscache.h"

/* Columns of the table */
enum
{
	COLUMN_SLICE = 1,
	COLUMN_LAYER,
	COLUMN_BITS
};

StaticAssertDecl(COLUMN_BITS == SET_COLUMNS, "number of columns");

/* Offsets in a head, behind the image's header and layer record */
enum
{
	AT_WINDOW = BBF_FIRST_BINS, /* 8 bytes each: */
	AT_OPENED = AT_WINDOW + 8,	/* microseconds since 2000-01-01 UTC */
	AT_WINDOWS = AT_OPENED + 8, /* 4 bytes */
	AT_NUMBER_IN_WINDOW = AT_WINDOWS + 4,	/* 4 bytes */
	AT_HASH = AT_NUMBER_IN_WINDOW + 4	/* 8 bytes, of all before */
};

StaticAssertDecl(AT_HASH + 8 == SET_HEAD_BYTES, "length of a head");

/* The room that a version of a slice takes, in a page */
#define SLICE_ROW_BYTES		(MAXALIGN(SizeofHeapTupleHeader) + 2 * sizeof(int32) + VARHDRSZ + \
							 SET_SLICE_BYTES + sizeof(ItemIdData))

/*
 * Opening
 */

static bool
is_column(TupleDesc desc, int number, const char *name, Oid type)
{
	Form_pg_attribute att = TupleDescAttr(desc, number - 1);

	return !att->attisdropped && att->atttypid == type && strcmp(NameStr(att->attname), name) == 0;
}

/*
 * The primary key of a table, if its columns are those of a set's; else
 * InvalidOid
 */
static Oid
primary_key(Relation table)
{
	HeapTuple	tuple;
	Form_pg_index index;
	Oid			key;
	bool		is_right;

	list_free(RelationGetIndexList(table)); /* which looks up rd_pkindex */
	key = table->rd_pkindex;	/* a look into a catalog could forget it */
	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(key));
	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	index = (Form_pg_index) GETSTRUCT(tuple);
	is_right = index->indimmediate && index->indnatts == 2 && index->indnkeyatts == 2 &&
		index->indkey.values[0] == COLUMN_SLICE && index->indkey.values[1] == COLUMN_LAYER;
	ReleaseSysCache(tuple);
	return is_right ? key : InvalidOid;
}

/*
 * Has a table the columns and the primary key of a set?  Other columns may
 * have been added, if they have been dropped since.
 */
static bool
is_set(Relation table, Oid *index)
{
	TupleDesc	desc = RelationGetDescr(table);

	for (int i = SET_COLUMNS; i < desc->natts; i++)
	{
		if (!TupleDescAttr(desc, i)->attisdropped)
			return false;
	}
	return table->rd_rel->relkind == RELKIND_RELATION &&
		table->rd_rel->relam == HEAP_TABLE_AM_OID && desc->natts >= SET_COLUMNS &&
		is_column(desc, COLUMN_SLICE, "slice", INT4OID) &&
		is_column(desc, COLUMN_LAYER, "layer", INT4OID) &&
		is_column(desc, COLUMN_BITS, "bits", BYTEAOID) &&
		OidIsValid(*index = primary_key(table));
}

/*
 * The lock belongs to the transaction or subtransaction that may add keys, and
 * not to the portal in which it does so: a cursor can lose its locks by an
 * error within a savepoint that is younger than it.
 */
typedef enum LockAction
{
	LOCK_AND_WAIT,
	LOCK_AT_ONCE,
	UNLOCK
} LockAction;

static bool
lock_table(Oid table, LOCKMODE lock, LockAction action)
{
	ResourceOwner owner = CurrentResourceOwner;
	bool		is_done = true;

	CurrentResourceOwner = CurTransactionResourceOwner;
	if (action == UNLOCK)
		UnlockRelationOid(table, lock);
	else if (action == LOCK_AND_WAIT)
		LockRelationOid(table, lock);
	else
		is_done = ConditionalLockRelationOid(table, lock);
	CurrentResourceOwner = owner;
	return is_done;
}

void
blt_set_check_privilege(Oid table, AclMode privilege)
{
	if (pg_class_aclcheck(table, GetUserId(), privilege) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(table));
}

bool
blt_set_try_open(BloomSet *set, Oid table, LOCKMODE lock)
{
	bool		is_missing = false;
	AclResult	result = pg_class_aclcheck_ext(table, GetUserId(), ACL_SELECT, &is_missing);

	/* before others would have to wait for the lock */
	if (is_missing)
		return false;
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_TABLE, get_rel_name(table));
	(void) lock_table(table, lock, LOCK_AND_WAIT);
	set->table = try_relation_open(table, NoLock);
	if (set->table == NULL)
	{
		(void) lock_table(table, lock, UNLOCK);
		return false;
	}
	set->lock = lock;

	/* a portal may lose the lock of a LOCK TABLE within it, so take our own */
	set->is_alone = lock >= RowExclusiveLock &&
		CheckRelationLockedByMe(set->table, SET_ALONE_LOCK, true);
	if (set->is_alone && lock < SET_ALONE_LOCK)
		(void) lock_table(table, SET_ALONE_LOCK, LOCK_AND_WAIT);
	set->snapshot = NULL;
	set->nlayers = 0;
	set->nallocated = 8;
	set->layers = palloc(set->nallocated * sizeof(SetLayer));
	if (!is_set(set->table, &set->index))
	{
		blt_set_close(set);
		return false;
	}
	if (RecoveryInProgress() && !RelationIsPermanent(set->table))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot access unlogged set \"%s\" during recovery", get_rel_name(table)),
				 errhint("Ask the primary server, or make it log the set with ALTER TABLE ... SET LOGGED.")));
	if (check_enable_rls(table, InvalidOid, false) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("row-level security of table \"%s\" could hide keys", get_rel_name(table)),
				 errhint("Disable it; rows of a set are parts of one value. GRANT SELECT to those who may ask, and UPDATE to those who may add.")));
	return true;
}

void
blt_set_open(BloomSet *set, Oid table, LOCKMODE lock)
{
	const char *name;

	if (blt_set_try_open(set, table, lock))
		return;
	name = get_rel_name(table);
	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", table)));
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 errmsg("\"%s\" is not the table of a set", name),
			 errdetail("Such a table has the columns slice, layer and bits, no others, and a primary key of the first two."),
			 errhint("Make one with bloom_set_create. If it was one, undo the change, for example with ALTER TABLE ... DROP COLUMN.")));
}

void
blt_set_close(BloomSet *set)
{
	pfree(set->layers);
	relation_close(set->table, NoLock);
}

void
blt_set_close_and_unlock(BloomSet *set)
{
	Oid			table = RelationGetRelid(set->table);

	blt_set_close(set);
	(void) lock_table(table, set->lock, UNLOCK);
}

bool
blt_set_be_alone_at_once(BloomSet *set)
{
	Oid			table = RelationGetRelid(set->table);

	if (!lock_table(table, SET_ALONE_LOCK, LOCK_AT_ONCE))
		return false;
	(void) lock_table(table, set->lock, UNLOCK);
	set->lock = SET_ALONE_LOCK;
	set->is_alone = true;
	return true;
}

/*
 * Rows
 */

pg_noreturn void
blt_set_report_damage(const BloomSet *set, int layer, int slice, const char *reason)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("set \"%s\" is damaged", RelationGetRelationName(set->table)),
			 errdetail("Row (slice, layer) = (%d, %d): %s", slice, layer, reason),
			 errhint("Restore the table, or make the set anew.")));
}

SetRow
blt_set_get_row(const BloomSet *set, HeapTuple tuple)
{
	TupleDesc	desc = RelationGetDescr(set->table);
	SetRow		row = {.nbytes = -1};
	bool		isnull;
	Datum		value;

	/* a primary key has no nulls */
	row.slice = DatumGetInt32(heap_getattr(tuple, COLUMN_SLICE, desc, &isnull));
	row.layer = DatumGetInt32(heap_getattr(tuple, COLUMN_LAYER, desc, &isnull));
	value = heap_getattr(tuple, COLUMN_BITS, desc, &isnull);
	if (!isnull)
	{
		struct varlena *bits = PG_DETOAST_DATUM_PACKED(value);

		row.bits = (const unsigned char *) VARDATA_ANY(bits);
		row.nbytes = (int) VARSIZE_ANY_EXHDR(bits);
	}
	return row;
}

void
blt_set_check_slice(const BloomSet *set, const SetLayer *layer, const SetRow *row)
{
	if (row->nbytes != blt_set_slice_bytes(layer, row->slice))
		blt_set_report_damage(set, row->layer, row->slice, "Its bits have another length.");
}

/*
 * The next row of a scan of the index.  Where its page has room for another
 * version, it is read as it is: any other scan would first prune the page,
 * which is then written to the WAL after each update.
 */
static HeapTuple
next_slice(SysScanDesc scan, HeapTuple tuple, Buffer *buffer)
{
	ItemPointer entry;
	bool		is_copy;

	/* the server may have been told not to use indexes here */
	if (scan->iscan == NULL)
		return systable_getnext(scan);
	while ((entry = index_getnext_tid(scan->iscan, ForwardScanDirection)) != NULL)
	{
		ItemPointerData tid = *entry;
		bool		is_found = false;

		*buffer = ReadBuffer(scan->heap_rel, ItemPointerGetBlockNumber(&tid));
		LockBuffer(*buffer, BUFFER_LOCK_SHARE);
		if (PageGetHeapFreeSpace(BufferGetPage(*buffer)) >= SLICE_ROW_BYTES)
			is_found = heap_hot_search_buffer(&tid, scan->heap_rel, *buffer, scan->iscan->xs_snapshot,
											  tuple, NULL, true);
		LockBuffer(*buffer, BUFFER_LOCK_UNLOCK);
		if (is_found)
		{
			pgstat_count_heap_fetch(scan->irel);
			return tuple;
		}
		ReleaseBuffer(*buffer);
		*buffer = InvalidBuffer;
		if (index_fetch_heap(scan->iscan, scan->slot))
			return ExecFetchSlotHeapTuple(scan->slot, false, &is_copy);
	}
	return NULL;
}

bool
blt_set_find_slice(BloomSet *set, const SetLayer *layer, int slice, Snapshot snapshot,
				   unsigned char *bits, ItemPointer tid)
{
	const bool	is_kept = layer->number == blt_set_newest(set)->number && snapshot == set->snapshot;
	ScanKeyData keys[2];
	Buffer		buffer = InvalidBuffer;
	HeapTupleData in_page;
	SysScanDesc scan;
	HeapTuple	tuple;

	if (is_kept && slice == set->last_slice)
	{
		memcpy(bits, set->last_bits, blt_set_slice_bytes(layer, slice));
		*tid = set->last_tid;
		return true;
	}
	ScanKeyInit(&keys[0], COLUMN_SLICE, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(slice));
	ScanKeyInit(&keys[1], COLUMN_LAYER, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(layer->number));
	scan = systable_beginscan(set->table, set->index, true, snapshot, lengthof(keys), keys);
	tuple = next_slice(scan, &in_page, &buffer);
	if (HeapTupleIsValid(tuple))
	{
		SetRow		row = blt_set_get_row(set, tuple);

		blt_set_check_slice(set, layer, &row);
		memcpy(bits, row.bits, row.nbytes);
		*tid = tuple->t_self;
		if (is_kept)
		{
			memcpy(set->last_bits, bits, row.nbytes);
			set->last_tid = *tid;
			set->last_slice = slice;
		}
	}
	if (BufferIsValid(buffer))
		ReleaseBuffer(buffer);
	systable_endscan(scan);
	return HeapTupleIsValid(tuple);
}

void
blt_set_read_slice(BloomSet *set, const SetLayer *layer, int slice, unsigned char *bits)
{
	ItemPointerData tid;

	if (!blt_set_find_slice(set, layer, slice, set->snapshot, bits, &tid))
		blt_set_report_damage(set, layer->number, slice, "It is missing.");
}

/*
 * Heads
 */

void
blt_set_init_meta(const SetLayer *layer, BbfMeta *meta)
{
	bbf_meta_init(meta, BBF_KIND_BLOOM, layer->capacity, layer->fpp, layer->growth);
	meta->family = layer->family;
	meta->subtype = layer->subtype;
}

void
blt_set_write_head(const SetLayer *layer, unsigned char *bytes)
{
	BbfMeta		meta;

	blt_set_init_meta(layer, &meta);
	meta.nlayers = 1;
	meta.layers[0] = layer->layer;
	meta.layers[0].nset = 0;
	(void) bbf_meta_lay_out(&meta);
	memset(bytes, 0, SET_HEAD_BYTES);
	bbf_meta_write(&meta, bytes);
	bbf_put64(bytes + AT_WINDOW, (uint64) layer->window);
	bbf_put64(bytes + AT_OPENED, (uint64) layer->opened);
	bbf_put32(bytes + AT_WINDOWS, (uint32) layer->windows);
	bbf_put32(bytes + AT_NUMBER_IN_WINDOW, (uint32) layer->number_in_window);
	bbf_put64(bytes + AT_HASH, bbf_hash(bytes, AT_HASH));
}

/* Returns NULL, or what is wrong: a sentence. */
static const char *
read_head(const unsigned char *bytes, int nbytes, SetLayer *layer)
{
	BbfMeta		meta;
	const char *reason;

	if (nbytes != SET_HEAD_BYTES || bbf_get64(bytes + AT_HASH) != bbf_hash(bytes, AT_HASH))
		return "It is no head of a layer.";
	reason = bbf_meta_read_records(bytes, BBF_FIRST_BINS, BBF_KIND_BLOOM, &meta);
	if (reason != NULL)
		return reason;
	if (meta.nlayers != 1 || meta.nlist != 0 || meta.flags != 0 || meta.layers[0].nset != 0)
		return "It is not the record of one layer.";
	layer->window = (int64) bbf_get64(bytes + AT_WINDOW);
	layer->opened = (TimestampTz) bbf_get64(bytes + AT_OPENED);
	layer->windows = (int) bbf_get32(bytes + AT_WINDOWS);
	layer->number_in_window = (int) bbf_get32(bytes + AT_NUMBER_IN_WINDOW);
	if (layer->window < 1 || layer->window >= PG_INT64_MAX || layer->windows < 1 || layer->windows > SET_MAX_WINDOWS ||
		!IS_VALID_TIMESTAMP(layer->opened))
		return "What it says of windows is not valid.";
	layer->family = meta.family;
	layer->subtype = meta.subtype;
	layer->growth = meta.growth;
	layer->capacity = meta.capacity;
	layer->fpp = meta.fpp;
	layer->layer = meta.layers[0];
	return NULL;
}

/* Errors: heads of live layers are missing, or do not fit together. */
static void
check_heads(const BloomSet *set)
{
	const SetLayer *first = set->layers;
	const SetLayer *newest = blt_set_newest(set);
	int64		oldest_window = newest->window - newest->windows + 1;
	uint64		nblocks = first->layer.nbins;	/* of a window */

	if (first->window != Max(oldest_window, 1) || first->number_in_window != 0)
		blt_set_report_damage(set, first->number - 1, SET_HEAD, "It is missing.");
	for (const SetLayer *layer = first + 1; layer <= newest; layer++)
	{
		const SetLayer *before = layer - 1;
		bool		is_same_window = layer->window == before->window;

		CHECK_FOR_INTERRUPTS();
		nblocks = layer->layer.nbins + (is_same_window ? nblocks : 0);
		if (layer->number != before->number + 1)
			blt_set_report_damage(set, before->number + 1, SET_HEAD, "It is missing.");
		if (layer->window != before->window + !is_same_window ||
			layer->number_in_window != (is_same_window ? before->number_in_window + 1 : 0) ||
			layer->windows != before->windows ||
			layer->family != before->family || layer->subtype != before->subtype ||
			layer->number_in_window >= BBF_MAX_LAYERS || nblocks > BBF_MAX_BLOCKS)
			blt_set_report_damage(set, layer->number, SET_HEAD,
								  "It does not fit the layer before it.");
	}
}

/* Leave the live layers, of all that were read. */
static void
keep_live(BloomSet *set)
{
	const SetLayer *newest = blt_set_newest(set);
	int64		before = newest->window - newest->windows;
	int			ndead = 0;

	while (set->layers[ndead].window <= before)
		ndead++;
	set->nlayers -= ndead;
	memmove(set->layers, set->layers + ndead, set->nlayers * sizeof(SetLayer));
	check_heads(set);
}

/* Errors: a live layer has no seal, or a seal after them has no head. */
static void
check_seals(const BloomSet *set, const List *seals)
{
	const SetLayer *newest = blt_set_newest(set);
	const ListCell *seal;

	for (int i = 0; i < set->nlayers; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!list_member_int(seals, set->layers[i].number))
			blt_set_report_damage(set, set->layers[i].number, SET_SEAL, "It is missing.");
	}
	foreach(seal, seals)
	{
		if (lfirst_int(seal) > newest->number)
			blt_set_report_damage(set, newest->number + 1, SET_HEAD, "It is missing.");
	}
}

static int
compare_layers(const void *a, const void *b)
{
	const SetLayer *x = a;
	const SetLayer *y = b;

	return x->number < y->number ? -1 : 1;
}

/* The order of rows is not that of the index, where the server uses none. */
void
blt_set_read_layers(BloomSet *set, Snapshot snapshot, bool missing_ok)
{
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	List	   *seals = NIL;
	List	   *sealed = NIL;

	set->snapshot = snapshot;
	set->nlayers = 0;
	set->last_slice = -1;
	ScanKeyInit(&key, COLUMN_SLICE, BTLessStrategyNumber, F_INT4LT, Int32GetDatum(0));
	scan = systable_beginscan(set->table, set->index, true, snapshot, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		SetRow		row = blt_set_get_row(set, tuple);
		SetLayer   *layer;
		const char *reason;

		CHECK_FOR_INTERRUPTS();
		if (row.slice == SET_SEAL)
		{
			seals = lappend_int(seals, row.layer);
			if (row.nbytes > 0)
				sealed = lappend_int(sealed, row.layer);
			continue;
		}
		if (row.slice != SET_HEAD || row.layer < 0 || row.layer == PG_INT32_MAX)
			blt_set_report_damage(set, row.layer, row.slice, "There is no such row.");
		if (set->nlayers >= set->nallocated)
		{
			set->nallocated *= 2;
			set->layers = repalloc(set->layers, set->nallocated * sizeof(SetLayer));
		}
		layer = &set->layers[set->nlayers++];
		layer->number = row.layer;
		layer->xmin = HeapTupleHeaderGetXmin(tuple->t_data);
		reason = read_head(row.bits, row.nbytes, layer);
		if (reason != NULL)
			blt_set_report_damage(set, row.layer, row.slice, reason);
	}
	systable_endscan(scan);
	qsort(set->layers, set->nlayers, sizeof(SetLayer), compare_layers);
	for (int i = 0; i < set->nlayers; i++)
	{
		CHECK_FOR_INTERRUPTS();
		set->layers[i].is_sealed = list_member_int(sealed, set->layers[i].number);
	}
	if (set->nlayers > 0)
	{
		keep_live(set);
		check_seals(set, seals);
	}
	else if (!missing_ok)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("set \"%s\" has no layers", RelationGetRelationName(set->table)),
				 errdetail("Its rows are not there, as after TRUNCATE, or not yet in the snapshot of this transaction."),
				 errhint("Drop the table, and make the set anew with bloom_set_create.")));
	list_free(seals);
	list_free(sealed);
}
