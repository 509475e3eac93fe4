"""The rules of test/check/scripts for the scripts of sql/.

bloomtype is a trusted extension: any role with the privilege CREATE on a database makes a superuser
run its scripts, in a schema that others may be able to write to.  They could put there a function,
an operator or a table that a script means to find elsewhere, or one that it means to make.  So:

- a function that is called is qualified with its schema, or is one of the extension itself, and
  the call has its very types, by casts; operators are qualified, and so are tables;
- nothing is made by OR REPLACE, but functions that the extension has made before, or with IF NOT
  EXISTS;
- a function whose body is a text, and so is parsed when it is called, and one that is SECURITY
  DEFINER, set search_path, which begins with pg_catalog and ends with pg_temp;
- functions in C are in MODULE_PATHNAME;
- there is no DO, and the scripts do not set search_path themselves.

Names of types need no schema: they are not overloaded, and pg_catalog is searched first.
"""

import glob
import json
import re
import sys

from pglast.parser import parse_sql_json

# Mistakes: what is found, and the statement
PLANTED = [
    ("operator +", "CREATE FUNCTION f(int) RETURNS int LANGUAGE sql RETURN $1 + 1;"),
    ("operator =", "SELECT 1 WHERE 1 = 1;"),
    ("operator =", "CREATE VIEW v AS SELECT pg_catalog.now() WHERE 1 IN (SELECT 2);"),
    ("operator +", "CREATE FUNCTION f(a int DEFAULT 1 + 1) RETURNS int AS 'MODULE_PATHNAME' LANGUAGE c;"),
    ("function lower()", "CREATE FUNCTION f(text) RETURNS text LANGUAGE sql RETURN lower($1::text);"),
    ("function own()", "CREATE FUNCTION f(int) RETURNS text LANGUAGE sql RETURN own($1);"),
    ("function own()", "CREATE FUNCTION f(int) RETURNS text LANGUAGE sql RETURN own($1::int);"),
    ("table t", "CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC; SELECT 1 FROM t; END;"),
    ("table t", "INSERT INTO t VALUES (1);"),
    ("OR REPLACE", "CREATE OR REPLACE FUNCTION f() RETURNS int AS 'MODULE_PATHNAME' LANGUAGE c;"),
    ("OR REPLACE", "CREATE OR REPLACE FUNCTION own(int) RETURNS int AS 'MODULE_PATHNAME' LANGUAGE c;"),
    ("OR REPLACE", "CREATE OR REPLACE VIEW v AS SELECT 1;"),
    ("OR REPLACE", "CREATE OR REPLACE AGGREGATE a(int) (SFUNC = f, STYPE = int);"),
    ("IF NOT EXISTS", "CREATE TABLE IF NOT EXISTS t (a int);"),
    ("IF NOT EXISTS", "CREATE SCHEMA IF NOT EXISTS s;"),
    ("IF NOT EXISTS", "CREATE INDEX IF NOT EXISTS i ON s.t (a);"),
    ("search_path", "CREATE FUNCTION f() RETURNS int AS 'SELECT 1' LANGUAGE sql;"),
    ("search_path", "CREATE FUNCTION f() RETURNS int AS 'BEGIN END' LANGUAGE plpgsql SET search_path = public;"),
    ("search_path", "CREATE FUNCTION f() RETURNS int AS 'SELECT 1' LANGUAGE sql SET search_path = pg_catalog;"),
    ("search_path", "CREATE FUNCTION f() RETURNS int AS 'SELECT 1' LANGUAGE sql SET work_mem = '1MB';"),
    ("search_path", "CREATE FUNCTION f() RETURNS int AS 'MODULE_PATHNAME' LANGUAGE c SECURITY DEFINER;"),
    ("search_path", "ALTER FUNCTION own(text) RESET search_path;"),
    ("search_path", "ALTER FUNCTION own(text) SECURITY DEFINER;"),
    ("search_path", "SET search_path = public;"),
    ("MODULE_PATHNAME", "CREATE FUNCTION f() RETURNS int AS '$libdir/bloomtype', 'f' LANGUAGE c;"),
    ("DO", "DO 'BEGIN END';"),
]

# What is as it should be
HARMLESS = """
CREATE FUNCTION own(text) RETURNS text AS 'MODULE_PATHNAME' LANGUAGE c;
CREATE FUNCTION own(name) RETURNS text LANGUAGE sql RETURN own($1::text);
CREATE OR REPLACE FUNCTION own(name) RETURNS text LANGUAGE sql RETURN pg_catalog.lower($1::text);
CREATE FUNCTION sum(int) RETURNS int LANGUAGE sql RETURN $1 OPERATOR(pg_catalog.+) 1;
CREATE FUNCTION body() RETURNS int AS 'SELECT 1' LANGUAGE sql SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION own(text) SUPPORT own_support;
"""


def words(names):
    """The parts of a qualified name."""
    return [name["String"]["sval"] for name in names]


def type_name(node):
    """The name of a type without that of its schema, and [] for arrays."""
    return words(node["names"])[-1] + "[]" * len(node.get("arrayBounds", []))


def options(node, key="options"):
    """The clauses of a command, by their names; of some, such as SET, there may be several."""
    found = {}
    for option in node.get(key, []):
        element = option["DefElem"]
        found.setdefault(element["defname"], []).append(element.get("arg", {}))
    return found


def has_safe_path(found):
    """Is search_path set among these clauses, so that nobody can put anything before it?"""
    for setting in found.get("set", []):
        setting = setting["VariableSetStmt"]
        if setting["name"] == "search_path":
            path = [arg["A_Const"]["sval"]["sval"] for arg in setting.get("args", [])]
            return len(path) >= 2 and path[0] == "pg_catalog" and path[-1] == "pg_temp"
    return False


