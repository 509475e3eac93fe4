/*
 * pages_test.c
 *	  pages.h: each page of a page index has one place, sizing keeps its rates, and
 *	  metadata and labels are what was written.
 */
#include "check.h"

#include <math.h>

#include "core/bytes.h"
#include "core/hash.h"
#include "core/pages.h"
#include "core/sizing.h"

#include "buffer.h"
#include "key.h"
#include "suites.h"

/*
 * Metadata of three epochs, as an index has that began empty: a group of five blocks; seven of
 * three, three of them small; then two levels, of two blocks below and five above, in super-groups of 50 groups, of
 * which a page has two blocks.
 */
static BbfPagesMeta
sample_meta(void)
{
	BbfPagesMeta meta = {
		.pages_per_range = 4,.ncolumns = 120,.ngroups = 250,.npages = 300,.nepochs = 3,
		.false_ranges = 0.1,.build_xid = UINT64_C(0x123456789A),
		.epochs = {
			{.first_group = 0,.first_page = 1,.nblocks = 5,.nprobes = 7,.capacity = 100,
			.nranges = 960},
			{.first_group = 1,.first_page = 2,.nblocks = 3,.nprobes = 8,.capacity = 60,
			.nranges = 1920},
			{.first_group = 8,.first_page = 18,.nblocks = 2,.upper_nblocks = 5,.width = 50,
			.nprobes = 5,.upper_nprobes = 6,.capacity = 50,.nranges = 30000}
		}
	};

	return meta;
}

/* The pages in the order of pages.h, without gaps, and what is not a page of a group. */
static void
test_every_page_has_a_place(void)
{
	BbfPagesMeta meta = sample_meta();
	BbfPagesPlace place;
	uint32_t	page = 1;
	uint32_t	range = 0;

	for (uint32_t group = 0; group < meta.ngroups; group++)
	{
		const BbfPagesEpoch *epoch = bbf_pages_epoch(&meta, group);
		const uint32_t column = bbf_pages_upper_column(epoch, group);
		const uint32_t width = group < 4 ? (const uint32_t[]) {15, 15, 30, 60}[group] : 120;

		CASE("group %" PRIu32, group);
		CHECK(epoch == &meta.epochs[group == 0 ? 0 : group < 8 ? 1 : 2]);
		CHECK(column == (group < 8 ? 0 : (group - 8) % 50));
		CHECK(bbf_pages_first_range(&meta, group) == range);
		CHECK(bbf_pages_group_width(&meta, group) == width);
		CHECK(bbf_pages_group(&meta, range) == group);
		range += width;
		CHECK(bbf_pages_group(&meta, range - 1) == group);
		for (int level = BBF_PAGES_UPPER; level >= BBF_PAGES_LOWER; level--)
		{
			const uint32_t nblocks = level == BBF_PAGES_LOWER ? epoch->nblocks :
				column == 0 ? epoch->upper_nblocks : 0;
			const uint32_t per_page = level == BBF_PAGES_UPPER ? 2 : 120 / width;

			for (uint32_t block = 0; block < nblocks; block += per_page, page++)
			{
				const BbfPagesPlace expected = {(BbfPagesLevel) level, group, block};

				CHECK(bbf_pages_number(&meta, epoch, &expected) == page);
				CHECK(bbf_pages_locate(&meta, page, &place));
				CHECK(place.level == expected.level && place.group == group && place.block == block);
			}
		}
		CHECK(bbf_pages_group_end(&meta, group) == page);
		meta.npages = page - 1;
		CHECK(!bbf_pages_has_group(&meta, group));
		meta.npages = page;
		CHECK(bbf_pages_has_group(&meta, group));
	}
	CHECK(bbf_pages_end(&meta) == page && page == 517);
	CHECK(!bbf_pages_locate(&meta, page, &place));
	CHECK(!bbf_pages_has_group(&meta, meta.ngroups));
	CHECK(!bbf_pages_locate(&meta, UINT32_MAX, &place));
	CHECK(!bbf_pages_locate(&meta, 0, &place));
	CHECK(bbf_pages_epoch_end(&meta, &meta.epochs[0]) == 1);
	CHECK(bbf_pages_epoch_end(&meta, &meta.epochs[1]) == 8);
	CHECK(bbf_pages_epoch_end(&meta, &meta.epochs[2]) == 250);
}

