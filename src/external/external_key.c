/*
 * external_key.c
 *	  Each function hashes the values of one SQL type, or of one
 *	  representation, as one BbfExternalKey.
 */
#include "compat.h"

#include "external/external_key.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/int.h"
#include "core/bytes.h"
#include "core/kind.h"
#include "datatype/timestamp.h"
#include "filter/filter_pieces.h"
#include "fmgr.h"
#include "key/key_scalar.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

/* From 1970 to 2000, where the server's dates begin. */
#define DAYS_FROM_1970		(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE)
#define MICROS_FROM_1970	(DAYS_FROM_1970 * USECS_PER_DAY)
#define MICROS_IN_MILLI		1000
#define MILLIS_FROM_1970	(MICROS_FROM_1970 / MICROS_IN_MILLI)

/* bytes */

static void
hash_bytea(const BbfExternalFormat *format, uint32 seed, Datum value, uint64_t *hash)
{
	struct varlena *s = PG_DETOAST_DATUM_PACKED(value);

	bbf_external_hash_long(format, seed, VARDATA_ANY(s), VARSIZE_ANY_EXHDR(s),
						   blt_check_for_interrupts, hash);
	if ((Pointer) s != DatumGetPointer(value))
		pfree(s);
}

static void
hash_text(const BbfExternalFormat *format, uint32 seed, Datum value, uint64_t *hash)
{
	struct varlena *s = PG_DETOAST_DATUM_PACKED(value);
	size_t		length;
	const char *utf8 = blt_to_utf8(VARDATA_ANY(s), VARSIZE_ANY_EXHDR(s), &length);

	bbf_external_hash_long(format, seed, utf8, length, blt_check_for_interrupts, hash);
	if (utf8 != VARDATA_ANY(s))
		pfree(unconstify(char *, utf8));
	if ((Pointer) s != DatumGetPointer(value))
		pfree(s);
}

/*
 * bbf_external_utf16 in pieces that can be interrupted, none of which ends
 * within a character.
 */
static size_t
to_utf16(const unsigned char *utf8, size_t length, unsigned char *out)
{
	unsigned char *start = out;

	while (length > 0)
	{
		size_t		piece = Min(length, BBF_PIECE_BYTES);

		CHECK_FOR_INTERRUPTS();
		while (piece > 1 && piece < length && (utf8[piece] & 0xC0) == 0x80)
			piece--;
		out += bbf_external_utf16(utf8, piece, out);
		utf8 += piece;
		length -= piece;
	}
	return (size_t) (out - start);
}

static void
hash_text_utf16(const BbfExternalFormat *format, uint32 seed, Datum value,
				uint64_t *hash)
{
	struct varlena *s = PG_DETOAST_DATUM_PACKED(value);
	size_t		length;
	const char *utf8 = blt_to_utf8(VARDATA_ANY(s), VARSIZE_ANY_EXHDR(s), &length);
	unsigned char few_units[256];
	unsigned char *units = few_units;

	if (2 * length > sizeof(few_units))
		units = MemoryContextAllocHuge(CurrentMemoryContext, 2 * length);
	bbf_external_hash_long(format, seed, units,
						   to_utf16((const unsigned char *) utf8, length, units),
						   blt_check_for_interrupts, hash);
	if (units != few_units)
		pfree(units);
	if (utf8 != VARDATA_ANY(s))
		pfree(unconstify(char *, utf8));
	if ((Pointer) s != DatumGetPointer(value))
		pfree(s);
}

static void
hash_uuid(const BbfExternalFormat *format, uint32 seed, Datum value, uint64_t *hash)
{
	bbf_external_hash(format, seed, DatumGetUUIDP(value)->data, UUID_LEN, hash);
}

/* numbers, little-endian */

static void
hash_32_bits(const BbfExternalFormat *format, uint32 seed, uint32 number,
			 uint64_t *hash)
{
	unsigned char bytes[4];

	bbf_put32(bytes, number);
	bbf_external_hash(format, seed, bytes, sizeof(bytes), hash);
}

static void
hash_64_bits(const BbfExternalFormat *format, uint32 seed, uint64 number,
			 uint64_t *hash)
{
	unsigned char bytes[8];

	bbf_put64(bytes, number);
	bbf_external_hash(format, seed, bytes, sizeof(bytes), hash);
}

static void
hash_float(const BbfExternalFormat *format, uint32 seed, float4 number, uint64_t *hash)
{
	uint32		bits;

	memcpy(&bits, &number, sizeof(bits));
	hash_32_bits(format, seed, bits, hash);
}

