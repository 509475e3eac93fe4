/*
 * join_plan.c
 *	  Finds hash joins in a plan, decides which get a filter, and changes the
 *	  plan.
 *
 * First all joins are examined, then all probe nodes are inserted, then all
 * build nodes: a scan below Hash may get both.
 *
 * The inner side of a join with a filter must not change while the plan runs:
 * it only depends on stable parameters, and does not have a volatile function.
 * If the join may run again, its inner side must also return the same rows
 * again, since nodes above a probe node may keep what an earlier filter let
 * through.
 */
#include "compat.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "join/join_equality.h"
#include "join/join_filter.h"
#include "join/join_key.h"
#include "join/join_node_plans.h"
#include "join/join_nodes.h"
#include "join/join_partition.h"
#include "join/join_plan.h"
#include "join/join_repeatable.h"
#include "join/join_rows.h"
#include "join/join_settings.h"
#include "join/join_trace.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"

/* Joins with more keys than this are ignored. */
#define MAX_KEYS 8

#define MAX_FILTERS_OF_SCAN 3

/*
 * A scan must be expected to return this many times the rows of the inner
 * side.
 */
#define OUTER_TO_INNER 2

/* A key of a join that can be traced to scans */
typedef struct CandidateKey
{
	JoinKey		inner;
	List	   *origins;		/* of JoinOrigin */
	double	   *outer_distinct; /* of each: values that the inner ones are
								 * among; 0: unknown */
	double		inner_distinct; /* values of the column, 0: unknown */
} CandidateKey;

/* Scans for which the filter of a join is expected to pay */
typedef struct Site
{
	JoinOrigin *origin;			/* of the first key */
	double		pass;			/* expected share of rows that pass */
} Site;

/* A join that may get a filter */
typedef struct Candidate
{
	HashJoin   *join;
	Hash	   *hash;
	int			nkeys;			/* those of the filter */
	CandidateKey *keys[MAX_KEYS];
	List	   *sites;
	int			filter;			/* number, or -1 */
	bool		is_read_ahead;	/* does a scan with the filter end before the
								 * outer side returns a row? */
} Candidate;

/* A filter for a scan */
typedef struct Placement
{
	Candidate  *candidate;
	double		pass;
	bool		is_read_ahead;
	JoinKey		keys[MAX_KEYS];
} Placement;

/* A scan, and its filters, the most selective first */
typedef struct ScanFilters
{
	Plan	  **link;
	int			nplacements;
	Placement	placements[MAX_FILTERS_OF_SCAN];
} ScanFilters;

typedef struct Planning
{
	PlannedStmt *stmt;
	int			max_node_id;
	List	   *candidates;
	List	   *scans;
} Planning;

/* What holds for a part of a plan */
typedef struct Surroundings
{
	Bitmapset  *stable;			/* parameters that do not change */
	JoinRuns	runs;
	bool		is_repeatable;	/* is it known to be, as often as it runs? */
} Surroundings;

static void walk(Planning *planning, Plan **link, Surroundings outside);

/*
 * One join
 */

static double
expected_rows(JoinOrigin *origin)
{
	double		rows = 0;
	ListCell   *cell;

	foreach(cell, origin->targets)
		rows += (*((JoinTarget *) lfirst(cell))->link)->plan_rows;
	return rows;
}

/*
 * Expected rows of the inner side, in all processes that build one hash table
 */
static double
rows_of_hash(Hash *hash)
{
	return hash->plan.parallel_aware ? hash->rows_total : hash->plan.lefttree->plan_rows;
}

/*
 * Do these scans return enough rows, compared with the inner side, for a
 * filter?
 */
static bool
is_large_enough(JoinOrigin *origin, Hash *hash)
{
	double		rows = expected_rows(origin);

	return blt_join_enable == JOIN_ENABLE_FORCE ||
		(rows >= blt_join_min_rows && rows >= OUTER_TO_INNER * rows_of_hash(hash));
}

/* The scan of a table that is not partitioned; else NULL */
static JoinTarget *
only_target(JoinOrigin *origin)
{
	return list_length(origin->targets) == 1 ? linitial(origin->targets) : NULL;
}

