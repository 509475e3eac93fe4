/*
 * filter_datum.c
 *	  See filter_datum.h.
 */
#include "filter/filter_datum.h"

#include "access/detoast.h"
#include "fmgr.h"

const char *
bloomtype_kind_name(BbfKind kind)
{
	switch (kind)
	{
		case BBF_KIND_COUNTING_BLOOM:
			return "counting_bloom";
		case BBF_KIND_CUCKOO:
			return "cuckoo";
		case BBF_KIND_BLOOM:
			break;
	}
	return "bloom";
}

void
bloomtype_check_image(BbfKind kind, const char *reason)
{
	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("stored \"%s\" value is corrupted", bloomtype_kind_name(kind)),
				 errdetail("%s", reason)));
}

const unsigned char *
bloomtype_read_image(Datum filter, BbfKind kind, BbfImage *image)
{
	struct varlena *value = PG_DETOAST_DATUM_PACKED(filter);
	const unsigned char *bytes = (const unsigned char *) VARDATA_ANY(value);
	size_t		length = VARSIZE_ANY_EXHDR(value);

	bloomtype_check_image(kind, bbf_image_read(bytes, length, length, kind, image));
	return bytes;
}

void
bloomtype_read_head(Datum filter, BbfKind kind, BbfImage *image)
{
	struct varlena *slice;
	size_t		length = toast_raw_datum_size(filter) - VARHDRSZ;

	slice = PG_DETOAST_DATUM_SLICE(filter, 0, BBF_MAX_HEAD_BYTES);
	bloomtype_check_image(kind,
						  bbf_image_read((const unsigned char *) VARDATA_ANY(slice),
										 VARSIZE_ANY_EXHDR(slice), length, kind, image));
}

struct varlena *
bloomtype_alloc_image(size_t length)
{
	struct varlena *value = palloc(VARHDRSZ + length);

	SET_VARSIZE(value, VARHDRSZ + length);
	return value;
}

Datum
bloomtype_make_image(BbfImage *image, const unsigned char *const *blocks)
{
	struct varlena *value;
	unsigned char *bytes;

	image->nlist = 0;
	value = bloomtype_alloc_image(bbf_image_lay_out(image));
	bytes = bloomtype_image_bytes(value);
	bbf_image_write_head(image, bytes);
	for (unsigned i = 0; i < image->nlayers; i++)
		memcpy(bytes + image->layers[i].offset, blocks[i],
			   bbf_layer_bytes(image->kind, &image->layers[i]));
	return PointerGetDatum(value);
}
