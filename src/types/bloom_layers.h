/*
 * bloom_layers.h
 *	  Unites layers: those of two filters become those of one.
 *
 * The layers, in an order that does not depend on the side, are OR-ed into the
 * first of the same geometry, as long as that does not become full; the others
 * stand side by side.  Past 64 layers or 512 MB two neighbours in size become one,
 * those that make the lowest rate.  FORMAT.md has the rules.
 *
 * Time.  Each layer is tried with each other of its geometry, but most pairs differ
 * so much that their first blocks tell that they do not fit.  At worst all their
 * bytes are read: where a layer has all bits of another but about as many as there
 * is room for.  Layers that were tried before, and are marked as settled, are not
 * tried with each other again.
 *
 * All goes through blocks in steps that can be cancelled.
 */
#ifndef BLOOMTYPE_BLOOM_LAYERS_H
#define BLOOMTYPE_BLOOM_LAYERS_H

#include "core/image.h"

/* A layer of one side, or of the result. */
typedef struct Part
{
	BbfLayer	layer;
	const unsigned char *blocks;
	unsigned char *copy;		/* the same, if they are ours to write to and
								 * to free */
	bool		settled;		/* cannot be OR-ed with any other settled part */
	bool		changed;		/* has taken the bits of another */
} Part;

/* The most parts that two sides can have. */
#define MAX_PARTS_OF_UNION	(2 * BBF_MAX_LAYERS)

typedef struct PartList
{
	MemoryContext context;		/* of copies */
	int			nparts;
	Part		parts[MAX_PARTS_OF_UNION];
} PartList;

/* Start a list without parts, whose copies are allocated in a context. */
extern void blt_start_parts(PartList *list, MemoryContext context);

/* Add a part, which is not settled; its blocks are only read. */
extern Part *blt_add_part(PartList *list, const BbfLayer *layer,
						  const unsigned char *blocks);

/* Add a part of the geometry of a layer, with these keys; it owns its blocks. */
extern void blt_add_part_of_keys(PartList *list, const BbfLayer *layer,
								 const uint64_t *hashes, int nhashes);

/*
 * Unite all parts, those of the same geometry always, if that is asked, or as far
 * as they fit.  Returns whether some were merged to stay within the limits.  No two
 * of the parts that are left can be OR-ed unless one of them is marked as changed.
 */
extern bool blt_unite_parts(PartList *list, bool or_always);

/* Have a copy of the blocks of a part, which can be written to. */
extern void blt_own_part(const PartList *list, Part *part);

/* Free the copy, if there is one. */
extern void blt_free_part(Part *part);

#endif							/* BLOOMTYPE_BLOOM_LAYERS_H */
