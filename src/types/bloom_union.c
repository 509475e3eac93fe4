/*
 * bloom_union.c
 *	  bloom_union and |: one filter for the keys of two.
 *
 * OR-ing filters of different size is correct but ruins the rate, and so does
 * OR-ing two that are full.  Kept side by side, as layers, their rates add up,
 * which is the best that can be done without the keys.  So:
 *
 *	- A list has its hashes: they are added as bloom_add does, as long as the
 *	  other side takes them; the rest makes a layer.
 *	- Otherwise the layers of both sides, in an order that does not depend on
 *	  the side, are OR-ed into the first of the same geometry, as long as that
 *	  does not become full; the others stand side by side.  Two filters of
 *	  fixed size are OR-ed where they have the same geometry, full or not.
 *	- Past 64 layers or 512 MB two neighbours in size become one, those that
 *	  make the lowest rate.
 *
 * No key is lost, and a | b and b | a are the same bytes.
 */
#include "compat.h"

#include "filter/call_cache.h"
#include "filter/filter_change.h"
#include "filter/filter_datum.h"
#include "filter/filter_parameters.h"
#include "fmgr.h"
#include "key/key_match.h"
#include "miscadmin.h"

PG_FUNCTION_INFO_V1(bloomtype_bloom_union);
PG_FUNCTION_INFO_V1(bloomtype_bloom_union_agg_final);

/* A layer of one side, or of the result. */
typedef struct Part
{
	BbfLayer	layer;
	const unsigned char *blocks;
	unsigned char *copy;		/* the same, if they were copied to be written
								 * to */
} Part;

/* The most parts that two sides can have. */
#define MAX_PARTS_OF_UNION	(2 * BBF_MAX_LAYERS)

/* A key of the family and subtype of a filter's, whose hash is to be set. */
static BloomKey
key_of_family(const BbfMeta *meta)
{
	BloomKey	key = {.family = meta->family,.subtype = meta->subtype};

	return key;
}

/*
 * The parameters of the result: the larger capacity and fpp, and the smaller growth
 * that is not 0.  Those of a side without keys are ignored, except for a larger
 * capacity if a layer for it stays within the limit.
 */
static void
unite_parameters(BbfMeta *result, const BbfMeta *a, const BbfMeta *b)
{
	const BbfMeta *one = bbf_meta_has_keys(a) || !bbf_meta_has_keys(b) ? a : b;
	const BbfMeta *other = bbf_meta_has_keys(b) || !bbf_meta_has_keys(a) ? b : a;

	result->kind = BBF_KIND_BLOOM;
	result->capacity = Max(one->capacity, other->capacity);
	result->fpp = Max(one->fpp, other->fpp);
	if (one->growth == 0 || other->growth == 0)
		result->growth = Max(one->growth, other->growth);
	else
		result->growth = Min(one->growth, other->growth);
	result->flags = a->flags | b->flags;

	if (Max(a->capacity, b->capacity) > result->capacity &&
		bbf_size_blocks(Max(a->capacity, b->capacity), result->fpp).nbins <= BBF_MAX_BLOCKS)
		result->capacity = Max(a->capacity, b->capacity);
}

/* For qsort: by size first.  Parts that compare equal are equal. */
static int
compare_parts(const void *x, const void *y)
{
	const Part *a = x;
	const Part *b = y;

#define COMPARE(field) \
	if (a->layer.field != b->layer.field) \
		return a->layer.field < b->layer.field ? -1 : 1
	COMPARE(nbins);
	COMPARE(key_bits);
	COMPARE(capacity);
	COMPARE(fpp);
	COMPARE(full_at);
	COMPARE(nset);
#undef COMPARE
	return memcmp(a->blocks, b->blocks, (Size) a->layer.nbins * BBF_BLOCK_BYTES);
}

static int
collect_parts(Part *parts, int nparts, const FilterChange *side)
{
	const BbfMeta *meta = &side->meta;

	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		parts[nparts].layer = meta->layers[i];
		parts[nparts].blocks = side->bytes + meta->layers[i].offset;
		parts[nparts].copy = NULL;
		nparts++;
	}
	return nparts;
}

static void
copy_blocks(Part *part)
{
	Size		size = (Size) part->layer.nbins * BBF_BLOCK_BYTES;

	if (part->copy != NULL)
		return;
	part->copy = MemoryContextAllocHuge(CurrentMemoryContext, size);
	memcpy(part->copy, part->blocks, size);
	part->blocks = part->copy;
}

/*
 * OR a part into another if they have the same geometry and the result is not
 * too full, or always; returns whether that was done.  If all bits of one are set
 * in the other, the result is as full as that was, and not too full.
 */
