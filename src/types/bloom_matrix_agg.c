/*
 * bloom_matrix_agg.c
 *	  bloom_matrix_agg: gathers filters by their ids, and lays them out as a
 *	  matrix.
 *
 * Filters are kept as they come, and transposed at the end: 64 columns of a
 * few blocks at a time, so that what is written stays in the processor's
 * cache.  The columns are in the order of the ids, so the bytes do not depend
 * on the order of the rows.
 *
 * There are no combine function and no parallel aggregation: a state is all
 * its filters. A worker could read them, but to send them to the leader,
 * which transposes them, takes about four times as long as to read them.
 */
#include "compat.h"

#include "core/family.h"
#include "core/matrix.h"
#include "filter/filter_datum.h"
#include "filter/filter_pieces.h"
#include "fmgr.h"
#include "miscadmin.h"

PG_FUNCTION_INFO_V1(bloomtype_bloom_matrix_agg_transition);
PG_FUNCTION_INFO_V1(bloomtype_bloom_matrix_agg_final);

/* Filters smaller than this share memory of this size. */
#define ARENA_BYTES		(1024 * 1024)

/*
 * What is written for some blocks at a time: about half of a second-level
 * cache.
 */
#define BYTES_IN_CACHE	(256 * 1024)

/* A filter that was gathered. */
typedef struct Column
{
	int64		id;
	const unsigned char *bytes; /* of its image */
	uint32		length;
	uint32		nblocks;		/* of its layer; 0: it has none */
	int			nprobes;
} Column;

typedef struct MatrixState
{
	MemoryContext context;
	Column	   *columns;
	uint32		ncolumns;
	uint32		room;			/* for columns */
	unsigned char *arena;		/* where the next small filter goes */
	Size		arena_left;

	/* of all columns so far */
	unsigned	family;			/* none: no column has keys */
	uint32		subtype;
	uint32		nblocks;		/* of the widest layer; 0: there is none */
	int64		widest_id;
	int			nprobes;		/* of that layer */
	uint64		highest_capacity;	/* of a layer */
	double		lowest_fpp;
} MatrixState;

/*
 * The hint of errors for filters that do not go together.  All filters must
 * be known: with these numbers, each of them is as large, and its rate as
 * low, as it was made.
 */
static int
errhint_same_parameters(const MatrixState *state)
{
	return errhint("Make all filters of a matrix for the same capacity and rate, as in bloom_agg(key, "
				   UINT64_FORMAT ", %g).", state->highest_capacity, state->lowest_fpp);
}

static void
report_other_keys(const MatrixState *state, int64 id, const BbfMeta *meta)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("the filters of a matrix must have keys of one family"),
			 state->family == meta->family ?
			 errdetail("The parts of the keys of filter " INT64_FORMAT " belong to other key families than those of the others.",
					   id) :
			 errdetail("Filter " INT64_FORMAT " has keys of family \"%s\", others have keys of family \"%s\".",
					   id, bbf_family_name(meta->family), bbf_family_name(state->family)),
			 errhint("Build all filters from columns of one type, with a cast where it differs.")));
}

/*
 * Check a filter against those before it, and take what it says of them all.
 */
static void
match_filter(MatrixState *state, int64 id, const BbfMeta *meta)
{
	const BbfLayer *layer = &meta->layers[0];

	if (meta->nlayers > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a filter with several layers cannot be in a matrix"),
				 errdetail("Filter " INT64_FORMAT " has %u layers.", id, meta->nlayers),
				 errhint("Make it for all its keys at once, with the capacity of the largest filter: bloom_agg(key, capacity, fpp).")));
	if (bbf_meta_has_keys(meta))
	{
		if (state->family == BBF_FAMILY_NONE)
		{
			state->family = meta->family;
			state->subtype = meta->subtype;
		}
		else if (state->family != meta->family || state->subtype != meta->subtype)
			report_other_keys(state, id, meta);
	}
	if (meta->nlayers == 1)
	{
		if (layer->nbins > state->nblocks)
		{
			state->nblocks = layer->nbins;
			state->nprobes = layer->key_bits;
			state->widest_id = id;
		}
		state->highest_capacity = Max(state->highest_capacity, layer->capacity);
	}
	state->lowest_fpp = Min(state->lowest_fpp, meta->fpp);
}

/*
 * The layout of the matrix.  Error: it would be too large.  That is known to
 * be so as soon as the widest filter and the number of columns show it.
 */
