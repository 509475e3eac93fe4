/*
 * join_repeatable.c
 *	  Searches plans for volatile functions, and for what may differ when they
 *	  run again.
 *
 * Tables are read as of the query's snapshot, which does not show what the
 * query itself changes by its functions.
 */
#include "compat.h"

#include "join/join_repeatable.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/transam.h"
#include "catalog/catalog.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "join/plan_nodes.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/*
 * A check, which ends where something is not repeatable.  No sub-plan is
 * checked twice, or each CTE that reads the one before it twice would double
 * the time.
 */
typedef struct RepeatCheck
{
	PlannedStmt *stmt;
	JoinRuns	runs;
	Bitmapset  *seen;			/* numbers of sub-plans */
} RepeatCheck;

static bool plan_is_repeatable(RepeatCheck *check, Plan *plan);

static bool
subplan_is_repeatable(RepeatCheck *check, int number)
{
	if (bms_is_member(number, check->seen))
		return true;
	check->seen = bms_add_member(check->seen, number);
	return plan_is_repeatable(check, list_nth(check->stmt->subplans, number - 1));
}

static bool
is_one_of(Oid oid, const Oid *oids, int noids)
{
	for (int i = 0; i < noids; i++)
	{
		if (oids[i] == oid)
			return true;
	}
	return false;
}

#define IS_ONE_OF(oid, oids) is_one_of((oid), (oids), lengthof(oids))

static const Oid time_types[] = {
	DATEOID, TIMEOID, TIMETZOID, TIMESTAMPOID, TIMESTAMPTZOID, INTERVALOID
};

/* Types whose text depends on no setting */
static const Oid types_with_fixed_text[] = {
	BOOLOID, INT2OID, INT4OID, INT8OID, NUMERICOID, OIDOID, UUIDOID, TEXTOID, VARCHAROID,
	BPCHAROID, NAMEOID, CHAROID
};

/* Functions that are called immutable, and depend on catalogs or settings */
static const Oid with_hidden_input[] = {
	F_QUOTE_IDENT, F_TIMEZONE_TEXT_TIMESTAMP, F_TIMEZONE_TEXT_TIMESTAMPTZ, F_TIMEZONE_TEXT_TIMETZ
};

/* Stable functions that are the same in all processes */
static const Oid same_in_processes[] = {
	F_NOW, F_TRANSACTION_TIMESTAMP, F_STATEMENT_TIMESTAMP, F_CURRENT_SETTING_TEXT,
	F_CURRENT_SETTING_TEXT_BOOL
};

/*
 * Access methods whose indexes find the same rows each time.  GIN may leave
 * out some by chance (gin_fuzzy_search_limit), and those of extensions by
 * settings.
 */
static const Oid exact_access_methods[] = {
	BTREE_AM_OID, HASH_AM_OID, GIST_AM_OID, SPGIST_AM_OID, BRIN_AM_OID
};

/*
 * Does a function that the server calls immutable depend on a setting, such as
 * extra_float_digits, bytea_output or TimeZone, or on a catalog?
 */
static bool
has_hidden_input(Oid function)
{
	Oid		   *types;
	int			ntypes;
	Oid			result;

	if (IS_ONE_OF(function, with_hidden_input))
		return true;
	if (function >= FirstUnpinnedObjectId)
		return false;
	result = get_func_signature(function, &types, &ntypes);
	for (int i = 0; i < ntypes; i++)
	{
		if (types[i] == REGCONFIGOID || types[i] == REGDICTIONARYOID ||
			(types[i] == TIMESTAMPTZOID && result != BOOLOID) ||
			(result == CSTRINGOID && !IS_ONE_OF(types[i], types_with_fixed_text)))
			return true;
	}
	return false;
}

/*
 * Does a stable function return the same in all processes of a query?  These
 * have the same settings, which none can change, and the same time.  What
 * functions of the server read besides, such as statistics, changes at any
 * moment; what others read is not known.
 */
static bool
is_same_in_processes(Oid function)
{
	Oid		   *types;
	int			ntypes;
	bool		has_time = false;

	if (IS_ONE_OF(function, same_in_processes))
		return true;
	if (function >= FirstUnpinnedObjectId)
		return false;
	(void) get_func_signature(function, &types, &ntypes);
	for (int i = 0; i < ntypes; i++)
		has_time |= IS_ONE_OF(types[i], time_types);
	return has_time;
}

static bool
function_may_differ(Oid function, void *context)
{
	JoinRuns	runs = ((RepeatCheck *) context)->runs;

	switch (func_volatile(function))
	{
		case PROVOLATILE_IMMUTABLE:
			return runs == JOIN_RUNS_AGAIN && has_hidden_input(function);
		case PROVOLATILE_STABLE:
			return runs != JOIN_RUNS_ONCE &&
				(runs == JOIN_RUNS_AGAIN || !is_same_in_processes(function));
		default:
			return true;
	}
}

/*
 * A node without a function whose value others may change at any moment: a
 * system column that shows who has changed the row since, or CURRENT_SCHEMA,
 * for which catalogs are read
 */
