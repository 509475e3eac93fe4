/*
 * join_partition.c
 *	  Reads the bounds of partitions, and compares them with filters.
 *
 * Bounds are those of partitions by integers, dates and oids, in the order
 * and by the hash functions of the server.  What cannot be expressed as below
 * is left out, so that more keys seem possible.  A row whose key is null has
 * no partner, so it does not matter which partition takes nulls.
 */
#include "compat.h"

#include "join/join_partition.h"

#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "join/join_repeatable.h"
#include "join/join_column.h"
#include "nodes/pathnodes.h"
#include "parser/parsetree.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "utils/partcache.h"
#include "utils/rel.h"

/* One of the partitioned tables above a partition */
typedef struct PartitionLevel
{
	int			nintervals;		/* keys are in one of these, */
	JoinInterval *intervals;
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

/* A partitioned table that a statement reads */
typedef struct PartitionedTable
{
	Relation	relation;
	int			last;			/* number of the partition found last */
} PartitionedTable;

struct JoinPartitions
{
	PlannedStmt *stmt;
	AppendRelInfo **parents;	/* by number in the range table, of partitions */
	List	   *tables;			/* of PartitionedTable, those opened so far */
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

/*
 * The server has the bounds of all partitions of a table in ascending order.
 * Partitions by range are numbered in this order.
 */

static int64
number_in_list(PartitionBoundInfo bounds, int n, JoinInteger integer)
{
	return blt_join_integer(integer, bounds->datums[n][0]);
}

static List *
ends_of_list(PartitionBoundInfo bounds, int partition, JoinInteger integer)
{
	List	   *ends = NIL;

	for (int i = 0; i < bounds->ndatums; i++)
	{
		int64		number = number_in_list(bounds, i, integer);

		if (bounds->indexes[i] == partition)
			ends = add_range(ends, number, number);
	}
	return ends;
}

/* The numbers that are in no list */
static List *
ends_beside_lists(PartitionBoundInfo bounds, JoinInteger integer)
{
	List	   *ends = NIL;
	int64		least = PG_INT64_MIN;

	for (int i = 0; i < bounds->ndatums; i++)
	{
		int64		number = number_in_list(bounds, i, integer);

		if (number > least)
			ends = add_range(ends, least, number - 1);
		if (number == PG_INT64_MAX)
			return ends;
		least = number + 1;
	}
	return add_range(ends, least, PG_INT64_MAX);
}

/* What a bound of ranges is in the first column; there are none beyond all. */
static PartitionRangeDatumKind
kind_of_bound(PartitionBoundInfo bounds, int n)
{
	return n < 0 ? PARTITION_RANGE_DATUM_MINVALUE :
		n == bounds->ndatums ? PARTITION_RANGE_DATUM_MAXVALUE : bounds->kind[n][0];
}

static int64
number_of_bound(PartitionBoundInfo bounds, int n, JoinInteger integer)
{
	switch (kind_of_bound(bounds, n))
	{
		case PARTITION_RANGE_DATUM_MINVALUE:
			return PG_INT64_MIN;
		case PARTITION_RANGE_DATUM_MAXVALUE:
			return PG_INT64_MAX;
		default:
			return blt_join_integer(integer, bounds->datums[n][0]);
	}
}

/*
 * The range from the bound before to this one, whose number belongs to it only
 * if there are more columns
 */
static List *
add_range_to(List *ends, PartitionBoundInfo bounds, int n, int ncolumns, JoinInteger integer)
{
	int64		least = number_of_bound(bounds, n - 1, integer);
	int64		greatest = number_of_bound(bounds, n, integer);

	if (ncolumns == 1 && kind_of_bound(bounds, n) != PARTITION_RANGE_DATUM_MAXVALUE)
	{
		if (greatest == PG_INT64_MIN)
			return ends;
		greatest--;
	}
	return add_range(ends, least, greatest);
}

static List *
ends_of_range(PartitionBoundInfo bounds, int partition, int ncolumns, JoinInteger integer)
{
	for (int i = partition; i <= bounds->ndatums; i++)
	{
		if (bounds->indexes[i] == partition)
			return add_range_to(NIL, bounds, i, ncolumns, integer);
	}
	return NIL;
}

/* The numbers that are in no range, by a key of one column */
static List *
ends_beside_ranges(PartitionBoundInfo bounds, JoinInteger integer)
{
	List	   *ends = NIL;

	for (int i = 0; i <= bounds->ndatums; i++)
	{
		if (bounds->indexes[i] < 0)
			ends = add_range_to(ends, bounds, i, 1, integer);
	}
	return ends;
}

static List *
level_of_hash(PartitionBoundInfo bounds, int partition, Oid function)
{
	Datum	   *bound = bounds->datums[partition];

	return list_make2(NIL, list_make3_int(DatumGetInt32(bound[0]), DatumGetInt32(bound[1]),
										  (int) function));
}

/* How keys of an operator class of the server are numbers */
static JoinInteger
integer_of_class(Oid family, Oid type)
{
	if (family >= FirstUnpinnedObjectId)
		return JOIN_NOT_INTEGER;
	switch (type)
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
 * Is a table partitioned by a column, by it alone or by ranges of it and
 * others, whose values are numbers in this way?
 */
static bool
is_key(PartitionKey key, AttrNumber column, JoinInteger integer)
{
	return column > 0 && key->partattrs[0] == column &&
		(key->partnatts == 1 || key->strategy != PARTITION_STRATEGY_HASH) &&
		integer_of_class(key->partopfamily[0], key->partopcintype[0]) == integer;
}

/* The number of a partition, or -1; plans have partitions in this order. */
static int
number_of_partition(PartitionedTable *table, PartitionDesc partitions, Oid partition)
{
	for (int i = 0; i < partitions->nparts; i++)
	{
		int			number = (table->last + i) % partitions->nparts;

		if (partitions->oids[number] == partition)
			return table->last = number;
	}
	return -1;
}

/* The bounds of a partition by a column; NIL if they say nothing of it */
static List *
level_in(PartitionedTable *table, Oid partition, AttrNumber column, JoinInteger integer)
{
	PartitionKey key = RelationGetPartitionKey(table->relation);
	PartitionDesc partitions;
	PartitionBoundInfo bounds;
	int			number;
	bool		is_default;

	if (!is_key(key, column, integer))
		return NIL;
	partitions = RelationGetPartitionDesc(table->relation, false);
	number = number_of_partition(table, partitions, partition);
	if (number < 0)
		return NIL;
	bounds = partitions->boundinfo;
	is_default = number == bounds->default_index;
	if (bounds->strategy == PARTITION_STRATEGY_HASH)
		return level_of_hash(bounds, number, key->partsupfunc[0].fn_oid);
	if (bounds->strategy == PARTITION_STRATEGY_LIST)
		return list_make2(is_default ? ends_beside_lists(bounds, integer) :
						  ends_of_list(bounds, number, integer), NIL);

	/* with any number in the first column, another one may be null */
	if (is_default && key->partnatts > 1)
		return NIL;
	return list_make2(is_default ? ends_beside_ranges(bounds, integer) :
					  ends_of_range(bounds, number, key->partnatts, integer), NIL);
}

JoinPartitions *
blt_join_open_partitions(PlannedStmt *stmt)
{
	JoinPartitions *partitions = palloc0(sizeof(JoinPartitions));
	ListCell   *cell;

	partitions->stmt = stmt;
	partitions->parents = palloc0((list_length(stmt->rtable) + 1) * sizeof(AppendRelInfo *));
	foreach(cell, stmt->appendRelations)
	{
		AppendRelInfo *parent = lfirst_node(AppendRelInfo, cell);

		if (rt_fetch(parent->parent_relid, stmt->rtable)->relkind == RELKIND_PARTITIONED_TABLE)
			partitions->parents[parent->child_relid] = parent;
	}
	return partitions;
}

void
blt_join_close_partitions(JoinPartitions *partitions)
{
	ListCell   *cell;

	foreach(cell, partitions->tables)
		table_close(((PartitionedTable *) lfirst(cell))->relation, NoLock);
}

/* A partitioned table, which the planner has locked */
static PartitionedTable *
table_of(JoinPartitions *partitions, Oid oid)
{
	PartitionedTable *table;
	ListCell   *cell;

	foreach(cell, partitions->tables)
	{
		table = lfirst(cell);
		if (RelationGetRelid(table->relation) == oid)
			return table;
	}
	table = palloc0(sizeof(PartitionedTable));
	table->relation = table_open(oid, NoLock);
	partitions->tables = lappend(partitions->tables, table);
	return table;
}

List *
blt_join_partition_bounds(JoinPartitions *partitions, Plan *scan, const JoinKey *key)
{
	PlannedStmt *stmt = partitions->stmt;
	AppendRelInfo *parent = partitions->parents[((Scan *) scan)->scanrelid];
	JoinInteger integer = blt_join_integer_of(key->function);
	AttrNumber	column;
	List	   *bounds = NIL;
	Oid			oid;

	if (parent == NULL || integer == JOIN_NOT_INTEGER)
		return NIL;
	if (blt_join_source_of_column(stmt, scan, key->column, &column) == NULL)
		return NIL;
	oid = blt_join_table_of(stmt, scan);
	while (parent != NULL && column > 0)
	{
		PartitionedTable *table = table_of(partitions, parent->parent_reloid);
		List	   *level;

		column = parent->parent_colnos[column - 1];
		level = level_in(table, oid, column, integer);
		if (level != NIL)
			bounds = lappend(bounds, level);
		oid = parent->parent_reloid;
		parent = partitions->parents[parent->parent_relid];
	}
	return bounds != NIL &&
		blt_join_expression_is_repeatable(stmt, (Node *) scan->targetlist) &&
		blt_join_expression_is_repeatable(stmt, (Node *) scan->qual) ? bounds : NIL;
}

/*
 * Execution
 */

static void
init_level(PartitionLevel *level, List *bounds, MemoryContext context)
{
	List	   *ends = linitial(bounds);
	List	   *hash = lsecond(bounds);

	level->nintervals = list_length(ends) / 4;
	level->intervals = MemoryContextAlloc(context, Max(1, level->nintervals) * sizeof(JoinInterval));
	for (int i = 0; i < level->nintervals; i++)
	{
		level->intervals[i].least = nth_number(ends, 2 * i);
		level->intervals[i].greatest = nth_number(ends, 2 * i + 1);
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
intervals_meet(PartitionLevel *level, int64 key)
{
	for (int i = 0; i < level->nintervals; i++)
	{
		if (is_in_range(key, level->intervals[i].least, level->intervals[i].greatest))
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
			  intervals_meet(level, key)))
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
	for (int i = 0; i < level->nintervals; i++)
	{
		if (blt_join_filter_has_in(filter, level->intervals[i]))
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
