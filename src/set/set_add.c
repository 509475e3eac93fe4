/*
 * set_add.c
 *	  Looks for keys in all layers, and adds those that are absent.
 *
 * What is absent in a snapshot may be there by the time that its row is
 * locked.  So the UPDATE that adds keys asks once more; see
 * blt_set_add_to_slice().
 */
#include "compat.h"

#include "set/set_add.h"

#include "access/xact.h"
#include "key/key_report.h"
#include "miscadmin.h"
#include "set/set_layers.h"
#include "set/set_slice.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

/* The layer is measured by so many of its slices, or by all. */
#define SAMPLED_SLICES		64

/* ... whenever a slice is full, and has this part of its full bits more. */
#define MEASURES_PER_SHARE	64

/*
 * If a slice had a larger part of its bits set, a set that grows opens a layer
 * now, if nobody else is adding keys.  A layer that is full has half of them;
 * by chance, one of its slices has hardly ever as many as this.
 */
#define CROWDED		0.6

/*
 * With a larger part, absent keys would seem present every few times: what is
 * told to be there would be lost.
 */
#define TOO_FULL	0.75

void
blt_set_check_key(const BloomSet *set, const BloomKey *key, bool is_added)
{
	const SetLayer *newest = blt_set_newest(set);

	if (key->family != newest->family || key->subtype != newest->subtype)
		blt_report_set_mismatch(newest->family, *key, is_added);
}

static int
compare_keys(const void *a, const void *b)
{
	const SetKey *x = a;
	const SetKey *y = b;

	if (x->key.hash != y->key.hash)
		return x->key.hash < y->key.hash ? -1 : 1;
	return x->position < y->position ? -1 : 1;
}

/* How many keys, from the first of n on, are in one slice of a layer? */
static int
length_of_run(const SetLayer *layer, const SetKey *keys, int n)
{
	int			slice = blt_set_slice(layer, keys[0].key.hash);
	int			length = 1;

	while (length < n && blt_set_slice(layer, keys[length].key.hash) == slice)
		length++;
	return length;
}

static bool
has_new_key(const SetKey *run, int length)
{
	for (int i = 0; i < length; i++)
	{
		if (run[i].is_new)
			return true;
	}
	return false;
}

/*
 * Note which keys a layer has: these are not new.  Layers are asked from the
 * newest on, so what one before has said of a key stays.
 */
static void
look_in_layer(BloomSet *set, const SetLayer *layer, SetKey *keys, int n)
{
	bool		is_recent = layer->window == blt_set_newest(set)->window;
	unsigned char bits[SET_SLICE_BYTES];
	int			length;

	for (SetKey *run = keys; run < keys + n; run += length)
	{
		CHECK_FOR_INTERRUPTS();
		length = length_of_run(layer, run, (int) (keys + n - run));
		if (!has_new_key(run, length))
			continue;
		blt_set_read_slice(set, layer, blt_set_slice(layer, run->key.hash), bits);
		for (SetKey *key = run; key < run + length; key++)
		{
			if (blt_set_slice_contains(layer, bits, key->key.hash))
			{
				key->is_new = false;
				key->is_recent |= is_recent;
			}
		}
	}
}

/*
 * How full is a slice: 0 where it has no more than its share of the bits at
 * which the layer is full, then one more for each further part.
 */
static uint64
fullness(const SetLayer *layer, uint64 nset, int nblocks)
{
	uint64		share = layer->layer.full_at * nblocks / layer->layer.nbins;

	return nset <= share ? 0 : 1 + (nset - share) * MEASURES_PER_SHARE / Max(share, 1);
}

/* Is the newest layer full, with what has been added? */
static bool
is_full(BloomSet *set)
{
	const SetLayer *layer = blt_set_newest(set);
	int			nslices = blt_set_nslices(layer);
	int			nsampled = Min(nslices, SAMPLED_SLICES);
	unsigned char bits[SET_SLICE_BYTES];
	uint64		nset = 0;
	uint64		nblocks = 0;

	CommandCounterIncrement();
	set->last_slice = -1;
	set->snapshot = RegisterSnapshot(GetTransactionSnapshot());
	for (int i = 0; i < nsampled; i++)
	{
		int			slice = (int) ((int64) i * nslices / nsampled);
		uint32		n = blt_set_slice_bytes(layer, slice) / BBF_BLOCK_BYTES;

		blt_set_read_slice(set, layer, slice, bits);
		nset += bbf_blocks_count_set(bits, n);
		nblocks += n;
	}
	UnregisterSnapshot(set->snapshot);
	return (double) nset / nblocks * layer->layer.nbins > (double) layer->layer.full_at;
}

/*
 * The keys of a slice that another transaction has added to by now, or else
 * all of them, one by one.
 */
