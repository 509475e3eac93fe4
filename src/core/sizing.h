/*
 * sizing.h
 *	  From (capacity, fpp) to the geometry of a layer.
 *
 * The geometry decides bytes, and equal bytes on every machine are a promise.
 * So nothing here calls the math library: integers, and IEEE doubles through
 * + - * / in a fixed order (the Makefile forbids contracted multiply-adds).
 * A golden test freezes a table of results.
 *
 * The model.  Keys fall into blocks at random, so a block's load is Poisson
 * distributed with mean capacity / nblocks.  A block of j keys has each bit
 * set with probability 1 - (511/512)^(k j); an absent key is let through when
 * its k probes all meet set bits.  The rate is the mean over all loads.  The
 * textbook formula, which knows no blocks, is off by up to five times here.
 *
 * Everywhere in src/ the false-positive rate, or rate, is the probability
 * that an absent key is reported present; fpp in names and in SQL.
 */
#ifndef BBF_SIZING_H
#define BBF_SIZING_H

#include <stdint.h>

/*
 * Block counts are of the size classes m * 2^s with m < 128.  Rounding up
 * costs at most 1.6 % of space, makes filters foldable and lets similar
 * filters share a geometry.
 */
#define BBF_SIZE_CLASS_LIMIT		128

/* What sizing decides of a layer (layer.h); nbins may pass any limit. */
typedef struct BbfGeometry
{
	uint64_t	nbins;
	int			key_bits;
	uint64_t	full_at;		/* 0 for buckets, and for 2^32 blocks or more,
								 * which no layer has */
} BbfGeometry;

/* x^n, by squaring: a fixed order of multiplications. */
extern double bbf_power(double x, uint64_t n);

/*
 * The smallest layer of blocks, of bits or counters, that holds capacity keys
 * at a rate of at most fpp.  capacity is 1 .. 2^63 - 1, fpp lies between 0
 * and 1, both exclusive.
 *
 * The rate that counts is the one at the moment when the layer is full, a few
 * keys past its capacity: filters that grow rely on it, as the rates of their
 * full layers add up.  It costs a block or so at a few hundred keys, and less
 * than 1 % of space from 100,000 keys on.
 *
 * The number of blocks is that of the smallest size class for which that rate,
 * with the best number of probes, is at most fpp; the number of probes is the
 * smallest within 1 % of the best and within fpp.  nbins is UINT64_MAX if
 * 127 * 2^55 blocks, the largest size class, are too few.
 */
extern BbfGeometry bbf_size_blocks(uint64_t capacity, double fpp);

/*
 * The largest capacity up to at_most whose layer has at most max_blocks
 * blocks at this fpp; 0 when there is none.
 */
extern uint64_t bbf_capacity_within(uint64_t at_most, double fpp,
									uint32_t max_blocks);

/*
 * The largest capacity of a layer with this number of blocks and probes whose
 * rate is at most fpp when it is full; 0 if there is none.  Sets full_at for
 * that capacity.
 */
extern uint64_t bbf_capacity_of_blocks(uint32_t nblocks, int nprobes, double fpp,
									   uint64_t *full_at);

/*
 * How much of a capacity such a layer can hold, at a rate of at most fpp when
 * it is full: all of it where bbf_size_blocks() or bbf_capacity_of_blocks()
 * gave this layer, else no more than the latter gives.
 */
extern uint64_t bbf_held_capacity(uint64_t capacity, uint32_t nblocks,
								  int nprobes, double fpp);

/*
 * The rate of a layer into which a smaller one, or one of the same size, is
 * merged (bbf_blocks_merge), from the blocks and bits set of both.
 */
extern double bbf_merged_rate(uint32_t nlarge, uint64_t large_nset,
							  uint32_t nsmall, uint64_t small_nset,
							  int nprobes);

/* The greatest number that divides both, which are positive. */
extern uint32_t bbf_greatest_common_divisor(uint32_t a, uint32_t b);

/* The largest size class up to n (n >= 1). */
extern uint32_t bbf_size_class_below(uint32_t n);

/* Modelled rate at a mean of load keys a block (load > 0) with k probes. */
extern double bbf_model_rate(double load, int nprobes);

/* The same for blocks of so many bits. */
extern double bbf_model_rate_of(int block_bits, double load, int nprobes);

/*
 * The number of probes for load keys a block: the smallest within 1 % of the
 * best rate.  Stores the rate with that many.
 */
extern int	bbf_best_probes(double load, double *rate);

/* The same for blocks of so many bits. */
extern int	bbf_best_probes_of(int block_bits, double load, double *rate);

/* The square root of n, rounded down. */
extern uint64_t bbf_square_root(uint64_t n);

#endif							/* BBF_SIZING_H */
