/*
 * filter_argument.c
 *	  Learns what is known of a filter, as a constant or as the result of an
 *	  aggregate.
 */
#include "compat.h"

#include "planner/filter_argument.h"

#include "filter/filter_datum.h"

/* A constant of ours. */
static void
examine_known(Const *filter, FilterArgument *argument)
{
	BbfMeta    *meta = &argument->known.meta;

	blt_read_filter(filter->constvalue, BBF_KIND_ANY, &argument->known);
	/* of an intersection too high, for want of a better number */
	argument->numbers.keys = bbf_meta_keys(meta);
	argument->numbers.fpp = bbf_meta_fpp(meta);
	argument->numbers.kind = meta->kind;
	argument->numbers.bytes = meta->length;
	argument->has_numbers = argument->is_known = true;
}

/* A constant of another system. */
static void
examine_external(Const *filter, Node *name, FilterArgument *argument)
{
	const BbfExternalFormat *known =
		IsA(name, Const) ? blt_format_of_constant((Const *) name) : NULL;

	argument->numbers.kind = BBF_KIND_ANY;
	argument->has_numbers = known != NULL &&
		blt_count_external_keys(known, filter, &argument->numbers.keys, &argument->numbers.fpp,
								&argument->numbers.bytes);
}

void
blt_examine_filter(PlannerInfo *root, Node *filter, Node *format, FilterArgument *argument)
{
	argument->root = root;
	argument->filter = filter;
	argument->is_null = IsA(filter, Const) && ((Const *) filter)->constisnull;
	argument->is_known = argument->has_numbers = false;
	argument->is_examined = blt_is_known_filter(filter);
	if (!argument->is_examined)
		return;
	if (format == NULL)
		examine_known((Const *) filter, argument);
	else
		examine_external((Const *) filter, format, argument);
	argument->numbers.all_keys = argument->numbers.keys;
	argument->numbers.is_limit = false;
}

const PlannedFilter *
blt_filter_numbers(FilterArgument *argument)
{
	if (!argument->is_examined)
	{
		argument->has_numbers = blt_plan_filter(argument->root, argument->filter, &argument->numbers);
		argument->is_examined = true;
	}
	return argument->has_numbers ? &argument->numbers : NULL;
}
