/*
 * filter_kind.c
 *	  The words and errors of single kinds of filters.
 */
#include "compat.h"

#include "filter/filter_kind.h"

#include "core/cuckoo.h"

/*
 * cuckoo
 */

/*
 * Copies of keys can fill the candidate buckets long before the filter: below
 * this load a filter that is full gets the hint about them.
 */
#define CROWDED_LOAD	0.9

pg_noreturn static void
report_full_buckets(const BbfLayer *layer, const unsigned char *buckets, uint64 hash)
{
	int			copies = bbf_cuckoo_count(buckets, layer->nbins, layer->key_bits, hash);
	double		load = (double) layer->nset / ((double) layer->nbins * BBF_BUCKET_PLACES);

	if (copies == BBF_MAX_COPIES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("cuckoo filter has no place for another copy of the key"),
				 errdetail("All of its %d places have its fingerprint already.",
						   BBF_MAX_COPIES),
				 errhint("Add each key once, or use counting_bloom for keys that repeat.")));
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("cuckoo filter is full"),
			 errdetail("It was made for %llu keys and has %llu, which is %.1f %% of its places.",
					   (unsigned long long) layer->capacity,
					   (unsigned long long) layer->nset, 100.0 * load),
			 load < CROWDED_LOAD && layer->capacity > BBF_MAX_COPIES ?
			 errhint("Keys that were added more than twice crowd their buckets: add each once, or use counting_bloom.") :
			 errhint("Rebuild it with a larger capacity: cuckoo_agg(value, capacity, fpp).")));
}

/*
 * Without names of members, so that none is forgotten: the compiler warns of
 * an initializer that is missing.
 */
const FilterKind blt_filter_kinds[] = {
	[BBF_KIND_ANY] = {"bins", "bits", NULL, NULL, NULL},
	[BBF_KIND_BLOOM] = {"blocks", "probes", NULL, NULL, NULL},
	[BBF_KIND_COUNTING_BLOOM] = {"blocks", "probes", NULL, NULL, NULL},
	[BBF_KIND_CUCKOO] = {
		"buckets", "bits of a fingerprint",
		"Fingerprints have at most " CppAsString2(BBF_MAX_FINGERPRINT_BITS) " bits, enough for 2e-9.",
		"Allow a higher rate, or use bloom or counting_bloom.",
		report_full_buckets
	},
};

StaticAssertDecl(lengthof(blt_filter_kinds) == BBF_KIND_MAX + 1,
				 "each kind has its words");
