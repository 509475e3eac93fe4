"""Images: the bytes of a filter, read and checked as the server does, and written.

FORMAT.md describes every byte.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from typing import List, NamedTuple, Optional, Tuple, Type, Union

from . import _estimate, _families
from ._layers import (
    MAX_BYTES, RECORD, BitLayer, BucketLayer, Buffer, CounterLayer, Layer,
)

HEADER = struct.Struct("<BBBBBBHHHHHIQQd16s")
VERSION = 1
HASH_SCHEME = 1
MAX_LIST = 128
MAX_LAYERS = 64
MAX_GROWTH = 100
MAX_CAPACITY = (1 << 63) - 1

#: The number of keys cannot be estimated from the bits that two filters had in common.
FLAG_INTERSECTION = 1


class Kind(NamedTuple):
    """What the kinds of filters differ in: their name and their layers."""

    number: int
    name: str
    layer: Type[Layer]


BLOOM = Kind(1, "bloom", BitLayer)
COUNTING_BLOOM = Kind(2, "counting_bloom", CounterLayer)
CUCKOO = Kind(3, "cuckoo", BucketLayer)

KINDS = {kind.number: kind for kind in (BLOOM, COUNTING_BLOOM, CUCKOO)}


class Image:
    """The fields of the header; the hashes of the list, in ascending order; the layers."""

    __slots__ = ("kind", "growth", "flags", "family", "subtype", "capacity", "fpp", "hashes",
                 "layers")

    def __init__(self, kind: Kind, capacity: int, fpp: float, growth: int) -> None:
        self.kind = kind
        self.growth = growth
        self.flags = 0
        self.family = "none"
        self.subtype = 0
        self.capacity = capacity
        self.fpp = fpp
        self.hashes: List[int] = []
        self.layers: List[Layer] = []

    def count(self, hash_: int) -> int:
        """How many copies of a key there are at most. Of a set, 0 or 1."""
        # the last layer is the largest and has most of the keys
        for layer in reversed(self.layers):
            n = layer.count(hash_)
            if n:
                return n
        hashes = self.hashes
        if hashes:
            at = bisect_left(hashes, hash_)
            return int(at < len(hashes) and hashes[at] == hash_)
        return 0

    def keys(self) -> Optional[float]:
        """The number of keys, or None where it is unknown."""
        layers = self.layers
        if self.flags & FLAG_INTERSECTION or not all(layer.can_estimate_keys() for layer in layers):
            return None
        if len(layers) > 1:
            if self._has_merged_layers():
                return None
            return _estimate.keys_of_layers(
                [
                    _estimate.LayerKeys(
                        layer.fpp, float(layer.capacity), layer.bits_set > layer.full_at,
                        layer.keys(), layer.current_fpp(),
                    )
                    for layer in layers
                ],
                self.growth,
            )
        return sum((layer.keys() for layer in layers), float(len(self.hashes)))

    def _has_merged_layers(self) -> bool:
        """Has a union merged layers, as there were too many layers or blocks?"""
        blocks = sum(layer.bins for layer in self.layers)
        return (
            len(self.layers) == MAX_LAYERS or blocks > MAX_BYTES // 64 // 2
        ) and self.is_saturated()

    def current_fpp(self) -> float:
        # 1 - (1 - a)(1 - b), in a form that keeps tiny rates
        fpp = 0.0
        for layer in self.layers:
            fpp += layer.current_fpp() * (1.0 - fpp)
        return fpp

    def is_saturated(self) -> bool:
        return any(layer.is_saturated() for layer in self.layers)

    def length(self) -> int:
        return (
            HEADER.size
            + 8 * len(self.hashes)
            + sum(RECORD.size + layer.nbytes() for layer in self.layers)
        )

    def metadata(self) -> bytes:
        """All bytes but those of the bins."""
        header = HEADER.pack(
            self.kind.number, VERSION, HASH_SCHEME, HEADER.size, RECORD.size, self.growth,
            self.flags, _families.NAMES.index(self.family), len(self.hashes),
            len(self.layers), 0, self.subtype, 0, self.capacity, self.fpp, b"",
        )
        parts = [header]
        parts += [hash_.to_bytes(8, "little") for hash_ in self.hashes]
        parts += [layer.record() for layer in self.layers]
        return b"".join(parts)

    def to_bytes(self) -> bytes:
        parts: List[Union[bytes, memoryview]] = [self.metadata()]
        parts += [layer.view() for layer in self.layers]
        return b"".join(parts)

    def equals(self, other: Image) -> bool:
        """Are all bytes the same?"""
        return self.metadata() == other.metadata() and all(
            layer.has_bins_of(other_layer)
            for layer, other_layer in zip(self.layers, other.layers)
        )


class Refused(Exception):
    """There is no such image; the argument is the server's reason."""


def require(condition: bool, reason: str) -> None:
    if not condition:
        raise Refused(reason)


