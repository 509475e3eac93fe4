/*
 * join_unique.c
 *	  What the planner expects of a join by a unique key of several columns,
 *	  and what the key shows.
 */
#include "compat.h"

#include "access/stratnum.h"
#include "join/join_unique.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/plancat.h"
#include "utils/lsyscache.h"

bool
blt_join_is_class_of_joins(EquivalenceClass *ec)
{
	return !ec->ec_has_const && !ec->ec_has_volatile && ec->ec_opfamilies != NIL &&
		list_length(ec->ec_members) > 1;
}

Var *
blt_join_column_of_member(EquivalenceMember *member)
{
	Node	   *node = blt_join_strip_relabels((Node *) member->em_expr);

	if (member->em_is_child || bms_membership(member->em_relids) != BMS_SINGLETON ||
		!IsA(node, Var) || ((Var *) node)->varlevelsup != 0 || ((Var *) node)->varattno <= 0)
		return NULL;
	return (Var *) node;
}

/* The member of a class that is a column of a relation; any, if column is 0 */
static EquivalenceMember *
member_of(EquivalenceClass *ec, RelOptInfo *rel, AttrNumber column)
{
	ListCell   *cell;

	foreach(cell, ec->ec_members)
	{
		EquivalenceMember *member = lfirst(cell);
		Var		   *var = blt_join_column_of_member(member);

		if (var != NULL && var->varno == (int) rel->relid && (column == 0 || var->varattno == column))
			return member;
	}
	return NULL;
}

/* Is a column of one relation equal to any of another? */
static bool
is_joined(PlannerInfo *root, RelOptInfo *rel, AttrNumber column, RelOptInfo *other)
{
	ListCell   *cell;

	foreach(cell, root->eq_classes)
	{
		EquivalenceClass *ec = lfirst(cell);

		if (blt_join_is_class_of_joins(ec) &&
			bms_is_member(rel->relid, ec->ec_relids) &&
			bms_is_member(other->relid, ec->ec_relids) &&
			member_of(ec, rel, column) != NULL && member_of(ec, other, 0) != NULL)
			return true;
	}
	return false;
}

/* Does a unique index of several columns of a relation serve the join? */
static bool
has_joined_key(PlannerInfo *root, RelOptInfo *rel, RelOptInfo *other)
{
	ListCell   *cell;

	foreach(cell, rel->indexlist)
	{
		IndexOptInfo *index = lfirst(cell);
		int			i;

		if (!index->unique || !index->immediate || index->nkeycolumns < 2 ||
			(index->indpred != NIL && !index->predOK))
			continue;
		for (i = 0; i < index->nkeycolumns; i++)
		{
			if (index->indexkeys[i] <= 0 || !is_joined(root, rel, index->indexkeys[i], other))
				break;
		}
		if (i == index->nkeycolumns)
			return true;
	}
	return false;
}

/* Is there a foreign key between two relations that the query joins by it? */
static bool
has_foreign_key(PlannerInfo *root, RelOptInfo *first, RelOptInfo *second)
{
	ListCell   *cell;

	foreach(cell, root->fkey_list)
	{
		ForeignKeyOptInfo *key = lfirst_node(ForeignKeyOptInfo, cell);

		if ((key->con_relid == first->relid && key->ref_relid == second->relid) ||
			(key->con_relid == second->relid && key->ref_relid == first->relid))
			return true;
	}
	return false;
}

/* The selectivity that the planner gives to a class between two relations */
static double
selectivity_of_class(PlannerInfo *root, EquivalenceClass *ec, RelOptInfo *first,
					 RelOptInfo *second)
{
	EquivalenceMember *left = member_of(ec, first, 0);
	EquivalenceMember *right = member_of(ec, second, 0);
	SpecialJoinInfo *join;
	ListCell   *cell;

	if (left == NULL || right == NULL)
		return 1;
	join = makeNode(SpecialJoinInfo);
	join->min_lefthand = join->syn_lefthand = first->relids;
	join->min_righthand = join->syn_righthand = second->relids;
	join->jointype = JOIN_INNER;
	foreach(cell, ec->ec_opfamilies)
	{
		Oid			operator = get_opfamily_member(lfirst_oid(cell), left->em_datatype,
												   right->em_datatype, BTEqualStrategyNumber);

		if (OidIsValid(operator))
			return join_selectivity(root, operator, list_make2(left->em_expr, right->em_expr),
									ec->ec_collation, JOIN_INNER, join);
	}
	return 1;
}

double
blt_join_share_with_partners(JoinColumns *columns, RelOptInfo *rel, RelOptInfo *other)
{
	double		share = 1;
	ListCell   *cell;

	foreach(cell, columns->root->eq_classes)
	{
		EquivalenceClass *ec = lfirst(cell);
		EquivalenceMember *from = member_of(ec, rel, 0);
		EquivalenceMember *to = member_of(ec, other, 0);
		JoinColumn *column;
		JoinColumn *other_column;

		if (!blt_join_is_class_of_joins(ec) || from == NULL || to == NULL)
			continue;
		column = blt_join_column(columns, blt_join_column_of_member(from));
		other_column = blt_join_column(columns, blt_join_column_of_member(to));
		if (blt_join_read_distribution(columns, column) &&
			blt_join_read_distribution(columns, other_column))
			share = Min(share, blt_join_share_within(&column->all, &other_column->all));
	}
	return share;
}

double
blt_join_unique_factor(PlannerInfo *root, RelOptInfo *first, RelOptInfo *second)
{
	double		selectivity = 1;
	double		rows = Max(second->tuples, 1);
	ListCell   *cell;

	if (!has_joined_key(root, second, first) || has_foreign_key(root, first, second))
		return 0;
	foreach(cell, root->eq_classes)
	{
		EquivalenceClass *ec = lfirst(cell);

		if (blt_join_is_class_of_joins(ec) &&
			bms_is_member(first->relid, ec->ec_relids) &&
			bms_is_member(second->relid, ec->ec_relids))
			selectivity *= selectivity_of_class(root, ec, first, second);
	}

	/* where it is a key of both, those of the smaller are among the larger */
	if (has_joined_key(root, first, second))
		rows = Max(rows, first->tuples);
	return selectivity > 0 ? Max(1 / (rows * selectivity), 1) : 0;
}
