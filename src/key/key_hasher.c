/*
 * key_hasher.c
 *	  Chooses how values of a type are hashed, and hashes arrays, rows and
 *	  ranges, whose keys consist of other keys.
 *
 * The canonical bytes of a nested value hold a hash of fixed length for each
 * part, so ROW('a', '1c') and ROW('a1', 'c') are different keys.  The type
 * check of a filter needs more than the family: a subtype distinguishes an
 * array of numbers from an array of text.
 *
 * Limits: a row type may change between calls (ALTER TYPE), and a record has
 * another one each time, so the hashers of columns are looked up by the type
 * that the value itself carries.  A null of an anonymous record type has no
 * known columns and is refused inside a key.
 */
#include "compat.h"

#include "key/key_hasher.h"

#include "access/htup_details.h"
#include "catalog/pg_am.h"
#include "catalog/pg_range.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "key/key_report.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rangetypes.h"
#include "utils/syscache.h"

/*
 * Limit on the hashers of one key, which those of one row type may exceed: a
 * row type with two columns of a row type with two columns of ... has
 * 2^depth.  Several times the widest table, which has 1,600 columns.
 */
#define MAX_HASHERS	10000

/* The hashers for the columns of one version of one row type. */
typedef struct RowHasher
{
	MemoryContext context;		/* of this and the hashers of the columns */
	Oid			type;
	int32		typmod;
	uint64		version;		/* the server's identifier of the descriptor */
	int			natts;
	KeyHasher **columns;		/* null for a dropped column */
	Datum	   *values;			/* work space */
	bool	   *nulls;
} RowHasher;

static KeyHasher *create_hasher(KeyHasher *root, Oid index, Oid type,
								Oid collation, MemoryContext context);
static uint32 subtype_of(KeyHasher *hasher);

/*
 * Create the hasher of a part.  Error: that is a bloom_key, whose values may
 * be of any family, so that the whole would have no subtype.
 */
static KeyHasher *
create_part(KeyHasher *whole, Oid type, Oid collation, MemoryContext context)
{
	KeyHasher  *part = create_hasher(whole->root, whole->root->index, type,
									 collation, context);

	if (part->family == BBF_FAMILY_NONE)
		blt_report_refused_type(part->type, part->root->type, part->index);
	return part;
}

static void
append16(StringInfo s, uint16 value)
{
	unsigned char bytes[2];

	bbf_put16(bytes, value);
	appendBinaryStringInfo(s, (char *) bytes, sizeof(bytes));
}

static void
append32(StringInfo s, uint32 value)
{
	unsigned char bytes[4];

	bbf_put32(bytes, value);
	appendBinaryStringInfo(s, (char *) bytes, sizeof(bytes));
}

static void
append64(StringInfo s, uint64 value)
{
	unsigned char bytes[8];

	bbf_put64(bytes, value);
	appendBinaryStringInfo(s, (char *) bytes, sizeof(bytes));
}

/* Append a part of an array or row: 0 for a null, else 1 and its hash. */
static void
append_part(StringInfo s, bool isnull, const BloomKey *key)
{
	appendStringInfoChar(s, isnull ? 0 : 1);
	if (!isnull)
		append64(s, key->hash);
}

/* Append what a part adds to the subtype of the whole. */
static void
append_part_type(StringInfo s, uint16 family, uint32 subtype)
{
	append16(s, family);
	append32(s, subtype);
}

static uint32
subtype_from(StringInfo s)
{
	return (uint32) bbf_hash(s->data, s->len);
}

/* array */

