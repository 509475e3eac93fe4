"""Layers: where the bits of a key are in blocks, counters or buckets.

A layer has bins: blocks of 512 bits, blocks of 512 counters of 4 bits, or buckets of four
fingerprints. FORMAT.md defines them.
"""

from __future__ import annotations

import struct
import sys
from typing import ClassVar, Iterator, Optional, Union

from . import _estimate
from ._estimate import BLOCK_BITS
from ._xxh3 import xxh3_64_intdigest

Buffer = Union[bytes, bytearray]

MAX_BYTES = 1 << 29
MAX_PROBES = 24

#: A counter that has reached this number stays there.
MAX_COUNTER = 15

RECORD = struct.Struct("<IB3sQdQQ24s")

MULTIPLIER = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1

#: Bins are checked in pieces of about so many bytes, which stay in the cache.
_PIECE = 1 << 16

if sys.version_info >= (3, 10):
    _count_ones = int.bit_count
else:

    def _count_ones(number: int) -> int:
        return bin(number).count("1")


class Layer:
    """A layer: the fields of its record, and its bins, which begin at offset in data.

    ``bins`` is their number, ``key_bits`` the number of probes or the bits of a
    fingerprint, ``bits_set`` the number of bits set, counters above zero or fingerprints.
    """

    #: Bits, counters or places of a bin.
    places: ClassVar[int]
    #: The reason for which bins are refused that are not as the record says.
    wrong_bins: ClassVar[str]

    __slots__ = ("bins", "key_bits", "capacity", "fpp", "full_at", "bits_set", "data", "offset")

    def __init__(
        self, bins: int, key_bits: int, capacity: int, fpp: float, full_at: int, bits_set: int
    ) -> None:
        self.bins = bins
        self.key_bits = key_bits
        self.capacity = capacity
        self.fpp = fpp
        self.full_at = full_at
        self.bits_set = bits_set
        self.data: Buffer = b""
        self.offset = 0

    def record(self) -> bytes:
        return RECORD.pack(
            self.bins, self.key_bits, b"", self.capacity, self.fpp, self.full_at,
            self.bits_set, b"",
        )

    def nbytes(self) -> int:
        """The length of the bins in bytes."""
        raise NotImplementedError

    def view(self) -> memoryview:
        """The bytes of the bins."""
        return memoryview(self.data)[self.offset : self.offset + self.nbytes()]

    def problem(self) -> Optional[str]:
        """Why the record cannot be, or None. The reasons are the server's, in its order."""
        raise NotImplementedError

    def bins_are_valid(self) -> bool:
        """Are the bins as the record says?"""
        raise NotImplementedError

    def count(self, hash_: int) -> int:
        """How many copies of a key there are at most. Of bits, 0 or 1."""
        raise NotImplementedError

    def keys(self) -> float:
        """The number of keys, as far as the bins tell."""
        raise NotImplementedError

    def can_estimate_keys(self) -> bool:
        """Is keys() about the number of keys, and not only a lower bound?"""
        raise NotImplementedError

    def current_fpp(self) -> float:
        """The share of absent keys that are found."""
        raise NotImplementedError

    def is_saturated(self) -> bool:
        """Are there more keys than the layer was made for?"""
        raise NotImplementedError

    def has_bins_of(self, other: Layer) -> bool:
        """Are the bytes of the bins the same? Both layers have as many."""
        # a memoryview compares one byte after the other
        return all(
            bytes(piece) == bytes(other_piece)
            for piece, other_piece in zip(self._pieces(_PIECE), other._pieces(_PIECE))
        )

    def _pieces(self, size: int) -> Iterator[memoryview]:
        view = self.view()
        for start in range(0, len(view), size):
            yield view[start : start + size]


def is_size_class(blocks: int) -> bool:
    """Has the number the form m * 2^s with m < 128?"""
    # all bits but the upper seven are zero
    unused_bits = max(0, blocks.bit_length() - 7)
    return blocks & ((1 << unused_bits) - 1) == 0


