/*
 * join_key.c
 *	  Finds the hash functions of an operator.
 */
#include "compat.h"

#include "join/join_key.h"

#include "access/hash.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_am.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_type.h"
#include "utils/catcache.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/*
 * Does the type have parts, whose hash functions may be anyone's, or missing?
 */
static bool
is_container(Oid type)
{
	switch (type)
	{
		case ANYARRAYOID:
		case ANYCOMPATIBLEARRAYOID:
		case RECORDOID:
		case ANYRANGEOID:
		case ANYMULTIRANGEOID:
		case JSONBOID:
			return true;
		default:
			return false;
	}
}

JoinInteger
blt_join_integer_of(Oid function)
{
	if (function == F_HASHINT4EXTENDED || function == BLT_HASH_OF_DATE)
		return JOIN_INT4;
	if (function == F_HASHINT8EXTENDED)
		return JOIN_INT8;
	if (function == F_HASHINT2EXTENDED)
		return JOIN_INT2;
	if (function == F_HASHOIDEXTENDED)
		return JOIN_OID;
	return JOIN_NOT_INTEGER;
}

/*
 * Does a hash function ignore that a collation takes different strings for
 * equal?  That of names does, so the server's own hash joins lose rows.
 */
static bool
ignores_collation(Oid function, Oid collation)
{
	return function == F_HASHNAMEEXTENDED && OidIsValid(collation) &&
		!get_collation_isdeterministic(collation);
}

/*
 * The hash function of a type in a family; InvalidOid, if it is not the
 * server's own, or equal values may have different hashes
 */
static Oid
hash_function(Oid family, Oid type, Oid collation)
{
	Oid			function = get_opfamily_proc(family, type, type, HASHEXTENDED_PROC);

	if (is_container(type) || function >= FirstUnpinnedObjectId ||
		(type_is_collatable(type) && !OidIsValid(collation)) ||
		ignores_collation(function, collation))
		return InvalidOid;
	return function;
}

/*
 * The hash functions of the operands of an operator in a family; false, if it
 * is not an equality that can be hashed
 */
static bool
functions_of_member(Form_pg_amop member, Oid collation, Oid *left, Oid *right)
{
	if (member->amopmethod != HASH_AM_OID || member->amopstrategy != HTEqualStrategyNumber)
		return false;
	*left = hash_function(member->amopfamily, member->amoplefttype, collation);
	*right = member->amoprighttype == member->amoplefttype ? *left :
		hash_function(member->amopfamily, member->amoprighttype, collation);

	/* the library hashes integers in its own way, and nothing else */
	return OidIsValid(*left) && OidIsValid(*right) &&
		(blt_join_integer_of(*left) != JOIN_NOT_INTEGER) ==
		(blt_join_integer_of(*right) != JOIN_NOT_INTEGER);
}

bool
blt_join_hash_functions_of_family(Oid operator, Oid family, Oid collation, Oid *left, Oid *right)
{
	HeapTuple	tuple = SearchSysCache3(AMOPOPID, ObjectIdGetDatum(operator),
										CharGetDatum(AMOP_SEARCH), ObjectIdGetDatum(family));
	bool		result;

	if (!HeapTupleIsValid(tuple))
		return false;
	result = functions_of_member((Form_pg_amop) GETSTRUCT(tuple), collation, left, right);
	ReleaseSysCache(tuple);
	return result;
}

bool
blt_join_hash_functions(Oid operator, Oid collation, Oid *family, Oid *left, Oid *right)
{
	CatCList   *families;
	bool		found = false;

	if (operator >= FirstUnpinnedObjectId || !op_strict(operator))
		return false;
	families = SearchSysCacheList1(AMOPOPID, ObjectIdGetDatum(operator));
	for (int i = 0; i < families->n_members && !found; i++)
	{
		Form_pg_amop member = (Form_pg_amop) GETSTRUCT(&families->members[i]->tuple);

		*family = member->amopfamily;
		found = *family < FirstUnpinnedObjectId && member->amoppurpose == AMOP_SEARCH &&
			functions_of_member(member, collation, left, right);
	}
	ReleaseSysCacheList(families);
	return found;
}

List *
blt_join_key_to_list(const JoinKey *key)
{
	return list_make3_int((int) key->column, (int) key->function, (int) key->collation);
}
