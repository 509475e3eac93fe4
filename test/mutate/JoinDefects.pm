# Defects of src/join/ for test/mutate/join_defects, each of which makes a query return wrong rows, or
# attaches a filter where it has no business.
#
#    my @defects = JoinDefects::all();                  names, in order
#    JoinDefects::plant($name, $source, $folder);       write the changed files to a folder

package JoinDefects;

use strict;
use warnings FATAL => 'all';

my $hash_case = "\t\tcase T_Hash:\n\t\tcase T_Sort:";

# Name; then file, text that is there once, text in its place, as often as needed
my @defects = (
	[
		'an inner side with parameters, whose filter is not reset',
		'join/join_plan.c',
		'bms_is_subset(hash->plan.extParam, outside->stable) &&',
		'',
		'join/join_plan.c',
		'bms_is_subset(hash->plan.lefttree->extParam, outside->stable) &&',
		'',
		'join/join_nodes.c',
		"\tif (state->filter != NULL)\n\t\tblt_join_reset_filter(state->filter);\n\tstate->is_read",
		"\tstate->is_read"
	],
	[
		'any inner side may run again',
		'join/join_tame.c',
		"\tif (!is_known(search, plan, runs))\n",
		"\tif (!is_known(search, plan, runs) && false)\n",
		'join/join_plan.c',
		'bms_is_subset(hash->plan.lefttree->extParam, outside->stable) &&',
		''
	],
	[
		'volatile functions count as stable',
		'join/join_tame.c',
		'!contain_volatile_functions(expression) && !has_wild_subplan(expression, stmt)',
		'true'
	],
	[ 'below LIMIT', 'join/join_trace.c', $hash_case, "\t\tcase T_Limit:\n$hash_case" ],
	[ 'below DISTINCT ON', 'join/join_trace.c', $hash_case, "\t\tcase T_Unique:\n$hash_case" ],
	[ 'below a window function', 'join/join_trace.c', $hash_case, "\t\tcase T_WindowAgg:\n$hash_case" ],
	[
		'below grouping, of whatever collation',
		'join/join_trace.c',
		$hash_case,
		"\t\tcase T_Agg:\n\t\tcase T_Group:\n$hash_case"
	],
	[
		'LEFT JOIN keeps outer rows',
		'compat.h',
		"((type) == JOIN_INNER || (type) == JOIN_RIGHT || (type) == JOIN_SEMI)",
		"((type) == JOIN_INNER || (type) == JOIN_RIGHT || (type) == JOIN_SEMI || (type) == JOIN_LEFT)"
	],
	[
		'anti joins keep outer rows',
		'compat.h',
		"((type) == JOIN_INNER || (type) == JOIN_RIGHT || (type) == JOIN_SEMI)",
		"((type) == JOIN_INNER || (type) == JOIN_RIGHT || (type) == JOIN_SEMI || (type) == JOIN_ANTI)"
	],
	[
		'FULL JOIN keeps outer rows',
		'compat.h',
		"((type) == JOIN_INNER || (type) == JOIN_RIGHT || (type) == JOIN_SEMI)",
		"((type) == JOIN_INNER || (type) == JOIN_RIGHT || (type) == JOIN_SEMI || (type) == JOIN_FULL)"
	],
	[
		'containers are hashed',
		'join/join_key.c',
		"\t\tcase JSONBOID:\n\t\t\treturn true;",
		"\t\tcase JSONBOID:\n\t\t\treturn false;"
	],
	[
		'texts are hashed by their bytes',
		'join/join_key.c',
		'(Oid) lthird_int(key)',
		'950 /* C */'
	],
	[
		'floats are hashed by their bytes',
		'join/join_key.c',
		"\t\tcase F_HASHINT8EXTENDED:",
		"\t\tcase F_HASHINT8EXTENDED:\n\t\tcase F_HASHFLOAT8EXTENDED:"
	],
	[
		'integers are hashed by their width',
		'join/join_key.h',
		'key_hash = bbf_hash(bytes, sizeof(bytes));',
		'key_hash = bbf_hash(bytes, key->integer_width);'
	],
	[
		'a null is hashed',
		'join/join_key.h',
		"\t\tif (is_null)\n\t\t\treturn false;\n",
		''
	],
	[
		'rows with nulls are read at fixed offsets',
		'join/join_key.h',
		'HeapTupleNoNulls(row) &&',
		'true &&'
	],
	[
		'columns of a sub-select have the numbers of its table',
		'join/join_trace.c',
		'trace(t, &scan->subplan, source);',
		'trace(t, &scan->subplan, column);'
	],
	[
		'columns of partitions have the numbers of the first',
		'join/join_plan.c',
		'placement.columns[i] = column_at(candidate->keys[i], target->link);',
		'placement.columns[i] = ((JoinTarget *) linitial(candidate->keys[i]->targets))->column;'
	],
	[
		'foreign scans are filtered',
		'join/join_trace.c',
		"\t\tcase T_BitmapHeapScan:\n\t\t\ttrace_scan",
		"\t\tcase T_BitmapHeapScan:\n\t\tcase T_ForeignScan:\n\t\t\ttrace_scan"
	],
	[
		'a scan below a merge join is filtered',
		'join/join_trace.c',
		"\tif (IsA(join, MergeJoin) && !IsA(inner, Sort) && !IsA(inner, Material))\n\t\treturn;\n",
		''
	],
	[
		'an empty filter until it is complete',
		'join/join_filter.c',
		"\treturn filter;\n}\n\nvoid\nblt_join_reset_filter",
		"\tfilter->blocks = MemoryContextAllocZero(parent, BBF_BLOCK_BYTES);\n\tfilter->nblocks = 1;\n"
		  . "\treturn filter;\n}\n\nvoid\nblt_join_reset_filter"
	],
	[
		'half of the blocks are lost when a filter is folded',
		'join/join_filter.c',
		"\t\t\tbbf_blocks_or(blocks + (Size) i * BBF_BLOCK_BYTES,\n"
		  . "\t\t\t\t\t\t  blocks + ((Size) i * 2 + 1) * BBF_BLOCK_BYTES, 1);\n",
		''
	],
	[
		'a full filter takes no more keys, and does not pass all',
		'join/join_filter.c',
		"\tfilter->nset += bbf_blocks_add(filter->building",
		"\tif (filter->nset > (TOO_FULL - 0.01) * filter->max_blocks * BBF_BLOCK_BITS)\n\t\treturn;\n"
		  . "\tfilter->nset += bbf_blocks_add(filter->building"
	],
	[
		'the parts of workers are not merged',
		'join/join_filter.c',
		'#include "miscadmin.h"',
		qq(#include "access/parallel.h"\n#include "miscadmin.h"),
		'join/join_filter.c',
		"\tif (filter->building != NULL)\n\t\tbbf_blocks_or(shared_blocks(shared)",
		"\tif (filter->building != NULL && IsParallelWorker())\n\t\tshared->nkeys += 0;\n"
		  . "\telse if (filter->building != NULL)\n\t\tbbf_blocks_or(shared_blocks(shared)"
	],
	[
		'every process asks its own part only',
		'join/join_filter.c',
		"\tfilter->building = NULL;\n\tMemoryContextReset(filter->context);\n}\n\nvoid\nblt_join_adopt_shared",
		"\tfilter->blocks = filter->building;\n\tfilter->nblocks = shared->nblocks;\n\tfilter->is_complete = true;\n"
		  . "}\n\nvoid\nblt_join_adopt_shared"
	],
	[
		'a filter of several processes has not the blocks that it was built with',
		'join/join_filter.c',
		"\t\tfilter->nblocks = shared->nblocks;\n",
		"\t\tfilter->nblocks = shared->nblocks / 2 + 1;\n"
	],
	[
		'EvalPlanQual is filtered',
		'join/join_nodes.c',
		'state->is_inert = estate->es_epq_active != NULL;',
		'state->is_inert = false;'
	],
	[
		'two nodes have the same number',
		'join/join_plan.c',
		'node->scan.plan.plan_node_id = ++planning->max_node_id;',
		'node->scan.plan.plan_node_id = planning->max_node_id;'
	],
	[
		'the parent does not know the slots of a node',
		'join/join_nodes.c',
		"\tps->resultops = ExecGetResultSlotOps(outerPlanState(ps), &ps->resultopsfixed);\n\tps->resultopsset = true;\n",
		''
	]);

sub all
{
	return map { $_->[0] } @defects;
}

sub contents
{
	my ($file) = @_;
	open my $in, '<', $file or die "$file: $!\n";
	local $/;
	return <$in>;
}

# Dies if the code has changed, and has not the text in one place.
sub plant
{
	my ($name, $source, $folder) = @_;
	my ($defect) = grep { $_->[0] eq $name } @defects;
	my @edits = @$defect[ 1 .. $#$defect ];
	my %changed;

	while (my ($file, $before, $after) = splice @edits, 0, 3)
	{
		my $text = $changed{$file} // contents("$source/$file");
		my $place = index $text, $before;
		die "$name: not in $file: $before\n" if $place < 0;
		die "$name: twice in $file: $before\n" if index($text, $before, $place + 1) >= 0;
		substr $text, $place, length $before, $after;
		$changed{$file} = $text;
	}
	for my $file (keys %changed)
	{
		open my $out, '>', "$folder/$file" or die "$folder/$file: $!\n";
		print $out $changed{$file};
		close $out or die "$folder/$file: $!\n";
	}
}

1;
