/*
 * external_sizing.c
 *	  The logarithms in the sizes and estimates of other systems' filters.
 */
#include "interchange/external_sizing.h"

#include <math.h>

#define LN2				0.6931471805599453	/* as a double */

double
bbf_classic_bits(uint64_t n, double p)
{
	return -(double) n * log(p) / (LN2 * LN2);
}

double
bbf_classic_probes(double p)
{
	return -log(p) / LN2;
}

double
bbf_spark_probes(double bits, uint64_t n)
{
	return bits / (double) n * LN2;
}

double
bbf_go_probes(double bits, uint64_t n)
{
	return LN2 * bits / (double) n;
}

double
bbf_redis_bits_per_key(double p)
{
	return -(log(p) / 0.480453013918201);
}

double
bbf_parquet_bits(uint64_t n, double p)
{
	return -8.0 * (double) n / log(1.0 - pow(p, 1.0 / 8.0));
}

/*
 * A key leaves a given bit unset with probability (1 - 1 / nbits)^nprobes;
 * with one bit no logarithm of that exists, and one key sets it.
 */
double
bbf_keys_of_bits(uint64_t nbits, uint32_t nprobes, uint64_t nset)
{
	double		share = (double) nset / (double) nbits;
	double		most = ((double) nbits - 0.5) / (double) nbits;

	if (nset == 0 || nprobes == 0)
		return 0.0;
	if (nbits == 1)
		return 1.0;
	if (share > most)
		share = most;
	return log1p(-share) / (nprobes * log1p(-1.0 / (double) nbits));
}

double
bbf_fpp_of_probes(uint64_t nbits, uint32_t nprobes, uint64_t nset)
{
	if (nset >= nbits)
		return 1.0;
	return pow((double) nset / (double) nbits, nprobes);
}
