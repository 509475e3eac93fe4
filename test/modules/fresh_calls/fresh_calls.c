/*
 * fresh_calls.c
 *	  Calls functions as engines do that spread a query over machines: with a
 *	  new FmgrInfo for every row, and without the parsed expression.
 *
 *	fresh_partial(aggregate, argument...)	the serialized state
 *	fresh_combined(aggregate, state)		the result over serialized states
 *	fresh_whole(aggregate, argument...)		the result, without messages
 *	fresh_call(function, argument...)		the result of a plain function, as text
 *
 * The first three are aggregates; their first argument is a constant.  The
 * declarations stand in test/t/FreshCalls.pm.
 *
 * The current memory context of a call is that of its FmgrInfo, and is deleted
 * with the row: whatever is to live longer must be in the context of the
 * aggregate.
 */
#include "compat.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(fresh_transition);
PG_FUNCTION_INFO_V1(fresh_serialize);
PG_FUNCTION_INFO_V1(fresh_combine);
PG_FUNCTION_INFO_V1(fresh_final);
PG_FUNCTION_INFO_V1(fresh_call);

/* Switch to a new context for a row; returns the one to go back to. */
static MemoryContext
start_row(void)
{
	return MemoryContextSwitchTo(AllocSetContextCreate(CurrentMemoryContext,
													   "row of fresh calls",
													   ALLOCSET_SMALL_SIZES));
}

static void
end_row(MemoryContext caller)
{
	MemoryContextDelete(MemoryContextSwitchTo(caller));
}

/*
 * One call; what it allocates for itself goes into the current context.  Sets
 * *remembers to whether it kept something for the next call.
 */
static NullableDatum
call_and_see(FunctionCallInfo outer, Oid function, int nargs,
			 const NullableDatum *args, bool *remembers)
{
	LOCAL_FCINFO(inner, FUNC_MAX_ARGS);
	FmgrInfo	info;
	NullableDatum result = {.isnull = true};

	*remembers = false;
	fmgr_info(function, &info);
	InitFunctionCallInfoData(*inner, &info, nargs, outer->fncollation,
							 outer->context, outer->resultinfo);
	for (int i = 0; i < nargs; i++)
	{
		if (info.fn_strict && args[i].isnull)
			return result;
		inner->args[i] = args[i];
	}
	result.value = FunctionCallInvoke(inner);
	result.isnull = inner->isnull;
	*remembers = info.fn_extra != NULL;
	return result;
}

static NullableDatum
call(FunctionCallInfo outer, Oid function, int nargs, const NullableDatum *args)
{
	bool		remembers;

	return call_and_see(outer, function, nargs, args, &remembers);
}

/*
 * The arguments of a function from number first on: ours behind the one that
 * names it.  Error: they are not of the types that it declares.  Bytes become
 * the message that a receive function reads.
 */
static int
pass_arguments(FunctionCallInfo fcinfo, Oid function, int first,
			   NullableDatum *args)
{
	Oid		   *types;
	int			nargs;

	(void) get_func_signature(function, &types, &nargs);
	if (nargs != PG_NARGS() - 1)
		elog(ERROR, "function %u has %d arguments, not %d", function, nargs,
			 PG_NARGS() - 1);

	for (int i = first; i < nargs; i++)
	{
		Oid			type = get_fn_expr_argtype(fcinfo->flinfo, i + 1);

		args[i] = fcinfo->args[i + 1];
		if (types[i] == INTERNALOID && type == BYTEAOID && !args[i].isnull)
		{
			StringInfo	message = makeStringInfo();
			bytea	   *bytes = DatumGetByteaPP(args[i].value);

			appendBinaryStringInfo(message, VARDATA_ANY(bytes),
								   VARSIZE_ANY_EXHDR(bytes));
			args[i].value = PointerGetDatum(message);
		}
		else if (types[i] != type && !IsPolymorphicType(types[i]))
			elog(ERROR, "argument %d of function %u is of type %s, not %s", i + 1,
				 function, format_type_be(types[i]), format_type_be(type));
	}
	return nargs;
}

