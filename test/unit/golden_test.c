/*
 * golden_test.c
 *	  The frozen bytes, hashes and sizes of expected/golden.out and golden_matrix.out, made
 *	  by the core alone.
 *
 * Regression tests make these files from SQL.  Here the same comes about without a server,
 * so also on machines for which there is none: of other byte order or word size.
 * What is expected is read from these very files.
 */
#include "check.h"

#include <math.h>

#include "core/family.h"
#include "core/hash.h"
#include "core/image.h"
#include "core/matrix.h"

#include "attached.h"
#include "buffer.h"
#include "sample.h"
#include "suites.h"
#include "text_file.h"

static char *golden;			/* the text of the files, for as long as the
								 * program runs */

static void
test_files_can_be_read(void)
{
	char	   *first = read_text_file("expected/golden.out");
	char	   *second = read_text_file("expected/golden_matrix.out");
	size_t		length = strlen(first);

	golden = allocate(length + strlen(second) + 1);
	memcpy(golden, first, length);
	memcpy(golden + length, second, strlen(second));
	free(first);
	free(second);
}

/* Is that a line of the files? */
static bool
is_line(const char *line)
{
	size_t		length = strlen(line);

	for (const char *p = golden; (p = strstr(p, line)) != NULL; p++)
	{
		if (p > golden && p[-1] == '\n' && p[length] == '\n')
			return true;
	}
	return false;
}

/* Where the rows begin below a line of column names; null if there is none. */
static const char *
rows_below(const char *names)
{
	const char *p = strstr(golden, names);

	p = p != NULL ? strchr(p, '\n') : NULL;
	p = p != NULL ? strchr(p + 1, '\n') : NULL;
	return p;
}

/*
 * Canonical bytes of keys
 */

typedef struct Canonical
{
	unsigned char bytes[64];
	size_t		length;
} Canonical;

static Canonical
bytes_of(const char *bytes, size_t length)
{
	Canonical	canonical = {.length = length};

	memcpy(canonical.bytes, bytes, length);
	return canonical;
}

static void
append64(Canonical *canonical, uint64_t value)
{
	bbf_put64(canonical->bytes + canonical->length, value);
	canonical->length += 8;
}

/* of integers, dates, times and timestamps */
static Canonical
integer(int64_t value)
{
	Canonical	canonical = {.length = 0};

	append64(&canonical, (uint64_t) value);
	return canonical;
}

static Canonical
floating(double value)
{
	Canonical	canonical = {.length = 8};

	bbf_putdouble(canonical.bytes, value);
	return canonical;
}

/* What an array or row has of a part: its family, unless that is 0, and its hash. */
static void
append_part(Canonical *canonical, unsigned family, uint64_t hash)
{
	if (family != BBF_FAMILY_NONE)
	{
		bbf_put16(canonical->bytes + canonical->length, (uint16_t) family);
		canonical->length += 2;
	}
	canonical->bytes[canonical->length++] = 1;
	append64(canonical, hash);
}

static uint64_t
hash_of(Canonical canonical)
{
	return bbf_hash(canonical.bytes, canonical.length);
}

static uint64_t
hash_of_number(int64_t value)
{
	return hash_of(integer(value));
}

static uint64_t
hash_of_text(const char *text)
{
	return bbf_hash(text, strlen(text));
}

static void
check_key(unsigned family, Canonical canonical)
{
	char		line[80];

	CASE("%s, %d bytes", bbf_family_name(family), (int) canonical.length);
	snprintf(line, sizeof(line), " %s:%016" PRIx64, bbf_family_name(family),
			 hash_of(canonical));
	CHECK(is_line(line));
}

/* The subtype is that of the descriptions of the parts. */
static void
check_nested_key(unsigned family, Canonical parts, Canonical canonical)
{
	char		line[80];

	CASE("%s, %d bytes", bbf_family_name(family), (int) canonical.length);
	snprintf(line, sizeof(line), " %s/%08" PRIx32 ":%016" PRIx64, bbf_family_name(family),
			 (uint32_t) hash_of(parts), hash_of(canonical));
	CHECK(is_line(line));
}

