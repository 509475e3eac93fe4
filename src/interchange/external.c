/*
 * external.c
 *	  The table of external formats, and what is done alike for all of them.
 */
#include "interchange/external.h"

#include <string.h>

#include "core/blocked.h"
#include "core/bytes.h"
#include "core/kind.h"
#include "interchange/external_formats.h"

const BbfExternalFormat *const bbf_external_formats[] = {
	&bbf_external_guava[0],
	&bbf_external_guava[1],
	&bbf_external_guava[2],
	&bbf_external_guava[3],
	&bbf_external_parquet[0],
	&bbf_external_parquet[1],
	&bbf_external_parquet[2],
	&bbf_external_parquet[3],
	&bbf_external_parquet[4],
	&bbf_external_parquet[5],
	&bbf_external_parquet[6],
	&bbf_external_spark[0],
	&bbf_external_spark[1],
	&bbf_external_go[0],
	&bbf_external_redis[0],
	&bbf_external_leveldb[0]
};

const int	bbf_external_nformats =
sizeof(bbf_external_formats) / sizeof(bbf_external_formats[0]);

const BbfExternalFormat *
bbf_external_by_name(const char *name, size_t length)
{
	for (int i = 0; i < bbf_external_nformats; i++)
	{
		const BbfExternalFormat *format = bbf_external_formats[i];

		if (strlen(format->name) == length &&
			memcmp(format->name, name, length) == 0)
			return format;
	}
	return NULL;
}

/* All but the links, of which each format sets its own. */
static void
clear_meta(BbfExternalMeta *meta)
{
	memset(meta, 0, offsetof(BbfExternalMeta, links) + sizeof(meta->links[0]));
}

/*
 * What follows from the number of bits of each link, unless the format set it.
 */
static void
complete_links(BbfExternalMeta *meta)
{
	for (unsigned i = 0; i < meta->nlinks; i++)
	{
		BbfExternalLink *link = &meta->links[i];

		link->reciprocal = UINT64_MAX / link->nbits;
		if (link->nprobed == 0)
			link->nprobed = link->nbits;
	}
}

const char *
bbf_external_parameter_refusal(const BbfExternalFormat *format, double parameter)
{
	if (format->parameter == BBF_EXTERNAL_FPP)
		return parameter > 0.0 && parameter < 1.0 ? NULL :
			"The false-positive rate is not between 0 and 1.";
	return parameter >= 1.0 && parameter <= INT32_MAX &&
		parameter == (double) (int32_t) parameter ? NULL :
		"The number of bits per key is not a positive whole number.";
}

const char *
bbf_external_size(const BbfExternalFormat *format, uint64_t capacity,
				  double parameter, BbfExternalMeta *meta)
{
	const char *reason = bbf_external_parameter_refusal(format, parameter);

	if (reason != NULL)
		return reason;
	clear_meta(meta);
	if (capacity == 0 && format->parameter == BBF_EXTERNAL_FPP)
		capacity = 1;
	reason = format->size(capacity, parameter, meta);
	if (reason != NULL)
		return reason;
	if (meta->length > BBF_EXTERNAL_MAX_MADE)
		return BBF_EXTERNAL_TOO_LARGE;
	complete_links(meta);
	return NULL;
}

const char *
bbf_external_read(const BbfExternalFormat *format, const unsigned char *header,
				  size_t length, BbfExternalMeta *meta)
{
	const char *reason;

	if (length > BBF_MAX_BYTES + BBF_EXTERNAL_MAX_HEADER)
		return "It is longer than 512 MB.";
	clear_meta(meta);
	reason = format->read(header, length, meta);
	if (reason != NULL)
		return reason;
	for (unsigned i = 0; i < meta->nlinks; i++)
	{
		if (meta->links[i].nprobes > BBF_EXTERNAL_MAX_PROBES)
			return "It has more than 65535 probes.";
	}
	meta->length = length;
	complete_links(meta);
	return NULL;
}

/*
 * Set which slice comes next, or what the filter answers.  A bit that is not
 * stored is unset, so the next link decides.
 */
static void
choose_slice(const BbfExternalFormat *format, const BbfExternalMeta *meta,
			 const uint64_t *hash, BbfExternalProbe *probe)
{
	probe->needs_slice = false;
	probe->found = false;
	while (probe->link < meta->nlinks)
	{
		const BbfExternalLink *link = &meta->links[probe->link];

		if (probe->next >= (format->one_slice ? 1 : link->nprobes))
		{
			probe->found = true;
			return;
		}
		format->find_slice(meta, link, hash, probe->next, &probe->slice);
		probe->next++;
		if (probe->slice.length > 0)
		{
			probe->needs_slice = true;
			return;
		}
		probe->link++;
		probe->next = 0;
	}
}

void
bbf_external_probe_start(const BbfExternalFormat *format,
						 const BbfExternalMeta *meta, const uint64_t *hash,
						 BbfExternalProbe *probe)
{
	probe->link = 0;
	probe->next = 0;
	choose_slice(format, meta, hash, probe);
}

void
bbf_external_probe_go_on(const BbfExternalFormat *format,
						 const BbfExternalMeta *meta, const uint64_t *hash,
						 const unsigned char *bytes, BbfExternalProbe *probe)
{
	if (!format->test_slice(&probe->slice, bytes, hash))
	{
		probe->link++;
		probe->next = 0;
	}
	choose_slice(format, meta, hash, probe);
}

