/*
 * join_partner.h
 *	  Relations in which a row must have a partner, with the value that a
 *	  filter is probed for.
 *
 * Where fact.id = dim.id joins two relations, and a filter of the keys of dim
 * is probed for fact.id, the filter and the join are one condition.  The
 * planner multiplies the shares of rows that meet them.  So the share of the
 * filter is to be that among the rows that have partners.
 */
#ifndef BLOOMTYPE_JOIN_PARTNER_H
#define BLOOMTYPE_JOIN_PARTNER_H

#include "nodes/pathnodes.h"
#include "planner/membership.h"

/*
 * The share of rows that have partners, where a row must pass the filter of a
 * call with this value, one of those that the call asks about, and must have
 * partners.  Of several partners the one that fewest rows have counts.  args
 * is the list of arguments of the call, by which it is found among the
 * conditions of the query.
 *
 * With S the share of all rows that pass, S / this share of those with
 * partners do, but not more than all.  The result is
 *
 *	0 where all rows with partners pass, or where their share cannot be told;
 *	1 where there are no partners, or where not all rows must meet the
 *	condition.
 *
 * The answer is the same at any time while a query is planned, as far as what
 * it is computed from is: the planner keeps it.
 */
extern double blt_share_of_joins(PlannerInfo *root, const MembershipCall *call, List *args,
								 Node *value);

/*
 * The constant that a value equals in all rows, if a join is what tells that:
 * where fact.id = dim.id AND dim.id = 5.  Null where there is none.
 */
extern Const *blt_constant_of_joins(PlannerInfo *root, Node *value);

#endif							/* BLOOMTYPE_JOIN_PARTNER_H */