static void
hash_double(const BbfExternalFormat *format, uint32 seed, float8 number,
			uint64_t *hash)
{
	unsigned char bytes[8];

	bbf_putdouble(bytes, number);
	bbf_external_hash(format, seed, bytes, sizeof(bytes), hash);
}

static void
hash_int2_as_int32(const BbfExternalFormat *format, uint32 seed, Datum value,
				   uint64_t *hash)
{
	hash_32_bits(format, seed, (uint32) (int32) DatumGetInt16(value), hash);
}

static void
hash_int4_as_int32(const BbfExternalFormat *format, uint32 seed, Datum value,
				   uint64_t *hash)
{
	hash_32_bits(format, seed, (uint32) DatumGetInt32(value), hash);
}

static void
hash_int2_as_int64(const BbfExternalFormat *format, uint32 seed, Datum value,
				   uint64_t *hash)
{
	hash_64_bits(format, seed, (uint64) (int64) DatumGetInt16(value), hash);
}

static void
hash_int4_as_int64(const BbfExternalFormat *format, uint32 seed, Datum value,
				   uint64_t *hash)
{
	hash_64_bits(format, seed, (uint64) (int64) DatumGetInt32(value), hash);
}

static void
hash_int8_as_int64(const BbfExternalFormat *format, uint32 seed, Datum value,
				   uint64_t *hash)
{
	hash_64_bits(format, seed, (uint64) DatumGetInt64(value), hash);
}

static void
hash_int2_as_float(const BbfExternalFormat *format, uint32 seed, Datum value,
				   uint64_t *hash)
{
	hash_float(format, seed, DatumGetInt16(value), hash);
}

static void
hash_float4_as_float(const BbfExternalFormat *format, uint32 seed, Datum value,
					 uint64_t *hash)
{
	hash_float(format, seed, DatumGetFloat4(value), hash);
}

static void
hash_int2_as_double(const BbfExternalFormat *format, uint32 seed, Datum value,
					uint64_t *hash)
{
	hash_double(format, seed, DatumGetInt16(value), hash);
}

static void
hash_int4_as_double(const BbfExternalFormat *format, uint32 seed, Datum value,
					uint64_t *hash)
{
	hash_double(format, seed, DatumGetInt32(value), hash);
}

static void
hash_float4_as_double(const BbfExternalFormat *format, uint32 seed, Datum value,
					  uint64_t *hash)
{
	hash_double(format, seed, DatumGetFloat4(value), hash);
}

static void
hash_float8_as_double(const BbfExternalFormat *format, uint32 seed, Datum value,
					  uint64_t *hash)
{
	hash_double(format, seed, DatumGetFloat8(value), hash);
}

/* Zero and minus zero are equal, and so are all NaNs. */
static ExternalEncodings
other_float(const BbfExternalFormat *format, uint32 seed, double number, uint64_t *hash)
{
	if (isnan(number))
		return EXTERNAL_MANY;
	if (number != 0.0)
		return EXTERNAL_ONE;
	if (format->keys & BBF_EXTERNAL_FLOAT)
		hash_float(format, seed, signbit(number) ? 0.0f : -0.0f, hash);
	else
		hash_double(format, seed, signbit(number) ? 0.0 : -0.0, hash);
	return EXTERNAL_TWO;
}

static ExternalEncodings
other_of_int2(const BbfExternalFormat *format, uint32 seed, Datum value, uint64_t *hash)
{
	return other_float(format, seed, DatumGetInt16(value), hash);
}

static ExternalEncodings
other_of_int4(const BbfExternalFormat *format, uint32 seed, Datum value, uint64_t *hash)
{
	return other_float(format, seed, DatumGetInt32(value), hash);
}

static ExternalEncodings
other_of_float4(const BbfExternalFormat *format, uint32 seed, Datum value, uint64_t *hash)
{
	return other_float(format, seed, DatumGetFloat4(value), hash);
}

static ExternalEncodings
other_of_float8(const BbfExternalFormat *format, uint32 seed, Datum value, uint64_t *hash)
{
	return other_float(format, seed, DatumGetFloat8(value), hash);
}

/* dates and times */

static void
hash_date(const BbfExternalFormat *format, uint32 seed, Datum value, uint64_t *hash)
{
	DateADT		date = DatumGetDateADT(value);

	if (DATE_NOT_FINITE(date))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("an infinite date cannot be a key of format \"%s\"",
						format->name),
				 errdetail("A key is a number of days since 1970."),
				 errhint("Leave such values out: WHERE isfinite(x).")));
	hash_32_bits(format, seed, (uint32) (date + DAYS_FROM_1970), hash);
}

