/*
 * filter_change.h
 *	  A filter while it is being made or changed.
 *
 * Works on a private copy, taken at the first change; the filter it started
 * from is never written to.
 *
 * Keys that are added one by one first make an exact list of up to 128
 * hashes.  The next one turns it into a layer of blocks.  A layer is full
 * when its bits set pass the limit in its record; when every layer is full
 * another one opens, larger and with half the rate, so that the rates of all
 * layers add up to less than twice what was asked for.
 */
#ifndef BLOOMTYPE_FILTER_CHANGE_H
#define BLOOMTYPE_FILTER_CHANGE_H

#include "filter/filter_datum.h"

#include "key/key_hasher.h"
#include "filter/filter_parameters.h"

typedef struct BloomBuild
{
	BbfImage	image;
	const unsigned char *bytes; /* to read: the original's, or of copy */
	struct varlena *copy;		/* to write; null until the first change */
	Datum		original;		/* 0 for a new filter */
} BloomBuild;

/* Start a filter without keys.  The parameters are valid. */
extern void bloomtype_build_new(BloomBuild *build, uint64 capacity, double fpp,
								int growth);

/* Start from a filter, which must live until the build is finished. */
extern void bloomtype_build_from(BloomBuild *build, Datum filter);

/*
 * Give a build other parameters: capacity, fpp, growth and flags.  That of the
 * layers it has stays theirs.
 */
extern void bloomtype_build_set_parameters(BloomBuild *build,
										   const BbfImage *parameters);

/*
 * Add a key.  One that seems present already changes nothing.  Errors: the
 * key is of another family; the filter can take no more keys.
 */
extern void bloomtype_build_add(BloomBuild *build, BloomKey key);

/* The same, but false, and no change, where the filter can take no more. */
extern bool bloomtype_build_try_add(BloomBuild *build, BloomKey key);

/* Give a filter without keys its list: n <= BBF_MAX_LIST hashes, ascending. */
extern void bloomtype_build_set_list(BloomBuild *build, const uint64 *hashes,
									 unsigned n);

/*
 * Open a further layer, and give up the list.  Returns the layer's blocks, all
 * clear, for the caller to fill and to count in image.layers[].nset; they and
 * build->bytes hold until the next change.
 */
extern unsigned char *bloomtype_build_open_layer(BloomBuild *build,
												 uint64 capacity, double fpp,
												 const BbfGeometry *geometry);

/* The result: the original where nothing changed. */
extern Datum bloomtype_build_finish(BloomBuild *build);

#endif							/* BLOOMTYPE_FILTER_CHANGE_H */
