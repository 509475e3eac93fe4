"""Keys: the hash of a value, and the family that the value is of."""

from __future__ import annotations

import datetime
import ipaddress
import numbers
import operator
import re
import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Callable, Dict, Optional, Tuple

from . import _canonical, _families
from ._types import find_type
from ._xxh3 import xxh3_64_intdigest

_KEY_TEXT = re.compile("([a-z]+)(?:/([0-9a-f]{8}))?:([0-9a-f]{16})")


@dataclass(frozen=True)
class Key:
    """A key: what a filter knows of a value. It is SQL's bloom_key.

    ``family`` is the name of the key family. ``subtype`` tells of arrays, rows and ranges
    which families their parts are of; of other families it is 0. ``hash`` is an unsigned
    number of 64 bits. ``str(key)`` is the text form of bloom_key.
    """

    family: str
    subtype: int
    hash: int

    def __post_init__(self) -> None:
        if self.family == "none" or self.family not in _families.NAMES:
            raise ValueError(f"there is no key family {self.family!r}")
        if not 0 <= self.subtype < 1 << 32 or (
            self.subtype != 0 and self.family not in _families.NESTED
        ):
            raise ValueError(f"a key of family {self.family} cannot have this subtype")
        if not 0 <= self.hash < 1 << 64:
            raise ValueError("a hash has 64 bits")

    @classmethod
    def parse(cls, text: str) -> Key:
        """The key with this text form, as ``SELECT bloom_key(value)`` prints it.

        ValueError: there is no such key.
        """
        match = _KEY_TEXT.fullmatch(text)
        if match is not None:
            family, subtype, digits = match.groups()
            if (subtype is not None) == (family in _families.NESTED):
                return cls(family, int(subtype or "0", 16), int(digits, 16))
        raise ValueError(
            f"invalid input syntax for type bloom_key: {text!r} (the form is family:hash, "
            "of arrays, rows and ranges family/subtype:hash)"
        )

    def __str__(self) -> str:
        subtype = f"/{self.subtype:08x}" if self.family in _families.NESTED else ""
        return f"{self.family}{subtype}:{self.hash:016x}"


def key(value: Any, type: Optional[str] = None) -> Key:
    """The key of a value: the same as ``bloom_key(value::type)`` on the server.

    Without a type, the Python type decides: bool is boolean; int and Decimal are number;
    float is float; str is text; bytes, bytearray and memoryview are bytea; UUID is uuid;
    date is date; datetime is timestamp, or timestamptz if it has a time zone; time is time;
    the addresses and networks of ipaddress are network. A Key is itself. Integers, floats and
    booleans of numpy are taken as those of Python; so is any numbers.Integral, and a
    numbers.Real that is exactly a float.

    Two SQL types need their names, because drivers give values of them as those of another
    type: "real", since a float has more digits, and "bpchar" for char(n), since trailing
    blanks do not count in it.

    With the name of an SQL type, the value is a Python value that fits, or a string in the
    form in which PostgreSQL prints values of the type. The string ``"5"`` and the type
    ``"bigint"`` give the key of the number 5.

    The names, without a length, are boolean, smallint, integer, bigint,
    numeric, real, double precision, text, varchar, bpchar, name, bytea, uuid, oid, date,
    timestamp, timestamptz, time, inet, cidr, macaddr and macaddr8, and other names of these
    in PostgreSQL, such as int4 and timestamp with time zone. Keys that are arrays, rows or
    ranges come from the server: see Key.parse.

    TypeError: values of this Python type are not keys (of this type). ValueError: the value
    is malformed or out of range.
    """
    if type is not None:
        if value is None or _is_nat(value):
            raise _null(value)
        family, canonical = find_type(type)
        value = _builtin_number(value)
        return Key(family, 0, xxh3_64_intdigest(canonical(value)))
    return Key(*identify(value))


def identify(value: Any) -> Tuple[str, int, int]:
    """Family, subtype and hash of a Key, or of a value without a type.

    Errors are those of key().
    """
    if type(value) is Key:
        return value.family, value.subtype, value.hash
    encode = _NATIVE_ENCODERS.get(type(value)) or _inherited_encoder(value)
    family, data = encode(value)
    return family, 0, xxh3_64_intdigest(data)


# Of each Python type, what makes family and canonical bytes of its values. They stand
# together, because the time zone of a datetime decides the family.
_Encoder = Callable[[Any], Tuple[str, bytes]]


def _encode_datetime(value: datetime.datetime) -> Tuple[str, bytes]:
    if value.tzinfo is None:
        return "timestamp", _canonical.timestamp_of_datetime(value)
    if value.utcoffset() is None:
        raise ValueError("the time zone of a datetime does not tell its offset")
    return "timestamptz", _canonical.timestamptz_of_datetime(value)


_NATIVE_ENCODERS: Dict[type, _Encoder] = {
    bool: lambda value: ("boolean", _canonical.boolean(value)),
    int: lambda value: ("number", _canonical.number_of_int(value)),
    Decimal: lambda value: ("number", _canonical.number_of_decimal(value)),
    float: lambda value: ("float", _canonical.float_of_float(value)),
    str: lambda value: ("text", _canonical.text_of_str(value)),
    bytes: lambda value: ("bytea", value),
    bytearray: lambda value: ("bytea", bytes(value)),
    memoryview: lambda value: ("bytea", bytes(value)),
    uuid.UUID: lambda value: ("uuid", value.bytes),
    datetime.datetime: _encode_datetime,
    datetime.date: lambda value: ("date", _canonical.date_of_date(value)),
    datetime.time: lambda value: ("time", _canonical.time_of_time(value)),
    ipaddress.IPv4Address: lambda value: ("network", _canonical.network_of_address(value)),
    ipaddress.IPv6Address: lambda value: ("network", _canonical.network_of_address(value)),
    ipaddress.IPv4Interface: lambda value: ("network", _canonical.network_of_interface(value)),
    ipaddress.IPv6Interface: lambda value: ("network", _canonical.network_of_interface(value)),
    ipaddress.IPv4Network: lambda value: ("network", _canonical.network_of_network(value)),
    ipaddress.IPv6Network: lambda value: ("network", _canonical.network_of_network(value)),
}


def _inherited_encoder(value: Any) -> _Encoder:
    """The encoder of the type that the type of value is derived from."""
    if value is None or _is_nat(value):
        raise _null(value)
    for base in type(value).__mro__:
        encode = _NATIVE_ENCODERS.get(base)
        if encode is not None:
            return encode
    number = _builtin_number(value)
    if number is not value:
        return lambda _: _NATIVE_ENCODERS[type(number)](number)
    raise TypeError(
        f"a value of type {type(value).__name__} is not a key; "
        "key(value, type) takes strings with the name of an SQL type"
    )


def _builtin_number(value: Any) -> Any:
    """A number of another library, such as numpy, as a bool, int or float; or the value."""
    if isinstance(value, (int, float, str, Decimal)):
        return value
    # numpy's is no number to Python; its name has changed
    if type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    if isinstance(value, numbers.Integral):
        # not so numpy's timedelta64, of which this is a TypeError
        return operator.index(value)
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Rational):
        number = float(value)
        if number != value and value == value:
            raise ValueError(f"a float cannot be exactly {value!r}")
        return number
    return value


def _is_nat(value: Any) -> bool:
    """Is it the NaT of pandas, which stands for a missing datetime, and is none?"""
    return isinstance(value, datetime.date) and value != value


def _null(value: Any) -> TypeError:
    return TypeError(f"{value} is not a key: on the server, the answer about NULL is NULL")
