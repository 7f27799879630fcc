"""Definitions for encoding and decoding: the protocol limits, the error, and the marks for values that are not plain."""

from __future__ import annotations

import dataclasses
import re
import sys
from dataclasses import dataclass
from typing import Any

LIMIT_BYTES = 64 * 2**20
LIMIT_ITEMS = 1_000_000
LIMIT_DEPTH = 40
LIMIT_TEXT = 16 * 2**20
LIMIT_UNFOLDED = 128 * 2**20  # of a whole message, beyond its own bytes
LIMIT_INT_BYTES = 512  # 4,096 bits: enough for exercises, and still fast to convert to text
LIMIT_KEY = 2**60  # integer keys stay below the modulus of Python's hash, so that colliding keys cannot be chosen
LIMIT_DIMS = 16
LIMIT_EXTENT = 2**40

NUMBERS = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)
NUMPY_DTYPES = frozenset((*NUMBERS, "uint16", "uint32", "uint64"))
TORCH_DTYPES = frozenset((*NUMBERS, "bfloat16"))
PACKED = {int: "q", float: "d"}  # lists of one of these are sent as 8 bytes each, without a loop in Python
BIT_GENERATORS = frozenset(("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"))
RECORD_MODULE = re.compile(r"course_utils(\.[a-z_]{1,40}){0,3}")


class WireError(Exception):
    """A frame that is not allowed: of an unknown kind, too large, too deep, or truncated."""


@dataclass(frozen=True)
class Handle:
    """An object that stays in the kernel: its number there and the name of its type (for messages only)."""

    number: int
    kind: str = ""


@dataclass(frozen=True)
class Generator:
    """A random generator sent to the kernel. ``state`` None: use the one received earlier under this ``key``."""

    key: int
    flavour: str
    state: Any = None


def loaded_torch() -> Any:
    """torch if this process has imported it, else None: without it there is no tensor, and an import takes seconds."""
    return sys.modules.get("torch")


def is_record(value: Any) -> bool:
    """Whether ``value`` is an instance of one of course_utils' own dataclasses or named tuples."""
    cls = type(value)
    if not RECORD_MODULE.fullmatch(str(getattr(cls, "__module__", ""))) or "." in cls.__qualname__:
        return False
    module = sys.modules.get(cls.__module__)
    return getattr(module, cls.__name__, None) is cls and record_fields(cls) is not None


def record_fields(cls: Any) -> list[str] | None:
    """Field names of a dataclass or named tuple, else None."""
    if not isinstance(cls, type):
        return None
    if dataclasses.is_dataclass(cls):
        return [f.name for f in dataclasses.fields(cls)]
    fields = getattr(cls, "_fields", None)
    return list(fields) if issubclass(cls, tuple) and isinstance(fields, tuple) else None
