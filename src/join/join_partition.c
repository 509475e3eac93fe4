/*
 * join_partition.c
 *	  Reads the bounds of partitions, and compares them with filters.
 *
 * Bounds are those of partitions by integers, dates and oids, in the order
 * and by the hash functions of the server.  What cannot be expressed as below
 * is left out, so that more keys seem possible.  A row whose key is null has
 * no partner, so it does not matter which partition takes nulls.  Nothing is
 * known of default partitions.
 */
#include "compat.h"

#include "join/join_partition.h"

#include "access/hash.h"
#include "access/transam.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_partitioned_table.h"
#include "catalog/pg_type.h"
#include "join/join_repeatable.h"
#include "join/join_trace.h"
#include "partitioning/partbounds.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* One of the partitioned tables above a partition */
typedef struct PartitionLevel
{
	int			nranges;		/* keys are in one of these, */
	JoinRange  *ranges;
	int			modulus;		/* or, unless 0, have this remainder */
	int			remainder;
	FmgrInfo	hash;
} PartitionLevel;

struct JoinPartition
{
	JoinInteger integer;		/* what the column is */
	int			nlevels;
	PartitionLevel levels[FLEXIBLE_ARRAY_MEMBER];
};

/*
 * Plans.  Bounds are a list of levels, each of two lists of integers: the ends
 * of ranges, two integers for each number; and none, or modulus, remainder
 * and hash function.
 */

static List *
add_number(List *ends, int64 number)
{
	return lappend_int(lappend_int(ends, (int) (number >> 32)), (int) number);
}

static int64
nth_number(List *ends, int n)
{
	uint64		upper = (uint32) list_nth_int(ends, 2 * n);

	return (int64) (upper << 32 | (uint32) list_nth_int(ends, 2 * n + 1));
}

static List *
add_range(List *ends, int64 least, int64 greatest)
{
	return add_number(add_number(ends, least), greatest);
}

static int64
number_of_constant(Node *node, JoinInteger integer)
{
	return blt_join_integer(integer, castNode(Const, node)->constvalue);
}

static List *
level_of_list(PartitionBoundSpec *spec, JoinInteger integer)
{
	List	   *ends = NIL;
	ListCell   *cell;

	foreach(cell, spec->listdatums)
	{
		int64		number;

		if (lfirst_node(Const, cell)->constisnull)
			continue;
		number = number_of_constant(lfirst(cell), integer);
		ends = add_range(ends, number, number);
	}
	return list_make2(ends, NIL);
}

/*
 * A range of rows is one of the first column.  Its upper end belongs to the
 * range only if there are more columns.
 */
static List *
level_of_range(PartitionBoundSpec *spec, JoinInteger integer)
{
	PartitionRangeDatum *lower = linitial_node(PartitionRangeDatum, spec->lowerdatums);
	PartitionRangeDatum *upper = linitial_node(PartitionRangeDatum, spec->upperdatums);
	int64		least = PG_INT64_MIN;
	int64		greatest = PG_INT64_MAX;

	if (lower->kind == PARTITION_RANGE_DATUM_VALUE)
		least = number_of_constant(lower->value, integer);
	if (upper->kind == PARTITION_RANGE_DATUM_VALUE)
		greatest = number_of_constant(upper->value, integer);
	if (upper->kind == PARTITION_RANGE_DATUM_VALUE && list_length(spec->upperdatums) == 1)
	{
		if (greatest == PG_INT64_MIN)
			return list_make2(NIL, NIL);
		greatest--;
	}
	return list_make2(add_range(NIL, least, greatest), NIL);
}

static List *
level_of_hash(PartitionBoundSpec *spec, Oid function)
{
	return list_make2(NIL, list_make3_int(spec->modulus, spec->remainder, (int) function));
}

/* How keys of an operator class are numbers, if in the server's own way */
static JoinInteger
integer_of_class(Oid class)
{
	if (get_opclass_family(class) >= FirstUnpinnedObjectId)
		return JOIN_NOT_INTEGER;
	switch (get_opclass_input_type(class))
	{
		case INT2OID:
			return JOIN_INT2;
		case INT4OID:
		case DATEOID:
			return JOIN_INT4;
		case INT8OID:
			return JOIN_INT8;
		case OIDOID:
			return JOIN_OID;
		default:
			return JOIN_NOT_INTEGER;
	}
}

