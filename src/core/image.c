/*
 * image.c
 *	  Reads, checks and writes the bytes of a filter; see image.h.
 */
#include "core/image.h"

#include "core/cuckoo.h"
#include "core/family.h"
#include "core/sizing.h"

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
	AT_SIGNATURE = 16,			/* 4 bytes */
	AT_SALT = 20,				/* 8 bytes, zero in hash scheme 1 */
	AT_CAPACITY = 28,			/* 8 bytes */
	AT_FPP = 36,				/* 8 bytes */
	AT_RESERVED_2 = 44			/* 16 bytes, zero */
};

/* Offsets in a layer record */
enum
{
	AT_LAYER_NBLOCKS = 0,		/* 4 bytes */
	AT_LAYER_NPROBES = 4,		/* 1 byte, then 3 reserved, zero */
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
ASSERT_LAYOUT(layer_ends, AT_LAYER_RESERVED_2 + 24 == BBF_LAYER_BYTES);
ASSERT_LAYOUT(blocks_aligned, (4 + BBF_HEADER_BYTES) % BBF_BLOCK_BYTES == 0 &&
			  BBF_LAYER_BYTES % BBF_BLOCK_BYTES == 0);
ASSERT_LAYOUT(block_size, BBF_BLOCK_BYTES * 8 == BBF_BLOCK_BITS);

static bool
all_zero(const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		if (bytes[i] != 0)
			return false;
	}
	return true;
}

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

size_t
bbf_layer_bytes(BbfKind kind, const BbfLayer *layer)
{
	if (kind == BBF_KIND_CUCKOO)
		return (size_t) bbf_cuckoo_bytes(layer->nblocks, layer->nprobes);
	return (size_t) layer->nblocks * bbf_block_bytes(kind);
}

/* Blocks with probes, of bits or of counters. */
static const char *
check_blocks(const BbfLayer *layer, uint32_t max_blocks)
{
	if (layer->nblocks < 1 || layer->nblocks > max_blocks ||
		bbf_form_below(layer->nblocks) != layer->nblocks)
		return "The number of blocks of a layer is not possible.";
	if (layer->nprobes < 1 || layer->nprobes > BBF_MAX_PROBES)
		return "The number of probes of a layer is not between 1 and 24.";
	if (layer->full_at >= (uint64_t) layer->nblocks * BBF_BLOCK_BITS)
		return "The limit of a layer on bits set is as high as its number of bits.";
	if (layer->nset > (uint64_t) layer->nblocks * BBF_BLOCK_BITS)
		return "A layer claims more bits set than it has.";
	return NULL;
}

static const char *
check_buckets(const BbfLayer *layer)
{
	if (layer->nprobes < 1 || layer->nprobes > BBF_MAX_FINGERPRINT_BITS)
		return "The length of a fingerprint is not between 1 and 32 bits.";
	if (layer->nblocks < 2 || layer->nblocks % 2 != 0 ||
		bbf_cuckoo_bytes(layer->nblocks, layer->nprobes) > BBF_MAX_BYTES)
		return "The number of buckets is not possible.";
	if (layer->full_at != 0)
		return "A cuckoo filter has a limit on bits set.";
	if (layer->nset > (uint64_t) layer->nblocks * BBF_BUCKET_PLACES)
		return "There are more fingerprints than places.";
	return NULL;
}

static const char *
read_layer(const unsigned char *record, BbfKind kind, BbfLayer *layer)
{
	const char *reason;

	layer->nblocks = bbf_get32(record + AT_LAYER_NBLOCKS);
	layer->nprobes = record[AT_LAYER_NPROBES];
	layer->capacity = bbf_get64(record + AT_LAYER_CAPACITY);
	layer->fpp = bbf_getdouble(record + AT_LAYER_FPP);
	layer->full_at = bbf_get64(record + AT_LAYER_FULL_AT);
	layer->nset = bbf_get64(record + AT_LAYER_NSET);

	if (kind == BBF_KIND_CUCKOO)
		reason = check_buckets(layer);
	else
		reason = check_blocks(layer, kind == BBF_KIND_BLOOM ? BBF_MAX_BLOCKS :
							  BBF_MAX_COUNTER_BLOCKS);
	if (reason != NULL)
		return reason;
	if (!is_capacity(layer->capacity))
		return "The capacity of a layer is not positive.";
	if (!is_fpp(layer->fpp))
		return "The false-positive probability of a layer is not between 0 and 1.";
	if (kind != BBF_KIND_BLOOM && layer->nset == 0)
		return "There is a layer without keys.";
	if (!all_zero(record + AT_LAYER_RESERVED_1, 3) ||
		!all_zero(record + AT_LAYER_RESERVED_2, 24))
		return "Reserved bytes of a layer are not zero.";
	return NULL;
}

