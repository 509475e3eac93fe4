/*
 * bloom_io.c
 *	  The doors of type bloom.
 */
#include "compat.h"

#include "filter/filter_io.h"

PG_FUNCTION_INFO_V1(bloomtype_in);
PG_FUNCTION_INFO_V1(bloomtype_out);
PG_FUNCTION_INFO_V1(bloomtype_recv);
PG_FUNCTION_INFO_V1(bloomtype_from_bytea);
PG_FUNCTION_INFO_V1(bloomtype_to_bytea);

Datum
bloomtype_in(PG_FUNCTION_ARGS)
{
	return bloomtype_image_in(fcinfo, BBF_KIND_BLOOM);
}

Datum
bloomtype_out(PG_FUNCTION_ARGS)
{
	return bloomtype_image_out(fcinfo, BBF_KIND_BLOOM);
}

Datum
bloomtype_recv(PG_FUNCTION_ARGS)
{
	return bloomtype_image_recv(fcinfo, BBF_KIND_BLOOM);
}

Datum
bloomtype_from_bytea(PG_FUNCTION_ARGS)
{
	return bloomtype_image_from_bytea(fcinfo, BBF_KIND_BLOOM);
}

/* Also the send function. */
Datum
bloomtype_to_bytea(PG_FUNCTION_ARGS)
{
	return bloomtype_image_to_bytea(fcinfo, BBF_KIND_BLOOM);
}
