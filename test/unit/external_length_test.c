/*
 * external_length_test.c
 *	  Filters that were cut off, or have bytes behind them, in each format.
 *
 * Each real filter loses its last 1 to 64 bytes, and gets as many behind it.  What
 * becomes of it is told in a table: most formats have their length in the head, and
 * refuse it.  Where it is undecidable, since a system makes filters of these very
 * bytes, the result is such a filter; doc/interchange.md names these formats.
 */
#include "check.h"

#include "core/bytes.h"

#include "buffer.h"
#include "external_sample.h"
#include "key.h"
#include "suites.h"

#define MOST_BYTES		64

typedef enum Undecidable
{
	NEVER,						/* refused, whatever the length is */
	WHOLE_BLOCKS,				/* Parquet's bits alone: they have no head */
	ALWAYS						/* LevelDB's: only the last byte is no bits */
} Undecidable;

typedef struct RealFilter
{
	const char *format;
	const char *bytes;			/* null: made for 100 keys, with 60 in it */
	Undecidable undecidable;
} RealFilter;

#define PARQUET_HEADER	"15 40 1c1c0000 1c1c0000 1c1c0000 00"

static const RealFilter filters[] = {
	/* Guava 31.1, both strategies */
	{"guava", "01 07 00000002 0818000820208000 c080040002000020", NEVER},
	{"guava", "01 07 00000002 0004001000001001 4000004001000001", NEVER},
	{"guava_int", "01 07 00000002 4010200082000c00 40a0000940200202", NEVER},
	{"guava_long", "01 07 00000002 5000010400801040 0005412610412600", NEVER},
	{"guava_long", "00 07 00000002 0090020428810100 40010900028001a0", NEVER},
	{"guava_chars", "01 07 00000002 20084802a1000460 0038000610808a00", NEVER},

	/* DuckDB 1.5.6 */
	{"parquet", PARQUET_HEADER
		"002082402400a0401008801022000a2090018020124000031800016000442020", NEVER},
	{"parquet_int32", PARQUET_HEADER
		"040104200000042c48408001071000200860008414200008000a100204384000", NEVER},
	{"parquet_int64", PARQUET_HEADER
		"0006100a040804062124000200001612100140040400009a4040102020411040", NEVER},
	{"parquet_float", PARQUET_HEADER
		"203080204002808888060008160008010020604210010600020880a000104890", NEVER},
	{"parquet_double", PARQUET_HEADER
		"0902104001120005003122000400100b124300000a0a00100042010480402800", NEVER},

	/* of 64 bytes */
	{"parquet", "15 8001 1c1c0000 1c1c0000 1c1c0000 00"
		"0000000000000000000000000000000000000000000000000000000000000000"
		"002082402400a0401008801022000a2090018020124000031800016000442020", NEVER},

	/* parquet-java */
	{"parquet", "c80150144044086d062504439050602008842b21000563410200e02c404e6004",
		WHOLE_BLOCKS},
	{"parquet_int64", "18821808860844060265800a4002264e7201402601c0c2984046002438794000",
		WHOLE_BLOCKS},

	/* Spark */
	{"spark_v1", "00000001 00000007 00000002 4300100221092002 0008140008089000", NEVER},
	{"spark_v2", "00000002 00000007 00000000 00000002 0005004202042000 21440400001c8480",
		NEVER},

	/* bits-and-blooms 3.3.1; and m of whole words, a bitset longer than m, a shorter one */
	{"go", "0000000000000060 0000000000000007 0000000000000060"
		"00000880002a0028 0000000080088008", NEVER},
	{"go", "0000000000000040 0000000000000003 0000000000000040 8000140a2b021095", NEVER},
	{"go", "0000000000000020 0000000000000003 0000000000000040 0000000000004011", NEVER},
	{"go", "0000000000000064 0000000000000005 0000000000000040 ffffffffffffffff", NEVER},

	/* RedisBloom: two links, with hashes of 32 bits */
	{"redis", "0300000000000000 02000000 00000000 02000000"
		"0800000000000000 4000000000000000 0200000000000000"
		"7b14ae47e17a743f e9862fb2350e2640 08000000 0200000000000000 05"
		"0800000000000000 4000000000000000 0100000000000000"
		"7b14ae47e17a643f 4af7d49edef02840 09000000 0500000000000000 06"
		"3559139100000000 8104020824104000", NEVER},

	/* LevelDB 1.23 */
	{"leveldb", "1140004144104010 06", ALWAYS},
	{"leveldb", "6c32b7bb5e552a4095a9d844 14", ALWAYS},

	/* as they are made here, which is as the systems make them */
	{"guava", NULL, NEVER},
	{"guava_int", NULL, NEVER},
	{"guava_long", NULL, NEVER},
	{"guava_chars", NULL, NEVER},
	{"parquet", NULL, WHOLE_BLOCKS},
	{"parquet_int32", NULL, WHOLE_BLOCKS},
	{"parquet_int64", NULL, WHOLE_BLOCKS},
	{"parquet_float", NULL, WHOLE_BLOCKS},
	{"parquet_double", NULL, WHOLE_BLOCKS},
	{"parquet_timestamp_micros", NULL, WHOLE_BLOCKS},
	{"parquet_timestamp_millis", NULL, WHOLE_BLOCKS},
	{"spark_v1", NULL, NEVER},
	{"spark_v2", NULL, NEVER},
	{"go", NULL, NEVER},
	{"redis", NULL, NEVER},
	{"leveldb", NULL, ALWAYS},
};

static ExternalSample
sample_of(const RealFilter *filter)
{
	const BbfExternalFormat *format = external_format(filter->format);
	ExternalSample sample;

	if (filter->bytes != NULL)
		return from_hex_bytes(format, filter->bytes);
	sample = new_external(format, 100, usual_parameter(format));
	add_external_keys(&sample, 0, 60);
	return sample;
}

