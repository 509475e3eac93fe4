# package.sh
#    What the registry of a language shows of a package, for the tests of the packages; sourced
#    by bash, after ../interchange/lib.sh.

# links_lead_somewhere PACKAGE: are the links of its README.md whole addresses, since its page is
# elsewhere, and those to this repository of files that there are?
links_lead_somewhere()
{
	local readme=$1/README.md top=$1/../../.. address n=0

	grep -oE '\]\([^)]*\)|^\[[^]]*\]: .*' "$readme" |
		grep -vE '^(\]\(|\[.*\]: )https://' && return 1
	while read -r address; do
		n=$((n + 1))
		[ -e "$top/${address#https://github.com/bloomtype/bloomtype/blob/main/}" ] ||
			{ echo "there is no $address"; return 1; }
	done < <(grep -oE 'https://github.com/bloomtype/bloomtype/blob/main/[^) ]+' "$readme")
	[ $n -gt 0 ]
}

# tells_of_project FILE: has it the addresses of META.json, and its authors, without their own
# address?
tells_of_project()
{
	local meta=$here/../../META.json value n=0

	while read -r value; do
		n=$((n + 1))
		grep -qF "$value" "$1" || { echo "it does not have $value"; return 1; }
	done < <(sed -nE '/"meta-spec"/q; s/^ *"(maintainer|homepage|web|url)": "([^"<]*[^"< ])( <[^"]*>)?",?$/\2/p' "$meta")
	[ $n = 5 ]
}
