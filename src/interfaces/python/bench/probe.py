#!/usr/bin/env python3
"""How long one probe takes, the hash of the key included.

    probe.py FILE

FILE has the text form of a bloom of the whole numbers from 1 on, for example

    psql -XAtc 'SELECT bloom_agg(i) FROM generate_series(1, 1000000) i' >FILE

Prints a line for each measurement: its name, and nanoseconds as the median of several rounds.
Of texts and UUIDs, as many keys are put into filters of the same geometry first. For
comparison: the same with flor (python3-flor), if it is installed.
"""

import statistics
import sys
import time
import uuid

import bloomtype

ROUNDS = 15
PROBES = 10000

VALUES = {
    "integer": lambda i: i,
    "text": lambda i: f"user{i}@example.com",
    "uuid": lambda i: uuid.UUID(int=i * 0x9E3779B97F4A7C15F39CC0605CEDC835 % (1 << 128)),
}

# flor takes bytes
TO_BYTES = {
    "integer": lambda value: value.to_bytes(8, "little"),
    "text": lambda value: value.encode("utf-8"),
    "uuid": lambda value: value.bytes,
}


def measure(name, contains, values):
    rounds = []
    for _ in range(ROUNDS):
        start = time.perf_counter_ns()
        for value in values:
            contains(value)
        rounds.append((time.perf_counter_ns() - start) / len(values))
    print(name, round(statistics.median(rounds)))


def measure_both(name, contains, make, keys):
    step = keys // PROBES
    present = [make(i) for i in range(1, PROBES * step + 1, step)]
    absent = [make(i) for i in range(2 * keys, 2 * keys + PROBES)]
    assert all(map(contains, present)) and sum(map(contains, absent)) < PROBES / 10
    measure(f"{name}_present", contains, present)
    measure(f"{name}_absent", contains, absent)


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        numbers = bloomtype.Bloom.parse(file.read().rstrip("\n"))
    info = numbers.info()
    # an estimate, somewhat above or below their number
    keys = info["keys"] * 99 // 100

    for name, make in VALUES.items():
        filter_ = numbers
        if name != "integer":
            layer = numbers._image.layers[0]
            sizing = (layer.bins, layer.key_bits, layer.full_at)
            filter_ = bloomtype.Bloom.create(
                info["capacity"], info["target_fpp"], sizing=sizing
            )
            filter_.add_all(map(make, range(1, keys + 1)))
        measure_both(name, filter_.contains, make, keys)

    try:
        import flor
    except ImportError:
        return
    for name, make in VALUES.items():
        to_bytes = TO_BYTES[name]
        other = flor.BloomFilter(n=keys + 1, p=info["target_fpp"])
        for i in range(1, keys + 1):
            other.add(to_bytes(make(i)))
        measure_both(f"flor_{name}", lambda value: to_bytes(value) in other, make, keys)


if __name__ == "__main__":
    main()
