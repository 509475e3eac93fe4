/*
 * set_table.c
 *	  Opens the table of a set, and reads its rows.
 */
#include "compat.h"

#include "set/set_table.h"

#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "core/bytes.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"

/* Columns of the table */
enum
{
	COLUMN_SLICE = 1,
	COLUMN_LAYER,
	COLUMN_BITS
};

#define NUM_COLUMNS		COLUMN_BITS

/* Offsets in a head, behind the image's header and layer record */
enum
{
	AT_WINDOW = BBF_FIRST_BINS, /* 8 bytes each: */
	AT_OPENED = AT_WINDOW + 8,	/* microseconds since 2000-01-01 UTC */
	AT_WINDOWS = AT_OPENED + 8, /* 4 bytes */
	AT_RESERVED = AT_WINDOWS + 4	/* 4 bytes, zero */
};

StaticAssertDecl(AT_RESERVED + 4 == SET_HEAD_BYTES, "length of a head");

/*
 * Opening
 */

static bool
is_column(TupleDesc desc, int number, const char *name, Oid type)
{
	Form_pg_attribute att = TupleDescAttr(desc, number - 1);

	return !att->attisdropped && att->atttypid == type && strcmp(NameStr(att->attname), name) == 0;
}

bool
blt_set_has_columns(Relation table)
{
	TupleDesc	desc = RelationGetDescr(table);

	if (table->rd_rel->relkind != RELKIND_RELATION || desc->natts != NUM_COLUMNS ||
		!is_column(desc, COLUMN_SLICE, "slice", INT4OID) ||
		!is_column(desc, COLUMN_LAYER, "layer", INT4OID) ||
		!is_column(desc, COLUMN_BITS, "bits", BYTEAOID))
		return false;

	/* which looks up rd_pkindex */
	list_free(RelationGetIndexList(table));
	return OidIsValid(table->rd_pkindex);
}

void
blt_set_open(BloomSet *set, Oid table, LOCKMODE lock)
{
	if (get_rel_name(table) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", table)));
	if (get_rel_relkind(table) != RELKIND_RELATION)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not the table of a set", get_rel_name(table)),
				 errhint("Make one with bloom_set_create.")));

	/* before others would have to wait for the lock */
	if (pg_class_aclcheck(table, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(table));

	set->table = table_open(table, lock);
	set->snapshot = NULL;
	set->nlayers = 0;
	set->nallocated = 8;
	set->layers = palloc(set->nallocated * sizeof(SetLayer));
	if (!blt_set_has_columns(set->table))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table \"%s\" is not that of a set",
						RelationGetRelationName(set->table)),
				 errdetail("It has other columns than slice, layer and bits, or no primary key."),
				 errhint("Make one with bloom_set_create.")));
	set->index = set->table->rd_pkindex;
	if (check_enable_rls(table, InvalidOid, false) == RLS_ENABLED)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("row-level security of table \"%s\" could hide keys",
						RelationGetRelationName(set->table)),
				 errhint("Disable it; rows of a set are parts of one value. GRANT SELECT to those who may ask, and UPDATE to those who may add.")));
}

