/*
 * fuzz_matrix.c
 *	  Fuzz target: the validator of matrices, what reads them, and matrices that are
 *	  built of filters.
 *
 * Where the header passes, nothing reads outside of the image, whatever the rest holds.
 * What the validator accepts is, built again of its own columns, the same bytes; and
 * its slices tell of each column what the filter of that column tells.
 *
 *		1 byte	bit 7: whether to repair the image; bit 6: whether to build one instead;
 *				bit 5: whether to change many bytes of the result, one by one; bit 4:
 *				whether to change one id to another
 *		8		hash of a key
 *		...		image; or number of columns, 1 byte, and filters, each of them with its
 *				length, 2 bytes
 */
#include "fuzz.h"

#include "core/family.h"
#include "core/matrix.h"

#define NHASHES		4

/* Longest matrix that is made here, and most filters one is built of. */
#define MAX_MATRIX	((size_t) 1 << 18)
#define MAX_FILTERS	8

/* Bytes that are changed in turn. */
#define NCHANGES	64

static const unsigned char *
record_of(const BbfMatrix *matrix, const unsigned char *bytes, uint32_t column)
{
	return bytes + bbf_matrix_record_offset(matrix, column);
}

/* Zeros in memory of exactly their length, never null. */
static unsigned char *
new_bytes(size_t n)
{
	unsigned char *bytes = calloc(n > 0 ? n : 1, 1);

	REQUIRE(bytes != NULL);
	return bytes;
}

static void
require_sentence(const char *reason)
{
	REQUIRE(reason == NULL || (strlen(reason) > 10 && reason[strlen(reason) - 1] == '.'));
}

static bool
has_layout(const BbfMatrix *a, const BbfMatrix *b)
{
	return a->family == b->family && a->subtype == b->subtype &&
		a->nblocks == b->nblocks && a->nprobes == b->nprobes &&
		a->ncolumns == b->ncolumns && a->slice_bytes == b->slice_bytes &&
		a->records == b->records && a->slices == b->slices && a->length == b->length;
}

/*
 * Columns
 */

/* The filter of a column, with its metadata; null if its record is none. */
static unsigned char *
new_filter(const BbfMatrix *matrix, const unsigned char *bytes, uint32_t column,
		   BbfMeta *meta)
{
	unsigned char *record = exact_copy(record_of(matrix, bytes, column),
									   BBF_MATRIX_RECORD_BYTES);
	const char *reason = bbf_matrix_read_record(matrix, record, meta);
	unsigned char *filter = NULL;

	require_sentence(reason);
	free(record);
	if (reason != NULL)
		return NULL;
	filter = new_bytes(meta->length);
	bbf_meta_write(meta, filter);
	if (meta->nlayers > 0)
		bbf_matrix_get_column(matrix, bytes, column, filter + BBF_FIRST_BINS,
							  meta->layers[0].nbins, no_pause);
	return filter;
}

/* May a column have a key, by the slices of its block alone? */
static bool
column_has(const BbfMatrix *matrix, const unsigned char *bytes, uint32_t column,
		   uint64_t hash)
{
	uint64_t	found[MAX_MATRIX / BBF_BLOCK_BITS / 8];
	size_t		nwords = matrix->slice_bytes / 8;
	size_t		block = bbf_matrix_block_offset(matrix, hash);
	uint16_t	slices[BBF_MAX_PROBES];
	int			n = bbf_matrix_find_slices(matrix, hash, slices);

	REQUIRE(n >= 1 && n <= matrix->nprobes);
	REQUIRE(block >= matrix->slices && (block - matrix->slices) % 64 == 0);
	memset(found, 0xFF, nwords * 8);
	for (int i = 0; i < n; i++)
	{
		unsigned char *slice;

		REQUIRE(slices[i] < BBF_BLOCK_BITS && (i == 0 || slices[i - 1] < slices[i]));
		slice = exact_copy(bytes + block + slices[i] * matrix->slice_bytes,
						   matrix->slice_bytes);
		bbf_matrix_and_slice(found, slice, nwords);
		free(slice);
	}
	return (found[column / 64] >> column % 64 & 1) != 0;
}

