/*
 * set_layers.c
 *	  Sizes, opens and seals layers.
 */
#include "compat.h"

#include "set/set_layers.h"

#include <float.h>

#include "access/xact.h"
#include "core/growth.h"
#include "filter/filter_parameters.h"
#include "miscadmin.h"
#include "set/set_statements.h"
#include "set/set_value.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/builtins.h"
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
 * Does everybody who adds keys know of the newest layer?  Where the snapshot
 * lasts as long as the transaction, it may not show what those have added that
 * have ended.
 */
static bool
is_known_to_all(const BloomSet *set)
{
	const SetLayer *newest = blt_set_newest(set);
	SetSession *session;

	/* the others know of our own layer when this transaction has ended */
	if (IsolationUsesXactSnapshot() || TransactionIdIsCurrentTransactionId(newest->xmin))
		return false;
	session = blt_set_session(set);
	if (session->layer != newest->number || session->xmin != newest->xmin)
		note_unaware(set, session);
	return have_ended(session);
}

bool
blt_set_try_seal(const BloomSet *set)
{
	const SetLayer *newest = blt_set_newest(set);
	SetLayer	now;

	if (set->nlayers == 1 || newest->is_sealed || !(set->is_alone || is_known_to_all(set)) ||
		!blt_set_lock_head(set, newest->number, set->is_alone))
		return false;
	now = newest_now(set);
	if (now.number != newest->number || now.is_sealed)
		return false;
	blt_set_seal(set, newest->number);
	if (!newest_now(set).is_sealed)
		blt_set_report_kept(blt_set_name(set));
	return true;
}

/*
 * Growth
 */

void
blt_set_size_first(SetLayer *layer, uint64 capacity)
{
	/* a share of the least numbers would be 0 */
	double		fpp = Max(layer->fpp / layer->windows, DBL_MIN);

	blt_check_fpp_for_capacity(BBF_KIND_BLOOM, (int64) Min(capacity, BLT_MAX_CAPACITY) * layer->windows,
							   layer->fpp);
	layer->capacity = capacity;
	layer->layer = blt_new_layer(BBF_KIND_BLOOM,
								 bbf_first_capacity(BBF_KIND_BLOOM, capacity, layer->growth), fpp);
}

/*
 * The layer after the newest, for at least that many keys, or as many of them
 * as the limits of a filter allow.  False: the window can have no more.
 */
static bool
size_next(const BloomSet *set, uint64 nkeys, SetLayer *next)
{
	uint32		blocks_left = BBF_MAX_BLOCKS;
	BbfMeta		meta;
	BbfGeometry geometry;

	*next = *blt_set_newest(set);
	next->number++;
	next->number_in_window++;
	blt_set_window_meta(set, next->window, &meta);
	if (!bbf_meta_next_layer(&meta, &next->layer))
		return false;
	for (unsigned i = 0; i < meta.nlayers; i++)
		blocks_left -= meta.layers[i].nbins;
	if (next->layer.capacity < nkeys)
	{
		geometry = bbf_size_blocks(nkeys, next->layer.fpp);
		if (geometry.nbins <= blocks_left)
			bbf_layer_init(&next->layer, &geometry, nkeys, next->layer.fpp);
	}
	return true;
}

/* The same; false also if the caller may not INSERT it. */
static bool
may_open_next(const BloomSet *set, uint64 nkeys, SetLayer *next)
{
	return size_next(set, nkeys, next) &&
		pg_class_aclcheck(RelationGetRelid(set->table), GetUserId(), ACL_INSERT) == ACLCHECK_OK;
}

bool
blt_set_can_grow(const BloomSet *set)
{
	SetLayer	next;

	return may_open_next(set, 0, &next);
}

bool
blt_set_try_grow(const BloomSet *set, uint64 nkeys)
{
	SetLayer	next;

	if (!may_open_next(set, nkeys, &next) ||
		!(set->is_alone || (blt_set_lock_head(set, blt_set_newest(set)->number, false) &&
							blt_set_is_newest(set))))
		return false;
	blt_set_insert_layer(set, &next);
	return true;
}

pg_noreturn void
blt_set_report_full(const BloomSet *set)
{
	const SetLayer *newest = blt_set_newest(set);
	SetLayer	next;
	bool		has_next = size_next(set, 0, &next);

	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("set \"%s\" is too full", RelationGetRelationName(set->table)),
			 newest->growth == 0 ?
			 errdetail("It was made for %llu keys, and does not grow.",
					   (unsigned long long) newest->capacity) :
			 has_next ? errdetail("To let it grow, one has to have the privilege INSERT on it.") :
			 errdetail("Its window has %d layers, and can have no more.",
					   newest->number_in_window + 1),
			 has_next ?
			 errhint("Add keys as a role that has it, or GRANT INSERT ON %s TO %s.",
					 blt_set_name(set), quote_identifier(GetUserNameFromId(GetUserId(), false))) :
			 newest->windows > 1 ?
			 errhint("Begin another window with bloom_set_advance, or make the set for the keys that will come.") :
			 errhint("Make the set anew, for the keys that will come.")));
}
