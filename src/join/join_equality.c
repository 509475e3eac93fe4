/*
 * join_equality.c
 *	  Follows columns from one side of a join to the other.
 *
 * The clause a = b of a join makes a and b the same key if its operator is the
 * equality of the hash family by which the key is hashed, under the same
 * collation, since equal values of one family have equal hashes, whatever
 * their types.
 *
 * Inner and semi-joins return no row without a partner, so a clause holds in
 * both directions.  A left join also returns outer rows that no clause holds
 * for: these say nothing about another column of the outer side.  Likewise, a
 * right join and the inner side.
 */
#include "compat.h"

#include "join/join_equality.h"
#include "join/join_column.h"
#include "join/plan_nodes.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"

/* A clause of a join: columns of both sides, and their hash functions */
typedef struct Equality
{
	AttrNumber	outer;
	AttrNumber	inner;
	Oid			outer_function;
	Oid			inner_function;
} Equality;

static void add_equal_below(Plan *plan, Oid family, List **keys);

static JoinKey *
find_column(List *keys, AttrNumber column)
{
	ListCell   *cell;

	foreach(cell, keys)
	{
		JoinKey    *key = lfirst(cell);

		if (key->column == column)
			return key;
	}
	return NULL;
}

static void
add_column(List **keys, AttrNumber column, Oid function, Oid collation)
{
	JoinKey    *key;

	if (find_column(*keys, column) != NULL)
		return;
	key = palloc(sizeof(JoinKey));
	key->column = column;
	key->function = function;
	key->collation = collation;
	*keys = lappend(*keys, key);
}

List *
blt_join_source_columns(Plan *plan, List *keys, int varno)
{
	List	   *sources = NIL;
	ListCell   *cell;

	foreach(cell, keys)
	{
		JoinKey    *key = lfirst(cell);
		AttrNumber	source = blt_join_source_column(plan, key->column, varno);

		if (source != 0)
			add_column(&sources, source, key->function, key->collation);
	}
	return sources;
}

/* The other way: add the columns of a plan that come from those of a child. */
static void
add_columns_from(Plan *plan, List *sources, int varno, List **keys)
{
	for (AttrNumber column = 1; column <= list_length(plan->targetlist); column++)
	{
		JoinKey    *source = find_column(sources, blt_join_source_column(plan, column, varno));

		if (source != NULL)
			add_column(keys, column, source->function, source->collation);
	}
}

/*
 * Equality of columns
 */

/* Does a clause compare a column of each side? */
static bool
is_equality(Node *clause, Oid family, Oid collation, Equality *equality)
{
	OpExpr	   *comparison = (OpExpr *) clause;
	Node	   *left;
	Node	   *right;
	bool		is_turned;

	if (!IsA(clause, OpExpr) || list_length(comparison->args) != 2 ||
		comparison->inputcollid != collation)
		return false;
	left = linitial(comparison->args);
	right = lsecond(comparison->args);
	is_turned = blt_join_plain_column(left, OUTER_VAR) == 0;
	equality->outer = blt_join_plain_column(is_turned ? right : left, OUTER_VAR);
	equality->inner = blt_join_plain_column(is_turned ? left : right, INNER_VAR);
	return equality->outer != 0 && equality->inner != 0 &&
		blt_join_hash_functions_of_family(comparison->opno, family, collation,
										  is_turned ? &equality->inner_function :
										  &equality->outer_function,
										  is_turned ? &equality->outer_function :
										  &equality->inner_function);
}

/* The equalities among the clauses of a join */
static List *
equalities_of_join(Join *join, Oid family, Oid collation)
{
	List	   *equalities = NIL;
	ListCell   *clauses;
	ListCell   *clause;

	foreach(clauses, (List *) blt_join_own_expressions(&join->plan))
	{
		foreach(clause, (List *) lfirst(clauses))
		{
			Equality   *equality = palloc(sizeof(Equality));

			if (is_equality(lfirst(clause), family, collation, equality))
				equalities = lappend(equalities, equality);
		}
	}
	return equalities;
}

