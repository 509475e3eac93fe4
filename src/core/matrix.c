/*
 * matrix.c
 *	  Reads, checks and writes the bytes of a matrix of filters, and finds the
 *	  slices that a key selects.
 *
 * References: D. Hanson, S. Warren, "Hacker's Delight", section 7-3
 * (transposing a matrix of bits by swapping ever smaller squares); section 5-1
 * (counters of one bit from each word, a plane for each digit).
 */
#include "core/matrix.h"

#include "core/family.h"

/* Offsets in the header; those of 0 to 4 are the same as in every image */
enum
{
	AT_KIND = 0,				/* 1 byte each: */
	AT_VERSION = 1,
	AT_SCHEME = 2,
	AT_HEADER_BYTES = 3,
	AT_RECORD_BYTES = 4,
	AT_PROBES = 5,
	AT_RESERVED_1 = 6,			/* 2 bytes, zero */
	AT_FAMILY = 8,				/* 2 bytes */
	AT_RESERVED_2 = 10,			/* 2 bytes, zero */
	AT_COLUMNS = 12,			/* 4 bytes each: */
	AT_SUBTYPE = 16,
	AT_SALT = 20,				/* 8 bytes, zero in hash scheme 1 */
	AT_BLOCKS = 28,				/* 4 bytes */
	AT_RESERVED_3 = 32			/* 28 bytes, zero */
};

/* The slices of this many columns share cache lines of 64 bytes. */
#define TILE_COLUMNS	512
#define TILE_WORDS		(TILE_COLUMNS / 64)

/* C99 has no static assertion; a negative array size serves. */
typedef char assert_header_ends[AT_RESERVED_3 + 28 == BBF_MATRIX_HEADER_BYTES ? 1 : -1];

bool
bbf_matrix_lay_out(BbfMatrix *matrix)
{
	uint64_t	words = ((uint64_t) matrix->ncolumns + 63) / 64;
	uint64_t	ids_end = BBF_MATRIX_HEADER_BYTES + (uint64_t) matrix->ncolumns * 8;
	uint64_t	records_end = ids_end +
		(uint64_t) matrix->ncolumns * BBF_MATRIX_RECORD_BYTES;
	uint64_t	slices = (records_end + 4 + 63) / 64 * 64 - 4;
	uint64_t	block_bytes = words * 8 * BBF_BLOCK_BITS;

	/* so that their product cannot overflow */
	if (slices > BBF_MAX_BYTES || block_bytes > BBF_MAX_BYTES ||
		matrix->nblocks > BBF_MAX_BLOCKS ||
		slices + block_bytes * matrix->nblocks > BBF_MAX_BYTES)
		return false;
	matrix->slice_bytes = (size_t) words * 8;
	matrix->records = (size_t) ids_end;
	matrix->slices = (size_t) slices;
	matrix->length = (size_t) (slices + block_bytes * matrix->nblocks);
	return true;
}