const char *
bbf_image_read(const unsigned char *bytes, size_t available, size_t length,
			   BbfKind kind, BbfImage *image)
{
	uint64_t	nblocks = 0;

	if (available < BBF_HEADER_BYTES || length < BBF_HEADER_BYTES)
		return "It is shorter than a header.";
	if (bytes[AT_KIND] != kind)
		return "It is of another kind of filter.";
	if (bytes[AT_VERSION] != BBF_FORMAT_VERSION)
		return "The format version is unknown.";
	if (bytes[AT_SCHEME] != BBF_HASH_SCHEME)
		return "The hash scheme is unknown.";
	if (bytes[AT_HEADER_BYTES] != BBF_HEADER_BYTES ||
		bytes[AT_LAYER_BYTES] != BBF_LAYER_BYTES)
		return "The length of the header or of a layer record is wrong.";

	image->kind = kind;
	image->growth = bytes[AT_GROWTH];
	image->flags = bbf_get16(bytes + AT_FLAGS);
	image->family = bbf_get16(bytes + AT_FAMILY);
	image->nlist = bbf_get16(bytes + AT_NLIST);
	image->nlayers = bbf_get16(bytes + AT_NLAYERS);
	image->signature = bbf_get32(bytes + AT_SIGNATURE);
	image->capacity = bbf_get64(bytes + AT_CAPACITY);
	image->fpp = bbf_getdouble(bytes + AT_FPP);

	if (image->growth > BBF_MAX_GROWTH)
		return "The growth factor is not between 0 and 100.";
	if (image->flags & ~(unsigned) BBF_KNOWN_FLAGS)
		return "An unknown flag is set.";
	if (image->family > BBF_FAMILY_MAX)
		return "The key family is unknown.";
	if (!bbf_family_is_nested(image->family) && image->signature != 0)
		return "A key family without parts has a signature.";
	if (!is_capacity(image->capacity))
		return "The capacity is not positive.";
	if (!is_fpp(image->fpp))
		return "The false-positive probability is not between 0 and 1.";
	if (!all_zero(bytes + AT_SALT, 8))
		return "A salt is set, which this hash scheme does not have.";
	if (!all_zero(bytes + AT_RESERVED_1, 2) ||
		!all_zero(bytes + AT_RESERVED_2, 16))
		return "Reserved bytes of the header are not zero.";

	if (image->nlist > BBF_MAX_LIST)
		return "The list is longer than 128 hashes.";
	if (image->nlayers > BBF_MAX_LAYERS)
		return "There are more than 64 layers.";
	if (image->nlist > 0 && image->nlayers > 0)
		return "There are both a list and layers.";
	if (kind != BBF_KIND_BLOOM &&
		(image->growth > 0 || image->flags != 0 || image->nlist > 0 ||
		 image->nlayers > 1))
		return "This kind of filter has no growth, no flags, no list, and one layer at most.";
	if ((image->family == BBF_FAMILY_NONE) !=
		(image->nlist == 0 && image->nlayers == 0))
		return "There are keys without a key family, or the reverse.";

	if (available < BBF_HEADER_BYTES + (size_t) image->nlayers * BBF_LAYER_BYTES)
		return "It is shorter than its layer records.";
	for (unsigned i = 0; i < image->nlayers; i++)
	{
		const char *reason = read_layer(bytes + BBF_HEADER_BYTES +
										(size_t) i * BBF_LAYER_BYTES,
										kind, &image->layers[i]);

		if (reason != NULL)
			return reason;
		nblocks += image->layers[i].nblocks;
	}
	if (kind == BBF_KIND_CUCKOO && image->nlayers > 0 &&
		(image->layers[0].capacity != image->capacity ||
		 image->layers[0].fpp != image->fpp))
		return "The capacity or probability of the layer is not that of the header.";
	if (kind == BBF_KIND_BLOOM && nblocks > BBF_MAX_BLOCKS)
		return "The layers together have more than 512 MB of blocks.";
	if (bbf_image_lay_out(image) != length)
		return "Its length does not match what its header says.";
	return NULL;
}

/* Is nset what the blocks or buckets have? */
static bool
is_counted(const unsigned char *blocks, BbfKind kind, const BbfLayer *layer)
{
	uint64_t	nset = 0;

	switch (kind)
	{
		case BBF_KIND_BLOOM:
			nset = bbf_blocks_count(blocks, layer->nblocks);
			break;
		case BBF_KIND_COUNTING_BLOOM:
			nset = bbf_counters_count(blocks, layer->nblocks);
			break;
		case BBF_KIND_CUCKOO:
			if (!bbf_cuckoo_check(blocks, layer->nblocks, layer->nprobes, &nset))
				return false;
			break;
	}
	return nset == layer->nset;
}

static const char *const not_counted[] = {
	[BBF_KIND_BLOOM] =
	"The number of bits set in a layer is not what its record says.",
	[BBF_KIND_COUNTING_BLOOM] =
	"The number of counters above zero is not what the record of the layer says.",
	[BBF_KIND_CUCKOO] =
	"The buckets are not as full as the record of the layer says, or not in order.",
};

