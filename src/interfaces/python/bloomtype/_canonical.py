"""Canonical bytes: what of a value is hashed. FORMAT.md, "Keys", defines them.

Each function takes values of one Python type and returns the canonical bytes of the family
that its name begins with. ValueError: there is no such key.
"""

from __future__ import annotations

import datetime
import ipaddress
import struct
from decimal import Decimal
from typing import Tuple, Union

Address = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]
Network = Union[ipaddress.IPv4Network, ipaddress.IPv6Network]

#: Digits that a numeric can have before and after the decimal point.
MAX_WHOLE_DIGITS = 131072
MAX_DECIMAL_PLACES = 16383

#: A larger whole number has more digits; to count them would take long.
_MAX_WHOLE_BITS = (10**MAX_WHOLE_DIGITS).bit_length()

_NAN = bytes.fromhex("000000000000f87f")
_MICROSECOND = datetime.timedelta(microseconds=1)
_EPOCH = datetime.datetime(2000, 1, 1)
_EPOCH_UTC = _EPOCH.replace(tzinfo=datetime.timezone.utc)
_EPOCH_DAY = _EPOCH.toordinal()
_pack_double = struct.Struct("<d").pack


def int64(value: int) -> bytes:
    """A whole number within bigint; OverflowError for others."""
    return value.to_bytes(8, "little", signed=True)


def boolean(value: bool) -> bytes:
    return b"\1" if value else b"\0"


def number_of_int(value: int) -> bytes:
    try:
        return value.to_bytes(8, "little", signed=True)
    except OverflowError:
        if value.bit_length() > _MAX_WHOLE_BITS:
            raise _overflow() from None
        return number_of_decimal(Decimal(value))


def number_of_decimal(value: Decimal) -> bytes:
    """A whole number within bigint as such, any other as its shortest decimal."""
    if value.is_nan():
        return b"NaN"
    if value.is_infinite():
        return b"-Infinity" if value < 0 else b"Infinity"
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    if -exponent > MAX_DECIMAL_PLACES:
        raise _overflow()
    if not value:
        return int64(0)
    if value.adjusted() >= MAX_WHOLE_DIGITS:
        raise _overflow()
    decimal = format(value, "f")
    if "." in decimal:
        decimal = decimal.rstrip("0").rstrip(".")
    if "." not in decimal and len(decimal) <= 20:
        try:
            return int64(int(decimal))
        except OverflowError:
            pass
    return decimal.encode("ascii")


def float_of_float(value: float) -> bytes:
    if value != value:
        return _NAN
    return _pack_double(value + 0.0)  # no -0


def text_of_str(value: str) -> bytes:
    if "\0" in value:
        raise ValueError("a text cannot have the character NUL")
    try:
        return value.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("a text cannot have a surrogate without its other half") from None


def _check_finite(value: datetime.date, ends: Tuple[datetime.date, datetime.date]) -> None:
    """Some drivers give -infinity as the first value that Python has, and infinity as the last."""
    if value in ends:
        raise ValueError(
            f"{value} may stand for infinity; use key(text, type), as in key('infinity', 'date')"
        )


def date_of_date(value: datetime.date) -> bytes:
    _check_finite(value, (datetime.date.min, datetime.date.max))
    return int64(value.toordinal() - _EPOCH_DAY)


def timestamp_of_datetime(value: datetime.datetime) -> bytes:
    """A datetime without a time zone."""
    _check_finite(value, (datetime.datetime.min, datetime.datetime.max))
    _check_microseconds(value)
    return int64((value - _EPOCH) // _MICROSECOND)


def timestamptz_of_datetime(value: datetime.datetime) -> bytes:
    """A datetime with a time zone."""
    _check_finite(value.replace(tzinfo=None), (datetime.datetime.min, datetime.datetime.max))
    _check_microseconds(value)
    return int64((value - _EPOCH_UTC) // _MICROSECOND)


def time_of_time(value: datetime.time) -> bytes:
    if value.tzinfo is not None:
        raise ValueError("a time with a time zone is not a key")
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return int64(seconds * 1000000 + value.microsecond)


def network_of_address(value: Address) -> bytes:
    _check_scope(value)
    return bytes((value.version, value.max_prefixlen)) + value.packed


def network_of_interface(
    value: Union[ipaddress.IPv4Interface, ipaddress.IPv6Interface]
) -> bytes:
    _check_scope(value)
    return bytes((value.version, value.network.prefixlen)) + value.packed


def network_of_network(value: Network) -> bytes:
    _check_scope(value.network_address)
    return bytes((value.version, value.prefixlen)) + value.network_address.packed


def _overflow() -> ValueError:
    return ValueError("value overflows numeric format")


def _check_microseconds(value: datetime.datetime) -> None:
    # the timestamps of pandas are datetimes
    if getattr(value, "nanosecond", 0):
        raise ValueError("a timestamp cannot have nanoseconds")


def _check_scope(value: Address) -> None:
    if getattr(value, "scope_id", None) is not None:
        raise ValueError("an address cannot have a zone")
