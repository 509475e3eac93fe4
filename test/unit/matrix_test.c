/*
 * matrix_test.c
 *	  matrix.h: each column of a matrix answers as its filter does and gives its bytes
 *	  back; what is not a matrix is refused.
 */
#include "check.h"

#include "core/family.h"
#include "core/kind.h"
#include "core/matrix.h"

#include "attached.h"
#include "buffer.h"
#include "key.h"
#include "suites.h"

#define NPROBES		6

/* A filter to be a column: its metadata, and the blocks or hashes that it has. */
typedef struct Filter
{
	BbfMeta		meta;
	unsigned char *bytes;
	int64_t		id;
} Filter;

/* A matrix of filters, and its bytes. */
typedef struct Sample
{
	BbfMatrix	matrix;
	unsigned char *bytes;
	Filter	   *filters;
} Sample;

/* A filter without keys, of keys 1000 column and so on as a list, or of a layer. */
static Filter
new_filter(uint32_t column, unsigned nkeys, uint32_t nblocks)
{
	Filter		filter;
	const uint64_t first = (uint64_t) column * 1000;

	bbf_meta_init(&filter.meta, BBF_KIND_BLOOM, 100 + column, 0.01, BBF_DEFAULT_GROWTH);
	filter.id = (int64_t) column * 10 - 1000;
	if (nkeys > 0)
		filter.meta.family = BBF_FAMILY_NUMBER;
	if (nkeys > 0 && nblocks == 0)
		filter.meta.nlist = nkeys;
	if (nblocks > 0)
	{
		BbfLayer   *layer = &filter.meta.layers[0];

		filter.meta.nlayers = 1;
		layer->nbins = nblocks;
		layer->key_bits = NPROBES;
		layer->capacity = 1000 + column;
		layer->fpp = 0.02;
		layer->full_at = 300;
		layer->nset = 0;
	}
	filter.bytes = allocate(bbf_meta_lay_out(&filter.meta));
	for (unsigned i = 0; i < nkeys; i++)
	{
		if (nblocks == 0)
			bbf_list_put(filter.bytes + BBF_HEADER_BYTES, i, key(first + i));	/* the order is not used */
		else
			filter.meta.layers[0].nset +=
				bbf_blocks_add(filter.bytes + BBF_FIRST_BINS, nblocks,
							   NPROBES, key(first + i));
	}
	bbf_meta_write(&filter.meta, filter.bytes);
	return filter;
}

/* The columns of a block, from their filters. */
static void
put_block(const Sample *sample, uint32_t block, uint32_t first, unsigned n)
{
	const unsigned char *blocks[64];

	for (unsigned i = 0; i < n; i++)
	{
		const Filter *filter = &sample->filters[first + i];
		const BbfLayer *layer = &filter->meta.layers[0];

		blocks[i] = filter->meta.nlayers == 0 ? NULL :
			filter->bytes + BBF_FIRST_BINS +
			(size_t) (block / (sample->matrix.nblocks / layer->nbins)) * BBF_BLOCK_BYTES;
	}
	bbf_matrix_put_blocks(&sample->matrix, sample->bytes, block, first, blocks, n);
}

/*
 * Build a matrix of ncolumns filters, the widest of which has nblocks blocks; shape gives
 * blocks and keys of each.
 */
