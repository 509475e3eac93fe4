/*
 * core_test.c
 *	  The core, tested without a server: run it with "make unit".
 *
 * Each file below tests the file of src/core that it is named after and can be
 * read as its specification.  Everything is compiled as one unit, so a test
 * that is written but never run is a compiler warning.
 *
 * The last line of the output is "N passed, N failed".
 */
#include "check.h"

#include "bytes_test.c"
#include "hash_test.c"
#include "family_test.c"
#include "blocked_test.c"
#include "sizing_test.c"
#include "full_at_test.c"
#include "image_test.c"
#include "validator_test.c"
#include "distinct_test.c"
#include "estimate_test.c"
#include "counting_test.c"
#include "cuckoo_test.c"
#include "cuckoo_sizing_test.c"
#include "cuckoo_check_test.c"
#include "removable_image_test.c"
#include "removable_estimate_test.c"

int
main(void)
{
	run_bytes_tests();
	run_hash_tests();
	run_family_tests();
	run_blocked_tests();
	run_sizing_tests();
	run_full_at_tests();
	run_image_tests();
	run_validator_tests();
	run_distinct_tests();
	run_estimate_tests();
	run_counting_tests();
	run_cuckoo_tests();
	run_cuckoo_sizing_tests();
	run_removable_estimate_tests();
	run_cuckoo_check_tests();
	run_removable_image_tests();

	printf("%d passed, %d failed\n", tests_passed, tests_failed);
	return tests_failed > 0;
}
