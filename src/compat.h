/*
 * compat.h
 *	  What differs between versions of PostgreSQL; no other file asks.
 *
 * PostgreSQL 15 and later are supported.
 *
 * Every .c file of src/ but those in core/ and interchange/ includes this
 * first.  Names that these files export begin with bloomtype_ where SQL calls
 * them, else with blt_.
 */
#ifndef BLOOMTYPE_COMPAT_H
#define BLOOMTYPE_COMPAT_H

#include "postgres.h"

#if PG_VERSION_NUM < 150000
#error "bloomtype needs PostgreSQL 15 or later"
#endif

/* 16 moved the varlena macros into a header of their own */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/*
 * 16 introduced errors that an input function may return instead of throwing
 * (pg_input_is_valid).  Before that, they are thrown.
 */
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#else
#define ereturn(context, result, ...) \
	do { (void) (context); ereport(ERROR, __VA_ARGS__); return (result); } while (0)
#endif

/*
 * 17 looks at statistics through the planner's state, which may be missing;
 * ten elements is what it guesses otherwise.
 */
#if PG_VERSION_NUM >= 170000
#define blt_estimate_array_length(root, node) \
	((root) != NULL ? estimate_array_length((root), (node)) : 10)
#else
#define blt_estimate_array_length(root, node) \
	estimate_array_length(node)
#endif

/*
 * 16 counts outer joins among the relations of a query; the relation that
 * joins them all has these.
 */
#if PG_VERSION_NUM >= 160000
#define blt_all_relids(root)	((root)->all_query_rels)
#else
#define blt_all_relids(root)	((root)->all_baserels)
#endif

/* 16 introduced constructors of SQL/JSON, 17 its query functions */
#if PG_VERSION_NUM >= 170000
#define blt_is_json_constructor(node)	(IsA(node, JsonConstructorExpr) || IsA(node, JsonExpr))
#elif PG_VERSION_NUM >= 160000
#define blt_is_json_constructor(node)	IsA(node, JsonConstructorExpr)
#else
#define blt_is_json_constructor(node)	((void) (node), false)
#endif

/* 18 writes it in front of the declaration */
#if PG_VERSION_NUM < 180000
#define pg_noreturn		pg_attribute_noreturn()
#endif

/* 18 records the name and version of a module; pg_get_loaded_modules() */
#if PG_VERSION_NUM < 180000
#define PG_MODULE_MAGIC_EXT(...)	PG_MODULE_MAGIC
#endif

/*
 * 18 lets functions change a variable of PL/pgSQL in place: an expression that
 * is assigned to it gets the value as its own, or asks the support function of
 * its outermost function, which argument is changed.  The macro sets the
 * arguments of that function and the number of the variable.
 */
#if PG_VERSION_NUM >= 180000
#define BLT_CHANGES_VARIABLES	true
#define blt_is_change_request(node, function_args, variable) \
	(IsA((node), SupportRequestModifyInPlace) && \
	 (*(function_args) = ((SupportRequestModifyInPlace *) (node))->args, \
	  *(variable) = ((SupportRequestModifyInPlace *) (node))->paramid, true))
#else
#define BLT_CHANGES_VARIABLES	false
#define blt_is_change_request(node, function_args, variable) \
	((void) (node), (void) (function_args), (void) (variable), false)
#endif

/* 18 divided the header of EXPLAIN */
#if PG_VERSION_NUM >= 180000
#define BLT_EXPLAIN_FORMAT_HEADER	"commands/explain_format.h"
#define BLT_EXPLAIN_STATE_HEADER	"commands/explain_state.h"
#else
#define BLT_EXPLAIN_FORMAT_HEADER	"commands/explain.h"
#define BLT_EXPLAIN_STATE_HEADER	"commands/explain.h"
#endif

/*
 * 18 counts the nodes of a plan that settings disable; a node that is added
 * has those below it
 */
#if PG_VERSION_NUM >= 180000
#define blt_has_disabled_nodes(plan)	((plan)->disabled_nodes > 0)
#define blt_copy_disabled_nodes(plan, child) \
	((plan)->disabled_nodes = (child)->disabled_nodes)
#else
#define blt_has_disabled_nodes(plan)	false
#define blt_copy_disabled_nodes(plan, child)	((void) 0)
#endif

/*
 * Do hash joins of this type leave out every row of the outer side that has
 * no partner? 16 introduced JOIN_RIGHT_ANTI, 18 JOIN_RIGHT_SEMI.
 */
#if PG_VERSION_NUM >= 180000
#define blt_join_drops_outer(type) \
	((type) == JOIN_INNER || (type) == JOIN_RIGHT || (type) == JOIN_SEMI || \
	 (type) == JOIN_RIGHT_ANTI || (type) == JOIN_RIGHT_SEMI)
#elif PG_VERSION_NUM >= 160000
#define blt_join_drops_outer(type) \
	((type) == JOIN_INNER || (type) == JOIN_RIGHT || (type) == JOIN_SEMI || \
	 (type) == JOIN_RIGHT_ANTI)
#else
#define blt_join_drops_outer(type) \
	((type) == JOIN_INNER || (type) == JOIN_RIGHT || (type) == JOIN_SEMI)
#endif