const char *
bbf_matrix_read(const unsigned char *bytes, size_t available, size_t length,
				BbfMatrix *matrix)
{
	if (available < BBF_MATRIX_HEADER_BYTES || length < BBF_MATRIX_HEADER_BYTES)
		return "It is shorter than a header.";
	if (bytes[AT_KIND] != BBF_MATRIX_KIND)
		return "It is not a matrix of filters.";
	if (bytes[AT_VERSION] != BBF_FORMAT_VERSION)
		return "The format version is unknown.";
	if (bytes[AT_SCHEME] != BBF_HASH_SCHEME)
		return "The hash scheme is unknown.";
	if (bytes[AT_HEADER_BYTES] != BBF_MATRIX_HEADER_BYTES ||
		bytes[AT_RECORD_BYTES] != BBF_MATRIX_RECORD_BYTES)
		return "The length of the header or of a column's record is wrong.";

	matrix->nprobes = bytes[AT_PROBES];
	matrix->family = bbf_get16(bytes + AT_FAMILY);
	matrix->ncolumns = bbf_get32(bytes + AT_COLUMNS);
	matrix->subtype = bbf_get32(bytes + AT_SUBTYPE);
	matrix->nblocks = bbf_get32(bytes + AT_BLOCKS);

	if (matrix->family > BBF_FAMILY_MAX)
		return "The key family is unknown.";
	if (!bbf_family_is_nested(matrix->family) && matrix->subtype != 0)
		return "A key family without parts has a subtype.";
	if (!bbf_all_zero(bytes + AT_SALT, 8))
		return "A salt is set, which this hash scheme does not have.";
	if (!bbf_all_zero(bytes + AT_RESERVED_1, 2) || !bbf_all_zero(bytes + AT_RESERVED_2, 2) ||
		!bbf_all_zero(bytes + AT_RESERVED_3, 28))
		return "Reserved bytes of the header are not zero.";
	if (matrix->ncolumns == 0)
	{
		if (matrix->family != BBF_FAMILY_NONE || matrix->nblocks != 0 ||
			matrix->nprobes != 0)
			return "A matrix without columns has keys, blocks or probes.";
	}
	else
	{
		if (matrix->nblocks < 1 || matrix->nblocks > BBF_MAX_BLOCKS ||
			bbf_size_class_below(matrix->nblocks) != matrix->nblocks)
			return "The number of blocks is not possible.";
		if (matrix->nprobes < 1 || matrix->nprobes > BBF_MAX_PROBES)
			return "The number of probes is not between 1 and 24.";
	}
	if (!bbf_matrix_lay_out(matrix))
		return "It would have more than 512 MB.";
	if (matrix->length != length)
		return "Its length does not match what its header says.";
	return NULL;
}

void
bbf_matrix_write(const BbfMatrix *matrix, unsigned char *bytes)
{
	memset(bytes, 0, BBF_MATRIX_HEADER_BYTES);
	bytes[AT_KIND] = BBF_MATRIX_KIND;
	bytes[AT_VERSION] = BBF_FORMAT_VERSION;
	bytes[AT_SCHEME] = BBF_HASH_SCHEME;
	bytes[AT_HEADER_BYTES] = BBF_MATRIX_HEADER_BYTES;
	bytes[AT_RECORD_BYTES] = BBF_MATRIX_RECORD_BYTES;
	bytes[AT_PROBES] = (unsigned char) matrix->nprobes;
	bbf_put16(bytes + AT_FAMILY, (uint16_t) matrix->family);
	bbf_put32(bytes + AT_COLUMNS, matrix->ncolumns);
	bbf_put32(bytes + AT_SUBTYPE, matrix->subtype);
	bbf_put32(bytes + AT_BLOCKS, matrix->nblocks);
}

