/*
 * pages_am.h
 *	  The functions of the access method bloom_pages, and its options.
 */
#ifndef BLOOMTYPE_PAGES_AM_H
#define BLOOMTYPE_PAGES_AM_H

#include "access/amapi.h"
#include "access/genam.h"
#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"
#include "nodes/tidbitmap.h"

/* WITH (...), as it is in rd_options; null there stands for the defaults. */
typedef struct PagesOptions
{
	int32		vl_len_;		/* varlena header (do not touch directly!) */
	int			pages_per_range;	/* 0: by the size of the table */
	int			rows_per_range; /* 0: by what the table has */
	int			fpp;			/* never set */
	double		false_ranges;
} PagesOptions;

/* pages_build.c */
extern IndexBuildResult *blt_pages_build(Relation heap, Relation index,
										 struct IndexInfo *info);
extern void blt_pages_build_empty(Relation index);

/* pages_insert.c */
extern bool blt_pages_insert(Relation index, Datum *values, bool *isnull,
							 ItemPointer tid, Relation heap,
							 IndexUniqueCheck unique, bool unchanged,
							 struct IndexInfo *info);

/* pages_scan.c */
extern IndexScanDesc blt_pages_begin_scan(Relation index, int nkeys, int norderbys);
extern void blt_pages_rescan(IndexScanDesc scan, ScanKey keys, int nkeys,
							 ScanKey orderbys, int norderbys);
extern int64 blt_pages_get_bitmap(IndexScanDesc scan, TIDBitmap *bitmap);
extern void blt_pages_end_scan(IndexScanDesc scan);

/* pages_cost.c */
extern void blt_pages_cost(struct PlannerInfo *root, struct IndexPath *path,
						   double loop_count, Cost *startup_cost, Cost *total_cost,
						   Selectivity *selectivity, double *correlation,
						   double *pages);

#endif							/* BLOOMTYPE_PAGES_AM_H */
