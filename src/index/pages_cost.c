/*
 * page_index_cost.c
 *	  What a scan costs.
 *
 * An absent key costs the pages of the index that are read: one of each
 * super-group, and those of the groups that it leaves.  A key that is present
 * costs ranges: one or more, of which all pages are read and all rows
 * compared.
 *
 * The planner prices pages of the table as if the rows that an index selects
 * were thrown over them at random, and these come as whole ranges, of which
 * all pages but the first cost little.  So the selectivity returned is not
 * that of the key, but the one that gives the right price.
 */
#include "compat.h"

#include <math.h>

#include "access/genam.h"
#include "catalog/pg_statistic.h"
#include "index/pages_am.h"
#include "index/pages_storage.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"
#include "utils/syscache.h"

/* CPU time of a page of the index, in operators, as for that of a b-tree. */
#define PAGE_OPERATORS	50.0

/* What one search of the index is expected to read. */
typedef struct SearchCost
{
	double		index_pages;
	double		ranges;			/* of the table */
	double		range_pages;	/* in each */
} SearchCost;

/* Searches of an = ANY (...), each of which the executor makes by itself. */
static double
count_searches(PlannerInfo *root, List *quals)
{
	double		nsearches = 1.0;
	ListCell   *lc;

	foreach(lc, quals)
	{
		RestrictInfo *qual = lfirst_node(RestrictInfo, lc);

		if (IsA(qual->clause, ScalarArrayOpExpr))
		{
			Node	   *array = lsecond(((ScalarArrayOpExpr *) qual->clause)->args);

			nsearches *= Max(1.0, blt_estimate_array_length(root, array));
		}
	}
	return nsearches;
}

/*
 * The correlation of a column's values with the order of rows, squared.
 * Without statistics, 1: the rows of a key are as many as the planner assumes,
 * one in 200, but those who made the index know that it has few of them.
 */
static double
squared_correlation(PlannerInfo *root, const IndexOptInfo *index)
{
	const bool	is_column = index->indexkeys[0] != 0;
	HeapTuple	tuple = SearchSysCache3(STATRELATTINH,
										ObjectIdGetDatum(is_column ?
														 planner_rt_fetch(index->rel->relid, root)->relid :
														 index->indexoid),
										Int16GetDatum(is_column ? index->indexkeys[0] : 1),
										BoolGetDatum(false));
	AttStatsSlot slot;
	double		correlation = 0.0;

	if (!HeapTupleIsValid(tuple))
		return 1.0;
	if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_CORRELATION, InvalidOid,
						 ATTSTATSSLOT_NUMBERS))
	{
		if (slot.nnumbers == 1)
			correlation = slot.numbers[0];
		free_attstatsslot(&slot);
	}
	ReleaseSysCache(tuple);
	return correlation * correlation;
}

/*
 * Ranges that have some rows of a key: between all of its rows side by side,
 * and each in a range at random.
 */
static double
ranges_of_rows(double rows, double nranges, double rows_per_range, double correlation)
{
	const double scattered = nranges * (1.0 - pow(1.0 - 1.0 / nranges, rows));
	const double together = Min(scattered, ceil(rows / Max(rows_per_range, 1.0)));

	return correlation * together + (1.0 - correlation) * scattered;
}

/* The metadata of an index, or of none, which is as one just built. */
static void
get_meta(const IndexOptInfo *index, BbfPagesMeta *meta)
{
	Relation	relation;

	if (index->hypothetical)
	{
		memset(meta, 0, sizeof(*meta));
		meta->pages_per_range = bbf_pages_best_range(index->rel->pages);
		meta->ncolumns = bbf_pages_columns(PAGES_CONTENTS_BYTES);
		meta->false_ranges = PAGES_DEFAULT_FALSE_RANGES;
		meta->ngroups = bbf_pages_group(meta, index->rel->pages / meta->pages_per_range) + 1;
		meta->nepochs = 1;
		if (index->rel->pages / meta->pages_per_range >= BBF_PAGES_SINGLE_LEVEL * meta->ncolumns)
			meta->epochs[0].width = meta->ncolumns;
		return;
	}
	/* the planner has locked it */
	relation = index_open(index->indexoid, NoLock);
	blt_pages_get_meta(relation, 0, meta);
	index_close(relation, NoLock);
}

/*
 * Pages that are read for one key in an index for so many ranges, of which
 * some have it.
 */
static double
pages_of_ranges(const BbfPagesMeta *meta, double nranges, double ranges_with_key)
{
	const double rate = bbf_pages_upper_rate(meta->false_ranges, nranges);
	const uint32 ngroups_of_table = bbf_pages_group(meta, (uint32) nranges - 1) + 1;
	double		npages = 0.0;
	double		ngroups = 0.0;	/* with a second level */

	for (uint32 i = 0; i < meta->nepochs; i++)
	{
		const BbfPagesEpoch *epoch = &meta->epochs[i];
		const uint32 end = Min(bbf_pages_epoch_end(meta, epoch), ngroups_of_table);
		const double n = Max((double) end - epoch->first_group, 0.0);

		npages += epoch->width > 0 ? ceil(n / epoch->width) : n;
		ngroups += epoch->width > 0 ? n : 0.0;
	}
	return npages + ngroups * rate + Min(ranges_with_key, ngroups);
}