static void
test_hashes_of_keys(void)
{
	/* 2024-02-29 12:34:56.789 */
	const int64_t day = 8825;
	const int64_t time = INT64_C(45296789000);

	check_key(BBF_FAMILY_BOOLEAN, bytes_of("\0", 1));
	check_key(BBF_FAMILY_BOOLEAN, bytes_of("\1", 1));
	check_key(BBF_FAMILY_NUMBER, integer(0));
	check_key(BBF_FAMILY_NUMBER, integer(1));
	check_key(BBF_FAMILY_NUMBER, integer(-1));
	check_key(BBF_FAMILY_NUMBER, integer(INT64_MAX));
	check_key(BBF_FAMILY_NUMBER, bytes_of("9223372036854775808", 19));
	check_key(BBF_FAMILY_NUMBER, bytes_of("-Infinity", 9));
	check_key(BBF_FAMILY_FLOAT, floating(0.0));
	check_key(BBF_FAMILY_FLOAT, floating(1.5));
	check_key(BBF_FAMILY_FLOAT, floating((double) INFINITY));
	check_key(BBF_FAMILY_TEXT, bytes_of("", 0));
	check_key(BBF_FAMILY_TEXT, bytes_of("red", 3));
	check_key(BBF_FAMILY_TEXT, bytes_of("Z\xC3\xBC" "rich", 7));
	check_key(BBF_FAMILY_TEXT, bytes_of("\xE6\x97\xA5\xE6\x9C\xAC", 6));
	check_key(BBF_FAMILY_BYTEA, bytes_of("\xDE\xAD\xBE\xEF", 4));
	check_key(BBF_FAMILY_UUID, bytes_of("\xA0\xEE\xBC\x99\x9C\x0B\x4E\xF8"
										"\xBB\x6D\x6B\xB9\xBD\x38\x0A\x11", 16));
	check_key(BBF_FAMILY_OID, bytes_of("\x2A\0\0", 4));
	check_key(BBF_FAMILY_DATE, integer(day));
	check_key(BBF_FAMILY_DATE, integer(INT32_MAX));
	check_key(BBF_FAMILY_TIMESTAMP, integer(day * INT64_C(86400000000) + time));
	check_key(BBF_FAMILY_TIMESTAMPTZ, integer(day * INT64_C(86400000000) + time));
	check_key(BBF_FAMILY_TIME, integer(time));
	check_key(BBF_FAMILY_NETWORK, bytes_of("\x04\x08\x0A\x01\x02\x03", 6));
	check_key(BBF_FAMILY_NETWORK, bytes_of("\x06\x20\x20\x01\x0D\xB8\0\0\0\0"
										   "\0\0\0\0\0\0\0\0", 18));
	check_key(BBF_FAMILY_MACADDR, bytes_of("\x08\0\x2B\xFF\xFE\x01\x02\x03", 8));
}

static void
test_hashes_of_nested_keys(void)
{
	const Canonical number = bytes_of("\2\0\0\0\0", 6);
	const Canonical number_and_text = bytes_of("\2\0\0\0\0\0\4\0\0\0\0", 12);
	Canonical	canonical = bytes_of("\2\0\0\0\0", 6);

	/* '{}'::int[] */
	check_nested_key(BBF_FAMILY_ARRAY, number, canonical);

	/* ARRAY[1, NULL, 3] */
	canonical = bytes_of("\2\0\1\0\0\0\3\0\0\0\1\0\0", 14);
	append_part(&canonical, BBF_FAMILY_NONE, hash_of_number(1));
	canonical.bytes[canonical.length++] = 0;
	append_part(&canonical, BBF_FAMILY_NONE, hash_of_number(3));
	check_nested_key(BBF_FAMILY_ARRAY, number, canonical);

	/* ROW(1, 'a') */
	canonical.length = 0;
	append_part(&canonical, BBF_FAMILY_NUMBER, hash_of_number(1));
	append_part(&canonical, BBF_FAMILY_TEXT, hash_of_text("a"));
	check_nested_key(BBF_FAMILY_ROW, number_and_text, canonical);

	/* '[1,5)'::int4range */
	canonical = bytes_of("\2", 1);
	append64(&canonical, hash_of_number(1));
	append64(&canonical, hash_of_number(5));
	check_nested_key(BBF_FAMILY_RANGE, number, canonical);
}

