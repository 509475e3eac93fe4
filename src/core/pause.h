/*
 * pause.h
 *	  The callback by which a caller interrupts a long loop.
 */
#ifndef BBF_PAUSE_H
#define BBF_PAUSE_H

#include <stddef.h>

/*
 * Called before each megabyte of bytes that are read or written, or as often
 * as the function says.  It may leave by longjmp: nothing is allocated that
 * would leak, and what the function writes is incomplete.  Every function
 * that takes one accepts NULL, which means not to pause.
 */
typedef void (*BbfPause) (void);

static inline void
bbf_pause(BbfPause pause)
{
	if (pause != NULL)
		pause();
}

#endif							/* BBF_PAUSE_H */
