/*
 * check.c
 *	  The harness of the unit tests: runs tests and counts them.
 */
#include "check.h"

/* Of one test no more failed checks than this are printed. */
#define MAX_PRINTED		5

char		check_case[200];

int			tests_run;
int			tests_failed;

static int	check_failures;		/* of the current test */

void
check_failed(const char *file, int line, const char *expression)
{
	if (check_failures++ < MAX_PRINTED)
		fprintf(stderr, "# %s:%d: failed: %s%s%s\n", file, line, expression,
				check_case[0] ? "  with " : "", check_case);
}

static void
run_test(const char *suite, const Test *test)
{
	check_failures = 0;
	check_case[0] = '\0';
	test->run();
	tests_run++;
	if (check_failures > 0)
		tests_failed++;
	printf("%s - %s: %s\n", check_failures > 0 ? "not ok" : "ok", suite, test->name);
	/* lest a crash of the next one hides it */
	fflush(stdout);
}

void
run_tests(const char *suite, const Test *tests)
{
	for (const Test *test = tests; test->run != NULL; test++)
		run_test(suite, test);
}
