"""The three kinds of filters, matrices of filters, and parse, which tells them apart."""

from __future__ import annotations

from typing import (
    Any, Callable, ClassVar, Dict, Iterable, Iterator, List, Optional, Type, TypeVar, Union,
)

from . import _base64, _families, _growth, _image, _matrix
from ._errors import InvalidFilterError, KeyMismatchError
from ._image import Image, Kind
from ._key import identify
from ._layers import MAX_COUNTER, Buffer
from ._matrix import MatrixImage

#: A column of the info functions.
InfoValue = Union[None, bool, int, float, str]

_F = TypeVar("_F", bound="Filter")
_I = TypeVar("_I", Image, MatrixImage)


class Filter:
    """What all kinds of filters can tell.

    A *key* is a Key, or a Python value of which ``bloomtype.key(value)`` makes one. A filter
    has keys of one family; asking it about a key of another one is a KeyMismatchError, except
    that a filter without keys contains nothing, of any family. None is a TypeError.

    Several threads may ask a filter at the same time, as long as none adds keys.
    """

    #: "bloom", "counting_bloom" or "cuckoo": the name of the SQL type.
    kind: ClassVar[str]
    _kind: ClassVar[Kind]
    _image: Image

    __slots__ = ("_image",)

    def __init__(self) -> None:
        raise TypeError(f"{type(self).__name__}.parse makes filters")

    @classmethod
    def _of_image(cls: Type[_F], image: Image) -> _F:
        filter_ = cls.__new__(cls)
        filter_._image = image
        return filter_

    @classmethod
    def parse(
        cls: Type[_F],
        data: Union[str, Buffer, memoryview],
        *,
        max_bytes: Optional[int] = None,
    ) -> _F:
        """The filter of this kind with this text form, or with these bytes (see parse()).

        InvalidFilterError: there is none, or it has more than max_bytes bytes.
        """
        type_ = f"type {cls._kind.name}"
        image_bytes = _decode(data, type_, max_bytes)
        return cls._of_image(
            _check(lambda bytes_: _image.read(bytes_, cls._kind), image_bytes, type_)
        )

    @property
    def family(self) -> str:
        """The name of the key family, for example "number"; "none" without keys."""
        return self._image.family

    @property
    def subtype(self) -> int:
        """Of keys that are arrays, rows or ranges, what families their parts are of; else 0."""
        return self._image.subtype

    def contains(self, key: Any) -> bool:
        """False: the key is certainly not in the filter. True: it probably is."""
        return self._image.count(self._hash(key)) > 0

    def __contains__(self, key: Any) -> bool:
        return self.contains(key)

    def contains_any(self, keys: Iterable[Any]) -> bool:
        """Is at least one of the keys probably in the filter?"""
        return any(map(self.contains, _each(keys)))

    def contains_all(self, keys: Iterable[Any]) -> bool:
        """Are all keys probably in the filter?"""
        return all(map(self.contains, _each(keys)))

    def missing(self, keys: Iterable[Any]) -> List[Any]:
        """Those of the keys that are certainly not in the filter, in their order."""
        return [key for key in _each(keys) if not self.contains(key)]

    def info(self) -> Dict[str, InfoValue]:
        """What the filter is and how full: the columns of SQL's bloom_info,
        counting_bloom_info or cuckoo_info. NULL is None.
        """
        raise NotImplementedError

    def cardinality(self) -> Optional[int]:
        """The number of keys: exact for a list and for fingerprints, else estimated.

        None where it is unknown: in the result of an intersection, where nearly all bits are
        set, and where more than half of the keys were not added to a layer, as they seemed
        present in earlier ones.
        """
        keys = self._image.keys()
        return None if keys is None else round(keys)

    def current_fpp(self) -> float:
        """The false-positive rate with the present number of keys, from 0 to 1."""
        return self._image.current_fpp()

    def to_bytes(self) -> bytes:
        """The image, which is SQL's filter::bytea, and the value in the binary protocol."""
        return self._image.to_bytes()

    def to_text(self) -> str:
        """The text form, base64, which PostgreSQL prints and reads."""
        return _base64.encode(self.to_bytes())

    def __eq__(self, other: object) -> bool:
        """Is the other a filter of the same kind, with the same bytes?"""
        if not isinstance(other, Filter):
            return NotImplemented
        return type(self) is type(other) and self._image.equals(other._image)

    def __hash__(self) -> int:
        return hash(self._image.metadata())

    def __repr__(self) -> str:
        """A summary, for people; also what str() gives."""
        return (
            f"<{type(self).__name__} family={self.family!r} capacity={self._image.capacity} "
            f"fpp={self._image.fpp!r} bytes={self._image.length()}>"
        )

    def _hash(self, key: Any) -> int:
        """The hash of a key to ask about."""
        return _hash_for(self._image, key)

    def _start_of_info(self) -> Dict[str, InfoValue]:
        return {
            "key_family": self._image.family,
            "capacity": self._image.capacity,
            "target_fpp": self._image.fpp,
        }

    def _end_of_info(self) -> Dict[str, InfoValue]:
        return {
            "keys": self.cardinality(),
            "current_fpp": self.current_fpp(),
            "saturated": self._image.is_saturated(),
        }

    def _info_of_layer(
        self, key_bits: str, bins: str, shown_per_bin: int, fill: str
    ) -> Dict[str, InfoValue]:
        """The columns of a kind with at most one layer; some have names of their own."""
        layer = self._image.layers[0] if self._image.layers else None
        return {
            **self._start_of_info(),
            key_bits: layer.key_bits if layer else None,
            bins: layer.bins * shown_per_bin if layer else None,
            "bytes": self._image.length(),
            fill: layer.bits_set / (layer.bins * layer.places) if layer else 0.0,
            **self._end_of_info(),
        }


