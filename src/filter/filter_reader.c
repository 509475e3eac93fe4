/*
 * filter_reader.c
 *	  Remembers filters from call to call, and reads stored ones in slices.
 */
#include "compat.h"

#include "filter/filter_reader.h"

#include "access/detoast.h"
#include "access/heaptoast.h"
#include "fmgr.h"
#include "miscadmin.h"

/*
 * What one slice costs in chunks read in sequence: a descent of the TOAST
 * index and one chunk, 4 us, against 0.7 us for each chunk of a whole value.
 */
#define SLICE_COST_IN_CHUNKS	6

/* If a call site takes turns among more filters, they push each other out. */
#define MAX_STORED				64

static void
remember_plain(FilterReader *reader, const unsigned char *bytes, size_t length)
{
	if (reader->meta_bytes == NULL)
	{
		reader->meta_bytes = MemoryContextAlloc(reader->context, BBF_MAX_META_BYTES);
		reader->meta = MemoryContextAlloc(reader->context, sizeof(BbfMeta));
	}

	reader->length = SIZE_MAX;
	blt_check_stored(bytes, length, length, BBF_KIND_ANY, reader->meta);
	reader->meta_length = BBF_HEADER_BYTES +
		reader->meta->nlayers * BBF_LAYER_RECORD_BYTES;
	memcpy(reader->meta_bytes, bytes, reader->meta_length);
	reader->blocks = NULL;
	if (reader->meta->kind == BBF_KIND_BLOOM && reader->meta->nlayers == 1)
		reader->blocks = &reader->meta->layers[0];
	reader->length = length;
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

static void
drop_copy(FilterReader *reader, StoredFilter *stored)
{
	if (stored->copy != NULL)
	{
		reader->copies_size -= VARSIZE(stored->copy);
		pfree(stored->copy);
		stored->copy = NULL;
	}
}

/* The entry for a TOAST pointer; a new one has no metadata yet. */
static StoredFilter *
find_stored(FilterReader *reader, const struct varatt_external *pointer)
{
	StoredFilter *oldest;

	if (reader->stored == NULL)
		reader->stored = MemoryContextAllocZero(reader->context,
												MAX_STORED * sizeof(StoredFilter));

	/* most often it is the last one, or the one behind it if they take turns */
	for (int i = 0; i < reader->nstored; i++)
	{
		int			at = (reader->last + i) % reader->nstored;

		if (memcmp(&reader->stored[at].pointer, pointer, sizeof(*pointer)) == 0)
		{
			reader->last = at;
			return &reader->stored[at];
		}
	}

	if (reader->nstored < MAX_STORED)
		oldest = &reader->stored[reader->nstored++];
	else
	{
		oldest = &reader->stored[0];
		for (int i = 1; i < reader->nstored; i++)
		{
			if (reader->stored[i].last_use < oldest->last_use)
				oldest = &reader->stored[i];
		}
		drop_copy(reader, oldest);
		if (oldest->meta != NULL)
			pfree(oldest->meta);
	}

	memset(oldest, 0, sizeof(*oldest));
	oldest->pointer = *pointer;
	oldest->first_slice = reader->nopened;
	reader->last = oldest - reader->stored;
	return oldest;
}

/* Copy metadata into the reader's context, with as many layers as there are. */
static BbfMeta *
keep_meta(FilterReader *reader, const BbfMeta *meta)
{
	Size		size = offsetof(BbfMeta, layers) +
		meta->nlayers * sizeof(BbfLayer);
	BbfMeta    *kept = MemoryContextAlloc(reader->context, size);

	memcpy(kept, meta, size);
	return kept;
}

/*
 * Read a value whole and keep the copy, if it fits into work_mem, if need be after
 * copies were dropped that were not used since stored->first_slice.  A single copy
 * may be larger than that: whatever else is done with a value needs as much.
 */
static void
try_to_copy(FilterReader *reader, StoredFilter *stored, Datum filter)
{
	Size		budget = (Size) work_mem * 1024;
	Size		size = stored->pointer.va_rawsize;
	MemoryContext old_context;

	stored->slice_cost = 0;
	while (reader->copies_size > 0 && reader->copies_size + size > budget)
	{
		StoredFilter *idle = NULL;

		for (int i = 0; i < reader->nstored; i++)
		{
			StoredFilter *other = &reader->stored[i];

			if (other->copy != NULL && other->last_use < stored->first_slice &&
				(idle == NULL || other->last_use < idle->last_use))
				idle = other;
		}
		if (idle == NULL)
		{
			stored->first_slice = reader->nopened;
			return;
		}
		drop_copy(reader, idle);
	}

	old_context = MemoryContextSwitchTo(reader->context);
	stored->copy = PG_DETOAST_DATUM(filter);
	MemoryContextSwitchTo(old_context);
	reader->copies_size += VARSIZE(stored->copy);
}

/*
 * VARATT_EXTERNAL_IS_COMPRESSED, without its comparison of a signed with an
 * unsigned number, of which -Wextra warns.
 */
static bool
is_compressed(const struct varatt_external *pointer)
{
	return VARATT_EXTERNAL_GET_EXTSIZE(*pointer) <
		(Size) pointer->va_rawsize - VARHDRSZ;
}

static void
open_stored(FilterReader *reader, struct varlena *value, OpenFilter *open)
{
	Datum		filter = PointerGetDatum(value);
	struct varatt_external pointer;
	StoredFilter *stored;
	bool		compressed;

	reader->nopened++;
	VARATT_EXTERNAL_GET_POINTER(pointer, value);
	compressed = is_compressed(&pointer);
	stored = find_stored(reader, &pointer);

	if (stored->copy == NULL &&
		(compressed ||
		 stored->slice_cost * TOAST_MAX_CHUNK_SIZE >= (Size) pointer.va_rawsize))
		try_to_copy(reader, stored, filter);

	if (stored->copy == NULL && compressed)
	{
		open_plain(reader, PG_DETOAST_DATUM(filter), open);
		return;
	}

	if (stored->meta == NULL)
	{
		BbfMeta		meta;

		blt_read_meta(stored->copy != NULL ? PointerGetDatum(stored->copy) : filter,
					  BBF_KIND_ANY, &meta);
		stored->meta = keep_meta(reader, &meta);
	}

	/* a list is no larger than a slice or two */
	if (stored->meta->nlayers == 0 && stored->copy == NULL)
	{
		open_plain(reader, PG_DETOAST_DATUM(filter), open);
		return;
	}

	stored->last_use = reader->nopened;
	open->meta = stored->meta;
	open->stored = stored;
	open->filter = filter;
	open->bytes = stored->copy == NULL ? NULL : blt_filter_bytes(stored->copy);
}

void
blt_open_filter(FilterReader *reader, Datum filter, OpenFilter *open)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(filter);

	if (VARATT_IS_EXTERNAL_ONDISK(value))
		open_stored(reader, value, open);
	else
		open_plain(reader, PG_DETOAST_DATUM_PACKED(filter), open);
}

/* A part of a stored image, to be freed; error: it ends before. */
static struct varlena *
read_slice(const OpenFilter *open, size_t offset, size_t length)
{
	struct varlena *slice = PG_DETOAST_DATUM_SLICE(open->filter, offset, length);

	if (VARSIZE_ANY_EXHDR(slice) != length)
		blt_report_corrupted(open->meta->kind, "It ends before its last block.");
	open->stored->slice_cost += SLICE_COST_IN_CHUNKS;
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

bool
blt_probe_any(const OpenFilter *open, const uint64_t *hashes, int n,
			  bool wanted)
{
	const BbfLayer *layer = &open->meta->layers[0];

	/* most filters, with prefetch */
	if (open->bytes != NULL && open->meta->nlayers == 1 &&
		open->meta->kind == BBF_KIND_BLOOM)
		return bbf_blocks_find(open->bytes + layer->offset, layer->nbins,
							   layer->key_bits, hashes, n, wanted) < (size_t) n;

	for (int i = 0; i < n; i++)
	{
		if (blt_probe(open, hashes[i]) == wanted)
			return true;
	}
	return false;
}
