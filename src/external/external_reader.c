/*
 * external_reader.c
 *	  Remembers filters of other systems from call to call, and reads stored ones in
 *	  slices.
 */
#include "compat.h"

#include "external/external_reader.h"

#include "external/external_datum.h"
#include "fmgr.h"
#include "miscadmin.h"

pg_noreturn static void
report_short_value(const BbfExternalFormat *format)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("stored filter of format \"%s\" is corrupted", format->name),
			 errdetail("It ends before its length says.")));
}

static void
open_plain(ExternalReader *reader, const BbfExternalFormat *format,
		   struct varlena *value, OpenExternal *open)
{
	const unsigned char *bytes = (const unsigned char *) VARDATA_ANY(value);
	size_t		length = VARSIZE_ANY_EXHDR(value);
	BbfExternalSlice head = bbf_external_head(format, length);
	KnownExternal *plain = reader->plain;

	if (plain == NULL)
	{
		reader->head_bytes = MemoryContextAlloc(reader->stored.context,
												BBF_EXTERNAL_MAX_HEAD);
		plain = MemoryContextAllocZero(reader->stored.context, sizeof(KnownExternal));
		reader->plain = plain;
	}
	if (format != plain->format || length != reader->length ||
		memcmp(bytes + head.offset, reader->head_bytes, head.length) != 0)
	{
		plain->format = NULL;
		blt_read_external_head(format, bytes + head.offset, length, &plain->meta);
		reader->length = length;
		reader->head = head;
		memcpy(reader->head_bytes, bytes + head.offset, head.length);
		plain->format = format;
	}
	open->meta = &plain->meta;
	open->bytes = bytes;
}

/* Have the metadata of a stored value, read from its head. */
static void
know_stored(ExternalReader *reader, const BbfExternalFormat *format,
			StoredValue *stored, Datum value)
{
	KnownExternal *known = stored->meta;
	size_t		length = stored->pointer.va_rawsize - VARHDRSZ;
	BbfExternalSlice head = bbf_external_head(format, length);
	struct varlena *bytes;
	BbfExternalMeta meta;
	Size		meta_size;

	if (known != NULL && known->format == format)
		return;

	bytes = PG_DETOAST_DATUM_SLICE(stored->copy != NULL ? PointerGetDatum(stored->copy) :
								   value, head.offset, head.length);
	if (VARSIZE_ANY_EXHDR(bytes) != head.length)
		report_short_value(format);
	blt_read_external_head(format, (const unsigned char *) VARDATA_ANY(bytes), length,
						   &meta);
	pfree(bytes);

	/* another format may have been asked for before */
	stored->meta = NULL;
	if (known != NULL)
		pfree(known);
	meta_size = blt_external_meta_size(&meta);
	known = MemoryContextAlloc(reader->stored.context,
							   offsetof(KnownExternal, meta) + meta_size);
	known->format = format;
	memcpy(&known->meta, &meta, meta_size);
	stored->meta = known;
}

static void
open_stored(ExternalReader *reader, const BbfExternalFormat *format, Datum value,
			OpenExternal *open)
{
	StoredValue *stored = blt_open_stored(&reader->stored, value);

	if (stored == NULL)
	{
		open_plain(reader, format, PG_DETOAST_DATUM(value), open);
		return;
	}
	know_stored(reader, format, stored, value);
	open->meta = &((KnownExternal *) stored->meta)->meta;
	open->stored = stored;
	open->value = value;
	open->bytes = stored->copy == NULL ? NULL : (unsigned char *) VARDATA(stored->copy);
}

void
blt_open_external(ExternalReader *reader, const BbfExternalFormat *format, Datum value,
				  OpenExternal *open)
{
	open->format = format;
	if (VARATT_IS_EXTERNAL_ONDISK((struct varlena *) DatumGetPointer(value)))
		open_stored(reader, format, value, open);
	else
		open_plain(reader, format, PG_DETOAST_DATUM_PACKED(value), open);
}

bool
blt_probe_external(const OpenExternal *open, const uint64_t *hash)
{
	BbfExternalProbe probe;

	if (open->bytes != NULL)
		return bbf_external_contains(open->format, open->meta, open->bytes, hash);

	bbf_external_probe_start(open->format, open->meta, hash, &probe);
	while (probe.needs_slice)
	{
		struct varlena *slice;

		CHECK_FOR_INTERRUPTS();
		slice = blt_read_slice(open->stored, open->value, probe.slice.offset,
							   probe.slice.length);
		if (VARSIZE_ANY_EXHDR(slice) != probe.slice.length)
			report_short_value(open->format);
		bbf_external_probe_go_on(open->format, open->meta, hash,
								 (const unsigned char *) VARDATA_ANY(slice), &probe);
		pfree(slice);
	}
	return probe.found;
}
