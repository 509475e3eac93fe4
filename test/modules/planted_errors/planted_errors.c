/*
 * planted_errors.c
 *	  Errors made on purpose: test/run plants them to see that what watches the
 *	  server reports them.
 *
 *	planted_error(name)
 *		shift			a shift by the width of the type: the undefined-behaviour
 *						sanitizer
 *		stack			one byte past an array on the stack: the address
 *						sanitizer
 *		block			one byte past an allocation that is a malloc() of its
 *						own: the address sanitizer
 *		chunk			one byte past an allocation that shares a malloc() with
 *						others: valgrind, and the server with assertions itself, as
 *						the address sanitizer knows nothing of what is inside
 *		uninitialized	a decision by bytes that were never written: valgrind
 *		internal		an internal error (XX000)
 *		assertion		a failed assertion
 *
 * Each error is in a function of its own, planted_NAME, by which a report is
 * known.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(planted_error);

/* What the compiler must not know beforehand, lest it warns or takes the error away */
static volatile int width = 32;
static volatile int zero = 0;
static volatile char sink;

static pg_noinline void
planted_shift(void)
{
	sink = (char) (1 << width);
}

static pg_noinline void
planted_stack(void)
{
	char		array[32];
	volatile char *volatile bytes = array;

	bytes[width] = 1;
	sink = bytes[zero];
}

/*
 * So large that nothing follows in the same malloc().  Newer servers add a byte of their
 * own, and all round up.
 */
static pg_noinline void
planted_block(void)
{
	Size		size = 1024 * 1024;
	volatile char *block = palloc(size);

	block[MAXALIGN(size + 1) + zero] = 1;
}

/* The byte is between the end that was asked for and the next multiple of 8. */
static pg_noinline void
planted_chunk(void)
{
	Size		size = 13;
	volatile char *chunk = palloc(size);

	chunk[size + zero] = 1;
}

static pg_noinline void
planted_uninitialized(void)
{
	volatile char *bytes = palloc(16);

	if (bytes[zero] == 1)
		sink = 1;
}

static pg_noinline void
planted_internal(void)
{
	elog(ERROR, "planted internal error");
}

static pg_noinline void
planted_assertion(void)
{
	Assert(zero == 1);
}

Datum
planted_error(PG_FUNCTION_ARGS)
{
	static const struct
	{
		const char *name;
		void		(*plant) (void);
	}			errors[] =
	{
		{"shift", planted_shift},
		{"stack", planted_stack},
		{"block", planted_block},
		{"chunk", planted_chunk},
		{"uninitialized", planted_uninitialized},
		{"internal", planted_internal},
		{"assertion", planted_assertion},
	};
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(0));

	for (int i = 0; i < (int) lengthof(errors); i++)
		if (strcmp(name, errors[i].name) == 0)
		{
			errors[i].plant();
			PG_RETURN_VOID();
		}
	elog(ERROR, "there is no planted error \"%s\"", name);
}
