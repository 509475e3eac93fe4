/*
 * range_key.c
 *	  Hashes keys of a range index.
 */
#include "compat.h"

#include "index/range_key.h"

#include "catalog/pg_type.h"
#include "utils/memutils.h"

RangeHasher *
blt_range_create_hasher(Relation index, Oid right_type)
{
	RangeHasher *hasher = palloc(sizeof(RangeHasher));

	/* of a polymorphic operator, both sides have the type of the column */
	if (!OidIsValid(right_type) || IsPolymorphicType(right_type))
		right_type = TupleDescAttr(RelationGetDescr(index), 0)->atttypid;
	hasher->hasher = blt_create_hasher(right_type, index->rd_indcollation[0],
									   CurrentMemoryContext);
	hasher->scratch = AllocSetContextCreate(CurrentMemoryContext, "bloomtype key of a range index",
											ALLOCSET_SMALL_SIZES);
	return hasher;
}

uint64
blt_range_hash(RangeHasher *hasher, Datum value)
{
	MemoryContext caller = MemoryContextSwitchTo(hasher->scratch);
	BloomKey	key = blt_hash_key(hasher->hasher, value);

	MemoryContextSwitchTo(caller);
	MemoryContextReset(hasher->scratch);
	return key.hash;
}
