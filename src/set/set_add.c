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
#include "set/set_statements.h"
#include "utils/snapmgr.h"

/* The layer is measured by so many of its slices, or by all. */
#define SAMPLED_SLICES		64

/* ... whenever a slice is full, and has this part of its full bits more. */
#define MEASURES_PER_SHARE	64

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
 * Error if a slice would have three quarters of its bits set, at which absent
 * keys seem present every few times: what is told to be there would be lost.
 */
static void
check_room(const BloomSet *set, const SetLayer *layer, uint64 nset, int nblocks)
{
	if (nset <= (uint64) nblocks * BBF_BLOCK_BITS / 4 * 3)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("set \"%s\" is too full", RelationGetRelationName(set->table)),
			 layer->growth == 0 ?
			 errdetail("It was made for %llu keys, and does not grow.",
					   (unsigned long long) layer->layer.capacity) :
			 layer->number < blt_set_newest(set)->number ?
			 errdetail("Until transactions have ended that were adding keys when its newest layer was opened, keys go to the layers before it, too.") :
			 errdetail("It was made for %llu keys, and the transaction brings many more at once, or nobody who may INSERT has been able to let it grow.",
					   (unsigned long long) layer->layer.capacity),
			 errhint("Begin another window with bloom_set_advance, make the set for the keys that will come, or add fewer in one transaction.")));
}

/*
 * The keys of a slice that another transaction has added to by now, or else
 * all of them, one by one.
 */
static void
add_one_by_one(const BloomSet *set, const SetLayer *layer, int slice, SetKey **keys, int n,
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

/*
 * Add the keys of a run that are new, or to be refreshed.  Returns whether the
 * layer might be full.
 */
static bool
add_run(BloomSet *set, const SetLayer *layer, SetKey *run, int length, bool refresh,
		Oid function)
{
	int			slice = blt_set_slice(layer, run->key.hash);
	int			nblocks = blt_set_slice_bytes(layer, slice) / BBF_BLOCK_BYTES;
	SetKey	  **added = palloc(length * sizeof(SetKey *));
	uint64	   *hashes = palloc(length * sizeof(uint64));
	unsigned char bits[SET_SLICE_BYTES];
	uint64		before = 0;
	uint64		after = 0;
	int			n = 0;

	for (int i = 0; i < length; i++)
	{
		if (run[i].is_new || (refresh && !run[i].is_recent))
		{
			hashes[n] = run[i].key.hash;
			added[n++] = &run[i];
		}
	}
	if (n > 0)
	{
		blt_set_read_slice(set, layer, slice, bits);
		before = after = bbf_blocks_count_set(bits, nblocks);
		for (int i = 0; i < n; i++)
			after += bbf_block_add(bits + blt_set_block(layer, hashes[i]) * BBF_BLOCK_BYTES,
								   layer->layer.key_bits, hashes[i]);
		check_room(set, layer, after, nblocks);
		if (!blt_set_add_to_slice(set, layer, slice, hashes, n, function))
			add_one_by_one(set, layer, slice, added, n, function);
	}
	pfree(added);
	pfree(hashes);
	return fullness(layer, before, nblocks) != fullness(layer, after, nblocks);
}

/* The same for all keys and, of the layers that they go to, one. */
static bool
add_to_layer(BloomSet *set, const SetLayer *layer, SetKey *keys, int n, bool refresh,
			 Oid function)
{
	bool		is_newest = layer == blt_set_newest(set);
	bool		may_be_full = false;
	int			length;

	for (SetKey *run = keys; run < keys + n; run += length)
	{
		CHECK_FOR_INTERRUPTS();
		length = length_of_run(layer, run, (int) (keys + n - run));
		may_be_full |= add_run(set, layer, run, length, refresh && is_newest, function);
	}
	return may_be_full && is_newest;
}

/* Read the set as it is, and which of the keys are in it. */
static bool
look_in_set(BloomSet *set, SetKey *keys, int n, bool refresh)
{
	bool		is_any_added = false;

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
		is_any_added |= keys[i].is_new || (refresh && !keys[i].is_recent);
	return is_any_added;
}

/*
 * Add the keys that are absent to an open set.  Returns whether it has tried
 * to.  What this command has added before is seen, also within one statement.
 */
static bool
add_to_set(BloomSet *set, SetKey *keys, int n, bool refresh, Oid function)
{
	bool		may_be_full = false;
	bool		has_sealed;
	bool		has_any;

	do
	{
		CommandCounterIncrement();
		set->snapshot = RegisterSnapshot(GetTransactionSnapshot());
		has_any = look_in_set(set, keys, n, refresh);
		has_sealed = has_any && blt_set_try_seal(set);
		if (has_sealed)
			UnregisterSnapshot(set->snapshot);
	} while (has_sealed);

	if (has_any)
	{
		blt_set_check_newest(set);
		for (int i = blt_set_first_target(set); i < set->nlayers; i++)
			may_be_full = add_to_layer(set, &set->layers[i], keys, n, refresh, function);
	}
	UnregisterSnapshot(set->snapshot);
	if (may_be_full && is_full(set))
		blt_set_try_grow(set);
	return has_any;
}

/*
 * Whoever has added nothing need not keep the lock, by which layers are not
 * sealed.
 */
void
blt_set_add(Oid table, SetKey *keys, int n, bool refresh, Oid function)
{
	BloomSet	set;

	PreventCommandIfReadOnly("bloom_set_add()");
	qsort(keys, n, sizeof(SetKey), compare_keys);
	blt_set_open(&set, table, RowExclusiveLock);
	if (add_to_set(&set, keys, n, refresh, function))
		blt_set_close(&set);
	else
		blt_set_close_and_unlock(&set, RowExclusiveLock);
}
