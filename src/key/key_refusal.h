/*
 * key_refusal.h
 *	  The error for types that cannot be keys.
 */
#ifndef BLOOMTYPE_KEY_REFUSAL_H
#define BLOOMTYPE_KEY_REFUSAL_H

/* Name the type, and in the hint the cast that makes a key of its values. */
pg_noreturn extern void blt_report_refused_type(Oid type);

#endif							/* BLOOMTYPE_KEY_REFUSAL_H */
