"""The text form of a filter: canonical base64, as the server reads and writes it."""

from __future__ import annotations

import binascii
import re

#: The server decodes text in pieces of this length, and so do we, to need no copy of all.
_PIECE = 1 << 20

NOT_BASE64 = "The value is not base64, without spaces and line breaks."
NOT_CANONICAL = (
    "The base64 is not canonical: unused bits must be zero, and nothing may follow padding."
)

_ALPHABET = re.compile("[A-Za-z0-9+/=]*")


class Malformed(Exception):
    """The text is not the base64 of anything; the argument is the server's reason."""


def decoded_length(text: str) -> int:
    """How many bytes text is the base64 of, if it is the base64 of any."""
    return len(text) // 4 * 3 - text.count("=", -2)


def decode(text: str) -> bytearray:
    """The bytes of which text is the base64; Malformed if there are none."""
    data = bytearray((len(text) + 3) // 4 * 3)
    length = 0
    for start in range(0, len(text), _PIECE):
        piece = text[start : start + _PIECE]
        is_last = start + _PIECE >= len(text)
        try:
            decoded = binascii.a2b_base64(piece)
        except ValueError:
            decoded = b""
        # what it ignores or completes, encoding does not bring back
        if encode(decoded) != piece:
            raise Malformed(_reason(piece) if is_last else NOT_BASE64)
        if piece.endswith("=") and not is_last:
            raise Malformed(NOT_BASE64)
        data[length : length + len(decoded)] = decoded
        length += len(decoded)
    del data[length:]
    return data


def _reason(piece: str) -> str:
    """Why the last piece is not what encode() makes."""
    # the server takes what follows a "=" in its place, and then finds it there
    may_be_padded = "=" in piece and piece.index("=") % 4 >= 2
    if len(piece) % 4 == 0 and may_be_padded and _ALPHABET.fullmatch(piece):
        return NOT_CANONICAL
    return NOT_BASE64


def encode(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode("ascii")