static Sample
new_sample_of(uint32_t ncolumns, uint32_t nblocks, int nprobes,
			  void (*shape) (uint32_t column, unsigned *nkeys, uint32_t *nblocks))
{
	Sample		sample = {{.family = BBF_FAMILY_NONE,.nblocks = nblocks,
	.nprobes = nprobes,.ncolumns = ncolumns}, NULL, NULL};
	BbfMatrix  *matrix = &sample.matrix;

	sample.filters = allocate(ncolumns * sizeof(Filter));
	for (uint32_t i = 0; i < ncolumns; i++)
	{
		unsigned	nkeys = 0;
		uint32_t	filter_blocks = 0;

		shape(i, &nkeys, &filter_blocks);
		sample.filters[i] = new_filter(i, nkeys, filter_blocks);
		if (nkeys > 0)
			matrix->family = BBF_FAMILY_NUMBER;
	}
	CHECK(bbf_matrix_lay_out(matrix));
	sample.bytes = allocate(matrix->length);
	bbf_matrix_write(matrix, sample.bytes);
	for (uint32_t block = 0; block < nblocks; block++)
	{
		for (uint32_t first = 0; first < ncolumns; first += 64)
			put_block(&sample, block, first, ncolumns - first < 64 ? ncolumns - first : 64);
	}
	for (uint32_t i = 0; i < ncolumns; i++)
	{
		const Filter *filter = &sample.filters[i];
		BbfLayer	known = {0};
		BbfMeta		meta = bbf_matrix_column_meta(matrix, &filter->meta, &known);

		for (unsigned j = 0; j < filter->meta.nlist; j++)
			meta.layers[0].nset += bbf_matrix_add(matrix, sample.bytes, i,
												  bbf_list_get(bbf_image_list(filter->bytes), j));
		bbf_matrix_put_id(sample.bytes, i, filter->id);
		bbf_matrix_write_record(&meta, sample.bytes + bbf_matrix_record_offset(matrix, i));
	}
	return sample;
}

static void
free_sample(Sample *sample)
{
	for (uint32_t i = 0; i < sample->matrix.ncolumns; i++)
		free(sample->filters[i].bytes);
	free(sample->filters);
	free(sample->bytes);
}

/* No keys, a list, and layers of 12, 6, 4, 3, 2 and 1 blocks in turn. */
static void
mixed_shape(uint32_t column, unsigned *nkeys, uint32_t *nblocks)
{
	static const uint32_t blocks[] = {12, 0, 6, 0, 4, 3, 2, 1};

	*nblocks = blocks[column % 8];
	*nkeys = column % 8 == 3 ? 0 : *nblocks == 0 ? 20 : *nblocks * 25;
}

static void
only_lists(uint32_t column, unsigned *nkeys, uint32_t *nblocks)
{
	*nblocks = 0;
	*nkeys = column % 2 == 0 ? 128 : 0;
}

static void
no_keys(uint32_t column, unsigned *nkeys, uint32_t *nblocks)
{
	(void) column;
	*nblocks = *nkeys = 0;
}

/* Has the column of a matrix the key, by the slices that are read for it? */
static bool
column_has(const Sample *sample, uint32_t column, uint64_t hash)
{
	const BbfMatrix *matrix = &sample->matrix;
	uint64_t   *found = allocate(matrix->slice_bytes);
	uint16_t	slices[BBF_MAX_PROBES];
	int			n = bbf_matrix_find_slices(matrix, hash, slices);
	bool		result;

	memset(found, 0xFF, matrix->slice_bytes);
	for (int i = 0; i < n; i++)
	{
		CHECK(i == 0 || slices[i] > slices[i - 1]);
		bbf_matrix_and_slice(found, sample->bytes + bbf_matrix_block_offset(matrix, hash) +
							 slices[i] * matrix->slice_bytes, matrix->slice_bytes / 8);
	}
	result = (found[column / 64] >> column % 64 & 1) != 0;
	free(found);
	return result;
}

/* What the filter of a column answers, if it has a layer. */
static bool
filter_has(const Filter *filter, uint64_t hash)
{
	return image_contains(&filter->meta, filter->bytes, hash);
}

/* No filter is of the kind of a matrix. */
static void
test_no_filter_is_a_matrix(void)
{
	CHECK(!bbf_kind_is_valid(BBF_MATRIX_KIND));
}

