/*
 * pages_wal.h
 *	  Sets bits in one or two pages, in one step that a crash leaves done or
 *	  not done, and logs it.
 */
#ifndef BLOOMTYPE_PAGES_WAL_H
#define BLOOMTYPE_PAGES_WAL_H

#include "index/pages_storage.h"

/* The bits of a key in one page, which is locked exclusively. */
typedef struct PageChange
{
	Buffer		buffer;
	const BbfPagesKey *key;
} PageChange;

/* Set the bits of n changes, of which each level has one at most. */
extern void blt_pages_set_bits(Relation index, unsigned slice_bytes,
							   const PageChange *changes, int n);

/* Change the metapage to these metadata. */
extern void blt_pages_change_meta(Relation index, const BbfPagesMeta *meta);

#endif							/* BLOOMTYPE_PAGES_WAL_H */
