/*
 * join_bounds.c
 *	  Bounds of partitions as plans keep them, and while a query runs.
 *
 * In plans they are a list of levels, each of two lists of integers: the ends
 * of intervals, two integers for each number; and none, or modulus, remainder
 * and hash function.
 */
#include "compat.h"

#include "join/join_bounds.h"

#include "join/join_hasher.h"
#include "partitioning/partbounds.h"

/* One of the partitioned tables above a partition */
typedef struct JoinBoundsLevel
{
	int			nintervals;		/* keys are in one of these, */
	JoinInterval *intervals;
	int			modulus;		/* or, unless 0, have this remainder */
	int			remainder;
	FmgrInfo	hash;
} JoinBoundsLevel;

struct JoinBounds
{
	JoinInteger integer;		/* what the column is */
	int			nlevels;
	JoinBoundsLevel levels[FLEXIBLE_ARRAY_MEMBER];
};

static List *
add_number(List *ends, int64 number)
{
	return lappend_int(lappend_int(ends, (int) (number >> 32)), (int) number);
}

static int64
nth_number(List *ends, int n)
{
	uint64		upper = (uint32) list_nth_int(ends, 2 * n);

	return (int64) (upper << 32 | (uint32) list_nth_int(ends, 2 * n + 1));
}

List *
blt_join_add_interval(List *ends, int64 least, int64 greatest)
{
	return add_number(add_number(ends, least), greatest);
}

static void
init_level(JoinBoundsLevel *level, List *planned)
{
	List	   *ends = linitial(planned);
	List	   *hash = lsecond(planned);

	level->nintervals = list_length(ends) / 4;
	level->intervals = palloc(level->nintervals * sizeof(JoinInterval));
	for (int i = 0; i < level->nintervals; i++)
	{
		level->intervals[i].least = nth_number(ends, 2 * i);
		level->intervals[i].greatest = nth_number(ends, 2 * i + 1);
	}
	if (hash != NIL)
	{
		level->modulus = linitial_int(hash);
		level->remainder = lsecond_int(hash);
		fmgr_info((Oid) lthird_int(hash), &level->hash);
	}
}

JoinBounds *
blt_join_create_bounds(List *planned, JoinInteger integer)
{
	JoinBounds *bounds;

	if (planned == NIL)
		return NULL;
	bounds = palloc0(offsetof(JoinBounds, levels) + list_length(planned) * sizeof(JoinBoundsLevel));
	bounds->integer = integer;
	bounds->nlevels = list_length(planned);
	for (int i = 0; i < bounds->nlevels; i++)
		init_level(&bounds->levels[i], list_nth(planned, i));
	return bounds;
}

/*
 * A number as the key, which may have too small a width and get another one
 */
static Datum
datum_of(JoinInteger integer, int64 number)
{
	switch (integer)
	{
		case JOIN_INT2:
			return Int16GetDatum((int16) number);
		case JOIN_INT4:
			return Int32GetDatum((int32) number);
		case JOIN_OID:
			return ObjectIdGetDatum((Oid) number);
		default:
			return Int64GetDatum(number);
	}
}

static bool
level_has(JoinBoundsLevel *level, JoinInteger integer, int64 key)
{
	Datum		value = datum_of(integer, key);
	Oid			collation = InvalidOid;
	bool		is_null = false;

	for (int i = 0; i < level->nintervals; i++)
	{
		if (key >= level->intervals[i].least && key <= level->intervals[i].greatest)
			return true;
	}
	return level->modulus != 0 && blt_join_integer(integer, value) == key &&
		compute_partition_hash_value(1, &level->hash, &collation, &value, &is_null) %
		(uint64) level->modulus == (uint64) level->remainder;
}

/* May a row with this key be in the partition? */
static bool
key_meets(JoinBounds *bounds, int64 key)
{
	for (int i = 0; i < bounds->nlevels; i++)
	{
		if (!level_has(&bounds->levels[i], bounds->integer, key))
			return false;
	}
	return true;
}

/* The same for the keys of a filter that cannot list them */
static bool
filter_meets(JoinBoundsLevel *level, const JoinFilter *filter)
{
	if (level->modulus != 0)
		return true;
	for (int i = 0; i < level->nintervals; i++)
	{
		if (blt_join_filter_has_in(filter, level->intervals[i]))
			return true;
	}
	return false;
}

bool
blt_join_bounds_meet(JoinBounds *bounds, const JoinFilter *filter)
{
	int64		keys[JOIN_FEW_KEYS];
	int			nkeys;

	if (filter->is_too_full)
		return true;
	nkeys = blt_join_filter_keys(filter, keys);
	for (int i = 0; i < nkeys; i++)
	{
		if (key_meets(bounds, keys[i]))
			return true;
	}
	if (nkeys >= 0)
		return false;
	for (int i = 0; i < bounds->nlevels; i++)
	{
		if (!filter_meets(&bounds->levels[i], filter))
			return false;
	}
	return true;
}