class Bloom(Filter):
    """A Bloom filter: SQL's type bloom. Keys can be added, so it is not hashable."""

    kind = "bloom"
    _kind = _image.BLOOM
    _sizing: Optional[_growth.Geometry]
    __hash__ = None  # type: ignore[assignment]

    __slots__ = ("_sizing",)

    @classmethod
    def _of_image(cls, image: Image) -> Bloom:
        filter_ = super()._of_image(image)
        filter_._sizing = None
        return filter_

    @classmethod
    def create(
        cls,
        capacity: int,
        fpp: float = 0.01,
        growth: int = 2,
        sizing: Optional[_growth.Sizing] = None,
    ) -> Bloom:
        """A filter without keys, as SQL's bloom_create(capacity, fpp, growth) makes it.

        ``capacity`` is the number of distinct keys that it is made for, ``fpp`` the
        false-positive rate with so many keys, ``growth`` the factor by which each
        further layer is larger; 0 makes a filter of fixed size.

        ``sizing`` is what the server answers to ``SELECT blocks, probes, full_at FROM
        bloom_sizing(capacity, fpp)``: a mapping with these names, or the three in this
        order. Without it the filter takes 128 keys.

        ValueError: a parameter is out of range, the sizing is that of another capacity, or
        bloom_sizing tells nothing about the first layer of such a filter (growth * 128 is
        more than 256 and than the capacity, or growth is below 2 and the capacity is below
        256).
        """
        filter_ = cls._of_image(_growth.create(capacity, fpp, growth))
        filter_._sizing = _growth.read_sizing(sizing, capacity, fpp, growth)
        return filter_

    def add(self, key: Any) -> None:
        """Add a key, with the same effect on the bytes as SQL's bloom_add.

        FilterFullError: the key needs a layer of which only the server knows the size. The
        filter is unchanged then.
        """
        family, subtype, hash_ = identify(key)
        image = self._image
        if image.family == "none":
            image.family, image.subtype = family, subtype
        elif (family, subtype) != (image.family, image.subtype):
            raise _mismatch("add", image.family, family)
        _growth.add_one(image, hash_, self._sizing)

    def add_all(self, keys: Iterable[Any]) -> None:
        """Add keys, with the same effect on the bytes as SQL's bloom_add_all: all of them,
        or, after an error, none. The errors are those of add.
        """
        identities = [identify(key) for key in _each(keys)]
        parts = self._image.family, self._image.subtype
        hashes = []
        for family, subtype, hash_ in identities:
            if parts[0] == "none":
                parts = family, subtype
            elif (family, subtype) != parts:
                raise _mismatch("add", parts[0], family)
            hashes.append(hash_)
        if hashes:
            image = _growth.add_many(self._image, hashes, self._sizing)
            image.family, image.subtype = parts
            self._image = image

    def info(self) -> Dict[str, InfoValue]:
        layers = self._image.layers
        bits = sum(layer.bins * layer.places for layer in layers)
        bits_set = sum(layer.bits_set for layer in layers)
        return {
            **self._start_of_info(),
            "growth": self._image.growth,
            "layers": len(layers),
            "probes": sum(layer.key_bits for layer in layers) if layers else None,
            "bits": bits if layers else None,
            "bytes": self._image.length(),
            "fill": bits_set / bits if layers else None,
            **self._end_of_info(),
        }


