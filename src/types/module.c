/*
 * module.c
 *	  Marks the library as a PostgreSQL module, with its name and version.
 *
 * BLOOMTYPE_VERSION is the default_version of the control file; the Makefile
 * defines it.
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"

PG_MODULE_MAGIC_EXT(.name = "bloomtype",.version = BLOOMTYPE_VERSION);
