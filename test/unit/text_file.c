/*
 * text_file.c
 *	  Files of the checkout that tests compare with.
 */
#include "text_file.h"

#include "buffer.h"
#include "check.h"

const char *checkout_folder = ".";

char *
read_text_file(const char *name)
{
	char		path[1000];
	FILE	   *file;
	long		length;
	char	   *text;

	(void) snprintf(path, sizeof(path), "%s/%s", checkout_folder, name);
	CASE("%s", name);
	file = fopen(path, "rb");
	CHECK(file != NULL);
	if (file == NULL)
		return allocate(1);
	CHECK(fseek(file, 0, SEEK_END) == 0);
	length = ftell(file);
	CHECK(length > 0);
	rewind(file);
	text = allocate((size_t) length + 1);
	CHECK(fread(text, 1, (size_t) length, file) == (size_t) length);
	(void) fclose(file);
	return text;
}
