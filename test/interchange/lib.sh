# lib.sh
#    What the scripts of this folder, test/drivers and test/interfaces share; sourced by bash.
#
# A script exchanges filters with one other system, driver or reader, its peer, by way of
# files in a temporary folder, which is its current folder, and of a server whose
# installation has the extension: psql's environment tells which.  It makes a database of
# its own there, and drops it at the end.
#
# It prints TAP (see ../expect.sh), which ends with report; without its peer, the reason.

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../expect.sh"
database=
folder=

sql()
{
	psql -XqAt -v ON_ERROR_STOP=1 -d "$database" "$@"
}

# export_csv QUERY FILE
export_csv()
{
	sql -c "\\copy ($1) TO '$2' (FORMAT csv)"
}

# import_csv TABLE FILE
import_csv()
{
	sql -c "\\copy $1 FROM '$2' (FORMAT csv)"
}

# check WHAT COMMAND...: does the command succeed?  Unlike that of expect, it may set variables.
check()
{
	if "${@:2}" >&2; then ok "$1"; else not_ok "$1"; fi
}

# check_sql WHAT EXPRESSION: is it true?
check_sql()
{
	check "$1" test "$(sql -c "SELECT $2")" = t
}

# same_lines FILE OTHER: compares; shows the first lines that differ
same_lines()
{
	cmp -s "$1" "$2" && return
	diff "$1" "$2" | head -n 10
	return 1
}

# Set url, the address of the server for JDBC, which knows TCP only.
find_jdbc_url()
{
	local address=127.0.0.1 port=${PGPORT:-5432}

	case ${PGHOST:-/var/run/postgresql} in
		/*)
			mkfifo port
			exec 9> >(exec "$here/../interchange/relay.pl" \
				"${PGHOST:-/var/run/postgresql}/.s.PGSQL.$port" >port)
			read -r port <port
			;;
		*) address=$PGHOST ;;
	esac
	url="jdbc:postgresql://$address:$port/$database?user=${PGUSER:-$(id -un)}"
}

# Call this when the peer is there.
start_exchange()
{
	trap end_exchange EXIT
	folder=$(mktemp -d)
	cd "$folder"
	database=peer_$$
	psql -Xq -d postgres -c "CREATE DATABASE $database TEMPLATE template0 ENCODING 'UTF8'" \
		-c "ALTER DATABASE $database SET client_min_messages = warning"
	sql -c 'CREATE EXTENSION bloomtype'
}

end_exchange()
{
	psql -Xq -d postgres -c "DROP DATABASE IF EXISTS $database"
	cd /
	rm -rf "$folder"
}
