/*
 * filter_argument.c
 *	  Learns what is known of a filter, as a constant or as the result of an aggregate.
 */
#include "compat.h"

#include "planner/filter_argument.h"

#include "filter/filter_datum.h"

/* A constant of ours. */
static void
examine_known(Const *filter, AskedFilter *asked)
{
	BbfMeta    *meta = &asked->known.meta;

	asked->known.bytes = blt_read_filter(filter->constvalue, BBF_KIND_ANY, meta);
	/* of an intersection too high, for want of a better number */
	asked->numbers.keys = bbf_meta_keys(meta);
	asked->numbers.fpp = bbf_meta_fpp(meta);
	asked->numbers.kind = meta->kind;
	asked->numbers.bytes = meta->length;
	asked->has_numbers = asked->is_known = true;
}

/* A constant of another system. */
static void
examine_external(Const *filter, Node *name, AskedFilter *asked)
{
	const BbfExternalFormat *known =
		IsA(name, Const) ? blt_format_of_constant((Const *) name) : NULL;

	asked->numbers.kind = BBF_KIND_ANY;
	asked->has_numbers = known != NULL &&
		blt_count_external_keys(known, filter, &asked->numbers.keys, &asked->numbers.fpp,
								&asked->numbers.bytes);
}

void
blt_examine_filter(PlannerInfo *root, Node *filter, Node *format, AskedFilter *asked)
{
	asked->root = root;
	asked->filter = filter;
	asked->is_null = IsA(filter, Const) && ((Const *) filter)->constisnull;
	asked->is_known = asked->has_numbers = false;
	asked->is_examined = blt_is_known_filter(filter);
	if (!asked->is_examined)
		return;
	if (format == NULL)
		examine_known((Const *) filter, asked);
	else
		examine_external((Const *) filter, format, asked);
	asked->numbers.all_keys = asked->numbers.keys;
	asked->numbers.is_limit = false;
}

const PlannedFilter *
blt_filter_numbers(AskedFilter *asked)
{
	if (!asked->is_examined)
	{
		asked->has_numbers = blt_plan_filter(asked->root, asked->filter, &asked->numbers);
		asked->is_examined = true;
	}
	return asked->has_numbers ? &asked->numbers : NULL;
}
