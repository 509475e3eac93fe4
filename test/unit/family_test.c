/*
 * family_test.c
 *	  family.h: numbers and names of the key families.
 */
#include "check.h"

#include "core/family.h"

#include "buffer.h"
#include "suites.h"

/* Frozen: the number is stored in images, the name in the text of keys. */
static const char *const frozen_families[] = {
	"none", "boolean", "number", "float", "text", "bytea", "uuid", "oid",
	"date", "timestamp", "timestamptz", "time", "network", "macaddr",
	"array", "row", "range"
};

/* A name without a terminating zero, as it stands in the middle of a text. */
static int
family_by_bare_name(const char *name)
{
	size_t		length = strlen(name);
	unsigned char *bare = copy_of((const unsigned char *) name, length);
	int			family = bbf_family_by_name((char *) bare, (unsigned) length);

	free(bare);
	return family;
}

/* Every number has its name, and every name its number. */
static void
test_family_names_round_trip(void)
{
	CHECK(BBF_FAMILY_MAX == LENGTH_OF(frozen_families) - 1);
	for (int family = 0; family < LENGTH_OF(frozen_families); family++)
	{
		const char *name = frozen_families[family];

		CASE("%s", name);
		CHECK(strcmp(bbf_family_name((unsigned) family), name) == 0);
		CHECK(family_by_bare_name(name) == family);
	}
	CHECK(BBF_FAMILY_NUMBER == 2 && BBF_FAMILY_TEXT == 4);
	CHECK(BBF_FAMILY_ARRAY == 14 && BBF_FAMILY_RANGE == 16);
}

/* A number out of range is named "unknown", which is not itself a name. */
static void
test_unknown_families(void)
{
	CHECK(strcmp(bbf_family_name(17), "unknown") == 0);
	CHECK(strcmp(bbf_family_name(UINT32_MAX), "unknown") == 0);
	CHECK(family_by_bare_name("unknown") == -1);
	CHECK(family_by_bare_name("") == -1);
}

/* Only whole names match: "time" is not "timestamp", "num" is nothing. */
static void
test_partial_names_do_not_match(void)
{
	CHECK(family_by_bare_name("num") == -1);
	CHECK(family_by_bare_name("numbers") == -1);
	CHECK(family_by_bare_name("umber") == -1);
	CHECK(family_by_bare_name("Number") == -1);
	CHECK(bbf_family_by_name("number", 5) == -1);
	CHECK(bbf_family_by_name("number", 7) == -1);
	CHECK(bbf_family_by_name("timestamptz", 4) == BBF_FAMILY_TIME);
	CHECK(bbf_family_by_name("timestamptz", 9) == BBF_FAMILY_TIMESTAMP);
}

/* Arrays, rows and ranges carry a subtype of their parts, no others do. */
static void
test_nested_families(void)
{
	for (unsigned family = 0; family <= 20; family++)
	{
		CASE("family %u", family);
		CHECK(bbf_family_is_nested(family) == (family == 14 || family == 15 ||
											   family == 16));
	}
}

/* A key has a family, and a subtype only if the family has parts. */
static void
test_valid_families_of_keys(void)
{
	for (unsigned family = 0; family <= 20; family++)
	{
		CASE("family %u", family);
		CHECK(bbf_family_is_valid(family, 0) == (family >= 1 && family <= 16));
		CHECK(bbf_family_is_valid(family, 1) == (family >= 14 && family <= 16));
	}
	CHECK(!bbf_family_is_valid(UINT32_MAX, 0));
}

const Test family_tests[] = {
	TEST(test_family_names_round_trip),
	TEST(test_unknown_families),
	TEST(test_partial_names_do_not_match),
	TEST(test_nested_families),
	TEST(test_valid_families_of_keys),
	END_OF_TESTS
};