/* A matrix of any number of columns is valid and answers as its filters do. */
static void
test_columns_answer_as_filters(void)
{
	static const uint32_t ncolumns[] = {1, 8, 63, 64, 65, 200, 513, 1100};

	for (int i = 0; i < LENGTH_OF(ncolumns); i++)
	{
		Sample		sample = new_sample_of(ncolumns[i], 12, NPROBES, mixed_shape);
		BbfMatrix	matrix;

		CASE("%u columns", (unsigned) ncolumns[i]);
		CHECK(bbf_matrix_validate(sample.bytes, sample.matrix.length, &matrix, NULL) == NULL);
		CHECK(matrix.family == sample.matrix.family && matrix.subtype == 0 &&
			  matrix.nblocks == 12 && matrix.nprobes == NPROBES &&
			  matrix.ncolumns == ncolumns[i] && matrix.slices == sample.matrix.slices &&
			  matrix.records == sample.matrix.records &&
			  matrix.slice_bytes == sample.matrix.slice_bytes &&
			  matrix.length == sample.matrix.length);
		for (uint32_t column = 0; column < ncolumns[i]; column += 1 + ncolumns[i] / 70)
		{
			const Filter *filter = &sample.filters[column];
			const uint64_t first = (uint64_t) column * 1000;

			CHECK(bbf_matrix_get_id(sample.bytes, column) == filter->id);
			CHECK(bbf_matrix_find_id(&matrix, sample.bytes, filter->id) == column);
			CHECK(bbf_matrix_find_id(&matrix, sample.bytes, filter->id + 1) == ncolumns[i]);
			for (uint64_t k = first; k < first + 400; k++)
			{
				bool		has = column_has(&sample, column, key(k));

				if (filter->meta.nlist > 0)
					CHECK(has || !filter_has(filter, key(k)) || k >= first + 20);
				else
					CHECK(has == filter_has(filter, key(k)));
			}
		}
		free_sample(&sample);
	}
}

/* The bytes of a filter with a layer come back. */
static void
test_filters_come_back(void)
{
	Sample		sample = new_sample_of(100, 12, NPROBES, mixed_shape);
	const BbfMatrix *matrix = &sample.matrix;

	for (uint32_t column = 0; column < 100; column++)
	{
		const Filter *filter = &sample.filters[column];
		BbfMeta		meta;
		unsigned char *bytes;

		CASE("column %u", (unsigned) column);
		CHECK(bbf_matrix_read_record(matrix, sample.bytes +
									 bbf_matrix_record_offset(matrix, column),
									 &meta) == NULL);
		bytes = allocate(meta.length);
		bbf_meta_write(&meta, bytes);
		if (meta.nlayers > 0)
			bbf_matrix_get_column(matrix, sample.bytes, column,
								  bytes + BBF_FIRST_BINS, meta.layers[0].nbins,
								  NULL);
		if (filter->meta.nlist > 0)
		{
			CHECK(meta.layers[0].nbins == 12 && meta.layers[0].key_bits == NPROBES);
			CHECK(meta.capacity == filter->meta.capacity && meta.layers[0].fpp == 0.01);
			CHECK(meta.layers[0].capacity >= 1);
			for (unsigned i = 0; i < filter->meta.nlist; i++)
				CHECK(image_contains(&meta, bytes, bbf_list_get(bbf_image_list(filter->bytes), i)));
		}
		else
			CHECK(meta.length == filter->meta.length &&
				  memcmp(bytes, filter->bytes, meta.length) == 0);
		CHECK(bbf_image_validate(bytes, meta.length, BBF_KIND_BLOOM, &meta, NULL) == NULL);
		free(bytes);
	}
	free_sample(&sample);
}

