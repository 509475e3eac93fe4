/*
 * made_of_rows.h
 *	  Is a filter made of the rows whose values it is probed for?
 */
#ifndef BLOOMTYPE_MADE_OF_ROWS_H
#define BLOOMTYPE_MADE_OF_ROWS_H

#include "nodes/pathnodes.h"

/*
 * Is the filter made by an aggregate of this value of a base relation, and
 * does that read all rows of the relation that get into the result?  It reads
 * the same table, and each of its conditions is one of this query's; or a
 * join, whose other relations, conditions and equalities this query has, too.
 * The value is as blt_plain_expression makes it.  False where that is not
 * known.
 */
extern bool blt_is_made_of_rows(PlannerInfo *root, Node *filter, int relation, Node *value);

#endif							/* BLOOMTYPE_MADE_OF_ROWS_H */
