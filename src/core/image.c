/*
 * image.c
 *	  Reads, checks and writes the bytes of a filter.
 */
#include "core/image.h"

#include "core/family.h"

/* Offsets in the header */
enum
{
	AT_KIND = 0,				/* 1 byte each: */
	AT_VERSION = 1,
	AT_SCHEME = 2,
	AT_HEADER_BYTES = 3,
	AT_LAYER_BYTES = 4,
	AT_GROWTH = 5,
	AT_FLAGS = 6,				/* 2 bytes each: */
	AT_FAMILY = 8,
	AT_NLIST = 10,
	AT_NLAYERS = 12,
	AT_RESERVED_1 = 14,			/* 2 bytes, zero */
	AT_SUBTYPE = 16,			/* 4 bytes */
	AT_SALT = 20,				/* 8 bytes, zero in hash scheme 1 */
	AT_CAPACITY = 28,			/* 8 bytes */
	AT_FPP = 36,				/* 8 bytes */
	AT_RESERVED_2 = 44			/* 16 bytes, zero */
};

/* Offsets in a layer record */
enum
{
	AT_LAYER_NBINS = 0,			/* 4 bytes */
	AT_LAYER_KEY_BITS = 4,		/* 1 byte, then 3 reserved, zero */
	AT_LAYER_RESERVED_1 = 5,
	AT_LAYER_CAPACITY = 8,		/* 8 bytes each: */
	AT_LAYER_FPP = 16,
	AT_LAYER_FULL_AT = 24,
	AT_LAYER_NSET = 32,
	AT_LAYER_RESERVED_2 = 40	/* 24 bytes, zero */
};

/* C99 has no static assertion; a negative array size serves. */
#define ASSERT_LAYOUT(name, condition) \
	typedef char assert_ ## name[(condition) ? 1 : -1]

ASSERT_LAYOUT(header_ends, AT_RESERVED_2 + 16 == BBF_HEADER_BYTES);
ASSERT_LAYOUT(layer_ends, AT_LAYER_RESERVED_2 + 24 == BBF_LAYER_RECORD_BYTES);
ASSERT_LAYOUT(blocks_aligned, (4 + BBF_HEADER_BYTES) % BBF_BLOCK_BYTES == 0 &&
			  BBF_LAYER_RECORD_BYTES % BBF_BLOCK_BYTES == 0);
ASSERT_LAYOUT(block_size, BBF_BLOCK_BYTES * 8 == BBF_BLOCK_BITS);

/* False for NaN as well. */
static bool
is_fpp(double fpp)
{
	return fpp > 0.0 && fpp < 1.0;
}

static bool
is_capacity(uint64_t capacity)
{
	return capacity >= 1 && capacity <= INT64_MAX;
}

static const char *
read_layer(const unsigned char *record, const BbfKindRoutine *routine,
		   BbfLayer *layer)
{
	const char *reason;

	layer->nbins = bbf_get32(record + AT_LAYER_NBINS);
	layer->key_bits = record[AT_LAYER_KEY_BITS];
	layer->capacity = bbf_get64(record + AT_LAYER_CAPACITY);
	layer->fpp = bbf_getdouble(record + AT_LAYER_FPP);
	layer->full_at = bbf_get64(record + AT_LAYER_FULL_AT);
	layer->nset = bbf_get64(record + AT_LAYER_NSET);

	reason = routine->check_layer(layer);
	if (reason != NULL)
		return reason;
	if (!is_capacity(layer->capacity))
		return "The capacity of a layer is not positive.";
	if (!is_fpp(layer->fpp))
		return "The false-positive rate of a layer is not between 0 and 1.";
	if (!bbf_has_trait(routine, BBF_TRAIT_INTERSECTION) && layer->nset == 0)
		return "There is a layer without keys.";
	if (!bbf_all_zero(record + AT_LAYER_RESERVED_1, 3) ||
		!bbf_all_zero(record + AT_LAYER_RESERVED_2, 24))
		return "Reserved bytes of a layer are not zero.";
	return NULL;
}

