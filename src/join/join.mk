# The library bloomtype_join, which has hooks and no SQL objects; included by the Makefile
# after PGXS, which builds one library.

JOIN_OBJS = \
	src/join/join_filter.o \
	src/join/join_key.o \
	src/join/join_module.o \
	src/join/join_nodes.o \
	src/join/join_plan.o \
	src/join/join_settings.o \
	src/join/join_tame.o \
	src/join/join_trace.o
JOIN_CORE_OBJS = src/core/blocked.o
join_library = bloomtype_join$(DLSUFFIX)

all: $(join_library)
$(join_library): $(JOIN_OBJS) $(JOIN_CORE_OBJS)
	$(LINK.shared) -o $@ $(JOIN_OBJS) $(JOIN_CORE_OBJS) $(LDFLAGS) $(LDFLAGS_SL) $(SHLIB_LINK)

$(JOIN_OBJS): $(srcdir)/META.json $(wildcard $(srcdir)/src/*.h $(srcdir)/src/*/*.h)
join_dirs = $(filter-out $(object_dirs),$(patsubst %/,$(CURDIR)/%,$(sort $(dir $(JOIN_OBJS)))))
$(JOIN_OBJS): | $(join_dirs)
$(join_dirs):
	$(MKDIR_P) $@

# There is no bitcode: no SQL function to be compiled into an expression.
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
