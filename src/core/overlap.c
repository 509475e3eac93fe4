/*
 * overlap.c
 *	  Merges lists, and folds layers a block at a time to count their bits.
 */
#include "core/overlap.h"

#include "core/estimate.h"

/* Blocks that are read between two pauses. */
#define BLOCKS_OF_PIECE		(BBF_PIECE_BYTES / BBF_BLOCK_BYTES)

typedef struct Progress
{
	void		(*pause) (void);
	uint64_t	nblocks;		/* read so far */
} Progress;

/* To be called before a block is read. */
static inline void
advance(Progress *progress)
{
	if (progress->nblocks++ % BLOCKS_OF_PIECE == 0 && progress->pause != NULL)
		progress->pause();
}

unsigned
bbf_lists_overlap(const BbfMeta *a, const unsigned char *a_bytes,
				  const BbfMeta *b, const unsigned char *b_bytes)
{
	unsigned	i = 0;
	unsigned	j = 0;
	unsigned	nboth = 0;

	while (i < a->nlist && j < b->nlist)
	{
		uint64_t	in_a = bbf_list_get(a_bytes, i);
		uint64_t	in_b = bbf_list_get(b_bytes, j);

		nboth += in_a == in_b;
		i += in_a <= in_b;
		j += in_b <= in_a;
	}
	return nboth;
}

/*
 * Of c common keys all are found, and of the n - c others each at the rate f.  So
 * c + (n - c) f are found on average, with the variance (n - c) f (1 - f); solved
 * for c, which divides the deviation by 1 - f.
 */
BbfOverlap
bbf_overlap_of_list(unsigned n, unsigned nfound, double fpp)
{
	BbfOverlap	overlap = {0};

	overlap.both = (nfound - n * fpp) / (1.0 - fpp);
	if (overlap.both < 0.0)
		overlap.both = 0.0;
	overlap.variance = (n - overlap.both) * fpp / (1.0 - fpp);
	return overlap;
}

/* OR so many blocks into one. */
static void
fold_block(unsigned char *to, const unsigned char *from, uint32_t factor,
		   Progress *progress)
{
	memset(to, 0, BBF_BLOCK_BYTES);
	for (uint32_t i = 0; i < factor; i++)
	{
		advance(progress);
		bbf_blocks_or(to, from + (size_t) i * BBF_BLOCK_BYTES, 1);
	}
}

/* Bits set in a fold of two layers: in each, and in either. */
typedef struct FoldedBits
{
	uint32_t	nblocks;
	uint64_t	a;
	uint64_t	b;
	uint64_t	either;
} FoldedBits;

/* Of layers with the same number of blocks the records tell all but the last. */
static void
count_unfolded(const BbfLayer *a, const unsigned char *a_blocks,
			   const BbfLayer *b, const unsigned char *b_blocks,
			   void (*pause) (void), FoldedBits *bits)
{
	const BbfKindRoutine *routine = bbf_kind_routine(BBF_KIND_BLOOM);
	BbfLayer	piece;

	bits->a = a->nset;
	bits->b = b->nset;
	bits->either = a->nset;
	for (uint32_t first = 0; first < a->nbins; first += piece.nbins)
	{
		size_t		offset;

		if (pause != NULL)
			pause();
		piece = bbf_piece_of_layer(routine, a, first, &offset);
		bits->either += bbf_blocks_count_missing(a_blocks + offset, b_blocks + offset,
												 piece.nbins, UINT64_MAX);
	}
}