/* Put blocks of filters, of which some are null, into the slices. */
static void
put_filters(const BbfMatrix *matrix, unsigned char *bytes, unsigned char *const *filters,
			const BbfMeta *metas)
{
	for (uint32_t block = 0; block < matrix->nblocks; block++)
	{
		for (uint32_t first = 0; first < matrix->ncolumns; first += 64)
		{
			const unsigned char *blocks[64] = {NULL};
			unsigned	n = matrix->ncolumns - first < 64 ? matrix->ncolumns - first : 64;

			for (unsigned i = 0; i < n; i++)
			{
				const BbfMeta *meta = &metas[first + i];
				uint32_t	ratio;

				if (filters[first + i] == NULL || meta->nlayers == 0)
					continue;
				ratio = matrix->nblocks / meta->layers[0].nbins;
				blocks[i] = filters[first + i] + BBF_FIRST_BINS +
					block / ratio * BBF_BLOCK_BYTES;
			}
			bbf_matrix_put_blocks(matrix, bytes, block, first, blocks, n);
		}
	}
}

/*
 * The matrix of its own columns.  Where counts is set, the records have the bits that
 * are counted; a record that is none stays as it is.
 */
static unsigned char *
new_matrix_of_columns(const BbfMatrix *matrix, const unsigned char *bytes, bool counts)
{
	unsigned char *again = new_bytes(matrix->length);
	unsigned char **filters = calloc(matrix->ncolumns + 1, sizeof(*filters));
	BbfMeta    *metas = calloc(matrix->ncolumns + 1, sizeof(*metas));

	REQUIRE(filters != NULL && metas != NULL);
	bbf_matrix_write(matrix, again);
	for (uint32_t i = 0; i < matrix->ncolumns; i++)
	{
		unsigned char *record = again + bbf_matrix_record_offset(matrix, i);
		BbfLayer   *layer = &metas[i].layers[0];

		bbf_matrix_put_id(again, i, bbf_matrix_get_id(bytes, i));
		filters[i] = new_filter(matrix, bytes, i, &metas[i]);
		if (filters[i] == NULL)
		{
			memcpy(record, record_of(matrix, bytes, i), BBF_MATRIX_RECORD_BYTES);
			continue;
		}
		if (counts && metas[i].nlayers > 0)
			layer->nset = bbf_blocks_count_set(filters[i] + BBF_FIRST_BINS, layer->nbins);
		bbf_matrix_write_record(&metas[i], record);
	}
	put_filters(matrix, again, filters, metas);
	for (uint32_t i = 0; i < matrix->ncolumns; i++)
		free(filters[i]);
	free(filters);
	free(metas);
	return again;
}

/*
 * What is read of a matrix
 */

/* An id that is found is that of the column. */
static void
require_found(const BbfMatrix *matrix, const unsigned char *bytes, int64_t id)
{
	uint32_t	column = bbf_matrix_find_id(matrix, bytes, id);

	REQUIRE(column <= matrix->ncolumns);
	REQUIRE(column == matrix->ncolumns || bbf_matrix_get_id(bytes, column) == id);
}

/* The functions that need no more than a header that has passed. */
static void
read_all(const BbfMatrix *matrix, const unsigned char *bytes, const uint64_t *hashes)
{
	for (uint32_t i = 0; i < matrix->ncolumns; i++)
	{
		BbfMeta		meta;

		require_found(matrix, bytes, bbf_matrix_get_id(bytes, i));
		free(new_filter(matrix, bytes, i, &meta));
	}
	require_found(matrix, bytes, (int64_t) hashes[0]);
	for (int i = 0; i < NHASHES && matrix->ncolumns > 0; i++)
		(void) column_has(matrix, bytes, (uint32_t) hashes[i] % matrix->ncolumns, hashes[i]);
}

