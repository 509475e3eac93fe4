/*
 * check.h
 *	  The harness of the unit tests: a test CHECKs expressions.
 *
 * A test is a static function without arguments; it fails when one of its
 * CHECKs does.
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

/* Which case a loop is at; printed with a failure, cleared between tests. */
extern char check_case[200];

extern int	tests_passed;
extern int	tests_failed;

/* Record that a check of the current test has failed. */
extern void check_failed(const char *file, int line, const char *expression);

/* Run one test; it has passed or failed afterwards. */
extern void run_test(const char *name, void (*test) (void));

#define CHECK(expression) \
	((expression) ? (void) 0 : check_failed(__FILE__, __LINE__, #expression))

#define CASE(...)	((void) snprintf(check_case, sizeof(check_case), __VA_ARGS__))

#define RUN(test)	run_test(#test, test)

#endif							/* CHECK_H */
