# psycopg_type.py
#
# A type of its own for filters in Python, with psycopg; doc/drivers.md names it.

import base64

import psycopg
from psycopg.adapt import Dumper, Loader
from psycopg.types import TypeInfo


class Bloom(bytes):
    """The bytes of a filter."""


class TextLoader(Loader):
    def load(self, data):
        return Bloom(base64.b64decode(data))


class BinaryLoader(Loader):
    format = psycopg.pq.Format.BINARY

    def load(self, data):
        return Bloom(data)


def register_bloom(connection):
    """Send and fetch values of the SQL type bloom as Bloom."""
    info = TypeInfo.fetch(connection, "bloom")
    info.register(connection)

    class BloomDumper(Dumper):
        format = psycopg.pq.Format.BINARY
        oid = info.oid

        def dump(self, filter):
            return filter

    connection.adapters.register_loader(info.oid, TextLoader)
    connection.adapters.register_loader(info.oid, BinaryLoader)
    connection.adapters.register_dumper(Bloom, BloomDumper)
