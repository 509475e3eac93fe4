/*
 * kind_test.c
 *	  kind.h: every routine keeps what the table promises of it, whatever the kind.
 */
#include "check.h"
#include "suites.h"

#include "buffer.h"
#include "core/blocked.h"
#include "core/kind.h"
#include "core/image.h"
#include "key.h"

/* A layer of a kind, with clear bins of exactly its bytes. */
typedef struct Layer
{
	const BbfKindRoutine *routine;
	BbfLayer	layer;
	unsigned char *bins;
} Layer;

static Layer
clear_layer(int kind, uint64_t capacity, double fpp)
{
	Layer		l = {.routine = bbf_kind_routine((BbfKind) kind)};
	BbfGeometry geometry = l.routine->size(capacity, fpp);

	l.layer.nbins = (uint32_t) geometry.nbins;
	l.layer.key_bits = geometry.key_bits;
	l.layer.capacity = capacity;
	l.layer.fpp = fpp;
	l.layer.full_at = geometry.full_at;
	l.bins = allocate(bbf_bins_bytes(l.routine, &l.layer));
	return l;
}

static const struct
{
	uint64_t	capacity;
	double		fpp;
}			sizes[] = {
	{1, 0.5}, {8, 0.01}, {300, 0.3}, {1000, 0.01}, {1000, 1e-6}, {5000, 0.001},
};

#define FOR_EACH_KIND(kind) \
	for (int kind = 1; kind <= BBF_KIND_MAX; kind++)

/* Run code for a clear layer of each kind and size. */
#define FOR_EACH_LAYER(l) \
	FOR_EACH_KIND(kind) \
		for (int size = 0; size < LENGTH_OF(sizes); size++) \
			for (Layer l = clear_layer(kind, sizes[size].capacity, sizes[size].fpp); \
				 l.bins != NULL && \
				 (CASE("%s of %d keys at %g", l.routine->name, \
					   (int) sizes[size].capacity, sizes[size].fpp), true); \
				 free(l.bins), l.bins = NULL)

/* Add the keys first .. end - 1 to a layer. */
static void
fill(Layer *l, uint64_t first, uint64_t end)
{
	for (uint64_t i = first; i < end; i++)
		CHECK(l->routine->add(&l->layer, l->bins, key(i)));
}

/* Each kind stands at its own number, says which it is, and has all that its traits need. */
static void
test_table_of_kinds(void)
{
	CHECK(!bbf_kind_is_valid(BBF_KIND_ANY) && !bbf_kind_is_valid(-1));
	CHECK(!bbf_kind_is_valid(BBF_KIND_MAX + 1));
	for (int kind = 1; kind <= BBF_KIND_MAX; kind++)
		CHECK(bbf_kind_is_valid(kind));
	CHECK(!bbf_kind_is_valid(255));
	FOR_EACH_KIND(kind)
	{
		const BbfKindRoutine *routine = bbf_kind_routine((BbfKind) kind);

		CASE("kind %d", kind);
		CHECK((int) routine->kind == kind);
		CHECK(routine->name != NULL && routine->bins_reason != NULL);
		CHECK((routine->header_reason == NULL) ==
			  (bbf_has_trait(routine, BBF_TRAIT_LIST) && bbf_has_trait(routine, BBF_TRAIT_GROWTH) && bbf_has_trait(routine, BBF_TRAIT_INTERSECTION)));
		CHECK(routine->max_bin_nset > 0 && routine->bytes_per_key > 0.0);
		CHECK(bbf_bin_bits(routine, 1) > 0 && routine->size != NULL);
		CHECK(routine->check_layer != NULL && routine->check_bins != NULL);
		CHECK(routine->count_set != NULL && routine->keys != NULL);
		CHECK(routine->can_estimate_keys != NULL && routine->is_saturated != NULL);
		CHECK(routine->fpp != NULL && routine->fpp_of_keys != NULL);
		CHECK(routine->count != NULL);
		CHECK(routine->find_spans != NULL && routine->count_in_spans != NULL);

		/* a trait that needs a function */
		CHECK(routine->add != NULL);
		CHECK((routine->add_many == NULL) == (routine->unite == NULL));
		CHECK(routine->remove == NULL || !bbf_has_trait(routine, BBF_TRAIT_SKIPS_PRESENT));
		CHECK(routine->saturated_count == 0 || routine->remove != NULL);
		CHECK(!bbf_has_trait(routine, BBF_TRAIT_AGG_ADDS_COPIES) || routine->saturated_count > 0);
		CHECK(!bbf_has_trait(routine, BBF_TRAIT_GROWTH) || (bbf_has_trait(routine, BBF_TRAIT_LIST) && !bbf_has_trait(routine, BBF_TRAIT_LAYER_REPEATS_HEADER)));
	}
	CHECK(strcmp(bbf_kind_routine(BBF_KIND_BLOOM)->name, "bloom") == 0);
	CHECK(strcmp(bbf_kind_routine(BBF_KIND_COUNTING_BLOOM)->name, "counting_bloom") == 0);
	CHECK(strcmp(bbf_kind_routine(BBF_KIND_CUCKOO)->name, "cuckoo") == 0);
}

