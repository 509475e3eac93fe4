/*
 * pages.c
 *	  Sizes the filters of a page index, numbers its pages, and reads and
 *	  writes its metadata.
 */
#include "core/pages.h"

#include "core/hash.h"
#include "core/image.h"
#include "core/sizing.h"

/* Offsets in the metadata */
enum
{
	AT_PAGES_PER_RANGE = 0,		/* 4 bytes */
	AT_COLUMNS = 4,				/* 2 bytes */
	AT_SCHEME = 6,				/* 1 byte each: */
	AT_EPOCHS = 7,
	AT_GROUPS = 8,				/* 4 bytes each: */
	AT_PAGES = 12,
	AT_FALSE_RANGES = 16,		/* 8 bytes each: */
	AT_BUILD_XID = 24
};

/* and in an epoch */
enum
{
	AT_FIRST_GROUP = 0,			/* 4 bytes each: */
	AT_FIRST_PAGE = 4,
	AT_BLOCKS = 8,
	AT_UPPER_BLOCKS = 12,
	AT_CAPACITY = 16,
	AT_RANGES = 20,
	AT_PROBES = 24,				/* 1 byte each: */
	AT_UPPER_PROBES = 25,
	AT_WIDTH = 26				/* 2 bytes */
};

/* and in a label */
enum
{
	AT_GROUP = 0,				/* 4 bytes each: */
	AT_BLOCK = 4,
	AT_LABEL_RESERVED = 8,		/* zero */
	AT_LEVEL = 12,				/* 1 byte each: */
	AT_VERSION = 13,
	AT_MAGIC = 14				/* 2 bytes */
};

/* The last page that a server has: the number after it stands for none. */
#define LAST_PAGE	UINT64_C(0xFFFFFFFE)

/*
 * Keys beyond those that a load expects, which is what fuller ranges have.
 * Each tenth of margin makes an index a tenth larger.
 */
#define MARGIN		1.03

/* The rates that a filter may have, with which sizing ends soon. */
#define LOWEST_RATE		1e-9
#define HIGHEST_RATE	0.1

/*
 * What an absent key may read in the second level's groups, and a present one
 * in other ranges of its group, in vain, but for a large table.
 */
#define VAIN_GROUPS			2.0
#define VAIN_PAGES			2.0
#define LOWEST_UPPER_RATE	0.001
#define HIGHEST_UPPER_RATE	0.03

/* Rates of the second level from that to a sixteenth of it are tried. */
#define RATE_STEP			0.7071
#define NRATES				9

/*
 * Searching an index of a table of n pages costs in proportion to n / p, and
 * reading a range to p, so that the best p grows as the square root of n: 4 up
 * to 1.9 million pages, 8 up to 7.7 million, 16 up to 31 million.  Ranges of
 * fewer pages have too few keys for blocks of which there are whole numbers.
 */
#define LEAST_PAGES			4
#define SQUARE_PER_PAGE		30000

uint32_t
bbf_pages_columns(size_t bytes)
{
	size_t		slice_bytes = bytes / BBF_COLUMN_BITS;

	return 8 * (uint32_t) (slice_bytes < BBF_MAX_SLICE_BYTES ? slice_bytes : BBF_MAX_SLICE_BYTES);
}

uint32_t
bbf_pages_best_range(uint64_t table_pages)
{
	uint64_t	pages = LEAST_PAGES;

	while (pages < BBF_PAGES_MAX_PER_RANGE && 4 * pages * pages * SQUARE_PER_PAGE <= table_pages)
		pages *= 2;
	return (uint32_t) pages;
}

/*
 * Epochs
 */

static double
limited(double rate, double lowest, double highest)
{
	if (rate < lowest)
		return lowest;
	return rate < highest ? rate : highest;
}

double
bbf_pages_upper_rate(const BbfPagesMeta *meta, double nranges)
{
	return limited(VAIN_GROUPS * meta->ncolumns / nranges, LOWEST_UPPER_RATE, HIGHEST_UPPER_RATE);
}

/* Of a number between, a half of the columns now leaves little for later. */
uint32_t
bbf_pages_best_width(const BbfPagesMeta *meta, uint32_t ngroups)
{
	if (ngroups >= meta->ncolumns)
		return meta->ncolumns;
	return ngroups < meta->ncolumns / 2 ? ngroups : meta->ncolumns / 2;
}

