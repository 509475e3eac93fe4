/*
 * kind.h
 *	  The kinds of filters, and a table of what each does in its own way.
 *
 * Code that differs by kind reads the traits of its routine and calls its
 * functions, as the server calls those of a table access method
 * (access/tableam.h).  Only probing tests for BBF_KIND_BLOOM itself, to
 * inline the probes of most filters (filter.h and filter/filter_reader.c).
 * The words that messages have for a kind are in filter/filter_kind.h.
 *
 * Functions of a routine are given a layer and its bins, and touch nothing
 * else.  Callers have checked the layer.
 */
#ifndef BBF_KIND_H
#define BBF_KIND_H

#include "core/layer.h"
#include "core/sizing.h"

/* These numbers stand in stored images and are frozen. */
typedef enum BbfKind
{
	BBF_KIND_ANY = 0,			/* of no image; where any will do */
	BBF_KIND_BLOOM = 1,
	BBF_KIND_COUNTING_BLOOM = 2,
	BBF_KIND_CUCKOO = 3
} BbfKind;

#define BBF_KIND_MAX	BBF_KIND_CUCKOO

/* A part of the bins that a probe must read. */
typedef struct BbfSpan
{
	size_t		offset;			/* from the start of the bins */
	size_t		length;
} BbfSpan;

#define BBF_MAX_SPANS	2

/*
 * What is true of some kinds only
 */

/* It can have a list of hashes instead of layers. */
#define BBF_TRAIT_LIST			0x0001

/*
 * It opens further layers when one is full.  They have the sizes of blocks of
 * bits (filter/open_filter.c).  Any other has growth 0 and one layer at most.
 */
#define BBF_TRAIT_GROWTH		0x0002

/*
 * It may be the result of an intersection.  A layer may then be without keys.
 * A layer of any other kind has at least one.
 */
#define BBF_TRAIT_INTERSECTION	0x0004

/*
 * A key is skipped if it seems present.  It is not where each copy counts, so
 * that it can be removed again.
 */
#define BBF_TRAIT_SKIPS_PRESENT	0x0008

/* An aggregate adds every copy of a key, instead of each key once. */
#define BBF_TRAIT_AGG_ADDS_COPIES	0x0010

/*
 * The layer is made for the capacity that was requested: its record repeats
 * capacity and fpp of the header.  Otherwise it may be larger.
 */
#define BBF_TRAIT_LAYER_REPEATS_HEADER	0x0020

/*
 * key_bits is the number of bits that a probe reads.  Otherwise a probe does
 * not depend on it.
 */
#define BBF_TRAIT_KEY_BITS_ARE_PROBES	0x0040

/*
 * The rate of a layer for 10,000 keys or more is about the one that was
 * requested.  Otherwise it may be less than half of that.
 */
#define BBF_TRAIT_MEETS_FPP		0x0080

/* The probe of a single layer is inlined where it is called. */
#define BBF_TRAIT_INLINED		0x0100

