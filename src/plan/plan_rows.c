/*
 * plan_rows.c
 *	  Corrects join relations that have more rows than the planner expects.
 *
 * A correction belongs to a set of base relations, all of which its rule
 * looks at.  It is due where a join relation has them all and neither side
 * does, in whatever order relations are joined.  Then the rows are multiplied,
 * and all paths of the relation are made again, since their costs depend on
 * its rows.
 *
 * Rows are only ever increased, since a join that is believed to be smaller
 * than it is invites nested loops, and only within bounds.  Outer joins and
 * semi-joins stay as they are.  So do the joins of sub-selects in expressions:
 * each is planned twice, to run for each row or once, and its rows decide.
 * With more of them, it may seem too large to be run once, and hashed.
 *
 * Where only some rows are wanted, the planner expects to find them after a
 * share of the work, as if they were spread evenly.  Those of a calendar's
 * year are together, so with more of them it would expect to find them too
 * soon: below LIMIT, all stays as it is, unless all rows of the joins are read
 * before it.
 */
#include "compat.h"

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "plan/plan_correction.h"
#include "plan/plan_parameterized.h"
#include "plan/plan_rows.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

/*
 * The joins of one query, while it is planned.  It is in a context of its
 * own, below that in which the query is planned, and ends with either.
 */
typedef struct QueryJoins
{
	dlist_node	node;
	MemoryContext context;
	MemoryContextCallback callback;
	PlanColumns columns;
	List	   *corrections;	/* of PlanCorrection */
	struct BegunRels *begun;	/* NULL: none */
} QueryJoins;

/*
 * Join relations that have got paths.  GEQO makes and frees these again and
 * again, each time in another memory context; this is in the same context, and
 * forgotten with it.
 */
typedef struct BegunRels
{
	QueryJoins *joins;			/* NULL: has ended */
	HTAB	   *rels;			/* of BegunRel */
	MemoryContext context;
	MemoryContextCallback callback;
} BegunRels;

typedef struct BegunRel
{
	RelOptInfo *rel;			/* hash key */
	double		factor;			/* of its rows; 0: not corrected */
	int			nparameterized; /* of its sizes, those that are corrected */
} BegunRel;

static PlannerCall *current = NULL;

void
blt_plan_begin_call(PlannerCall *call)
{
	call->outer = current;
	dlist_init(&call->queries);
	current = call;
}

void
blt_plan_end_call(PlannerCall *call)
{
	while (!dlist_is_empty(&call->queries))
		MemoryContextDelete(dlist_container(QueryJoins, node,
											dlist_head_node(&call->queries))->context);
	current = call->outer;
}

/*
 * What to correct
 */

/*
 * Is the query an expression's sub-select, or within one?  Those are planned
 * before the planner knows the relations of the query around them, as are its
 * CTEs, whose plans are counted.  plan_params has values that a query passes
 * to the one that is being planned.
 */
static bool
is_in_expression(PlannerInfo *root)
{
	for (root = root->parent_root; root != NULL; root = root->parent_root)
	{
		if (root->plan_params != NIL ||
			(root->simple_rel_array == NULL &&
			 list_length(root->cte_plan_ids) == list_length(root->parse->cteList)))
			return true;
	}
	return false;
}

/*
 * May the rows of joins come in the order that the query needs first, without
 * a Sort of them?  A relation gives it, as by an index, or it is that of a key
 * that relations are joined by, and that a merge join sorts them by.
 */
static bool
may_come_sorted(PlannerInfo *root)
{
	EquivalenceClass *class = linitial_node(PathKey, root->query_pathkeys)->pk_eclass;
	int			nmembers = 0;
	ListCell   *member;

	foreach(member, class->ec_members)
		nmembers += !lfirst_node(EquivalenceMember, member)->em_is_child;
	if (nmembers > 1)
		return true;
	for (int i = 1; i < root->simple_rel_array_size; i++)
	{
		RelOptInfo *rel = root->simple_rel_array[i];
		ListCell   *cell;

		foreach(cell, rel == NULL ? NIL : rel->pathlist)
		{
			Path	   *path = lfirst(cell);

			if (path->pathkeys != NIL &&
				linitial_node(PathKey, path->pathkeys)->pk_eclass == class)
				return true;
		}
	}
	return false;
}

/*
 * Are all rows of the query's joins read before it returns any?  They are
 * aggregated, or are to be sorted or hashed.
 */
static bool
reads_all(PlannerInfo *root)
{
	Query	   *parse = root->parse;

	return (parse->hasAggs && parse->groupClause == NIL && parse->groupingSets == NIL) ||
		(root->query_pathkeys != NIL && !may_come_sorted(root));
}

