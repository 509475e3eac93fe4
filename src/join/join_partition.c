/*
 * join_partition.c
 *	  Reads the bounds of partitions while a query is planned.
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
#include "join/join_bounds.h"
#include "join/join_column.h"
#include "join/join_hasher.h"
#include "join/join_repeatable.h"
#include "miscadmin.h"
#include "nodes/pathnodes.h"
#include "parser/parsetree.h"
#include "partitioning/partbounds.h"
#include "partitioning/partdesc.h"
#include "utils/hsearch.h"
#include "utils/partcache.h"

/* A partition in the hash table of its parent */
typedef struct PartitionNumber
{
	Oid			oid;			/* hash key */
	int			number;
	int			first_bound;	/* that leads to it; -1: none */
} PartitionNumber;

/* A partitioned table that a statement reads */
typedef struct PartitionedTable
{
	Oid			oid;			/* hash key */
	Relation	relation;
	PartitionBoundInfo bounds;	/* NULL: not read so far */
	HTAB	   *partitions;		/* of PartitionNumber */
	int		   *next_bounds;	/* of each bound, the next one that leads to
								 * the same partition; -1: none */
} PartitionedTable;

struct JoinPartitions
{
	PlannedStmt *stmt;
	AppendRelInfo **parents;	/* by number in the range table, of partitions */
	HTAB	   *tables;			/* of PartitionedTable, those opened so far */
};

/*
 * The server has the bounds of all partitions of a table in ascending order.
 * Partitions by range are numbered in this order.
 */

static List *
ends_of_list(PartitionedTable *table, int first, JoinInteger integer)
{
	List	   *ends = NIL;

	for (int i = first; i >= 0; i = table->next_bounds[i])
	{
		int64		number = blt_join_integer(integer, table->bounds->datums[i][0]);

		ends = blt_join_add_interval(ends, number, number);
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
		int64		number = blt_join_integer(integer, bounds->datums[i][0]);

		if (number > least)
			ends = blt_join_add_interval(ends, least, number - 1);
		if (number == PG_INT64_MAX)
			return ends;
		least = number + 1;
	}
	return blt_join_add_interval(ends, least, PG_INT64_MAX);
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
	return blt_join_add_interval(ends, least, greatest);
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

static HTAB *
create_table(const char *name, Size entry_size)
{
	HASHCTL		control = {.keysize = sizeof(Oid),.entrysize = entry_size,
	.hcxt = CurrentMemoryContext};

	return hash_create(name, 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

/*
 * Find the bounds of each partition, but for those by hash.  They are read
 * once, as another session may attach a partition meanwhile.
 */
static void
read_partitions(PartitionedTable *table)
{
	PartitionDesc partitions = RelationGetPartitionDesc(table->relation, false);
	PartitionBoundInfo bounds = partitions->boundinfo;
	int			nbounds = bounds->strategy == PARTITION_STRATEGY_HASH ? 0 : bounds->nindexes;
	int		   *first_bounds = palloc(partitions->nparts * sizeof(int));

	CHECK_FOR_INTERRUPTS();
	table->bounds = bounds;
	table->next_bounds = palloc(nbounds * sizeof(int));
	for (int i = 0; i < partitions->nparts; i++)
		first_bounds[i] = -1;
	for (int i = nbounds - 1; i >= 0; i--)
	{
		int			number = bounds->indexes[i];

		if (number < 0)
			continue;
		table->next_bounds[i] = first_bounds[number];
		first_bounds[number] = i;
	}
	table->partitions = create_table("partitions", sizeof(PartitionNumber));
	for (int i = 0; i < partitions->nparts; i++)
	{
		PartitionNumber *partition = hash_search(table->partitions, &partitions->oids[i],
												 HASH_ENTER, NULL);

		partition->number = i;
		partition->first_bound = first_bounds[i];
	}
	pfree(first_bounds);
}

/* The bounds of a partition by a column; NIL if they say nothing of it */
static List *
level_in(PartitionedTable *table, Oid oid, AttrNumber column, JoinInteger integer)
{
	PartitionKey key = RelationGetPartitionKey(table->relation);
	PartitionBoundInfo bounds;
	PartitionNumber *partition;
	Datum	   *datums;
	int			first;
	bool		is_default;

	if (!is_key(key, column, integer))
		return NIL;
	if (table->bounds == NULL)
		read_partitions(table);
	bounds = table->bounds;
	partition = hash_search(table->partitions, &oid, HASH_FIND, NULL);
	if (partition == NULL)
		return NIL;
	first = partition->first_bound;
	is_default = partition->number == bounds->default_index;
	if (bounds->strategy == PARTITION_STRATEGY_HASH)
	{
		datums = bounds->datums[partition->number];
		return list_make2(NIL, list_make3_int(DatumGetInt32(datums[0]), DatumGetInt32(datums[1]),
											  (int) key->partsupfunc[0].fn_oid));
	}
	if (bounds->strategy == PARTITION_STRATEGY_LIST)
		return list_make2(is_default ? ends_beside_lists(bounds, integer) :
						  ends_of_list(table, first, integer), NIL);

	/* with any number in the first column, another one may be null */
	if (is_default && key->partnatts > 1)
		return NIL;
	return list_make2(is_default ? ends_beside_ranges(bounds, integer) : first < 0 ? NIL :
					  add_range_to(NIL, bounds, first, key->partnatts, integer), NIL);
}

JoinPartitions *
blt_join_open_partitions(PlannedStmt *stmt)
{
	JoinPartitions *partitions = palloc0(sizeof(JoinPartitions));
	ListCell   *cell;

	partitions->stmt = stmt;
	partitions->tables = create_table("partitioned tables", sizeof(PartitionedTable));
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
	HASH_SEQ_STATUS scan;
	PartitionedTable *table;

	hash_seq_init(&scan, partitions->tables);
	while ((table = hash_seq_search(&scan)) != NULL)
		table_close(table->relation, NoLock);
}

/* A partitioned table, which the planner has locked */
static PartitionedTable *
table_of(JoinPartitions *partitions, Oid oid)
{
	bool		found;
	PartitionedTable *table = hash_search(partitions->tables, &oid, HASH_ENTER, &found);

	if (!found)
	{
		table->bounds = NULL;
		table->relation = table_open(oid, NoLock);
	}
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

	if (parent == NULL || integer == JOIN_NOT_INTEGER ||
		blt_join_source_of_column(scan, key->column, &column) == NULL)
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
	return bounds != NIL && blt_join_expressions_are_repeatable(stmt, scan) ? bounds : NIL;
}