const char *
bbf_meta_read_records(const unsigned char *bytes, size_t available, BbfKind kind,
					  BbfMeta *meta)
{
	const BbfKindRoutine *routine;
	uint64_t	nbytes = 0;

	if (available < BBF_HEADER_BYTES)
		return "It is shorter than a header.";
	if (kind == BBF_KIND_ANY ? !bbf_kind_is_valid(bytes[AT_KIND]) :
		bytes[AT_KIND] != kind)
		return "It is of another kind of filter.";
	if (bytes[AT_VERSION] != BBF_FORMAT_VERSION)
		return "The format version is unknown.";
	if (bytes[AT_SCHEME] != BBF_HASH_SCHEME)
		return "The hash scheme is unknown.";
	if (bytes[AT_HEADER_BYTES] != BBF_HEADER_BYTES ||
		bytes[AT_LAYER_BYTES] != BBF_LAYER_RECORD_BYTES)
		return "The length of the header or of a layer record is wrong.";

	meta->kind = (BbfKind) bytes[AT_KIND];
	routine = bbf_kind_routine(meta->kind);
	meta->growth = bytes[AT_GROWTH];
	meta->flags = bbf_get16(bytes + AT_FLAGS);
	meta->family = bbf_get16(bytes + AT_FAMILY);
	meta->nlist = bbf_get16(bytes + AT_NLIST);
	meta->nlayers = bbf_get16(bytes + AT_NLAYERS);
	meta->subtype = bbf_get32(bytes + AT_SUBTYPE);
	meta->capacity = bbf_get64(bytes + AT_CAPACITY);
	meta->fpp = bbf_getdouble(bytes + AT_FPP);

	if (meta->growth > BBF_MAX_GROWTH)
		return "The growth factor is not between 0 and 100.";
	if (meta->flags & ~(unsigned) BBF_KNOWN_FLAGS)
		return "An unknown flag is set.";
	if (meta->family > BBF_FAMILY_MAX)
		return "The key family is unknown.";
	if (!bbf_family_is_nested(meta->family) && meta->subtype != 0)
		return "A key family without parts has a subtype.";
	if (!is_capacity(meta->capacity))
		return "The capacity is not positive.";
	if (!is_fpp(meta->fpp))
		return "The false-positive rate is not between 0 and 1.";
	if (!bbf_all_zero(bytes + AT_SALT, 8))
		return "A salt is set, which this hash scheme does not have.";
	if (!bbf_all_zero(bytes + AT_RESERVED_1, 2) ||
		!bbf_all_zero(bytes + AT_RESERVED_2, 16))
		return "Reserved bytes of the header are not zero.";

	if (meta->nlist > BBF_MAX_LIST)
		return "The list is longer than 128 hashes.";
	if (meta->nlayers > BBF_MAX_LAYERS)
		return "There are more than 64 layers.";
	if (meta->nlist > 0 && meta->nlayers > 0)
		return "There are both a list and layers.";
	if ((!bbf_has_trait(routine, BBF_TRAIT_GROWTH) && (meta->growth > 0 || meta->nlayers > 1)) ||
		(!bbf_has_trait(routine, BBF_TRAIT_INTERSECTION) && meta->flags != 0) ||
		(!bbf_has_trait(routine, BBF_TRAIT_LIST) && meta->nlist > 0))
		return routine->header_reason;
	if ((meta->family == BBF_FAMILY_NONE) !=
		(meta->nlist == 0 && meta->nlayers == 0))
		return "There are keys without a key family, or the reverse.";

	if (available < BBF_HEADER_BYTES + (size_t) meta->nlayers * BBF_LAYER_RECORD_BYTES)
		return "It is shorter than its layer records.";
	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		const char *reason = read_layer(bytes + BBF_HEADER_BYTES +
										(size_t) i * BBF_LAYER_RECORD_BYTES,
										routine, &meta->layers[i]);

		if (reason != NULL)
			return reason;
		nbytes += bbf_bins_bytes(routine, &meta->layers[i]);
	}
	if (bbf_has_trait(routine, BBF_TRAIT_LAYER_REPEATS_HEADER) && meta->nlayers > 0 &&
		(meta->layers[0].capacity != meta->capacity ||
		 meta->layers[0].fpp != meta->fpp))
		return "The capacity or rate of the layer is not that of the header.";
	if (nbytes > BBF_MAX_BYTES)
		return "The layers together have more than 512 MB of blocks.";
	meta->length = bbf_bins_start(meta) + (size_t) nbytes;
	return NULL;
}

const char *
bbf_meta_read(const unsigned char *bytes, size_t available, size_t length,
			  BbfKind kind, BbfMeta *meta)
{
	const char *reason = bbf_meta_read_records(bytes, available, kind, meta);

	if (reason == NULL && meta->length != length)
		reason = "Its length does not match what its header says.";
	return reason;
}

