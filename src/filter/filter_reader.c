/*
 * filter_reader.c
 *	  Remembers filters from call to call, and reads stored ones in slices.
 */
#include "compat.h"

#include "filter/filter_reader.h"

#include "fmgr.h"

static void
remember_meta(FilterReader *reader, const BbfMeta *meta)
{
	reader->meta = meta;
	reader->blocks = meta->kind == BBF_KIND_BLOOM && meta->nlayers == 1 ?
		&meta->layers[0] : NULL;
}

static void
remember_plain(FilterReader *reader, const unsigned char *bytes, size_t length)
{
	if (reader->meta_bytes == NULL)
	{
		reader->meta_bytes = MemoryContextAlloc(reader->stored.context, BBF_MAX_META_BYTES);
		reader->plain_meta = MemoryContextAlloc(reader->stored.context, sizeof(BbfMeta));
	}

	reader->length = SIZE_MAX;
	reader->copy = NULL;
	blt_check_stored(bytes, length, length, BBF_KIND_ANY, reader->plain_meta);
	reader->meta_length = BBF_HEADER_BYTES +
		reader->plain_meta->nlayers * BBF_LAYER_RECORD_BYTES;
	memcpy(reader->meta_bytes, bytes, reader->meta_length);
	remember_meta(reader, reader->plain_meta);
	reader->length = length;
}

/* Remember a stored value of which there is a copy. */
static void
remember_copy(FilterReader *reader, const StoredValue *stored)
{
	reader->length = SIZE_MAX;
	remember_meta(reader, stored->meta);
	reader->copy = blt_filter_bytes(stored->copy);
	reader->copy_pointer = stored->pointer;
}

static void
open_plain(FilterReader *reader, struct varlena *value, OpenFilter *open)
{
	const unsigned char *bytes = (const unsigned char *) VARDATA_ANY(value);
	size_t		length = VARSIZE_ANY_EXHDR(value);

	if (length != reader->length || !blt_same_meta(reader, bytes))
		remember_plain(reader, bytes, length);
	open->meta = reader->meta;
	open->bytes = bytes;
}

/* Copy metadata into the reader's context, with as many layers as there are. */
static BbfMeta *
keep_meta(FilterReader *reader, const BbfMeta *meta)
{
	Size		size = offsetof(BbfMeta, layers) +
		meta->nlayers * sizeof(BbfLayer);
	BbfMeta    *kept = MemoryContextAlloc(reader->stored.context, size);

	memcpy(kept, meta, size);
	return kept;
}

static void
open_stored(FilterReader *reader, Datum filter, OpenFilter *open)
{
	StoredValue *stored;
	const BbfMeta *meta;

	/* it may be dropped now */
	reader->copy = NULL;
	stored = blt_open_stored(&reader->stored, filter);
	if (stored == NULL)
	{
		open_plain(reader, PG_DETOAST_DATUM(filter), open);
		return;
	}

	if (stored->meta == NULL)
	{
		BbfMeta		read;

		blt_read_meta(stored->copy != NULL ? PointerGetDatum(stored->copy) : filter,
					  BBF_KIND_ANY, &read);
		stored->meta = keep_meta(reader, &read);
	}
	meta = stored->meta;

	/* a list is no larger than a slice or two */
	if (meta->nlayers == 0 && stored->copy == NULL)
	{
		open_plain(reader, PG_DETOAST_DATUM(filter), open);
		return;
	}

	open->meta = meta;
	open->stored = stored;
	open->filter = filter;
	open->bytes = NULL;
	if (stored->copy != NULL)
	{
		remember_copy(reader, stored);
		open->bytes = reader->copy;
	}
}

void
blt_open_filter(FilterReader *reader, Datum filter, OpenFilter *open)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(filter);

	if (VARATT_IS_EXTERNAL_ONDISK(value))
		open_stored(reader, filter, open);
	else
		open_plain(reader, PG_DETOAST_DATUM_PACKED(filter), open);
}

/* A part of a stored image, to be freed; error: it ends before. */
static struct varlena *
read_slice(const OpenFilter *open, size_t offset, size_t length)
{
	struct varlena *slice = blt_read_slice(open->stored, open->filter, offset, length);

	if (VARSIZE_ANY_EXHDR(slice) != length)
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
