/*
 * join_partner.c
 *	  Finds the relations that a row is joined to by the value that a filter
 *	  is probed for, and the share of rows that have partners there.
 *
 * Equivalence classes tell the partners: a class has the expressions that are
 * equal in all rows of the result.  Outer joins and anti-joins make none, and
 * neither do joins above another level of the query.  A value need not be a
 * member itself: ROW(a, b) has partners where a and b have.
 *
 * Three questions decide about each partner, in this order:
 *
 * 1. Is the filter made of its rows, by an aggregate that reads all of
 *    them that can be joined?  Then every row with a partner passes.  The
 *    aggregate may read a join, if this query has the same one.
 * 2. Is the same filter also probed for the value of the partner?  Then
 *    one of both conditions is redundant, the one on the later relation of
 *    the range table.
 * 3. What share of rows has a partner?  As in the server's own estimates
 *    (eqjoinsel_inner and eqjoinsel_semi in selfuncs.c), the values of one
 *    side are taken for a part of those of the other.  In an inner join that
 *    share is the number of values that the conditions of the partner leave,
 *    divided by the values before them, or by those of this side if there are
 *    more; how often a value is repeated there does not count.  For a
 *    semi-join the server multiplies with nothing but its own number of
 *    values, so that is the share.
 *
 * Conditions of the partner that ask filters are left out of 3, so two
 * filters do not wait for each other's estimates.
 */
#include "compat.h"

#include "planner/join_partner.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/appendinfo.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "planner/column.h"
#include "planner/expression.h"
#include "planner/filter_origin.h"
#include "planner/made_of_rows.h"

/* An expression of a relation that is a member of a class. */
typedef struct Member
{
	EquivalenceClass *class;
	Node	   *expression;		/* of the topmost table, if this is a
								 * partition */
	Node	   *plain;			/* as the value is written, and plain */
} Member;

/* A value of one relation, by which its rows may be joined. */
typedef struct JoinedValue
{
	int			relid;			/* the relation, */
	int			topmost;		/* and the table of which that is a partition */
	Node	   *plain;			/* as blt_plain_expression makes it: of the
								 * table, if it is a column */
	List	   *members;		/* expressions of the relation that are
								 * members of classes */
} JoinedValue;

/* A value in the terms of a partner. */
typedef struct Translation
{
	List	   *members;		/* of the relation whose value it is */
	int			partner;
	List	   *replaced;		/* expressions that were replaced, */
	List	   *partner_members;	/* and by what: lists of equal length */
	bool		is_complete;	/* nothing but these has variables */
	bool		has_constant;	/* some of these equal a constant, by which
								 * they are joined */
} Translation;

/* A member that is an expression of one relation and no constant. */
static bool
is_member_of(EquivalenceMember *member, int relid)
{
	int			only;

	return !member->em_is_const && !member->em_is_child &&
		bms_get_singleton_member(member->em_relids, &only) && only == relid;
}

/*
 * The first expression of a relation in a class; or null.  Those of children,
 * which come last where they are in the same list, are not looked at.
 */
static Node *
member_of(EquivalenceClass *class, int relid)
{
	ListCell   *cell;

	foreach(cell, class->ec_members)
	{
		EquivalenceMember *member = (EquivalenceMember *) lfirst(cell);

		if (member->em_is_child)
			break;
		if (is_member_of(member, relid))
			return (Node *) member->em_expr;
	}
	return NULL;
}

/* Is an expression, but for casts, this column? */
static bool
is_column(Node *expression, const Var *column)
{
	Var		   *var = (Var *) blt_without_casts(expression);

	return IsA(var, Var) && var->varattno == column->varattno;
}

/*
 * The expressions of a relation that are members of classes, and may be in a
 * value: those of the topmost table, or as seen from a partition of it.
 */
static List *
members_of(PlannerInfo *root, int topmost, int relid, Node *value)
{
	List	   *members = NIL;
	ListCell   *cell;

	foreach(cell, root->eq_classes)
	{
		EquivalenceClass *class = (EquivalenceClass *) lfirst(cell);
		ListCell   *member_cell;

		/* one of a single relation tells nothing of joins */
		if (class->ec_has_volatile || !bms_is_member(topmost, class->ec_relids) ||
			bms_membership(class->ec_relids) != BMS_MULTIPLE)
			continue;
		foreach(member_cell, class->ec_members)
		{
			EquivalenceMember *equivalent = (EquivalenceMember *) lfirst(member_cell);
			Member	   *member;
			Node	   *expression = (Node *) equivalent->em_expr;

			if (equivalent->em_is_child)
				break;
			if (!is_member_of(equivalent, topmost) ||
				(relid == topmost && IsA(value, Var) && !is_column(expression, (Var *) value)))
				continue;
			member = palloc(sizeof(Member));
			member->class = class;
			member->expression = expression;
			if (relid != topmost)
				expression = blt_child_expression(root, expression,
												  root->simple_rel_array[relid],
												  root->simple_rel_array[topmost]);
			member->plain = blt_plain_expression(expression);
			members = lappend(members, member);
		}
	}
	return members;
}

