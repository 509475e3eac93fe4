/*
 * filter_datum.c
 *	  Detoasts a filter as far as it is needed, and makes new ones.
 */
#include "compat.h"

#include "filter/filter_datum.h"

#include "access/detoast.h"
#include "core/family.h"
#include "filter/filter_pieces.h"
#include "fmgr.h"

void
blt_report_corrupted(BbfKind kind, const char *reason)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("stored \"%s\" value is corrupted", bbf_kind_routine(kind)->name),
			 errdetail("%s", reason)));
}

void
blt_read_header(const unsigned char *bytes, size_t available, size_t length,
				BbfKind kind, BbfMeta *meta)
{
	const char *reason = bbf_meta_read(bytes, available, length, kind, meta);

	if (reason == NULL)
		return;

	/* the kind that it claims, if nothing else says which */
	if (kind == BBF_KIND_ANY && available > 0 && bbf_kind_is_valid(bytes[0]))
		kind = (BbfKind) bytes[0];
	blt_report_corrupted(kind, reason);
}

const unsigned char *
blt_read_image(Datum filter, BbfKind kind, BbfMeta *meta)
{
	struct varlena *value = PG_DETOAST_DATUM_PACKED(filter);
	const unsigned char *bytes = (const unsigned char *) VARDATA_ANY(value);
	size_t		length = VARSIZE_ANY_EXHDR(value);

	blt_read_header(bytes, length, length, kind, meta);
	return bytes;
}

/*
 * Expanded filters
 */

static Size
get_flat_size(ExpandedObjectHeader *header)
{
	ExpandedFilter *expanded = (ExpandedFilter *) header;

	return VARHDRSZ + bbf_meta_lay_out(&expanded->filter.meta);
}

static void
flatten_into(ExpandedObjectHeader *header, void *result, Size allocated_size)
{
	ExpandedFilter *expanded = (ExpandedFilter *) header;

	Assert(allocated_size == get_flat_size(header));
	SET_VARSIZE(result, allocated_size);
	blt_write_filter(&expanded->filter, blt_filter_bytes(result));
}

static const ExpandedObjectMethods methods = {get_flat_size, flatten_into};

void
blt_init_expanded(ExpandedFilter *expanded, MemoryContext context)
{
	EOH_init_header(&expanded->header, &methods, context);
}

const BbfFilter *
blt_expanded_filter(Datum value)
{
	ExpandedObjectHeader *header;

	if (!VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)))
		return NULL;
	header = DatumGetEOHP(value);
	return header->eoh_methods == &methods ? &((ExpandedFilter *) header)->filter : NULL;
}

/* The same for a kind.  Error: it is of another. */
static const BbfFilter *
expanded_filter_of_kind(Datum value, BbfKind kind)
{
	const BbfFilter *filter = blt_expanded_filter(value);

	if (filter != NULL && kind != BBF_KIND_ANY && filter->meta.kind != kind)
		blt_report_corrupted(kind, "It is of another kind of filter.");
	return filter;
}

/*
 * Reading
 */

void
blt_read_filter(Datum value, BbfKind kind, BbfFilter *filter)
{
	const BbfFilter *expanded = expanded_filter_of_kind(value, kind);

	if (expanded == NULL)
	{
		bbf_filter_attach(filter, blt_read_image(value, kind, &filter->meta));
		return;
	}
	bbf_filter_copy(filter, expanded);
	(void) bbf_meta_lay_out(&filter->meta);
}

void
blt_read_meta(Datum filter, BbfKind kind, BbfMeta *meta)
{
	const BbfFilter *expanded = expanded_filter_of_kind(filter, kind);
	struct varlena *slice;
	size_t		length;

	if (expanded != NULL)
	{
		*meta = expanded->meta;
		(void) bbf_meta_lay_out(meta);
		return;
	}
	length = toast_raw_datum_size(filter) - VARHDRSZ;

	slice = PG_DETOAST_DATUM_SLICE(filter, 0, BBF_MAX_META_BYTES);
	blt_read_header((const unsigned char *) VARDATA_ANY(slice),
					VARSIZE_ANY_EXHDR(slice), length, kind, meta);
}

