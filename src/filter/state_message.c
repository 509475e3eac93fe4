/*
 * state_message.c
 *	  Appends hashes and bytes to messages, and takes hashes from them.
 */
#include "compat.h"

#include "filter/state_message.h"

#include "core/bytes.h"
#include "filter/filter_pieces.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"

#define WORDS_IN_PIECE		65536

void
blt_open_state_message(StringInfo message, bytea *source)
{
	message->data = VARDATA_ANY(source);
	message->len = VARSIZE_ANY_EXHDR(source);
	message->maxlen = message->len;
	message->cursor = 0;
}

void
blt_send_words(StringInfo message, const uint64_t *words, Size n)
{
	enlargeStringInfo(message, n * sizeof(uint64));
	for (Size i = 0; i < n; i++)
	{
		if (i % WORDS_IN_PIECE == 0)
			CHECK_FOR_INTERRUPTS();
		bbf_put64((unsigned char *) message->data + message->len, words[i]);
		message->len += sizeof(uint64);
	}
}

void
blt_receive_words(StringInfo message, uint64_t *words, Size n)
{
	const unsigned char *bytes = (const unsigned char *)
		pq_getmsgbytes(message, n * sizeof(uint64));

	for (Size i = 0; i < n; i++)
	{
		if (i % WORDS_IN_PIECE == 0)
			CHECK_FOR_INTERRUPTS();
		words[i] = bbf_get64(bytes + i * sizeof(uint64));
	}
}

void
blt_send_bytes(StringInfo message, const unsigned char *bytes, Size size)
{
	enlargeStringInfo(message, size);
	blt_copy(message->data + message->len, bytes, size);
	message->len += size;
}
