/*
 * join_partner.h
 *	  Relations in which a row must have a partner, with the value that a filter is asked about.
 *
 * Where fact.id = dim.id joins two relations, and a filter of the keys of dim is asked about
 * fact.id, the filter and the join are one condition.  The planner multiplies the shares of
 * rows that meet them.  So the share of the filter is to be that among the rows that have
 * partners.
 */
#ifndef BLOOMTYPE_JOIN_PARTNER_H
#define BLOOMTYPE_JOIN_PARTNER_H

#include "nodes/pathnodes.h"
#include "planner/membership.h"

/*
 * The share of rows that pass a filter, and do so with a value, among those that have
 * partners.  alone is the share among all rows, the value one of those that the call asks
 * about, and args the list of arguments of the call, by which it is found among the
 * conditions of the query.  It is
 *
 *	1 if all rows with partners pass, or where the share of these cannot be told;
 *	alone / that share, but at most 1;
 *	alone where there are no partners, or not all rows must meet the condition.
 *
 * The answer is the same at any time while a query is planned, as far as what it is computed
 * from is: the planner keeps it.
 */
extern Selectivity blt_selectivity_beside_joins(PlannerInfo *root, const MembershipCall *call,
												List *args, Node *value, Selectivity alone);

/*
 * The constant that a value equals in all rows, if a join is what tells that: where
 * fact.id = dim.id AND dim.id = 5.  Null where there is none.
 */
extern Const *blt_constant_of_joins(PlannerInfo *root, Node *value);

#endif							/* BLOOMTYPE_JOIN_PARTNER_H */
