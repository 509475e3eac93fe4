/*
 * columns.h
 *	  One block of many Bloom filters, transposed: a slice for each bit of the
 *	  block, a column for each filter.
 *
 * A page index keeps such a transposed block in each page (pages.h).  There
 * are 256 slices of slice_bytes bytes, so 8 * slice_bytes columns: bit c % 8
 * of byte c / 8 of slice s is bit s of the block of column c.  A key is in
 * the columns whose bit is set in all of the slices that its hash selects.
 *
 * With blocks of half the bits that those of filters have (blocked.h), a page
 * has twice the columns, for a tenth more bits a key.
 *
 * The slices of a matrix (matrix.h) are made once, from complete filters, and
 * consist of words of 64 columns.  These have bits set one by one, and any
 * whole number of bytes, so that a page wastes little.
 */
#ifndef BBF_COLUMNS_H
#define BBF_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/blocked.h"

#define BBF_COLUMN_BITS			256

/* Those of a page of 32 kB; an offset among the slices fits 16 bits. */
#define BBF_MAX_SLICE_BYTES		127
#define BBF_MAX_COLUMNS			(8 * BBF_MAX_SLICE_BYTES)

/* Bytes of the slices of a block. */
static inline size_t
bbf_columns_bytes(unsigned slice_bytes)
{
	return (size_t) BBF_COLUMN_BITS * slice_bytes;
}

/*
 * The numbers of the k bits that a hash has in its block, in the order of the
 * probes: half of those that it has in the block of a filter (bbf_block_bits).
 */
extern void bbf_columns_bits(uint64_t hash, int k, uint16_t *bits);

/*
 * Set k bits of a column.  Fills in the offsets of the bytes that this has
 * changed, each once, and returns how many there are, at most k; changed has
 * room for k.
 */
extern int	bbf_columns_set(unsigned char *slices, unsigned slice_bytes,
							unsigned column, const uint16_t *bits, int k,
							uint16_t *changed);

/* Set the k bits that a hash has in its block in a column. */
extern void bbf_columns_add(unsigned char *slices, unsigned slice_bytes,
							unsigned column, uint64_t hash, int k);

/* Are all of k bits of a column set? */
extern bool bbf_columns_contain(const unsigned char *slices, unsigned slice_bytes,
								unsigned column, const uint16_t *bits, int k);

/*
 * found &= the slices of k bits.  found has slice_bytes bytes, in which column
 * c has the bit that it has in a slice.
 */
extern void bbf_columns_find(const unsigned char *slices, unsigned slice_bytes,
							 const uint16_t *bits, int k, unsigned char *found);

/* Set counts of all columns to the number of their bits that are set. */
extern void bbf_columns_count(const unsigned char *slices, unsigned slice_bytes,
							  uint16_t *counts);

#endif							/* BBF_COLUMNS_H */