static bool
try_or_into(Part *target, const Part *part, bool always)
{
	uint32		nblocks = part->layer.nbins;
	uint64		nset;

	if (!bbf_layer_same_geometry(&target->layer, &part->layer))
		return false;
	nset = bbf_blocks_count_set_or(target->blocks, part->blocks, nblocks);
	if (!always && nset > Max(target->layer.nset, part->layer.nset) &&
		nset > Max(target->layer.full_at, part->layer.full_at))
		return false;

	copy_blocks(target);
	bbf_blocks_or(target->copy, part->blocks, nblocks);
	bbf_layer_unite_record(&target->layer, &part->layer);
	target->layer.nset = nset;
	return true;
}

/* OR parts of the same geometry, first fit; returns how many are left. */
static int
or_equal_geometry(Part *parts, int nparts, bool always)
{
	int			nleft = 0;

	for (int i = 0; i < nparts; i++)
	{
		int			target = 0;

		CHECK_FOR_INTERRUPTS();
		while (target < nleft && !try_or_into(&parts[target], &parts[i], always))
			target++;
		if (target == nleft)
			parts[nleft++] = parts[i];
	}
	return nleft;
}

static uint64
count_blocks(const Part *parts, int nparts)
{
	uint64		nblocks = 0;

	for (int i = 0; i < nparts; i++)
		nblocks += parts[i].layer.nbins;
	return nblocks;
}

static double
merged_rate(const Part *small, const Part *large)
{
	return bbf_merged_rate(large->layer.nbins, large->layer.nset,
						   small->layer.nbins, small->layer.nset,
						   Min(small->layer.key_bits, large->layer.key_bits));
}

/*
 * Of parts in order of size, merge the two neighbours that then have the lowest
 * rate.
 */
static void
merge_neighbours(Part *parts, int nparts)
{
	int			best = 0;
	double		best_rate = merged_rate(&parts[0], &parts[1]);
	Part	   *small;
	Part	   *large;

	for (int i = 1; i < nparts - 1; i++)
	{
		double		rate = merged_rate(&parts[i], &parts[i + 1]);

		if (rate < best_rate)
		{
			best = i;
			best_rate = rate;
		}
	}
	small = &parts[best];
	large = &parts[best + 1];

	copy_blocks(large);
	bbf_blocks_merge(large->copy, large->layer.nbins,
					 small->blocks, small->layer.nbins);
	large->layer.nset = bbf_blocks_count_set(large->copy, large->layer.nbins);
	bbf_layer_unite_record(&large->layer, &small->layer);
	if (small->copy != NULL)
		pfree(small->copy);
	memmove(small, large, (nparts - best - 1) * sizeof(Part));
}

/* The filter whose layers are these parts. */
static Datum
make_filter(BbfMeta *meta, const Part *parts, int nparts)
{
	struct varlena *filter;

	meta->nlist = 0;
	meta->nlayers = nparts;
	for (int i = 0; i < nparts; i++)
		meta->layers[i] = parts[i].layer;
	filter = blt_lay_out_filter(meta);
	for (int i = 0; i < nparts; i++)
		memcpy(blt_filter_bytes(filter) + meta->layers[i].offset, parts[i].blocks,
			   (Size) parts[i].layer.nbins * BBF_BLOCK_BYTES);
	return blt_finish_filter(filter, meta);
}

/* The rate rises, but no key is lost: say so, once. */
static void
warn_of_rate(FunctionCallInfo fcinfo, const BbfMeta *meta)
{
	if (bbf_meta_fpp(meta) > 2.0 * meta->fpp &&
		blt_call_is_first(fcinfo))
		ereport(WARNING,
				(errmsg("united filter would have too many layers, so some were merged"),
				 errdetail("A filter has at most %d layers, and 512 MB; its false-positive probability is now %.2g instead of %g.",
						   BBF_MAX_LAYERS, bbf_meta_fpp(meta), meta->fpp),
				 errhint("Make the filters with one capacity, large enough for the keys of all: bloom_agg(value, capacity, fpp).")));
}

/* Unite parts, whose blocks are not written to unless they were copied. */
static Datum
unite_parts(FunctionCallInfo fcinfo, BbfMeta *meta, Part *parts, int nparts,
			bool or_always)
{
	Datum		result;
	bool		merged = false;

	qsort(parts, nparts, sizeof(Part), compare_parts);
	nparts = or_equal_geometry(parts, nparts, or_always);
	while (nparts > BBF_MAX_LAYERS || count_blocks(parts, nparts) > BBF_MAX_BLOCKS)
	{
		CHECK_FOR_INTERRUPTS();
		merge_neighbours(parts, nparts--);
		merged = true;
	}

	result = make_filter(meta, parts, nparts);
	if (merged)
		warn_of_rate(fcinfo, meta);
	for (int i = 0; i < nparts; i++)
	{
		if (parts[i].copy != NULL)
			pfree(parts[i].copy);
	}
	return result;
}

