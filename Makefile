# bloomtype: a Bloom filter data type for PostgreSQL

MODULE_big = bloomtype

# All files of src/, whatever the current folder, but those of the libraries of hooks
root := $(dir $(firstword $(MAKEFILE_LIST)))
objects_of = $(patsubst $(root)%.c,%.o,$(sort $(wildcard $(root)src/$(1)/*.c)))
JOIN_OBJS := $(call objects_of,join)
PLAN_OBJS := $(call objects_of,plan)
STATISTICS_OBJS := $(call objects_of,statistics)
HOOK_OBJS := $(JOIN_OBJS) $(PLAN_OBJS) $(STATISTICS_OBJS)
OBJS := $(filter-out $(HOOK_OBJS),$(call objects_of,*))
# the pure half: no PostgreSQL header, no allocation
CORE_OBJS := $(call objects_of,core)
PURE_OBJS := $(CORE_OBJS) $(call objects_of,interchange)

EXTENSION = bloomtype
DATA = $(addprefix sql/,$(notdir $(wildcard $(srcdir)/sql/$(EXTENSION)--*.sql)))
DOCS = LICENSE NOTICE $(notdir $(wildcard $(srcdir)/*.md))
PAGES = $(notdir $(wildcard $(srcdir)/doc/*))
RELEASE = $(shell sed -n 's/^  "version": "\(.*\)",$$/\1/p' $(srcdir)/META.json)
PGFILEDESC = "bloomtype - Bloom filter data type"

# All files of test/sql, but for those that take long and tell nothing of an installation: they say
# at their top that they are left to test/run --ci, which passes RUN=ci, or to --all, which passes
# RUN=all.  On the command line, NO_REGRESS=... are tests to leave out.
regress_files := $(sort $(wildcard $(root)test/sql/*.sql))
ifneq ($(RUN),all)
long_files := $(shell grep -lE '^-- Left to --($(if $(filter ci,$(RUN)),,ci|)all)' $(regress_files))
endif
REGRESS := $(filter-out $(NO_REGRESS), \
	$(notdir $(basename $(filter-out $(long_files),$(regress_files)))))
# sql/ contains the scripts of the extension, so the input files of the tests
# are in test/sql.  pg_regress looks for the expected output in expected/ of
# the current folder first, and only then in that of the input folder.
REGRESS_OPTS = --inputdir=$(srcdir)/test --load-extension=bloomtype \
	--encoding=UTF8 --no-locale

include $(root)src/flags.mk
PG_CPPFLAGS = -I$(srcdir)/src $(SIZING_FLAGS) $(OLD_C_FLAGS) \
	-DBLOOMTYPE_VERSION='"$(RELEASE)"'

# make BLOOMTYPE_GENERIC_XLOG=1: the server's functions make the WAL records of src/index/, as on a
# server that is too new for src/index/pages_wal.c
ifneq ($(BLOOMTYPE_GENERIC_XLOG),)
PG_CPPFLAGS += -DBLOOMTYPE_GENERIC_XLOG
endif
SHLIB_LINK += $(filter -lm, $(LIBS))

EXTRA_CLEAN = $(UNIT_DIR) $(FUZZ_DIR) test/bench/core_bench

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)

# otherwise the first error would be that of an include below
define no_development_files
the development files of PostgreSQL are missing: there is no $(or $(PGXS),program $(PG_CONFIG)). \
Install postgresql-server-dev-NN (Debian, Ubuntu) or postgresqlNN-devel (Red Hat), where NN is the \
major version of the server, or name its pg_config: make PG_CONFIG=/path/to/pg_config
endef
ifeq ($(wildcard $(PGXS)),)
$(error $(no_development_files))
endif
include $(PGXS)

# Other extensions have a README.md, too.  MODULEDIR would move the scripts
# along with the documents, out of where CREATE EXTENSION looks.
docmoduledir = extension/$(EXTENSION)

# PGXS installs all documents into one folder; links between them need doc/.
pagesdir = $(docdir)/$(docmoduledir)/doc
.PHONY: install-pages uninstall-pages
install: install-pages
install-pages:
	$(MKDIR_P) '$(DESTDIR)$(pagesdir)'
	$(INSTALL_DATA) $(addprefix $(srcdir)/doc/,$(PAGES)) '$(DESTDIR)$(pagesdir)/'
uninstall: uninstall-pages
uninstall-pages:
	rm -f $(addprefix '$(DESTDIR)$(pagesdir)'/,$(PAGES))

# Rebuild every object when any header, or the release, changes.  PGXS knows about headers only
# where the server was configured with --enable-depend, and then neither for
# bitcode nor for files of the same name in two folders.
$(OBJS) $(OBJS:.o=.bc): $(srcdir)/META.json \
		$(wildcard $(srcdir)/src/*.h $(srcdir)/src/*/*.h)

# In a VPATH build, the objects need their folders.
object_dirs = $(patsubst %/,$(CURDIR)/%,$(sort $(dir $(OBJS))))
$(OBJS) $(OBJS:.o=.bc): | $(object_dirs)
$(object_dirs):
	$(MKDIR_P) $@

include $(srcdir)/src/libraries.mk

# In a VPATH build, pg_regress needs expected/ in the current folder.  The
# absolute name keeps make from finding the one in $(srcdir).
ifneq ($(realpath $(srcdir)),$(realpath $(CURDIR)))
installcheck: $(CURDIR)/expected
$(CURDIR)/expected:
	ln -sfn $(realpath $(srcdir))/expected $@

clean: clean-expected
.PHONY: clean-expected
clean-expected:
	rm -f expected
endif

# The pure half, tested without a server: as it is, with sanitizers on, and reading and writing
# as on a big-endian machine, of which fuzz-bytewise has the sanitizers.  For another machine,
# where there may be none, test/check/machines has other UNIT_SANITIZERS, and UNIT_RUN runs its
# programs.
UNIT_CFLAGS = -std=c99 -O1 -g -Wall -Wextra -Wpedantic -Werror $(SIZING_FLAGS)
UNIT_SANITIZERS = -fsanitize=address,undefined,float-cast-overflow \
	-fno-sanitize-recover=all
UNIT_DIR = test/unit/build

unit_sources = $(wildcard $(srcdir)/test/unit/*.c)
pure_sources = $(addprefix $(srcdir)/,$(PURE_OBJS:.o=.c))
pure_headers = $(wildcard $(srcdir)/src/core/*.h $(srcdir)/src/interchange/*.h)
unit_objects = $(patsubst $(srcdir)/%.c,%.o,$(unit_sources) $(pure_sources))

.PHONY: unit unit-native unit-bytewise check-layers check-docs prove_installcheck bench dist indent

unit: unit-bytewise unit-native

# variant, its options
define unit_rules
unit-$(1): $$(UNIT_DIR)/$(1)/core_test
	$$(UNIT_RUN) $$< $$(srcdir)
$$(UNIT_DIR)/$(1)/core_test: $$(addprefix $$(UNIT_DIR)/$(1)/,$$(unit_objects))
	$$(CC) $$(UNIT_CFLAGS) $(2) -o $$@ $$^ -lm
$$(UNIT_DIR)/$(1)/%.o: $$(srcdir)/%.c $$(pure_headers) $$(wildcard $$(srcdir)/test/unit/*.h)
	@$$(MKDIR_P) $$(@D)
	$$(CC) $$(UNIT_CFLAGS) $(2) -I$$(srcdir)/src -c -o $$@ $$<
endef
$(eval $(call unit_rules,native,$$(UNIT_SANITIZERS)))
$(eval $(call unit_rules,bytewise,-DBBF_LITTLE_ENDIAN=0 -O2))

include $(srcdir)/test/fuzz/fuzz.mk

# Which folder of src/ uses which
check-layers: $(OBJS) $(HOOK_OBJS)
	BUILD_DIR='$(CURDIR)' OBJS='$(OBJS)' HOOK_OBJS='$(HOOK_OBJS)' $(srcdir)/test/check/layers

# The documents against the tests, and the scripts of sql/
check-docs:
	cd $(srcdir) && prove --exec '' test/check/docs test/check/scripts

# Tests that start servers of their own; not as root.  They need IPC::Run, so
# installcheck does not include them, as it would with TAP_TESTS.
PROVE_TESTS = test/t/*.pl
prove_installcheck:
	$(prove_installcheck)

# Benchmark: filters against joins, indexes and aggregates of the server; takes
# an hour and a half
bench:
	PG_CONFIG='$(PG_CONFIG)' $(srcdir)/test/bench/run

# Benchmark of src/core/, without a server
test/bench/core_bench: $(srcdir)/test/bench/core_bench.c $(CORE_OBJS) \
		$(pure_headers) $(srcdir)/test/unit/key.h
	@$(MKDIR_P) $(@D)
	$(CC) $(CFLAGS) $(CPPFLAGS) -o $@ $< $(CORE_OBJS) -lm

# The archive for PGXN, bloomtype-VERSION.zip, of what is committed; VERSION as in META.json
dist:
	cd $(srcdir) && \
	name=$(EXTENSION)-$$(git show HEAD:./META.json | \
		sed -n 's/^  "version": "\(.*\)",$$/\1/p') && \
	git archive --format=zip --prefix="$$name/" --output='$(CURDIR)'/"$$name.zip" HEAD && \
	echo "$$name.zip"

# PostgreSQL's own formatter, which test/bootstrap builds
indent:
	$(srcdir)/test/bootstrap indent
	$(srcdir)/test/check/indent --fix
