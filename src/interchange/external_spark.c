/*
 * external_spark.c
 *	  Apache Spark's BloomFilter, of its sketch library: writeTo and readFrom.
 *
 *		offset
 *			0	version: 1, or 2 (Spark's default since 4.1)
 *			4	k, the number of probes
 *			8	of version 2: the seed of the hash
 *		8, 12	number of words
 *	   12, 16	words of 64 bits; bit i is bit i % 64 of word i / 64
 *
 * All are big-endian, of four bytes but for the words.  Every integer is
 * hashed as one of 64 bits; texts and binaries as bytes.  With h1 = hash(key,
 * seed) and h2 = hash(key, h1), both signed and of 32 bits, bit number i = 1
 * .. k is
 *
 *		version 1:	x mod m, x = h1 + i * h2 in 32 bits
 *		version 2:	x mod m, x = h1 * (2^31 - 1) + i * h2 in 64 bits
 *
 * where x, if it is negative, has all its bits inverted.  Spark's reader
 * takes any k; a filter with k = 0 or less has every key.
 *
 * Filters of query plans hold hashes of the keys of a join, not the keys;
 * those of DataFrameStatFunctions.bloomFilter hold the keys.
 *
 * References: BloomFilter.java, BloomFilterImpl.java, BloomFilterImplV2.java
 * and Murmur3_x86_32.java in common/sketch of https://github.com/apache/spark
 */
#include "core/blocked.h"
#include "interchange/external_bits.h"
#include "interchange/external_formats.h"
#include "interchange/external_sizing.h"
#include "interchange/murmur.h"

#define HEADER_BYTES_1	12
#define HEADER_BYTES_2	16

/* The index of version 1 has 31 bits before it is taken modulo m. */
#define VERSION_1_BITS	((uint64_t) 1 << 31)

/* A hash is h1 and h2 in one word. */

static uint64_t
index_1(const uint64_t *hash, uint32_t i, const BbfExternalLink *link)
{
	uint32_t	x = (uint32_t) (*hash >> 32) + (i + 1) * (uint32_t) *hash;

	return bbf_modulo(x > INT32_MAX ? ~x : x, link);
}

/* A number of 32 bits with its sign, as one of 64. */
static inline uint64_t
extend(uint32_t x)
{
	return ((uint64_t) x ^ UINT64_C(0x80000000)) - UINT64_C(0x80000000);
}

static uint64_t
index_2(const uint64_t *hash, uint32_t i, const BbfExternalLink *link)
{
	uint64_t	x = extend((uint32_t) (*hash >> 32)) * INT32_MAX +
		(uint64_t) (i + 1) * extend((uint32_t) *hash);

	return bbf_modulo(x > INT64_MAX ? ~x : x, link);
}

static void
lay_out(BbfExternalMeta *meta, int version, uint32_t seed, uint32_t nprobes,
		uint64_t nwords)
{
	BbfExternalLink *link = &meta->links[0];

	meta->variant = version;
	meta->seed = seed;
	meta->nlinks = 1;
	link->nprobes = nprobes;
	link->nbits = link->nstored = link->nprobed = nwords * 64;
	if (version == 1 && link->nprobed > VERSION_1_BITS)
		link->nprobed = VERSION_1_BITS;
	link->offset = version == 1 ? HEADER_BYTES_1 : HEADER_BYTES_2;
	link->nbytes = (size_t) nwords * 8;
	meta->length = link->offset + link->nbytes;
}

static const char *
size_of_version(int version, uint64_t capacity, double fpp, BbfExternalMeta *meta)
{
	double		wanted = bbf_classic_bits(capacity, fpp);
	uint64_t	nbits;
	uint32_t	nprobes;

	if (wanted < 1.0)
		return "Spark makes no filter of less than one bit.";
	if (wanted > (double) (BBF_MAX_BYTES * 8))
		return BBF_EXTERNAL_TOO_LARGE;
	nbits = (uint64_t) wanted;
	nprobes = (uint32_t) (bbf_spark_probes((double) nbits, capacity) + 0.5);
	lay_out(meta, version, 0, nprobes > 0 ? nprobes : 1, (nbits + 63) / 64);
	return NULL;
}

static const char *
spark_size_1(uint64_t capacity, double fpp, BbfExternalMeta *meta)
{
	return size_of_version(1, capacity, fpp, meta);
}

static const char *
spark_size_2(uint64_t capacity, double fpp, BbfExternalMeta *meta)
{
	return size_of_version(2, capacity, fpp, meta);
}

static void
spark_find_header_1(size_t length, BbfExternalSlice *header)
{
	header->length = length < HEADER_BYTES_1 ? length : HEADER_BYTES_1;
}

static void
spark_find_header_2(size_t length, BbfExternalSlice *header)
{
	header->length = length < HEADER_BYTES_2 ? length : HEADER_BYTES_2;
}

/* What follows the version and, of version 2, the seed. */
static const char *
read_version(int version, uint32_t seed, uint32_t nprobes, uint32_t nwords,
			 size_t nbytes, BbfExternalMeta *meta)
{
	if (nprobes > INT32_MAX)	/* negative */
		nprobes = 0;
	if (nprobes > BBF_EXTERNAL_MAX_PROBES)
		return "It has more than 65535 probes.";
	if (nwords == 0 || nwords > INT32_MAX)
		return "The number of words is not positive.";
	if (nbytes != (uint64_t) nwords * 8)
		return "Its length does not match the number of words.";
	lay_out(meta, version, seed, nprobes, nwords);
	return NULL;
}