/* The aggregate to call: a constant, so known where there are no rows, too. */
static FormData_pg_aggregate
aggregate(FunctionCallInfo fcinfo)
{
	Aggref	   *aggref = AggGetAggref(fcinfo);
	Expr	   *first;
	HeapTuple	tuple;
	FormData_pg_aggregate form;

	if (aggref == NULL)
		elog(ERROR, "not called in an aggregate");
	first = linitial_node(TargetEntry, aggref->args)->expr;
	if (!IsA(first, Const) || ((Const *) first)->constisnull)
		elog(ERROR, "the aggregate to call is not a constant");

	tuple = SearchSysCache1(AGGFNOID, ((Const *) first)->constvalue);
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "that is not an aggregate");
	form = *(Form_pg_aggregate) GETSTRUCT(tuple);
	ReleaseSysCache(tuple);
	if (form.aggtranstype != INTERNALOID)
		elog(ERROR, "the state is not of type internal");
	return form;
}

/* The state of an aggregate's group, at first null. */
static NullableDatum *
group_state(FunctionCallInfo fcinfo)
{
	MemoryContext context;
	NullableDatum *state;

	if (!PG_ARGISNULL(0))
		return (NullableDatum *) PG_GETARG_POINTER(0);

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "not called in an aggregate");
	state = MemoryContextAllocZero(context, sizeof(NullableDatum));
	state->isnull = true;
	return state;
}

/* (state, aggregate, argument...) */
Datum
fresh_transition(PG_FUNCTION_ARGS)
{
	Oid			function = aggregate(fcinfo).aggtransfn;
	NullableDatum *state = group_state(fcinfo);
	MemoryContext caller = start_row();
	NullableDatum args[FUNC_MAX_ARGS];
	int			nargs = pass_arguments(fcinfo, function, 1, args);
	bool		remembers;

	args[0] = *state;
	*state = call_and_see(fcinfo, function, nargs, args, &remembers);
	end_row(caller);

	/* in vain, as the next row comes with another FmgrInfo */
	if (remembers)
		elog(ERROR, "a transition function of concrete types makes a cache");
	PG_RETURN_POINTER(state);
}

/* (state, aggregate, bytea) */
Datum
fresh_combine(PG_FUNCTION_ARGS)
{
	FormData_pg_aggregate form = aggregate(fcinfo);
	NullableDatum *state = group_state(fcinfo);
	MemoryContext caller = start_row();
	NullableDatum message[2] = {fcinfo->args[2], {.isnull = false}};
	NullableDatum args[2];

	args[0] = *state;
	args[1] = call(fcinfo, form.aggdeserialfn, 2, message);
	*state = call(fcinfo, form.aggcombinefn, 2, args);
	end_row(caller);
	PG_RETURN_POINTER(state);
}

/* A bytea or another varlena, from the state. */
static Datum
finish(FunctionCallInfo fcinfo, Oid function)
{
	NullableDatum state = {.isnull = true};
	MemoryContext caller = start_row();
	MemoryContext row;
	NullableDatum result;

	if (!PG_ARGISNULL(0))
		state = *(NullableDatum *) PG_GETARG_POINTER(0);
	result = call(fcinfo, function, 1, &state);

	row = MemoryContextSwitchTo(caller);
	if (!result.isnull)
		result.value = datumCopy(result.value, false, -1);
	MemoryContextDelete(row);

	if (result.isnull)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(result.value);
}

Datum
fresh_serialize(PG_FUNCTION_ARGS)
{
	return finish(fcinfo, aggregate(fcinfo).aggserialfn);
}

Datum
fresh_final(PG_FUNCTION_ARGS)
{
	return finish(fcinfo, aggregate(fcinfo).aggfinalfn);
}

/* (function, argument...) */
Datum
fresh_call(PG_FUNCTION_ARGS)
{
	Oid			function = PG_GETARG_OID(0);
	MemoryContext caller = start_row();
	MemoryContext row;
	NullableDatum args[FUNC_MAX_ARGS];
	int			nargs = pass_arguments(fcinfo, function, 0, args);
	NullableDatum result = call(fcinfo, function, nargs, args);
	char	   *s = NULL;
	text	   *t = NULL;

	if (!result.isnull)
	{
		Oid			output;
		bool		is_varlena;

		getTypeOutputInfo(get_func_rettype(function), &output, &is_varlena);
		s = OidOutputFunctionCall(output, result.value);
	}
	row = MemoryContextSwitchTo(caller);
	if (s != NULL)
		t = cstring_to_text(s);
	MemoryContextDelete(row);

	if (t == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(t);
}
