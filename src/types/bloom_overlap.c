/*
 * bloom_overlap.c
 *	  bloom_overlap, bloom_overlaps and &&: the keys that two filters have in
 *	  common.
 *
 *	- Two lists are compared exactly.
 *	- Of a list and another filter, the hashes of the list are looked for:
 *	  in a stored filter block by block, as in bloom_contains.
 *	- Of two filters with layers each layer of one is compared with each of
 *	  the other (core/overlap.h).
 *
 * bloom_overlap estimates, and returns NULL where the bits do not show it; &&
 * is certain if it is false, so it is true where nothing is certain.
 */
#include "compat.h"

#include <math.h>

#include "core/estimate.h"
#include "core/overlap.h"
#include "filter/call_cache.h"
#include "filter/filter_datum.h"
#include "filter/filter_info.h"
#include "filter/filter_match.h"
#include "filter/filter_pieces.h"
#include "fmgr.h"
#include "types/sql_functions.h"
#include "utils/float.h"

PG_FUNCTION_INFO_V1(bloomtype_bloom_overlap);
PG_FUNCTION_INFO_V1(bloomtype_bloom_overlaps);

/* Two filters, of which no more than the metadata has been read. */
typedef struct Pair
{
	Datum		a_value;
	Datum		b_value;
	BbfMeta		a;
	BbfMeta		b;
	FilterReader *reader;		/* of a filter in which hashes are looked for */
} Pair;

/*
 * The arguments of a call.  Errors: their keys are of two families; corrupted.
 */
static void
read_pair(FunctionCallInfo fcinfo, Pair *pair)
{
	pair->a_value = PG_GETARG_DATUM(0);
	pair->b_value = PG_GETARG_DATUM(1);
	blt_read_meta(pair->a_value, BBF_KIND_BLOOM, &pair->a);
	blt_read_meta(pair->b_value, BBF_KIND_BLOOM, &pair->b);
	blt_check_same_keys(&pair->a, &pair->b, BLT_FILTERS_ARE_COMPARED);
	pair->reader = &blt_call_cache(fcinfo)->reader;
}

/*
 * How many hashes of a list has a filter with layers, as far as it can tell?
 * If one is enough, 1 for any number.
 */
static unsigned
count_found(FilterReader *reader, Datum list, Datum filter, bool one_is_enough)
{
	BbfFilter	hashes;
	ProbedFilter open;
	unsigned	nfound = 0;

	blt_read_filter(list, BBF_KIND_BLOOM, &hashes);
	for (unsigned i = 0; i < hashes.meta.nlist && !(one_is_enough && nfound > 0); i++)
	{
		/* it is read whole once slices have cost as much */
		if (i == 0 || !open.is_in_memory)
			blt_open_to_probe(reader, filter, &open);
		nfound += blt_probe(&open, bbf_list_get(hashes.list, i));
	}
	return nfound;
}

/* The hashes that two lists have in common. */
static unsigned
count_common(const Pair *pair)
{
	BbfFilter	a;
	BbfFilter	b;

	blt_read_filter(pair->a_value, BBF_KIND_BLOOM, &a);
	blt_read_filter(pair->b_value, BBF_KIND_BLOOM, &b);
	return bbf_lists_overlap(&a, &b);
}

/* A filter with layers that is compared with another. */
typedef struct Side
{
	BbfFilter	filter;
	BbfLayerKeys layers[BBF_MAX_LAYERS];
	bool		told;			/* is it known how many keys came to them? */
	bool		is_found[BBF_MAX_LAYERS];	/* is the layer within one of the
											 * other? */
} Side;

/* A layer of each side, which have been compared. */
typedef struct LayerPair
{
	unsigned	i;
	unsigned	j;
	BbfOverlap	overlap;
} LayerPair;

typedef struct Comparison
{
	Side		a;
	Side		b;
	int			npairs;
	LayerPair  *pairs;
} Comparison;

static void
read_side(Datum value, Side *side)
{
	blt_read_filter(value, BBF_KIND_BLOOM, &side->filter);
	side->told = bbf_meta_layer_keys(&side->filter.meta, side->layers);
	memset(side->is_found, 0, sizeof(side->is_found));
}

/*
 * Compare layer number i of a and number j of b; false if nothing can be said.
 */
static bool
compare_layers(Comparison *comparison, unsigned i, unsigned j)
{
	Side	   *a = &comparison->a;
	Side	   *b = &comparison->b;
	LayerPair  *pair = &comparison->pairs[comparison->npairs++];

	pair->i = i;
	pair->j = j;
	if (!bbf_layers_overlap(&a->filter.meta.layers[i], a->filter.bins[i],
							&b->filter.meta.layers[j], b->filter.bins[j],
							blt_check_for_interrupts, &pair->overlap))
		return false;
	a->is_found[i] |= pair->overlap.a_within;
	b->is_found[j] |= pair->overlap.b_within;
	return true;
}