/* Less of a matrix is none, nor is more. */
static void
require_length(const BbfMatrix *matrix, const unsigned char *bytes)
{
	BbfMatrix	again;
	size_t		step = 1;

	REQUIRE(bbf_matrix_read(bytes, BBF_MATRIX_HEADER_BYTES, matrix->length, &again) == NULL);
	REQUIRE(has_layout(&again, matrix));
	REQUIRE(bbf_matrix_read(bytes, BBF_MATRIX_HEADER_BYTES, matrix->length + 1, &again) != NULL);
	for (size_t length = 0; length < matrix->length; length += step)
	{
		unsigned char *truncated = exact_copy(bytes, length);
		const char *reason = bbf_matrix_validate(truncated, length, &again, no_pause);

		REQUIRE(reason != NULL);
		require_sentence(reason);
		free(truncated);
		if (length >= matrix->slices)
			step = matrix->slice_bytes * BBF_BLOCK_BITS / 3;
	}
}

/* Of what was accepted: ids, and each column as a filter. */
static void
require_columns(const BbfMatrix *matrix, const unsigned char *bytes, const uint64_t *hashes)
{
	bool		has_keys = false;

	for (uint32_t i = 0; i < matrix->ncolumns; i++)
	{
		int64_t		id = bbf_matrix_get_id(bytes, i);
		BbfMeta		meta;
		BbfMeta		again;
		unsigned char *filter = new_filter(matrix, bytes, i, &meta);

		REQUIRE(i == 0 || bbf_matrix_get_id(bytes, i - 1) < id);
		REQUIRE(bbf_matrix_find_id(matrix, bytes, id) == i);
		require_found(matrix, bytes, (int64_t) ((uint64_t) id + 1));
		require_found(matrix, bytes, (int64_t) ((uint64_t) id - 1));
		REQUIRE(filter != NULL);
		REQUIRE(meta.nlayers == 0 ||
				(meta.family == matrix->family && meta.subtype == matrix->subtype &&
				 meta.layers[0].key_bits == matrix->nprobes &&
				 matrix->nblocks % meta.layers[0].nbins == 0));
		has_keys = has_keys || meta.nlayers > 0;
		REQUIRE(bbf_image_validate(filter, meta.length, BBF_KIND_BLOOM, &again, no_pause) == NULL);
		for (int j = 0; j < NHASHES; j++)
			REQUIRE(image_contains(&meta, filter, hashes[j]) ==
					column_has(matrix, bytes, i, hashes[j]));
		free(filter);
	}
	REQUIRE(has_keys == (matrix->family != BBF_FAMILY_NONE));
}

/* A key that is added to a column that is not widened is there; others have no key less. */
static void
require_add(const BbfMatrix *matrix, const unsigned char *bytes, uint64_t hash)
{
	unsigned char *changed;
	uint32_t	column;
	BbfMeta		meta;
	BbfMatrix	again;

	if (matrix->ncolumns == 0)
		return;
	column = (uint32_t) (hash % matrix->ncolumns);
	REQUIRE(bbf_matrix_read_record(matrix, record_of(matrix, bytes, column), &meta) == NULL);
	if (meta.nlayers == 0 || meta.layers[0].nbins != matrix->nblocks)
		return;
	changed = exact_copy(bytes, matrix->length);
	meta.layers[0].nset += bbf_matrix_add(matrix, changed, column, hash);
	bbf_matrix_write_record(&meta, changed + bbf_matrix_record_offset(matrix, column));
	REQUIRE(column_has(matrix, changed, column, hash));
	REQUIRE(bbf_matrix_add(matrix, changed, column, hash) == 0);
	REQUIRE(bbf_matrix_validate(changed, matrix->length, &again, no_pause) == NULL);
	for (uint32_t i = 0; i < matrix->ncolumns; i++)
		REQUIRE(i == column ||
				column_has(matrix, changed, i, hash) == column_has(matrix, bytes, i, hash));
	free(changed);
}

/* It is what its columns are, and tells what they do. */
static void
require_same(const BbfMatrix *matrix, const unsigned char *bytes, const uint64_t *hashes)
{
	unsigned char *again = new_matrix_of_columns(matrix, bytes, false);

	REQUIRE(memcmp(again, bytes, matrix->length) == 0);
	free(again);
	require_columns(matrix, bytes, hashes);
}

