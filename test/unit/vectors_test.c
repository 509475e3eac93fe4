/*
 * vectors_test.c
 *	  The vectors in test/vectors/, which the server has written, and other programs compare
 *	  themselves with.
 *
 * Each file has one JSON object per line, with the members in a fixed order.  So a member is
 * found by its name, and no parser is needed.
 */
#include "check.h"

#include "core/family.h"
#include "core/hash.h"
#include "core/image.h"
#include "core/matrix.h"

#include "attached.h"
#include "buffer.h"
#include "suites.h"
#include "text_file.h"

/* The lines of a file, one after the other. */
typedef struct Lines
{
	char	   *text;
	char	   *next;
} Lines;

/* The same with n letters A, zeros in base64, for each A{n}; frees the text. */
static char *
with_zeros(char *text)
{
	size_t		length = strlen(text) + 1;
	char	   *result;
	char	   *to;

	for (const char *from = text; (from = strstr(from, "A{")) != NULL; from += 2)
		length += strtoul(from + 2, NULL, 10);
	to = result = (char *) allocate(length);
	for (char *from = text; (*to++ = *from) != '\0'; from++)
	{
		size_t		n;

		if (from[0] != 'A' || from[1] != '{')
			continue;
		n = strtoul(from + 2, &from, 10);
		memset(to, 'A', n - 1);
		to += n - 1;
	}
	free(text);
	return result;
}

static Lines
lines_of(const char *name)
{
	Lines		lines;

	lines.text = lines.next = with_zeros(read_text_file(name));
	return lines;
}

/* The next object, as a string; NULL after the last. */
static const char *
next_object(Lines *lines)
{
	char	   *line;

	do
	{
		line = lines->next;
		lines->next += strcspn(line, "\n");
		if (*lines->next == '\0')
		{
			free(lines->text);
			return NULL;
		}
		*lines->next++ = '\0';
	} while (line[0] != '{');
	return line;
}

/* The value of the first member of that name from here on. */
static const char *
member(const char *object, const char *name)
{
	char		quoted[40];
	const char *p;

	(void) snprintf(quoted, sizeof(quoted), "\"%s\"", name);
	p = strstr(object, quoted);
	CHECK(p != NULL);
	if (p == NULL)
		return "";
	p += strlen(quoted);
	return p + strspn(p, " :");
}

static bool
is_null(const char *value)
{
	return strncmp(value, "null", 4) == 0;
}

/* Is the value this string? */
static bool
is_string(const char *value, const char *string)
{
	size_t		length = strlen(string);

	return value[0] == '"' && strncmp(value + 1, string, length) == 0 &&
		value[1 + length] == '"';
}

/* The bytes of a value in base64, without any check of it. */
static unsigned char *
bytes_of_base64(const char *value, size_t *length)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned char *bytes;
	uint32_t	bits = 0;
	size_t		ndigits;

	value++;
	ndigits = strspn(value, digits);
	*length = ndigits * 6 / 8;
	bytes = allocate(*length);
	for (size_t i = 0; i < ndigits; i++)
	{
		bits = bits << 6 | (uint32_t) (strchr(digits, value[i]) - digits);
		if (i % 4 != 0)
			bytes[i / 4 * 3 + i % 4 - 1] =
				(unsigned char) (bits >> (6 - 2 * (i % 4)));
	}
	return bytes;
}

/* The hash of a key in the form of bloom_key. */
static uint64_t
hash_of_key(const char *value)
{
	return (uint64_t) strtoull(strchr(value, ':') + 1, NULL, 16);
}

static BbfKind
kind_of(const char *value)
{
	for (int kind = 1; kind <= BBF_KIND_MAX; kind++)
	{
		if (bbf_kind_is_valid(kind) && is_string(value, bbf_kind_routine((BbfKind) kind)->name))
			return (BbfKind) kind;
	}
	CHECK(false);
	return BBF_KIND_BLOOM;
}

/* Is there a vector of each kind, but for 255, which is of tests alone? */
static bool
has_all_kinds(const bool *has_kind)
{
	for (int kind = 1; kind <= BBF_KIND_MAX; kind++)
	{
		if (bbf_kind_is_valid(kind) && kind != 255 && !has_kind[kind])
			return false;
	}
	return true;
}

