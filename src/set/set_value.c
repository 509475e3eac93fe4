/*
 * set_value.c
 *	  Reads the slices of a set, and puts them together.
 */
#include "compat.h"

#include "set/set_value.h"

#include "access/genam.h"
#include "core/filter.h"
#include "filter/filter_datum.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(bloomtype_set_filter);

void
blt_set_read_slices(BloomSet *set, unsigned char **bins)
{
	bool	  **is_read = palloc(set->nlayers * sizeof(bool *));
	SysScanDesc scan = systable_beginscan(set->table, InvalidOid, false, set->snapshot, 0, NULL);
	HeapTuple	tuple;

	for (int i = 0; i < set->nlayers; i++)
	{
		set->layers[i].layer.nset = 0;
		is_read[i] = palloc0(blt_set_nslices(&set->layers[i]));
	}
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		SetRow		row = blt_set_get_row(set, tuple);
		int			i = row.layer - set->layers[0].number;
		SetLayer   *layer = &set->layers[i];

		CHECK_FOR_INTERRUPTS();
		if (row.slice < 0 || i < 0 || i >= set->nlayers)
			continue;
		if (row.slice >= blt_set_nslices(layer))
			blt_set_report_damage(set, row.layer, row.slice, "There is no such row.");
		blt_set_check_slice(set, layer, &row);
		if (bins != NULL)
			memcpy(bins[i] + (Size) row.slice * SET_SLICE_BYTES, row.bits, row.nbytes);
		layer->layer.nset += bbf_blocks_count_set(row.bits, row.nbytes / BBF_BLOCK_BYTES);
		is_read[i][row.slice] = true;
	}
	systable_endscan(scan);
	for (int i = 0; i < set->nlayers; i++)
	{
		for (int slice = 0; slice < blt_set_nslices(&set->layers[i]); slice++)
		{
			if (!is_read[i][slice])
				blt_set_report_damage(set, set->layers[i].number, slice, "It is missing.");
		}
		pfree(is_read[i]);
	}
	pfree(is_read);
}

void
blt_set_window_meta(const BloomSet *set, int64 window, BbfMeta *meta)
{
	const SetLayer *layer = set->layers;

	while (layer->window != window)
		layer++;
	blt_set_init_meta(layer, meta);
	while (layer < set->layers + set->nlayers && layer->window == window &&
		   meta->nlayers < BBF_MAX_LAYERS)
		meta->layers[meta->nlayers++] = (layer++)->layer;
}

/* The blocks of each layer, to be filled. */
static unsigned char **
alloc_bins(const BloomSet *set)
{
	unsigned char **bins = palloc(set->nlayers * sizeof(unsigned char *));
	uint64		nblocks = 0;

	for (int i = 0; i < set->nlayers; i++)
		nblocks += set->layers[i].layer.nbins;
	if (set->nlayers > BBF_MAX_LAYERS || nblocks > BBF_MAX_BLOCKS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("set \"%s\" is too large for one filter",
						RelationGetRelationName(set->table)),
				 errdetail("It has %d layers of %llu MB; a filter has at most %d, of 512 MB.",
						   set->nlayers, (unsigned long long) (nblocks * BBF_BLOCK_BYTES >> 20),
						   BBF_MAX_LAYERS),
				 errhint("Ask the set itself, with bloom_set_contains or bloom_set_missing.")));
	for (int i = 0; i < set->nlayers; i++)
		bins[i] = blt_alloc_bins((Size) set->layers[i].layer.nbins * BBF_BLOCK_BYTES,
								 CurrentMemoryContext);
	return bins;
}

/* (set regclass): all of its keys, as a bloom. */
Datum
bloomtype_set_filter(PG_FUNCTION_ARGS)
{
	BloomSet	set;
	BbfFilter	filter;
	BbfMeta    *meta = &filter.meta;
	unsigned char **bins;
	struct varlena *value;

	blt_set_open(&set, PG_GETARG_OID(0), AccessShareLock);
	blt_set_read_layers(&set, GetActiveSnapshot(), false);
	bins = alloc_bins(&set);
	blt_set_read_slices(&set, bins);

	/* a filter has no layers without keys */
	blt_set_init_meta(&set.layers[0], meta);
	for (int i = 0; i < set.nlayers; i++)
	{
		if (set.layers[i].layer.nset == 0)
			continue;
		filter.bins[meta->nlayers] = bins[i];
		meta->layers[meta->nlayers++] = set.layers[i].layer;
	}
	blt_set_close(&set);
	if (meta->nlayers == 0)
		return blt_make_empty_filter(meta);

	/* the value around an only layer is the result */
	if (meta->nlayers == 1)
	{
		value = blt_value_around(unconstify(unsigned char *, filter.bins[0]));
		SET_VARSIZE(value, VARHDRSZ + bbf_meta_lay_out(meta));
		return blt_finish_filter(value, meta);
	}
	value = blt_lay_out_filter(meta);
	blt_write_filter(&filter, blt_filter_bytes(value));
	PG_RETURN_POINTER(value);
}