/* 18 hashes dates by a function of their own */
#if PG_VERSION_NUM >= 180000
#define BLT_HASH_OF_DATE	F_HASHDATEEXTENDED
#else
#define BLT_HASH_OF_DATE	F_HASHINT4EXTENDED
#endif

/*
 * 19 has a type of its own for the counts of a node, which execnodes.h only
 * names
 */
#if PG_VERSION_NUM >= 190000
#define BltNodeInstrumentation	NodeInstrumentation
#else
#define BltNodeInstrumentation	Instrumentation
#endif

/* 19 tells planners what EXPLAIN wants to know */
#if PG_VERSION_NUM >= 190000
#define BLT_PLANNER_PARAMETERS \
	Query *parse, const char *query_string, int cursorOptions, ParamListInfo boundParams, \
	ExplainState *es
#define BLT_PLANNER_ARGUMENTS	parse, query_string, cursorOptions, boundParams, es
#else
#define BLT_PLANNER_PARAMETERS \
	Query *parse, const char *query_string, int cursorOptions, ParamListInfo boundParams
#define BLT_PLANNER_ARGUMENTS	parse, query_string, cursorOptions, boundParams
#endif

/* 19 keeps the table of an access method; earlier servers free it */
#if PG_VERSION_NUM >= 190000
#define blt_return_am_routine(routine)	PG_RETURN_POINTER(routine)
#else
#define blt_return_am_routine(routine) \
	PG_RETURN_POINTER(memcpy(palloc(sizeof(IndexAmRoutine)), (routine), sizeof(IndexAmRoutine)))
#endif

/*
 * 16 lets updates of a column stay HOT where all of its indexes only know
 * blocks
 */
#if PG_VERSION_NUM >= 160000
#define BLT_SUMMARIZING_INDEX	.amsummarizing = true,
#define BLT_HOT_CHANGES_KEYS	true
#else
#define BLT_SUMMARIZING_INDEX
#define BLT_HOT_CHANGES_KEYS	false
#endif

/* 16 adds several pages at once; the relation is locked for extension */
#if PG_VERSION_NUM >= 160000
#define blt_add_buffers(relation, n, buffers, nadded) \
	((void) ExtendBufferedRelBy(BMR_REL(relation), MAIN_FORKNUM, NULL, \
								EB_SKIP_EXTENSION_LOCK, (n), (buffers), (nadded)))
#else
#define blt_add_buffers(relation, n, buffers, nadded) \
	((buffers)[0] = ReadBuffer((relation), P_NEW), *(nadded) = 1)
#endif

/* 16 tells which indexes need an entry for a new version, 19 has options */
#if PG_VERSION_NUM >= 190000
#define blt_heap_update(table, tid, row, command, failure, mode) \
	heap_update((table), (tid), (row), (command), 0, InvalidSnapshot, true, (failure), (mode), \
				&(TU_UpdateIndexes) {0})
#elif PG_VERSION_NUM >= 160000
#define blt_heap_update(table, tid, row, command, failure, mode) \
	heap_update((table), (tid), (row), (command), InvalidSnapshot, true, (failure), (mode), \
				&(TU_UpdateIndexes) {0})
#else
#define blt_heap_update(table, tid, row, command, failure, mode) \
	heap_update((table), (tid), (row), (command), InvalidSnapshot, true, (failure), (mode))
#endif

/* 18 counts the searches of an index for EXPLAIN */
#if PG_VERSION_NUM >= 180000
#define blt_count_index_search(scan) \
	((scan)->instrument ? (void) (scan)->instrument->nsearches++ : (void) 0)
#else
#define blt_count_index_search(scan)	((void) 0)
#endif

/*
 * The format of the changes in a record of generic WAL is that which src/index
 * writes by itself; later servers may have another
 */
#if PG_VERSION_NUM < 200000 && !defined(BLOOMTYPE_GENERIC_XLOG)
#define BLT_WRITES_GENERIC_WAL	1
#else
#define BLT_WRITES_GENERIC_WAL	0
#endif

/* 17 introduced the privilege MAINTAIN; before that, owners maintain tables */
#if PG_VERSION_NUM >= 170000
#define blt_may_maintain(table) \
	(pg_class_aclcheck((table), GetUserId(), ACL_MAINTAIN) == ACLCHECK_OK)
#elif PG_VERSION_NUM >= 160000
#define blt_may_maintain(table) \
	object_ownercheck(RelationRelationId, (table), GetUserId())
#else
#define blt_may_maintain(table) \
	pg_class_ownercheck((table), GetUserId())
#endif

/* 16 asks for the privileges of all kinds of objects by one function */
#if PG_VERSION_NUM >= 160000
#define blt_may_use_schema(schema) \
	(object_aclcheck(NamespaceRelationId, (schema), GetUserId(), ACL_USAGE) == ACLCHECK_OK)
#else
#define blt_may_use_schema(schema) \
	(pg_namespace_aclcheck((schema), GetUserId(), ACL_USAGE) == ACLCHECK_OK)
#endif

/* 17 has a safe search_path for what runs functions of others */
#if PG_VERSION_NUM >= 170000
#define blt_restrict_search_path()	RestrictSearchPath()
#else
#define blt_restrict_search_path()	((void) 0)
#endif

#endif							/* BLOOMTYPE_COMPAT_H */
