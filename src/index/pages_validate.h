/*
 * pages_validate.h
 *	  The check of operator classes, for amvalidate().
 */
#ifndef BLOOMTYPE_PAGES_VALIDATE_H
#define BLOOMTYPE_PAGES_VALIDATE_H

/*
 * Can the access method answer every operator of the family of an operator
 * class, and does that have one?  Reports what is wrong as INFO.
 */
extern bool blt_pages_validate(Oid opclass);

#endif							/* BLOOMTYPE_PAGES_VALIDATE_H */
