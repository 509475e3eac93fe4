/*
 * bloom_matrix_search.c
 *	  bloom_matrix_search: which filters of a matrix may have a key.
 *
 * A key selects slices of one block.  If the matrix is stored out of line,
 * either only these slices are read or all from the first to the last of
 * them, whichever costs less; then the ids of the columns that are found.  The
 * keys of an array are searched block by block.
 *
 * The rows are materialized, since the call keeps what is known of the matrix.
 */
#include "compat.h"

#include "core/family.h"
#include "filter/call_cache.h"
#include "filter/gathered_keys.h"
#include "fmgr.h"
#include "funcapi.h"
#include "key/key_match.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "types/bloom_matrix.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(bloomtype_bloom_matrix_search);
PG_FUNCTION_INFO_V1(bloomtype_bloom_matrix_search_all);
PG_FUNCTION_INFO_V1(bloomtype_bloom_matrix_search_any);
PG_FUNCTION_INFO_V1(bloomtype_bloom_matrix_ids);

/* What a call site remembers: the hasher of the keys, and the matrix. */
typedef struct MatrixCall
{
	CallCache	cache;			/* but for its reader */
	ValueReader reader;
	OpenValue	open;			/* the matrix of this call */
} MatrixCall;

static MatrixCall *
matrix_call(FunctionCallInfo fcinfo)
{
	MatrixCall *call = blt_call_memory(fcinfo, sizeof(MatrixCall));

	if (call->reader.routine == NULL)
		blt_init_value_reader(&call->reader, &blt_matrix_routine, fcinfo->flinfo->fn_mcxt);
	return call;
}

/*
 * Open the matrix, the first argument of a call.  The result holds during the
 * call.
 */
static const BbfMatrix *
open_matrix(MatrixCall *call, FunctionCallInfo fcinfo)
{
	blt_open_value(&call->reader, NULL, PG_GETARG_DATUM(0), &call->open);
	return call->open.meta;
}

static void
check_key(const BbfMatrix *matrix, BloomKey key)
{
	blt_check_key(BBF_KIND_BLOOM, matrix->family, matrix->subtype, key, BLT_KEY_IS_SEARCHED);
}

/*
 * Rows
 */

static void
put_row(FunctionCallInfo fcinfo, int64 id)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum		value = Int64GetDatum(id);
	bool		is_null = false;

	tuplestore_putvalues(result->setResult, result->setDesc, &value, &is_null);
}

/*
 * Slices
 */

/* Those slices of a block that keys select; the others are null. */
typedef struct BlockSlices
{
	const unsigned char *slices[BBF_BLOCK_BITS];
	struct varlena *read[BBF_BLOCK_BITS];	/* to be freed */
	int			nread;
} BlockSlices;

/*
 * Is it cheaper to read parts of a length alone than what lies between the
 * first and the last?
 */
static bool
reads_parts(int nparts, size_t length, size_t from_first_to_last)
{
	return nparts * blt_slice_cost(length) < blt_slice_cost(from_first_to_last);
}

/* Read n slices of a block, whose numbers ascend. */
static void
open_slices(const OpenValue *open, const BbfMatrix *matrix, size_t block_offset,
			const uint16_t *numbers, int n, BlockSlices *block)
{
	const size_t size = matrix->slice_bytes;
	const size_t length = (numbers[n - 1] - numbers[0] + 1) * size;
	const unsigned char *first = NULL;

	block->nread = 0;
	if (open->bytes != NULL)
		first = open->bytes + block_offset + numbers[0] * size;
	else if (!reads_parts(n, size, length))
	{
		block->read[block->nread++] =
			blt_read_matrix_part(open, block_offset + numbers[0] * size, length);
		first = (const unsigned char *) VARDATA_ANY(block->read[0]);
	}
	for (int i = 0; i < n; i++)
	{
		if (first == NULL)
			block->read[block->nread++] =
				blt_read_matrix_part(open, block_offset + numbers[i] * size, size);
		block->slices[numbers[i]] = first != NULL ?
			first + (numbers[i] - numbers[0]) * size :
			(const unsigned char *) VARDATA_ANY(block->read[i]);
	}
}

static void
close_slices(BlockSlices *block)
{
	for (int i = 0; i < block->nread; i++)
		pfree(block->read[i]);
}

/*
 * Columns
 */

/* A set of columns: bit c is that of column number c. */
typedef struct Columns
{
	uint64_t   *words;
	size_t		nwords;
} Columns;

