/*
 * filter_match.c
 *	  The errors of these checks: they name both sides.
 */
#include "compat.h"

#include "filter/filter_match.h"

#include "core/family.h"
#include "filter/filter_kind.h"

void
blt_check_same_keys(const BbfMeta *a, const BbfMeta *b, FilterUse use)
{
	const char *a_name = bbf_family_name(a->family);
	const char *b_name = bbf_family_name(b->family);

	if (!bbf_meta_has_keys(a) || !bbf_meta_has_keys(b) ||
		(a->family == b->family && a->subtype == b->subtype))
		return;
	if (a->family == b->family)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 use == BLT_FILTERS_ARE_UNITED ?
				 errmsg("cannot unite filters of %s keys of different subtypes", a_name) :
				 use == BLT_FILTERS_ARE_INTERSECTED ?
				 errmsg("cannot intersect filters of %s keys of different subtypes", a_name) :
				 errmsg("cannot compare filters of %s keys of different subtypes", a_name),
				 errdetail("The parts of their keys belong to different key families."),
				 errhint("Build both filters from columns of the same type.")));
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 use == BLT_FILTERS_ARE_UNITED ?
			 errmsg("cannot unite a filter of %s keys with a filter of %s keys",
					a_name, b_name) :
			 use == BLT_FILTERS_ARE_INTERSECTED ?
			 errmsg("cannot intersect a filter of %s keys with a filter of %s keys",
					a_name, b_name) :
			 errmsg("cannot compare a filter of %s keys with a filter of %s keys",
					a_name, b_name),
			 errdetail("Values of the families \"%s\" and \"%s\" are never the same key.",
					   a_name, b_name),
			 errhint("Build both filters from columns of one key family, with a cast where it differs.")));
}

void
blt_check_same_geometry(const BbfMeta *a, const BbfMeta *b, FilterUse use)
{
	const BbfLayer *a_layer = &a->layers[0];
	const BbfLayer *b_layer = &b->layers[0];
	const FilterKind *kind = blt_filter_kind(a->kind);

	if (a->nlayers == 1 && b->nlayers == 1 &&
		bbf_layer_same_geometry(a_layer, b_layer))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 use == BLT_FILTERS_ARE_UNITED ?
			 errmsg("cannot unite filters of different geometry") :
			 errmsg("cannot intersect filters of different geometry"),
			 a->nlayers == 1 && b->nlayers == 1 ?
			 errdetail("One has %u %s with %d %s, the other has %u %s with %d %s.",
					   a_layer->nbins, kind->bins, a_layer->key_bits, kind->key_bits,
					   b_layer->nbins, kind->bins, b_layer->key_bits, kind->key_bits) :
			 errdetail("The filters have %u and %u layers; each must have one.",
					   a->nlayers, b->nlayers),
			 errhint("Build both with one capacity and false-positive rate: %s_agg(value, capacity, fpp).",
					 bbf_kind_routine(a->kind)->name)));
}