/* Whole keys */
static double
with_margin(double keys)
{
	return (double) (uint64_t) limited(keys * MARGIN + 1.0, 1.0, 4e9);
}

static bool
suffices(double keys, uint64_t nblocks, double rate, int *nprobes)
{
	double		actual;

	*nprobes = bbf_best_probes_of(BBF_COLUMN_BITS, keys / (double) nblocks, &actual);
	return actual <= rate;
}

/*
 * The blocks and probes of the smallest filter for so many keys and a rate.
 * No Bloom filter has less than 1.44 log2(1 / rate) bits a key.
 */
static BbfGeometry
size_filter(double keys, double rate)
{
	BbfGeometry size = {0, 0, 0};
	double		bits_per_key = 0.0;
	uint64_t	low;

	for (double x = rate; x <= 0.5; x *= 2.0)
		bits_per_key += 1.44;
	low = (uint64_t) (keys * bits_per_key / BBF_COLUMN_BITS) + 1;
	size.nbins = low;
	while (!suffices(keys, size.nbins, rate, &size.key_bits))
	{
		low = size.nbins + 1;
		size.nbins *= 2;
	}
	while (low < size.nbins)
	{
		uint64_t	middle = low + (size.nbins - low) / 2;
		int			nprobes;

		if (suffices(keys, middle, rate, &nprobes))
		{
			size.nbins = middle;
			size.key_bits = nprobes;
		}
		else
			low = middle + 1;
	}
	return size;
}

/*
 * The filters of both levels, whose rates multiply to that of a false range.
 * As a range has a few blocks, some rates suit it better than others: those
 * with the fewest bits are chosen.
 */
static void
size_levels(const BbfPagesMeta *meta, const BbfPagesLoad *load, double range_keys,
			BbfGeometry *lower, BbfGeometry *upper)
{
	const double rate = meta->false_ranges / load->nranges;
	const double highest = VAIN_PAGES / meta->ncolumns / meta->pages_per_range;
	double		upper_rate = bbf_pages_upper_rate(meta, load->nranges);
	double		best = 0.0;

	for (int i = 0; i < NRATES; i++, upper_rate *= RATE_STEP)
	{
		BbfGeometry low;
		BbfGeometry up;
		double		nblocks;

		if (i > 0 && rate / upper_rate > highest)
			break;
		low = size_filter(range_keys, limited(rate / upper_rate, LOWEST_RATE, HIGHEST_RATE));
		up = size_filter(with_margin(load->group_keys), upper_rate);
		nblocks = (double) low.nbins * meta->ncolumns + (double) up.nbins;
		if (i == 0 || nblocks < best)
		{
			best = nblocks;
			*lower = low;
			*upper = up;
		}
	}
}

bool
bbf_pages_begin_epoch(BbfPagesMeta *meta, const BbfPagesLoad *load)
{
	const double capacity = with_margin(load->range_keys);
	BbfPagesEpoch epoch = {.first_group = meta->ngroups,.capacity = (uint32_t) capacity,
	.nranges = load->nranges};
	BbfGeometry lower;
	BbfGeometry upper = {0, 0, 0};

	if (meta->nepochs == BBF_PAGES_MAX_EPOCHS)
		return false;
	if (load->has_upper)
	{
		size_levels(meta, load, capacity, &lower, &upper);
		epoch.width = bbf_pages_best_width(meta, load->ngroups);
	}
	else
		lower = size_filter(capacity, limited(meta->false_ranges / load->nranges, LOWEST_RATE,
											  HIGHEST_RATE));
	if (lower.nbins > BBF_MAX_BLOCKS || upper.nbins > BBF_MAX_BLOCKS)
		return false;

	epoch.nblocks = (uint32_t) lower.nbins;
	epoch.nprobes = lower.key_bits;
	epoch.upper_nblocks = (uint32_t) upper.nbins;
	epoch.upper_nprobes = upper.key_bits;
	epoch.first_page = (uint32_t) bbf_pages_end(meta);
	meta->epochs[meta->nepochs++] = epoch;
	return true;
}

/* Half a key more, so that the same capacity is rounded to. */
double
bbf_pages_expected_keys(const BbfPagesEpoch *epoch)
{
	return (epoch->capacity - 0.5) / MARGIN;
}

