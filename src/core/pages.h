/*
 * pages.h
 *	  Where a page index keeps the bits of which rows: its ranges, groups and
 *	  epochs, and the numbers of its pages.
 *
 * A *range* is a fixed number of consecutive pages of a table, and has a
 * blocked Bloom filter (blocked.h) of the keys in them.  As many ranges as a
 * page has columns are a *group*; the first groups have fewer.  The filters of
 * a group have the same number of blocks, B, and are transposed (columns.h):
 * page b of the group has block b of all of its ranges, so a key is looked for
 * in a whole group by reading one page.
 *
 * As many groups, or fewer, W, are a *super-group*.  It has a second level,
 * whose columns are whole groups, so a key is looked for in a super-group by
 * reading one page, and in those groups which that page leaves.  Its filters
 * have B2 blocks, and use another hash of the key, so that the rates of both
 * levels multiply.
 *
 * A page has as many blocks of each of its filters as it has columns for, so a
 * small group has few pages, and the second level of a small super-group, too.
 *
 * B, B2, W and the numbers of probes are fixed for an *epoch*, some
 * consecutive groups.  The next group may begin a new one, as the table turns
 * out to have more or fewer keys in a range than was thought.  Super-groups
 * are counted from the start of their epoch.  An epoch without a second level
 * has a B2 and a W of 0: the groups of a small index are looked into one by
 * one.
 *
 *		page
 *		0			the metapage
 *		then, for each epoch, for each of its super-groups:
 *					the pages of the second level
 *					the pages of each group
 *
 * So every page is found by arithmetic.  The metapage says how many pages the
 * index has; the others of its groups are added when a row needs them.
 *
 * A page has, between a header and a label of 16 bytes at its end, the slices
 * of its blocks.  The label says which they are.  FORMAT.md describes all
 * bytes.
 *
 * Nothing here allocates or reads pages.
 */
#ifndef BBF_PAGES_H
#define BBF_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/columns.h"

/* The last bytes of every page. */
#define BBF_PAGES_MAGIC			0xB10F
#define BBF_PAGES_VERSION		1
#define BBF_PAGES_LABEL_BYTES	16

/* So many fit the metapage of the smallest page, and a server's cache. */
#define BBF_PAGES_MAX_EPOCHS	24
#define BBF_PAGES_META_BYTES	32
#define BBF_PAGES_EPOCH_BYTES	28
#define BBF_PAGES_HASH_BYTES	8	/* after the epochs */

/*
 * The first groups are small, so that the index of a small table is: they have
 * an eighth of the columns of a page, an eighth, a quarter and a half.
 */
#define BBF_PAGES_SMALL_GROUPS	4

/*
 * Full groups up to which an index is built without a second level: reading a
 * page of each takes hardly longer than a look-up in a b-tree, and inserts
 * change one page.  One that grows has one more full group without.
 */
#define BBF_PAGES_SINGLE_LEVEL	4

#define BBF_PAGES_MAX_PER_RANGE		4096	/* of a table in a range */

typedef enum BbfPagesLevel
{
	BBF_PAGES_METAPAGE,
	BBF_PAGES_LOWER,			/* columns are the ranges of a group */
	BBF_PAGES_UPPER				/* columns are the groups of a super-group */
} BbfPagesLevel;

/* What a page is, as its label says. */
typedef struct BbfPagesPlace
{
	BbfPagesLevel level;
	uint32_t	group;			/* of the upper level: the first of them */
	uint32_t	block;			/* the first in the page */
} BbfPagesPlace;

typedef struct BbfPagesEpoch
{
	uint32_t	first_group;
	uint32_t	first_page;
	uint32_t	nblocks;		/* of a range */
	uint32_t	upper_nblocks;	/* of a group; 0: there is no second level */
	uint32_t	width;			/* groups of a super-group; 0, likewise */
	int			nprobes;
	int			upper_nprobes;	/* 0 without a second level */
	uint32_t	capacity;		/* keys of a range, for which it was sized */
	uint32_t	nranges;		/* ranges of the table, likewise */
} BbfPagesEpoch;

/* What the metapage says. */
typedef struct BbfPagesMeta
{
	uint32_t	pages_per_range;
	uint32_t	ncolumns;		/* ranges in a group that is not small, groups
								 * in a super-group */
	uint32_t	ngroups;		/* that are laid out */
	uint32_t	npages;			/* that the index has */
	uint32_t	nepochs;		/* at least 1 when it is stored */
	double		false_ranges;	/* expected for a key that is absent */
	uint64_t	build_xid;		/* transactions that do not see this one must
								 * not rely on the index; 0: none */
	BbfPagesEpoch epochs[BBF_PAGES_MAX_EPOCHS];
} BbfPagesMeta;

