/*
 * pages_open_for_sql.c
 *	  Checks what is opened, and who opens it.
 */
#include "compat.h"

#include "index/pages_open_for_sql.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/xlog.h"
#include "catalog/index.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "index/pages_am.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"

#define IS_INDEX(kind)	((kind) == RELKIND_INDEX || (kind) == RELKIND_PARTITIONED_INDEX)

pg_noreturn static void
report_other_relation(Oid relation)
{
	const char *name = get_rel_name(relation);
	const char	kind = get_rel_relkind(relation);

	if (name == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 errmsg("\"%s\" is not a bloom_pages index", name),
			 IS_INDEX(kind) ? 0 : errhint("Name an index, not its table.")));
}

static void
check_state(Relation index)
{
	if (!index->rd_index->indisvalid)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index \"%s\" is not valid", RelationGetRelationName(index)),
				 index->rd_rel->relkind == RELKIND_PARTITIONED_INDEX ?
				 errhint("Attach a valid index of each partition to it.") :
				 errhint("REINDEX or drop it.")));
	if (RELATION_IS_OTHER_TEMP(index))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot access temporary indexes of other sessions")));
	if (RecoveryInProgress() && index->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot access unlogged indexes during recovery")));
}

Relation
blt_pages_open_for_sql(Oid index_oid, Relation *table)
{
	Oid			table_oid;
	Relation	index;

	if (!IS_INDEX(get_rel_relkind(index_oid)))
		report_other_relation(index_oid);

	/* before others would have to wait for the lock */
	table_oid = IndexGetRelation(index_oid, false);
	if (!blt_may_maintain(table_oid))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(table_oid));

	/* the table first, as the server does */
	*table = table_open(table_oid, AccessShareLock);
	index = index_open(index_oid, AccessShareLock);
	if (index->rd_indam->ambuild != blt_pages_build)
		report_other_relation(index_oid);
	if (index->rd_rel->relkind == RELKIND_INDEX)
		check_state(index);
	return index;
}

List *
blt_pages_indexes_for_sql(Oid index_oid)
{
	Relation	table;
	Relation	index = blt_pages_open_for_sql(index_oid, &table);
	List	   *indexes = NIL;
	List	   *all;

	/* as a query does: none of the partitions is dropped or detached then */
	if (index->rd_rel->relkind != RELKIND_INDEX)
		(void) find_all_inheritors(RelationGetRelid(table), AccessShareLock, NULL);
	all = find_all_inheritors(index_oid, NoLock, NULL);

	/* locks are kept: that of the table comes before those of its partitions */
	index_close(index, NoLock);
	table_close(table, NoLock);

	/* the last ones first, as a partition makes the whole index invalid */
	for (int i = list_length(all) - 1; i >= 0; i--)
	{
		index = blt_pages_open_for_sql(list_nth_oid(all, i), &table);
		if (index->rd_rel->relkind == RELKIND_INDEX)
			indexes = lcons_oid(RelationGetRelid(index), indexes);
		else
			check_state(index);
		blt_pages_close(index, table);
	}
	return indexes;
}

void
blt_pages_close(Relation index, Relation table)
{
	index_close(index, AccessShareLock);
	table_close(table, AccessShareLock);
}
