/*
 * plan_correction.c
 *	  Finds which joins of a query have more rows than the planner expects.
 */
#include "compat.h"

#include "plan/plan_correction.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "optimizer/plancat.h"
#include "parser/parsetree.h"

/*
 * Each two tables of an equivalence class are tried with each third table of
 * another, so larger classes are left out.
 */
#define MAX_CLASS_MEMBERS	16

/* Smaller factors are not worth making paths twice. */
#define MIN_FACTOR	1.2

/* Is it one that joins relations by equality, and small? */
static bool
is_class_of_joins(EquivalenceClass *ec)
{
	return !ec->ec_has_const && !ec->ec_has_volatile && ec->ec_opfamilies != NIL &&
		list_length(ec->ec_members) > 1 && list_length(ec->ec_members) <= MAX_CLASS_MEMBERS;
}

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

/* A table, a sub-select, or UNION ALL, with rows */
static bool
is_relation(RelOptInfo *rel)
{
	return rel != NULL && rel->reloptkind == RELOPT_BASEREL &&
		(rel->rtekind == RTE_RELATION || rel->rtekind == RTE_SUBQUERY) &&
		rel->fdwroutine == NULL && rel->tuples > 0 && !IS_DUMMY_REL(rel);
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
	return is_relation(rel) && rel->rtekind == RTE_RELATION &&
		!planner_rt_fetch(rel->relid, root)->inh;
}

/*
 * The relation of a column; NULL if it has none, or is no longer in the query
 */
static RelOptInfo *
relation_of(PlannerInfo *root, Var *column)
{
	RelOptInfo *rel = column == NULL || column->varno >= root->simple_rel_array_size ? NULL :
		root->simple_rel_array[column->varno];

	return is_relation(rel) ? rel : NULL;
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

static PlanLink
make_link(EquivalenceMember *from, EquivalenceMember *to)
{
	PlanLink	link = {.from = column_of_member(from),.to = column_of_member(to)};

	return link;
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

static List *
add_link(List *links, PlannerInfo *root, EquivalenceClass *ec, EquivalenceMember *from,
		 EquivalenceMember *to)
{
	RelOptInfo *facts = relation_of(root, column_of_member(from));
	RelOptInfo *other = relation_of(root, column_of_member(to));
	PlanKeyLink *link;

	if (facts == NULL || other == NULL || facts == other || !is_whole(root, other) ||
		!has_unique_index(other, column_of_member(to)->varattno) ||
		!is_restricted(root, other, ec) ||
		!are_inner_joined(root, facts->relid, other->relid))
		return links;
	link = palloc(sizeof(PlanKeyLink));
	link->ec = ec;
	link->link = make_link(from, to);
	return lappend(links, link);
}

List *
blt_plan_links_to_keys(PlannerInfo *root)
{
	List	   *links = NIL;
	ListCell   *cell;

	foreach(cell, root->eq_classes)
	{
		EquivalenceClass *ec = lfirst(cell);
		ListCell   *from;
		ListCell   *to;

		if (!is_class_of_joins(ec))
			continue;
		foreach(from, ec->ec_members)
		{
			CHECK_FOR_INTERRUPTS();
			foreach(to, ec->ec_members)
				links = add_link(links, root, ec, lfirst(from), lfirst(to));
		}
	}
	return links;
}

/*
 * The conditions of a third table, joined to the one whose key is unique, may
 * select a range of it, too.
 */
static List *
add_thirds_of_class(List *corrections, PlanColumns *columns, const PlanCorrection *direct,
					const PlanLink *link, EquivalenceClass *ec, EquivalenceMember *from)
{
	PlannerInfo *root = columns->root;
	ListCell   *cell;

	foreach(cell, ec->ec_members)
	{
		EquivalenceMember *to = lfirst(cell);
		RelOptInfo *third = relation_of(root, column_of_member(to));
		PlanCorrection correction = *direct;
		PlanLink	links[] = {*link, make_link(from, to)};

		if (third == NULL || !is_whole(root, third) || third->baserestrictinfo == NIL ||
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
		ListCell   *member;

		if (ec == direct->ec || !is_class_of_joins(ec) ||
			!bms_is_member(direct->other, ec->ec_relids))
			continue;
		foreach(member, ec->ec_members)
		{
			Var		   *column = column_of_member(lfirst(member));

			if (column != NULL && column->varno == direct->other)
				corrections = add_thirds_of_class(corrections, columns, direct, link, ec,
												  lfirst(member));
		}
	}
	return corrections;
}

List *
blt_plan_corrections_by_link(PlanColumns *columns, const PlanKeyLink *link, double factor)
{
	List	   *corrections = NIL;
	PlanCorrection direct = {
		.relids = bms_add_member(bms_make_singleton(link->link.from->varno),
								 link->link.to->varno),
		.factor = factor,
		.facts = link->link.from->varno,
		.other = link->link.to->varno,
		.ec = link->ec
	};

	if (factor >= MIN_FACTOR)
		corrections = add_correction(corrections, &direct);
	return add_thirds(corrections, columns, &direct, &link->link);
}
