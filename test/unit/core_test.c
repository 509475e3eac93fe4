/*
 * core_test.c
 *	  The core, tested without a server: run it with "make unit".
 *
 * Each X_test.c tests the file of src/core that its head names, and can be read
 * as its specification; it ends with the table of its tests.  Tests are static, so
 * the compiler refuses one that is written but not in a table.
 *
 * The argument is the name of expected/golden.out.  The last line of the output is
 * "N passed, N failed".
 */
#include "check.h"
#include "golden.h"
#include "suites.h"

static const Test *const suites[] = {
	bytes_tests,
	hash_tests,
	family_tests,
	blocked_tests,
	sizing_tests,
	full_at_tests,
	kind_tests,
	image_tests,
	validator_tests,
	distinct_tests,
	estimate_tests,
	overlap_tests,
	counting_tests,
	cuckoo_tests,
	cuckoo_sizing_tests,
	deletable_estimate_tests,
	cuckoo_check_tests,
	deletable_image_tests,
	murmur_tests,
	external_tests,
	external_guava_tests,
	external_parquet_tests,
	external_leveldb_tests,
	external_go_tests,
	external_spark_tests,
	external_redis_tests,
	state_tests,
	golden_tests,
};

int
main(int argc, char **argv)
{
	if (argc > 1)
		golden_file = argv[1];
	for (int i = 0; i < LENGTH_OF(suites); i++)
		run_tests(suites[i]);

	printf("%d passed, %d failed\n", tests_passed, tests_failed);
	return tests_failed > 0;
}
