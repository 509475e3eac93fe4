/*
 * pages_extend.h
 *	  Adds pages to an index.
 */
#ifndef BLOOMTYPE_PAGES_EXTEND_H
#define BLOOMTYPE_PAGES_EXTEND_H

#include "index/pages_storage.h"

/*
 * Add all pages up to those of a group, which is laid out, and count them in
 * the metadata, which are not written.  The index is locked for extension, or
 * being built; then the pages are not in WAL.
 */
extern void blt_pages_extend(Relation index, BbfPagesMeta *meta, uint32 group, bool is_build);

#endif							/* BLOOMTYPE_PAGES_EXTEND_H */