/* May the plan be run to a part of its rows only?  LIMIT ALL is a null. */
static bool
has_limit(PlannerInfo *root)
{
	if (reads_all(root))
		return false;
	for (; root != NULL; root = root->parent_root)
	{
		Node	   *limit = root->parse->limitCount;

		if (root->tuple_fraction > 0 ||
			(limit != NULL && !(IsA(limit, Const) && ((Const *) limit)->constisnull)))
			return true;
	}
	return false;
}

/* The context of a query is freed: by its call, or with the planner's. */
static void
forget_joins(void *arg)
{
	QueryJoins *joins = arg;

	dlist_delete(&joins->node);
	if (joins->begun != NULL)
		joins->begun->joins = NULL;
}

static QueryJoins *
make_joins(PlannerInfo *root)
{
	MemoryContext context = AllocSetContextCreate(root->planner_cxt, "bloomtype_plan joins",
												  ALLOCSET_DEFAULT_SIZES);
	QueryJoins *joins = MemoryContextAllocZero(context, sizeof(QueryJoins));

	joins->context = context;
	joins->columns.root = root;
	joins->callback.func = forget_joins;
	joins->callback.arg = joins;
	dlist_push_head(&current->queries, &joins->node);
	MemoryContextRegisterResetCallback(context, &joins->callback);
	return joins;
}

static QueryJoins *
joins_of(PlannerInfo *root)
{
	dlist_iter	iter;

	if (current == NULL)
		return NULL;
	dlist_foreach(iter, &current->queries)
	{
		QueryJoins *joins = dlist_container(QueryJoins, node, iter.cur);

		if (joins->columns.root == root)
			return joins;
	}
	return NULL;
}

void
blt_plan_find_corrections(PlannerInfo *root)
{
	QueryJoins *joins;
	MemoryContext caller;

	/* a query with many joins is searched in parts */
	if (current == NULL || joins_of(root) != NULL || has_limit(root) || is_in_expression(root))
		return;
	joins = make_joins(root);
	caller = MemoryContextSwitchTo(joins->context);
	joins->corrections = blt_plan_corrections(&joins->columns);
	MemoryContextSwitchTo(caller);
}

/*
 * Where corrections are due
 */

static void
forget_begun(void *arg)
{
	BegunRels  *begun = arg;

	if (begun->joins != NULL && begun->joins->begun == begun)
		begun->joins->begun = NULL;
}

static BegunRels *
make_begun(QueryJoins *joins, MemoryContext context)
{
	BegunRels  *begun = MemoryContextAllocZero(context, sizeof(BegunRels));
	HASHCTL		control = {.keysize = sizeof(RelOptInfo *),.entrysize = sizeof(BegunRel),
	.hcxt = context};

	/* the query tells only the last ones that it ends */
	if (joins->begun != NULL)
		joins->begun->joins = NULL;
	begun->joins = joins;
	begun->context = context;
	begun->rels = hash_create("join relations with paths", 256, &control,
							  HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	begun->callback.func = forget_begun;
	begun->callback.arg = begun;
	MemoryContextRegisterResetCallback(context, &begun->callback);
	return begun;
}

/* Note that a join relation gets paths; sets whether these are the first. */
static BegunRel *
begin_rel(QueryJoins *joins, RelOptInfo *joinrel, bool *is_first)
{
	MemoryContext context = GetMemoryChunkContext(joinrel);
	BegunRel   *begun;
	bool		found;

	if (joins->begun == NULL || joins->begun->context != context)
		joins->begun = make_begun(joins, context);
	begun = hash_search(joins->begun->rels, &joinrel, HASH_ENTER, &found);
	if (!found)
	{
		begun->factor = 0;
		begun->nparameterized = 0;
	}
	*is_first = !found;
	return begun;
}

/*
 * Do the join's conditions equate other columns of the correction's class?  If
 * so, it is not by the key that the rows find each other.
 */
static bool
is_by_other_columns(PlanCorrection *correction, List *clauses)
{
	ListCell   *cell;

	foreach(cell, clauses)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, cell);

		if (clause->parent_ec == correction->ec &&
			(!bms_is_member(correction->facts, clause->clause_relids) ||
			 !bms_is_member(correction->other, clause->clause_relids)))
			return true;
	}
	return false;
}

/* The corrections that are due when two relations are joined */
static List *
due_corrections(QueryJoins *joins, RelOptInfo *joinrel, RelOptInfo *outer, RelOptInfo *inner,
				List *clauses)
{
	List	   *due = NIL;
	ListCell   *cell;

	foreach(cell, joins->corrections)
	{
		PlanCorrection *correction = lfirst(cell);

		if (bms_is_subset(correction->relids, joinrel->relids) &&
			!bms_is_subset(correction->relids, outer->relids) &&
			!bms_is_subset(correction->relids, inner->relids) &&
			!is_by_other_columns(correction, clauses))
			due = lappend(due, correction);
	}
	return due;
}