def problem_of_blocks(blocks: int, probes: int, full_at: int, max_blocks: int) -> Optional[str]:
    """Why blocks of this geometry cannot be, or None."""
    if not 1 <= blocks <= max_blocks or not is_size_class(blocks):
        return "The number of blocks of a layer is not possible."
    if not 1 <= probes <= MAX_PROBES:
        return "The number of probes of a layer is not between 1 and 24."
    if full_at >= blocks * BLOCK_BITS:
        return "The limit of a layer on bits set is as high as its number of bits."
    return None


class BlockLayer(Layer):
    """Blocks, of bits or of counters: a counter above zero is as a bit that is set. All bits
    of a key are in one block.
    """

    places = BLOCK_BITS
    block_bytes: ClassVar[int]

    __slots__ = ()

    def nbytes(self) -> int:
        return self.bins * self.block_bytes

    def problem(self) -> Optional[str]:
        reason = problem_of_blocks(
            self.bins, self.key_bits, self.full_at, MAX_BYTES // self.block_bytes
        )
        if reason is None and self.bits_set > self.bins * BLOCK_BITS:
            reason = "A layer claims more bits set than it has."
        return reason

    def keys(self) -> float:
        return _estimate.keys_of_bits(self.bins, self.key_bits, self.bits_set)

    def can_estimate_keys(self) -> bool:
        # the logarithm of fewer unset bits says too little
        return self.bins * BLOCK_BITS - self.bits_set >= 100

    def current_fpp(self) -> float:
        return _estimate.fpp_of_bits(self.bins, self.key_bits, self.bits_set)

    def is_saturated(self) -> bool:
        # the key that made the layer full may have set all its probes
        return (
            self.bits_set > self.full_at + self.key_bits
            or self.bits_set == self.bins * BLOCK_BITS
        )


class BitLayer(BlockLayer):
    """Blocks of bits."""

    wrong_bins = "The number of bits set in a layer is not what its record says."
    block_bytes = 64

    __slots__ = ()

    def bins_are_valid(self) -> bool:
        return self.bits_set == sum(
            _count_ones(int.from_bytes(piece, "little")) for piece in self._pieces(_PIECE)
        )

    def count(self, hash_: int) -> int:
        data = self.data
        block = self.offset + ((hash_ >> 32) * self.bins >> 32) * 64
        x = hash_
        for _ in range(self.key_bits):
            x = x * MULTIPLIER & MASK
            if not data[block + (x >> 58)] >> (x >> 55 & 7) & 1:
                return 0
        return 1

    def is_full(self) -> bool:
        return self.bits_set > self.full_at

    def add(self, hash_: int) -> None:
        """Set the bits of a key. The data must be a bytearray of this layer alone."""
        data = self.data
        assert isinstance(data, bytearray)
        block = self.offset + ((hash_ >> 32) * self.bins >> 32) * 64
        x = hash_
        for _ in range(self.key_bits):
            x = x * MULTIPLIER & MASK
            at = block + (x >> 58)
            bit = 1 << (x >> 55 & 7)
            if not data[at] & bit:
                data[at] |= bit
                self.bits_set += 1


class CounterLayer(BlockLayer):
    """Blocks of counters of four bits."""

    wrong_bins = (
        "The number of counters above zero is not what the record of the layer says."
    )
    block_bytes = 256

    __slots__ = ()

    # for each byte, how many of its two counters are above zero
    _ABOVE_ZERO = bytes((byte & 15 > 0) + (byte >> 4 > 0) for byte in range(256))

    def bins_are_valid(self) -> bool:
        above_zero = 0
        for piece in self._pieces(_PIECE):
            counts = bytes(piece).translate(self._ABOVE_ZERO)
            above_zero += counts.count(1) + 2 * counts.count(2)
        return self.bits_set == above_zero

    def count(self, hash_: int) -> int:
        data = self.data
        block = self.offset + ((hash_ >> 32) * self.bins >> 32) * 256
        smallest = MAX_COUNTER
        x = hash_
        for _ in range(self.key_bits):
            x = x * MULTIPLIER & MASK
            counter = data[block + (x >> 56)] >> (x >> 53 & 4) & 15
            if counter < smallest:
                if counter == 0:
                    return 0
                smallest = counter
        return smallest


