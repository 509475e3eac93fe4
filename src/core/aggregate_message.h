/*
 * aggregate_message.h
 *	  Serialized states of aggregates: the messages in which a process hands
 *	  the keys that it has gathered to another, which may run on another
 *	  machine.
 *
 * A message is a header, followed by either the hashes of the keys or the bins
 * that they have set.  It is never stored, and is refused by a process that
 * has another version of it: a session keeps the library that it has loaded,
 * while its parallel workers load the one that is installed.
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
 * All numbers are little-endian.  A message may have been damaged on its way:
 * what is read here is checked, except for the size of the bins.  That follows
 * from the parameters and takes a while to compute, so a second call checks
 * it.
 *
 * Readers return NULL, or the message of an error.  They allocate nothing.
 */
#ifndef BBF_AGGREGATE_MESSAGE_H
#define BBF_AGGREGATE_MESSAGE_H

#include "core/image.h"

/*
 * Hashes of this many words are 800 MB: the server takes less than a gigabyte.
 */
#define BBF_MAX_MESSAGE_WORDS		100000000

#define BBF_MESSAGE_HEADER_BYTES	25

/* A state of TYPE_agg. */
typedef struct BbfAggregateMessage
{
	BbfKind		kind;
	uint64_t	capacity;		/* up to 2^63 - 1; 0: sized by the keys */
	double		fpp;
	unsigned	family;			/* set if and only if there are keys */
	uint32_t	subtype;
	bool		has_bins;		/* of a kind and a capacity that allow it */
	const unsigned char *payload;	/* bins or hashes, within the message */
	size_t		nbytes;			/* of the payload: whole words */
} BbfAggregateMessage;

/* Read a message.  It must outlive message->payload. */
extern const char *bbf_message_read(const unsigned char *bytes, size_t length,
									BbfAggregateMessage *message);

/*
 * Check the bins of a state against the layer that its capacity requires.
 * Only a set may have a layer without keys.
 */
extern const char *bbf_message_check_bins(const BbfAggregateMessage *message,
										  const BbfLayer *layer, BbfPause pause);

/* Write the header of a message: BBF_MESSAGE_HEADER_BYTES bytes. */
extern void bbf_message_write(const BbfAggregateMessage *message, unsigned char *bytes);

/*
 * What all messages of aggregates share: the version, which is their first
 * byte, and errors.  Version 1 had its numbers in network byte order: an
 * aggregate over nodes that are updated in turn fails, and does not take one
 * for the other.
 */
#define BBF_MESSAGE_VERSION		2

extern const char *const bbf_message_invalid_version;
extern const char *const bbf_message_invalid_capacity;
extern const char *const bbf_message_invalid_fpp;
extern const char *const bbf_message_invalid_form;
extern const char *const bbf_message_invalid_length;

/*
 * Is nbytes the length of as many hashes of hash_words words as there may be?
 */
extern bool bbf_message_holds_hashes(size_t nbytes, int hash_words);

/* Copy n words of hashes to a message, and from one. */
extern void bbf_message_put_words(unsigned char *bytes, const uint64_t *words, size_t n,
								  BbfPause pause);
extern void bbf_message_get_words(const unsigned char *bytes, uint64_t *words, size_t n,
								  BbfPause pause);

#endif							/* BBF_AGGREGATE_MESSAGE_H */
