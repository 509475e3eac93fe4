/*
 * seeds.c
 *	  Writes inputs for the fuzz targets: filters and states of few and of many keys, as
 *	  our own code makes them.
 *
 *		seeds FOLDER
 *
 * The corpus was made of these by fuzzing and libFuzzer's -merge.
 */
#include "compat.h"

#include "backend.h"
#include "core/aggregate_message.h"
#include "core/family.h"
#include "core/matrix.h"
#include "core/pages.h"
#include "filter/open_filter.h"
#include "fuzz.h"
#include "interchange/external_message.h"

#undef fprintf
#undef snprintf

static const char *folder;
static int	nseeds;

/* One input being put together. */
static unsigned char seed[1 << 16];
static size_t seed_size;

static void
put(const void *bytes, size_t size)
{
	REQUIRE(size <= sizeof(seed) - seed_size);
	memcpy(seed + seed_size, bytes, size);
	seed_size += size;
}

/* A number of so many bytes. */
static void
put_number(uint64_t n, size_t size)
{
	unsigned char bytes[8];

	bbf_put64(bytes, n);
	put(bytes, size);
}

static void
write_seed(const char *target)
{
	char		name[1024];
	FILE	   *file;

	snprintf(name, sizeof(name), "%s/%s/%04d", folder, target, nseeds++);
	file = fopen(name, "wb");
	REQUIRE(file != NULL);
	REQUIRE(fwrite(seed, 1, seed_size, file) == seed_size);
	REQUIRE(fclose(file) == 0);
	seed_size = 0;
}

/* A filter to make: of so many keys from one on. */
typedef struct Wanted
{
	BbfKind		kind;
	uint64		capacity;
	double		fpp;
	int			growth;
	unsigned	first;
	unsigned	n;
	struct varlena *filter;
} Wanted;

static void
run_make(void *argument)
{
	Wanted	   *wanted = argument;
	OpenFilter	open;

	blt_open_new_filter(&open, wanted->kind, wanted->capacity, wanted->fpp, wanted->growth);
	for (unsigned i = 0; i < wanted->n; i++)
	{
		BloomKey	key = {.hash = mixed(wanted->first + i),.family = BBF_FAMILY_NUMBER};

		blt_add_key(&open, key);
	}
	wanted->filter = (struct varlena *) DatumGetPointer(blt_close_filter(&open));
}

static Wanted filters[] = {
	{BBF_KIND_BLOOM, 1000, 0.01, 2, 0, 0},
	{BBF_KIND_BLOOM, 1000, 0.01, 0, 0, 1},
	{BBF_KIND_BLOOM, 100, 0.5, 1, 0, 20},
	{BBF_KIND_BLOOM, 1, 0.5, 1, 0, 140},
	{BBF_KIND_BLOOM, 1, 0.3, 0, 50, 150},
	{BBF_KIND_BLOOM, 1, 0.5, 1, 100, 600},
	{BBF_KIND_BLOOM, 400, 0.1, 2, 0, 129},
	{BBF_KIND_BLOOM, 256, 0.001, 2, 0, 300},
	{BBF_KIND_COUNTING_BLOOM, 1, 0.5, 0, 0, 0},
	{BBF_KIND_COUNTING_BLOOM, 1, 0.5, 0, 0, 30},
	{BBF_KIND_CUCKOO, 100, 0.5, 0, 0, 0},
	{BBF_KIND_CUCKOO, 8, 0.1, 0, 0, 8},
	{BBF_KIND_CUCKOO, 100, 0.001, 0, 0, 110}
};

static void
write_images(void)
{
	for (int i = 0; i < lengthof(filters); i++)
	{
		Wanted	   *wanted = &filters[i];

		REQUIRE(succeeds(run_make, wanted));
		for (int repair = 0; repair < 2; repair++)
		{
			put_number(wanted->kind | repair << 7, 1);
			put_number(mixed(wanted->first), 8);
			put(VARDATA(wanted->filter), VARSIZE(wanted->filter) - VARHDRSZ);
			write_seed("image");
		}

		for (int j = 0; j <= i && wanted->kind == BBF_KIND_BLOOM; j++)
		{
			put_number((i + j) % 4, 1);
			put_number(mixed(wanted->first), 8);
			put_number(VARSIZE(wanted->filter) - VARHDRSZ, 2);
			put(VARDATA(wanted->filter), VARSIZE(wanted->filter) - VARHDRSZ);
			put(VARDATA(filters[j].filter), VARSIZE(filters[j].filter) - VARHDRSZ);
			write_seed("algebra");
		}
	}
}

