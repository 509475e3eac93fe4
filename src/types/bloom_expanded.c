/*
 * bloom_expanded.c
 *	  Makes expanded filters of plain ones, and for the server plain ones of
 *	  expanded ones.
 */
#include "compat.h"

#include "types/bloom_expanded.h"

#include "filter/filter_datum.h"
#include "filter/filter_pieces.h"
#include "utils/memutils.h"

static Size
get_flat_size(ExpandedObjectHeader *header)
{
	ExpandedFilter *filter = (ExpandedFilter *) header;

	return VARHDRSZ + bbf_meta_lay_out(&filter->meta);
}

static void
flatten_into(ExpandedObjectHeader *header, void *result, Size allocated_size)
{
	ExpandedFilter *filter = (ExpandedFilter *) header;
	const BbfMeta *meta = &filter->meta;
	unsigned char *bytes = blt_filter_bytes(result);

	Assert(allocated_size == get_flat_size(header));
	SET_VARSIZE(result, allocated_size);
	bbf_meta_write(meta, bytes);
	for (unsigned i = 0; i < meta->nlayers; i++)
		blt_copy(bytes + meta->layers[i].offset, filter->blocks[i],
				 (Size) meta->layers[i].nbins * BBF_BLOCK_BYTES);
}

static const ExpandedObjectMethods methods = {get_flat_size, flatten_into};

ExpandedFilter *
blt_writable_expanded_filter(Datum filter)
{
	ExpandedObjectHeader *header;

	if (!VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(filter)))
		return NULL;
	header = DatumGetEOHP(filter);
	return header->eoh_methods == &methods ? (ExpandedFilter *) header : NULL;
}

ExpandedFilter *
blt_expand_filter(const BbfMeta *meta, const unsigned char *bytes,
				  MemoryContext parent)
{
	MemoryContext context = AllocSetContextCreate(parent, "bloomtype expanded filter",
												  ALLOCSET_START_SMALL_SIZES);
	ExpandedFilter *filter = MemoryContextAllocZero(context, sizeof(ExpandedFilter));

	EOH_init_header(&filter->header, &methods, context);
	filter->meta = *meta;
	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		Size		size = (Size) meta->layers[i].nbins * BBF_BLOCK_BYTES;

		filter->blocks[i] = MemoryContextAllocHuge(context, size);
		blt_copy(filter->blocks[i], bytes + meta->layers[i].offset, size);
	}
	return filter;
}
