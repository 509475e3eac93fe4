/*
 * kind_test.c
 *	  kind.h: every routine keeps what the table promises of it, whatever the kind.
 */
#include "check.h"
#include "suites.h"

#include "buffer.h"
#include "core/blocked.h"
#include "core/kind.h"
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

/* Run code for a clear layer of each kind and size. */
#define FOR_EACH_LAYER(l) \
	for (int kind = 1; kind <= BBF_KIND_MAX; kind++) \
		for (int size = 0; size < LENGTH_OF(sizes); size++) \
			for (Layer l = clear_layer(kind, sizes[size].capacity, sizes[size].fpp); \
				 l.bins != NULL && \
				 (CASE("%s of %d keys at %g", l.routine->name, \
					   (int) sizes[size].capacity, sizes[size].fpp), true); \
				 free(l.bins), l.bins = NULL)

/* Each kind stands at its own number, and says which it is. */
static void
test_table_of_kinds(void)
{
	CHECK(!bbf_kind_is_valid(BBF_KIND_ANY) && !bbf_kind_is_valid(-1));
	CHECK(!bbf_kind_is_valid(BBF_KIND_MAX + 1));
	for (int kind = 1; kind <= BBF_KIND_MAX; kind++)
	{
		const BbfKindRoutine *routine = bbf_kind_routine((BbfKind) kind);

		CASE("kind %d", kind);
		CHECK(bbf_kind_is_valid(kind));
		CHECK((int) routine->kind == kind);
		CHECK((routine->remove == NULL) == routine->is_set);
		CHECK((routine->add_many == NULL) == (routine->unite == NULL));
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
		CHECK(l.routine->check_layer(&l.layer) == NULL);
		uint64_t	nset = 1;

		CHECK(l.routine->check_bins(&l.layer, l.bins, &nset) && nset == 0);
		CHECK(l.routine->count_set(&l.layer, l.bins) == 0);
		CHECK(l.routine->keys(&l.layer) == 0.0 && l.routine->fpp(&l.layer) == 0.0);
		CHECK(!l.routine->is_saturated(&l.layer));
		CHECK(l.routine->tells_keys(&l.layer));
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
		CHECK(l.routine->tells_keys(&l.layer));
		l.layer.nset = most - 99;
		CHECK(l.routine->tells_keys(&l.layer) == !of_blocks);
		l.layer.nset = most;
		CHECK(l.routine->tells_keys(&l.layer) == !of_blocks);
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

	for (int kind = 1; kind <= BBF_KIND_MAX; kind++)
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
			for (uint64_t i = 0; i < 20000; i++)
				CHECK(l.routine->add(&l.layer, l.bins, key(i)));
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

		for (uint64_t i = 0; i < l.layer.capacity; i += 2)
			CHECK(l.routine->add(&l.layer, l.bins, key(i)));
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
	END_OF_TESTS
};