/* A matrix of columns, of a block each, some of which are lists of one key, others empty. */
static void
put_matrix(uint32_t ncolumns, unsigned modulus, bool whole)
{
	BbfMatrix	matrix = {BBF_FAMILY_NONE, 0, 1, 1, ncolumns};
	static unsigned char bytes[1 << 16];
	BbfGeometry least = bbf_matrix_least_geometry(0.5);

	REQUIRE(least.nbins == 1);
	matrix.nprobes = ncolumns > 0 ? least.key_bits : 0;
	matrix.nblocks = ncolumns > 0 ? 1 : 0;
	if (modulus > 0 && ncolumns > 0)
	{
		matrix.family = modulus == 1 ? BBF_FAMILY_NUMBER : BBF_FAMILY_ARRAY;
		matrix.subtype = modulus == 1 ? 0 : 7;
	}
	REQUIRE(bbf_matrix_lay_out(&matrix) && matrix.length <= sizeof(bytes));
	memset(bytes, 0, sizeof(bytes));
	bbf_matrix_write(&matrix, bytes);
	for (uint32_t i = 0; i < ncolumns; i++)
	{
		BbfLayer	known = {0};
		BbfMeta		meta;

		bbf_meta_init(&meta, BBF_KIND_BLOOM, 10 + i, 0.5, BBF_DEFAULT_GROWTH);
		if (modulus > 0 && i % modulus == 0)
		{
			meta.family = matrix.family;
			meta.subtype = matrix.subtype;
			meta.nlist = 1;
		}
		meta = bbf_matrix_column_meta(&matrix, &meta, &known);
		if (meta.nlayers > 0)
			meta.layers[0].nset = bbf_matrix_add(&matrix, bytes, i, mixed(i));
		bbf_matrix_put_id(bytes, i, (int64_t) i * 3 - 4);
		bbf_matrix_write_record(&meta, bytes + bbf_matrix_record_offset(&matrix, i));
	}
	put(bytes, whole ? matrix.length : bbf_matrix_record_offset(&matrix, ncolumns));
}

/* Filters of one probe, of 4, 2 and 1 blocks and of a list go together; one has 3 blocks. */
static Wanted columns[] = {
	{BBF_KIND_BLOOM, 1000, 0.5, 0, 0, 400},
	{BBF_KIND_BLOOM, 500, 0.5, 0, 50, 200},
	{BBF_KIND_BLOOM, 256, 0.5, 0, 7, 140},
	{BBF_KIND_BLOOM, 10, 0.5, 0, 300, 20},
	{BBF_KIND_BLOOM, 700, 0.5, 0, 900, 300}
};

/* Matrices of few columns; such without slices, to be repaired; and filters, to be built. */
static void
write_matrices(void)
{
	static const uint32_t ncolumns[] = {0, 1, 2, 3, 65};

	for (int i = 0; i < lengthof(ncolumns); i++)
	{
		for (unsigned modulus = 0; modulus < 3; modulus++)
		{
			for (int repair = 0; repair < 2; repair++)
			{
				put_number(repair << 7 | 0x30, 1);
				put_number(mixed(8 * i + modulus), 8);
				put_matrix(ncolumns[i], modulus, !repair);
				write_seed("matrix");
			}
		}
	}
	for (int i = 0; i < lengthof(columns); i++)
	{
		REQUIRE(succeeds(run_make, &columns[i]));
		put_number(0x70, 1);
		put_number(mixed(i), 8);
		put_number(20 * i + 2, 1);
		for (int j = 0; j <= i; j++)
		{
			put_number(VARSIZE(columns[j].filter) - VARHDRSZ, 2);
			put(VARDATA(columns[j].filter), VARSIZE(columns[j].filter) - VARHDRSZ);
		}
		write_seed("matrix");
	}
	for (int i = 0; i < lengthof(filters); i++)
	{
		for (int j = 0; j <= i && filters[i].kind == BBF_KIND_BLOOM; j++)
		{
			put_number(0x40, 1);
			put_number(mixed(i), 8);
			put_number(i + j, 1);
			put_number(VARSIZE(filters[i].filter) - VARHDRSZ, 2);
			put(VARDATA(filters[i].filter), VARSIZE(filters[i].filter) - VARHDRSZ);
			put_number(VARSIZE(filters[j].filter) - VARHDRSZ, 2);
			put(VARDATA(filters[j].filter), VARSIZE(filters[j].filter) - VARHDRSZ);
			write_seed("matrix");
		}
	}
}

