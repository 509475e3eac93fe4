/*
 * bloom_overlap.c
 *	  bloom_overlap, bloom_overlaps and &&: the keys that two filters have in common.
 *
 *	- Two lists tell exactly.
 *	- Of a list and another filter, the hashes of the list are looked for: in a
 *	  stored filter block by block, as in bloom_contains.
 *	- Of two filters with layers each layer of one is compared with each of the
 *	  other, in the number of blocks that both can be folded to (core/overlap.h).
 *
 * bloom_overlap estimates, and says NULL where the bits do not tell; && is certain
 * if it is false, so it is true where nothing is certain.
 */
#include "compat.h"

#include <math.h>

#include "core/overlap.h"
#include "filter/call_cache.h"
#include "filter/filter_datum.h"
#include "filter/filter_info.h"
#include "filter/filter_pieces.h"
#include "fmgr.h"
#include "key/key_match.h"

PG_FUNCTION_INFO_V1(bloomtype_bloom_overlap);
PG_FUNCTION_INFO_V1(bloomtype_bloom_overlaps);

/* Two filters, of which no more than the metadata has been read. */
typedef struct Pair
{
	Datum		a_value;
	Datum		b_value;
	BbfMeta		a;
	BbfMeta		b;
	FilterReader *reader;		/* of a filter that is asked for hashes */
} Pair;

/* The arguments of a call.  Errors: their keys are of two families; corrupted. */
static void
read_pair(FunctionCallInfo fcinfo, Pair *pair)
{
	pair->a_value = PG_GETARG_DATUM(0);
	pair->b_value = PG_GETARG_DATUM(1);
	blt_read_meta(pair->a_value, BBF_KIND_BLOOM, &pair->a);
	blt_read_meta(pair->b_value, BBF_KIND_BLOOM, &pair->b);
	blt_check_same_keys(&pair->a, &pair->b, FILTERS_ARE_COMPARED);
	pair->reader = &blt_call_cache(fcinfo)->reader;
}

/*
 * How many hashes of a list has a filter with layers, as far as it can tell?  If
 * one is enough, 1 for any number.
 */
static unsigned
count_found(FilterReader *reader, Datum list, Datum filter, bool one_is_enough)
{
	BbfMeta		meta;
	const unsigned char *bytes = blt_read_filter(list, BBF_KIND_BLOOM, &meta);
	OpenFilter	open;
	unsigned	nfound = 0;

	for (unsigned i = 0; i < meta.nlist && !(one_is_enough && nfound > 0); i++)
	{
		/* it is read whole once slices have cost as much */
		if (i == 0 || open.bytes == NULL)
			blt_open_filter(reader, filter, &open);
		nfound += blt_probe(&open, bbf_list_get(bytes, i));
	}
	return nfound;
}

/* The hashes that two lists have in common. */
static unsigned
count_common(const Pair *pair)
{
	BbfMeta		a;
	BbfMeta		b;
	const unsigned char *a_bytes = blt_read_filter(pair->a_value, BBF_KIND_BLOOM, &a);
	const unsigned char *b_bytes = blt_read_filter(pair->b_value, BBF_KIND_BLOOM, &b);

	return bbf_lists_overlap(&a, a_bytes, &b, b_bytes);
}

/* Have all layers of both the same number of probes? */
static bool
layers_pair(const BbfMeta *a, const BbfMeta *b)
{
	for (unsigned i = 0; i < a->nlayers; i++)
	{
		if (a->layers[i].key_bits != b->layers[0].key_bits)
			return false;
	}
	for (unsigned j = 1; j < b->nlayers; j++)
	{
		if (b->layers[j].key_bits != b->layers[0].key_bits)
			return false;
	}
	return true;
}

/*
 * The overlap of filters with layers; false if nothing can be said.  The errors of
 * the pairs are taken as independent.
 */
