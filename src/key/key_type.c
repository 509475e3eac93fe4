/*
 * key_type.c
 *	  SQL functions of the type bloom_key: input and output, comparison.
 *
 * The text form names the family, then the subtype where the family has one,
 * then the hash: number:f58ff891333ec7a1, row/9d2c5680:0123456789abcdef.
 */
#include "compat.h"

#include "key/key_type.h"

#include "common/hashfn.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/sortsupport.h"

PG_FUNCTION_INFO_V1(bloomtype_bloom_key_in);
PG_FUNCTION_INFO_V1(bloomtype_bloom_key_out);
PG_FUNCTION_INFO_V1(bloomtype_bloom_key_recv);
PG_FUNCTION_INFO_V1(bloomtype_bloom_key_send);
PG_FUNCTION_INFO_V1(bloomtype_bloom_key_parse);
PG_FUNCTION_INFO_V1(bloomtype_bloom_key_eq);
PG_FUNCTION_INFO_V1(bloomtype_bloom_key_ne);
PG_FUNCTION_INFO_V1(bloomtype_bloom_key_lt);
PG_FUNCTION_INFO_V1(bloomtype_bloom_key_le);
PG_FUNCTION_INFO_V1(bloomtype_bloom_key_gt);
PG_FUNCTION_INFO_V1(bloomtype_bloom_key_ge);
PG_FUNCTION_INFO_V1(bloomtype_bloom_key_cmp);
PG_FUNCTION_INFO_V1(bloomtype_bloom_key_sortsupport);
PG_FUNCTION_INFO_V1(bloomtype_bloom_key_hash);
PG_FUNCTION_INFO_V1(bloomtype_bloom_key_hash_extended);
PG_FUNCTION_INFO_V1(bloomtype_bloom_key_to_bigint);

/*
 * Room for the longest text form and its terminating zero: a name of up to 11
 * characters, "/", 8 digits, ":", 16 digits.
 */
#define KEY_TEXT_SIZE	48

/*
 * Read exactly ndigits lower-case hexadecimal digits, and advance *s past
 * them.
 */
static bool
read_hex(const char **s, int ndigits, uint64 *value)
{
	*value = 0;
	for (int i = 0; i < ndigits; i++)
	{
		char		c = **s;

		if (c >= '0' && c <= '9')
			*value = *value << 4 | (uint64) (c - '0');
		else if (c >= 'a' && c <= 'f')
			*value = *value << 4 | (uint64) (c - 'a' + 10);
		else
			return false;
		(*s)++;
	}
	return true;
}

static bool
parse_key(const char *s, BloomKey *key)
{
	size_t		name_length = strcspn(s, "/:");
	int			family = bbf_family_by_name(s, name_length);
	uint64		subtype = 0;

	s += name_length;
	if (family > 0 && bbf_family_is_nested(family) &&
		(*s++ != '/' || !read_hex(&s, 8, &subtype)))
		return false;
	if (family < 0 || !bbf_family_is_valid(family, (uint32) subtype))
		return false;
	if (*s++ != ':' || !read_hex(&s, 16, &key->hash) || *s != '\0')
		return false;

	key->subtype = (uint32) subtype;
	key->family = (uint16) family;
	key->was_hashed = 0;
	return true;
}

static Datum
key_from_cstring(const char *s, struct Node *context)
{
	BloomKey   *key = palloc(sizeof(BloomKey));

	if (!parse_key(s, key))
		ereturn(context, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%s\"", "bloom_key", s),
				 errdetail("The form is family:hash, for example number:f58ff891333ec7a1, of arrays, rows and ranges family/subtype:hash."),
				 errhint("To make a key from a value write bloom_key(x); where x is of another string type, bloom_key(x::text), or bloom_key(lower(x::text)) for citext.")));
	PG_RETURN_BLOOM_KEY_P(key);
}

Datum
bloomtype_bloom_key_in(PG_FUNCTION_ARGS)
{
	return key_from_cstring(PG_GETARG_CSTRING(0), fcinfo->context);
}

Datum
bloomtype_bloom_key_out(PG_FUNCTION_ARGS)
{
	BloomKey   *key = PG_GETARG_BLOOM_KEY_P(0);
	char	   *s = palloc(KEY_TEXT_SIZE);
	const char *name = bbf_family_name(key->family);

	if (bbf_family_is_nested(key->family))
		snprintf(s, KEY_TEXT_SIZE, "%s/%08x:%016llx", name, key->subtype,
				 (unsigned long long) key->hash);
	else
		snprintf(s, KEY_TEXT_SIZE, "%s:%016llx", name,
				 (unsigned long long) key->hash);
	PG_RETURN_CSTRING(s);
}