static void
test_partitions(void)
{
	char		of_16[200] = "";
	char		of_1000[200] = "";
	char		line[500];

	for (int i = 1; i <= 20; i++)
	{
		char	   *end = of_16 + strlen(of_16);
		char		text[12];

		snprintf(end, 12, "%s%" PRIu32, i > 1 ? "," : "",
				 bbf_partition(hash_of_number(i), 16));
		end = of_1000 + strlen(of_1000);
		snprintf(text, sizeof(text), "%d", i);
		snprintf(end, 12, "%s%" PRIu32, i > 1 ? "," : "",
				 bbf_partition(hash_of_text(text), 1000));
	}
	snprintf(line, sizeof(line), " {%s} | {%s}", of_16, of_1000);
	CHECK(is_line(line));
}

/*
 * Images: those of the examples, which FORMAT.md explains
 */

/* Are these the bytes of the first line below the heading of an example? */
static void
check_bytes(int example, const unsigned char *bytes, size_t length)
{
	char		heading[40];
	const char *p;
	bool		same;

	CASE("example %d", example);
	snprintf(heading, sizeof(heading), "\n-- Example %d:", example);
	p = strstr(golden, heading);
	p = p != NULL ? strstr(p, "\n 0") : NULL;
	CHECK(p != NULL);
	if (p == NULL)
		return;
	p += 2;
	same = strcspn(p, "\n") == 2 * length;
	for (size_t i = 0; same && i < length; i++)
	{
		char		hex[3];

		snprintf(hex, sizeof(hex), "%02x", bytes[i]);
		same = memcmp(p + 2 * i, hex, 2) == 0;
	}
	CHECK(same);
}

static void
check_image(int example, const Sample *image)
{
	check_bytes(example, image->bytes, image->meta.length);
}

static BbfMeta
meta_without_keys(BbfKind kind, uint64_t capacity, double fpp, int growth)
{
	BbfMeta		meta;

	bbf_meta_init(&meta, kind, capacity, fpp, growth);
	return meta;
}

/* A layer behind those there are, without keys. */
static void
append_layer(BbfMeta *meta, uint64_t capacity, double fpp)
{
	BbfGeometry geometry = bbf_kind_routine(meta->kind)->size(capacity, fpp);
	BbfLayer   *layer = &meta->layers[meta->nlayers++];

	memset(layer, 0, sizeof(*layer));
	layer->nbins = (uint32_t) geometry.nbins;
	layer->key_bits = geometry.key_bits;
	layer->full_at = geometry.full_at;
	layer->capacity = capacity;
	layer->fpp = fpp;
}

/* An image without keys, of a family and with a layer of the first capacity. */
static Sample
image_with_layer(BbfMeta meta, BbfFamily family)
{
	meta.family = family;
	append_layer(&meta, bbf_first_capacity(meta.kind, meta.capacity, meta.growth), meta.fpp);
	return new_sample(&meta);
}

static void
add_key(Sample *image, unsigned layer_number, uint64_t hash)
{
	BbfLayer   *layer = &image->meta.layers[layer_number];

	CHECK(bbf_kind_routine(image->meta.kind)->add(layer, image->bytes +
												  bins_offset(&image->meta, layer_number),
												  hash));
	bbf_meta_write(&image->meta, image->bytes);
}