static void
check_finite(const BbfExternalFormat *format, Timestamp timestamp)
{
	if (TIMESTAMP_NOT_FINITE(timestamp))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("an infinite timestamp cannot be a key of format \"%s\"",
						format->name),
				 errdetail("A key is a number of units of time since 1970."),
				 errhint("Leave such values out: WHERE isfinite(x).")));
}

static void
hash_timestamp_as_micros(const BbfExternalFormat *format, uint32 seed, Datum value,
						 uint64_t *hash)
{
	Timestamp	timestamp = DatumGetTimestamp(value);
	int64		micros;

	check_finite(format, timestamp);
	if (pg_add_s64_overflow(timestamp, MICROS_FROM_1970, &micros))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("timestamp out of range for format \"%s\"", format->name),
				 errdetail("A key is a number of microseconds since 1970, of 64 bits."),
				 errhint("Leave such values out.")));
	hash_64_bits(format, seed, (uint64) micros, hash);
}

static void
hash_timestamp_as_millis(const BbfExternalFormat *format, uint32 seed, Datum value,
						 uint64_t *hash)
{
	Timestamp	timestamp = DatumGetTimestamp(value);

	check_finite(format, timestamp);
	if (timestamp % MICROS_IN_MILLI != 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("timestamp has a fraction of a millisecond"),
				 errdetail("A key of format \"%s\" is a whole number of milliseconds.",
						   format->name),
				 errhint("Round it as the writer of the filter does, for example date_trunc('milliseconds', x).")));
	hash_64_bits(format, seed,
				 (uint64) (timestamp / MICROS_IN_MILLI + MILLIS_FROM_1970), hash);
}

typedef struct KeyEncoding
{
	Oid			type;
	BbfExternalKey key;
	ExternalHash hash;
	ExternalOther other;		/* null: each value has one encoding */
} KeyEncoding;

static const KeyEncoding encodings[] = {
	{TEXTOID, BBF_EXTERNAL_BYTES, hash_text, NULL},
	{VARCHAROID, BBF_EXTERNAL_BYTES, hash_text, NULL},
	{BYTEAOID, BBF_EXTERNAL_BYTES, hash_bytea, NULL},
	{UUIDOID, BBF_EXTERNAL_UUID, hash_uuid, NULL},
	{TEXTOID, BBF_EXTERNAL_UTF16, hash_text_utf16, NULL},
	{VARCHAROID, BBF_EXTERNAL_UTF16, hash_text_utf16, NULL},
	{INT2OID, BBF_EXTERNAL_INT32, hash_int2_as_int32, NULL},
	{INT4OID, BBF_EXTERNAL_INT32, hash_int4_as_int32, NULL},
	{INT2OID, BBF_EXTERNAL_INT64, hash_int2_as_int64, NULL},
	{INT4OID, BBF_EXTERNAL_INT64, hash_int4_as_int64, NULL},
	{INT8OID, BBF_EXTERNAL_INT64, hash_int8_as_int64, NULL},
	{INT2OID, BBF_EXTERNAL_FLOAT, hash_int2_as_float, other_of_int2},
	{FLOAT4OID, BBF_EXTERNAL_FLOAT, hash_float4_as_float, other_of_float4},
	{INT2OID, BBF_EXTERNAL_DOUBLE, hash_int2_as_double, other_of_int2},
	{INT4OID, BBF_EXTERNAL_DOUBLE, hash_int4_as_double, other_of_int4},
	{FLOAT4OID, BBF_EXTERNAL_DOUBLE, hash_float4_as_double, other_of_float4},
	{FLOAT8OID, BBF_EXTERNAL_DOUBLE, hash_float8_as_double, other_of_float8},
	{DATEOID, BBF_EXTERNAL_DATE, hash_date, NULL},
	{TIMESTAMPOID, BBF_EXTERNAL_MICROS, hash_timestamp_as_micros, NULL},
	{TIMESTAMPTZOID, BBF_EXTERNAL_MICROS, hash_timestamp_as_micros, NULL},
	{TIMESTAMPOID, BBF_EXTERNAL_MILLIS, hash_timestamp_as_millis, NULL},
	{TIMESTAMPTZOID, BBF_EXTERNAL_MILLIS, hash_timestamp_as_millis, NULL},
};