/* What sizing gives passes the check of layers, and clear bins that of bins. */
static void
test_sized_layers_are_valid(void)
{
	FOR_EACH_LAYER(l)
	{
		uint64_t	nset = 1;

		CHECK(l.routine->check_layer(&l.layer) == NULL);
		CHECK(l.routine->check_bins(&l.layer, l.bins, &nset) && nset == 0);
		CHECK(l.routine->count_set(&l.layer, l.bins) == 0);
		CHECK(l.routine->keys(&l.layer) == 0.0 && l.routine->fpp(&l.layer) == 0.0);
		CHECK(!l.routine->is_saturated(&l.layer));
		CHECK(l.routine->can_estimate_keys(&l.layer));
	}
}

/* With fewer than 100 bits or counters unset the number of keys is a lower bound. */
static void
test_full_blocks_do_not_tell_keys(void)
{
	FOR_EACH_LAYER(l)
	{
		uint64_t	most = (uint64_t) l.layer.nbins * l.routine->max_bin_nset;
		bool		of_blocks = l.routine->add_many != NULL;

		if (most < 100)
			continue;
		l.layer.nset = most - 100;
		CHECK(l.routine->can_estimate_keys(&l.layer));
		l.layer.nset = most - 99;
		CHECK(l.routine->can_estimate_keys(&l.layer) == !of_blocks);
		l.layer.nset = most;
		CHECK(l.routine->can_estimate_keys(&l.layer) == !of_blocks);
		CHECK(l.routine->keys(&l.layer) > 0.0);
	}
}

/* Adding finds the key, and keeps nset what the bins have, up to the most. */
static void
test_add_keeps_nset(void)
{
	FOR_EACH_LAYER(l)
	{
		uint64_t	nset = 0;

		for (uint64_t i = 0; i < l.layer.capacity; i++)
		{
			CHECK(l.routine->add(&l.layer, l.bins, key(i)));
			CHECK(l.routine->count(&l.layer, l.bins, key(i)) >= 1);
		}
		if (l.routine->add == NULL)
			fill(&l, 0, l.layer.capacity);
		for (uint64_t i = 0; i < l.layer.capacity; i++)
			CHECK(l.routine->count(&l.layer, l.bins, key(i)) >= 1);
		CHECK(l.layer.nset == l.routine->count_set(&l.layer, l.bins));
		CHECK(l.layer.nset <= (uint64_t) l.layer.nbins * l.routine->max_bin_nset);
		CHECK(l.routine->check_bins(&l.layer, l.bins, &nset));
		CHECK(nset == l.layer.nset);
	}
}

/*
 * The pieces of a layer are all of its bins, once each, and together they are what
 * the whole is: also where a bin does not end with a byte, or the layer not with
 * a piece.
 */
static void
test_pieces_make_the_whole(void)
{
	static const double rates[] = {0.9, 0.01, 1e-7};

	FOR_EACH_KIND(kind)
		for (int rate = 0; rate < LENGTH_OF(rates); rate++)
		{
			Layer		l = clear_layer(kind, 1000000, rates[rate]);
			size_t		nbytes = bbf_bins_bytes(l.routine, &l.layer);
			unsigned char *copy = allocate(nbytes);
			size_t		end = 0;
			uint64_t	nset = 0;
			int			npieces = 0;
			BbfLayer	piece;

			CASE("%s at %g", l.routine->name, rates[rate]);
			fill(&l, 0, 20000);
			for (uint32_t first = 0; first < l.layer.nbins; first += piece.nbins)
			{
				size_t		offset;
				uint64_t	piece_nset = 0;

				piece = bbf_piece_of_layer(l.routine, &l.layer, first, &offset);
				CHECK(offset == end && offset % 8 == 0);
				CHECK(bbf_bins_bytes(l.routine, &piece) <= BBF_PIECE_BYTES);
				CHECK(l.routine->check_bins(&piece, l.bins + offset, &piece_nset));
				CHECK(piece_nset == l.routine->count_set(&piece, l.bins + offset));
				if (l.routine->unite != NULL)
					l.routine->unite(&piece, copy + offset, l.bins + offset);
				end = offset + bbf_bins_bytes(l.routine, &piece);
				nset += piece_nset;
				npieces++;
			}
			CHECK(end == nbytes && nset == l.layer.nset);
			CHECK(npieces == (int) ((nbytes - 1) / BBF_PIECE_BYTES) + 1);
			CHECK(l.routine->unite == NULL || memcmp(copy, l.bins, nbytes) == 0);
			free(copy);
			free(l.bins);
		}
}

