/*
 * filter.c
 *	  Finds the keys of an image, and probes lists and layers.
 */
#include "core/filter.h"

void
bbf_filter_attach(BbfFilter *filter, const unsigned char *bytes)
{
	const BbfMeta *meta = &filter->meta;
	const BbfKindRoutine *routine = bbf_kind_routine(meta->kind);
	const unsigned char *bins = bytes + bbf_bins_start(meta);

	filter->list = bbf_image_list(bytes);
	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		filter->bins[i] = bins;
		bins += bbf_bins_bytes(routine, &meta->layers[i]);
	}
}

void
bbf_filter_copy(BbfFilter *to, const BbfFilter *from)
{
	memcpy(to, from, offsetof(BbfFilter, meta.layers) +
		   from->meta.nlayers * sizeof(BbfLayer));
}

/*
 * Hashes are spread evenly, so a hash is near its proportional place in the
 * list: in one of 128, four places away on average.  Going there takes fewer
 * steps than a binary search, and the processor predicts more of them.  A list
 * of other hashes takes 128 steps at most.
 */
unsigned
bbf_list_find(const BbfFilter *filter, uint64_t hash, bool *found)
{
	const unsigned char *list = filter->list;
	unsigned	n = filter->meta.nlist;
	unsigned	i = (unsigned) (((hash >> 32) * n) >> 32);

	while (i < n && bbf_list_get(list, i) < hash)
		i++;
	while (i > 0 && bbf_list_get(list, i - 1) >= hash)
		i--;
	*found = i < n && bbf_list_get(list, i) == hash;
	return i;
}

/*
 * Is a hash in the list?  In a short list, all are compared, without a branch
 * that the processor could not predict.
 */
static bool
list_contains(const BbfFilter *filter, uint64_t hash)
{
	bool		found = false;

	if (filter->meta.nlist > BBF_SHORT_LIST)
	{
		(void) bbf_list_find(filter, hash, &found);
		return found;
	}
	for (unsigned i = 0; i < filter->meta.nlist; i++)
		found |= bbf_list_get(filter->list, i) == hash;
	return found;
}

int
bbf_filter_count_slow(const BbfFilter *filter, uint64_t hash)
{
	const BbfMeta *meta = &filter->meta;
	const BbfKindRoutine *routine = bbf_kind_routine(meta->kind);

	if (meta->nlayers == 0)
		return list_contains(filter, hash);

	/* the last layer is the largest and has most of the keys */
	for (unsigned i = meta->nlayers; i > 0; i--)
	{
		int			count = routine->count(&meta->layers[i - 1], filter->bins[i - 1], hash);

		if (count > 0)
			return count;
	}
	return 0;
}

bool
bbf_filter_contains_slow(const BbfFilter *filter, uint64_t hash)
{
	const BbfMeta *meta = &filter->meta;

	if (meta->nlayers == 0)
		return list_contains(filter, hash);
	if (meta->kind != BBF_KIND_BLOOM)
		return bbf_filter_count(filter, hash) > 0;

	/* blocks of bits without a call for each layer */
	for (unsigned i = meta->nlayers; i > 0; i--)
	{
		if (bbf_blocks_contain(filter->bins[i - 1], meta->layers[i - 1].nbins,
							   meta->layers[i - 1].key_bits, hash))
			return true;
	}
	return false;
}
