/*
 * set_add.h
 *	  Adds keys to a set, and tells which of them are new.
 */
#ifndef BLOOMTYPE_SET_ADD_H
#define BLOOMTYPE_SET_ADD_H

#include "key/key_type.h"
#include "set/set_table.h"

/* A key to be added. */
typedef struct SetKey
{
	BloomKey	key;
	int			position;		/* for the caller */
	bool		is_new;			/* the result */
	bool		is_recent;		/* the newest window has it already */
} SetKey;

/*
 * Add n keys to the set of a table.  Of several transactions that bring the
 * same key and commit, one is told that it is new.  With refresh, keys of
 * older windows go into the newest one, too; they are not new.  Puts the keys
 * into the order of their hashes, which is that of slices in every layer, so
 * that calls do not wait for each other in a circle.
 *
 * Errors: those of blt_set_open() and blt_set_read_layers(); the transaction
 * is read only; a key is of another family; the set is so full that absent
 * keys would seem present, and cannot grow; serialization failures, also where
 * each statement has its snapshot, if the window has gone meanwhile.
 */
extern void blt_set_add(Oid table, SetKey *keys, int n, bool refresh);

/* Error unless a key belongs to the family of the set. */
extern void blt_set_check_key(const BloomSet *set, const BloomKey *key, bool is_added);

#endif							/* BLOOMTYPE_SET_ADD_H */