/*
 * What statistics show of the values of a column that are found among those
 * of the inner side; 0, if nothing
 */
static double
values_at(PlannedStmt *stmt, JoinOrigin *origin, Hash *hash, RangeTblEntry *inner,
		  AttrNumber inner_attribute)
{
	JoinTarget *target = only_target(origin);
	AttrNumber	attribute;
	RangeTblEntry *outer = target == NULL ? NULL :
		blt_join_source_of_column(stmt, *target->link, target->key.column, &attribute);
	double		values = 0;

	if (outer != NULL && inner != NULL && is_large_enough(origin, hash))
		values = blt_join_values_in_range(outer, attribute, inner, inner_attribute);
	if (values <= 0 && outer != NULL)
		values = blt_join_distinct_values(outer->relid, attribute);
	return values;
}

static void
find_distinct_values(PlannedStmt *stmt, Hash *hash, CandidateKey *key)
{
	AttrNumber	attribute;
	RangeTblEntry *inner = blt_join_source_of_column(stmt, hash->plan.lefttree, key->inner.column,
													 &attribute);

	key->inner_distinct = inner == NULL ? 0 : blt_join_distinct_values(inner->relid, attribute);
	key->outer_distinct = palloc(list_length(key->origins) * sizeof(double));
	for (int i = 0; i < list_length(key->origins); i++)
		key->outer_distinct[i] = values_at(stmt, list_nth(key->origins, i), hash, inner, attribute);
}

/* Fill in a key of a join; returns false if a filter cannot use it. */
static bool
make_key(Planning *planning, HashJoin *join, int number, Surroundings *outside,
		 CandidateKey *key)
{
	Hash	   *hash = (Hash *) join->join.plan.righttree;
	Oid			operator = list_nth_oid(join->hashoperators, number);
	JoinKey		outer;
	Oid			family;

	outer.collation = key->inner.collation = list_nth_oid(join->hashcollations, number);
	outer.column = blt_join_plain_column(list_nth(join->hashkeys, number), OUTER_VAR);
	key->inner.column = blt_join_plain_column(list_nth(hash->hashkeys, number), OUTER_VAR);
	if (outer.column == 0 || key->inner.column == 0 ||
		!blt_join_hash_functions(operator, outer.collation, &family, &outer.function,
								 &key->inner.function))
		return false;
	key->origins = blt_join_trace_scans(planning->stmt, join, &outer, family, outside->stable);
	find_distinct_values(planning->stmt, hash, key);
	return key->origins != NIL;
}

/* The key at a scan, and the number of its origin; NULL, if it is not there */
static JoinTarget *
target_at(CandidateKey *key, Plan **link, int *number)
{
	ListCell   *cell;

	*number = 0;
	foreach(cell, key->origins)
	{
		ListCell   *target;

		foreach(target, ((JoinOrigin *) lfirst(cell))->targets)
		{
			if (((JoinTarget *) lfirst(target))->link == link)
				return lfirst(target);
		}
		(*number)++;
	}
	return NULL;
}

/* Is a key at all these scans? */
static bool
is_at(CandidateKey *key, JoinOrigin *origin)
{
	ListCell   *cell;
	int			number;

	foreach(cell, origin->targets)
	{
		if (target_at(key, ((JoinTarget *) lfirst(cell))->link, &number) == NULL)
			return false;
	}
	return true;
}

/*
 * Expected share of rows whose key is among those of an inner side with this
 * number of rows, by the numbers of distinct values; -1, if they are unknown
 */
static double
expected_pass(CandidateKey **keys, int nkeys, JoinOrigin *origin, double inner_rows)
{
	JoinTarget *target = only_target(origin);
	double		outer = 1;
	double		inner = 1;

	if (target == NULL)
		return -1;
	for (int i = 0; i < nkeys; i++)
	{
		int			number;

		if (target_at(keys[i], target->link, &number) == NULL ||
			keys[i]->outer_distinct[number] <= 0)
			return -1;
		outer *= keys[i]->outer_distinct[number];
		inner *= keys[i]->inner_distinct > 0 ? keys[i]->inner_distinct : inner_rows;
	}
	return Min(Min(inner, inner_rows) / outer, 1);
}

