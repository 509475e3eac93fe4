/*
 * pages_key.c
 *	  Hashes keys of a page index.
 *
 * They are those of the type that the operator class is for, which its
 * operators compare.  The column may be of another one that the server takes
 * for it without a conversion: the "=" of char(n), which a varchar can have
 * under bpchar_ops, ignores the blanks at the end.
 */
#include "compat.h"

#include "index/pages_key.h"

#include "catalog/pg_type.h"
#include "utils/memutils.h"

static Oid
column_type(Relation index)
{
	return TupleDescAttr(RelationGetDescr(index), 0)->atttypid;
}

void
blt_pages_check_type(Relation index)
{
	(void) blt_create_index_hasher(RelationGetRelid(index), column_type(index),
								   index->rd_indcollation[0], CurrentMemoryContext);
}

PagesHasher *
blt_pages_create_hasher(Relation index, Oid right_type)
{
	PagesHasher *hasher = palloc(sizeof(PagesHasher));

	if (!OidIsValid(right_type))
		right_type = index->rd_opcintype[0];

	/*
	 * of a polymorphic operator, and of that of rows, both sides have the
	 * type of the column
	 */
	if (IsPolymorphicType(right_type) || right_type == RECORDOID)
		right_type = column_type(index);
	hasher->hasher = blt_create_index_hasher(RelationGetRelid(index), right_type,
											 index->rd_indcollation[0], CurrentMemoryContext);
	hasher->scratch = AllocSetContextCreate(CurrentMemoryContext, "bloomtype key of a page index",
											ALLOCSET_SMALL_SIZES);
	return hasher;
}

uint64
blt_pages_hash(PagesHasher *hasher, Datum value)
{
	MemoryContext caller = MemoryContextSwitchTo(hasher->scratch);
	BloomKey	key = blt_hash_key(hasher->hasher, value);

	MemoryContextSwitchTo(caller);
	MemoryContextReset(hasher->scratch);
	return key.hash;
}
