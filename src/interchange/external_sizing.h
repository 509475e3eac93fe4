/*
 * external_sizing.h
 *	  The formulas by which other systems size their filters, and estimates.
 *
 * Each computes in the order of operations of the systems named, since some
 * cut off the result.  Their logarithms may still differ in the last digit,
 * so that in about one of 10^9 cases m could differ by one.  Estimates are
 * for people.
 */
#ifndef BBF_EXTERNAL_SIZING_H
#define BBF_EXTERNAL_SIZING_H

#include <stdint.h>

/* -n ln p / (ln 2)^2: bits for n keys at rate p (Guava, Spark, Go). */
extern double bbf_classic_bits(uint64_t n, double p);

/* -ln p / ln 2: probes for the rate p (Guava). */
extern double bbf_classic_probes(double p);

/* bits / n * ln 2: probes of a filter of this many bits (Spark). */
extern double bbf_spark_probes(double bits, uint64_t n);

/* ln 2 * bits / n: the same in another order (Go). */
extern double bbf_go_probes(double bits, uint64_t n);

/* -ln p / 0.480453013918201: bits for one key at rate p (RedisBloom). */
extern double bbf_redis_bits_per_key(double p);

/*
 * -8 n / ln(1 - p^(1/8)): bits in blocks of 256 for n keys at rate p
 * (Parquet).
 */
extern double bbf_parquet_bits(uint64_t n, double p);

/*
 * Estimate of the keys that set nset of nbits bits, nprobes each: the n for
 * which that is the expected number.  If all bits are set, the n for nset -
 * 0.5: a lower bound.
 */
extern double bbf_keys_of_bits(uint64_t nbits, uint32_t nprobes, uint64_t nset);

/* The rate of nprobes probes of nbits bits of which nset are set. */
extern double bbf_fpp_of_probes(uint64_t nbits, uint32_t nprobes, uint64_t nset);

#endif							/* BBF_EXTERNAL_SIZING_H */
