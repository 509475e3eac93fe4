/*
 * cuckoo.c
 *	  Finds, adds and removes fingerprints, and makes room by moving others.
 */
#include "core/cuckoo.h"

#include "core/blocked.h"
#include "core/hash.h"

/*
 * The most buckets that are searched for a free place.  If all were searched,
 * a filter could be filled to 98 %.  With this limit, a million keys fill one
 * to 96 or 97 %, where the last keys take some microseconds each.
 */
#define MAX_SEARCH		4096

/*
 * The table of buckets found starts with 2^6 slots, and is doubled when it is
 * half full, up to this number.
 */
#define FIRST_SLOT_BITS	6
#define MAX_SLOTS		(2 * MAX_SEARCH)

static inline uint32_t
other_bucket(uint32_t bucket, uint32_t fingerprint, uint32_t nbuckets)
{
	unsigned char bytes[4];
	uint32_t	sum;

	bbf_put32(bytes, fingerprint);
	sum = bbf_block_index(bbf_hash(bytes, sizeof(bytes)), nbuckets) | 1;
	return sum >= bucket ? sum - bucket : sum + (nbuckets - bucket);
}

/*
 * Inlined where speed counts: a small struct that is returned is put together
 * in registers and taken apart through memory, which takes as long as the
 * rest.
 */
static inline BbfCandidates
candidates(uint64_t hash, uint32_t nbuckets, int f)
{
	uint64_t	nfingerprints = ((uint64_t) 1 << f) - 1;
	BbfCandidates c;

	c.fingerprint = 1 + (uint32_t) ((hash & UINT32_MAX) * nfingerprints >> 32);
	c.buckets[0] = bbf_block_index(hash, nbuckets);
	c.buckets[1] = other_bucket(c.buckets[0], c.fingerprint, nbuckets);
	return c;
}

BbfCandidates
bbf_cuckoo_candidates(uint64_t hash, uint32_t nbuckets, int f)
{
	return candidates(hash, nbuckets, f);
}

size_t
bbf_bucket_span(uint32_t bucket, int f, size_t *offset, unsigned *first_bit)
{
	uint64_t	start = (uint64_t) bucket * BBF_BUCKET_PLACES * (unsigned) f;
	uint64_t	end = start + (uint64_t) BBF_BUCKET_PLACES * (unsigned) f;

	*offset = (size_t) (start / 64 * 8);
	*first_bit = (unsigned) (start % 64);
	return (size_t) ((end + 63) / 64 * 8) - *offset;
}

/*
 * The n bits (1 .. 64) from a bit on, which may reach into the next word.
 * Without a branch, since it would be unpredictable: if the bits are all in
 * one word, first and last are that word, and the mask drops what last adds.
 */
static inline uint64_t
get_bits(const unsigned char *bytes, uint64_t bit, unsigned n)
{
	uint64_t	first = bbf_get64(bytes + bit / 64 * 8);
	uint64_t	last = bbf_get64(bytes + (bit + n - 1) / 64 * 8);
	unsigned	shift = (unsigned) (bit % 64);

	return (first >> shift | last << 1 << (63 - shift)) & UINT64_MAX >> (64 - n);
}

static void
put_bits(unsigned char *bytes, uint64_t bit, int f, uint32_t value)
{
	unsigned char *word = bytes + bit / 64 * 8;
	unsigned	shift = (unsigned) (bit % 64);
	uint64_t	mask = ((uint64_t) 1 << f) - 1;

	bbf_put64(word, (bbf_get64(word) & ~(mask << shift)) |
			  (uint64_t) value << shift);
	if (shift + (unsigned) f > 64)
	{
		word += 8;
		bbf_put64(word, (bbf_get64(word) & ~(mask >> (64 - shift))) |
				  (uint64_t) value >> (64 - shift));
	}
}

/* Number of the first bit of a place. */
static inline uint64_t
place_bit(int f, uint32_t bucket, int place)
{
	return ((uint64_t) bucket * BBF_BUCKET_PLACES + (unsigned) place) * (unsigned) f;
}

static uint32_t
get_place(const unsigned char *bytes, int f, uint32_t bucket, int place)
{
	return (uint32_t) get_bits(bytes, place_bit(f, bucket, place), (unsigned) f);
}