static void
put_hashes(size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_number(mixed(i), 8);
}

static void
write_states(void)
{
	static const BbfAggregateMessage states[] = {
		{BBF_KIND_BLOOM, 0, 0.01, BBF_FAMILY_NUMBER, 0, false, NULL, 24},
		{BBF_KIND_BLOOM, 0, 0.1, BBF_FAMILY_TEXT, 0, false, NULL, 150 * 8},
		{BBF_KIND_BLOOM, 300, 0.3, BBF_FAMILY_ARRAY, 7, true, NULL, 192},
		{BBF_KIND_COUNTING_BLOOM, 5, 0.5, BBF_FAMILY_NUMBER, 0, false, NULL, 40},
		{BBF_KIND_COUNTING_BLOOM, 256, 0.5, BBF_FAMILY_NUMBER, 0, true, NULL, 512},
		{BBF_KIND_CUCKOO, 0, 0.01, BBF_FAMILY_NUMBER, 0, false, NULL, 160},
		{BBF_KIND_CUCKOO, 20, 0.01, BBF_FAMILY_NUMBER, 0, false, NULL, 160},
		{BBF_KIND_BLOOM, 0, 0.01, BBF_FAMILY_NONE, 0, false, NULL, 0}
	};

	for (int i = 0; i < lengthof(states); i++)
	{
		unsigned char header[BBF_MESSAGE_HEADER_BYTES];

		bbf_message_write(&states[i], header);
		put_number(states[i].has_bins ? 2 : 0, 1);
		put(header, sizeof(header));
		put_hashes(states[i].nbytes / 8);
		write_seed("state");
	}
	for (int i = 0; i < bbf_external_nformats; i++)
	{
		const BbfExternalFormat *format = bbf_external_formats[i];

		for (int form = 0; form < (format->set_keys != NULL ? 1 : 2); form++)
		{
			BbfExternalMessage state = {
				.format = format,.capacity = 8 * form,
				.parameter = format->parameter == BBF_EXTERNAL_FPP ? 0.1 : 10,
				.has_filter = form > 0
			};
			unsigned char header[300];

			bbf_external_message_write(&state, header);
			put_number(form > 0 ? 3 : 1, 1);
			put(header, bbf_external_message_header_bytes(format));
			put_hashes(3 * format->hash_words);
			write_seed("state");
		}
	}
}

/* Where it is in the table of formats */
#define REDIS_FORMAT	14