/* Likewise where small groups have a second level, in super-groups that are small, too. */
static void
test_small_groups_have_two_levels(void)
{
	for (uint32_t nblocks = 1; nblocks <= 20; nblocks++)
	{
		for (uint32_t width = 1; width <= 6; width++)
		{
			const BbfPagesMeta meta = {
				.ncolumns = 120,.ngroups = 10,.nepochs = 1,
				.epochs[0] = {.first_page = 1,.nblocks = nblocks,.upper_nblocks = 200,.width = width}
			};
			uint32_t	npages[3] = {0};

			CASE("%" PRIu32 " blocks, super-groups of %" PRIu32, nblocks, width);
			for (uint32_t page = 1; page < bbf_pages_end(&meta); page++)
			{
				BbfPagesPlace place;

				CHECK(bbf_pages_locate(&meta, page, &place));
				CHECK(bbf_pages_number(&meta, &meta.epochs[0], &place) == page);
				CHECK(place.block < (place.level == BBF_PAGES_LOWER ? nblocks : 200));
				npages[place.level]++;
			}
			CHECK(npages[BBF_PAGES_LOWER] == 2 * ((nblocks + 7) / 8) + (nblocks + 3) / 4 +
				  (nblocks + 1) / 2 + 6 * nblocks);
			CHECK(npages[BBF_PAGES_UPPER] == (9 / width + 1) *
				  ((200 + 120 / width - 1) / (120 / width)));
		}
	}
}

static bool
same_probe(const BbfPagesKey *a, const BbfPagesKey *b)
{
	return a->place.level == b->place.level && a->place.group == b->place.group &&
		a->place.block == b->place.block && a->column == b->column && a->nprobes == b->nprobes &&
		memcmp(a->bits, b->bits, (size_t) a->nprobes * sizeof(*a->bits)) == 0;
}

/* Both levels have bits of the key, which are not the same ones. */
static void
test_levels_have_their_own_hash(void)
{
	const BbfPagesMeta meta = sample_meta();
	const BbfPagesEpoch *epoch = &meta.epochs[2];
	unsigned	nblocks[2][5] = {{0}};

	for (unsigned i = 0; i < 4000; i++)
	{
		/* the upper half of a hash decides its block, and its partition by another hash */
		const uint64_t hash = key(i) >> 2;
		BbfPagesKey upper;
		BbfPagesKey lower;
		BbfPagesKey both[BBF_PAGES_LEVELS];
		uint16_t	bits[BBF_MAX_PROBES];
		uint32_t	block;

		bbf_pages_place_key(&meta, epoch, BBF_PAGES_LOWER, 127 * 120 + 7, hash, &lower);
		CHECK(lower.place.level == BBF_PAGES_LOWER && lower.place.group == 130 && lower.nprobes == 5);
		CHECK(lower.column == 7);
		CHECK(lower.place.block == bbf_block_index(hash, 2));
		CHECK(bbf_pages_level_hash(BBF_PAGES_LOWER, hash) == hash);
		bbf_columns_bits(hash, 5, bits);
		CHECK(memcmp(bits, lower.bits, 5 * sizeof(*bits)) == 0);

		bbf_pages_place_key(&meta, epoch, BBF_PAGES_UPPER, 127 * 120 + 7, hash, &upper);
		CHECK(upper.place.level == BBF_PAGES_UPPER && upper.place.group == 108 && upper.nprobes == 6);
		block = bbf_block_index(bbf_pages_level_hash(BBF_PAGES_UPPER, hash), epoch->upper_nblocks);
		CHECK(upper.place.block == block / 2 * 2 && upper.column == block % 2 * 50 + 22);
		CHECK(memcmp(bits, upper.bits, 5 * sizeof(*bits)) != 0);

		CHECK(bbf_pages_place_in_levels(&meta, epoch, 127 * 120 + 7, hash, both) == 2);
		CHECK(same_probe(&both[0], &upper) && same_probe(&both[1], &lower));
		CHECK(bbf_pages_place_in_levels(&meta, &meta.epochs[1], 60, hash, both) == 1);
		CHECK(both[0].place.level == BBF_PAGES_LOWER && both[0].place.group == 3);
		CHECK(both[0].place.block + both[0].column / 60 == bbf_block_index(hash, 3));
		nblocks[0][lower.place.block]++;
		nblocks[1][block]++;
	}
	/* the hashes lie in the first quarter, of which the second level knows nothing */
	CHECK(nblocks[0][0] == 4000);
	for (int block = 0; block < 5; block++)
		CHECK(nblocks[1][block] > 700 && nblocks[1][block] < 900);
}

static void
test_number_of_columns(void)
{
	CHECK(bbf_pages_columns(8192 - 40) == 248);
	CHECK(bbf_pages_columns(4096 - 40) == 120);
	CHECK(bbf_pages_columns(32768 - 40) == 1016);
	CHECK(bbf_pages_columns(512 - 40) == 8);
	CHECK(bbf_pages_columns(1 << 20) == BBF_MAX_COLUMNS);
}

