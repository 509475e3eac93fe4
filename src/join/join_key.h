/*
 * join_key.h
 *	  The key columns of a join, and their hash functions.
 *
 * Keys that the operator of a join finds equal must have equal hashes.  So
 * the hash functions are those of the operator's own family, under the
 * collation of the join.  Only integers, of any width, dates and object ids
 * are hashed by a faster function, as the number that they are.
 */
#ifndef BLOOMTYPE_JOIN_KEY_H
#define BLOOMTYPE_JOIN_KEY_H

#include "access/attnum.h"
#include "nodes/pg_list.h"

/* A key column of one side of a join */
typedef struct JoinKey
{
	AttrNumber	column;			/* of the rows that are hashed */
	Oid			function;		/* extended hash function of its type */
	Oid			collation;
} JoinKey;

/* How a key is read as a number */
typedef enum JoinInteger
{
	JOIN_NOT_INTEGER = 0,
	JOIN_INT2,
	JOIN_INT4,
	JOIN_INT8,
	JOIN_OID
} JoinInteger;

/*
 * The hash functions for the left and the right operand of an equality
 * operator under a collation, and the hash family that they are of.  Returns
 * false if none can be trusted: the type or operator is not built into the
 * server, or the type is a container, which is hashed by the functions of its
 * parts.
 */
extern bool blt_join_hash_functions(Oid operator, Oid collation, Oid *family, Oid *left,
									Oid *right);

/*
 * The same in such a family; returns false unless the operator is one of its
 * equalities.
 */
extern bool blt_join_hash_functions_of_family(Oid operator, Oid family, Oid collation, Oid *left,
											  Oid *right);

/* How a type with this extended hash function is read as a number */
extern JoinInteger blt_join_integer_of(Oid function);

/* Three integers, as plans keep a key */
extern List *blt_join_key_to_list(const JoinKey *key);

#endif							/* BLOOMTYPE_JOIN_KEY_H */
