"""Filters of the PostgreSQL extension bloomtype, outside the server.

An application fetches a filter, asks it about keys in microseconds, and sends one that it
has built::

    import bloomtype

    customers = bloomtype.parse(row.filter)
    if customers.contains(4711):
        ...  # probably there: ask the server
"""

from ._errors import FilterFullError, InvalidFilterError, KeyMismatchError
from ._filters import Bloom, CountingBloom, Cuckoo, Filter, Matrix, parse
from ._key import Key, key

__version__ = "1.0.0rc3"

__all__ = [
    "Bloom",
    "CountingBloom",
    "Cuckoo",
    "Filter",
    "FilterFullError",
    "InvalidFilterError",
    "Key",
    "KeyMismatchError",
    "Matrix",
    "key",
    "parse",
]