const char *
bbf_external_union_refusal(const BbfExternalFormat *format,
						   const BbfExternalMeta *a, const BbfExternalMeta *b)
{
	const char *reason = NULL;

	if (format->union_refusal != NULL)
		reason = format->union_refusal(a, b);
	if (reason != NULL)
		return reason;
	if (a->links[0].nbits != b->links[0].nbits)
		return "The filters have different numbers of bits.";
	if (a->links[0].nprobes != b->links[0].nprobes)
		return "The filters have different numbers of probes.";
	return NULL;
}

bool
bbf_external_unites_into_second(const BbfExternalMeta *a, const BbfExternalMeta *b)
{
	if (a->links[0].nstored != b->links[0].nstored)
		return b->links[0].nstored > a->links[0].nstored;
	return b->length > a->length;
}

/* Bytes of the next piece, of those that are left. */
static size_t
piece_bytes(size_t left)
{
	return left < BBF_PIECE_BYTES ? left : BBF_PIECE_BYTES;
}

static void
unite_piece(unsigned char *to, const unsigned char *from, size_t n)
{
	for (; n >= 8; n -= 8, to += 8, from += 8)
		bbf_put64(to, bbf_get64(to) | bbf_get64(from));
	for (; n > 0; n--)
		*to++ |= *from++;
}

void
bbf_external_unite(const BbfExternalMeta *meta, unsigned char *bytes,
				   const BbfExternalMeta *other, const unsigned char *other_bytes,
				   BbfPause pause)
{
	unsigned char *to = bytes + meta->links[0].offset;
	const unsigned char *from = other_bytes + other->links[0].offset;
	size_t		nbytes = other->links[0].nbytes;

	for (size_t i = 0; i < nbytes; i += BBF_PIECE_BYTES)
	{
		bbf_pause(pause);
		unite_piece(to + i, from + i, piece_bytes(nbytes - i));
	}
}

static uint64_t
count_set(const unsigned char *bytes, size_t n)
{
	uint64_t	nset = 0;

	for (; n >= 8; n -= 8, bytes += 8)
		nset += bbf_count_bits(bbf_get64(bytes));
	for (; n > 0; n--)
		nset += bbf_count_bits(*bytes++);
	return nset;
}

/*
 * The bits of a link that are set: of those that are stored, and that a probe
 * may reach.
 */
static uint64_t
count_link(const BbfExternalFormat *format, const BbfExternalLink *link,
		   const unsigned char *bytes, BbfPause pause)
{
	const unsigned char *bits = bytes + link->offset;
	uint64_t	nbits = link->nprobed < link->nstored ? link->nprobed : link->nstored;
	size_t		whole = (size_t) (nbits / 64) * 8;
	uint64_t	nset = 0;

	for (size_t at = 0; at < whole; at += BBF_PIECE_BYTES)
	{
		bbf_pause(pause);
		nset += count_set(bits + at, piece_bytes(whole - at));
	}
	for (unsigned rest = nbits % 64, i = 0; i * 8 < rest; i++)
	{
		unsigned char byte = bits[whole + (format->big_endian ? 7 - i : i)];

		if (rest - i * 8 < 8)
			byte &= (unsigned char) ((1 << (rest - i * 8)) - 1);
		nset += bbf_count_bits(byte);
	}
	return nset;
}

void
bbf_external_info(const BbfExternalFormat *format, const BbfExternalMeta *meta,
				  const unsigned char *bytes, BbfPause pause,
				  BbfExternalInfo *info)
{
	double		let_through = 1.0;

	memset(info, 0, sizeof(*info));
	for (unsigned i = 0; i < meta->nlinks; i++)
	{
		const BbfExternalLink *link = &meta->links[i];
		uint64_t	nset = count_link(format, link, bytes, pause);
		double		keys;
		double		fpp;

		format->estimate(link, bytes, nset, pause, &keys, &fpp);
		info->nbits += link->nbits;
		info->nprobes = link->nprobes;
		info->nset += nset;
		info->keys += keys;
		let_through *= 1.0 - fpp;
	}
	info->fpp = 1.0 - let_through;
}

size_t
bbf_external_utf16(const unsigned char *text, size_t length, unsigned char *out)
{
	/* of a sequence of this many bytes, the bits of the first that count */
	static const unsigned char first_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
	unsigned char *start = out;

	while (length > 0)
	{
		unsigned	n = *text < 0xC0 ? 1 : *text < 0xE0 ? 2 : *text < 0xF0 ? 3 : 4;
		uint32_t	code;

		if (n > length)
			n = 1;
		code = *text & first_bits[n];
		for (unsigned i = 1; i < n; i++)
			code = code << 6 | (text[i] & 0x3F);
		text += n;
		length -= n;
		if (code >= 0x10000)
		{
			code -= 0x10000;
			bbf_put16(out, (uint16_t) (0xD800 | (code >> 10 & 0x3FF)));
			out += 2;
			code = 0xDC00 | (code & 0x3FF);
		}
		bbf_put16(out, (uint16_t) code);
		out += 2;
	}
	return (size_t) (out - start);
}
