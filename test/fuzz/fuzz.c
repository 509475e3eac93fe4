/*
 * fuzz.c
 *	  What the fuzz targets share.
 */
#include "fuzz.h"

#include <stdio.h>

void
requirement_failed(const char *file, int line, const char *expression)
{
	fprintf(stderr, "%s:%d: not met: %s\n", file, line, expression);
	abort();
}

const uint8_t *
take_bytes(Input *input, size_t *size)
{
	const uint8_t *data = input->data;

	if (*size > input->size)
		*size = input->size;
	if (*size > 0)
		input->data += *size;
	input->size -= *size;
	return data;
}

static uint64_t
take_number(Input *input, size_t size)
{
	const uint8_t *bytes = take_bytes(input, &size);
	uint64_t	n = 0;

	for (size_t i = size; i > 0; i--)
		n = n << 8 | bytes[i - 1];
	return n;
}

uint8_t
take8(Input *input)
{
	return (uint8_t) take_number(input, 1);
}

uint16_t
take16(Input *input)
{
	return (uint16_t) take_number(input, 2);
}

uint64_t
take64(Input *input)
{
	return take_number(input, 8);
}

double
take_double(Input *input)
{
	uint64_t	bits = take64(input);
	double		d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

unsigned char *
exact_copy(const uint8_t *data, size_t size)
{
	unsigned char *copy = malloc(size > 0 ? size : 1);

	REQUIRE(copy != NULL);
	if (size > 0)
		memcpy(copy, data, size);
	return copy;
}

static int
compare_hashes(const void *a, const void *b)
{
	uint64_t	x = bbf_get64(a);
	uint64_t	y = bbf_get64(b);

	return x < y ? -1 : x > y;
}

/* Set what the records say of bins, whose number and size are right. */
static void
repair_layers(const BbfMeta *meta, unsigned char *bytes)
{
	const BbfKindRoutine *routine = bbf_kind_routine(meta->kind);
	BbfMeta		repaired = *meta;

	for (unsigned i = 0; i < meta->nlayers; i++)
		(void) routine->check_bins(&meta->layers[i], bytes + bins_offset(meta, i),
								   &repaired.layers[i].nset);
	bbf_meta_write(&repaired, bytes);
}

unsigned char *
new_image(const uint8_t *data, size_t size, BbfKind kind, bool repair, BbfMeta *meta)
{
	unsigned char *bytes = exact_copy(data, size);

	if (repair && size >= BBF_HEADER_BYTES &&
		bbf_meta_read(bytes, size, size, kind, meta) != NULL &&
		size >= BBF_HEADER_BYTES + (size_t) bbf_get16(bytes + 12) * BBF_LAYER_RECORD_BYTES)
	{
		/* is the length all that is wrong? */
		meta->length = 0;
		(void) bbf_meta_read(bytes, size, size, kind, meta);
		if (meta->length > 0 && meta->length <= MAX_IMAGE)
		{
			unsigned char *resized = calloc(meta->length, 1);

			REQUIRE(resized != NULL);
			memcpy(resized, bytes, size < meta->length ? size : meta->length);
			free(bytes);
			bytes = resized;
			size = meta->length;
		}
	}
	if (repair && bbf_meta_read(bytes, size, size, kind, meta) == NULL)
	{
		qsort(bytes + BBF_HEADER_BYTES, meta->nlist, 8, compare_hashes);
		repair_layers(meta, bytes);
	}
	if (bbf_image_validate(bytes, size, kind, meta, no_pause) == NULL)
		return bytes;
	free(bytes);
	return NULL;
}

void
no_pause(void)
{
}