const BbfPagesEpoch *
bbf_pages_epoch(const BbfPagesMeta *meta, uint32_t group)
{
	uint32_t	i = meta->nepochs - 1;

	while (meta->epochs[i].first_group > group)
		i--;
	return &meta->epochs[i];
}

uint32_t
bbf_pages_epoch_end(const BbfPagesMeta *meta, const BbfPagesEpoch *epoch)
{
	return epoch == &meta->epochs[meta->nepochs - 1] ? meta->ngroups : epoch[1].first_group;
}

/*
 * Page numbers
 */

/* Pages that so many blocks take, of which a page has some. */
static uint32_t
pages_of_blocks(uint32_t nblocks, uint32_t per_page)
{
	return (nblocks + per_page - 1) / per_page;
}

/* Pages of the second level of a super-group; 0 if there is none. */
static uint32_t
upper_pages(const BbfPagesMeta *meta, const BbfPagesEpoch *epoch)
{
	if (epoch->width == 0)
		return 0;
	return pages_of_blocks(epoch->upper_nblocks,
						   bbf_pages_blocks_per_page(meta, epoch, BBF_PAGES_UPPER, 0));
}

/*
 * Pages that small groups of an epoch, below this group, have fewer than
 * others.
 */
static uint32_t
pages_saved(const BbfPagesMeta *meta, const BbfPagesEpoch *epoch, uint32_t group)
{
	uint32_t	saved = 0;

	for (uint32_t i = epoch->first_group; i < group && i < BBF_PAGES_SMALL_GROUPS; i++)
		saved += epoch->nblocks -
			pages_of_blocks(epoch->nblocks,
							bbf_pages_blocks_per_page(meta, epoch, BBF_PAGES_LOWER, i));
	return saved;
}

/*
 * Groups of a super-group, or any number of an epoch without a second level.
 */
static uint32_t
super_group_width(const BbfPagesMeta *meta, const BbfPagesEpoch *epoch)
{
	return epoch->width > 0 ? epoch->width : meta->ncolumns;
}

/* Pages of a super-group with all of its groups, if none is small. */
static uint64_t
super_group_pages(const BbfPagesMeta *meta, const BbfPagesEpoch *epoch)
{
	return upper_pages(meta, epoch) +
		(uint64_t) super_group_width(meta, epoch) * epoch->nblocks;
}

/* The page after the last one of some groups at the start of an epoch. */
static uint64_t
page_after_groups(const BbfPagesMeta *meta, const BbfPagesEpoch *epoch, uint32_t ngroups)
{
	const uint32_t width = super_group_width(meta, epoch);
	const uint32_t rest = ngroups % width;
	uint64_t	page = epoch->first_page + ngroups / width * super_group_pages(meta, epoch);

	if (rest > 0)
		page += upper_pages(meta, epoch) + (uint64_t) rest * epoch->nblocks;
	return page - pages_saved(meta, epoch, epoch->first_group + ngroups);
}

uint64_t
bbf_pages_end(const BbfPagesMeta *meta)
{
	const BbfPagesEpoch *epoch;

	if (meta->nepochs == 0)
		return 1;
	epoch = &meta->epochs[meta->nepochs - 1];
	return page_after_groups(meta, epoch, meta->ngroups - epoch->first_group);
}

uint64_t
bbf_pages_group_end(const BbfPagesMeta *meta, uint32_t group)
{
	const BbfPagesEpoch *epoch = bbf_pages_epoch(meta, group);

	return page_after_groups(meta, epoch, group + 1 - epoch->first_group);
}

bool
bbf_pages_has_group(const BbfPagesMeta *meta, uint32_t group)
{
	return group < meta->ngroups && bbf_pages_group_end(meta, group) <= meta->npages;
}

bool
bbf_pages_ends_super_group(const BbfPagesMeta *meta)
{
	const BbfPagesEpoch *epoch = &meta->epochs[meta->nepochs - 1];

	return bbf_pages_upper_column(epoch, meta->ngroups) == 0;
}