/* What a new epoch is to hold. */
typedef struct BbfPagesLoad
{
	double		range_keys;		/* distinct keys of a range, */
	double		group_keys;		/* and of a group */
	uint32_t	nranges;		/* ranges of the whole table, at least 1 */
	uint32_t	ngroups;		/* groups that are expected, at least 1 */
	bool		has_upper;		/* shall it have a second level? */
} BbfPagesLoad;

/* The columns that fit a page with this number of bytes for slices. */
extern uint32_t bbf_pages_columns(size_t bytes);

/*
 * The number of table pages in a range that is best for a table of so many: a
 * power of two, as more of them make an index smaller to search, and each
 * range that is found more work to read.
 */
extern uint32_t bbf_pages_best_range(uint64_t table_pages);

/*
 * The share of groups that the second level may let through for an absent key,
 * in an index for so many ranges.
 */
extern double bbf_pages_upper_rate(const BbfPagesMeta *meta, double nranges);

/* The groups of a super-group, of so many that are expected. */
extern uint32_t bbf_pages_best_width(const BbfPagesMeta *meta, uint32_t ngroups);

/*
 * Begin an epoch with the next group, sized for a load, and 3 % more keys.
 * Returns false, and changes nothing, if there are BBF_PAGES_MAX_EPOCHS, or a
 * filter would be too large.
 */
extern bool bbf_pages_begin_epoch(BbfPagesMeta *meta, const BbfPagesLoad *load);

/* The keys of a range that an epoch was sized for, without those 3 %. */
extern double bbf_pages_expected_keys(const BbfPagesEpoch *epoch);

/*
 * Add groups to those that there are, which do not suffice: as many as there
 * are, at most to the end of a super-group.  Returns false, and changes
 * nothing, if their pages would have numbers that do not fit.  An epoch may
 * begin just before.
 */
extern bool bbf_pages_add_groups(BbfPagesMeta *meta);

/* Do the groups that there are end with a super-group, or with an epoch? */
extern bool bbf_pages_ends_super_group(const BbfPagesMeta *meta);

/* The page after the last one of all groups. */
extern uint64_t bbf_pages_end(const BbfPagesMeta *meta);

/* The page after the last one of a group, which is below ngroups. */
extern uint64_t bbf_pages_group_end(const BbfPagesMeta *meta, uint32_t group);

/* Is a group laid out, and does the index have its pages? */
extern bool bbf_pages_has_group(const BbfPagesMeta *meta, uint32_t group);

/* The epoch of a group, which is below ngroups. */
extern const BbfPagesEpoch *bbf_pages_epoch(const BbfPagesMeta *meta, uint32_t group);

/* The group after the last one of an epoch. */
extern uint32_t bbf_pages_epoch_end(const BbfPagesMeta *meta, const BbfPagesEpoch *epoch);

/* The number of the page at a place in an epoch. */
extern uint32_t bbf_pages_number(const BbfPagesMeta *meta, const BbfPagesEpoch *epoch,
								 const BbfPagesPlace *place);

/*
 * The reverse: which place a page, but for the metapage, is for.  Returns
 * false if no group has it.
 */
extern bool bbf_pages_locate(const BbfPagesMeta *meta, uint32_t page,
							 BbfPagesPlace *place);

/* The first range of a group. */
static inline uint64_t
bbf_pages_first_range(const BbfPagesMeta *meta, uint32_t group)
{
	if (group < BBF_PAGES_SMALL_GROUPS)
		return group == 0 ? 0 : meta->ncolumns >> (BBF_PAGES_SMALL_GROUPS - group);
	return ((uint64_t) group - BBF_PAGES_SMALL_GROUPS + 1) * meta->ncolumns;
}

/* The number of ranges in a group. */
static inline uint32_t
bbf_pages_group_width(const BbfPagesMeta *meta, uint32_t group)
{
	if (group < BBF_PAGES_SMALL_GROUPS)
		return meta->ncolumns >> (BBF_PAGES_SMALL_GROUPS - (group > 0 ? group : 1));
	return meta->ncolumns;
}

/* The group that a range is in. */
static inline uint32_t
bbf_pages_group(const BbfPagesMeta *meta, uint32_t range)
{
	uint32_t	group = range / meta->ncolumns + BBF_PAGES_SMALL_GROUPS - 1;

	while (group < BBF_PAGES_SMALL_GROUPS && range < bbf_pages_first_range(meta, group))
		group--;
	return group;
}

