/*
 * key_scalar.c
 *	  Each encoder writes the canonical bytes of one family, from one of its
 *	  SQL types; FORMAT.md lists them.
 */
#include "compat.h"

#include "key/key_scalar.h"

#include <math.h>
#include <sys/socket.h>

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/inet.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

static void
hash_int64(BloomKey *key, int64 value)
{
	key->hash = blt_hash_int64(value);
}

const char *
blt_to_utf8(const char *s, int length, size_t *utf8_length)
{
	const char *utf8 = s;

	/* with SQL_ASCII the encoding is unknown: the bytes as they are */
	if (GetDatabaseEncoding() != PG_SQL_ASCII)
		utf8 = pg_server_to_any(s, length, PG_UTF8);
	*utf8_length = utf8 == s ? (size_t) length : strlen(utf8);
	return utf8;
}

/* Hash a string in the server's encoding by its UTF-8 form. */
static void
hash_characters(BloomKey *key, const char *s, int length)
{
	size_t		utf8_length;
	const char *utf8 = blt_to_utf8(s, length, &utf8_length);

	key->hash = bbf_hash(utf8, utf8_length);
	if (utf8 != s)
		pfree(unconstify(char *, utf8));
}

/* boolean */

static void
encode_boolean(Datum value, BloomKey *key)
{
	unsigned char byte = DatumGetBool(value) ? 1 : 0;

	key->hash = bbf_hash(&byte, 1);
}

/* number: whole numbers within bigint as such, others as shortest decimal */

static void
encode_int2(Datum value, BloomKey *key)
{
	hash_int64(key, DatumGetInt16(value));
}

static void
encode_int4(Datum value, BloomKey *key)
{
	hash_int64(key, DatumGetInt32(value));
}

static void
encode_int8(Datum value, BloomKey *key)
{
	hash_int64(key, DatumGetInt64(value));
}

static void
encode_numeric(Datum value, BloomKey *key)
{
	Numeric		number = DatumGetNumeric(value);
	char	   *decimal = numeric_normalize(number);
	size_t		length = strlen(decimal);
	bool		whole = false;
	int64		n = 0;

	/* 20 characters: the sign and 19 digits of the smallest bigint */
	if (length <= 20 && strspn(decimal, "-0123456789") == length)
	{
		char	   *end;

		errno = 0;
		n = strtoi64(decimal, &end, 10);
		whole = errno == 0 && *end == '\0';
	}

	if (whole)
		hash_int64(key, n);
	else
		key->hash = bbf_hash(decimal, length);

	pfree(decimal);
	if ((Pointer) number != DatumGetPointer(value))
		pfree(number);
}

/* float */

static void
hash_float8(BloomKey *key, float8 value)
{
	unsigned char bytes[8];

	if (isnan(value))
		bbf_put64(bytes, UINT64CONST(0x7FF8000000000000));
	else
		bbf_putdouble(bytes, value == 0.0 ? 0.0 : value);	/* no -0 */
	key->hash = bbf_hash(bytes, sizeof(bytes));
}

static void
encode_float4(Datum value, BloomKey *key)
{
	hash_float8(key, (float8) DatumGetFloat4(value));
}

static void
encode_float8(Datum value, BloomKey *key)
{
	hash_float8(key, DatumGetFloat8(value));
}

/* text */

static void
encode_text(Datum value, BloomKey *key)
{
	struct varlena *s = PG_DETOAST_DATUM_PACKED(value);

	hash_characters(key, VARDATA_ANY(s), VARSIZE_ANY_EXHDR(s));
	if ((Pointer) s != DatumGetPointer(value))
		pfree(s);
}

static inline int
bpchar_length(struct varlena *s)
{
	return bpchartruelen(VARDATA_ANY(s), VARSIZE_ANY_EXHDR(s));
}

static void
encode_bpchar(Datum value, BloomKey *key)
{
	struct varlena *s = PG_DETOAST_DATUM_PACKED(value);

	hash_characters(key, VARDATA_ANY(s), bpchar_length(s));
	if ((Pointer) s != DatumGetPointer(value))
		pfree(s);
}

static void
encode_name(Datum value, BloomKey *key)
{
	const char *name = NameStr(*DatumGetName(value));

	hash_characters(key, name, strnlen(name, NAMEDATALEN));
}

/* a literal whose type is undecided, as in ROW('a') */
static void
encode_unknown(Datum value, BloomKey *key)
{
	const char *s = DatumGetCString(value);

	hash_characters(key, s, strlen(s));
}

static void
encode_enum(Datum value, BloomKey *key)
{
	Oid			label = DatumGetObjectId(value);
	HeapTuple	tuple = SearchSysCache1(ENUMOID, ObjectIdGetDatum(label));
	const char *name;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid internal value for enum: %u", label)));
	name = NameStr(((Form_pg_enum) GETSTRUCT(tuple))->enumlabel);
	hash_characters(key, name, strlen(name));
	ReleaseSysCache(tuple);
}

