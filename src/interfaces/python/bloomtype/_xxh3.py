"""The hash function, from the package xxhash.

That has it since version 2.0. Debian's package does not tell its version to Python, so the
requirement of this one does not name any.
"""

from __future__ import annotations

try:
    from xxhash import xxh3_64_intdigest as xxh3_64_intdigest
except ImportError as error:
    raise ImportError(
        "bloomtype needs the package xxhash, version 2.0 or later, with xxh3_64_intdigest"
    ) from error
