/*
 * pages_tuning.h
 *	  Numbers that were chosen by measuring; those of sizing are in
 *	  core/pages.c.
 */
#ifndef BLOOMTYPE_PAGES_TUNING_H
#define BLOOMTYPE_PAGES_TUNING_H

/* Options */
#define PAGES_DEFAULT_FALSE_RANGES	0.1

/*
 * A batch of a build: keys for which memory is allocated at first, and at
 * most, so that a cache holds most of them.
 */
#define PAGES_FIRST_BATCH		1024
#define PAGES_LARGEST_BATCH		(256 * 1024)

/* Pages added to an index at once. */
#define PAGES_ADDED_AT_ONCE		64

/*
 * A new epoch is begun if the ranges of a group have a tenth more keys than
 * they were made for, and so twice the rate, or less than half, so that an
 * index of half the size would do.  Keys are hashed evenly over blocks, so
 * some of these are enough to see.
 */
#define PAGES_MANY_KEYS			1.1
#define PAGES_FEW_KEYS			0.5
#define PAGES_BLOCKS_SEEN		16

/*
 * bloom_pages_info: a range is overfull with so many times the keys that it
 * was made for, which is four times its rate; REINDEX pays if an absent key is
 * expected to find so many times false_ranges.
 */
#define PAGES_OVERFULL			1.25
#define PAGES_MANY_FALSE_RANGES 4.0

/* CPU time of a page of the index, in operators, as for that of a b-tree. */
#define PAGES_PAGE_OPERATORS	50.0

#endif							/* BLOOMTYPE_PAGES_TUNING_H */
