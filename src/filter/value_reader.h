/*
 * value_reader.h
 *	  A value in an argument that one call site reads again and again.
 *
 * A value has metadata, which are read from a header, and a rest of which a
 * call needs little.
 *
 *	in memory
 *		It is read in place.  Its metadata are remembered, and its header
 *		compared at each call: it could be another value at the same address.
 *	stored out of line, uncompressed
 *		The metadata are read once and kept; then slices are read, until the
 *		value is read whole and kept (toasted_value.h).
 *	in any other form
 *		It is detoasted at each call.
 *
 * filter_reader.h reads our filters by this, external/external_reader.h those
 * of other systems.  A value that is read once needs none of it: see
 * filter_datum.h.
 */
#ifndef BLOOMTYPE_VALUE_READER_H
#define BLOOMTYPE_VALUE_READER_H

#include "filter/toasted_value.h"

/* The part of a value that tells its metadata. */
typedef struct ValueHeader
{
	size_t		offset;
	size_t		length;
} ValueHeader;

/*
 * How values of a type are read.  The format is that of the call, of a type
 * that has several.
 */
typedef struct ValueRoutine
{
	size_t		max_header;
	Size		max_meta;

	/*
	 * The part of a value of length bytes that has its header, and may have
	 * more.
	 */
	ValueHeader (*find_header) (const void *format, size_t length);

	/*
	 * Read the metadata of a value of length bytes.  bytes is what there is
	 * of that part, header->length bytes; set this to the length of the
	 * header.  Returns the size of the metadata in use.  Error: it is no such
	 * value.
	 */
	Size		(*read_meta) (const void *format, const unsigned char *bytes,
							  ValueHeader *header, size_t length, void *meta);
} ValueRoutine;

/* What a reader remembers of the last value that was in memory. */
typedef enum RememberedForm
{
	BLT_REMEMBERS_NOTHING = 0,
	BLT_REMEMBERS_PLAIN,
	BLT_REMEMBERS_COPY			/* of a value stored out of line */
} RememberedForm;

typedef struct ValueReader
{
	const ValueRoutine *routine;

	RememberedForm form;
	const void *format;			/* as which it was read, */
	void	   *meta;			/* and its metadata, unless it is nothing */
	union
	{
		struct
		{
			size_t		length;
			ValueHeader header; /* whose bytes are in header_bytes */
		}			plain;
		struct
		{
			const unsigned char *bytes;
			struct varatt_external pointer;
		}			copy;
	}			is;

	/* memory for plain values; null before the first */
	unsigned char *header_bytes;
	void	   *plain_meta;

	ToastedValues toasted;
} ValueReader;

/* A value that can be read until the next one is opened. */
typedef struct OpenValue
{
	void	   *meta;			/* memory of the reader's */
	const unsigned char *bytes; /* null: slices are read */
	ToastedValue *toasted;		/* these two are set if bytes is null */
	Datum		value;
} OpenValue;

static inline void
blt_init_value_reader(ValueReader *reader, const ValueRoutine *routine,
					  MemoryContext context)
{
	memset(reader, 0, sizeof(*reader));
	reader->routine = routine;
	blt_init_toasted(&reader->toasted, context);
}

/* Open the value in an argument.  Errors: those of read_meta. */
extern void blt_open_value(ValueReader *reader, const void *format, Datum value,
						   OpenValue *open);

/* The same, detoasted whole if need be. */
extern void blt_open_whole_value(ValueReader *reader, const void *format, Datum value,
								 OpenValue *open);

/* A slice of an open value, to be freed; null: the value ends before. */
extern struct varlena *blt_read_slice(const OpenValue *open, size_t offset, size_t length);

/* Is a value, which is not plain, the one of which the reader has a copy? */
static pg_attribute_always_inline bool
blt_is_copied(const ValueReader *reader, const struct varlena *value)
{
	return reader->form == BLT_REMEMBERS_COPY && VARATT_IS_EXTERNAL_ONDISK(value) &&
		memcmp(VARDATA_EXTERNAL(value), &reader->is.copy.pointer,
			   sizeof(reader->is.copy.pointer)) == 0;
}

/* Is the remembered value plain, and of this length? */
static pg_attribute_always_inline bool
blt_remembers_length(const ValueReader *reader, size_t length)
{
	return reader->form == BLT_REMEMBERS_PLAIN && length == reader->is.plain.length;
}

#endif							/* BLOOMTYPE_VALUE_READER_H */
