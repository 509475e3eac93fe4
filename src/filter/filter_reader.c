/*
 * filter_reader.c
 *	  See filter_reader.h.
 */
#include "filter/filter_reader.h"

#include "access/detoast.h"
#include "access/heaptoast.h"
#include "core/counting.h"
#include "core/cuckoo.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/*
 * What one slice costs in chunks read in sequence: a descent of the TOAST
 * index and one chunk, 4 us, against 0.7 us for each chunk of a whole value.
 */
#define SLICE_COST_IN_CHUNKS	6

/* More filters than this alternating in one call site push each other out. */
#define MAX_STORED				64

static void
remember_plain(ImageReader *reader, const unsigned char *bytes, size_t length,
			   BbfKind kind)
{
	if (reader->head == NULL)
	{
		reader->head = MemoryContextAlloc(reader->context, BBF_MAX_HEAD_BYTES);
		reader->image = MemoryContextAlloc(reader->context, sizeof(BbfImage));
	}

	reader->length = SIZE_MAX;
	bloomtype_check_image(kind, bbf_image_read(bytes, length, length, kind,
											   reader->image));
	reader->head_length = BBF_HEADER_BYTES +
		reader->image->nlayers * BBF_LAYER_BYTES;
	memcpy(reader->head, bytes, reader->head_length);
	reader->length = length;
}

static void
open_plain(ImageReader *reader, struct varlena *value, BbfKind kind,
		   OpenImage *open)
{
	const unsigned char *bytes = (const unsigned char *) VARDATA_ANY(value);
	size_t		length = VARSIZE_ANY_EXHDR(value);

	if (length != reader->length || !bloomtype_same_head(reader, bytes))
		remember_plain(reader, bytes, length, kind);
	open->image = reader->image;
	open->bytes = bytes;
}

static void
drop_copy(ImageReader *reader, StoredImage *stored)
{
	if (stored->copy != NULL)
	{
		reader->copies_size -= VARSIZE(stored->copy);
		pfree(stored->copy);
		stored->copy = NULL;
	}
}

/* The entry for a TOAST pointer; a new one has no image yet. */
static StoredImage *
find_stored(ImageReader *reader, const struct varatt_external *pointer)
{
	StoredImage *oldest;

	if (reader->stored == NULL)
		reader->stored = MemoryContextAllocZero(reader->context,
												MAX_STORED * sizeof(StoredImage));

	/* most often the one before, or the next when several take turns */
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
		if (oldest->image != NULL)
			pfree(oldest->image);
	}

	memset(oldest, 0, sizeof(*oldest));
	oldest->pointer = *pointer;
	oldest->first_slice = reader->nopened;
	reader->last = oldest - reader->stored;
	return oldest;
}

/* Keep what a head says; without the layers that it does not have. */
static BbfImage *
keep_image(ImageReader *reader, const BbfImage *image)
{
	Size		size = offsetof(BbfImage, layers) +
		image->nlayers * sizeof(BbfLayer);
	BbfImage   *kept = MemoryContextAlloc(reader->context, size);

	memcpy(kept, image, size);
	return kept;
}

/*
 * Read a value whole and keep it, if there is room within work_mem or a copy
 * that nobody has asked since this one's slices began to add up.  One copy
 * may be larger than that: whatever else is done with a value needs as much.
 */