/* The same where only the rows that the planner expects of a join are known */
static double
expected_pass_of_join(HashJoin *join)
{
	double		outer_rows = Max(join->join.plan.lefttree->plan_rows, 1);

	return Min(join->join.plan.plan_rows / outer_rows, 1);
}

/*
 * Choose the key whose filter passes least of some scans, and those that come
 * from the same scans, since one filter of all of these passes less.  Returns
 * false if no scan has enough rows.
 */
static bool
choose_keys(Candidate *candidate, CandidateKey *keys, int nkeys)
{
	double		inner_rows = rows_of_hash(candidate->hash);
	CandidateKey *best = NULL;
	JoinOrigin *best_origin = NULL;
	double		best_pass = 0;

	for (int i = 0; i < nkeys; i++)
	{
		CandidateKey *key = &keys[i];
		ListCell   *cell;

		foreach(cell, key->origins)
		{
			JoinOrigin *origin = lfirst(cell);
			double		pass;

			if (!is_large_enough(origin, candidate->hash))
				continue;
			pass = expected_pass(&key, 1, origin, inner_rows);
			if (best == NULL || (pass >= 0 && (best_pass < 0 || pass < best_pass)))
			{
				best = key;
				best_origin = origin;
				best_pass = pass;
			}
		}
	}
	if (best == NULL)
		return false;
	candidate->keys[candidate->nkeys++] = best;
	for (int i = 0; i < nkeys; i++)
	{
		if (&keys[i] != best && is_at(&keys[i], best_origin))
			candidate->keys[candidate->nkeys++] = &keys[i];
	}
	return true;
}

/* The same for the filter that is chosen, by what is known */
static double
expected_pass_of_filter(Candidate *candidate, JoinOrigin *origin)
{
	double		inner_rows = rows_of_hash(candidate->hash);
	double		pass = expected_pass(candidate->keys, candidate->nkeys, origin, inner_rows);
	double		pass_of_first = expected_pass(candidate->keys, 1, origin, inner_rows);

	if (candidate->nkeys > 1 && pass >= 0 && pass_of_first >= 0)
	{
		/*
		 * columns are not independent, so the pair's estimate is a lower
		 * bound
		 */
		pass = sqrt(pass * pass_of_first);
	}
	return pass >= 0 ? pass : expected_pass_of_join(candidate->join);
}

/* Find the scans for which the filter is right, and expected to pay. */
static void
choose_sites(Candidate *candidate)
{
	ListCell   *cell;

	foreach(cell, candidate->keys[0]->origins)
	{
		JoinOrigin *origin = lfirst(cell);
		bool		is_right = is_large_enough(origin, candidate->hash);
		Site	   *site;

		for (int i = 1; i < candidate->nkeys; i++)
			is_right &= is_at(candidate->keys[i], origin);
		if (!is_right)
			continue;
		site = palloc(sizeof(Site));
		site->origin = origin;
		site->pass = expected_pass_of_filter(candidate, origin);
		if (blt_join_enable == JOIN_ENABLE_FORCE || site->pass <= blt_join_max_pass)
			candidate->sites = lappend(candidate->sites, site);
	}
}

/*
 * May the inner side of a join be known before its outer side is read?  What
 * is known of that side is set.
 */
static bool
has_stable_inner(Planning *planning, Hash *hash, Surroundings *inner)
{
	if (!bms_is_subset(hash->plan.extParam, inner->stable) ||
		!bms_is_subset(hash->plan.lefttree->extParam, inner->stable))
		return false;
	inner->is_repeatable = inner->is_repeatable ||
		blt_join_plan_is_repeatable(planning->stmt, &hash->plan, inner->runs);
	return inner->is_repeatable;
}