/* The number of a group in its super-group; 0 without a second level. */
static inline uint32_t
bbf_pages_upper_column(const BbfPagesEpoch *epoch, uint32_t group)
{
	return epoch->width > 0 ? (group - epoch->first_group) % epoch->width : 0;
}

/* The filters of which the page at a place has blocks: ranges, or groups. */
static inline uint32_t
bbf_pages_width(const BbfPagesMeta *meta, const BbfPagesEpoch *epoch, BbfPagesLevel level,
				uint32_t group)
{
	return level == BBF_PAGES_LOWER ? bbf_pages_group_width(meta, group) : epoch->width;
}

/* The blocks of each of them in a page. */
static inline uint32_t
bbf_pages_blocks_per_page(const BbfPagesMeta *meta, const BbfPagesEpoch *epoch,
						  BbfPagesLevel level, uint32_t group)
{
	return meta->ncolumns / bbf_pages_width(meta, epoch, level, group);
}

#define BBF_PAGES_LEVELS	2

/* Where a level has a key of a range: the bits of a column of a page. */
typedef struct BbfPagesKey
{
	BbfPagesPlace place;
	uint32_t	column;
	int			nprobes;
	uint16_t	bits[BBF_MAX_PROBES];
} BbfPagesKey;

/* The hash by which a level knows the key of this hash. */
extern uint64_t bbf_pages_level_hash(BbfPagesLevel level, uint64_t hash);

/* The blocks of each filter in a level of an epoch. */
static inline uint32_t
bbf_pages_nblocks(const BbfPagesEpoch *epoch, BbfPagesLevel level)
{
	return level == BBF_PAGES_LOWER ? epoch->nblocks : epoch->upper_nblocks;
}

/*
 * The block in which a level of an epoch has the key that it knows by a hash.
 */
static inline uint32_t
bbf_pages_block(const BbfPagesEpoch *epoch, BbfPagesLevel level, uint64_t level_hash)
{
	return bbf_block_index(level_hash, bbf_pages_nblocks(epoch, level));
}

/* The bits that a level of an epoch has of a key. */
static inline int
bbf_pages_nprobes(const BbfPagesEpoch *epoch, BbfPagesLevel level)
{
	return level == BBF_PAGES_LOWER ? epoch->nprobes : epoch->upper_nprobes;
}

/*
 * Sets place to the page in which a level has a key of a range, by the hash of
 * the level; returns the column there.
 */
extern uint32_t bbf_pages_column(const BbfPagesMeta *meta, const BbfPagesEpoch *epoch,
								 BbfPagesLevel level, uint32_t range, uint64_t level_hash,
								 BbfPagesPlace *place);

/*
 * Where one of the levels that an epoch has would have the key of this hash,
 * if it is in the range of this number.
 */
extern void bbf_pages_place_key(const BbfPagesMeta *meta, const BbfPagesEpoch *epoch,
								BbfPagesLevel level, uint32_t range, uint64_t hash,
								BbfPagesKey *key);

/*
 * The same for all levels that the epoch of the range has, the second one
 * first.  Returns how many that are.
 */
extern int	bbf_pages_place_in_levels(const BbfPagesMeta *meta, const BbfPagesEpoch *epoch,
									  uint32_t range, uint64_t hash,
									  BbfPagesKey keys[BBF_PAGES_LEVELS]);

/* The bytes of metadata with so many epochs. */
static inline size_t
bbf_pages_meta_bytes(uint32_t nepochs)
{
	return BBF_PAGES_META_BYTES + nepochs * BBF_PAGES_EPOCH_BYTES + BBF_PAGES_HASH_BYTES;
}

/* Write the metadata; returns how many bytes they have. */
extern size_t bbf_pages_meta_write(const BbfPagesMeta *meta, unsigned char *bytes);

/*
 * Read and check metadata, of which length bytes are at hand.  Returns NULL,
 * or what is wrong: a sentence.  Whatever passes gives page numbers that fit
 * 32 bits, for all of its groups.
 */
extern const char *bbf_pages_meta_read(const unsigned char *bytes, size_t length,
									   BbfPagesMeta *meta);

/* Write a label of BBF_PAGES_LABEL_BYTES. */
extern void bbf_pages_label_write(const BbfPagesPlace *place, unsigned char *label);

/* Is it the label of the page that belongs at this place? */
extern bool bbf_pages_label_is(const BbfPagesPlace *place, const unsigned char *label);

#endif							/* BBF_PAGES_H */