static Datum
unite_layers(FunctionCallInfo fcinfo, const BbfMeta *parameters,
			 const FilterChange *a, const FilterChange *b)
{
	BbfMeta		meta = *parameters;
	Part		parts[MAX_PARTS_OF_UNION];
	int			nparts;

	meta.family = a->meta.family;
	meta.subtype = a->meta.subtype;
	nparts = collect_parts(parts, 0, a);
	nparts = collect_parts(parts, nparts, b);
	return unite_parts(fcinfo, &meta, parts, nparts,
					   a->meta.growth == 0 && b->meta.growth == 0);
}

/* Unite a filter that has no room with up to 128 hashes. */
static Datum
unite_with_rest(FunctionCallInfo fcinfo, const FilterChange *build,
				const uint64_t *hashes, int nhashes)
{
	BbfMeta		meta = build->meta;
	BbfGeometry geometry = blt_size_layer(BBF_KIND_BLOOM, BBF_MAX_LIST, meta.fpp);
	Part		parts[MAX_PARTS_OF_UNION];
	int			nparts = collect_parts(parts, 0, build);
	Part	   *rest = &parts[nparts];

	blt_start_layer(&rest->layer, &geometry, BBF_MAX_LIST, meta.fpp);
	rest->copy = MemoryContextAllocExtended(CurrentMemoryContext,
											(Size) geometry.nbins * BBF_BLOCK_BYTES,
											MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	bbf_blocks_add_many(rest->copy, rest->layer.nbins, rest->layer.key_bits,
						hashes, nhashes);
	rest->layer.nset = bbf_blocks_count_set(rest->copy, rest->layer.nbins);
	rest->blocks = rest->copy;
	return unite_parts(fcinfo, &meta, parts, nparts + 1, false);
}

/* Add the hashes of a list, or of two, in ascending order. */
static Datum
add_lists(FunctionCallInfo fcinfo, FilterChange *build, const FilterChange *a, const FilterChange *b)
{
	BloomKey	key = key_of_family(bbf_meta_has_keys(&a->meta) ? &a->meta : &b->meta);
	unsigned	na = a->meta.nlist;
	unsigned	nb = b->meta.nlist;
	uint64_t	rest[BBF_MAX_LIST];
	int			nrest = 0;
	unsigned	i = 0;
	unsigned	j = 0;

	while (i < na || j < nb)
	{
		CHECK_FOR_INTERRUPTS();
		if (j == nb ||
			(i < na && bbf_list_get(a->bytes, i) < bbf_list_get(b->bytes, j)))
			key.hash = bbf_list_get(a->bytes, i++);
		else
			key.hash = bbf_list_get(b->bytes, j++);

		if (!blt_try_add_key(build, key))
			rest[nrest++] = key.hash;
	}
	return nrest == 0 ? blt_finish_change(build) :
		unite_with_rest(fcinfo, build, rest, nrest);
}

static Datum
unite(FunctionCallInfo fcinfo, const FilterChange *a, const FilterChange *b)
{
	FilterChange build;
	BbfMeta		parameters;

	unite_parameters(&parameters, &a->meta, &b->meta);
	if (a->meta.nlayers > 0 && b->meta.nlayers > 0)
		return unite_layers(fcinfo, &parameters, a, b);

	if (a->meta.nlayers > 0 || b->meta.nlayers > 0)
		build = a->meta.nlayers > 0 ? *a : *b;
	else
		blt_start_new_filter(&build, BBF_KIND_BLOOM, 1, DEFAULT_FPP, DEFAULT_GROWTH);
	blt_set_parameters(&build, &parameters);
	return add_lists(fcinfo, &build, a, b);
}

/* Is a new value the same image as that of a side? */
static bool
is_same(Datum result, const FilterChange *side)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(result);

	return VARSIZE(value) - VARHDRSZ == side->meta.length &&
		memcmp(VARDATA(value), side->bytes, side->meta.length) == 0;
}

Datum
bloomtype_bloom_union(PG_FUNCTION_ARGS)
{
	FilterChange a;
	FilterChange b;
	Datum		result;

	blt_start_change(&a, PG_GETARG_DATUM(0), BBF_KIND_BLOOM);
	blt_start_change(&b, PG_GETARG_DATUM(1), BBF_KIND_BLOOM);
	blt_check_same_keys(&a.meta, &b.meta, FILTERS_ARE_UNITED);
	result = unite(fcinfo, &a, &b);

	/* a stored filter that does not change is not to be written again */
	if (is_same(result, &a))
		PG_RETURN_DATUM(a.original);
	if (is_same(result, &b))
		PG_RETURN_DATUM(b.original);
	PG_RETURN_DATUM(result);
}

/* Over no rows, or nulls only, the filter of bloom_agg over no rows. */
Datum
bloomtype_bloom_union_agg_final(PG_FUNCTION_ARGS)
{
	if (!PG_ARGISNULL(0))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	return blt_make_default_filter(BBF_KIND_BLOOM);
}
