# Options of the compiler that whatever is built of these sources needs; for makefiles of PGXS

# Sizing must give the same bytes everywhere (src/core/sizing.h), also where
# the server compiles it anew for JIT: bitcode gets these flags, not PG_CFLAGS.
SIZING_FLAGS = -ffp-contract=off $(if $(filter i%86,$(host_cpu)),-msse2 -mfpmath=sse)
# The headers of 15 declare callbacks without parameters.  In C23, the default of recent compilers,
# such functions take none.
OLD_C_FLAGS = $(if $(filter 15,$(MAJORVERSION)),-std=gnu99)
