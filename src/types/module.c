/*
 * module.c
 *	  Marks the library as a PostgreSQL module, with its name and version, and
 *	  bloomtype_version, which returns the latter on every release of
 *	  PostgreSQL.
 *
 * BLOOMTYPE_VERSION is the version of the release in META.json, such as 1.0.1,
 * not that of the SQL, such as 1.0; the Makefile defines it.
 */
#include "compat.h"

#include "fmgr.h"
#include "utils/builtins.h"

PG_MODULE_MAGIC_EXT(.name = "bloomtype",.version = BLOOMTYPE_VERSION);

PG_FUNCTION_INFO_V1(bloomtype_version);

/* (): the release of the library that this session has loaded, as text. */
Datum
bloomtype_version(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(BLOOMTYPE_VERSION));
}
