/*
 * range_snapshot.h
 *	  Snapshots that see rows which the index lacks.
 */
#ifndef BLOOMTYPE_RANGE_SNAPSHOT_H
#define BLOOMTYPE_RANGE_SNAPSHOT_H

#include "core/range.h"
#include "nodes/execnodes.h"
#include "utils/snapshot.h"

/*
 * The build_xid of an index that this transaction has just built; 0 if every
 * snapshot may use it.
 */
extern uint64 blt_range_build_xid(const struct IndexInfo *info);

/* May a snapshot see rows that the index lacks? */
extern bool blt_range_lacks_rows(const BbfRangeMeta *meta, Snapshot snapshot);

#endif							/* BLOOMTYPE_RANGE_SNAPSHOT_H */