/* Does any correction concern a join relation, or a part of it? */
static bool
is_concerned(QueryJoins *joins, RelOptInfo *joinrel)
{
	ListCell   *cell;

	foreach(cell, joins->corrections)
	{
		if (bms_is_subset(((PlanCorrection *) lfirst(cell))->relids, joinrel->relids))
			return true;
	}
	return false;
}

/*
 * The product of the factors.  Several facts may be joined to the same
 * relation, whose conditions count once.
 */
static double
product_of(List *due)
{
	double		product = 1;
	Bitmapset  *others = NULL;
	ListCell   *cell;
	ListCell   *second;

	foreach(cell, due)
	{
		PlanCorrection *correction = lfirst(cell);
		double		factor = 1;

		if (bms_is_member(correction->other, others))
			continue;
		others = bms_add_member(others, correction->other);
		for_each_cell(second, due, cell)
		{
			PlanCorrection *same = lfirst(second);

			if (same->other == correction->other)
				factor = Max(factor, same->factor);
		}
		product *= factor;
	}
	return product;
}

/* Each row has at most one partner by a unique key. */
static double
bound_by_key(double rows, List *due, RelOptInfo *outer, RelOptInfo *inner)
{
	ListCell   *cell;

	foreach(cell, due)
	{
		PlanCorrection *correction = lfirst(cell);

		if (bms_equal(inner->relids, bms_make_singleton(correction->other)))
			rows = Min(rows, outer->rows);
		else if (bms_equal(outer->relids, bms_make_singleton(correction->other)))
			rows = Min(rows, inner->rows);
	}
	return rows;
}

/*
 * Are the rows of a join relation those that the planner computes?  If not,
 * another library has set them, as pg_hint_plan does, and they stay.
 */
static bool
are_planners_rows(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outer, RelOptInfo *inner,
				  JoinPathExtraData *extra)
{
	RelOptInfo	copy = *joinrel;

	set_joinrel_size_estimates(root, &copy, outer, inner, extra->sjinfo, extra->restrictlist);
	return copy.rows == joinrel->rows;
}

/*
 * Correct the rows of a join relation that has got its first paths; returns
 * false if they stay the same.
 */
static bool
correct_rel(QueryJoins *joins, BegunRel *begun, RelOptInfo *outer, RelOptInfo *inner,
			JoinPathExtraData *extra)
{
	PlannerInfo *root = joins->columns.root;
	RelOptInfo *joinrel = begun->rel;
	List	   *due = due_corrections(joins, joinrel, outer, inner, extra->restrictlist);
	double		before = joinrel->rows;
	double		rows;

	if (due == NIL || !are_planners_rows(root, joinrel, outer, inner, extra))
		return false;

	/* the planner never expects less than a row, but a factor may be large */
	if (before <= 1)
		before = outer->rows * inner->rows *
			clauselist_selectivity(root, extra->restrictlist, 0, JOIN_INNER,
								   extra->sjinfo);
	rows = clamp_row_est(bound_by_key(before * product_of(due), due, outer, inner));
	if (rows <= joinrel->rows)
		return false;
	begun->factor = rows / before;
	joinrel->rows = rows;
	return true;
}

bool
blt_plan_correct_rows(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel,
					  RelOptInfo *innerrel, JoinType jointype, JoinPathExtraData *extra)
{
	QueryJoins *joins = joins_of(root);
	BegunRel   *begun;
	bool		is_first;
	bool		is_corrected;
	int			first;

	if (joins == NULL || !is_concerned(joins, joinrel))
		return false;
	begun = begin_rel(joins, joinrel, &is_first);
	is_corrected = is_first && jointype == JOIN_INNER && extra->sjinfo->jointype == JOIN_INNER &&
		correct_rel(joins, begun, outerrel, innerrel, extra);
	first = begun->nparameterized;
	if (!is_corrected && (begun->factor == 0 || first == list_length(joinrel->ppilist)))
		return false;
	blt_plan_correct_parameterized(joinrel, begun->factor, first);
	begun->nparameterized = list_length(joinrel->ppilist);
	if (is_corrected)
		joinrel->pathlist = joinrel->partial_pathlist = NIL;
	else
		joinrel->pathlist = blt_plan_without_parameterized(joinrel->pathlist, joinrel->ppilist, first);
	add_paths_to_joinrel(root, joinrel, outerrel, innerrel, jointype, extra->sjinfo,
						 extra->restrictlist);
	return true;
}
