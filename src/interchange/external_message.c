/*
 * external_message.c
 *	  Reads, checks and writes the serialized states of external_bloom_agg.
 */
#include "interchange/external_message.h"

#include "core/aggregate_message.h"
#include "core/bytes.h"

/* Offsets from the start of a message, and from the end of the name */
enum
{
	AT_VERSION = 0,
	AT_NAME_LENGTH = 1,
	AT_NAME = 2,
	AFTER_NAME_CAPACITY = 0,
	AFTER_NAME_PARAMETER = 8,
	AFTER_NAME_FORM = 16,
	AFTER_NAME_BYTES = 17
};

const char *
bbf_external_message_read(const unsigned char *bytes, size_t length,
						  BbfExternalMessage *message)
{
	const unsigned char *after_name;
	size_t		header_bytes;

	if (length < 1)
		return bbf_message_invalid_length;
	if (bytes[AT_VERSION] != BBF_MESSAGE_VERSION)
		return bbf_message_invalid_version;
	if (length < AT_NAME)
		return bbf_message_invalid_length;
	header_bytes = AT_NAME + (size_t) bytes[AT_NAME_LENGTH] + AFTER_NAME_BYTES;
	if (length < header_bytes)
		return bbf_message_invalid_length;
	message->format = bbf_external_by_name((const char *) bytes + AT_NAME,
										   bytes[AT_NAME_LENGTH]);
	if (message->format == NULL)
		return "unknown format of an aggregate state";

	after_name = bytes + AT_NAME + bytes[AT_NAME_LENGTH];
	message->capacity = bbf_get64(after_name + AFTER_NAME_CAPACITY);
	message->parameter = bbf_getdouble(after_name + AFTER_NAME_PARAMETER);
	message->has_filter = after_name[AFTER_NAME_FORM] == 1;
	message->payload = bytes + header_bytes;
	message->nbytes = length - header_bytes;

	if (message->capacity > INT64_MAX)
		return bbf_message_invalid_capacity;
	if (bbf_external_parameter_refusal(message->format, message->parameter) != NULL)
		return message->format->parameter == BBF_EXTERNAL_FPP ?
			bbf_message_invalid_fpp :
			"invalid number of bits per key of an aggregate state";

	/* hashes are kept where the number of distinct keys decides something */
	if (after_name[AFTER_NAME_FORM] > 1 ||
		(message->has_filter &&
		 (message->capacity == 0 || message->format->set_keys != NULL)))
		return bbf_message_invalid_form;
	if (!message->has_filter &&
		!bbf_message_holds_hashes(message->nbytes, message->format->hash_words))
		return bbf_message_invalid_length;
	return NULL;
}

const char *
bbf_external_message_check_bits(const BbfExternalMessage *message,
								const BbfExternalMeta *meta)
{
	return message->nbytes == meta->links[0].nbytes ? NULL : bbf_message_invalid_length;
}

size_t
bbf_external_message_header_bytes(const BbfExternalFormat *format)
{
	return AT_NAME + strlen(format->name) + AFTER_NAME_BYTES;
}

void
bbf_external_message_write(const BbfExternalMessage *message, unsigned char *bytes)
{
	size_t		name_length = strlen(message->format->name);
	unsigned char *after_name = bytes + AT_NAME + name_length;

	bytes[AT_VERSION] = BBF_MESSAGE_VERSION;
	bytes[AT_NAME_LENGTH] = (unsigned char) name_length;
	memcpy(bytes + AT_NAME, message->format->name, name_length);
	bbf_put64(after_name + AFTER_NAME_CAPACITY, message->capacity);
	bbf_putdouble(after_name + AFTER_NAME_PARAMETER, message->parameter);
	after_name[AFTER_NAME_FORM] = message->has_filter;
}
