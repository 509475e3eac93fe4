/*
 * matrix_selfuncs.c
 *	  Tells the planner how many rows the functions that search a matrix
 *	  return.
 *
 * If the matrix is known while planning (a constant, or a parameter in a
 * custom plan), its header tells the number of columns, and a sample of its
 * records their rate.  A key is expected to be in none of the filters: those
 * that have it are few, and nothing tells how many.  The slices are not read.
 */
#include "compat.h"

#include <math.h>

#include "access/detoast.h"
#include "fmgr.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "planner/expression.h"
#include "types/bloom_matrix.h"
#include "types/sql_functions.h"

PG_FUNCTION_INFO_V1(bloomtype_matrix_support);

/*
 * Records that are read: those of neighbours in the middle, which are one
 * slice.
 */
#define MAX_SAMPLE		64

/*
 * Read the header of a constant.  False if it is none of a matrix: that is an
 * error if the query meets it, not now.
 */
static bool
read_header(Datum value, BbfMatrix *matrix)
{
	size_t		length = toast_raw_datum_size(value) - VARHDRSZ;
	struct varlena *header = PG_DETOAST_DATUM_SLICE(value, 0, BBF_MATRIX_HEADER_BYTES);

	return bbf_matrix_read((const unsigned char *) VARDATA_ANY(header),
						   VARSIZE_ANY_EXHDR(header), length, matrix) == NULL;
}

/*
 * The mean rate of a sample of the columns; negative if the records are
 * damaged.
 */
static double
mean_fpp(Datum value, const BbfMatrix *matrix)
{
	const uint32 n = Min(matrix->ncolumns, MAX_SAMPLE);
	const Size	length = n * BBF_MATRIX_RECORD_BYTES;
	struct varlena *records;
	double		sum = 0.0;

	records = PG_DETOAST_DATUM_SLICE(value,
									 bbf_matrix_record_offset(matrix, (matrix->ncolumns - n) / 2),
									 length);
	if (VARSIZE_ANY_EXHDR(records) != length)
		return -1.0;
	for (uint32 i = 0; i < n; i++)
	{
		const unsigned char *record =
			(const unsigned char *) VARDATA_ANY(records) + i * BBF_MATRIX_RECORD_BYTES;
		BbfMeta		meta;

		if (bbf_matrix_read_record(matrix, record, &meta) != NULL)
			return -1.0;
		sum += bbf_meta_fpp(&meta);
	}
	return n > 0 ? sum / n : 0.0;
}

/*
 * The share of columns of a rate that have all elements of an array, or any;
 * negative if nothing tells.  A null element is one that no column has.
 */
static double
share_with_elements(Node *array, double fpp, bool all)
{
	bool		has_null;
	int			n = blt_count_elements(array, &has_null);

	if (n < 0)
		return -1.0;
	if (all)
		return has_null ? 0.0 : pow(fpp, n);
	return 1.0 - pow(1.0 - fpp, n);
}

/*
 * The rows of a call: of (matrix), the ids, or of (matrix, value), a search.
 * Negative if nothing tells.
 */
static double
count_rows(Oid function, Node *matrix_node, Node *value)
{
	Datum		constant;
	BbfMatrix	matrix;
	double		share = 1.0;

	if (blt_is_null(matrix_node) || (value != NULL && blt_is_null(value)))
		return 0.0;
	if (!blt_is_varlena_const(matrix_node))
		return -1.0;
	constant = ((Const *) matrix_node)->constvalue;
	if (!read_header(constant, &matrix))
		return -1.0;
	if (value != NULL)
	{
		share = mean_fpp(constant, &matrix);
		if (share >= 0.0 && blt_is_function(function, bloomtype_bloom_matrix_search_all))
			share = share_with_elements(value, share, true);
		else if (share >= 0.0 && blt_is_function(function, bloomtype_bloom_matrix_search_any))
			share = share_with_elements(value, share, false);
	}
	return share < 0.0 ? -1.0 : matrix.ncolumns * share;
}

/*
 * For bloom_matrix_ids(matrix), and bloom_matrix_search and its like,
 * (matrix, value).
 */
Datum
bloomtype_matrix_support(PG_FUNCTION_ARGS)
{
	SupportRequestRows *req = (SupportRequestRows *) PG_GETARG_POINTER(0);
	List	   *args;
	Node	   *matrix;
	Node	   *value = NULL;
	double		rows;

	if (!IsA(req, SupportRequestRows))
		PG_RETURN_POINTER(NULL);
	args = blt_arguments(req->node);
	if (list_length(args) < 1 || list_length(args) > 2)
		PG_RETURN_POINTER(NULL);
	matrix = estimate_expression_value(req->root, linitial(args));
	if (list_length(args) == 2)
		value = estimate_expression_value(req->root, lsecond(args));
	rows = count_rows(req->funcid, matrix, value);
	if (rows < 0.0)
		PG_RETURN_POINTER(NULL);
	req->rows = rows;
	PG_RETURN_POINTER(req);
}
