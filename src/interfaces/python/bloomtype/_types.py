"""SQL types: the canonical bytes of a Python value, or of a printed value, of each type.

A string is taken only in the form in which PostgreSQL prints values of the type (with
DateStyle ISO). What the server would round, cut off or complete is refused: the value in
its table is another one then, and a filter would say "certainly not" for it.
"""

from __future__ import annotations

import datetime
import ipaddress
import math
import re
import reprlib
import struct
import uuid
from decimal import Decimal
from typing import Any, Callable, Dict, Match, Optional, Tuple

from . import _canonical

_Encoder = Callable[[Any], bytes]


def find_type(name: str) -> Tuple[str, _Encoder]:
    """The key family of the type with this name, and what makes canonical bytes of its
    values. That raises TypeError or ValueError if it cannot. ValueError: there is no such
    type.
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of an SQL type is a str, not {name!r}")
    found = _TYPES.get(name)
    if found is None:
        found = _TYPES.get(" ".join(name.lower().split()))
    if found is None:
        raise ValueError(f"type {name!r} is unknown, or its values are not keys")
    return found


def _wrong_type(value: Any, name: str) -> TypeError:
    return TypeError(f"a value of type {type(value).__name__} cannot be a key of type {name}")


def _malformed(value: Any, name: str) -> ValueError:
    return ValueError(f"invalid value for type {name}: {reprlib.repr(value)}")


def _out_of_range(value: Any, name: str) -> ValueError:
    return ValueError(f"value is out of range for type {name}: {reprlib.repr(value)}")


def _match(pattern: str, value: str, name: str) -> Match[str]:
    match = re.fullmatch(pattern, value)
    if match is None:
        raise _malformed(value, name)
    return match


def _boolean(value: Any) -> bytes:
    if isinstance(value, bool):
        return _canonical.boolean(value)
    if not isinstance(value, str):
        raise _wrong_type(value, "boolean")
    if value in ("t", "true"):
        return _canonical.boolean(True)
    if value in ("f", "false"):
        return _canonical.boolean(False)
    raise _malformed(value, "boolean")


def _whole(value: Any, name: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise _wrong_type(value, name)
    if isinstance(value, str):
        # no more digits than int() takes
        _match("[+-]?[0-9]{1,100}", value, name)
        value = int(value)
    if not low <= value <= high:
        raise _out_of_range(value, name)
    return value


def _smallint(value: Any) -> bytes:
    return _canonical.int64(_whole(value, "smallint", -1 << 15, (1 << 15) - 1))


def _integer(value: Any) -> bytes:
    return _canonical.int64(_whole(value, "integer", -1 << 31, (1 << 31) - 1))


def _bigint(value: Any) -> bytes:
    return _canonical.int64(_whole(value, "bigint", -1 << 63, (1 << 63) - 1))


def _oid(value: Any) -> bytes:
    # with a leading zero it is octal as of PostgreSQL 16, and decimal before
    if isinstance(value, str):
        _match("[+-]?(?:0|[1-9][0-9]*)", value, "oid")
    return struct.pack("<I", _whole(value, "oid", 0, (1 << 32) - 1))


# an exponent of more digits is out of range anyway
_DECIMAL = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?"
_NOT_FINITE = re.compile("nan|[+-]?inf(?:inity)?", re.ASCII | re.IGNORECASE)


def _numeric(value: Any) -> bytes:
    if isinstance(value, bool):
        raise _wrong_type(value, "numeric")
    if isinstance(value, int):
        return _canonical.number_of_int(value)
    if isinstance(value, str):
        if not _NOT_FINITE.fullmatch(value):
            _match(_DECIMAL, value, "numeric")
        value = Decimal(value)
    if not isinstance(value, Decimal):
        raise _wrong_type(value, "numeric")
    return _canonical.number_of_decimal(value)


def _finite_double(value: str, name: str) -> float:
    match = _match(_DECIMAL, value, name)
    double = float(value)
    has_digits = re.search("[1-9]", re.split("[eE]", match[0])[0]) is not None
    if math.isinf(double) or (double == 0.0 and has_digits):
        raise _out_of_range(value, name)
    return double


def _double_of_number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _wrong_type(value, name)
    if isinstance(value, float):
        return value
    try:
        double = float(value)
    except OverflowError:
        raise _out_of_range(value, name) from None
    if double != value:
        raise ValueError(f"a {name} cannot be exactly {reprlib.repr(value)}")
    return double


def _double(value: Any) -> bytes:
    if isinstance(value, str):
        if _NOT_FINITE.fullmatch(value):
            value = float(value)
        else:
            value = _finite_double(value, "double precision")
    return _canonical.float_of_float(_double_of_number(value, "double precision"))


def _real(value: Any) -> bytes:
    double: float
    if not isinstance(value, str):
        double = _double_of_number(value, "real")
    elif _NOT_FINITE.fullmatch(value):
        double = float(value)
    else:
        double = _round_to_odd(value, _finite_double(value, "real"))
    try:
        (rounded,) = struct.unpack("<f", struct.pack("<f", double))
    except OverflowError:
        raise _out_of_range(value, "real") from None
    if rounded == 0.0 and double != 0.0:
        raise _out_of_range(value, "real")
    return _canonical.float_of_float(rounded)


def _round_to_odd(text: str, nearest: float) -> float:
    """Of the two doubles around a decimal the one with an odd last bit. Unlike the nearest
    double, it can be rounded to a real like the decimal itself.
    """
    difference = Decimal(text).compare(Decimal.from_float(nearest))
    (bits,) = struct.unpack("<q", struct.pack("<d", nearest))
    if difference == 0 or bits & 1:
        return nearest
    return math.nextafter(nearest, math.copysign(math.inf, difference))


def _str(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise _wrong_type(value, name)
    return value


def _text(value: Any) -> bytes:
    return _canonical.text_of_str(_str(value, "text"))


def _bpchar(value: Any) -> bytes:
    return _canonical.text_of_str(_str(value, "character").rstrip(" "))


def _name(value: Any) -> bytes:
    data = _canonical.text_of_str(_str(value, "name"))
    # where the server cuts off a longer one depends on the encoding of the database
    if len(data) > 63:
        raise _out_of_range(value, "name")
    return data


def _bytea(value: Any) -> bytes:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    _match(r"\\x(?:[0-9a-fA-F]{2})*", _str(value, "bytea"), "bytea")
    return bytes.fromhex(value[2:])


def _uuid(value: Any) -> bytes:
    if isinstance(value, uuid.UUID):
        return value.bytes
    digits = "[0-9a-fA-F]"
    _match(f"{digits}{{8}}(?:-{digits}{{4}}){{3}}-{digits}{{12}}", _str(value, "uuid"), "uuid")
    return bytes.fromhex(value.replace("-", ""))


# Dates: the proleptic Gregorian calendar, from 24 November 4714 BC on, in days since
# 2000-01-01. Timestamps: in microseconds, to the end of the year 294276.

_FIRST_DAY = -2451545
_END_OF_DATES = 2147483494 - 2451545
_DAY = 24 * 60 * 60 * 1000000
_FIRST_MICROSECOND = _FIRST_DAY * _DAY
_END_OF_TIMESTAMPS = 9223371331200000000

_DATE = "(?P<year>[0-9]{4,7})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
_TIME = (
    "(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})"
    r"(?:\.(?P<fraction>[0-9]{1,6}))?"
)
_ZONE = (
    "(?:Z|(?P<sign>[+-])(?P<zone_hour>[0-9]{2})"
    "(?::(?P<zone_minute>[0-9]{2})(?::(?P<zone_second>[0-9]{2}))?)?)"
)
_ERA = "(?P<era> BC)?"


def _days(match: Match[str], name: str) -> int:
    year = int(match["year"])
    if year == 0:
        raise _malformed(match[0], name)
    if match["era"] is not None:
        year = 1 - year
    # the calendar repeats itself every 400 years, which have 146097 days
    cycles = (year - 2000) // 400
    try:
        date = datetime.date(year - 400 * cycles, int(match["month"]), int(match["day"]))
    except ValueError:
        raise _malformed(match[0], name) from None
    days = (date - datetime.date(2000, 1, 1)).days + 146097 * cycles
    if not _FIRST_DAY <= days < _END_OF_DATES:
        raise _out_of_range(match[0], name)
    return days


def _microseconds(match: Match[str], name: str) -> int:
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"])
    if hour > 24 or minute > 59 or second > 59:
        raise _malformed(match[0], name)
    fraction = (match["fraction"] or "").ljust(6, "0")
    microseconds = ((hour * 60 + minute) * 60 + second) * 1000000 + int(fraction)
    # 24:00:00 is the end of a day; only a time can be that
    if microseconds > _DAY or (microseconds == _DAY and name != "time"):
        raise _malformed(match[0], name)
    return microseconds


def _offset(match: Match[str], name: str) -> int:
    """The distance of a time zone from UTC, in microseconds."""
    if match["sign"] is None:
        return 0
    hour, minute, second = (
        int(match[part] or "0") for part in ("zone_hour", "zone_minute", "zone_second")
    )
    if hour > 15 or minute > 59 or second > 59:
        raise _malformed(match[0], name)
    offset = ((hour * 60 + minute) * 60 + second) * 1000000
    return -offset if match["sign"] == "-" else offset


def _infinity(value: str, bits: int) -> Optional[int]:
    """The largest and the smallest number of so many bits stand for infinity."""
    if value == "infinity":
        return (1 << (bits - 1)) - 1
    if value == "-infinity":
        return -1 << (bits - 1)
    return None


def _date(value: Any) -> bytes:
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return _canonical.date_of_date(value)
    text = _str(value, "date")
    days = _infinity(text, 32)
    if days is None:
        days = _days(_match(_DATE + _ERA, text, "date"), "date")
    return _canonical.int64(days)


def _any_timestamp(value: str, zone: str, name: str) -> bytes:
    microseconds = _infinity(value, 64)
    if microseconds is None:
        match = _match(f"{_DATE}[ T]{_TIME}{zone}{_ERA}", value, name)
        microseconds = _days(match, name) * _DAY + _microseconds(match, name)
        if zone:
            microseconds -= _offset(match, name)
        if not _FIRST_MICROSECOND <= microseconds < _END_OF_TIMESTAMPS:
            raise _out_of_range(value, name)
    return _canonical.int64(microseconds)


def _timestamp(value: Any) -> bytes:
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            raise ValueError("a timestamp without time zone cannot have a time zone")
        return _canonical.timestamp_of_datetime(value)
    return _any_timestamp(_str(value, "timestamp"), "", "timestamp")


def _timestamptz(value: Any) -> bytes:
    if isinstance(value, datetime.datetime):
        if value.utcoffset() is None:
            raise ValueError("a timestamp with time zone must have a time zone")
        return _canonical.timestamptz_of_datetime(value)
    return _any_timestamp(_str(value, "timestamptz"), _ZONE, "timestamptz")


def _time(value: Any) -> bytes:
    if isinstance(value, datetime.time):
        return _canonical.time_of_time(value)
    match = _match(_TIME, _str(value, "time"), "time")
    return _canonical.int64(_microseconds(match, "time"))


def _network(value: Any, name: str) -> bytes:
    if isinstance(value, (ipaddress.IPv4Interface, ipaddress.IPv6Interface)):
        return _canonical.network_of_interface(value)
    if isinstance(value, (ipaddress.IPv4Address, ipaddress.IPv6Address)):
        return _canonical.network_of_address(value)
    if isinstance(value, (ipaddress.IPv4Network, ipaddress.IPv6Network)):
        return _canonical.network_of_network(value)
    match = _match("([0-9a-fA-F.:]+)(?:/(0|[1-9][0-9]{0,2}))?", _str(value, name), name)
    try:
        if match[2] is None:
            return _canonical.network_of_address(ipaddress.ip_address(value))
        return _canonical.network_of_interface(ipaddress.ip_interface(value))
    except ValueError:
        raise _malformed(value, name) from None


def _inet(value: Any) -> bytes:
    return _network(value, "inet")


def _cidr(value: Any) -> bytes:
    data = _network(value, "cidr")
    bits_right = 8 * len(data[2:]) - data[1]
    if int.from_bytes(data[2:], "big") & ((1 << bits_right) - 1):
        raise ValueError(
            f"a cidr cannot have bits to the right of its mask: {reprlib.repr(value)}"
        )
    return data


def _widened(data: bytes) -> bytes:
    """A macaddr as its cast to macaddr8."""
    return data[:3] + b"\xff\xfe" + data[3:]


def _bytes_with_colons(value: Any, name: str, *lengths: int) -> bytes:
    _match("[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2})*", _str(value, name), name)
    data = bytes.fromhex(value.replace(":", ""))
    if len(data) not in lengths:
        raise _malformed(value, name)
    return data


def _macaddr(value: Any) -> bytes:
    return _widened(_bytes_with_colons(value, "macaddr", 6))


def _macaddr8(value: Any) -> bytes:
    data = _bytes_with_colons(value, "macaddr8", 6, 8)
    return data if len(data) == 8 else _widened(data)


_TYPES: Dict[str, Tuple[str, _Encoder]] = {
    "boolean": ("boolean", _boolean),
    "bool": ("boolean", _boolean),
    "smallint": ("number", _smallint),
    "int2": ("number", _smallint),
    "integer": ("number", _integer),
    "int": ("number", _integer),
    "int4": ("number", _integer),
    "bigint": ("number", _bigint),
    "int8": ("number", _bigint),
    "numeric": ("number", _numeric),
    "decimal": ("number", _numeric),
    "real": ("float", _real),
    "float4": ("float", _real),
    "double precision": ("float", _double),
    "float8": ("float", _double),
    "text": ("text", _text),
    "varchar": ("text", _text),
    "character varying": ("text", _text),
    "bpchar": ("text", _bpchar),
    "character": ("text", _bpchar),
    "name": ("text", _name),
    "bytea": ("bytea", _bytea),
    "uuid": ("uuid", _uuid),
    "oid": ("oid", _oid),
    "date": ("date", _date),
    "timestamp": ("timestamp", _timestamp),
    "timestamp without time zone": ("timestamp", _timestamp),
    "timestamptz": ("timestamptz", _timestamptz),
    "timestamp with time zone": ("timestamptz", _timestamptz),
    "time": ("time", _time),
    "time without time zone": ("time", _time),
    "inet": ("network", _inet),
    "cidr": ("network", _cidr),
    "macaddr": ("macaddr", _macaddr),
    "macaddr8": ("macaddr", _macaddr8),
}