static void
encode_array(KeyHasher *hasher, Datum value, BloomKey *key)
{
	KeyHasher  *element = hasher->part;
	ArrayType  *array = DatumGetArrayTypeP(value);
	StringInfoData s;
	Datum	   *values;
	bool	   *nulls;
	int			n;

	check_stack_depth();
	key->subtype = subtype_of(hasher);

	initStringInfo(&s);
	append16(&s, element->family);
	append32(&s, ARR_NDIM(array));
	for (int i = 0; i < ARR_NDIM(array); i++)
		append32(&s, ARR_DIMS(array)[i]);
	for (int i = 0; i < ARR_NDIM(array); i++)
		append32(&s, ARR_LBOUND(array)[i]);

	deconstruct_array(array, ARR_ELEMTYPE(array), element->typlen,
					  element->typbyval, element->typalign, &values, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		BloomKey	part = {0};

		CHECK_FOR_INTERRUPTS();
		if (!nulls[i])
			part = blt_hash_key(element, values[i]);
		append_part(&s, nulls[i], &part);
	}

	key->hash = bbf_hash(s.data, s.len);
	pfree(s.data);
	pfree(values);
	pfree(nulls);
	if ((Pointer) array != DatumGetPointer(value))
		pfree(array);
}

/* row */

/* Number of hashers that one consists of, itself included. */
static int
count_hashers(const KeyHasher *hasher)
{
	int			n = 1;

	if (hasher->part != NULL)
		n += count_hashers(hasher->part);
	for (int i = 0; hasher->row != NULL && i < hasher->row->natts; i++)
	{
		if (hasher->row->columns[i] != NULL)
			n += count_hashers(hasher->row->columns[i]);
	}
	return n;
}

/*
 * The hashers for a row type, with a reference to its descriptor that the
 * caller releases.
 */
static RowHasher *
find_row_hasher(KeyHasher *hasher, Oid type, int32 typmod, TupleDesc *desc)
{
	RowHasher  *row = hasher->row;
	uint64		version;
	MemoryContext context;

	/* the look-up comes first: it registers what a parallel leader shares */
	*desc = lookup_rowtype_tupdesc(type, typmod);
	version = assign_record_type_identifier(type, typmod);
	if (row != NULL && row->type == type && row->typmod == typmod &&
		row->version == version)
		return row;

	hasher->row = NULL;
	if (row != NULL)
		MemoryContextDelete(row->context);

	/*
	 * as with a hasher (call_cache.c), an error must leave no memory
	 * allocated
	 */
	context = AllocSetContextCreate(CurrentMemoryContext, "bloomtype row hasher",
									ALLOCSET_SMALL_SIZES);
	row = MemoryContextAllocZero(context, sizeof(RowHasher));
	row->context = context;
	row->type = type;
	row->typmod = typmod;
	row->version = version;
	row->natts = (*desc)->natts;
	row->columns = MemoryContextAllocZero(context, sizeof(KeyHasher *) * row->natts);
	row->values = MemoryContextAlloc(context, sizeof(Datum) * row->natts);
	row->nulls = MemoryContextAlloc(context, sizeof(bool) * row->natts);

	for (int i = 0; i < row->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(*desc, i);

		if (!att->attisdropped)
			row->columns[i] = create_part(hasher, att->atttypid,
										  att->attcollation, context);
	}

	MemoryContextSetParent(context, hasher->context);
	hasher->row = row;
	return row;
}

/*
 * For an index, the number of a column stands in front of its hash, and nulls
 * are left out, so that rows keep their hashes when their type gets another
 * column.  The server compares rows of like columns only.
 */
static void
encode_row(KeyHasher *hasher, Datum value, BloomKey *key)
{
	HeapTupleHeader header = DatumGetHeapTupleHeader(value);
	HeapTupleData tuple = {0};
	TupleDesc	desc;
	RowHasher  *row;
	StringInfoData s;
	StringInfoData part_types;
	bool		for_index = OidIsValid(hasher->root->index);
	int			number = 0;

	check_stack_depth();
	row = find_row_hasher(hasher, HeapTupleHeaderGetTypeId(header),
						  HeapTupleHeaderGetTypMod(header), &desc);
	tuple.t_len = HeapTupleHeaderGetDatumLength(header);
	tuple.t_data = header;
	heap_deform_tuple(&tuple, desc, row->values, row->nulls);

	initStringInfo(&s);
	initStringInfo(&part_types);
	for (int i = 0; i < row->natts; i++)
	{
		KeyHasher  *column = row->columns[i];
		BloomKey	part = {0};

		CHECK_FOR_INTERRUPTS();
		if (column == NULL)
			continue;
		number++;
		if (row->nulls[i] && for_index)
			continue;
		if (row->nulls[i])
		{
			part.family = column->family;
			part.subtype = subtype_of(column);
		}
		else
			part = blt_hash_key(column, row->values[i]);

		append16(&s, for_index ? number : part.family);
		append_part(&s, row->nulls[i], &part);
		append_part_type(&part_types, part.family, part.subtype);
	}

	key->hash = bbf_hash(s.data, s.len);
	key->subtype = subtype_from(&part_types);
	pfree(s.data);
	pfree(part_types.data);
	ReleaseTupleDesc(desc);
	if ((Pointer) header != DatumGetPointer(value))
		pfree(header);
}