static void
put_place(unsigned char *bytes, int f, uint32_t bucket, int place,
		  uint32_t fingerprint)
{
	put_bits(bytes, place_bit(f, bucket, place), f, fingerprint);
}

/*
 * How many of the four places of the bucket that starts at a bit hold a value?
 * Two are read at a time, at most 64 bits.
 */
static inline int
count_places(const unsigned char *bytes, uint64_t bit, int f, uint32_t value)
{
	uint64_t	mask = ((uint64_t) 1 << f) - 1;
	uint64_t	low = get_bits(bytes, bit, 2 * (unsigned) f);
	uint64_t	high = get_bits(bytes, bit + 2 * (unsigned) f, 2 * (unsigned) f);

	return ((low & mask) == value) + (low >> f == value) +
		((high & mask) == value) + (high >> f == value);
}

/* Number of places of a bucket that are taken; these come first. */
static int
taken_places(const unsigned char *bytes, int f, uint32_t bucket)
{
	return BBF_BUCKET_PLACES - count_places(bytes, place_bit(f, bucket, 0), f, 0);
}

int
bbf_bucket_count(const unsigned char *span, unsigned first_bit, int f,
				 uint32_t fingerprint)
{
	return count_places(span, first_bit, f, fingerprint);
}

int
bbf_cuckoo_count(const unsigned char *bytes, uint32_t nbuckets, int f,
				 uint64_t hash)
{
	BbfCandidates c = candidates(hash, nbuckets, f);

	return count_places(bytes, place_bit(f, c.buckets[0], 0), f, c.fingerprint) +
		count_places(bytes, place_bit(f, c.buckets[1], 0), f, c.fingerprint);
}

/*
 * A bucket that was found by the search: the fingerprint in that place of the
 * bucket of steps[from] could move here.
 */
typedef struct Step
{
	uint32_t	bucket;
	int			from;			/* -1 for a candidate of the new key */
	int			place;
} Step;

/*
 * Buckets that were visited, each plus 1, in a table that is at most half
 * full; 0: a free slot.  Most searches are short, so it starts small.
 */
typedef struct Seen
{
	int			bits;
	uint32_t	slots[MAX_SLOTS];
} Seen;

/* Was a bucket visited before?  If not, mark it as visited. */
static bool
seen_before(Seen *seen, uint32_t bucket)
{
	uint32_t	mask = ((uint32_t) 1 << seen->bits) - 1;
	uint32_t	at = (uint32_t) (bucket * BBF_PROBE_MULTIPLIER >> (64 - seen->bits));

	while (seen->slots[at] != 0)
	{
		if (seen->slots[at] == bucket + 1)
			return true;
		at = (at + 1) & mask;
	}
	seen->slots[at] = bucket + 1;
	return false;
}

/* Start a table of 2^bits slots, with the buckets of the steps so far. */
static void
start_seen(Seen *seen, int bits, const Step *steps, int nsteps)
{
	seen->bits = bits;
	memset(seen->slots, 0, sizeof(uint32_t) << bits);
	for (int i = 0; i < nsteps; i++)
		(void) seen_before(seen, steps[i].bucket);
}

/*
 * Free a place in a candidate, along the chain of steps that leads from
 * steps[last], whose bucket has a free place, back to it: each fingerprint on
 * the way moves one step towards steps[last].  Returns the candidate, and
 * sets the place that is free there now.
 */
static uint32_t
move_along(unsigned char *bytes, int f, const Step *steps, int last,
		   int *place)
{
	uint32_t	bucket = steps[last].bucket;

	*place = taken_places(bytes, f, bucket);
	while (steps[last].from >= 0)
	{
		const Step *step = &steps[last];
		uint32_t	from = steps[step->from].bucket;

		put_place(bytes, f, bucket, *place, get_place(bytes, f, from, step->place));
		bucket = from;
		*place = step->place;
		last = step->from;
	}
	return bucket;
}