/*
 * Compare the layers of both, first those with as many blocks, then the
 * others; false if something cannot be said.
 *
 * A layer that is within one of the other filter, as where one has grown out
 * of the other, has no key elsewhere: it is not compared with more, which
 * would only add errors.
 */
static bool
compare_all_layers(Comparison *comparison)
{
	Side	   *a = &comparison->a;
	Side	   *b = &comparison->b;

	for (int pass = 0; pass < 2; pass++)
	{
		for (unsigned i = 0; i < a->filter.meta.nlayers; i++)
		{
			for (unsigned j = 0; j < b->filter.meta.nlayers; j++)
			{
				bool		same_blocks = a->filter.meta.layers[i].nbins ==
					b->filter.meta.layers[j].nbins;

				if (same_blocks == (pass == 0) && !a->is_found[i] && !b->is_found[j] &&
					!compare_layers(comparison, i, j))
					return false;
			}
		}
	}
	return true;
}

static double
share_before(const Side *side, unsigned before, unsigned layer)
{
	return bbf_share_before(side->layers, side->filter.meta.nlayers, side->filter.meta.growth,
							before, layer);
}

static bool
is_shared(const LayerPair *pair)
{
	return pair->overlap.a_within || pair->overlap.b_within;
}

/*
 * Of the keys in common that come to the layers of a pair, the share that
 * passes the layers before these which both filters have, as where they have
 * grown out of one.  In a union, a layer may be before these or not; but what
 * is before a layer of one that both have is before it in the other, too.
 */
static double
passing_shared(const Comparison *comparison, const LayerPair *pair)
{
	const Side *a = &comparison->a;
	const Side *b = &comparison->b;
	double		passing = 1.0;

	for (int n = 0; n < comparison->npairs; n++)
	{
		const LayerPair *before = &comparison->pairs[n];
		double		in_a;
		double		in_b;
		double		rate;

		if (!is_shared(before))
			continue;
		in_a = share_before(a, before->i, pair->i);
		in_b = share_before(b, before->j, pair->j);
		rate = Min(a->layers[before->i].rate, b->layers[before->j].rate);
		if (in_a > 0.0 && in_b > 0.0)
			passing *= pow(1.0 - rate, is_shared(pair) ? Max(in_a, in_b) : in_a * in_b);
	}
	return passing;
}

/*
 * A key in common is found where both filters added it.  What seems present
 * in a layer of one need not seem so in a layer of the other, unless both
 * have that layer.  So the shares that were added to each are multiplied, and
 * what both have counts once.
 *
 * This leaves out that the keys of a layer avoid the bits of those before it,
 * and that unions may have grown again.  The keys that are counted in place
 * of those not added are therefore known to about a sixth of their number,
 * for which all pairs err in the same direction; the other errors of the
 * pairs are taken as independent.
 */
#define ERROR_OF_NOT_ADDED	(1.0 / 6.0)

static void
sum_overlaps(const Comparison *comparison, BbfOverlap *overlap)
{
	const bool	told = comparison->a.told && comparison->b.told;
	double		not_added = 0.0;

	for (int n = 0; n < comparison->npairs; n++)
	{
		const LayerPair *pair = &comparison->pairs[n];
		double		both = pair->overlap.both;
		double		added = 1.0;

		if (told)
		{
			double		shared = passing_shared(comparison, pair);

			added = comparison->a.layers[pair->i].added *
				comparison->b.layers[pair->j].added / shared;
			not_added += both / added - both / shared;
		}
		overlap->both += both / added;
		overlap->variance += (pair->overlap.variance + Max(both, 0.0) * (1.0 - added)) /
			(added * added);
	}
	not_added *= ERROR_OF_NOT_ADDED;
	overlap->variance += not_added * not_added;

	/*
	 * of layers that do not show what was not added, the sum is just a lower
	 * bound
	 */
	if (!told)
		overlap->variance = get_float8_infinity();
}

/* The overlap of filters with layers; false if something cannot be said. */
static bool
layers_overlap(const Pair *pair, BbfOverlap *overlap)
{
	Comparison *comparison = palloc(sizeof(Comparison));
	bool		told;

	read_side(pair->a_value, &comparison->a);
	read_side(pair->b_value, &comparison->b);
	comparison->npairs = 0;
	comparison->pairs = palloc(comparison->a.filter.meta.nlayers *
							   comparison->b.filter.meta.nlayers * sizeof(LayerPair));
	told = compare_all_layers(comparison);
	if (told)
		sum_overlaps(comparison, overlap);
	pfree(comparison->pairs);
	pfree(comparison);
	return told;
}

/*
 * What can be said of two filters of which both have keys; false if nothing.
 */
