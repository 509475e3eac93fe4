/*
 * key_hasher.h
 *	  From an SQL value to the 64-bit hash that filters know.
 *
 * A value is first brought to the reference type of its family and written as
 * canonical bytes; their hash is the key.  Two values of one family are the
 * same key exactly when they are equal there: 1, 1::bigint and 1.00 are one
 * key, so are '10.0.0.1'::inet and '10.0.0.1'::cidr.  FORMAT.md lists the
 * canonical bytes of every family; they are frozen.
 *
 * The server's own hash functions are not used: they may change from one
 * release to the next, and they do.
 */
#ifndef BLOOMTYPE_KEY_HASHER_H
#define BLOOMTYPE_KEY_HASHER_H

#include "postgres.h"

#include "core/bytes.h"
#include "core/family.h"
#include "core/hash.h"
#include "utils/typcache.h"

/*
 * A hashed key, also the SQL type bloom_key: passed by reference, 16 bytes,
 * aligned as a double.
 */
typedef struct BloomKey
{
	uint64		hash;
	uint32		signature;		/* of what an array, row or range consists */
	uint16		family;			/* BbfFamily */
	uint16		reserved;		/* zero */
} BloomKey;

StaticAssertDecl(sizeof(BloomKey) == 16, "bloom_key is 16 bytes");

#define DatumGetBloomKeyP(datum)	((BloomKey *) DatumGetPointer(datum))
#define PG_GETARG_BLOOM_KEY_P(n)	DatumGetBloomKeyP(PG_GETARG_DATUM(n))
#define PG_RETURN_BLOOM_KEY_P(key)	return PointerGetDatum(key)

typedef struct Funnel Funnel;

typedef void (*FunnelEncode) (Funnel *funnel, Datum value, BloomKey *key);

/*
 * Fields are for the files of the funnel, but for the storage of the type:
 * length, byval, align.
 */
struct Funnel
{
	Oid			type;			/* base type */
	BbfFamily	family;
	FunnelEncode encode;		/* sets key->hash; also family and signature
								 * where the value decides them */
	int			integer_width;	/* 4 or 8: integer or bigint; else 0 */
	int16		length;
	bool		byval;
	char		align;
	MemoryContext context;		/* where the funnel lives */
	Funnel	   *root;			/* of the whole key, of which this is a part */
	int			nparts;			/* of a root: at least its funnels (see
								 * funnel.c) */

	Funnel	   *part;			/* array element, range bound */
	TypeCacheEntry *range;		/* range type */
	struct RowPlan *row;		/* columns of the row type seen last */
};

/*
 * Prepare to hash values of an SQL type.  The funnel lives in the memory
 * context given, which may outlive many queries; what it keeps is bounded.
 *
 * Types that have no place in a family are an error with the cast that helps,
 * and so is a text-like type under a collation known not to be deterministic.
 */
extern Funnel *bloomtype_funnel_create(Oid type, Oid collation,
									   MemoryContext context);

/* The canonical hash of a whole number. */
static inline uint64
bloomtype_hash_int64(int64 value)
{
	unsigned char bytes[8];

	bbf_put64(bytes, (uint64) value);
	return bbf_hash(bytes, sizeof(bytes));
}

extern BloomKey bloomtype_funnel_encode(Funnel *funnel, Datum value);

/* Hash a value, which is not null; without a call for the most common keys. */
static pg_attribute_always_inline BloomKey
bloomtype_funnel_hash(Funnel *funnel, Datum value)
{
	BloomKey	key = {.family = BBF_FAMILY_NUMBER};

	if (funnel->integer_width == 8)
		key.hash = bloomtype_hash_int64(DatumGetInt64(value));
	else if (funnel->integer_width == 4)
		key.hash = bloomtype_hash_int64(DatumGetInt32(value));
	else
		key = bloomtype_funnel_encode(funnel, value);
	return key;
}

#endif							/* BLOOMTYPE_KEY_HASHER_H */
