/*
 * join_probe.c
 *	  The node BloomtypeProbe while a query runs, and in EXPLAIN.
 */
#include "compat.h"

#include BLT_EXPLAIN_FORMAT_HEADER
#include "executor/executor.h"
#include "executor/instrument.h"
#include "join/join_bounds.h"
#include "join/join_hasher.h"
#include "join/join_nodes.h"
#include "join/join_shared_filter.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/*
 * A filter that passes more than SHARE_TO_KEEP of a number of rows does not
 * pay, and pauses: rows pass without being probed.  It is judged after
 * ROWS_TO_START rows, after ROWS_TO_RETRY when a pause is over, and after
 * ROWS_TO_JUDGE as long as it pays.
 *
 * Each pause is twice as long as the one before, from MIN_PAUSE to MAX_PAUSE
 * rows.  Where rows come in the order of the key, a filter passes all of a
 * stretch of rows and none before and after it.  So pauses are short until
 * as many rows have passed as are expected to: at most MIN_PAUSE or
 * 1 / PAUSES_IN_EXPECTED of these, whichever is more.
 */
#define SHARE_TO_KEEP		0.75
#define SHARE_OF_DEAR_KEYS	0.4 /* the same with keys that are not integers */
#define ROWS_TO_START		2048
#define ROWS_TO_RETRY		512
#define ROWS_TO_JUDGE		16384
#define MIN_PAUSE			4096
#define MAX_PAUSE			1000000
#define PAUSES_IN_EXPECTED	8

typedef struct ProbeFilter
{
	int			number;
	JoinFilter *filter;
	JoinHasher *hasher;
	JoinBounds *bounds;			/* of the rows, or NULL */
	bool		is_compared;	/* the filter was complete, and has their keys */
	uint32		nresets;		/* of the filter, before that */
	double		expected_rows;	/* that pass */
	double		rows_passed;	/* when it was last judged, or paused */
	uint32		nprobed;		/* since then */
	uint32		npassed;		/* of these */
	uint32		to_judge;		/* how many are probed until it is judged */
	uint32		pause;			/* length of the next pause */
	uint32		to_skip;		/* rows that are left of a pause */
	uint64		npauses;
} ProbeFilter;

typedef struct ProbeState
{
	CustomScanState css;
	bool		has_filters;	/* those of the joins are looked up */
	bool		is_skipped;		/* the child scans a partition that need not
								 * be read */
	bool		allocates;		/* may hashing allocate memory? */
	uint32		to_skip;		/* rows for which no filter is probed */
	int			nfilters;		/* 0: only pass rows on */
	ProbeFilter *filters;
} ProbeState;

/* While no filter is probed, rows need not be counted for each. */
static void
skip_together(ProbeState *state)
{
	uint32		to_skip = MAX_PAUSE;

	for (int i = 0; i < state->nfilters; i++)
		to_skip = Min(to_skip, state->filters[i].to_skip);
	for (int i = 0; i < state->nfilters; i++)
		state->filters[i].to_skip -= to_skip;
	state->to_skip = to_skip;
}

static void
pause_filter(ProbeState *state, ProbeFilter *filter)
{
	double		longest = MAX_PAUSE;

	filter->to_skip = filter->pause;
	filter->rows_passed += filter->pause;
	filter->npauses++;
	if (filter->rows_passed < filter->expected_rows)
		longest = Max(MIN_PAUSE, filter->expected_rows / PAUSES_IN_EXPECTED);
	filter->pause = Min(Min(filter->pause * 2, MAX_PAUSE), longest);
	skip_together(state);
}

/* A filter has been probed often enough to judge whether it pays. */
static void
judge(ProbeState *state, ProbeFilter *filter)
{
	double		share = filter->hasher->allocates ? SHARE_OF_DEAR_KEYS : SHARE_TO_KEEP;
	bool		pays = filter->npassed <= share * filter->nprobed;

	filter->rows_passed += filter->npassed;
	filter->nprobed = 0;
	filter->npassed = 0;
	filter->to_judge = pays ? ROWS_TO_JUDGE : ROWS_TO_RETRY;
	if (pays)
		filter->pause = MIN_PAUSE;
	else
		pause_filter(state, filter);
}