static void
consider_join(Planning *planning, HashJoin *join, Surroundings *outside, Surroundings *inner)
{
	Hash	   *hash = (Hash *) join->join.plan.righttree;
	CandidateKey *keys;
	Candidate  *candidate;
	int			nkeys = 0;

	if (!blt_join_drops_outer(join->join.jointype) || !IsA(hash, Hash) ||
		list_length(join->hashkeys) > MAX_KEYS ||
		hash->plan.lefttree == NULL ||
		(blt_join_enable != JOIN_ENABLE_FORCE && rows_of_hash(hash) > blt_join_filter_capacity()))
		return;

	keys = palloc0(MAX_KEYS * sizeof(CandidateKey));
	for (int i = 0; i < list_length(join->hashkeys); i++)
	{
		if (make_key(planning, join, i, outside, &keys[nkeys]))
			nkeys++;
	}
	candidate = palloc0(sizeof(Candidate));
	candidate->join = join;
	candidate->hash = hash;
	candidate->filter = -1;
	if (!choose_keys(candidate, keys, nkeys))
		return;
	choose_sites(candidate);
	if (candidate->sites != NIL && has_stable_inner(planning, hash, inner))
		planning->candidates = lappend(planning->candidates, candidate);
}

/*
 * All joins of a plan
 */

/*
 * Is there no expression, or one whose value stays while the query has its
 * parameters?
 */
static bool
is_constant(Node *expression)
{
	return expression == NULL || IsA(expression, Const) ||
		(IsA(expression, Param) && ((Param *) expression)->paramkind == PARAM_EXTERN);
}

/*
 * A Sort below LIMIT keeps only the rows that are wanted.  A cursor that is
 * moved back to its start computes their number anew; if that is another one,
 * the Sort runs again.
 */
static bool
has_fixed_bounds(Limit *limit)
{
	return is_constant(limit->limitCount) && is_constant(limit->limitOffset);
}

static void
walk_list(Planning *planning, List *plans, Surroundings outside)
{
	ListCell   *cell;

	foreach(cell, plans)
		walk(planning, (Plan **) &lfirst(cell), outside);
}

/* Add the parameters that a node sets, and that keep their values. */
static void
add_stable_parameters(Planning *planning, Plan *plan, Surroundings *outside)
{
	Bitmapset  *stable = bms_copy(outside->stable);
	ListCell   *cell;

	foreach(cell, plan->initPlan)
	{
		SubPlan    *subplan = lfirst_node(SubPlan, cell);
		Plan	   *child = list_nth(planning->stmt->subplans, subplan->plan_id - 1);
		ListCell   *param;

		if (!bms_is_subset(child->extParam, outside->stable) || subplan->parParam != NIL)
			continue;
		foreach(param, subplan->setParam)
			stable = bms_add_member(stable, lfirst_int(param));
	}

	/* these only signal a rescan; rows do not depend on their values */
	if (IsA(plan, Gather) && ((Gather *) plan)->rescan_param >= 0)
		stable = bms_add_member(stable, ((Gather *) plan)->rescan_param);
	if (IsA(plan, GatherMerge) && ((GatherMerge *) plan)->rescan_param >= 0)
		stable = bms_add_member(stable, ((GatherMerge *) plan)->rescan_param);
	if (IsA(plan, LockRows))
		stable = bms_add_member(stable, ((LockRows *) plan)->epqParam);
	if (IsA(plan, ModifyTable))
		stable = bms_add_member(stable, ((ModifyTable *) plan)->epqParam);
	outside->stable = stable;
}

/* A part of a plan runs at least so often. */
static void
set_runs(Surroundings *surroundings, JoinRuns runs)
{
	if (runs > surroundings->runs)
	{
		surroundings->runs = runs;
		surroundings->is_repeatable = false;
	}
}

/*
 * Examine all joins of the plan at a link.  What is below nodes that other
 * libraries run is theirs, such as the plan for EvalPlanQual below a foreign
 * join.
 */
