/*
 * pages_cost.c
 *	  What a scan costs.
 *
 * An absent key costs the pages of the index that are read: one of each
 * super-group, and those of the groups that it leaves.  A key that is present
 * costs ranges: one or more, of which all pages are read and all rows
 * compared.
 *
 * The selectivity returned is the share of rows that have the key, as a
 * BitmapAnd multiplies it.  The planner prices pages of the table as if these
 * rows were thrown over them at random, but they come as whole ranges, of
 * which all pages but the first cost little.  What is missing is part of the
 * cost of the index.  Where rows are side by side, that price would be too
 * high, and the selectivity returned is the one that gives the right price.
 */
#include "compat.h"

#include <math.h>

#include "access/genam.h"
#include "catalog/pg_statistic.h"
#include "index/pages_am.h"
#include "index/pages_storage.h"
#include "index/pages_tuning.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"
#include "utils/syscache.h"

/* What one search of the index is expected to read. */
typedef struct SearchCost
{
	double		index_pages;
	double		ranges;			/* of the table */
	double		range_pages;	/* in each */
	double		nranges;		/* that the table has */
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

/* The metadata of an index, which the planner has locked. */
static void
get_meta(const IndexOptInfo *index, BbfPagesMeta *meta)
{
	Relation	relation = index_open(index->indexoid, NoLock);

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
	const double rate = bbf_pages_upper_rate(meta, nranges);
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
cost_search(PlannerInfo *root, const IndexOptInfo *index, const BbfPagesMeta *meta, double rows)
{
	const double table_pages = Max(index->rel->pages, 1.0);
	const double table_rows = Max(index->rel->tuples, 1.0);
	SearchCost	cost;
	double		found;

	cost.nranges = ceil(table_pages / meta->pages_per_range);
	cost.range_pages = Min(meta->pages_per_range, table_pages);
	found = ranges_of_rows(rows, cost.nranges, table_rows / cost.nranges,
						   squared_correlation(root, index));
	cost.ranges = Min(found + meta->false_ranges, cost.nranges);
	cost.index_pages = pages_of_ranges(meta, cost.nranges, found);
	return cost;
}

/* Pages of the table that so many searches read, each in ranges at random. */
static double
pages_of_searches(const IndexOptInfo *index, const SearchCost *search, double nsearches)
{
	const double ranges = search->nranges *
		(1.0 - pow(1.0 - search->ranges / search->nranges, nsearches));

	return Min(ranges * search->range_pages, Max(index->rel->pages, 1.0));
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
 * What cost_bitmap_heap_scan() charges for the pages of so many rows, in each
 * of some scans.
 */
static double
price_of_rows(PlannerInfo *root, const IndexOptInfo *index, double rows, double loop_count,
			  double random_cost, double seq_cost)
{
	const double table_pages = Max(index->rel->pages, 1.0);
	double		pages;

	rows = clamp_row_est(rows);
	if (loop_count > 1.0)
		pages = index_pages_fetched(rows * loop_count, index->rel->pages, index->pages,
									root) / loop_count;
	else
		pages = 2.0 * table_pages * rows / (2.0 * table_pages + rows);
	pages = Min(ceil(pages), table_pages);
	if (pages < 2.0)
		return pages * random_cost;
	return pages * (random_cost - (random_cost - seq_cost) * sqrt(pages / table_pages));
}

/*
 * What cost_bitmap_heap_scan() charges too little for pages of a table, in
 * ranges, when it is told the selectivity of a key, or a smaller one if that
 * would be too much.  It charges less for many pages that are read one after
 * the other than for a sequential scan of as many.
 */
static double
missing_cost(PlannerInfo *root, const IndexOptInfo *index, double range_pages, double pages,
			 double loop_count, Selectivity *selectivity)
{
	const double table_rows = index->rel->tuples;
	double		random_cost;
	double		seq_cost;
	double		price;
	double		share;

	/* the first page of a range is found at random, the others follow it */
	get_tablespace_page_costs(index->rel->reltablespace, &random_cost, &seq_cost);
	share = selectivity_of_pages(index, pages / range_pages *
								 (1.0 + (range_pages - 1.0) * seq_cost / random_cost));
	price = price_of_rows(root, index, share * table_rows, loop_count, random_cost, seq_cost);
	if (loop_count <= 1.0)
		price = Max(price, pages * seq_cost);
	*selectivity = Min(*selectivity, share);
	price -= price_of_rows(root, index, *selectivity * table_rows, loop_count, random_cost, seq_cost);
	return Max(price, 0.0);
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
	const double nscans = nsearches * Max(loop_count, 1.0);
	BbfPagesMeta meta;
	SearchCost	search;
	double		random_cost;
	double		index_pages;
	double		table_pages;

	*correlation = 0.0;
	*pages = index->pages;
	*selectivity = clauselist_selectivity(root, quals, index->rel->relid, JOIN_INNER, NULL);
	get_meta(index, &meta);
	search = cost_search(root, index, &meta, index->rel->tuples * *selectivity / nsearches);
	table_pages = pages_of_searches(index, &search, nsearches);

	/* repeated searches find pages in the cache */
	index_pages = search.index_pages * nsearches;
	if (nscans > 1.0)
		index_pages = index_pages_fetched(search.index_pages * nscans, index->pages,
										  index->pages, root) / Max(loop_count, 1.0);

	get_tablespace_page_costs(index->reltablespace, &random_cost, NULL);
	*startup_cost = index_other_operands_eval_cost(root, quals);
	*total_cost = *startup_cost + index_pages * random_cost +
		search.index_pages * nsearches * PAGES_PAGE_OPERATORS * cpu_operator_cost;
	*total_cost += missing_cost(root, index, search.range_pages, table_pages, loop_count,
								selectivity);
	*total_cost += recheck_cost(root, index, quals, table_pages,
								*selectivity * index->rel->tuples);
}