uint32_t
bbf_matrix_find_id(const BbfMatrix *matrix, const unsigned char *bytes, int64_t id)
{
	uint32_t	low = 0;
	uint32_t	high = matrix->ncolumns;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (bbf_matrix_get_id(bytes, middle) < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < matrix->ncolumns && bbf_matrix_get_id(bytes, low) == id ?
		low : matrix->ncolumns;
}

/*
 * Records
 */

const char *
bbf_matrix_read_record(const BbfMatrix *matrix, const unsigned char *record, BbfMeta *meta)
{
	const char *reason = bbf_meta_read_records(record, BBF_MATRIX_RECORD_BYTES,
											   BBF_KIND_BLOOM, meta);

	if (reason != NULL)
		return reason;
	if (meta->nlist > 0 || meta->nlayers > 1)
		return "The filter of a column has a list, or several layers.";
	if (meta->nlayers == 0)
		return bbf_all_zero(record + BBF_HEADER_BYTES, BBF_LAYER_RECORD_BYTES) ? NULL :
			"A column without keys has the record of a layer.";
	if (meta->family != matrix->family || meta->subtype != matrix->subtype)
		return "The keys of a column are of another family than those of the matrix.";
	if (meta->layers[0].key_bits != matrix->nprobes)
		return "A column has another number of probes than the matrix.";
	if (matrix->nblocks % meta->layers[0].nbins != 0)
		return "The number of blocks of a column does not divide that of the matrix.";
	return NULL;
}

void
bbf_matrix_write_record(const BbfMeta *meta, unsigned char *record)
{
	memset(record, 0, BBF_MATRIX_RECORD_BYTES);
	bbf_meta_write(meta, record);
}

BbfGeometry
bbf_matrix_least_geometry(double fpp)
{
	return bbf_size_blocks(BBF_MATRIX_LEAST_CAPACITY, fpp);
}

/* The layer that takes the place of a list at this fpp. */
static BbfLayer
layer_of_list(const BbfMatrix *matrix, double fpp)
{
	BbfLayer	layer = {.nbins = matrix->nblocks,.key_bits = matrix->nprobes,.fpp = fpp};

	layer.capacity = bbf_capacity_of_blocks(layer.nbins, layer.key_bits, fpp, &layer.full_at);
	if (layer.capacity == 0)
		layer.capacity = 1;
	return layer;
}

BbfMeta
bbf_matrix_column_meta(const BbfMatrix *matrix, const BbfMeta *meta, BbfLayer *known)
{
	BbfMeta		column = *meta;

	if (meta->nlist == 0)
		return column;
	if (known->fpp != meta->fpp)
		*known = layer_of_list(matrix, meta->fpp);
	column.nlist = 0;
	column.nlayers = 1;
	column.layers[0] = *known;
	(void) bbf_meta_lay_out(&column);
	return column;
}

/*
 * Columns
 */

/* Transpose 64 words of 64 bits: bit j of word i goes to bit i of word j. */
static void
transpose(uint64_t *words)
{
	uint64_t	mask = UINT64_C(0x00000000FFFFFFFF);

	for (unsigned width = 32; width > 0; width /= 2, mask ^= mask << width)
	{
		for (unsigned i = 0; i < 64; i = (i + width + 1) & ~width)
		{
			uint64_t	swapped = (words[i] >> width ^ words[i + width]) & mask;

			words[i] ^= swapped << width;
			words[i + width] ^= swapped;
		}
	}
}

/* Where the word of a slice with the bits of columns from first on is. */
static inline size_t
slice_word(const BbfMatrix *matrix, uint32_t block, unsigned slice, uint32_t first)
{
	return matrix->slices + first / 64 * 8 +
		((size_t) block * BBF_BLOCK_BITS + slice) * matrix->slice_bytes;
}

void
bbf_matrix_put_blocks(const BbfMatrix *matrix, unsigned char *bytes, uint32_t block,
					  uint32_t first, const unsigned char *const *blocks, unsigned n)
{
	for (unsigned slice = 0; slice < BBF_BLOCK_BITS; slice += 64)
	{
		unsigned char *to = bytes + slice_word(matrix, block, slice, first);
		uint64_t	words[64];

		for (unsigned i = 0; i < 64; i++)
			words[i] = i < n && blocks[i] != NULL ? bbf_get64(blocks[i] + slice / 8) : 0;
		transpose(words);
		for (unsigned i = 0; i < 64; i++)
			bbf_put64(to + i * matrix->slice_bytes, words[i]);
	}
}

/* The byte of a slice in which the bit of a column is. */
static inline size_t
bit_byte(const BbfMatrix *matrix, uint32_t block, unsigned slice, uint32_t column)
{
	return matrix->slices + column / 8 +
		((size_t) block * BBF_BLOCK_BITS + slice) * matrix->slice_bytes;
}

unsigned
bbf_matrix_add(const BbfMatrix *matrix, unsigned char *bytes, uint32_t column,
			   uint64_t hash)
{
	const uint32_t block = bbf_block_index(hash, matrix->nblocks);
	const unsigned char bit = (unsigned char) (1u << column % 8);
	unsigned	nset = 0;
	uint64_t	x = hash;

	for (int probe = 0; probe < matrix->nprobes; probe++)
	{
		unsigned char *byte;

		x *= BBF_PROBE_MULTIPLIER;
		byte = bytes + bit_byte(matrix, block, (unsigned) (x >> 55), column);
		nset += (*byte & bit) == 0;
		*byte |= bit;
	}
	return nset;
}

void
bbf_matrix_get_column(const BbfMatrix *matrix, const unsigned char *bytes,
					  uint32_t column, unsigned char *blocks, uint32_t nblocks,
					  BbfPause pause)
{
	const uint32_t ratio = matrix->nblocks / nblocks;
	const size_t step = BBF_BLOCK_BITS * matrix->slice_bytes;
	const size_t nsteps = BBF_PIECE_BYTES / step + 1;

	for (uint32_t block = 0; block < nblocks; block++)
	{
		const unsigned char *from = bytes + bit_byte(matrix, block * ratio, 0, column);
		unsigned char *to = blocks + (size_t) block * BBF_BLOCK_BYTES;

		if (block % nsteps == 0)
			bbf_pause(pause);
		memset(to, 0, BBF_BLOCK_BYTES);
		for (unsigned slice = 0; slice < BBF_BLOCK_BITS; slice++)
		{
			unsigned	bit = from[slice * matrix->slice_bytes] >> column % 8 & 1;

			to[slice / 8] |= (unsigned char) (bit << slice % 8);
		}
	}
}

int
bbf_matrix_find_slices(const BbfMatrix *matrix, uint64_t hash, uint16_t *slices)
{
	int			n = 0;
	uint64_t	x = hash;

	for (int probe = 0; probe < matrix->nprobes; probe++)
	{
		uint16_t	slice;
		int			at = n;

		x *= BBF_PROBE_MULTIPLIER;
		slice = (uint16_t) (x >> 55);
		while (at > 0 && slices[at - 1] > slice)
			at--;
		if (at > 0 && slices[at - 1] == slice)
			continue;
		memmove(slices + at + 1, slices + at, (size_t) (n - at) * sizeof(*slices));
		slices[at] = slice;
		n++;
	}
	return n;
}

/*
 * Validation
 */

/*
 * Check the records, and that the header is the one that they require: the
 * keys are of the family of the matrix, and it has as many blocks as the
 * widest column or, if no column has keys, as their lowest rate requires.
 */
static const char *
check_records(const BbfMatrix *matrix, const unsigned char *bytes, BbfPause pause)
{
	uint32_t	most_blocks = 0;
	double		lowest_fpp = 1.0;

	for (uint32_t column = 0; column < matrix->ncolumns; column++)
	{
		BbfMeta		meta;
		const char *reason;

		if (column % (BBF_PIECE_BYTES / BBF_MATRIX_RECORD_BYTES) == 0)
			bbf_pause(pause);
		if (column > 0 &&
			bbf_matrix_get_id(bytes, column - 1) >= bbf_matrix_get_id(bytes, column))
			return "The ids are not in ascending order.";
		reason = bbf_matrix_read_record(matrix,
										bytes + bbf_matrix_record_offset(matrix, column),
										&meta);
		if (reason != NULL)
			return reason;
		if (meta.nlayers > 0 && meta.layers[0].nbins > most_blocks)
			most_blocks = meta.layers[0].nbins;
		if (meta.fpp < lowest_fpp)
			lowest_fpp = meta.fpp;
	}
	if (matrix->ncolumns == 0)
		return NULL;
	if (most_blocks == 0)
	{
		BbfGeometry least = bbf_matrix_least_geometry(lowest_fpp);

		if (matrix->family != BBF_FAMILY_NONE)
			return "There is a key family, but no column has keys.";
		if (least.nbins != matrix->nblocks || least.key_bits != matrix->nprobes)
			return "The blocks of a matrix without keys are not those of its lowest rate.";
	}
	else if (most_blocks != matrix->nblocks)
		return "No column has as many blocks as the matrix.";
	return NULL;
}

/* What the records say about the columns of a tile, and what was counted. */
typedef struct Tile
{
	uint32_t	first;			/* column */
	unsigned	ncolumns;
	unsigned	nwords;			/* of 64 columns each */
	uint32_t	ratio[TILE_COLUMNS];	/* blocks of the matrix for one of the
										 * column's */
	uint64_t	nset[TILE_COLUMNS]; /* still to be counted */
} Tile;

static void
read_tile(const BbfMatrix *matrix, const unsigned char *bytes, uint32_t first, Tile *tile)
{
	tile->first = first;
	tile->ncolumns = matrix->ncolumns - first;
	if (tile->ncolumns > TILE_COLUMNS)
		tile->ncolumns = TILE_COLUMNS;
	tile->nwords = (tile->ncolumns + 63) / 64;
	for (unsigned i = 0; i < tile->nwords * 64; i++)
	{
		BbfMeta		meta;

		tile->ratio[i] = 1;
		tile->nset[i] = 0;
		if (i >= tile->ncolumns)
			continue;
		/* check_records has accepted it */
		(void) bbf_matrix_read_record(matrix,
									  bytes + bbf_matrix_record_offset(matrix, first + i),
									  &meta);
		if (meta.nlayers == 0)
			continue;
		tile->ratio[i] = matrix->nblocks / meta.layers[0].nbins;
		tile->nset[i] = meta.layers[0].nset;
	}
}

/*
 * Subtract the bits of 64 columns in a block from what is still to be counted.
 * starts marks the columns in which a block of the filter starts here; the
 * others repeat the block before, and are compared with it.  Returns false if
 * there are too many bits, or different ones.
 */
static bool
check_block(const BbfMatrix *matrix, const unsigned char *bytes, uint32_t block,
			uint32_t first, uint64_t starts, uint64_t *nset)
{
	uint64_t	planes[10] = {0};	/* 512 takes ten binary digits */

	for (unsigned slice = 0; slice < BBF_BLOCK_BITS; slice++)
	{
		uint64_t	word = bbf_get64(bytes + slice_word(matrix, block, slice, first));
		uint64_t	carry = word & starts;

		if (~starts != 0 &&
			((word ^ bbf_get64(bytes + slice_word(matrix, block - 1, slice, first))) &
			 ~starts) != 0)
			return false;
		for (int i = 0; carry != 0; i++)
		{
			uint64_t	next = planes[i] & carry;

			planes[i] ^= carry;
			carry = next;
		}
	}
	for (unsigned i = 0; i < 64; i++)
	{
		uint64_t	count = 0;

		for (int digit = 0; digit < 10; digit++)
			count |= (planes[digit] >> i & 1) << digit;
		if (count > nset[i])
			return false;
		nset[i] -= count;
	}
	return true;
}

static bool
check_tile(const BbfMatrix *matrix, const unsigned char *bytes, uint32_t first,
		   BbfPause pause)
{
	const uint32_t nblocks_in_piece = BBF_PIECE_BYTES / (BBF_BLOCK_BITS * TILE_WORDS * 8);
	Tile		tile;

	read_tile(matrix, bytes, first, &tile);
	for (uint32_t block = 0; block < matrix->nblocks; block++)
	{
		if (block % nblocks_in_piece == 0)
			bbf_pause(pause);
		for (unsigned word = 0; word < tile.nwords; word++)
		{
			uint64_t	starts = 0;

			for (unsigned i = 0; i < 64; i++)
				starts |= (uint64_t) (block % tile.ratio[word * 64 + i] == 0) << i;
			if (!check_block(matrix, bytes, block, first + word * 64, starts,
							 tile.nset + word * 64))
				return false;
		}
	}
	for (unsigned i = 0; i < tile.ncolumns; i++)
	{
		if (tile.nset[i] != 0)
			return false;
	}
	return true;
}

const char *
bbf_matrix_validate(const unsigned char *bytes, size_t length, BbfMatrix *matrix,
					BbfPause pause)
{
	const char *reason = bbf_matrix_read(bytes, length, length, matrix);
	size_t		records_end;

	if (reason == NULL)
		reason = check_records(matrix, bytes, pause);
	if (reason != NULL)
		return reason;
	records_end = bbf_matrix_record_offset(matrix, matrix->ncolumns);
	if (!bbf_all_zero(bytes + records_end, matrix->slices - records_end))
		return "The bytes between the records and the slices are not zero.";
	for (uint32_t first = 0; first < matrix->ncolumns; first += TILE_COLUMNS)
	{
		if (!check_tile(matrix, bytes, first, pause))
			return "The bits of a column are not what its record says.";
	}
	return NULL;
}
