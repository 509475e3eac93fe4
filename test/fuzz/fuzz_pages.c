/*
 * fuzz_pages.c
 *	  Fuzz target: pages of indexes: their metadata, labels and columns.
 *
 * Metadata that are accepted give every page one place and every place one
 * page, are written as they were read, and take more epochs and groups.
 * Columns answer alike, whichever function is asked.
 *
 *		1 byte	bytes of a slice, at most BBF_MAX_SLICE_BYTES; bit 7: whether metadata are made,
 *				and then changed
 *		8		hash of a key 2		a column ...		metadata, as they are stored; or
 *		steps that make them, 9 bytes each, and
 *				as many changes of bytes, 3 bytes each: see make_meta() and
 *				change_bytes()
 */
#include "fuzz.h"

#include "core/hash.h"
#include "core/pages.h"

#define MAX_META \
	(BBF_PAGES_META_BYTES + BBF_PAGES_MAX_EPOCHS * BBF_PAGES_EPOCH_BYTES + BBF_PAGES_HASH_BYTES)
#define NSAMPLES	16

/*
 * Metadata
 */

/* A page has a place, at which it is; a page after all others has none. */
static void
require_page(const BbfPagesMeta *meta, uint32_t page)
{
	BbfPagesPlace place;
	const BbfPagesEpoch *epoch;

	if (!bbf_pages_locate(meta, page, &place))
	{
		REQUIRE(page == 0 || page >= bbf_pages_end(meta));
		return;
	}
	REQUIRE(page > 0 && page < bbf_pages_end(meta));
	REQUIRE(place.group < meta->ngroups);
	epoch = bbf_pages_epoch(meta, place.group);
	REQUIRE(place.level == BBF_PAGES_LOWER || place.level == BBF_PAGES_UPPER);
	REQUIRE(place.block < (place.level == BBF_PAGES_LOWER ? epoch->nblocks : epoch->upper_nblocks));
	if (place.level == BBF_PAGES_UPPER)
		REQUIRE(bbf_pages_upper_column(epoch, place.group) == 0);
	REQUIRE(bbf_pages_number(meta, epoch, &place) == page);
}

/* A key has a page of a group, and bits there. */
static void
require_probe(const BbfPagesMeta *meta, uint32_t group, BbfPagesLevel level, uint64_t hash)
{
	const BbfPagesEpoch *epoch = bbf_pages_epoch(meta, group);
	const uint32_t block = bbf_pages_block(epoch, level, bbf_pages_level_hash(level, hash));
	BbfPagesKey probe;
	uint32_t	page;

	if (group > UINT32_MAX / meta->ncolumns - 1)
		return;					/* beyond the largest table */
	bbf_pages_place_key(meta, epoch, level,
					(uint32_t) (bbf_pages_first_range(meta, group) +
								hash % bbf_pages_group_width(meta, group)),
					hash, &probe);
	REQUIRE(probe.column < meta->ncolumns);
	REQUIRE(probe.place.block +
			probe.column / bbf_pages_width(meta, epoch, level, probe.place.group) == block);
	REQUIRE(probe.nprobes >= 1 && probe.nprobes <= BBF_MAX_PROBES);
	for (int i = 0; i < probe.nprobes; i++)
		REQUIRE(probe.bits[i] < BBF_COLUMN_BITS);
	page = bbf_pages_number(meta, epoch, &probe.place);
	REQUIRE(page > 0 && page < bbf_pages_end(meta));
	require_page(meta, page);
}

static void
require_group(const BbfPagesMeta *meta, uint32_t group, uint64_t hash)
{
	const BbfPagesEpoch *epoch = bbf_pages_epoch(meta, group);

	REQUIRE(epoch->first_group <= group && group < bbf_pages_epoch_end(meta, epoch));
	REQUIRE(bbf_pages_has_group(meta, group) == (bbf_pages_group_end(meta, group) <= meta->npages));
	require_probe(meta, group, BBF_PAGES_LOWER, hash);
	if (epoch->upper_nblocks > 0)
		require_probe(meta, group, BBF_PAGES_UPPER, hash);
}

