/*
 * join_candidate.c
 *	  Decides by keys, sizes and statistics whether a hash join gets a filter.
 *
 * The inner side of a join with a filter must not change while the plan runs:
 * it only depends on stable parameters, and does not have a volatile function.
 * If the join may run again, its inner side must also return the same rows
 * again, since nodes above a probe node may keep what an earlier filter let
 * through.
 */
#include "compat.h"

#include <math.h>

#include "join/join_candidate.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "join/join_column.h"
#include "join/join_filter.h"
#include "join/join_settings.h"
#include "join/plan_nodes.h"
#include "optimizer/optimizer.h"
#include "statistics/column_statistics.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* A scan must be expected to return this many times the inner side's rows. */
#define OUTER_TO_INNER 2

/*
 * The part of max_pass for a filter with a key that is not an integer: hashing
 * it takes as long as much of what the join does, and both do so.
 */
#define PASS_OF_DEAR_KEYS 0.5

/*
 * What a probe node must save each time that a nested loop runs it again, in
 * units of cpu_tuple_cost: twice what that was measured to cost
 */
#define GAIN_OF_RUN 2

/* A key of a join that can be traced to scans */
typedef struct CandidateKey
{
	JoinKey		inner;
	List	   *tables;			/* of JoinTable */
	List	   *targets;		/* those of all tables, sorted */
	double		inner_distinct; /* values of the column, 0: unknown */
} CandidateKey;

/*
 * Statistics of columns
 */

static HeapTuple
statistics_of(Oid table, AttrNumber column)
{
	return SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(table), Int16GetDatum(column),
						   BoolGetDatum(false));
}

/*
 * Expected number of distinct values in a table's column, according to its
 * statistics; 0 if unknown.
 */
static double
distinct_values(Oid table, AttrNumber column)
{
	HeapTuple	statistics = statistics_of(table, column);
	HeapTuple	class;
	double		distinct;

	if (!HeapTupleIsValid(statistics))
		return 0;
	distinct = ((Form_pg_statistic) GETSTRUCT(statistics))->stadistinct;
	ReleaseSysCache(statistics);
	if (distinct >= 0)
		return distinct;

	class = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
	if (!HeapTupleIsValid(class))
		return 0;
	distinct *= -Max(((Form_pg_class) GETSTRUCT(class))->reltuples, 0);
	ReleaseSysCache(class);
	return distinct;
}

/* How values are spread; false if that is unknown */
static bool
read_values(Oid table, AttrNumber column, ColumnStatistics *values)
{
	HeapTuple	statistics = statistics_of(table, column);

	memset(values, 0, sizeof(*values));
	if (!HeapTupleIsValid(statistics))
		return false;
	blt_statistics_read(statistics, values);
	ReleaseSysCache(statistics);
	return values->all.nvalues > 0;
}

/* The correlation of a column with the order of its table; 0 if unknown */
static double
order_of(Oid table, AttrNumber column)
{
	HeapTuple	statistics = statistics_of(table, column);
	double		correlation;

	if (!HeapTupleIsValid(statistics))
		return 0;
	correlation = blt_statistics_correlation(statistics);
	ReleaseSysCache(statistics);
	return correlation;
}

/*
 * The conditions of a scan, on columns of its table.  An index-only scan has
 * them on columns of the index.
 */
static List *
conditions_of(Plan *scan)
{
	uint16		conditions = blt_join_plan_node(scan)->conditions;

	return conditions == 0 ? scan->qual :
		list_concat_copy(scan->qual, BLT_JOIN_MEMBER(List *, scan, conditions));
}

/*
 * Does a scan select rows by a column that is in the order of a key, such as
 * the year beside the day?  Then their keys are side by side.
 */
static bool
selects_range(Plan *scan, Oid table, AttrNumber key)
{
	double		order = order_of(table, key);
	ListCell   *cell;

	foreach(cell, order == 0 ? NIL : pull_var_clause((Node *) conditions_of(scan), 0))
	{
		Var		   *var = lfirst_node(Var, cell);

		if (var->varno == (int) ((Scan *) scan)->scanrelid && var->varattno > 0 &&
			blt_statistics_same_order(order, order_of(table, var->varattno)))
			return true;
	}
	return false;
}

/*
 * The number of values of a key, each of which another table has once, where a
 * column has a part of them: rows of the other table, divided by this, are the
 * share of the column's rows that have a partner.  If the scan of the other
 * table selects a range of the key, it is those in the range of the column's
 * values, else all of them.  0 if it is unknown, or the column has most.
 */