/* Add a fingerprint whose candidates are both full. */
static bool
add_displacing(unsigned char *bytes, uint32_t nbuckets, int f,
			   const BbfCandidates *c)
{
	Step		steps[MAX_SEARCH];
	Seen		seen;
	int			nsteps = 2;

	for (int i = 0; i < 2; i++)
	{
		steps[i].bucket = c->buckets[i];
		steps[i].from = -1;
		steps[i].place = 0;
	}
	start_seen(&seen, FIRST_SLOT_BITS, steps, nsteps);

	/* breadth first, from both candidates */
	for (int i = 0; i < nsteps; i++)
	{
		for (int place = 0; place < BBF_BUCKET_PLACES; place++)
		{
			uint32_t	bucket = steps[i].bucket;
			uint32_t	other = other_bucket(bucket,
											 get_place(bytes, f, bucket, place),
											 nbuckets);

			if (nsteps == MAX_SEARCH || seen_before(&seen, other))
				continue;
			steps[nsteps].bucket = other;
			steps[nsteps].from = i;
			steps[nsteps].place = place;
			nsteps++;

			if (taken_places(bytes, f, other) < BBF_BUCKET_PLACES)
			{
				bucket = move_along(bytes, f, steps, nsteps - 1, &place);
				put_place(bytes, f, bucket, place, c->fingerprint);
				return true;
			}
			if (nsteps == 1 << (seen.bits - 1) && nsteps < MAX_SEARCH)
				start_seen(&seen, seen.bits + 1, steps, nsteps);
		}
	}
	return false;
}

bool
bbf_cuckoo_add(unsigned char *bytes, uint32_t nbuckets, int f, uint64_t hash)
{
	BbfCandidates c = candidates(hash, nbuckets, f);

	for (int i = 0; i < 2; i++)
	{
		int			n = taken_places(bytes, f, c.buckets[i]);

		if (n < BBF_BUCKET_PLACES)
		{
			put_place(bytes, f, c.buckets[i], n, c.fingerprint);
			return true;
		}
	}
	return add_displacing(bytes, nbuckets, f, &c);
}

bool
bbf_cuckoo_remove(unsigned char *bytes, uint32_t nbuckets, int f,
				  uint64_t hash)
{
	BbfCandidates c = candidates(hash, nbuckets, f);

	for (int i = 0; i < 2; i++)
	{
		uint32_t	bucket = c.buckets[i];

		for (int place = 0; place < BBF_BUCKET_PLACES; place++)
		{
			int			last;

			if (get_place(bytes, f, bucket, place) != c.fingerprint)
				continue;
			last = taken_places(bytes, f, bucket) - 1;
			put_place(bytes, f, bucket, place, get_place(bytes, f, bucket, last));
			put_place(bytes, f, bucket, last, 0);
			return true;
		}
	}
	return false;
}

bool
bbf_cuckoo_check(const unsigned char *bytes, uint32_t nbuckets, int f,
				 uint64_t *nstored)
{
	uint64_t	nbits = (uint64_t) nbuckets * BBF_BUCKET_PLACES * (unsigned) f;

	*nstored = 0;
	for (uint32_t bucket = 0; bucket < nbuckets; bucket++)
	{
		int			n = taken_places(bytes, f, bucket);

		*nstored += (unsigned) n;
		if (n == BBF_BUCKET_PLACES)
			continue;
		for (int place = 0; place < n; place++)
		{
			if (get_place(bytes, f, bucket, place) == 0)
				return false;
		}
	}
	return nbits % 64 == 0 ||
		bbf_get64(bytes + nbits / 64 * 8) >> nbits % 64 == 0;
}

BbfGeometry
bbf_size_buckets(uint64_t capacity, double fpp)
{
	BbfGeometry geometry = {2, 0, 0};
	uint64_t	nplaces;

	for (int f = 1; f <= BBF_MAX_FINGERPRINT_BITS && geometry.key_bits == 0; f++)
	{
		if ((double) (((uint64_t) 1 << f) - 1) * fpp >= BBF_MAX_COPIES)
			geometry.key_bits = f;
	}

	/*
	 * Any eight keys fit two buckets.  Of more keys nine may have the same
	 * two by chance; with this many places to spare that happens to one set
	 * of keys in a million at most (with fingerprints of 7 bits or more).
	 */
	if (capacity > BBF_MAX_COPIES)
	{
		nplaces = capacity + capacity / 19 + 4 * bbf_square_root(capacity) + 9;
		geometry.nbins = 2 * (nplaces / BBF_MAX_COPIES + 1);
	}
	return geometry;
}