static Columns
all_columns(const BbfMatrix *matrix)
{
	Columns		columns = {palloc(matrix->slice_bytes), matrix->slice_bytes / 8};

	memset(columns.words, 0xFF, matrix->slice_bytes);
	return columns;
}

static bool
is_empty(const Columns *columns)
{
	for (size_t i = 0; i < columns->nwords; i++)
	{
		if (columns->words[i] != 0)
			return false;
	}
	return true;
}

/* Keep those columns that may have a key. */
static void
keep_columns_with(const BbfMatrix *matrix, const BlockSlices *block, uint64 hash,
				  Columns *columns)
{
	uint16_t	numbers[BBF_MAX_PROBES];
	int			n = bbf_matrix_find_slices(matrix, hash, numbers);

	for (int i = 0; i < n; i++)
		bbf_matrix_and_slice(columns->words, block->slices[numbers[i]], columns->nwords);
}

/* The numbers of the slices that keys of one block select, ascending. */
static int
slices_of_keys(const BbfMatrix *matrix, const uint64_t *hashes, int nhashes, uint16_t *numbers)
{
	bool		is_selected[BBF_BLOCK_BITS] = {false};
	int			n = 0;

	for (int i = 0; i < nhashes; i++)
	{
		uint16_t	of_key[BBF_MAX_PROBES];
		int			nslices = bbf_matrix_find_slices(matrix, hashes[i], of_key);

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < nslices; j++)
			is_selected[of_key[j]] = true;
	}
	for (int slice = 0; slice < BBF_BLOCK_BITS; slice++)
	{
		if (is_selected[slice])
			numbers[n++] = (uint16_t) slice;
	}
	return n;
}

/*
 * Of keys of one block: keep the columns that may have all, or add those that
 * may have any.
 */
static void
search_block(const OpenValue *open, const BbfMatrix *matrix, const uint64_t *hashes,
			 int nhashes, bool all, Columns *found, Columns *of_key)
{
	uint16_t	numbers[BBF_BLOCK_BITS];
	int			n = slices_of_keys(matrix, hashes, nhashes, numbers);
	BlockSlices block;

	open_slices(open, matrix, bbf_matrix_block_offset(matrix, hashes[0]), numbers, n, &block);
	for (int i = 0; i < nhashes; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (all)
		{
			keep_columns_with(matrix, &block, hashes[i], found);
			continue;
		}
		memset(of_key->words, 0xFF, matrix->slice_bytes);
		keep_columns_with(matrix, &block, hashes[i], of_key);
		for (size_t word = 0; word < found->nwords; word++)
			found->words[word] |= of_key->words[word];
	}
	close_slices(&block);
}

/*
 * The columns that may have all of some keys, or any of them.  Sorts the
 * hashes.
 */
static Columns
search_keys(MatrixCall *call, FunctionCallInfo fcinfo, uint64_t *hashes, int nhashes, bool all)
{
	const BbfMatrix *matrix = call->open.meta;
	Columns		found = all_columns(matrix);
	Columns		of_key = all_columns(matrix);
	int			n;

	if (!all)
		memset(found.words, 0, matrix->slice_bytes);
	blt_sort_hashes(hashes, nhashes);
	for (int i = 0; i < nhashes && (!all || !is_empty(&found)); i += n)
	{
		uint32		block = bbf_block_index(hashes[i], matrix->nblocks);

		/* it is read whole once slices have cost as much */
		if (i > 0 && call->open.bytes == NULL)
			matrix = open_matrix(call, fcinfo);
		for (n = 1; i + n < nhashes; n++)
		{
			if (bbf_block_index(hashes[i + n], matrix->nblocks) != block)
				break;
		}
		search_block(&call->open, matrix, hashes + i, n, all, &found, &of_key);
	}
	return found;
}

/*
 * Ids
 */

/*
 * The numbers of the columns of a set, in a new array; sets how many there
 * are.
 */
static uint32 *
list_columns(const BbfMatrix *matrix, const Columns *columns, uint32 *n)
{
	uint32	   *list;
	uint32		room = 0;

	for (size_t word = 0; word < columns->nwords; word++)
		room += bbf_count_bits(columns->words[word]);
	list = palloc(Max(room, 1) * sizeof(uint32));
	*n = 0;
	for (size_t word = 0; word < columns->nwords; word++)
	{
		for (uint64 bits = columns->words[word]; bits != 0; bits &= bits - 1)
		{
			uint32		column = (uint32) word * 64 + pg_rightmost_one_pos64(bits);

			/* a set of all columns has bits after the last one */
			if (column < matrix->ncolumns)
				list[(*n)++] = column;
		}
	}
	return list;
}