/* A matrix with a byte changed is none, or another; none if it is one of the slices. */
static void
require_changed(const BbfMatrix *matrix, unsigned char *bytes, size_t at, unsigned char bits,
				const uint64_t *hashes)
{
	BbfMatrix	again;
	const char *reason;

	bytes[at] ^= bits;
	reason = bbf_matrix_validate(bytes, matrix->length, &again, no_pause);
	require_sentence(reason);
	REQUIRE(reason != NULL || at < matrix->slices);
	if (reason == NULL)
		require_same(&again, bytes, hashes);
	bytes[at] ^= bits;
}

static void
require_changes(const BbfMatrix *matrix, const unsigned char *bytes, uint8_t flags,
				const uint64_t *hashes)
{
	unsigned char *changed = exact_copy(bytes, matrix->length);
	unsigned char bit = (unsigned char) (1 << hashes[0] % 8);
	BbfMatrix	again;

	require_changed(matrix, changed, hashes[0] / 8 % matrix->length, bit, hashes);
	if ((flags & 0x20) != 0)
		require_changed(matrix, changed, 8, 1 << hashes[0] % 4, hashes);	/* the family */
	for (unsigned i = 0; i < NCHANGES && (flags & 0x20) != 0; i++)
	{
		uint64_t	at = mixed(hashes[0] + i);

		/* most of them where one is not refused for what it is alone */
		at %= i % 4 == 0 ? matrix->length : i % 4 == 1 ? BBF_MATRIX_HEADER_BYTES : matrix->slices;
		require_changed(matrix, changed, (size_t) at, bit, hashes);
	}
	if ((flags & 0x10) != 0 && matrix->ncolumns > 1)
	{
		uint32_t	column = (uint32_t) hashes[3] % (matrix->ncolumns - 1);

		bbf_matrix_put_id(changed, column, bbf_matrix_get_id(bytes, column + 1));
		REQUIRE(bbf_matrix_validate(changed, matrix->length, &again, no_pause) != NULL);
	}
	free(changed);
}

/* All that is required of a matrix that the validator has accepted. */
static void
require_matrix(const BbfMatrix *matrix, const unsigned char *bytes, uint8_t flags,
			   const uint64_t *hashes)
{
	require_same(matrix, bytes, hashes);
	require_length(matrix, bytes);
	require_add(matrix, bytes, hashes[0]);
	require_changes(matrix, bytes, flags, hashes);
}

/*
 * Images
 */

/* Set right what follows from other bytes: length, order of the ids, slices, bits set. */
static unsigned char *
repaired(unsigned char *bytes, size_t *size, const uint64_t *hashes)
{
	BbfMatrix	matrix;
	unsigned char *again;
	size_t		read_from;

	if (*size < BBF_MATRIX_HEADER_BYTES)
		return bytes;
	/* is the length all that is wrong? */
	matrix.length = 0;
	(void) bbf_matrix_read(bytes, *size, *size, &matrix);
	if (matrix.length == 0 || matrix.length > MAX_MATRIX)
		return bytes;
	again = new_bytes(matrix.length);
	memcpy(again, bytes, *size < matrix.length ? *size : matrix.length);
	free(bytes);
	bytes = again;
	if (bbf_matrix_read(bytes, matrix.length, matrix.length, &matrix) != NULL)
	{
		*size = matrix.length;
		return bytes;
	}
	for (uint32_t i = 1; i < matrix.ncolumns; i++)
	{
		int64_t		before = bbf_matrix_get_id(bytes, i - 1);

		if (before >= bbf_matrix_get_id(bytes, i) && before < INT64_MAX)
			bbf_matrix_put_id(bytes, i, before + 1);
	}
	read_from = bbf_matrix_record_offset(&matrix, matrix.ncolumns);
	memset(bytes + read_from, 0, matrix.slices - read_from);

	/* what has ended before its slices is given keys */
	for (uint32_t i = 0; i < matrix.ncolumns && *size <= matrix.slices; i++)
	{
		for (int j = 0; j < NHASHES; j++)
			(void) bbf_matrix_add(&matrix, bytes, i, hashes[j] * (i % 5 + 1));
	}
	*size = matrix.length;
	again = new_matrix_of_columns(&matrix, bytes, true);
	free(bytes);
	return again;
}

