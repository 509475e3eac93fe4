/*
 * set_info.c
 *	  Properties of sets: their windows, how old they are, and how full.
 */
#include "compat.h"

#include "executor/spi.h"
#include "filter/filter_info.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "set/set_value.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(bloomtype_set_info);

/* Columns of the result */
#define NUM_RESULTS		12

/* Add the row of a window, whose last layer is given. */
static void
put_window(const BloomSet *set, const SetLayer *last, ReturnSetInfo *result)
{
	BbfMeta		meta;
	Datum		values[NUM_RESULTS];
	bool		nulls[NUM_RESULTS] = {false};
	int64		nblocks = 0;

	blt_set_window_meta(set, last->window, &meta);
	for (unsigned i = 0; i < meta.nlayers; i++)
		nblocks += meta.layers[i].nbins;
	values[0] = ObjectIdGetDatum(RelationGetRelid(set->table));
	values[1] = blt_key_family(&meta);
	values[2] = Float8GetDatum(meta.fpp);
	values[3] = Int32GetDatum(last->windows);
	values[4] = Int64GetDatum(last->window);
	values[5] = TimestampTzGetDatum(last->opened);
	values[6] = Int64GetDatum((int64) meta.capacity);
	values[7] = Int32GetDatum((int) meta.nlayers);
	values[8] = blt_number_of_keys(&meta, &nulls[8]);
	values[9] = Float8GetDatum(bbf_meta_fpp(&meta));
	values[10] = Int64GetDatum(nblocks * BBF_BLOCK_BYTES);
	values[11] = BoolGetDatum(bbf_layer_is_full(&last->layer));
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * Add the rows of a set.  One of many may be without layers, which gives its
 * name alone, a table that only looks like a set, or gone.
 */
static void
put_set(Oid table, bool is_one_of_many, ReturnSetInfo *result)
{
	BloomSet	set;

	if (!is_one_of_many)
		blt_set_open(&set, table, AccessShareLock);
	else if (!blt_set_try_open(&set, table, AccessShareLock))
		return;
	blt_set_read_layers(&set, GetActiveSnapshot(), is_one_of_many);
	if (set.nlayers > 0)
		blt_set_read_slices(&set, NULL);
	else
	{
		Datum		values[NUM_RESULTS] = {ObjectIdGetDatum(table)};
		bool		nulls[NUM_RESULTS];

		memset(nulls + 1, true, sizeof(nulls) - 1);
		nulls[0] = false;
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	for (int i = 0; i < set.nlayers; i++)
	{
		if (i == set.nlayers - 1 || set.layers[i].window != set.layers[i + 1].window)
			put_window(&set, &set.layers[i], result);
	}
	if (is_one_of_many)
		blt_set_close_and_unlock(&set);
	else
		blt_set_close(&set);
}

/* The tables that look like sets and that the caller may read */
static const char find_sets[] =
"SELECT c.oid FROM pg_catalog.pg_class c WHERE c.relkind OPERATOR(pg_catalog.=) 'r' "
"AND c.relhasindex AND NOT c.relrowsecurity "
"AND (c.relpersistence OPERATOR(pg_catalog.=) 'p' OR NOT pg_catalog.pg_is_in_recovery()) "
"AND NOT pg_catalog.pg_is_other_temp_schema(c.relnamespace) "
"AND pg_catalog.has_table_privilege(c.oid, 'SELECT') "
"AND ARRAY(SELECT pg_catalog.concat(a.attname, ' ', a.atttypid::pg_catalog.oid) FROM pg_catalog.pg_attribute a "
"WHERE a.attrelid OPERATOR(pg_catalog.=) c.oid AND a.attnum OPERATOR(pg_catalog.>) 0 AND a.attnum OPERATOR(pg_catalog.<=) 3 ORDER BY a.attnum) "
"OPERATOR(pg_catalog.=) '{slice 23,layer 23,bits 17}'::pg_catalog.text[] ORDER BY c.oid";

/* (set regclass): the windows of a set or, if it is null, of all. */
Datum
bloomtype_set_info(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (!PG_ARGISNULL(0))
	{
		put_set(PG_GETARG_OID(0), false, result);
		return (Datum) 0;
	}
	if (SPI_connect() != SPI_OK_CONNECT || SPI_execute(find_sets, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not look for sets");
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;

		CHECK_FOR_INTERRUPTS();
		put_set(DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull)),
				true, result);
	}
	SPI_finish();
	return (Datum) 0;
}
