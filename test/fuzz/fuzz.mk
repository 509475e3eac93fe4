# Fuzzing: targets of libFuzzer over the core, and over as much of the rest as runs
# without a server (test/fuzz/backend.h), with sanitizers on.
#
#	make fuzz			each of FUZZ_TARGETS for FUZZ_SECONDS, or FUZZ_RUNS executions,
#						from its corpus; what is found goes to FUZZ_DIR.  Needs clang.
#						With FUZZ_RECORD=yes, executions are added to test/fuzz/EXECUTIONS
#	make fuzz-replay	the inputs of the corpus once, with any compiler
#	make fuzz-bytewise	the same, reading and writing as on a big-endian machine
#	make fuzz-seeds		inputs to begin a new corpus with, in FUZZ_DIR/seeds.  After a run
#						from them, libfuzzer/fuzz_TARGET -merge=1 CORPUS FOLDER... leaves
#						the few that reach all that the others do
#
# What algebra, state and model call has its source in fuzz_glue_sources; what that refers
# to, but never calls, is in test/fuzz/absent.c.
CLANG ?= clang
FUZZ_SECONDS = 60
FUZZ_TARGETS = image algebra matrix pages state external sizing model
FUZZ_DIR = test/fuzz/build
# States of unions expand from this size on, so that small ones do, too.
FUZZ_CFLAGS = -std=gnu11 -O0 -g -Wall -Wextra -Wno-unused-parameter \
	-Wno-missing-field-initializers -Wno-sign-compare -Wno-ignored-attributes \
	-DEXPANDED_STATE_BYTES=2048 \
	$(SIZING_FLAGS) -fsanitize=address,undefined -fno-sanitize-recover=all

# targets that need no more than the pure half
fuzz_core_targets = image matrix pages external sizing
fuzz_glue_sources = \
	src/filter/filter_match.c \
	src/key/key_report.c \
	src/key/key_type.c \
	src/filter/filter_agg_state.c \
	src/filter/filter_aggregate.c \
	src/filter/filter_datum.c \
	src/filter/filter_info.c \
	src/filter/filter_kind.c \
	src/filter/filter_parameters.c \
	src/filter/filter_pieces.c \
	src/filter/open_filter.c \
	src/filter/gathered_keys.c \
	src/types/bloom_layer_union.c \
	src/external/external_agg_state.c \
	src/external/external_datum.c \
	src/external/external_format.c \
	src/types/bloom.c \
	src/types/bloom_intersection.c \
	src/types/bloom_shrink.c \
	src/types/bloom_union.c \
	src/types/counting_bloom.c \
	src/types/cuckoo.c \
	test/fuzz/absent.c \
	test/fuzz/backend.c
fuzz_core_objects = $(PURE_OBJS) test/fuzz/fuzz.o
fuzz_glue_objects = $(fuzz_core_objects) $(fuzz_glue_sources:.c=.o)
fuzz_headers = $(wildcard $(srcdir)/src/*.h $(srcdir)/src/*/*.h $(srcdir)/test/fuzz/*.h)

.PHONY: fuzz fuzz-build fuzz-replay fuzz-bytewise fuzz-seeds
fuzz: fuzz-build
	FUZZ_DIR='$(FUZZ_DIR)' FUZZ_SECONDS='$(FUZZ_SECONDS)' FUZZ_RUNS='$(FUZZ_RUNS)' \
	$(srcdir)/test/fuzz/run $(FUZZ_TARGETS)
fuzz-build: $(FUZZ_TARGETS:%=$(FUZZ_DIR)/libfuzzer/fuzz_%)
fuzz-replay: $(FUZZ_TARGETS:%=fuzz-replay-%)
fuzz-replay-%: $(FUZZ_DIR)/replay/fuzz_%
	$< $* $(srcdir)/test/fuzz/corpus/$*/*
fuzz-bytewise: $(FUZZ_TARGETS:%=fuzz-bytewise-%)
fuzz-bytewise-%: $(FUZZ_DIR)/bytewise/fuzz_%
	$< $* $(srcdir)/test/fuzz/corpus/$*/*

# libFuzzer is told of each comparison where bytes are parsed.  Elsewhere that takes too
# long; and sizing, which is arithmetic, is not even watched but in a target of its own.
fuzz_coverage = -O2 -fsanitize=fuzzer-no-link $(if $(filter $(addprefix %/,image.o \
	matrix.o range.o aggregate_message.o external.o external_%.o fuzz_%.o),$@),,-fno-sanitize-coverage=trace-cmp)

# variant, compiler, its options, those of the linker, objects besides
define fuzz_rules
$(FUZZ_DIR)/$(1)/fuzz_%: $(FUZZ_DIR)/$(1)/test/fuzz/fuzz_%.o \
		$$(addprefix $(FUZZ_DIR)/$(1)/,$$(fuzz_glue_objects) $(5))
	$(2) $$(FUZZ_CFLAGS) $(4) -o $$@ $$^ -lm
$$(fuzz_core_targets:%=$(FUZZ_DIR)/$(1)/fuzz_%): $(FUZZ_DIR)/$(1)/fuzz_%: \
		$(FUZZ_DIR)/$(1)/test/fuzz/fuzz_%.o \
		$$(addprefix $(FUZZ_DIR)/$(1)/,$$(fuzz_core_objects) $(5))
	$(2) $$(FUZZ_CFLAGS) $(4) -o $$@ $$^ -lm
$(FUZZ_DIR)/$(1)/%.o: $$(srcdir)/%.c $$(fuzz_headers)
	@$$(MKDIR_P) $$(@D)
	$(2) $$(FUZZ_CFLAGS) $(3) $$(CPPFLAGS) -I$$(srcdir)/test/fuzz -c -o $$@ $$<
endef
$(eval $(call fuzz_rules,libfuzzer,$(CLANG),$$(fuzz_coverage),-fsanitize=fuzzer,))
$(eval $(call fuzz_rules,replay,$(CC),,,test/fuzz/replay.o))
$(eval $(call fuzz_rules,bytewise,$(CC),-DBBF_LITTLE_ENDIAN=0,,test/fuzz/replay.o))
.SECONDARY:

fuzz-seeds: $(FUZZ_DIR)/replay/fuzz_seeds
	@$(MKDIR_P) $(FUZZ_TARGETS:%=$(FUZZ_DIR)/seeds/%)
	$< $(FUZZ_DIR)/seeds
$(FUZZ_DIR)/replay/fuzz_seeds: $(addprefix $(FUZZ_DIR)/replay/,\
		$(fuzz_glue_objects) test/fuzz/seeds.o)
	$(CC) $(FUZZ_CFLAGS) -o $@ $^ -lm
