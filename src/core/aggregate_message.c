/*
 * aggregate_message.c
 *	  Reads, checks and writes the serialized states of aggregates.
 */
#include "core/aggregate_message.h"

#include "core/bytes.h"
#include "core/family.h"

/*
 * Version 1 had its numbers in network byte order.  An aggregate over nodes that are
 * updated in turn fails, and does not take one for the other.
 */
#define MESSAGE_VERSION		2

/* Offsets in the head of a state of TYPE_agg */
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

/* Offsets in that of external_bloom_agg: from the start, and from the end of the name */
enum
{
	AT_NAME_LENGTH = 1,
	AT_NAME = 2,
	BEHIND_NAME_CAPACITY = 0,
	BEHIND_NAME_PARAMETER = 8,
	BEHIND_NAME_FORM = 16,
	BEHIND_NAME_BYTES = 17
};

#define WORDS_IN_PIECE		(BBF_PIECE_BYTES / sizeof(uint64_t))

static const char *const invalid_version = "unknown version of an aggregate state";
static const char *const invalid_kind = "unknown kind of an aggregate state";
static const char *const invalid_format = "unknown format of an aggregate state";
static const char *const invalid_capacity = "invalid capacity of an aggregate state";
static const char *const invalid_fpp =
"invalid false-positive probability of an aggregate state";
static const char *const invalid_form = "invalid form of an aggregate state";
static const char *const invalid_length = "invalid length of an aggregate state";
static const char *const invalid_family = "invalid key family of an aggregate state";

/* Is the payload as many hashes of so many words as there may be? */
static bool
is_length_of_hashes(size_t nbytes, int hash_words)
{
	return nbytes % ((size_t) hash_words * sizeof(uint64_t)) == 0 &&
		nbytes / sizeof(uint64_t) <= BBF_MAX_STATE_WORDS;
}

const char *
bbf_state_read(const unsigned char *bytes, size_t length, BbfState *state)
{
	const BbfKindRoutine *routine;

	if (length < 1)
		return invalid_length;
	if (bytes[AT_VERSION] != MESSAGE_VERSION)
		return invalid_version;
	if (length < BBF_STATE_HEAD_BYTES)
		return invalid_length;
	if (!bbf_kind_is_valid(bytes[AT_KIND]))
		return invalid_kind;

	state->kind = (BbfKind) bytes[AT_KIND];
	state->capacity = bbf_get64(bytes + AT_CAPACITY);
	state->fpp = bbf_getdouble(bytes + AT_FPP);
	state->family = bbf_get16(bytes + AT_FAMILY);
	state->subtype = bbf_get32(bytes + AT_SUBTYPE);
	state->has_bins = bytes[AT_FORM] == 1;
	state->payload = bytes + BBF_STATE_HEAD_BYTES;
	state->nbytes = length - BBF_STATE_HEAD_BYTES;
	routine = bbf_kind_routine(state->kind);

	if (state->capacity > INT64_MAX)
		return invalid_capacity;
	if (!(state->fpp > 0.0 && state->fpp < 1.0))
		return invalid_fpp;
	if (bytes[AT_FORM] > 1 ||
		(state->has_bins && (state->capacity == 0 || routine->add_many == NULL)))
		return invalid_form;
	if (state->has_bins ? state->nbytes == 0 : !is_length_of_hashes(state->nbytes, 1))
		return invalid_length;

	/* keys have a family, and a family is of keys */
	if (state->nbytes == 0 ?
		state->family != BBF_FAMILY_NONE || state->subtype != 0 :
		!bbf_family_is_valid(state->family, state->subtype))
		return invalid_family;
	return NULL;
}

const char *
bbf_state_check_bins(const BbfState *state, const BbfLayer *layer, void (*pause) (void))
{
	const BbfKindRoutine *routine = bbf_kind_routine(state->kind);
	BbfLayer	piece;

	if (state->nbytes != bbf_bins_bytes(routine, layer))
		return invalid_length;
	if (routine->is_set)
		return NULL;
	for (uint32_t first = 0; first < layer->nbins; first += piece.nbins)
	{
		size_t		offset;

		if (pause != NULL)
			pause();
		piece = bbf_piece_of_layer(routine, layer, first, &offset);
		if (routine->count_set(&piece, state->payload + offset) > 0)
			return NULL;
	}
	return invalid_form;
}

