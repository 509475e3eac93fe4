/*
 * set_add.c
 *	  Looks for keys in all layers, and adds those that are absent.
 *
 * What is absent in a snapshot may be there by the time that its row is
 * locked.  So whoever changes the row looks once more; see
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
#define TOO_FULL	0.64

void
blt_set_check_key(const BloomSet *set, const BloomKey *key, bool is_added)
{
	const SetLayer *newest = blt_set_newest(set);

	if (key->family != newest->family || key->subtype != newest->subtype)
		blt_report_set_mismatch(newest->family, *key, is_added);
}

static int
compare_keys(const void *a, const void *b, void *unused)
{
	const SetKey *x = a;
	const SetKey *y = b;

	if (x->key.hash != y->key.hash)
		return x->key.hash < y->key.hash ? -1 : 1;
	return x->position < y->position ? -1 : 1;
}

/* What is being added */
typedef struct Addition
{
	BloomSet	set;
	SetKey	   *keys;			/* in the order of slices */
	int			n;
	bool		refresh;
	bool		may_be_full;	/* the newest layer, by then */

	/* the keys of one slice that are to be added, of those before next_key */
	int			next_key;
	int			slice;
	SetKey	  **run;
	int			length;
} Addition;

/* Is a key to be added?  With refresh, also if older windows have it. */
static inline bool
is_to_be_added(const SetKey *key, bool refresh)
{
	return key->is_new || (refresh && !key->is_recent);
}

/* Only the newest layer is to have keys of older windows. */
static bool
refreshes(const Addition *addition, const SetLayer *layer)
{
	return addition->refresh && layer == blt_set_newest(&addition->set);
}

/*
 * Gather the keys that are to be added to the next slice of a layer, from
 * next_key on.  False if there are none.
 */
static bool
next_run(Addition *addition, const SetLayer *layer, bool refresh)
{
	CHECK_FOR_INTERRUPTS();
	addition->length = 0;
	for (; addition->next_key < addition->n; addition->next_key++)
	{
		SetKey	   *key = &addition->keys[addition->next_key];
		int			slice;

		if (!is_to_be_added(key, refresh))
			continue;
		slice = blt_set_slice(layer, key->key.hash);
		if (addition->length > 0 && slice != addition->slice)
			break;
		addition->slice = slice;
		addition->run[addition->length++] = key;
	}
	return addition->length > 0;
}

/*
 * Note which keys a layer has: these are not new.  Layers are asked from the
 * newest on, so what one before has said of a key stays.
 */
