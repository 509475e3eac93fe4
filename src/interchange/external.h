/*
 * external.h
 *	  Bloom filters of other systems, in the bytes that these write and read.
 *
 * A format is a row of a table: the name, how a key becomes the bytes that
 * are hashed, how a filter is sized, and what its bytes are.  A filter is
 * used by way of its metadata (BbfExternalMeta), which are read from its
 * header, or come from bbf_external_size for a new one:
 *
 *		size -> write the header of zeroed bytes -> add
 *		read the header -> hash a key -> contains, add, probe, unite, ...
 *
 * The hash of a key does not depend on the size of the filter, so an aggregate
 * may gather hashes, size a filter by their number, and add them in any order:
 * the bytes do not depend on it.
 *
 * Functions return NULL, or a reason: a sentence why something cannot be.
 * Nothing is allocated.
 *
 * What passes bbf_external_read is safe to probe and to change within its
 * length, whatever the rest holds.  Odd bytes for which a system's own reader
 * has a defined answer have the same answer here; others have a reason.
 *
 * Limits: 512 MB and 64 links a filter, and 65,535 probes; of filters that
 * are made here, BBF_EXTERNAL_MAX_MADE bytes.
 */
#ifndef BBF_EXTERNAL_H
#define BBF_EXTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/layer.h"
#include "core/pause.h"

/*
 * How keys become bytes.  The numbers of a format are all of one width, since
 * a key has other bytes, and so another hash, in every other width.
 */
typedef enum BbfExternalKey
{
	BBF_EXTERNAL_BYTES = 1 << 0,	/* bytes; text in UTF-8 */
	BBF_EXTERNAL_UUID = 1 << 1, /* 16 bytes, in the order they are printed */
	BBF_EXTERNAL_UTF16 = 1 << 2,	/* text as by bbf_external_utf16 */
	BBF_EXTERNAL_INT32 = 1 << 3,	/* 4 bytes, little-endian, as all below */
	BBF_EXTERNAL_INT64 = 1 << 4,	/* 8 bytes */
	BBF_EXTERNAL_FLOAT = 1 << 5,	/* 4 bytes, IEEE 754 */
	BBF_EXTERNAL_DOUBLE = 1 << 6,	/* 8 bytes, IEEE 754 */
	BBF_EXTERNAL_DATE = 1 << 7, /* 4 bytes: days since 1970 */
	BBF_EXTERNAL_MICROS = 1 << 8,	/* 8 bytes: microseconds since 1970 */
	BBF_EXTERNAL_MILLIS = 1 << 9	/* 8 bytes: milliseconds since 1970 */
} BbfExternalKey;

/* What bbf_external_size takes as its parameter. */
typedef enum BbfExternalParameter
{
	BBF_EXTERNAL_FPP,			/* false-positive rate, between 0 and 1 */
	BBF_EXTERNAL_BITS_PER_KEY	/* a whole number */
} BbfExternalParameter;

/* Bytes of the longest header: that of a RedisBloom filter with 64 links. */
#define BBF_EXTERNAL_MAX_HEADER	(20 + 53 * BBF_EXTERNAL_MAX_LINKS)

/*
 * Bytes of the largest filter that is made here, with its header.  PostgreSQL
 * prints a bytea as two digits for each byte, in at most 1 GB; this leaves
 * 128 kB for the other columns of its row.  What other systems made may be
 * longer.
 */
#define BBF_EXTERNAL_MAX_MADE	((size_t) (BBF_MAX_BYTES - 65536))

/* Words of the longest hash. */
#define BBF_EXTERNAL_MAX_HASH	4

/* Filters that grow by a factor of two or more reach any size with these. */
#define BBF_EXTERNAL_MAX_LINKS	64

/*
 * No system makes more than 1,076 probes for a rate that a double can hold;
 * some let their users choose the number.  This many take less than a
 * millisecond.
 */
#define BBF_EXTERNAL_MAX_PROBES	65535

/* Bytes of a filter that are to be read. */
typedef struct BbfExternalSlice
{
	size_t		offset;			/* from the start of the filter */
	size_t		length;			/* 0: nothing, since no bit is there */
	unsigned char mask;			/* the bit that counts, where it is one byte */
} BbfExternalSlice;

/*
 * One array of bits.  A key that has all its bits set in one of the links is
 * in the filter.  Only RedisBloom has more than one.
 */
typedef struct BbfExternalLink
{
	uint64_t	nbits;			/* probes are modulo this; at least 1 */
	uint64_t	nprobed;		/* of these, the first ones that a probe may
								 * look at: all, or those that a number of 31
								 * bits can reach */
	uint64_t	reciprocal;		/* (2^64 - 1) / nbits, for bbf_modulo */
	uint64_t	nstored;		/* bits that are stored; the others are unset */
	uint32_t	nprobes;		/* 0: every key is found */
	size_t		offset;			/* of the bits from the start of the filter */
	size_t		nbytes;			/* of the bits */

	/* of RedisBloom only */
	uint64_t	capacity;		/* keys for which it was made */
	uint64_t	nkeys;			/* keys that were added */
	double		fpp;			/* for which it was made */
	double		bits_per_key;
} BbfExternalLink;