/*
 * Making
 */

/* What precedes the bins of a filter with one layer, as a value. */
#define ROOM_BEFORE		(VARHDRSZ + BBF_FIRST_BINS)

unsigned char *
blt_alloc_bins(Size size, MemoryContext context)
{
	return (unsigned char *) MemoryContextAllocHuge(context, ROOM_BEFORE + size) + ROOM_BEFORE;
}

void
blt_free_bins(unsigned char *bins)
{
	pfree(blt_value_around(bins));
}

struct varlena *
blt_value_around(unsigned char *bins)
{
	return (struct varlena *) (bins - ROOM_BEFORE);
}

struct varlena *
blt_alloc_filter(size_t length)
{
	struct varlena *value = palloc(VARHDRSZ + length);

	SET_VARSIZE(value, VARHDRSZ + length);
	return value;
}

struct varlena *
blt_lay_out_filter(BbfMeta *meta)
{
	return blt_alloc_filter(bbf_meta_lay_out(meta));
}

struct varlena *
blt_lay_out_clear_filter(BbfMeta *meta)
{
	struct varlena *value = blt_lay_out_filter(meta);

	blt_clear(blt_filter_bytes(value), meta->length);
	return value;
}

bool
blt_is_plain_state(FunctionCallInfo fcinfo)
{
	return !VARATT_IS_EXTENDED((struct varlena *) DatumGetPointer(PG_GETARG_DATUM(0))) &&
		AggCheckCallContext(fcinfo, NULL);
}

struct varlena *
blt_copy_only_layer(BbfMeta *meta, const unsigned char *bins)
{
	struct varlena *value = blt_lay_out_filter(meta);

	blt_copy(blt_bins_of(value), bins,
			 bbf_bins_bytes(bbf_kind_routine(meta->kind), &meta->layers[0]));
	return value;
}

Datum
blt_finish_filter(struct varlena *value, const BbfMeta *meta)
{
	unsigned char *bytes = blt_filter_bytes(value);

	bbf_meta_write(meta, bytes);
	return PointerGetDatum(value);
}

void
blt_write_filter(const BbfFilter *filter, unsigned char *bytes)
{
	const BbfMeta *meta = &filter->meta;
	unsigned char *bins = bytes + bbf_bins_start(meta);

	bbf_meta_write(meta, bytes);
	if (meta->nlist > 0)
		memcpy(bytes + BBF_HEADER_BYTES, filter->list, (Size) meta->nlist * 8);
	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		Size		size = bbf_bins_bytes(bbf_kind_routine(meta->kind), &meta->layers[i]);

		blt_copy(bins, filter->bins[i], size);
		bins += size;
	}
}

/* Most that differ do so in the first bytes of their keys. */
bool
blt_is_filter(Datum result, const BbfFilter *filter)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(result);
	const unsigned char *bytes = blt_filter_bytes(value);
	const BbfMeta *meta = &filter->meta;
	const unsigned char *bins = bytes + bbf_bins_start(meta);
	unsigned char head[BBF_MAX_META_BYTES];

	if (VARSIZE(value) - VARHDRSZ != meta->length ||
		memcmp(bbf_image_list(bytes), filter->list, (Size) meta->nlist * 8) != 0)
		return false;
	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		Size		size = bbf_bins_bytes(bbf_kind_routine(meta->kind), &meta->layers[i]);

		if (blt_compare(bins, filter->bins[i], size) != 0)
			return false;
		bins += size;
	}
	bbf_meta_write(meta, head);
	return memcmp(bytes, head,
				  BBF_HEADER_BYTES + (Size) meta->nlayers * BBF_LAYER_RECORD_BYTES) == 0;
}

Datum
blt_make_empty_filter(BbfMeta *meta)
{
	bbf_meta_clear(meta);
	return blt_finish_filter(blt_lay_out_filter(meta), meta);
}
