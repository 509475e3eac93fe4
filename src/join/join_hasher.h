/*
 * join_hasher.h
 *	  From the key columns of a row to the hash that a filter knows.
 */
#ifndef BLOOMTYPE_JOIN_HASHER_H
#define BLOOMTYPE_JOIN_HASHER_H

#include "access/htup_details.h"
#include "core/hash.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "join/join_key.h"
#include "nodes/execnodes.h"

/* From so many bytes on, a key is not hashed. */
#define JOIN_LONG_KEY	1024

/* A key column, ready to be hashed */
typedef struct JoinKeyHasher
{
	AttrNumber	column;
	int			offset;			/* in table rows without nulls; -1: varies */
	bool		by_value;
	int16		length;
	JoinInteger integer;
	FunctionCallInfo call;		/* of the hash function, unless an integer */
	FmgrInfo	function;
} JoinKeyHasher;

typedef struct JoinHasher
{
	bool		allocates;		/* may hashing a row allocate memory?  It may
								 * with keys that are not integers. */
	int			nkeys;
	JoinKeyHasher keys[FLEXIBLE_ARRAY_MEMBER];
} JoinHasher;

/*
 * From a list of keys as plans keep them (join_key.h), for the rows that a
 * node returns.  If they are stored rows of a table, keys at fixed offsets are
 * read without deforming the rest of the row.
 */
extern JoinHasher *blt_join_create_hasher(List *keys, PlanState *source);

/* The rest of blt_join_hash_row: a key that is not an integer. */
extern uint64 blt_join_hash_value(JoinKeyHasher *key, Datum value);

static pg_attribute_always_inline Datum
blt_join_key_value(const JoinKeyHasher *key, TupleTableSlot *slot, bool *is_null)
{
	if (key->offset >= 0 && slot->tts_nvalid < key->column)
	{
		HeapTuple	row = ((BufferHeapTupleTableSlot *) slot)->base.tuple;

		if (row != NULL && HeapTupleNoNulls(row) &&
			HeapTupleHeaderGetNatts(row->t_data) >= key->column)
		{
			*is_null = false;
			return fetch_att((char *) row->t_data + row->t_data->t_hoff + key->offset,
							 key->by_value, key->length);
		}
	}
	return slot_getattr(slot, key->column, is_null);
}

static pg_attribute_always_inline int64
blt_join_integer(JoinInteger integer, Datum value)
{
	return integer == JOIN_INT4 ? (int64) DatumGetInt32(value) :
		integer == JOIN_INT8 ? DatumGetInt64(value) :
		integer == JOIN_INT2 ? (int64) DatumGetInt16(value) : (int64) DatumGetObjectId(value);
}

static inline uint64
blt_join_hash_integer(int64 integer)
{
	unsigned char bytes[8];

	bbf_put64(bytes, (uint64) integer);
	return bbf_hash(bytes, sizeof(bytes));
}

/*
 * Read the only key column of a row, an integer.  Returns false if it is null.
 */
static pg_attribute_always_inline bool
blt_join_read_integer(const JoinHasher *hasher, TupleTableSlot *slot, int64 *integer)
{
	const JoinKeyHasher *key = &hasher->keys[0];
	bool		is_null;
	Datum		value = blt_join_key_value(key, slot, &is_null);

	*integer = is_null ? 0 : blt_join_integer(key->integer, value);
	return !is_null;
}

/*
 * Hash the key columns of a row.  Returns false if one of them is null, since
 * such a row has no partner.  May allocate in the current memory context
 * (hasher->allocates).
 */
static pg_attribute_always_inline bool
blt_join_hash_row(JoinHasher *hasher, TupleTableSlot *slot, uint64 *hash)
{
	uint64		combined = 0;

	for (int i = 0; i < hasher->nkeys; i++)
	{
		JoinKeyHasher *key = &hasher->keys[i];
		uint64		key_hash;
		bool		is_null;
		Datum		value = blt_join_key_value(key, slot, &is_null);

		if (is_null)
			return false;
		if (key->integer != JOIN_NOT_INTEGER)
			key_hash = blt_join_hash_integer(blt_join_integer(key->integer, value));
		else
			key_hash = blt_join_hash_value(key, value);

		/* order counts, and no key can cancel another out */
		combined = i == 0 ? key_hash :
			(combined << 29 | combined >> 35) * UINT64_C(0x9FB21C651E98DF25) + key_hash;
	}
	*hash = combined;
	return true;
}

/*
 * Has a row a key that is stored compressed or out of line, or is that long?
 * To hash it would take about as long as all that the join does with the row.
 */
static inline bool
blt_join_has_long_key(const JoinHasher *hasher, TupleTableSlot *slot)
{
	for (int i = 0; i < hasher->nkeys; i++)
	{
		const JoinKeyHasher *key = &hasher->keys[i];
		bool		is_null;
		Datum		value;

		if (key->length != -1)
			continue;
		value = blt_join_key_value(key, slot, &is_null);
		if (!is_null && (VARATT_IS_COMPRESSED(DatumGetPointer(value)) ||
						 VARATT_IS_EXTERNAL(DatumGetPointer(value)) ||
						 VARSIZE_ANY(DatumGetPointer(value)) >= JOIN_LONG_KEY))
			return true;
	}
	return false;
}

#endif							/* BLOOMTYPE_JOIN_HASHER_H */