bool
bbf_pages_add_groups(BbfPagesMeta *meta)
{
	const BbfPagesEpoch *epoch = &meta->epochs[meta->nepochs - 1];
	const uint32_t ngroups = meta->ngroups;
	const uint32_t rest = super_group_width(meta, epoch) - bbf_pages_upper_column(epoch, ngroups);
	uint32_t	more = ngroups;

	/* the first one shows what those of a table have that was empty */
	if (ngroups == 0)
		more = 1;
	else if (ngroups < BBF_PAGES_SMALL_GROUPS)
		more = BBF_PAGES_SMALL_GROUPS - ngroups;
	meta->ngroups += more < rest ? more : rest;
	if (meta->ngroups > ngroups && bbf_pages_end(meta) <= LAST_PAGE)
		return true;
	meta->ngroups = ngroups;
	return false;
}

uint32_t
bbf_pages_number(const BbfPagesMeta *meta, const BbfPagesEpoch *epoch,
				 const BbfPagesPlace *place)
{
	const uint32_t width = super_group_width(meta, epoch);
	const uint32_t group = place->group - epoch->first_group;
	uint64_t	page = epoch->first_page + group / width * super_group_pages(meta, epoch);

	if (place->level == BBF_PAGES_LOWER)
		page += upper_pages(meta, epoch) + (uint64_t) (group % width) * epoch->nblocks;
	page += place->block / bbf_pages_blocks_per_page(meta, epoch, place->level, place->group);
	return (uint32_t) (page - pages_saved(meta, epoch, place->group));
}

bool
bbf_pages_locate(const BbfPagesMeta *meta, uint32_t page, BbfPagesPlace *place)
{
	const BbfPagesEpoch *epoch;
	uint64_t	within;
	uint32_t	group;
	uint32_t	i = meta->nepochs;

	if (page == 0 || page >= bbf_pages_end(meta))
		return false;
	do
		i--;
	while (meta->epochs[i].first_page > page);
	epoch = &meta->epochs[i];

	/* as if small groups had as many pages as others */
	group = epoch->first_group;
	while (group < BBF_PAGES_SMALL_GROUPS &&
		   page >= page_after_groups(meta, epoch, group + 1 - epoch->first_group))
		group++;
	within = page - epoch->first_page + pages_saved(meta, epoch, group);

	place->group = epoch->first_group +
		(uint32_t) (within / super_group_pages(meta, epoch)) * super_group_width(meta, epoch);
	within %= super_group_pages(meta, epoch);
	place->level = within < upper_pages(meta, epoch) ? BBF_PAGES_UPPER : BBF_PAGES_LOWER;
	if (place->level == BBF_PAGES_LOWER)
	{
		within -= upper_pages(meta, epoch);
		place->group += (uint32_t) (within / epoch->nblocks);
		within %= epoch->nblocks;
	}
	place->block = (uint32_t) within *
		bbf_pages_blocks_per_page(meta, epoch, place->level, place->group);
	return true;
}

/*
 * For the second level, the hash is hashed once more, all of its bits
 * inverted: as it is, it decides the partition of a key (bbf_partition), and
 * the index of one partition must not be lopsided.
 */
uint64_t
bbf_pages_level_hash(BbfPagesLevel level, uint64_t hash)
{
	unsigned char bytes[8];

	if (level == BBF_PAGES_LOWER)
		return hash;
	bbf_put64(bytes, ~hash);
	return bbf_hash(bytes, sizeof(bytes));
}

uint32_t
bbf_pages_column(const BbfPagesMeta *meta, const BbfPagesEpoch *epoch, BbfPagesLevel level,
				 uint32_t range, uint64_t level_hash, BbfPagesPlace *place)
{
	const uint32_t group = bbf_pages_group(meta, range);
	const uint32_t width = bbf_pages_width(meta, epoch, level, group);
	const uint32_t block = bbf_pages_block(epoch, level, level_hash);
	const uint32_t rest = block % (meta->ncolumns / width);
	uint32_t	number;

	if (level == BBF_PAGES_LOWER)
		number = range - (uint32_t) bbf_pages_first_range(meta, group);
	else
		number = bbf_pages_upper_column(epoch, group);
	place->level = level;
	place->group = level == BBF_PAGES_LOWER ? group : group - number;
	place->block = block - rest;
	return rest * width + number;
}

void
bbf_pages_place_key(const BbfPagesMeta *meta, const BbfPagesEpoch *epoch, BbfPagesLevel level,
					uint32_t range, uint64_t hash, BbfPagesKey *key)
{
	const uint64_t level_hash = bbf_pages_level_hash(level, hash);

	key->column = bbf_pages_column(meta, epoch, level, range, level_hash, &key->place);
	key->nprobes = bbf_pages_nprobes(epoch, level);
	bbf_columns_bits(level_hash, key->nprobes, key->bits);
}

