/*
 * bloom_matrix.h
 *	  Reading values of type bloom_matrix.
 */
#ifndef BLOOMTYPE_BLOOM_MATRIX_H
#define BLOOMTYPE_BLOOM_MATRIX_H

#include "core/matrix.h"
#include "filter/value_reader.h"
#include "fmgr.h"

/*
 * Read a matrix.  Returns the bytes of its image, which are those of the
 * argument where it is plain and in memory, else a copy in the current memory
 * context.  Error: it is no matrix (data corrupted).
 */
extern const unsigned char *blt_read_matrix(Datum value, BbfMatrix *matrix);

/* The same of the header and ids alone, or of these and the records. */
extern const unsigned char *blt_read_matrix_ids(Datum value, bool with_records,
												BbfMatrix *matrix);

/* The error for a stored value, with the reason: a sentence. */
pg_noreturn extern void blt_report_corrupted_matrix(const char *reason);

/*
 * A part of a matrix that is stored out of line, to be freed.  Error: the
 * value ends before (data corrupted).
 */
extern struct varlena *blt_read_matrix_part(const OpenValue *open, size_t offset,
											size_t length);

/*
 * For blt_init_value_reader: the metadata are a BbfMatrix, the format is NULL.
 */
extern const ValueRoutine blt_matrix_routine;

#endif							/* BLOOMTYPE_BLOOM_MATRIX_H */
