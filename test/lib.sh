# lib.sh
#    What the scripts of this folder share; sourced by bash.
#
# Nothing is built in the checkout and nothing runs as root: a script calls
# enter_private_tree, which copies the checkout into a temporary folder and
# starts the script again inside the copy, as a user who may run a server,
# in a process group that a signal can end as a whole.  The first instance
# waits, stops whatever servers are left in the folder, and removes it.
#
# The folder, $private:
#
#    tree/   the copy of the checkout; the current directory
#    root/   a copy of the PostgreSQL installation, with the extension in it.
#            PostgreSQL finds its files relative to its programs, so no
#            system folder is written to, whatever the server's version
#    tmp/    everyone else's temporary files
#
# What a script leaves in the folder $private/results, the first instance
# copies to its own $results.
#
# PG_CONFIG selects the PostgreSQL; the default is the newest of Debian's.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
script=$(cd "$(dirname "$0")" && pwd)/${0##*/}
script=${script#"$top/"}
results=
private=
server=
program=
child=
as_service=()

die()
{
	printf '%s: %s\n' "$script" "$*" >&2
	exit 1
}

heading()
{
	printf '\n== %s\n' "$*"
}

# Seconds without a line after which one says what takes so long
quiet_seconds=15
quiet_since=

# Run a command in a subshell and show what it prints.  While it prints nothing, print what is being
# done, which is a text or what a function of this name prints, and for how long.
patiently()
{
	local what=$1 text=$1 start=$SECONDS

	shift
	quiet_since=$SECONDS
	"$@" | {
		rest=
		while :; do
			if IFS= read -r -t 1 line; then
				printf '%s\n' "$rest$line"
				rest=
				quiet_since=$SECONDS
			elif [ $? -gt 128 ]; then
				# a line that has begun is kept until it ends
				rest+=$line
				[ $((SECONDS - quiet_since)) -ge "$quiet_seconds" ] || continue
				! declare -F "$what" >/dev/null || text=$("$what")
				printf '(%s: %d s)\n' "$text" $((SECONDS - start))
				quiet_since=$SECONDS
			else
				printf %s "$rest$line"
				break
			fi
		done
	}
	return "${PIPESTATUS[0]}"
}

# Is a test left to --ci, as it says at its top?
is_left_to_ci()
{
	grep -Eq '^(#|--) Left to --ci' "$1"
}

# Print the comment at the top of the script.
usage()
{
	sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

# Set PG_CONFIG, to nothing when there is no server.
choose_postgresql()
{
	if [ -z "${PG_CONFIG:-}" ]; then
		PG_CONFIG=$(ls -d /usr/lib/postgresql/*/bin/postgres 2>/dev/null |
			sort -V | tail -n 1)
		PG_CONFIG=${PG_CONFIG:+${PG_CONFIG%/*}/pg_config}
	elif [ "${PG_CONFIG#*/}" = "$PG_CONFIG" ]; then
		command -v "$PG_CONFIG" >/dev/null ||
			die "no such program: PG_CONFIG=$PG_CONFIG"
		PG_CONFIG=$(command -v "$PG_CONFIG")
	elif [ "${PG_CONFIG#/}" = "$PG_CONFIG" ]; then
		PG_CONFIG=$PWD/$PG_CONFIG
	fi
	export PG_CONFIG
}

# The folder of what test/bootstrap makes and Debian has no package of.
cache_folder()
{
	if [ "$(id -u)" = 0 ]; then
		echo /var/cache/bloomtype
	else
		echo "${XDG_CACHE_HOME:-${HOME:-}/.cache}/bloomtype"
	fi
}

# Set BLOOMTYPE_PEERS, the folder of the npm packages for test/interchange, test/drivers and
# test/interfaces, and NODE_PATH, so that they are found.
choose_peers()
{
	export BLOOMTYPE_PEERS=${BLOOMTYPE_PEERS:-$(cache_folder)}
	export NODE_PATH=$BLOOMTYPE_PEERS/node_modules${NODE_PATH:+:$NODE_PATH}
}

# The whole version of PG_CONFIG, such as 15.2
server_version()
{
	"$PG_CONFIG" --version | sed 's/[^0-9]*\([^ ]*\).*/\1/'
}

# Set BLOOMTYPE_SERVER, the folder of a PostgreSQL with assertions, which
# test/bootstrap builds; of the version of PG_CONFIG.
choose_asserting_server()
{
	export BLOOMTYPE_SERVER=${BLOOMTYPE_SERVER:-$(cache_folder)/postgresql-$(server_version)}
}

# Set BLOOMTYPE_TESTS, the folder of the tests of that version, which test/bootstrap fetches.
choose_server_tests()
{
	export BLOOMTYPE_TESTS=${BLOOMTYPE_TESTS:-$(cache_folder)/tests-$(server_version)}
}

# Set BLOOMTYPE_HEADERS, the folder of the server headers of the oldest release of that major version,
# which test/bootstrap fetches.
choose_headers()
{
	export BLOOMTYPE_HEADERS=${BLOOMTYPE_HEADERS:-$(cache_folder)/headers-$(server_version | cut -d . -f 1)}
}

# Set BLOOMTYPE_INDENT, the folder of pgindent and pg_bsd_indent, which test/bootstrap builds.
choose_indent()
{
	export BLOOMTYPE_INDENT=${BLOOMTYPE_INDENT:-$(cache_folder)/pgindent}
}

# Where this machine's packages come from, or nothing if that is no mirror of Debian.
mirror()
{
	cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
		sed -nE 's/^(URIs:|deb)[^:]* ([a-z]+:[^ ]*\/debian)\/?( .*)?$/\2/p' | head -n 1
}

# Set apt_options: the sources of apt are the file sources.list of the current folder, and what it keeps
# is there, too.  The lists of this machine stay as they are.  A mirror may be a snapshot of some past
# day.
use_apt_here()
{
	mkdir -p sources lists/partial cache/archives/partial
	apt_options=(-o "Dir::Etc::SourceList=$PWD/sources.list" -o "Dir::Etc::SourceParts=$PWD/sources"
		-o "Dir::State::Lists=$PWD/lists" -o "Dir::Cache=$PWD/cache"
		-o Dir::Cache::pkgcache=pkgcache.bin -o Dir::Cache::srcpkgcache=srcpkgcache.bin
		-o "APT::Sandbox::User=$(id -un)" -o Acquire::Check-Valid-Until=false)
}

in_private_tree()
{
	[ "$top" = "${BLOOMTYPE_PRIVATE:-}/tree" ]
}

# Copy the checkout as it is, without its history, to a folder.
copy_checkout()
(
	set -o pipefail
	tar -C "$top" --exclude=./.git -cf - . | tar -C "$1" --no-same-owner -xf -
)

# Returns in the private tree only; arguments are those of the script.
enter_private_tree()
{
	if in_private_tree; then
		private=$BLOOMTYPE_PRIVATE
		results=$private/results
		cd "$top"
		return
	fi

	local tmp=${TMPDIR:-/tmp} status=0 user variable

	# make, server settings and socket addresses each have their limits
	tmp=$(cd "$tmp" && pwd) || die "cannot use TMPDIR"
	case $tmp in
		*[!-A-Za-z0-9/._+,@=~]*)
			die "TMPDIR has characters other than letters, digits and -/._+,@=~: $tmp" ;;
	esac
	[ ${#tmp} -le 60 ] ||
		die "TMPDIR is too long for the address of a socket: $tmp"

	trap leave_private_tree EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	private=$(mktemp -d "$tmp/bloomtype.XXXXXX")
	mkdir "$private/tree" "$private/tmp"
	copy_checkout "$private/tree"

	if [ "$(id -u)" = 0 ]; then
		user=postgres
		id "$user" >/dev/null 2>&1 || user=nobody
		as_service=(setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups)
		chown -R "$user:" "$private"
		"${as_service[@]}" test -x "$private" ||
			die "user $user cannot enter TMPDIR: $tmp"
		"${as_service[@]}" "$PG_CONFIG" --version >/dev/null ||
			die "user $user cannot run $PG_CONFIG"
	fi

	# no other server, nobody's settings
	for variable in ${!PG*} ${!LC_*} LANGUAGE CDPATH MAKEFLAGS MAKELEVEL MFLAGS; do
		case $variable in
			PG_CONFIG | PG_TEST_*) ;;
			*) unset "$variable" ;;
		esac
	done
	export BLOOMTYPE_PRIVATE="$private" HOME="$private" TMPDIR="$private/tmp"
	export LANG=C.UTF-8 LC_ALL=C

	set -m
	"${as_service[@]}" "$private/tree/$script" "$@" </dev/null &
	child=$!
	set +m
	wait "$child" || status=$?
	if [ -n "$results" ] && [ -d "$private/results" ]; then
		mkdir -p "$results"
		cp -R "$private/results/." "$results"
	fi
	exit $status
}

# Is there a process called NAME in GROUP?
runs_in_group()
{
	cat /proc/[0-9]*/stat 2>/dev/null |
		awk -v name="($1)" -v group="$2" \
			'$2 == name && $5 == group { found = 1 } END { exit !found }'
}

leave_private_tree()
{
	trap '' HUP INT TERM
	set +e
	if [ -n "$child" ] && kill -0 -- "-$child" 2>/dev/null; then
		# killed, it would leave shared memory behind; it takes a second
		for _ in {1..50}; do
			runs_in_group initdb "$child" || break
			sleep 0.1
		done
		kill -TERM -- "-$child" 2>/dev/null
		for _ in {1..50}; do
			sleep 0.1
			kill -0 -- "-$child" 2>/dev/null || break
		done
		kill -KILL -- "-$child" 2>/dev/null
		wait "$child" 2>/dev/null
	fi
	if [ -n "$private" ]; then
		find "$private" -name postmaster.pid | while read -r file; do
			"${as_service[@]}" "$("$PG_CONFIG" --bindir)/pg_ctl" \
				-s -m immediate -D "${file%/*}" stop
		done
		rm -rf "$private"
	fi
}

# Build the extension and install it under $private/root; arguments go to make.
build_and_install()
{
	local dir

	make -s clean
	patiently 'building the extension' make -s -j"$(nproc)" "$@"
	for dir in bindir pkglibdir sharedir; do
		dir=$("$PG_CONFIG" --$dir)
		mkdir -p "$private/root$dir"
		cp -R "$dir/." "$private/root$dir"
	done
	make -s install DESTDIR="$private/root" "$@" >/dev/null
	PATH=$private/root$("$PG_CONFIG" --bindir):$PATH
}

# Start a server in the folder $server, by default $private, with its socket there;
# arguments are lines of configuration.  $program is run in place of postgres, if set.
start_server()
{
	server=${server:-$private}
	export PGHOST=$server PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
	initdb --no-sync --username=postgres --auth=trust --encoding=UTF8 \
		--no-locale --pgdata="$server/data" >"$server/initdb.log" 2>&1 ||
		{ cat "$server/initdb.log"; return 1; }
	printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$server'" \
		"fsync = off" "$@" >>"$server/data/postgresql.conf"
	pg_ctl -s -w ${program:+-p "$program"} -D "$server/data" -l "$server/server.log" start ||
		{ cat "$server/server.log"; return 1; }
}

stop_server()
{
	pg_ctl -s -m fast -D "$server/data" stop
	rm -rf "$server/data"
}
