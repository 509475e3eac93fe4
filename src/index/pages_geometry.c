/*
 * pages_geometry.c
 *	  Sizes the first epoch of an index by the first batch of its build.
 *
 * Of an empty table, or a column that is still null, the expected rows decide.
 */
#include "compat.h"

#include <math.h>

#include "access/htup_details.h"
#include "filter/gathered_keys.h"
#include "index/pages_am.h"
#include "index/pages_geometry.h"
#include "optimizer/plancat.h"

/*
 * The rows of a page, as the planner expects them in a table of which nothing
 * is known.
 */
static double
expected_density(Relation table)
{
	int32		width = MAXALIGN(get_rel_data_width(table, NULL)) +
		MAXALIGN(SizeofHeapTupleHeader) + sizeof(ItemIdData);

	return (BLCKSZ - SizeOfPageHeaderData) / (double) width;
}

void
blt_pages_init_table(Relation table, BlockNumber npages, Relation index, PagesTable *result)
{
	const PagesOptions *options = (PagesOptions *) index->rd_options;

	memset(result, 0, sizeof(*result));
	result->npages = npages;
	result->density = expected_density(table);
	result->rows_per_range = options != NULL ? options->rows_per_range : 0;
}

uint32
blt_pages_count_ranges(const BbfPagesMeta *meta, const PagesTable *table)
{
	return (uint32) Min((uint64) table->npages / meta->pages_per_range + 1, PG_UINT32_MAX);
}

/* Count the distinct ones of n hashes, which are sorted for that. */
static int
count_distinct(uint64 *hashes, int n)
{
	int			ndistinct = n > 0;

	blt_sort_hashes(hashes, n);
	for (int i = 1; i < n; i++)
		ndistinct += hashes[i] != hashes[i - 1];
	return ndistinct;
}

/*
 * Rows of a page of the table, as seen in a range or more: as many keys may
 * come to a column that is still null.
 */
static double
density(const BbfPagesMeta *meta, const PagesTable *table)
{
	return table->nseen > meta->pages_per_range ? table->nrows / table->nseen : table->density;
}

/*
 * The keys of a range, and of a whole group, that a batch leads to expect; of
 * ranges that differ, those of the fuller ones.
 * From less than a range nothing is known, as the table may just have begun.
 */
static void
measure_batch(const BbfPagesMeta *meta, const PagesTable *table, const PagesBatch *batch,
			  BbfPagesLoad *load)
{
	uint64	   *hashes = palloc(Max(batch->nkeys, 1) * sizeof(*hashes));
	BlockNumber first = (batch->nkeys > 0 ? batch->ranges[0] : 0) * meta->pages_per_range;
	double		nranges = (batch->last_block - first + 1.0) / meta->pages_per_range;
	double		ndistinct = 0.0;	/* in each range, added up */
	double		squares = 0.0;	/* of these numbers */
	int			end;

	memcpy(hashes, batch->hashes, batch->nkeys * sizeof(*hashes));
	for (int i = 0; i < batch->nkeys; i = end)
	{
		double		n;

		for (end = i + 1; end < batch->nkeys && batch->ranges[end] == batch->ranges[i];)
			end++;
		n = count_distinct(hashes + i, end - i);
		ndistinct += n;
		squares += n * n;
	}
	load->group_keys = count_distinct(hashes, batch->nkeys);
	pfree(hashes);

	if (table->rows_per_range > 0)
		load->range_keys = table->rows_per_range;
	else if (batch->nkeys > 0 && nranges >= 1.0)
		load->range_keys = ndistinct / nranges;
	else
		load->range_keys = Max(ndistinct, density(meta, table) * meta->pages_per_range);
	load->range_keys = Max(load->range_keys, table->least_keys);

	/* as much fewer than those of its ranges as in the batch */
	load->group_keys = load->range_keys * meta->ncolumns *
		(ndistinct > 0.0 ? load->group_keys / ndistinct : 1.0);
	if (table->rows_per_range == 0 && nranges >= 1.0)
		load->range_keys += sqrt(Max(squares / nranges - pow(ndistinct / nranges, 2), 0.0));
}

void
blt_pages_begin_first_epoch(Relation index, BbfPagesMeta *meta, const PagesTable *table,
							const PagesBatch *batch)
{
	const uint32 least_ranges = BBF_PAGES_SINGLE_LEVEL * meta->ncolumns;
	const uint32 last_group = batch->nkeys == 0 ? 0 :
		bbf_pages_group(meta, batch->ranges[batch->nkeys - 1]);
	BbfPagesLoad load;
	bool		fits;

	measure_batch(meta, table, batch, &load);
	load.nranges = Max(blt_pages_count_ranges(meta, table), least_ranges);
	load.ngroups = bbf_pages_group(meta, load.nranges - 1) + 1;
	load.has_upper = load.nranges > least_ranges;
	fits = bbf_pages_begin_epoch(meta, &load);
	do
		fits = fits && bbf_pages_add_groups(meta);
	while (fits && meta->ngroups <= last_group);
	if (!fits)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the ranges of index \"%s\" would have too many rows",
						RelationGetRelationName(index)),
				 errhint("Set a smaller pages_per_range or rows_per_range.")));
}