static void
test_hashes_of_bytes(void)
{
	Lines		lines = lines_of("test/vectors/bytes.json");
	const char *object;
	int			n = 0;

	for (; (object = next_object(&lines)) != NULL; n++)
	{
		size_t		length = (size_t) strtoull(member(object, "length"), NULL, 10);
		unsigned char *bytes = allocate(length);

		CASE("%d bytes", (int) length);
		for (size_t i = 0; i < length; i++)
			bytes[i] = (unsigned char) (7 * i + length);
		CHECK(bbf_hash(bytes, length) ==
			  (uint64_t) strtoull(member(object, "hash") + 1, NULL, 16));
		free(bytes);
	}
	CHECK(n > 300);
}

/* Keys whose canonical bytes are the characters of the value. */
static void
test_hashes_of_texts(void)
{
	Lines		lines = lines_of("test/vectors/keys.json");
	const char *object;
	int			n = 0;

	while ((object = next_object(&lines)) != NULL)
	{
		const char *value = member(object, "value");

		CASE("%.150s", object);
		if (!is_string(member(object, "type"), "text") || strchr(value, '\\') != NULL)
			continue;
		n++;
		value++;
		CHECK(bbf_hash(value, strcspn(value, "\"")) == hash_of_key(member(object, "key")));
	}
	CHECK(n > 20);
}

static void
test_answers(void)
{
	Lines		lines = lines_of("test/vectors/filters.json");
	const char *object;
	bool		has_kind[BBF_KIND_MAX + 1] = {false};
	int			n = 0;
	int			nprobes = 0;

	for (; (object = next_object(&lines)) != NULL; n++)
	{
		size_t		length;
		unsigned char *bytes = bytes_of_base64(member(object, "image"), &length);
		const char *info = member(object, "info");
		const char *keys = member(info, "keys");
		const char *probe = member(object, "probes");
		BbfMeta		meta;

		CASE("%.60s", object);
		CHECK(bbf_image_validate(bytes, length, kind_of(member(object, "kind")), &meta,
								 NULL) == NULL);
		has_kind[meta.kind] = true;
		CHECK(is_string(member(info, "key_family"), bbf_family_name(meta.family)));
		CHECK(meta.capacity == (uint64_t) strtoull(member(info, "capacity"), NULL, 10));
		CHECK(meta.length == (size_t) strtoull(member(info, "bytes"), NULL, 10));
		CHECK(is_null(keys) ? meta.flags != 0 || !bbf_meta_can_estimate_keys(&meta) :
			  (int64_t) (bbf_meta_keys(&meta) + 0.5) == strtoll(keys, NULL, 10));

		while ((probe = strstr(probe, "\"key\"")) != NULL)
		{
			uint64_t	hash = hash_of_key(member(probe, "key"));
			const char *count = member(probe, "count");
			int			found = image_count(&meta, bytes, hash);

			CHECK((found > 0) == (member(probe, "contains")[0] == 't'));
			CHECK(is_null(count) || found == atoi(count));
			nprobes++;
			probe = count;
		}
		free(bytes);
	}
	CHECK(n > 40);
	CHECK(has_all_kinds(has_kind));
	CHECK(nprobes > 1000);
}

/* All but what is no base64, which the core knows nothing of. */
static void
test_reasons(void)
{
	Lines		lines = lines_of("test/vectors/malformed.json");
	const char *object;
	bool		has_kind[BBF_KIND_MAX + 1] = {false};
	int			n = 0;

	while ((object = next_object(&lines)) != NULL)
	{
		const char *reason = member(object, "reason");
		const char *text = member(object, "text");
		size_t		length;
		unsigned char *bytes;
		BbfKind		kind;
		BbfMeta		meta;
		const char *found;

		CASE("%.150s", object);
		if (strstr(reason, "base64") != NULL)
			continue;
		n++;
		bytes = bytes_of_base64(text, &length);
		kind = kind_of(member(object, "kind"));
		has_kind[kind] = true;
		found = bbf_image_validate(bytes, length, kind, &meta, NULL);
		CHECK(found != NULL && is_string(reason, found));
		free(bytes);
	}
	CHECK(n > 300);
	CHECK(has_all_kinds(has_kind));
}

/*
 * Matrices
 */

/* Has the column of a matrix the key? */
static bool
column_has(const BbfMatrix *matrix, const unsigned char *bytes, uint32_t column, uint64_t hash)
{
	uint16_t	slices[BBF_MAX_PROBES];
	int			n = bbf_matrix_find_slices(matrix, hash, slices);
	bool		result = matrix->family != BBF_FAMILY_NONE;

	for (int i = 0; i < n && result; i++)
		result = (bytes[bbf_matrix_block_offset(matrix, hash) +
						slices[i] * matrix->slice_bytes + column / 8] >> column % 8 & 1) != 0;
	return result;
}

