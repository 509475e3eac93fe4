/*
 * join_rows.c
 *	  Corrects join relations that have more rows than the planner expects,
 *	  and keeps what filters are expected to pass.
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
 */
#include "compat.h"

#include "join/join_correction.h"
#include "join/join_groups.h"
#include "join/join_rows.h"
#include "join/join_settings.h"
#include "join/join_sizes.h"
#include "join/join_trace.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "parser/parsetree.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

/* The search for the best join of some relations */
typedef struct JoinSearch
{
	PlannerInfo *root;
	bool		corrects;		/* false: only notes what filters pass */
	JoinColumns columns;
	List	   *corrections;	/* of JoinCorrection */
	struct BegunRels *begun;	/* NULL: none */
} JoinSearch;

/*
 * Join relations that have got paths.  GEQO makes and frees these again and
 * again, each time in another memory context; this is in the same context, and
 * forgotten with it.
 */
typedef struct BegunRels
{
	JoinSearch *search;
	HTAB	   *rels;			/* of BegunRel */
	MemoryContext context;
	MemoryContextCallback callback;
} BegunRels;

typedef struct BegunRel
{
	RelOptInfo *rel;			/* hash key */
	double		factor;			/* of its rows; 0: not corrected */
	double		before;			/* rows that the planner expected */
	int			nparameterized; /* of its sizes, those that are corrected */
} BegunRel;

/*
 * What a filter of a unique key is expected to pass.  That is computed when it
 * is asked for, from what the planner leaves behind.
 */
typedef struct KeyShare
{
	Alias	   *table;			/* names, by which range table entries are
								 * recognized: their copies in the plan have
								 * the same */
	AttrNumber	column;
	Alias	   *other;
	AttrNumber	key;
	JoinSearch *search;
	JoinLink	link;
	double		factor;			/* -1: not yet computed */
} KeyShare;

static JoinPlanning *current = NULL;

void
blt_join_begin_planning(JoinPlanning *planning)
{
	*planning = (JoinPlanning)
	{
		.outer = current
	};
	current = planning;
}

void
blt_join_end_planning(JoinPlanning *planning)
{
	current = planning->outer;
}

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

static KeyShare *
add_key_share(JoinSearch *search, const JoinLink *link)
{
	PlannerInfo *root = search->root;
	KeyShare   *share = palloc(sizeof(KeyShare));

	share->table = planner_rt_fetch(link->from->varno, root)->eref;
	share->column = link->from->varattno;
	share->other = planner_rt_fetch(link->to->varno, root)->eref;
	share->key = link->to->varattno;
	share->search = search;
	share->link = *link;
	share->factor = -1;
	current->key_shares = lappend(current->key_shares, share);
	return share;
}

static void
find_by_range(JoinSearch *search)
{
	ListCell   *cell;

	foreach(cell, blt_join_links_to_keys(search->root))
	{
		JoinKeyLink *link = lfirst(cell);
		KeyShare   *share = add_key_share(search, &link->link);

		if (!search->corrects)
			continue;
		share->factor = blt_join_range_factor(&search->columns, &link->link, 1);
		if (share->factor == 0)
			continue;
		search->corrections =
			list_concat(search->corrections,
						blt_join_corrections_by_range(&search->columns, link, share->factor));
	}
}

static JoinSearch *
search_of(PlannerInfo *root)
{
	ListCell   *cell;

	if (current == NULL)
		return NULL;
	foreach(cell, current->searches)
	{
		JoinSearch *search = lfirst(cell);

		if (search->root == root)
			return search;
	}
	return NULL;
}

void
blt_join_find_corrections(PlannerInfo *root)
{
	JoinSearch *search;

	/* a query with many joins is searched in parts */
	if (current == NULL || search_of(root) != NULL)
		return;
	search = palloc0(sizeof(JoinSearch));
	search->root = search->columns.root = root;
	search->corrects = blt_join_estimate != JOIN_ESTIMATE_OFF && !is_in_expression(root);
	current->searches = lappend(current->searches, search);
	find_by_range(search);
	if (search->corrects && blt_join_estimate == JOIN_ESTIMATE_ON)
		search->corrections = list_concat(search->corrections,
										  blt_join_corrections_by_key(&search->columns));
}

bool
blt_join_get_statistics(PlannerInfo *root, RangeTblEntry *entry, AttrNumber column,
						VariableStatData *vardata)
{
	return current != NULL && blt_join_estimate != JOIN_ESTIMATE_OFF &&
		blt_join_count_groups(&current->groups, root, entry, column, vardata);
}

