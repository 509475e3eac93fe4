/*
 * set_statements.h
 *	  The SQL statements that change a set.
 *
 * They name everything with its schema.  The caller needs the rights that they
 * need.
 */
#ifndef BLOOMTYPE_SET_STATEMENTS_H
#define BLOOMTYPE_SET_STATEMENTS_H

#include "set/set_table.h"
#include "storage/lock.h"

/* The statements by which keys are added */
typedef enum SetStatement
{
	SET_LOCK_SLICE,
	SET_UPDATE_SLICE
} SetStatement;

#define SET_KEPT_STATEMENTS	(SET_UPDATE_SLICE + 1)

/* What a session remembers of a set. */
typedef struct SetSession
{
	Oid			table;			/* key of the hash table: must be first */
	struct _SPI_plan *plans[SET_KEPT_STATEMENTS];	/* or null */

	/* The transactions that may not know of a layer; see set_layers.h */
	int			layer;			/* -1: none */
	TransactionId xmin;			/* of its head */
	int			nunaware;
	VirtualTransactionId *unaware;
} SetSession;

extern SetSession *blt_set_session(const BloomSet *set);

/* The name of a set, with its schema, for a statement */
extern char *blt_set_name(const BloomSet *set);

/*
 * Lock the row of a slice, as UPDATE would, and copy its bits, SET_SLICE_BYTES
 * at most.  False if it is gone.  Errors: it is damaged.
 */
extern bool blt_set_lock_slice(const BloomSet *set, const SetLayer *layer, int slice,
							   unsigned char *bits);

/*
 * Change the bits of a slice that has been locked, unless a trigger or rule of
 * the table keeps them.
 */
extern void blt_set_update_slice(const BloomSet *set, const SetLayer *layer, int slice,
								 const bytea *bits);

/* Insert the rows of a layer without keys. */
extern void blt_set_insert_layer(const BloomSet *set, const SetLayer *layer);

/* Seal a layer, unless a trigger or rule of the table keeps it as it is. */
extern void blt_set_seal(const BloomSet *set, int layer);

/* Delete all layers before this one, but for rows that others have locked. */
extern void blt_set_delete_layers(const BloomSet *set, int before);

/* The error where the table of a name has kept rows, or changed them. */
pg_noreturn extern void blt_set_report_kept(const char *table);

/*
 * Lock the head of a layer, for whoever opens the next one, or seals it.
 * False if another transaction has it; or, with wait, if the row is gone.
 */
extern bool blt_set_lock_head(const BloomSet *set, int layer, bool wait);

/*
 * Make the table of a set, of a name that may have a schema, with its first
 * layer; returns its OID.
 */
extern Oid	blt_set_create_table(const char *name, const SetLayer *first);

#endif							/* BLOOMTYPE_SET_STATEMENTS_H */