static void
add_one_by_one(BloomSet *set, const SetLayer *layer, int slice, SetKey **keys, int n,
			   Oid function)
{
	unsigned char bits[SET_SLICE_BYTES];
	BloomSet	now = *set;

	for (int i = 0; i < n; i++)
	{
		if (blt_set_add_to_slice(set, layer, slice, &keys[i]->key.hash, 1, function))
			continue;

		/* it is there now, unless the row is gone */
		if (!blt_set_is_live_now(set, layer))
			blt_set_report_conflict(set);
		now.last_slice = -1;
		now.snapshot = RegisterSnapshot(GetLatestSnapshot());
		blt_set_read_slice(&now, layer, slice, bits);
		UnregisterSnapshot(now.snapshot);
		if (!blt_set_slice_contains(layer, bits, keys[i]->key.hash))
			ereport(ERROR,
					(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
					 errmsg("key was not added to set \"%s\"", RelationGetRelationName(set->table)),
					 errdetail("A trigger or rule of the table has kept its row as it was.")));
		keys[i]->is_new = false;
	}
}

/* Is a key to be written, into the layers that keys go to? */
static inline bool
is_to_be_added(const SetKey *key, bool refresh)
{
	return key->is_new || (refresh && !key->is_recent);
}

/*
 * The largest part of a slice's bits that is set in a layer when the keys are
 * there.  may_be_full says whether the layer should be measured then.
 */
static double
part_with(BloomSet *set, const SetLayer *layer, const SetKey *keys, int n, bool refresh,
		  bool *may_be_full)
{
	unsigned char bits[SET_SLICE_BYTES];
	double		part = 0;
	int			length;

	*may_be_full = false;
	for (const SetKey *run = keys; run < keys + n; run += length)
	{
		int			slice = blt_set_slice(layer, run->key.hash);
		int			nblocks = blt_set_slice_bytes(layer, slice) / BBF_BLOCK_BYTES;
		const SetKey *key = run;
		uint64		before;
		uint64		after;

		CHECK_FOR_INTERRUPTS();
		length = length_of_run(layer, run, (int) (keys + n - run));
		while (key < run + length && !is_to_be_added(key, refresh))
			key++;
		if (key == run + length)
			continue;
		blt_set_read_slice(set, layer, slice, bits);
		before = after = bbf_blocks_count_set(bits, nblocks);
		for (; key < run + length; key++)
		{
			if (is_to_be_added(key, refresh))
				after += bbf_block_add(bits + blt_set_block(layer, key->key.hash) * BBF_BLOCK_BYTES,
									   layer->layer.key_bits, key->key.hash);
		}
		part = Max(part, (double) after / (nblocks * BBF_BLOCK_BITS));
		*may_be_full |= fullness(layer, before, nblocks) != fullness(layer, after, nblocks);
	}
	return part;
}

/* Add the keys of one slice that are to be added. */
static void
add_run(BloomSet *set, const SetLayer *layer, SetKey *run, int length, bool refresh,
		Oid function)
{
	int			slice = blt_set_slice(layer, run->key.hash);
	SetKey	  **added = palloc(length * sizeof(SetKey *));
	uint64	   *hashes = palloc(length * sizeof(uint64));
	int			n = 0;

	for (int i = 0; i < length; i++)
	{
		if (is_to_be_added(&run[i], refresh))
		{
			hashes[n] = run[i].key.hash;
			added[n++] = &run[i];
		}
	}
	if (n > 0 && !blt_set_add_to_slice(set, layer, slice, hashes, n, function))
		add_one_by_one(set, layer, slice, added, n, function);
	pfree(added);
	pfree(hashes);
}

/* The same for all keys and, of the layers that they go to, one. */
static void
add_to_layer(BloomSet *set, const SetLayer *layer, SetKey *keys, int n, bool refresh,
			 Oid function)
{
	int			length;

	for (SetKey *run = keys; run < keys + n; run += length)
	{
		CHECK_FOR_INTERRUPTS();
		length = length_of_run(layer, run, (int) (keys + n - run));
		add_run(set, layer, run, length, refresh && layer == blt_set_newest(set), function);
	}
}

/* Read the set, and which of the keys are in it.  Returns how many are not. */
static int
look_in_snapshot(BloomSet *set, SetKey *keys, int n, bool refresh)
{
	int			nabsent = 0;

	blt_set_read_layers(set, set->snapshot, false);
	for (int i = 0; i < n; i++)
	{
		blt_set_check_key(set, &keys[i].key, true);

		/* twice in one call, it is new once */
		keys[i].is_recent = i > 0 && keys[i - 1].key.hash == keys[i].key.hash;
		keys[i].is_new = !keys[i].is_recent;
	}
	for (int i = set->nlayers - 1; i >= 0; i--)
		look_in_layer(set, &set->layers[i], keys, n);
	for (int i = 0; i < n; i++)
		nabsent += is_to_be_added(&keys[i], refresh);
	return nabsent;
}

