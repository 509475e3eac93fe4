/*
 * pages_open_for_sql.h
 *	  Opens an index by its OID, for functions that look into it.
 */
#ifndef BLOOMTYPE_PAGES_OPEN_H
#define BLOOMTYPE_PAGES_OPEN_H

#include "utils/rel.h"

/*
 * Open an index and its table, with AccessShareLock, for a caller who may
 * maintain the table.  Errors: it is not an index of this access method, it is
 * not valid, or the caller may not.  A partitioned index may be invalid.
 */
extern Relation blt_pages_open_for_sql(Oid index_oid, Relation *table);

/*
 * The OIDs of an index, or of those of all partitions of a partitioned one,
 * whose tables stay locked.  Errors: also those of each of them.
 */
extern List *blt_pages_indexes_for_sql(Oid index_oid);

extern void blt_pages_close(Relation index, Relation table);

#endif							/* BLOOMTYPE_PAGES_OPEN_H */
