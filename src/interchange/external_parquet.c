/*
 * external_parquet.c
 *	  The split-block Bloom filters of Apache Parquet files.
 *
 * The bytes are blocks of eight words of 32 bits, little-endian.  In a file
 * the Thrift structure BloomFilterHeader, in its compact form, comes before
 * them:
 *
 *		15 n			bytes of the blocks: zigzag, seven bits a byte
 *		1c 1c 00 00		algorithm: split blocks
 *		1c 1c 00 00		hash: XXH64
 *		1c 1c 00 00		compression: none
 *		00				end
 *
 * Filters are read with and without it, and made without.  Bytes that begin
 * as a header does have one, whatever their length is: of filters that were
 * cut off or have bytes behind them, it would be taken for bits.
 *
 * With h, the hash of the plain encoding of a value, of z blocks
 *
 *		block = (upper half of h * z) >> 32
 *		bit of word i = (lower half of h * salt[i] mod 2^32) >> 27
 *
 * Reference: BloomFilter.md of https://github.com/apache/parquet-format
 */
#include "core/blocked.h"
#include "core/bytes.h"
#include "core/hash.h"
#include "core/kind.h"
#include "interchange/external_bits.h"
#include "interchange/external_formats.h"
#include "interchange/external_sizing.h"

#define BLOCK_BYTES			32
#define BLOCK_BITS			256
#define BLOCK_WORDS			8

/*
 * What writers make at most, and the largest that some readers take: 128 MB.
 */
#define MAX_WRITTEN_BITS	((uint64_t) 1 << 30)

#define MAX_HEADER_BYTES	19
#define MAX_NUMBER_BYTES	5

static const uint32_t salts[BLOCK_WORDS] = {
	0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D,
	0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31
};

static inline uint32_t
word_mask(uint64_t hash, int i)
{
	return (uint32_t) 1 << ((uint32_t) hash * salts[i] >> 27);
}

static inline size_t
block_offset(const BbfExternalLink *link, uint64_t hash)
{
	uint64_t	nblocks = link->nbits / BLOCK_BITS;

	return link->offset + (size_t) ((hash >> 32) * nblocks >> 32) * BLOCK_BYTES;
}

static inline bool
block_contains(const unsigned char *block, uint64_t hash)
{
	uint32_t	missing = 0;

	for (int i = 0; i < BLOCK_WORDS; i++)
		missing |= ~bbf_get32(block + 4 * i) & word_mask(hash, i);
	return missing == 0;
}

static inline void
block_add(unsigned char *block, uint64_t hash)
{
	for (int i = 0; i < BLOCK_WORDS; i++)
		bbf_put32(block + 4 * i, bbf_get32(block + 4 * i) | word_mask(hash, i));
}

static void
lay_out(BbfExternalMeta *meta, size_t offset, uint64_t nbits)
{
	BbfExternalLink *link = &meta->links[0];

	meta->nlinks = 1;
	link->nprobes = BLOCK_WORDS;
	link->nbits = link->nstored = nbits;
	link->offset = offset;
	link->nbytes = (size_t) (nbits / 8);
	meta->length = offset + link->nbytes;
}

/* As Arrow's C++ library and others: the next power of two. */
static const char *
parquet_size(uint64_t capacity, double fpp, BbfExternalMeta *meta)
{
	double		wanted = bbf_parquet_bits(capacity, fpp);
	uint64_t	nbits = BLOCK_BITS;

	/* of the lowest rates it is minus infinity */
	if (wanted < 0.0 || wanted > (double) MAX_WRITTEN_BITS)
		return "It would take more than 128 MB, the most that writers of Parquet make.";
	while (nbits < (uint64_t) wanted)
		nbits *= 2;
	lay_out(meta, 0, nbits);
	return NULL;
}

static void
parquet_find_header(size_t length, BbfExternalSlice *header)
{
	header->length = length < MAX_HEADER_BYTES ? length : MAX_HEADER_BYTES;
}

