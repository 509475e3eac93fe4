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
#include "storage/lmgr.h"
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
	blt_set_read_layers(&now, snapshot);
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

void
blt_set_check_snapshot(const BloomSet *set)
{
	if (IsolationUsesXactSnapshot() && !blt_set_is_newest(set))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to a new layer of set \"%s\"",
						RelationGetRelationName(set->table)),
				 errhint("The transaction might succeed if retried.")));
}

pg_noreturn void
blt_set_report_gone(const BloomSet *set, const SetLayer *layer, int slice)
{
	SetLayer	newest = newest_now(set);

	if (layer->window > newest.window - newest.windows)
		blt_set_report_damage(set, layer->number, slice, "It is missing.");
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not serialize access due to new windows of set \"%s\"",
					RelationGetRelationName(set->table)),
			 errhint("The transaction might succeed if retried.")));
}

static bool
may_insert(const BloomSet *set)
{
	return pg_class_aclcheck(RelationGetRelid(set->table), GetUserId(), ACL_INSERT) == ACLCHECK_OK;
}

/*
 * Lock the head of the newest layer, to add rows about layers.  False if
 * another transaction has it, or has added those rows since the set was read.
 */
static bool
lock_newest(const BloomSet *set)
{
	const SetLayer *newest = blt_set_newest(set);
	SetLayer	now;

	if (!may_insert(set) || !blt_set_lock_head(set, newest->number, false))
		return false;
	now = newest_now(set);
	return now.number == newest->number && now.is_sealed == newest->is_sealed;
}

/* The transactions that hold a lock on the table which who adds keys takes. */
static void
watch_others(const BloomSet *set, SetSession *session)
{
	const SetLayer *newest = blt_set_newest(set);
	VirtualTransactionId *others;
	LOCKTAG		tag;

	if (session->others != NULL)
		pfree(session->others);
	session->others = NULL;
	session->layer = newest->number;
	session->xmin = newest->xmin;

	SET_LOCKTAG_RELATION(tag, MyDatabaseId, RelationGetRelid(set->table));
	others = GetLockConflicts(&tag, ShareLock, &session->nothers);
	if (session->nothers > 0)
	{
		Size		size = session->nothers * sizeof(VirtualTransactionId);

		session->others = memcpy(MemoryContextAlloc(TopMemoryContext, size), others, size);
	}
}

void
blt_set_try_seal(const BloomSet *set)
{
	const SetLayer *newest = blt_set_newest(set);
	SetSession *session;

	/* the others know of our own layer when this transaction has ended */
	if (set->nlayers == 1 || newest->is_sealed || TransactionIdIsCurrentTransactionId(newest->xmin))
		return;
	session = blt_set_session(set);
	if (session->layer != newest->number || session->xmin != newest->xmin)
		watch_others(set, session);
	while (session->nothers > 0 && VirtualXactLock(session->others[session->nothers - 1], false))
		session->nothers--;
	if (session->nothers == 0 && lock_newest(set))
		blt_set_insert_seal(set, newest->number);
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
	SetLayer	next = *blt_set_newest(set);
	BbfMeta		meta;

	bbf_meta_init(&meta, BBF_KIND_BLOOM, next.capacity, next.fpp, next.growth);
	for (int i = 0; i < set->nlayers; i++)
	{
		if (set->layers[i].window == next.window && meta.nlayers < BBF_MAX_LAYERS)
			meta.layers[meta.nlayers++] = set->layers[i].layer;
	}
	if (bbf_meta_next_layer(&meta, &next.layer) && lock_newest(set))
	{
		next.number++;
		blt_set_insert_layer(set, &next);
	}
}