int
bbf_pages_place_in_levels(const BbfPagesMeta *meta, const BbfPagesEpoch *epoch, uint32_t range,
						  uint64_t hash, BbfPagesKey keys[BBF_PAGES_LEVELS])
{
	int			n = 0;

	if (epoch->upper_nblocks > 0)
		bbf_pages_place_key(meta, epoch, BBF_PAGES_UPPER, range, hash, &keys[n++]);
	bbf_pages_place_key(meta, epoch, BBF_PAGES_LOWER, range, hash, &keys[n++]);
	return n;
}

/*
 * Metadata and labels
 */

static void
write_epoch(const BbfPagesEpoch *epoch, unsigned char *bytes)
{
	bbf_put32(bytes + AT_FIRST_GROUP, epoch->first_group);
	bbf_put32(bytes + AT_FIRST_PAGE, epoch->first_page);
	bbf_put32(bytes + AT_BLOCKS, epoch->nblocks);
	bbf_put32(bytes + AT_UPPER_BLOCKS, epoch->upper_nblocks);
	bbf_put32(bytes + AT_CAPACITY, epoch->capacity);
	bytes[AT_PROBES] = (unsigned char) epoch->nprobes;
	bytes[AT_UPPER_PROBES] = (unsigned char) epoch->upper_nprobes;
	bbf_put16(bytes + AT_WIDTH, (uint16_t) epoch->width);
	bbf_put32(bytes + AT_RANGES, epoch->nranges);
}

size_t
bbf_pages_meta_write(const BbfPagesMeta *meta, unsigned char *bytes)
{
	unsigned char *at = bytes + BBF_PAGES_META_BYTES;

	memset(bytes, 0, BBF_PAGES_META_BYTES);
	bbf_put32(bytes + AT_PAGES_PER_RANGE, meta->pages_per_range);
	bbf_put16(bytes + AT_COLUMNS, (uint16_t) meta->ncolumns);
	bytes[AT_SCHEME] = BBF_HASH_SCHEME;
	bytes[AT_EPOCHS] = (unsigned char) meta->nepochs;
	bbf_put32(bytes + AT_GROUPS, meta->ngroups);
	bbf_put32(bytes + AT_PAGES, meta->npages);
	bbf_putdouble(bytes + AT_FALSE_RANGES, meta->false_ranges);
	bbf_put64(bytes + AT_BUILD_XID, meta->build_xid);
	for (uint32_t i = 0; i < meta->nepochs; i++, at += BBF_PAGES_EPOCH_BYTES)
		write_epoch(&meta->epochs[i], at);
	bbf_put64(at, bbf_hash(bytes, (size_t) (at - bytes)));
	return bbf_pages_meta_bytes(meta->nepochs);
}

/* Read an epoch, and check it by itself. */
static const char *
read_epoch(const unsigned char *bytes, uint32_t ncolumns, BbfPagesEpoch *epoch)
{
	epoch->first_group = bbf_get32(bytes + AT_FIRST_GROUP);
	epoch->first_page = bbf_get32(bytes + AT_FIRST_PAGE);
	epoch->nblocks = bbf_get32(bytes + AT_BLOCKS);
	epoch->upper_nblocks = bbf_get32(bytes + AT_UPPER_BLOCKS);
	epoch->capacity = bbf_get32(bytes + AT_CAPACITY);
	epoch->nprobes = bytes[AT_PROBES];
	epoch->upper_nprobes = bytes[AT_UPPER_PROBES];
	epoch->width = bbf_get16(bytes + AT_WIDTH);
	epoch->nranges = bbf_get32(bytes + AT_RANGES);

	if (epoch->nblocks < 1 || epoch->nblocks > BBF_MAX_BLOCKS ||
		epoch->upper_nblocks > BBF_MAX_BLOCKS)
		return "A number of blocks is not possible.";
	if (epoch->nprobes < 1 || epoch->nprobes > BBF_MAX_PROBES ||
		epoch->upper_nprobes > BBF_MAX_PROBES ||
		(epoch->upper_nblocks > 0) != (epoch->upper_nprobes > 0))
		return "A number of probes is not possible.";
	if (epoch->width > ncolumns || (epoch->upper_nblocks > 0) != (epoch->width > 0))
		return "A number of groups in a super-group is not possible.";
	return NULL;
}

