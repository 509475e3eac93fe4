/*
 * external_go.c
 *	  Filters of the Go library bits-and-blooms/bloom: WriteTo, MarshalBinary.
 *
 *		offset
 *			0	m, the number of bits
 *			8	k, the number of probes
 *		   16	length of the bitset in bits; m where the library made it
 *		   24	words of 64 bits; bit i is bit i % 64 of word i / 64
 *
 * All are big-endian, of eight bytes.  With h1 and h2 the words of
 * MurmurHash3 of a key, and h3 and h4 those of the key followed by a byte 1,
 * bit number i is
 *
 *		(h1 or h2 + i * (h3 or h4)) mod m		h1 of even i, else h2;
 *												h3, h4, h4, h3 of i mod 4
 *
 * The library's reader takes a bitset of any length: bits beyond are unset.
 *
 * Reference: bloom.go and murmur.go of
 * https://github.com/bits-and-blooms/bloom
 */
#include "core/blocked.h"
#include "interchange/external_bits.h"
#include "interchange/external_formats.h"
#include "interchange/external_sizing.h"
#include "interchange/murmur.h"

#define HEADER_BYTES		24

static uint64_t
go_index(const uint64_t *hash, uint32_t i, const BbfExternalLink *link)
{
	return bbf_modulo(hash[i & 1] + i * hash[2 + ((i + (i & 1)) & 3) / 2], link);
}

static void
lay_out(BbfExternalMeta *meta, uint64_t nbits, uint32_t nprobes, uint64_t nstored)
{
	BbfExternalLink *link = &meta->links[0];

	meta->nlinks = 1;
	link->nprobes = nprobes;
	link->nbits = nbits;
	link->nstored = nstored;
	link->offset = HEADER_BYTES;
	link->nbytes = (size_t) ((nstored + 63) / 64 * 8);
	meta->length = HEADER_BYTES + link->nbytes;
}

static const char *
go_size(uint64_t capacity, double fpp, BbfExternalMeta *meta)
{
	double		wanted = bbf_classic_bits(capacity, fpp);
	uint64_t	nbits;

	if (wanted > (double) (BBF_MAX_BYTES * 8))
		return BBF_EXTERNAL_TOO_LARGE;
	nbits = bbf_round_up(wanted);
	lay_out(meta, nbits,
			(uint32_t) bbf_round_up(bbf_go_probes((double) nbits, capacity)), nbits);
	return NULL;
}

static void
go_find_header(size_t length, BbfExternalSlice *header)
{
	header->length = length < HEADER_BYTES ? length : HEADER_BYTES;
}

static const char *
go_read(const unsigned char *header, size_t length, BbfExternalMeta *meta)
{
	uint64_t	nbits;
	uint64_t	nprobes;
	uint64_t	nstored;

	if (length < HEADER_BYTES)
		return "It is shorter than the head of 24 bytes.";
	nbits = bbf_get64_be(header);
	nprobes = bbf_get64_be(header + 8);
	nstored = bbf_get64_be(header + 16);
	if (nbits == 0)
		return "The number of bits is zero.";
	if (nprobes > BBF_EXTERNAL_MAX_PROBES)
		return "It has more than 65535 probes.";
	if (nstored > BBF_MAX_BYTES * 8)
		return "The bitset is longer than 512 MB.";
	if (length - HEADER_BYTES != (nstored + 63) / 64 * 8)
		return "Its length does not match that of the bitset.";
	lay_out(meta, nbits, (uint32_t) nprobes, nstored);
	if (nstored < nbits)
		meta->fixed = "The bitset is shorter than the number of bits.";
	return NULL;
}

static void
go_write(const BbfExternalMeta *meta, unsigned char *bytes)
{
	const BbfExternalLink *link = &meta->links[0];

	bbf_put64_be(bytes, link->nbits);
	bbf_put64_be(bytes + 8, link->nprobes);
	bbf_put64_be(bytes + 16, link->nstored);
}

static void
go_hash(uint32_t seed, const void *key, size_t length, BbfPause pause,
		uint64_t *hash)
{
	(void) seed;
	bbf_murmur3_128_twice(key, length, pause, hash);
}

static bool
go_contains(const BbfExternalMeta *meta, const unsigned char *bytes,
			const uint64_t *hash)
{
	return bbf_bits_contain(&meta->links[0], bytes, BBF_BIG_ENDIAN_WORDS,
							go_index, hash);
}

static const char *
go_add(BbfExternalMeta *meta, unsigned char *bytes, const uint64_t *hash)
{
	bbf_bits_add(&meta->links[0], bytes, BBF_BIG_ENDIAN_WORDS, go_index, hash);
	return NULL;
}

static void
go_add_many(const BbfExternalMeta *meta, unsigned char *bytes,
			const uint64_t *hashes, size_t n)
{
	bbf_bits_add_many(&meta->links[0], bytes, BBF_BIG_ENDIAN_WORDS, go_index,
					  hashes, 4, n);
}

static void
go_find_slice(const BbfExternalMeta *meta, const BbfExternalLink *link,
			  const uint64_t *hash, uint32_t i, BbfExternalSlice *slice)
{
	(void) meta;
	bbf_bits_find_slice(link, BBF_BIG_ENDIAN_WORDS, go_index, hash, i, slice);
}

const BbfExternalFormat bbf_external_go[1] = {
	{
		.name = "go",
		.keys = BBF_EXTERNAL_BYTES,
		.hash_words = 4,
		.parameter = BBF_EXTERNAL_FPP,
		.big_endian = true,
		.size = go_size,
		.find_header = go_find_header,
		.read = go_read,
		.write = go_write,
		.hash = go_hash,
		.contains = go_contains,
		.add = go_add,
		.add_many = go_add_many,
		.find_slice = go_find_slice,
		.test_slice = bbf_bits_test_slice,
		.estimate = bbf_bits_estimate
	}
};