static double
values_of_key(Oid table, AttrNumber column, Oid other, AttrNumber key, Plan *scan)
{
	double		distinct = distinct_values(other, key);
	ColumnStatistics values;
	ColumnStatistics keys;
	double		part;

	if (distinct <= 0 || !read_values(table, column, &values) || !read_values(other, key, &keys))
		return 0;
	part = blt_statistics_part_used(&keys.all, &values.all);
	return part > 0 && !selects_range(scan, other, key) ? distinct : distinct * part;
}

/*
 * Keys and their scans
 */

/*
 * Do these scans return enough rows, compared with the inner side, for a
 * filter?
 */
static bool
is_large_enough(const JoinCandidate *candidate, JoinTable *table)
{
	double		rows = 0;
	ListCell   *cell;

	foreach(cell, table->targets)
	{
		JoinTarget *target = lfirst(cell);

		rows += target->runs * (*target->link)->plan_rows;
	}
	/* below a Hash or a Sort, all rows are read */
	if (!table->is_read_ahead)
		rows *= candidate->share;
	return candidate->is_forced ||
		(rows >= blt_join_min_rows && rows >= OUTER_TO_INNER * candidate->inner_rows);
}

/* The scan of a table that is not partitioned; else NULL */
static JoinTarget *
only_target(JoinTable *table)
{
	return list_length(table->targets) == 1 ? linitial(table->targets) : NULL;
}

/*
 * What statistics show of the values of a column among which those of the
 * inner side are; 0, if nothing
 */
static double
values_at(PlannedStmt *stmt, const JoinCandidate *candidate, JoinTable *table, Plan *inner,
		  AttrNumber inner_attribute)
{
	JoinTarget *target = only_target(table);
	AttrNumber	attribute;
	Plan	   *outer = target == NULL ? NULL :
		blt_join_source_of_column(*target->link, target->key.column, &attribute);
	Oid			relation;
	double		values = 0;

	if (outer == NULL)
		return 0;
	relation = blt_join_table_of(stmt, outer);
	if (inner != NULL && is_large_enough(candidate, table))
		values = values_of_key(relation, attribute, blt_join_table_of(stmt, inner),
							   inner_attribute, inner);
	return values > 0 ? values : distinct_values(relation, attribute);
}

static void
find_distinct_values(PlannedStmt *stmt, const JoinCandidate *candidate, CandidateKey *key)
{
	AttrNumber	attribute;
	Plan	   *inner = blt_join_source_of_column(candidate->hash->plan.lefttree, key->inner.column,
												  &attribute);
	ListCell   *cell;

	key->inner_distinct = inner == NULL ? 0 :
		distinct_values(blt_join_table_of(stmt, inner), attribute);
	foreach(cell, key->tables)
	{
		JoinTable  *table = lfirst(cell);

		/* values that the inner ones are among; 0: unknown */
		table->distinct = values_at(stmt, candidate, table, inner, attribute);
	}
}

/* By where their parents keep them */
static int
compare_targets(const ListCell *a, const ListCell *b)
{
	uintptr_t	first = (uintptr_t) ((JoinTarget *) lfirst(a))->link;
	uintptr_t	second = (uintptr_t) ((JoinTarget *) lfirst(b))->link;

	return first < second ? -1 : first > second;
}

/* The key at a scan; NULL, if it is not there */
static JoinTarget *
target_at(const CandidateKey *key, Plan **link)
{
	JoinTarget	wanted = {.link = link};
	ListCell	cell = {.ptr_value = &wanted};
	ListCell   *found = bsearch(&cell, key->targets->elements, list_length(key->targets),
								sizeof(ListCell),
								(int (*) (const void *, const void *)) compare_targets);

	return found == NULL ? NULL : lfirst(found);
}