def read(data: Buffer, kind: Optional[Kind]) -> Image:
    """The image that data is, of this kind or, without one, of any; Refused if it is none.

    The image refers to data, which must not change.
    """
    image = _read_metadata(data, kind)
    require(
        all(a < b for a, b in zip(image.hashes, image.hashes[1:])),
        "The hashes of the list are not in ascending order.",
    )
    for layer in image.layers:
        require(layer.bins_are_valid(), layer.wrong_bins)
    return image


def _read_metadata(data: Buffer, kind: Optional[Kind]) -> Image:
    """All but the bins and the order of the list is checked."""
    image, list_length = _read_records(data, kind)
    length = HEADER.size + 8 * list_length
    length += sum(RECORD.size + layer.nbytes() for layer in image.layers)
    require(length == len(data), "Its length does not match what its header says.")
    image.hashes = list(struct.unpack_from(f"<{list_length}Q", data, HEADER.size))
    return image


def read_record(data: Buffer) -> Image:
    """The metadata of a bloom that has no list, from its header and layer record alone."""
    image, list_length = _read_records(data, BLOOM)
    require(list_length == 0, "The filter of a column has a list, or several layers.")
    return image


def _read_records(data: Buffer, kind: Optional[Kind]) -> Tuple[Image, int]:
    """The header and the layer records, whatever follows them, and the length of the list."""
    require(len(data) >= HEADER.size, "It is shorter than a header.")
    (
        kind_number, version, scheme, header_size, record_size, growth, flags, family_number,
        list_length, layer_count, reserved_1, subtype, salt, capacity, fpp, reserved_2,
    ) = HEADER.unpack_from(data)

    require(
        kind_number in KINDS and kind in (None, KINDS[kind_number]),
        "It is of another kind of filter.",
    )
    require(version == VERSION, "The format version is unknown.")
    require(scheme == HASH_SCHEME, "The hash scheme is unknown.")
    require(
        header_size == HEADER.size and record_size == RECORD.size,
        "The length of the header or of a layer record is wrong.",
    )
    require(growth <= MAX_GROWTH, "The growth factor is not between 0 and 100.")
    require(flags & ~FLAG_INTERSECTION == 0, "An unknown flag is set.")
    require(family_number < len(_families.NAMES), "The key family is unknown.")
    family = _families.NAMES[family_number]
    require(
        subtype == 0 or family in _families.NESTED,
        "A key family without parts has a subtype.",
    )
    require(1 <= capacity <= MAX_CAPACITY, "The capacity is not positive.")
    require(0.0 < fpp < 1.0, "The false-positive rate is not between 0 and 1.")
    require(salt == 0, "A salt is set, which this hash scheme does not have.")
    require(
        reserved_1 == 0 and not any(reserved_2), "Reserved bytes of the header are not zero."
    )
    require(list_length <= MAX_LIST, "The list is longer than 128 hashes.")
    require(layer_count <= MAX_LAYERS, "There are more than 64 layers.")
    require(list_length == 0 or layer_count == 0, "There are both a list and layers.")

    image = Image(KINDS[kind_number], capacity, fpp, growth)
    image.flags = flags
    image.family = family
    image.subtype = subtype
    require(
        image.kind is BLOOM or (growth == flags == list_length == 0 and layer_count <= 1),
        "This kind of filter has no growth, no flags, no list, and one layer at most.",
    )
    require(
        (family == "none") == (list_length == 0 and layer_count == 0),
        "There are keys without a key family, or the reverse.",
    )

    require(
        len(data) >= HEADER.size + layer_count * RECORD.size,
        "It is shorter than its layer records.",
    )
    offset = HEADER.size + list_length * 8 + layer_count * RECORD.size
    for number in range(layer_count):
        layer = _read_layer(data, HEADER.size + number * RECORD.size, image.kind)
        layer.data = data
        layer.offset = offset
        offset += layer.nbytes()
        image.layers.append(layer)

    require(
        image.kind is not CUCKOO
        or all(
            layer.capacity == capacity and layer.fpp == fpp for layer in image.layers
        ),
        "The capacity or rate of the layer is not that of the header.",
    )
    require(
        sum(layer.nbytes() for layer in image.layers) <= MAX_BYTES,
        "The layers together have more than 512 MB of blocks.",
    )
    return image, list_length


def _read_layer(data: Buffer, offset: int, kind: Kind) -> Layer:
    bins, key_bits, reserved_1, capacity, fpp, full_at, bits_set, reserved_2 = (
        RECORD.unpack_from(data, offset)
    )
    layer = kind.layer(bins, key_bits, capacity, fpp, full_at, bits_set)
    reason = layer.problem()
    if reason is not None:
        raise Refused(reason)
    require(1 <= capacity <= MAX_CAPACITY, "The capacity of a layer is not positive.")
    require(
        0.0 < fpp < 1.0, "The false-positive rate of a layer is not between 0 and 1."
    )
    require(kind is BLOOM or bits_set > 0, "There is a layer without keys.")
    require(
        not any(reserved_1) and not any(reserved_2),
        "Reserved bytes of a layer are not zero.",
    )
    return layer