static void
walk(Planning *planning, Plan **link, Surroundings outside)
{
	Plan	   *plan = *link;
	Surroundings right;

	if (plan == NULL)
		return;
	check_stack_depth();
	planning->max_node_id = Max(planning->max_node_id, plan->plan_node_id);
	add_stable_parameters(planning, plan, &outside);
	right = outside;
	switch (nodeTag(plan))
	{
		case T_HashJoin:
			consider_join(planning, (HashJoin *) plan, &outside, &right);
			break;
		case T_NestLoop:
		case T_RecursiveUnion:
			set_runs(&right, JOIN_RUNS_AGAIN);
			break;
		case T_Limit:
			if (!has_fixed_bounds((Limit *) plan))
				set_runs(&outside, JOIN_RUNS_AGAIN);
			break;
		case T_Gather:
		case T_GatherMerge:
			set_runs(&outside, JOIN_RUNS_IN_PROCESSES);
			break;
		case T_Append:
			walk_list(planning, ((Append *) plan)->appendplans, outside);
			break;
		case T_MergeAppend:
			walk_list(planning, ((MergeAppend *) plan)->mergeplans, outside);
			break;
		case T_SubqueryScan:
			walk(planning, &((SubqueryScan *) plan)->subplan, outside);
			break;
		case T_ForeignScan:
		case T_CustomScan:
			return;
		default:
			break;
	}
	walk(planning, &plan->lefttree, outside);
	walk(planning, &plan->righttree, right);
}

/*
 * Numbers of nodes in parts of a plan where walk() does not find a join to
 * change, and which other libraries may own
 */
static void
note_node_ids(Planning *planning, Plan *plan)
{
	ListCell   *cell;
	List	   *children = NIL;

	if (plan == NULL)
		return;
	check_stack_depth();
	planning->max_node_id = Max(planning->max_node_id, plan->plan_node_id);
	switch (nodeTag(plan))
	{
		case T_Append:
			children = ((Append *) plan)->appendplans;
			break;
		case T_MergeAppend:
			children = ((MergeAppend *) plan)->mergeplans;
			break;
		case T_BitmapAnd:
			children = ((BitmapAnd *) plan)->bitmapplans;
			break;
		case T_BitmapOr:
			children = ((BitmapOr *) plan)->bitmapplans;
			break;
		case T_CustomScan:
			children = ((CustomScan *) plan)->custom_plans;
			break;
		case T_SubqueryScan:
			note_node_ids(planning, ((SubqueryScan *) plan)->subplan);
			break;
		default:
			break;
	}
	foreach(cell, children)
		note_node_ids(planning, lfirst(cell));
	note_node_ids(planning, plan->lefttree);
	note_node_ids(planning, plan->righttree);
}

/*
 * Changes of the plan
 */

static ScanFilters *
filters_of_scan(Planning *planning, Plan **link)
{
	ScanFilters *scan;
	ListCell   *cell;

	foreach(cell, planning->scans)
	{
		scan = lfirst(cell);
		if (scan->link == link)
			return scan;
	}
	scan = palloc0(sizeof(ScanFilters));
	scan->link = link;
	planning->scans = lappend(planning->scans, scan);
	return scan;
}

/*
 * Place a filter at a scan, by its expected share, if the scan has room for
 * it.
 */
static void
place(ScanFilters *scan, Placement placement)
{
	for (int i = 0; i < scan->nplacements; i++)
	{
		if (placement.pass < scan->placements[i].pass)
		{
			Placement	next = scan->placements[i];

			scan->placements[i] = placement;
			placement = next;
		}
	}
	if (scan->nplacements < MAX_FILTERS_OF_SCAN)
		scan->placements[scan->nplacements++] = placement;
}

static void
place_candidate(Planning *planning, Candidate *candidate)
{
	ListCell   *cell;

	foreach(cell, candidate->sites)
	{
		Site	   *site = lfirst(cell);
		Placement	placement = {.candidate = candidate,.pass = site->pass};
		ListCell   *target;

		placement.is_read_ahead = site->origin->is_read_ahead;
		foreach(target, site->origin->targets)
		{
			Plan	  **link = ((JoinTarget *) lfirst(target))->link;
			int			number;

			for (int i = 0; i < candidate->nkeys; i++)
				placement.keys[i] = target_at(candidate->keys[i], link, &number)->key;
			place(filters_of_scan(planning, link), placement);
		}
	}
}

/* The number of a candidate's filter: that of a parameter of the executor */
static int
filter_number(Planning *planning, Candidate *candidate)
{
	PlannedStmt *stmt = planning->stmt;

	if (candidate->filter < 0)
	{
		candidate->filter = list_length(stmt->paramExecTypes);
		stmt->paramExecTypes = lappend_oid(stmt->paramExecTypes, INTERNALOID);
	}
	return candidate->filter;
}

