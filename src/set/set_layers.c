/*
 * set_layers.c
 *	  Sizes, opens and seals layers.
 */
#include "compat.h"

#include "set/set_layers.h"

#include "access/xact.h"
#include "core/growth.h"
#include "filter/filter_parameters.h"
#include "miscadmin.h"
#include "set/set_statements.h"
#include "set/set_value.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/*
 * Who knows of which layer
 */

int
blt_set_first_target(const BloomSet *set)
{
	int			target = set->nlayers - 1;

	/* who does not know of a layer does not know of those after it */
	while (target > 0 && !set->layers[target].is_sealed)
		target--;
	return target;
}

/* The newest layer, as it is at this moment. */
static SetLayer
newest_now(const BloomSet *set)
{
	BloomSet	now = *set;
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	SetLayer	newest;

	now.nallocated = 8;
	now.layers = palloc(now.nallocated * sizeof(SetLayer));
	blt_set_read_layers(&now, snapshot, false);
	newest = *blt_set_newest(&now);
	UnregisterSnapshot(snapshot);
	pfree(now.layers);
	return newest;
}

bool
blt_set_is_newest(const BloomSet *set)
{
	return newest_now(set).number == blt_set_newest(set)->number;
}

bool
blt_set_is_live_now(const BloomSet *set, const SetLayer *layer)
{
	SetLayer	newest = newest_now(set);

	return layer->window > newest.window - newest.windows;
}

void
blt_set_check_newest(const BloomSet *set)
{
	if (IsolationUsesXactSnapshot() && !blt_set_is_newest(set))
		blt_set_report_conflict(set);
}

pg_noreturn void
blt_set_report_conflict(const BloomSet *set)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not serialize access due to a new layer of set \"%s\"",
					RelationGetRelationName(set->table)),
			 errhint("The transaction might succeed if retried.")));
}

/*
 * Note the transactions that hold a lock on the table which who adds keys
 * takes.  This one is among them: it may end by PREPARE TRANSACTION.
 */
static void
note_unaware(const BloomSet *set, SetSession *session)
{
	const SetLayer *newest = blt_set_newest(set);
	VirtualTransactionId *others;
	VirtualTransactionId *all;
	LOCKTAG		tag;
	int			n;

	SET_LOCKTAG_RELATION(tag, MyDatabaseId, RelationGetRelid(set->table));
	others = GetLockConflicts(&tag, ShareLock, &n);
	all = MemoryContextAlloc(TopMemoryContext, (n + 1) * sizeof(VirtualTransactionId));
	GET_VXID_FROM_PGPROC(all[0], *MyProc);
	memcpy(all + 1, others, n * sizeof(VirtualTransactionId));

	if (session->unaware != NULL)
		pfree(session->unaware);
	session->unaware = all;
	session->nunaware = n + 1;
	session->layer = newest->number;
	session->xmin = newest->xmin;
}

/* Have all of them ended, but for this one? */
static bool
have_ended(SetSession *session)
{
	VirtualTransactionId mine;

	GET_VXID_FROM_PGPROC(mine, *MyProc);
	while (session->nunaware > 0)
	{
		VirtualTransactionId last = session->unaware[session->nunaware - 1];

		if (VirtualTransactionIdEquals(last, mine))
			return true;
		if (!VirtualXactLock(last, false))
			return false;
		session->nunaware--;
	}
	return true;
}

/*
 * Where the snapshot lasts as long as the transaction, it may not show what
 * those have added that have ended.
 */
bool
blt_set_try_seal(const BloomSet *set)
{
	const SetLayer *newest = blt_set_newest(set);
	SetSession *session;
	SetLayer	now;

	/* the others know of our own layer when this transaction has ended */
	if (set->nlayers == 1 || newest->is_sealed || IsolationUsesXactSnapshot() ||
		TransactionIdIsCurrentTransactionId(newest->xmin))
		return false;
	session = blt_set_session(set);
	if (session->layer != newest->number || session->xmin != newest->xmin)
		note_unaware(set, session);
	if (!have_ended(session) || !blt_set_lock_head(set, newest->number, false))
		return false;
	now = newest_now(set);
	if (now.number != newest->number || now.is_sealed)
		return false;
	blt_set_seal(set, newest->number);
	return true;
}

/*
 * Growth
 */

void
blt_set_size_first(SetLayer *layer, uint64 capacity)
{
	layer->capacity = capacity;
	layer->layer = blt_new_layer(BBF_KIND_BLOOM,
								 bbf_first_capacity(BBF_KIND_BLOOM, capacity, layer->growth),
								 layer->fpp / layer->windows);
}

void
blt_set_try_grow(const BloomSet *set)
{
	const SetLayer *newest = blt_set_newest(set);
	SetLayer	next = *newest;
	BbfMeta		meta;

	blt_set_window_meta(set, next.window, &meta);
	if (bbf_meta_next_layer(&meta, &next.layer) &&
		pg_class_aclcheck(RelationGetRelid(set->table), GetUserId(), ACL_INSERT) == ACLCHECK_OK &&
		blt_set_lock_head(set, newest->number, false) && blt_set_is_newest(set))
	{
		next.number++;
		next.number_in_window++;
		blt_set_insert_layer(set, &next);
	}
}