class CountingBloom(Filter):
    """A Bloom filter that counts its keys: SQL's type counting_bloom."""

    kind = "counting_bloom"
    _kind = _image.COUNTING_BLOOM

    __slots__ = ()

    def count(self, key: Any) -> Optional[int]:
        """How often the key was added, at most: 0 to 14, or None for 15 times and more."""
        count = self._image.count(self._hash(key))
        return count if count < MAX_COUNTER else None

    def info(self) -> Dict[str, InfoValue]:
        return self._info_of_layer("probes", "counters", 512, "fill")


class Cuckoo(Filter):
    """A cuckoo filter: SQL's type cuckoo."""

    kind = "cuckoo"
    _kind = _image.CUCKOO

    __slots__ = ()

    def count(self, key: Any) -> int:
        """How often the key was added, at most: 0 to 8."""
        return self._image.count(self._hash(key))

    def info(self) -> Dict[str, InfoValue]:
        return self._info_of_layer("fingerprint_bits", "buckets", 1, "load")


class Matrix:
    """Many Bloom filters, each with an id, and the question which of them may contain a key:
    SQL's type bloom_matrix. It does not change; any number of threads may ask it.
    """

    __slots__ = ("_image",)
    _image: MatrixImage

    def __init__(self) -> None:
        raise TypeError("Matrix.parse makes matrices")

    @classmethod
    def _of_image(cls, image: MatrixImage) -> Matrix:
        matrix = cls.__new__(cls)
        matrix._image = image
        return matrix

    @classmethod
    def parse(
        cls, data: Union[str, Buffer, memoryview], *, max_bytes: Optional[int] = None
    ) -> Matrix:
        """The matrix with this text form, or with these bytes (see parse()).

        InvalidFilterError: there is none, or it has more than max_bytes bytes.
        """
        type_ = "type bloom_matrix"
        return cls._of_image(_check(_matrix.read, _decode(data, type_, max_bytes), type_))

    @property
    def family(self) -> str:
        """The name of the key family, for example "number"; "none" if no filter has keys."""
        return self._image.family

    @property
    def subtype(self) -> int:
        """Of keys that are arrays, rows or ranges, what families their parts are of; else 0."""
        return self._image.subtype

    def columns(self) -> List[int]:
        """The ids of the filters, ascending: SQL's bloom_matrix_ids."""
        return self._image.ids()

    def search(self, key: Any) -> List[int]:
        """The ids of the filters that probably contain a key, ascending; the others certainly
        do not. It is SQL's bloom_matrix_search. Keys are those that a filter takes.
        """
        hash_ = _hash_for(self._image, key)
        return self._image.search(hash_) if self._image.family != "none" else []

    def filter(self, id: int) -> Optional[Bloom]:
        """The filter with this id, or None: SQL's bloom_matrix_filter. It has the bytes of the
        filter that was put into the matrix. A list comes back as a layer.
        """
        column = self._image.find(id)
        if column < 0:
            return None
        return Bloom._of_image(_image.read(self._image.filter(column), _image.BLOOM))

    def info(self) -> Dict[str, InfoValue]:
        """The columns of SQL's bloom_matrix_info."""
        image = self._image
        return {
            "key_family": image.family,
            "columns": image.columns,
            "blocks": image.blocks,
            "probes": image.probes,
            "bytes": image.length(),
            "max_fpp": max((record.current_fpp() for record in image.records()), default=0.0),
        }

    def to_bytes(self) -> bytes:
        """The image, which is SQL's matrix::bytea, and the value in the binary protocol."""
        return bytes(self._image.data)

    def to_text(self) -> str:
        """The text form, base64, which PostgreSQL prints and reads."""
        return _base64.encode(self.to_bytes())

    def __eq__(self, other: object) -> bool:
        """Is the other a matrix with the same bytes?"""
        if not isinstance(other, Matrix):
            return NotImplemented
        return self._image.data == other._image.data

    def __hash__(self) -> int:
        return hash(bytes(self._image.data[: self._image.slices]))

    def __repr__(self) -> str:
        """A summary, for people; also what str() gives."""
        image = self._image
        return (
            f"<Matrix family={image.family!r} columns={image.columns} blocks={image.blocks} "
            f"bytes={image.length()}>"
        )


