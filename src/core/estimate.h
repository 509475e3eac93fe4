/*
 * estimate.h
 *	  What a filter's header tells about its keys and its rate.
 *
 * For people and planners: results may differ in the last digits from one
 * machine to another, and never decide bytes.
 */
#ifndef BBF_ESTIMATE_H
#define BBF_ESTIMATE_H

#include <stdbool.h>

#include "core/image.h"

/*
 * Distinct keys in the filter: exact for a list, else estimated from the bits
 * set, with a standard error of about 2 % at 129 keys that falls with the
 * square root of their number.  With all bits set, a lower bound.  Keys in
 * several layers count several times.  Meaningless for a derived filter.  Of a
 * cuckoo filter its fingerprints: exact, but copies of a key count each.
 */
extern double bbf_estimate_keys(const BbfImage *image);

/*
 * Probability that a key which was never added is reported present, given
 * the bits that are set: 0 for a list, 0 .. 1.
 */
extern double bbf_estimate_fpp(const BbfImage *image);

/*
 * Does some layer hold more than it was made for, so that the rate has passed
 * what was asked for?
 */
extern bool bbf_is_saturated(const BbfImage *image);

#endif							/* BBF_ESTIMATE_H */
