/*
 * aggregate_message_test.c
 *	  aggregate_message.c: what is written is read again; what was cut off, or is not possible, is
 *	  refused, whatever allocates by it.
 *
 * Guards against a length that is believed, as in CVE-2024-25115 of RedisBloom, and
 * against six bytes that made Guava allocate 17 GB (its issue 8463).
 */
#include "check.h"
#include "suites.h"

#include <math.h>

#include "buffer.h"
#include "core/aggregate_message.h"
#include "core/family.h"
#include "interchange/external_message.h"
#include "key.h"

/* A message in memory of exactly its length. */
typedef struct Message
{
	unsigned char *bytes;
	size_t		length;
} Message;

static const BbfAggregateMessage hashes_state = {
	.kind = BBF_KIND_BLOOM,.capacity = 0,.fpp = 0.01,.family = BBF_FAMILY_NUMBER,
	.nbytes = 24
};

/* 300 keys at 1 % have 7 blocks. */
static const BbfAggregateMessage bins_state = {
	.kind = BBF_KIND_COUNTING_BLOOM,.capacity = 300,.fpp = 0.01,
	.family = BBF_FAMILY_ARRAY,.subtype = 7,.has_bins = true,.nbytes = 7 * 256
};

static const BbfAggregateMessage no_keys_state = {.kind = BBF_KIND_CUCKOO,.capacity = 1,.fpp = 0.5};

static BbfLayer
layer_of(const BbfAggregateMessage *state)
{
	uint64_t	capacity = bbf_first_capacity(state->kind, state->capacity,
											  BBF_DEFAULT_GROWTH);
	BbfGeometry geometry = bbf_kind_routine(state->kind)->size(capacity, state->fpp);
	BbfLayer	layer = {
		.nbins = (uint32_t) geometry.nbins,.key_bits = geometry.key_bits
	};

	return layer;
}

/* Each byte of the payload after the header is 1. */
static Message
new_message(const BbfAggregateMessage *state)
{
	Message		message = {.length = BBF_MESSAGE_HEADER_BYTES + state->nbytes};

	message.bytes = allocate(message.length);
	memset(message.bytes, 1, message.length);
	bbf_message_write(state, message.bytes);
	return message;
}

static Message
new_external_message(const BbfExternalMessage *state)
{
	size_t		header_bytes = bbf_external_message_header_bytes(state->format);
	Message		message = {.length = header_bytes + state->nbytes};

	message.bytes = allocate(message.length);
	memset(message.bytes, 1, message.length);
	bbf_external_message_write(state, message.bytes);
	return message;
}

static BbfExternalMessage
external_state(const char *format, uint64_t capacity, double parameter, size_t nbytes)
{
	BbfExternalMessage state = {
		.format = bbf_external_by_name(format, strlen(format)),
		.capacity = capacity,.parameter = parameter,.nbytes = nbytes
	};

	return state;
}

/* Is that what bbf_message_read says of a state? */
static bool
reads(const BbfAggregateMessage *state, const char *wanted)
{
	Message		message = new_message(state);
	BbfAggregateMessage	read;
	const char *reason = bbf_message_read(message.bytes, message.length, &read);

	free(message.bytes);
	return reason == NULL ? wanted == NULL : wanted != NULL && strcmp(reason, wanted) == 0;
}

static bool
reads_external(const BbfExternalMessage *state, const char *wanted)
{
	Message		message = new_external_message(state);
	BbfExternalMessage read;
	const char *reason = bbf_external_message_read(message.bytes, message.length, &read);

	free(message.bytes);
	return reason == NULL ? wanted == NULL : wanted != NULL && strcmp(reason, wanted) == 0;
}

/* Every field, at its place: both ends of a message must agree on it. */
static void
test_bytes_of_a_head(void)
{
	static const unsigned char expected[BBF_MESSAGE_HEADER_BYTES] = {
		2, 2, 0x2C, 1, 0, 0, 0, 0, 0, 0,
		0x7B, 0x14, 0xAE, 0x47, 0xE1, 0x7A, 0x84, 0x3F, 14, 0, 7, 0, 0, 0, 1
	};
	Message		message = new_message(&bins_state);

	CHECK(memcmp(message.bytes, expected, sizeof(expected)) == 0);
	free(message.bytes);
}

