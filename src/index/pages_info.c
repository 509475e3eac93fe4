/*
 * pages_info.c
 *	  Properties of a page index: what it was made for, and how full it is.
 */
#include "compat.h"

#include "fmgr.h"
#include "funcapi.h"
#include "index/pages_fill.h"
#include "index/pages_open_for_sql.h"
#include "index/pages_tuning.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(bloomtype_pages_info);

/* Add the row of an index to the result. */
static void
put_index(Oid index_oid, ReturnSetInfo *result)
{
	Relation	table;
	Relation	index = blt_pages_open_for_sql(index_oid, &table);
	const uint64 npages = RelationGetNumberOfBlocks(index);
	const BbfPagesEpoch *last;
	BbfPagesMeta meta;
	PagesTotals totals;
	Datum		values[13];
	bool		nulls[13] = {false};

	blt_pages_get_meta(index, PG_UINT32_MAX, &meta);
	last = &meta.epochs[meta.nepochs - 1];
	blt_pages_add_up(index, &meta, RelationGetNumberOfBlocks(table), &totals);
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
	values[12] = BoolGetDatum(totals.false_ranges > PAGES_MANY_FALSE_RANGES * meta.false_ranges);
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
