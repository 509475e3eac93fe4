/*
 * join_bitmap.h
 *	  A set of integers within a small range: a bit for each number.
 *
 * The bit of a number is the remainder of its division by the number of bits.
 * So it is known before the range is: any range of at most so many numbers has
 * a bit for each of them, and bitmaps of one size are united bit by bit.
 */
#ifndef BLOOMTYPE_JOIN_BITMAP_H
#define BLOOMTYPE_JOIN_BITMAP_H

#define JOIN_BITMAP_WORD_BITS 64

/* The numbers from least to greatest */
typedef struct JoinInterval
{
	int64		least;
	int64		greatest;
} JoinInterval;

typedef struct JoinBitmap
{
	uint64	   *words;			/* NULL: none */
	uint64		nwords;
} JoinBitmap;

/* A bitmap and the range of its numbers, as they are probed */
typedef struct JoinBitmapProbe
{
	const uint64 *words;		/* NULL: none */
	uint64		nbits;
	uint64		first_bit;		/* that of the least number */
	int64		least;
	uint64		distance;		/* from the least number to the greatest */
} JoinBitmapProbe;

typedef struct JoinBitmapScan
{
	JoinBitmapProbe numbers;
	uint64		distance;		/* from the least number to the next one */
} JoinBitmapScan;

/*
 * From a number to one that is not less; no two are too far from each other.
 */
static inline uint64
blt_join_distance(int64 from, int64 to)
{
	return (uint64) to - (uint64) from;
}

/* Extend an interval by another one, unless it has no keys so far. */
static inline JoinInterval
blt_join_extend_interval(JoinInterval interval, bool has_keys, JoinInterval other)
{
	if (has_keys)
	{
		other.least = Min(other.least, interval.least);
		other.greatest = Max(other.greatest, interval.greatest);
	}
	return other;
}

/* How many words have a bit for each number of a range */
static inline uint64
blt_join_bitmap_words(JoinInterval range)
{
	return blt_join_distance(range.least, range.greatest) / JOIN_BITMAP_WORD_BITS + 1;
}

/*
 * Add a number.  All that are added must lie in a range for which the bitmap
 * has words enough.
 */
extern void blt_join_bitmap_add(JoinBitmap bitmap, int64 number);

/* Probe a bitmap whose numbers are all in the range. */
extern JoinBitmapProbe blt_join_bitmap_probe(JoinBitmap bitmap, JoinInterval range);

static inline bool
blt_join_bitmap_contains(const JoinBitmapProbe *probe, int64 number)
{
	uint64		distance = blt_join_distance(probe->least, number);
	uint64		bit = probe->first_bit + distance;

	if (distance > probe->distance)
		return false;
	if (bit >= probe->nbits)
		bit -= probe->nbits;
	return (probe->words[bit / JOIN_BITMAP_WORD_BITS] >> bit % JOIN_BITMAP_WORD_BITS & 1) != 0;
}

/*
 * Read the numbers of a bitmap in ascending order, those in a range for which
 * it has words enough.
 */
extern JoinBitmapScan blt_join_bitmap_scan(JoinBitmap bitmap, JoinInterval range);
extern bool blt_join_bitmap_next(JoinBitmapScan *scan, int64 *number);

#endif							/* BLOOMTYPE_JOIN_BITMAP_H */