static void
test_what_is_written_is_read(void)
{
	const BbfAggregateMessage *const states[] = {&hashes_state, &bins_state, &no_keys_state};

	for (int i = 0; i < LENGTH_OF(states); i++)
	{
		const BbfAggregateMessage *state = states[i];
		Message		message = new_message(state);
		BbfAggregateMessage	read;

		CASE("state %d", i);
		CHECK(bbf_message_read(message.bytes, message.length, &read) == NULL);
		CHECK(read.kind == state->kind && read.capacity == state->capacity);
		CHECK(read.fpp == state->fpp && read.has_bins == state->has_bins);
		CHECK(read.family == state->family && read.subtype == state->subtype);
		CHECK(read.payload == message.bytes + BBF_MESSAGE_HEADER_BYTES);
		CHECK(read.nbytes == state->nbytes);
		free(message.bytes);
	}
}

/* All lengths below that of the header, in memory that ends there. */
static void
test_cut_off_heads(void)
{
	BbfExternalMessage state = external_state("redis", 0, 0.01, 0);
	Message		message = new_message(&no_keys_state);
	Message		external = new_external_message(&state);

	for (size_t length = 0; length <= message.length; length++)
	{
		unsigned char *bytes = copy_of(message.bytes, length);
		BbfAggregateMessage	read;

		CASE("%d bytes", (int) length);
		CHECK((bbf_message_read(bytes, length, &read) == NULL) == (length == message.length));
		free(bytes);
	}
	for (size_t length = 0; length <= external.length; length++)
	{
		unsigned char *bytes = copy_of(external.bytes, length);
		BbfExternalMessage read;

		CASE("%d bytes", (int) length);
		CHECK((bbf_external_message_read(bytes, length, &read) == NULL) ==
			  (length == external.length));
		free(bytes);
	}
	free(message.bytes);
	free(external.bytes);
}

/* A change of one field, and what is said of it. */
#define CHECK_CHANGE(from, change, reason) \
	do { \
		BbfAggregateMessage	state = from; \
		state.change; \
		CHECK(reads(&state, reason)); \
	} while (0)

static void
test_impossible_fields(void)
{
	const char *kind = "unknown kind of an aggregate state";
	const char *capacity = "invalid capacity of an aggregate state";
	const char *fpp = "invalid false-positive rate of an aggregate state";
	const char *form = "invalid form of an aggregate state";
	const char *length = "invalid length of an aggregate state";
	const char *family = "invalid key family of an aggregate state";

	CHECK_CHANGE(hashes_state, kind = BBF_KIND_ANY, kind);
	CHECK_CHANGE(hashes_state, kind = (BbfKind) (BBF_KIND_MAX + 1), kind);
	CHECK_CHANGE(hashes_state, capacity = UINT64_MAX, capacity);
	CHECK_CHANGE(hashes_state, capacity = (uint64_t) INT64_MAX + 1, capacity);
	CHECK_CHANGE(hashes_state, capacity = INT64_MAX, NULL);
	CHECK_CHANGE(hashes_state, fpp = 0.0, fpp);
	CHECK_CHANGE(hashes_state, fpp = 1.0, fpp);
	CHECK_CHANGE(hashes_state, fpp = -0.5, fpp);
	CHECK_CHANGE(hashes_state, fpp = (double) NAN, fpp);
	CHECK_CHANGE(hashes_state, fpp = (double) INFINITY, fpp);
	CHECK_CHANGE(hashes_state, has_bins = true, form);
	CHECK_CHANGE(bins_state, capacity = 0, form);
	CHECK_CHANGE(bins_state, kind = BBF_KIND_CUCKOO, form);
	CHECK_CHANGE(bins_state, nbytes = 0, length);
	CHECK_CHANGE(hashes_state, nbytes = 23, length);
	CHECK_CHANGE(hashes_state, nbytes = 25, length);
	CHECK_CHANGE(hashes_state, nbytes = 0, family);
	CHECK_CHANGE(hashes_state, family = BBF_FAMILY_NONE, family);
	CHECK_CHANGE(hashes_state, family = BBF_FAMILY_MAX + 1, family);
	CHECK_CHANGE(hashes_state, subtype = 1, family);
	CHECK_CHANGE(no_keys_state, family = BBF_FAMILY_TEXT, family);
	CHECK_CHANGE(no_keys_state, subtype = 1, family);
}

