/*
 * external_message.h
 *	  Serialized states of external_bloom_agg, see core/aggregate_message.h.
 *
 *		0	version (1 byte)
 *		1	length of the name (1 byte), and the name of the format
 *			capacity (8 bytes); 0: sized by the keys
 *			parameter (8 bytes), as of bbf_external_size
 *			form (1 byte); 0: hashes follow, 1: the bits of a filter
 */
#ifndef BBF_EXTERNAL_MESSAGE_H
#define BBF_EXTERNAL_MESSAGE_H

#include "interchange/external.h"

typedef struct BbfExternalMessage
{
	const BbfExternalFormat *format;
	uint64_t	capacity;		/* up to 2^63 - 1; 0: sized by the keys */
	double		parameter;		/* one that the format takes */
	bool		has_filter;		/* of a format and a capacity that allow it */
	const unsigned char *payload;
	size_t		nbytes;
} BbfExternalMessage;

extern const char *bbf_external_message_read(const unsigned char *bytes, size_t length,
											 BbfExternalMessage *message);

/* Check the bits of a state against the filter that its capacity asks for. */
extern const char *bbf_external_message_check_bits(const BbfExternalMessage *message,
												   const BbfExternalMeta *meta);

/* Bytes of the header of a message, and those bytes. */
extern size_t bbf_external_message_header_bytes(const BbfExternalFormat *format);
extern void bbf_external_message_write(const BbfExternalMessage *message,
									   unsigned char *bytes);

#endif							/* BBF_EXTERNAL_MESSAGE_H */
