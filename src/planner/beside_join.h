/*
 * beside_join.h
 *	  A filter beside a join by the value that it is probed for.
 *
 * Where fact.id = dim.id joins two relations, and a filter of keys of dim is
 * probed for fact.id, the filter and the join are mostly one condition, but
 * the planner multiplies the shares of rows that meet them.  So the share of
 * the filter is to be that among the rows that have partners.
 */
#ifndef BLOOMTYPE_BESIDE_JOIN_H
#define BLOOMTYPE_BESIDE_JOIN_H

#include "nodes/pathnodes.h"

/*
 * The share of rows in which a value passes a filter, among those rows that
 * have partners by this value in joins.  It is alone, the share among all
 * rows, where there is no such join, and where rows that do not pass may get
 * into the result.  args is the list of arguments of the call, by which that
 * is found among the conditions of the query.
 *
 * With J the share of rows that have a partner, it is alone / J, but at most
 * 1: all rows that pass are taken for rows that have partners, as far as
 * there are as many.  Of several partners the one with the least J counts.
 * It is 1 where J is not known.
 *
 * The answer is the same at any time while a query is planned, as far as what
 * it is computed from is: the planner keeps it.
 */
extern Selectivity blt_selectivity_beside_joins(PlannerInfo *root, List *args, Node *value,
												Selectivity alone);

#endif							/* BLOOMTYPE_BESIDE_JOIN_H */
