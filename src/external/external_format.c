/*
 * external_format.c
 *	  Errors for names, parameters and sizes that no filter has.
 */
#include "compat.h"

#include "external/external_format.h"

#include <math.h>

#include "filter/filter_parameters.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"

const char *
blt_format_names(void)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < bbf_external_nformats; i++)
		appendStringInfo(&names, "%s%s", i > 0 ? ", " : "",
						 bbf_external_formats[i]->name);
	return names.data;
}

const BbfExternalFormat *
blt_find_format(const char *name, size_t length)
{
	const BbfExternalFormat *format = bbf_external_by_name(name, length);

	if (format == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("format \"%s\" does not exist",
						pnstrdup(name, pg_mbcliplen(name, length, NAMEDATALEN))),
				 errhint("The formats are %s.", blt_format_names())));
	return format;
}

void
blt_check_external_parameter(const BbfExternalFormat *format, double parameter)
{
	if (format->parameter == BBF_EXTERNAL_FPP)
		blt_check_fpp(parameter);
	else if (!(parameter >= 1.0 && parameter <= PG_INT32_MAX &&
			   parameter == rint(parameter)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of bits per key must be a whole number between 1 and %d", PG_INT32_MAX),
				 errdetail("The number given is %g.", parameter),
				 errhint("For one false positive in a hundred absent keys write 10.")));
}

void
blt_size_external(const BbfExternalFormat *format, uint64 capacity,
				  double parameter, BbfExternalMeta *meta)
{
	const char *reason = bbf_external_size(format, capacity, parameter, meta);

	if (reason == NULL)
		return;
	if (format->parameter == BBF_EXTERNAL_FPP)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot make a filter of format \"%s\" with a capacity of %llu and a false-positive rate of %g",
						format->name, (unsigned long long) capacity, parameter),
				 errdetail("%s", reason),
				 errhint("Choose another rate or capacity.")));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("cannot make a filter of format \"%s\" with a capacity of %llu and %g bits per key",
					format->name, (unsigned long long) capacity, parameter),
			 errdetail("%s", reason),
			 errhint("Choose fewer bits per key, or split the keys over several filters.")));
}
