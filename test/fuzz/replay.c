/*
 * replay.c
 *	  Runs a fuzz target over files, without libFuzzer: each in a process of its own.
 *
 *		replay TARGET_NAME FILE...
 *
 * The last line of the output is "N passed, N failed".
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
	int			passed = 0;
	int			failed = 0;

	for (int i = 2; i < argc; i++)
	{
		int			status;
		pid_t		child = fork();

		if (child == 0)
			_exit(run(argv[i]) ? 0 : 1);
		if (child > 0 && waitpid(child, &status, 0) == child && status == 0)
			passed++;
		else
		{
			failed++;
			fprintf(stderr, "FAILED %s: %s\n", argv[1], argv[i]);
		}
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed > 0 || passed == 0;
}