/* Removing what was added leaves clear bins. */
static void
test_remove_undoes_add(void)
{
	FOR_EACH_LAYER(l)
	{
		size_t		length = bbf_bins_bytes(l.routine, &l.layer);
		unsigned char *clear = allocate(length);

		for (uint64_t i = 0; l.routine->remove != NULL && i < l.layer.capacity; i++)
			CHECK(l.routine->add(&l.layer, l.bins, key(i)));
		for (uint64_t i = 0; l.routine->remove != NULL && i < l.layer.capacity; i++)
			l.routine->remove(&l.layer, l.bins, key(i));
		CHECK(l.layer.nset == 0);
		CHECK(memcmp(l.bins, clear, length) == 0);
		free(clear);
	}
}

/* The spans of a key tell the count of all bins; nothing else is read. */
static void
test_spans_tell_the_count(void)
{
	FOR_EACH_LAYER(l)
	{
		size_t		length = bbf_bins_bytes(l.routine, &l.layer);

		fill(&l, 0, l.layer.capacity / 2);
		for (uint64_t i = 0; i < l.layer.capacity + 200; i++)
		{
			BbfSpan		spans[BBF_MAX_SPANS];
			unsigned char *copies[BBF_MAX_SPANS];
			int			nspans = l.routine->find_spans(&l.layer, key(i), spans);

			CHECK(nspans >= 1 && nspans <= BBF_MAX_SPANS);
			for (int s = 0; s < nspans; s++)
			{
				CHECK(spans[s].offset + spans[s].length <= length);
				copies[s] = copy_of(l.bins + spans[s].offset, spans[s].length);
			}
			CHECK(l.routine->count_in_spans(&l.layer, key(i),
											(const unsigned char *const *) copies) ==
				  l.routine->count(&l.layer, l.bins, key(i)));
			for (int s = 0; s < nspans; s++)
				free(copies[s]);
		}
	}
}

/* Adding many, and uniting two halves, give the bins of adding one by one. */
static void
test_many_as_one_by_one(void)
{
	FOR_EACH_LAYER(l)
	{
		size_t		length = bbf_bins_bytes(l.routine, &l.layer);
		size_t		n = (size_t) l.layer.capacity;
		uint64_t   *hashes = allocate(n * sizeof(uint64_t));
		unsigned char *many = allocate(length);
		unsigned char *halves[2] = {allocate(length), allocate(length)};

		for (size_t i = 0; l.routine->add_many != NULL && i < n; i++)
		{
			hashes[i] = key(i);
			CHECK(l.routine->add(&l.layer, l.bins, hashes[i]));
		}
		if (l.routine->add_many != NULL)
		{
			l.routine->add_many(&l.layer, many, hashes, n);
			l.routine->add_many(&l.layer, halves[0], hashes, n / 2);
			l.routine->add_many(&l.layer, halves[1], hashes + n / 2, n - n / 2);
			l.routine->unite(&l.layer, halves[0], halves[1]);
		}
		CHECK(memcmp(many, l.bins, length) == 0);
		CHECK(memcmp(halves[0], l.bins, length) == 0);
		free(hashes);
		free(many);
		free(halves[0]);
		free(halves[1]);
	}
}

/* A routine refuses the numbers that no layer of its kind can have. */
static void
test_impossible_layers(void)
{
	FOR_EACH_LAYER(l)
	{
		BbfLayer	layer = l.layer;

		layer.nbins = 0;
		CHECK(l.routine->check_layer(&layer) != NULL);
		layer = l.layer;
		layer.key_bits = 0;
		CHECK(l.routine->check_layer(&layer) != NULL);
		layer.key_bits = 33;
		CHECK(l.routine->check_layer(&layer) != NULL);
		layer = l.layer;
		layer.nset = (uint64_t) layer.nbins * l.routine->max_bin_nset + 1;
		CHECK(l.routine->check_layer(&layer) != NULL);
		layer = l.layer;
		layer.full_at = UINT64_MAX;
		CHECK(l.routine->check_layer(&layer) != NULL);

		/* the first even number of its form past 512 MB */
		layer = l.layer;
		layer.nbins = UINT32_C(1) << 31;
		CHECK(l.routine->check_layer(&layer) != NULL);
	}
}