static void
test_pages_of_a_range(void)
{
	CHECK(bbf_pages_best_range(0) == 4);
	CHECK(bbf_pages_best_range(1919999) == 4);
	CHECK(bbf_pages_best_range(1920000) == 8);
	CHECK(bbf_pages_best_range(7679999) == 8);
	CHECK(bbf_pages_best_range(38000000) == 32);
	CHECK(bbf_pages_best_range(UINT32_MAX) == 256);
	CHECK(bbf_pages_best_range(UINT64_MAX / 2) == BBF_PAGES_MAX_PER_RANGE);
}

/* Super-groups are as wide as the groups that come, or half a page, or a page. */
static void
test_width_of_super_groups(void)
{
	const BbfPagesMeta meta = {.ncolumns = 120};

	for (uint32_t n = 1; n < 500; n++)
	{
		CASE("%" PRIu32 " groups", n);
		CHECK(bbf_pages_best_width(&meta, n) == (n < 60 ? n : n < 120 ? 60 : 120));
	}
}

/*
 * The groups of an epoch have room for 3 % more keys than it is begun for, at the rate that its
 * number of ranges asks for.
 */
static void
test_epochs_keep_their_rates(void)
{
	static const double rows[] = {1, 40, 400, 6000};
	static const uint32_t ranges[] = {1, 960, 48000, 1000000};

	for (int i = 0; i < 2 * LENGTH_OF(rows); i++)
	{
		for (int j = 0; j < LENGTH_OF(ranges); j++)
		{
			const double nrows = rows[i / 2];
			const double false_ranges = i % 2 == 0 ? 0.1 : 0.0001;
			BbfPagesMeta meta = {.pages_per_range = 16,.ncolumns = 120,.false_ranges = false_ranges};
			BbfPagesLoad load = {nrows, nrows * 100, ranges[j], 100, ranges[j] > 960};
			const BbfPagesEpoch *epoch = meta.epochs;
			double		rate;

			CASE("%g rows, %" PRIu32 " ranges, %g", nrows, ranges[j], false_ranges);
			CHECK(bbf_pages_begin_epoch(&meta, &load) && bbf_pages_add_groups(&meta));
			CHECK(meta.nepochs == 1 && meta.ngroups == 1);
			CHECK(epoch->first_group == 0 && epoch->first_page == 1);
			CHECK(epoch->capacity >= nrows * 1.03 && epoch->capacity <= nrows * 1.03 + 1);
			/* another of the same keys has the same capacity */
			load.range_keys = bbf_pages_expected_keys(epoch);
			CHECK(fabs(load.range_keys - nrows) < 1);
			CHECK(bbf_pages_begin_epoch(&meta, &load) && epoch[1].capacity == epoch->capacity);
			meta.nepochs--;
			CHECK(epoch->nranges == ranges[j]);
			CHECK((epoch->upper_nblocks > 0) == load.has_upper);
			CHECK(epoch->width == (load.has_upper ? 60 : 0));
			rate = bbf_model_rate_of(256, nrows * 1.03 / epoch->nblocks, epoch->nprobes);
			if (load.has_upper)
				rate *= bbf_model_rate_of(256, nrows * 103 / epoch->upper_nblocks, epoch->upper_nprobes);
			CHECK(rate * ranges[j] <= false_ranges);
			/* nor are filters larger than it takes, but by whole blocks */
			CHECK(nrows < 400 || rate * ranges[j] >= 0.85 * false_ranges);
		}
	}
}