double
blt_join_values_in_range(RangeTblEntry *table, AttrNumber column, RangeTblEntry *other,
						 AttrNumber key)
{
	ListCell   *cell;

	if (current == NULL)
		return 0;
	foreach(cell, current->key_shares)
	{
		KeyShare   *share = lfirst(cell);

		if (share->table == table->eref && share->column == column &&
			share->other == other->eref && share->key == key)
		{
			if (share->factor < 0)
				share->factor = blt_join_range_factor(&share->search->columns, &share->link, 1);
			return share->factor == 0 ? 0 :
				find_base_rel(share->search->root, share->link.to->varno)->tuples / share->factor;
		}
	}
	return 0;
}

/*
 * Where corrections are due
 */

static void
forget_begun(void *arg)
{
	BegunRels  *begun = arg;

	if (begun->search->begun == begun)
		begun->search->begun = NULL;
}

static BegunRels *
make_begun(JoinSearch *search, MemoryContext context)
{
	BegunRels  *begun = MemoryContextAllocZero(context, sizeof(BegunRels));
	HASHCTL		control = {.keysize = sizeof(RelOptInfo *),.entrysize = sizeof(BegunRel),
	.hcxt = context};

	begun->search = search;
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
begin_rel(JoinSearch *search, RelOptInfo *joinrel, bool *is_first)
{
	MemoryContext context = GetMemoryChunkContext(joinrel);
	BegunRel   *begun;
	bool		found;

	if (search->begun == NULL || search->begun->context != context)
		search->begun = make_begun(search, context);
	begun = hash_search(search->begun->rels, &joinrel, HASH_ENTER, &found);
	if (!found)
	{
		begun->factor = begun->before = 0;
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
is_by_other_columns(JoinCorrection *correction, List *clauses)
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
due_corrections(JoinSearch *search, RelOptInfo *joinrel, RelOptInfo *outer, RelOptInfo *inner,
				List *clauses)
{
	List	   *due = NIL;
	ListCell   *cell;

	foreach(cell, search->corrections)
	{
		JoinCorrection *correction = lfirst(cell);

		if (bms_is_subset(correction->relids, joinrel->relids) &&
			!bms_is_subset(correction->relids, outer->relids) &&
			!bms_is_subset(correction->relids, inner->relids) &&
			(correction->ec == NULL ||
			 !is_by_other_columns(correction, clauses)))
			due = lappend(due, correction);
	}
	return due;
}

/* Does any correction concern a join relation, or a part of it? */
static bool
is_concerned(JoinSearch *search, RelOptInfo *joinrel)
{
	ListCell   *cell;

	foreach(cell, search->corrections)
	{
		if (bms_is_subset(((JoinCorrection *) lfirst(cell))->relids, joinrel->relids))
			return true;
	}
	return false;
}

/*
 * The product of the factors by rule range.  Several facts may be joined to
 * the same relation, whose conditions count once.
 */
static double
range_factor(List *due)
{
	double		product = 1;
	Bitmapset  *others = NULL;
	ListCell   *cell;
	ListCell   *second;

	foreach(cell, due)
	{
		JoinCorrection *correction = lfirst(cell);
		double		factor = 1;

		if (correction->ec == NULL || bms_is_member(correction->other, others))
			continue;
		others = bms_add_member(others, correction->other);
		for_each_cell(second, due, cell)
		{
			JoinCorrection *same = lfirst(second);

			if (same->ec != NULL && same->other == correction->other)
				factor = Max(factor, same->factor);
		}
		product *= factor;
	}
	return product;
}

/* By rule range, each row has at most one partner by a unique key. */
static double
bound_by_key(double rows, List *due, RelOptInfo *outer, RelOptInfo *inner)
{
	ListCell   *cell;

	foreach(cell, due)
	{
		JoinCorrection *correction = lfirst(cell);

		if (correction->ec == NULL)
			continue;
		if (bms_equal(inner->relids, bms_make_singleton(correction->other)))
			rows = Min(rows, outer->rows);
		else if (bms_equal(outer->relids, bms_make_singleton(correction->other)))
			rows = Min(rows, inner->rows);
	}
	return rows;
}

/* The rows of a side of a join that may have a partner by rule key */
static double
rows_with_partners(JoinCorrection *correction, RelOptInfo *side)
{
	return side->rows * (bms_is_member(correction->facts, side->relids) ?
						 correction->share_of_facts : correction->share_of_other);
}

/* By rule key, at most as many as the smaller side has for partners */
static double
add_by_rule_key(double rows, List *due, RelOptInfo *outer, RelOptInfo *inner)
{
	ListCell   *cell;

	foreach(cell, due)
	{
		JoinCorrection *correction = lfirst(cell);

		if (correction->ec == NULL)
			rows = Max(rows, Min(rows * correction->factor,
								 Min(rows_with_partners(correction, outer),
									 rows_with_partners(correction, inner))));
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
correct_rel(JoinSearch *search, BegunRel *begun, RelOptInfo *outer, RelOptInfo *inner,
			JoinPathExtraData *extra)
{
	RelOptInfo *joinrel = begun->rel;
	List	   *due = due_corrections(search, joinrel, outer, inner, extra->restrictlist);
	double		before = joinrel->rows;
	double		rows;

	if (due == NIL || !are_planners_rows(search->root, joinrel, outer, inner, extra))
		return false;

	/* the planner never expects less than a row, but a factor may be large */
	if (before <= 1)
		before = outer->rows * inner->rows *
			clauselist_selectivity(search->root, extra->restrictlist, 0, JOIN_INNER,
								   extra->sjinfo);
	rows = bound_by_key(before * range_factor(due), due, outer, inner);
	rows = clamp_row_est(add_by_rule_key(rows, due, outer, inner));
	if (rows <= joinrel->rows || before <= 0)
		return false;
	begun->factor = rows / before;
	begun->before = joinrel->rows;
	joinrel->rows = rows;
	return true;
}

bool
blt_join_correct_rows(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel,
					  RelOptInfo *innerrel, JoinType jointype, JoinPathExtraData *extra)
{
	JoinSearch *search = search_of(root);
	BegunRel   *begun;
	bool		is_first;
	bool		is_corrected;
	int			first;

	if (search == NULL || !is_concerned(search, joinrel))
		return false;
	begun = begin_rel(search, joinrel, &is_first);
	is_corrected = is_first && jointype == JOIN_INNER && extra->sjinfo->jointype == JOIN_INNER &&
		correct_rel(search, begun, outerrel, innerrel, extra);
	first = begun->nparameterized;
	if (!is_corrected && (begun->factor == 0 || first == list_length(joinrel->ppilist)))
		return false;
	blt_join_correct_sizes(joinrel, begun->factor, first);
	begun->nparameterized = list_length(joinrel->ppilist);
	if (is_corrected)
		joinrel->pathlist = joinrel->partial_pathlist = NIL;
	else
		joinrel->pathlist = blt_join_without_sizes(joinrel->pathlist, joinrel->ppilist, first);
	add_paths_to_joinrel(root, joinrel, outerrel, innerrel, jointype, extra->sjinfo,
						 extra->restrictlist);
	return true;
}

/*
 * Which joins of the plan have been corrected
 */

/* Does a join relation have these tables, and no others? */
static bool
has_tables(PlannerInfo *root, RelOptInfo *joinrel, List *tables)
{
	int			n = 0;
	int			i = -1;

	while ((i = bms_next_member(joinrel->relids, i)) >= 0)
	{
		/* others are outer joins */
		if (root->simple_rel_array[i] == NULL)
			continue;
		if (!list_member_ptr(tables, planner_rt_fetch(i, root)->eref))
			return false;
		n++;
	}
	return n == list_length(tables);
}

static BegunRel *
corrected_rel_of(JoinSearch *search, List *tables)
{
	BegunRel   *begun;
	HASH_SEQ_STATUS all;

	hash_seq_init(&all, search->begun->rels);
	while ((begun = hash_seq_search(&all)) != NULL)
	{
		if (begun->factor > 0 && has_tables(search->root, begun->rel, tables))
		{
			hash_seq_term(&all);
			return begun;
		}
	}
	return NULL;
}

bool
blt_join_was_corrected(PlannedStmt *stmt, Plan *join, double *before, double *after)
{
	List	   *tables = NIL;
	ListCell   *cell;

	foreach(cell, current == NULL ? NIL : current->searches)
	{
		JoinSearch *search = lfirst(cell);
		BegunRel   *begun;

		if (search->begun == NULL)
			continue;
		if (tables == NIL)
			tables = blt_join_add_tables(NIL, stmt, join);
		begun = corrected_rel_of(search, tables);
		if (begun == NULL)
			continue;
		*before = begun->before;
		*after = begun->rel->rows;
		return true;
	}
	return false;
}
