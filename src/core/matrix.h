/*
 * matrix.h
 *	  The bytes of a matrix of filters: many Bloom filters, laid out so that
 *	  one probe finds all of them that may have a key.
 *
 * The filters are the columns of the matrix.  Each has the bits of one layer
 * of nblocks blocks; a filter of fewer blocks, whose number divides nblocks,
 * is widened: block i of the matrix has its block i / ratio, which is exact,
 * as a hash selects its block by its upper half times the number of blocks
 * (blocked.h).  For each block there are 512 slices.  Slice p has bit p of
 * that block of every column: bit c of the slice is that of column number c.
 * So a key is in the columns whose bit is set in all of the slices that it
 * selects in its block.
 *
 *		offset
 *			0	header (60 bytes)
 *		   60	ids, 8 bytes each, signed, ascending: one for each column
 *				records, 124 bytes each: header and layer record of the
 *				column's filter
 *				zeros, so that with the server's length word of four bytes
 *				the slices start at a multiple of 64
 *				the 512 slices of the first block, of the second, ...
 *
 * A slice has as many whole words of 64 bits as the columns need; the bits
 * that belong to no column are zero.  The record of a filter without keys has
 * zeros in place of the layer record, and its column is zero.  A filter that
 * was a list has the record of a layer with the blocks of the matrix.
 *
 * FORMAT.md describes the format with a worked example.  Its first five bytes
 * are those of an image (image.h) of kind 4, which is not used for filters.
 *
 * Nothing here allocates.  Offsets are from the start of the image.
 */
#ifndef BBF_MATRIX_H
#define BBF_MATRIX_H

#include "core/image.h"

/* Byte 0.  Not used for filters. */
#define BBF_MATRIX_KIND			4

#define BBF_MATRIX_HEADER_BYTES	60
#define BBF_MATRIX_RECORD_BYTES	(BBF_HEADER_BYTES + BBF_LAYER_RECORD_BYTES)

/* Keys of the layers of a matrix if none of the filters has a layer. */
#define BBF_MATRIX_LEAST_CAPACITY	(2 * BBF_MAX_LIST)

/* What the header says, and what follows from that. */
typedef struct BbfMatrix
{
	unsigned	family;			/* of the keys; none without keys */
	uint32_t	subtype;
	uint32_t	nblocks;		/* of a column; 0 if there are no columns */
	int			nprobes;		/* 0 if there are no columns */
	uint32_t	ncolumns;
	size_t		slice_bytes;
	size_t		records;		/* offset of the records */
	size_t		slices;			/* offset of the slices */
	size_t		length;			/* of the whole image */
} BbfMatrix;

/*
 * Compute offsets and length from family, blocks, probes and columns.  Returns
 * false, and the length is meaningless, if there are more than BBF_MAX_BYTES.
 */
extern bool bbf_matrix_lay_out(BbfMatrix *matrix);

/*
 * Read the header of an image of length bytes, of which the first available
 * ones are at hand (BBF_MATRIX_HEADER_BYTES suffice).  Returns NULL, or why it
 * is not a matrix: a sentence.  What passes is safe to read within its length,
 * whatever the rest holds.
 */
extern const char *bbf_matrix_read(const unsigned char *bytes, size_t available,
								   size_t length, BbfMatrix *matrix);

/* Validate an image from outside: all that FORMAT.md requires. */
extern const char *bbf_matrix_validate(const unsigned char *bytes, size_t length,
									   BbfMatrix *matrix, BbfPause pause);

/* Write the header. */
extern void bbf_matrix_write(const BbfMatrix *matrix, unsigned char *bytes);

static inline size_t
bbf_matrix_id_offset(uint32_t column)
{
	return BBF_MATRIX_HEADER_BYTES + (size_t) column * 8;
}

/* The id of a column. */
static inline int64_t
bbf_matrix_get_id(const unsigned char *bytes, uint32_t column)
{
	return (int64_t) bbf_get64(bytes + bbf_matrix_id_offset(column));
}