static void
count_folded(const BbfLayer *a, const unsigned char *a_blocks,
			 const BbfLayer *b, const unsigned char *b_blocks,
			 void (*pause) (void), FoldedBits *bits)
{
	const uint32_t a_factor = a->nbins / bits->nblocks;
	const uint32_t b_factor = b->nbins / bits->nblocks;
	Progress	progress = {.pause = pause};

	for (uint32_t i = 0; i < bits->nblocks; i++)
	{
		unsigned char a_fold[BBF_BLOCK_BYTES];
		unsigned char b_fold[BBF_BLOCK_BYTES];
		uint64_t	in_a;

		fold_block(a_fold, a_blocks + (size_t) i * a_factor * BBF_BLOCK_BYTES,
				   a_factor, &progress);
		fold_block(b_fold, b_blocks + (size_t) i * b_factor * BBF_BLOCK_BYTES,
				   b_factor, &progress);
		in_a = bbf_blocks_count_set(a_fold, 1);
		bits->a += in_a;
		bits->b += bbf_blocks_count_set(b_fold, 1);
		bits->either += in_a + bbf_blocks_count_missing(a_fold, b_fold, 1, UINT64_MAX);
	}
}

/* A number between others. */
static double
clamp(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

bool
bbf_layers_overlap(const BbfLayer *a, const unsigned char *a_blocks,
				   const BbfLayer *b, const unsigned char *b_blocks,
				   void (*pause) (void), BbfOverlap *overlap)
{
	FoldedBits	bits = {.nblocks = bbf_greatest_common_divisor(a->nbins, b->nbins)};
	BbfLayer	either = {.nbins = bits.nblocks};
	double		a_keys;
	double		b_keys;
	double		both;

	if (a->nbins == b->nbins)
		count_unfolded(a, a_blocks, b, b_blocks, pause, &bits);
	else
		count_folded(a, a_blocks, b, b_blocks, pause, &bits);

	/* the records of corrupted images may say that there are more than that */
	either.nset = (uint64_t) bits.nblocks * BBF_BLOCK_BITS;
	if (bits.either < either.nset)
		either.nset = bits.either;
	if (!bbf_kind_routine(BBF_KIND_BLOOM)->tells_keys(&either))
		return false;

	overlap->a_within = a->nbins == b->nbins && bits.either == bits.b;
	overlap->b_within = a->nbins == b->nbins && bits.either == bits.a;
	a_keys = bbf_keys_from_bits(bits.nblocks, a->key_bits, bits.a);
	b_keys = bbf_keys_from_bits(bits.nblocks, b->key_bits, bits.b);
	overlap->both = bbf_common_keys(bits.nblocks, a->key_bits, b->key_bits,
									bits.a, bits.b, either.nset);
	both = clamp(overlap->both, 0.0, a_keys < b_keys ? a_keys : b_keys);
	overlap->variance = bbf_variance_of_common(bits.nblocks, a->key_bits, b->key_bits,
											   a_keys - both, b_keys - both, both);
	return true;
}

static bool
blocks_share_bits(const unsigned char *a, const unsigned char *b)
{
	for (size_t i = 0; i < BBF_BLOCK_BYTES; i += 8)
	{
		if ((bbf_get64(a + i) & bbf_get64(b + i)) != 0)
			return true;
	}
	return false;
}

/* Most layers share a bit of the first blocks that are read. */
bool
bbf_layers_share_bits(const BbfLayer *a, const unsigned char *a_blocks,
					  const BbfLayer *b, const unsigned char *b_blocks,
					  void (*pause) (void))
{
	const uint32_t nblocks = bbf_greatest_common_divisor(a->nbins, b->nbins);
	const uint32_t a_factor = a->nbins / nblocks;
	const uint32_t b_factor = b->nbins / nblocks;
	Progress	progress = {.pause = pause};

	for (uint32_t i = 0; i < nblocks; i++)
	{
		unsigned char a_fold[BBF_BLOCK_BYTES] = {0};
		unsigned char b_fold[BBF_BLOCK_BYTES] = {0};

		/* from each side in turn, to stop as soon as they meet */
		for (uint32_t j = 0; j < a_factor || j < b_factor; j++)
		{
			advance(&progress);
			if (j < a_factor)
				bbf_blocks_or(a_fold, a_blocks + ((size_t) i * a_factor + j) * BBF_BLOCK_BYTES, 1);
			if (j < b_factor)
				bbf_blocks_or(b_fold, b_blocks + ((size_t) i * b_factor + j) * BBF_BLOCK_BYTES, 1);
			if (blocks_share_bits(a_fold, b_fold))
				return true;
		}
	}
	return false;
}
