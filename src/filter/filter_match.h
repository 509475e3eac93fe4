/*
 * filter_match.h
 *	  The checks of two filters to be combined.
 */
#ifndef BLOOMTYPE_FILTER_MATCH_H
#define BLOOMTYPE_FILTER_MATCH_H

#include "core/image.h"

typedef enum FilterUse
{
	BLT_FILTERS_ARE_UNITED,
	BLT_FILTERS_ARE_INTERSECTED,
	BLT_FILTERS_ARE_COMPARED
} FilterUse;

/*
 * Error unless the keys of two filters are of one family and subtype, or one
 * filter has no keys.
 */
extern void blt_check_same_keys(const BbfMeta *a, const BbfMeta *b, FilterUse use);

/*
 * Error unless both filters have one layer, and the same geometry, as is
 * needed to combine them bin by bin.
 */
extern void blt_check_same_geometry(const BbfMeta *a, const BbfMeta *b,
									FilterUse use);

#endif							/* BLOOMTYPE_FILTER_MATCH_H */
