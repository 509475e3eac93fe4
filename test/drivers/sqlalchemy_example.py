# sqlalchemy_example.py
#
# The example of doc/drivers.md for SQLAlchemy.

import base64

from sqlalchemy import ARRAY, BigInteger, Column, Text, cast, create_engine, func, select, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, declarative_base
from sqlalchemy.types import UserDefinedType


class Bloom(UserDefinedType):
    """The type bloom in SQL, the bytes of a filter in Python."""

    cache_ok = True

    def get_col_spec(self, **kw):
        return "bloom"

    def bind_processor(self, dialect):
        return lambda image: None if image is None else base64.b64encode(image).decode()

    def result_processor(self, dialect, coltype):
        return lambda text: None if text is None else base64.b64decode(text)


class Filter(declarative_base()):
    __tablename__ = "filter"
    name = Column(Text, primary_key=True)
    f = Column(Bloom, nullable=False)


def main(engine):
    with Session(engine) as session:
        for id in 4711, 123456789:
            found = session.scalar(
                select(func.bloom_contains(Filter.f, cast(id, BigInteger))).where(
                    Filter.name == "customer"
                )
            )
            print(id, "is certainly no customer" if found is False else "is probably a customer")

        # many keys in one round trip
        ids = cast([4711, 200001, 200002], ARRAY(BigInteger))
        missing = session.scalar(
            select(func.bloom_missing(Filter.f, ids)).where(Filter.name == "customer")
        )
        print("certainly no customers:", *missing)

        # add keys in batches
        ids = cast(missing, ARRAY(BigInteger))
        session.execute(
            update(Filter)
            .where(Filter.name == "customer")
            .values(f=func.bloom_add_all(Filter.f, ids))
            .execution_options(synchronize_session=False)
        )

        # the bytes of a filter, and a filter from bytes
        image = session.scalar(select(Filter.f).where(Filter.name == "customer"))
        print(len(image), "bytes")
        session.add(Filter(name="copy", f=image))

        session.add(Filter(name="new", f=func.bloom_create(cast(1000000, BigInteger), 0.001)))
        session.commit()

        # a string is a key of text
        try:
            session.scalar(
                select(func.bloom_contains(Filter.f, "4711")).where(Filter.name == "customer")
            )
        except DBAPIError as error:
            print(f"{error.orig.pgcode}: {error.orig.diag.message_primary}")


if __name__ == "__main__":
    # the server that psycopg2 finds by the environment
    main(create_engine("postgresql+psycopg2:///?dbname="))