static BbfMatrix
lay_out(const MatrixState *state)
{
	BbfMatrix	matrix = {
		.family = state->family,.subtype = state->subtype,
		.nblocks = state->nblocks,.nprobes = state->nprobes,
		.ncolumns = state->ncolumns
	};

	if (state->nblocks == 0 && state->ncolumns > 0)
	{
		BbfGeometry least = bbf_matrix_least_geometry(state->lowest_fpp);

		matrix.nblocks = (uint32) Min(least.nbins, PG_UINT32_MAX);
		matrix.nprobes = least.key_bits;
	}
	if (!bbf_matrix_lay_out(&matrix))
	{
		const uint64 column_bytes = (uint64) matrix.nblocks * BBF_BLOCK_BYTES + sizeof(int64) +
			BBF_MATRIX_RECORD_BYTES;

		/* slices have whole words of 64 columns */
		uint64		fitting = (BBF_MAX_BYTES - BBF_MATRIX_HEADER_BYTES - 64) / column_bytes / 64 * 64;

		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the matrix would be larger than 512 MB"),
				 state->nblocks == 0 ?
				 errdetail("At the lowest false-positive rate of its filters, %g, each takes %u blocks of 64 bytes.",
						   state->lowest_fpp, matrix.nblocks) :
				 errdetail_plural("It has %u filter so far, which has %u blocks of 64 bytes.",
								  "It has %u filters so far, and the largest has %u blocks of 64 bytes.",
								  matrix.ncolumns, matrix.ncolumns, matrix.nblocks),
				 fitting > 0 ?
				 errhint("Make several matrices of fewer filters each, for ids from 0 on: GROUP BY id / " UINT64_FORMAT ".",
						 fitting) :
				 errhint("A filter in a matrix has less than 8 MB: make each of fewer keys, or with a higher false-positive rate.")));
	}
	return matrix;
}

/*
 * Error if the matrix is too large by now, whatever filters come: of those
 * without a layer it is not known yet how many blocks they will have.
 */
static void
check_size(const MatrixState *state)
{
	BbfMatrix	least = {.nblocks = Max(state->nblocks, 1),.ncolumns = state->ncolumns};

	if (!bbf_matrix_lay_out(&least))
		(void) lay_out(state);
}

/* A copy of an image that lives as long as the state. */
static const unsigned char *
keep_bytes(MatrixState *state, const unsigned char *bytes, Size length)
{
	unsigned char *copy;

	if (length > ARENA_BYTES / 16)
		copy = MemoryContextAlloc(state->context, length);
	else
	{
		if (length > state->arena_left)
		{
			state->arena = MemoryContextAlloc(state->context, ARENA_BYTES);
			state->arena_left = ARENA_BYTES;
		}
		copy = state->arena;
		state->arena += length;
		state->arena_left -= length;
	}
	blt_copy(copy, bytes, length);
	return copy;
}

static MatrixState *
create_state(MemoryContext context)
{
	MatrixState *state = MemoryContextAllocZero(context, sizeof(MatrixState));

	state->context = context;
	state->room = 64;
	state->columns = MemoryContextAlloc(context, state->room * sizeof(Column));
	state->lowest_fpp = 1.0;
	return state;
}

/* (state, id, filter) */
Datum
bloomtype_bloom_matrix_agg_transition(PG_FUNCTION_ARGS)
{
	MatrixState *state = PG_ARGISNULL(0) ? NULL : (MatrixState *) PG_GETARG_POINTER(0);
	MemoryContext context;
	BbfMeta		meta;
	const unsigned char *bytes;
	Column	   *column;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate transition function called outside an aggregate");
	if (PG_ARGISNULL(2))
	{
		if (state == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(state);
	}
	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the id of a filter in a matrix must not be null"),
				 errhint("Leave such rows out: FILTER (WHERE id IS NOT NULL).")));
	if (state == NULL)
		state = create_state(context);

	bytes = blt_read_image(PG_GETARG_DATUM(2), BBF_KIND_BLOOM, &meta);
	match_filter(state, PG_GETARG_INT64(1), &meta);
	if (state->ncolumns == state->room)
	{
		state->room *= 2;
		state->columns = repalloc_huge(state->columns, state->room * sizeof(Column));
	}
	column = &state->columns[state->ncolumns++];
	column->id = PG_GETARG_INT64(1);
	column->length = (uint32) meta.length;
	column->nblocks = meta.nlayers == 1 ? meta.layers[0].nbins : 0;
	column->nprobes = meta.nlayers == 1 ? meta.layers[0].key_bits : 0;
	check_size(state);
	column->bytes = keep_bytes(state, bytes, meta.length);
	PG_RETURN_POINTER(state);
}

/* sort_columns(): by their ids, ascending */
#define ST_SORT sort_columns
#define ST_ELEMENT_TYPE Column
#define ST_COMPARE(a, b) ((a)->id < (b)->id ? -1 : (a)->id > (b)->id)
#define ST_SCOPE static
#define ST_DEFINE
#define ST_CHECK_FOR_INTERRUPTS
#include "lib/sort_template.h"

/*
 * Sort the columns by their ids.  Errors: an id twice; other probes than
 * those of the widest layer; blocks that do not divide.
 */