/* May the key of a row be among those of a filter that does not pass all? */
static pg_attribute_always_inline bool
may_have_partner(const JoinFilter *filter, JoinHasher *hasher, TupleTableSlot *slot)
{
	uint64		hash;
	int64		integer;

	if (filter->probe.words != NULL)
		return blt_join_read_integer(hasher, slot, &integer) &&
			blt_join_bitmap_contains(&filter->probe, integer);
	if (hasher->allocates && blt_join_has_long_key(hasher, slot))
		return true;
	return blt_join_hash_row(hasher, slot, &hash) && blt_join_filter_passes(filter, hash);
}

static pg_attribute_always_inline bool
filter_passes(ProbeState *state, ProbeFilter *filter, TupleTableSlot *slot)
{
	bool		result;

	if (filter->filter == NULL)
		return true;
	if (blt_join_is_open(filter->filter))
	{
		if (filter->filter->shared == NULL || filter->filter->is_complete)
			return true;
		blt_join_adopt_shared(filter->filter);
		if (blt_join_is_open(filter->filter))
			return true;
	}
	if (filter->to_skip > 0)
	{
		filter->to_skip--;
		return true;
	}
	result = may_have_partner(filter->filter, filter->hasher, slot);
	filter->npassed += result;
	if (++filter->nprobed == filter->to_judge)
		judge(state, filter);
	return result;
}

static pg_attribute_always_inline bool
row_passes(ProbeState *state, TupleTableSlot *slot)
{
	for (int i = 0; i < state->nfilters; i++)
	{
		if (!filter_passes(state, &state->filters[i], slot))
			return false;
	}
	return true;
}

/* The same where the hash functions may allocate memory */
static bool
row_passes_freeing(ProbeState *state, TupleTableSlot *slot)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	MemoryContext caller = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	bool		result = row_passes(state, slot);

	MemoryContextSwitchTo(caller);
	ResetExprContext(econtext);
	return result;
}

/* The joins have begun by now, and so their filters exist. */
static void
find_filters(ProbeState *state)
{
	EState	   *estate = state->css.ss.ps.state;

	for (int i = 0; i < state->nfilters; i++)
	{
		ProbeFilter *filter = &state->filters[i];

		filter->filter = (JoinFilter *)
			DatumGetPointer(estate->es_param_exec_vals[filter->number].value);
	}
	state->has_filters = true;
}