/*
 * Cross a join, but not from the side on which rows may be nulls in its
 * result.  Returns false if an equality is of columns that are unknown.
 */
static bool
cross(Join *join, List *equalities, Oid collation, List **outer, List **inner)
{
	bool		all_known = true;
	ListCell   *cell;

	foreach(cell, equalities)
	{
		Equality   *equality = lfirst(cell);
		JoinKey    *from_outer = join->jointype == JOIN_RIGHT ? NULL :
			find_column(*outer, equality->outer);
		JoinKey    *from_inner = join->jointype == JOIN_LEFT ? NULL :
			find_column(*inner, equality->inner);

		if (from_outer != NULL && from_outer->function == equality->outer_function)
			add_column(inner, equality->inner, equality->inner_function, collation);
		else if (from_inner != NULL && from_inner->function == equality->inner_function)
			add_column(outer, equality->outer, equality->outer_function, collation);
		else
			all_known = false;
	}
	return all_known;
}

void
blt_join_add_equal(Join *join, Oid family, List **outer, List **inner)
{
	JoinKey    *any = *outer != NIL ? linitial(*outer) : *inner != NIL ? linitial(*inner) : NULL;
	List	   *equalities;
	int			nbefore;

	if (any == NULL)
		return;
	equalities = equalities_of_join(join, family, any->collation);
	do
	{
		nbefore = list_length(*outer) + list_length(*inner);
		if (!cross(join, equalities, any->collation, outer, inner))
		{
			if (join->jointype != JOIN_RIGHT)
				add_equal_below(join->plan.lefttree, family, outer);
			if (join->jointype != JOIN_LEFT)
				add_equal_below(join->plan.righttree, family, inner);
		}
	} while (list_length(*outer) + list_length(*inner) > nbefore);
}

/*
 * Columns of both sides are equal where the join returns partners only; else,
 * those of one side are.
 */
static void
add_equal_of_join(Join *join, Oid family, List **keys)
{
	Plan	   *plan = &join->plan;
	List	   *outer = NIL;
	List	   *inner = NIL;

	if (join->jointype != JOIN_RIGHT)
		outer = blt_join_source_columns(plan, *keys, OUTER_VAR);
	if (join->jointype == JOIN_INNER || join->jointype == JOIN_RIGHT)
		inner = blt_join_source_columns(plan, *keys, INNER_VAR);
	switch (join->jointype)
	{
		case JOIN_INNER:
		case JOIN_SEMI:
			blt_join_add_equal(join, family, &outer, &inner);
			break;
		case JOIN_LEFT:
		case JOIN_ANTI:
			add_equal_below(plan->lefttree, family, &outer);
			break;
		case JOIN_RIGHT:
			add_equal_below(plan->righttree, family, &inner);
			break;
		default:
			return;
	}
	add_columns_from(plan, outer, OUTER_VAR, keys);
	if (join->jointype != JOIN_SEMI)
		add_columns_from(plan, inner, INNER_VAR, keys);
}

static void
add_equal_of_child(Plan *plan, Plan *child, int varno, Oid family, List **keys)
{
	List	   *sources = blt_join_source_columns(plan, *keys, varno);

	add_equal_below(child, family, &sources);
	add_columns_from(plan, sources, varno, keys);
}

/*
 * Add the columns of a plan that its joins have found equal to those known.
 */
static void
add_equal_below(Plan *plan, Oid family, List **keys)
{
	if (*keys == NIL)
		return;
	check_stack_depth();
	switch (blt_join_plan_node(plan)->rows)
	{
		case ROWS_OF_SIDES:
			add_equal_of_join((Join *) plan, family, keys);
			break;
		case ROWS_OF_CHILD:
			add_equal_of_child(plan, plan->lefttree, OUTER_VAR, family, keys);
			break;
		case ROWS_OF_SUBQUERY:
			add_equal_of_child(plan, ((SubqueryScan *) plan)->subplan,
							   ((Scan *) plan)->scanrelid, family, keys);
			break;
		default:
			break;
	}
}
