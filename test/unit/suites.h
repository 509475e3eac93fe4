/*
 * suites.h
 *	  The suites of tests: each X_tests is defined in X_test.c.
 */
#ifndef SUITES_H
#define SUITES_H

#include "check.h"

extern const Test aggregate_message_tests[];
extern const Test blocked_tests[];
extern const Test bytes_tests[];
extern const Test columns_tests[];
extern const Test counting_tests[];
extern const Test cuckoo_tests[];
extern const Test cuckoo_check_tests[];
extern const Test cuckoo_sizing_tests[];
extern const Test distinct_tests[];
extern const Test estimate_tests[];
extern const Test external_tests[];
extern const Test external_length_tests[];
extern const Test external_guava_tests[];
extern const Test external_parquet_tests[];
extern const Test external_leveldb_tests[];
extern const Test external_go_tests[];
extern const Test external_spark_tests[];
extern const Test external_redis_tests[];
extern const Test family_tests[];
extern const Test full_at_tests[];
extern const Test golden_tests[];
extern const Test hash_tests[];
extern const Test image_tests[];
extern const Test kind_tests[];
extern const Test matrix_tests[];
extern const Test murmur_tests[];
extern const Test overlap_tests[];
extern const Test deletable_estimate_tests[];
extern const Test deletable_image_tests[];
extern const Test pages_tests[];
extern const Test sizing_tests[];
extern const Test validator_tests[];
extern const Test vectors_tests[];

#endif							/* SUITES_H */