static void
test_versions_and_forms(void)
{
	Message		message = new_message(&hashes_state);
	BbfExternalMessage	state = external_state("go", 0, 0.01, 0);
	Message		external = new_external_message(&state);
	BbfAggregateMessage	read;

	for (int version = 0; version < 256; version++)
	{
		message.bytes[0] = external.bytes[0] = (unsigned char) version;
		CASE("version %d", version);
		CHECK((bbf_message_read(message.bytes, message.length, &read) == NULL) ==
			  (version == 2));
		CHECK((bbf_external_message_read(external.bytes, external.length, &state) == NULL) ==
			  (version == 2));
	}
	free(external.bytes);
	message.bytes[0] = 2;
	for (int form = 1; form < 256; form++)
	{
		message.bytes[24] = (unsigned char) form;
		CASE("form %d", form);
		CHECK(bbf_message_read(message.bytes, message.length, &read) != NULL);
	}
	free(message.bytes);
}

/*
 * Bins must be those of the capacity; and have keys, since a counting filter without
 * keys has no layer.
 */
static void
test_bins_against_their_layer(void)
{
	BbfLayer	layer = layer_of(&bins_state);
	BbfAggregateMessage	read;
	Message		message = new_message(&bins_state);

	CHECK(layer.nbins == 7);
	CHECK(bbf_message_read(message.bytes, message.length, &read) == NULL);
	CHECK(bbf_message_check_bins(&read, &layer, NULL) == NULL);
	layer.nbins--;
	CHECK(bbf_message_check_bins(&read, &layer, NULL) != NULL);
	layer.nbins += 2;
	CHECK(bbf_message_check_bins(&read, &layer, NULL) != NULL);
	layer.nbins--;

	memset(message.bytes + BBF_MESSAGE_HEADER_BYTES, 0, bins_state.nbytes);
	CHECK(bbf_message_check_bins(&read, &layer, NULL) != NULL);
	message.bytes[message.length - 1] = 0x10;
	CHECK(bbf_message_check_bins(&read, &layer, NULL) == NULL);

	/* a set may */
	message.bytes[message.length - 1] = 0;
	read.kind = BBF_KIND_BLOOM;
	read.nbytes = 7 * 64;
	CHECK(bbf_message_check_bins(&read, &layer, NULL) == NULL);
	free(message.bytes);
}

static int	pauses;

static void
count_pauses(void)
{
	pauses++;
}

/* Of counters that are all zero but the last, each megabyte is looked at. */
static void
test_pauses(void)
{
	BbfLayer	layer = {.nbins = 3 * 4096,.key_bits = 6};
	BbfAggregateMessage	state = bins_state;
	Message		message;
	uint64_t   *words = allocate(300000 * sizeof(uint64_t));

	state.nbytes = 3 << 20;
	message = new_message(&state);
	memset(message.bytes + BBF_MESSAGE_HEADER_BYTES, 0, state.nbytes);
	message.bytes[message.length - 1] = 1;
	CHECK(bbf_message_read(message.bytes, message.length, &state) == NULL);
	pauses = 0;
	CHECK(bbf_message_check_bins(&state, &layer, count_pauses) == NULL);
	CHECK(pauses == 3);

	pauses = 0;
	bbf_message_get_words(state.payload, words, 300000, count_pauses);
	CHECK(pauses == 3);
	bbf_message_put_words(message.bytes, words, 300000, count_pauses);
	CHECK(pauses == 6);
	free(words);
	free(message.bytes);
}

static void
test_words(void)
{
	uint64_t	words[] = {UINT64_C(0x0102030405060708), UINT64_MAX, 1, 0};
	uint64_t	read[4];
	unsigned char *bytes = allocate(sizeof(words) + 1);

	/* at an odd address */
	bbf_message_put_words(bytes + 1, words, 4, NULL);
	CHECK(bytes[1] == 8 && bytes[8] == 1 && bytes[17] == 1);
	bbf_message_get_words(bytes + 1, read, 4, NULL);
	CHECK(memcmp(words, read, sizeof(words)) == 0);
	free(bytes);
}