static void
insert_node(Planning *planning, Plan **link, CustomScan *node)
{
	node->scan.plan.plan_node_id = ++planning->max_node_id;
	*link = &node->scan.plan;
}

static void
insert_probe(Planning *planning, JoinPartitions *partitions, ScanFilters *scan)
{
	CustomScan *probe = blt_join_make_probe(*scan->link);
	double	   *rows = &probe->scan.plan.plan_rows;

	for (int i = 0; i < scan->nplacements; i++)
	{
		Placement  *placement = &scan->placements[i];
		Candidate  *candidate = placement->candidate;
		JoinNodeFilter filter = {.number = filter_number(planning, candidate)};

		filter.keys = blt_join_keys_to_list(placement->keys, candidate->nkeys);
		filter.expected = *rows = Max(*rows * placement->pass, 1);
		if (candidate->nkeys == 1)
			filter.bounds = blt_join_partition_bounds(partitions, *scan->link,
													  &placement->keys[0]);
		blt_join_add_node_filter(probe, &filter);
		candidate->is_read_ahead |= placement->is_read_ahead;
	}
	*rows = rint(*rows);
	insert_node(planning, scan->link, probe);
}

/* Several processes may build the hash table, and the filter, together. */
static void
insert_build(Planning *planning, Candidate *candidate)
{
	Plan	  **link = &candidate->hash->plan.lefttree;
	CustomScan *build = blt_join_make_build(*link);
	JoinNodeFilter filter = {.number = candidate->filter};
	JoinKey		keys[MAX_KEYS];
	double		before;
	double		after;

	for (int i = 0; i < candidate->nkeys; i++)
		keys[i] = candidate->keys[i]->inner;
	filter.keys = blt_join_keys_to_list(keys, candidate->nkeys);
	filter.expected = rows_of_hash(candidate->hash);
	blt_join_add_node_filter(build, &filter);
	build->scan.plan.parallel_aware = candidate->hash->plan.parallel_aware;
	if (blt_join_was_corrected(planning->stmt, &candidate->join->join.plan, &before, &after))
		blt_join_note_correction(build, before, after);
	insert_node(planning, link, build);
}

/*
 * A hash join fetches an outer row before it builds its hash table, if the
 * outer side seems to begin sooner than the table is built.  What is read
 * ahead until then is not filtered.  So the outer side begins later.
 */
static void
build_first(Candidate *candidate)
{
	Plan	   *outer = candidate->join->join.plan.lefttree;

	outer->startup_cost = Max(outer->startup_cost, candidate->hash->plan.total_cost);
	outer->total_cost = Max(outer->total_cost, outer->startup_cost);
}

static void
change_plan(Planning *planning)
{
	JoinPartitions *partitions = blt_join_open_partitions(planning->stmt);
	ListCell   *cell;

	foreach(cell, planning->candidates)
		place_candidate(planning, lfirst(cell));
	foreach(cell, planning->scans)
		insert_probe(planning, partitions, lfirst(cell));
	blt_join_close_partitions(partitions);
	foreach(cell, planning->candidates)
	{
		Candidate  *candidate = lfirst(cell);

		/* otherwise, all its scans have enough filters */
		if (candidate->filter >= 0)
			insert_build(planning, candidate);
		if (candidate->is_read_ahead)
			build_first(candidate);
	}
}

void
blt_join_add_filters(PlannedStmt *stmt)
{
	Planning	planning = {.stmt = stmt};
	Surroundings top = {.stable = NULL,.runs = JOIN_RUNS_ONCE};
	Surroundings subplan = {.stable = NULL,.runs = JOIN_RUNS_AGAIN};

	if (stmt->planTree == NULL)
		return;
	walk(&planning, &stmt->planTree, top);
	walk_list(&planning, stmt->subplans, subplan);
	if (planning.candidates != NIL)
	{
		ListCell   *cell;

		note_node_ids(&planning, stmt->planTree);
		foreach(cell, stmt->subplans)
			note_node_ids(&planning, lfirst(cell));
		change_plan(&planning);
	}
}