static bool
changes_at_any_moment(Node *node)
{
	AttrNumber	column;

	if (IsA(node, SQLValueFunction))
		return ((SQLValueFunction *) node)->op == SVFOP_CURRENT_SCHEMA;
	if (!IsA(node, Var))
		return false;
	column = ((Var *) node)->varattno;
	return column == MaxTransactionIdAttributeNumber ||
		column == MinCommandIdAttributeNumber || column == MaxCommandIdAttributeNumber;
}

/* Is there something in an expression that is not repeatable? */
static bool
is_not_repeatable(Node *node, void *context)
{
	RepeatCheck *check = context;

	if (node == NULL)
		return false;
	if (IsA(node, SubPlan) &&
		!subplan_is_repeatable(check, ((SubPlan *) node)->plan_id))
		return true;
	if (check->runs != JOIN_RUNS_ONCE && changes_at_any_moment(node))
		return true;

	/* these make a text of values, as settings say, without a function */
	if (check->runs == JOIN_RUNS_AGAIN && (IsA(node, XmlExpr) || blt_is_json_constructor(node)))
		return true;
	if (check_functions_in_node(node, function_may_differ, check))
		return true;
	return expression_tree_walker(node, is_not_repeatable, context);
}

static bool
expression_is_repeatable(RepeatCheck *check, Node *expression)
{
	/*
	 * The server's searches know nodes of its version that are not functions,
	 * such as nextval() of an identity column.  What is volatile is mutable.
	 */
	if (check->runs == JOIN_RUNS_AGAIN ? contain_mutable_functions(expression) :
		contain_volatile_functions(expression))
		return false;
	return !is_not_repeatable(expression, check);
}

/* The expressions of a node, but for its init plans */
static bool
expressions_are_repeatable(RepeatCheck *check, Plan *plan)
{
	return expression_is_repeatable(check, (Node *) plan->targetlist) &&
		expression_is_repeatable(check, (Node *) plan->qual) &&
		expression_is_repeatable(check, blt_join_own_expressions(plan));
}

static Oid
access_method_of(Oid relation)
{
	HeapTuple	class = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Oid			result;

	if (!HeapTupleIsValid(class))
		return InvalidOid;
	result = ((Form_pg_class) GETSTRUCT(class))->relam;
	ReleaseSysCache(class);
	return result;
}

/*
 * Does a table give all its readers the rows of the query's snapshot?  A
 * sequence has one row, which changes in place, and so do some rows of the
 * server's catalogs.
 */
static bool
is_read_by_snapshot(RepeatCheck *check, Plan *scan)
{
	RangeTblEntry *rte = rt_fetch(((Scan *) scan)->scanrelid, check->stmt->rtable);

	return rte->relkind != RELKIND_SEQUENCE && !IsCatalogRelationOid(rte->relid) &&
		access_method_of(rte->relid) == HEAP_TABLE_AM_OID;
}

/*
 * Is a node repeatable, but for its expressions and what is below it?  If it
 * runs again, so is what it reads from storage.
 */
static bool
node_is_repeatable(RepeatCheck *check, Plan *plan)
{
	const JoinPlanNode *node = blt_join_plan_node(plan);

	if ((node->flags & PLAN_REPEATS) == 0)
		return false;
	if (check->runs == JOIN_RUNS_ONCE)
		return true;
	return (node->flags & PLAN_MINDS_ORDER) == 0 &&
		((node->flags & PLAN_READS_SNAPSHOT) == 0 || is_read_by_snapshot(check, plan)) &&
		(node->index == 0 ||
		 IS_ONE_OF(access_method_of(BLT_JOIN_MEMBER(Oid, plan, node->index)), exact_access_methods));
}

static bool
plan_is_repeatable(RepeatCheck *check, Plan *plan)
{
	ListCell   *cell;

	if (plan == NULL)
		return true;
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (!node_is_repeatable(check, plan) ||
		(IsA(plan, CteScan) &&
		 !subplan_is_repeatable(check, ((CteScan *) plan)->ctePlanId)))
		return false;
	foreach(cell, blt_join_other_links(plan))
	{
		if (!plan_is_repeatable(check, *(Plan **) lfirst(cell)))
			return false;
	}
	return expression_is_repeatable(check, (Node *) plan->initPlan) &&
		expressions_are_repeatable(check, plan) &&
		plan_is_repeatable(check, plan->lefttree) &&
		plan_is_repeatable(check, plan->righttree);
}

bool
blt_join_expressions_are_repeatable(PlannedStmt *stmt, Plan *plan)
{
	RepeatCheck check = {.stmt = stmt,.runs = JOIN_RUNS_ONCE};

	return expressions_are_repeatable(&check, plan);
}

bool
blt_join_plan_is_repeatable(PlannedStmt *stmt, Plan *plan, JoinRuns runs)
{
	RepeatCheck check = {.stmt = stmt,.runs = runs};

	return plan_is_repeatable(&check, plan);
}