_FILTERS: Dict[Kind, Type[Filter]] = {
    _image.BLOOM: Bloom,
    _image.COUNTING_BLOOM: CountingBloom,
    _image.CUCKOO: Cuckoo,
}


def parse(
    data: Union[str, Buffer, memoryview], *, max_bytes: Optional[int] = None
) -> Union[Bloom, CountingBloom, Cuckoo, Matrix]:
    """The filter with this text form, or with these bytes, of whatever kind it is; or the
    matrix of filters.

    A str is the text that PostgreSQL prints for a filter. Bytes are the image: what the cast
    of a filter to bytea gives, and the value in the binary protocol. The filter refers to
    data if these are of type bytes, and has a copy otherwise.

    InvalidFilterError: data is no filter. All checks of the server are made, with the same
    reasons; so an image from anyone is safe to parse and to ask. They take a time in proportion
    to its length, up to 512 MB: ``max_bytes`` refuses a longer one, before it is decoded.

    The parse of a class, as Bloom.parse, refuses what is of another kind.
    """
    image_bytes = _decode(data, "a filter", max_bytes)
    if len(image_bytes) >= _image.HEADER.size and image_bytes[0] == _matrix.KIND:
        return Matrix._of_image(_check(_matrix.read, image_bytes, "type bloom_matrix"))
    image = _check(lambda bytes_: _image.read(bytes_, None), image_bytes, "a filter")
    filter_ = _FILTERS[image.kind]._of_image(image)
    assert isinstance(filter_, (Bloom, CountingBloom, Cuckoo))
    return filter_


def _decode(
    data: Union[str, Buffer, memoryview], type_: str, max_bytes: Optional[int]
) -> Buffer:
    """The bytes of an image, not yet checked. They do not change."""

    def check_length(length: int) -> None:
        if max_bytes is not None and length > max_bytes:
            reason = f"It is longer than {max_bytes} bytes."
            raise InvalidFilterError(f"invalid value for {type_}: {reason}", reason)

    if isinstance(data, str):
        check_length(_base64.decoded_length(data))
        try:
            return _base64.decode(data)
        except _base64.Malformed as error:
            reason = str(error)
            message = f"invalid input syntax for {type_}: {reason}"
            raise InvalidFilterError(message, reason) from None
    if isinstance(data, (bytes, bytearray, memoryview)):
        check_length(memoryview(data).nbytes)
        return bytes(data)
    raise TypeError(f"a filter is str or bytes, not {type(data).__name__}")


def _check(read: Callable[[Buffer], _I], image_bytes: Buffer, type_: str) -> _I:
    """The image that read() makes of bytes."""
    try:
        return read(image_bytes)
    except _image.Refused as error:
        reason = str(error)
        raise InvalidFilterError(f"invalid value for {type_}: {reason}", reason) from None


def _hash_for(image: Union[Image, MatrixImage], key: Any) -> int:
    """The hash of a key to ask about."""
    family, subtype, hash_ = identify(key)
    if family != image.family or subtype != image.subtype:
        if image.family != "none":
            raise _mismatch("probe", image.family, family)
    return hash_


def _each(keys: Iterable[Any]) -> Iterator[Any]:
    """The keys. One text would be its characters, and one bytea its bytes."""
    if isinstance(keys, (str, bytes, bytearray, memoryview)):
        raise TypeError(f"keys are several, not one value of type {type(keys).__name__}")
    return iter(keys)


def _mismatch(use: str, filter_family: str, key_family: str) -> KeyMismatchError:
    """The error for a key of another family or, if the names are the same, subtype."""
    same = filter_family == key_family
    if use == "add":
        message = f"cannot add a key of family {key_family} to a filter of {filter_family} keys"
        message += " of another subtype" if same else ""
    else:
        message = (
            f"cannot probe a filter of {filter_family} keys with a key of family {key_family}"
        )
        message += " and another subtype" if same else ""
    if filter_family == "text" and key_family in ("number", "uuid"):
        hint = "str(value) is of family text"
    elif filter_family == "text":
        hint = "the str that the server prints for value::text is of family text"
    elif filter_family == "number" and key_family == "float":
        hint = "key(str(value), 'numeric') makes one of family number"
    elif filter_family in _families.TYPES:
        type_ = _families.TYPES[filter_family]
        hint = f"key(value, {type_!r}) makes one of family {filter_family}"
    else:
        hint = "Key.parse() takes the text of the server's bloom_key(value::type)"
    return KeyMismatchError(f"{message}; {hint}")