void
bbf_state_write(const BbfState *state, unsigned char *bytes)
{
	bytes[AT_VERSION] = MESSAGE_VERSION;
	bytes[AT_KIND] = (unsigned char) state->kind;
	bbf_put64(bytes + AT_CAPACITY, state->capacity);
	bbf_putdouble(bytes + AT_FPP, state->fpp);
	bbf_put16(bytes + AT_FAMILY, (uint16_t) state->family);
	bbf_put32(bytes + AT_SUBTYPE, state->subtype);
	bytes[AT_FORM] = state->has_bins;
}

const char *
bbf_external_state_read(const unsigned char *bytes, size_t length,
						BbfExternalState *state)
{
	const unsigned char *behind_name;
	size_t		head_bytes;

	if (length < 1)
		return invalid_length;
	if (bytes[AT_VERSION] != MESSAGE_VERSION)
		return invalid_version;
	if (length < AT_NAME)
		return invalid_length;
	head_bytes = AT_NAME + (size_t) bytes[AT_NAME_LENGTH] + BEHIND_NAME_BYTES;
	if (length < head_bytes)
		return invalid_length;
	state->format = bbf_external_by_name((const char *) bytes + AT_NAME,
										 bytes[AT_NAME_LENGTH]);
	if (state->format == NULL)
		return invalid_format;

	behind_name = bytes + AT_NAME + bytes[AT_NAME_LENGTH];
	state->capacity = bbf_get64(behind_name + BEHIND_NAME_CAPACITY);
	state->parameter = bbf_getdouble(behind_name + BEHIND_NAME_PARAMETER);
	state->has_filter = behind_name[BEHIND_NAME_FORM] == 1;
	state->payload = bytes + head_bytes;
	state->nbytes = length - head_bytes;

	if (state->capacity > INT64_MAX)
		return invalid_capacity;
	if (bbf_external_parameter_refusal(state->format, state->parameter) != NULL)
		return state->format->parameter == BBF_EXTERNAL_FPP ? invalid_fpp :
			"invalid number of bits per key of an aggregate state";

	/* hashes are kept where the number of distinct keys decides something */
	if (behind_name[BEHIND_NAME_FORM] > 1 ||
		(state->has_filter && (state->capacity == 0 || state->format->set_keys != NULL)))
		return invalid_form;
	if (!state->has_filter &&
		!is_length_of_hashes(state->nbytes, state->format->hash_words))
		return invalid_length;
	return NULL;
}

const char *
bbf_external_state_check_bits(const BbfExternalState *state, const BbfExternalMeta *meta)
{
	return state->nbytes == meta->links[0].nbytes ? NULL : invalid_length;
}

size_t
bbf_external_state_head_bytes(const BbfExternalFormat *format)
{
	return AT_NAME + strlen(format->name) + BEHIND_NAME_BYTES;
}

void
bbf_external_state_write(const BbfExternalState *state, unsigned char *bytes)
{
	size_t		name_length = strlen(state->format->name);
	unsigned char *behind_name = bytes + AT_NAME + name_length;

	bytes[AT_VERSION] = MESSAGE_VERSION;
	bytes[AT_NAME_LENGTH] = (unsigned char) name_length;
	memcpy(bytes + AT_NAME, state->format->name, name_length);
	bbf_put64(behind_name + BEHIND_NAME_CAPACITY, state->capacity);
	bbf_putdouble(behind_name + BEHIND_NAME_PARAMETER, state->parameter);
	behind_name[BEHIND_NAME_FORM] = state->has_filter;
}

void
bbf_state_put_words(unsigned char *bytes, const uint64_t *words, size_t n,
					void (*pause) (void))
{
	for (size_t i = 0; i < n; i++)
	{
		if (i % WORDS_IN_PIECE == 0 && pause != NULL)
			pause();
		bbf_put64(bytes + i * sizeof(uint64_t), words[i]);
	}
}

void
bbf_state_get_words(const unsigned char *bytes, uint64_t *words, size_t n,
					void (*pause) (void))
{
	for (size_t i = 0; i < n; i++)
	{
		if (i % WORDS_IN_PIECE == 0 && pause != NULL)
			pause();
		words[i] = bbf_get64(bytes + i * sizeof(uint64_t));
	}
}
