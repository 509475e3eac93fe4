/*
 * external_redis.c
 *	  Filters of RedisBloom: what BF.SCANDUMP gives, one part after the other.
 *
 *		offset
 *			0	number of keys in all links (8 bytes)
 *			8	number of links (4 bytes)
 *		   12	options (4 bytes)
 *		   16	growth: a further link has room for this many times the keys
 *				(4 bytes)
 *		   20	for each link 53 bytes:
 *					0	bytes of bits (8 bytes)
 *					8	bits (8 bytes)
 *				   16	keys (8 bytes)
 *				   24	rate, a double (8 bytes)
 *				   32	bits per key, a double (8 bytes)
 *				   40	probes (4 bytes)
 *				   44	keys for which it was made (8 bytes)
 *				   52	in filters of versions before 2.2: modulus of
 *						the probes, as log2; the number of bits is
 *						0 then
 *				the bits of each link
 *
 * This is the form of servers from 2.2.1 on; those before have another one,
 * without the growth, or with four bytes for the keys for which a link was
 * made.
 *
 * RedisBloom writes numbers as its machine has them: little-endian.  Bit i is
 * bit i % 8 of byte i / 8.  With a = hash(key, a constant) and b = hash(key,
 * a) bit number i is
 *
 *		(a + i * b) mod m
 *
 * A link is as full as RedisBloom makes it when it holds the keys for which
 * it was made.  RedisBloom then adds another; filters here never get a
 * further one.
 *
 * References: src/sb.c, src/rebloom.c and deps/bloom/bloom.c of
 * https://github.com/RedisBloom/RedisBloom
 */
#include "core/blocked.h"
#include "core/bytes.h"
#include "interchange/external_bits.h"
#include "interchange/external_formats.h"
#include "interchange/external_sizing.h"
#include "interchange/murmur.h"

#define HEADER_BYTES			20
#define LINK_BYTES			53

#define OPTION_NOROUND		0x01
#define OPTION_ENTS_IS_BITS	0x02
#define OPTION_FORCE64		0x04
#define OPTION_NO_SCALING	0x08
#define KNOWN_OPTIONS \
	(OPTION_NOROUND | OPTION_ENTS_IS_BITS | OPTION_FORCE64 | OPTION_NO_SCALING)

/* What BF.RESERVE sets, and takes. */
#define NEW_OPTIONS			(OPTION_NOROUND | OPTION_FORCE64)
#define NEW_GROWTH			2
#define MAX_CAPACITY		((uint64_t) 1 << 30)
#define MAX_FPP				0.25

/*
 * Each link has half the rate of the one before; the first, half of the
 * requested one.
 */
#define TIGHTENING			0.5

/* RedisBloom's ln 2, by which it computes, and checks, the probes. */
#define REDIS_LN2			0.693147180559945

#define SEED_64				UINT64_C(0xC6A4A7935BD1E995)
#define SEED_32				UINT32_C(0x9747B28C)
#define HASH_OF_32_BITS		32

/* BF.SCANDUMP and BF.LOADCHUNK take no more at once. */
#define MAX_CHUNK			((size_t) 1 << 24)

static uint64_t
redis_index(const uint64_t *hash, uint32_t i, const BbfExternalLink *link)
{
	return bbf_modulo(hash[0] + i * hash[1], link);
}

/*
 * The number of probes for a number of bits per key; false if there is none.
 */
static bool
probes_of(double bits_per_key, uint32_t *nprobes)
{
	double		probes = REDIS_LN2 * bits_per_key;

	if (!(probes > -1.0 && probes <= BBF_EXTERNAL_MAX_PROBES))
		return false;
	*nprobes = probes > 0.0 ? (uint32_t) bbf_round_up(probes) : 0;
	return true;
}

static const char *
redis_size(uint64_t capacity, double fpp, BbfExternalMeta *meta)
{
	BbfExternalLink *link = &meta->links[0];
	double		wanted;

	if (capacity > MAX_CAPACITY)
		return "RedisBloom takes a capacity of at most 2^30.";
	link->fpp = (fpp < MAX_FPP ? fpp : MAX_FPP) * TIGHTENING;
	if (!(link->fpp > 0.0))
		return "The false-positive rate is too low.";
	link->bits_per_key = bbf_redis_bits_per_key(link->fpp);
	wanted = (double) capacity * link->bits_per_key;
	if (wanted > (double) (BBF_MAX_BYTES * 8))
		return BBF_EXTERNAL_TOO_LARGE;
	if (!probes_of(link->bits_per_key, &link->nprobes))
		return "The false-positive rate is too low.";

	/* at least one bit, in whole words */
	link->nbytes = (size_t) (((uint64_t) wanted + 63) / 64 * 8);
	if (link->nbytes == 0)
		link->nbytes = 8;
	link->nbits = link->nstored = (uint64_t) link->nbytes * 8;
	link->offset = HEADER_BYTES + LINK_BYTES;
	link->capacity = capacity;
	meta->options = NEW_OPTIONS;
	meta->growth = NEW_GROWTH;
	meta->nlinks = 1;
	meta->length = link->offset + link->nbytes;
	return NULL;
}

