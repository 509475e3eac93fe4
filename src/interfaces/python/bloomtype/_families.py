"""The key families: SQL types whose values can be the same key."""

from __future__ import annotations

#: Names by number, as in an image; number 0 is that of a filter without keys.
NAMES = (
    "none", "boolean", "number", "float", "text", "bytea", "uuid", "oid", "date",
    "timestamp", "timestamptz", "time", "network", "macaddr", "array", "row", "range",
)

#: Families whose keys have parts, and a subtype that tells of which families these are.
NESTED = frozenset(("array", "row", "range"))

#: For each family without parts, an SQL type of it.
TYPES = {
    "boolean": "boolean", "number": "bigint", "float": "float8", "text": "text",
    "bytea": "bytea", "uuid": "uuid", "oid": "oid", "date": "date",
    "timestamp": "timestamp", "timestamptz": "timestamptz", "time": "time",
    "network": "inet", "macaddr": "macaddr8",
}
