/*
 * pages_info.c
 *	  Properties of a page index: what it was made for, and how full it is.
 */
#include "compat.h"

#include "fmgr.h"
#include "funcapi.h"
#include "index/pages_fill.h"
#include "index/pages_open_for_sql.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(bloomtype_pages_info);

/* Times the keys that a range was made for: four times its rate */
#define OVERFULL	1.25

#define MANY_FALSE_RANGES	4.0 /* times false_ranges; growth stays below */

/* What is added up over the ranges of the table that have keys. */
typedef struct Totals
{
	uint64		nranges;
	uint64		noverfull;
	double		fill;
	double		keys;
	double		false_ranges;	/* expected for an absent key */
} Totals;

/* Add up the first nranges of a group, which absent keys reach at a rate. */
static void
add_group(const BbfPagesEpoch *epoch, const ColumnFill *fill, uint32 nranges,
		  double upper_rate, Totals *totals)
{
	for (uint32 i = 0; i < nranges; i++)
	{
		double		keys;

		if (fill->nset[i] == 0)
			continue;
		keys = blt_pages_keys(fill, epoch->nprobes, i);
		totals->nranges++;
		totals->noverfull += keys > epoch->capacity * OVERFULL;
		totals->fill += (double) fill->nset[i] / ((double) fill->nblocks * BBF_COLUMN_BITS);
		totals->keys += keys;
		totals->false_ranges += fill->rates[i] * upper_rate;
	}
}

/* Add up an epoch, as far as the table, of table_ranges, reaches. */
static void
add_epoch(Relation index, const BbfPagesMeta *meta, const BbfPagesEpoch *epoch,
		  uint64 table_ranges, Totals *totals)
{
	const uint32 end = bbf_pages_epoch_end(meta, epoch);
	ColumnFill *upper = palloc(sizeof(ColumnFill));
	ColumnFill *lower = palloc(sizeof(ColumnFill));

	for (uint32 group = epoch->first_group; group < end; group++)
	{
		const uint64 first_range = bbf_pages_first_range(meta, group);
		const uint32 column = bbf_pages_upper_column(epoch, group);
		BbfPagesPlace place = {BBF_PAGES_UPPER, group, 0};

		if (first_range >= table_ranges)
			break;
		if (column == 0 && epoch->upper_nblocks > 0)
			blt_pages_count(index, meta, epoch, &place, PG_UINT32_MAX, upper);
		place.level = BBF_PAGES_LOWER;
		blt_pages_count(index, meta, epoch, &place, PG_UINT32_MAX, lower);
		add_group(epoch, lower,
				  Min(bbf_pages_group_width(meta, group), table_ranges - first_range),
				  epoch->upper_nblocks > 0 ? upper->rates[column] : 1.0, totals);
	}
	pfree(upper);
	pfree(lower);
}

/* Add the row of an index to the result. */
static void
put_index(Oid index_oid, ReturnSetInfo *result)
{
	Relation	table;
	Relation	index = blt_pages_open_for_sql(index_oid, &table);
	const uint64 table_pages = RelationGetNumberOfBlocks(table);
	const uint64 npages = RelationGetNumberOfBlocks(index);
	const BbfPagesEpoch *last;
	BbfPagesMeta meta;
	Totals		totals = {0};
	Datum		values[13];
	bool		nulls[13] = {false};

	blt_pages_get_meta(index, PG_UINT32_MAX, &meta);
	last = &meta.epochs[meta.nepochs - 1];
	for (uint32 i = 0; i < meta.nepochs; i++)
		add_epoch(index, &meta, &meta.epochs[i],
				  (table_pages + meta.pages_per_range - 1) / meta.pages_per_range, &totals);
	blt_pages_close(index, table);

	nulls[8] = nulls[9] = totals.nranges == 0;
	values[0] = ObjectIdGetDatum(index_oid);
	values[1] = Int32GetDatum(meta.pages_per_range);
	values[2] = Int64GetDatum(last->capacity);
	values[3] = Float8GetDatum(meta.false_ranges);
	values[4] = Int32GetDatum(meta.nepochs);
	values[5] = Int32GetDatum(last->upper_nblocks > 0 ? 2 : 1);
	values[6] = Int64GetDatum((int64) npages * BLCKSZ);
	values[7] = Int64GetDatum((int64) totals.nranges);
	values[8] = Float8GetDatum(totals.keys / Max(totals.nranges, 1));
	values[9] = Float8GetDatum(totals.fill / Max(totals.nranges, 1));
	values[10] = Float8GetDatum(totals.false_ranges);
	values[11] = Int64GetDatum((int64) totals.noverfull);
	values[12] = BoolGetDatum(totals.false_ranges > MANY_FALSE_RANGES * meta.false_ranges);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* (index regclass): the properties of each, as declared in SQL. */
Datum
bloomtype_pages_info(PG_FUNCTION_ARGS)
{
	ListCell   *cell;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	foreach(cell, blt_pages_indexes_for_sql(PG_GETARG_OID(0)))
		put_index(lfirst_oid(cell), (ReturnSetInfo *) fcinfo->resultinfo);
	return (Datum) 0;
}
