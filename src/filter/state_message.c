/*
 * state_message.c
 *	  Allocates serialized states, and reports those that cannot be read.
 */
#include "compat.h"

#include "filter/state_message.h"

#include "filter/filter_datum.h"

bytea *
blt_alloc_state(Size head_bytes, Size nbytes, unsigned char **payload)
{
	bytea	   *message = blt_alloc_filter(head_bytes + nbytes);

	*payload = blt_filter_bytes(message) + head_bytes;
	return message;
}

void
blt_check_state(const char *reason)
{
	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg_internal("%s", reason)));
}
