/*
 * sql_functions.c
 *	  The table of final functions.
 */
#include "compat.h"

#include "types/sql_functions.h"

const PGFunction blt_final_functions[] = {
	[BBF_KIND_BLOOM] = bloomtype_bloom_agg_final,
	[BBF_KIND_COUNTING_BLOOM] = bloomtype_counting_bloom_agg_final,
	[BBF_KIND_CUCKOO] = bloomtype_cuckoo_agg_final,
};

StaticAssertDecl(lengthof(blt_final_functions) == BBF_KIND_MAX + 1,
				 "each kind has a final function");
