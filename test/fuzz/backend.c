/*
 * backend.c
 *	  As much of a server as src/filter/ and src/types/ need.
 */
#include "compat.h"

#include <setjmp.h>
#include <stdlib.h>

#include "access/detoast.h"
#include "backend.h"
#include "common/pg_prng.h"
#include "filter/call_cache.h"
#include "fuzz.h"
#include "miscadmin.h"
#include "utils/expandeddatum.h"
#include "utils/memutils.h"

/*
 * Memory
 */

/* Precedes each piece of memory; of a size that keeps it aligned. */
typedef struct Piece
{
	struct Piece *next;
	struct Piece *previous;
	Size		size;
	Size		unused;
} Piece;

static Piece pieces = {&pieces, &pieces, 0, 0};
static Size memory_size;

static MemoryContextData context_data;
MemoryContext CurrentMemoryContext = &context_data;

static void *
allocate(Size size)
{
	Piece	   *piece;

	if (size > MEMORY_LIMIT - memory_size)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	piece = malloc(sizeof(Piece) + size);
	if (piece == NULL)
		abort();
	memory_size += size;
	piece->size = size;
	piece->previous = &pieces;
	piece->next = pieces.next;
	piece->next->previous = pieces.next = piece;
	return piece + 1;
}

static void *
allocate_clear(Size size)
{
	return memset(allocate(size), 0, size);
}

void
pfree(void *pointer)
{
	Piece	   *piece = (Piece *) pointer - 1;

	memory_size -= piece->size;
	piece->next->previous = piece->previous;
	piece->previous->next = piece->next;
	free(piece);
}

void
free_all_memory(void)
{
	while (pieces.next != &pieces)
		pfree(pieces.next + 1);
}

void *
palloc(Size size)
{
	return allocate(size);
}

void *
palloc0(Size size)
{
	return allocate_clear(size);
}

void *
MemoryContextAlloc(MemoryContext context, Size size)
{
	return allocate(size);
}

void *
MemoryContextAllocHuge(MemoryContext context, Size size)
{
	return allocate(size);
}

void *
MemoryContextAllocZero(MemoryContext context, Size size)
{
	return allocate_clear(size);
}

void *
MemoryContextAllocExtended(MemoryContext context, Size size, int flags)
{
	return flags & MCXT_ALLOC_ZERO ? allocate_clear(size) : allocate(size);
}

void *
repalloc(void *pointer, Size size)
{
	return repalloc_huge(pointer, size);
}

void *
repalloc_huge(void *pointer, Size size)
{
	void	   *moved = allocate(size);

	memcpy(moved, pointer, Min(size, ((Piece *) pointer - 1)->size));
	pfree(pointer);
	return moved;
}

MemoryContext
AllocSetContextCreateInternal(MemoryContext parent, const char *name, Size minContextSize,
							  Size initBlockSize, Size maxBlockSize)
{
	return &context_data;
}

/*
 * Errors
 */

volatile sig_atomic_t InterruptPending = false;

int			error_code;
char		error_text[256];

static int	level;
static sigjmp_buf *handler;

void
ProcessInterrupts(void)
{
}

bool
errstart(int elevel, const char *domain)
{
	level = elevel;
	error_code = ERRCODE_INTERNAL_ERROR;
	return true;
}

bool
errstart_cold(int elevel, const char *domain)
{
	return errstart(elevel, domain);
}

int
errcode(int sqlerrcode)
{
	error_code = sqlerrcode;
	return 0;
}

/* the C library's, not the server's */
#undef vsnprintf

static void
format_text(const char *fmt, va_list args)
{
	vsnprintf(error_text, sizeof(error_text), fmt, args);
}

int
errmsg(const char *fmt,...)
{
	va_list		args;

	va_start(args, fmt);
	format_text(fmt, args);
	va_end(args);
	return 0;
}

int
errmsg_internal(const char *fmt,...)
{
	va_list		args;

	va_start(args, fmt);
	format_text(fmt, args);
	va_end(args);
	return 0;
}

int
errdetail(const char *fmt,...)
{
	return 0;
}

int
errhint(const char *fmt,...)
{
	return 0;
}

void
errfinish(const char *filename, int lineno, const char *funcname)
{
	if (level < ERROR)
	{
		error_code = 0;
		return;
	}
	if (handler == NULL)
		abort();
	siglongjmp(*handler, 1);
}

bool
succeeds(void (*run) (void *argument), void *argument)
{
	sigjmp_buf *outer = handler;
	sigjmp_buf	here;

	if (sigsetjmp(here, 0) != 0)
	{
		handler = outer;
		return false;
	}
	handler = &here;
	run(argument);
	handler = outer;
	error_code = 0;
	return true;
}

bool
error_is_expected(void)
{
	return error_code != ERRCODE_INTERNAL_ERROR && error_code != ERRCODE_DATA_CORRUPTED;
}

/*
 * Calls
 */

static bool in_aggregate;

