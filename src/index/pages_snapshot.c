/*
 * pages_snapshot.c
 *	  Keeps old snapshots from an index that was built again.
 *
 * A build leaves out versions of rows that only older snapshots see, if a
 * later version was stored in place of them (HOT).  The server keeps older
 * snapshots from an index that is created over such rows, or that was not
 * valid, by pg_index.indcheckxmin, but not from one that is built again by
 * REINDEX: it expects that all versions have the same key.  As of PostgreSQL
 * 16 they may not.  So the index remembers the transaction that built it.
 * Whoever does not see that one may be older than the updates, and reads the
 * whole table.  So it does where only other columns were updated: neither the
 * server nor a row says which they were.
 *
 * Comparing with the xmin of a snapshot would be simpler, but then any
 * transaction that has been running for long makes every scan read the whole
 * table.
 */
#include "compat.h"

#include "index/pages_snapshot.h"

#include "access/transam.h"
#include "access/xact.h"
#include "utils/snapmgr.h"

uint64
blt_pages_build_xid(const struct IndexInfo *info)
{
	return BLT_HOT_CHANGES_KEYS && info->ii_BrokenHotChain ?
		U64FromFullTransactionId(GetTopFullTransactionId()) : 0;
}

bool
blt_pages_lacks_rows(const BbfPagesMeta *meta, Snapshot snapshot)
{
	const TransactionId xid = (TransactionId) meta->build_xid;

	if (meta->build_xid == 0)
		return false;

	/* no snapshot is that old */
	if (U64FromFullTransactionId(ReadNextFullTransactionId()) - meta->build_xid >=
		MaxTransactionId / 2)
		return false;
	return !IsMVCCSnapshot(snapshot) || TransactionIdIsCurrentTransactionId(xid) ||
		XidInMVCCSnapshot(xid, snapshot);
}
