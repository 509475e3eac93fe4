"""The bytes of a matrix of filters, read and checked as the server does.

FORMAT.md describes every byte. The bits of many columns are looked at together, as numbers of
many bits; of a column, nothing is kept but the bytes of the image.
"""

from __future__ import annotations

import struct
from itertools import zip_longest
from typing import Dict, Iterator, List, Tuple

from . import _families, _image
from ._estimate import BLOCK_BITS
from ._image import HASH_SCHEME, VERSION, Image, require
from ._layers import MASK, MAX_BYTES, MAX_PROBES, MULTIPLIER, RECORD, Buffer, is_size_class

KIND = 4

_HEADER = struct.Struct("<BBBBBBHHHIIQI28s")
_RECORD_BYTES = _image.HEADER.size + RECORD.size
_MAX_BLOCKS = MAX_BYTES // 64

# Offsets in the record of a column
_LAYERS = struct.Struct("<H"), 12
_BLOCKS = struct.Struct("<I"), 60
_BITS_SET = struct.Struct("<Q"), 92

#: The bits of so many columns are checked at a time, of one block.
_TILE_COLUMNS = 1 << 15

#: For each bit of a byte, a table that makes the byte its digit, 0 or 1.
_DIGITS = [bytes(ord("0") + (byte >> bit & 1) for byte in range(256)) for bit in range(8)]


