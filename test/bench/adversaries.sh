# adversaries.sh
#    Queries that bloomtype_join or bloomtype_plan could make slower, each for another reason.
#
# The goal is that none is: that no ratio is below 0.95 with all settings as they come.  They are
# measured as tpc.sh says, but with the server's work_mem, unless --set changes it, and in three
# forms: without the libraries, with bloomtype_join, and with both.  Where a query calls a function
# with a statement, plans are those of the statement.

measure_adversaries()
{
	local -a tpc_forms=(off on/off on/on)
	local -a settings=("${settings[@]:1}")

	createdb adversaries
	PGDATABASE=adversaries sql -f "$top/test/bench/adversaries_tables.sql"
	PGDATABASE=adversaries measure_statements adversaries "$top/test/bench/adversaries_queries.sql"
}
