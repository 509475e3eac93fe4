/*
 * forgery.c
 *	  Images with one field forged, which the validator must refuse.
 */
#include "forgery.h"

#include "buffer.h"
#include "check.h"

void
check_forgeries(const Sample *sample, const Forgery *forgeries, int n)
{
	for (int i = 0; i < n; i++)
	{
		const Forgery *forgery = &forgeries[i];
		unsigned char *bytes = copy_of(sample->bytes, sample->meta.length);
		BbfMeta		meta;
		const char *reason;

		for (int j = 0; j < forgery->width; j++)
			bytes[forgery->at + (size_t) j] =
				(unsigned char) (forgery->value >> 8 * j);
		reason = bbf_image_validate(bytes, sample->meta.length, sample->meta.kind, &meta, NULL);
		CASE("%" PRIx64 " at %d: %s", forgery->value, (int) forgery->at,
			 reason ? reason : "accepted");
		CHECK(reason != NULL && strstr(reason, forgery->word) != NULL);
		free(bytes);
	}
}
