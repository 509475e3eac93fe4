/*
 * pages_snapshot.h
 *	  Snapshots that see rows which the index lacks.
 */
#ifndef BLOOMTYPE_PAGES_SNAPSHOT_H
#define BLOOMTYPE_PAGES_SNAPSHOT_H

#include "core/pages.h"
#include "nodes/execnodes.h"
#include "utils/snapshot.h"

/*
 * The build_xid of an index that this transaction has just built; 0 if every
 * snapshot may use it.
 */
extern uint64 blt_pages_build_xid(const struct IndexInfo *info);

/* May a snapshot see rows that the index lacks? */
extern bool blt_pages_lacks_rows(const BbfPagesMeta *meta, Snapshot snapshot);

#endif							/* BLOOMTYPE_PAGES_SNAPSHOT_H */
