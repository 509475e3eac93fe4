/*
 * check.h
 *	  The harness of the unit tests: checks, tests, and tables of tests.
 *
 * A test is a static function without arguments; it fails when one of its
 * CHECKs does.  A suite is a table of tests:
 *
 *		const Test blocked_tests[] = {
 *			TEST(test_worked_example),
 *			...
 *			END_OF_TESTS
 *		};
 */
#ifndef CHECK_H
#define CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH_OF(array)	((int) (sizeof(array) / sizeof((array)[0])))

typedef struct Test
{
	const char *name;
	void		(*run) (void);
} Test;

#define TEST(function)		{#function, function}
#define END_OF_TESTS		{NULL, NULL}

/* Of all suites that have been run. */
extern int	tests_run;
extern int	tests_failed;

/* Run the tests of a suite, in their order; for each, print a line of TAP. */
extern void run_tests(const char *suite, const Test *tests);

#define CHECK(expression) \
	((expression) ? (void) 0 : check_failed(__FILE__, __LINE__, #expression))

extern void check_failed(const char *file, int line, const char *expression);

/*
 * Are all cases to be tested, as test/run --ci does, which sets BLOOMTYPE_CI?  Otherwise some are
 * left out, of which each tests what its neighbours do.
 */
#define ALL_CASES	(getenv("BLOOMTYPE_CI") != NULL)

/* The same of those that take most of a minute: test/run --all, which sets BLOOMTYPE_SLOW, too. */
#define SLOW_CASES	(getenv("BLOOMTYPE_SLOW") != NULL)

/* Which case a loop is at; printed with a failure, cleared between tests. */
#define CASE(...)	((void) snprintf(check_case, sizeof(check_case), __VA_ARGS__))

extern char check_case[200];

#endif							/* CHECK_H */