/* The ends of all epochs, and some pages and groups between them */
static void
require_places(const BbfPagesMeta *meta, uint64_t hash)
{
	const uint64_t end = bbf_pages_end(meta);

	REQUIRE(meta->nepochs >= 1 && meta->nepochs <= BBF_PAGES_MAX_EPOCHS);
	REQUIRE(end > 1 && end <= UINT32_MAX);
	for (uint32_t i = 0; i < meta->nepochs; i++)
	{
		const BbfPagesEpoch *epoch = &meta->epochs[i];

		require_group(meta, epoch->first_group, hash);
		require_group(meta, bbf_pages_epoch_end(meta, epoch) - 1, hash);
		require_page(meta, epoch->first_page);
		require_page(meta, epoch->first_page - 1);
	}
	require_page(meta, 0);
	require_page(meta, (uint32_t) (end - 1));
	require_page(meta, (uint32_t) end);
	for (uint64_t i = 0; i < NSAMPLES; i++)
	{
		require_group(meta, (uint32_t) (mixed(hash + i) % meta->ngroups), mixed(i));
		require_page(meta, (uint32_t) (mixed(hash ^ i) % end));
	}
}

/*
 * Bytes are refused with a sentence, or are metadata that are written like
 * that.
 */
static bool
accepted(const unsigned char *bytes, size_t size, BbfPagesMeta *meta)
{
	unsigned char *copy = exact_copy(bytes, size);
	const char *reason = bbf_pages_meta_read(copy, size, meta);
	unsigned char again[MAX_META];

	if (reason != NULL)
		REQUIRE(strlen(reason) > 10 && reason[strlen(reason) - 1] == '.');
	else
	{
		size_t		written = bbf_pages_meta_write(meta, again);

		REQUIRE(written <= size && memcmp(again, copy, written) == 0);
	}
	free(copy);
	return reason == NULL;
}

static void
require_readable(const BbfPagesMeta *meta)
{
	unsigned char bytes[MAX_META];
	size_t		size = bbf_pages_meta_write(meta, bytes);
	BbfPagesMeta again;

	REQUIRE(size <= sizeof(bytes));
	REQUIRE(accepted(bytes, size, &again));
	REQUIRE(again.ngroups == meta->ngroups && again.nepochs == meta->nepochs);
}

/*
 * More groups, after a new epoch if the first bit is set.  What is refused
 * has changed nothing; but an epoch without groups must not be left behind.
 */
static void
add_groups(BbfPagesMeta *meta, uint8_t flags, uint64_t number)
{
	const BbfPagesMeta before = *meta;
	BbfPagesLoad load = {
		.range_keys = (double) (number & 0xFFFFFF),
		.group_keys = (double) (number >> 24 & 0xFFFFFFF),
		.nranges = (uint32_t) (number >> 32) | 1,
		.ngroups = 1 + (uint32_t) (number >> 40) % 1000,
		.has_upper = (flags & 2) != 0
	};

	if ((flags & 1 || meta->nepochs == 0) && !bbf_pages_begin_epoch(meta, &load))
		REQUIRE(memcmp(&before, meta, sizeof(before)) == 0);
	if (meta->nepochs == 0)
		return;
	if (!bbf_pages_add_groups(meta))
		*meta = before;
	else
	{
		REQUIRE(meta->ngroups > before.ngroups);
		meta->npages = (uint32_t) (number % bbf_pages_end(meta));
		meta->npages += meta->npages == 0;
		require_readable(meta);
	}
}

/* Make metadata by steps: 1 byte of flags and 8 of numbers each. */
static void
make_meta(Input * input, BbfPagesMeta *meta)
{
	int			nsteps;

	memset(meta, 0, sizeof(*meta));
	meta->npages = 1;
	meta->pages_per_range = 1 + take16(input) % BBF_PAGES_MAX_PER_RANGE;
	meta->ncolumns = bbf_pages_columns((size_t) take16(input) + BBF_COLUMN_BITS);
	REQUIRE(meta->ncolumns >= 8 && meta->ncolumns <= BBF_MAX_COLUMNS && meta->ncolumns % 8 == 0);
	meta->false_ranges = 0.0001 * (1 + take16(input));
	nsteps = take8(input) % 64;
	for (int i = 0; i < nsteps; i++)
	{
		uint8_t		flags = take8(input);

		add_groups(meta, flags, take64(input));
	}
}

/* Change bytes at random: an offset of 2 bytes, and 1 byte each. */
static void
change_bytes(Input * input, unsigned char *bytes, size_t size)
{
	for (int n = take8(input) % 8; n > 0; n--)
	{
		uint16_t	at = take16(input);

		bytes[at % size] ^= take8(input);
	}
}

/* Put the hash behind metadata, if they have a number of epochs. */
static void
seal(unsigned char *bytes, size_t *size)
{
	const uint32_t nepochs = bytes[7];
	size_t		end;

	if (nepochs < 1 || nepochs > BBF_PAGES_MAX_EPOCHS)
		return;
	end = bbf_pages_meta_bytes(nepochs) - BBF_PAGES_HASH_BYTES;
	if (*size < end)
		return;
	bbf_put64(bytes + end, bbf_hash(bytes, end));
	if (*size < end + BBF_PAGES_HASH_BYTES)
		*size = end + BBF_PAGES_HASH_BYTES;
}

