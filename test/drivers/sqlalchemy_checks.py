# sqlalchemy_checks.py
#
# Keys and filters through SQLAlchemy, over psycopg2: textual statements, expressions, models
# and reflected tables.

import re
import warnings

import psycopg2
import psycopg2.extras
import sqlalchemy as sa
from samples import MISMATCH, check, check_filters, check_keys, refused
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.orm import Session
from sqlalchemy_example import Bloom

psycopg2.extras.register_uuid()
engine = sa.create_engine(
    "postgresql+psycopg2://", creator=lambda: psycopg2.connect(""), isolation_level="AUTOCOMMIT"
)
connection = engine.connect()


def fields(error):
    diag = error.orig.diag
    return error.orig.pgcode, diag.message_primary, diag.message_detail, diag.message_hint


# $1::type is CAST(:p1 AS type), $1 is :p1
def run(sql, values=()):
    sql = re.sub(r"\$(\d)::(double precision|\w+)((?:\[\])?)", r"CAST(:p\1 AS \2\3)", sql)
    sql = re.sub(r"\$(\d)", r":p\1", sql)
    values = {f"p{i}": value for i, value in enumerate(values, 1)}
    return [
        tuple(map(comparable, row)) for row in connection.execute(sa.text(sql), values).fetchall()
    ]


# as in psycopg2_checks.py
def comparable(value):
    if isinstance(value, list) and value and isinstance(value[0], memoryview):
        return [bytes(element) for element in value]
    return value


def check_traps():
    sql = "SELECT bloom_contains(f, :id::bigint) FROM sample WHERE type = 'integer'"
    error = refused(connection.execute, sa.text(sql), {"id": 4711})
    check("SQLAlchemy: :id::bigint is no parameter", error.orig.pgcode == "42601")
    for cast in "CAST(:id AS bigint)", r":id\:\:bigint":
        statement = sa.text(sql.replace(":id::bigint", cast))
        found = connection.execute(statement, {"id": "4711"}).scalar()
        check(f"SQLAlchemy: {cast} is one", found is True)


def reflected():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = sa.Table("stored", sa.MetaData(), autoload_with=engine)
    return table, [str(warning.message) for warning in caught]


def check_reflection():
    table, messages = reflected()
    unknown = isinstance(table.c.f.type, sa.types.NullType)
    check("SQLAlchemy: a reflected column has no type", unknown)
    warned = messages == ["Did not recognize type 'bloom' of column 'f'"]
    check("SQLAlchemy: ... which is a warning", warned)
    table.name = "reflected"
    error = refused(table.create, engine)
    check("SQLAlchemy: ... no table can be made of it", isinstance(error, sa.exc.CompileError))
    table, messages = reflected()
    large = sa.select(table.c.f).where(table.c.name == "large")
    text = connection.execute(large).scalar()
    check("SQLAlchemy: ... and its values are strings", isinstance(text, str))
    asked = sa.select(sa.func.bloom_contains(table.c.f, sa.cast(4711, sa.BigInteger)))
    found = connection.execute(asked.where(table.c.name == "large")).scalar()
    check("SQLAlchemy: ... which can be asked", found is True)
    connection.execute(table.insert().values(name="reflected", f=text))
    asked = sa.select(table.c.f.op("@>")(sa.cast("4711", sa.BigInteger)))
    found = connection.execute(asked.where(table.c.name == "reflected")).scalar()
    check("SQLAlchemy: ... and inserted; asked by the operator", found is True)
    error = refused(connection.execute, sa.select(table.c.f.contains(4711)))
    check("SQLAlchemy: contains() is LIKE", error.orig.pgcode == "42883")

    ischema_names["bloom"] = Bloom
    table, messages = reflected()
    known = isinstance(table.c.f.type, Bloom) and messages == []
    check("SQLAlchemy: a type that is registered is recognised", known)
    image = connection.execute(sa.select(table.c.f).where(table.c.name == "large")).scalar()
    [(expected,)] = run("SELECT f::bytea FROM stored WHERE name = 'large'")
    check("SQLAlchemy: ... so that filters are bytes", image == bytes(expected))


def check_type():
    class Stored(sa.orm.declarative_base()):
        __tablename__ = "of_model"
        name = sa.Column(sa.Text, primary_key=True)
        f = sa.Column(Bloom)

    Stored.metadata.create_all(engine)
    rows = run(
        """SELECT format_type(atttypid, atttypmod) FROM pg_attribute
        WHERE attrelid = 'of_model'::regclass AND attname = 'f'"""
    )
    check("SQLAlchemy: a table of a model has a column of the type", rows == [("bloom",)])
    made = sa.func.bloom_add(sa.func.bloom_create(10), sa.cast(7, sa.BigInteger))
    with Session(engine) as session:
        session.add_all([Stored(name="made", f=made), Stored(name="none")])
        session.commit()
        f = session.get(Stored, "made").f
        check("SQLAlchemy: an attribute is bytes", isinstance(f, bytes))
        check("SQLAlchemy: ... or None", session.get(Stored, "none").f is None)
        returned = session.scalar(sa.select(made.cast(Bloom)))
        check("SQLAlchemy: a function's filter is bytes by a cast", returned == f)
        session.get(Stored, "none").f = f
        session.commit()
        names = session.scalars(
            sa.select(Stored.name)
            .where(
                sa.func.bloom_contains(Stored.f, sa.cast(7, sa.BigInteger)),
                sa.not_(sa.func.bloom_contains(Stored.f, sa.cast(8, sa.BigInteger))),
                Stored.f == f,
            )
            .order_by(Stored.name)
        )
        check("SQLAlchemy: a filter sent by a model", list(names) == ["made", "none"])
        error = refused(session.scalar, sa.select(sa.func.bloom_contains(Stored.f, "7")))
        check("SQLAlchemy: a string is a text key", fields(error)[:2] == ("42804", MISMATCH))


print("version: SQLAlchemy", sa.__version__)
check_keys("SQLAlchemy", run, fields)
check_filters("SQLAlchemy", run, fields)
check_traps()
check_type()
check_reflection()
