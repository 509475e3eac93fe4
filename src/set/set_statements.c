/*
 * set_statements.c
 *	  Runs the SQL statements that change a set, and keeps the plan of the one
 *	  that adds keys.
 */
#include "compat.h"

#include "set/set_statements.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "core/bytes.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

PG_FUNCTION_INFO_V1(bloomtype_set_slice_add);

/* Names of operators, which anyone could have in a schema before */
#define EQUALS			" OPERATOR(pg_catalog.=) "
#define IS_LESS			" OPERATOR(pg_catalog.<) "

/* The keys for bloomtype_set_slice_add: the number of probes, then of each */
#define KEYS_HEADER		1
#define KEY_BYTES		9		/* the block in the slice, and the hash */

char *
blt_set_name(const BloomSet *set)
{
	return quote_qualified_identifier(get_namespace_name(RelationGetNamespace(set->table)),
									  RelationGetRelationName(set->table));
}

/*
 * Keys in slices
 */

/*
 * (bits bytea, keys bytea): the bits of a slice with some keys added; null if
 * one of these is there.  Error: the keys are not as above, or of another
 * slice.
 */
Datum
bloomtype_set_slice_add(PG_FUNCTION_ARGS)
{
	bytea	   *keys = PG_GETARG_BYTEA_PP(1);
	const unsigned char *first = (unsigned char *) VARDATA_ANY(keys) + KEYS_HEADER;
	int			nbytes = VARSIZE_ANY_EXHDR(keys) - KEYS_HEADER;
	int			nprobes = nbytes < 0 ? 0 : first[-1];
	bytea	   *bits = PG_GETARG_BYTEA_P_COPY(0);
	unsigned char *blocks = (unsigned char *) VARDATA(bits);
	int			nblocks = (VARSIZE(bits) - VARHDRSZ) / BBF_BLOCK_BYTES;

	if (nprobes < 1 || nprobes > BBF_MAX_PROBES || nbytes % KEY_BYTES != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid keys for a slice of a set"),
				 errhint("Add keys with bloom_set_add.")));
	for (int pass = 0; pass < 2; pass++)
	{
		for (const unsigned char *key = first; key < first + nbytes; key += KEY_BYTES)
		{
			unsigned char *block = blocks + key[0] * BBF_BLOCK_BYTES;
			uint64		hash = bbf_get64(key + 1);

			if (key[0] >= nblocks)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("invalid slice of a set"),
						 errdetail("It has %d blocks; a key is in number %d.", nblocks, key[0])));
			if (pass == 1)
				(void) bbf_block_add(block, nprobes, hash);
			else if (bbf_block_contains(block, nprobes, hash))
				PG_RETURN_NULL();
		}
	}
	PG_RETURN_BYTEA_P(bits);
}

static bytea *
write_keys(const SetLayer *layer, const uint64 *hashes, int n)
{
	Size		size = VARHDRSZ + KEYS_HEADER + (Size) n * KEY_BYTES;
	bytea	   *keys = palloc(size);
	unsigned char *at = (unsigned char *) VARDATA(keys);

	SET_VARSIZE(keys, size);
	*at++ = (unsigned char) layer->layer.key_bits;
	for (int i = 0; i < n; i++, at += KEY_BYTES)
	{
		at[0] = (unsigned char) blt_set_block(layer, hashes[i]);
		bbf_put64(at + 1, hashes[i]);
	}
	return keys;
}

/*
 * Sessions
 */

/* How many plans are being executed: a trigger may have called us. */
static int	nrunning = 0;

/* A plan that is executed is not freed; it is lost if it becomes invalid. */
static void
drop_plan(SetSession *session)
{
	if (session->add != NULL && nrunning == 0)
		SPI_freeplan(session->add);
	session->add = NULL;
}

/* Forget sets whose tables are gone, and plans that are invalid. */
static void
forget_changed(HTAB *sessions)
{
	HASH_SEQ_STATUS all;
	SetSession *session;

	hash_seq_init(&all, sessions);
	while ((session = hash_seq_search(&all)) != NULL)
	{
		bool		is_gone = !SearchSysCacheExists1(RELOID, ObjectIdGetDatum(session->table));

		if (is_gone || (session->add != NULL && !SPI_plan_is_valid(session->add)))
			drop_plan(session);
		if (!is_gone)
			continue;
		if (session->unaware != NULL)
			pfree(session->unaware);
		(void) hash_search(sessions, &session->table, HASH_REMOVE, NULL);
	}
}