/* Fill in a key of a join; returns false if a filter cannot use it. */
static bool
make_key(PlannedStmt *stmt, const JoinCandidate *candidate, int number, CandidateKey *key)
{
	HashJoin   *join = candidate->join;
	Oid			operator = list_nth_oid(join->hashoperators, number);
	JoinKey		outer;
	Oid			family;
	ListCell   *cell;

	outer.collation = key->inner.collation = list_nth_oid(join->hashcollations, number);
	outer.column = blt_join_plain_column(list_nth(join->hashkeys, number), OUTER_VAR);
	key->inner.column = blt_join_plain_column(list_nth(candidate->hash->hashkeys, number), OUTER_VAR);
	/* hashing such a text takes longer than all else that the join does */
	if (!candidate->is_forced && OidIsValid(outer.collation) &&
		!get_collation_isdeterministic(outer.collation))
		return false;
	if (outer.column == 0 || key->inner.column == 0 ||
		!blt_join_hash_functions(operator, outer.collation, &family, &outer.function,
								 &key->inner.function))
		return false;
	key->tables = blt_join_trace_scans(stmt, join, &outer, family);
	foreach(cell, key->tables)
		key->targets = list_concat(key->targets, ((JoinTable *) lfirst(cell))->targets);
	list_sort(key->targets, compare_targets);
	find_distinct_values(stmt, candidate, key);
	return key->tables != NIL;
}

/* Is a key at all these scans? */
static bool
is_at(CandidateKey *key, JoinTable *table)
{
	ListCell   *cell;

	foreach(cell, table->targets)
	{
		if (target_at(key, ((JoinTarget *) lfirst(cell))->link) == NULL)
			return false;
	}
	return true;
}

/*
 * Expected share of rows whose key is among those of an inner side with this
 * number of rows, by the numbers of distinct values; -1, if they are unknown
 */
static double
expected_pass(CandidateKey **keys, int nkeys, JoinTable *table, double inner_rows)
{
	JoinTarget *target = only_target(table);
	double		outer = 1;
	double		inner = 1;

	if (target == NULL)
		return -1;
	for (int i = 0; i < nkeys; i++)
	{
		JoinTarget *of_key = target_at(keys[i], target->link);

		if (of_key == NULL || of_key->table->distinct <= 0)
			return -1;
		outer *= of_key->table->distinct;
		inner *= keys[i]->inner_distinct > 0 ? keys[i]->inner_distinct : inner_rows;
	}
	return Min(Min(inner, inner_rows) / outer, 1);
}

/*
 * Choose the key whose filter passes least of some scans, and those that come
 * from the same scans, since one filter of all of these passes less.  Returns
 * false if no scan has enough rows.
 */
static bool
choose_keys(JoinCandidate *candidate, CandidateKey *keys, int nkeys)
{
	double		inner_rows = candidate->inner_rows;
	CandidateKey *best = NULL;
	JoinTable  *best_table = NULL;
	double		best_pass = 0;

	for (int i = 0; i < nkeys; i++)
	{
		CandidateKey *key = &keys[i];
		ListCell   *cell;

		foreach(cell, key->tables)
		{
			JoinTable  *table = lfirst(cell);
			double		pass;

			if (!is_large_enough(candidate, table))
				continue;
			pass = expected_pass(&key, 1, table, inner_rows);
			if (best == NULL || (pass >= 0 && (best_pass < 0 || pass < best_pass)))
			{
				best = key;
				best_table = table;
				best_pass = pass;
			}
		}
	}
	if (best == NULL)
		return false;
	candidate->keys[candidate->nkeys++] = best;
	for (int i = 0; i < nkeys; i++)
	{
		if (&keys[i] != best && is_at(&keys[i], best_table))
			candidate->keys[candidate->nkeys++] = &keys[i];
	}
	return true;
}

/* The same for the filter that is chosen, by what is known */
static double
expected_pass_of_filter(JoinCandidate *candidate, JoinTable *table)
{
	Plan	   *join = &candidate->join->join.plan;
	double		inner_rows = candidate->inner_rows;
	double		pass = expected_pass(candidate->keys, candidate->nkeys, table, inner_rows);
	double		pass_of_first = expected_pass(candidate->keys, 1, table, inner_rows);

	if (candidate->nkeys > 1 && pass >= 0 && pass_of_first >= 0)
	{
		/*
		 * columns are not independent, so the pair's estimate is a lower
		 * bound
		 */
		pass = sqrt(pass * pass_of_first);
	}
	/* else only the rows that the planner expects of the join are known */
	return pass >= 0 ? pass :
		Min(join->plan_rows / Max(join->lefttree->plan_rows, 1), 1);
}

/* The largest share of rows that the filter may be expected to pass */
static double
max_pass(JoinCandidate *candidate)
{
	for (int i = 0; i < candidate->nkeys; i++)
	{
		if (blt_join_integer_of(candidate->keys[i]->inner.function) == JOIN_NOT_INTEGER)
			return blt_join_max_pass * PASS_OF_DEAR_KEYS;
	}
	return blt_join_max_pass;
}