/*
 * Examine a value; false if it is not of one relation, or that is not joined
 * by it.
 */
static bool
examine_joined_value(PlannerInfo *root, Node *value, JoinedValue *joined)
{
	Var		   *whole;

	joined->relid = blt_relation_of(root, value);
	if (joined->relid == 0)
		return false;
	joined->topmost = blt_topmost_relation(root, joined->relid);
	joined->plain = blt_plain_expression(value);

	/* of many partitions, columns are most of what filters are probed for */
	if (joined->relid != joined->topmost && IsA(joined->plain, Var) &&
		(whole = blt_column_of_whole(root, (Var *) joined->plain)) != NULL)
	{
		joined->plain = blt_plain_expression((Node *) whole);
		joined->members = members_of(root, joined->topmost, joined->topmost,
									 joined->plain);
	}
	else
		joined->members = members_of(root, joined->topmost, joined->relid, joined->plain);
	return joined->members != NIL;
}

/* The member that an expression is; or null. */
static Member *
find_member(List *members, Node *plain)
{
	ListCell   *cell;

	foreach(cell, members)
	{
		Member	   *member = (Member *) lfirst(cell);

		if (equal(member->plain, plain))
			return member;
	}
	return NULL;
}

static Node *
translate_mutator(Node *node, void *context)
{
	Translation *translation = (Translation *) context;
	Member	   *member;
	Node	   *of_partner;

	if (node == NULL)
		return NULL;
	member = find_member(translation->members, node);
	if (member != NULL &&
		(of_partner = member_of(member->class, translation->partner)) != NULL)
	{
		if (member->class->ec_has_const)
			translation->has_constant = true;
		translation->replaced = lappend(translation->replaced, member->expression);
		translation->partner_members = lappend(translation->partner_members, of_partner);
		return blt_plain_expression(of_partner);
	}
	if (IsA(node, Var))
		translation->is_complete = false;
	return expression_tree_mutator(node, translate_mutator, translation);
}

/*
 * A value, made plain, in the terms of a partner; null where it has other
 * variables than those that equal something there.
 */
static Node *
translate(Translation *translation, Node *plain)
{
	Node	   *translated;

	translation->replaced = NIL;
	translation->partner_members = NIL;
	translation->is_complete = true;
	translation->has_constant = false;
	translated = translate_mutator(plain, translation);
	return translation->is_complete && translation->replaced != NIL ? translated : NULL;
}

/*
 * The base relations that share a class with one of these expressions of a
 * relation.
 */
static Relids
possible_partners(PlannerInfo *root, List *members, int relid)
{
	Relids		relids = NULL;
	Relids		partners = NULL;
	ListCell   *cell;
	int			partner = -1;

	foreach(cell, members)
		relids = bms_add_members(relids, ((Member *) lfirst(cell))->class->ec_relids);
	while ((partner = bms_next_member(relids, partner)) >= 0)
	{
		RelOptInfo *relation = blt_base_relation(root, partner);

		if (partner != relid && relation != NULL && relation->reloptkind == RELOPT_BASEREL)
			partners = bms_add_member(partners, partner);
	}
	return partners;
}

/*
 * The semi-join that has one of two relations, and not the other, on its
 * right; or null.
 */
static SpecialJoinInfo *
semi_join_between(PlannerInfo *root, int a, int b)
{
	ListCell   *cell;

	foreach(cell, root->join_info_list)
	{
		SpecialJoinInfo *join = (SpecialJoinInfo *) lfirst(cell);

		if (join->jointype == JOIN_SEMI &&
			bms_is_member(a, join->syn_righthand) != bms_is_member(b, join->syn_righthand))
			return join;
	}
	return NULL;
}

/*
 * The share of rows that have a partner, as the server expects that; negative
 * if it cannot be told.
 */
static double
share_with_partner(PlannerInfo *root, const Translation *translation, bool is_semi)
{
	int			relid = translation->partner;
	double		tuples = blt_relation_tuples(root, relid);
	List	   *conditions;
	double		share_left;
	double		share = 1.0;
	double		share_of_values = 1.0;
	ListCell   *cell;
	ListCell   *partner_cell;

	if (tuples < 0.0)
		return -1.0;
	tuples = clamp_row_est(tuples);
	conditions = blt_plain_conditions(root, relid);
	share_left = clauselist_selectivity(root, conditions, 0, JOIN_INNER, NULL);

	forboth(cell, translation->replaced, partner_cell, translation->partner_members)
	{
		Node	   *partner_member = (Node *) lfirst(partner_cell);
		bool		is_guess;
		bool		partner_is_guess;
		double		null_share;
		double		partner_null_share;
		double		values_here = blt_count_values(root, (Node *) lfirst(cell),
												   &null_share, &is_guess);
		double		values = blt_count_values(root, partner_member,
											  &partner_null_share, &partner_is_guess);

		share *= 1.0 - null_share;
		if (is_semi)
		{
			double		rows = clamp_row_est(tuples * share_left);

			if (rows <= values)
			{
				values = rows;
				partner_is_guess = false;
			}
			share *= is_guess || partner_is_guess ? 0.5 : Min(values / values_here, 1.0);
		}
		else
		{
			double		there = Min(values, tuples);
			double		left = blt_values_left(root, partner_member, conditions, there,
											   tuples, share_left);

			/* the conditions of the partner count once, for all columns */
			share *= there / Max(values_here, values);
			share_of_values = Min(share_of_values, left / there);
		}
	}
	return share * share_of_values;
}