/*
 * Do bytes begin as a header does, of any algorithm, hash and compression?
 * Bits that do take ten keys or more in the first block, in few places of its
 * first four words: without intent, fewer than one filter in 10^25.
 */
static bool
begins_as_header(const unsigned char *bytes, size_t available)
{
	size_t		at = 1;

	if (available == 0 || bytes[0] != 0x15)
		return false;
	while (at < available && at < MAX_NUMBER_BYTES && (bytes[at] & 0x80) != 0)
		at++;
	at++;
	for (int i = 0; i < 3; i++, at += 4)
	{
		if (at + 4 > available || bytes[at] != 0x1C || (bytes[at + 1] & 0x0F) != 0x0C ||
			bytes[at + 2] != 0 || bytes[at + 3] != 0)
			return false;
	}
	return true;
}

/* Read the structure at the start of the available bytes. */
static const char *
read_header(const unsigned char *header, size_t available, size_t *header_bytes,
			uint64_t *nbytes)
{
	static const char *const unknown[] = {
		"The algorithm in the header is not that of split blocks.",
		"The hash in the header is not XXH64.",
		"The compression in the header is unknown."
	};
	size_t		at = 1;
	uint64_t	zigzag = 0;
	unsigned char byte;

	if (available == 0 || header[0] != 0x15)
		return "It is neither blocks of 32 bytes nor a Thrift header and blocks.";
	for (int shift = 0;; shift += 7)
	{
		if (shift > 7 * (MAX_NUMBER_BYTES - 1))
			return "The number of bytes in the header is out of range.";
		if (at == available)
			return "The header is cut off.";
		byte = header[at++];
		zigzag |= (uint64_t) (byte & 0x7F) << shift;
		if ((byte & 0x80) == 0)
			break;
	}
	for (int i = 0; i < 3; i++, at += 4)
	{
		static const unsigned char first_of_union[] = {0x1C, 0x1C, 0, 0};

		if (available - at < 4)
			return "The header is cut off.";
		if (memcmp(header + at, first_of_union, 4) != 0)
			return unknown[i];
	}
	if (at == available)
		return "The header is cut off.";
	if (header[at++] != 0)
		return "The header has further fields.";

	if ((zigzag & 1) != 0 || zigzag == 0 || (zigzag >> 1) % BLOCK_BYTES != 0)
		return "The number of bytes in the header is not a positive multiple of 32.";
	*header_bytes = at;
	*nbytes = zigzag >> 1;
	return NULL;
}

static const char *
parquet_read(const unsigned char *header, size_t length, BbfExternalMeta *meta)
{
	BbfExternalSlice available = {0, 0, 0};
	size_t		header_bytes = 0;
	uint64_t	nbytes = length;

	if (length == 0)
		return "It is empty.";
	parquet_find_header(length, &available);
	if (length % BLOCK_BYTES != 0 || begins_as_header(header, available.length))
	{
		const char *reason = read_header(header, available.length, &header_bytes,
										 &nbytes);

		if (reason != NULL)
			return reason;
		if (length - header_bytes != nbytes)
			return "Its length does not match the number of bytes in the header.";
	}
	if (nbytes > BBF_MAX_BYTES)
		return "It is longer than 512 MB.";
	lay_out(meta, header_bytes, nbytes * 8);
	return NULL;
}

/* There is nothing but the bits. */
static void
parquet_write(const BbfExternalMeta *meta, unsigned char *bytes)
{
	(void) meta;
	(void) bytes;
}

static void
parquet_hash(uint32_t seed, const void *key, size_t length, BbfPause pause,
			 uint64_t *hash)
{
	(void) seed;
	(void) pause;
	hash[0] = XXH64(key, length, 0);
}

static bool
parquet_contains(const BbfExternalMeta *meta, const unsigned char *bytes,
				 const uint64_t *hash)
{
	return block_contains(bytes + block_offset(&meta->links[0], *hash), *hash);
}