static void
test_external_states(void)
{
	const char *capacity = "invalid capacity of an aggregate state";
	const char *fpp = "invalid false-positive rate of an aggregate state";
	const char *bits = "invalid number of bits per key of an aggregate state";
	const char *form = "invalid form of an aggregate state";
	const char *length = "invalid length of an aggregate state";

	for (int i = 0; i < bbf_external_nformats; i++)
	{
		const char *name = bbf_external_formats[i]->name;
		size_t		hash_bytes = bbf_external_formats[i]->hash_words * sizeof(uint64_t);
		bool		has_fpp = bbf_external_formats[i]->parameter == BBF_EXTERNAL_FPP;
		double		parameter = has_fpp ? 0.01 : 10.0;
		BbfExternalMessage state = external_state(name, 1000, parameter, 3 * hash_bytes);
		BbfExternalMessage read;
		BbfExternalMeta meta;
		Message		message = new_external_message(&state);

		CASE("%s", name);
		CHECK(bbf_external_message_read(message.bytes, message.length, &read) == NULL);
		CHECK(read.format == state.format && read.capacity == 1000);
		CHECK(read.parameter == parameter && !read.has_filter);
		CHECK(read.payload == message.bytes + bbf_external_message_header_bytes(state.format));
		CHECK(read.nbytes == state.nbytes);
		free(message.bytes);

		state.nbytes--;
		CHECK(reads_external(&state, length));
		state.nbytes = hash_bytes / 2;
		CHECK(reads_external(&state, length));
		state.nbytes = 0;
		CHECK(reads_external(&state, NULL));
		state.capacity = UINT64_MAX;
		CHECK(reads_external(&state, capacity));
		state.capacity = 1000;
		state.parameter = has_fpp ? 1.0 : 10.5;
		CHECK(reads_external(&state, has_fpp ? fpp : bits));
		state.parameter = (double) NAN;
		CHECK(reads_external(&state, has_fpp ? fpp : bits));
		state.parameter = parameter;

		/* bits only where the number of keys decides nothing */
		CHECK(bbf_external_size(state.format, 1000, parameter, &meta) == NULL);
		state.has_filter = true;
		state.nbytes = meta.links[0].nbytes;
		CHECK(reads_external(&state, state.format->set_keys != NULL ? form : NULL));
		CHECK(bbf_external_message_check_bits(&state, &meta) == NULL);
		state.nbytes--;
		CHECK(bbf_external_message_check_bits(&state, &meta) != NULL);
		state.capacity = 0;
		CHECK(reads_external(&state, form));
	}
}

static void
test_names_of_formats(void)
{
	static const struct
	{
		const char *name;
		int			length;
		const char *reason;
	}			names[] = {
		{"go", 2, NULL},
		{"", 0, "unknown format of an aggregate state"},
		{"g", 1, "unknown format of an aggregate state"},
		{"GO", 2, "unknown format of an aggregate state"},
		{"go", 3, "unknown format of an aggregate state"},
	};

	for (int i = 0; i < LENGTH_OF(names); i++)
	{
		BbfExternalMessage state = external_state("go", 0, 0.01, 0);
		Message		message = new_external_message(&state);
		size_t		length = message.length - 2 + names[i].length;
		unsigned char *bytes = allocate(length);
		const char *reason;

		CASE("name %d", i);
		memcpy(bytes + length - 17, message.bytes + message.length - 17, 17);
		bytes[0] = message.bytes[0];
		bytes[1] = (unsigned char) names[i].length;
		memcpy(bytes + 2, names[i].name, names[i].length);
		reason = bbf_external_message_read(bytes, length, &state);
		CHECK(reason == names[i].reason ||
			  (reason != NULL && names[i].reason != NULL && strcmp(reason, names[i].reason) == 0));

		/* a name that ends behind the message */
		bytes[1] = 255;
		CHECK(bbf_external_message_read(bytes, length, &state) != NULL);
		free(bytes);
		free(message.bytes);
	}
}

/* The first layer has room for more than the list before it. */
static void
test_first_capacity(void)
{
	CHECK(bbf_first_capacity(BBF_KIND_BLOOM, 1, 0) == 128);
	CHECK(bbf_first_capacity(BBF_KIND_BLOOM, 1, 1) == 128);
	CHECK(bbf_first_capacity(BBF_KIND_BLOOM, 1, 100) == 12800);
	CHECK(bbf_first_capacity(BBF_KIND_BLOOM, 12801, 100) == 12801);
	CHECK(bbf_first_capacity(BBF_KIND_COUNTING_BLOOM, 1, 0) == 256);
	CHECK(bbf_first_capacity(BBF_KIND_CUCKOO, 1, 0) == 1);
	CHECK(bbf_saturating_product(INT64_MAX, 2) == INT64_MAX);
	CHECK(bbf_saturating_product(INT64_MAX / 2, 2) == INT64_MAX - 1);
	CHECK(bbf_saturating_product(INT64_MAX, 0) == 0);
}

const Test	aggregate_message_tests[] = {
	TEST(test_bytes_of_a_head),
	TEST(test_what_is_written_is_read),
	TEST(test_cut_off_heads),
	TEST(test_impossible_fields),
	TEST(test_versions_and_forms),
	TEST(test_bins_against_their_layer),
	TEST(test_pauses),
	TEST(test_words),
	TEST(test_external_states),
	TEST(test_names_of_formats),
	TEST(test_first_capacity),
	END_OF_TESTS
};
