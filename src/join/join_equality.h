/*
 * join_equality.h
 *	  Which columns of plans are equal.
 *
 * Lists are of JoinKey, of different columns of one plan.
 */
#ifndef BLOOMTYPE_JOIN_EQUALITY_H
#define BLOOMTYPE_JOIN_EQUALITY_H

#include "join/join_key.h"
#include "nodes/plannodes.h"

/*
 * blt_join_source_column for a list of columns, without those that come from
 * elsewhere
 */
extern List *blt_join_source_columns(Plan *plan, List *keys, int varno);

/*
 * The same for the two sides of a join, where these may lack the rows with a
 * value that its result lacks: both sides of inner joins, the outer one of
 * left, semi- and anti-joins, the inner one of right joins, none of others.
 */
extern void blt_join_source_sides(Join *join, List *keys, List **outer, List **inner);

/*
 * outer and inner are columns of the two sides of a join, all of which have
 * equal hashes, by the functions of one hash family, in each row that the join
 * returns.  Add the columns of which, according to the clauses of the join and
 * of joins below, the same holds.
 *
 * For a left join, inner columns are added that are equal in each row that the
 * inner side is part of; for a right join, such outer columns.
 */
extern void blt_join_add_equal(Join *join, Oid family, List **outer, List **inner);

#endif							/* BLOOMTYPE_JOIN_EQUALITY_H */
