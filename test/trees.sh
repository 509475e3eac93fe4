# trees.sh
#    Minimal systems in folders, for the scripts of this folder that install packages;
#    sourced by bash, after lib.sh.
#
# Each tree is unpacked by debootstrap in a folder of $folder, and has the checkout in
# /src/bloomtype.  Root runs commands in it, in namespaces of their own: neither mounts nor
# processes are left.

folder=

# Set $folder, where the trees are, and $logs: the folder KEEP, if it is given, or else
# temporary ones, the first of which is removed in the end.  What runs as $child, in a
# process group of its own, is ended with the script, and takes everything in its tree along.
use_folder()
{
	local name=$1

	keep=$2
	trap tidy_up EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	if [ -n "$keep" ]; then
		mkdir -p "$keep"
		folder=$(cd "$keep" && pwd)
		logs=$folder
	else
		folder=$(mktemp -d "${TMPDIR:-/tmp}/bloomtype-$name.XXXXXX")
		logs=${TMPDIR:-/tmp}
	fi
}

# unshare passes no signal on, and the first process of a namespace need not obey one, but
# for KILL.  Until it is gone, it may write to its tree.
end_group()
{
	kill -TERM -- "-$1" 2>/dev/null || return 0
	for _ in {1..20}; do
		sleep 0.1
		kill -0 -- "-$1" 2>/dev/null || break
	done
	kill -KILL -- "-$1" 2>/dev/null || true
	wait "$1" 2>/dev/null || true
	for _ in {1..100}; do
		kill -0 -- "-$1" 2>/dev/null || break
		sleep 0.1
	done
}

tidy_up()
{
	[ -z "$child" ] || end_group "$child"
	[ -n "$keep" ] || rm -rf --one-file-system "$folder"
}

# Run a command in a tree, in its copy of the checkout; without a network, if $offline is
# set.  A tree called i386 has 32 bits.
in_tree()
{
	local root=$folder/$1 personality=env

	[ "$1" != i386 ] || personality=linux32
	shift
	# shellcheck disable=SC2016
	unshare --mount --pid ${offline:+--net} --fork --kill-child bash -euc '
		cd "$1"
		shift
		mount -t proc proc proc
		mount -t sysfs sys sys
		mount --rbind /dev dev
		mount -t tmpfs shm dev/shm
		exec env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
		' in_tree "$root" "$personality" chroot . \
		sh -c 'cd /src/bloomtype && exec "$@"' sh "$@" </dev/null
}

# Unpack a tree of a suite and architecture, or bring one up to date that is there; and let
# it have packages of further suites.
make_tree()
{
	local name=$1 suite=$2 architecture=$3 root=$folder/$1 other

	shift 3
	if [ ! -e "$root/src" ]; then
		command -v debootstrap >/dev/null ||
			apt-get install -y --no-install-recommends debootstrap
		# shellcheck disable=SC2046
		debootstrap --variant=minbase --arch="$architecture" "$suite" "$root" $(mirror)
		cp /etc/apt/apt.conf.d/*proxy* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
		mkdir "$root/src"
	fi
	cp /etc/resolv.conf "$root/etc/"
	for other; do
		sed -n "s/^deb \([^ ]*\) .*/deb \1 $other main/p" "$root/etc/apt/sources.list"
	done >"$root/etc/apt/sources.list.d/others.list"
	# the mirror may be a snapshot of some past day
	echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/snapshot"
	# of experimental nothing is installed by itself
	cat >"$root/etc/apt/preferences.d/postgresql" <<-'END'
		Package: /^(postgresql|libpq)/
		Pin: release a=experimental
		Pin-Priority: 500
	END
	rm -rf "$root/src/bloomtype"
	mkdir "$root/src/bloomtype"
	copy_checkout "$root/src/bloomtype"
	in_tree "$name" sh -c 'apt-get update && apt-get -y dist-upgrade'
}