class BucketLayer(Layer):
    """Buckets of four fingerprints. A fingerprint is in one of two buckets of its key."""

    places = 4
    wrong_bins = (
        "The buckets are not as full as the record of the layer says, or not in order."
    )

    __slots__ = ()

    def nbytes(self) -> int:
        # in whole words
        return (self.bins * 4 * self.key_bits + 63) // 64 * 8

    def problem(self) -> Optional[str]:
        if not 1 <= self.key_bits <= 32:
            return "The length of a fingerprint is not between 1 and 32 bits."
        if self.bins < 2 or self.bins % 2 or self.nbytes() > MAX_BYTES:
            return "The number of buckets is not possible."
        if self.full_at != 0:
            return "A cuckoo filter has a limit on bits set."
        if self.bits_set > self.bins * 4:
            return "There are more fingerprints than places."
        return None

    def bins_are_valid(self) -> bool:
        # A piece is one large number, of which all places are looked at together. Two
        # buckets are key_bits bytes.
        f = self.key_bits
        pairs = min(self.bins // 2, _PIECE // f)
        top = _repeated(sum(1 << (f * place + f - 1) for place in range(8)), f, pairs)
        not_last = _repeated(
            sum(1 << (f * place + f - 1) for place in (0, 1, 2, 4, 5, 6)), f, pairs
        )
        low = _repeated(
            sum(((1 << (f - 1)) - 1) << (f * place) for place in range(8)), f, pairs
        )
        view = self.view()
        end = self.bins // 2 * f
        stored = 0
        for start in range(0, end, pairs * f):
            places = int.from_bytes(view[start : min(start + pairs * f, end)], "little")
            # the top bit of each place that is not 0: the addition carries into it
            taken = (((places & low) + low) | places) & top
            # taken, but the place before it in the bucket is not
            if taken >> f & not_last & ~taken:
                return False
            stored += _count_ones(taken)
        return stored == self.bits_set and not any(view[end:])

    def count(self, hash_: int) -> int:
        f = self.key_bits
        buckets = self.bins
        fingerprint = 1 + ((hash_ & 0xFFFFFFFF) * ((1 << f) - 1) >> 32)
        first = (hash_ >> 32) * buckets >> 32
        spread = xxh3_64_intdigest(fingerprint.to_bytes(4, "little"))
        second = (((spread >> 32) * buckets >> 32 | 1) - first) % buckets
        return self._count_in(first, fingerprint) + self._count_in(second, fingerprint)

    def _count_in(self, bucket: int, fingerprint: int) -> int:
        f = self.key_bits
        start, shift = divmod(bucket * 4 * f, 8)
        start += self.offset
        places = int.from_bytes(self.data[start : start + f // 2 + 2], "little") >> shift
        mask = (1 << f) - 1
        return (
            (places & mask == fingerprint)
            + (places >> f & mask == fingerprint)
            + (places >> 2 * f & mask == fingerprint)
            + (places >> 3 * f & mask == fingerprint)
        )

    def keys(self) -> float:
        return float(self.bits_set)

    def can_estimate_keys(self) -> bool:
        return True

    def current_fpp(self) -> float:
        return _estimate.fpp_of_fingerprints(self.bins, self.key_bits, self.bits_set)

    def is_saturated(self) -> bool:
        return self.bits_set > self.capacity


def _repeated(number: int, nbytes: int, times: int) -> int:
    """The number with so many bytes, repeated."""
    return int.from_bytes(number.to_bytes(nbytes, "little") * times, "little")
