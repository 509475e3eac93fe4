/*
 * key_match.c
 *	  The error of key_match.h: names both families and the cast to write.
 */
#include "postgres.h"

#include "key_match.h"

/* A type to cast to in order to get a key of a family. */
static const char *const family_casts[] = {
	[BBF_FAMILY_BOOLEAN] = "boolean",
	[BBF_FAMILY_NUMBER] = "bigint",
	[BBF_FAMILY_FLOAT] = "float8",
	[BBF_FAMILY_TEXT] = "text",
	[BBF_FAMILY_BYTEA] = "bytea",
	[BBF_FAMILY_UUID] = "uuid",
	[BBF_FAMILY_OID] = "oid",
	[BBF_FAMILY_DATE] = "date",
	[BBF_FAMILY_TIMESTAMP] = "timestamp",
	[BBF_FAMILY_TIMESTAMPTZ] = "timestamptz",
	[BBF_FAMILY_TIME] = "time",
	[BBF_FAMILY_NETWORK] = "inet",
	[BBF_FAMILY_MACADDR] = "macaddr8",
};

/* Sets the hint; to be called within ereport. */
static int
errhint_cast(unsigned family, unsigned key_family)
{
	const char *cast;

	if (bbf_family_is_nested(family))
		return errhint("Cast the key to the type of the keys that the filter was made from.");

	cast = family_casts[family];

	/* a cast from float to bigint would round */
	if (family == BBF_FAMILY_NUMBER && key_family == BBF_FAMILY_FLOAT)
		cast = "numeric";

	/* text is what literals and parameters without a type become */
	if (key_family == BBF_FAMILY_TEXT)
		return errhint("Cast the key to the type of the filter's keys, for example '...'::%s or $1::%s.",
					   cast, cast);
	return errhint("Cast the key to the type of the filter's keys, for example x::%s.",
				   cast);
}

void
bloomtype_key_mismatch(unsigned family, const BloomKey *key, KeyUse use)
{
	const char *filter_name = bbf_family_name(family);
	const char *key_name = bbf_family_name(key->family);

	/* arrays, rows or ranges of different parts */
	if (family == key->family)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 use == KEY_IS_ADDED ?
				 errmsg("cannot add a different kind of %s to a filter of %s keys",
						key_name, filter_name) :
				 errmsg("cannot probe a filter of %s keys with a different kind of %s",
						filter_name, key_name),
				 errdetail("The parts of the key and of the filter's keys belong to different key families."),
				 errhint_cast(family, key->family)));

	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 use == KEY_IS_ADDED ?
			 errmsg("cannot add a key of family %s to a filter of %s keys",
					key_name, filter_name) :
			 errmsg("cannot probe a filter of %s keys with a key of family %s",
					filter_name, key_name),
			 errdetail("A key of family \"%s\" is never equal to one of family \"%s\".",
					   key_name, filter_name),
			 errhint_cast(family, key->family)));
}