static const char *
spark_read_1(const unsigned char *header, size_t length, BbfExternalMeta *meta)
{
	if (length < HEADER_BYTES_1)
		return "It is shorter than the head of 12 bytes.";
	if (bbf_get32_be(header) == 2)
		return "It is of version 2, which is the format spark_v2.";
	if (bbf_get32_be(header) != 1)
		return "The version is unknown.";
	return read_version(1, 0, bbf_get32_be(header + 4), bbf_get32_be(header + 8),
						length - HEADER_BYTES_1, meta);
}

static const char *
spark_read_2(const unsigned char *header, size_t length, BbfExternalMeta *meta)
{
	if (length < HEADER_BYTES_2)
		return "It is shorter than the head of 16 bytes.";
	if (bbf_get32_be(header) == 1)
		return "It is of version 1, which is the format spark_v1.";
	if (bbf_get32_be(header) != 2)
		return "The version is unknown.";
	return read_version(2, bbf_get32_be(header + 8), bbf_get32_be(header + 4),
						bbf_get32_be(header + 12), length - HEADER_BYTES_2, meta);
}

static void
spark_write(const BbfExternalMeta *meta, unsigned char *bytes)
{
	const BbfExternalLink *link = &meta->links[0];

	bbf_put32_be(bytes, (uint32_t) meta->variant);
	bbf_put32_be(bytes + 4, link->nprobes);
	if (meta->variant == 2)
		bbf_put32_be(bytes + 8, meta->seed);
	bbf_put32_be(bytes + link->offset - 4, (uint32_t) (link->nbytes / 8));
}

static void
spark_hash(uint32_t seed, const void *key, size_t length, BbfPause pause,
		   uint64_t *hash)
{
	uint32_t	h1 = bbf_murmur3_bytes(key, length, seed, pause);
	uint32_t	h2 = bbf_murmur3_bytes(key, length, h1, pause);

	hash[0] = (uint64_t) h1 << 32 | h2;
}

static bool
spark_contains_1(const BbfExternalMeta *meta, const unsigned char *bytes,
				 const uint64_t *hash)
{
	return bbf_bits_contain(&meta->links[0], bytes, BBF_BIG_ENDIAN_WORDS,
							index_1, hash);
}

static bool
spark_contains_2(const BbfExternalMeta *meta, const unsigned char *bytes,
				 const uint64_t *hash)
{
	return bbf_bits_contain(&meta->links[0], bytes, BBF_BIG_ENDIAN_WORDS,
							index_2, hash);
}

static const char *
spark_add_1(BbfExternalMeta *meta, unsigned char *bytes, const uint64_t *hash)
{
	bbf_bits_add(&meta->links[0], bytes, BBF_BIG_ENDIAN_WORDS, index_1, hash);
	return NULL;
}

static const char *
spark_add_2(BbfExternalMeta *meta, unsigned char *bytes, const uint64_t *hash)
{
	bbf_bits_add(&meta->links[0], bytes, BBF_BIG_ENDIAN_WORDS, index_2, hash);
	return NULL;
}

static void
spark_add_many_1(const BbfExternalMeta *meta, unsigned char *bytes,
				 const uint64_t *hashes, size_t n)
{
	bbf_bits_add_many(&meta->links[0], bytes, BBF_BIG_ENDIAN_WORDS, index_1,
					  hashes, 1, n);
}

static void
spark_add_many_2(const BbfExternalMeta *meta, unsigned char *bytes,
				 const uint64_t *hashes, size_t n)
{
	bbf_bits_add_many(&meta->links[0], bytes, BBF_BIG_ENDIAN_WORDS, index_2,
					  hashes, 1, n);
}

static void
spark_find_slice(const BbfExternalMeta *meta, const BbfExternalLink *link,
				 const uint64_t *hash, uint32_t i, BbfExternalSlice *slice)
{
	bbf_bits_find_slice(link, BBF_BIG_ENDIAN_WORDS,
						meta->variant == 1 ? index_1 : index_2, hash, i, slice);
}

static const char *
spark_union_refusal(const BbfExternalMeta *a, const BbfExternalMeta *b)
{
	if (a->seed != b->seed)
		return "The filters have different seeds.";
	return NULL;
}

#define SPARK(version) { \
	.name = "spark_v" #version, \
	.keys = BBF_EXTERNAL_BYTES | BBF_EXTERNAL_INT64, \
	.hash_words = 1, \
	.parameter = BBF_EXTERNAL_FPP, \
	.big_endian = true, \
	.size = spark_size_##version, \
	.find_header = spark_find_header_##version, \
	.read = spark_read_##version, \
	.write = spark_write, \
	.hash = spark_hash, \
	.contains = spark_contains_##version, \
	.add = spark_add_##version, \
	.add_many = spark_add_many_##version, \
	.find_slice = spark_find_slice, \
	.test_slice = bbf_bits_test_slice, \
	.union_refusal = spark_union_refusal, \
	.estimate = bbf_bits_estimate \
}

const BbfExternalFormat bbf_external_spark[2] = {
	SPARK(1),
	SPARK(2)
};