/* range */

#define CANONICAL_RANGE_FLAGS \
	(RANGE_EMPTY | RANGE_LB_INC | RANGE_UB_INC | RANGE_LB_INF | RANGE_UB_INF)

StaticAssertDecl(RANGE_EMPTY == 0x01 && RANGE_LB_INC == 0x02 &&
				 RANGE_UB_INC == 0x04 && RANGE_LB_INF == 0x08 &&
				 RANGE_UB_INF == 0x10, "range flags are part of the format");

static void
encode_range(KeyHasher *hasher, Datum value, BloomKey *key)
{
	RangeType  *range = DatumGetRangeTypeP(value);
	RangeBound	lower;
	RangeBound	upper;
	bool		empty;
	StringInfoData s;

	check_stack_depth();
	key->subtype = subtype_of(hasher);
	range_deserialize(hasher->range, range, &lower, &upper, &empty);

	initStringInfo(&s);
	appendStringInfoChar(&s, range_get_flags(range) & CANONICAL_RANGE_FLAGS);
	if (!empty && !lower.infinite)
		append64(&s, blt_hash_key(hasher->part, lower.val).hash);
	if (!empty && !upper.infinite)
		append64(&s, blt_hash_key(hasher->part, upper.val).hash);

	key->hash = bbf_hash(s.data, s.len);
	pfree(s.data);
	if ((Pointer) range != DatumGetPointer(value))
		pfree(range);
}

/*
 * The subtype of a type, for a value that is null or has no parts.  That
 * of a row type is looked up anew each time, as the type may change.
 */
static uint32
subtype_of(KeyHasher *hasher)
{
	StringInfoData part_types;
	uint32		subtype;

	if (!bbf_family_is_nested(hasher->family))
		return 0;

	check_stack_depth();
	initStringInfo(&part_types);
	if (hasher->family == BBF_FAMILY_ROW)
	{
		TupleDesc	desc;
		RowHasher  *row;

		if (hasher->type == RECORDOID)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("cannot use a null of an anonymous row type inside a key"),
					 errdetail("The columns that the row would have are not known."),
					 errhint("Cast it to a named composite type.")));
		row = find_row_hasher(hasher, hasher->type, -1, &desc);
		for (int i = 0; i < row->natts; i++)
		{
			CHECK_FOR_INTERRUPTS();
			if (row->columns[i] != NULL)
				append_part_type(&part_types, row->columns[i]->family,
								 subtype_of(row->columns[i]));
		}
		ReleaseTupleDesc(desc);
	}
	else
		append_part_type(&part_types, hasher->part->family, subtype_of(hasher->part));

	subtype = subtype_from(&part_types);
	pfree(part_types.data);
	return subtype;
}

/* Is a range type ordered by the default operators of its subtype? */
static bool
range_is_default(Oid range_type, Oid bound_type)
{
	HeapTuple	tuple = SearchSysCache1(RANGETYPE, ObjectIdGetDatum(range_type));
	Oid			opclass;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for range type %u", range_type);
	opclass = ((Form_pg_range) GETSTRUCT(tuple))->rngsubopc;
	ReleaseSysCache(tuple);
	return opclass == GetDefaultOpClass(bound_type, BTREE_AM_OID);
}