/* What is known of a filter without its bits. */
typedef struct BbfExternalMeta
{
	size_t		length;			/* of the whole filter */
	int			variant;		/* of the index function: Guava's strategy */
	uint32_t	seed;			/* of the hash function: Spark's seed, or 32
								 * for RedisBloom's 32-bit hashes */
	uint32_t	options;		/* of RedisBloom only */
	uint32_t	growth;			/* likewise */
	const char *fixed;			/* why no key can be added, or NULL */
	unsigned	nlinks;			/* 0: no key is found */
	BbfExternalLink links[BBF_EXTERNAL_MAX_LINKS];
} BbfExternalMeta;

typedef struct BbfExternalFormat
{
	const char *name;
	unsigned	keys;			/* the BbfExternalKeys it takes, or-ed */
	int			hash_words;		/* of a hash: 1 .. BBF_EXTERNAL_MAX_HASH */
	BbfExternalParameter parameter;

	/* Is a probe one slice with all bits of the key, and not one for each? */
	bool		one_slice;

	/* Are the bits in words that are big-endian, and not in bytes in order? */
	bool		big_endian;

	/*
	 * Set the number of keys of a filter that comes from bbf_external_size
	 * and bbf_external_add_many, where the header has it; NULL where it does
	 * not. An aggregate must count the distinct hashes for that.
	 */
	const char *(*set_keys) (BbfExternalMeta *meta, unsigned char *bytes,
							 uint64_t nkeys);

	/*
	 * The parts in which the system takes a filter, a slice with its iterator
	 * each, for i = 0, 1, ... until false is returned.  NULL if it takes the
	 * whole.
	 */
	bool		(*chunk) (const BbfExternalMeta *meta, uint64_t i,
						  BbfExternalSlice *chunk, uint64_t *iterator);

	/* The rest is called by way of the functions below, which say more. */
	const char *(*size) (uint64_t capacity, double parameter,
						 BbfExternalMeta *meta);
	void		(*find_header) (size_t length, BbfExternalSlice *header);
	const char *(*read) (const unsigned char *header, size_t length,
						 BbfExternalMeta *meta);
	void		(*write) (const BbfExternalMeta *meta, unsigned char *bytes);
	void		(*hash) (uint32_t seed, const void *key, size_t length,
						 BbfPause pause, uint64_t *hash);
	bool		(*contains) (const BbfExternalMeta *meta,
							 const unsigned char *bytes, const uint64_t *hash);
	const char *(*add) (BbfExternalMeta *meta, unsigned char *bytes,
						const uint64_t *hash);
	void		(*add_many) (const BbfExternalMeta *meta, unsigned char *bytes,
							 const uint64_t *hashes, size_t n);

	/* slice number i of a probe of a link, and whether its bits are set */
	void		(*find_slice) (const BbfExternalMeta *meta,
							   const BbfExternalLink *link,
							   const uint64_t *hash, uint32_t i,
							   BbfExternalSlice *slice);
	bool		(*test_slice) (const BbfExternalSlice *slice,
							   const unsigned char *bytes,
							   const uint64_t *hash);

	/*
	 * conditions on filters of the same bits and probes; NULL: there are none
	 */
	const char *(*union_refusal) (const BbfExternalMeta *a,
								  const BbfExternalMeta *b);

	/* estimated keys and rate of a link of which nset bits are set */
	void		(*estimate) (const BbfExternalLink *link,
							 const unsigned char *bytes, uint64_t nset,
							 BbfPause pause, double *keys, double *fpp);
} BbfExternalFormat;

/* All formats, in the order to list them in, and their number. */
extern const BbfExternalFormat *const bbf_external_formats[];
extern const int bbf_external_nformats;

/* The format of a name of length bytes; NULL if there is none. */
extern const BbfExternalFormat *bbf_external_by_name(const char *name, size_t length);

/* Is the parameter of a format's filters one that it takes? */
extern const char *bbf_external_parameter_refusal(const BbfExternalFormat *format,
												  double parameter);

/*
 * The metadata of a filter as the system's own constructor would make it for
 * capacity keys, of at most BBF_EXTERNAL_MAX_MADE bytes.  A capacity of 0
 * counts as 1 where the parameter is a rate.
 */
extern const char *bbf_external_size(const BbfExternalFormat *format,
									 uint64_t capacity, double parameter,
									 BbfExternalMeta *meta);

/* Write all but the bits of a filter to meta->length bytes that are zero. */
static inline void
bbf_external_write(const BbfExternalFormat *format, const BbfExternalMeta *meta,
				   unsigned char *bytes)
{
	format->write(meta, bytes);
}

/*
 * Where the header is of a filter of length bytes: all that shows the
 * metadata.
 */
static inline BbfExternalSlice
bbf_external_header(const BbfExternalFormat *format, size_t length)
{
	BbfExternalSlice header = {0, 0, 0};

	format->find_header(length, &header);
	return header;
}

/*
 * Read the metadata of a filter of length bytes, of which those of its header
 * are given.  There is nothing more to check in the rest of the bytes.
 */
