/*
 * range_am.h
 *	  The functions of the access method bloom_range, and its options.
 */
#ifndef BLOOMTYPE_RANGE_AM_H
#define BLOOMTYPE_RANGE_AM_H

#include "access/amapi.h"
#include "access/genam.h"
#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"
#include "nodes/tidbitmap.h"

/* WITH (...), as it is in rd_options; null there stands for the defaults. */
typedef struct RangeOptions
{
	int32		vl_len_;		/* varlena header (do not touch directly!) */
	int			pages_per_range;	/* 0: by the size of the table */
	int			rows_per_range; /* 0: by what the table has */
	double		false_ranges;
} RangeOptions;

#define RANGE_DEFAULT_FALSE_RANGES	0.1

/* range_build.c */
extern IndexBuildResult *blt_range_build(Relation heap, Relation index,
										 struct IndexInfo *info);
extern void blt_range_build_empty(Relation index);

/* range_insert.c */
extern bool blt_range_insert(Relation index, Datum *values, bool *isnull,
							 ItemPointer tid, Relation heap,
							 IndexUniqueCheck unique, bool unchanged,
							 struct IndexInfo *info);

/* range_scan.c */
extern IndexScanDesc blt_range_begin_scan(Relation index, int nkeys, int norderbys);
extern void blt_range_rescan(IndexScanDesc scan, ScanKey keys, int nkeys,
							 ScanKey orderbys, int norderbys);
extern int64 blt_range_get_bitmap(IndexScanDesc scan, TIDBitmap *bitmap);
extern void blt_range_end_scan(IndexScanDesc scan);

/* range_cost.c */
extern void blt_range_cost(struct PlannerInfo *root, struct IndexPath *path,
						   double loop_count, Cost *startup_cost, Cost *total_cost,
						   Selectivity *selectivity, double *correlation,
						   double *pages);

#endif							/* BLOOMTYPE_RANGE_AM_H */
