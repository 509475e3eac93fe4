/*
 * fuzz_external.c
 *	  Fuzz target: filters of other systems, of any bytes; what is accepted is asked,
 *	  added to, united, estimated and taken apart.
 *
 * Guards against numbers in a header that are trusted (CVE-2024-25115 of RedisBloom, and
 * its CVE-2024-55656 and CVE-2026-25589 in loading chunks), and against sizes that
 * round to no bits at all (RedisBloom 720).
 *
 *		1 byte	format, and whether to repair the header
 *		2		length of the first filter
 *		8		capacity, shifted right by
 *		1		this
 *		8		parameter
 *		2		length of a key, and the key
 *		...		two filters
 */
#include "fuzz.h"

#include <math.h>

#include "core/hash.h"
#include "interchange/external.h"

/* More probes, and larger new filters, take so long that there would be few trials. */
#define MAX_PROBES	256
#define MAX_NEW		4096

typedef struct Filter
{
	unsigned char *bytes;
	size_t		size;
	BbfExternalMeta meta;
} Filter;

/* The answer of a reader that reads no more than it is asked for. */
static bool
probe(const BbfExternalFormat *format, const Filter *filter, const uint64_t *hash)
{
	BbfExternalProbe state;

	bbf_external_probe_start(format, &filter->meta, hash, &state);
	while (state.needs_slice)
	{
		unsigned char *slice;

		REQUIRE(state.slice.offset <= filter->size &&
				state.slice.length <= filter->size - state.slice.offset);
		slice = exact_copy(filter->bytes + state.slice.offset, state.slice.length);
		bbf_external_probe_go_on(format, &filter->meta, hash, slice, &state);
		free(slice);
	}
	return state.found;
}

/* The parts that a system takes are the whole, in order. */
static void
require_chunks(const BbfExternalFormat *format, const Filter *filter)
{
	BbfExternalSlice chunk;
	uint64_t	iterator;
	uint64_t	last = 0;
	size_t		end = 0;

	if (format->chunk == NULL)
		return;
	for (uint64_t i = 0; format->chunk(&filter->meta, i, &chunk, &iterator); i++)
	{
		REQUIRE(chunk.offset == end && chunk.length > 0);
		REQUIRE(iterator > last);
		end += chunk.length;
		last = iterator;
	}
	REQUIRE(end == filter->size);
}

/* LevelDB's rate is found by thousands of probes, which is not worth it each time. */
static void
require_info(const BbfExternalFormat *format, const Filter *filter)
{
	BbfExternalInfo info;

	if (format->parameter == BBF_EXTERNAL_BITS_PER_KEY &&
		bbf_hash(filter->bytes, filter->size) % 1024 != 0)
		return;
	bbf_external_info(format, &filter->meta, filter->bytes, no_pause, &info);
	REQUIRE(info.fpp >= 0.0 && info.fpp <= 1.0);
	REQUIRE(isfinite(info.keys) && info.keys >= 0.0);
	REQUIRE(info.nset <= filter->size * (uint64_t) 8);

	/* the number of keys at the start of the header of RedisBloom is that of all links */
	if (format->chunk != NULL && info.keys < 9e15)
		REQUIRE(info.keys == (double) bbf_get64(filter->bytes));
}

/*
 * Set what follows from other numbers in the header of a RedisBloom filter: bits of links
 * from their bytes, and the sum of their keys.  Hardly any mutation would pass else.
 */
static void
repair_redis(unsigned char *bytes, size_t size)
{
	uint64_t	nkeys = 0;
	uint32_t	nlinks = size < 20 ? 0 : bbf_get32(bytes + 8);

	for (uint32_t i = 0; i < nlinks && size - 20 >= (i + 1) * (size_t) 53; i++)
	{
		unsigned char *record = bytes + 20 + i * (size_t) 53;

		bbf_put64(record + 8, bbf_get64(record) * 8);
		nkeys += bbf_get64(record + 16);
	}
	if (nlinks > 0)
		bbf_put64(bytes, nkeys);
}

/* Read a filter; false if the bytes are none.  The caller frees them. */
static bool
start_filter(const BbfExternalFormat *format, bool repair, const uint8_t *data, size_t size,
			 Filter *filter)
{
	filter->bytes = exact_copy(data, size);
	filter->size = size;
	if (repair && format->chunk != NULL)
		repair_redis(filter->bytes, size);
	if (bbf_external_validate(format, filter->bytes, size, &filter->meta) == NULL)
	{
		REQUIRE(filter->meta.length == size);
		REQUIRE(filter->meta.nlinks <= BBF_EXTERNAL_MAX_LINKS);
		for (unsigned i = 0; i < filter->meta.nlinks; i++)
		{
			const BbfExternalLink *link = &filter->meta.links[i];

			REQUIRE(link->nbits >= 1 && link->nprobes <= BBF_EXTERNAL_MAX_PROBES);
			REQUIRE(link->offset <= size && link->nbytes <= size - link->offset);
			REQUIRE(link->nstored <= link->nbytes * (uint64_t) 8);
			if (link->nprobes > MAX_PROBES)
				return false;
		}
		return true;
	}
	return false;
}