/* A header may claim what the traits of its kind allow, and nothing else. */
static void
test_claims_of_headers(void)
{
	FOR_EACH_KIND(kind)
	{
		const BbfKindRoutine *routine = bbf_kind_routine((BbfKind) kind);

		for (int claim = 0; claim < 5; claim++)
		{
			unsigned char bytes[BBF_MAX_META_BYTES] = {0};
			const char *reason;
			bool		allowed;
			BbfMeta		meta;

			CASE("%s, claim %d", routine->name, claim);
			bbf_meta_init(&meta, (BbfKind) kind, 1000, 0.01, claim == 0 ? 2 : 0);
			allowed = bbf_has_trait(routine, BBF_TRAIT_GROWTH);
			if (claim == 1)
			{
				meta.flags = BBF_FLAG_INTERSECTION;
				allowed = bbf_has_trait(routine, BBF_TRAIT_INTERSECTION);
			}
			if (claim == 2)
			{
				meta.nlist = 1;
				allowed = bbf_has_trait(routine, BBF_TRAIT_LIST);
			}
			if (claim >= 3)
			{
				Layer		l = clear_layer(kind, 1000, 0.01);

				/* two layers with a key, or one without */
				meta.nlayers = claim == 3 ? 2 : 1;
				l.layer.nset = claim == 3;
				meta.layers[0] = meta.layers[1] = l.layer;
				allowed = claim == 3 ? bbf_has_trait(routine, BBF_TRAIT_GROWTH) : bbf_has_trait(routine, BBF_TRAIT_INTERSECTION);
				free(l.bins);
			}
			if (claim >= 2)
				meta.family = 2;
			bbf_meta_write(&meta, bytes);
			reason = bbf_meta_read(bytes, sizeof(bytes), bbf_meta_lay_out(&meta),
								   (BbfKind) kind, &meta);
			CHECK((reason == NULL) == allowed);
			CHECK(allowed || claim == 4 || reason == routine->header_reason);
		}
	}
}

/* The modelled rate of a sized layer meets what was asked for, about where the kind says so. */
static void
test_modelled_rates(void)
{
	FOR_EACH_KIND(kind)
	{
		const BbfKindRoutine *routine = bbf_kind_routine((BbfKind) kind);
		bool		is_met = true;

		CASE("%s", routine->name);
		for (double fpp = 0.3; fpp > 1e-4; fpp *= 0.9)
		{
			BbfGeometry geometry = routine->size(20000, fpp);
			double		rate = routine->fpp_of_keys(&geometry, 20000.0);

			CHECK(rate > 0.0 && rate <= 1.02 * fpp);
			CHECK(routine->fpp_of_keys(&geometry, 10000.0) < rate);
			is_met = is_met && rate > 0.75 * fpp;
		}
		CHECK(is_met == bbf_has_trait(routine, BBF_TRAIT_MEETS_FPP));
	}
}

/* The bytes of a geometry are those of its layer, or a number beyond all layers. */
static void
test_bytes_of_geometries(void)
{
	const BbfGeometry huge = {UINT64_C(1) << 62, 12, 0};

	FOR_EACH_KIND(kind)
	{
		const BbfKindRoutine *routine = bbf_kind_routine((BbfKind) kind);

		CASE("%s", routine->name);
		for (uint32_t nbins = 1; nbins <= 130; nbins++)
		{
			const BbfGeometry geometry = {nbins, 7, 0};
			const BbfLayer layer = {.nbins = nbins,.key_bits = 7};

			CHECK(bbf_geometry_bytes(routine, &geometry) ==
				  (double) bbf_bins_bytes(routine, &layer));
		}
		CHECK(bbf_geometry_bytes(routine, &huge) ==
			  (double) huge.nbins * bbf_bin_bits(routine, 12) / 8);
	}
}

const Test	kind_tests[] = {
	TEST(test_table_of_kinds),
	TEST(test_sized_layers_are_valid),
	TEST(test_full_blocks_do_not_tell_keys),
	TEST(test_add_keeps_nset),
	TEST(test_pieces_make_the_whole),
	TEST(test_remove_undoes_add),
	TEST(test_spans_tell_the_count),
	TEST(test_many_as_one_by_one),
	TEST(test_impossible_layers),
	TEST(test_claims_of_headers),
	TEST(test_modelled_rates),
	TEST(test_bytes_of_geometries),
	END_OF_TESTS
};
