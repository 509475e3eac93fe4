/*
 * fuzz_image.c
 *	  Fuzz target: the validator of images, and all that reads or changes what it has
 *	  accepted.
 *
 * Guards against fields of a value that are trusted against its real length:
 * CVE-2024-25115 and CVE-2024-55656 of RedisBloom, issue 180 of postgresql-hll.
 *
 *		1 byte	kind, and whether to repair the image
 *		8		hash of a key
 *		...		image
 */
#include "fuzz.h"

#include <math.h>

#include "core/blocked.h"
#include "core/overlap.h"

#define NHASHES		8

/* What header and records say, written again, are the same bytes. */
static void
require_same_head(const BbfMeta *meta, const unsigned char *bytes)
{
	size_t		nbytes = BBF_HEADER_BYTES + meta->nlayers * (size_t) BBF_LAYER_RECORD_BYTES;
	unsigned char *written = malloc(nbytes);
	size_t		end = nbytes + meta->nlist * (size_t) 8;
	BbfMeta		again;

	REQUIRE(written != NULL);
	bbf_meta_write(meta, written);
	REQUIRE(memcmp(written, bytes, nbytes) == 0);
	REQUIRE(bbf_meta_read(written, nbytes, meta->length, meta->kind, &again) == NULL);
	REQUIRE(again.length == meta->length);
	REQUIRE(bbf_meta_read(written, nbytes, meta->length + 1, meta->kind, &again) != NULL);
	free(written);

	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		REQUIRE(bins_offset(meta, i) == end);
		end += bbf_bins_bytes(bbf_kind_routine(meta->kind), &meta->layers[i]);
	}
	REQUIRE(end == meta->length);
}

static void
require_estimates(const BbfMeta *meta)
{
	double		keys = bbf_meta_keys(meta);
	double		fpp = bbf_meta_fpp(meta);

	REQUIRE(isfinite(keys) && keys >= meta->nlist);
	REQUIRE(fpp >= 0.0 && fpp <= 1.0);
	REQUIRE(bbf_meta_has_keys(meta) || keys == 0.0);
	(void) bbf_meta_can_estimate_keys(meta);
	(void) bbf_meta_is_saturated(meta);
}

/* A probe of the whole, and one of the parts that it says it needs, agree. */
static void
require_same_count(const BbfMeta *meta, const unsigned char *bytes, uint64_t hash)
{
	const BbfKindRoutine *routine = bbf_kind_routine(meta->kind);
	int			count = image_count(meta, bytes, hash);
	bool		found = false;

	REQUIRE(image_contains(meta, bytes, hash) == (count > 0));
	(void) list_find(meta, bytes, hash, &found);
	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		const BbfLayer *layer = &meta->layers[i];
		const unsigned char *bins = bytes + bins_offset(meta, i);
		BbfSpan		spans[BBF_MAX_SPANS];
		unsigned char *parts[BBF_MAX_SPANS];
		int			nspans = routine->find_spans(layer, hash, spans);
		int			in_layer = routine->count(layer, bins, hash);

		REQUIRE(nspans >= 1 && nspans <= BBF_MAX_SPANS);
		for (int j = 0; j < nspans; j++)
		{
			REQUIRE(spans[j].offset + spans[j].length <= bbf_bins_bytes(routine, layer));
			parts[j] = exact_copy(bins + spans[j].offset, spans[j].length);
		}
		REQUIRE(routine->count_in_spans(layer, hash,
										(const unsigned char *const *) parts) == in_layer);
		for (int j = 0; j < nspans; j++)
			free(parts[j]);
		found = found || in_layer > 0;
	}
	REQUIRE(found == (count > 0));
}

/* A layer whose number of blocks is even, folded once, has no key less. */
static void
require_fold(const BbfLayer *layer, const unsigned char *blocks, const uint64_t *hashes)
{
	uint32_t	half = layer->nbins / 2;
	unsigned char *folded;

	if (layer->nbins % 2 != 0)
		return;
	folded = calloc(half, BBF_BLOCK_BYTES);
	REQUIRE(folded != NULL);
	bbf_blocks_merge(folded, half, blocks, layer->nbins);
	REQUIRE(bbf_blocks_count_set(folded, half) <= layer->nset);
	REQUIRE(layer->nset == 0 || bbf_blocks_count_set(folded, half) > 0);
	for (int i = 0; i < NHASHES; i++)
		REQUIRE(!bbf_blocks_contain(blocks, layer->nbins, layer->key_bits, hashes[i]) ||
				bbf_blocks_contain(folded, half, layer->key_bits, hashes[i]));
	free(folded);
}