static void
test_image(const uint8_t *data, size_t size, uint8_t flags, const uint64_t *hashes)
{
	unsigned char *bytes = exact_copy(data, size);
	BbfMatrix	matrix;
	const char *reason;

	if ((flags & 0x80) != 0)
		bytes = repaired(bytes, &size, hashes);
	reason = bbf_matrix_read(bytes, size, size, &matrix);
	require_sentence(reason);
	if (reason == NULL && size <= MAX_MATRIX)
	{
		read_all(&matrix, bytes, hashes);
		reason = bbf_matrix_validate(bytes, size, &matrix, no_pause);
		require_sentence(reason);
		if (reason == NULL)
			require_matrix(&matrix, bytes, flags, hashes);
	}
	else
		REQUIRE(bbf_matrix_validate(bytes, size, &matrix, no_pause) != NULL ||
				size > MAX_MATRIX);
	free(bytes);
}

/*
 * Building
 */

/* The filters of a matrix, each of which is that of several columns. */
typedef struct Filters
{
	unsigned char *bytes[MAX_FILTERS];
	BbfMeta		metas[MAX_FILTERS];
	unsigned	n;
} Filters;

/* Take a filter if it goes together with those before it. */
static void
take_filter(Filters *filters, BbfMatrix *matrix, Input *input)
{
	BbfMeta    *meta = &filters->metas[filters->n];
	size_t		size = take16(input);
	const uint8_t *data = take_bytes(input, &size);
	unsigned char *bytes = new_image(data, size, BBF_KIND_BLOOM, true, meta);
	const BbfLayer *layer = &meta->layers[0];
	bool		fits = bytes != NULL && meta->nlayers <= 1;

	if (fits && meta->nlayers == 1 && matrix->nblocks > 0)
		fits = layer->key_bits == matrix->nprobes &&
			(matrix->nblocks % layer->nbins == 0 || layer->nbins % matrix->nblocks == 0);
	if (fits && meta->family != BBF_FAMILY_NONE && matrix->family != BBF_FAMILY_NONE)
		fits = meta->family == matrix->family && meta->subtype == matrix->subtype;
	if (!fits)
	{
		free(bytes);
		return;
	}
	if (meta->family != BBF_FAMILY_NONE)
	{
		matrix->family = meta->family;
		matrix->subtype = meta->subtype;
	}
	if (meta->nlayers == 1 && layer->nbins > matrix->nblocks)
	{
		matrix->nblocks = layer->nbins;
		matrix->nprobes = layer->key_bits;
	}
	filters->bytes[filters->n++] = bytes;
}

/* Blocks and probes, if no filter had a layer; and the offsets.  False: it is too large. */
static bool
lay_out(const Filters *filters, BbfMatrix *matrix)
{
	double		lowest_fpp = 1.0;

	for (unsigned i = 0; i < filters->n; i++)
	{
		if (filters->metas[i].fpp < lowest_fpp)
			lowest_fpp = filters->metas[i].fpp;
	}
	if (matrix->nblocks == 0)
	{
		BbfGeometry least = bbf_matrix_least_geometry(lowest_fpp);

		if (least.nbins > MAX_MATRIX)
			return false;
		matrix->nblocks = (uint32_t) least.nbins;
		matrix->nprobes = least.key_bits;
	}
	return bbf_matrix_lay_out(matrix) && matrix->length <= MAX_MATRIX;
}

/* The filter of column i is filters[i % n]. */
static unsigned char *
build(const Filters *filters, const BbfMatrix *matrix)
{
	unsigned char *bytes = new_bytes(matrix->length);
	unsigned char **columns = calloc(matrix->ncolumns, sizeof(*columns));
	BbfMeta    *metas = calloc(matrix->ncolumns, sizeof(*metas));

	REQUIRE(columns != NULL && metas != NULL);
	bbf_matrix_write(matrix, bytes);
	for (uint32_t i = 0; i < matrix->ncolumns; i++)
	{
		columns[i] = filters->bytes[i % filters->n];
		metas[i] = filters->metas[i % filters->n];
	}
	put_filters(matrix, bytes, columns, metas);
	for (uint32_t i = 0; i < matrix->ncolumns; i++)
	{
		BbfLayer	known = {0};
		BbfMeta		meta = bbf_matrix_column_meta(matrix, &metas[i], &known);

		for (unsigned j = 0; j < metas[i].nlist; j++)
			meta.layers[0].nset += bbf_matrix_add(matrix, bytes, i, bbf_list_get(bbf_image_list(columns[i]), j));
		bbf_matrix_put_id(bytes, i, (int64_t) i - 2);
		bbf_matrix_write_record(&meta, bytes + bbf_matrix_record_offset(matrix, i));
	}
	free(columns);
	free(metas);
	return bytes;
}

