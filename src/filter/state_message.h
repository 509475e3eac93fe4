/*
 * state_message.h
 *	  What the serialized states of aggregates have in common: hashes and bytes by
 *	  the megabyte, in pieces between which the query can be cancelled.
 */
#ifndef BLOOMTYPE_STATE_MESSAGE_H
#define BLOOMTYPE_STATE_MESSAGE_H

#include "lib/stringinfo.h"

/* Read a serialized state, which is not copied and must not be written to. */
extern void blt_open_state_message(StringInfo message, bytea *source);

/* Append words, little-endian on every machine: states may go from one to another. */
extern void blt_send_words(StringInfo message, const uint64_t *words, Size n);

/* Take so many words from a message.  Error: it has not as many. */
extern void blt_receive_words(StringInfo message, uint64_t *words, Size n);

/* pq_sendbytes that can be interrupted; a message is no cstring. */
extern void blt_send_bytes(StringInfo message, const unsigned char *bytes, Size size);

#endif							/* BLOOMTYPE_STATE_MESSAGE_H */
