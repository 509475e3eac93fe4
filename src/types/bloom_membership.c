/*
 * bloom_membership.c
 *	  SQL functions that ask a bloom filter.
 */
#include "compat.h"

#include "filter/filter_membership.h"

PG_FUNCTION_INFO_V1(bloomtype_contains);
PG_FUNCTION_INFO_V1(bloomtype_contained);
PG_FUNCTION_INFO_V1(bloomtype_contains_any);
PG_FUNCTION_INFO_V1(bloomtype_contains_all);

Datum
bloomtype_contains(PG_FUNCTION_ARGS)
{
	return bloomtype_membership(fcinfo, BBF_KIND_BLOOM, 0, 1);
}

/* value <@ filter */
Datum
bloomtype_contained(PG_FUNCTION_ARGS)
{
	return bloomtype_membership(fcinfo, BBF_KIND_BLOOM, 1, 0);
}

Datum
bloomtype_contains_any(PG_FUNCTION_ARGS)
{
	return bloomtype_membership_elements(fcinfo, BBF_KIND_BLOOM, true);
}

Datum
bloomtype_contains_all(PG_FUNCTION_ARGS)
{
	return bloomtype_membership_elements(fcinfo, BBF_KIND_BLOOM, false);
}
