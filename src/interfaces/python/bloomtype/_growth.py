"""Adding keys to a bloom, by the rules of FORMAT.md, "Growth".

The size of a layer comes from the server: its model of false-positive rates, by which it
computes one, is not repeated here.
"""

from __future__ import annotations

import math
from bisect import insort
from typing import Any, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Union, cast

from ._errors import FilterFullError
from ._estimate import BLOCK_BITS
from ._image import BLOOM, MAX_CAPACITY, MAX_GROWTH, MAX_LIST, Image
from ._layers import MAX_BYTES, BitLayer, problem_of_blocks

_LEAST_CAPACITY_OF_SIZING = 2 * MAX_LIST


class Geometry(NamedTuple):
    """Blocks, probes and full_at of a layer, as bloom_sizing tells them."""

    blocks: int
    probes: int
    full_at: int


Sizing = Union[Mapping[str, Optional[int]], Sequence[Optional[int]]]


def create(capacity: int, fpp: float, growth: int) -> Image:
    """The image of bloom_create: a filter without keys. ValueError: there is none."""
    if not _is_whole(capacity) or not 1 <= capacity <= MAX_CAPACITY:
        raise ValueError(f"capacity must be a whole number from 1 to 2^63 - 1: {capacity!r}")
    fpp = float(fpp)
    if not 0.0 < fpp < 1.0:
        raise ValueError(
            f"false-positive rate must be greater than 0 and less than 1: {fpp!r}"
        )
    # of so many keys, an absent one has the hash of one at this rate
    if fpp < capacity / 2.0**64:
        raise ValueError(
            f"false-positive rate of {fpp:g} is too low for a capacity of {capacity}"
        )
    if not _is_whole(growth) or not 0 <= growth <= MAX_GROWTH:
        raise ValueError(f"growth must be a whole number from 0 to {MAX_GROWTH}: {growth!r}")
    return Image(BLOOM, capacity, fpp, growth)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def read_sizing(
    sizing: Optional[Sizing], capacity: int, fpp: float, growth: int
) -> Optional[Geometry]:
    """The geometry in a row of bloom_sizing, or None if it has none, as for a list.

    ValueError: it is no such row, or not of the layer that these parameters need.
    """
    if sizing is None:
        return None
    if isinstance(sizing, Mapping):
        sizing = [sizing[name] for name in Geometry._fields]
    if len(sizing) != 3:
        raise ValueError("a sizing has blocks, probes and full_at")
    blocks, probes, full_at = sizing
    if blocks is None and probes is None and full_at is None:
        return None
    if not (_is_whole(blocks) and _is_whole(probes) and _is_whole(full_at)):
        raise ValueError(
            "blocks, probes and full_at of a sizing are whole numbers; full_at is null where "
            "the filter would be larger than 512 MB"
        )
    assert blocks is not None and probes is not None and full_at is not None
    reason = problem_of_blocks(blocks, probes, full_at, MAX_BYTES // 64)
    if reason is not None or full_at < 0:
        raise ValueError(f"sizing is not one of bloom_sizing: {reason or 'full_at is negative'}")
    if _first_capacity(capacity, growth) != max(capacity, _LEAST_CAPACITY_OF_SIZING):
        raise ValueError(
            f"bloom_sizing({capacity}, ...) does not tell the size of the first layer for "
            f"growth {growth}: its capacity is {_first_capacity(capacity, growth)}, and not "
            f"{max(capacity, _LEAST_CAPACITY_OF_SIZING)}"
        )
    geometry = Geometry(blocks, probes, full_at)
    if not _may_be_full_with(geometry, _first_capacity(capacity, growth)):
        raise ValueError(
            f"sizing is not the one of bloom_sizing({capacity}, {fpp!r}): {blocks} blocks with "
            f"{probes} probes and full_at {full_at} are of another capacity"
        )
    return geometry


def _may_be_full_with(geometry: Geometry, capacity: int) -> bool:
    """Can a layer for so many keys have this full_at? It is the number of bits that the keys
    set on average and some standard deviations more, so that they find room.
    """
    blocks, probes, full_at = geometry
    bits = blocks * BLOCK_BITS
    set_by_key = -math.expm1(probes * math.log1p(-1.0 / BLOCK_BITS))
    mean = -bits * math.expm1(capacity * math.log1p(-set_by_key / blocks))
    return mean - 1.0 <= full_at <= mean + 4.0 * (math.sqrt(5.0 * bits) + 1.0) + 1.0


def add_one(image: Image, hash_: int, sizing: Optional[Geometry]) -> None:
    """Add a key; FilterFullError leaves the image as it was.

    The family of the image is set already.
    """
    if image.count(hash_):
        return
    if not image.layers:
        if len(image.hashes) < MAX_LIST:
            insort(image.hashes, hash_)
            return
        first = _first_layer(image, sizing)
        if first.is_full() and image.growth > 0:
            raise _filter_full()
        image.layers.append(first)
        image.hashes = []
    layer = _layer_for_key(image)
    if not isinstance(layer.data, bytearray):
        layer.data, layer.offset = bytearray(layer.view()), 0
    layer.add(hash_)


def add_many(image: Image, hashes: Iterable[int], sizing: Optional[Geometry]) -> Image:
    """The image with these keys added. The old one is unchanged, also by FilterFullError."""
    new = _copy(image)
    for hash_ in hashes:
        add_one(new, hash_, sizing)
    return new


def _copy(image: Image) -> Image:
    """An image of which everything can be changed."""
    new = Image(image.kind, image.capacity, image.fpp, image.growth)
    new.flags = image.flags
    new.family = image.family
    new.subtype = image.subtype
    new.hashes = list(image.hashes)
    for layer in image.layers:
        copied = BitLayer(
            layer.bins, layer.key_bits, layer.capacity, layer.fpp, layer.full_at,
            layer.bits_set,
        )
        copied.data = bytearray(layer.view())
        new.layers.append(copied)
    return new


def _first_capacity(capacity: int, growth: int) -> int:
    return max(capacity, growth * MAX_LIST, MAX_LIST)


def _first_layer(image: Image, sizing: Optional[Geometry]) -> BitLayer:
    """The layer that takes the place of a list, with the keys of the list."""
    if sizing is None:
        raise _filter_full()
    layer = BitLayer(
        sizing.blocks, sizing.probes, _first_capacity(image.capacity, image.growth), image.fpp,
        sizing.full_at, 0,
    )
    layer.data = bytearray(layer.nbytes())
    for hash_ in image.hashes:
        layer.add(hash_)
    return layer


def _layer_for_key(image: Image) -> BitLayer:
    """The first layer that is not full; of a filter of fixed size, the last if all are."""
    layers = cast(List[BitLayer], image.layers)
    for layer in layers:
        if not layer.is_full():
            return layer
    if image.growth > 0:
        raise _filter_full()
    return layers[-1]


def _filter_full() -> FilterFullError:
    return FilterFullError(
        "the filter is full: have the server build it with room for the keys that will come, "
        "bloom_agg(value, capacity, fpp), or add them there by bloom_add_all"
    )
