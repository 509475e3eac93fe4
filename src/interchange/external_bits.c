/*
 * external_bits.c
 *	  Functions of the formats that set k bits anywhere in the filter for each
 *	  key.
 */
#include "interchange/external_bits.h"

#include "interchange/external_sizing.h"

bool
bbf_bits_test_slice(const BbfExternalSlice *slice, const unsigned char *bytes,
					const uint64_t *hash)
{
	(void) hash;
	return (bytes[0] & slice->mask) != 0;
}

void
bbf_bits_estimate(const BbfExternalLink *link, const unsigned char *bytes,
				  uint64_t nset, BbfPause pause, double *keys,
				  double *fpp)
{
	(void) bytes;
	(void) pause;
	*keys = bbf_keys_of_bits(link->nprobed, link->nprobes, nset);
	*fpp = link->nprobes > 0 ?
		bbf_fpp_of_probes(link->nprobed, link->nprobes, nset) : 1.0;
}
