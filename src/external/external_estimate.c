/*
 * external_estimate.c
 *	  Numbers of keys and rates of filters of other systems, for the planner.
 */
#include "compat.h"

#include "external/external_estimate.h"

#include <math.h>

#include "filter/filter_parameters.h"
#include "filter/filter_pieces.h"
#include "interchange/external.h"

static const BbfExternalFormat *
format_of_name(Datum name)
{
	text	   *characters = DatumGetTextPP(name);

	return bbf_external_by_name(VARDATA_ANY(characters), VARSIZE_ANY_EXHDR(characters));
}

bool
blt_estimate_external(Datum format, Datum filter, double *keys, double *fpp,
					  double *bytes)
{
	const BbfExternalFormat *known = format_of_name(format);
	bytea	   *value = DatumGetByteaPP(filter);
	const unsigned char *image = (const unsigned char *) VARDATA_ANY(value);
	BbfExternalMeta meta;
	BbfExternalInfo info;

	if (known == NULL ||
		bbf_external_validate(known, image, VARSIZE_ANY_EXHDR(value), &meta) != NULL)
		return false;
	bbf_external_info(known, &meta, image, blt_check_for_interrupts, &info);
	*keys = info.keys;
	*fpp = info.fpp;
	*bytes = meta.length;
	return *keys >= 0.0 && *fpp >= 0.0;
}

/*
 * As of a Bloom filter without blocks that has the number of bits and probes
 * that is best: n of c keys have the rate (1 - 2^(-n/c))^(-log2 fpp).
 */
double
blt_external_fpp(Datum format, double parameter, double load)
{
	const BbfExternalFormat *known = format_of_name(format);
	double		fpp = parameter;

	if (known != NULL && known->parameter == BBF_EXTERNAL_BITS_PER_KEY)
		fpp = exp(-parameter * log(2.0) * log(2.0));
	if (known == NULL || !(fpp > 0.0 && fpp < 1.0))
		return BLT_DEFAULT_FPP;
	return pow(1.0 - exp2(-load), -log2(fpp));
}