static void
test_images_without_layers(void)
{
	BbfMeta		meta = meta_without_keys(BBF_KIND_BLOOM, 1000, 0.01, 2);
	Sample		image = new_sample(&meta);

	check_image(1, &image);
	free(image.bytes);

	/* in ascending order of the hashes */
	meta.family = BBF_FAMILY_TEXT;
	meta.nlist = 3;
	image = new_sample(&meta);
	bbf_list_put(image.bytes + BBF_HEADER_BYTES, 0, hash_of_text("green"));
	bbf_list_put(image.bytes + BBF_HEADER_BYTES, 1, hash_of_text("red"));
	bbf_list_put(image.bytes + BBF_HEADER_BYTES, 2, hash_of_text("blue"));
	check_image(2, &image);
	free(image.bytes);
}

static void
test_images_with_layers(void)
{
	Sample		image = image_with_layer(meta_without_keys(BBF_KIND_BLOOM, 129, 0.5, 0),
										 BBF_FAMILY_NUMBER);
	Sample		first;
	BbfMeta		meta;
	int			i;

	for (i = 1; i <= 129; i++)
		add_key(&image, 0, hash_of_number(i));
	check_image(3, &image);
	free(image.bytes);

	/* until the first layer is full; then the bins move behind one more record */
	first = image_with_layer(meta_without_keys(BBF_KIND_BLOOM, 1, 0.5, 1), BBF_FAMILY_NUMBER);
	for (i = 1; i <= 160 && !bbf_layer_is_full(&first.meta.layers[0]); i++)
		add_key(&first, 0, hash_of_number(i));
	meta = first.meta;
	append_layer(&meta, meta.layers[0].capacity, meta.fpp / 2);
	image = new_sample(&meta);
	memcpy(image.bytes + bins_offset(&image.meta, 0),
		   first.bytes + bins_offset(&first.meta, 0), BBF_BLOCK_BYTES);
	free(first.bytes);
	for (; i <= 160; i++)
	{
		if (!image_contains(&image.meta, image.bytes, hash_of_number(i)))
			add_key(&image, 1, hash_of_number(i));
	}
	check_image(4, &image);
	free(image.bytes);
}

static void
test_images_with_copies(void)
{
	static const char *const keys[] = {"red", "green", "blue", "red"};
	Sample		image = image_with_layer(meta_without_keys(BBF_KIND_COUNTING_BLOOM, 1, 0.5, 0),
										 BBF_FAMILY_TEXT);

	add_key(&image, 0, hash_of_text("red"));
	add_key(&image, 0, hash_of_text("green"));
	add_key(&image, 0, hash_of_text("red"));
	check_image(6, &image);
	free(image.bytes);

	image = image_with_layer(meta_without_keys(BBF_KIND_CUCKOO, 8, 0.01, 0), BBF_FAMILY_TEXT);
	for (int i = 0; i < LENGTH_OF(keys); i++)
		add_key(&image, 0, hash_of_text(keys[i]));
	check_image(7, &image);
	free(image.bytes);
}

/*
 * Matrices
 */

#define MAX_COLUMNS		130

/* The filters of a matrix, in the order of their ids. */
typedef struct Columns
{
	uint32_t	n;
	int64_t		ids[MAX_COLUMNS];
	Sample		filters[MAX_COLUMNS];
} Columns;

static Columns *
no_columns(void)
{
	Columns    *columns = allocate(sizeof(Columns));

	columns->n = 0;
	return columns;
}

static void
append_column(Columns *columns, int64_t id, Sample filter)
{
	columns->ids[columns->n] = id;
	columns->filters[columns->n++] = filter;
}