static bool
estimate_overlap(const Pair *pair, BbfOverlap *overlap)
{
	const bool	a_is_list = pair->a.nlist > 0;
	const BbfMeta *list = a_is_list ? &pair->a : &pair->b;
	const BbfMeta *other = a_is_list ? &pair->b : &pair->a;
	double		fpp;
	unsigned	nfound;

	/* the number of keys of an intersection is unknown */
	if (((pair->a.flags | pair->b.flags) & BBF_FLAG_INTERSECTION) != 0)
		return false;
	if (pair->a.nlist > 0 && pair->b.nlist > 0)
	{
		overlap->both = count_common(pair);
		return true;
	}
	if (pair->a.nlist == 0 && pair->b.nlist == 0)
		return layers_overlap(pair, overlap);

	/*
	 * what is subtracted must be right: of so full a filter the rate is too
	 * low
	 */
	fpp = bbf_meta_fpp(other);
	if (fpp >= 1.0 || !bbf_meta_can_estimate_keys(other))
		return false;
	nfound = count_found(pair->reader, a_is_list ? pair->a_value : pair->b_value,
						 a_is_list ? pair->b_value : pair->a_value, false);
	*overlap = bbf_overlap_of_list(list->nlist, nfound, fpp);
	return true;
}

/*
 * (a, b): a row of keys_a, keys_b, keys_either, keys_both, jaccard and the
 * standard error of keys_both.  What is not known is null; also for an
 * intersection, whose number of keys is unknown.  The error is null where
 * keys_both is just a lower bound.
 */
Datum
bloomtype_bloom_overlap(PG_FUNCTION_ARGS)
{
	Pair		pair;
	BbfOverlap	overlap = {0};
	Datum		values[6] = {0};
	bool		nulls[6] = {false};
	bool		told;
	double		at_most;
	int64		both;

	read_pair(fcinfo, &pair);
	values[0] = blt_number_of_keys(&pair.a, &nulls[0]);
	values[1] = blt_number_of_keys(&pair.b, &nulls[1]);

	/* without keys on one side there are none in common */
	told = !bbf_meta_has_keys(&pair.a) || !bbf_meta_has_keys(&pair.b) ||
		estimate_overlap(&pair, &overlap);

	/*
	 * where the number of keys is null, that is a lower bound, and so
	 * keys_both stays one
	 */
	at_most = Min(bbf_meta_keys(&pair.a), bbf_meta_keys(&pair.b));
	both = (int64) rint(Max(Min(overlap.both, at_most), 0.0));
	values[3] = Int64GetDatum(both);
	values[5] = Float8GetDatum(sqrt(Max(overlap.variance, 0.0)));
	nulls[3] = !told;
	nulls[5] = !told || isinf(overlap.variance);

	nulls[2] = nulls[4] = !told || nulls[0] || nulls[1];
	if (!nulls[2])
	{
		int64		either = DatumGetInt64(values[0]) + DatumGetInt64(values[1]) - both;

		values[2] = Int64GetDatum(either);
		nulls[4] = either == 0;
		values[4] = Float8GetDatum(either == 0 ? 0.0 : (float8) both / either);
	}
	return blt_return_row(fcinfo, values, nulls);
}

/* Do two filters with layers share a bit? */
static bool
layers_share_bits(const Pair *pair)
{
	BbfFilter	a;
	BbfFilter	b;

	blt_read_filter(pair->a_value, BBF_KIND_BLOOM, &a);
	blt_read_filter(pair->b_value, BBF_KIND_BLOOM, &b);
	for (unsigned i = 0; i < a.meta.nlayers; i++)
	{
		for (unsigned j = 0; j < b.meta.nlayers; j++)
		{
			if (bbf_layers_share_bits(&a.meta.layers[i], a.bins[i],
									  &b.meta.layers[j], b.bins[j],
									  blt_check_for_interrupts))
				return true;
		}
	}
	return false;
}

/* (a, b): false if certainly no key is in both. */
Datum
bloomtype_bloom_overlaps(PG_FUNCTION_ARGS)
{
	Pair		pair;

	read_pair(fcinfo, &pair);
	if (!bbf_meta_has_keys(&pair.a) || !bbf_meta_has_keys(&pair.b))
		PG_RETURN_BOOL(false);
	if (pair.a.nlist > 0 && pair.b.nlist > 0)
		PG_RETURN_BOOL(count_common(&pair) > 0);
	if (pair.a.nlist > 0)
		PG_RETURN_BOOL(count_found(pair.reader, pair.a_value, pair.b_value, true) > 0);
	if (pair.b.nlist > 0)
		PG_RETURN_BOOL(count_found(pair.reader, pair.b_value, pair.a_value, true) > 0);
	PG_RETURN_BOOL(layers_share_bits(&pair));
}
