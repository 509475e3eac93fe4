/*
 * columns.c
 *	  Sets, combines and counts the bits of columns.
 */
#include "core/columns.h"

void
bbf_columns_bits(uint64_t hash, int k, uint16_t *bits)
{
	bbf_block_bits(hash, k, bits);
	for (int probe = 0; probe < k; probe++)
		bits[probe] /= BBF_BLOCK_BITS / BBF_COLUMN_BITS;
}

int
bbf_columns_set(unsigned char *slices, unsigned slice_bytes, unsigned column,
				const uint16_t *bits, int k, uint16_t *changed)
{
	const unsigned char bit = (unsigned char) (1u << column % 8);
	int			n = 0;

	for (int i = 0; i < k; i++)
	{
		unsigned	at = bits[i] * slice_bytes + column / 8;
		unsigned char before = slices[at];

		slices[at] = before | bit;

		/* without a branch, which nobody could predict */
		changed[n] = (uint16_t) at;
		n += (before & bit) == 0;
	}
	return n;
}

void
bbf_columns_add(unsigned char *slices, unsigned slice_bytes, unsigned column,
				uint64_t hash, int k)
{
	const unsigned char bit = (unsigned char) (1u << column % 8);
	unsigned char *bytes = slices + column / 8;

	for (int probe = 0; probe < k; probe++)
	{
		hash *= BBF_PROBE_MULTIPLIER;
		bytes[(hash >> 56) * slice_bytes] |= bit;
	}
}

bool
bbf_columns_contain(const unsigned char *slices, unsigned slice_bytes,
					unsigned column, const uint16_t *bits, int k)
{
	for (int i = 0; i < k; i++)
	{
		if ((slices[bits[i] * slice_bytes + column / 8] >> column % 8 & 1) == 0)
			return false;
	}
	return true;
}

void
bbf_columns_find(const unsigned char *slices, unsigned slice_bytes,
				 const uint16_t *bits, int k, unsigned char *found)
{
	for (int i = 0; i < k; i++)
	{
		const unsigned char *slice = slices + bits[i] * slice_bytes;
		unsigned	byte = 0;

		for (; byte + 8 <= slice_bytes; byte += 8)
			bbf_put64(found + byte, bbf_get64(found + byte) & bbf_get64(slice + byte));
		for (; byte < slice_bytes; byte++)
			found[byte] &= slice[byte];
	}
}

void
bbf_columns_count(const unsigned char *slices, unsigned slice_bytes, uint16_t *counts)
{
	memset(counts, 0, 8 * slice_bytes * sizeof(*counts));
	for (unsigned slice = 0; slice < BBF_COLUMN_BITS; slice++)
	{
		for (unsigned byte = 0; byte < slice_bytes; byte++)
		{
			unsigned	set = *slices++;

			for (unsigned column = 8 * byte; set != 0; column++, set >>= 1)
				counts[column] = (uint16_t) (counts[column] + (set & 1));
		}
	}
}
