# redis.sh
#    Take a filter out of Redis, and bring one there; sourced by bash.

# The filter of a key: its parts, one after the other
dump_filter()
{
	local iterator=0

	while :; do
		redis-cli -e BF.SCANDUMP "$1" "$iterator" >part || return
		iterator=$(head -n 1 part)
		[ "$iterator" != 0 ] || break
		tail -c "+$((${#iterator} + 2))" part | head -c -1
	done
}

# Give a new key the filter of which the input has the parts: iterator|base64
load_filter()
{
	local iterator chunk

	while IFS='|' read -r iterator chunk; do
		printf %s "$chunk" | base64 -d | redis-cli -e -x BF.LOADCHUNK "$1" "$iterator" || return
	done
}
