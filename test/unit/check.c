/*
 * check.c
 *	  The harness of the unit tests: runs tests and counts them.
 */
#include "check.h"

/* Of one test no more failed checks than this are printed. */
#define MAX_PRINTED		5

char		check_case[200];

int			tests_passed;
int			tests_failed;

static int	check_failures;		/* of the current test */

void
check_failed(const char *file, int line, const char *expression)
{
	if (check_failures++ < MAX_PRINTED)
		fprintf(stderr, "%s:%d: failed: %s%s%s\n", file, line, expression,
				check_case[0] ? "  with " : "", check_case);
}

static void
run_test(const Test *test)
{
	check_failures = 0;
	check_case[0] = '\0';
	test->run();
	if (check_failures == 0)
		tests_passed++;
	else
	{
		tests_failed++;
		fprintf(stderr, "FAILED %s: %d checks\n", test->name, check_failures);
	}
}

void
run_tests(const Test *suite)
{
	for (const Test *test = suite; test->run != NULL; test++)
		run_test(test);
}
