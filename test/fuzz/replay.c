/*
 * replay.c
 *	  Runs a fuzz target over files, without libFuzzer: each in a process of its own.
 *
 *		replay TARGET_NAME FILE...
 *
 * The output is TAP.
 */
#include "fuzz.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Longer files are no inputs of ours. */
#define MAX_INPUT	((size_t) 1 << 20)

static bool
run(const char *name)
{
	static uint8_t buffer[MAX_INPUT];
	FILE	   *file = fopen(name, "rb");
	size_t		size;
	uint8_t    *data;

	if (file == NULL)
		return false;
	size = fread(buffer, 1, MAX_INPUT, file);
	if (ferror(file) || fclose(file) != 0)
		return false;
	data = exact_copy(buffer, size);
	(void) LLVMFuzzerTestOneInput(data, size);
	free(data);
	return true;
}

int
main(int argc, char **argv)
{
	int			failed = 0;

	printf("1..%d\n", argc > 2 ? argc - 2 : 0);
	for (int i = 2; i < argc; i++)
	{
		int			status;
		pid_t		child;
		bool		passed;

		/* lest the child prints it, too */
		fflush(stdout);
		child = fork();
		if (child == 0)
			_exit(run(argv[i]) ? 0 : 1);
		passed = child > 0 && waitpid(child, &status, 0) == child && status == 0;
		failed += !passed;
		printf("%s - %s: %s\n", passed ? "ok" : "not ok", argv[1], argv[i]);
	}
	return failed > 0 || argc <= 2;
}
