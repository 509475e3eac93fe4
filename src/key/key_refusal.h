/*
 * key_refusal.h
 *	  The error for types that cannot be keys.
 */
#ifndef BLOOMTYPE_KEY_REFUSAL_H
#define BLOOMTYPE_KEY_REFUSAL_H

/*
 * The error for a type, which is that of a whole key or of a part of one: its
 * hint has the SQL that makes a key.
 */
pg_noreturn extern void blt_report_refused_type(Oid type, Oid whole);

#endif							/* BLOOMTYPE_KEY_REFUSAL_H */
