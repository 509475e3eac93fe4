/*
 * family.c
 *	  Names of the key families.
 */
#include "core/family.h"

#include <string.h>

static const char *const family_names[] = {
	"none", "boolean", "number", "float", "text", "bytea", "uuid", "oid",
	"date", "timestamp", "timestamptz", "time", "network", "macaddr",
	"array", "row", "range"
};

const char *
bbf_family_name(unsigned family)
{
	return family <= BBF_FAMILY_MAX ? family_names[family] : "unknown";
}

int
bbf_family_by_name(const char *name, unsigned length)
{
	for (int family = 0; family <= BBF_FAMILY_MAX; family++)
	{
		if (strlen(family_names[family]) == length &&
			memcmp(family_names[family], name, length) == 0)
			return family;
	}
	return -1;
}
