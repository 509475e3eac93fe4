/*
 * bloom_matrix.c
 *	  Type bloom_matrix: reading its values, what they consist of, and the
 *	  filters in them.
 */
#include "compat.h"

#include "types/bloom_matrix.h"

#include "access/detoast.h"
#include "core/family.h"
#include "filter/call_cache.h"
#include "filter/filter_datum.h"
#include "filter/filter_info.h"
#include "filter/filter_pieces.h"
#include "filter/image_io.h"
#include "miscadmin.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(bloomtype_bloom_matrix_in);
PG_FUNCTION_INFO_V1(bloomtype_bloom_matrix_out);
PG_FUNCTION_INFO_V1(bloomtype_bloom_matrix_recv);
PG_FUNCTION_INFO_V1(bloomtype_bloom_matrix_from_bytea);
PG_FUNCTION_INFO_V1(bloomtype_bloom_matrix_to_bytea);
PG_FUNCTION_INFO_V1(bloomtype_bloom_matrix_filter);
PG_FUNCTION_INFO_V1(bloomtype_bloom_matrix_info);

void
blt_report_corrupted_matrix(const char *reason)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("stored \"bloom_matrix\" value is corrupted"),
			 errdetail("%s", reason)));
}

static void
read_header(const unsigned char *bytes, size_t available, size_t length, BbfMatrix *matrix)
{
	const char *reason = bbf_matrix_read(bytes, available, length, matrix);

	if (reason != NULL)
		blt_report_corrupted_matrix(reason);
}

const unsigned char *
blt_read_matrix(Datum value, BbfMatrix *matrix)
{
	struct varlena *detoasted = PG_DETOAST_DATUM_PACKED(value);
	const unsigned char *bytes = (const unsigned char *) VARDATA_ANY(detoasted);
	size_t		length = VARSIZE_ANY_EXHDR(detoasted);

	read_header(bytes, length, length, matrix);
	return bytes;
}

const unsigned char *
blt_read_matrix_ids(Datum value, bool with_records, BbfMatrix *matrix)
{
	size_t		length = toast_raw_datum_size(value) - VARHDRSZ;
	struct varlena *slice = PG_DETOAST_DATUM_SLICE(value, 0, BBF_MATRIX_HEADER_BYTES);
	size_t		end;

	read_header((const unsigned char *) VARDATA_ANY(slice), VARSIZE_ANY_EXHDR(slice), length,
				matrix);
	end = with_records ? matrix->slices : matrix->records;
	slice = PG_DETOAST_DATUM_SLICE(value, 0, end);
	if (VARSIZE_ANY_EXHDR(slice) != end)
		blt_report_corrupted_matrix("It ends before its last record.");
	return (const unsigned char *) VARDATA_ANY(slice);
}

struct varlena *
blt_read_matrix_part(const OpenValue *open, size_t offset, size_t length)
{
	struct varlena *part = blt_read_slice(open, offset, length);

	if (part == NULL)
		blt_report_corrupted_matrix("It ends before its last slice.");
	return part;
}

/*
 * Reading again and again
 */

static ValueHeader
find_header(const void *format, size_t length)
{
	ValueHeader header = {0, Min(length, BBF_MATRIX_HEADER_BYTES)};

	return header;
}

static Size
read_meta(const void *format, const unsigned char *bytes, ValueHeader *header,
		  size_t length, void *meta)
{
	read_header(bytes, header->length, length, meta);
	return sizeof(BbfMatrix);
}

const ValueRoutine blt_matrix_routine = {
	BBF_MATRIX_HEADER_BYTES,
	sizeof(BbfMatrix),
	find_header,
	read_meta
};

/*
 * Input and output
 */

/* bbf_matrix_validate that can be interrupted. */
static const char *
validate(const unsigned char *bytes, size_t length, BbfKind kind)
{
	BbfMatrix	matrix;

	return bbf_matrix_validate(bytes, length, &matrix, blt_check_for_interrupts);
}

static int
errhint_make(BbfKind kind)
{
	return errhint("To make a matrix of filters use bloom_matrix_agg(id, filter).");
}

static const ImageType matrix_type = {
	"bloom_matrix",
	"matrix",
	BBF_KIND_ANY,
	errhint_make,
	validate
};

Datum
bloomtype_bloom_matrix_in(PG_FUNCTION_ARGS)
{
	return blt_image_in(fcinfo, &matrix_type);
}

Datum
bloomtype_bloom_matrix_out(PG_FUNCTION_ARGS)
{
	BbfMatrix	matrix;
	const unsigned char *bytes = blt_read_matrix(PG_GETARG_DATUM(0), &matrix);

	return blt_image_out(bytes, matrix.length);
}

Datum
bloomtype_bloom_matrix_recv(PG_FUNCTION_ARGS)
{
	return blt_image_recv(fcinfo, &matrix_type);
}

Datum
bloomtype_bloom_matrix_from_bytea(PG_FUNCTION_ARGS)
{
	return blt_image_from_bytea(fcinfo, &matrix_type);
}

/* Also the send function: both hand out the image as it is. */
Datum
bloomtype_bloom_matrix_to_bytea(PG_FUNCTION_ARGS)
{
	BbfMatrix	matrix;
	const unsigned char *bytes = blt_read_matrix(PG_GETARG_DATUM(0), &matrix);

	return blt_image_to_bytea(bytes, matrix.length);
}