/* A row for the id of each column of a set. */
static void
put_columns(FunctionCallInfo fcinfo, const OpenValue *open, const Columns *columns)
{
	uint32		n;
	uint32	   *list = list_columns(open->meta, columns, &n);
	size_t		first;
	size_t		length;
	struct varlena *part = NULL;
	const unsigned char *ids = NULL;

	if (n == 0)
		return;
	first = bbf_matrix_id_offset(list[0]);
	length = bbf_matrix_id_offset(list[n - 1] + 1) - first;
	if (open->bytes != NULL)
		ids = open->bytes + first;
	else if (!reads_parts(n, sizeof(int64), length))
	{
		part = blt_read_matrix_part(open, first, length);
		ids = (const unsigned char *) VARDATA_ANY(part);
	}
	for (uint32 i = 0; i < n; i++)
	{
		size_t		offset = bbf_matrix_id_offset(list[i]);

		CHECK_FOR_INTERRUPTS();
		if (ids == NULL)
		{
			part = blt_read_matrix_part(open, offset, sizeof(int64));
			put_row(fcinfo, (int64) bbf_get64((const unsigned char *) VARDATA_ANY(part)));
			pfree(part);
		}
		else
			put_row(fcinfo, (int64) bbf_get64(ids + (offset - first)));
	}
}

/*
 * The SQL functions
 */

/* (matrix, value) */
Datum
bloomtype_bloom_matrix_search(PG_FUNCTION_ARGS)
{
	MatrixCall *call = matrix_call(fcinfo);
	BloomKey	key = blt_hash_key(blt_call_hasher(&call->cache, fcinfo, 1), PG_GETARG_DATUM(1));
	uint64_t	hash = key.hash;
	const BbfMatrix *matrix;
	Columns		found;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	matrix = open_matrix(call, fcinfo);
	check_key(matrix, key);
	if (matrix->family == BBF_FAMILY_NONE)
		return (Datum) 0;
	found = search_keys(call, fcinfo, &hash, 1, true);
	put_columns(fcinfo, &call->open, &found);
	return (Datum) 0;
}

/* Search for all elements of an array, or for any. */
static Datum
search_elements(FunctionCallInfo fcinfo, bool all)
{
	MatrixCall *call = matrix_call(fcinfo);
	Datum	   *values;
	bool	   *nulls;
	int			n = blt_call_elements(&call->cache, fcinfo, 1, &values, &nulls);
	uint64_t   *hashes = palloc(Max(n, 1) * sizeof(uint64_t));
	int			nhashes = 0;
	const BbfMatrix *matrix;
	Columns		found;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	matrix = open_matrix(call, fcinfo);
	for (int i = 0; i < n; i++)
	{
		BloomKey	key;

		CHECK_FOR_INTERRUPTS();
		if (nulls[i])
			continue;
		key = blt_hash_key(call->cache.hasher, values[i]);
		check_key(matrix, key);
		hashes[nhashes++] = key.hash;
	}

	/* nothing is known to have null; and without keys, no column has a key */
	if (matrix->ncolumns == 0 || (all && nhashes < n) ||
		(nhashes > 0 && matrix->family == BBF_FAMILY_NONE))
		return (Datum) 0;
	found = search_keys(call, fcinfo, hashes, nhashes, all);
	put_columns(fcinfo, &call->open, &found);
	return (Datum) 0;
}

/* (matrix, array) */
Datum
bloomtype_bloom_matrix_search_all(PG_FUNCTION_ARGS)
{
	return search_elements(fcinfo, true);
}

/* (matrix, array) */
Datum
bloomtype_bloom_matrix_search_any(PG_FUNCTION_ARGS)
{
	return search_elements(fcinfo, false);
}

/* (matrix): the ids of all columns, ascending. */
Datum
bloomtype_bloom_matrix_ids(PG_FUNCTION_ARGS)
{
	BbfMatrix	matrix;
	const unsigned char *bytes = blt_read_matrix_ids(PG_GETARG_DATUM(0), false, &matrix);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	for (uint32 i = 0; i < matrix.ncolumns; i++)
	{
		CHECK_FOR_INTERRUPTS();
		put_row(fcinfo, bbf_matrix_get_id(bytes, i));
	}
	return (Datum) 0;
}
