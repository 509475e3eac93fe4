/*
 * join_build.c
 *	  The node BloomtypeBuild while a query runs, and in EXPLAIN.
 */
#include "compat.h"

#include BLT_EXPLAIN_FORMAT_HEADER
#include "executor/executor.h"
#include "join/join_hasher.h"
#include "join/join_nodes.h"
#include "join/join_shared_filter.h"
#include "utils/memutils.h"

typedef struct BuildState
{
	CustomScanState css;
	JoinFilter *filter;			/* NULL: only pass rows on */
	JoinHasher *hasher;
	bool		is_read;		/* all rows of the child have passed */
} BuildState;

static TupleTableSlot *
run_build(PlanState *ps)
{
	BuildState *state = (BuildState *) ps;
	TupleTableSlot *slot = ExecProcNode(outerPlanState(ps));
	JoinFilter *filter = state->filter;
	ExprContext *econtext = ps->ps_ExprContext;
	MemoryContext caller;
	uint64		hash;
	int64		integer;

	if (filter == NULL)
		return slot;
	if (filter->shared != NULL && !state->is_read)
		blt_join_begin_part(filter);
	if (TupIsNull(slot))
	{
		if (filter->shared == NULL)
			blt_join_complete_filter(filter);
		else if (!state->is_read)
			blt_join_merge_part(filter);
		state->is_read = true;
		return slot;
	}
	if (filter->is_too_full || filter->is_complete)
		return slot;

	if (filter->is_of_integers)
	{
		if (blt_join_read_integer(state->hasher, slot, &integer))
			blt_join_add_integer(filter, integer);
		return slot;
	}
	if (blt_join_has_long_key(state->hasher, slot))
	{
		blt_join_give_up(filter);
		return slot;
	}
	caller = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	if (blt_join_hash_row(state->hasher, slot, &hash))
		blt_join_add_hash(filter, hash);
	MemoryContextSwitchTo(caller);
	if (state->hasher->allocates)
		ResetExprContext(econtext);
	return slot;
}

static TupleTableSlot *
run_method(CustomScanState *node)
{
	return run_build(&node->ss.ps);
}

static void
begin(CustomScanState *node, EState *estate, int eflags)
{
	BuildState *state = (BuildState *) node;
	List	   *filters = blt_join_node_filters(node);
	JoinNodeFilter *filter;
	ParamExecData *pointer;

	blt_join_begin_child(node, estate, eflags);
	node->ss.ps.ExecProcNode = run_build;
	if (estate->es_epq_active != NULL || (eflags & EXEC_FLAG_EXPLAIN_ONLY) != 0 || filters == NIL)
		return;
	filter = linitial(filters);
	pointer = &estate->es_param_exec_vals[filter->number];
	state->hasher = blt_join_create_hasher(filter->keys, outerPlanState(node));
	state->filter = blt_join_create_filter(state->hasher->nkeys == 1 &&
										   state->hasher->keys[0].integer != JOIN_NOT_INTEGER);
	pointer->execPlan = NULL;
	pointer->value = PointerGetDatum(state->filter);
	pointer->isnull = false;
}

static void
rescan(CustomScanState *node)
{
	BuildState *state = (BuildState *) node;

	if (state->filter != NULL)
		blt_join_reset_filter(state->filter);
	state->is_read = false;
	blt_join_rescan_child(node);
}

/*
 * Below a hash table that several processes build, the filter is shared.  All
 * of them have built their part of the table, and of the filter, before any
 * reads a row of the outer side.
 */

static uint32
shared_blocks_of(CustomScanState *node)
{
	JoinNodeFilter *filter = linitial(blt_join_node_filters(node));

	return blt_join_blocks_expected(filter->expected);
}

static Size
estimate_shared(CustomScanState *node, ParallelContext *pcxt)
{
	return blt_join_shared_size(shared_blocks_of(node));
}

static void
init_shared_in_worker(CustomScanState *node, shm_toc *toc, void *coordinate)
{
	BuildState *state = (BuildState *) node;

	state->is_read = false;
	if (state->filter == NULL)
	{
		blt_join_spoil_shared(coordinate);
		return;
	}
	blt_join_reset_filter(state->filter);
	state->filter->shared = coordinate;
}

static void
init_shared(CustomScanState *node, ParallelContext *pcxt, void *coordinate)
{
	blt_join_init_shared(coordinate, shared_blocks_of(node));
	init_shared_in_worker(node, NULL, coordinate);
}

/* The memory stays as large as it is. */
static void
reinit_shared(CustomScanState *node, ParallelContext *pcxt, void *coordinate)
{
	blt_join_init_shared(coordinate, ((SharedJoinFilter *) coordinate)->nblocks);
	init_shared_in_worker(node, NULL, coordinate);
}

/* The shared memory goes; what EXPLAIN shows stays. */
static void
forget_shared(CustomScanState *node)
{
	BuildState *state = (BuildState *) node;
	JoinFilter *filter = state->filter;

	if (filter == NULL || filter->shared == NULL)
		return;
	if (!filter->is_complete)
		blt_join_adopt_shared(filter);
	filter->probe.words = NULL;
	filter->blocks = NULL;
	filter->shared = NULL;
}

/* In this process: each worker with its own hash table has its own filter. */
static void
explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	JoinFilter *filter = ((BuildState *) node)->filter;

	blt_join_explain_keys(node, ancestors, es);
	if (!es->analyze || filter == NULL || !filter->is_complete)
		return;
	ExplainPropertyInteger("Filtered Keys", NULL, (int64) filter->nkeys, es);
	if (!filter->is_too_full)
		ExplainPropertyText("Filter Method", filter->is_bitmap ? "bitmap" : "Bloom filter", es);
	ExplainPropertyInteger("Filter Size", "kB",
						   (int64) (blt_join_filter_size(filter) + 1023) / 1024, es);
	ExplainPropertyInteger("Peak Memory", "kB", (int64) (filter->peak_bytes + 1023) / 1024, es);
	ExplainPropertyFloat("Expected False Positives", "%", filter->rate * 100, 2, es);
	if (filter->is_too_full)
		ExplainPropertyBool("Too Many Keys", true, es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "BloomtypeBuild",
	.BeginCustomScan = begin,
	.ExecCustomScan = run_method,
	.EndCustomScan = blt_join_end_child,
	.ReScanCustomScan = rescan,
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = init_shared,
	.ReInitializeDSMCustomScan = reinit_shared,
	.InitializeWorkerCustomScan = init_shared_in_worker,
	.ShutdownCustomScan = forget_shared,
	.ExplainCustomScan = explain,
};

static Node *
create_state(CustomScan *scan)
{
	BuildState *state = (BuildState *) newNode(sizeof(BuildState), T_CustomScanState);

	state->css.methods = &exec_methods;
	return (Node *) state;
}

const CustomScanMethods blt_join_build_methods = {
	.CustomName = "BloomtypeBuild",
	.CreateCustomScanState = create_state,
};

void
blt_join_register_build(void)
{
	RegisterCustomScanMethods(&blt_join_build_methods);
}
