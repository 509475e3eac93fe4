/*
 * core_test.c
 *	  The core, tested without a server: run it with "make unit".
 *
 * Each X_test.c tests the file of src/core or src/interchange that its header names, and can be read
 * as its specification; it ends with the table of its tests.  Tests are static, so
 * the compiler refuses one that is written but not in a table.
 *
 * The argument is the folder of the checkout.  The output is TAP.
 */
#include "check.h"
#include "suites.h"
#include "text_file.h"

typedef struct Suite
{
	const char *name;
	const Test *tests;
} Suite;

#define SUITE(name)		{#name, name##_tests}

static const Suite suites[] = {
	SUITE(bytes),
	SUITE(hash),
	SUITE(family),
	SUITE(blocked),
	SUITE(sizing),
	SUITE(full_at),
	SUITE(kind),
	SUITE(image),
	SUITE(validator),
	SUITE(distinct),
	SUITE(estimate),
	SUITE(overlap),
	SUITE(matrix),
	SUITE(columns),
	SUITE(pages),
	SUITE(counting),
	SUITE(cuckoo),
	SUITE(cuckoo_sizing),
	SUITE(deletable_estimate),
	SUITE(cuckoo_check),
	SUITE(deletable_image),
	SUITE(murmur),
	SUITE(external),
	SUITE(external_length),
	SUITE(external_guava),
	SUITE(external_parquet),
	SUITE(external_leveldb),
	SUITE(external_go),
	SUITE(external_spark),
	SUITE(external_redis),
	SUITE(aggregate_message),
	SUITE(golden),
	SUITE(vectors),
};

int
main(int argc, char **argv)
{
	if (argc > 1)
		checkout_folder = argv[1];
	for (int i = 0; i < LENGTH_OF(suites); i++)
		run_tests(suites[i].name, suites[i].tests);
	printf("1..%d\n", tests_run);
	return tests_failed > 0;
}