static void
test_meta(Input * input, bool made, uint64_t hash)
{
	unsigned char bytes[MAX_META] = {0};
	size_t		size = sizeof(bytes);
	BbfPagesMeta meta;

	if (made)
	{
		make_meta(input, &meta);
		size = bbf_pages_meta_write(&meta, bytes);
		change_bytes(input, bytes, size);
	}
	else
	{
		const		uint8_t *data = take_bytes(input, &size);

		if (size > 0)
			memcpy(bytes, data, size);
	}
	if (hash % 8 != 0)
		seal(bytes, &size);
	if (!accepted(bytes, size, &meta))
		return;
	require_places(&meta, hash);
	add_groups(&meta, (uint8_t) hash, mixed(hash));
	require_places(&meta, hash);
}

/*
 * Labels
 */

static void
test_label(uint64_t hash)
{
	BbfPagesPlace place = {(BbfPagesLevel) (hash % 3), (uint32_t) mixed(hash), (uint32_t) hash};
	unsigned char label[BBF_PAGES_LABEL_BYTES];
	unsigned char change = (unsigned char) (1u << (hash >> 8) % 8);

	bbf_pages_label_write(&place, label);
	REQUIRE(bbf_pages_label_is(&place, label));
	label[(hash >> 16) % sizeof(label)] ^= change;
	REQUIRE(!bbf_pages_label_is(&place, label));
}

/*
 * Columns
 */

/*
 * Slices with about a half, a quarter, ... of their bits set, in memory of
 * exactly their length
 */
static unsigned char *
new_slices(unsigned slice_bytes, uint64_t hash)
{
	unsigned char *slices = malloc(bbf_columns_bytes(slice_bytes));

	REQUIRE(slices != NULL);
	for (size_t i = 0; i < bbf_columns_bytes(slice_bytes); i += 8)
	{
		uint64_t	random = mixed(hash + i);

		for (uint64_t n = hash % 4; n > 0; n--)
			random &= mixed(random);
		bbf_put64(slices + i, random);
	}
	return slices;
}

static void
test_columns(unsigned slice_bytes, unsigned column, uint64_t hash)
{
	unsigned char *slices = new_slices(slice_bytes, hash);
	const int	k = 1 + (int) (hash % BBF_MAX_PROBES);
	uint16_t	bits[BBF_MAX_PROBES];
	uint16_t	changed[BBF_MAX_PROBES];
	uint16_t	before[BBF_MAX_COLUMNS];
	uint16_t	counts[BBF_MAX_COLUMNS];
	unsigned char found[BBF_MAX_SLICE_BYTES];
	bool		had;
	int			n;

	bbf_columns_bits(mixed(hash), k, bits);
	had = bbf_columns_contain(slices, slice_bytes, column, bits, k);
	bbf_columns_count(slices, slice_bytes, before);
	n = bbf_columns_set(slices, slice_bytes, column, bits, k, changed);
	REQUIRE(n >= 0 && n <= k && (n == 0) == had);
	for (int i = 0; i < n; i++)
		REQUIRE(changed[i] < bbf_columns_bytes(slice_bytes) && changed[i] % slice_bytes == column / 8);
	REQUIRE(bbf_columns_set(slices, slice_bytes, column, bits, k, changed) == 0);

	/* those of no other column have changed */
	bbf_columns_count(slices, slice_bytes, counts);
	memset(found, 0xFF, slice_bytes);
	bbf_columns_find(slices, slice_bytes, bits, k, found);
	for (unsigned i = 0; i < 8 * slice_bytes; i++)
	{
		REQUIRE(counts[i] == before[i] + (i == column ? n : 0));
		REQUIRE((found[i / 8] >> i % 8 & 1) == bbf_columns_contain(slices, slice_bytes, i, bits, k));
	}
	REQUIRE(bbf_columns_contain(slices, slice_bytes, column, bits, k));
	free(slices);
}

int
LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
	Input		input = {data, size};
	uint8_t		flags = take8(&input);
	uint64_t	hash = take64(&input);
	unsigned	slice_bytes = 1 + (flags & 0x7F) % BBF_MAX_SLICE_BYTES;

	test_columns(slice_bytes, take16(&input) % (8 * slice_bytes), hash);
	test_label(hash);
	test_meta(&input, (flags & 0x80) != 0, hash);
	return 0;
}
