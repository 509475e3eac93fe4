/*
 * made_of_rows.c
 *	  Compares the query that makes a filter with the query that asks it.
 *
 * Both are planned, at least as far as their conditions are distributed to
 * relations and to equivalence classes.  Each relation of the one is mapped
 * to one of the other, of the same table; then conditions and classes are
 * compared.
 */
#include "compat.h"

#include "planner/made_of_rows.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "planner/expression.h"
#include "planner/filter_origin.h"

/*
 * Of an aggregate's query: with more relations, filters are not compared with
 * what is joined. A table that is read often in both might be mapped in many
 * ways.
 */
#define MAX_MAPPED_RELATIONS	4

/* Nor after this many ways to map them were tried. */
#define MAX_MAPS	200

static Node *
renumber_mutator(Node *node, void *map)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
	{
		Var		   *var = (Var *) copyObject(node);

		var->varno = ((const int *) map)[var->varno];
		return (Node *) var;
	}
	return expression_tree_mutator(node, renumber_mutator, map);
}

/* A copy of an expression with other numbers of relations: those of a map. */
static Node *
renumber(Node *node, const int *map)
{
	return renumber_mutator(node, (void *) map);
}

/*
 * Is there a condition that equals this one of another query, after its
 * relations are mapped?
 */
static bool
has_condition(List *conditions, RestrictInfo *other, const int *map)
{
	Node	   *mapped = renumber((Node *) other->clause, map);
	ListCell   *cell;

	foreach(cell, conditions)
	{
		if (equal(lfirst_node(RestrictInfo, cell)->clause, mapped))
			return true;
	}
	return false;
}

/* The same of all of some conditions, none of which may be volatile. */
static bool
has_conditions(List *conditions, List *others, const int *map)
{
	ListCell   *cell;

	foreach(cell, others)
	{
		RestrictInfo *other = lfirst_node(RestrictInfo, cell);

		if (!has_condition(conditions, other, map) ||
			contain_volatile_functions((Node *) other->clause))
			return false;
	}
	return true;
}

/* Are all members of a class of another query members of one class here? */
static bool
has_class(PlannerInfo *root, EquivalenceClass *other, const int *map)
{
	ListCell   *cell;

	foreach(cell, root->eq_classes)
	{
		EquivalenceClass *class = (EquivalenceClass *) lfirst(cell);
		ListCell   *other_cell;
		bool		has_all = true;

		foreach(other_cell, other->ec_members)
		{
			EquivalenceMember *member = (EquivalenceMember *) lfirst(other_cell);
			ListCell   *candidate_cell;
			bool		has_it = false;
			Node	   *mapped;

			if (member->em_is_child)
				break;
			mapped = renumber((Node *) member->em_expr, map);
			foreach(candidate_cell, class->ec_members)
			{
				EquivalenceMember *candidate = (EquivalenceMember *) lfirst(candidate_cell);

				if (candidate->em_is_child)
					break;
				has_it = has_it || equal(candidate->em_expr, mapped);
			}
			has_all = has_all && has_it;
		}
		if (has_all)
			return true;
	}
	return false;
}

/*
 * With each relation of another query mapped to one of this query: does a row
 * of this one need partners that would make a row of the other?
 */
static bool
has_rows_of(PlannerInfo *root, PlannerInfo *other, Relids relids, const int *map)
{
	int			relid = -1;
	ListCell   *cell;

	while ((relid = bms_next_member(relids, relid)) >= 0)
	{
		RelOptInfo *there = other->simple_rel_array[relid];
		RelOptInfo *here = root->simple_rel_array[map[relid]];

		if (!has_conditions(here->baserestrictinfo, there->baserestrictinfo, map) ||
			!has_conditions(here->joininfo, there->joininfo, map))
			return false;
	}
	foreach(cell, other->eq_classes)
	{
		EquivalenceClass *class = (EquivalenceClass *) lfirst(cell);

		/* what is equal in one relation is among its conditions */
		if (bms_membership(class->ec_relids) == BMS_MULTIPLE &&
			(class->ec_has_volatile || !has_class(root, class, map)))
			return false;
	}
	return true;
}

/*
 * Does a relation of this query have all rows that one of another query has?
 */
static bool
is_same_table(PlannerInfo *root, int relid, PlannerInfo *other, int other_relid)
{
	RelOptInfo *relation = blt_base_relation(root, relid);
	RangeTblEntry *here;
	RangeTblEntry *there = planner_rt_fetch(other_relid, other);

	if (relation == NULL || relation->reloptkind != RELOPT_BASEREL)
		return false;
	here = planner_rt_fetch(relid, root);
	return here->rtekind == RTE_RELATION && there->rtekind == RTE_RELATION &&
		here->relid == there->relid && (there->inh || !here->inh) &&
		there->tablesample == NULL;
}

/*
 * Map further relations of another query, those after relid, each to another
 * relation of this one; then see whether has_rows_of.  *nmaps counts what has
 * been tried.
 */
static bool
map_relations(PlannerInfo *root, PlannerInfo *other, Relids relids, int relid, int *map,
			  int *nmaps)
{
	int			candidate = -1;

	do
	{
		relid = bms_next_member(relids, relid);
		if (relid < 0)
			return has_rows_of(root, other, relids, map);
	} while (map[relid] != 0);

	while (*nmaps < MAX_MAPS &&
		   (candidate = bms_next_member(root->all_baserels, candidate)) >= 0)
	{
		bool		is_taken = false;

		for (int i = 1; i < other->simple_rel_array_size; i++)
			is_taken = is_taken || map[i] == candidate;
		if (is_taken || !is_same_table(root, candidate, other, relid))
			continue;
		map[relid] = candidate;
		(*nmaps)++;
		if (map_relations(root, other, relids, relid, map, nmaps))
			return true;
		map[relid] = 0;
	}
	return false;
}

bool
blt_is_made_of_rows(PlannerInfo *root, Node *filter, int relation, Node *value)
{
	PlannerInfo *query = root;
	Aggref	   *aggregate = blt_filter_aggregate(&query, filter);
	Relids		relids;
	Node	   *key;
	int			relid;
	int		   *map;
	int			nmaps = 0;

	if (aggregate == NULL || query == root || aggregate->aggfilter != NULL ||
		query->parse->groupClause != NIL || query->parse->groupingSets != NIL ||
		query->parse->havingQual != NULL || query->parse->limitCount != NULL ||
		query->parse->limitOffset != NULL || query->join_info_list != NIL)
		return false;

	key = blt_plain_expression((Node *) linitial_node(TargetEntry, aggregate->args)->expr);
	relid = blt_relation_of(query, key);
	relids = blt_all_relids(query);
	if (relid == 0 || bms_num_members(relids) > MAX_MAPPED_RELATIONS ||
		!is_same_table(root, relation, query, relid))
		return false;

	map = palloc0(query->simple_rel_array_size * sizeof(int));
	map[relid] = relation;
	return equal(renumber(key, map), value) &&
		map_relations(root, query, relids, -1, map, &nmaps);
}
