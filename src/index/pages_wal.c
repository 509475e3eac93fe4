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

/* The bytes of one change in a record. */
#define DELTA_BYTES(length)		(2 * sizeof(uint16) + (length))

/* At most: a byte for each bit, and pd_lower. */
#define MAX_DELTA_BYTES \
	(BBF_MAX_PROBES * DELTA_BYTES(1) + DELTA_BYTES(sizeof(LocationIndex)))

/* Write bytes of a page as a change; returns the place after it. */
static char *
write_delta(Page page, uint16 offset, uint16 length, char *to)
{
	memcpy(to, &offset, sizeof(offset));
	memcpy(to + sizeof(offset), &length, sizeof(length));
	memcpy(to + DELTA_BYTES(0), (char *) page + offset, length);
	return to + DELTA_BYTES(length);
}

/* Set the bits of a change, and add the page to the record that has begun. */
static void
set_and_register(int i, unsigned slice_bytes, const PageChange *change, char *deltas)
{
	Page		page = BufferGetPage(change->buffer);
	const uint16 contents = blt_pages_contents(page) - (unsigned char *) page;
	char	   *end = deltas;
	uint16		changed[BBF_MAX_PROBES];
	int			n;

	if (blt_pages_use_slices(page, slice_bytes))
		end = write_delta(page, offsetof(PageHeaderData, pd_lower), sizeof(LocationIndex), end);
	n = set_bits(page, slice_bytes, change, changed);
	for (int k = 0; k < n; k++)
		end = write_delta(page, contents + changed[k], 1, end);
	MarkBufferDirty(change->buffer);
	XLogRegisterBuffer(i, change->buffer, REGBUF_STANDARD);
	XLogRegisterBufData(i, deltas, end - deltas);
}

/* Set the bits of a change in a page of a relation that has no WAL. */
static void
set_unlogged(unsigned slice_bytes, const PageChange *change)
{
	Page		page = BufferGetPage(change->buffer);
	uint16		changed[BBF_MAX_PROBES];

	(void) blt_pages_use_slices(page, slice_bytes);
	if (set_bits(page, slice_bytes, change, changed) > 0)
		MarkBufferDirty(change->buffer);
}

void
blt_pages_set_bits(Relation index, unsigned slice_bytes, const PageChange *changes, int n)
{
	const bool	is_logged = RelationNeedsWAL(index);

	/* the record refers to them until it is inserted */
	char		deltas[BBF_PAGES_LEVELS][MAX_DELTA_BYTES];

	if (is_logged)
		XLogBeginInsert();
	START_CRIT_SECTION();
	if (is_logged)
	{
		XLogRecPtr	lsn;

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
		Page		page = GenericXLogRegisterBuffer(state, changes[i].buffer, 0);
		uint16		changed[BBF_MAX_PROBES];

		(void) blt_pages_use_slices(page, slice_bytes);
		(void) set_bits(page, slice_bytes, &changes[i], changed);
	}
	GenericXLogFinish(state);
}

#endif

void
blt_pages_change_meta(Relation index, const BbfPagesMeta *meta)
{
	Buffer		buffer = ReadBuffer(index, PAGES_META_BLOCK);
	GenericXLogState *state;

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	state = GenericXLogStart(index);
	blt_pages_write_meta(GenericXLogRegisterBuffer(state, buffer, 0), meta);
	GenericXLogFinish(state);
	UnlockReleaseBuffer(buffer);
}
