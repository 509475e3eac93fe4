/*
 * bloom_aggregate.c
 *	  The results of bloom_agg.
 */
#include "compat.h"

#include "filter/filter_aggregate.h"
#include "filter/filter_change.h"

PG_FUNCTION_INFO_V1(bloomtype_agg_final);

Datum
bloomtype_agg_final(PG_FUNCTION_ARGS)
{
	AggState   *state = bloomtype_agg_settled(fcinfo, BBF_KIND_BLOOM);
	BloomBuild	build;
	BbfImage   *image = &build.image;
	uint64		capacity;
	BbfGeometry geometry;
	unsigned char *blocks;

	/* no row at all: the empty filter, so that NOT bloom_contains is true */
	if (state == NULL)
	{
		bloomtype_build_new(&build, 1, DEFAULT_FPP, DEFAULT_GROWTH);
		PG_RETURN_DATUM(bloomtype_build_finish(&build));
	}

	capacity = state->capacity > 0 ? state->capacity : Max(state->nhashes, 1);
	bloomtype_build_new(&build, capacity, state->fpp, DEFAULT_GROWTH);
	image->family = state->family;
	image->signature = state->signature;

	if (state->blocks == NULL && state->nhashes <= BBF_MAX_LIST)
	{
		bloomtype_build_set_list(&build, state->hashes, state->nhashes);
		PG_RETURN_DATUM(bloomtype_build_finish(&build));
	}

	if (state->blocks != NULL)
	{
		geometry = bloomtype_agg_geometry(state);
		blocks = bloomtype_build_open_layer(&build, bloomtype_agg_capacity(state),
											state->fpp, &geometry);
		memcpy(blocks, state->blocks, (Size) state->nblocks * BBF_BLOCK_BYTES);
	}
	else
	{
		geometry = bloomtype_size_layer(BBF_KIND_BLOOM, capacity, state->fpp);
		blocks = bloomtype_build_open_layer(&build, capacity, state->fpp, &geometry);
		bloomtype_agg_fill(BBF_KIND_BLOOM, blocks, (uint32) geometry.nblocks,
						   geometry.nprobes, state->hashes, state->nhashes);
	}
	image->layers[0].nset = bbf_blocks_count(blocks, (uint32) geometry.nblocks);

	/* what sizes itself is never too full */
	if (state->blocks != NULL)
		bloomtype_agg_warn_if_overfull(fcinfo, image);
	PG_RETURN_DATUM(bloomtype_build_finish(&build));
}