static void
look_in_layer(Addition *addition, const SetLayer *layer)
{
	bool		is_recent = layer->window == blt_set_newest(&addition->set)->window;
	unsigned char bits[SET_SLICE_BYTES];

	addition->next_key = 0;
	while (next_run(addition, layer, false))
	{
		blt_set_read_slice(&addition->set, layer, addition->slice, bits);
		for (int i = 0; i < addition->length; i++)
		{
			SetKey	   *key = addition->run[i];

			key->is_new = !blt_set_slice_contains(layer, bits, key->key.hash);
			key->is_recent = !key->is_new && is_recent;
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

/*
 * Is the newest layer full, with what has been added?  Not if its window has
 * gone meanwhile.
 */
static bool
is_full(BloomSet *set)
{
	const SetLayer *layer = blt_set_newest(set);
	int			nslices = blt_set_nslices(layer);
	int			nsampled = Min(nslices, SAMPLED_SLICES);
	unsigned char bits[SET_SLICE_BYTES];
	uint64		nset = 0;
	uint64		nblocks = 0;
	bool		is_there = true;

	CommandCounterIncrement();
	set->last_slice = -1;
	set->snapshot = RegisterSnapshot(GetTransactionSnapshot());
	for (int i = 0; i < nsampled && is_there; i++)
	{
		int			slice = (int) ((int64) i * nslices / nsampled);
		uint32		n = blt_set_slice_bytes(layer, slice) / BBF_BLOCK_BYTES;
		ItemPointerData tid;

		is_there = blt_set_find_slice(set, layer, slice, set->snapshot, bits, &tid);
		if (is_there)
		{
			nset += bbf_blocks_count_set(bits, n);
			nblocks += n;
		}
		else if (blt_set_is_live_now(set, layer))
			blt_set_report_damage(set, layer->number, slice, "It is missing.");
	}
	UnregisterSnapshot(set->snapshot);
	return is_there && (double) nset / nblocks * layer->layer.nbins > (double) layer->layer.full_at;
}

/*
 * The largest part of a slice's bits that is set in a layer when the keys are
 * there.  Notes whether the layer should be measured then.
 */
static double
part_with(Addition *addition, const SetLayer *layer)
{
	unsigned char bits[SET_SLICE_BYTES];
	double		part = 0;

	addition->may_be_full = false;
	addition->next_key = 0;
	while (next_run(addition, layer, refreshes(addition, layer)))
	{
		int			nblocks = blt_set_slice_bytes(layer, addition->slice) / BBF_BLOCK_BYTES;
		uint64		before;
		uint64		after;

		blt_set_read_slice(&addition->set, layer, addition->slice, bits);
		before = after = bbf_blocks_count_set(bits, nblocks);
		for (int i = 0; i < addition->length; i++)
		{
			uint64		hash = addition->run[i]->key.hash;

			after += bbf_block_add(bits + blt_set_block(layer, hash) * BBF_BLOCK_BYTES,
								   layer->layer.key_bits, hash);
		}
		part = Max(part, (double) after / (nblocks * BBF_BLOCK_BITS));
		addition->may_be_full |= fullness(layer, before, nblocks) != fullness(layer, after, nblocks);
	}
	return part;
}

/*
 * Add the keys to one of the layers that they go to.  False if others have
 * filled it while this call, which has added nothing yet, waited for them.
 * Errors: a row is gone, with its window or not.
 */
static bool
add_to_layer(Addition *addition, const SetLayer *layer, bool *is_first)
{
	addition->next_key = 0;
	while (next_run(addition, layer, refreshes(addition, layer)))
	{
		switch (blt_set_add_to_slice(&addition->set, layer, addition->slice, addition->run,
									 addition->length, *is_first))
		{
			case SET_SLICE_HAS_KEYS:
				*is_first = false;
				break;
			case SET_SLICE_WAS_FILLED:
				return false;
			case SET_SLICE_IS_GONE:
				if (!blt_set_is_live_now(&addition->set, layer))
					blt_set_report_conflict(&addition->set);
				blt_set_report_damage(&addition->set, layer->number, addition->slice, "It is missing.");
		}
	}
	return true;
}

/* Add the keys to all layers that they go to; false as above. */
static bool
add_to_layers(Addition *addition)
{
	BloomSet   *set = &addition->set;
	bool		is_first = true;

	for (int i = blt_set_first_target(set); i < set->nlayers; i++)
	{
		if (!add_to_layer(addition, &set->layers[i], &is_first))
			return false;
	}
	return true;
}

/* Read the set, and which of the keys are in it.  Returns how many are not. */
static int
look_in_snapshot(Addition *addition)
{
	BloomSet   *set = &addition->set;
	SetKey	   *keys = addition->keys;
	int			nabsent = 0;

	blt_set_read_layers(set, set->snapshot, false);
	for (int i = 0; i < addition->n; i++)
	{
		blt_set_check_key(set, &keys[i].key, true);

		/* twice in one call, it is new once */
		keys[i].is_recent = i > 0 && keys[i - 1].key.hash == keys[i].key.hash;
		keys[i].is_new = !keys[i].is_recent;
	}
	for (int i = set->nlayers - 1; i >= 0; i--)
		look_in_layer(addition, &set->layers[i]);
	for (int i = 0; i < addition->n; i++)
		nabsent += is_to_be_added(&keys[i], addition->refresh);
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
look_in_set(Addition *addition)
{
	BloomSet   *set = &addition->set;
	int			nabsent;

	CommandCounterIncrement();
	set->snapshot = RegisterSnapshot(GetTransactionSnapshot());
	nabsent = look_in_snapshot(addition);
	if (nabsent > 0 && set->is_alone && IsolationUsesXactSnapshot())
	{
		blt_set_check_newest(set);
		UnregisterSnapshot(set->snapshot);
		set->snapshot = RegisterSnapshot(GetLatestSnapshot());
		if (look_in_snapshot(addition) != nabsent)
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
make_room(Addition *addition)
{
	BloomSet   *set = &addition->set;
	int			nabsent = look_in_set(addition);
	double		newest_part = 0;
	double		part = 0;
	bool		is_older_crowded = false;
	bool		is_split;

	if (nabsent == 0)
		return SET_HAS_ALL;
	blt_set_check_newest(set);
	for (int i = blt_set_first_target(set); i < set->nlayers; i++)
	{
		is_older_crowded = part > CROWDED;
		newest_part = part_with(addition, &set->layers[i]);
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
		if (blt_set_try_grow(set, nabsent))
			return SET_HAS_CHANGED;
		if (part > TOO_FULL)
			blt_set_report_full(set);
		return SET_HAS_ROOM;
	}
	if ((is_split || is_older_crowded || blt_set_can_grow(set)) && blt_set_be_alone_at_once(set))
		return SET_HAS_CHANGED;
	return part > TOO_FULL ? SET_HAS_NO_ROOM : SET_HAS_ROOM;
}

/*
 * Whoever adds nothing need not keep the lock, by which layers are not sealed.
 * Nor does he while he waits to be alone: of two who did, each would wait for
 * the other.  Others wait for who waits, so he needs the privilege of LOCK
 * TABLE.
 */
void
blt_set_add(Oid table, SetKey *keys, int n, bool refresh)
{
	Addition	addition = {.keys = keys,.n = n,.refresh = refresh,.run = palloc_extended(n * sizeof(SetKey *), MCXT_ALLOC_HUGE)};
	BloomSet   *set = &addition.set;
	SetState	state;

	PreventCommandIfReadOnly("bloom_set_add()");
	qsort_interruptible(keys, n, sizeof(SetKey), compare_keys, NULL);
	blt_set_open(set, table, RowExclusiveLock);
	for (;;)
	{
		state = make_room(&addition);
		if (state == SET_HAS_ROOM && !add_to_layers(&addition))
			state = SET_HAS_CHANGED;
		UnregisterSnapshot(set->snapshot);
		if (state == SET_HAS_ALL || state == SET_HAS_ROOM)
			break;
		if (state == SET_HAS_NO_ROOM)
		{
			blt_set_check_privilege(table, ACL_UPDATE);
			blt_set_close_and_unlock(set);
			blt_set_open(set, table, SET_ALONE_LOCK);
		}
	}
	if (state == SET_HAS_ALL)
		blt_set_close_and_unlock(set);
	else
	{
		if (addition.may_be_full && is_full(set))
			(void) blt_set_try_grow(set, 0);
		blt_set_close(set);
	}
	pfree(addition.run);
}
