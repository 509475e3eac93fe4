/*
 * filter_pieces.c
 *	  Copies, clears, compares, counts and unites bytes of any length, and can
 *	  be interrupted.
 */
#include "compat.h"

#include "filter/filter_pieces.h"

#include "miscadmin.h"

void
blt_check_for_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

void
blt_copy(void *to, const void *from, Size size)
{
	for (Size at = 0; at < size; at += BBF_PIECE_BYTES)
	{
		CHECK_FOR_INTERRUPTS();
		memcpy((char *) to + at, (const char *) from + at,
			   Min(size - at, BBF_PIECE_BYTES));
	}
}

void
blt_clear(void *bytes, Size size)
{
	for (Size at = 0; at < size; at += BBF_PIECE_BYTES)
	{
		CHECK_FOR_INTERRUPTS();
		memset((char *) bytes + at, 0, Min(size - at, BBF_PIECE_BYTES));
	}
}

int
blt_compare(const void *a, const void *b, Size size)
{
	int			result = 0;

	for (Size at = 0; at < size && result == 0; at += BBF_PIECE_BYTES)
	{
		CHECK_FOR_INTERRUPTS();
		result = memcmp((const char *) a + at, (const char *) b + at,
						Min(size - at, BBF_PIECE_BYTES));
	}
	return result;
}

uint64
blt_count_set(const BbfKindRoutine *routine, const BbfLayer *layer,
			  const unsigned char *bins)
{
	BbfLayer	piece;
	uint64		nset = 0;

	for (uint32 first = 0; first < layer->nbins; first += piece.nbins)
	{
		size_t		offset;

		CHECK_FOR_INTERRUPTS();
		piece = bbf_piece_of_layer(routine, layer, first, &offset);
		nset += routine->count_set(&piece, bins + offset);
	}
	return nset;
}

void
blt_unite_bins(const BbfKindRoutine *routine, const BbfLayer *layer,
			   unsigned char *bins, const unsigned char *others)
{
	BbfLayer	piece;

	for (uint32 first = 0; first < layer->nbins; first += piece.nbins)
	{
		size_t		offset;

		CHECK_FOR_INTERRUPTS();
		piece = bbf_piece_of_layer(routine, layer, first, &offset);
		routine->unite(&piece, bins + offset, others + offset);
	}
}