static void
redis_find_header(size_t length, BbfExternalSlice *header)
{
	header->length = length < BBF_EXTERNAL_MAX_HEADER ? length : BBF_EXTERNAL_MAX_HEADER;
}

/* All but the offset of the bits. */
static const char *
read_link(const unsigned char *record, BbfExternalLink *link)
{
	uint64_t	nbytes = bbf_get64(record);
	uint64_t	nbits = bbf_get64(record + 8);
	unsigned	log2_modulus = record[52];
	uint32_t	nprobes;

	link->nkeys = bbf_get64(record + 16);
	link->fpp = bbf_getdouble(record + 24);
	link->bits_per_key = bbf_getdouble(record + 32);
	link->nprobes = bbf_get32(record + 40);
	link->capacity = bbf_get64(record + 44);
	if (nbytes == 0)
		return "A link has no bits.";
	if (nbytes > BBF_MAX_BYTES)
		return "It is longer than 512 MB.";
	if (nbits != nbytes * 8 && (nbits != 0 || log2_modulus == 0))
		return "The numbers of bits and of bytes of a link do not match.";
	if (!(link->fpp > 0.0 && link->fpp < 1.0))
		return "The error rate of a link is not between 0 and 1.";
	if (!probes_of(link->bits_per_key, &nprobes) || nprobes != link->nprobes)
		return "The number of probes of a link does not match its bits per key.";
	if (log2_modulus > 0)
	{
		if (log2_modulus > 63 || (uint64_t) 1 << log2_modulus > nbytes * 8)
			return "The modulus of a link is larger than its number of bits.";
		nbits = (uint64_t) 1 << log2_modulus;
	}
	link->nbits = link->nstored = link->nprobed = nbits;
	link->nbytes = (size_t) nbytes;
	return NULL;
}

static const char *
redis_read(const unsigned char *header, size_t length, BbfExternalMeta *meta)
{
	uint32_t	nlinks;
	uint64_t	nkeys = 0;

	if (length < HEADER_BYTES)
		return "It is shorter than the head of 20 bytes.";
	nlinks = bbf_get32(header + 8);
	meta->options = bbf_get32(header + 12);
	meta->growth = bbf_get32(header + 16);
	if (nlinks == 0)
		return "The number of links is zero.";
	if (nlinks > BBF_EXTERNAL_MAX_LINKS)
		return "It has more than 64 links.";
	if (length < HEADER_BYTES + (size_t) nlinks * LINK_BYTES)
		return "It is shorter than the records of its links.";
	if ((meta->options & ~(uint32_t) KNOWN_OPTIONS) != 0)
		return "An unknown option is set.";
	meta->seed = (meta->options & OPTION_FORCE64) != 0 ? 0 : HASH_OF_32_BITS;
	meta->nlinks = nlinks;
	meta->length = HEADER_BYTES + (size_t) nlinks * LINK_BYTES;
	for (uint32_t i = 0; i < nlinks; i++)
	{
		BbfExternalLink *link = &meta->links[i];
		const char *reason = read_link(header + HEADER_BYTES + i * LINK_BYTES, link);

		if (reason != NULL)
			return reason;
		if (link->nbytes > length - meta->length)
			return "It is shorter than the bits of its links.";
		link->offset = meta->length;
		meta->length += link->nbytes;
		if (link->nkeys > UINT64_MAX - nkeys)
			return "The numbers of keys of the links have no sum.";
		nkeys += link->nkeys;
	}
	if (meta->length != length)
		return "It is longer than the bits of its links.";
	if (nkeys != bbf_get64(header))
		return "The number of keys is not the sum of those of the links.";
	return NULL;
}

static void
put_keys(const BbfExternalMeta *meta, unsigned char *bytes)
{
	uint64_t	nkeys = 0;

	for (unsigned i = 0; i < meta->nlinks; i++)
	{
		nkeys += meta->links[i].nkeys;
		bbf_put64(bytes + HEADER_BYTES + i * LINK_BYTES + 16, meta->links[i].nkeys);
	}
	bbf_put64(bytes, nkeys);
}

/* Of a new filter, which has one link. */
static void
redis_write(const BbfExternalMeta *meta, unsigned char *bytes)
{
	const BbfExternalLink *link = &meta->links[0];
	unsigned char *record = bytes + HEADER_BYTES;

	bbf_put32(bytes + 8, meta->nlinks);
	bbf_put32(bytes + 12, meta->options);
	bbf_put32(bytes + 16, meta->growth);
	bbf_put64(record, link->nbytes);
	bbf_put64(record + 8, link->nbits);
	bbf_putdouble(record + 24, link->fpp);
	bbf_putdouble(record + 32, link->bits_per_key);
	bbf_put32(record + 40, link->nprobes);
	bbf_put64(record + 44, link->capacity);
	put_keys(meta, bytes);
}

