/*
 * pages_validate.c
 *	  The check of operator classes, for amvalidate().
 *
 * A value is looked up by its hash, so an operator that takes values for equal
 * whose hashes differ would lose rows.  One that does not is the "=" by which
 * the server itself hashes two types, provided that their keys are of one
 * family.  The server sees to the rest: an operator class can only have
 * operators of the one strategy, and no functions.
 *
 * A type without keys may have an operator class without operators, for the
 * error that CREATE INDEX then reports.
 */
#include "compat.h"

#include "index/pages_validate.h"

#include "access/htup_details.h"
#include "catalog/pg_am.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_opclass.h"
#include "catalog/pg_opfamily.h"
#include "commands/defrem.h"
#include "key/key_scalar.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

/* Is an operator the one by which the server hashes a type? */
static bool
is_equality_of(Oid operator, Oid type)
{
	Oid			opclass = GetDefaultOpClass(type, HASH_AM_OID);

	return OidIsValid(opclass) &&
		op_in_opfamily(operator, get_opclass_family(opclass));
}

static char *
name_of_family(Oid family)
{
	HeapTuple	tuple = SearchSysCache1(OPFAMILYOID, ObjectIdGetDatum(family));
	char	   *name;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator family %u", family);
	name = pstrdup(NameStr(((Form_pg_opfamily) GETSTRUCT(tuple))->opfname));
	ReleaseSysCache(tuple);
	return name;
}

/* What is wrong with an operator of a family, or null */
static const char *
fault_of_operator(Form_pg_amop member)
{
	if (!blt_share_keys(member->amoplefttype, member->amoprighttype))
		return "compares types whose values are not keys of one family";
	if (!is_equality_of(member->amopopr, member->amoplefttype))
		return "is not the operator by which its left type is hashed";
	return NULL;
}

bool
blt_pages_validate(Oid opclass)
{
	HeapTuple	tuple = SearchSysCache1(CLAOID, ObjectIdGetDatum(opclass));
	Form_pg_opclass class;
	CatCList   *operators;
	bool		is_complete = false;
	bool		is_valid = true;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator class %u", opclass);
	class = (Form_pg_opclass) GETSTRUCT(tuple);

	operators = SearchSysCacheList1(AMOPSTRATEGY, ObjectIdGetDatum(class->opcfamily));
	for (int i = 0; i < operators->n_members; i++)
	{
		Form_pg_amop member = (Form_pg_amop) GETSTRUCT(&operators->members[i]->tuple);
		const char *fault = fault_of_operator(member);

		if (fault != NULL)
		{
			ereport(INFO,
					(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
					 errmsg("operator family \"%s\" of access method %s contains operator %s, which %s",
							name_of_family(class->opcfamily), "bloom_pages",
							format_operator(member->amopopr), fault)));
			is_valid = false;
		}
		if (member->amoplefttype == class->opcintype &&
			member->amoprighttype == class->opcintype)
			is_complete = true;
	}

	if (!is_complete && blt_share_keys(class->opcintype, class->opcintype))
	{
		ereport(INFO,
				(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				 errmsg("operator class \"%s\" of access method %s is missing an operator for its type",
						NameStr(class->opcname), "bloom_pages")));
		is_valid = false;
	}

	ReleaseCatCacheList(operators);
	ReleaseSysCache(tuple);
	return is_valid;
}