static SearchCost
cost_search(PlannerInfo *root, const IndexOptInfo *index, double rows)
{
	const double table_pages = Max(index->rel->pages, 1.0);
	const double table_rows = Max(index->rel->tuples, 1.0);
	BbfPagesMeta meta;
	SearchCost	cost;
	double		nranges;
	double		found;

	get_meta(index, &meta);
	nranges = ceil(table_pages / meta.pages_per_range);
	cost.range_pages = Min(meta.pages_per_range, table_pages);
	found = ranges_of_rows(rows, nranges, table_rows / nranges,
						   squared_correlation(root, index));
	cost.ranges = Min(found + meta.false_ranges, nranges);
	cost.index_pages = pages_of_ranges(&meta, nranges, found);
	return cost;
}

/*
 * The selectivity for which cost_bitmap_heap_scan() fetches so many pages of a
 * table: the reverse of its formula.
 */
static double
selectivity_of_pages(const IndexOptInfo *index, double pages)
{
	const double table_pages = Max(index->rel->pages, 1.0);
	double		rows;

	pages = Min(pages, 0.99 * table_pages);
	rows = 2.0 * table_pages * pages / (2.0 * table_pages - pages);
	return Min(rows / Max(index->rel->tuples, 1.0), 1.0);
}

/*
 * What cost_bitmap_heap_scan() charges too little for pages of a table: if
 * many of them are read, one after the other, less than for a sequential scan
 * of as many.
 */
static double
missing_cost(const IndexOptInfo *index, double pages, double priced_pages, double random_cost,
			 double seq_cost)
{
	const double share = Min(priced_pages / Max(index->rel->pages, 1.0), 1.0);
	const double price = random_cost - (random_cost - seq_cost) * sqrt(share);

	return Max(pages * seq_cost - priced_pages * price, 0.0);
}

/*
 * CPU time for reading all rows in some ranges, beyond what the planner adds
 * for those that are selected.  It is twice that of a sequential scan, which
 * takes the rows of an all-visible page as they are, where these are tested
 * one by one; 1.7 times was measured.
 */
static double
recheck_cost(PlannerInfo *root, const IndexOptInfo *index, List *quals, double pages,
			 double selected)
{
	double		rows = index->rel->tuples * pages / Max(index->rel->pages, 1.0) - selected;
	QualCost	qual_cost;

	cost_qual_eval(&qual_cost, quals, root);
	return Max(rows, 0.0) * (2.0 * cpu_tuple_cost + qual_cost.per_tuple);
}

void
blt_pages_cost(struct PlannerInfo *root, struct IndexPath *path, double loop_count,
			   Cost *startup_cost, Cost *total_cost, Selectivity *selectivity,
			   double *correlation, double *pages)
{
	const IndexOptInfo *index = path->indexinfo;
	List	   *quals = get_quals_from_indexclauses(path->indexclauses);
	const double nsearches = count_searches(root, quals);
	const double rows = index->rel->tuples *
		clauselist_selectivity(root, quals, index->rel->relid, JOIN_INNER, NULL);
	double		index_random_cost;
	double		random_cost;
	double		seq_cost;
	SearchCost	search = cost_search(root, index, rows / nsearches);
	double		index_pages = search.index_pages * nsearches;
	double		table_pages = Min(search.ranges * search.range_pages * nsearches,
								  Max(index->rel->pages, 1.0));
	double		priced_pages;

	get_tablespace_page_costs(index->reltablespace, &index_random_cost, NULL);
	get_tablespace_page_costs(index->rel->reltablespace, &random_cost, &seq_cost);

	/* repeated searches find pages in the cache */
	if (loop_count > 1.0)
		index_pages = index_pages_fetched(index_pages * loop_count, index->pages,
										  index->pages, root) / loop_count;

	/* the first page of a range is found at random, the others follow it */
	priced_pages = table_pages *
		(1.0 + (search.range_pages - 1.0) * seq_cost / random_cost) / search.range_pages;
	*selectivity = selectivity_of_pages(index, priced_pages);

	*startup_cost = index_other_operands_eval_cost(root, quals) * nsearches;
	*total_cost = *startup_cost + index_pages * index_random_cost +
		search.index_pages * nsearches * PAGE_OPERATORS * cpu_operator_cost +
		recheck_cost(root, index, quals, table_pages, *selectivity * index->rel->tuples);
	if (loop_count <= 1.0)
		*total_cost += missing_cost(index, table_pages, priced_pages, random_cost, seq_cost);
	*correlation = 0.0;
	*pages = index->pages;
}