static bool
layers_overlap(const Pair *pair, BbfOverlap *overlap)
{
	BbfMeta		a;
	BbfMeta		b;
	const unsigned char *a_bytes;
	const unsigned char *b_bytes;

	if (!layers_pair(&pair->a, &pair->b))
		return false;
	a_bytes = blt_read_filter(pair->a_value, BBF_KIND_BLOOM, &a);
	b_bytes = blt_read_filter(pair->b_value, BBF_KIND_BLOOM, &b);
	for (unsigned i = 0; i < a.nlayers; i++)
	{
		for (unsigned j = 0; j < b.nlayers; j++)
		{
			BbfOverlap	of_layers;

			if (!bbf_layers_overlap(&a.layers[i], a_bytes + a.layers[i].offset,
									&b.layers[j], b_bytes + b.layers[j].offset,
									blt_check_for_interrupts, &of_layers))
				return false;
			overlap->both += of_layers.both;
			overlap->variance += of_layers.variance;
		}
	}
	return true;
}

/*
 * What can be said of two filters of which both have keys, and tell how many; false
 * if nothing.
 */
static bool
estimate_overlap(const Pair *pair, BbfOverlap *overlap)
{
	const BbfMeta *other = pair->a.nlist > 0 ? &pair->b : &pair->a;
	double		fpp;
	unsigned	nfound;

	if (pair->a.nlist > 0 && pair->b.nlist > 0)
	{
		overlap->both = count_common(pair);
		return true;
	}
	if (pair->a.nlist == 0 && pair->b.nlist == 0)
		return layers_overlap(pair, overlap);

	fpp = bbf_meta_fpp(other);
	if (fpp >= 1.0)
		return false;
	if (other == &pair->b)
	{
		nfound = count_found(pair->reader, pair->a_value, pair->b_value, false);
		*overlap = bbf_overlap_of_list(pair->a.nlist, nfound, fpp);
	}
	else
	{
		nfound = count_found(pair->reader, pair->b_value, pair->a_value, false);
		*overlap = bbf_overlap_of_list(pair->b.nlist, nfound, fpp);
	}
	return true;
}

/*
 * (a, b): a row of keys_a, keys_b, keys_either, keys_both, jaccard and the standard
 * error of keys_both.  What cannot be told is null; also for an intersection, whose
 * keys nobody knows.
 */
Datum
bloomtype_bloom_overlap(PG_FUNCTION_ARGS)
{
	Pair		pair;
	BbfOverlap	overlap = {0};
	Datum		values[6] = {0};
	bool		nulls[6] = {false};
	bool		told;

	read_pair(fcinfo, &pair);
	values[0] = blt_number_of_keys(&pair.a, &nulls[0]);
	values[1] = blt_number_of_keys(&pair.b, &nulls[1]);

	/* without keys on one side there are none in common */
	told = !bbf_meta_has_keys(&pair.a) || !bbf_meta_has_keys(&pair.b) ||
		(!nulls[0] && !nulls[1] && estimate_overlap(&pair, &overlap));
	nulls[2] = !told || nulls[0] || nulls[1];
	nulls[3] = nulls[5] = !told;
	nulls[4] = true;
	if (!nulls[2])
	{
		int64		a = DatumGetInt64(values[0]);
		int64		b = DatumGetInt64(values[1]);
		double		at_most = (double) Min(a, b);
		int64		both = (int64) rint(Max(Min(overlap.both, at_most), 0.0));
		int64		either = a + b - both;

		values[2] = Int64GetDatum(either);
		values[3] = Int64GetDatum(both);
		nulls[4] = either == 0;
		values[4] = Float8GetDatum(either == 0 ? 0.0 : (float8) both / either);
	}
	else if (told)
		values[3] = Int64GetDatum(0);
	values[5] = Float8GetDatum(sqrt(overlap.variance));
	return blt_return_row(fcinfo, values, nulls);
}

/* Do two filters with layers share a bit? */
static bool
layers_share_bits(const Pair *pair)
{
	BbfMeta		a;
	BbfMeta		b;
	const unsigned char *a_bytes = blt_read_filter(pair->a_value, BBF_KIND_BLOOM, &a);
	const unsigned char *b_bytes = blt_read_filter(pair->b_value, BBF_KIND_BLOOM, &b);

	for (unsigned i = 0; i < a.nlayers; i++)
	{
		for (unsigned j = 0; j < b.nlayers; j++)
		{
			if (bbf_layers_share_bits(&a.layers[i], a_bytes + a.layers[i].offset,
									  &b.layers[j], b_bytes + b.layers[j].offset,
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