/* A list of the keys from a whole number on; without any, a filter without keys. */
static Sample
list_of_numbers(int64_t first, unsigned n, double fpp)
{
	BbfMeta		meta = meta_without_keys(BBF_KIND_BLOOM, 1000, fpp, 2);
	Sample		list;
	uint64_t	hashes[BBF_MAX_LIST];

	for (unsigned i = 0; i < n; i++)
	{
		uint64_t	hash = hash_of_number(first + (int) i);
		unsigned	at = i;

		for (; at > 0 && hashes[at - 1] > hash; at--)
			hashes[at] = hashes[at - 1];
		hashes[at] = hash;
	}
	meta.family = n > 0 ? BBF_FAMILY_NUMBER : BBF_FAMILY_NONE;
	meta.nlist = n;
	list = new_sample(&meta);
	for (unsigned i = 0; i < n; i++)
		bbf_list_put(list.bytes + BBF_HEADER_BYTES, i, hashes[i]);
	return list;
}

static Sample
list_of_texts(uint64_t capacity, double fpp, const char *const *texts, unsigned n)
{
	BbfMeta		meta = meta_without_keys(BBF_KIND_BLOOM, capacity, fpp, 2);
	Sample		list;

	meta.family = BBF_FAMILY_TEXT;
	meta.nlist = n;
	list = new_sample(&meta);
	for (unsigned i = 0; i < n; i++)
		bbf_list_put(list.bytes + BBF_HEADER_BYTES, i, hash_of_text(texts[i]));
	return list;
}

/* A layer of the keys from a whole number on. */
static Sample
layer_of_numbers(uint64_t capacity, double fpp, int growth, int first, int n)
{
	Sample		layer = image_with_layer(meta_without_keys(BBF_KIND_BLOOM, capacity, fpp,
														   growth), BBF_FAMILY_NUMBER);

	for (int i = first; i < first + n; i++)
		add_key(&layer, 0, hash_of_number(i));
	return layer;
}

/* The header of the matrix that the columns make. */
static BbfMatrix
matrix_of_columns(const Columns *columns)
{
	BbfMatrix	matrix = {.family = BBF_FAMILY_NONE,.ncolumns = columns->n};
	double		lowest_fpp = 1.0;

	for (uint32_t i = 0; i < columns->n; i++)
	{
		const BbfMeta *meta = &columns->filters[i].meta;

		if (meta->family != BBF_FAMILY_NONE)
			matrix.family = meta->family;
		if (meta->nlayers > 0 && meta->layers[0].nbins > matrix.nblocks)
		{
			matrix.nblocks = meta->layers[0].nbins;
			matrix.nprobes = meta->layers[0].key_bits;
		}
		if (meta->fpp < lowest_fpp)
			lowest_fpp = meta->fpp;
	}
	if (matrix.nblocks == 0 && columns->n > 0)
	{
		BbfGeometry least = bbf_matrix_least_geometry(lowest_fpp);

		matrix.nblocks = (uint32_t) least.nbins;
		matrix.nprobes = least.key_bits;
	}
	CHECK(bbf_matrix_lay_out(&matrix));
	return matrix;
}

static void
put_column(const BbfMatrix *matrix, unsigned char *bytes, uint32_t column, int64_t id,
		   const Sample *filter)
{
	BbfLayer	known = {0};
	BbfMeta		meta = bbf_matrix_column_meta(matrix, &filter->meta, &known);

	for (unsigned i = 0; i < filter->meta.nlist; i++)
		meta.layers[0].nset += bbf_matrix_add(matrix, bytes, column,
											  bbf_list_get(bbf_image_list(filter->bytes), i));
	bbf_matrix_put_id(bytes, column, id);
	bbf_matrix_write_record(&meta, bytes + bbf_matrix_record_offset(matrix, column));
}

