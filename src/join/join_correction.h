/*
 * join_correction.h
 *	  Which joins of a query have more rows than the planner expects.
 *
 * There are two rules.  By rule range, a unique key of a table reaches beyond
 * the values of the column that is joined to it, and conditions select a range
 * of the table.  By rule key, tables are joined by all columns of a unique
 * index, which are not independent of one another.
 */
#ifndef BLOOMTYPE_JOIN_CORRECTION_H
#define BLOOMTYPE_JOIN_CORRECTION_H

#include "join/join_range.h"
#include "nodes/pathnodes.h"

/* A column of an equivalence class finds its value in a unique key. */
typedef struct JoinKeyLink
{
	EquivalenceClass *ec;
	JoinLink	link;
} JoinKeyLink;

/* The rows of some base relations, joined, are multiplied. */
typedef struct JoinCorrection
{
	Relids		relids;			/* all that its rule looks at */
	double		factor;			/* more than 1 */
	int			facts;
	int			other;			/* whose key is unique */
	EquivalenceClass *ec;		/* which joins these two; NULL: rule key, and */
	double		share_of_facts; /* the shares of rows that may have a */
	double		share_of_other; /* partner */
} JoinCorrection;

/*
 * The JoinKeyLinks of a query from relations to others that may be restricted
 * to a part of their keys
 */
extern List *blt_join_links_to_keys(PlannerInfo *root);

/*
 * The JoinCorrections by rule range for such a link, whose
 * blt_join_range_factor is not zero: of its two relations, and with each
 * third one whose conditions select a range, too
 */
extern List *blt_join_corrections_by_range(JoinColumns *columns, const JoinKeyLink *link,
										   double factor);

/* The JoinCorrections of a query by rule key */
extern List *blt_join_corrections_by_key(JoinColumns *columns);

#endif							/* BLOOMTYPE_JOIN_CORRECTION_H */