/* A filter that had a layer or no keys is a column byte for byte, a list with all its keys. */
static void
require_filters(const Filters *filters, const BbfMatrix *matrix, const unsigned char *bytes)
{
	for (uint32_t i = 0; i < matrix->ncolumns; i++)
	{
		const BbfMeta *meta = &filters->metas[i % filters->n];
		const unsigned char *filter = filters->bytes[i % filters->n];
		BbfMeta		again;
		unsigned char *column = new_filter(matrix, bytes, i, &again);

		REQUIRE(column != NULL);
		if (meta->nlist == 0)
			REQUIRE(again.length == meta->length && memcmp(column, filter, meta->length) == 0);
		else
			REQUIRE(again.nlayers == 1 && again.layers[0].capacity >= 1);
		for (unsigned j = 0; j < meta->nlist; j++)
			REQUIRE(image_contains(&again, column, bbf_list_get(bbf_image_list(filter), j)));
		free(column);
	}
}

/* Of no lists, which are of any number of blocks: more blocks than the widest has are refused. */
static void
require_no_wider(const Filters *filters, const BbfMatrix *matrix)
{
	BbfMatrix	wider = *matrix;
	unsigned char *bytes;

	for (unsigned i = 0; i < filters->n; i++)
	{
		if (filters->metas[i].nlist > 0)
			return;
	}
	wider.nblocks *= 2;
	if (!bbf_matrix_lay_out(&wider) || wider.length > MAX_MATRIX)
		return;
	bytes = build(filters, &wider);
	REQUIRE(bbf_matrix_validate(bytes, wider.length, &wider, no_pause) != NULL);
	free(bytes);
}

static void
test_building(Input *input, uint8_t flags, const uint64_t *hashes)
{
	Filters		filters = {.n = 0};
	BbfMatrix	matrix = {.ncolumns = take8(input) % 140 + 1};
	BbfMatrix	again;

	for (int i = 0; i < MAX_FILTERS && input->size > 2; i++)
		take_filter(&filters, &matrix, input);

	/* one after a wider one may divide it, but not the widest */
	for (unsigned i = 0; i < filters.n; i++)
	{
		if (filters.metas[i].nlayers > 0 &&
			matrix.nblocks % filters.metas[i].layers[0].nbins != 0)
			matrix.ncolumns = 0;
	}
	if (matrix.ncolumns > 0 && matrix.ncolumns < filters.n)
		matrix.ncolumns = filters.n;
	if (filters.n > 0 && matrix.ncolumns > 0 && lay_out(&filters, &matrix))
	{
		unsigned char *bytes = build(&filters, &matrix);

		REQUIRE(bbf_matrix_validate(bytes, matrix.length, &again, no_pause) == NULL);
		REQUIRE(has_layout(&again, &matrix));
		require_filters(&filters, &matrix, bytes);
		require_matrix(&matrix, bytes, flags, hashes);
		require_no_wider(&filters, &matrix);
		free(bytes);
	}
	for (unsigned i = 0; i < filters.n; i++)
		free(filters.bytes[i]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	uint8_t		flags = take8(&input);
	uint64_t	hashes[NHASHES] = {take64(&input)};

	hashes[1] = hashes[0] + 1;
	hashes[2] = ~hashes[0];
	hashes[3] = mixed(hashes[0]);
	if ((flags & 0x40) != 0)
		test_building(&input, flags, hashes);
	else
		test_image(input.data, input.size, flags, hashes);
	return 0;
}
