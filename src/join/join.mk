# The library bloomtype_join, which has hooks and no SQL objects; included by the Makefile
# after PGXS, which builds one library.

JOIN_CORE_OBJS = src/core/blocked.o
join_library = bloomtype_join$(DLSUFFIX)

# A session may have loaded bloomtype of another release, which has the core, too.  Before 16, both
# would use the one that was loaded first, unless its names are hidden.  macOS keeps them apart.
ifneq ($(filter linux %bsd,$(PORTNAME)),)
join_exports = $(srcdir)/src/join/exports.map
join_link_flags = -Wl,--version-script=$(join_exports)
endif

all: $(join_library)
$(join_library): $(JOIN_OBJS) $(JOIN_CORE_OBJS) $(join_exports)
	$(LINK.shared) -o $@ $(JOIN_OBJS) $(JOIN_CORE_OBJS) $(join_link_flags) $(LDFLAGS) $(LDFLAGS_SL) \
		$(SHLIB_LINK)

$(JOIN_OBJS): $(srcdir)/META.json $(wildcard $(srcdir)/src/*.h $(srcdir)/src/*/*.h)
join_dirs = $(filter-out $(object_dirs),$(patsubst %/,$(CURDIR)/%,$(sort $(dir $(JOIN_OBJS)))))
$(JOIN_OBJS): | $(join_dirs)
$(join_dirs):
	$(MKDIR_P) $@

# There is no bitcode: that is for SQL functions, which JIT compiles into expressions.
.PHONY: install-join uninstall-join clean-join
install: install-join
install-join: $(join_library) installdirs
	$(INSTALL_SHLIB) $(join_library) '$(DESTDIR)$(pkglibdir)/'
uninstall: uninstall-join
uninstall-join:
	rm -f '$(DESTDIR)$(pkglibdir)/$(join_library)'
clean: clean-join
clean-join:
	rm -f $(join_library) $(JOIN_OBJS)
