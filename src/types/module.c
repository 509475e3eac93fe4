/*
 * module.c
 *	  Marks the library as a PostgreSQL module.
 */
#include "postgres.h"

#include "fmgr.h"

PG_MODULE_MAGIC;
