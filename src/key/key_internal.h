/*
 * key_internal.h
 *	  Shared by the three files that make up the funnel, and by no other.
 */
#ifndef BLOOMTYPE_KEY_INTERNAL_H
#define BLOOMTYPE_KEY_INTERNAL_H

#include "compat.h"

#include "key/key_hasher.h"

/*
 * Types that nest double with each level where a row has two columns of the
 * next, so the parts of a key are limited: the widest table several times.
 */
#define MAX_PARTS	10000

/* funnel.c */
extern Funnel *bloomtype_funnel_create_part(Funnel *root, Oid type,
											Oid collation,
											MemoryContext context);
extern bool bloomtype_is_bloom_key(Oid type);

/* funnel_nested.c: fill in a funnel if its type is an array, row or range */
extern bool bloomtype_funnel_nested(Funnel *funnel, Oid collation);

/* funnel_nested.c: the funnels that this one consists of, itself included */
extern int	bloomtype_funnel_count(const Funnel *funnel);

/* funnel_refusal.c */
pg_noreturn extern void bloomtype_funnel_refuse(Oid type);

#endif							/* BLOOMTYPE_KEY_INTERNAL_H */
