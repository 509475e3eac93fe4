/*
 * columns_test.c
 *	  columns.h: columns answer as blocks do, and no bit of one is that of another.
 */
#include "check.h"

#include "core/columns.h"

#include "buffer.h"
#include "key.h"
#include "suites.h"

#define NPROBES		7
#define NKEYS		12			/* of a column */

/* Slices of whole words, of less than a word, and of both. */
static const unsigned widths[] = {1, 7, 8, 15, 63, BBF_MAX_SLICE_BYTES};

/* The hash of a key of a column. */
static uint64_t
key_of(unsigned column, unsigned i)
{
	return key((uint64_t) column * NKEYS + i);
}

/* Slices whose columns have NKEYS keys each. */
static unsigned char *
new_slices(unsigned slice_bytes)
{
	unsigned char *slices = allocate(bbf_columns_bytes(slice_bytes));

	for (unsigned column = 0; column < 8 * slice_bytes; column++)
	{
		for (unsigned i = 0; i < NKEYS; i++)
		{
			uint16_t	bits[BBF_MAX_PROBES];
			uint16_t	changed[BBF_MAX_PROBES];

			bbf_columns_bits(key_of(column, i), NPROBES, bits);
			(void) bbf_columns_set(slices, slice_bytes, column, bits, NPROBES, changed);
		}
	}
	return slices;
}

/*
 * Each column has the bits of a block with its keys: bit c % 8 of byte c / 8 of slice s is set if bit
 * 2 s or 2 s + 1 is.
 */
static void
test_columns_are_blocks(void)
{
	for (int w = 0; w < LENGTH_OF(widths); w++)
	{
		unsigned char *slices = new_slices(widths[w]);
		unsigned char *added = allocate(bbf_columns_bytes(widths[w]));

		CASE("%u bytes", widths[w]);
		for (unsigned column = 0; column < 8 * widths[w]; column++)
		{
			unsigned char block[BBF_BLOCK_BYTES] = {0};

			for (unsigned i = 0; i < NKEYS; i++)
			{
				(void) bbf_blocks_add(block, 1, NPROBES, key_of(column, i));
				bbf_columns_add(added, widths[w], column, key_of(column, i), NPROBES);
			}
			for (unsigned s = 0; s < BBF_COLUMN_BITS; s++)
				CHECK((slices[s * widths[w] + column / 8] >> column % 8 & 1) ==
					  ((block[s / 4] >> s % 4 * 2 & 3) != 0));
		}
		CHECK(memcmp(added, slices, bbf_columns_bytes(widths[w])) == 0);
		free(added);
		free(slices);
	}
}

/* What has changed is reported, each byte once, also if two probes meet. */
static void
test_changes_are_reported(void)
{
	const uint16_t bits[] = {5, 255, 5, 0};
	uint16_t	changed[4];
	unsigned char *slices = allocate(bbf_columns_bytes(15));

	CHECK(bbf_columns_set(slices, 15, 119, bits, 4, changed) == 3);
	CHECK(changed[0] == 5 * 15 + 14 && changed[1] == 255 * 15 + 14 && changed[2] == 14);
	for (int i = 0; i < 3; i++)
		CHECK(slices[changed[i]] == 0x80);
	CHECK(bbf_columns_set(slices, 15, 119, bits, 4, changed) == 0);
	CHECK(bbf_columns_set(slices, 15, 118, bits, 1, changed) == 1 && slices[5 * 15 + 14] == 0xC0);
	free(slices);
}

/* Whether one column has a key, and which columns have it, is what their blocks say. */
static void
test_keys_are_found(void)
{
	for (int w = 0; w < LENGTH_OF(widths); w++)
	{
		const unsigned slice_bytes = widths[w];
		unsigned char *slices = new_slices(slice_bytes);
		unsigned char *found = allocate(slice_bytes);

		for (unsigned i = 0; i < 2 * 8 * slice_bytes; i++)
		{
			const bool	is_present = i < 8 * slice_bytes;
			const uint64_t hash = is_present ? key_of(i, i % NKEYS) : key(ABSENT_KEYS + i);
			uint16_t	bits[BBF_MAX_PROBES];

			CASE("%u bytes, key %u", slice_bytes, i);
			bbf_columns_bits(hash, NPROBES, bits);
			memset(found, 0xFF, slice_bytes);
			bbf_columns_find(slices, slice_bytes, bits, NPROBES, found);
			CHECK(!is_present || (found[i / 8] >> i % 8 & 1) == 1);
			for (unsigned column = 0; column < 8 * slice_bytes; column++)
				CHECK(bbf_columns_contain(slices, slice_bytes, column, bits, NPROBES) ==
					  ((found[column / 8] >> column % 8 & 1) == 1));
		}
		free(found);
		free(slices);
	}
}

/* A bit that is not set in found stays so, and every probe is needed. */
static void
test_find_narrows(void)
{
	const uint16_t bits[] = {3, 100, 200};
	uint16_t	changed[3];
	unsigned char *slices = allocate(bbf_columns_bytes(15));
	unsigned char found[15];

	(void) bbf_columns_set(slices, 15, 9, bits, 3, changed);
	(void) bbf_columns_set(slices, 15, 100, bits, 3, changed);
	(void) bbf_columns_set(slices, 15, 50, bits, 2, changed);
	memset(found, 0xFF, sizeof(found));
	found[100 / 8] = 0;
	bbf_columns_find(slices, 15, bits, 3, found);
	for (unsigned byte = 0; byte < 15; byte++)
		CHECK(found[byte] == (byte == 1 ? 1 << 1 : 0));
	free(slices);
}

static void
test_bits_are_counted(void)
{
	for (int w = 0; w < LENGTH_OF(widths); w++)
	{
		unsigned char *slices = new_slices(widths[w]);
		uint16_t   *counts = allocate(8 * widths[w] * sizeof(uint16_t));

		/* one that is full */
		for (unsigned s = 0; s < BBF_COLUMN_BITS; s++)
			slices[s * widths[w]] |= 1 << 3;
		/* what was in counts is not counted */
		memset(counts, 0xFF, 8 * widths[w] * sizeof(uint16_t));
		bbf_columns_count(slices, widths[w], counts);
		for (unsigned column = 0; column < 8 * widths[w]; column++)
		{
			unsigned	n = 0;

			for (unsigned s = 0; s < BBF_COLUMN_BITS; s++)
				n += slices[s * widths[w] + column / 8] >> column % 8 & 1;
			CHECK(counts[column] == n);
		}
		CHECK(counts[3] == BBF_COLUMN_BITS);
		free(counts);
		free(slices);
	}
}

const Test columns_tests[] = {
	TEST(test_columns_are_blocks),
	TEST(test_changes_are_reported),
	TEST(test_keys_are_found),
	TEST(test_find_narrows),
	TEST(test_bits_are_counted),
	END_OF_TESTS
};
