/*
 * bloom_expanded.c
 *	  Makes expanded filters of plain ones, and for the server plain ones of
 *	  expanded ones.
 */
#include "compat.h"

#include "types/bloom_expanded.h"

#include "filter/filter_datum.h"
#include "utils/memutils.h"

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
	blt_write_layers(&expanded->filter, blt_filter_bytes(result));
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
blt_expand_filter(const BbfFilter *filter, MemoryContext parent)
{
	MemoryContext context = AllocSetContextCreate(parent, "bloomtype expanded filter",
												  ALLOCSET_START_SMALL_SIZES);
	ExpandedFilter *expanded = MemoryContextAlloc(context, sizeof(ExpandedFilter));

	EOH_init_header(&expanded->header, &methods, context);
	blt_start_layers(&expanded->filter, filter, context, true);
	return expanded;
}
