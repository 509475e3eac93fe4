/*
 * join_candidate.h
 *	  Decides which joins of a plan get a filter, by which keys, and for which
 *	  scans.
 */
#ifndef BLOOMTYPE_JOIN_CANDIDATE_H
#define BLOOMTYPE_JOIN_CANDIDATE_H

#include "join/join_repeatable.h"
#include "join/join_trace.h"

/* Joins with more keys than this are ignored. */
#define JOIN_MAX_KEYS 8

/* A join that may get a filter */
typedef struct JoinCandidate
{
	HashJoin   *join;
	Hash	   *hash;
	bool		is_forced;		/* though it may not pay */
	double		share;			/* of its rows that are wanted */
	double		inner_rows;		/* expected, in all processes that build one
								 * hash table */
	int			nkeys;			/* those of the filter */
	struct CandidateKey *keys[JOIN_MAX_KEYS];
	List	   *sites;			/* tables of the first key for whose scans it
								 * is expected to pay, at least one */

	/* for the caller */
	int			number;			/* of the filter; -1: not placed at any scan */
	bool		is_read_ahead;	/* does a scan with the filter end before the
								 * outer side returns a row? false */
} JoinCandidate;

/* What holds for a part of a plan */
typedef struct JoinSurroundings
{
	Bitmapset  *stable;			/* parameters that do not change */
	JoinRuns	runs;
	bool		is_repeatable;	/* is it known to be, as often as it runs? */
	double		share;			/* of its rows that are wanted above, as LIMIT
								 * is expected to end it */
} JoinSurroundings;

/*
 * The filter of a join, if it is right and, unless it is forced, expected to
 * pay; else NULL.  inner holds for the inner side; whether
 * that is repeatable is set once it is known.
 */
extern JoinCandidate *blt_join_consider(PlannedStmt *stmt, HashJoin *join,
										JoinSurroundings *inner, bool is_forced);

/*
 * The keys of a filter, as plans keep them (join_key.h): columns of one of its
 * scans, and of the inner side
 */
extern List *blt_join_keys_at_scan(const JoinCandidate *candidate, Plan **link);
extern List *blt_join_inner_keys(const JoinCandidate *candidate);

#endif							/* BLOOMTYPE_JOIN_CANDIDATE_H */