static bool
bins_are_valid(const BbfKindRoutine *routine, const BbfLayer *layer,
			   const unsigned char *bins, BbfPause pause)
{
	BbfLayer	piece;
	uint64_t	nset = 0;

	for (uint32_t first = 0; first < layer->nbins; first += piece.nbins)
	{
		size_t		offset;
		uint64_t	piece_nset;

		bbf_pause(pause);
		piece = bbf_piece_of_layer(routine, layer, first, &offset);
		if (!routine->check_bins(&piece, bins + offset, &piece_nset))
			return false;
		nset += piece_nset;
	}
	return nset == layer->nset;
}

const char *
bbf_image_validate(const unsigned char *bytes, size_t length, BbfKind kind,
				   BbfMeta *meta, BbfPause pause)
{
	const BbfKindRoutine *routine;
	const unsigned char *list = bbf_image_list(bytes);
	const unsigned char *bins;
	const char *reason = bbf_meta_read(bytes, length, length, kind, meta);

	if (reason != NULL)
		return reason;

	for (unsigned i = 1; i < meta->nlist; i++)
	{
		if (bbf_list_get(list, i - 1) >= bbf_list_get(list, i))
			return "The hashes of the list are not in ascending order.";
	}
	routine = bbf_kind_routine(meta->kind);
	bins = bytes + bbf_bins_start(meta);
	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		if (!bins_are_valid(routine, &meta->layers[i], bins, pause))
			return routine->bins_reason;
		bins += bbf_bins_bytes(routine, &meta->layers[i]);
	}
	return NULL;
}

void
bbf_meta_init(BbfMeta *meta, BbfKind kind, uint64_t capacity, double fpp,
			  int growth)
{
	meta->kind = kind;
	meta->growth = growth;
	meta->capacity = capacity;
	meta->fpp = fpp;
	bbf_meta_clear(meta);
}

void
bbf_meta_clear(BbfMeta *meta)
{
	meta->flags = 0;
	meta->family = BBF_FAMILY_NONE;
	meta->subtype = 0;
	meta->nlist = 0;
	meta->nlayers = 0;
	(void) bbf_meta_lay_out(meta);
}

void
bbf_meta_unite_parameters(BbfMeta *result, const BbfMeta *a, const BbfMeta *b)
{
	const uint64_t largest = a->capacity > b->capacity ? a->capacity : b->capacity;
	uint64_t	capacity = largest;
	double		fpp = a->fpp > b->fpp ? a->fpp : b->fpp;
	int			growth = a->growth < b->growth ? a->growth : b->growth;

	if (growth == 0)
		growth = a->growth + b->growth;
	if (bbf_meta_has_keys(a) != bbf_meta_has_keys(b))
	{
		const BbfMeta *side = bbf_meta_has_keys(a) ? a : b;

		fpp = side->fpp;
		growth = side->growth;
		if (side->capacity < largest &&
			bbf_size_blocks(largest, fpp).nbins > BBF_MAX_BLOCKS)
			capacity = side->capacity;
	}

	result->capacity = capacity;
	result->fpp = fpp;
	result->growth = growth;
	result->flags = a->flags | b->flags;
}

uint64_t
bbf_saturating_product(uint64_t capacity, int growth)
{
	if (growth > 0 && capacity > (uint64_t) INT64_MAX / (unsigned) growth)
		return INT64_MAX;
	return capacity * (unsigned) growth;
}

uint64_t
bbf_first_capacity(BbfKind kind, uint64_t capacity, int growth)
{
	const BbfKindRoutine *routine = bbf_kind_routine(kind);
	uint64_t	least;

	if (bbf_has_trait(routine, BBF_TRAIT_LAYER_REPEATS_HEADER))
		return capacity;
	if (!bbf_has_trait(routine, BBF_TRAIT_GROWTH))
		growth = BBF_DEFAULT_GROWTH;
	least = bbf_saturating_product(BBF_MAX_LIST, growth > 1 ? growth : 1);
	return capacity > least ? capacity : least;
}

size_t
bbf_meta_lay_out(BbfMeta *meta)
{
	const BbfKindRoutine *routine = bbf_kind_routine(meta->kind);

	meta->length = bbf_bins_start(meta);
	for (unsigned i = 0; i < meta->nlayers; i++)
		meta->length += bbf_bins_bytes(routine, &meta->layers[i]);
	return meta->length;
}

