/*
 * sql_functions.h
 *	  The SQL functions of src/types/ that the planner's estimates know by
 *	  their addresses.
 *
 * Those of src/filter/ are in filter/filter_membership.h.
 */
#ifndef BLOOMTYPE_SQL_FUNCTIONS_H
#define BLOOMTYPE_SQL_FUNCTIONS_H

#include "core/kind.h"
#include "fmgr.h"

extern Datum bloomtype_bloom_key(PG_FUNCTION_ARGS);
extern Datum bloomtype_bloom_matrix_search_all(PG_FUNCTION_ARGS);
extern Datum bloomtype_bloom_matrix_search_any(PG_FUNCTION_ARGS);
extern Datum bloomtype_bloom_overlaps(PG_FUNCTION_ARGS);
extern Datum bloomtype_external_contains(PG_FUNCTION_ARGS);
extern Datum bloomtype_external_contains_any(PG_FUNCTION_ARGS);
extern Datum bloomtype_external_contains_all(PG_FUNCTION_ARGS);

/* The result has the keys of the argument. */
extern Datum bloomtype_bloom_shrink(PG_FUNCTION_ARGS);
extern Datum bloomtype_counting_bloom_to_bloom(PG_FUNCTION_ARGS);

/* The final functions of aggregates, which have one in all their forms */
extern Datum bloomtype_bloom_agg_final(PG_FUNCTION_ARGS);
extern Datum bloomtype_counting_bloom_agg_final(PG_FUNCTION_ARGS);
extern Datum bloomtype_cuckoo_agg_final(PG_FUNCTION_ARGS);
extern Datum bloomtype_external_agg_final(PG_FUNCTION_ARGS);

/* The same by the kind of filter that they make; null at BBF_KIND_ANY */
extern const PGFunction blt_final_functions[];

#endif							/* BLOOMTYPE_SQL_FUNCTIONS_H */
