/*
 * set_follow.c
 *	  The trigger function that adds the values of a column to a set.
 *
 * Where the set and the table have one owner, and the set no triggers or
 * rules, it adds as that owner, as the triggers of foreign keys do: who may
 * insert rows need not have rights on the set.
 */
#include "compat.h"

#include "set/set_add.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "key/key_hasher.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"
#include "utils/varlena.h"

PG_FUNCTION_INFO_V1(bloomtype_set_follow);

pg_noreturn static void
report_misuse(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
			 errmsg("trigger cannot follow a table"),
			 errdetail("%s", detail),
			 errhint("CREATE TRIGGER ... AFTER INSERT OR UPDATE ON ... FOR EACH ROW EXECUTE FUNCTION bloom_set_follow('set', 'column').")));
}

static void
check_trigger(FunctionCallInfo fcinfo)
{
	const TriggerData *data = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo))
		report_misuse("The function was not called by the trigger manager.");
	if (!TRIGGER_FIRED_AFTER(data->tg_event) ||
		!(TRIGGER_FIRED_BY_INSERT(data->tg_event) || TRIGGER_FIRED_BY_UPDATE(data->tg_event)))
		report_misuse("It is not fired after INSERT or UPDATE.");
	if (TRIGGER_FIRED_FOR_STATEMENT(data->tg_event) && data->tg_newtable == NULL)
		report_misuse("A trigger for statements needs REFERENCING NEW TABLE.");
	if (data->tg_trigger->tgnargs != 2)
		report_misuse("Its arguments are not the name of a set and that of a column.");
}

/*
 * The set of a name, in the schema of the table unless it has one: not by the
 * search_path of whoever inserts rows, who needs no rights on the schema.  Of
 * a partition, in that of the partitioned table.
 */
static Oid
find_set(const TriggerData *data)
{
	Oid			table = RelationGetRelid(data->tg_relation);
	List	   *names = textToQualifiedNameList(cstring_to_text(data->tg_trigger->tgargs[0]));
	RangeVar   *range = makeRangeVarFromNameList(names);
	Oid			schema;
	Oid			set;

	/* while a partition is being detached, it has a parent but no ancestors */
	if (data->tg_relation->rd_rel->relispartition)
	{
		List	   *ancestors;

		table = get_partition_parent(table, true);
		ancestors = get_partition_ancestors(table);
		if (ancestors != NIL)
			table = llast_oid(ancestors);
	}
	schema = range->schemaname != NULL ? get_namespace_oid(range->schemaname, false) :
		get_rel_namespace(table);
	set = get_relname_relid(range->relname, schema);
	if (!OidIsValid(set))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("set \"%s.%s\" does not exist", get_namespace_name(schema), range->relname),
				 errhint("Drop trigger \"%s\", or create it anew for a set that exists.",
						 data->tg_trigger->tgname)));
	return set;
}

/*
 * Does the set belong to a role, and run no code of others?  Who may create
 * triggers on it must not become its owner.
 */
static bool
is_of_owner(Oid set, Oid owner)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(set));
	Form_pg_class class;
	bool		result;

	if (!HeapTupleIsValid(tuple))
		return false;
	class = (Form_pg_class) GETSTRUCT(tuple);
	result = class->relowner == owner && !class->relhastriggers && !class->relhasrules;
	ReleaseSysCache(tuple);
	return result;
}

/* The number of the column to follow */
static int
find_column(const TriggerData *data)
{
	TupleDesc	desc = RelationGetDescr(data->tg_relation);
	const char *column = data->tg_trigger->tgargs[1];
	int			number = SPI_fnumber(desc, column);

	if (number <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of relation \"%s\" does not exist",
						column, RelationGetRelationName(data->tg_relation)),
				 errhint("Drop trigger \"%s\", or create it anew for a column that exists.",
						 data->tg_trigger->tgname)));
	if (TupleDescAttr(desc, number - 1)->attgenerated == 'v')
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot follow virtual generated column \"%s\"", column),
				 errdetail("Triggers do not see its values."),
				 errhint("Follow a stored column.")));
	return number;
}

/* The keys of the new rows, without nulls.  Returns how many there are. */
static int
gather_keys(const TriggerData *data, SetKey **keys)
{
	TupleDesc	desc = RelationGetDescr(data->tg_relation);
	int			column = find_column(data);
	Form_pg_attribute att = TupleDescAttr(desc, column - 1);
	KeyHasher  *hasher = blt_create_hasher(att->atttypid, att->attcollation, CurrentMemoryContext);
	bool		is_row = TRIGGER_FIRED_FOR_ROW(data->tg_event);
	int64		nrows = is_row ? 1 : tuplestore_tuple_count(data->tg_newtable);
	TupleTableSlot *slot;
	int			n = 0;

	if (!is_row)
	{
		slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
		tuplestore_rescan(data->tg_newtable);
	}
	else
		slot = TRIGGER_FIRED_BY_UPDATE(data->tg_event) ? data->tg_newslot : data->tg_trigslot;
	*keys = palloc_extended(nrows * sizeof(SetKey), MCXT_ALLOC_HUGE);
	for (int64 i = 0; i < nrows; i++)
	{
		bool		isnull;
		Datum		value;

		CHECK_FOR_INTERRUPTS();
		if (!is_row && !tuplestore_gettupleslot(data->tg_newtable, true, false, slot))
			break;
		value = slot_getattr(slot, column, &isnull);
		if (!isnull)
		{
			(*keys)[n].key = blt_hash_key(hasher, value);
			(*keys)[n].position = n;
			n++;
		}
	}
	if (!is_row)
		ExecDropSingleTupleTableSlot(slot);
	return n;
}

/* Those who insert rows need not know of the trigger. */
static void
add_context(void *arg)
{
	const TriggerData *data = arg;

	errcontext("trigger \"%s\" on \"%s\"", data->tg_trigger->tgname,
			   RelationGetRelationName(data->tg_relation));
}

/*
 * A trigger ('set', 'column'), of rows or, with a transition table, of
 * statements.  The server frees what it allocates when it returns.
 */
Datum
bloomtype_set_follow(PG_FUNCTION_ARGS)
{
	const TriggerData *data = (TriggerData *) fcinfo->context;
	SetKey	   *keys;
	Oid			table;
	Oid			owner;
	Oid			user;
	int			security;
	int			n;
	ErrorContextCallback context = {
		.previous = error_context_stack,.callback = add_context,.arg = fcinfo->context
	};

	check_trigger(fcinfo);
	error_context_stack = &context;
	owner = data->tg_relation->rd_rel->relowner;
	table = find_set(data);
	n = gather_keys(data, &keys);
	if (n > 0)
	{
		GetUserIdAndSecContext(&user, &security);
		if (is_of_owner(table, owner))
			SetUserIdAndSecContext(owner, security | SECURITY_LOCAL_USERID_CHANGE |
								   SECURITY_NOFORCE_RLS);
		blt_set_add(table, keys, n, false);
		SetUserIdAndSecContext(user, security);
	}
	error_context_stack = context.previous;
	return PointerGetDatum(NULL);
}
