/*
 * join_partition.h
 *	  Which integers the key of a partition's rows may be.
 *
 * The bounds of a table below partitioned tables are read while a query is
 * planned.  They stay as they are as long as the plan is used: the tables are
 * locked, and the plan depends on them.
 */
#ifndef BLOOMTYPE_JOIN_PARTITION_H
#define BLOOMTYPE_JOIN_PARTITION_H

#include "join/join_key.h"
#include "nodes/plannodes.h"

/* The partitioned tables of a statement while it is planned */
typedef struct JoinPartitions JoinPartitions;

/* After an error, relations need not be closed. */
extern JoinPartitions *blt_join_open_partitions(PlannedStmt *stmt);
extern void blt_join_close_partitions(JoinPartitions *partitions);

/*
 * The bounds of the rows that the scan of a table returns, as plans keep them
 * (join_bounds.h), by the column of its target list that a key has.  NIL if
 * nothing is known of them, or if the scan must be run in any case.
 */
extern List *blt_join_partition_bounds(JoinPartitions *partitions, Plan *scan,
									   const JoinKey *key);

#endif							/* BLOOMTYPE_JOIN_PARTITION_H */