/* bytea */

static void
encode_bytea(Datum value, BloomKey *key)
{
	struct varlena *s = PG_DETOAST_DATUM_PACKED(value);

	key->hash = bbf_hash(VARDATA_ANY(s), VARSIZE_ANY_EXHDR(s));
	if ((Pointer) s != DatumGetPointer(value))
		pfree(s);
}

/* uuid */

static void
encode_uuid(Datum value, BloomKey *key)
{
	key->hash = bbf_hash(DatumGetUUIDP(value)->data, UUID_LEN);
}

/* oid */

static void
encode_oid(Datum value, BloomKey *key)
{
	unsigned char bytes[4];

	bbf_put32(bytes, DatumGetObjectId(value));
	key->hash = bbf_hash(bytes, sizeof(bytes));
}

/* date, timestamp, timestamptz, time: the server's unit, as a bigint */

static void
encode_date(Datum value, BloomKey *key)
{
	hash_int64(key, DatumGetDateADT(value));
}

static void
encode_timestamp(Datum value, BloomKey *key)
{
	hash_int64(key, DatumGetTimestamp(value));
}

static void
encode_time(Datum value, BloomKey *key)
{
	hash_int64(key, DatumGetTimeADT(value));
}

/* network: 4 or 6, the length of the prefix, the address */

static void
encode_network(Datum value, BloomKey *key)
{
	inet	   *address = DatumGetInetPP(value);
	unsigned char bytes[2 + 16];

	bytes[0] = ip_family(address) == PGSQL_AF_INET ? 4 : 6;
	bytes[1] = ip_bits(address);
	memcpy(bytes + 2, ip_addr(address), ip_addrsize(address));
	key->hash = bbf_hash(bytes, 2 + ip_addrsize(address));

	if ((Pointer) address != DatumGetPointer(value))
		pfree(address);
}

/* macaddr: eight bytes; six are widened as the cast to macaddr8 does */

static void
encode_macaddr(Datum value, BloomKey *key)
{
	macaddr    *m = DatumGetMacaddrP(value);
	unsigned char bytes[8] = {m->a, m->b, m->c, 0xFF, 0xFE, m->d, m->e, m->f};

	key->hash = bbf_hash(bytes, sizeof(bytes));
}

static void
encode_macaddr8(Datum value, BloomKey *key)
{
	macaddr8   *m = DatumGetMacaddr8P(value);
	unsigned char bytes[8] = {m->a, m->b, m->c, m->d, m->e, m->f, m->g, m->h};

	key->hash = bbf_hash(bytes, sizeof(bytes));
}

/* bloom_key: hashed already */

static void
encode_bloom_key(Datum value, BloomKey *key)
{
	*key = blt_read_key(value);
}

/* for an index: strings in the server's encoding */

static void
encode_bpchar_bytes(Datum value, BloomKey *key)
{
	struct varlena *s = PG_DETOAST_DATUM_PACKED(value);

	key->hash = bbf_hash(VARDATA_ANY(s), bpchar_length(s));
	if ((Pointer) s != DatumGetPointer(value))
		pfree(s);
}

static void
encode_name_bytes(Datum value, BloomKey *key)
{
	const char *name = NameStr(*DatumGetName(value));

	key->hash = bbf_hash(name, strnlen(name, NAMEDATALEN));
}

typedef struct ScalarType
{
	Oid			type;
	BbfFamily	family;
	ScalarEncode encode;
} ScalarType;

static const ScalarType scalar_types[] = {
	{BOOLOID, BBF_FAMILY_BOOLEAN, encode_boolean},
	{INT2OID, BBF_FAMILY_NUMBER, encode_int2},
	{INT4OID, BBF_FAMILY_NUMBER, encode_int4},
	{INT8OID, BBF_FAMILY_NUMBER, encode_int8},
	{NUMERICOID, BBF_FAMILY_NUMBER, encode_numeric},
	{FLOAT4OID, BBF_FAMILY_FLOAT, encode_float4},
	{FLOAT8OID, BBF_FAMILY_FLOAT, encode_float8},
	{TEXTOID, BBF_FAMILY_TEXT, encode_text},
	{VARCHAROID, BBF_FAMILY_TEXT, encode_text},
	{BPCHAROID, BBF_FAMILY_TEXT, encode_bpchar},
	{NAMEOID, BBF_FAMILY_TEXT, encode_name},
	{UNKNOWNOID, BBF_FAMILY_TEXT, encode_unknown},
	{BYTEAOID, BBF_FAMILY_BYTEA, encode_bytea},
	{UUIDOID, BBF_FAMILY_UUID, encode_uuid},
	{OIDOID, BBF_FAMILY_OID, encode_oid},
	{DATEOID, BBF_FAMILY_DATE, encode_date},
	{TIMESTAMPOID, BBF_FAMILY_TIMESTAMP, encode_timestamp},
	{TIMESTAMPTZOID, BBF_FAMILY_TIMESTAMPTZ, encode_timestamp},
	{TIMEOID, BBF_FAMILY_TIME, encode_time},
	{INETOID, BBF_FAMILY_NETWORK, encode_network},
	{CIDROID, BBF_FAMILY_NETWORK, encode_network},
	{MACADDROID, BBF_FAMILY_MACADDR, encode_macaddr},
	{MACADDR8OID, BBF_FAMILY_MACADDR, encode_macaddr8},
};

