/*
 * overlap.c
 *	  Merges lists, and counts the bits of layers, block by block.
 */
#include "core/overlap.h"

#include "core/estimate.h"

/* Blocks read between two pauses. */
#define BLOCKS_OF_PIECE		(BBF_PIECE_BYTES / BBF_BLOCK_BYTES)

typedef struct Progress
{
	BbfPause	pause;
	uint64_t	nblocks;		/* read so far */
} Progress;

/* Call this before reading a block. */
static inline void
advance(Progress *progress)
{
	if (progress->nblocks++ % BLOCKS_OF_PIECE == 0)
		bbf_pause(progress->pause);
}

unsigned
bbf_lists_overlap(const BbfFilter *a, const BbfFilter *b)
{
	unsigned	i = 0;
	unsigned	j = 0;
	unsigned	nboth = 0;

	while (i < a->meta.nlist && j < b->meta.nlist)
	{
		uint64_t	in_a = bbf_list_get(a->list, i);
		uint64_t	in_b = bbf_list_get(b->list, j);

		nboth += in_a == in_b;
		i += in_a <= in_b;
		j += in_b <= in_a;
	}
	return nboth;
}

/*
 * All c common keys are found, and each of the other n - c with probability f.
 * So c + (n - c) f are found on average, with variance (n - c) f (1 - f).
 * Solving for c divides the deviation by 1 - f.
 */
BbfOverlap
bbf_overlap_of_list(unsigned n, unsigned nfound, double fpp)
{
	BbfOverlap	overlap = {0};

	overlap.both = (nfound - n * fpp) / (1.0 - fpp);
	if (overlap.both < 0.0)
		overlap.both = 0.0;
	/* rounding may give more */
	if (overlap.both > n)
		overlap.both = n;
	overlap.variance = (n - overlap.both) * fpp / (1.0 - fpp);
	return overlap;
}

/*
 * The share of bits that are unset in both layers, over all hashes, each of
 * which selects one block of each.
 */
static double
both_unset_of_same_blocks(const BbfLayer *a, const unsigned char *a_blocks,
						  const unsigned char *b_blocks, BbfPause pause)
{
	const BbfKindRoutine *routine = bbf_kind_routine(BBF_KIND_BLOOM);
	const double nbits = (double) a->nbins * BBF_BLOCK_BITS;
	uint64_t	either = a->nset;
	BbfLayer	piece;

	for (uint32_t first = 0; first < a->nbins; first += piece.nbins)
	{
		size_t		offset;

		bbf_pause(pause);
		piece = bbf_piece_of_layer(routine, a, first, &offset);
		either += bbf_blocks_count_missing(a_blocks + offset, b_blocks + offset,
										   piece.nbins, UINT64_MAX);
	}
	return (nbits - (double) either) / nbits;
}

/*
 * The same for layers with different numbers of blocks.  In units of 1 /
 * (product of both numbers), blocks end at multiples of the other layer's
 * number of blocks, so the sum is at most 2^46 * 512.
 */
static double
both_unset_of_other_blocks(const BbfLayer *a, const unsigned char *a_blocks,
						   const BbfLayer *b, const unsigned char *b_blocks,
						   BbfPause pause)
{
	const uint64_t whole = (uint64_t) a->nbins * b->nbins;
	Progress	progress = {.pause = pause};
	uint64_t	a_end = b->nbins;
	uint64_t	b_end = a->nbins;
	uint64_t	from = 0;
	uint64_t	unset = 0;

	while (from < whole)
	{
		uint64_t	to = a_end < b_end ? a_end : b_end;

		advance(&progress);
		unset += (to - from) *
			(BBF_BLOCK_BITS - bbf_blocks_count_set(a_blocks, 1) -
			 bbf_blocks_count_missing(a_blocks, b_blocks, 1, UINT64_MAX));
		if (to == a_end)
		{
			a_end += b->nbins;
			a_blocks += BBF_BLOCK_BYTES;
		}
		if (to == b_end)
		{
			b_end += a->nbins;
			b_blocks += BBF_BLOCK_BYTES;
		}
		from = to;
	}
	return (double) unset / ((double) whole * BBF_BLOCK_BITS);
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
				   BbfPause pause, BbfOverlap *overlap)
{
	const bool	same_blocks = a->nbins == b->nbins;
	double		unset = same_blocks ?
		both_unset_of_same_blocks(a, a_blocks, b_blocks, pause) :
		both_unset_of_other_blocks(a, a_blocks, b, b_blocks, pause);
	double		nbits = (double) (a->nbins < b->nbins ? a->nbins : b->nbins) * BBF_BLOCK_BITS;
	double		a_keys = bbf_keys_from_bits(a->nbins, a->key_bits, a->nset);
	double		b_keys = bbf_keys_from_bits(b->nbins, b->key_bits, b->nset);
	double		both;

	/* may seem to be below zero in corrupted images */
	if (unset * nbits < BBF_FEWEST_BITS_UNSET)
		return false;
	overlap->a_within = same_blocks && unset == (nbits - (double) b->nset) / nbits;
	overlap->b_within = same_blocks && unset == (nbits - (double) a->nset) / nbits;
	overlap->both = bbf_common_keys(a, b, unset);
	both = clamp(overlap->both, 0.0, a_keys < b_keys ? a_keys : b_keys);
	overlap->variance = bbf_variance_of_common(a, b, a_keys - both, b_keys - both, both);
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
					  BbfPause pause)
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
