/*
 * value_reader.c
 *	  Remembers metadata of values from call to call.
 */
#include "compat.h"

#include "filter/value_reader.h"

#include "fmgr.h"

static void
remember_plain(ValueReader *reader, const void *format, const unsigned char *bytes,
			   size_t length)
{
	ValueHeader header = reader->routine->find_header(format, length);
	const unsigned char *start = bytes + header.offset;

	if (reader->plain_meta == NULL)
	{
		MemoryContext context = reader->toasted.context;

		reader->header_bytes = MemoryContextAlloc(context, reader->routine->max_header);
		reader->plain_meta = MemoryContextAlloc(context, reader->routine->max_meta);
	}

	reader->form = BLT_REMEMBERS_NOTHING;
	header.length = Min(header.length, length - header.offset);
	(void) reader->routine->read_meta(format, start, &header, length, reader->plain_meta);
	memcpy(reader->header_bytes, start, header.length);
	reader->form = BLT_REMEMBERS_PLAIN;
	reader->format = format;
	reader->meta = reader->plain_meta;
	reader->is.plain.length = length;
	reader->is.plain.header = header;
}

static void
open_plain(ValueReader *reader, const void *format, struct varlena *value, OpenValue *open)
{
	const unsigned char *bytes = (const unsigned char *) VARDATA_ANY(value);
	size_t		length = VARSIZE_ANY_EXHDR(value);

	if (!blt_remembers_length(reader, length) || format != reader->format ||
		memcmp(bytes + reader->is.plain.header.offset, reader->header_bytes,
			   reader->is.plain.header.length) != 0)
		remember_plain(reader, format, bytes, length);
	open->meta = reader->meta;
	open->bytes = bytes;
}

/* Have the metadata of a value stored out of line. */
static void
know_toasted(ValueReader *reader, const void *format, ToastedValue *entry, Datum value)
{
	size_t		length = entry->pointer.va_rawsize - VARHDRSZ;
	ValueHeader header;
	struct varlena *bytes;
	void	   *meta;
	Size		size;

	if (entry->meta != NULL && entry->format == format)
		return;

	if (entry->copy != NULL)
	{
		/* of a compressed value the pointer may say more than there is */
		length = VARSIZE(entry->copy) - VARHDRSZ;
		value = PointerGetDatum(entry->copy);
	}
	header = reader->routine->find_header(format, length);
	bytes = PG_DETOAST_DATUM_SLICE(value, header.offset, header.length);
	header.length = VARSIZE_ANY_EXHDR(bytes);
	meta = palloc(reader->routine->max_meta);
	size = reader->routine->read_meta(format, (const unsigned char *) VARDATA_ANY(bytes),
									  &header, length, meta);
	blt_keep_toasted_meta(&reader->toasted, entry, format, meta, size);
	pfree(meta);
	pfree(bytes);
}

void
blt_open_whole_value(ValueReader *reader, const void *format, Datum value, OpenValue *open)
{
	open_plain(reader, format, PG_DETOAST_DATUM_PACKED(value), open);
}

void
blt_open_value(ValueReader *reader, const void *format, Datum value, OpenValue *open)
{
	ToastedValue *entry;

	if (!VARATT_IS_EXTERNAL_ONDISK((struct varlena *) DatumGetPointer(value)))
	{
		blt_open_whole_value(reader, format, value, open);
		return;
	}

	/* the copy and its metadata may be freed now */
	if (reader->form == BLT_REMEMBERS_COPY)
		reader->form = BLT_REMEMBERS_NOTHING;
	entry = blt_find_toasted(&reader->toasted, value);
	if (entry == NULL)
	{
		blt_open_whole_value(reader, format, value, open);
		return;
	}
	know_toasted(reader, format, entry, value);
	open->meta = entry->meta;
	open->bytes = NULL;
	open->toasted = entry;
	open->value = value;
	if (entry->copy != NULL)
	{
		reader->form = BLT_REMEMBERS_COPY;
		reader->format = format;
		reader->meta = entry->meta;
		reader->is.copy.bytes = (const unsigned char *) VARDATA(entry->copy);
		reader->is.copy.pointer = entry->pointer;
		open->bytes = reader->is.copy.bytes;
	}
}

struct varlena *
blt_read_slice(const OpenValue *open, size_t offset, size_t length)
{
	struct varlena *slice = blt_read_toasted_slice(open->toasted, open->value, offset, length);

	return VARSIZE_ANY_EXHDR(slice) == length ? slice : NULL;
}