SetSession *
blt_set_session(const BloomSet *set)
{
	static HTAB *sessions = NULL;
	Oid			table = RelationGetRelid(set->table);
	SetSession *session;
	bool		found;

	if (sessions == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(Oid),.entrysize = sizeof(SetSession),
		.hcxt = TopMemoryContext};

		sessions = hash_create("bloomtype sets", 8, &control,
							   HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	}
	session = hash_search(sessions, &table, HASH_FIND, NULL);
	if (session != NULL)
		return session;
	if (nrunning == 0)
		forget_changed(sessions);
	session = hash_search(sessions, &table, HASH_ENTER, &found);
	session->add = NULL;
	session->layer = -1;
	session->nunaware = 0;
	session->unaware = NULL;
	return session;
}

/*
 * Statements
 */

static void
begin_statements(void)
{
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI manager");
}

static void
end_statements(void)
{
	if (SPI_finish() != SPI_OK_FINISH)
		elog(ERROR, "could not finish SPI");
}

static void
prepare_add(const BloomSet *set, Oid function, SetSession *session)
{
	Oid			types[] = {INT4OID, INT4OID, BYTEAOID};
	char	   *call = psprintf("%s.bloom_set_slice_add(bits, $3)",
								quote_identifier(get_namespace_name(get_func_namespace(function))));
	char	   *statement = psprintf("UPDATE ONLY %s SET bits = %s WHERE slice" EQUALS "$1 AND layer" EQUALS "$2 AND %s IS NOT NULL",
									 blt_set_name(set), call, call);
	SPIPlanPtr	plan = SPI_prepare_cursor(statement, lengthof(types), types,
										  CURSOR_OPT_GENERIC_PLAN);

	if (plan == NULL || SPI_keepplan(plan) != 0)
		elog(ERROR, "could not prepare \"%s\"", statement);
	session->add = plan;
}

/*
 * The plan is made when it is first executed, and kept: the index is right
 * also for a table that has one page now, and many later.
 */
bool
blt_set_add_by_statement(const BloomSet *set, const SetLayer *layer, int slice,
						 const uint64 *hashes, int n, Oid function)
{
	SetSession *session = blt_set_session(set);
	int			nest_level = 0;
	int			result = 0;
	uint64		nchanged;
	Datum		values[3];

	begin_statements();
	if (session->add != NULL && !SPI_plan_is_valid(session->add))
		drop_plan(session);
	if (session->add == NULL)
	{
		prepare_add(set, function, session);
		nest_level = NewGUCNestLevel();
		(void) set_config_option("enable_seqscan", "off", PGC_USERSET, PGC_S_SESSION,
								 GUC_ACTION_SAVE, true, 0, false);
	}
	values[0] = Int32GetDatum(slice);
	values[1] = Int32GetDatum(layer->number);
	values[2] = PointerGetDatum(write_keys(layer, hashes, n));
	nrunning++;
	PG_TRY();
	{
		result = SPI_execute_plan(session->add, values, NULL, false, 0);
	}
	PG_FINALLY();
	{
		nrunning--;
	}
	PG_END_TRY();
	if (result < 0)
		elog(ERROR, "could not update \"%s\"", RelationGetRelationName(set->table));
	nchanged = result == SPI_OK_UPDATE ? SPI_processed : 0;
	/* a rule has made another statement of it, and might be dropped */
	if (result != SPI_OK_UPDATE)
		drop_plan(session);
	if (nest_level != 0)
		AtEOXact_GUC(true, nest_level);
	end_statements();
	return nchanged > 0;
}

/*
 * A statement with parameters, each of which is an int, or bytes.  Returns its
 * number of rows.
 */
static uint64
execute(const char *statement, int nargs, Oid *types, Datum *values, int expected)
{
	uint64		nprocessed;

	begin_statements();
	if (SPI_execute_with_args(statement, nargs, types, values, NULL, false, 0) != expected)
		elog(ERROR, "could not execute \"%s\"", statement);
	nprocessed = SPI_processed;
	end_statements();
	return nprocessed;
}

/* Error if a trigger or rule has kept rows from being changed. */
static void
check_changed(const char *table, uint64 nchanged, uint64 expected)
{
	if (nchanged != expected)
		ereport(ERROR,
				(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
				 errmsg("rows of set \"%s\" were not written", table),
				 errdetail("A trigger or rule of the table has kept them as they were.")));
}