/*
 * The SQL functions
 */

/* The metadata of the filter of a column, from its record. */
static void
read_record(const BbfMatrix *matrix, const unsigned char *record, BbfMeta *meta)
{
	const char *reason = bbf_matrix_read_record(matrix, record, meta);

	if (reason != NULL)
		blt_report_corrupted_matrix(reason);
}

/* The column with this id; their number if there is none. */
static uint32
find_column(const OpenValue *open, int64 id)
{
	const BbfMatrix *matrix = open->meta;
	struct varlena *part;
	uint32		column;

	if (open->bytes != NULL)
		return bbf_matrix_find_id(matrix, open->bytes, id);
	part = blt_read_matrix_part(open, 0, matrix->records);
	column = bbf_matrix_find_id(matrix, (const unsigned char *) VARDATA_ANY(part), id);
	pfree(part);
	return column;
}

static void
read_column_meta(const OpenValue *open, uint32 column, BbfMeta *meta)
{
	const BbfMatrix *matrix = open->meta;
	const size_t offset = bbf_matrix_record_offset(matrix, column);
	struct varlena *part;

	if (open->bytes != NULL)
	{
		read_record(matrix, open->bytes + offset, meta);
		return;
	}
	part = blt_read_matrix_part(open, offset, BBF_MATRIX_RECORD_BYTES);
	read_record(matrix, (const unsigned char *) VARDATA_ANY(part), meta);
	pfree(part);
}

/*
 * Copy the blocks of a column; of a matrix that is stored out of line a piece
 * is read at a time.
 */
static void
read_column(const OpenValue *open, uint32 column, unsigned char *blocks, uint32 nblocks)
{
	const BbfMatrix *matrix = open->meta;
	const uint32 ratio = matrix->nblocks / nblocks;
	const size_t block_bytes = BBF_BLOCK_BITS * matrix->slice_bytes;
	const uint32 at_once = Max(BBF_PIECE_BYTES / block_bytes / ratio, 1);
	BbfMatrix	piece = *matrix;
	uint32		n;

	if (open->bytes != NULL)
	{
		bbf_matrix_get_column(matrix, open->bytes, column, blocks, nblocks,
							  blt_check_for_interrupts);
		return;
	}
	piece.slices = 0;
	for (uint32 i = 0; i < nblocks; i += n)
	{
		struct varlena *part;

		/* each block of the filter is read where it comes first */
		n = Min(at_once, nblocks - i);
		piece.nblocks = n * ratio;
		part = blt_read_matrix_part(open, matrix->slices + (size_t) i * ratio * block_bytes,
									((size_t) (n - 1) * ratio + 1) * block_bytes);
		bbf_matrix_get_column(&piece, (const unsigned char *) VARDATA_ANY(part), column,
							  blocks + (Size) i * BBF_BLOCK_BYTES, n, blt_check_for_interrupts);
		pfree(part);
	}
}

/*
 * (matrix, id): the filter of a column, null if there is none of this id.
 * All filters of a stored matrix can be taken out of it without reading it
 * anew for each.
 */
Datum
bloomtype_bloom_matrix_filter(PG_FUNCTION_ARGS)
{
	ValueReader *reader = blt_call_memory(fcinfo, sizeof(ValueReader));
	OpenValue	open;
	uint32		column;
	BbfMeta		meta;
	struct varlena *filter;

	if (reader->routine == NULL)
		blt_init_value_reader(reader, &blt_matrix_routine, fcinfo->flinfo->fn_mcxt);
	blt_open_value(reader, NULL, PG_GETARG_DATUM(0), &open);
	column = find_column(&open, PG_GETARG_INT64(1));
	if (column == ((const BbfMatrix *) open.meta)->ncolumns)
		PG_RETURN_NULL();
	read_column_meta(&open, column, &meta);
	filter = blt_lay_out_filter(&meta);
	if (meta.nlayers > 0)
		read_column(&open, column, blt_bins_of(filter), meta.layers[0].nbins);
	return blt_finish_filter(filter, &meta);
}

/*
 * (matrix): a row of key_family, columns, blocks, probes, bytes and max_fpp.
 */
Datum
bloomtype_bloom_matrix_info(PG_FUNCTION_ARGS)
{
	BbfMatrix	matrix;
	const unsigned char *bytes = blt_read_matrix_ids(PG_GETARG_DATUM(0), true, &matrix);
	double		max_fpp = 0.0;
	Datum		values[6];
	bool		nulls[6] = {false};

	for (uint32 i = 0; i < matrix.ncolumns; i++)
	{
		BbfMeta		meta;

		CHECK_FOR_INTERRUPTS();
		read_record(&matrix, bytes + bbf_matrix_record_offset(&matrix, i), &meta);
		max_fpp = Max(max_fpp, bbf_meta_fpp(&meta));
	}
	values[0] = CStringGetTextDatum(bbf_family_name(matrix.family));
	values[1] = Int64GetDatum(matrix.ncolumns);
	values[2] = Int64GetDatum(matrix.nblocks);
	values[3] = Int32GetDatum(matrix.nprobes);
	values[4] = Int64GetDatum((int64) matrix.length);
	values[5] = Float8GetDatum(max_fpp);
	return blt_return_row(fcinfo, values, nulls);
}
