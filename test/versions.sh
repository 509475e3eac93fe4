# versions.sh
#    Where the number of the release is written, and in which way; sourced by bash.  The
#    functions are for the top of a tree.

# Debian, RPM, Python and npm write 1.0.0-rc2 in ways of their own: 1.0~rc2-1, 1.0.0rc2 and
# 1.0.0-rc.2.
canonical()
{
	sed -E 's/[-~.]([a-z]+)\.?([0-9]+)/\1\2/; s/^([0-9]+\.[0-9]+)([a-z]|$)/\1.0\2/;
		s/^([0-9.]+)([a-z]+[0-9]+)$/\1-\2/' <<<"$1"
}

# The first match of a pattern in a file, whose group is the version
version_in()
{
	sed -nE "s/$2/\\1/p" "$1" | head -n 1
}

# The release of META.json
release_of_meta()
{
	perl -MJSON::PP -0ne 'print decode_json($_)->{version}' META.json
}

# The number in the file of a package
number_in()
{
	case $1 in
		debian/changelog) version_in "$1" '^bloomtype \((.*)-[^-]*\) .*' ;;
		*.spec) version_in "$1" '^Version: *(.*)' ;;
		*.toml) version_in "$1" '^version = "(.*)"' ;;
		*.json) version_in "$1" '^[[:space:]]*"version": "(.*)",' ;;
		*.xml) version_in "$1" '^[[:space:]]*<version>(.*)<\/version>.*' ;;
		*.properties) version_in "$1" '^version *= *(.*)' ;;
		*/__init__.py) version_in "$1" "^__version__ = [\"'](.*)[\"']" ;;
	esac
}

# Those files, of the packages in a folder: packaging, for the server, or src/interfaces
files_with_number()
{
	local file

	for file in $([ "$1" != packaging ] || echo debian/changelog) "$1"/*.spec \
		"$1"/*/{pyproject.toml,package.json,pom.xml,gradle.properties} "$1"/*/*/__init__.py; do
		[ ! -f "$file" ] || [[ $file = */__init__.py && -z $(number_in "$file") ]] ||
			echo "$file"
	done
}
