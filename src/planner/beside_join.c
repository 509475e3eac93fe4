/*
 * beside_join.c
 *	  Finds the relations that a row is joined to by the value that a filter
 *	  is probed for, and the share of rows that have partners there.
 *
 * Equivalence classes have the partners: the expressions of a class are equal
 * in all rows of the result.  Outer joins and anti-joins make none, and
 * neither do joins above another level of the query.
 *
 * As in the server's own estimate of a join (eqjoinsel_inner in selfuncs.c),
 * the values of one side are taken for a part of those of the other.  So the
 * share of rows that have a partner is the number of values that are left
 * there, by the conditions of the partner and by its own joins, divided by
 * the values before them, or by those of this side if there are more.  How
 * often a value is repeated there does not count.
 *
 * Conditions of the partner that ask filters are left out, so two filters do
 * not wait for each other's estimates.
 */
#include "compat.h"

#include "planner/beside_join.h"

#include "optimizer/optimizer.h"
#include "planner/expression.h"
#include "planner/membership.h"
#include "planner/value_statistics.h"

static double share_with_partners(PlannerInfo *root, EquivalenceClass *class, Node *here,
								  Relids *seen);

/*
 * The expression of a relation in a class, the one that is a value if value
 * is not null; or null.  Those of children, which come last where they are in
 * the same list, are not looked at.
 */
static Node *
member_of(EquivalenceClass *class, int relid, Node *value)
{
	ListCell   *cell;

	foreach(cell, class->ec_members)
	{
		EquivalenceMember *member = (EquivalenceMember *) lfirst(cell);
		int			only;

		if (member->em_is_child)
			break;
		if (!member->em_is_const && bms_get_singleton_member(member->em_relids, &only) &&
			only == relid &&
			(value == NULL || equal(blt_without_casts((Node *) member->em_expr), value)))
			return (Node *) member->em_expr;
	}
	return NULL;
}

/* Does a class join a relation to others? */
static bool
joins(EquivalenceClass *class, int relid)
{
	return !class->ec_has_volatile && bms_is_member(relid, class->ec_relids) &&
		bms_membership(class->ec_relids) == BMS_MULTIPLE;
}

/*
 * The share of the values here that are left in a partner, whose member of
 * the class is there, by its conditions and by its joins to relations that
 * are not among those seen; a lower bound: 0 where nothing is known.
 */
static double
share_with_partner(PlannerInfo *root, EquivalenceClass *class, Node *here, Node *there,
				   int partner, Relids *seen)
{
	double		tuples = blt_relation_tuples(root, partner);
	double		share_joined = 1.0;
	double		share;
	ValueStatistics statistics;
	ValueStatistics of_partner;
	double		left;
	ListCell   *cell;

	if (tuples < 0.0 || !blt_value_statistics(root, here, &statistics) ||
		!blt_value_statistics(root, there, &of_partner))
		return 0.0;

	foreach(cell, root->eq_classes)
	{
		EquivalenceClass *other = (EquivalenceClass *) lfirst(cell);
		Node	   *member;

		if (other == class || !joins(other, partner) ||
			(member = member_of(other, partner, NULL)) == NULL)
			continue;
		share = share_with_partners(root, other, member, seen);
		share_joined = Min(share_joined, share);
	}
	tuples = clamp_row_est(tuples);
	left = blt_values_left(root, there, Min(of_partner.distinct, tuples), tuples,
						   blt_conditions_without_filters(root, partner), share_joined);
	return (1.0 - statistics.null_share) * left /
		Max(statistics.distinct, of_partner.distinct);
}

/*
 * The share of the rows of a relation that have partners by its member of a
 * class: the least of those by each partner.  Adds these to the relations
 * seen.
 */
static double
share_with_partners(PlannerInfo *root, EquivalenceClass *class, Node *here, Relids *seen)
{
	double		smallest = 1.0;
	int			partner = -1;

	while ((partner = bms_next_member(class->ec_relids, partner)) >= 0)
	{
		RelOptInfo *relation = blt_base_relation(root, partner);
		Node	   *there;
		double		share;

		if (relation == NULL || relation->reloptkind != RELOPT_BASEREL ||
			bms_is_member(partner, *seen) ||
			(there = member_of(class, partner, NULL)) == NULL)
			continue;
		*seen = bms_add_member(*seen, partner);
		share = share_with_partner(root, class, here, there, partner, seen);
		smallest = Min(smallest, share);
	}
	return smallest;
}

/* The same by a value of a relation, or by any column of a row. */
static double
share_of_joins(PlannerInfo *root, Node *value, int relid)
{
	double		smallest = 1.0;
	double		share;
	Relids		seen = bms_make_singleton(relid);
	ListCell   *cell;

	if (IsA(value, RowExpr))
	{
		foreach(cell, ((RowExpr *) value)->args)
		{
			share = share_of_joins(root, (Node *) lfirst(cell), relid);
			smallest = Min(smallest, share);
		}
		return smallest;
	}
	value = blt_without_casts(value);
	foreach(cell, root->eq_classes)
	{
		EquivalenceClass *class = (EquivalenceClass *) lfirst(cell);
		Node	   *here;

		if (joins(class, relid) && (here = member_of(class, relid, value)) != NULL)
			return share_with_partners(root, class, here, &seen);
	}
	return 1.0;
}

/*
 * Is a call with these arguments, the list itself, in an expression, and
 * would the expression be as true if the call were true for more rows?
 */
static bool
is_in_condition(Node *node, List *args)
{
	ListCell   *cell;

	if (node == NULL)
		return false;
	if (IsA(node, BooleanTest))
		return (((BooleanTest *) node)->booltesttype == IS_TRUE ||
				((BooleanTest *) node)->booltesttype == IS_NOT_FALSE) &&
			is_in_condition((Node *) ((BooleanTest *) node)->arg, args);
	if (!IsA(node, BoolExpr))
		return blt_arguments(node) == args;
	if (((BoolExpr *) node)->boolop == NOT_EXPR)
		return false;
	foreach(cell, ((BoolExpr *) node)->args)
	{
		if (is_in_condition((Node *) lfirst(cell), args))
			return true;
	}
	return false;
}

/*
 * Is a call with these arguments in one of the conditions that a row must
 * meet?  Not so in NOT, in CASE and in the list of results: there it passes
 * as often as the filter says.
 */
static bool
is_in_conditions(List *conditions, List *args)
{
	ListCell   *cell;

	foreach(cell, conditions)
	{
		if (is_in_condition((Node *) lfirst_node(RestrictInfo, cell)->clause, args))
			return true;
	}
	return false;
}

Selectivity
blt_selectivity_beside_joins(PlannerInfo *root, List *args, Node *value, Selectivity alone)
{
	RelOptInfo *relation = blt_base_relation(root, blt_relation_of(root, value));
	double		share;

	if (relation == NULL || root->eq_classes == NIL ||
		!(is_in_conditions(relation->baserestrictinfo, args) ||
		  is_in_conditions(relation->joininfo, args)))
		return alone;

	/* classes have the columns of a table, not those of its partitions */
	value = blt_value_of_whole(root, value);
	share = share_of_joins(root, value, blt_relation_of(root, value));
	return alone < share ? alone / share : 1.0;
}