static void
write_external(void)
{
	/* RedisBloom's twice: the second time its header is repaired */
	for (int i = 0; i <= bbf_external_nformats; i++)
	{
		bool		repair = i == bbf_external_nformats;
		const BbfExternalFormat *format = repair ? bbf_external_by_name("redis", 5) :
			bbf_external_formats[i];
		double		parameter = format->parameter == BBF_EXTERNAL_FPP ? 0.1 : 10;
		unsigned char bytes[1024] = {0};
		unsigned char number[8];
		BbfExternalMeta meta;
		uint64_t	hashes[5 * BBF_EXTERNAL_MAX_HASH];

		REQUIRE(bbf_external_size(format, 20, parameter, &meta) == NULL);
		REQUIRE(meta.length <= sizeof(bytes));
		bbf_external_write(format, &meta, bytes);
		for (int j = 0; j < lengthof(hashes); j++)
			hashes[j] = mixed(j);
		bbf_external_add_many(format, &meta, bytes, hashes, 5);
		if (format->set_keys != NULL)
			REQUIRE(format->set_keys(&meta, bytes, 5) == NULL);

		put_number(repair ? 0x80 | REDIS_FORMAT : i, 1);
		put_number(meta.length, 2);
		put_number(20, 8);
		put_number(0, 1);
		bbf_putdouble(number, parameter);
		put(number, 8);
		put_number(3, 2);
		put("key", 3);
		put(bytes, meta.length);
		put(bytes, meta.length);
		write_seed("external");
	}
}

static void
write_sizes(void)
{
	static const double rates[] = {0.5, 0.01, 1e-9, 4.9e-324};

	for (int i = 0; i < lengthof(rates); i++)
	{
		unsigned char number[8];

		put_number(mixed(i), 8);
		put_number(i * 15, 1);
		bbf_putdouble(number, rates[i]);
		put(number, 8);
		put_number(mixed(i + 10), 8);
		put_number(6, 1);
		put_number(mixed(i) & ~UINT64CONST(7), 8);
		write_seed("sizing");
	}
}

/* Each operation of fuzz_model.c, and some one after the other. */
static void
write_programs(void)
{
	for (int kind = 0; kind < 3; kind++)
	{
		for (int operation = 0; operation < 16; operation++)
		{
			put_number(0, 1);
			put_number(2 + 8 * kind, 1);
			put_number(kind, 1);
			put_number(10, 1);
			put_number(UINT64CONST(0x01C80000), 4);
			put_number(operation, 1);
			put_number(UINT64CONST(0x01C8006401640012), 8);
			put_number(0x12, 1);
			put_number(operation + 0x40, 1);
			put_number(UINT64CONST(0x0364000164000102), 8);
			write_seed("model");
		}
	}
}

/*
 * Metadata of so many groups, as they are stored; and steps that make such of
 * several epochs, some of them with a second level.
 */
static void
write_pages(void)
{
	static const uint32_t ngroups[] = {1, 8, 248, 35000000};

	for (int i = 0; i < lengthof(ngroups); i++)
	{
		BbfPagesMeta meta = {.pages_per_range = 16,.ncolumns = 120,.ngroups = ngroups[i],.npages = 2,.nepochs = 1,
			.false_ranges = 0.1,
		.epochs[0] = {.first_page = 1,.nblocks = 9,.nprobes = 8,.capacity = 400,.nranges = 960}};
		unsigned char bytes[BBF_PAGES_META_BYTES + BBF_PAGES_EPOCH_BYTES + BBF_PAGES_HASH_BYTES];

		put_number(14, 1);
		put_number(mixed(i), 8);
		put_number(i, 2);
		put(bytes, bbf_pages_meta_write(&meta, bytes));
		write_seed("pages");
	}
	for (unsigned nsteps = 1; nsteps < 40; nsteps *= 2)
	{
		for (unsigned nchanges = 0; nchanges < 3; nchanges++)
		{
			put_number(0x80 | 14, 1);
			put_number(mixed(nsteps), 8);
			put_number(nsteps, 2);
			put_number(15, 2);
			put_number(7000, 2);
			put_number(1000, 2);
			put_number(nsteps, 1);
			for (unsigned i = 0; i < nsteps; i++)
			{
				put_number(i % 4, 1);
				put_number(UINT64CONST(0x000003E800000190) << i % 8, 8);
			}
			put_number(nchanges, 1);
			for (unsigned i = 0; i < nchanges; i++)
				put_number(0x010000 << i | (8 + 32 * i), 3);
			write_seed("pages");
		}
	}
}

int
main(int argc, char **argv)
{
	REQUIRE(argc == 2);
	folder = argv[1];
	write_images();
	write_matrices();
	write_pages();
	write_states();
	write_external();
	write_sizes();
	write_programs();
	free_all_memory();
	return 0;
}