/* What differs in an index */
static const ScalarType index_types[] = {
	{TEXTOID, BBF_FAMILY_TEXT, encode_bytea},
	{VARCHAROID, BBF_FAMILY_TEXT, encode_bytea},
	{BPCHAROID, BBF_FAMILY_TEXT, encode_bpchar_bytes},
	{NAMEOID, BBF_FAMILY_TEXT, encode_name_bytes},
};

/* The row of a type, or null */
static const ScalarType *
find_type(const ScalarType *types, size_t ntypes, Oid type)
{
	for (size_t i = 0; i < ntypes; i++)
	{
		if (types[i].type == type)
			return &types[i];
	}
	return NULL;
}

bool
blt_is_utf8(void)
{
	return GetDatabaseEncoding() == PG_UTF8 || GetDatabaseEncoding() == PG_SQL_ASCII;
}

bool
blt_converts_to_utf8(void)
{
	return blt_is_utf8() ||
		OidIsValid(FindDefaultConversionProc(GetDatabaseEncoding(), PG_UTF8));
}

bool
blt_has_utf8(const char *s, int length)
{
	int			encoding = GetDatabaseEncoding();
	Oid			conversion;
	Size		size;
	unsigned char *utf8;
	int			converted;

	if (blt_is_utf8())
		return true;
	conversion = FindDefaultConversionProc(encoding, PG_UTF8);
	if (!OidIsValid(conversion))
		return false;
	size = (Size) length * MAX_CONVERSION_GROWTH + 1;
	utf8 = MemoryContextAllocHuge(CurrentMemoryContext, size);
	converted = pg_do_encoding_conversion_buf(conversion, encoding, PG_UTF8,
											  (unsigned char *) unconstify(char *, s), length,
											  utf8, (int) Min(size, INT_MAX), true);
	pfree(utf8);
	return converted == length;
}

static void
check_encoding(void)
{
	if (!blt_converts_to_utf8())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot use text as a key in a database of encoding %s",
						GetDatabaseEncodingName()),
				 errdetail("A text key is hashed in UTF-8, and there is no conversion to it."),
				 errhint("Use the bytes, which are keys of another family: convert_to(x::text, '%s').",
						 GetDatabaseEncodingName())));
}

static void
check_collation(Oid collation)
{
	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot use text under a nondeterministic collation as a key"),
				 errdetail("Strings that collation \"%s\" takes for equal would be different keys.",
						   get_collation_name(collation)),
				 errhint("Name a deterministic collation, for example x COLLATE \"C\".")));
}

bool
blt_find_scalar(Oid type, Oid collation, BbfFamily *family,
				ScalarEncode *encode)
{
	const ScalarType *scalar = find_type(scalar_types, lengthof(scalar_types), type);

	if (scalar != NULL)
	{
		*family = scalar->family;
		*encode = scalar->encode;
		if (*family == BBF_FAMILY_TEXT)
		{
			check_encoding();
			check_collation(collation);
		}
		return true;
	}
	if (type_is_enum(type))
	{
		check_encoding();
		*family = BBF_FAMILY_TEXT;
		*encode = encode_enum;
		return true;
	}
	if (blt_is_bloom_key(type))
	{
		*family = BBF_FAMILY_NONE;
		*encode = encode_bloom_key;
		return true;
	}
	return false;
}

bool
blt_find_index_scalar(Oid type, Oid collation, BbfFamily *family,
					  ScalarEncode *encode)
{
	const ScalarType *scalar = find_type(index_types, lengthof(index_types), type);

	if (scalar != NULL)
	{
		check_collation(collation);
		*family = scalar->family;
		*encode = scalar->encode;
		return true;
	}
	if (type_is_enum(type))
	{
		*family = BBF_FAMILY_TEXT;
		*encode = encode_oid;
		return true;
	}
	return blt_find_scalar(type, collation, family, encode);
}

bool
blt_share_keys(Oid a, Oid b)
{
	const ScalarType *scalar = find_type(scalar_types, lengthof(scalar_types), a);
	const ScalarType *other = find_type(scalar_types, lengthof(scalar_types), b);

	if (scalar != NULL && other != NULL)
		return scalar->family == other->family;
	return a == b && (a == ANYARRAYOID || a == ANYENUMOID || a == ANYRANGEOID ||
					  a == RECORDOID || blt_is_bloom_key(a));
}