/* The first group, then all small ones; then as many again, up to the end of a super-group. */
static void
test_groups_are_added(void)
{
	static const uint32_t steps[] = {1, 4, 8, 16, 32, 64, 128, 248, 368};
	static const uint32_t upper_steps[] = {418, 468, 518};
	BbfPagesMeta meta = {.pages_per_range = 16,.ncolumns = 120,.false_ranges = 0.1};
	const BbfPagesLoad load = {400, 40000, 960, 8, false};
	const BbfPagesLoad upper_load = {400, 40000, 48000, 50, true};
	uint64_t	nblocks;
	uint64_t	saved;

	CHECK(bbf_pages_end(&meta) == 1);
	CHECK(bbf_pages_begin_epoch(&meta, &load));
	for (int i = 0; i < LENGTH_OF(steps); i++)
	{
		CHECK(bbf_pages_add_groups(&meta));
		CHECK(meta.ngroups == steps[i]);
		nblocks = meta.epochs[0].nblocks;
		saved = i == 0 ? nblocks - (nblocks + 7) / 8 :
			4 * nblocks - 2 * ((nblocks + 7) / 8) - (nblocks + 3) / 4 - (nblocks + 1) / 2;
		CHECK(bbf_pages_end(&meta) == 1 + steps[i] * nblocks - saved);
	}

	CHECK(bbf_pages_begin_epoch(&meta, &upper_load));
	for (int i = 0; i < LENGTH_OF(upper_steps); i++)
	{
		CHECK(bbf_pages_ends_super_group(&meta));
		CHECK(bbf_pages_add_groups(&meta));
		CHECK(meta.ngroups == upper_steps[i]);
	}
	meta.ngroups--;
	CHECK(!bbf_pages_ends_super_group(&meta));
	CHECK(bbf_pages_add_groups(&meta) && meta.ngroups == 518);

	/* epochs come to an end, and so do page numbers */
	while (meta.nepochs < BBF_PAGES_MAX_EPOCHS)
	{
		CHECK(bbf_pages_begin_epoch(&meta, &load));
		CHECK(bbf_pages_add_groups(&meta));
	}
	CHECK(!bbf_pages_begin_epoch(&meta, &load));
	meta.epochs[meta.nepochs - 1].nblocks = 20000000;
	CHECK(bbf_pages_end(&meta) < UINT32_MAX);
	CHECK(!bbf_pages_add_groups(&meta));
	CHECK(bbf_pages_end(&meta) < UINT32_MAX);

	/* and numbers of groups */
	meta = (BbfPagesMeta) {.ncolumns = 120,.ngroups = UINT32_MAX - 2,.nepochs = 1,
		.epochs[0] = {.first_page = 1,.nblocks = 1}
	};
	CHECK(bbf_pages_end(&meta) < UINT32_MAX);
	CHECK(!bbf_pages_add_groups(&meta));
	CHECK(meta.ngroups == UINT32_MAX - 2);
}

/* What would be larger than a filter can be is refused, and nothing changes. */
static void
test_too_many_keys(void)
{
	BbfPagesMeta meta = {.pages_per_range = 16,.ncolumns = 120,.false_ranges = 0.1};
	const BbfPagesLoad load = {1e12, 1e14, 960, 8, false};

	CHECK(!bbf_pages_begin_epoch(&meta, &load));
	CHECK(meta.nepochs == 0);
}

static bool
same_meta(const BbfPagesMeta *a, const BbfPagesMeta *b)
{
	unsigned char x[BBF_PAGES_META_BYTES + 3 * BBF_PAGES_EPOCH_BYTES + BBF_PAGES_HASH_BYTES];
	unsigned char y[sizeof(x)];

	return bbf_pages_meta_write(a, x) == sizeof(x) && bbf_pages_meta_write(b, y) == sizeof(y) &&
		memcmp(x, y, sizeof(x)) == 0;
}

/* The bytes of FORMAT.md, and back. */
static void
test_metadata_are_read_as_written(void)
{
	static const unsigned char first_bytes[] = {
		4, 0, 0, 0, 120, 0, 1, 3, 250, 0, 0, 0, 0x2C, 1, 0, 0,
		0x9A, 0x99, 0x99, 0x99, 0x99, 0x99, 0xB9, 0x3F, 0x9A, 0x78, 0x56, 0x34, 0x12, 0, 0, 0,
		0, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0,
		100, 0, 0, 0, 0xC0, 3, 0, 0, 7, 0, 0, 0
	};
	BbfPagesMeta meta = sample_meta();
	BbfPagesMeta read;
	unsigned char *bytes = allocate(bbf_pages_meta_bytes(3));
	const size_t length = bbf_pages_meta_write(&meta, bytes);

	CHECK(length == bbf_pages_meta_bytes(3));
	CHECK(memcmp(bytes, first_bytes, sizeof(first_bytes)) == 0);
	CHECK(bbf_pages_meta_read(bytes, length, &read) == NULL);
	CHECK(same_meta(&meta, &read));
	CHECK(read.epochs[2].upper_nprobes == 6 && read.build_xid == UINT64_C(0x123456789A));

	/* the fewest probes */
	bytes[BBF_PAGES_META_BYTES + 24] = 1;
	CHECK(bbf_pages_meta_read(bytes, length, &read) != NULL);
	bbf_put64(bytes + length - 8, bbf_hash(bytes, length - 8));
	CHECK(bbf_pages_meta_read(bytes, length, &read) == NULL && read.epochs[0].nprobes == 1);

	/* super-groups as wide as a page */
	meta.epochs[2].width = meta.ncolumns;
	(void) bbf_pages_meta_write(&meta, bytes);
	CHECK(bbf_pages_meta_read(bytes, length, &read) == NULL && same_meta(&meta, &read));
	free(bytes);
}

