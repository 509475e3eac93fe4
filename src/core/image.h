/*
 * image.h
 *	  The bytes of a stored filter: layout, reading, writing, validation.
 *
 * An image is the same on disk, on the wire and on every machine.  FORMAT.md
 * describes it with worked examples; the constants below, FORMAT.md and the
 * golden test change together or not at all.
 *
 *		offset
 *			0	header (60 bytes)
 *		   60	either	a list: up to 128 hashes, 8 bytes each, ascending
 *				or		layers: a record of 64 bytes each, then the bins
 *						of the first layer, of the second, ...
 *				or		nothing, when there are no keys
 *
 * A Bloom filter may have any of these; counting_bloom and cuckoo do not have
 * a list, and have one layer at most (see the traits in kind.h).  Header and
 * records together are the metadata: all that is known about a filter without
 * its keys.
 *
 * All integers are little-endian.  Together with the server's length word of
 * four bytes the bins start at a multiple of 64.
 *
 * An image is never cast to a struct: it may lie at any address, and it may
 * come from anyone.  Its metadata are read into a BbfMeta, and filter.h says
 * where its keys are.
 */
#ifndef BBF_IMAGE_H
#define BBF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/blocked.h"
#include "core/bytes.h"
#include "core/estimate.h"
#include "core/kind.h"
#include "core/pause.h"

#define BBF_HEADER_BYTES		60
#define BBF_LAYER_RECORD_BYTES			64

/* Where the bins begin in the image of a filter with one layer. */
#define BBF_FIRST_BINS			(BBF_HEADER_BYTES + BBF_LAYER_RECORD_BYTES)

#define BBF_FORMAT_VERSION		1
#define BBF_HASH_SCHEME			1	/* XXH3 of canonical bytes, seed 0 */

/*
 * 128 hashes are 1 KB: they stay in the row.  A probe of a full list takes
 * three times as long as a probe of a block.
 */
#define BBF_MAX_LIST			128

/*
 * Up to here, comparing all hashes of a list is faster than finding the place.
 */
#define BBF_SHORT_LIST			16

/*
 * Most filters have one; 64 doublings pass the limit on bytes from any size.
 */
#define BBF_MAX_LAYERS			64

/* A larger growth factor would be a mistake; this one fits its byte. */
#define BBF_MAX_GROWTH			100

#define BBF_MAX_META_BYTES \
	(BBF_HEADER_BYTES + BBF_MAX_LAYERS * BBF_LAYER_RECORD_BYTES)

/* The growth of filters for which none is given. */
#define BBF_DEFAULT_GROWTH		2

/* The result of an intersection: its bits do not show how many keys it has. */
#define BBF_FLAG_INTERSECTION		0x0001
#define BBF_KNOWN_FLAGS			BBF_FLAG_INTERSECTION

/* The metadata of an image. */
typedef struct BbfMeta
{
	BbfKind		kind;
	int			growth;
	unsigned	flags;
	unsigned	family;			/* BbfFamily */
	uint32_t	subtype;		/* of the family; see family.h */
	uint64_t	capacity;		/* as requested */
	double		fpp;			/* as requested */
	unsigned	nlist;			/* hashes in the list; 0 where there are
								 * layers */
	unsigned	nlayers;
	size_t		length;			/* of the whole image */
	BbfLayer	layers[BBF_MAX_LAYERS];
} BbfMeta;

/*
 * Read the metadata of an image of some kind, or of BBF_KIND_ANY, of which the
 * first available bytes are at hand (BBF_MAX_META_BYTES always suffice), and
 * which is length bytes long.  Returns NULL, or why it is not such an image: a
 * sentence.
 *
 * What passes is safe to read and to write within its length, whatever the
 * rest holds.  Does not allocate; does not read beyond available.
 */
extern const char *bbf_meta_read(const unsigned char *bytes, size_t available,
								 size_t length, BbfKind kind, BbfMeta *meta);

/*
 * The same for the header and the layer records alone, whatever follows them:
 * the length is that of the image that they belong to.
 */
extern const char *bbf_meta_read_records(const unsigned char *bytes, size_t available,
										 BbfKind kind, BbfMeta *meta);

/*
 * Validate an image from outside: all that bbf_meta_read checks, and that the
 * list ascends and the bins are what the records say.
 */