/* What was added is found, and the filter is still one. */
static void
require_add(const BbfExternalFormat *format, Filter *filter, const uint64_t *hash)
{
	unsigned char *before = exact_copy(filter->bytes, filter->size);
	bool		known = bbf_external_contains(format, &filter->meta, filter->bytes, hash);
	const char *reason = bbf_external_add(format, &filter->meta, filter->bytes, hash);
	BbfExternalMeta meta;

	REQUIRE(probe(format, filter, hash) ==
			bbf_external_contains(format, &filter->meta, filter->bytes, hash));
	if (reason == NULL)
		REQUIRE(bbf_external_contains(format, &filter->meta, filter->bytes, hash));
	if (reason != NULL || known)
		REQUIRE(memcmp(before, filter->bytes, filter->size) == 0 || format->set_keys == NULL);
	REQUIRE(bbf_external_validate(format, filter->bytes, filter->size, &meta) == NULL);
	free(before);
}

static void
require_union(const BbfExternalFormat *format, Filter *a, Filter *b, const uint64_t *hash)
{
	Filter	   *both;
	Filter	   *other;
	bool		known;

	if (a->meta.nlinks == 0 || b->meta.nlinks == 0 ||
		bbf_external_union_refusal(format, &a->meta, &b->meta) != NULL)
		return;
	known = bbf_external_contains(format, &a->meta, a->bytes, hash) ||
		bbf_external_contains(format, &b->meta, b->bytes, hash);
	both = bbf_external_unites_into_second(&a->meta, &b->meta) ? b : a;
	other = both == a ? b : a;
	bbf_external_unite(&both->meta, both->bytes, &other->meta, other->bytes, no_pause);
	REQUIRE(!known || bbf_external_contains(format, &both->meta, both->bytes, hash));
	require_info(format, both);
}

/* A new filter is one that the reader takes, and has what was added. */
static void
require_new(const BbfExternalFormat *format, uint64_t capacity, double parameter,
			const uint64_t *hash)
{
	Filter		filter;
	BbfExternalMeta read;

	if (bbf_external_size(format, capacity, parameter, &filter.meta) != NULL ||
		filter.meta.length > MAX_NEW || filter.meta.links[0].nprobes > MAX_PROBES)
		return;
	filter.size = filter.meta.length;
	filter.bytes = calloc(filter.size, 1);
	REQUIRE(filter.bytes != NULL);
	bbf_external_write(format, &filter.meta, filter.bytes);
	REQUIRE(bbf_external_validate(format, filter.bytes, filter.size, &read) == NULL);
	REQUIRE(read.nlinks == 1 && read.seed == filter.meta.seed &&
			read.variant == filter.meta.variant);
	REQUIRE(read.links[0].nbits == filter.meta.links[0].nbits);
	REQUIRE(read.links[0].nprobes == filter.meta.links[0].nprobes);
	REQUIRE(read.links[0].offset == filter.meta.links[0].offset);
	REQUIRE(filter.meta.links[0].nprobes >= 1 && filter.meta.links[0].nbytes >= 1);

	bbf_external_add_many(format, &filter.meta, filter.bytes, hash, 1);
	if (format->set_keys != NULL && format->set_keys(&filter.meta, filter.bytes, 1) != NULL)
		REQUIRE(capacity < 1);
	REQUIRE(bbf_external_validate(format, filter.bytes, filter.size, &filter.meta) == NULL);
	REQUIRE(bbf_external_contains(format, &filter.meta, filter.bytes, hash));
	REQUIRE(probe(format, &filter, hash));
	require_info(format, &filter);
	require_chunks(format, &filter);
	free(filter.bytes);
}

static void
require_utf16(const uint8_t *text, size_t size)
{
	unsigned char *out = malloc(2 * size + 1);

	REQUIRE(out != NULL);
	REQUIRE(bbf_external_utf16(text, size, out) <= 2 * size);
	free(out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	uint8_t		flags = take8(&input);
	const BbfExternalFormat *format = bbf_external_formats[(flags & 0x7F) % bbf_external_nformats];
	bool		repair = (flags & 0x80) != 0;
	size_t		a_size = take16(&input);
	uint64_t	capacity = take64(&input);
	double		parameter;
	size_t		key_size;
	const uint8_t *key;
	const uint8_t *a_data;
	unsigned char *key_copy;
	uint64_t	hash[BBF_EXTERNAL_MAX_HASH];
	Filter		a;
	Filter		b;
	bool		is_filter;

	capacity >>= take8(&input) % 64;
	parameter = take_double(&input);
	key_size = take16(&input) % 128;
	key = take_bytes(&input, &key_size);
	key_copy = exact_copy(key, key_size);
	bbf_external_hash(format, 0, key_copy, key_size, hash);
	require_utf16(key_copy, key_size);

	/* most doubles are no parameters */
	if (format->parameter == BBF_EXTERNAL_BITS_PER_KEY)
		parameter = (double) (capacity % 100);
	require_new(format, capacity, parameter, hash);

	a_data = take_bytes(&input, &a_size);
	is_filter = start_filter(format, repair, a_data, a_size, &a);
	if (is_filter)
	{
		bbf_external_hash(format, a.meta.seed, key_copy, key_size, hash);
		REQUIRE(probe(format, &a, hash) ==
				bbf_external_contains(format, &a.meta, a.bytes, hash));
		require_info(format, &a);
		require_chunks(format, &a);
		require_add(format, &a, hash);
		if (start_filter(format, repair, input.data, input.size, &b))
			require_union(format, &a, &b, hash);
		free(b.bytes);
	}
	free(a.bytes);
	free(key_copy);
	return 0;
}
