/*
 * join_bitmap.c
 *	  Adds numbers to a set of integers, and finds them.
 */
#include "compat.h"

#include "join/join_bitmap.h"

#include "port/pg_bitutils.h"

/*
 * Numbers are divided as if they began at zero, so that those next to each
 * other have bits next to each other, the last and the first one included.
 */
static uint64
bit_of(JoinBitmap bitmap, int64 number)
{
	return blt_join_distance(PG_INT64_MIN, number) % (bitmap.nwords * JOIN_BITMAP_WORD_BITS);
}

void
blt_join_bitmap_add(JoinBitmap bitmap, int64 number)
{
	uint64		bit = bit_of(bitmap, number);

	bitmap.words[bit / JOIN_BITMAP_WORD_BITS] |= UINT64CONST(1) << bit % JOIN_BITMAP_WORD_BITS;
}

JoinBitmapProbe
blt_join_bitmap_probe(JoinBitmap bitmap, JoinInterval range)
{
	JoinBitmapProbe probe;

	probe.words = bitmap.words;
	probe.nbits = bitmap.nwords * JOIN_BITMAP_WORD_BITS;
	probe.first_bit = bit_of(bitmap, range.least);
	probe.least = range.least;
	probe.distance = blt_join_distance(range.least, range.greatest);
	return probe;
}

JoinBitmapScan
blt_join_bitmap_scan(JoinBitmap bitmap, JoinInterval range)
{
	JoinBitmapScan scan = {.numbers = blt_join_bitmap_probe(bitmap, range)};

	return scan;
}

bool
blt_join_bitmap_next(JoinBitmapScan *scan, int64 *number)
{
	const JoinBitmapProbe *numbers = &scan->numbers;

	while (scan->distance <= numbers->distance)
	{
		uint64		bit = (numbers->first_bit + scan->distance) % numbers->nbits;
		uint64		word = numbers->words[bit / JOIN_BITMAP_WORD_BITS] >>
			bit % JOIN_BITMAP_WORD_BITS;

		if (word == 0)
		{
			scan->distance += JOIN_BITMAP_WORD_BITS - bit % JOIN_BITMAP_WORD_BITS;
			continue;
		}
		scan->distance += pg_rightmost_one_pos64(word);
		*number = (int64) ((uint64) numbers->least + scan->distance);
		return scan->distance++ <= numbers->distance;
	}
	return false;
}