/*
 * Do these expressions give the same filter?  A sub-select that is written
 * twice has two results.
 */
static bool
is_same_filter(PlannerInfo *root, Node *a, Node *b)
{
	return equal(a, b) || blt_same_sub_select(root, a, b);
}

/*
 * Is the same filter probed for this value of a relation in a condition that
 * all rows meet?
 */
static bool
is_probed_in(PlannerInfo *root, List *conditions, const MembershipCall *call, Node *translated)
{
	ListCell   *cell;

	foreach(cell, conditions)
	{
		Node	   *condition = (Node *) lfirst_node(RestrictInfo, cell)->clause;
		MembershipCall other;

		if (blt_is_membership_call(condition, &other) &&
			!other.function->of_elements && equal(other.format, call->format) &&
			equal(blt_plain_expression(other.value), translated) &&
			is_same_filter(root, other.filter, call->filter))
			return true;
	}
	return false;
}

/*
 * Is a call with these arguments, the list itself, in an expression, and
 * would the expression be as true if it were true for more rows?
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
 * Is a call with these arguments, the list itself, one that a row of the
 * relation must meet? Not so in NOT, in CASE and in the list of results:
 * there it passes as often as the filter says.
 */
static bool
is_condition_of(RelOptInfo *relation, List *args)
{
	ListCell   *cell;

	foreach(cell, relation->baserestrictinfo)
	{
		if (is_in_condition((Node *) lfirst_node(RestrictInfo, cell)->clause, args))
			return true;
	}
	foreach(cell, relation->joininfo)
	{
		if (is_in_condition((Node *) lfirst_node(RestrictInfo, cell)->clause, args))
			return true;
	}
	return false;
}

double
blt_share_of_joins(PlannerInfo *root, const MembershipCall *call, List *args, Node *value)
{
	double		smallest = 1.0;
	JoinedValue joined;
	Translation translation;
	Relids		partners;
	int			partner = -1;

	if (!examine_joined_value(root, value, &joined) ||
		!is_condition_of(root->simple_rel_array[joined.relid], args))
		return 1.0;

	/* rows of the table of which it is made pass, joined or not */
	if (blt_is_made_of_rows(root, call->filter, joined.topmost, joined.plain))
		return 0.0;

	translation.members = joined.members;
	partners = bms_difference(possible_partners(root, joined.members, joined.topmost),
							  pull_varnos(root, call->filter));

	while ((partner = bms_next_member(partners, partner)) >= 0)
	{
		SpecialJoinInfo *semi_join = semi_join_between(root, joined.topmost, partner);
		RelOptInfo *relation = root->simple_rel_array[partner];
		Node	   *translated;
		double		share;

		/*
		 * The estimate of a semi-join counts the values on its right, and
		 * multiplies nothing.
		 */
		if (semi_join != NULL && bms_is_member(joined.topmost, semi_join->syn_righthand))
			continue;

		translation.partner = partner;
		translated = translate(&translation, joined.plain);
		if (translated == NULL)
			continue;
		if (blt_is_made_of_rows(root, call->filter, partner, translated) ||
			(partner < joined.topmost &&
			 (is_probed_in(root, relation->baserestrictinfo, call, translated) ||
			  is_probed_in(root, relation->joininfo, call, translated))))
			return 0.0;

		/* where both sides equal a constant, the planner sees no join */
		if (translation.has_constant)
			continue;
		share = share_with_partner(root, &translation, semi_join != NULL);
		smallest = Min(smallest, Max(share, 0.0));
	}
	return smallest;
}

Const *
blt_constant_of_joins(PlannerInfo *root, Node *value)
{
	JoinedValue joined;
	Member	   *member;
	ListCell   *cell;

	if (!examine_joined_value(root, value, &joined) ||
		(member = find_member(joined.members, joined.plain)) == NULL ||
		!member->class->ec_has_const)
		return NULL;
	foreach(cell, member->class->ec_members)
	{
		EquivalenceMember *other = (EquivalenceMember *) lfirst(cell);
		Node	   *constant = blt_plain_expression((Node *) other->em_expr);

		if (other->em_is_const && IsA(constant, Const))
			return (Const *) constant;
	}
	return NULL;
}
