/*
 * deletable_estimate_test.c
 *	  estimate.h: counting Bloom and cuckoo filters.
 */
#include "check.h"

#include <math.h>

#include "core/cuckoo.h"
#include "core/estimate.h"
#include "core/family.h"

#include "attached.h"
#include "key.h"
#include "deletable_sample.h"
#include "suites.h"

/* Of a cuckoo filter keys are counted exactly, of a counting filter as of a Bloom filter. */
static void
test_estimates_of_deletable_images(void)
{
	Sample		counting = counting_sample();
	Sample		cuckoo = cuckoo_sample();
	Sample		bloom = counting_sample();

	bloom.meta.kind = BBF_KIND_BLOOM;
	CHECK(bbf_meta_keys(&counting.meta) == bbf_meta_keys(&bloom.meta));
	CHECK(bbf_meta_fpp(&counting.meta) == bbf_meta_fpp(&bloom.meta));
	CHECK(!bbf_meta_is_saturated(&counting.meta));

	CHECK(bbf_meta_keys(&cuckoo.meta) == 22.0);
	CHECK(fabs(bbf_meta_fpp(&cuckoo.meta) -
			   (1.0 - pow(1.0 - 1.0 / 511.0, 2.0 * 22.0 / 6.0))) < 1e-12);
	CHECK(bbf_meta_is_saturated(&cuckoo.meta));
	cuckoo.meta.layers[0].nset = 20;
	CHECK(!bbf_meta_is_saturated(&cuckoo.meta));

	for (int shape = 0; shape < 2; shape++)
	{
		Sample		sample = deletable_sample(shape);

		CHECK(bbf_meta_keys(&sample.meta) == 0.0);
		CHECK(bbf_meta_fpp(&sample.meta) == 0.0);
		CHECK(!bbf_meta_is_saturated(&sample.meta));
		free(sample.bytes);
	}
	free(counting.bytes);
	free(cuckoo.bytes);
	free(bloom.bytes);
}

/*
 * The estimated rate of a cuckoo filter is within 10 % of the share of absent
 * keys let through, and at its capacity it is within what was asked for.
 */
static void
test_fpp_of_cuckoo_filters(void)
{
	static const double rates[] = {0.5, 0.1, 0.01, 0.001};

	for (int i = 0; i < LENGTH_OF(rates); i++)
	{
		BbfGeometry g = bbf_size_buckets(5000, rates[i]);
		BbfMeta		meta = plain_deletable(BBF_KIND_CUCKOO, BBF_FAMILY_TEXT);
		Sample		sample;
		uint64_t	nfound = 0;
		double		estimate;

		meta.nlayers = 1;
		meta.layers[0].nbins = (uint32_t) g.nbins;
		meta.layers[0].key_bits = g.key_bits;
		sample = new_sample(&meta);
		for (uint64_t j = 0; j < 5000; j++)
			sample.meta.layers[0].nset +=
				bbf_cuckoo_add(sample.bytes + 124, (uint32_t) g.nbins, g.key_bits, key(j));
		for (uint64_t j = 0; j < 1000000; j++)
			nfound += image_contains(&sample.meta, sample.bytes, key(ABSENT_KEYS + j));
		estimate = bbf_meta_fpp(&sample.meta);
		CASE("fpp %g: %g estimated, %g measured", rates[i], estimate, (double) nfound / 1e6);
		CHECK(estimate <= rates[i]);
		CHECK(fabs((double) nfound / 1e6 / estimate - 1.0) < 0.1);
		free(sample.bytes);
	}
}

const Test deletable_estimate_tests[] = {
	TEST(test_estimates_of_deletable_images),
	TEST(test_fpp_of_cuckoo_filters),
	END_OF_TESTS
};