Datum
bloomtype_bloom_key_recv(PG_FUNCTION_ARGS)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	BloomKey   *key = palloc(sizeof(BloomKey));

	key->hash = (uint64) pq_getmsgint64(message);
	key->subtype = pq_getmsgint(message, 4);
	key->family = pq_getmsgint(message, 2);
	key->was_hashed = pq_getmsgint(message, 2);

	if (!blt_key_is_valid(key))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid external \"bloom_key\" value"),
				 errdetail("The family is %u, the subtype %u, the reserved field %u.",
						   key->family, key->subtype, key->was_hashed)));
	PG_RETURN_BLOOM_KEY_P(key);
}

Datum
bloomtype_bloom_key_send(PG_FUNCTION_ARGS)
{
	BloomKey   *key = PG_GETARG_BLOOM_KEY_P(0);
	StringInfoData message;

	pq_begintypsend(&message);
	pq_sendint64(&message, key->hash);
	pq_sendint32(&message, key->subtype);
	pq_sendint16(&message, key->family);
	pq_sendint16(&message, key->was_hashed);
	PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

/* The cast from string types: parses, as a cast through text would. */
Datum
bloomtype_bloom_key_parse(PG_FUNCTION_ARGS)
{
	return key_from_cstring(TextDatumGetCString(PG_GETARG_DATUM(0)), NULL);
}

/*
 * By family, subtype and hash, all as unsigned numbers.  An order that means
 * nothing to people; it serves indexes, sorting and merge joins.
 */
static int
compare_keys(const BloomKey *a, const BloomKey *b)
{
	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	if (a->subtype != b->subtype)
		return a->subtype < b->subtype ? -1 : 1;
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return 0;
}

static int
compare_arguments(FunctionCallInfo fcinfo)
{
	return compare_keys(PG_GETARG_BLOOM_KEY_P(0), PG_GETARG_BLOOM_KEY_P(1));
}

Datum
bloomtype_bloom_key_lt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) < 0);
}

Datum
bloomtype_bloom_key_le(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) <= 0);
}

Datum
bloomtype_bloom_key_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) == 0);
}

Datum
bloomtype_bloom_key_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) != 0);
}

Datum
bloomtype_bloom_key_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) >= 0);
}

Datum
bloomtype_bloom_key_gt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) > 0);
}

Datum
bloomtype_bloom_key_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_arguments(fcinfo));
}

static int
compare_for_sort(Datum a, Datum b, SortSupport sort)
{
	return compare_keys(DatumGetBloomKeyP(a), DatumGetBloomKeyP(b));
}

Datum
bloomtype_bloom_key_sortsupport(PG_FUNCTION_ARGS)
{
	SortSupport sort = (SortSupport) PG_GETARG_POINTER(0);

	sort->comparator = compare_for_sort;
	PG_RETURN_VOID();
}

Datum
bloomtype_bloom_key_hash(PG_FUNCTION_ARGS)
{
	return hash_any((unsigned char *) PG_GETARG_BLOOM_KEY_P(0), sizeof(BloomKey));
}

Datum
bloomtype_bloom_key_hash_extended(PG_FUNCTION_ARGS)
{
	return hash_any_extended((unsigned char *) PG_GETARG_BLOOM_KEY_P(0),
							 sizeof(BloomKey), PG_GETARG_INT64(1));
}

Datum
bloomtype_bloom_key_to_bigint(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64((int64) PG_GETARG_BLOOM_KEY_P(0)->hash);
}

BloomKey
blt_read_key(Datum value)
{
	BloomKey	key = *DatumGetBloomKeyP(value);

	if (!blt_key_is_valid(&key))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("stored \"bloom_key\" value is corrupted"),
				 errdetail("The family is %u, the subtype %u, the reserved field %u.",
						   key.family, key.subtype, key.was_hashed)));
	key.was_hashed = 1;
	return key;
}

/*
 * No type has this input function but bloom_key.  Comparing addresses finds it
 * whatever the names of types and schemas are.
 */
bool
blt_is_bloom_key(Oid type)
{
	Oid			input;
	Oid			param;
	FmgrInfo	flinfo;

	if (get_typlen(type) != sizeof(BloomKey))
		return false;
	getTypeInputInfo(type, &input, &param);
	fmgr_info(input, &flinfo);
	return flinfo.fn_addr == bloomtype_bloom_key_in;
}