const char *
bbf_image_validate(const unsigned char *bytes, size_t length, BbfKind kind,
				   BbfImage *image)
{
	const char *reason = bbf_image_read(bytes, length, length, kind, image);

	if (reason != NULL)
		return reason;

	for (unsigned i = 1; i < image->nlist; i++)
	{
		if (bbf_list_get(bytes, i - 1) >= bbf_list_get(bytes, i))
			return "The hashes of the list are not in ascending order.";
	}
	for (unsigned i = 0; i < image->nlayers; i++)
	{
		const BbfLayer *layer = &image->layers[i];

		if (!is_counted(bytes + layer->offset, kind, layer))
			return not_counted[kind];
	}
	return NULL;
}

void
bbf_image_init(BbfImage *image, BbfKind kind, uint64_t capacity, double fpp,
			   int growth)
{
	image->kind = kind;
	image->growth = growth;
	image->flags = 0;
	image->family = BBF_FAMILY_NONE;
	image->signature = 0;
	image->capacity = capacity;
	image->fpp = fpp;
	image->nlist = 0;
	image->nlayers = 0;
	(void) bbf_image_lay_out(image);
}

size_t
bbf_image_lay_out(BbfImage *image)
{
	size_t		length = BBF_HEADER_BYTES + (size_t) image->nlist * 8 +
		(size_t) image->nlayers * BBF_LAYER_BYTES;

	for (unsigned i = 0; i < image->nlayers; i++)
	{
		image->layers[i].offset = length;
		length += bbf_layer_bytes(image->kind, &image->layers[i]);
	}
	image->length = length;
	return length;
}

void
bbf_image_write_head(const BbfImage *image, unsigned char *bytes)
{
	memset(bytes, 0, BBF_HEADER_BYTES);
	bytes[AT_KIND] = (unsigned char) image->kind;
	bytes[AT_VERSION] = BBF_FORMAT_VERSION;
	bytes[AT_SCHEME] = BBF_HASH_SCHEME;
	bytes[AT_HEADER_BYTES] = BBF_HEADER_BYTES;
	bytes[AT_LAYER_BYTES] = BBF_LAYER_BYTES;
	bytes[AT_GROWTH] = (unsigned char) image->growth;
	bbf_put16(bytes + AT_FLAGS, (uint16_t) image->flags);
	bbf_put16(bytes + AT_FAMILY, (uint16_t) image->family);
	bbf_put16(bytes + AT_NLIST, (uint16_t) image->nlist);
	bbf_put16(bytes + AT_NLAYERS, (uint16_t) image->nlayers);
	bbf_put32(bytes + AT_SIGNATURE, image->signature);
	bbf_put64(bytes + AT_CAPACITY, image->capacity);
	bbf_putdouble(bytes + AT_FPP, image->fpp);

	for (unsigned i = 0; i < image->nlayers; i++)
	{
		const BbfLayer *layer = &image->layers[i];
		unsigned char *record = bytes + BBF_HEADER_BYTES +
			(size_t) i * BBF_LAYER_BYTES;

		memset(record, 0, BBF_LAYER_BYTES);
		bbf_put32(record + AT_LAYER_NBLOCKS, layer->nblocks);
		record[AT_LAYER_NPROBES] = (unsigned char) layer->nprobes;
		bbf_put64(record + AT_LAYER_CAPACITY, layer->capacity);
		bbf_putdouble(record + AT_LAYER_FPP, layer->fpp);
		bbf_put64(record + AT_LAYER_FULL_AT, layer->full_at);
		bbf_put64(record + AT_LAYER_NSET, layer->nset);
	}
}

unsigned
bbf_list_find(const BbfImage *image, const unsigned char *bytes,
			  uint64_t hash, bool *found)
{
	unsigned	low = 0;
	unsigned	high = image->nlist;

	while (low < high)
	{
		unsigned	middle = low + (high - low) / 2;

		if (bbf_list_get(bytes, middle) < hash)
			low = middle + 1;
		else
			high = middle;
	}
	*found = low < image->nlist && bbf_list_get(bytes, low) == hash;
	return low;
}

bool
bbf_image_contains_general(const BbfImage *image, const unsigned char *bytes,
						   uint64_t hash)
{
	bool		found;

	if (image->nlayers == 0)
	{
		(void) bbf_list_find(image, bytes, hash, &found);
		return found;
	}

	/* the last layer is the largest and has most of the keys */
	for (unsigned i = image->nlayers; i > 0; i--)
	{
		const BbfLayer *layer = &image->layers[i - 1];

		if (bbf_blocks_test(bytes + layer->offset, layer->nblocks,
							layer->nprobes, hash))
			return true;
	}
	return false;
}

int
bbf_image_count(const BbfImage *image, const unsigned char *bytes, uint64_t hash)
{
	const BbfLayer *layer = &image->layers[0];

	if (image->nlayers == 0)
		return 0;
	bytes += layer->offset;
	if (image->kind == BBF_KIND_CUCKOO)
		return bbf_cuckoo_count(bytes, layer->nblocks, layer->nprobes, hash);
	return bbf_counters_least(bytes + bbf_counters_offset(hash, layer->nblocks),
							  layer->nprobes, hash);
}
