/*
 * external_sample.c
 *	  Filters of other systems to test with.
 */
#include "external_sample.h"

#include "check.h"

#include "core/bytes.h"

#include "buffer.h"
#include "key.h"

unsigned	external_pauses;

void
count_external_pause(void)
{
	external_pauses++;
}

const BbfExternalFormat *
external_format(const char *name)
{
	const BbfExternalFormat *format = bbf_external_by_name(name, strlen(name));

	if (format == NULL)
	{
		fprintf(stderr, "no format: %s\n", name);
		exit(2);
	}
	return format;
}

double
usual_parameter(const BbfExternalFormat *format)
{
	return format->parameter == BBF_EXTERNAL_FPP ? 0.01 : 10.0;
}

ExternalSample
new_external(const BbfExternalFormat *format, uint64_t capacity, double parameter)
{
	ExternalSample sample;
	const char *reason = bbf_external_size(format, capacity, parameter, &sample.meta);

	if (reason != NULL)
	{
		fprintf(stderr, "%s: %s\n", format->name, reason);
		exit(2);
	}
	sample.format = format;
	sample.bytes = allocate(sample.meta.length);
	bbf_external_write(format, &sample.meta, sample.bytes);
	return sample;
}

void
external_key(const BbfExternalFormat *format, uint32_t seed, uint64_t i,
			 uint64_t *hash)
{
	const unsigned four_bytes = BBF_EXTERNAL_INT32 | BBF_EXTERNAL_FLOAT;
	unsigned char bytes[8];

	bbf_put64(bytes, (format->keys & four_bytes) != 0 ? i : key(i));
	bbf_external_hash(format, seed, bytes, (format->keys & four_bytes) != 0 ? 4 : 8,
					  hash);
}

void
add_external_keys(ExternalSample *sample, uint64_t first, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
	{
		uint64_t	hash[BBF_EXTERNAL_MAX_HASH];

		external_key(sample->format, sample->meta.seed, first + i, hash);
		bbf_external_add_many(sample->format, &sample->meta, sample->bytes, hash, 1);
	}
	if (sample->format->set_keys != NULL)
		CHECK(sample->format->set_keys(&sample->meta, sample->bytes, n) == NULL);
}

double
rate_at_capacity(const char *format_name, uint64_t capacity, double parameter)
{
	const uint64_t nprobes = 1000000;
	const BbfExternalFormat *format = external_format(format_name);
	ExternalSample sample = new_external(format, capacity, parameter);
	uint64_t	nfound = 0;

	add_external_keys(&sample, 0, capacity);
	for (uint64_t i = 0; i < nprobes; i++)
	{
		uint64_t	hash[BBF_EXTERNAL_MAX_HASH];

		external_key(format, sample.meta.seed, capacity + i, hash);
		nfound += bbf_external_contains(format, &sample.meta, sample.bytes, hash);
	}
	free(sample.bytes);
	CASE("%s, capacity %" PRIu64 ", parameter %g: rate %g", format_name, capacity,
		 parameter, (double) nfound / (double) nprobes);
	return (double) nfound / (double) nprobes;
}

bool
contains_by_slices(const BbfExternalFormat *format, const BbfExternalMeta *meta,
				   const unsigned char *bytes, const uint64_t *hash,
				   unsigned *nslices)
{
	BbfExternalProbe probe;

	*nslices = 0;
	bbf_external_probe_start(format, meta, hash, &probe);
	while (probe.needs_slice)
	{
		unsigned char *slice;

		CHECK(probe.slice.offset + probe.slice.length <= meta->length);
		slice = copy_of(bytes + probe.slice.offset, probe.slice.length);
		bbf_external_probe_go_on(format, meta, hash, slice, &probe);
		free(slice);
		(*nslices)++;
	}
	return probe.found;
}