static Datum
bytes_datum(const void *bytes, Size size)
{
	bytea	   *value = palloc(VARHDRSZ + size);

	SET_VARSIZE(value, VARHDRSZ + size);
	if (bytes != NULL)
		memcpy(VARDATA(value), bytes, size);
	else
		memset(VARDATA(value), 0, size);
	return PointerGetDatum(value);
}

/* Insert the rows of a layer, into a table of that name. */
static void
insert_layer(const char *table, const SetLayer *layer)
{
	int			last = blt_set_nslices(layer) - 1;
	unsigned char head[SET_HEAD_BYTES];
	Oid			types[] = {INT4OID, INT4OID, BYTEAOID, BYTEAOID, BYTEAOID};
	Datum		values[5];
	uint64		ninserted;

	blt_set_write_head(layer, head);
	values[0] = Int32GetDatum(layer->number);
	values[1] = Int32GetDatum(last);
	values[2] = bytes_datum(head, sizeof(head));
	values[3] = bytes_datum(NULL, SET_SLICE_BYTES);
	values[4] = bytes_datum(NULL, blt_set_slice_bytes(layer, last));
	ninserted = execute(psprintf("INSERT INTO %s (slice, layer, bits) SELECT s, $1, "
								 "CASE WHEN s" EQUALS "%d THEN ''::pg_catalog.bytea WHEN s" EQUALS "%d THEN $3 "
								 "WHEN s" EQUALS "$2 THEN $5 ELSE $4 END "
								 "FROM pg_catalog.generate_series(%d, $2) AS s",
								 table, SET_SEAL, SET_HEAD, SET_SEAL),
						lengthof(types), types, values, SPI_OK_INSERT);
	check_changed(table, ninserted, last + 1 - SET_SEAL);
}

void
blt_set_insert_layer(const BloomSet *set, const SetLayer *layer)
{
	insert_layer(blt_set_name(set), layer);
}

void
blt_set_seal(const BloomSet *set, int layer)
{
	Oid			types[] = {INT4OID};
	Datum		values[] = {Int32GetDatum(layer)};

	char	   *name = blt_set_name(set);

	check_changed(name,
				  execute(psprintf("UPDATE ONLY %s SET bits = '\\x01' WHERE slice" EQUALS "%d AND layer" EQUALS "$1",
								   name, SET_SEAL),
						  lengthof(types), types, values, SPI_OK_UPDATE),
				  1);
}

void
blt_set_delete_layers(const BloomSet *set, int before)
{
	char	   *name = blt_set_name(set);
	Oid			types[] = {INT4OID};
	Datum		values[] = {Int32GetDatum(before)};

	(void) execute(psprintf("DELETE FROM ONLY %s WHERE ctid" EQUALS "ANY (ARRAY("
							"SELECT ctid FROM ONLY %s WHERE layer" IS_LESS "$1 FOR UPDATE SKIP LOCKED))",
							name, name),
				   lengthof(types), types, values, SPI_OK_DELETE);
}

bool
blt_set_lock_head(const BloomSet *set, int layer, bool wait)
{
	Oid			types[] = {INT4OID};
	Datum		values[] = {Int32GetDatum(layer)};

	return execute(psprintf("SELECT FROM ONLY %s WHERE slice" EQUALS "%d AND layer" EQUALS "$1 FOR UPDATE%s",
							blt_set_name(set), SET_HEAD, wait ? "" : " SKIP LOCKED"),
				   lengthof(types), types, values, SPI_OK_SELECT) > 0;
}

/*
 * Half of each page stays free for the next versions of its rows, so that
 * updates do not touch the index.  The name is looked up once, and then has
 * its schema: a temporary table may have the same.
 */
Oid
blt_set_create_table(const char *name, const SetLayer *first)
{
	RangeVar   *range = makeRangeVarFromNameList(textToQualifiedNameList(cstring_to_text(name)));
	Oid			schema = RangeVarGetCreationNamespace(range);
	char	   *table = quote_qualified_identifier(get_namespace_name(schema), range->relname);

	(void) execute(psprintf("CREATE TABLE %s (slice pg_catalog.int4, layer pg_catalog.int4, "
							"bits pg_catalog.bytea NOT NULL, PRIMARY KEY (slice, layer)) "
							"USING heap WITH (fillfactor = 50)", table),
				   0, NULL, NULL, SPI_OK_UTILITY);
	(void) execute(psprintf("ALTER TABLE %s ALTER COLUMN bits SET STORAGE PLAIN", table),
				   0, NULL, NULL, SPI_OK_UTILITY);
	insert_layer(table, first);
	return get_relname_relid(range->relname, schema);
}
