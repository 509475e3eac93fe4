/*
 * golden_test.c
 *	  The frozen bytes, hashes and sizes of expected/golden.out, made by the core alone.
 *
 * A regression test makes that file from SQL.  Here the same comes about without a server,
 * so also on machines for which there is none: of other byte order or word size.
 * What is expected is read from that very file.
 */
#include "check.h"

#include <math.h>

#include "core/family.h"
#include "core/hash.h"
#include "core/image.h"

#include "buffer.h"
#include "sample.h"
#include "suites.h"
#include "text_file.h"

static char *golden;			/* the text of the file, for as long as the
								 * program runs */

static void
test_file_can_be_read(void)
{
	golden = read_text_file("expected/golden.out");
}

/* Is that a line of the file? */
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

static void
check_image(int example, const Sample *image)
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
	same = strcspn(p, "\n") == 2 * image->meta.length;
	for (size_t i = 0; same && i < image->meta.length; i++)
	{
		char		hex[3];

		snprintf(hex, sizeof(hex), "%02x", image->bytes[i]);
		same = memcmp(p + 2 * i, hex, 2) == 0;
	}
	CHECK(same);
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

	CHECK(bbf_kind_routine(image->meta.kind)->add(layer, image->bytes + layer->offset, hash));
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
	bbf_list_put(image.bytes, 0, hash_of_text("green"));
	bbf_list_put(image.bytes, 1, hash_of_text("red"));
	bbf_list_put(image.bytes, 2, hash_of_text("blue"));
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
	memcpy(image.bytes + image.meta.layers[0].offset,
		   first.bytes + first.meta.layers[0].offset, BBF_BLOCK_BYTES);
	free(first.bytes);
	for (; i <= 160; i++)
	{
		if (!bbf_image_contains(&image.meta, image.bytes, hash_of_number(i)))
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
	TEST(test_file_can_be_read),
	TEST(test_hashes_of_keys),
	TEST(test_hashes_of_nested_keys),
	TEST(test_partitions),
	TEST(test_images_without_layers),
	TEST(test_images_with_layers),
	TEST(test_images_with_copies),
	TEST(test_sizes_of_blocks),
	TEST(test_sizes_of_buckets),
	END_OF_TESTS
};