unsigned char *
from_hex(const char *hex, size_t *length)
{
	unsigned char *bytes = allocate(strlen(hex) / 2 + 1);
	unsigned char *exact;
	size_t		n = 0;

	for (; *hex != '\0'; hex++)
	{
		const char	digits[3] = {hex[0], hex[1], '\0'};

		if (*hex == ' ')
			continue;
		bytes[n++] = (unsigned char) strtoul(digits, NULL, 16);
		hex++;
	}
	exact = copy_of(bytes, n);
	free(bytes);
	*length = n;
	return exact;
}

const char *
refusal_of_hex(const BbfExternalFormat *format, const char *hex)
{
	static BbfExternalMeta meta;
	size_t		length;
	unsigned char *bytes = from_hex(hex, &length);
	const char *reason = bbf_external_validate(format, bytes, length, &meta);

	free(bytes);
	return reason;
}

ExternalSample
from_hex_bytes(const BbfExternalFormat *format, const char *hex)
{
	ExternalSample sample;
	size_t		length;
	const char *reason;

	sample.format = format;
	sample.bytes = from_hex(hex, &length);
	reason = bbf_external_validate(format, sample.bytes, length, &sample.meta);
	if (reason != NULL)
	{
		fprintf(stderr, "%s: %s\n", format->name, reason);
		exit(2);
	}
	return sample;
}

static void
hash_hex(const ExternalSample *sample, const char *hex, uint64_t *hash)
{
	size_t		length;
	unsigned char *key = from_hex(hex, &length);

	bbf_external_hash(sample->format, sample->meta.seed, key, length, hash);
	free(key);
}

void
add_hex_key(ExternalSample *sample, const char *hex)
{
	uint64_t	hash[BBF_EXTERNAL_MAX_HASH];

	hash_hex(sample, hex, hash);
	CHECK(bbf_external_add(sample->format, &sample->meta, sample->bytes, hash) == NULL);
}

bool
contains_hex_key(const ExternalSample *sample, const char *hex)
{
	uint64_t	hash[BBF_EXTERNAL_MAX_HASH];

	hash_hex(sample, hex, hash);
	return bbf_external_contains(sample->format, &sample->meta, sample->bytes, hash);
}

bool
has_hex_bytes(const ExternalSample *sample, const char *hex)
{
	size_t		length;
	unsigned char *bytes = from_hex(hex, &length);
	bool		same = length == sample->meta.length &&
		memcmp(bytes, sample->bytes, length) == 0;

	free(bytes);
	return same;
}

void
check_external_sizes(const char *format_name, const ExternalSize *sizes, int nsizes)
{
	static BbfExternalMeta meta;
	const BbfExternalLink *link = &meta.links[0];

	for (int i = 0; i < nsizes; i++)
	{
		CHECK(bbf_external_size(external_format(format_name), sizes[i].n, sizes[i].p,
								&meta) == NULL);
		CASE("%s, n %" PRIu64 ", p %g: m %" PRIu64 ", k %u", format_name, sizes[i].n,
			 sizes[i].p, link->nbits, link->nprobes);
		CHECK(link->nbits == sizes[i].nbits);
		CHECK(link->nprobes == sizes[i].nprobes);
	}
}

void
check_external_unions(const char *format_name, const char *a_hex, const char *b_hex,
					  const char *both_hex, const char *const *others, int nothers)
{
	const BbfExternalFormat *format = external_format(format_name);
	ExternalSample a = from_hex_bytes(format, a_hex);
	ExternalSample b = from_hex_bytes(format, b_hex);

	CHECK(bbf_external_union_refusal(format, &a.meta, &b.meta) == NULL);
	CHECK(!bbf_external_unites_into_second(&a.meta, &b.meta));
	bbf_external_unite(&a.meta, a.bytes, &b.meta, b.bytes, count_external_pause);
	CHECK(has_hex_bytes(&a, both_hex));
	free(b.bytes);
	for (int i = 0; i < nothers; i++)
	{
		b = from_hex_bytes(format, others[i]);
		CASE("%s, number %d", format_name, i);
		CHECK(bbf_external_union_refusal(format, &a.meta, &b.meta) != NULL);
		CHECK(bbf_external_union_refusal(format, &b.meta, &a.meta) != NULL);
		free(b.bytes);
	}
	free(a.bytes);
}