static void
put_blocks(const BbfMatrix *matrix, unsigned char *bytes, uint32_t block, uint32_t first,
		   const Columns *columns)
{
	const unsigned char *blocks[64];
	unsigned	n = columns->n - first < 64 ? columns->n - first : 64;

	for (unsigned i = 0; i < n; i++)
	{
		const Sample *filter = &columns->filters[first + i];
		const BbfLayer *layer = &filter->meta.layers[0];

		blocks[i] = filter->meta.nlayers == 0 ? NULL :
			filter->bytes + BBF_FIRST_BINS +
			(size_t) (block / (matrix->nblocks / layer->nbins)) * BBF_BLOCK_BYTES;
	}
	bbf_matrix_put_blocks(matrix, bytes, block, first, blocks, n);
}

/* The bytes of the matrix of the columns, which are freed. */
static unsigned char *
build_matrix(Columns *columns, BbfMatrix *matrix)
{
	unsigned char *bytes;

	*matrix = matrix_of_columns(columns);
	bytes = allocate(matrix->length);
	bbf_matrix_write(matrix, bytes);
	for (uint32_t block = 0; block < matrix->nblocks; block++)
	{
		for (uint32_t first = 0; first < columns->n; first += 64)
			put_blocks(matrix, bytes, block, first, columns);
	}
	for (uint32_t i = 0; i < columns->n; i++)
	{
		put_column(matrix, bytes, i, columns->ids[i], &columns->filters[i]);
		free(columns->filters[i].bytes);
	}
	free(columns);
	CHECK(bbf_matrix_validate(bytes, matrix->length, matrix, NULL) == NULL);
	return bytes;
}

static Sample
layer_of_texts(uint64_t capacity, uint64_t layer_capacity, const char *const *texts, int n)
{
	BbfMeta		meta = meta_without_keys(BBF_KIND_BLOOM, capacity, 0.25, 2);
	Sample		layer;

	meta.family = BBF_FAMILY_TEXT;
	append_layer(&meta, layer_capacity, 0.25);
	layer = new_sample(&meta);
	for (int i = 0; i < n; i++)
		add_key(&layer, 0, hash_of_text(texts[i]));
	return layer;
}

static void
test_matrix_of_example(void)
{
	static const char *const list[] = {"red", "blue"};
	static const char *const wide[] = {"red", "green"};
	static const char *const narrow[] = {"blue"};
	Columns    *columns = no_columns();
	BbfMatrix	matrix;
	unsigned char *bytes;
	int			nslices = 0;

	append_column(columns, -1, list_of_texts(1, 0.25, list, 2));
	append_column(columns, 2, layer_of_texts(1, 256, wide, 2));
	append_column(columns, 7, layer_of_texts(151, 151, narrow, 1));
	bytes = build_matrix(columns, &matrix);
	check_bytes(8, bytes, matrix.slices);
	for (uint32_t i = 0; i < matrix.nblocks * BBF_BLOCK_BITS; i++)
	{
		char		line[60];

		/* three columns: one byte of a slice */
		if (bytes[matrix.slices + i * 8] == 0)
			continue;
		snprintf(line, sizeof(line), " %5d | %5d | %02x00000000000000",
				 (int) i / BBF_BLOCK_BITS, (int) i % BBF_BLOCK_BITS,
				 bytes[matrix.slices + i * 8]);
		CASE("%s", line);
		CHECK(is_line(line));
		nslices++;
	}
	CHECK(nslices == 8);
	free(bytes);
}

/* Frees the columns. */
static void
check_matrix(const char *what, Columns *columns)
{
	BbfMatrix	matrix;
	unsigned char *bytes = build_matrix(columns, &matrix);
	char		line[120];

	snprintf(line, sizeof(line), " %s: %d bytes, bytea:%016" PRIx64, what,
			 (int) matrix.length, bbf_hash(bytes, matrix.length));
	CASE("%s", line);
	CHECK(is_line(line));
	free(bytes);
}

