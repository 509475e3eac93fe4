/*
 * aggregate_message.h
 *	  Serialized states of aggregates: the messages in which a process hands the keys
 *	  that it has gathered to another, which may run on another machine.
 *
 * A message is a head, and behind it either the hashes of the keys or the bits that
 * these have set.  It is never stored, and refused by an end that has another version of
 * it: a session keeps the library that it has loaded, while its parallel workers load the
 * one that is installed.
 *
 *		TYPE_agg
 *			0	version (1 byte)
 *			1	kind (1 byte)
 *			2	capacity (8 bytes); 0: sized by the keys
 *		   10	fpp (8 bytes)
 *		   18	key family (2 bytes)
 *		   20	key subtype (4 bytes)
 *		   24	form (1 byte); 0: hashes follow, 1: the bins of a layer
 *
 *		external_bloom_agg
 *			0	version (1 byte)
 *			1	length of the name (1 byte), and the name of the format
 *				capacity (8 bytes); 0: sized by the keys
 *				parameter (8 bytes), as of bbf_external_size
 *				form (1 byte); 0: hashes follow, 1: the bits of a filter
 *
 * All numbers are little-endian.  A message may have been damaged on its way: what is
 * read here is checked, but for the size of bins or bits.  That follows from the
 * parameters and takes a while to compute, so it is left to a second call.
 *
 * Readers return NULL, or the message of an error.  They allocate nothing.
 */
#ifndef BBF_AGGREGATE_MESSAGE_H
#define BBF_AGGREGATE_MESSAGE_H

#include "core/external.h"
#include "core/image.h"

/* So many hashes of one word are 800 MB: the server takes less than a gigabyte. */
#define BBF_MAX_STATE_WORDS		100000000

#define BBF_STATE_HEAD_BYTES	25

/* A state of TYPE_agg. */
typedef struct BbfState
{
	BbfKind		kind;
	uint64_t	capacity;		/* up to 2^63 - 1; 0: sized by the keys */
	double		fpp;
	unsigned	family;			/* none exactly where there are no keys */
	uint32_t	subtype;
	bool		has_bins;		/* of a kind and a capacity that allow it */
	const unsigned char *payload;	/* bins or hashes, within the message */
	size_t		nbytes;			/* of the payload: whole words */
} BbfState;

/* Read a message.  It must outlive state->payload. */
extern const char *bbf_state_read(const unsigned char *bytes, size_t length,
								  BbfState *state);

/*
 * Check the bins of a state against the layer that its capacity asks for.  Only a set
 * may have a layer without keys.  Calls pause, unless it is null, before each megabyte;
 * it may leave by longjmp.
 */
extern const char *bbf_state_check_bins(const BbfState *state, const BbfLayer *layer,
										void (*pause) (void));

/* Write the head of a message: BBF_STATE_HEAD_BYTES bytes. */
extern void bbf_state_write(const BbfState *state, unsigned char *bytes);

/* A state of external_bloom_agg. */
typedef struct BbfExternalState
{
	const BbfExternalFormat *format;
	uint64_t	capacity;		/* up to 2^63 - 1; 0: sized by the keys */
	double		parameter;		/* one that the format takes */
	bool		has_filter;		/* of a format and a capacity that allow it */
	const unsigned char *payload;
	size_t		nbytes;
} BbfExternalState;

extern const char *bbf_external_state_read(const unsigned char *bytes, size_t length,
										   BbfExternalState *state);

/* Check the bits of a state against the filter that its capacity asks for. */
extern const char *bbf_external_state_check_bits(const BbfExternalState *state,
												 const BbfExternalMeta *meta);

/* Bytes of the head of a message, and those bytes. */
extern size_t bbf_external_state_head_bytes(const BbfExternalFormat *format);
extern void bbf_external_state_write(const BbfExternalState *state,
									 unsigned char *bytes);

/*
 * Copy n words of hashes to a message, and from one.  Calls pause, unless it is null,
 * before each megabyte; it may leave by longjmp.
 */
extern void bbf_state_put_words(unsigned char *bytes, const uint64_t *words, size_t n,
								void (*pause) (void));
extern void bbf_state_get_words(const unsigned char *bytes, uint64_t *words, size_t n,
								void (*pause) (void));

#endif							/* BBF_AGGREGATE_MESSAGE_H */
