/*
 * toasted_value.h
 *	  Values stored out of line that one call site reads again and again, in
 *	  slices while that is cheaper than whole.
 *
 * A reader (value_reader.h) asks for the entry of a value, and then reads
 * slices of it while the entry has no copy.  After as many slices as reading
 * it whole would have cost, it is read whole and kept, found again by its
 * whole TOAST pointer.  So no call site pays more than twice the cheaper of
 * the two, however often it asks.  A compressed value has no slices: it is
 * read whole and kept at once.
 *
 * Copies of several values (a join against a table of them) are kept within
 * work_mem, a single one whatever its size.  To make room for a further copy,
 * the least recently used one is dropped, if it was not used since the slices
 * of that value were first counted.  If there is none, slices are read as
 * before.  What is kept is plain memory of one context: no open relation, no
 * reference to release.
 */
#ifndef BLOOMTYPE_TOASTED_VALUE_H
#define BLOOMTYPE_TOASTED_VALUE_H

/* A value stored out of line, as one call site knows it. */
typedef struct ToastedValue
{
	struct varatt_external pointer;
	uint64		last_use;		/* nopened when it was opened last */
	uint64		first_slice;	/* nopened when slice_cost was last zero */
	uint64		slice_cost;		/* of the slices read since, in chunks */
	void	   *meta;			/* blt_keep_toasted_meta; null: none yet */
	const void *format;			/* as which meta were read */
	struct varlena *copy;		/* the whole value, or null */
} ToastedValue;

typedef struct ToastedValues
{
	MemoryContext context;		/* of entries, their copies and metadata */
	uint64		nopened;		/* so far */
	ToastedValue *values;
	int			nvalues;
	int			last;			/* index of the one used last */
	Size		copies_size;
} ToastedValues;

static inline void
blt_init_toasted(ToastedValues *values, MemoryContext context)
{
	memset(values, 0, sizeof(*values));
	values->context = context;
}

/*
 * The entry for a value that is VARATT_IS_EXTERNAL_ONDISK; valid until the
 * next call.  Returns null if there is no copy and slices cannot be read; the
 * caller then reads the value whole.
 */
extern ToastedValue *blt_find_toasted(ToastedValues *values, Datum value);

/*
 * Keep a copy of metadata in an entry, instead of those that it has.  They
 * belong to the entry and are freed with it.
 */
extern void blt_keep_toasted_meta(ToastedValues *values, ToastedValue *entry,
								  const void *format, const void *meta, Size size);

/* What a slice of this length costs, in chunks that are read in sequence. */
extern uint64 blt_slice_cost(size_t length);

/*
 * A part of the value of an entry, in the current memory context, to be
 * freed.  It is shorter than length where the value ends before.
 */
extern struct varlena *blt_read_toasted_slice(ToastedValue *entry, Datum value,
											  size_t offset, size_t length);

#endif							/* BLOOMTYPE_TOASTED_VALUE_H */