static void
order_columns(const MatrixState *state)
{
	sort_columns(state->columns, state->ncolumns);
	for (uint32 i = 0; i < state->ncolumns; i++)
	{
		const Column *column = &state->columns[i];

		CHECK_FOR_INTERRUPTS();
		if (i > 0 && column[-1].id == column->id)
			ereport(ERROR,
					(errcode(ERRCODE_UNIQUE_VIOLATION),
					 errmsg("two filters of a matrix have the same id"),
					 errdetail("The id " INT64_FORMAT " is not unique.", column->id),
					 errhint("Unite them in a sub-select first: SELECT id, bloom_union_agg(filter) ... GROUP BY id. Their capacity must suffice for the keys of all.")));
		if (column->nblocks > 0 && column->nprobes != state->nprobes)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the filters of a matrix must have the same number of probes"),
					 errdetail("Filter " INT64_FORMAT " has %d probes, filter " INT64_FORMAT " has %d.",
							   column->id, column->nprobes, state->widest_id, state->nprobes),
					 errhint_same_parameters(state)));
		if (column->nblocks > 0 && state->nblocks % column->nblocks != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the blocks of each filter of a matrix must divide those of the largest"),
					 errdetail("Filter " INT64_FORMAT " has %u blocks, filter " INT64_FORMAT " has %u.",
							   column->id, column->nblocks,
							   state->widest_id, state->nblocks),
					 errhint_same_parameters(state)));
	}
}

/* Put a block of up to 64 columns, from number first on. */
static void
put_block(const MatrixState *state, const BbfMatrix *matrix, unsigned char *bytes,
		  uint32 block, uint32 first)
{
	const unsigned char *blocks[64];
	unsigned	n = Min(64, state->ncolumns - first);

	for (unsigned i = 0; i < n; i++)
	{
		const Column *column = &state->columns[first + i];
		uint32		number;

		blocks[i] = NULL;
		if (column->nblocks == 0)
			continue;
		number = column->nblocks == matrix->nblocks ? block :
			(uint32) ((uint64) block * column->nblocks / matrix->nblocks);
		blocks[i] = column->bytes + BBF_MATRIX_RECORD_BYTES + (Size) number * BBF_BLOCK_BYTES;
	}
	bbf_matrix_put_blocks(matrix, bytes, block, first, blocks, n);
}

static void
transpose_layers(const MatrixState *state, const BbfMatrix *matrix, unsigned char *bytes)
{
	const Size	block_bytes = BBF_BLOCK_BITS * matrix->slice_bytes;
	const uint32 piece = Max(BYTES_IN_CACHE / Max(block_bytes, 1), 1);

	for (uint32 block = 0; block < matrix->nblocks; block += piece)
	{
		const uint32 end = Min(block + piece, matrix->nblocks);

		for (uint32 first = 0; first < matrix->ncolumns; first += 64)
		{
			CHECK_FOR_INTERRUPTS();
			for (uint32 i = block; i < end; i++)
				put_block(state, matrix, bytes, i, first);
		}
	}
}

/* Write ids and records, and add the keys of lists. */
static void
write_columns(const MatrixState *state, const BbfMatrix *matrix, unsigned char *bytes)
{
	BbfLayer	known = {0};	/* of the list before */

	for (uint32 i = 0; i < state->ncolumns; i++)
	{
		const Column *column = &state->columns[i];
		BbfMeta		meta;
		BbfMeta		kept;

		CHECK_FOR_INTERRUPTS();
		blt_read_header(column->bytes, column->length, column->length, BBF_KIND_BLOOM,
						&meta);
		kept = bbf_matrix_column_meta(matrix, &meta, &known);
		for (unsigned j = 0; j < meta.nlist; j++)
			kept.layers[0].nset += bbf_matrix_add(matrix, bytes, i,
												  bbf_list_get(bbf_image_list(column->bytes), j));
		bbf_matrix_put_id(bytes, i, column->id);
		bbf_matrix_write_record(&kept, bytes + bbf_matrix_record_offset(matrix, i));
	}
}

/* (state): a matrix, without columns where there were no filters. */
Datum
bloomtype_bloom_matrix_agg_final(PG_FUNCTION_ARGS)
{
	const MatrixState *state = PG_ARGISNULL(0) ? NULL : (MatrixState *) PG_GETARG_POINTER(0);
	const MatrixState none = {.lowest_fpp = 1.0};
	BbfMatrix	matrix;
	struct varlena *value;
	unsigned char *bytes;

	if (state == NULL)
		state = &none;
	order_columns(state);
	matrix = lay_out(state);
	value = blt_alloc_filter(matrix.length);
	bytes = blt_filter_bytes(value);
	blt_clear(bytes, matrix.length);
	bbf_matrix_write(&matrix, bytes);
	transpose_layers(state, &matrix, bytes);
	write_columns(state, &matrix, bytes);
	PG_RETURN_POINTER(value);
}
