# Defects of src/join/, each of which makes a join lose rows, or fail.
#
#    defects()                             names, in order
#    my @before = plant($name, $source);   changes the source
#
# restore_text(@before) of PlantedDefects.pm puts it back.

package JoinFilterDefects;

use strict;
use warnings FATAL => 'all';

use PlantedDefects;

# Name; then file, text that is there once, text in its place, as often as needed
my @defects = (
	[
		'a bitmap lacks its greatest key',
		'join/join_bitmap.h',
		'if (distance > probe->distance)',
		'if (distance >= probe->distance)'
	],
	[
		'a bitmap lacks its least key',
		'join/join_bitmap.h',
		'if (distance > probe->distance)',
		'if (distance - 1 >= probe->distance)'
	],
	[
		'the bit beside',
		'join/join_bitmap.h',
		'uint64		bit = probe->first_bit + distance;',
		'uint64		bit = probe->first_bit + distance + 1;'
	],
	[
		'negative numbers differ by their width',
		'join/join_hasher.h',
		'(int64) DatumGetInt32(value)',
		'(int64) (uint32) DatumGetInt32(value)'
	],
	[
		'the range is that of the last key',
		'join/join_bitmap.h',
		"\tif (has_keys)\n",
		"\tif (false)\n"
	],
	[
		'keys of a bitmap that gets too small are lost',
		'join/join_filter.c',
		"leave_bitmap(filter, before, filter->nblocks_building);\n",
		"leave_bitmap(filter, (JoinInterval) {key, key}, filter->nblocks_building);\n"
	],
	[
		'a bitmap that has become too small is kept',
		'join/join_filter.c',
		"\treturn filter->is_of_integers && filter->nkeys > 0 &&\n",
		"\treturn filter->is_of_integers && filter->nkeys > 0 && filter->bitmap.words == NULL &&\n",
		'join/join_filter.c',
		'if (filter->bitmap.words != NULL && blt_join_bitmap_words(filter->range) > filter->bitmap.nwords)',
		'if (false)'
	],
	[
		'one part of a filter has the keys of all',
		'join/join_shared_filter.c',
		'bbf_blocks_or(shared_blocks(shared) + place, part + place,',
		'memcpy(shared_blocks(shared) + place, part + place, BBF_BLOCK_BYTES *'
	],
	[
		'a partition lacks its last key',
		'join/join_partition.c',
		'greatest--;',
		'greatest -= 2;'
	],
	[
		'a partition lacks its first key',
		'join/join_partition.c',
		'int64		least = number_of_bound(bounds, n - 1, integer);',
		'int64		least = number_of_bound(bounds, n - 1, integer) + 1;'
	],
	[
		'two columns have the end of one',
		'join/join_partition.c',
		'ncolumns == 1 && kind',
		'ncolumns >= 1 && kind'
	],
	[
		'a null in another column is not in the default partition',
		'join/join_partition.c',
		'if (is_default && key->partnatts > 1)',
		'if (false)'
	],
	[
		'the rest of the keys is none',
		'join/join_partition.c',
		'is_default = partition->number == bounds->default_index;',
		'is_default = false;'
	],
	[
		'the hash of another width',
		'join/join_bounds.c',
		'return Int64GetDatum(number);',
		'return Int64GetDatum(number + 1);'
	],
	[
		'partitions by another column',
		'join/join_partition.c',
		'key->partattrs[0] == column &&',
		'true &&'
	],
	[
		'a filter is compared before it is complete',
		'join/join_probe.c',
		"\t\tif (!filter->is_complete)\n\t\t\tare_complete = false;\n\t\telse if (!blt",
		"\t\tif (!blt"
	],
	[
		'a filter lacks some of its few keys',
		'join/join_filter.c',
		'return (int) filter->nkeys;',
		'return (int) (filter->nkeys + 1) / 2;'
	],
	[
		'an equality is followed to the side of a left join that is kept',
		'join/join_equality.c',
		'from_inner = join->jointype == JOIN_LEFT ?',
		'from_inner = false ?'
	],
	[
		'an equality is followed to the side of a right join that is kept',
		'join/join_equality.c',
		'from_outer = join->jointype == JOIN_RIGHT ?',
		'from_outer = false ?'
	],
	[
		'an equality under another collation is followed',
		'join/join_equality.c',
		"list_length(comparison->args) != 2 ||\n\t\tcomparison->inputcollid != collation)",
		'list_length(comparison->args) != 2)'
	],
	[
		'a column is hashed by the function of the other one',
		'join/join_equality.c',
		'add_column(inner, equality->inner.column, equality->inner);',
		'equality->inner.function = equality->outer.function, add_column(inner, equality->inner.column, equality->inner);',
		'join/join_equality.c',
		'add_column(outer, equality->outer.column, equality->outer);',
		'equality->outer.function = equality->inner.function, add_column(outer, equality->outer.column, equality->outer);'
	],
	[
		'expressions may fail for rows without their partners',
		'join/join_trace.c',
		'|| t.takes_nulls)',
		'|| join->jointype != JOIN_ANTI)'
	],
	[
		'the inner side of a join that runs again may change',
		'join/join_candidate.c',
		'blt_join_plan_is_repeatable(stmt, &hash->plan, inner->runs)',
		'blt_join_plan_is_repeatable(stmt, &hash->plan, JOIN_RUNS_ONCE)'
	],
	[
		'keys may depend on the row of a nested loop',
		'join/join_candidate.c',
		'!bms_is_subset(hash->plan.extParam, inner->stable)',
		'false',
		'join/join_candidate.c',
		'!bms_is_subset(hash->plan.lefttree->extParam, inner->stable)',
		'false'
	]);

sub defects
{
	return map { $_->[0] } @defects;
}

sub plant
{
	my ($name, $source) = @_;
	my ($defect) = grep { $_->[0] eq $name } @defects;

	return plant_defect($source, @$defect[ 1 .. $#$defect ]);
}

1;