void
bbf_meta_write(const BbfMeta *meta, unsigned char *bytes)
{
	memset(bytes, 0, BBF_HEADER_BYTES);
	bytes[AT_KIND] = (unsigned char) meta->kind;
	bytes[AT_VERSION] = BBF_FORMAT_VERSION;
	bytes[AT_SCHEME] = BBF_HASH_SCHEME;
	bytes[AT_HEADER_BYTES] = BBF_HEADER_BYTES;
	bytes[AT_LAYER_BYTES] = BBF_LAYER_RECORD_BYTES;
	bytes[AT_GROWTH] = (unsigned char) meta->growth;
	bbf_put16(bytes + AT_FLAGS, (uint16_t) meta->flags);
	bbf_put16(bytes + AT_FAMILY, (uint16_t) meta->family);
	bbf_put16(bytes + AT_NLIST, (uint16_t) meta->nlist);
	bbf_put16(bytes + AT_NLAYERS, (uint16_t) meta->nlayers);
	bbf_put32(bytes + AT_SUBTYPE, meta->subtype);
	bbf_put64(bytes + AT_CAPACITY, meta->capacity);
	bbf_putdouble(bytes + AT_FPP, meta->fpp);

	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		const BbfLayer *layer = &meta->layers[i];
		unsigned char *record = bytes + BBF_HEADER_BYTES +
			(size_t) i * BBF_LAYER_RECORD_BYTES;

		memset(record, 0, BBF_LAYER_RECORD_BYTES);
		bbf_put32(record + AT_LAYER_NBINS, layer->nbins);
		record[AT_LAYER_KEY_BITS] = (unsigned char) layer->key_bits;
		bbf_put64(record + AT_LAYER_CAPACITY, layer->capacity);
		bbf_putdouble(record + AT_LAYER_FPP, layer->fpp);
		bbf_put64(record + AT_LAYER_FULL_AT, layer->full_at);
		bbf_put64(record + AT_LAYER_NSET, layer->nset);
	}
}

/*
 * Where fewer keys than this share of those that came to a layer were added,
 * the error of the rates before it is multiplied too often: the rates of
 * several layers are taken as independent, and are not.
 */
#define LEAST_ADDED		0.5

/*
 * Where a union had too many layers or blocks, it has merged some.  A merged
 * layer is mostly saturated, which adding keys never leads to where a filter
 * grows.  Neither the number of its keys is known, nor behind which layers
 * they were added.
 */
static bool
may_have_merged(const BbfMeta *meta)
{
	uint64_t	nbins = 0;

	for (unsigned i = 0; i < meta->nlayers; i++)
		nbins += meta->layers[i].nbins;
	return meta->nlayers == BBF_MAX_LAYERS || (meta->nlayers > 1 && nbins > BBF_MAX_BLOCKS / 2);
}

bool
bbf_meta_layer_keys(const BbfMeta *meta, BbfLayerKeys *layers)
{
	const BbfKindRoutine *routine = bbf_kind_routine(meta->kind);
	const bool	may_be_merged = may_have_merged(meta);
	bool		estimable = true;

	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		const BbfLayer *layer = &meta->layers[i];

		layers[i].fpp = layer->fpp;
		layers[i].capacity = (double) layer->capacity;
		layers[i].is_full = bbf_layer_is_full(layer);
		layers[i].keys = routine->keys(layer);
		/* a single layer has none before it */
		layers[i].rate = meta->nlayers > 1 ? routine->fpp(layer) : 0.0;
		estimable = estimable && routine->can_estimate_keys(layer) &&
			!(may_be_merged && routine->is_saturated(layer));
	}
	bbf_estimate_added(layers, meta->nlayers, meta->growth);
	for (unsigned i = 0; i < meta->nlayers; i++)
		estimable = estimable && layers[i].added >= LEAST_ADDED;
	return estimable;
}

double
bbf_meta_keys(const BbfMeta *meta)
{
	BbfLayerKeys layers[BBF_MAX_LAYERS];
	bool		estimable = bbf_meta_layer_keys(meta, layers);
	double		keys = meta->nlist;

	for (unsigned i = 0; i < meta->nlayers; i++)
		keys += estimable ? layers[i].keys / layers[i].added : layers[i].keys;
	return keys;
}

bool
bbf_meta_can_estimate_keys(const BbfMeta *meta)
{
	BbfLayerKeys layers[BBF_MAX_LAYERS];

	return bbf_meta_layer_keys(meta, layers);
}

double
bbf_meta_fpp(const BbfMeta *meta)
{
	double		fpp = 0.0;

	/* 1 - (1 - a)(1 - b), in a form that keeps tiny rates */
	for (unsigned i = 0; i < meta->nlayers; i++)
		fpp += bbf_kind_routine(meta->kind)->fpp(&meta->layers[i]) * (1.0 - fpp);
	return fpp;
}

bool
bbf_meta_is_saturated(const BbfMeta *meta)
{
	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		if (bbf_kind_routine(meta->kind)->is_saturated(&meta->layers[i]))
			return true;
	}
	return false;
}
