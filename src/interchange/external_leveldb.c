/*
 * external_leveldb.c
 *	  The filters of LevelDB's filter policy leveldb.BuiltinBloomFilter2.
 *
 * The bits, and then a byte with the number of probes.  With h, the hash of a
 * key, and d = h rotated by 15 bits to the left, both of 32 bits, bit number
 * i is
 *
 *		(h + i * d mod 2^32) mod m
 *
 * LevelDB answers for all bytes: a filter shorter than two bytes has no key,
 * and one with more than 30 probes, which is kept for encodings to come, may
 * have any.
 *
 * Reference: util/bloom.cc of https://github.com/google/leveldb
 */
#include "core/blocked.h"
#include "core/hash.h"
#include "interchange/external_bits.h"
#include "interchange/external_formats.h"
#include "interchange/murmur.h"

#define SEED			UINT32_C(0xBC9F1D34)
#define MIN_BITS		64
#define MAX_PROBES		30

static uint64_t
leveldb_index(const uint64_t *hash, uint32_t i, const BbfExternalLink *link)
{
	uint32_t	h = (uint32_t) hash[1];

	return bbf_modulo(h + i * (h >> 17 | h << 15), link);
}

static void
lay_out(BbfExternalMeta *meta, uint64_t nbytes, uint32_t nprobes)
{
	BbfExternalLink *link = &meta->links[0];

	meta->nlinks = 1;
	link->nprobes = nprobes;
	link->nbits = link->nstored = nbytes * 8;
	link->offset = 0;
	link->nbytes = (size_t) nbytes;
	meta->length = link->nbytes + 1;
}

static const char *
leveldb_size(uint64_t capacity, double bits_per_key, BbfExternalMeta *meta)
{
	uint64_t	per_key = (uint64_t) bits_per_key;
	uint64_t	nbits;
	uint32_t	nprobes = (uint32_t) (bits_per_key * 0.69);

	if (capacity > BBF_MAX_BYTES * 8 / per_key)
		return BBF_EXTERNAL_TOO_LARGE;
	nbits = capacity * per_key;
	if (nbits < MIN_BITS)
		nbits = MIN_BITS;
	if (nprobes < 1)
		nprobes = 1;
	if (nprobes > MAX_PROBES)
		nprobes = MAX_PROBES;
	lay_out(meta, (nbits + 7) / 8, nprobes);
	return NULL;
}

static void
leveldb_find_header(size_t length, BbfExternalSlice *header)
{
	if (length > 0)
	{
		header->offset = length - 1;
		header->length = 1;
	}
}

static const char *
leveldb_read(const unsigned char *header, size_t length, BbfExternalMeta *meta)
{
	if (length < 2)
	{
		meta->fixed = "It has no bits.";
		return NULL;
	}
	if (length - 1 > BBF_MAX_BYTES)
		return "It is longer than 512 MB.";
	lay_out(meta, length - 1, header[0]);
	if (header[0] > MAX_PROBES)
	{
		meta->fixed = "Its number of probes is above 30, which LevelDB keeps for other encodings.";
		meta->links[0].nprobes = 0;
	}
	return NULL;
}

static void
leveldb_write(const BbfExternalMeta *meta, unsigned char *bytes)
{
	bytes[meta->length - 1] = (unsigned char) meta->links[0].nprobes;
}

/* LevelDB's hash, the second word, has 32 bits: too few to count keys by. */
static void
leveldb_hash(uint32_t seed, const void *key, size_t length, BbfPause pause,
			 uint64_t *hash)
{
	(void) seed;
	hash[0] = bbf_hash(key, length);
	hash[1] = bbf_leveldb_hash(key, length, SEED, pause);
}

static bool
leveldb_contains(const BbfExternalMeta *meta, const unsigned char *bytes,
				 const uint64_t *hash)
{
	return meta->nlinks > 0 &&
		bbf_bits_contain(&meta->links[0], bytes, BBF_BYTES_IN_ORDER,
						 leveldb_index, hash);
}

static const char *
leveldb_add(BbfExternalMeta *meta, unsigned char *bytes, const uint64_t *hash)
{
	bbf_bits_add(&meta->links[0], bytes, BBF_BYTES_IN_ORDER, leveldb_index, hash);
	return NULL;
}

static void
leveldb_add_many(const BbfExternalMeta *meta, unsigned char *bytes,
				 const uint64_t *hashes, size_t n)
{
	bbf_bits_add_many(&meta->links[0], bytes, BBF_BYTES_IN_ORDER, leveldb_index,
					  hashes, 2, n);
}

static void
leveldb_find_slice(const BbfExternalMeta *meta, const BbfExternalLink *link,
				   const uint64_t *hash, uint32_t i, BbfExternalSlice *slice)
{
	(void) meta;
	bbf_bits_find_slice(link, BBF_BYTES_IN_ORDER, leveldb_index, hash, i, slice);
}

/*
 * All probes come from 32 bits, and those of a key repeat the pattern of
 * others: in a large filter that finds more absent keys than as many bits
 * anywhere would.  So the rate is counted, of hashes spread evenly; where too
 * few are found for that, it is that of the bits.
 */
#define SAMPLE_HASHES		((uint32_t) 1 << 18)
#define SAMPLE_STEP			UINT32_C(0x9E3779B1)	/* 2^32 / golden ratio,
													 * odd */
#define FEWEST_FOUND		100

static void
leveldb_estimate(const BbfExternalLink *link, const unsigned char *bytes,
				 uint64_t nset, BbfPause pause, double *keys, double *fpp)
{
	uint32_t	nfound = 0;

	bbf_bits_estimate(link, bytes, nset, pause, keys, fpp);
	if (link->nprobes == 0)
		return;
	for (uint32_t i = 0; i < SAMPLE_HASHES; i++)
	{
		uint64_t	hash[2] = {0, i * SAMPLE_STEP};

		if (i % (SAMPLE_HASHES / 16) == 0)
			bbf_pause(pause);
		nfound += bbf_bits_contain(link, bytes, BBF_BYTES_IN_ORDER, leveldb_index, hash);
	}
	if (nfound >= FEWEST_FOUND)
		*fpp = (double) nfound / SAMPLE_HASHES;
}

static const char *
leveldb_union_refusal(const BbfExternalMeta *a, const BbfExternalMeta *b)
{
	(void) a;
	(void) b;
	return "LevelDB does not unite filters.";
}

const BbfExternalFormat bbf_external_leveldb[1] = {
	{
		.name = "leveldb",
		.keys = BBF_EXTERNAL_BYTES,
		.hash_words = 2,
		.parameter = BBF_EXTERNAL_BITS_PER_KEY,
		.size = leveldb_size,
		.find_header = leveldb_find_header,
		.read = leveldb_read,
		.write = leveldb_write,
		.hash = leveldb_hash,
		.contains = leveldb_contains,
		.add = leveldb_add,
		.add_many = leveldb_add_many,
		.find_slice = leveldb_find_slice,
		.test_slice = bbf_bits_test_slice,
		.union_refusal = leveldb_union_refusal,
		.estimate = leveldb_estimate
	}
};