def is_true(values):
    return any(value.get("Boolean", {}).get("boolval") for value in values)


class Rules:
    """What is wrong with scripts, in the order in which the server would run them."""

    def __init__(self):
        self.made = set()
        self.statements = 0

    def read(self, script):
        """Yield the line of each statement that is wrong, and why."""
        # those for psql are no SQL
        script = re.sub(r"(?m)^\\.*$", "", script)
        encoded = script.encode()
        for raw in json.loads(parse_sql_json(script))["stmts"]:
            start = raw.get("stmt_location", 0)
            # behind the blanks and comments before it
            start += re.match(rb"(?:\s|--.*\n|/\*(?s:.*?)\*/)*", encoded[start:]).end()
            line = encoded[:start].count(b"\n") + 1
            self.statements += 1
            for complaint in self.statement(raw["stmt"]):
                yield line, complaint

    def statement(self, statement):
        ((kind, node),) = statement.items()
        if kind == "CreateFunctionStmt":
            yield from self.function(node)
        elif kind == "AlterFunctionStmt":
            found = options(node, "actions")
            if is_true(found.get("security", [])) and not has_safe_path(found):
                yield "SECURITY DEFINER without a safe search_path"
            if any(
                setting["VariableSetStmt"].get("name", "search_path") == "search_path"
                for setting in found.get("set", [])
            ) and not has_safe_path(found):
                yield "search_path is changed to one that is not safe"
        elif kind == "VariableSetStmt":
            yield f"sets {node.get('name', 'all settings')}, perhaps search_path"
        elif kind == "DoStmt":
            yield "DO, whose statements are not checked"
        if node.get("replace") and not (kind == "CreateFunctionStmt" and self.signature(node) in self.made):
            yield "OR REPLACE, which would take over what somebody else has made"
        yield from self.walk(statement)
        if kind == "CreateFunctionStmt":
            self.made.add(self.signature(node))

    @staticmethod
    def signature(node):
        parameters = [parameter["FunctionParameter"] for parameter in node.get("parameters", [])]
        return (words(node["funcname"])[-1],) + tuple(
            type_name(parameter["argType"])
            for parameter in parameters
            if parameter["mode"] not in ("FUNC_PARAM_OUT", "FUNC_PARAM_TABLE")
        )

    @staticmethod
    def function(node):
        found = options(node)
        language = found.get("language", [{"String": {"sval": "sql"}}])[0]["String"]["sval"].lower()
        source = [words(items["List"]["items"]) for items in found.get("as", [])]
        if language == "c" and source[0][0] != "MODULE_PATHNAME":
            yield f"a function in {source[0][0]}, not in MODULE_PATHNAME"
        if source and language not in ("c", "internal") and not has_safe_path(found):
            yield "a body that is parsed when it is called, without a safe search_path"
        if is_true(found.get("security", [])) and not has_safe_path(found):
            yield "SECURITY DEFINER without a safe search_path"

    def walk(self, node, in_query=False):
        """What is wrong anywhere in a statement."""
        if isinstance(node, list):
            for item in node:
                yield from self.walk(item, in_query)
        elif isinstance(node, dict):
            if node.get("if_not_exists"):
                yield "IF NOT EXISTS, which would take over what somebody else has made"
            for kind, child in node.items():
                if kind == "A_Expr" and len(child["name"]) == 1:
                    yield f"the operator {words(child['name'])[0]} without a schema"
                elif kind == "SubLink" and child["subLinkType"] in ("ANY_SUBLINK", "ALL_SUBLINK"):
                    # of x IN (SELECT ...), which cannot be qualified
                    if len(child.get("operName", [])) < 2:
                        name = words(child.get("operName", [])) or ["="]
                        yield f"the operator {name[0]} without a schema"
                elif kind == "SortBy" and len(child.get("useOp", [])) == 1:
                    yield f"the operator {words(child['useOp'])[0]} without a schema"
                elif kind == "FuncCall" and len(child["funcname"]) == 1 and self.call(child) not in self.made:
                    yield f"the function {words(child['funcname'])[0]}() without a schema"
                elif kind in ("RangeVar", "relation") and in_query and "schemaname" not in child:
                    yield f"the table {child['relname']} without a schema"
                is_query = kind in ("SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt")
                yield from self.walk(child, in_query or is_query)

    @staticmethod
    def call(node):
        """The signature that a call has by its casts; None for what has none."""
        types = [
            type_name(argument["TypeCast"]["typeName"]) if "TypeCast" in argument else None
            for argument in node.get("args", [])
        ]
        return (words(node["funcname"])[0], *types)


def in_order(files):
    """The full scripts before the updates, and these by the versions that they start from."""
    def version(name):
        return [[int(part) for part in part.split(".")] for part in name[:-4].split("--")[1:]]

    return sorted(files, key=lambda name: (len(version(name)), version(name)))


def main():
    errors = []
    rules = Rules()
    for name in in_order(glob.glob("sql/*.sql")):
        with open(name, encoding="utf-8") as file:
            errors += [f"{name}:{line}: {what}" for line, what in rules.read(file.read())]
    if not rules.statements:
        errors.append("there is no script in sql/")

    for expected, planted in PLANTED:
        others = Rules()
        wrong = [f"{line}: {what}" for line, what in others.read(HARMLESS)]
        if wrong:
            errors.append(f"finds in what is harmless {wrong}")
        found = [what for _, what in others.read(planted)]
        if not any(expected in what for what in found):
            errors.append(f"finds {found}, but not {expected}, in {planted}")

    for error in errors:
        print(f"# check/scripts: {error}", file=sys.stderr)
    result = "not ok" if errors else "ok"
    print(f"1..1\n{result} - {rules.statements} statements, and {len(PLANTED)} mistakes that are found")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