void
blt_set_close(BloomSet *set)
{
	pfree(set->layers);
	table_close(set->table, NoLock);
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

/* The bits of a row; a copy, if they are not stored as they should be. */
static const unsigned char *
get_bits(const BloomSet *set, HeapTuple row, int *nbytes)
{
	bool		isnull;
	Datum		value = heap_getattr(row, COLUMN_BITS, RelationGetDescr(set->table), &isnull);
	struct varlena *bits;

	if (isnull)
	{
		*nbytes = -1;
		return NULL;
	}
	bits = PG_DETOAST_DATUM_PACKED(value);
	*nbytes = (int) VARSIZE_ANY_EXHDR(bits);
	return (const unsigned char *) VARDATA_ANY(bits);
}

static int
get_number(const BloomSet *set, HeapTuple row, int column)
{
	bool		isnull;

	/* a primary key has no nulls */
	return DatumGetInt32(heap_getattr(row, column, RelationGetDescr(set->table), &isnull));
}

bool
blt_set_try_slice(const BloomSet *set, const SetLayer *layer, int slice, unsigned char *bits)
{
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	row;
	const unsigned char *stored;
	int			nbytes;

	ScanKeyInit(&keys[0], COLUMN_SLICE, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(slice));
	ScanKeyInit(&keys[1], COLUMN_LAYER, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(layer->number));
	scan = systable_beginscan(set->table, set->index, true, set->snapshot, lengthof(keys), keys);
	row = systable_getnext(scan);
	if (!HeapTupleIsValid(row))
	{
		systable_endscan(scan);
		return false;
	}
	stored = get_bits(set, row, &nbytes);
	if (nbytes != blt_set_slice_bytes(layer, slice))
		blt_set_report_damage(set, layer->number, slice, "Its bits have another length.");
	memcpy(bits, stored, nbytes);
	systable_endscan(scan);
	return true;
}

void
blt_set_read_slice(const BloomSet *set, const SetLayer *layer, int slice, unsigned char *bits)
{
	if (!blt_set_try_slice(set, layer, slice, bits))
		blt_set_report_damage(set, layer->number, slice, "It is missing.");
}

void
blt_set_begin_scan(SetScan *scan, BloomSet *set)
{
	scan->set = set;
	scan->scan = systable_beginscan(set->table, InvalidOid, false, set->snapshot, 0, NULL);
}

bool
blt_set_next_row(SetScan *scan)
{
	HeapTuple	row = systable_getnext(scan->scan);

	CHECK_FOR_INTERRUPTS();
	if (!HeapTupleIsValid(row))
		return false;
	scan->slice = get_number(scan->set, row, COLUMN_SLICE);
	scan->layer = get_number(scan->set, row, COLUMN_LAYER);
	scan->bits = get_bits(scan->set, row, &scan->nbytes);
	return true;
}

void
blt_set_end_scan(SetScan *scan)
{
	systable_endscan(scan->scan);
}

/*
 * Heads
 */

void
blt_set_write_head(const SetLayer *layer, unsigned char *bytes)
{
	BbfMeta		meta;

	bbf_meta_init(&meta, BBF_KIND_BLOOM, layer->capacity, layer->fpp, layer->growth);
	meta.family = layer->family;
	meta.subtype = layer->subtype;
	meta.nlayers = 1;
	meta.layers[0] = layer->layer;
	meta.layers[0].nset = 0;
	(void) bbf_meta_lay_out(&meta);
	memset(bytes, 0, SET_HEAD_BYTES);
	bbf_meta_write(&meta, bytes);
	bbf_put64(bytes + AT_WINDOW, (uint64) layer->window);
	bbf_put64(bytes + AT_OPENED, (uint64) layer->opened);
	bbf_put32(bytes + AT_WINDOWS, (uint32) layer->windows);
}

/* Returns NULL, or what is wrong: a sentence. */
static const char *
read_head(const unsigned char *bytes, int nbytes, SetLayer *layer)
{
	BbfMeta		meta;
	const char *reason;

	if (nbytes != SET_HEAD_BYTES)
		return "It is no head of a layer.";
	reason = bbf_meta_read_records(bytes, BBF_FIRST_BINS, BBF_KIND_BLOOM, &meta);
	if (reason != NULL)
		return reason;
	if (meta.nlayers != 1 || meta.nlist != 0 || meta.flags != 0 || meta.layers[0].nset != 0)
		return "It is not the record of one layer.";
	layer->window = (int64) bbf_get64(bytes + AT_WINDOW);
	layer->opened = (TimestampTz) bbf_get64(bytes + AT_OPENED);
	layer->windows = (int) bbf_get32(bytes + AT_WINDOWS);
	if (layer->window < 1 || layer->windows < 1 || layer->windows > SET_MAX_WINDOWS ||
		!IS_VALID_TIMESTAMP(layer->opened) || !bbf_all_zero(bytes + AT_RESERVED, 4))
		return "What it says of windows is not valid.";
	layer->family = meta.family;
	layer->subtype = meta.subtype;
	layer->growth = meta.growth;
	layer->capacity = meta.capacity;
	layer->fpp = meta.fpp;
	layer->layer = meta.layers[0];
	return NULL;
}

/* Errors: a head is missing, or heads do not fit together. */
static void
check_heads(const BloomSet *set, const List *seals)
{
	const SetLayer *first = &set->layers[0];
	const SetLayer *newest = blt_set_newest(set);
	int64		oldest_window = newest->window - newest->windows + 1;
	ListCell   *seal;

	for (const SetLayer *layer = first + 1; layer <= newest; layer++)
	{
		if (layer->number != layer[-1].number + 1)
			blt_set_report_damage(set, layer[-1].number + 1, SET_HEAD, "It is missing.");
		if ((layer->window != layer[-1].window && layer->window != layer[-1].window + 1) ||
			layer->windows != layer[-1].windows || layer->family != layer[-1].family ||
			layer->subtype != layer[-1].subtype)
			blt_set_report_damage(set, layer->number, SET_HEAD,
								  "It does not fit the layer before it.");
	}

	/* none is deleted that is live; here, without a seal, it is missed */
	if (oldest_window > 1 ? first->window > oldest_window : first->number > 0)
		blt_set_report_damage(set, first->number - 1, SET_HEAD, "It is missing.");
	foreach(seal, seals)
	{
		if (lfirst_int(seal) < first->number || lfirst_int(seal) > newest->number)
			blt_set_report_damage(set, lfirst_int(seal), SET_HEAD, "It is missing.");
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
}

/* By the index, seals come before heads, and both in the order of layers. */
bool
blt_set_try_layers(BloomSet *set, Snapshot snapshot)
{
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	row;
	List	   *seals = NIL;

	set->snapshot = snapshot;
	set->nlayers = 0;
	ScanKeyInit(&key, COLUMN_SLICE, BTLessStrategyNumber, F_INT4LT, Int32GetDatum(0));
	scan = systable_beginscan(set->table, set->index, true, snapshot, 1, &key);
	while (HeapTupleIsValid(row = systable_getnext(scan)))
	{
		int			slice = get_number(set, row, COLUMN_SLICE);
		int			number = get_number(set, row, COLUMN_LAYER);
		SetLayer   *layer;
		const unsigned char *bytes;
		const char *reason;
		int			nbytes;

		CHECK_FOR_INTERRUPTS();
		if (slice == SET_SEAL)
		{
			seals = lappend_int(seals, number);
			continue;
		}
		if (slice != SET_HEAD)
			blt_set_report_damage(set, number, slice, "There is no such row.");
		if (set->nlayers >= set->nallocated)
		{
			set->nallocated *= 2;
			set->layers = repalloc(set->layers, set->nallocated * sizeof(SetLayer));
		}
		layer = &set->layers[set->nlayers++];
		layer->number = number;
		layer->is_sealed = list_member_int(seals, number);
		layer->xmin = HeapTupleHeaderGetXmin(row->t_data);
		bytes = get_bits(set, row, &nbytes);
		reason = read_head(bytes, nbytes, layer);
		if (reason != NULL)
			blt_set_report_damage(set, number, slice, reason);
	}
	systable_endscan(scan);
	if (set->nlayers == 0)
		return false;
	check_heads(set, seals);
	list_free(seals);
	keep_live(set);
	return true;
}

void
blt_set_read_layers(BloomSet *set, Snapshot snapshot)
{
	if (!blt_set_try_layers(set, snapshot))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("set \"%s\" has no layers", RelationGetRelationName(set->table)),
				 errdetail("Its rows are not there, as after TRUNCATE, or not yet in the snapshot of this transaction."),
				 errhint("Drop the table, and make the set anew with bloom_set_create.")));
}