/* Lists alone, or filters without keys, have the blocks of 256 keys. */
static void
test_matrices_without_layers(void)
{
	BbfGeometry least = bbf_matrix_least_geometry(0.01);
	uint32_t	nblocks = (uint32_t) least.nbins;
	Sample		sample = new_sample_of(70, nblocks, least.key_bits, only_lists);
	BbfMatrix	matrix;

	CHECK(nblocks == bbf_size_blocks(256, 0.01).nbins);
	CHECK(bbf_matrix_validate(sample.bytes, sample.matrix.length, &matrix, NULL) == NULL);
	CHECK(column_has(&sample, 2, key(2000)) && !column_has(&sample, 3, key(2000)));
	free_sample(&sample);

	sample = new_sample_of(70, nblocks, least.key_bits, no_keys);
	CHECK(bbf_matrix_validate(sample.bytes, sample.matrix.length, &matrix, NULL) == NULL);
	free_sample(&sample);
	sample = new_sample_of(70, nblocks + 1, least.key_bits, no_keys);
	CHECK(bbf_matrix_validate(sample.bytes, sample.matrix.length, &matrix, NULL) != NULL);
	free_sample(&sample);
	sample = new_sample_of(70, nblocks, least.key_bits + 1, no_keys);
	CHECK(bbf_matrix_validate(sample.bytes, sample.matrix.length, &matrix, NULL) != NULL);
	free_sample(&sample);

	sample = new_sample_of(0, 0, 0, no_keys);
	CHECK(sample.matrix.length == BBF_MATRIX_HEADER_BYTES);
	CHECK(bbf_matrix_validate(sample.bytes, sample.matrix.length, &matrix, NULL) == NULL);
	CHECK(bbf_matrix_find_id(&matrix, sample.bytes, 0) == 0);
	free_sample(&sample);
}

/* A header whose matrix would be too large is refused, and nothing overflows. */
static void
test_sizes_are_limited(void)
{
	BbfMatrix	matrix = {.nblocks = BBF_MAX_BLOCKS,.nprobes = 1,.ncolumns = UINT32_MAX};

	CHECK(!bbf_matrix_lay_out(&matrix));
	matrix.nblocks = 1;
	CHECK(!bbf_matrix_lay_out(&matrix));
	matrix.ncolumns = 64;
	matrix.nblocks = 131072;
	CHECK(!bbf_matrix_lay_out(&matrix));
	matrix.nblocks = 130048;
	CHECK(bbf_matrix_lay_out(&matrix));
	CHECK(matrix.slices % 64 == 60);
	CHECK(matrix.length == matrix.slices + 130048 * UINT64_C(4096));
}

/* Is an image with one field set to a value refused for a reason that has this word? */
static void
check_forgery(const Sample *sample, size_t at, int width, uint64_t value, const char *word)
{
	unsigned char *bytes = copy_of(sample->bytes, sample->matrix.length);
	BbfMatrix	matrix;
	const char *reason;

	CASE("%d bytes at %zu, %s", width, at, word);
	for (int i = 0; i < width; i++)
		bytes[at + (size_t) i] = (unsigned char) (value >> 8 * i);
	reason = bbf_matrix_validate(bytes, sample->matrix.length, &matrix, NULL);
	CHECK(reason != NULL && strstr(reason, word) != NULL);
	free(bytes);
}

static void
test_forgeries_are_refused(void)
{
	Sample		sample = new_sample_of(70, 12, NPROBES, mixed_shape);
	const BbfMatrix *matrix = &sample.matrix;
	const size_t record = matrix->records;
	const size_t last_id = bbf_matrix_id_offset(69);

	check_forgery(&sample, 0, 1, 1, "not a matrix");
	check_forgery(&sample, 1, 1, 2, "version");
	check_forgery(&sample, 2, 1, 2, "scheme");
	check_forgery(&sample, 3, 1, 64, "length of the header");
	check_forgery(&sample, 4, 1, 64, "column's record");
	check_forgery(&sample, 5, 1, 0, "probes");
	check_forgery(&sample, 5, 1, 25, "probes");
	check_forgery(&sample, 5, 1, 7, "probes");
	check_forgery(&sample, 6, 2, 256, "Reserved");
	check_forgery(&sample, 8, 2, BBF_FAMILY_MAX + 1, "family");
	check_forgery(&sample, 8, 2, BBF_FAMILY_TEXT, "another family");
	check_forgery(&sample, 8, 2, 0, "another family");
	check_forgery(&sample, 10, 2, 1, "Reserved");
	check_forgery(&sample, 12, 4, 71, "length");
	check_forgery(&sample, 12, 4, 0, "without columns");
	check_forgery(&sample, 16, 4, 1, "subtype");
	check_forgery(&sample, 20, 8, 1, "salt");
	check_forgery(&sample, 28, 4, 0, "number of blocks");
	check_forgery(&sample, 28, 4, 129, "number of blocks");
	check_forgery(&sample, 28, 4, 13, "length");
	check_forgery(&sample, 28, 4, BBF_MAX_BLOCKS, "512 MB");
	check_forgery(&sample, 59, 1, 1, "Reserved");
	check_forgery(&sample, last_id, 8, (uint64_t) -5000, "ids");
	check_forgery(&sample, last_id, 8, (uint64_t) (68 * 10 - 1000), "ids");
	check_forgery(&sample, record, 1, 2, "another kind");
	check_forgery(&sample, record + 8, 2, BBF_FAMILY_TEXT, "another family");
	check_forgery(&sample, record + 12, 2, 2, "records");
	check_forgery(&sample, record + 60, 4, 5, "divide");
	check_forgery(&sample, record + 60, 4, 6, "bits of a column");
	check_forgery(&sample, record + 64, 1, 5, "another number of probes");
	check_forgery(&sample, record + 92, 8, 1, "bits of a column");
	check_forgery(&sample, record + 92, 8, 5000, "bits of a column");
	check_forgery(&sample, record + 3 * 124 + 60, 1, 1, "record of a layer");
	check_forgery(&sample, record + 70 * 124, 1, 1, "between");
	free_sample(&sample);
}

