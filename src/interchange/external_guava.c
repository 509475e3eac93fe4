/*
 * external_guava.c
 *	  Google Guava's BloomFilter: BloomFilter.writeTo and readFrom.
 *
 *		offset
 *			0	strategy: 0 for MURMUR128_MITZ_32, 1 for MURMUR128_MITZ_64
 *			1	number of probes
 *			2	number of words, big-endian (4 bytes)
 *			6	words of 64 bits, big-endian: bit i is bit i % 64 of word
 *				i / 64
 *
 * With h1 and h2, the words of MurmurHash3 of a key, bit i = 0 .. k - 1 is
 *
 *		MITZ_64:	((h1 + i * h2) mod 2^63) mod m
 *		MITZ_32:	x = a + (i + 1) * b mod 2^32, with its bits inverted if
 *					the highest is set, mod m, where a and b are the lower and
 *					the upper half of h1
 *
 * Filters are made with MITZ_64, Guava's default since 17.0, and with the
 * number of probes that Guava computes since 33.4.0.
 *
 * References: BloomFilter.java, BloomFilterStrategies.java and Funnels.java of
 * https://github.com/google/guava
 */
#include "core/blocked.h"
#include "interchange/external_bits.h"
#include "interchange/external_formats.h"
#include "interchange/external_sizing.h"
#include "interchange/murmur.h"

#define HEADER_BYTES		6
#define MITZ_32			0
#define MITZ_64			1
#define MAX_PROBES		255

/* Its index has 31 bits before it is taken modulo m. */
#define MITZ_32_BITS		((uint64_t) 1 << 31)

static uint64_t
index_64(const uint64_t *hash, uint32_t i, const BbfExternalLink *link)
{
	return bbf_modulo((hash[0] + i * hash[1]) & INT64_MAX, link);
}

static uint64_t
index_32(const uint64_t *hash, uint32_t i, const BbfExternalLink *link)
{
	uint32_t	x = (uint32_t) hash[0] + (i + 1) * (uint32_t) (hash[0] >> 32);

	return bbf_modulo(x > INT32_MAX ? ~x : x, link);
}

static void
lay_out(BbfExternalMeta *meta, int strategy, uint32_t nprobes, uint64_t nwords)
{
	BbfExternalLink *link = &meta->links[0];

	meta->variant = strategy;
	meta->nlinks = 1;
	link->nprobes = nprobes;
	link->nbits = link->nstored = link->nprobed = nwords * 64;
	if (strategy == MITZ_32 && link->nprobed > MITZ_32_BITS)
		link->nprobed = MITZ_32_BITS;
	link->offset = HEADER_BYTES;
	link->nbytes = (size_t) nwords * 8;
	meta->length = HEADER_BYTES + link->nbytes;
}

static const char *
guava_size(uint64_t capacity, double fpp, BbfExternalMeta *meta)
{
	double		bits = bbf_classic_bits(capacity, fpp);
	double		probes = bbf_classic_probes(fpp);
	uint32_t	nprobes;

	if (bits < 1.0)
		return "Guava makes no filter of less than one bit.";
	if (bits > (double) (BBF_MAX_BYTES * 8))
		return BBF_EXTERNAL_TOO_LARGE;
	nprobes = (uint32_t) (probes + 0.5);
	if (nprobes > MAX_PROBES)
		return "Guava makes no filter of more than 255 probes.";
	lay_out(meta, MITZ_64, nprobes > 0 ? nprobes : 1, ((uint64_t) bits + 63) / 64);
	return NULL;
}

static void
guava_find_header(size_t length, BbfExternalSlice *header)
{
	header->length = length < HEADER_BYTES ? length : HEADER_BYTES;
}

static const char *
guava_read(const unsigned char *header, size_t length, BbfExternalMeta *meta)
{
	uint32_t	nwords;

	if (length < HEADER_BYTES)
		return "It is shorter than the head of six bytes.";
	if (header[0] != MITZ_32 && header[0] != MITZ_64)
		return "The strategy is unknown.";
	if (header[1] == 0)
		return "The number of probes is zero.";
	nwords = bbf_get32_be(header + 2);
	if (nwords == 0 || nwords > INT32_MAX)
		return "The number of words is not positive.";
	if ((uint64_t) length - HEADER_BYTES != (uint64_t) nwords * 8)
		return "Its length does not match the number of words.";
	lay_out(meta, header[0], header[1], nwords);
	return NULL;
}

static void
guava_write(const BbfExternalMeta *meta, unsigned char *bytes)
{
	bytes[0] = (unsigned char) meta->variant;
	bytes[1] = (unsigned char) meta->links[0].nprobes;
	bbf_put32_be(bytes + 2, (uint32_t) (meta->links[0].nbytes / 8));
}

static void
guava_hash(uint32_t seed, const void *key, size_t length, BbfPause pause,
		   uint64_t *hash)
{
	(void) seed;
	bbf_murmur3_128(key, length, pause, hash);
}

static bool
guava_contains(const BbfExternalMeta *meta, const unsigned char *bytes,
			   const uint64_t *hash)
{
	if (meta->variant == MITZ_32)
		return bbf_bits_contain(&meta->links[0], bytes, BBF_BIG_ENDIAN_WORDS,
								index_32, hash);
	return bbf_bits_contain(&meta->links[0], bytes, BBF_BIG_ENDIAN_WORDS,
							index_64, hash);
}

static const char *
guava_add(BbfExternalMeta *meta, unsigned char *bytes, const uint64_t *hash)
{
	bbf_bits_add(&meta->links[0], bytes, BBF_BIG_ENDIAN_WORDS,
				 meta->variant == MITZ_32 ? index_32 : index_64, hash);
	return NULL;
}

/* Only filters of guava_size, which have MITZ_64. */
static void
guava_add_many(const BbfExternalMeta *meta, unsigned char *bytes,
			   const uint64_t *hashes, size_t n)
{
	bbf_bits_add_many(&meta->links[0], bytes, BBF_BIG_ENDIAN_WORDS, index_64,
					  hashes, 2, n);
}

static void
guava_find_slice(const BbfExternalMeta *meta, const BbfExternalLink *link,
				 const uint64_t *hash, uint32_t i, BbfExternalSlice *slice)
{
	bbf_bits_find_slice(link, BBF_BIG_ENDIAN_WORDS,
						meta->variant == MITZ_32 ? index_32 : index_64,
						hash, i, slice);
}

static const char *
guava_union_refusal(const BbfExternalMeta *a, const BbfExternalMeta *b)
{
	if (a->variant != b->variant)
		return "The filters have different strategies.";
	return NULL;
}

#define GUAVA(format_name, format_keys) { \
	.name = (format_name), \
	.keys = (format_keys), \
	.hash_words = 2, \
	.parameter = BBF_EXTERNAL_FPP, \
	.big_endian = true, \
	.size = guava_size, \
	.find_header = guava_find_header, \
	.read = guava_read, \
	.write = guava_write, \
	.hash = guava_hash, \
	.contains = guava_contains, \
	.add = guava_add, \
	.add_many = guava_add_many, \
	.find_slice = guava_find_slice, \
	.test_slice = bbf_bits_test_slice, \
	.union_refusal = guava_union_refusal, \
	.estimate = bbf_bits_estimate \
}

const BbfExternalFormat bbf_external_guava[4] = {
	GUAVA("guava", BBF_EXTERNAL_BYTES),
	GUAVA("guava_int", BBF_EXTERNAL_INT32),
	GUAVA("guava_long", BBF_EXTERNAL_INT64),
	GUAVA("guava_chars", BBF_EXTERNAL_UTF16)
};