/*
 * The operator class by which a table is partitioned, if its first key is the
 * column of this name, the only one for hashes, and numbers are read in this
 * way; else InvalidOid
 */
static Oid
class_of_table(Oid table, const char *column, JoinInteger integer)
{
	HeapTuple	tuple = SearchSysCache1(PARTRELID, ObjectIdGetDatum(table));
	Form_pg_partitioned_table form;
	Oid			class = InvalidOid;
	AttrNumber	attribute;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	form = (Form_pg_partitioned_table) GETSTRUCT(tuple);
	attribute = form->partattrs.values[0];
	if (attribute > 0 && strcmp(get_attname(table, attribute, false), column) == 0 &&
		(form->partnatts == 1 || form->partstrat != PARTITION_STRATEGY_HASH))
	{
		bool		is_null;
		Datum		classes = SysCacheGetAttr(PARTRELID, tuple,
											  Anum_pg_partitioned_table_partclass, &is_null);

		class = ((oidvector *) DatumGetPointer(classes))->values[0];
	}
	ReleaseSysCache(tuple);
	return OidIsValid(class) && integer_of_class(class) == integer ? class : InvalidOid;
}

static PartitionBoundSpec *
spec_of_partition(Oid table)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
	PartitionBoundSpec *spec = NULL;
	Datum		bounds;
	bool		is_null;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	bounds = SysCacheGetAttr(RELOID, tuple, Anum_pg_class_relpartbound, &is_null);
	if (!is_null)
		spec = castNode(PartitionBoundSpec, stringToNode(TextDatumGetCString(bounds)));
	ReleaseSysCache(tuple);
	return spec;
}

/* The bounds of a partition in its parent; NIL if they say nothing */
static List *
level_in(Oid parent, Oid partition, const char *column, JoinInteger integer)
{
	Oid			class = class_of_table(parent, column, integer);
	PartitionBoundSpec *spec = OidIsValid(class) ? spec_of_partition(partition) : NULL;
	Oid			type;

	if (spec == NULL || spec->is_default)
		return NIL;
	switch (spec->strategy)
	{
		case PARTITION_STRATEGY_LIST:
			return level_of_list(spec, integer);
		case PARTITION_STRATEGY_RANGE:
			return level_of_range(spec, integer);
		default:
			type = get_opclass_input_type(class);
			return level_of_hash(spec, get_opfamily_proc(get_opclass_family(class), type, type,
														 HASHEXTENDED_PROC));
	}
}

/*
 * Those tables above a partition count that the plan reads through: they are
 * locked.
 */
List *
blt_join_partition_bounds(PlannedStmt *stmt, Plan *scan, const JoinKey *key)
{
	JoinInteger integer = blt_join_integer_of(key->function);
	AttrNumber	attribute;
	RangeTblEntry *rte = integer == JOIN_NOT_INTEGER ? NULL :
		blt_join_source_of_column(stmt, scan, key->column, &attribute);
	List	   *bounds = NIL;
	const char *column;
	Oid			table;

	if (rte == NULL || !get_rel_relispartition(rte->relid) ||
		!blt_join_expression_is_repeatable(stmt, (Node *) scan->targetlist) ||
		!blt_join_expression_is_repeatable(stmt, (Node *) scan->qual))
		return NIL;
	table = rte->relid;
	column = get_attname(table, attribute, false);
	while (get_rel_relispartition(table))
	{
		Oid			parent = get_partition_parent(table, true);
		List	   *level;

		if (!list_member_oid(stmt->relationOids, parent))
			break;
		level = level_in(parent, table, column, integer);
		if (level != NIL)
			bounds = lappend(bounds, level);
		table = parent;
	}
	return bounds;
}

/*
 * Execution
 */

