/*
 * state_message.h
 *	  What serialized states of aggregates (core/aggregate_message.h) need of the server.
 */
#ifndef BLOOMTYPE_STATE_MESSAGE_H
#define BLOOMTYPE_STATE_MESSAGE_H

/* Allocate a state, and set where behind its head the payload of nbytes goes. */
extern bytea *blt_alloc_state(Size head_bytes, Size nbytes, unsigned char **payload);

/* The error for a state that cannot be read, unless the reason is null. */
extern void blt_check_state(const char *reason);

#endif							/* BLOOMTYPE_STATE_MESSAGE_H */
