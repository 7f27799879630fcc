"""Decoding: from untrusted bytes to values."""

from __future__ import annotations

import importlib
import math
import re
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from .limits import (
    LIMIT_BYTES,
    LIMIT_DEPTH,
    LIMIT_DIMS,
    LIMIT_EXTENT,
    LIMIT_INT_BYTES,
    LIMIT_ITEMS,
    LIMIT_KEY,
    LIMIT_TEXT,
    LIMIT_UNFOLDED,
    NUMPY_DTYPES,
    PACKED,
    RECORD_MODULE,
    TORCH_DTYPES,
    Generator,
    Handle,
    WireError,
    record_fields,
)

_ITEM_BYTES = {"bool": 1, "bfloat16": 2}
_TENSOR_ITEMS = 8  # what a tensor of few numbers uses, in parts of a list


class _Reader:
    """A reader of one value; ``claim`` turns a Handle or Generator into the object on this side."""

    def __init__(self, data: bytes, claim: Callable[[Any], Any], *, trusted: bool) -> None:
        self.data, self.at, self.items, self.room = memoryview(data), 0, LIMIT_ITEMS, LIMIT_UNFOLDED
        self.claim, self.trusted = claim, trusted

    def take(self, size: int) -> memoryview:
        if size < 0 or size > len(self.data) - self.at:
            raise WireError("the message ends too early")
        self.at += size
        return self.data[self.at - size : self.at]

    def unpack(self, form: str) -> tuple[Any, ...]:
        return struct.unpack(">" + form, self.take(struct.calcsize(">" + form)))

    def sized(self, limit: int = LIMIT_BYTES) -> memoryview:
        size = self.unpack("I")[0]
        if size > limit:
            raise WireError("a text or block of bytes is too long")
        return self.take(size)

    def unfold(self, size: int) -> None:
        """Account for bytes that a value uses and the message does not have."""
        self.room -= size
        if self.room < 0:
            raise WireError("the message unfolds to more than a message may")

    def weigh(self, items: int) -> None:
        """Account for a value that uses as much as so many others."""
        self.items -= items
        if self.items < 0:
            raise WireError("the value has too many parts")

    def count(self) -> int:
        count = int(self.unpack("I")[0])
        if count > self.items or count > len(self.data) - self.at:  # every part takes at least a byte
            raise WireError("a list that claims more parts than there are")
        return count

    def value(self, depth: int = 0) -> Any:
        self.items -= 1
        if self.items < 0 or depth > LIMIT_DEPTH:
            raise WireError("the value has too many parts or is nested too deeply")
        tag = bytes(self.take(1))
        read = READERS.get(tag)
        if read is None:
            raise WireError(f"unknown kind of value {tag!r}")
        return read(self, depth)


def _read_int(src: _Reader, depth: int) -> int:
    size = src.unpack("H")[0]
    if not 0 < size <= LIMIT_INT_BYTES:
        raise WireError("an integer of an impossible size")
    return int.from_bytes(src.take(size), "big", signed=True)


def _read_str(src: _Reader, depth: int) -> str:
    return _text(src, LIMIT_TEXT)


def _text(src: _Reader, limit: int) -> str:
    try:
        return bytes(src.sized(limit)).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise WireError("a text that is not UTF-8") from None


def _read_list(src: _Reader, depth: int) -> list[Any]:
    return [src.value(depth + 1) for _ in range(src.count())]


def _read_packed(src: _Reader, depth: int) -> list[Any] | tuple[Any, ...]:
    """A list or tuple of numbers of one kind."""
    tag, form, count = bytes(src.take(1)), bytes(src.take(1)).decode("ascii"), src.count()
    if tag not in (b"l", b"t") or form not in PACKED.values():
        raise WireError("a malformed list of numbers")
    src.items -= count
    numbers = src.unpack(f"{count}{form}")
    return list(numbers) if tag == b"l" else numbers


def _read_dict(src: _Reader, depth: int) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for _ in range(src.count()):
        key = src.value(depth + 1)
        if type(key) is not str and (type(key) not in (int, bool) or abs(key) >= LIMIT_KEY):
            raise WireError("a dict key that is neither a string nor a small integer")
        found[key] = src.value(depth + 1)
    return found


def _array_parts(src: _Reader, known: frozenset[str]) -> tuple[str, tuple[int, ...], bytearray]:
    """The dtype's name, the shape, and a writable copy of the bytes."""
    dtype = _text(src, 20)
    if dtype not in known:
        raise WireError(f"numbers of the unknown type {dtype!r}")
    dims = src.unpack("B")[0]
    shape = src.unpack(f"{dims}Q") if dims <= LIMIT_DIMS else (LIMIT_EXTENT,)
    if math.prod(max(n, 1) for n in shape) >= LIMIT_EXTENT:
        raise WireError("an array of an impossible shape")
    size = _ITEM_BYTES.get(dtype) or np.dtype(dtype).itemsize
    return dtype, shape, bytearray(src.take(math.prod(shape) * size))


def _read_ndarray(src: _Reader, depth: int) -> np.ndarray[Any, Any]:
    dtype, shape, data = _array_parts(src, NUMPY_DTYPES)
    if dtype == "bool":  # as bool a byte of 2 would equal neither True nor False
        truths: np.ndarray[Any, Any] = np.frombuffer(data, np.uint8).reshape(shape) != 0  # (size,) -> shape
        return truths
    return np.frombuffer(data, dtype).reshape(shape)  # (size,) -> shape


