/*
 * pages_wal.c
 *	  Writes WAL records of the server's generic resource manager.
 *
 * Such a record is replayed by the server alone, so recovery and standbys
 * need no library.  The functions of the server that make one copy each page
 * three times and compare it byte by byte, which costs ten times as much as
 * all else that an insert does.  What has changed is known here, so the
 * record is made by hand: for each page, a sequence of
 *
 *		offset (2 bytes), length (2 bytes), bytes
 *
 * in the byte order of the machine, as generic_redo() in generic_xlog.c
 * applies it.  That format is in no header.  It is the same from PostgreSQL
 * 9.6 to 19; test/t/040_page_index_wal.pl applies records to pages as they
 * were.  On a later server, or if built with BLOOMTYPE_GENERIC_XLOG, the
 * server's functions make the records.
 */
#include "compat.h"

#include "index/pages_wal.h"

#include "access/generic_xlog.h"
#include "access/rmgr.h"
#include "access/xloginsert.h"
#include "miscadmin.h"

/*
 * Set the bits of a change.  Returns the number of bytes that this has
 * changed, and their offsets among the slices.
 */
static int
set_bits(Page page, unsigned slice_bytes, const PageChange *change, uint16 *changed)
{
	const BbfPagesKey *key = change->key;

	return bbf_columns_set(blt_pages_contents(page), slice_bytes, key->column,
						   key->bits, key->nprobes, changed);
}

#if BLT_WRITES_GENERIC_WAL

/* One changed byte, as it is in a record. */
typedef struct ByteDelta
{
	uint16		offset;
	uint16		length;
	unsigned char byte;
} ByteDelta;

#define BYTE_DELTA_BYTES	(offsetof(ByteDelta, byte) + 1)

/* The changed bytes of a page; returns how many bytes that takes. */
static int
write_deltas(Page page, const uint16 *changed, int n, char *to)
{
	char	   *start = to;

	for (int i = 0; i < n; i++, to += BYTE_DELTA_BYTES)
	{
		ByteDelta	delta = {.length = 1};

		delta.byte = blt_pages_contents(page)[changed[i]];
		delta.offset = blt_pages_contents(page) + changed[i] - (unsigned char *) page;
		memcpy(to, &delta, BYTE_DELTA_BYTES);
	}
	return to - start;
}

/*
 * Set the bits of a change, and add the page to the record that has begun.  A
 * page that is new gets a full image, since it may be missing when the record
 * is replayed.
 */
static void
set_and_register(int i, unsigned slice_bytes, const PageChange *change, char *deltas)
{
	Page		page = BufferGetPage(change->buffer);
	bool		is_new = PageIsNew(page);
	uint16		changed[BBF_MAX_PROBES];
	int			n;

	if (is_new)
		blt_pages_init_page(page, slice_bytes, &change->key->place);
	n = set_bits(page, slice_bytes, change, changed);
	MarkBufferDirty(change->buffer);
	XLogRegisterBuffer(i, change->buffer,
					   is_new ? REGBUF_STANDARD | REGBUF_FORCE_IMAGE : REGBUF_STANDARD);
	if (!is_new)
		XLogRegisterBufData(i, deltas, write_deltas(page, changed, n, deltas));
}

/* Set the bits of a change in a page of a relation that has no WAL. */
static void
set_unlogged(unsigned slice_bytes, const PageChange *change)
{
	Page		page = BufferGetPage(change->buffer);
	uint16		changed[BBF_MAX_PROBES];

	if (PageIsNew(page))
		blt_pages_init_page(page, slice_bytes, &change->key->place);
	if (set_bits(page, slice_bytes, change, changed) > 0)
		MarkBufferDirty(change->buffer);
}

void
blt_pages_set_bits(Relation index, unsigned slice_bytes, const PageChange *changes, int n)
{
	/* the record refers to them until it is inserted */
	char		deltas[BBF_PAGES_LEVELS][BBF_MAX_PROBES * BYTE_DELTA_BYTES];

	START_CRIT_SECTION();
	if (RelationNeedsWAL(index))
	{
		XLogRecPtr	lsn;

		XLogBeginInsert();
		for (int i = 0; i < n; i++)
			set_and_register(i, slice_bytes, &changes[i], deltas[i]);
		lsn = XLogInsert(RM_GENERIC_ID, 0);
		for (int i = 0; i < n; i++)
			PageSetLSN(BufferGetPage(changes[i].buffer), lsn);
	}
	else
	{
		for (int i = 0; i < n; i++)
			set_unlogged(slice_bytes, &changes[i]);
	}
	END_CRIT_SECTION();
}

#else

void
blt_pages_set_bits(Relation index, unsigned slice_bytes, const PageChange *changes, int n)
{
	GenericXLogState *state = GenericXLogStart(index);

	for (int i = 0; i < n; i++)
	{
		bool		is_new = PageIsNew(BufferGetPage(changes[i].buffer));
		Page		page = GenericXLogRegisterBuffer(state, changes[i].buffer,
													 is_new ? GENERIC_XLOG_FULL_IMAGE : 0);
		uint16		changed[BBF_MAX_PROBES];

		if (is_new)
			blt_pages_init_page(page, slice_bytes, &changes[i].key->place);
		(void) set_bits(page, slice_bytes, &changes[i], changed);
	}
	GenericXLogFinish(state);
}

#endif

void
blt_pages_change_meta(Relation index, Buffer buffer, const BbfPagesMeta *meta)
{
	GenericXLogState *state = GenericXLogStart(index);

	blt_pages_write_meta(GenericXLogRegisterBuffer(state, buffer, 0), meta);
	GenericXLogFinish(state);
}
