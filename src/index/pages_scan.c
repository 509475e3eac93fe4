/*
 * pages_scan.c
 *	  Finds the ranges that may have a key, as a bitmap of pages of the table.
 *
 * Rows in these pages are compared with the key by the executor.
 */
#include "compat.h"

#include "index/pages_am.h"

#include "access/relscan.h"
#include "access/table.h"
#include "index/pages_key.h"
#include "index/pages_storage.h"
#include "index/pages_snapshot.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/memutils.h"

/* A search that is under way. */
typedef struct Search
{
	Relation	index;
	BbfPagesMeta meta;
	uint64		hash;
	BlockNumber table_pages;
	TIDBitmap  *bitmap;
	int64		npages;			/* added to it */
} Search;

IndexScanDesc
blt_pages_begin_scan(Relation index, int nkeys, int norderbys)
{
	return RelationGetIndexScan(index, nkeys, norderbys);
}

void
blt_pages_rescan(IndexScanDesc scan, ScanKey keys, int nkeys, ScanKey orderbys, int norderbys)
{
	if (keys != NULL && scan->numberOfKeys > 0)
		memmove(scan->keyData, keys, scan->numberOfKeys * sizeof(ScanKeyData));
}

void
blt_pages_end_scan(IndexScanDesc scan)
{
}

/*
 * The hash of the first key of a scan.  Others are left to the executor: two
 * keys at once are rare, and no row has them.
 */
static uint64
hash_key(IndexScanDesc scan)
{
	const ScanKey key = &scan->keyData[0];

	/* for as long as the scan */
	if (scan->opaque == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(GetMemoryChunkContext(scan));

		scan->opaque = blt_pages_create_hasher(scan->indexRelation, key->sk_subtype);
		MemoryContextSwitchTo(caller);
	}
	return blt_pages_hash(scan->opaque, key->sk_argument);
}

/* Add the pages from first up to end, of which the table may have fewer. */
static void
add_pages(Search *search, uint64 first, uint64 end)
{
	end = Min(end, search->table_pages);
	for (; first < end; first++)
	{
		CHECK_FOR_INTERRUPTS();
		tbm_add_page(search->bitmap, (BlockNumber) first);
		search->npages++;
	}
}

/*
 * found &= the columns of a page that have a key.  False if no column has it.
 */
static bool
find_columns(const Search *search, const BbfPagesEpoch *epoch, const BbfPagesKey *key,
			 unsigned char *found)
{
	Buffer		buffer = blt_pages_read(search->index, &search->meta, epoch, &key->place);

	if (!BufferIsValid(buffer))
		return false;
	bbf_columns_find(blt_pages_contents(BufferGetPage(buffer)),
					 blt_pages_slice_bytes(&search->meta), key->bits, key->nprobes, found);
	UnlockReleaseBuffer(buffer);
	return true;
}

static inline bool
has_column(const unsigned char *found, unsigned column)
{
	return (found[column / 8] >> column % 8 & 1) != 0;
}

/* Search one group for ranges that have the key. */
static void
search_group(Search *search, const BbfPagesEpoch *epoch, BbfPagesKey *key, uint32 group)
{
	const BbfPagesMeta *meta = &search->meta;
	const uint64 first_range = bbf_pages_first_range(meta, group);
	unsigned char found[BBF_MAX_SLICE_BYTES];

	CHECK_FOR_INTERRUPTS();
	memset(found, 0xFF, sizeof(found));
	key->column = bbf_pages_column(meta, epoch, BBF_PAGES_LOWER, first_range, search->hash,
								   &key->place);
	if (!find_columns(search, epoch, key, found))
		return;
	for (uint32 i = 0; i < bbf_pages_group_width(meta, group); i++)
	{
		uint64		first = (first_range + i) * meta->pages_per_range;

		if (has_column(found, key->column + i))
			add_pages(search, first, first + meta->pages_per_range);
	}
}

/* Search a super-group, as far as its groups are below end. */
static void
search_super_group(Search *search, const BbfPagesEpoch *epoch, BbfPagesKey *upper,
				   BbfPagesKey *lower, uint32 first, uint32 end)
{
	unsigned char found[BBF_MAX_SLICE_BYTES];

	memset(found, 0xFF, sizeof(found));
	upper->place.group = first;
	if (!find_columns(search, epoch, upper, found))
		return;
	for (uint32 i = 0; i < epoch->width && i < end - first; i++)
	{
		if (has_column(found, upper->column + i))
			search_group(search, epoch, lower, first + i);
	}
}

/* Search an epoch, as far as its groups are below end. */
static void
search_epoch(Search *search, const BbfPagesEpoch *epoch, uint32 end)
{
	const uint32 first = epoch->first_group;
	const uint32 first_range = bbf_pages_first_range(&search->meta, first);
	BbfPagesKey lower;
	BbfPagesKey upper;

	bbf_pages_place_key(&search->meta, epoch, BBF_PAGES_LOWER, first_range, search->hash, &lower);
	if (epoch->width > 0)
	{
		bbf_pages_place_key(&search->meta, epoch, BBF_PAGES_UPPER, first_range, search->hash,
							&upper);
		for (uint32 group = first; group < end; group += epoch->width)
			search_super_group(search, epoch, &upper, &lower, group, end);
	}
	else
	{
		for (uint32 group = first; group < end; group++)
			search_group(search, epoch, &lower, group);
	}
}

/*
 * Search all groups that the table reaches into.  Of those that have no pages,
 * no row is visible yet.
 */
static void
search_groups(Search *search)
{
	BbfPagesMeta *meta = &search->meta;
	uint32		end = blt_pages_group(meta, search->table_pages - 1) + 1;

	if (!bbf_pages_has_group(meta, end - 1))
		blt_pages_get_meta(search->index, end, meta);
	for (uint32 i = 0; i < meta->nepochs && meta->epochs[i].first_group < end; i++)
		search_epoch(search, &meta->epochs[i],
					 Min(end, bbf_pages_epoch_end(meta, &meta->epochs[i])));
}

int64
blt_pages_get_bitmap(IndexScanDesc scan, TIDBitmap *bitmap)
{
	Search		search = {.index = scan->indexRelation,.bitmap = bitmap};
	Relation	table;

	pgstat_count_index_scan(search.index);
	blt_count_index_search(scan);
	if (scan->keyData[0].sk_flags & SK_ISNULL)
		return 0;
	search.hash = hash_key(scan);

	/* the executor has locked it */
	table = table_open(search.index->rd_index->indrelid, NoLock);
	search.table_pages = RelationGetNumberOfBlocks(table);
	table_close(table, NoLock);

	blt_pages_get_meta(search.index, 0, &search.meta);
	if (blt_pages_lacks_rows(&search.meta, scan->xs_snapshot))
		add_pages(&search, 0, search.table_pages);
	else if (search.table_pages > 0)
		search_groups(&search);

	/* a guess of ten rows a page, as in BRIN */
	return search.npages * 10;
}
