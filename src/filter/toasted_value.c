/*
 * toasted_value.c
 *	  Counts what slices cost, and keeps copies of values.
 */
#include "compat.h"

#include "filter/toasted_value.h"

#include "access/detoast.h"
#include "access/heaptoast.h"
#include "fmgr.h"
#include "miscadmin.h"

/*
 * What one slice costs in chunks read in sequence: a descent of the TOAST
 * index and one chunk, 4 us, against 0.7 us for each chunk of a whole value.
 */
#define SLICE_COST_IN_CHUNKS	6

/* If a call site takes turns among more values, they push each other out. */
#define MAX_TOASTED				64

static void
drop_copy(ToastedValues *values, ToastedValue *entry)
{
	if (entry->copy != NULL)
	{
		values->copies_size -= VARSIZE(entry->copy);
		pfree(entry->copy);
		entry->copy = NULL;
	}
}

static void
drop_meta(ToastedValue *entry)
{
	void	   *meta = entry->meta;

	entry->meta = NULL;
	if (meta != NULL)
		pfree(meta);
}

/* The entry for a TOAST pointer; of a new one nothing is known yet. */
static ToastedValue *
find_entry(ToastedValues *values, const struct varatt_external *pointer)
{
	ToastedValue *oldest;

	if (values->values == NULL)
		values->values = MemoryContextAllocZero(values->context,
												MAX_TOASTED * sizeof(ToastedValue));

	/* most often it is the last one, or the one after it if they take turns */
	for (int i = 0; i < values->nvalues; i++)
	{
		int			at = (values->last + i) % values->nvalues;

		if (memcmp(&values->values[at].pointer, pointer, sizeof(*pointer)) == 0)
		{
			values->last = at;
			return &values->values[at];
		}
	}

	if (values->nvalues < MAX_TOASTED)
		oldest = &values->values[values->nvalues++];
	else
	{
		oldest = &values->values[0];
		for (int i = 1; i < values->nvalues; i++)
		{
			if (values->values[i].last_use < oldest->last_use)
				oldest = &values->values[i];
		}
		drop_copy(values, oldest);
		drop_meta(oldest);
	}

	memset(oldest, 0, sizeof(*oldest));
	oldest->pointer = *pointer;
	oldest->first_slice = values->nopened;
	values->last = oldest - values->values;
	return oldest;
}

/*
 * Read a value whole and keep the copy, if it fits into work_mem, if need be
 * after copies were dropped that were not used since entry->first_slice.  A
 * single copy may be larger than that: whatever else is done with a value
 * needs as much.
 */
static void
try_to_copy(ToastedValues *values, ToastedValue *entry, Datum value)
{
	Size		budget = (Size) work_mem * 1024;
	Size		size = entry->pointer.va_rawsize;
	MemoryContext old_context;

	entry->slice_cost = 0;
	while (values->copies_size > 0 && values->copies_size + size > budget)
	{
		ToastedValue *idle = NULL;

		for (int i = 0; i < values->nvalues; i++)
		{
			ToastedValue *other = &values->values[i];

			if (other->copy != NULL && other->last_use < entry->first_slice &&
				(idle == NULL || other->last_use < idle->last_use))
				idle = other;
		}
		if (idle == NULL)
		{
			entry->first_slice = values->nopened;
			return;
		}
		drop_copy(values, idle);
	}

	old_context = MemoryContextSwitchTo(values->context);
	entry->copy = PG_DETOAST_DATUM(value);
	MemoryContextSwitchTo(old_context);
	values->copies_size += VARSIZE(entry->copy);
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

ToastedValue *
blt_find_toasted(ToastedValues *values, Datum value)
{
	struct varatt_external pointer;
	ToastedValue *entry;
	bool		compressed;

	values->nopened++;
	VARATT_EXTERNAL_GET_POINTER(pointer, (struct varlena *) DatumGetPointer(value));
	compressed = is_compressed(&pointer);
	entry = find_entry(values, &pointer);

	if (entry->copy == NULL &&
		(compressed ||
		 entry->slice_cost * TOAST_MAX_CHUNK_SIZE >= (Size) pointer.va_rawsize))
		try_to_copy(values, entry, value);
	if (entry->copy == NULL && compressed)
		return NULL;
	entry->last_use = values->nopened;
	return entry;
}

void
blt_keep_toasted_meta(ToastedValues *values, ToastedValue *entry, const void *format,
					  const void *meta, Size size)
{
	drop_meta(entry);
	entry->meta = MemoryContextAlloc(values->context, size);
	memcpy(entry->meta, meta, size);
	entry->format = format;
}

uint64
blt_slice_cost(size_t length)
{
	return SLICE_COST_IN_CHUNKS + length / TOAST_MAX_CHUNK_SIZE;
}

struct varlena *
blt_read_toasted_slice(ToastedValue *entry, Datum value, size_t offset, size_t length)
{
	entry->slice_cost += blt_slice_cost(length);
	return PG_DETOAST_DATUM_SLICE(value, offset, length);
}