/*
 * The same, as the set is now; its snapshot is registered.  What this command
 * has added before is seen, also within one statement.
 *
 * Who is alone adds keys to the newest layer only.  A snapshot that lasts as
 * long as the transaction does not show what others had added to the layers
 * before; so there he looks twice.
 */
static int
look_in_set(BloomSet *set, SetKey *keys, int n, bool refresh)
{
	int			nabsent;

	CommandCounterIncrement();
	set->snapshot = RegisterSnapshot(GetTransactionSnapshot());
	nabsent = look_in_snapshot(set, keys, n, refresh);
	if (nabsent > 0 && set->is_alone && IsolationUsesXactSnapshot())
	{
		blt_set_check_newest(set);
		UnregisterSnapshot(set->snapshot);
		set->snapshot = RegisterSnapshot(GetLatestSnapshot());
		if (look_in_snapshot(set, keys, n, refresh) != nabsent)
			ereport(ERROR,
					(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					 errmsg("could not serialize access due to concurrent update")));
	}
	return nabsent;
}

/* What has been found of a set. */
typedef enum SetState
{
	SET_HAS_ALL,				/* there is nothing to be added */
	SET_HAS_ROOM,
	SET_HAS_NO_ROOM,			/* unless one is alone */
	SET_HAS_CHANGED				/* is to be looked at again */
} SetState;

/*
 * Look for keys, and make room for those that are absent.  Nothing is written
 * before one waits to be alone, since others might wait for it.
 */
static SetState
make_room(BloomSet *set, SetKey *keys, int n, bool refresh, bool *may_be_full)
{
	int			nabsent = look_in_set(set, keys, n, refresh);
	double		newest_part = 0;
	double		part = 0;
	bool		is_older_crowded = false;
	bool		is_split;

	if (nabsent == 0)
		return SET_HAS_ALL;
	blt_set_check_newest(set);
	for (int i = blt_set_first_target(set); i < set->nlayers; i++)
	{
		const SetLayer *layer = &set->layers[i];
		bool		is_newest = layer == blt_set_newest(set);

		is_older_crowded = part > CROWDED;
		newest_part = part_with(set, layer, keys, n, refresh && is_newest, may_be_full);
		part = Max(part, newest_part);
	}
	if ((set->is_alone || newest_part <= TOO_FULL) && blt_set_try_seal(set))
		return SET_HAS_CHANGED;

	/* where snapshots last, only who is alone seals */
	is_split = IsolationUsesXactSnapshot() && blt_set_first_target(set) < set->nlayers - 1;
	if (part <= CROWDED && (set->is_alone || !is_split))
		return SET_HAS_ROOM;
	if (set->is_alone)
	{
		if (blt_set_grow(set, nabsent))
			return SET_HAS_CHANGED;
		if (part > TOO_FULL)
			blt_set_report_full(set);
		return SET_HAS_ROOM;
	}
	if ((is_split || is_older_crowded || blt_set_can_grow(set)) && blt_set_be_alone_at_once(set))
		return SET_HAS_CHANGED;
	return part > TOO_FULL ? SET_HAS_NO_ROOM : SET_HAS_ROOM;
}

/* Others wait for who waits, so he needs the privilege of LOCK TABLE. */
static void
check_may_wait(Oid table)
{
	if (pg_class_aclcheck(table, GetUserId(), ACL_UPDATE) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(table));
}

/*
 * Whoever adds nothing need not keep the lock, by which layers are not sealed.
 * Nor does he while he waits to be alone: of two who did, each would wait for
 * the other.
 */
void
blt_set_add(Oid table, SetKey *keys, int n, bool refresh, Oid function)
{
	bool		may_be_full = false;
	SetState	state;
	BloomSet	set;

	PreventCommandIfReadOnly("bloom_set_add()");
	qsort(keys, n, sizeof(SetKey), compare_keys);
	blt_set_open(&set, table, RowExclusiveLock);
	for (;;)
	{
		state = make_room(&set, keys, n, refresh, &may_be_full);
		if (state == SET_HAS_ROOM)
		{
			for (int i = blt_set_first_target(&set); i < set.nlayers; i++)
				add_to_layer(&set, &set.layers[i], keys, n, refresh, function);
		}
		UnregisterSnapshot(set.snapshot);
		if (state == SET_HAS_ALL || state == SET_HAS_ROOM)
			break;
		if (state == SET_HAS_NO_ROOM)
		{
			check_may_wait(table);
			blt_set_close_and_unlock(&set);
			blt_set_open(&set, table, SET_ALONE_LOCK);
		}
	}
	if (state == SET_HAS_ALL)
		blt_set_close_and_unlock(&set);
	else
	{
		if (may_be_full && is_full(&set))
			blt_set_try_grow(&set);
		blt_set_close(&set);
	}
}