extern const char *bbf_image_validate(const unsigned char *bytes, size_t length,
									  BbfKind kind, BbfMeta *meta, BbfPause pause);

/*
 * Set the metadata of an image without keys.  Callers have checked the
 * parameters: capacity 1 .. 2^63 - 1, fpp between 0 and 1, growth 0 .. 100.
 */
extern void bbf_meta_init(BbfMeta *meta, BbfKind kind, uint64_t capacity,
						  double fpp, int growth);

/* Forget all keys. */
extern void bbf_meta_clear(BbfMeta *meta);

/*
 * Set capacity, fpp, growth and flags of the union of two filters of type
 * bloom, one of which may be the result: the larger capacity and fpp, and the
 * smaller growth that is not 0.  Those of a side without keys are ignored,
 * except for a larger capacity if a layer for it stays within the limit.
 */
extern void bbf_meta_unite_parameters(BbfMeta *result, const BbfMeta *a,
									  const BbfMeta *b);

/* capacity * growth, or the largest capacity there is; growth 0 gives 0. */
extern uint64_t bbf_saturating_product(uint64_t capacity, int growth);

/*
 * Capacity of the first layer of a filter with these parameters: of bloom
 * max(capacity, 128 * max(growth, 1)), since a layer that held less than the
 * list before it would be full at once; of counting_bloom max(capacity, 256),
 * the geometry of bloom with growth 2; of cuckoo the capacity.
 */
extern uint64_t bbf_first_capacity(BbfKind kind, uint64_t capacity, int growth);

/*
 * Compute the length of the image from the counts of keys and layers; returns
 * it.
 */
extern size_t bbf_meta_lay_out(BbfMeta *meta);

/*
 * Where in the image the bins begin, those of the first layer: for who writes
 * an image.  Of a filter with one layer that is BBF_FIRST_BINS.
 */
static inline size_t
bbf_bins_start(const BbfMeta *meta)
{
	return BBF_HEADER_BYTES + (size_t) meta->nlist * 8 +
		(size_t) meta->nlayers * BBF_LAYER_RECORD_BYTES;
}

/* Write header and layer records, not the list and not the bins. */
extern void bbf_meta_write(const BbfMeta *meta, unsigned char *bytes);

/* Has any key been added?  If not, the key family is not set. */
static inline bool
bbf_meta_has_keys(const BbfMeta *meta)
{
	return meta->nlist > 0 || meta->nlayers > 0;
}

/*
 * Estimate the keys of each layer into layers[] (room for BBF_MAX_LAYERS),
 * with bbf_estimate_added().  Returns false if they do not give the number of
 * keys: hardly a bit of a layer is unset, more than half the keys that came to
 * one were not added to it, or a union has merged some.
 */
extern bool bbf_meta_layer_keys(const BbfMeta *meta, BbfLayerKeys *layers);

/*
 * Number of keys: exact for a list and for fingerprints, else estimated, with
 * keys in several layers of a union counted several times.  Meaningless for
 * the result of an intersection.
 */
extern double bbf_meta_keys(const BbfMeta *meta);

/*
 * Is that about their number?  If not, it is a lower bound, or layers were
 * merged.
 */
extern bool bbf_meta_can_estimate_keys(const BbfMeta *meta);

/*
 * False-positive rate at the present number of keys, 0 .. 1: over the layers
 * 1 - (1 - p1)(1 - p2)..., 0 for a list.
 */
extern double bbf_meta_fpp(const BbfMeta *meta);

/*
 * Has a layer more keys than it was made for?  Its rate is above its fpp then.
 */
extern bool bbf_meta_is_saturated(const BbfMeta *meta);

/* The list of an image: hashes of 8 bytes. */
static inline const unsigned char *
bbf_image_list(const unsigned char *bytes)
{
	return bytes + BBF_HEADER_BYTES;
}

/* Hash number i of a list. */
static inline uint64_t
bbf_list_get(const unsigned char *list, unsigned i)
{
	return bbf_get64(list + (size_t) i * 8);
}

/* Set hash number i of a list. */
static inline void
bbf_list_put(unsigned char *list, unsigned i, uint64_t hash)
{
	bbf_put64(list + (size_t) i * 8, hash);
}

#endif							/* BBF_IMAGE_H */