/*
 * Add a key to a layer and remove it, where that can be: the image stays one, and no
 * other key counts less.
 */
static void
require_change(const BbfMeta *meta, const unsigned char *bytes, unsigned at,
			   const uint64_t *hashes)
{
	const BbfKindRoutine *routine = bbf_kind_routine(meta->kind);
	unsigned char *copy = exact_copy(bytes, meta->length);
	BbfMeta		changed = *meta;
	BbfLayer   *layer = &changed.layers[at];
	unsigned char *bins = copy + bins_offset(meta, at);
	int			before[NHASHES];
	BbfMeta		again;

	for (int i = 0; i < NHASHES; i++)
		before[i] = routine->count(layer, bins, hashes[i]);
	if (routine->add(layer, bins, hashes[0]))
	{
		int			after = routine->count(layer, bins, hashes[0]);

		bbf_meta_write(&changed, copy);
		REQUIRE(bbf_image_validate(copy, meta->length, meta->kind, &again, NULL) == NULL);
		for (int i = 1; i < NHASHES; i++)
			REQUIRE(routine->count(layer, bins, hashes[i]) >= before[i]);
		if (bbf_has_trait(routine, BBF_TRAIT_SKIPS_PRESENT))
			REQUIRE(after == 1);
		else
			REQUIRE(after > before[0] ||
					(routine->saturated_count > 0 && before[0] == routine->saturated_count));
		if (routine->remove != NULL)
		{
			routine->remove(layer, bins, hashes[0]);
			for (int i = 0; i < NHASHES; i++)
				REQUIRE(routine->count(layer, bins, hashes[i]) >= before[i]);
			bbf_meta_write(&changed, copy);
			REQUIRE(layer->nset == 0 ||
					bbf_image_validate(copy, meta->length, meta->kind, &again, NULL) == NULL);
		}
	}
	else
	{
		REQUIRE(!bbf_has_trait(routine, BBF_TRAIT_GROWTH) && layer->nset == meta->layers[at].nset);
		REQUIRE(memcmp(copy, bytes, meta->length) == 0);
	}
	free(copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	uint8_t		flags = take8(&input);
	uint64_t	hashes[NHASHES] = {take64(&input)};
	BbfMeta		meta;
	unsigned char *bytes;

	bytes = new_image(input.data, input.size, (BbfKind) (flags % (BBF_KIND_CUCKOO + 1)),
					  (flags & 0x80) != 0, &meta);
	if (bytes == NULL)
		return 0;

	/* the key, its neighbours, a key of the list, and some others */
	hashes[1] = hashes[0] + 1;
	hashes[2] = ~hashes[0];
	hashes[3] = meta.nlist > 0 ? bbf_list_get(bbf_image_list(bytes), flags % meta.nlist) : 0;
	for (int i = 4; i < NHASHES; i++)
		hashes[i] = mixed(hashes[0] + (uint64_t) i);
	REQUIRE(meta.nlist == 0 || image_contains(&meta, bytes, hashes[3]));

	require_same_head(&meta, bytes);
	require_estimates(&meta);
	for (int i = 0; i < NHASHES; i++)
		require_same_count(&meta, bytes, hashes[i]);
	if (meta.nlayers > 0 && bbf_kind_routine(meta.kind)->add != NULL)
		require_change(&meta, bytes, (unsigned) hashes[0] % meta.nlayers, hashes);
	REQUIRE(lists_overlap(&meta, bytes, &meta, bytes) == meta.nlist);
	for (unsigned i = 0; i < meta.nlayers && meta.kind == BBF_KIND_BLOOM; i++)
	{
		const BbfLayer *layer = &meta.layers[i];
		const unsigned char *blocks = bytes + bins_offset(&meta, i);
		BbfOverlap	overlap;

		require_fold(layer, blocks, hashes);
		REQUIRE(bbf_layers_share_bits(layer, blocks, layer, blocks, NULL) ==
				(layer->nset > 0));
		REQUIRE(!bbf_layers_overlap(layer, blocks, layer, blocks, NULL, &overlap) ||
				(isfinite(overlap.both) && isfinite(overlap.variance)));
	}
	free(bytes);
	return 0;
}
