/*
 * key_hasher.c
 *	  Hashes arrays, rows and ranges, whose keys consist of other keys.
 *
 * The canonical bytes of a nested value hold a hash of fixed length for each
 * part, so ROW('a', '1c') and ROW('a1', 'c') are different keys.  The type
 * check of a filter needs more than the family: a signature tells an array of
 * numbers from an array of text.
 *
 * Limits: a row type may change between calls (ALTER TYPE), and a record has
 * another one each time, so rows are planned by the type the value itself
 * carries.  A null of an anonymous record type has no known columns and is
 * refused inside a key.
 */
#include "key/key_internal.h"

#include "access/htup_details.h"
#include "catalog/pg_am.h"
#include "catalog/pg_range.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "core/bytes.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rangetypes.h"
#include "utils/syscache.h"

/* How the columns of one version of one row type are hashed. */
typedef struct RowPlan
{
	MemoryContext context;		/* of this plan and its column funnels */
	Oid			type;
	int32		typmod;
	uint64		version;		/* the server's identifier of the descriptor */
	int			natts;
	Funnel	  **columns;		/* null for a dropped column */
	Datum	   *values;			/* work space */
	bool	   *nulls;
} RowPlan;

static uint32 signature_of(Funnel *funnel);

/* The funnel of a part.  A bloom_key has no type of its own to be a part. */
static Funnel *
create_part(Funnel *whole, Oid type, Oid collation, MemoryContext context)
{
	Funnel	   *part = bloomtype_funnel_create_part(whole->root, type, collation,
													context);

	if (part->family == BBF_FAMILY_NONE)
		bloomtype_funnel_refuse(part->type);
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

/* One part of an array or row: 0 for a null, else 1 and its hash. */
static void
append_part(StringInfo s, bool isnull, const BloomKey *key)
{
	appendStringInfoChar(s, isnull ? 0 : 1);
	if (!isnull)
		append64(s, key->hash);
}

/* What a part adds to the signature of the whole. */
static void
append_kind(StringInfo s, uint16 family, uint32 signature)
{
	append16(s, family);
	append32(s, signature);
}

static uint32
signature_from(StringInfo s)
{
	return (uint32) bbf_hash(s->data, s->len);
}

/* array */

static void
encode_array(Funnel *funnel, Datum value, BloomKey *key)
{
	Funnel	   *element = funnel->part;
	ArrayType  *array = DatumGetArrayTypeP(value);
	StringInfoData s;
	Datum	   *values;
	bool	   *nulls;
	int			n;

	check_stack_depth();
	key->signature = signature_of(funnel);

	initStringInfo(&s);
	append16(&s, element->family);
	append32(&s, ARR_NDIM(array));
	for (int i = 0; i < ARR_NDIM(array); i++)
		append32(&s, ARR_DIMS(array)[i]);
	for (int i = 0; i < ARR_NDIM(array); i++)
		append32(&s, ARR_LBOUND(array)[i]);

	deconstruct_array(array, ARR_ELEMTYPE(array), element->length,
					  element->byval, element->align, &values, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		BloomKey	part = {0};

		CHECK_FOR_INTERRUPTS();
		if (!nulls[i])
			part = bloomtype_funnel_hash(element, values[i]);
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

int
bloomtype_funnel_count(const Funnel *funnel)
{
	int			n = 1;

	if (funnel->part != NULL)
		n += bloomtype_funnel_count(funnel->part);
	for (int i = 0; funnel->row != NULL && i < funnel->row->natts; i++)
	{
		if (funnel->row->columns[i] != NULL)
			n += bloomtype_funnel_count(funnel->row->columns[i]);
	}
	return n;
}

/*
 * The plan for a row type, with a reference to its descriptor that the caller
 * releases.
 */
static RowPlan *
row_plan(Funnel *funnel, Oid type, int32 typmod, TupleDesc *desc)
{
	RowPlan    *plan = funnel->row;
	uint64		version;
	MemoryContext context;

	/* the look-up comes first: it registers what a parallel leader shares */
	*desc = lookup_rowtype_tupdesc(type, typmod);
	version = assign_record_type_identifier(type, typmod);
	if (plan != NULL && plan->type == type && plan->typmod == typmod &&
		plan->version == version)
		return plan;

	funnel->row = NULL;
	if (plan != NULL)
		MemoryContextDelete(plan->context);

	/* it moves to where the funnel lives once nothing can fail any more */
	context = AllocSetContextCreate(CurrentMemoryContext, "bloomtype row plan",
									ALLOCSET_SMALL_SIZES);
	plan = MemoryContextAllocZero(context, sizeof(RowPlan));
	plan->context = context;
	plan->type = type;
	plan->typmod = typmod;
	plan->version = version;
	plan->natts = (*desc)->natts;
	plan->columns = MemoryContextAllocZero(context, sizeof(Funnel *) * plan->natts);
	plan->values = MemoryContextAlloc(context, sizeof(Datum) * plan->natts);
	plan->nulls = MemoryContextAlloc(context, sizeof(bool) * plan->natts);

	for (int i = 0; i < plan->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(*desc, i);

		if (!att->attisdropped)
			plan->columns[i] = create_part(funnel, att->atttypid,
										   att->attcollation, context);
	}

	MemoryContextSetParent(context, funnel->context);
	funnel->row = plan;
	return plan;
}

static void
encode_row(Funnel *funnel, Datum value, BloomKey *key)
{
	HeapTupleHeader row = DatumGetHeapTupleHeader(value);
	HeapTupleData tuple = {0};
	TupleDesc	desc;
	RowPlan    *plan;
	StringInfoData s;
	StringInfoData kinds;

	check_stack_depth();
	plan = row_plan(funnel, HeapTupleHeaderGetTypeId(row),
					HeapTupleHeaderGetTypMod(row), &desc);
	tuple.t_len = HeapTupleHeaderGetDatumLength(row);
	tuple.t_data = row;
	heap_deform_tuple(&tuple, desc, plan->values, plan->nulls);

	initStringInfo(&s);
	initStringInfo(&kinds);
	for (int i = 0; i < plan->natts; i++)
	{
		Funnel	   *column = plan->columns[i];
		BloomKey	part = {0};

		CHECK_FOR_INTERRUPTS();
		if (column == NULL)
			continue;
		if (plan->nulls[i])
		{
			part.family = column->family;
			part.signature = signature_of(column);
		}
		else
			part = bloomtype_funnel_hash(column, plan->values[i]);

		append16(&s, part.family);
		append_part(&s, plan->nulls[i], &part);
		append_kind(&kinds, part.family, part.signature);
	}

	key->hash = bbf_hash(s.data, s.len);
	key->signature = signature_from(&kinds);
	pfree(s.data);
	pfree(kinds.data);
	ReleaseTupleDesc(desc);
	if ((Pointer) row != DatumGetPointer(value))
		pfree(row);
}

/* range */

#define CANONICAL_RANGE_FLAGS \
	(RANGE_EMPTY | RANGE_LB_INC | RANGE_UB_INC | RANGE_LB_INF | RANGE_UB_INF)

StaticAssertDecl(RANGE_EMPTY == 0x01 && RANGE_LB_INC == 0x02 &&
				 RANGE_UB_INC == 0x04 && RANGE_LB_INF == 0x08 &&
				 RANGE_UB_INF == 0x10, "range flags are part of the format");

static void
encode_range(Funnel *funnel, Datum value, BloomKey *key)
{
	RangeType  *range = DatumGetRangeTypeP(value);
	RangeBound	lower;
	RangeBound	upper;
	bool		empty;
	StringInfoData s;

	check_stack_depth();
	key->signature = signature_of(funnel);
	range_deserialize(funnel->range, range, &lower, &upper, &empty);

	initStringInfo(&s);
	appendStringInfoChar(&s, range_get_flags(range) & CANONICAL_RANGE_FLAGS);
	if (!empty && !lower.infinite)
		append64(&s, bloomtype_funnel_hash(funnel->part, lower.val).hash);
	if (!empty && !upper.infinite)
		append64(&s, bloomtype_funnel_hash(funnel->part, upper.val).hash);

	key->hash = bbf_hash(s.data, s.len);
	pfree(s.data);
	if ((Pointer) range != DatumGetPointer(value))
		pfree(range);
}

/*
 * The signature of a type, for a value that is null or has no parts.  That
 * of a row type is looked up anew each time, as the type may change.
 */
static uint32
signature_of(Funnel *funnel)
{
	StringInfoData kinds;
	uint32		signature;

	if (!bbf_family_is_nested(funnel->family))
		return 0;

	check_stack_depth();
	initStringInfo(&kinds);
	if (funnel->family == BBF_FAMILY_ROW)
	{
		TupleDesc	desc;
		RowPlan    *plan;

		if (funnel->type == RECORDOID)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("cannot use a null of an anonymous row type inside a key"),
					 errdetail("Nothing tells which columns the row would have."),
					 errhint("Cast it to a named composite type.")));
		plan = row_plan(funnel, funnel->type, -1, &desc);
		for (int i = 0; i < plan->natts; i++)
		{
			CHECK_FOR_INTERRUPTS();
			if (plan->columns[i] != NULL)
				append_kind(&kinds, plan->columns[i]->family,
							signature_of(plan->columns[i]));
		}
		ReleaseTupleDesc(desc);
	}
	else
		append_kind(&kinds, funnel->part->family, signature_of(funnel->part));

	signature = signature_from(&kinds);
	pfree(kinds.data);
	return signature;
}

/* Is a range type ordered by the default operators of its subtype? */
static bool
range_is_default(Oid range_type, Oid subtype)
{
	HeapTuple	tuple = SearchSysCache1(RANGETYPE, ObjectIdGetDatum(range_type));
	Oid			opclass;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for range type %u", range_type);
	opclass = ((Form_pg_range) GETSTRUCT(tuple))->rngsubopc;
	ReleaseSysCache(tuple);
	return opclass == GetDefaultOpClass(subtype, BTREE_AM_OID);
}

bool
bloomtype_funnel_nested(Funnel *funnel, Oid collation)
{
	Oid			element = get_element_type(funnel->type);

	if (OidIsValid(element))
	{
		/* records in one array may have different columns */
		if (getBaseType(element) == RECORDOID)
			bloomtype_funnel_refuse(funnel->type);
		funnel->family = BBF_FAMILY_ARRAY;
		funnel->encode = encode_array;
		funnel->part = create_part(funnel, element, collation, funnel->context);
	}
	else if (type_is_rowtype(funnel->type))
	{
		funnel->family = BBF_FAMILY_ROW;
		funnel->encode = encode_row;
		return true;
	}
	else if (type_is_range(funnel->type))
	{
		funnel->range = lookup_type_cache(funnel->type, TYPECACHE_RANGE_INFO);
		if (!range_is_default(funnel->type, funnel->range->rngelemtype->type_id))
			bloomtype_funnel_refuse(funnel->type);
		funnel->family = BBF_FAMILY_RANGE;
		funnel->encode = encode_range;
		funnel->part = create_part(funnel, funnel->range->rngelemtype->type_id,
								   funnel->range->rng_collation,
								   funnel->context);
	}
	else
		return false;

	return true;
}