/* Fill in a hasher if its type is an array, a row or a range. */
static bool
set_nested(KeyHasher *hasher, Oid collation)
{
	Oid			element = get_element_type(hasher->type);

	if (OidIsValid(element))
	{
		/* records in one array may have different columns */
		if (getBaseType(element) == RECORDOID)
			blt_report_refused_type(hasher->type, hasher->root->type, hasher->index);
		hasher->family = BBF_FAMILY_ARRAY;
		hasher->encode_nested = encode_array;
		hasher->part = create_part(hasher, element, collation, hasher->context);
	}
	else if (type_is_rowtype(hasher->type))
	{
		hasher->family = BBF_FAMILY_ROW;
		hasher->encode_nested = encode_row;
		return true;
	}
	else if (type_is_range(hasher->type))
	{
		hasher->range = lookup_type_cache(hasher->type, TYPECACHE_RANGE_INFO);
		if (!range_is_default(hasher->type, hasher->range->rngelemtype->type_id))
			blt_report_refused_type(hasher->type, hasher->root->type, hasher->index);
		hasher->family = BBF_FAMILY_RANGE;
		hasher->encode_nested = encode_range;
		hasher->part = create_part(hasher, hasher->range->rngelemtype->type_id,
								   hasher->range->rng_collation,
								   hasher->context);
	}
	else
		return false;

	return true;
}

BloomKey
blt_hash_key_slow(KeyHasher *hasher, Datum value)
{
	BloomKey	key = {.family = hasher->family};

	if (hasher->encode_scalar != NULL)
		hasher->encode_scalar(value, &key);
	else
		hasher->encode_nested(hasher, value, &key);
	return key;
}

/*
 * Count a hasher that is created.  Error: the key has too many.
 *
 * The count includes hashers that were replaced since, or given up after an
 * error.  Only if it passes the limit those that are in use are counted; then
 * those of the row type that is being looked up are not seen yet, so that its
 * columns may pass the limit.
 */
static void
count_part(KeyHasher *root)
{
	root->nparts++;
	if (root->nparts <= MAX_HASHERS)
		return;
	root->nparts = count_hashers(root);
	if (root->nparts >= MAX_HASHERS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("type %s has too many parts for a key", format_type_be(root->type)),
				 errdetail("Keys of fewer than %d columns, elements and bounds, nested ones included, are always accepted.",
						   MAX_HASHERS),
				 errhint("Use the columns that distinguish the keys: ROW(a, b).")));
}

/* A hasher for a whole key, whose root is null, or for a part of one. */
static KeyHasher *
create_hasher(KeyHasher *root, Oid index, Oid type, Oid collation,
			  MemoryContext context)
{
	KeyHasher  *hasher;

	/* types nest deeply where domains over arrays do */
	check_stack_depth();

	hasher = MemoryContextAllocZero(context, sizeof(KeyHasher));
	hasher->type = getBaseType(type);
	hasher->root = root != NULL ? root : hasher;
	hasher->index = index;

	count_part(hasher->root);
	hasher->context = context;
	get_typlenbyvalalign(type, &hasher->typlen, &hasher->typbyval,
						 &hasher->typalign);

	if ((OidIsValid(index) ? blt_find_index_scalar : blt_find_scalar)
		(hasher->type, collation, &hasher->family, &hasher->encode_scalar))
	{
		if (hasher->type == INT4OID || hasher->type == INT8OID)
			hasher->integer_width = hasher->typlen;
	}
	else if (!set_nested(hasher, collation))
		blt_report_refused_type(hasher->type, hasher->root->type, hasher->index);
	return hasher;
}

KeyHasher *
blt_create_hasher(Oid type, Oid collation, MemoryContext context)
{
	return create_hasher(NULL, InvalidOid, type, collation, context);
}

KeyHasher *
blt_create_index_hasher(Oid index, Oid type, Oid collation, MemoryContext context)
{
	KeyHasher  *hasher = create_hasher(NULL, index, type, collation, context);

	/* the columns of rows are looked up now, not with the first row */
	(void) subtype_of(hasher);
	return hasher;
}

uint32
blt_hasher_subtype(KeyHasher *hasher)
{
	return subtype_of(hasher);
}