extern const char *bbf_external_read(const BbfExternalFormat *format,
									 const unsigned char *header, size_t length,
									 BbfExternalMeta *meta);

/* The same, of the whole filter. */
static inline const char *
bbf_external_validate(const BbfExternalFormat *format,
					  const unsigned char *bytes, size_t length,
					  BbfExternalMeta *meta)
{
	return bbf_external_read(format,
							 bytes + bbf_external_header(format, length).offset,
							 length, meta);
}

/*
 * The hash of the bytes of a key, format->hash_words words, for filters with
 * this seed in their metadata.  That of bbf_external_size is always 0, and so
 * is that of nearly all others.  With seed 0, distinct keys have distinct
 * first words, as far as 64 bits go, whose upper bits are as good as any.
 */
static inline void
bbf_external_hash(const BbfExternalFormat *format, uint32_t seed,
				  const void *key, size_t length, uint64_t *hash)
{
	format->hash(seed, key, length, NULL, hash);
}

/* The same of a key of any length. */
static inline void
bbf_external_hash_long(const BbfExternalFormat *format, uint32_t seed,
					   const void *key, size_t length, BbfPause pause,
					   uint64_t *hash)
{
	format->hash(seed, key, length, pause, hash);
}

/* Is the key with this hash in a filter, as far as it can tell? */
static inline bool
bbf_external_contains(const BbfExternalFormat *format,
					  const BbfExternalMeta *meta, const unsigned char *bytes,
					  const uint64_t *hash)
{
	return format->contains(meta, bytes, hash);
}

/*
 * Add a key.  The reason not to is meta->fixed; or that a filter which counts
 * its keys is full, and the key not found in it.
 */
static inline const char *
bbf_external_add(const BbfExternalFormat *format, BbfExternalMeta *meta,
				 unsigned char *bytes, const uint64_t *hash)
{
	return meta->fixed != NULL ? meta->fixed : format->add(meta, bytes, hash);
}

/*
 * Add n keys to a filter that was made by bbf_external_size, from hashes that
 * follow each other, with prefetch.  Counts no keys.
 */
static inline void
bbf_external_add_many(const BbfExternalFormat *format,
					  const BbfExternalMeta *meta, unsigned char *bytes,
					  const uint64_t *hashes, size_t n)
{
	format->add_many(meta, bytes, hashes, n);
}

/*
 * A probe without the whole filter.  While needs_slice is set, read that
 * slice and go on; found then has the answer.  It reads no slice that cannot
 * matter any more, in a link one for each of its probes at most.
 */
typedef struct BbfExternalProbe
{
	bool		needs_slice;
	bool		found;
	BbfExternalSlice slice;
	unsigned	link;			/* in which the slice is */
	uint32_t	next;			/* number of the next slice in this link */
} BbfExternalProbe;

extern void bbf_external_probe_start(const BbfExternalFormat *format,
									 const BbfExternalMeta *meta,
									 const uint64_t *hash,
									 BbfExternalProbe *probe);

/* bytes has the slice. */
extern void bbf_external_probe_go_on(const BbfExternalFormat *format,
									 const BbfExternalMeta *meta,
									 const uint64_t *hash,
									 const unsigned char *bytes,
									 BbfExternalProbe *probe);

/* Can two filters be united, by the conditions of their system? */
extern const char *bbf_external_union_refusal(const BbfExternalFormat *format,
											  const BbfExternalMeta *a,
											  const BbfExternalMeta *b);

/*
 * Is it b into which the other of two filters is united?  It is the one that
 * stores more bits, since a reader takes those beyond as unset, even if they
 * are in the last of its bytes; where they store as many, the longer one;
 * else a.
 */
extern bool bbf_external_unites_into_second(const BbfExternalMeta *a,
											const BbfExternalMeta *b);

/*
 * Add the bits of another filter to those of one.  They can be united, in
 * this order; or both were made by the same call of bbf_external_size, for
 * parts of one aggregate, which works for every format.
 */
extern void bbf_external_unite(const BbfExternalMeta *meta, unsigned char *bytes,
							   const BbfExternalMeta *other,
							   const unsigned char *other_bytes,
							   BbfPause pause);

/* What is known of a filter. */
typedef struct BbfExternalInfo
{
	uint64_t	nbits;			/* of all links, as probes see them */
	uint32_t	nprobes;		/* of the last link */
	uint64_t	nset;			/* of the bits that a probe may look at */
	double		keys;			/* estimated, or exact where the header has it */
	double		fpp;			/* probability that an absent key is found */
} BbfExternalInfo;

/* Reads all bits. */
extern void bbf_external_info(const BbfExternalFormat *format,
							  const BbfExternalMeta *meta,
							  const unsigned char *bytes, BbfPause pause,
							  BbfExternalInfo *info);

/*
 * Text of length bytes in UTF-8 as UTF-16, little-endian, without a mark.
 * Returns the length of the result, for which out has room: at most twice that
 * of the text.  Bytes that are not UTF-8 become some units or other.
 */
extern size_t bbf_external_utf16(const unsigned char *text, size_t length,
								 unsigned char *out);

#endif							/* BBF_EXTERNAL_H */
