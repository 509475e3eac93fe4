/*
 * external_reader.c
 *	  Opens filters of other systems, and probes them in memory or in slices.
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

static ValueHeader
find_header(const void *format, size_t length)
{
	BbfExternalSlice slice = bbf_external_header(format, length);
	ValueHeader header = {slice.offset, slice.length};

	return header;
}

static Size
read_meta(const void *format, const unsigned char *bytes, ValueHeader *header, size_t length,
		  void *meta)
{
	if (header->length != bbf_external_header(format, length).length)
		report_short_value(format);
	blt_read_external_header(format, bytes, length, meta);
	return blt_external_meta_size(meta);
}

const ValueRoutine blt_external_routine = {
	BBF_EXTERNAL_MAX_HEADER,
	sizeof(BbfExternalMeta),
	find_header,
	read_meta
};

void
blt_open_external(ValueReader *reader, const BbfExternalFormat *format, Datum value,
				  OpenExternal *open)
{
	blt_open_value(reader, format, value, &open->value);
	open->format = format;
	open->meta = open->value.meta;
	open->bytes = open->value.bytes;
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
		slice = blt_read_slice(&open->value, probe.slice.offset, probe.slice.length);
		if (slice == NULL)
			report_short_value(open->format);
		bbf_external_probe_go_on(open->format, open->meta, hash,
								 (const unsigned char *) VARDATA_ANY(slice), &probe);
		pfree(slice);
	}
	return probe.found;
}
