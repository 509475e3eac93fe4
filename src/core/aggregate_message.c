/*
 * aggregate_message.c
 *	  Reads, checks and writes the serialized states of aggregates.
 */
#include "core/aggregate_message.h"

#include "core/bytes.h"
#include "core/family.h"

/* Offsets in the header of a state of TYPE_agg */
enum
{
	AT_VERSION = 0,
	AT_KIND = 1,
	AT_CAPACITY = 2,
	AT_FPP = 10,
	AT_FAMILY = 18,
	AT_SUBTYPE = 20,
	AT_FORM = 24
};

#define WORDS_IN_PIECE		(BBF_PIECE_BYTES / sizeof(uint64_t))

const char *const bbf_message_invalid_version = "unknown version of an aggregate state";
static const char *const invalid_kind = "unknown kind of an aggregate state";
const char *const bbf_message_invalid_capacity = "invalid capacity of an aggregate state";
const char *const bbf_message_invalid_fpp =
"invalid false-positive rate of an aggregate state";
const char *const bbf_message_invalid_form = "invalid form of an aggregate state";
const char *const bbf_message_invalid_length = "invalid length of an aggregate state";
static const char *const invalid_family = "invalid key family of an aggregate state";

bool
bbf_message_holds_hashes(size_t nbytes, int hash_words)
{
	return nbytes % ((size_t) hash_words * sizeof(uint64_t)) == 0 &&
		nbytes / sizeof(uint64_t) <= BBF_MAX_MESSAGE_WORDS;
}

const char *
bbf_message_read(const unsigned char *bytes, size_t length, BbfAggregateMessage *message)
{
	const BbfKindRoutine *routine;

	if (length < 1)
		return bbf_message_invalid_length;
	if (bytes[AT_VERSION] != BBF_MESSAGE_VERSION)
		return bbf_message_invalid_version;
	if (length < BBF_MESSAGE_HEADER_BYTES)
		return bbf_message_invalid_length;
	if (!bbf_kind_is_valid(bytes[AT_KIND]))
		return invalid_kind;

	message->kind = (BbfKind) bytes[AT_KIND];
	message->capacity = bbf_get64(bytes + AT_CAPACITY);
	message->fpp = bbf_getdouble(bytes + AT_FPP);
	message->family = bbf_get16(bytes + AT_FAMILY);
	message->subtype = bbf_get32(bytes + AT_SUBTYPE);
	message->has_bins = bytes[AT_FORM] == 1;
	message->payload = bytes + BBF_MESSAGE_HEADER_BYTES;
	message->nbytes = length - BBF_MESSAGE_HEADER_BYTES;
	routine = bbf_kind_routine(message->kind);

	if (message->capacity > INT64_MAX)
		return bbf_message_invalid_capacity;
	if (!(message->fpp > 0.0 && message->fpp < 1.0))
		return bbf_message_invalid_fpp;
	if (bytes[AT_FORM] > 1 ||
		(message->has_bins && (message->capacity == 0 || routine->add_many == NULL)))
		return bbf_message_invalid_form;
	if (message->has_bins ?
		message->nbytes == 0 : !bbf_message_holds_hashes(message->nbytes, 1))
		return bbf_message_invalid_length;

	/* there is a family if and only if there are keys */
	if (message->nbytes == 0 ?
		message->family != BBF_FAMILY_NONE || message->subtype != 0 :
		!bbf_family_is_valid(message->family, message->subtype))
		return invalid_family;
	return NULL;
}

const char *
bbf_message_check_bins(const BbfAggregateMessage *message, const BbfLayer *layer,
					   BbfPause pause)
{
	const BbfKindRoutine *routine = bbf_kind_routine(message->kind);
	BbfLayer	piece;

	if (message->nbytes != bbf_bins_bytes(routine, layer))
		return bbf_message_invalid_length;
	if (bbf_has_trait(routine, BBF_TRAIT_INTERSECTION))
		return NULL;
	for (uint32_t first = 0; first < layer->nbins; first += piece.nbins)
	{
		size_t		offset;

		bbf_pause(pause);
		piece = bbf_piece_of_layer(routine, layer, first, &offset);
		if (routine->count_set(&piece, message->payload + offset) > 0)
			return NULL;
	}
	return bbf_message_invalid_form;
}

void
bbf_message_write(const BbfAggregateMessage *message, unsigned char *bytes)
{
	bytes[AT_VERSION] = BBF_MESSAGE_VERSION;
	bytes[AT_KIND] = (unsigned char) message->kind;
	bbf_put64(bytes + AT_CAPACITY, message->capacity);
	bbf_putdouble(bytes + AT_FPP, message->fpp);
	bbf_put16(bytes + AT_FAMILY, (uint16_t) message->family);
	bbf_put32(bytes + AT_SUBTYPE, message->subtype);
	bytes[AT_FORM] = message->has_bins;
}

void
bbf_message_put_words(unsigned char *bytes, const uint64_t *words, size_t n,
					  BbfPause pause)
{
	for (size_t i = 0; i < n; i++)
	{
		if (i % WORDS_IN_PIECE == 0)
			bbf_pause(pause);
		bbf_put64(bytes + i * sizeof(uint64_t), words[i]);
	}
}

void
bbf_message_get_words(const unsigned char *bytes, uint64_t *words, size_t n,
					  BbfPause pause)
{
	for (size_t i = 0; i < n; i++)
	{
		if (i % WORDS_IN_PIECE == 0)
			bbf_pause(pause);
		words[i] = bbf_get64(bytes + i * sizeof(uint64_t));
	}
}