static TupleTableSlot *
run_probe(PlanState *ps)
{
	ProbeState *state = (ProbeState *) ps;
	PlanState  *child = outerPlanState(ps);

	if (!state->has_filters)
		find_filters(state);
	for (;;)
	{
		TupleTableSlot *slot;

		if (state->to_skip > 0)
		{
			state->to_skip--;
			return ExecProcNode(child);
		}
		slot = ExecProcNode(child);
		if (TupIsNull(slot) ||
			(state->allocates ? row_passes_freeing(state, slot) : row_passes(state, slot)))
			return slot;
		InstrCountFiltered1(state, 1);
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * Compare the bounds of the rows with the filters that are complete by now.
 * Returns whether there are others.
 */
static bool
compare_bounds(ProbeState *state)
{
	bool		are_complete = true;

	for (int i = 0; i < state->nfilters && !state->is_skipped; i++)
	{
		ProbeFilter *probed = &state->filters[i];
		JoinFilter *filter = probed->filter;

		if (probed->bounds == NULL || probed->is_compared || filter == NULL)
			continue;
		if (filter->shared != NULL && !filter->is_complete)
			blt_join_adopt_shared(filter);
		probed->is_compared = filter->is_complete;
		probed->nresets = filter->nresets;
		if (!filter->is_complete)
			are_complete = false;
		else if (!blt_join_bounds_meet(probed->bounds, filter))
			state->is_skipped = true;
	}
	return !are_complete;
}

/*
 * The same as run_probe where the child scans a partition, until all filters
 * are complete.  A partition without a key of one of them has no row with a
 * partner; the rest of it is not read.
 */
static TupleTableSlot *
run_probe_of_partition(PlanState *ps)
{
	ProbeState *state = (ProbeState *) ps;
	bool		goes_on;

	if (!state->has_filters)
		find_filters(state);
	goes_on = compare_bounds(state);
	if (state->is_skipped)
		return NULL;
	if (!goes_on)
		ExecSetExecProcNode(ps, run_probe);
	return run_probe(ps);
}

/*
 * What was compared stays so, as below a nested loop this is called for each
 * row, unless a filter is another one by now.
 */
static void
rescan(CustomScanState *node)
{
	ProbeState *state = (ProbeState *) node;
	bool		is_other = false;

	for (int i = 0; i < state->nfilters; i++)
	{
		ProbeFilter *filter = &state->filters[i];

		is_other |= filter->is_compared && filter->nresets != filter->filter->nresets;
	}
	if (is_other)
	{
		for (int i = 0; i < state->nfilters; i++)
			state->filters[i].is_compared = false;
		state->is_skipped = false;
		ExecSetExecProcNode(&node->ss.ps, run_probe_of_partition);
	}
	blt_join_rescan_child(node);
}

static TupleTableSlot *
run_method(CustomScanState *node)
{
	return run_probe(&node->ss.ps);
}

static void
init_probe_filter(ProbeState *state, ProbeFilter *probed, const JoinNodeFilter *filter)
{
	probed->number = filter->number;
	probed->hasher = blt_join_create_hasher(filter->keys, outerPlanState(state));
	probed->expected_rows = filter->expected;
	probed->to_judge = ROWS_TO_START;
	probed->pause = MIN_PAUSE;
	probed->bounds = blt_join_create_bounds(filter->bounds, probed->hasher->keys[0].integer);
	state->allocates |= probed->hasher->allocates;
	if (probed->bounds != NULL)
		state->css.ss.ps.ExecProcNode = run_probe_of_partition;
}

static void
begin(CustomScanState *node, EState *estate, int eflags)
{
	ProbeState *state = (ProbeState *) node;
	List	   *filters = blt_join_node_filters(node);
	ListCell   *cell;

	blt_join_begin_child(node, estate, eflags);
	node->ss.ps.ExecProcNode = run_probe;
	if (estate->es_epq_active != NULL)
		return;
	state->filters = palloc0(list_length(filters) * sizeof(ProbeFilter));
	foreach(cell, filters)
		init_probe_filter(state, &state->filters[state->nfilters++], lfirst(cell));
}

static void
explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	ProbeState *state = (ProbeState *) node;
	BltNodeInstrumentation *instrument = node->ss.ps.instrument;
	uint64		npauses = 0;

	blt_join_explain_keys(node, ancestors, es);
	if (!es->analyze || instrument == NULL)
		return;
	if (instrument->nloops > 0)
		ExplainPropertyFloat("Rows Removed by Runtime Filter", NULL,
							 instrument->nfiltered1 / instrument->nloops, 0, es);
	for (int i = 0; i < state->nfilters; i++)
		npauses += state->filters[i].npauses;
	if (npauses > 0 || es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyInteger("Times Switched Off", NULL, (int64) npauses, es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "BloomtypeProbe",
	.BeginCustomScan = begin,
	.ExecCustomScan = run_method,
	.EndCustomScan = blt_join_end_child,
	.ReScanCustomScan = rescan,
	.ExplainCustomScan = explain,
};

static Node *
create_state(CustomScan *scan)
{
	ProbeState *state = (ProbeState *) newNode(sizeof(ProbeState), T_CustomScanState);

	state->css.methods = &exec_methods;
	return (Node *) state;
}

const CustomScanMethods blt_join_probe_methods = {
	.CustomName = "BloomtypeProbe",
	.CreateCustomScanState = create_state,
};

void
blt_join_register_probe(void)
{
	RegisterCustomScanMethods(&blt_join_probe_methods);
}
