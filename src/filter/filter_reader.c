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
	BbfFilter  *filter = result;
	BbfMeta    *meta = &filter->meta;

	filter->list = NULL;
	blt_read_header(bytes, header->length, length, BBF_KIND_ANY, meta);
	header->length = BBF_HEADER_BYTES + meta->nlayers * BBF_LAYER_RECORD_BYTES;
	return offsetof(BbfFilter, meta.layers) + meta->nlayers * sizeof(BbfLayer);
}

static const ValueRoutine filter_routine = {
	BBF_MAX_META_BYTES,
	sizeof(BbfFilter),
	find_header,
	read_meta
};

void
blt_init_reader(FilterReader *reader, MemoryContext context)
{
	reader->filter = NULL;
	reader->blocks = NULL;
	blt_init_value_reader(&reader->value, &filter_routine, context);
}

void
blt_open_to_probe(FilterReader *reader, Datum value, ProbedFilter *open)
{
	struct varlena *plain = (struct varlena *) DatumGetPointer(value);
	OpenValue  *opened = &open->value;
	BbfFilter  *filter;

	if (!VARATT_IS_EXTERNAL_ONDISK(plain))
	{
		const unsigned char *bytes;

		open->filter = blt_expanded_filter(value);
		open->is_in_memory = true;
		if (open->filter != NULL)
			return;
		plain = PG_DETOAST_DATUM_PACKED(value);
		bytes = (const unsigned char *) VARDATA_ANY(plain);
		if (blt_remembers_length(&reader->value, VARSIZE_ANY_EXHDR(plain)) &&
			blt_same_meta(reader, bytes))
		{
			open->filter = blt_remembered_filter(reader, bytes);
			return;
		}
		value = PointerGetDatum(plain);
	}

	blt_open_value(&reader->value, NULL, value, opened);
	filter = opened->meta;

	/* a list is no larger than a slice or two */
	if (opened->bytes == NULL && filter->meta.nlayers == 0)
	{
		blt_open_whole_value(&reader->value, NULL, value, opened);
		filter = opened->meta;
	}
	open->filter = filter;
	open->is_in_memory = opened->bytes != NULL;
	if (open->is_in_memory)
	{
		reader->filter = filter;
		reader->blocks = filter->meta.kind == BBF_KIND_BLOOM && filter->meta.nlayers == 1 ?
			&filter->meta.layers[0] : NULL;
		(void) blt_remembered_filter(reader, opened->bytes);
	}
}

/* A part of a filter, to be freed; error: it ends before. */
static struct varlena *
read_slice(const ProbedFilter *open, size_t offset, size_t length)
{
	struct varlena *slice = blt_read_slice(&open->value, offset, length);

	if (slice == NULL)
		blt_report_corrupted(open->filter->meta.kind, "It ends before its last block.");
	return slice;
}

/*
 * The count of a key in one layer, whose bins begin at an offset, and of which
 * only some spans are read.
 */
static int
count_in_slices(const ProbedFilter *open, const BbfLayer *layer, size_t offset, uint64 hash)
{
	const BbfKindRoutine *routine = bbf_kind_routine(open->filter->meta.kind);
	BbfSpan		spans[BBF_MAX_SPANS];
	int			nspans = routine->find_spans(layer, hash, spans);
	struct varlena *slices[BBF_MAX_SPANS];
	const unsigned char *bytes[BBF_MAX_SPANS];
	int			count;

	for (int i = 0; i < nspans; i++)
	{
		slices[i] = read_slice(open, offset + spans[i].offset, spans[i].length);
		bytes[i] = (const unsigned char *) VARDATA_ANY(slices[i]);
	}
	count = routine->count_in_spans(layer, hash, bytes);
	for (int i = 0; i < nspans; i++)
		pfree(slices[i]);
	return count;
}

int
blt_probe_count(const ProbedFilter *open, uint64 hash)
{
	const BbfMeta *meta = &open->filter->meta;
	size_t		offset = meta->length;
	int			count = 0;

	if (open->is_in_memory)
		return bbf_filter_count(open->filter, hash);

	/* the last layer first, as in bbf_filter_count; there is no list */
	for (unsigned i = meta->nlayers; i > 0 && count == 0; i--)
	{
		const BbfLayer *layer = &meta->layers[i - 1];

		offset -= bbf_bins_bytes(bbf_kind_routine(meta->kind), layer);
		count = count_in_slices(open, layer, offset, hash);
	}
	return count;
}

bool
blt_probe(const ProbedFilter *open, uint64 hash)
{
	if (open->is_in_memory)
		return bbf_filter_contains(open->filter, hash);
	return blt_probe_count(open, hash) > 0;
}

int
blt_find_probe(const ProbedFilter *open, const uint64_t *hashes, int n,
			   bool wanted)
{
	const BbfMeta *meta = &open->filter->meta;
	int			i;

	/* most filters, with prefetch */
	if (open->is_in_memory && meta->nlayers == 1 && meta->kind == BBF_KIND_BLOOM)
		return (int) bbf_blocks_find(open->filter->bins[0], meta->layers[0].nbins,
									 meta->layers[0].key_bits, hashes, n, wanted);

	for (i = 0; i < n; i++)
	{
		if (blt_probe(open, hashes[i]) == wanted)
			break;
	}
	return i;
}