/* Does the next id of an array follow, and is it this one?  Goes on after it. */
static bool
is_next_id(const char **ids, int64_t id)
{
	char		quoted[30];
	size_t		length = (size_t) snprintf(quoted, sizeof(quoted), "\"%" PRId64 "\"", id);

	*ids += strspn(*ids, "[, ");
	if (strncmp(*ids, quoted, length) != 0)
		return false;
	*ids += length;
	return true;
}

/* The filters of the columns, from the member columns on; returns how many there are. */
static uint32_t
check_columns(const BbfMatrix *matrix, const unsigned char *bytes, const char *columns)
{
	const char *end = member(columns, "searches");
	uint32_t	column = 0;

	for (;; column++)
	{
		int64_t		id;
		size_t		length;
		unsigned char *expected;
		unsigned char *filter;
		BbfMeta		meta;

		columns = strstr(columns, "\"id\"");
		if (columns == NULL || columns > end)
			return column;
		id = (int64_t) strtoll(member(columns, "id") + 1, NULL, 10);
		columns = member(columns, "filter");
		expected = bytes_of_base64(columns, &length);
		filter = allocate(length);
		CHECK(bbf_matrix_find_id(matrix, bytes, id) == column);
		CHECK(bbf_matrix_read_record(matrix, bytes + bbf_matrix_record_offset(matrix, column),
									 &meta) == NULL);
		CHECK(meta.length == length);
		bbf_meta_write(&meta, filter);
		if (meta.nlayers > 0)
			bbf_matrix_get_column(matrix, bytes, column, filter + BBF_FIRST_BINS,
								  meta.layers[0].nbins, NULL);
		CHECK(memcmp(filter, expected, length) == 0);
		free(filter);
		free(expected);
	}
}

static void
test_matrices(void)
{
	Lines		lines = lines_of("test/vectors/matrices.json");
	const char *object;
	int			n = 0;
	int			nsearches = 0;

	for (; (object = next_object(&lines)) != NULL; n++)
	{
		size_t		length;
		unsigned char *bytes = bytes_of_base64(member(object, "image"), &length);
		const char *info = member(object, "info");
		const char *search = member(object, "searches");
		BbfMatrix	matrix;

		CASE("%.60s", object);
		CHECK(bbf_matrix_validate(bytes, length, &matrix, NULL) == NULL);
		CHECK(is_string(member(info, "key_family"), bbf_family_name(matrix.family)));
		CHECK(matrix.ncolumns == strtoul(member(info, "columns"), NULL, 10));
		CHECK(matrix.nblocks == strtoul(member(info, "blocks"), NULL, 10));
		CHECK(matrix.nprobes == atoi(member(info, "probes")));
		CHECK(matrix.length == strtoul(member(info, "bytes"), NULL, 10));
		CHECK(check_columns(&matrix, bytes, info) == matrix.ncolumns);

		for (; (search = strstr(search, "\"key\"")) != NULL; nsearches++)
		{
			uint64_t	hash = hash_of_key(member(search, "key"));
			const char *ids = member(search, "ids");

			for (uint32_t column = 0; column < matrix.ncolumns; column++)
			{
				if (column_has(&matrix, bytes, column, hash))
					CHECK(is_next_id(&ids, bbf_matrix_get_id(bytes, column)));
			}
			CHECK(ids[strspn(ids, "[ ")] == ']');
			search = ids;
		}
		free(bytes);
	}
	CHECK(n > 10);
	CHECK(nsearches > 500);
}

static void
test_reasons_of_matrices(void)
{
	Lines		lines = lines_of("test/vectors/malformed_matrices.json");
	const char *object;
	int			n = 0;

	for (; (object = next_object(&lines)) != NULL; n++)
	{
		size_t		length;
		unsigned char *bytes = bytes_of_base64(member(object, "text"), &length);
		BbfMatrix	matrix;
		const char *found = bbf_matrix_validate(bytes, length, &matrix, NULL);

		CASE("%.150s", object);
		CHECK(found != NULL && is_string(member(object, "reason"), found));
		free(bytes);
	}
	CHECK(n > 100);
}

const Test	vectors_tests[] = {
	TEST(test_hashes_of_bytes),
	TEST(test_hashes_of_texts),
	TEST(test_answers),
	TEST(test_reasons),
	TEST(test_matrices),
	TEST(test_reasons_of_matrices),
	END_OF_TESTS
};
