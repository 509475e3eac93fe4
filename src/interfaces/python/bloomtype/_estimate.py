"""Estimates of the number of keys of a layer, and of its false-positive rate.

The same arithmetic as in the server, whose src/core/estimate.c and src/core/sizing.c explain it.
"""

from __future__ import annotations

import math
from typing import Dict, List, NamedTuple, Optional, Sequence

BLOCK_BITS = 512

#: From this load on, all bits of a block are set, to within the precision of a double.
_MAX_LOAD = 40 * BLOCK_BITS

#: Where a smaller share of keys was added to a layer, the rates of the earlier layers, which
#: are not quite independent, are multiplied too often.
_LEAST_PASSED = 0.5

#: Of fewer blocks, the Poisson distribution has crowded ones that few keys cannot make.
_FEW_BLOCKS = 16


def keys_of_bits(blocks: int, probes: int, bits_set: int) -> float:
    """The number of keys that set so many bits of so many blocks."""
    bits = float(blocks * BLOCK_BITS)
    # with all bits set, any number of keys would do: name the least
    set_ = min(float(bits_set), bits - 0.5)
    set_by_key = -math.expm1(probes * math.log1p(-1.0 / BLOCK_BITS))
    return math.log1p(-set_ / bits) / math.log1p(-set_by_key / blocks)


class LayerKeys(NamedTuple):
    """Of a layer: fields of its record, whether it is full, its number of keys and its rate."""

    fpp: float
    capacity: float
    is_full: bool
    keys: float
    rate: float


def keys_of_layers(layers: Sequence[LayerKeys], growth: int) -> Optional[float]:
    """The number of keys that were added to layers; None if more than half of those of a layer
    are not in it.

    A key that seems present in an earlier layer is not added to a later one. The earlier ones
    are full layers with the fpp of the layer, doubled once or several times, and with a capacity
    that fits. Layers with the same fpp are those of several filters, that a union put side by
    side: they are averaged.
    """
    with_fpp: Dict[float, List[LayerKeys]] = {}
    for layer in layers:
        with_fpp.setdefault(layer.fpp, []).append(layer)

    def is_next(layer: LayerKeys) -> bool:
        return any(
            before.capacity * growth == layer.capacity
            for before in with_fpp.get(2.0 * layer.fpp, ())
        )

    def fits(grown: float, layer: LayerKeys) -> bool:
        if not any(map(is_next, with_fpp[layer.fpp])):
            return True
        return grown == layer.capacity if is_next(layer) else grown <= layer.capacity

    added = 0.0
    for layer in layers:
        passed = 1.0
        fpp = layer.fpp * 2.0
        factor = float(growth)
        while fpp < 1.0 and growth > 0:
            before = [
                other for other in with_fpp.get(fpp, ())
                if other.is_full and fits(other.capacity * factor, layer)
            ]
            n = sum(other.keys for other in before)
            if n > 0.0:
                passed *= sum(other.keys * (1.0 - other.rate) for other in before) / n
            fpp *= 2.0
            factor *= growth
        if not passed >= _LEAST_PASSED:
            return None
        added += layer.keys / passed
    return added


def fpp_of_bits(blocks: int, probes: int, bits_set: int) -> float:
    """The share of absent keys that are found where so many bits are set."""
    bits = blocks * BLOCK_BITS
    if bits_set == 0:
        return 0.0
    if bits_set == bits:
        return 1.0
    if blocks == 1:
        return _power(bits_set / bits, probes)
    keys = keys_of_bits(blocks, probes, bits_set)
    if blocks < _FEW_BLOCKS:
        return _mean_over_binomial_loads(keys, blocks, probes)
    if keys / blocks > _MAX_LOAD:
        return 1.0
    return _mean_over_poisson_loads(keys / blocks, probes)


def fpp_of_fingerprints(buckets: int, bits: int, fingerprints: int) -> float:
    """The share of absent keys that are found in a cuckoo filter, where a fingerprint has
    so many bits.
    """
    if bits == 1:
        return 1.0 if fingerprints > 0 else 0.0  # all fingerprints are equal
    compared = 2.0 * fingerprints / buckets
    return -math.expm1(compared * math.log1p(-1.0 / ((1 << bits) - 1)))


def _power(x: float, n: int) -> float:
    """x to the n-th, rounded as FORMAT.md says."""
    result = 1.0
    while n > 0:
        if n & 1:
            result *= x
        x *= x
        n >>= 1
    return result


def _mean_over_poisson_loads(load: float, probes: int) -> float:
    """The mean of fill^probes over blocks with a Poisson distribution of keys.

    Weights are relative to that of the most likely number of keys, and follow from their
    neighbours.
    """
    unset_by_key = _power(511.0 / 512.0, probes)
    mode = int(load)
    unset_at_mode = _power(unset_by_key, mode)
    rate = total = 0.0

    j, weight, unset = mode, 1.0, unset_at_mode
    while True:
        rate += weight * _power(1.0 - unset, probes)
        total += weight
        weight *= load / (j + 1)
        unset *= unset_by_key
        if weight == 0.0 or weight * (j + 2) < 1e-9 * rate * ((j + 2) - load):
            break
        j += 1

    j, weight, unset = mode, 1.0, unset_at_mode
    while j > 0 and weight > 1e-18:
        weight *= j / load
        unset /= unset_by_key
        rate += weight * _power(1.0 - unset, probes)
        total += weight
        j -= 1
    return rate / total


def _mean_over_binomial_loads(keys: float, blocks: int, probes: int) -> float:
    """The mean of the rate of a block, where each key is in any of at least 2 blocks."""
    load = keys / blocks
    odds = 1.0 / (blocks - 1.0)
    rate = total = 0.0

    j, weight = math.floor(load), 1.0
    while True:
        rate += weight * _rate_of_block(j, blocks, probes)
        total += weight
        # estimates are not whole: the last number is the first past keys
        weight *= max(0.0, keys - j) / (j + 1.0) * odds
        if weight == 0.0 or weight * (j + 2.0) < 1e-9 * rate * (j + 2.0 - load):
            break
        j += 1

    j, weight = math.floor(load), 1.0
    while j > 0 and weight > 1e-18:
        weight *= j / ((keys - j + 1.0) * odds)
        rate += weight * _rate_of_block(j - 1, blocks, probes)
        total += weight
        j -= 1
    return rate / total


def _rate_of_block(keys: int, blocks: int, probes: int) -> float:
    """The rate of one block that has so many keys."""
    if keys == 0:
        return 0.0
    one_bit = math.log1p(-1.0 / BLOCK_BITS)
    two_bits = math.log1p(-2.0 / BLOCK_BITS)
    m = probes * keys
    unset = math.exp(m * one_bit)
    fill = -math.expm1(m * one_bit)
    variance = (
        unset * fill
        + (BLOCK_BITS - 1) * unset * unset * math.expm1(m * (two_bits - 2.0 * one_bit))
    ) / BLOCK_BITS
    variance *= 1.0 - 1.0 / blocks
    spread = math.exp(0.5 * probes * (probes - 1) * variance / (fill * fill))
    return min(1.0, _power(fill, probes) * spread)
