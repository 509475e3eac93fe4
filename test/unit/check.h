/*
 * check.h
 *	  The harness of the unit tests: CHECK an expression, RUN a test.
 *
 * A test is a static function without arguments; it fails when one of its
 * CHECKs does.  Keys come from splitmix64, so every run is the same run.
 * Buffers are allocated at exactly the length that is stated, so that the
 * address sanitizer sees a read or write beyond it.
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

#include "key.h"

#define LENGTH_OF(array)	((int) (sizeof(array) / sizeof((array)[0])))

/* What a loop is at; printed with a failure, cleared between tests. */
static char check_case[200];

static int	check_failures;		/* of the current test */
static int	tests_passed;
static int	tests_failed;

static void
check_failed(const char *file, int line, const char *expression)
{
	/* the first few tell enough */
	if (check_failures++ < 5)
		fprintf(stderr, "%s:%d: failed: %s%s%s\n", file, line, expression,
				check_case[0] ? "  with " : "", check_case);
}

#define CHECK(expression) \
	((expression) ? (void) 0 : check_failed(__FILE__, __LINE__, #expression))

#define CASE(...)	((void) snprintf(check_case, sizeof(check_case), __VA_ARGS__))

static void
run_test(const char *name, void (*test) (void))
{
	check_failures = 0;
	check_case[0] = '\0';
	test();
	if (check_failures == 0)
		tests_passed++;
	else
	{
		tests_failed++;
		fprintf(stderr, "FAILED %s: %d checks\n", name, check_failures);
	}
}

#define RUN(test)	run_test(#test, test)

/* Keys from here on are never added by any test. */
#define ABSENT_KEYS		(UINT64_C(1) << 40)

/* Zeroed memory of exactly this length; never NULL. */
static void *
allocate(size_t length)
{
	void	   *memory = calloc(length > 0 ? length : 1, 1);

	if (memory == NULL)
	{
		fprintf(stderr, "out of memory: %lu bytes\n", (unsigned long) length);
		exit(2);
	}
	return memory;
}

static unsigned char *
copy_of(const unsigned char *bytes, size_t length)
{
	unsigned char *copy = allocate(length);

	memcpy(copy, bytes, length);
	return copy;
}

#endif							/* CHECK_H */
