/*
 * absent.c
 *	  Functions that the code under test names in places where no fuzz target gets: text
 *	  input, rows as results, keys of SQL types.  A call ends the process.
 *
 * No header is included, as there the functions have arguments.
 */
extern void abort(void);

#define ABSENT(function) \
	extern void function(void); \
	void function(void) { abort(); }

ABSENT(BlessTupleDesc)
ABSENT(HeapTupleHeaderGetDatum)
ABSENT(ReleaseSysCache)
ABSENT(SearchSysCache1)
ABSENT(appendStringInfo)
ABSENT(blt_blocks_sizing)
ABSENT(blt_capacity_within)
ABSENT(blt_create_call_cache)
ABSENT(blt_create_call_hasher)
ABSENT(blt_filter_from_bytea)
ABSENT(blt_filter_in)
ABSENT(blt_filter_recv)
ABSENT(blt_hash_key_slow)
ABSENT(blt_size_filter)
ABSENT(cstring_to_text)
ABSENT(enlargeStringInfo)
ABSENT(errsave_finish)
ABSENT(errsave_start)
ABSENT(fmgr_info)
ABSENT(format_type_be)
ABSENT(func_volatile)
ABSENT(getBaseType)
ABSENT(getExtensionOfObject)
ABSENT(getTypeInputInfo)
ABSENT(getTypeOutputInfo)
ABSENT(get_call_result_type)
ABSENT(get_element_type)
ABSENT(get_extension_name)
ABSENT(get_typlen)
ABSENT(hash_bytes)
ABSENT(hash_bytes_extended)
ABSENT(heap_form_tuple)
ABSENT(initStringInfo)
ABSENT(pg_get_indexdef_columns)
ABSENT(pg_mbcliplen)
ABSENT(pg_snprintf)
ABSENT(pnstrdup)
ABSENT(pq_begintypsend)
ABSENT(pq_endtypsend)
ABSENT(pq_getmsgint)
ABSENT(pq_getmsgint64)
ABSENT(psprintf)
ABSENT(pstrdup)
ABSENT(text_to_cstring)
ABSENT(type_is_multirange)
ABSENT(type_is_range)