def _read_texts(src: _Reader, depth: int) -> np.ndarray[Any, Any]:
    shape, texts = src.value(depth + 1)
    if type(shape) is not list or type(texts) is not list or any(type(text) is not str for text in texts):
        raise WireError("a malformed array of texts")
    size = len(texts) * max(map(len, texts), default=0)  # every entry uses as much as the longest
    if size > LIMIT_TEXT:
        raise WireError("an array of texts that is too large")
    src.unfold(4 * size)
    return np.array(texts, np.str_).reshape([int(n) for n in shape])  # (size,) -> shape


def _read_tensor(src: _Reader, depth: int) -> Any:
    import torch

    src.weigh(_TENSOR_ITEMS)
    flag = bytes(src.take(1))
    dtype, shape, data = _array_parts(src, TORCH_DTYPES)
    kind = getattr(torch, dtype)
    if not data:
        return torch.empty(shape, dtype=kind)
    if dtype == "bool":
        return (torch.frombuffer(data, dtype=torch.uint8) != 0).reshape(shape)  # (numel,) -> shape
    tensor = torch.frombuffer(data, dtype=kind).reshape(shape)  # (numel,) -> shape
    return tensor.requires_grad_() if src.trusted and flag == b"g" else tensor


def _read_dtype(src: _Reader, depth: int) -> Any:
    import torch

    name = _text(src, 40)
    found = vars(torch).get(name)  # getattr would import what torch loads by name
    if not isinstance(found, torch.dtype):
        raise WireError("an unknown torch dtype")
    return found


def _read_device(src: _Reader, depth: int) -> Any:
    import torch

    name = _text(src, 20)
    if not re.fullmatch(r"(cpu|cuda|meta|mps)(:\d{1,3})?", name):
        raise WireError("an unknown torch device")
    return torch.device(name)


def _read_size(src: _Reader, depth: int) -> Any:
    import torch

    sizes = src.value(depth + 1)
    if (
        type(sizes) is not list
        or len(sizes) > LIMIT_DIMS
        or not all(type(n) is int and 0 <= n < LIMIT_EXTENT for n in sizes)
    ):
        raise WireError("an impossible torch.Size")
    return torch.Size(sizes)


def _read_slice(src: _Reader, depth: int) -> slice:
    ends = src.value(depth + 1)
    if type(ends) is not list or len(ends) != 3 or any(type(end) not in (int, type(None)) for end in ends):
        raise WireError("a malformed slice")
    return slice(*ends)


def _read_handle(src: _Reader, depth: int) -> Any:
    return src.claim(Handle(src.unpack("Q")[0], _text(src, 200)))


def _read_generator(src: _Reader, depth: int) -> Any:
    if not src.trusted:
        raise WireError("a random generator can be sent to the kernel, not back")
    key, flavour, state = src.value(depth + 1)
    return src.claim(Generator(key, flavour, state))


def _read_record(src: _Reader, depth: int) -> Any:
    """A course_utils record sent to the kernel, built field by field, so that none of its code runs."""
    if not src.trusted:
        raise WireError("a record can be sent to the kernel, not back")
    parts = src.value(depth + 1)
    if type(parts) is not list or [type(p) for p in parts] != [str, str, list]:
        raise WireError("a malformed record")
    cls, fields = _record_class(parts[0], parts[1])
    if len(fields) != len(parts[2]):
        raise WireError(f"a {cls.__name__} with a wrong number of fields")
    if issubclass(cls, tuple):
        return tuple.__new__(cls, parts[2])
    record = object.__new__(cls)
    for name, item in zip(fields, parts[2], strict=True):
        object.__setattr__(record, name, item)
    return record


def _record_class(module: str, name: str) -> tuple[type, list[str]]:
    """The record class and its fields. Raises WireError if it is not one of course_utils."""
    if not RECORD_MODULE.fullmatch(module) or module == "course_utils.__main__":
        raise WireError("a record of a foreign module")
    try:
        cls = getattr(importlib.import_module(module), name, None)
    except ImportError:
        cls = None
    fields = record_fields(cls)
    if cls is None or fields is None or cls.__module__ != module:
        raise WireError(f"no record {name!r} in {module}")
    return cls, fields


READERS: dict[bytes, Callable[[_Reader, int], Any]] = {
    b"N": lambda src, depth: None,
    b"T": lambda src, depth: True,
    b"F": lambda src, depth: False,
    b"i": _read_int,
    b"f": lambda src, depth: src.unpack("d")[0],
    b"c": lambda src, depth: complex(*src.unpack("dd")),
    b"u": _read_str,
    b"b": lambda src, depth: bytes(src.sized()),
    b"l": _read_list,
    b"t": lambda src, depth: tuple(_read_list(src, depth)),
    b"m": _read_packed,
    b"d": _read_dict,
    b"a": _read_ndarray,
    b"w": _read_texts,
    b"x": _read_tensor,
    b"y": _read_dtype,
    b"v": _read_device,
    b"z": _read_size,
    b"e": _read_slice,
    b"h": _read_handle,
    b"r": _read_generator,
    b"q": _read_record,
}


def decode(data: bytes, claim: Callable[[Any], Any] = lambda mark: mark, *, trusted: bool = False) -> Any:
    """The value that ``data`` holds. Safe for any bytes: the result is a value of the listed kinds or a WireError.

    Args:
        data: one encoded value, and nothing after it.
        claim: turns a ``Handle`` (or ``Generator``) into the object on this side.
        trusted: the other side is the judge, so random generators may arrive.

    Raises:
        WireError: anything else than one well-formed value within the limits.
    """
    if len(data) > LIMIT_BYTES:
        raise WireError("the message is larger than a message may be")
    src = _Reader(data, claim, trusted=trusted)
    try:
        value = src.value()
    except (ArithmeticError, LookupError, MemoryError, RuntimeError, TypeError, ValueError, struct.error) as error:
        raise WireError(f"a malformed message ({type(error).__name__})") from None
    if src.at != len(src.data):
        raise WireError("something follows the value")
    return value
