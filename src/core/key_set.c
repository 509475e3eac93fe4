/*
 * key_set.c
 *	  See key_set.h.
 */
#include "core/key_set.h"

#include <string.h>

#include "core/prefetch.h"

static inline uint32_t
home_slot(const BbfKeySet *set, uint64_t hash)
{
	return (uint32_t) (((hash * set->multiplier >> 32) * set->nslots) >> 32);
}

/* The set must have a free slot. */
static inline void
insert(BbfKeySet *set, uint64_t hash)
{
	uint32_t	slot = home_slot(set, hash);

	if (hash == 0)
	{
		set->nkeys += !set->has_zero;
		set->has_zero = true;
		return;
	}

	while (set->slots[slot] != 0)
	{
		if (set->slots[slot] == hash)
			return;
		if (++slot == set->nslots)
			slot = 0;
	}
	set->slots[slot] = hash;
	set->nkeys++;
}

void
bbf_key_set_init(BbfKeySet *set, uint64_t *slots, uint32_t nslots,
				 uint64_t random)
{
	memset(slots, 0, (size_t) nslots * sizeof(uint64_t));
	set->slots = slots;
	set->multiplier = random | 1;
	set->nslots = nslots;
	set->nkeys = 0;
	set->has_zero = false;
}

size_t
bbf_key_set_add(BbfKeySet *set, const uint64_t *hashes, size_t n)
{
	const uint32_t limit = bbf_key_set_room(set->nslots);
	size_t		i;

	for (i = 0; i < n && set->nkeys < limit; i++)
	{
		if (i + BBF_PREFETCH_DISTANCE < n)
			BBF_PREFETCH_FOR_WRITE(set->slots +
								   home_slot(set, hashes[i + BBF_PREFETCH_DISTANCE]));
		insert(set, hashes[i]);
	}
	return i;
}

size_t
bbf_key_set_read(const BbfKeySet *set, uint64_t *position,
				 uint64_t *hashes, size_t max)
{
	size_t		n = 0;
	uint64_t	at = *position;

	/* position 0 stands for the zero, position i + 1 for slot i */
	if (at == 0 && max > 0)
	{
		if (set->has_zero)
			hashes[n++] = 0;
		at = 1;
	}
	for (; at <= set->nslots && n < max; at++)
	{
		if (set->slots[at - 1] != 0)
			hashes[n++] = set->slots[at - 1];
	}
	*position = at;
	return n;
}
