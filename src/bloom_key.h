/*
 * bloom_key.h
 *	  The SQL type bloom_key, a hashed key (struct BloomKey of funnel.h).
 */
#ifndef BLOOMTYPE_BLOOM_KEY_H
#define BLOOMTYPE_BLOOM_KEY_H

#include "postgres.h"

#include "funnel.h"

#define DatumGetBloomKeyP(datum)	((BloomKey *) DatumGetPointer(datum))
#define PG_GETARG_BLOOM_KEY_P(n)	DatumGetBloomKeyP(PG_GETARG_DATUM(n))
#define PG_RETURN_BLOOM_KEY_P(key)	return PointerGetDatum(key)

/* Is this the type bloom_key, in whatever schema the extension is? */
extern bool bloomtype_is_bloom_key(Oid type);

#endif							/* BLOOMTYPE_BLOOM_KEY_H */
