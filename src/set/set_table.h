/*
 * set_table.h
 *	  A live set: the image of a Bloom filter, cut into rows of a table.
 *
 * The table has the columns slice int, layer int and bits bytea, and the
 * primary key (slice, layer).  A layer of blocks is one array of bits, as in
 * an image (core/layer.h).  It has these rows:
 *
 *		slice 0 ..	SET_SLICE_BLOCKS blocks each, the last one what is left
 *		slice -1	its head: an image's header and layer record, whose nset is
 *					0, and then what an image has no place for
 *		slice -2	its seal, empty until it is sealed; see set_layers.h
 *
 * A key is in one block of a layer, and so in one row.  Layers are numbered
 * from 0; each belongs to a window, and windows are numbered from 1.  The
 * layers of the last `windows' windows are live, that of the highest number
 * is the newest, and keys go there.
 *
 * Slices are read by the primary key, in a snapshot, as the caller.  They are
 * changed as an UPDATE of his would change them: locks, triggers, replication
 * and rights are the same.
 *
 * FORMAT.md describes the bytes.
 */
#ifndef BLOOMTYPE_SET_TABLE_H
#define BLOOMTYPE_SET_TABLE_H

#include "core/image.h"
#include "datatype/timestamp.h"
#include "fmgr.h"
#include "nodes/parsenodes.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

#define SET_COLUMNS			3

/* 1 kB: three rows and their next versions fit into a page. */
#define SET_SLICE_BLOCKS	16
#define SET_SLICE_BYTES		(SET_SLICE_BLOCKS * BBF_BLOCK_BYTES)

#define SET_HEAD			(-1)
#define SET_SEAL			(-2)
#define SET_HEAD_BYTES		(BBF_FIRST_BINS + 32)

/* Each window has its share of the rate; more would have next to nothing. */
#define SET_MAX_WINDOWS		64

typedef struct SetLayer
{
	int			number;
	int64		window;
	int			number_in_window;	/* from 0 */
	TimestampTz opened;			/* the window was */
	int			windows;		/* to be kept */
	bool		is_sealed;
	TransactionId xmin;			/* of its head */
	unsigned	family;
	uint32		subtype;
	int			growth;
	uint64		capacity;		/* of the window, as requested */
	double		fpp;			/* of the set, as requested */
	BbfLayer	layer;
} SetLayer;

typedef struct BloomSet
{
	Relation	table;
	LOCKMODE	lock;
	bool		is_alone;		/* nobody else adds keys until we end */
	Oid			index;			/* its primary key */
	Snapshot	snapshot;		/* of what has been read */
	int			nlayers;		/* 0 before blt_set_read_layers() */
	SetLayer   *layers;			/* those that are live, in ascending order */
	int			nallocated;

	/* the slice of the newest layer that was read last in the snapshot */
	int			last_slice;		/* -1: none */
	ItemPointerData last_tid;
	unsigned char last_bits[SET_SLICE_BYTES];
} BloomSet;

/* The least lock on the table by which nobody else adds keys */
#define SET_ALONE_LOCK	ShareRowExclusiveLock

/*
 * Open a set; it stays locked until the transaction or subtransaction ends.
 * The caller needs SELECT on the table.  Errors: it is not the table of a set,
 * or gone; he may not read it; row security would hide rows from him.
 */
extern void blt_set_open(BloomSet *set, Oid table, LOCKMODE lock);

/* The same; false, and it is not open, if there is no such table of a set. */
extern bool blt_set_try_open(BloomSet *set, Oid table, LOCKMODE lock);

/* Error unless the caller has a privilege on a table. */
extern void blt_set_check_privilege(Oid table, AclMode privilege);

extern void blt_set_close(BloomSet *set);

/* Close it, and let go of the lock that was taken since it was opened. */
extern void blt_set_close_and_unlock(BloomSet *set);

/*
 * Keep all others from adding keys from now on, in place of the lock that was
 * taken before.  False if one has to wait for that.
 */
extern bool blt_set_be_alone_at_once(BloomSet *set);

/*
 * Read the layers that are live in a snapshot, which must stay registered
 * or active while the set is read.  Errors: there is no layer, unless
 * missing_ok; a head is missing or damaged.
 */
extern void blt_set_read_layers(BloomSet *set, Snapshot snapshot, bool missing_ok);

static inline const SetLayer *
blt_set_newest(const BloomSet *set)
{
	return &set->layers[set->nlayers - 1];
}

/* The number of slices of a layer, and of bytes of one of them */
static inline int
blt_set_nslices(const SetLayer *layer)
{
	return (int) ((layer->layer.nbins + SET_SLICE_BLOCKS - 1) / SET_SLICE_BLOCKS);
}

static inline int
blt_set_slice_bytes(const SetLayer *layer, int slice)
{
	uint32		blocks = layer->layer.nbins - (uint32) slice * SET_SLICE_BLOCKS;

	return (int) Min(blocks, SET_SLICE_BLOCKS) * BBF_BLOCK_BYTES;
}

/* The slice of a hash, and its block there */
static inline int
blt_set_slice(const SetLayer *layer, uint64 hash)
{
	return (int) (bbf_block_index(hash, layer->layer.nbins) / SET_SLICE_BLOCKS);
}

static inline int
blt_set_block(const SetLayer *layer, uint64 hash)
{
	return (int) (bbf_block_index(hash, layer->layer.nbins) % SET_SLICE_BLOCKS);
}

/* A row of the table */
typedef struct SetRow
{
	int			slice;
	int			layer;
	const unsigned char *bits;	/* of the tuple, or a copy if it has others */
	int			nbytes;			/* -1: null */
} SetRow;

extern SetRow blt_set_get_row(const BloomSet *set, HeapTuple tuple);

/* Error unless a row, of a slice of a layer, has bits of the right length. */
extern void blt_set_check_slice(const BloomSet *set, const SetLayer *layer, const SetRow *row);

/*
 * Copy the bits of a slice, SET_SLICE_BYTES at most, as a snapshot has them,
 * and say where the row is.  False if there is none.  Errors: it is damaged.
 */
extern bool blt_set_find_slice(BloomSet *set, const SetLayer *layer, int slice, Snapshot snapshot,
							   unsigned char *bits, ItemPointer tid);

/* The same in the snapshot of the set.  Errors: also if the row is missing. */
extern void blt_set_read_slice(BloomSet *set, const SetLayer *layer, int slice,
							   unsigned char *bits);

/* Is a key in a slice of the layer? */
static inline bool
blt_set_slice_contains(const SetLayer *layer, const unsigned char *bits, uint64 hash)
{
	return bbf_block_contains(bits + blt_set_block(layer, hash) * BBF_BLOCK_BYTES,
							  layer->layer.key_bits, hash);
}

/* The error for a row that is missing, or not as it should be: a sentence. */
pg_noreturn extern void blt_set_report_damage(const BloomSet *set, int layer, int slice,
											  const char *reason);

/* The metadata of a filter with the parameters of a layer, without layers */
extern void blt_set_init_meta(const SetLayer *layer, BbfMeta *meta);

/* The head of a layer as bytes, SET_HEAD_BYTES of them. */
extern void blt_set_write_head(const SetLayer *layer, unsigned char *bytes);

#endif							/* BLOOMTYPE_SET_TABLE_H */