static void
init_level(PartitionLevel *level, List *bounds, MemoryContext context)
{
	List	   *ends = linitial(bounds);
	List	   *hash = lsecond(bounds);

	level->nranges = list_length(ends) / 4;
	level->ranges = MemoryContextAlloc(context, Max(1, level->nranges) * sizeof(JoinRange));
	for (int i = 0; i < level->nranges; i++)
	{
		level->ranges[i].least = nth_number(ends, 2 * i);
		level->ranges[i].greatest = nth_number(ends, 2 * i + 1);
	}
	if (hash != NIL)
	{
		level->modulus = linitial_int(hash);
		level->remainder = lsecond_int(hash);
		fmgr_info_cxt((Oid) lthird_int(hash), &level->hash, context);
	}
}

JoinPartition *
blt_join_create_partition(List *bounds, const JoinHasher *hasher, MemoryContext context)
{
	JoinPartition *partition;

	if (bounds == NIL)
		return NULL;
	partition = MemoryContextAllocZero(context, offsetof(JoinPartition, levels) +
									   list_length(bounds) * sizeof(PartitionLevel));
	partition->integer = hasher->keys[0].integer;
	partition->nlevels = list_length(bounds);
	for (int i = 0; i < partition->nlevels; i++)
		init_level(&partition->levels[i], list_nth(bounds, i), context);
	return partition;
}

static bool
is_in_range(int64 number, int64 least, int64 greatest)
{
	return number >= least && number <= greatest;
}

/* Does the partition's column, which is of another width, have this number? */
static bool
has_number(JoinInteger integer, int64 number)
{
	switch (integer)
	{
		case JOIN_INT2:
			return is_in_range(number, PG_INT16_MIN, PG_INT16_MAX);
		case JOIN_INT4:
			return is_in_range(number, PG_INT32_MIN, PG_INT32_MAX);
		case JOIN_OID:
			return is_in_range(number, 0, PG_UINT32_MAX);
		default:
			return true;
	}
}

static Datum
datum_of(JoinInteger integer, int64 number)
{
	switch (integer)
	{
		case JOIN_INT2:
			return Int16GetDatum((int16) number);
		case JOIN_INT4:
			return Int32GetDatum((int32) number);
		case JOIN_OID:
			return ObjectIdGetDatum((Oid) number);
		default:
			return Int64GetDatum(number);
	}
}

static bool
hash_meets(PartitionLevel *level, JoinInteger integer, int64 key)
{
	Datum		value = datum_of(integer, key);
	Oid			collation = InvalidOid;
	bool		is_null = false;

	return has_number(integer, key) &&
		compute_partition_hash_value(1, &level->hash, &collation, &value, &is_null) %
		(uint64) level->modulus == (uint64) level->remainder;
}

static bool
range_meets(PartitionLevel *level, int64 key)
{
	for (int i = 0; i < level->nranges; i++)
	{
		if (is_in_range(key, level->ranges[i].least, level->ranges[i].greatest))
			return true;
	}
	return false;
}

/* May a row with this key be in the partition? */
static bool
key_meets(JoinPartition *partition, int64 key)
{
	for (int i = 0; i < partition->nlevels; i++)
	{
		PartitionLevel *level = &partition->levels[i];

		if (!(level->modulus != 0 ? hash_meets(level, partition->integer, key) :
			  range_meets(level, key)))
			return false;
	}
	return true;
}

/* The same for the keys of a filter that cannot list them */
static bool
filter_meets(PartitionLevel *level, const JoinFilter *filter)
{
	if (level->modulus != 0)
		return true;
	for (int i = 0; i < level->nranges; i++)
	{
		if (blt_join_filter_has_in(filter, level->ranges[i]))
			return true;
	}
	return false;
}

bool
blt_join_partition_meets(JoinPartition *partition, const JoinFilter *filter)
{
	int64		keys[JOIN_FEW_KEYS];
	int			nkeys;

	if (filter->is_too_full)
		return true;
	nkeys = blt_join_filter_keys(filter, keys);
	for (int i = 0; i < nkeys; i++)
	{
		if (key_meets(partition, keys[i]))
			return true;
	}
	if (nkeys >= 0)
		return false;
	for (int i = 0; i < partition->nlevels; i++)
	{
		if (!filter_meets(&partition->levels[i], filter))
			return false;
	}
	return true;
}
