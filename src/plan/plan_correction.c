/*
 * plan_correction.c
 *	  Finds which joins of a query have more rows than the planner expects.
 */
#include "compat.h"

#include "plan/plan_correction.h"
#include "miscadmin.h"
#include "optimizer/plancat.h"
#include "parser/parsetree.h"

/*
 * Each two tables of an equivalence class are tried with each third table of
 * another, so larger classes are left out.
 */
#define MAX_CLASS_MEMBERS	16

/* Smaller factors are not worth making paths twice. */
#define MIN_FACTOR	1.2

/* The plain column of a base relation that a member of a class is; or NULL */
static Var *
column_of_member(EquivalenceMember *member)
{
	Node	   *node = blt_plan_strip_relabels((Node *) member->em_expr);

	if (member->em_is_child || bms_membership(member->em_relids) != BMS_SINGLETON ||
		!IsA(node, Var) || ((Var *) node)->varlevelsup != 0 || ((Var *) node)->varattno <= 0)
		return NULL;
	return (Var *) node;
}

/*
 * The relation of a column: a table, a sub-select, or UNION ALL, with rows.
 * NULL if it is none, or is no longer in the query.
 */
static RelOptInfo *
relation_of(PlannerInfo *root, Var *column)
{
	RelOptInfo *rel = column->varno >= root->simple_rel_array_size ? NULL :
		root->simple_rel_array[column->varno];

	return rel != NULL && rel->reloptkind == RELOPT_BASEREL &&
		(rel->rtekind == RTE_RELATION || rel->rtekind == RTE_SUBQUERY) &&
		rel->fdwroutine == NULL && rel->tuples > 0 && !IS_DUMMY_REL(rel) ? rel : NULL;
}

/*
 * The columns of relations in a class, if it joins relations by equality, and
 * is small; else NIL
 */
static List *
columns_of_class(PlannerInfo *root, EquivalenceClass *ec)
{
	List	   *columns = NIL;
	ListCell   *cell;

	if (ec->ec_has_const || ec->ec_has_volatile || ec->ec_opfamilies == NIL ||
		list_length(ec->ec_members) > MAX_CLASS_MEMBERS)
		return NIL;
	foreach(cell, ec->ec_members)
	{
		Var		   *column = column_of_member(lfirst(cell));

		if (column != NULL && relation_of(root, column) != NULL)
			columns = lappend(columns, column);
	}
	return columns;
}

/*
 * Is it a table without partitions?  Joins of partitions are planned by the
 * statistics of each.  A table with partitions, or a sub-select, is taken to
 * have only the values that are left by its conditions, so that its joins are
 * not expected to have too few rows.
 */
static bool
is_whole(PlannerInfo *root, RelOptInfo *rel)
{
	return rel->rtekind == RTE_RELATION && !planner_rt_fetch(rel->relid, root)->inh;
}

/* Is one relation on the same side of each outer or semi-join as another? */
static bool
are_inner_joined(PlannerInfo *root, int first, int second)
{
	ListCell   *cell;

	foreach(cell, root->join_info_list)
	{
		SpecialJoinInfo *join = lfirst_node(SpecialJoinInfo, cell);

		if (bms_is_member(first, join->syn_righthand) !=
			bms_is_member(second, join->syn_righthand))
			return false;
		if (join->jointype == JOIN_FULL &&
			bms_is_member(first, join->syn_lefthand) !=
			bms_is_member(second, join->syn_lefthand))
			return false;
	}
	return true;
}

static List *
add_correction(List *corrections, const PlanCorrection *correction)
{
	PlanCorrection *copy = palloc(sizeof(PlanCorrection));

	*copy = *correction;
	return lappend(corrections, copy);
}

/*
 * May conditions select a part of a relation, its own or those of another that
 * it is joined to?
 */
static bool
is_restricted(PlannerInfo *root, RelOptInfo *rel, EquivalenceClass *but)
{
	int			i = -1;

	if (rel->baserestrictinfo != NIL)
		return true;
	while ((i = bms_next_member(rel->eclass_indexes, i)) >= 0)
	{
		if (list_nth(root->eq_classes, i) != but)
			return true;
	}
	return false;
}

/*
 * The conditions of a third table, joined to the one whose key is unique, may
 * select a range of it, too.
 */
static List *
add_thirds_of_class(List *corrections, PlanColumns *columns, const PlanCorrection *direct,
					const PlanLink *link, Var *from, List *of_class)
{
	PlannerInfo *root = columns->root;
	ListCell   *cell;

	foreach(cell, of_class)
	{
		Var		   *to = lfirst(cell);
		RelOptInfo *third = relation_of(root, to);
		PlanCorrection correction = *direct;
		PlanLink	links[] = {*link, {from, to}};

		if (!is_whole(root, third) || third->baserestrictinfo == NIL ||
			bms_is_member(third->relid, direct->relids) ||
			!are_inner_joined(root, direct->other, third->relid))
			continue;
		correction.factor = blt_plan_calendar_factor(columns, links, lengthof(links));
		if (correction.factor < MIN_FACTOR)
			continue;
		correction.relids = bms_add_member(bms_copy(direct->relids), third->relid);
		corrections = add_correction(corrections, &correction);
	}
	return corrections;
}

static List *
add_thirds(List *corrections, PlanColumns *columns, const PlanCorrection *direct,
		   const PlanLink *link)
{
	ListCell   *cell;

	foreach(cell, columns->root->eq_classes)
	{
		EquivalenceClass *ec = lfirst(cell);
		List	   *of_class;
		ListCell   *from;

		if (ec == direct->ec || !bms_is_member(direct->other, ec->ec_relids))
			continue;
		of_class = columns_of_class(columns->root, ec);
		foreach(from, of_class)
		{
			if (((Var *) lfirst(from))->varno == direct->other)
				corrections = add_thirds_of_class(corrections, columns, direct, link,
												  lfirst(from), of_class);
		}
	}
	return corrections;
}

/*
 * Add the corrections for two columns of a class, if the second is a unique
 * key, to a part of which its relation may be restricted.
 */
static List *
add_corrections(List *corrections, PlanColumns *columns, EquivalenceClass *ec, Var *from, Var *to)
{
	PlannerInfo *root = columns->root;
	PlanLink	link = {from, to};
	RelOptInfo *facts = relation_of(root, from);
	RelOptInfo *other = relation_of(root, to);
	PlanCorrection direct = {.facts = facts->relid,.other = other->relid,.ec = ec};

	if (facts == other || !is_whole(root, other) ||
		!has_unique_index(other, to->varattno) || !is_restricted(root, other, ec) ||
		!are_inner_joined(root, facts->relid, other->relid))
		return corrections;
	direct.factor = blt_plan_calendar_factor(columns, &link, 1);
	if (direct.factor <= 0)
		return corrections;
	direct.relids = bms_add_member(bms_make_singleton(direct.facts), direct.other);
	if (direct.factor >= MIN_FACTOR)
		corrections = add_correction(corrections, &direct);
	return add_thirds(corrections, columns, &direct, &link);
}

List *
blt_plan_corrections(PlanColumns *columns)
{
	List	   *corrections = NIL;
	ListCell   *cell;

	foreach(cell, columns->root->eq_classes)
	{
		EquivalenceClass *ec = lfirst(cell);
		List	   *of_class = columns_of_class(columns->root, ec);
		ListCell   *from;
		ListCell   *to;

		foreach(from, of_class)
		{
			CHECK_FOR_INTERRUPTS();
			foreach(to, of_class)
				corrections = add_corrections(corrections, columns, ec, lfirst(from), lfirst(to));
		}
	}
	return corrections;
}
