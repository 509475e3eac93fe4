/*
 * hostile.c
 *	  Hostile bytes are refused with a reason, or are harmless.
 */
#include "hostile.h"

#include "core/blocked.h"
#include "core/counting.h"
#include "core/cuckoo.h"

#include "attached.h"
#include "blocks.h"
#include "buffer.h"
#include "check.h"
#include "key.h"

/* What a deletable filter does with its one layer; writes into the blocks. */
static void
use_deletable_layer(const BbfMeta *meta, unsigned char *bytes)
{
	const BbfLayer *layer = &meta->layers[0];
	unsigned char *blocks = bytes + BBF_FIRST_BINS;
	size_t		nbytes = bbf_bins_bytes(bbf_kind_routine(meta->kind), layer);

	CHECK(BBF_FIRST_BINS + nbytes == meta->length);
	for (uint64_t i = 0; i < 40; i++)
	{
		uint64_t	hash = i % 2 ? key(i) : extreme_hashes[i / 2 % LENGTH_OF(extreme_hashes)];

		if (meta->kind == BBF_KIND_CUCKOO)
		{
			(void) bbf_cuckoo_add(blocks, layer->nbins, layer->key_bits, hash);
			(void) bbf_cuckoo_remove(blocks, layer->nbins, layer->key_bits, key(40 - i));
		}
		else
		{
			if (image_count(meta, bytes, hash) > 0)
				(void) bbf_counters_remove(blocks, layer->nbins, layer->key_bits, hash);
			(void) bbf_counters_add(blocks, layer->nbins, layer->key_bits, hash);
		}
	}
	if (meta->kind == BBF_KIND_COUNTING_BLOOM)
	{
		unsigned char *other = copy_of(blocks, nbytes);
		unsigned char *bits = new_blocks(layer->nbins);

		bbf_counters_unite(blocks, other, layer->nbins);
		bbf_counters_to_bits(bits, blocks, layer->nbins);
		CHECK(bbf_counters_count_set(blocks, layer->nbins) ==
			  bbf_blocks_count_set(bits, layer->nbins));
		free(other);
		free(bits);
	}
}

/* What a Bloom filter does with its list or its layers; writes into the blocks. */
static void
use_bloom_image(const BbfMeta *meta, unsigned char *bytes)
{
	bool		found;

	for (uint64_t i = 0; i < 1000; i++)
		(void) image_contains(meta, bytes, key(i));
	for (unsigned i = 0; i < meta->nlist; i++)
	{
		uint64_t	hash = bbf_list_get(bbf_image_list(bytes), i);

		CHECK(list_find(meta, bytes, hash, &found) <= meta->nlist);
	}
	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		const BbfLayer *layer = &meta->layers[i];

		for (int j = 0; j < LENGTH_OF(extreme_hashes); j++)
			(void) bbf_blocks_add(bytes + bins_offset(meta, i), layer->nbins,
								  layer->key_bits, extreme_hashes[j]);
	}
}

/*
 * Everything that the core does with an image that it has accepted; the
 * sanitizers see whatever goes wrong.
 */
static void
use_image(const BbfMeta *meta, unsigned char *bytes)
{
	double		keys = bbf_meta_keys(meta);
	double		fpp = bbf_meta_fpp(meta);
	int			most = meta->kind == BBF_KIND_CUCKOO ? 8 :
		meta->kind == BBF_KIND_COUNTING_BLOOM ? 15 : 1;

	CHECK(keys >= 0.0 && keys < 1e18);
	CHECK(fpp >= 0.0 && fpp <= 1.0);
	(void) bbf_meta_is_saturated(meta);

	for (uint64_t i = 0; i < 100; i++)
	{
		uint64_t	hash = i < LENGTH_OF(extreme_hashes) ? extreme_hashes[i] : key(i);
		int			count = image_count(meta, bytes, hash);

		CHECK(count >= 0 && count <= most);
		CHECK(image_contains(meta, bytes, hash) == (count > 0));
	}
	if (meta->kind == BBF_KIND_BLOOM)
		use_bloom_image(meta, bytes);
	else
	{
		CHECK(meta->nlist == 0 && meta->nlayers <= 1);
		if (meta->nlayers > 0)
			use_deletable_layer(meta, bytes);
	}
}

bool
refused_or_harmless(BbfKind kind, unsigned char *bytes, size_t length)
{
	BbfMeta		meta;
	const char *reason = bbf_image_validate(bytes, length, kind, &meta, NULL);
	bool		refused = reason != NULL;

	if (refused)
		CHECK(strlen(reason) > 10 && reason[strlen(reason) - 1] == '.');
	if (bbf_meta_read(bytes, length, length, kind, &meta) == NULL)
	{
		CHECK(meta.length == length && meta.kind == kind);
		use_image(&meta, bytes);
	}
	else
		CHECK(refused);
	free(bytes);
	return refused;
}