/* Do the joins above save enough by the rows that are dropped? */
static bool
pays_for_runs(JoinTable *table)
{
	double		gain = 0;
	ListCell   *cell;

	foreach(cell, table->targets)
	{
		JoinTarget *target = lfirst(cell);

		gain += target->runs * (*target->link)->plan_rows * (1 - table->pass) * target->row_cost;
		if (target->runs > 1)
			gain -= target->runs * GAIN_OF_RUN * cpu_tuple_cost;
	}
	return gain >= 0;
}

/*
 * Would a scan that is read ahead have the inner side read first, though it is
 * dearer than all of the outer side?  Without the filter, it would not be read
 * at all if the outer side were empty.
 */
static bool
is_too_dear_ahead(JoinCandidate *candidate, JoinTable *table)
{
	return table->is_read_ahead &&
		candidate->hash->plan.total_cost > candidate->join->join.plan.lefttree->total_cost;
}

/* Find the scans for which the filter is right, and expected to pay. */
static void
choose_sites(JoinCandidate *candidate)
{
	ListCell   *cell;

	foreach(cell, candidate->keys[0]->tables)
	{
		JoinTable  *table = lfirst(cell);
		bool		is_right = is_large_enough(candidate, table);

		for (int i = 1; i < candidate->nkeys; i++)
			is_right &= is_at(candidate->keys[i], table);
		if (!is_right)
			continue;
		table->pass = expected_pass_of_filter(candidate, table);
		if (candidate->is_forced ||
			(table->pass <= max_pass(candidate) && !is_too_dear_ahead(candidate, table) &&
			 pays_for_runs(table)))
			candidate->sites = lappend(candidate->sites, table);
	}
}

/*
 * May the inner side of a join be known before its outer side is read?  What
 * is known of that side is set.
 */
static bool
has_stable_inner(PlannedStmt *stmt, Hash *hash, JoinSurroundings *inner)
{
	if (!bms_is_subset(hash->plan.extParam, inner->stable) ||
		!bms_is_subset(hash->plan.lefttree->extParam, inner->stable))
		return false;
	inner->is_repeatable = inner->is_repeatable ||
		blt_join_plan_is_repeatable(stmt, &hash->plan, inner->runs);
	return inner->is_repeatable;
}

JoinCandidate *
blt_join_consider(PlannedStmt *stmt, HashJoin *join, JoinSurroundings *inner, bool is_forced)
{
	Hash	   *hash = (Hash *) join->join.plan.righttree;
	CandidateKey *keys;
	JoinCandidate *candidate;
	double		inner_rows;
	int			nkeys = 0;

	if (!blt_join_drops_outer(join->join.jointype) || !IsA(hash, Hash) ||
		list_length(join->hashkeys) > JOIN_MAX_KEYS ||
		hash->plan.lefttree == NULL)
		return NULL;
	inner_rows = hash->plan.parallel_aware ? hash->rows_total : hash->plan.lefttree->plan_rows;
	if (!is_forced && inner_rows > blt_join_filter_capacity())
		return NULL;

	candidate = palloc0(sizeof(JoinCandidate));
	candidate->join = join;
	candidate->hash = hash;
	candidate->is_forced = is_forced;
	candidate->number = -1;
	candidate->share = inner->share;
	candidate->inner_rows = inner_rows;
	keys = palloc0(JOIN_MAX_KEYS * sizeof(CandidateKey));
	for (int i = 0; i < list_length(join->hashkeys); i++)
	{
		if (make_key(stmt, candidate, i, &keys[nkeys]))
			nkeys++;
	}
	if (!choose_keys(candidate, keys, nkeys))
		return NULL;
	choose_sites(candidate);
	return candidate->sites != NIL && has_stable_inner(stmt, hash, inner) ? candidate : NULL;
}

List *
blt_join_keys_at_scan(const JoinCandidate *candidate, Plan **link)
{
	List	   *keys = NIL;

	for (int i = 0; i < candidate->nkeys; i++)
		keys = lappend(keys, blt_join_key_to_list(&target_at(candidate->keys[i], link)->key));
	return keys;
}

List *
blt_join_inner_keys(const JoinCandidate *candidate)
{
	List	   *keys = NIL;

	for (int i = 0; i < candidate->nkeys; i++)
		keys = lappend(keys, blt_join_key_to_list(&candidate->keys[i]->inner));
	return keys;
}
