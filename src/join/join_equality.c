/*
 * join_equality.c
 *	  Follows columns from one side of a join to the other.
 *
 * The clause a = b of a join makes a and b the same key if its operator is the
 * equality of the hash family by which the key is hashed, under the same
 * collation: equal values of one family, of any types, have equal hashes.
 *
 * Rows of inner and semi-joins have a partner, so a clause holds both ways.  A
 * left join also has outer rows that no clause holds for: these say nothing of
 * another outer column.  Likewise, a right join and the inner side.
 */
#include "compat.h"

#include "join/join_equality.h"
#include "join/join_column.h"
#include "join/plan_nodes.h"
#include "miscadmin.h"

/* A clause of a join: columns of both sides */
typedef struct Equality
{
	JoinKey		outer;
	JoinKey		inner;
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
add_column(List **keys, AttrNumber column, JoinKey key)
{
	key.column = column;
	if (find_column(*keys, column) == NULL)
		*keys = lappend(*keys, memcpy(palloc(sizeof(JoinKey)), &key, sizeof(JoinKey)));
}

List *
blt_join_source_columns(Plan *plan, List *keys, int varno)
{
	List	   *sources = NIL;
	ListCell   *cell;

	foreach(cell, keys)
	{
		JoinKey    *key = lfirst(cell);
		AttrNumber	column = blt_join_source_column(plan, key->column, varno);

		if (column != 0)
			add_column(&sources, column, *key);
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
			add_column(keys, column, *source);
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
	equality->outer.column = blt_join_plain_column(is_turned ? right : left, OUTER_VAR);
	equality->inner.column = blt_join_plain_column(is_turned ? left : right, INNER_VAR);
	equality->outer.collation = equality->inner.collation = collation;
	return equality->outer.column != 0 && equality->inner.column != 0 &&
		blt_join_hash_functions_of_family(comparison->opno, family, collation,
										  is_turned ? &equality->inner.function :
										  &equality->outer.function,
										  is_turned ? &equality->outer.function :
										  &equality->inner.function);
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
cross(Join *join, List *equalities, List **outer, List **inner)
{
	bool		all_known = true;
	ListCell   *cell;

	foreach(cell, equalities)
	{
		Equality   *equality = lfirst(cell);
		JoinKey    *from_outer = join->jointype == JOIN_RIGHT ? NULL :
			find_column(*outer, equality->outer.column);
		JoinKey    *from_inner = join->jointype == JOIN_LEFT ? NULL :
			find_column(*inner, equality->inner.column);

		if (from_outer != NULL && from_outer->function == equality->outer.function)
			add_column(inner, equality->inner.column, equality->inner);
		else if (from_inner != NULL && from_inner->function == equality->inner.function)
			add_column(outer, equality->outer.column, equality->outer);
		else
			all_known = false;
	}
	return all_known;
}

/* To ask a side twice for a column would double the time at each join. */
static void
ask_side(Plan *plan, Oid family, List **keys, int *nasked)
{
	List	   *added = list_copy_tail(*keys, *nasked);
	ListCell   *cell;

	if (added != NIL)
		add_equal_below(plan, family, &added);
	foreach(cell, added)
		add_column(keys, ((JoinKey *) lfirst(cell))->column, *(JoinKey *) lfirst(cell));
	*nasked = list_length(*keys);
}

void
blt_join_add_equal(Join *join, Oid family, List **outer, List **inner)
{
	JoinKey    *any = *outer != NIL ? linitial(*outer) : *inner != NIL ? linitial(*inner) : NULL;
	List	   *equalities;
	int			nouter = 0;		/* of those that were asked for below */
	int			ninner = 0;
	int			nbefore;

	if (any == NULL)
		return;
	equalities = equalities_of_join(join, family, any->collation);
	do
	{
		nbefore = list_length(*outer) + list_length(*inner);
		if (cross(join, equalities, outer, inner) ||
			list_length(*outer) + list_length(*inner) > nbefore)
			continue;
		if (join->jointype != JOIN_RIGHT)
			ask_side(join->plan.lefttree, family, outer, &nouter);
		if (join->jointype != JOIN_LEFT)
			ask_side(join->plan.righttree, family, inner, &ninner);
	} while (list_length(*outer) + list_length(*inner) > nbefore);
}

void
blt_join_source_sides(Join *join, List *keys, List **outer, List **inner)
{
	JoinType	type = join->jointype;

	*outer = *inner = NIL;
	if (type == JOIN_INNER || type == JOIN_SEMI || type == JOIN_LEFT || type == JOIN_ANTI)
		*outer = blt_join_source_columns(&join->plan, keys, OUTER_VAR);
	if (type == JOIN_INNER || type == JOIN_RIGHT)
		*inner = blt_join_source_columns(&join->plan, keys, INNER_VAR);
}

/*
 * Columns of both sides are equal where the join returns partners only; else,
 * those of one side are.
 */
static void
add_equal_of_join(Join *join, Oid family, List **keys)
{
	List	   *outer;
	List	   *inner;

	blt_join_source_sides(join, *keys, &outer, &inner);
	if (join->jointype == JOIN_INNER || join->jointype == JOIN_SEMI)
		blt_join_add_equal(join, family, &outer, &inner);
	else
	{
		add_equal_below(join->plan.lefttree, family, &outer);
		add_equal_below(join->plan.righttree, family, &inner);
	}
	add_columns_from(&join->plan, outer, OUTER_VAR, keys);
	if (join->jointype != JOIN_SEMI)
		add_columns_from(&join->plan, inner, INNER_VAR, keys);
}

static void
add_equal_of_child(Plan *plan, Plan *child, int varno, Oid family, List **keys)
{
	List	   *sources = blt_join_source_columns(plan, *keys, varno);

	add_equal_below(child, family, &sources);
	add_columns_from(plan, sources, varno, keys);
}

/* Add the columns of a plan that its joins have found equal to those known. */
static void
add_equal_below(Plan *plan, Oid family, List **keys)
{
	if (*keys == NIL)
		return;
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
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