static const char *
parquet_add(BbfExternalMeta *meta, unsigned char *bytes, const uint64_t *hash)
{
	block_add(bytes + block_offset(&meta->links[0], *hash), *hash);
	return NULL;
}

static void
parquet_add_many(const BbfExternalMeta *meta, unsigned char *bytes,
				 const uint64_t *hashes, size_t n)
{
	const BbfExternalLink *link = &meta->links[0];

	for (size_t i = 0; i < n; i++)
	{
		if (i + BBF_PREFETCH_DISTANCE < n)
			BBF_PREFETCH_FOR_WRITE(bytes + block_offset(link, hashes[i + BBF_PREFETCH_DISTANCE]));
		block_add(bytes + block_offset(link, hashes[i]), hashes[i]);
	}
}

static void
parquet_find_slice(const BbfExternalMeta *meta, const BbfExternalLink *link,
				   const uint64_t *hash, uint32_t i, BbfExternalSlice *slice)
{
	(void) meta;
	(void) i;
	slice->offset = block_offset(link, *hash);
	slice->length = BLOCK_BYTES;
	slice->mask = 0;
}

static bool
parquet_test_slice(const BbfExternalSlice *slice, const unsigned char *bytes,
				   const uint64_t *hash)
{
	(void) slice;
	return block_contains(bytes, *hash);
}

static int
count_word(uint32_t x)
{
	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	x = (x + (x >> 4)) & 0x0F0F0F0F;
	return (int) (x * 0x01010101 >> 24);
}

/* A key that is absent finds a bit of each word of its block by chance. */
static void
parquet_estimate(const BbfExternalLink *link, const unsigned char *bytes,
				 uint64_t nset, BbfPause pause, double *keys,
				 double *fpp)
{
	uint64_t	nblocks = link->nbits / BLOCK_BITS;
	const unsigned char *word = bytes + link->offset;
	double		sum = 0.0;

	for (uint64_t block = 0; block < nblocks; block++)
	{
		double		found = 1.0;

		if (block % (BBF_PIECE_BYTES / BLOCK_BYTES) == 0)
			bbf_pause(pause);
		for (int i = 0; i < BLOCK_WORDS; i++, word += 4)
			found *= count_word(bbf_get32(word)) / 32.0;
		sum += found;
	}
	*keys = bbf_keys_of_bits(link->nbits, link->nprobes, nset);
	*fpp = sum / (double) nblocks;
}

#define PARQUET(format_name, format_keys) { \
	.name = (format_name), \
	.keys = (format_keys), \
	.hash_words = 1, \
	.parameter = BBF_EXTERNAL_FPP, \
	.one_slice = true, \
	.size = parquet_size, \
	.find_header = parquet_find_header, \
	.read = parquet_read, \
	.write = parquet_write, \
	.hash = parquet_hash, \
	.contains = parquet_contains, \
	.add = parquet_add, \
	.add_many = parquet_add_many, \
	.find_slice = parquet_find_slice, \
	.test_slice = parquet_test_slice, \
	.estimate = parquet_estimate \
}

const BbfExternalFormat bbf_external_parquet[7] = {
	PARQUET("parquet", BBF_EXTERNAL_BYTES | BBF_EXTERNAL_UUID),
	PARQUET("parquet_int32", BBF_EXTERNAL_INT32 | BBF_EXTERNAL_DATE),
	PARQUET("parquet_int64", BBF_EXTERNAL_INT64),
	PARQUET("parquet_float", BBF_EXTERNAL_FLOAT),
	PARQUET("parquet_double", BBF_EXTERNAL_DOUBLE),
	PARQUET("parquet_timestamp_micros", BBF_EXTERNAL_MICROS),
	PARQUET("parquet_timestamp_millis", BBF_EXTERNAL_MILLIS)
};
