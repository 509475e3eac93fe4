# The libraries of hooks, which have no SQL objects: bloomtype_join and bloomtype_plan; included by the
# Makefile after PGXS, which builds one library.

# A session may have loaded bloomtype of another release, which has some of the same files.  Before
# 16, both would use those that were loaded first, unless their names are hidden.  macOS keeps them
# apart.
ifneq ($(filter linux %bsd,$(PORTNAME)),)
hook_exports = $(srcdir)/src/exports.map
hook_link_flags = -Wl,--version-script=$(hook_exports)
endif

hook_libraries = bloomtype_join$(DLSUFFIX) bloomtype_plan$(DLSUFFIX)

all: $(hook_libraries)
bloomtype_join$(DLSUFFIX): $(JOIN_OBJS) $(STATISTICS_OBJS) src/core/blocked.o
bloomtype_plan$(DLSUFFIX): $(PLAN_OBJS) $(STATISTICS_OBJS)
$(hook_libraries): $(hook_exports)
	$(LINK.shared) -o $@ $(filter %.o,$^) $(hook_link_flags) $(LDFLAGS) $(LDFLAGS_SL) $(SHLIB_LINK)

$(HOOK_OBJS): $(srcdir)/META.json $(wildcard $(srcdir)/src/*.h $(srcdir)/src/*/*.h)
hook_dirs = $(filter-out $(object_dirs),$(patsubst %/,$(CURDIR)/%,$(sort $(dir $(HOOK_OBJS)))))
$(HOOK_OBJS): | $(hook_dirs)
$(hook_dirs):
	$(MKDIR_P) $@

# There is no bitcode: that is for SQL functions, which JIT compiles into expressions.
.PHONY: install-hooks uninstall-hooks clean-hooks
install: install-hooks
install-hooks: $(hook_libraries) installdirs
	$(INSTALL_SHLIB) $(hook_libraries) '$(DESTDIR)$(pkglibdir)/'
uninstall: uninstall-hooks
uninstall-hooks:
	rm -f $(addprefix '$(DESTDIR)$(pkglibdir)'/,$(hook_libraries))

# Where any role may load them: links, since the server takes another copy for another library
pluginsdir = $(pkglibdir)/plugins
.PHONY: install-plugins uninstall-plugins
install-plugins: install-hooks
	$(MKDIR_P) '$(DESTDIR)$(pluginsdir)'
	for library in $(hook_libraries); do \
		ln -sf ../$$library '$(DESTDIR)$(pluginsdir)'/$$library || exit; \
	done
uninstall-hooks: uninstall-plugins
uninstall-plugins:
	rm -f $(addprefix '$(DESTDIR)$(pluginsdir)'/,$(hook_libraries))
clean: clean-hooks
clean-hooks:
	rm -f $(hook_libraries) $(HOOK_OBJS)