/* Each bit of the slices is checked, those that belong to no column included. */
static void
test_each_bit_is_checked(void)
{
	Sample		sample = new_sample_of(10, 12, NPROBES, mixed_shape);
	BbfMatrix	matrix;

	for (size_t at = sample.matrix.slices; at < sample.matrix.length;
		 at += ALL_CASES ? 11 : 67)
	{
		for (int bit = 0; bit < 8; bit++)
		{
			CASE("bit %d at %zu", bit, at);
			sample.bytes[at] ^= (unsigned char) (1 << bit);
			CHECK(bbf_matrix_validate(sample.bytes, sample.matrix.length, &matrix,
									  NULL) != NULL);
			sample.bytes[at] ^= (unsigned char) (1 << bit);
		}
	}
	free_sample(&sample);
}

/* A part of a matrix is none, and reading it stays within its bytes. */
static void
test_truncated_matrices_are_refused(void)
{
	Sample		sample = new_sample_of(10, 12, NPROBES, mixed_shape);

	for (size_t length = 0; length < sample.matrix.length;
		 length += length < sample.matrix.slices ? 1 : 997)
	{
		unsigned char *bytes = copy_of(sample.bytes, length);
		BbfMatrix	matrix;

		CASE("%zu bytes", length);
		CHECK(bbf_matrix_validate(bytes, length, &matrix, NULL) != NULL);
		free(bytes);
	}
	free_sample(&sample);
}

static unsigned npauses;

static void
count_pause(void)
{
	npauses++;
}

static void
wide_shape(uint32_t column, unsigned *nkeys, uint32_t *nblocks)
{
	(void) column;
	*nblocks = 96;
	*nkeys = 1;
}

/* Validation of three megabytes pauses for each, and so does reading a column of them. */
static void
test_long_work_pauses(void)
{
	Sample		sample = new_sample_of(512, 96, NPROBES, wide_shape);
	unsigned char *blocks = allocate(96 * BBF_BLOCK_BYTES);
	BbfMatrix	matrix;

	npauses = 0;
	CHECK(bbf_matrix_validate(sample.bytes, sample.matrix.length, &matrix,
							  count_pause) == NULL);
	CHECK(npauses == 4);
	npauses = 0;
	bbf_matrix_get_column(&sample.matrix, sample.bytes, 77, blocks, 96, count_pause);
	CHECK(npauses == 3);
	free(blocks);
	free_sample(&sample);
}

const Test	matrix_tests[] = {
	TEST(test_no_filter_is_a_matrix),
	TEST(test_columns_answer_as_filters),
	TEST(test_filters_come_back),
	TEST(test_matrices_without_layers),
	TEST(test_sizes_are_limited),
	TEST(test_forgeries_are_refused),
	TEST(test_each_bit_is_checked),
	TEST(test_truncated_matrices_are_refused),
	TEST(test_long_work_pauses),
	END_OF_TESTS
};
