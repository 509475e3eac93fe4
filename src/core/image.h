/*
 * image.h
 *	  The bytes of a stored filter: layout, reader, writer, THE validator.
 *
 * An image is the same on disk, on the wire and on every machine.  FORMAT.md
 * describes it with worked examples; the constants below, FORMAT.md and the
 * golden test change together or not at all.
 *
 *		offset
 *			0	header (60 bytes)
 *		   60	either	a list: up to 128 hashes, 8 bytes each, ascending
 *				or		layers: a record of 64 bytes each, then the blocks
 *						of the first layer, of the second, ...
 *				or		nothing, when there are no keys
 *
 * A Bloom filter may have any of these.  Counting Bloom and cuckoo filters have
 * no list, one layer at most, and do not grow.
 *
 * All integers are little-endian.  Together with the server's length word of
 * four bytes the blocks start at a multiple of 64.
 *
 * An image is never cast to a struct: it may lie at any address, and it may
 * come from anyone.  It is read into a BbfImage, which holds offsets.
 */
#ifndef BBF_IMAGE_H
#define BBF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/blocked.h"
#include "core/bytes.h"
#include "core/counting.h"

#define BBF_HEADER_BYTES		60
#define BBF_LAYER_BYTES			64

#define BBF_FORMAT_VERSION		1
#define BBF_HASH_SCHEME			1	/* XXH3 of canonical bytes, seed 0 */

/*
 * 128 hashes are 1 KB: they stay in the row, and a probe (seven steps) costs
 * about what a block costs.
 */
#define BBF_MAX_LIST			128

/* Usually one; 64 doublings outgrow the limit on blocks from any size. */
#define BBF_MAX_LAYERS			64

/* Growth factors beyond this are mistakes; it fits its byte. */
#define BBF_MAX_GROWTH			100

#define BBF_MAX_HEAD_BYTES \
	(BBF_HEADER_BYTES + BBF_MAX_LAYERS * BBF_LAYER_BYTES)
#define BBF_MAX_IMAGE_BYTES \
	(BBF_MAX_HEAD_BYTES + (size_t) BBF_MAX_BLOCKS * BBF_BLOCK_BYTES)

/* What an image is of. */
typedef enum BbfKind
{
	BBF_KIND_BLOOM = 1,
	BBF_KIND_COUNTING_BLOOM = 2,
	BBF_KIND_CUCKOO = 3
} BbfKind;

/* The result of an intersection: its bits do not tell how many keys it has. */
#define BBF_FLAG_DERIVED		0x0001
#define BBF_KNOWN_FLAGS			BBF_FLAG_DERIVED

typedef struct BbfLayer
{
	uint32_t	nblocks;		/* of a cuckoo filter: buckets */
	int			nprobes;		/* of a cuckoo filter: bits of a fingerprint */
	uint64_t	capacity;		/* keys it was sized for */
	double		fpp;			/* at that many keys */
	uint64_t	full_at;		/* with more bits set, or counters above zero,
								 * it has more keys than its capacity; 0 for a
								 * cuckoo filter */
	uint64_t	nset;			/* exactly: bits set, counters above zero, or
								 * fingerprints */
	size_t		offset;			/* of its blocks from the start of the image */
} BbfLayer;

typedef struct BbfImage
{
	BbfKind		kind;
	int			growth;
	unsigned	flags;
	unsigned	family;			/* BbfFamily */
	uint32_t	signature;
	uint64_t	capacity;		/* as requested */
	double		fpp;			/* as requested */
	unsigned	nlist;			/* hashes in the list, or */
	unsigned	nlayers;		/* number of layers */
	size_t		length;			/* of the whole image */
	BbfLayer	layers[BBF_MAX_LAYERS];
} BbfImage;

/*
 * Read the header and layer records of an image of some kind, of which the
 * first available bytes are at hand (BBF_MAX_HEAD_BYTES always suffice), and
 * which is length bytes long.  Returns NULL, or why it is no such image: a
 * sentence.
 *
 * What passes is safe to read and to write within its length, whatever the
 * rest holds.  Allocates nothing; reads nothing beyond available.
 */
extern const char *bbf_image_read(const unsigned char *bytes, size_t available,
								  size_t length, BbfKind kind, BbfImage *image);

/*
 * The validator: all that bbf_image_read checks, and that the list ascends
 * and nset is as counted.  Every door goes through it.
 */
extern const char *bbf_image_validate(const unsigned char *bytes, size_t length,
									  BbfKind kind, BbfImage *image);

/* Bytes of a block of bits or of counters. */
static inline size_t
bbf_block_bytes(BbfKind kind)
{
	return kind == BBF_KIND_COUNTING_BLOOM ? BBF_COUNTERS_BYTES : BBF_BLOCK_BYTES;
}

/* Bytes of the blocks, or buckets, of a layer. */
extern size_t bbf_layer_bytes(BbfKind kind, const BbfLayer *layer);

/* An image without keys.  The parameters are valid. */
extern void bbf_image_init(BbfImage *image, BbfKind kind, uint64_t capacity,
						   double fpp, int growth);

/*
 * Compute layer offsets and the length from the counts; returns the length.
 */
extern size_t bbf_image_lay_out(BbfImage *image);

/* Write the header and the layer records (not the list, not the blocks). */
extern void bbf_image_write_head(const BbfImage *image, unsigned char *bytes);

/* Has any key been added?  Without one there is no key family. */
static inline bool
bbf_image_has_keys(const BbfImage *image)
{
	return image->nlist > 0 || image->nlayers > 0;
}

/* Hash number i of the list. */
static inline uint64_t
bbf_list_get(const unsigned char *bytes, unsigned i)
{
	return bbf_get64(bytes + BBF_HEADER_BYTES + (size_t) i * 8);
}

/* Where a hash is in the list of an image, or else where it belongs. */
extern unsigned bbf_list_find(const BbfImage *image, const unsigned char *bytes,
							  uint64_t hash, bool *found);

/* bbf_image_contains for an image with a list, or several layers. */
extern bool bbf_image_contains_general(const BbfImage *image,
									   const unsigned char *bytes,
									   uint64_t hash);

/* Is the key with this hash in a bloom image, as far as it can tell? */
static inline bool
bbf_image_contains(const BbfImage *image, const unsigned char *bytes,
				   uint64_t hash)
{
	const BbfLayer *layer = &image->layers[0];

	/* most often there is one layer */
	if (image->nlayers != 1)
		return bbf_image_contains_general(image, bytes, hash);
	return bbf_blocks_test(bytes + layer->offset, layer->nblocks,
						   layer->nprobes, hash);
}

/*
 * How many copies of a key a counting Bloom or cuckoo filter has at most, as far
 * as it can tell: up to 15, from where on a counter stands for more, or 8.
 */
extern int	bbf_image_count(const BbfImage *image, const unsigned char *bytes,
							uint64_t hash);

/* bbf_image_contains for an image of any kind. */
static inline bool
bbf_image_test(const BbfImage *image, const unsigned char *bytes, uint64_t hash)
{
	return image->kind == BBF_KIND_BLOOM ?
		bbf_image_contains(image, bytes, hash) :
		bbf_image_count(image, bytes, hash) > 0;
}

static inline bool
bbf_layer_is_full(const BbfLayer *layer)
{
	return layer->nset > layer->full_at;
}

#endif							/* BBF_IMAGE_H */