/* Are these bytes, which were a filter, refused, or another filter of whole blocks or bytes? */
static void
check_other_length(const RealFilter *filter, const unsigned char *bytes, size_t length)
{
	static BbfExternalMeta meta;
	unsigned char *exact = copy_of(bytes, length);
	const char *reason = bbf_external_validate(external_format(filter->format), exact, length,
											   &meta);

	switch (filter->undecidable)
	{
		case NEVER:
			CHECK(reason != NULL);
			break;
		case WHOLE_BLOCKS:
			CHECK((reason == NULL) == (length > 0 && length % 32 == 0));
			if (reason == NULL)
				CHECK(meta.links[0].offset == 0 && meta.links[0].nbits == 8 * length);
			break;
		case ALWAYS:
			CHECK(reason == NULL);
			CHECK(meta.nlinks == (length >= 2));
			if (length >= 2)
				CHECK(meta.links[0].nbits == 8 * (length - 1));
			break;
	}
	free(exact);
}

static void
test_cut_off(void)
{
	for (int i = 0; i < LENGTH_OF(filters); i++)
	{
		ExternalSample sample = sample_of(&filters[i]);
		size_t		length = sample.meta.length;

		for (size_t n = 1; n <= MOST_BYTES && n <= length; n++)
		{
			CASE("%s, number %d of %d bytes, without %d", filters[i].format, i, (int) length,
				 (int) n);
			check_other_length(&filters[i], sample.bytes, length - n);
		}
		free(sample.bytes);
	}
}

/* Byte number i behind a filter of some length. */
static unsigned char
byte_behind(int fill, const unsigned char *filter, size_t length, size_t i)
{
	switch (fill)
	{
		case 0:
			return 0;
		case 1:
			return 0xFF;
		case 2:
			return filter[i % length];
		case 3:
			return filter[length - 1];
		default:
			return (unsigned char) key((uint64_t) fill << 32 | i);
	}
}

/* Zeros, ones, the filter once more, its last byte again and again, and any bytes. */
static void
test_with_bytes_behind(void)
{
	for (int i = 0; i < LENGTH_OF(filters); i++)
	{
		ExternalSample sample = sample_of(&filters[i]);
		size_t		length = sample.meta.length;
		unsigned char *longer = allocate(length + MOST_BYTES);

		memcpy(longer, sample.bytes, length);
		for (int fill = 0; fill < 8; fill++)
		{
			for (size_t n = 0; n < MOST_BYTES; n++)
			{
				longer[length + n] = byte_behind(fill, sample.bytes, length, n);
				CASE("%s, number %d of %d bytes, with %d behind, in way %d", filters[i].format,
					 i, (int) length, (int) n + 1, fill);
				check_other_length(&filters[i], longer, length + n + 1);
			}
		}
		free(longer);
		free(sample.bytes);
	}
}

/* Each format is in the table. */
static void
test_all_formats(void)
{
	for (int i = 0; i < bbf_external_nformats; i++)
	{
		bool		found = false;

		for (int j = 0; j < LENGTH_OF(filters); j++)
			found |= filters[j].bytes == NULL &&
				strcmp(filters[j].format, bbf_external_formats[i]->name) == 0;
		CASE("%s", bbf_external_formats[i]->name);
		CHECK(found);
	}
}

/*
 * A Parquet header decides, whatever the length is: also one of another number of
 * groups of bits, and one of an algorithm, hash or compression that is not read.
 */
static void
test_parquet_headers(void)
{
	static const char *const headers[] = {
		"15 40 1c1c0000 1c1c0000 1c1c0000 00",
		"15 8001 1c1c0000 1c1c0000 1c1c0000 00",
		"15 80808001 1c1c0000 1c1c0000 1c1c0000 00",
		"15 8080808001 1c1c0000 1c1c0000 1c1c0000 00",
		"15 3e 1c1c0000 1c1c0000 1c1c0000 00",
		"15 40 1c2c0000 1c1c0000 1c1c0000 00",
		"15 40 1c1c0000 1c2c0000 1c1c0000 00",
		"15 40 1c1c0000 1c1c0000 1cec0000 00",
		"15 40 1c1c0000 1c1c0000 1c1c0000 15",
	};
	/* what is no header: the same bytes with one changed */
	static const char *const others[] = {
		"05 40 1c1c0000 1c1c0000 1c1c0000 00",
		"15 40 1d1c0000 1c1c0000 1c1c0000 00",
		"15 40 1c1d0000 1c1c0000 1c1c0000 00",
		"15 40 1c1c0000 1c1c0100 1c1c0000 00",
		"15 40 1c1c0000 1c1c0000 1c1c0001 00",
	};
	static BbfExternalMeta meta;

	for (int i = 0; i < LENGTH_OF(headers) + LENGTH_OF(others); i++)
	{
		const bool	is_header = i < LENGTH_OF(headers);
		const char *hex = is_header ? headers[i] : others[i - LENGTH_OF(headers)];
		size_t		header_bytes;
		unsigned char *header = from_hex(hex, &header_bytes);

		for (size_t length = 32; length <= 128; length += 32)
		{
			unsigned char *bytes = allocate(length);

			memcpy(bytes, header, header_bytes);
			CASE("%s, %d bytes", hex, (int) length);
			CHECK((bbf_external_validate(external_format("parquet"), bytes, length, &meta) !=
				   NULL) == is_header);
			free(bytes);
		}
		free(header);
	}
}

const Test external_length_tests[] = {
	TEST(test_cut_off),
	TEST(test_with_bytes_behind),
	TEST(test_all_formats),
	TEST(test_parquet_headers),
	END_OF_TESTS
};
