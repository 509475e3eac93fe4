/*
 * module.c
 *	  Marks the library as a PostgreSQL module, with its name and version.
 *
 * BLOOMTYPE_VERSION is the version of the release in META.json, such as 1.0.1,
 * not that of the SQL, such as 1.0; the Makefile defines it.
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"

PG_MODULE_MAGIC_EXT(.name = "bloomtype",.version = BLOOMTYPE_VERSION);