typedef struct BbfKindRoutine
{
	BbfKind		kind;
	const char *name;			/* of the SQL type, and what its functions
								 * begin with */

	unsigned	traits;			/* BBF_TRAIT_... */

	/* Why a header that claims a trait is refused: a sentence. */
	const char *header_reason;

	/*
	 * The highest count, at which a key has that number of copies or more; 0:
	 * every count is the number of copies.
	 */
	int			saturated_count;

	/* Bytes of a layer for each key, at a rate of 1 %; for estimates. */
	double		bytes_per_key;

	/* The largest nset of one bin: 512 bits or counters, or 4 fingerprints. */
	unsigned	max_bin_nset;

	/*
	 * Bits of a bin, and bits more for each of key_bits: bbf_bin_bits(). Bins
	 * are packed, and filled up to eight bytes.
	 */
	unsigned	fixed_bits;
	unsigned	bits_per_key_bit;

	/*
	 * The smallest layer for capacity keys, 1 .. 2^63 - 1, at a rate of at
	 * most fpp, between 0 and 1, both exclusive.  It may pass BBF_MAX_BYTES;
	 * key_bits is 0 if there is none for so low a rate.
	 */
	BbfGeometry (*size) (uint64_t capacity, double fpp);

	/* NULL, or why no layer can have these numbers: a sentence. */
	const char *(*check_layer) (const BbfLayer *layer);

	/* Why bins are refused that are not those of their layer: a sentence. */
	const char *bins_reason;

	/*
	 * Could these be the bins of a layer?  Sets what its nset is to be, or of
	 * a piece (below) what that adds to it.
	 */
	bool		(*check_bins) (const BbfLayer *layer, const unsigned char *bins,
							   uint64_t *nset);

	/* Set bits, counters above zero, or fingerprints: what nset is to be. */
	uint64_t	(*count_set) (const BbfLayer *layer, const unsigned char *bins);

	/*
	 * Number of keys in the layer: of blocks an estimate of the distinct
	 * ones; of buckets exact, copies included.
	 */
	double		(*keys) (const BbfLayer *layer);

	/*
	 * Do the bins show the number of keys?  They do not if nearly all are
	 * taken, since many more keys would take the same; keys() is then a lower
	 * bound.
	 */
	bool		(*can_estimate_keys) (const BbfLayer *layer);

	/* Probability that a key which was never added is found in the layer. */
	double		(*fpp) (const BbfLayer *layer);

	/* The same, modelled, of a layer of this geometry with keys > 0 keys. */
	double		(*fpp_of_keys) (const BbfGeometry *geometry, double keys);

	/* Has the layer more keys than it was made for? */
	bool		(*is_saturated) (const BbfLayer *layer);

	/*
	 * Upper bound on the copies of a key; 0 or 1 where a key that seems
	 * present is skipped.
	 */
	int			(*count) (const BbfLayer *layer, const unsigned char *bins,
						  uint64_t hash);

	/*
	 * The same in two steps, without the other bins: first the spans that a
	 * probe reads, up to BBF_MAX_SPANS, then the count from their bytes.
	 */
	int			(*find_spans) (const BbfLayer *layer, uint64_t hash,
							   BbfSpan *spans);
	int			(*count_in_spans) (const BbfLayer *layer, uint64_t hash,
								   const unsigned char *const *spans);

	/*
	 * Add a key, and update nset.  False, and nothing changed, without room.
	 */
	bool		(*add) (BbfLayer *layer, unsigned char *bins, uint64_t hash);

	/*
	 * Remove a copy of a key for which count() > 0, and update nset.  NULL
	 * for a kind from which keys cannot be removed.
	 */
	void		(*remove) (BbfLayer *layer, unsigned char *bins, uint64_t hash);

	/*
	 * Add n keys with prefetch, without updating nset.  NULL for a kind whose
	 * bins depend on the order of keys, or may have no room for one.
	 */
	void		(*add_many) (const BbfLayer *layer, unsigned char *bins,
							 const uint64_t *hashes, size_t n);

	/*
	 * Add the keys of other bins of the same geometry, without updating nset.
	 * NULL as add_many.
	 */
	void		(*unite) (const BbfLayer *layer, unsigned char *bins,
						  const unsigned char *others);
} BbfKindRoutine;

/* By kind; the entry of BBF_KIND_ANY has nothing but a name, "filter". */
extern const BbfKindRoutine *const bbf_kind_routines[BBF_KIND_MAX + 1];

static inline const BbfKindRoutine *
bbf_kind_routine(BbfKind kind)
{
	return bbf_kind_routines[kind];
}

static inline bool
bbf_has_trait(const BbfKindRoutine *routine, unsigned trait)
{
	return (routine->traits & trait) != 0;
}

/* Is there a kind of this number? */
static inline bool
bbf_kind_is_valid(int kind)
{
	return kind > BBF_KIND_ANY && kind <= BBF_KIND_MAX;
}

/* Bits of a bin. */
static inline unsigned
bbf_bin_bits(const BbfKindRoutine *routine, int key_bits)
{
	return routine->fixed_bits + routine->bits_per_key_bit * (unsigned) key_bits;
}

/* Bytes of the bins of a layer. */
static inline size_t
bbf_bins_bytes(const BbfKindRoutine *routine, const BbfLayer *layer)
{
	uint64_t	bits = (uint64_t) layer->nbins * bbf_bin_bits(routine, layer->key_bits);

	return (size_t) ((bits + 63) / 64 * 8);
}

/*
 * Bytes of the bins of a geometry, which may be more than a filter can have.
 */
extern double bbf_geometry_bytes(const BbfKindRoutine *routine,
								 const BbfGeometry *geometry);

/*
 * A large layer is worked on in pieces, so that its caller can do something
 * else in between.  Each takes some milliseconds at most.
 */
#define BBF_PIECE_BYTES		((size_t) 1 << 20)

/*
 * The piece of a layer that begins with bin number first: 0, or where the
 * piece before it ends.  For check_bins, count_set and unite it is a layer of
 * its own, whose bins are at an offset from those of the whole, and start
 * with a word.
 */
static inline BbfLayer
bbf_piece_of_layer(const BbfKindRoutine *routine, const BbfLayer *layer,
				   uint32_t first, size_t *offset)
{
	const unsigned bin_bits = bbf_bin_bits(routine, layer->key_bits);
	uint32_t	nbins = (uint32_t) (BBF_PIECE_BYTES * 8 / bin_bits / 64 * 64);
	BbfLayer	piece = *layer;

	piece.nbins = layer->nbins - first;
	if (piece.nbins > nbins)
		piece.nbins = nbins;
	*offset = (size_t) ((uint64_t) first * bin_bits / 8);
	return piece;
}

#endif							/* BBF_KIND_H */
