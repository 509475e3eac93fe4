"""The exceptions of this package."""

from __future__ import annotations


class InvalidFilterError(ValueError):
    """The input is no filter, or not one of the kind that was asked for.

    ``reason`` is the sentence that the server has as the detail of the same error. Only that it
    is longer than max_bytes is none of the server's reasons.
    """

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class KeyMismatchError(TypeError):
    """The key is of another family, or of another subtype, than the keys of the filter.

    Values of different families are never the same key, so an answer would mean nothing.
    As this is a TypeError, an ``except TypeError`` before ``except KeyMismatchError`` takes it.
    """


class FilterFullError(Exception):
    """The filter needs a layer of which only the server knows the size."""
