# server.sh
#    What the scripts of this folder do with a server; sourced by bash.

version=$(pg_lsclusters -h | awk '{ print $1 }')

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

# The blocks of README.md, "Quick start", of a language
blocks()
{
	awk -v language="$1" '
		/^## / { inside = /^## Quick start$/ }
		/^```/ { block = inside && $0 == "```" language; next }
		block' README.md
}

# The statements of the quick start give what it says; psql adds empty lines.
quick_start()
{
	[ -n "$(blocks text)" ] &&
		diff <(blocks text) <(
			blocks sql | psql -X -q -v ON_ERROR_STOP=1 -d quick_start 2>&1 | sed '/^$/d')
}