static inline void
bbf_matrix_put_id(unsigned char *bytes, uint32_t column, int64_t id)
{
	bbf_put64(bytes + bbf_matrix_id_offset(column), (uint64_t) id);
}

/* The column with this id; ncolumns if there is none. */
extern uint32_t bbf_matrix_find_id(const BbfMatrix *matrix, const unsigned char *bytes,
								   int64_t id);

static inline size_t
bbf_matrix_record_offset(const BbfMatrix *matrix, uint32_t column)
{
	return matrix->records + (size_t) column * BBF_MATRIX_RECORD_BYTES;
}

/*
 * Read the record of a column: the metadata of its filter, which has one
 * layer or no keys.  The bytes are those of the record.  Returns NULL, or
 * what is wrong: a sentence.
 */
extern const char *bbf_matrix_read_record(const BbfMatrix *matrix,
										  const unsigned char *record, BbfMeta *meta);

/* Write the metadata of the filter of a column as its record. */
extern void bbf_matrix_write_record(const BbfMeta *meta, unsigned char *record);

/*
 * The metadata of a column's filter in the matrix: its own or, for a list,
 * those of the layer that replaces it.  capacity and full_at are the largest
 * that nblocks blocks with nprobes probes have at the fpp of the filter, and
 * at least those of one key; the caller sets nset.  Computing them takes 30
 * us, so known keeps the layer for the next list with the same fpp in this
 * matrix; its fpp is 0 at first.
 */
extern BbfMeta bbf_matrix_column_meta(const BbfMatrix *matrix, const BbfMeta *meta,
									  BbfLayer *known);

/*
 * Blocks and probes of the columns if none of the filters has a layer: those
 * for BBF_MATRIX_LEAST_CAPACITY keys at the lowest fpp in their headers.
 */
extern BbfGeometry bbf_matrix_least_geometry(double fpp);

/*
 * Set the bits of up to 64 columns, from number first on, a multiple of 64, in
 * a block of the matrix.  blocks has n pointers to their bytes; NULL stands
 * for a block without bits set.
 */
extern void bbf_matrix_put_blocks(const BbfMatrix *matrix, unsigned char *bytes,
								  uint32_t block, uint32_t first,
								  const unsigned char *const *blocks, unsigned n);

/* Add a key to a column; returns how many of its bits were clear before. */
extern unsigned bbf_matrix_add(const BbfMatrix *matrix, unsigned char *bytes,
							   uint32_t column, uint64_t hash);

/*
 * Copy the nblocks blocks of a column, a divisor of those of the matrix, as
 * they were before they were widened.
 */
extern void bbf_matrix_get_column(const BbfMatrix *matrix, const unsigned char *bytes,
								  uint32_t column, unsigned char *blocks,
								  uint32_t nblocks, BbfPause pause);

/*
 * Offset of the first slice of the block of a hash; and the bytes of all 512.
 */
static inline size_t
bbf_matrix_block_offset(const BbfMatrix *matrix, uint64_t hash)
{
	return matrix->slices + (size_t) bbf_block_index(hash, matrix->nblocks) *
		BBF_BLOCK_BITS * matrix->slice_bytes;
}

/*
 * The slices of its block that a hash selects, each once, ascending: fills up
 * to BBF_MAX_PROBES numbers and returns how many there are.
 */
extern int	bbf_matrix_find_slices(const BbfMatrix *matrix, uint64_t hash,
								   uint16_t *slices);

/*
 * found &= slice, over nwords words; found is in the byte order of the
 * machine.
 */
static inline void
bbf_matrix_and_slice(uint64_t *found, const unsigned char *slice, size_t nwords)
{
	for (size_t i = 0; i < nwords; i++)
		found[i] &= bbf_get64(slice + i * sizeof(uint64_t));
}

#endif							/* BBF_MATRIX_H */
