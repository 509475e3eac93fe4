# server.sh
#    What the scripts of this folder do with a system and its server; sourced by bash.

# the major version, of Debian's only cluster
version=${version:-$(pg_lsclusters -h | awk '{ print $1 }')}

# What the system consists of, but for what changes while it runs; the arguments are what find
# does with it, and a line ends with the name
list_system()
{
	find / -xdev \( -path /src -o -path /tmp -o -path /run -o -path /var/cache -o -path /var/lib/apt \
		-o -path /var/lib/postgresql -o -path /var/log \) -prune -o "$@" |
		grep -v '/var/lib/dpkg/.*-old$' | LC_ALL=C sort
}

# The same with the size and date of each file, so that a file which is changed is noticed
list_files()
{
	list_system ! -type d -printf '%s %T+ %p\n'
}

# Root has the database "quick_start", and is no superuser.
start_cluster()
{
	pg_ctlcluster "$version" main start &&
		runuser -u postgres -- createuser root &&
		runuser -u postgres -- createdb --owner=root quick_start
}

stop_cluster()
{
	pg_ctlcluster "$version" main stop
}

query()
{
	psql -X -q -A -t -v ON_ERROR_STOP=1 -d quick_start "$@"
}

# The blocks of the first screen of README.md, of a language
blocks()
{
	awk -v language="$1" '
		/^## / { inside = /^## (A filter of a column|A live set|An index)$/ }
		/^```/ { block = inside && $0 == "```" language; next }
		block' README.md
}

# Its statements give what it says, which is nothing of a set that is made; psql adds empty lines.
quick_start()
{
	[ -n "$(blocks text)" ] &&
		diff <(blocks text) <(
			blocks sql | sed 's,^\(SELECT bloom_set_create(.*)\);$,\1 \\g /dev/null,' |
				psql -X -q -v ON_ERROR_STOP=1 -d quick_start 2>&1 | sed '/^$/d')
}