class MatrixImage:
    """What the header says, and where the slices are. The other fields are read when needed."""

    __slots__ = ("data", "family", "subtype", "blocks", "probes", "columns", "slice_bytes",
                 "slices")

    def __init__(self, data: Buffer, family: str, subtype: int, blocks: int, probes: int,
                 columns: int) -> None:
        self.data = data
        self.family = family
        self.subtype = subtype
        self.blocks = blocks
        self.probes = probes
        self.columns = columns
        self.slice_bytes = (columns + 63) // 64 * 8
        self.slices = (self.record_offset(columns) + 4 + 63) // 64 * 64 - 4

    def length(self) -> int:
        return self.slices + self.blocks * BLOCK_BITS * self.slice_bytes

    def record_offset(self, column: int) -> int:
        return _HEADER.size + self.columns * 8 + column * _RECORD_BYTES

    def id(self, column: int) -> int:
        at = _HEADER.size + column * 8
        return int.from_bytes(self.data[at : at + 8], "little", signed=True)

    def ids(self) -> List[int]:
        return list(struct.unpack_from(f"<{self.columns}q", self.data, _HEADER.size))

    def find(self, id_: int) -> int:
        """The number of the column with this id, or -1."""
        low, high = 0, self.columns
        while low < high:
            middle = (low + high) // 2
            if self.id(middle) < id_:
                low = middle + 1
            else:
                high = middle
        return low if low < self.columns and self.id(low) == id_ else -1

    def record(self, column: int) -> Image:
        """The metadata of the filter of a column, which has one layer or none."""
        at = self.record_offset(column)
        return _image.read_record(self.data[at : at + _RECORD_BYTES])

    def records(self) -> Iterator[Image]:
        return map(self.record, range(self.columns))

    def search(self, hash_: int) -> List[int]:
        """The ids of the columns that may have a key."""
        data, size = self.data, self.slice_bytes
        block = self.slices + ((hash_ >> 32) * self.blocks >> 32) * BLOCK_BITS * size
        found = (1 << self.columns) - 1
        x = hash_
        for _ in range(self.probes):
            x = x * MULTIPLIER & MASK
            at = block + (x >> 55) * size
            found &= int.from_bytes(data[at : at + size], "little")
        return [
            self.id(at * 8 + bit)
            for at, byte in enumerate(found.to_bytes(size, "little")) if byte
            for bit in range(8) if byte >> bit & 1
        ]

    def filter(self, column: int) -> bytes:
        """The image of the filter of a column; one that was widened is narrowed."""
        at = self.record_offset(column)
        if _get(self.data, at, _LAYERS) == 0:
            return bytes(self.data[at : at + _image.HEADER.size])
        blocks = _get(self.data, at, _BLOCKS)
        size = self.slice_bytes
        step = self.blocks // blocks * BLOCK_BITS * size
        digits = _DIGITS[column % 8]
        parts = [bytes(self.data[at : at + _RECORD_BYTES])]
        for start in range(self.slices + column // 8, self.length(), step):
            bits = self.data[start : start + BLOCK_BITS * size : size].translate(digits)
            parts.append(int(bits[::-1], 2).to_bytes(BLOCK_BITS // 8, "little"))
        return b"".join(parts)


def read(data: Buffer) -> MatrixImage:
    """The matrix that data is, which must not change; Refused if it is none.

    The blocks and probes of a matrix in which no column has keys may be any, unlike in the
    server, which computes them: no answer depends on them.
    """
    image = _read_header(data)
    _check_records(image)
    records_end = image.record_offset(image.columns)
    require(
        not any(data[records_end : image.slices]),
        "The bytes between the records and the slices are not zero.",
    )
    for first in range(0, image.columns, _TILE_COLUMNS):
        require(
            _tile_is_valid(image, first, min(_TILE_COLUMNS, image.columns - first)),
            "The bits of a column are not what its record says.",
        )
    return image


def _read_header(data: Buffer) -> MatrixImage:
    require(len(data) >= _HEADER.size, "It is shorter than a header.")
    (
        kind, version, scheme, header_size, record_size, probes, reserved_1, family_number,
        reserved_2, columns, subtype, salt, blocks, reserved_3,
    ) = _HEADER.unpack_from(data)

    require(kind == KIND, "It is not a matrix of filters.")
    require(version == VERSION, "The format version is unknown.")
    require(scheme == HASH_SCHEME, "The hash scheme is unknown.")
    require(
        header_size == _HEADER.size and record_size == _RECORD_BYTES,
        "The length of the header or of a column's record is wrong.",
    )
    require(family_number < len(_families.NAMES), "The key family is unknown.")
    family = _families.NAMES[family_number]
    require(
        subtype == 0 or family in _families.NESTED,
        "A key family without parts has a subtype.",
    )
    require(salt == 0, "A salt is set, which this hash scheme does not have.")
    require(
        reserved_1 == reserved_2 == 0 and not any(reserved_3),
        "Reserved bytes of the header are not zero.",
    )
    if columns == 0:
        require(
            family == "none" and blocks == 0 and probes == 0,
            "A matrix without columns has keys, blocks or probes.",
        )
    else:
        require(
            1 <= blocks <= _MAX_BLOCKS and is_size_class(blocks),
            "The number of blocks is not possible.",
        )
        require(
            1 <= probes <= MAX_PROBES, "The number of probes is not between 1 and 24."
        )
    image = MatrixImage(data, family, subtype, blocks, probes, columns)
    require(image.length() <= MAX_BYTES, "It would have more than 512 MB.")
    require(image.length() == len(data), "Its length does not match what its header says.")
    return image


def _check_records(image: MatrixImage) -> None:
    most_blocks = 0
    for column in range(image.columns):
        require(
            column == 0 or image.id(column - 1) < image.id(column),
            "The ids are not in ascending order.",
        )
        record = image.record(column)
        if not record.layers:
            at = image.record_offset(column)
            require(
                not any(image.data[at + _image.HEADER.size : at + _RECORD_BYTES]),
                "A column without keys has the record of a layer.",
            )
            continue
        layer = record.layers[0]
        require(
            record.family == image.family and record.subtype == image.subtype,
            "The keys of a column are of another family than those of the matrix.",
        )
        require(
            layer.key_bits == image.probes,
            "A column has another number of probes than the matrix.",
        )
        require(
            image.blocks % layer.bins == 0,
            "The number of blocks of a column does not divide that of the matrix.",
        )
        most_blocks = max(most_blocks, layer.bins)
    if most_blocks == 0:
        require(image.family == "none", "There is a key family, but no column has keys.")
    else:
        require(
            most_blocks == image.blocks, "No column has as many blocks as the matrix."
        )


def _get(data: Buffer, record: int, field: Tuple[struct.Struct, int]) -> int:
    format_, offset = field
    value: int = format_.unpack_from(data, record + offset)[0]
    return value


def _tile_is_valid(image: MatrixImage, first: int, columns: int) -> bool:
    """Have the columns from first on, a multiple of 64, the bits that their records say?"""
    nbytes = (columns + 63) // 64 * 8
    bits_set = [0] * (nbytes * 8)
    # for each ratio, the columns whose blocks are repeated so often
    ratios: Dict[int, int] = {1: (1 << nbytes * 8) - 1}
    for i in range(columns):
        at = image.record_offset(first + i)
        if _get(image.data, at, _LAYERS) > 0:
            bits_set[i] = _get(image.data, at, _BITS_SET)
            ratio = image.blocks // _get(image.data, at, _BLOCKS)
            if ratio > 1:
                ratios[1] ^= 1 << i
                ratios[ratio] = ratios.get(ratio, 0) | 1 << i

    totals: List[int] = []
    before = 0
    for block in range(image.blocks):
        bits = int.from_bytes(_rows(image, block, first // 8, nbytes), "little")
        new = bits
        copied = sum(columns for ratio, columns in ratios.items() if block % ratio)
        if copied:
            repeated = int.from_bytes(copied.to_bytes(nbytes, "little") * BLOCK_BITS, "little")
            if (bits ^ before) & repeated:
                return False
            new ^= bits & repeated
        before = bits
        totals = _add(totals, _count_in_columns(new, nbytes * 8))

    digits = [plane.to_bytes(nbytes, "little") for plane in totals]
    return all(
        expected == sum(
            (plane[i >> 3] >> (i & 7) & 1) << place for place, plane in enumerate(digits)
        )
        for i, expected in enumerate(bits_set)
    )


def _rows(image: MatrixImage, block: int, offset: int, nbytes: int) -> Buffer:
    """So many bytes of each slice of a block, from an offset in the slice on."""
    data, size = image.data, image.slice_bytes
    start = image.slices + block * BLOCK_BITS * size + offset
    if nbytes == size:
        return data[start : start + BLOCK_BITS * size]
    return b"".join(
        data[at : at + nbytes] for at in range(start, start + BLOCK_BITS * size, size)
    )


def _count_in_columns(bits: int, width: int) -> List[int]:
    """How many of 512 rows have the bit of each column: number i has bit i of the counts."""
    counts = [bits]
    rows = BLOCK_BITS
    while rows > 1:
        rows //= 2
        mask = (1 << rows * width) - 1
        counts = _add(
            [plane & mask for plane in counts], [plane >> rows * width for plane in counts]
        )
    return counts


def _add(a: List[int], b: List[int]) -> List[int]:
    """The sums of counts, all columns at a time."""
    sums = []
    carry = 0
    for x, y in zip_longest(a, b, fillvalue=0):
        either = x ^ y
        sums.append(either ^ carry)
        carry = x & y | carry & either
    if carry:
        sums.append(carry)
    return sums