static void
try_to_copy(ImageReader *reader, StoredImage *stored, Datum filter)
{
	Size		budget = (Size) work_mem * 1024;
	Size		size = stored->pointer.va_rawsize;
	MemoryContext old_context;

	stored->slice_cost = 0;
	while (reader->copies_size > 0 && reader->copies_size + size > budget)
	{
		StoredImage *idle = NULL;

		for (int i = 0; i < reader->nstored; i++)
		{
			StoredImage *other = &reader->stored[i];

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

/* VARATT_EXTERNAL_IS_COMPRESSED, which compares signed with unsigned */
static bool
is_compressed(const struct varatt_external *pointer)
{
	return VARATT_EXTERNAL_GET_EXTSIZE(*pointer) <
		(Size) pointer->va_rawsize - VARHDRSZ;
}

static void
open_stored(ImageReader *reader, struct varlena *value, BbfKind kind,
			OpenImage *open)
{
	Datum		filter = PointerGetDatum(value);
	struct varatt_external pointer;
	StoredImage *stored;
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
		open_plain(reader, PG_DETOAST_DATUM(filter), kind, open);
		return;
	}

	if (stored->image == NULL)
	{
		BbfImage	image;

		bloomtype_read_head(stored->copy != NULL ?
							PointerGetDatum(stored->copy) : filter, kind, &image);
		stored->image = keep_image(reader, &image);
	}

	/* a list is no larger than a slice or two */
	if (stored->image->nlayers == 0 && stored->copy == NULL)
	{
		open_plain(reader, PG_DETOAST_DATUM(filter), kind, open);
		return;
	}

	stored->last_use = reader->nopened;
	open->image = stored->image;
	open->stored = stored;
	open->filter = filter;
	open->bytes = stored->copy == NULL ? NULL : bloomtype_image_bytes(stored->copy);
}

void
bloomtype_reader_open(ImageReader *reader, Datum filter, BbfKind kind,
					  OpenImage *open)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(filter);

	if (VARATT_IS_EXTERNAL_ONDISK(value))
		open_stored(reader, value, kind, open);
	else
		open_plain(reader, PG_DETOAST_DATUM_PACKED(filter), kind, open);
}

/* A part of a stored image, to be freed; error: it ends before. */
static struct varlena *
read_slice(const OpenImage *open, size_t offset, size_t length)
{
	struct varlena *slice = PG_DETOAST_DATUM_SLICE(open->filter, offset, length);

	if (VARSIZE_ANY_EXHDR(slice) != length)
		bloomtype_check_image(open->image->kind, "It ends before its last block.");
	open->stored->slice_cost += SLICE_COST_IN_CHUNKS;
	return slice;
}

static bool
test_stored_bits(const OpenImage *open, uint64 hash)
{
	const BbfImage *image = open->image;

	for (unsigned i = image->nlayers; i > 0; i--)
	{
		const BbfLayer *layer = &image->layers[i - 1];
		struct varlena *block;
		bool		found;

		block = read_slice(open, layer->offset + bbf_block_offset(hash, layer->nblocks),
						   BBF_BLOCK_BYTES);
		found = bbf_block_test((unsigned char *) VARDATA_ANY(block),
							   layer->nprobes, hash);
		pfree(block);
		if (found)
			return true;
	}
	return false;
}

static int
count_stored_counters(const OpenImage *open, uint64 hash)
{
	const BbfLayer *layer = &open->image->layers[0];
	struct varlena *block;
	int			count;

	block = read_slice(open, layer->offset + bbf_counters_offset(hash, layer->nblocks),
					   BBF_COUNTERS_BYTES);
	count = bbf_counters_least((unsigned char *) VARDATA_ANY(block),
							   layer->nprobes, hash);
	pfree(block);
	return count;
}

static int
count_stored_fingerprints(const OpenImage *open, uint64 hash)
{
	const BbfLayer *layer = &open->image->layers[0];
	BbfCandidates key = bbf_cuckoo_candidates(hash, layer->nblocks, layer->nprobes);
	int			count = 0;

	for (int i = 0; i < 2; i++)
	{
		size_t		offset;
		unsigned	first_bit;
		size_t		length = bbf_bucket_span(key.buckets[i], layer->nprobes,
											 &offset, &first_bit);
		struct varlena *span = read_slice(open, layer->offset + offset, length);

		count += bbf_bucket_count((unsigned char *) VARDATA_ANY(span), first_bit,
								  layer->nprobes, key.fingerprint);
		pfree(span);
	}
	return count;
}

int
bloomtype_reader_count(const OpenImage *open, uint64 hash)
{
	if (open->bytes != NULL)
		return bbf_image_count(open->image, open->bytes, hash);
	return open->image->kind == BBF_KIND_CUCKOO ?
		count_stored_fingerprints(open, hash) : count_stored_counters(open, hash);
}

bool
bloomtype_reader_test(const OpenImage *open, uint64 hash)
{
	if (open->bytes != NULL)
		return bbf_image_test(open->image, open->bytes, hash);
	return open->image->kind == BBF_KIND_BLOOM ?
		test_stored_bits(open, hash) : bloomtype_reader_count(open, hash) > 0;
}

bool
bloomtype_reader_find(const OpenImage *open, const uint64 *hashes, int n,
					  bool wanted)
{
	const BbfLayer *layer = &open->image->layers[0];

	if (open->bytes != NULL && open->image->nlayers == 1 &&
		open->image->kind == BBF_KIND_BLOOM)
		return bbf_blocks_find(open->bytes + layer->offset, layer->nblocks,
							   layer->nprobes, hashes, n, wanted) < (size_t) n;

	for (int i = 0; i < n; i++)
	{
		if (bloomtype_reader_test(open, hashes[i]) == wanted)
			return true;
	}
	return false;
}