int
AggCheckCallContext(FunctionCallInfo fcinfo, MemoryContext *aggcontext)
{
	if (aggcontext != NULL)
		*aggcontext = CurrentMemoryContext;
	return in_aggregate ? AGG_CONTEXT_AGGREGATE : 0;
}

/* What a call site remembers is not wanted but for this: to warn each time. */
bool
blt_call_is_first(FunctionCallInfo fcinfo)
{
	return true;
}

typedef struct SqlCall
{
	PGFunction	function;
	int			nargs;
	const NullableDatum *args;
	NullableDatum *result;
} SqlCall;

static void
run_sql(void *argument)
{
	const SqlCall *call = argument;
	FmgrInfo	flinfo = {.fn_mcxt = CurrentMemoryContext};
	LOCAL_FCINFO(fcinfo, 5);

	InitFunctionCallInfoData(*fcinfo, &flinfo, call->nargs, InvalidOid, NULL, NULL);
	memcpy(fcinfo->args, call->args, call->nargs * sizeof(NullableDatum));
	call->result->value = call->function(fcinfo);
	call->result->isnull = fcinfo->isnull;
}

bool
call_for_value(PGFunction function, bool aggregate, int nargs, const NullableDatum *args,
			   Datum *result)
{
	NullableDatum value;
	SqlCall		call = {function, nargs, args, &value};

	in_aggregate = aggregate;
	if (!succeeds(run_sql, &call))
	{
		REQUIRE(error_is_expected());
		return false;
	}
	REQUIRE(!value.isnull);
	*result = value.value;
	return true;
}

bool
same_value(Datum a, Datum b)
{
	const struct varlena *x = (const struct varlena *) DatumGetPointer(a);
	const struct varlena *y = (const struct varlena *) DatumGetPointer(b);

	return VARSIZE(x) == VARSIZE(y) && memcmp(x, y, VARSIZE(x)) == 0;
}

/*
 * Values: plain, or expanded by us; never compressed, nor stored out of line
 */

void
EOH_init_header(ExpandedObjectHeader *eohptr, const ExpandedObjectMethods *methods,
				MemoryContext obj_context)
{
	varatt_expanded pointer = {eohptr};

	eohptr->vl_len_ = EOH_HEADER_MAGIC;
	eohptr->eoh_methods = methods;
	eohptr->eoh_context = obj_context;
	SET_VARTAG_EXTERNAL(eohptr->eoh_rw_ptr, VARTAG_EXPANDED_RW);
	memcpy(VARDATA_EXTERNAL(eohptr->eoh_rw_ptr), &pointer, sizeof(pointer));
}

ExpandedObjectHeader *
DatumGetEOHP(Datum d)
{
	varatt_expanded pointer;

	memcpy(&pointer, VARDATA_EXTERNAL(DatumGetPointer(d)), sizeof(pointer));
	return pointer.eohptr;
}

/* Freed at the end. */
void
DeleteExpandedObject(Datum d)
{
}

struct varlena *
pg_detoast_datum(struct varlena *datum)
{
	ExpandedObjectHeader *header;
	struct varlena *flat;
	Size		size;

	if (!VARATT_IS_EXTERNAL_EXPANDED(datum))
		return datum;
	header = DatumGetEOHP(PointerGetDatum(datum));
	size = header->eoh_methods->get_flat_size(header);
	flat = palloc(size);
	header->eoh_methods->flatten_into(header, flat, size);
	return flat;
}

struct varlena *
pg_detoast_datum_packed(struct varlena *datum)
{
	return pg_detoast_datum(datum);
}

struct varlena *
pg_detoast_datum_slice(struct varlena *datum, int32 first, int32 count)
{
	int32		size = VARSIZE_ANY_EXHDR(datum);
	struct varlena *slice;

	size = Min(size - first, count);
	slice = palloc(VARHDRSZ + size);
	SET_VARSIZE(slice, VARHDRSZ + size);
	memcpy(VARDATA(slice), VARDATA_ANY(datum) + first, size);
	return slice;
}

Size
toast_raw_datum_size(Datum value)
{
	struct varlena *datum = (struct varlena *) DatumGetPointer(value);

	if (VARATT_IS_EXTERNAL_EXPANDED(datum))
	{
		ExpandedObjectHeader *header = DatumGetEOHP(value);

		return header->eoh_methods->get_flat_size(header);
	}
	return VARSIZE(datum);
}

/* Where a Datum has 32 bits, these are passed by reference. */
#if SIZEOF_DATUM < 8
Datum
Int64GetDatum(int64 X)
{
	int64	   *value = palloc(sizeof(int64));

	*value = X;
	return PointerGetDatum(value);
}

Datum
Float8GetDatum(float8 X)
{
	float8	   *value = palloc(sizeof(float8));

	*value = X;
	return PointerGetDatum(value);
}
#endif

/*
 * The rest
 */

/* The server draws random numbers; here the same input must do the same. */
pg_prng_state pg_global_prng_state;

uint64
pg_prng_uint64(pg_prng_state *state)
{
	return UINT64CONST(0x9E3779B97F4A7C15);
}