/* Metadata that would lead to pages that there are not are refused, with the reason. */
static void
test_bad_metadata_are_refused(void)
{
	static const struct
	{
		size_t		offset;
		uint32_t	value;
		const char *reason;
	}			cases[] = {
		{0, 0, "pages in a range"}, {0, BBF_PAGES_MAX_PER_RANGE + 1, "pages in a range"},
		{4, 0x00010000 + 121, "columns"}, {4, 0x00010000, "columns"},
		{4, 0x03020000 + 120, "hash scheme"}, {4, 0x00010000 + 120, "number of epochs"},
		{4, 0x04010000 + 120, "number of epochs"}, {4, 0xFF010000 + 120, "number of epochs"},
		{8, 8, "groups"}, {8, UINT32_MAX, "more pages"},
		{12, 0, "number of pages"}, {12, 518, "number of pages"}, {12, 517, "hash"},
		{20, 0xBFB99999, "false ranges"}, {20, 0x7FF99999, "false ranges"},
		{32, 1, "in order"}, {36, 2, "does not begin"}, {40, 0, "blocks"},
		{40, UINT32_MAX, "blocks"}, {44, 1, "probes"}, {44, UINT32_MAX, "blocks"},
		{56, 0, "probes"}, {56, 25, "probes"}, {56, 0x0107, "probes"}, {56, 0x010007, "super-group"},
		{60, 0, "in order"}, {64, 7, "does not begin"}, {88, 1, "in order"},
		{88, 251, "does not begin"}, {100, 0, "probes"},
		{112, 0x0605, "super-group"}, {112, 0x00790605, "super-group"},
		{0, 5, "hash"}, {8, 251, "hash"}, {28, 1, "hash"}, {48, 1, "hash"}
	};
	const BbfPagesMeta meta = sample_meta();
	BbfPagesMeta read;
	unsigned char *bytes = allocate(bbf_pages_meta_bytes(3));
	const size_t length = bbf_pages_meta_write(&meta, bytes);

	for (int i = 0; i < LENGTH_OF(cases); i++)
	{
		unsigned char *bad = copy_of(bytes, length);
		const char *reason;

		CASE("%" PRIu32 " at %d", cases[i].value, (int) cases[i].offset);
		bbf_put32(bad + cases[i].offset, cases[i].value);
		reason = bbf_pages_meta_read(bad, length, &read);
		CHECK(reason != NULL && strstr(reason, cases[i].reason) != NULL);
		free(bad);
	}
	for (size_t n = 0; n < length; n++)
	{
		unsigned char *part = copy_of(bytes, n);

		CHECK(bbf_pages_meta_read(part, n, &read) != NULL);
		free(part);
	}
	free(bytes);
}

/* A label is that of one place only, and every byte of it counts. */
static void
test_labels(void)
{
	static const unsigned char expected[] = {
		8, 0, 0, 0, 0x02, 0x01, 0, 0, 0, 0, 0, 0, 2, 1, 0x0F, 0xB1
	};
	const BbfPagesPlace place = {BBF_PAGES_UPPER, 8, 258};
	BbfPagesPlace other = place;
	unsigned char label[BBF_PAGES_LABEL_BYTES];

	bbf_pages_label_write(&place, label);
	CHECK(memcmp(label, expected, sizeof(expected)) == 0);
	CHECK(bbf_pages_label_is(&place, label));
	other.level = BBF_PAGES_LOWER;
	CHECK(!bbf_pages_label_is(&other, label));
	for (int i = 0; i < BBF_PAGES_LABEL_BYTES; i++)
	{
		label[i] ^= 0x40;
		CHECK(!bbf_pages_label_is(&place, label));
		label[i] ^= 0x40;
	}
}

const Test pages_tests[] = {
	TEST(test_every_page_has_a_place),
	TEST(test_small_groups_have_two_levels),
	TEST(test_levels_have_their_own_hash),
	TEST(test_number_of_columns),
	TEST(test_pages_of_a_range),
	TEST(test_width_of_super_groups),
	TEST(test_epochs_keep_their_rates),
	TEST(test_groups_are_added),
	TEST(test_too_many_keys),
	TEST(test_metadata_are_read_as_written),
	TEST(test_bad_metadata_are_refused),
	TEST(test_labels),
	END_OF_TESTS
};
