/*
 * set_statements.c
 *	  Runs the SQL statements that change a set, and keeps the plans of those
 *	  that add keys.
 */
#include "compat.h"

#include "set/set_statements.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

/* Names of operators, which anyone could have in a schema before */
#define EQUALS			" OPERATOR(pg_catalog.=) "
#define IS_LESS			" OPERATOR(pg_catalog.<) "

char *
blt_set_name(const BloomSet *set)
{
	return quote_qualified_identifier(get_namespace_name(RelationGetNamespace(set->table)),
									  RelationGetRelationName(set->table));
}

/*
 * Sessions
 */

/* How many plans are being executed: a trigger may have called us. */
static int	nrunning = 0;

/* A plan that is executed is not freed; it is lost if it becomes invalid. */
static void
drop_plan(SPIPlanPtr *plan)
{
	if (*plan != NULL && nrunning == 0)
		SPI_freeplan(*plan);
	*plan = NULL;
}

/* Forget sets whose tables are gone. */
static void
forget_dropped(HTAB *sessions)
{
	HASH_SEQ_STATUS all;
	SetSession *session;

	hash_seq_init(&all, sessions);
	while ((session = hash_seq_search(&all)) != NULL)
	{
		if (SearchSysCacheExists1(RELOID, ObjectIdGetDatum(session->table)))
			continue;
		for (int i = 0; i < SET_KEPT_STATEMENTS; i++)
			drop_plan(&session->plans[i]);
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
		forget_dropped(sessions);
	session = hash_search(sessions, &table, HASH_ENTER, &found);
	memset(session->plans, 0, sizeof(session->plans));
	session->layer = -1;
	session->nunaware = 0;
	session->unaware = NULL;
	return session;
}

/*
 * Statements
 */

/* The plan of a statement that is kept, which is for all its values. */
static SPIPlanPtr
prepare(const BloomSet *set, SetStatement which)
{
	Oid			types[] = {INT4OID, INT4OID, BYTEAOID};
	char	   *name = blt_set_name(set);
	char	   *statement = which == SET_LOCK_SLICE ?
		psprintf("SELECT slice, layer, bits FROM ONLY %s WHERE slice" EQUALS "$1 AND layer" EQUALS "$2 FOR NO KEY UPDATE", name) :
		psprintf("UPDATE ONLY %s SET bits = $3 WHERE slice" EQUALS "$1 AND layer" EQUALS "$2", name);
	SPIPlanPtr	plan = SPI_prepare_cursor(statement, which == SET_LOCK_SLICE ? 2 : 3, types,
										  CURSOR_OPT_GENERIC_PLAN);

	if (plan == NULL || SPI_keepplan(plan) != 0)
		elog(ERROR, "could not prepare \"%s\"", statement);
	return plan;
}

/*
 * Execute a statement that is kept.  Returns how many rows it has locked or
 * changed.
 *
 * The plan is made when it is first executed, and kept: the index is right
 * also for a table that has one page now, and many later.
 */
static uint64
execute_kept(const BloomSet *set, SetStatement which, Datum *values)
{
	SPIPlanPtr *plan = &blt_set_session(set)->plans[which];
	const int	expected = which == SET_LOCK_SLICE ? SPI_OK_SELECT : SPI_OK_UPDATE;
	int			nest_level = 0;
	int			result = 0;

	if (*plan != NULL && !SPI_plan_is_valid(*plan))
		drop_plan(plan);
	if (*plan == NULL)
	{
		*plan = prepare(set, which);
		nest_level = NewGUCNestLevel();
		(void) set_config_option("enable_seqscan", "off", PGC_USERSET, PGC_S_SESSION,
								 GUC_ACTION_SAVE, true, 0, false);
	}
	nrunning++;
	PG_TRY();
	{
		result = SPI_execute_plan(*plan, values, NULL, false, 0);
	}
	PG_FINALLY();
	{
		nrunning--;
	}
	PG_END_TRY();
	if (result < 0)
		elog(ERROR, "could not update \"%s\"", RelationGetRelationName(set->table));
	/* a rule has made another statement of it, and might be dropped */
	if (result != expected)
		drop_plan(plan);
	if (nest_level != 0)
		AtEOXact_GUC(true, nest_level);
	return result == expected ? SPI_processed : 0;
}

static void
connect_spi(void)
{
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI manager");
}

bool
blt_set_lock_slice(const BloomSet *set, const SetLayer *layer, int slice, unsigned char *bits)
{
	Datum		values[] = {Int32GetDatum(slice), Int32GetDatum(layer->number)};
	bool		is_there;

	connect_spi();
	is_there = execute_kept(set, SET_LOCK_SLICE, values) > 0;
	if (is_there)
	{
		/* it has the first columns of the table */
		SetRow		row = blt_set_get_row(set, SPI_tuptable->vals[0]);

		blt_set_check_slice(set, layer, &row);
		memcpy(bits, row.bits, row.nbytes);
	}
	SPI_finish();
	return is_there;
}

void
blt_set_update_slice(const BloomSet *set, const SetLayer *layer, int slice, const bytea *bits)
{
	Datum		values[] = {Int32GetDatum(slice), Int32GetDatum(layer->number), PointerGetDatum(bits)};

	connect_spi();
	(void) execute_kept(set, SET_UPDATE_SLICE, values);
	SPI_finish();
}

/* Execute a statement with parameters.  Returns its number of rows. */
static uint64
execute(const char *statement, int nargs, Oid *types, Datum *values, int expected)
{
	uint64		nprocessed;

	if (SPI_connect() != SPI_OK_CONNECT ||
		SPI_execute_with_args(statement, nargs, types, values, NULL, false, 0) != expected)
		elog(ERROR, "could not execute \"%s\"", statement);
	nprocessed = SPI_processed;
	SPI_finish();
	return nprocessed;
}

/* The same without parameters. */
static uint64
execute_plain(const char *statement, int expected)
{
	return execute(statement, 0, NULL, NULL, expected);
}

pg_noreturn void
blt_set_report_kept(const char *table)
{
	ereport(ERROR,
			(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
			 errmsg("rows of set \"%s\" were not written", table),
			 errdetail("A trigger or rule of the table has kept them as they were, or changed them.")));
}

/* Bytes that are zero */
static bytea *
zeros(Size size)
{
	bytea	   *value = palloc0(VARHDRSZ + size);

	SET_VARSIZE(value, VARHDRSZ + size);
	return value;
}

/* Insert the rows of a layer, into a table of that name. */
static void
insert_layer(const char *table, const SetLayer *layer)
{
	int			last = blt_set_nslices(layer) - 1;
	bytea	   *head = zeros(SET_HEAD_BYTES);
	Oid			types[] = {INT4OID, INT4OID, BYTEAOID, BYTEAOID, BYTEAOID};
	Datum		values[] = {Int32GetDatum(layer->number), Int32GetDatum(last), PointerGetDatum(head),
		PointerGetDatum(zeros(SET_SLICE_BYTES)),
	PointerGetDatum(zeros(blt_set_slice_bytes(layer, last)))};

	blt_set_write_head(layer, (unsigned char *) VARDATA(head));
	if (execute(psprintf("INSERT INTO %s (slice, layer, bits) SELECT s, $1, "
						 "CASE WHEN s" EQUALS "%d THEN ''::pg_catalog.bytea WHEN s" EQUALS "%d THEN $3 "
						 "WHEN s" EQUALS "$2 THEN $5 ELSE $4 END "
						 "FROM pg_catalog.generate_series(%d, $2) AS s",
						 table, SET_SEAL, SET_HEAD, SET_SEAL),
				lengthof(types), types, values, SPI_OK_INSERT) != (uint64) (last + 1 - SET_SEAL))
		blt_set_report_kept(table);
}

void
blt_set_insert_layer(const BloomSet *set, const SetLayer *layer)
{
	insert_layer(blt_set_name(set), layer);
}

void
blt_set_seal(const BloomSet *set, int layer)
{
	(void) execute_plain(psprintf("UPDATE ONLY %s SET bits = pg_catalog.decode('01', 'hex') WHERE slice" EQUALS "%d AND layer" EQUALS "%d",
								  blt_set_name(set), SET_SEAL, layer),
						 SPI_OK_UPDATE);
}

void
blt_set_delete_layers(const BloomSet *set, int before)
{
	char	   *name = blt_set_name(set);

	(void) execute_plain(psprintf("DELETE FROM ONLY %s WHERE ctid" EQUALS "ANY (ARRAY("
								  "SELECT ctid FROM ONLY %s WHERE layer" IS_LESS "%d FOR UPDATE SKIP LOCKED))",
								  name, name, before),
						 SPI_OK_DELETE);
}

bool
blt_set_lock_head(const BloomSet *set, int layer, bool wait)
{
	return execute_plain(psprintf("SELECT FROM ONLY %s WHERE slice" EQUALS "%d AND layer" EQUALS "%d FOR UPDATE%s",
								  blt_set_name(set), SET_HEAD, layer, wait ? "" : " SKIP LOCKED"),
						 SPI_OK_SELECT) > 0;
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

	(void) execute_plain(psprintf("CREATE TABLE %s (slice pg_catalog.int4, layer pg_catalog.int4, "
								  "bits pg_catalog.bytea NOT NULL, PRIMARY KEY (slice, layer)) "
								  "USING heap WITH (fillfactor = 50)", table),
						 SPI_OK_UTILITY);
	(void) execute_plain(psprintf("ALTER TABLE %s ALTER COLUMN bits SET STORAGE PLAIN", table),
						 SPI_OK_UTILITY);
	insert_layer(table, first);
	return get_relname_relid(range->relname, schema);
}
