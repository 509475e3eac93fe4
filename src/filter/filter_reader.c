/*
 * filter_reader.c
 *	  Opens filters, and probes them in memory or in slices.
 */
#include "compat.h"

#include "filter/filter_reader.h"

#include "fmgr.h"

/* The metadata are in the first bytes, as many as there may be. */
static ValueHeader
find_header(const void *format, size_t length)
{
	ValueHeader header = {0, Min(length, BBF_MAX_META_BYTES)};

	return header;
}

static Size
read_meta(const void *format, const unsigned char *bytes, ValueHeader *header, size_t length,
		  void *result)
{
	BbfMeta    *meta = result;

	blt_read_header(bytes, header->length, length, BBF_KIND_ANY, meta);
	header->length = BBF_HEADER_BYTES + meta->nlayers * BBF_LAYER_RECORD_BYTES;
	return offsetof(BbfMeta, layers) + meta->nlayers * sizeof(BbfLayer);
}

static const ValueRoutine filter_routine = {
	BBF_MAX_META_BYTES,
	sizeof(BbfMeta),
	find_header,
	read_meta
};

void
blt_init_reader(FilterReader *reader, MemoryContext context)
{
	reader->meta = NULL;
	reader->blocks = NULL;
	blt_init_value_reader(&reader->value, &filter_routine, context);
}

void
blt_open_filter(FilterReader *reader, Datum filter, OpenFilter *open)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(filter);
	OpenValue  *opened = &open->value;

	if (!VARATT_IS_EXTERNAL_ONDISK(value))
	{
		value = PG_DETOAST_DATUM_PACKED(filter);
		open->bytes = (const unsigned char *) VARDATA_ANY(value);
		if (VARSIZE_ANY_EXHDR(value) == reader->value.length &&
			blt_same_meta(reader, open->bytes))
		{
			open->meta = reader->meta;
			return;
		}
		filter = PointerGetDatum(value);
	}

	blt_open_value(&reader->value, NULL, filter, opened);

	/* a list is no larger than a slice or two */
	if (opened->bytes == NULL && ((const BbfMeta *) opened->meta)->nlayers == 0)
		blt_open_whole_value(&reader->value, NULL, filter, opened);
	open->meta = opened->meta;
	open->bytes = opened->bytes;
	if (open->bytes != NULL)
	{
		reader->meta = open->meta;
		reader->blocks = open->meta->kind == BBF_KIND_BLOOM && open->meta->nlayers == 1 ?
			&open->meta->layers[0] : NULL;
	}
}

/* A part of a filter, to be freed; error: it ends before. */
static struct varlena *
read_slice(const OpenFilter *open, size_t offset, size_t length)
{
	struct varlena *slice = blt_read_slice(&open->value, offset, length);

	if (slice == NULL)
		blt_report_corrupted(open->meta->kind, "It ends before its last block.");
	return slice;
}

/* The count of a key in one layer, of whose bins only those spans are read. */
static int
count_in_slices(const OpenFilter *open, const BbfLayer *layer, uint64 hash)
{
	const BbfKindRoutine *routine = bbf_kind_routine(open->meta->kind);
	BbfSpan		spans[BBF_MAX_SPANS];
	int			nspans = routine->find_spans(layer, hash, spans);
	struct varlena *slices[BBF_MAX_SPANS];
	const unsigned char *bytes[BBF_MAX_SPANS];
	int			count;

	for (int i = 0; i < nspans; i++)
	{
		slices[i] = read_slice(open, layer->offset + spans[i].offset, spans[i].length);
		bytes[i] = (const unsigned char *) VARDATA_ANY(slices[i]);
	}
	count = routine->count_in_spans(layer, hash, bytes);
	for (int i = 0; i < nspans; i++)
		pfree(slices[i]);
	return count;
}

int
blt_probe_count(const OpenFilter *open, uint64 hash)
{
	const BbfMeta *meta = open->meta;
	int			count = 0;

	if (open->bytes != NULL)
		return bbf_image_count(meta, open->bytes, hash);

	/* the last layer first, as in bbf_image_count; there is no list */
	for (unsigned i = meta->nlayers; i > 0 && count == 0; i--)
		count = count_in_slices(open, &meta->layers[i - 1], hash);
	return count;
}

bool
blt_probe(const OpenFilter *open, uint64 hash)
{
	if (open->bytes != NULL)
		return bbf_image_contains(open->meta, open->bytes, hash);
	return blt_probe_count(open, hash) > 0;
}

int
blt_find_probe(const OpenFilter *open, const uint64_t *hashes, int n,
			   bool wanted)
{
	const BbfLayer *layer = &open->meta->layers[0];
	int			i;

	/* most filters, with prefetch */
	if (open->bytes != NULL && open->meta->nlayers == 1 &&
		open->meta->kind == BBF_KIND_BLOOM)
		return (int) bbf_blocks_find(open->bytes + layer->offset, layer->nbins,
									 layer->key_bits, hashes, n, wanted);

	for (i = 0; i < n; i++)
	{
		if (blt_probe(open, hashes[i]) == wanted)
			break;
	}
	return i;
}