static void
test_matrices(void)
{
	static const char *const texts[] = {"green", "red", "blue"};
	static const int capacities[] = {300, 400, 600, 1000, 2000};
	Columns    *columns = no_columns();

	check_matrix("no columns", columns);

	columns = no_columns();
	for (int i = 1; i <= 2; i++)
		append_column(columns, i, list_of_numbers(0, 0, 0.02 / i));
	check_matrix("no keys", columns);

	columns = no_columns();
	append_column(columns, 5, list_of_texts(1000, 0.01, texts, 3));
	check_matrix("one list", columns);

	columns = no_columns();
	append_column(columns, -5, layer_of_numbers(129, 0.5, 0, 1, 129));
	check_matrix("one layer", columns);

	columns = no_columns();
	for (int i = 0; i < LENGTH_OF(capacities); i++)
		append_column(columns, capacities[i],
					  layer_of_numbers((uint64_t) capacities[i], 0.25, 2, capacities[i], 150));
	check_matrix("widened", columns);

	columns = no_columns();
	for (int n = 130; n > 0; n--)
		append_column(columns, 1000 - 10 * n, n % 10 == 0 ?
					  layer_of_numbers(1000, 0.01, 2, n, 150) :
					  list_of_numbers(n, (unsigned) n % 5, 0.01));
	check_matrix("130 columns", columns);
}

/*
 * Sizes
 */

static void
test_sizes_of_blocks(void)
{
	const char *row = rows_below(" capacity |   fpp    | blocks | probes |  full_at  ");
	int			nrows = 0;
	uint64_t	capacity;
	double		fpp;
	uint64_t	nblocks;
	int			nprobes;
	uint64_t	full_at;

	while (row != NULL &&
		   sscanf(row, "%" SCNu64 " | %lf | %" SCNu64 " | %d | %" SCNu64,
				  &capacity, &fpp, &nblocks, &nprobes, &full_at) == 5)
	{
		BbfGeometry geometry =
		bbf_size_blocks(bbf_first_capacity(BBF_KIND_BLOOM, capacity, 0), fpp);

		CASE("capacity %" PRIu64 ", fpp %g", capacity, fpp);
		CHECK(geometry.nbins == nblocks && geometry.key_bits == nprobes);
		CHECK(geometry.full_at == full_at);
		row = strchr(row + 1, '\n');
		nrows++;
	}
	CASE("%d rows", nrows);
	CHECK(nrows == 84);
}

static void
test_sizes_of_buckets(void)
{
	const char *row = rows_below(" capacity |    fpp     | fingerprint_bits | buckets |  bytes  ");
	int			nrows = 0;
	uint64_t	capacity;
	double		fpp;
	int			f;
	uint64_t	nbuckets;
	uint64_t	nbytes;

	while (row != NULL &&
		   sscanf(row, "%" SCNu64 " | %lf | %d | %" SCNu64 " | %" SCNu64,
				  &capacity, &fpp, &f, &nbuckets, &nbytes) == 5)
	{
		BbfMeta		meta = meta_without_keys(BBF_KIND_CUCKOO, capacity, fpp, 0);

		append_layer(&meta, capacity, fpp);
		CASE("capacity %" PRIu64 ", fpp %g", capacity, fpp);
		CHECK(meta.layers[0].nbins == nbuckets && meta.layers[0].key_bits == f);
		CHECK(bbf_meta_lay_out(&meta) == nbytes);
		row = strchr(row + 1, '\n');
		nrows++;
	}
	CASE("%d rows", nrows);
	CHECK(nrows == 42);
}

const Test golden_tests[] = {
	TEST(test_files_can_be_read),
	TEST(test_hashes_of_keys),
	TEST(test_hashes_of_nested_keys),
	TEST(test_partitions),
	TEST(test_images_without_layers),
	TEST(test_images_with_layers),
	TEST(test_images_with_copies),
	TEST(test_matrix_of_example),
	TEST(test_matrices),
	TEST(test_sizes_of_blocks),
	TEST(test_sizes_of_buckets),
	END_OF_TESTS
};