static const KeyEncoding *
find_encoding(const BbfExternalFormat *format, Oid base)
{
	for (size_t i = 0; i < lengthof(encodings); i++)
	{
		if (encodings[i].type == base && (format->keys & encodings[i].key) != 0)
			return &encodings[i];
	}
	return NULL;
}

/*
 * The other formats that take keys of a type: all, or of the same system,
 * whose formats share the name up to the first "_".  Null if there is none.
 */
static const char *
other_formats(const BbfExternalFormat *format, Oid base, bool of_all_systems)
{
	size_t		length = strcspn(format->name, "_");
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < bbf_external_nformats; i++)
	{
		const BbfExternalFormat *other = bbf_external_formats[i];
		bool		is_same_system = strcspn(other->name, "_") == length &&
			strncmp(other->name, format->name, length) == 0;

		if (other != format && (of_all_systems || is_same_system) &&
			find_encoding(other, base) != NULL)
			appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", other->name);
	}
	return names.len > 0 ? names.data : NULL;
}

/* Set the hint of an error; to be called within ereport. */
static int
errhint_refused(const BbfExternalFormat *format, Oid base, ExternalUse use)
{
	const char *others = other_formats(format, base, use == EXTERNAL_NEW_KEY);

	if (blt_is_bloom_key(base))
		return errhint("Give the value itself, not its hash.");
	if (OidIsValid(get_element_type(base)))
		return errhint("Give the elements: use external_bloom_add_all, external_bloom_contains_any or external_bloom_contains_all, or unnest(x).");
	if (base == UUIDOID && find_encoding(format, TEXTOID) != NULL)
		return errhint("Use its text, x::text, or its 16 bytes, uuid_send(x), as those do who made the filter.");
	if (others != NULL)
		return errhint("Give the format of the filter, or make a key of one of these types from the value. Formats for keys of type %s: %s.",
					   format_type_be(base), others);
	if (format->keys == BBF_EXTERNAL_BYTES && other_formats(format, INT4OID, false) == NULL)
	{
		const bool	is_array = use == EXTERNAL_ELEMENT;

		if (base == NUMERICOID)
			return errhint("Cast the key: x::text%s. Where the texts have 5 for 5.0, use %s.",
						   is_array ? "[]" : "",
						   is_array ? "ARRAY(SELECT trim_scale(e)::text FROM unnest(x) e)" : "trim_scale(x)::text");
		return errhint("Cast the key: x::text%s.", is_array ? "[]" : "");
	}
	return errhint("Make a key of one of these types from the value.");
}

/* The error for a type whose values cannot be keys of a format. */
pg_noreturn static void
report_refused_type(const BbfExternalFormat *format, Oid type, Oid base,
					ExternalUse use)
{
	StringInfoData types;

	initStringInfo(&types);
	for (size_t i = 0; i < lengthof(encodings); i++)
	{
		if ((format->keys & encodings[i].key) != 0)
			appendStringInfo(&types, "%s%s", types.len > 0 ? ", " : "",
							 format_type_be(encodings[i].type));
	}
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot use a value of type %s as a key of format \"%s\"",
					format_type_be(type), format->name),
			 errdetail("Its keys are of these types: %s.", types.data),
			 errhint_refused(format, base, use)));
}

/*
 * Error if the characters of a text cannot be had in the encoding that is
 * hashed.
 */
static void
check_encoding(const BbfExternalFormat *format, const KeyEncoding *encoding)
{
	bool		is_utf16 = encoding->key == BBF_EXTERNAL_UTF16;
	const char *reason = NULL;

	if (!blt_converts_to_utf8())
		reason = is_utf16 ? "A key is hashed in UTF-16, and there is no conversion to it." :
			"A key is hashed in UTF-8, and there is no conversion to it.";
	else if (is_utf16 && GetDatabaseEncoding() == PG_SQL_ASCII)
		reason = "A key is hashed in UTF-16, and nobody knows which characters the bytes stand for.";
	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot use text as a key of format \"%s\" in a database of encoding %s",
						format->name, GetDatabaseEncodingName()),
				 errdetail("%s", reason)));
}

ExternalHash
blt_find_external_hash(const BbfExternalFormat *format, Oid type, ExternalUse use,
					   ExternalOther *other)
{
	Oid			base = getBaseType(type);
	const KeyEncoding *encoding = find_encoding(format, base);

	if (encoding == NULL)
		report_refused_type(format, type, base, use);
	if (base == TEXTOID || base == VARCHAROID)
		check_encoding(format, encoding);
	*other = encoding->other;
	return encoding->hash;
}