/* Read the epochs; ngroups grows to what the metadata say. */
static const char *
read_epochs(const unsigned char *bytes, uint32_t nepochs, uint32_t ngroups,
			BbfPagesMeta *meta)
{
	meta->nepochs = 0;
	meta->ngroups = 0;
	for (uint32_t i = 0; i < nepochs; i++)
	{
		BbfPagesEpoch epoch;
		const char *reason = read_epoch(bytes + i * BBF_PAGES_EPOCH_BYTES, meta->ncolumns, &epoch);

		if (reason != NULL)
			return reason;
		if (i == 0 ? epoch.first_group != 0 : epoch.first_group <= meta->epochs[i - 1].first_group)
			return "Epochs are not in order.";
		meta->ngroups = epoch.first_group;
		if (epoch.first_page != bbf_pages_end(meta))
			return "An epoch does not begin where the one before it ends.";
		meta->epochs[i] = epoch;
		meta->nepochs++;
	}
	if (ngroups <= meta->ngroups)
		return "The number of groups is not possible.";
	meta->ngroups = ngroups;
	return bbf_pages_end(meta) <= LAST_PAGE ? NULL : "It would have more pages than are possible.";
}

const char *
bbf_pages_meta_read(const unsigned char *bytes, size_t length, BbfPagesMeta *meta)
{
	const char *reason;
	uint32_t	nepochs;
	size_t		end;

	if (length < BBF_PAGES_META_BYTES)
		return "The metadata are too short.";
	if (bytes[AT_SCHEME] != BBF_HASH_SCHEME)
		return "The hash scheme is unknown.";
	meta->pages_per_range = bbf_get32(bytes + AT_PAGES_PER_RANGE);
	meta->ncolumns = bbf_get16(bytes + AT_COLUMNS);
	meta->false_ranges = bbf_getdouble(bytes + AT_FALSE_RANGES);
	meta->build_xid = bbf_get64(bytes + AT_BUILD_XID);
	meta->npages = bbf_get32(bytes + AT_PAGES);
	nepochs = bytes[AT_EPOCHS];

	if (meta->pages_per_range < 1 || meta->pages_per_range > BBF_PAGES_MAX_PER_RANGE)
		return "The number of pages in a range is not possible.";
	if (meta->ncolumns < 8 || meta->ncolumns > BBF_MAX_COLUMNS || meta->ncolumns % 8 != 0)
		return "The number of columns is not possible.";
	if (!(meta->false_ranges > 0.0))
		return "The expected false ranges are not above zero.";
	if (nepochs < 1 || nepochs > BBF_PAGES_MAX_EPOCHS ||
		length < bbf_pages_meta_bytes(nepochs))
		return "The number of epochs is not possible.";
	reason = read_epochs(bytes + BBF_PAGES_META_BYTES, nepochs, bbf_get32(bytes + AT_GROUPS), meta);
	if (reason != NULL)
		return reason;
	if (meta->npages < 1 || meta->npages > bbf_pages_end(meta))
		return "The number of pages is not possible.";

	/* what is possible may still lead to the wrong pages */
	end = bbf_pages_meta_bytes(nepochs) - BBF_PAGES_HASH_BYTES;
	return bbf_hash(bytes, end) == bbf_get64(bytes + end) ? NULL : "The hash of the metadata is wrong.";
}

void
bbf_pages_label_write(const BbfPagesPlace *place, unsigned char *label)
{
	bbf_put32(label + AT_GROUP, place->group);
	bbf_put32(label + AT_BLOCK, place->block);
	bbf_put32(label + AT_LABEL_RESERVED, 0);
	label[AT_LEVEL] = (unsigned char) place->level;
	label[AT_VERSION] = BBF_PAGES_VERSION;
	bbf_put16(label + AT_MAGIC, BBF_PAGES_MAGIC);
}

bool
bbf_pages_label_is(const BbfPagesPlace *place, const unsigned char *label)
{
	unsigned char expected[BBF_PAGES_LABEL_BYTES];

	bbf_pages_label_write(place, expected);
	return memcmp(label, expected, sizeof(expected)) == 0;
}