static const char *
redis_set_keys(BbfExternalMeta *meta, unsigned char *bytes, uint64_t nkeys)
{
	if (nkeys > meta->links[0].capacity)
		return "It has more keys than it was made for.";
	meta->links[0].nkeys = nkeys;
	put_keys(meta, bytes);
	return NULL;
}

static void
redis_hash(uint32_t seed, const void *key, size_t length, BbfPause pause,
		   uint64_t *hash)
{
	if (seed == HASH_OF_32_BITS)
	{
		uint32_t	a = bbf_murmur2_32(key, length, SEED_32, pause);

		hash[0] = a;
		hash[1] = bbf_murmur2_32(key, length, a, pause);
	}
	else
	{
		hash[0] = bbf_murmur2_64(key, length, SEED_64, pause);
		hash[1] = bbf_murmur2_64(key, length, hash[0], pause);
	}
}

static bool
redis_contains(const BbfExternalMeta *meta, const unsigned char *bytes,
			   const uint64_t *hash)
{
	for (unsigned i = 0; i < meta->nlinks; i++)
	{
		if (bbf_bits_contain(&meta->links[i], bytes, BBF_BYTES_IN_ORDER,
							 redis_index, hash))
			return true;
	}
	return false;
}

/* As RedisBloom does, a key that is found is not added, nor counted. */
static const char *
redis_add(BbfExternalMeta *meta, unsigned char *bytes, const uint64_t *hash)
{
	BbfExternalLink *last = &meta->links[meta->nlinks - 1];

	if (redis_contains(meta, bytes, hash))
		return NULL;
	if (last->nkeys >= last->capacity || bbf_get64(bytes) == UINT64_MAX)
		return "It holds as many keys as it was made for.";
	bbf_bits_add(last, bytes, BBF_BYTES_IN_ORDER, redis_index, hash);
	last->nkeys++;
	put_keys(meta, bytes);
	return NULL;
}

static void
redis_add_many(const BbfExternalMeta *meta, unsigned char *bytes,
			   const uint64_t *hashes, size_t n)
{
	bbf_bits_add_many(&meta->links[0], bytes, BBF_BYTES_IN_ORDER, redis_index,
					  hashes, 2, n);
}

static void
redis_find_slice(const BbfExternalMeta *meta, const BbfExternalLink *link,
				 const uint64_t *hash, uint32_t i, BbfExternalSlice *slice)
{
	(void) meta;
	bbf_bits_find_slice(link, BBF_BYTES_IN_ORDER, redis_index, hash, i, slice);
}

static const char *
redis_union_refusal(const BbfExternalMeta *a, const BbfExternalMeta *b)
{
	(void) a;
	(void) b;
	return "RedisBloom does not unite filters.";
}

/* The number of keys is known. */
static void
redis_estimate(const BbfExternalLink *link, const unsigned char *bytes,
			   uint64_t nset, BbfPause pause, double *keys,
			   double *fpp)
{
	bbf_bits_estimate(link, bytes, nset, pause, keys, fpp);
	*keys = (double) link->nkeys;
}

/*
 * The header has the iterator 1.  No part goes across links; the iterator of
 * one that ends at offset n of all bits is n + 1.
 */
static bool
redis_chunk(const BbfExternalMeta *meta, uint64_t i, BbfExternalSlice *chunk,
			uint64_t *iterator)
{
	size_t		header_bytes = meta->links[0].offset;

	chunk->mask = 0;
	if (i == 0)
	{
		chunk->offset = 0;
		chunk->length = header_bytes;
		*iterator = 1;
		return true;
	}
	i--;
	for (unsigned link = 0; link < meta->nlinks; link++)
	{
		size_t		nbytes = meta->links[link].nbytes;
		uint64_t	nchunks = (nbytes + MAX_CHUNK - 1) / MAX_CHUNK;

		if (i < nchunks)
		{
			size_t		start = (size_t) i * MAX_CHUNK;

			chunk->offset = meta->links[link].offset + start;
			chunk->length = nbytes - start < MAX_CHUNK ? nbytes - start : MAX_CHUNK;
			*iterator = chunk->offset + chunk->length - header_bytes + 1;
			return true;
		}
		i -= nchunks;
	}
	return false;
}

const BbfExternalFormat bbf_external_redis[1] = {
	{
		.name = "redis",
		.keys = BBF_EXTERNAL_BYTES,
		.hash_words = 2,
		.parameter = BBF_EXTERNAL_FPP,
		.set_keys = redis_set_keys,
		.chunk = redis_chunk,
		.size = redis_size,
		.find_header = redis_find_header,
		.read = redis_read,
		.write = redis_write,
		.hash = redis_hash,
		.contains = redis_contains,
		.add = redis_add,
		.add_many = redis_add_many,
		.find_slice = redis_find_slice,
		.test_slice = bbf_bits_test_slice,
		.union_refusal = redis_union_refusal,
		.estimate = redis_estimate
	}
};
