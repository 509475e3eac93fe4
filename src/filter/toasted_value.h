/*
 * toasted_value.h
 *	  Values stored out of line that one call site reads again and again, in slices
 *	  while that is cheaper than whole.
 *
 * A reader of some type asks for the entry of a value, and then reads slices of it
 * (blt_read_slice) while the entry has no copy.  After as many slices as reading it
 * whole would have cost, it is read whole and kept, found again by its whole TOAST
 * pointer.  So no call site pays more than twice the cheaper of the two, however
 * often it asks.  A compressed value has no slices: it is read whole and kept at once.
 *
 * Copies of several values (a join against a table of them) are kept within
 * work_mem, a single one whatever its size.  To make room for a further copy, of
 * those that were not used since its slices were first counted the least recently
 * used is dropped.  If there is none, slices are read as before.  What is kept is
 * plain memory of one context: no open relation, no reference to release.
 */
#ifndef BLOOMTYPE_TOASTED_VALUE_H
#define BLOOMTYPE_TOASTED_VALUE_H

/* A value stored out of line, as one call site knows it. */
typedef struct StoredValue
{
	struct varatt_external pointer;
	uint64		last_use;		/* nopened when it was opened last */
	uint64		first_slice;	/* nopened when slice_cost was last zero */
	uint64		slice_cost;		/* of the slices read since, in chunks */
	void	   *meta;			/* what its reader keeps of it, or null */
	struct varlena *copy;		/* the whole value, or null */
} StoredValue;

typedef struct StoredValues
{
	MemoryContext context;		/* of copies, and of what readers keep */
	uint64		nopened;		/* so far */
	StoredValue *values;
	int			nvalues;
	int			last;			/* index of the one used last */
	Size		copies_size;
} StoredValues;

static inline void
blt_init_stored(StoredValues *values, MemoryContext context)
{
	memset(values, 0, sizeof(*values));
	values->context = context;
}

/*
 * The entry for a value that is VARATT_IS_EXTERNAL_ONDISK; valid until the next
 * call.  Null: there is neither a copy nor can slices be read, so the caller reads
 * the value whole.
 */
extern StoredValue *blt_open_stored(StoredValues *values, Datum value);

/*
 * A part of the value of an entry, in the current memory context, to be freed.  Shorter
 * than asked for where the value ends before.
 */
extern struct varlena *blt_read_slice(StoredValue *stored, Datum value,
									  size_t offset, size_t length);

#endif							/* BLOOMTYPE_TOASTED_VALUE_H */
