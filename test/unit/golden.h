/*
 * golden.h
 *	  What golden_test.c is told.
 */
#ifndef GOLDEN_H
#define GOLDEN_H

/* The name of expected/golden.out. */
extern const char *golden_file;

#endif							/* GOLDEN_H */
