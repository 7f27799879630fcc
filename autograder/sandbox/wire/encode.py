"""Encoding: from values to bytes."""

from __future__ import annotations

import struct
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from .limits import (
    LIMIT_BYTES,
    LIMIT_DEPTH,
    LIMIT_DIMS,
    LIMIT_INT_BYTES,
    LIMIT_ITEMS,
    LIMIT_KEY,
    LIMIT_TEXT,
    NUMPY_DTYPES,
    PACKED,
    TORCH_DTYPES,
    Generator,
    Handle,
    WireError,
    is_record,
    loaded_torch,
    record_fields,
)


class _Writer:
    """A writer of one value; ``swap`` turns a value that is not plain into a mark for it, or raises."""

    def __init__(self, swap: Callable[[Any], Any], limit: int, *, records: bool) -> None:
        self.parts: list[bytes] = []
        self.room, self.items, self.swap, self.records = limit, LIMIT_ITEMS, swap, records

    def raw(self, data: bytes) -> None:
        self.room -= len(data)
        if self.room < 0:
            raise WireError("the value is larger than a message may be")
        self.parts.append(data)

    def sized(self, data: bytes) -> None:
        self.raw(struct.pack(">I", len(data)))
        self.raw(data)

    def value(self, value: Any, depth: int = 0) -> None:
        self.items -= 1
        if self.items < 0 or depth > LIMIT_DEPTH:
            raise WireError("the value has too many parts or is nested too deeply")
        write = _WRITERS.get(type(value)) or _torch_writer(value)
        if write is not None:
            write(self, value, depth)
        elif _is_scalar(value):
            self.value(value.item(), depth)
        elif self.records and is_record(value):
            _write_record(self, value, depth)
        else:
            self.value(self.swap(value), depth)


def _is_scalar(value: Any) -> bool:
    """Whether this is one of numpy's own numbers, truth values or texts."""
    kind = type(value)
    if kind is np.str_:
        return True
    return isinstance(value, np.generic) and value.dtype.name in NUMPY_DTYPES and kind.__module__ == "numpy"


def _write_none(out: _Writer, value: None, depth: int) -> None:
    out.raw(b"N")


def _write_bool(out: _Writer, value: bool, depth: int) -> None:  # noqa: FBT001 (the value itself)
    out.raw(b"T" if value else b"F")


def _write_int(out: _Writer, value: int, depth: int) -> None:
    size = (value.bit_length() + 8) // 8
    if size > LIMIT_INT_BYTES:
        raise WireError("an integer of more than 4,095 bits")
    out.raw(b"i" + struct.pack(">H", size) + value.to_bytes(size, "big", signed=True))


def _write_float(out: _Writer, value: float, depth: int) -> None:
    out.raw(b"f" + struct.pack(">d", value))


def _write_complex(out: _Writer, value: complex, depth: int) -> None:
    out.raw(b"c" + struct.pack(">dd", value.real, value.imag))


def _write_str(out: _Writer, value: str, depth: int) -> None:
    data = value.encode("utf-8", "surrogatepass")
    if len(data) > LIMIT_TEXT:
        raise WireError("a text of more than 16 MiB")
    out.raw(b"u")
    out.sized(data)


def _write_bytes(out: _Writer, value: bytes, depth: int) -> None:
    out.raw(b"b")
    out.sized(value)


def _packed(value: list[Any] | tuple[Any, ...]) -> bytes | None:
    """The bytes (kind, count, numbers) of a list that holds numbers of one kind; None for any other list."""
    kind = type(value[0]) if value else type(None)
    form = PACKED.get(kind)
    if form is None or any(type(item) is not kind for item in value):
        return None
    try:
        return form.encode() + struct.pack(f">I{len(value)}{form}", len(value), *value)
    except (struct.error, OverflowError):  # an integer of more than 64 bits
        return None


def _write_list(out: _Writer, value: list[Any] | tuple[Any, ...], depth: int) -> None:
    tag = b"l" if type(value) is list else b"t"
    packed = _packed(value) if len(value) <= out.items else None
    if packed is not None:
        out.items -= len(value)
        out.raw(b"m" + tag + packed)
        return
    out.raw(tag + struct.pack(">I", len(value)))
    for item in value:
        out.value(item, depth + 1)


def _write_dict(out: _Writer, value: dict[Any, Any], depth: int) -> None:
    out.raw(b"d" + struct.pack(">I", len(value)))
    for key, item in value.items():
        if type(key) is not str and (type(key) not in (int, bool) or abs(key) >= LIMIT_KEY):
            raise WireError("a dict key that is neither a string nor a small integer")
        out.value(key, depth + 1)
        out.value(item, depth + 1)


def _write_array(out: _Writer, tag: bytes, array: np.ndarray[Any, Any], dtype: str, flag: bytes = b"") -> None:
    shape = array.shape
    if len(shape) > LIMIT_DIMS:
        raise WireError("an array of more than 16 dimensions")
    out.raw(tag + flag)
    out.sized(dtype.encode())
    out.raw(struct.pack(f">B{len(shape)}Q", len(shape), *shape))
    if array.nbytes > out.room:  # before the copy below is made
        raise WireError("the value is larger than a message may be")
    out.raw(array.tobytes())


def _write_ndarray(out: _Writer, value: np.ndarray[Any, Any], depth: int) -> None:
    if value.dtype.kind == "U":
        out.raw(b"w")
        return out.value([list(value.shape), value.ravel().tolist()], depth + 1)  # shape -> (size,)
    if value.dtype.name not in NUMPY_DTYPES or not value.dtype.isnative:
        return out.value(out.swap(value), depth)
    return _write_array(out, b"a", value, value.dtype.name)


def _write_tensor(out: _Writer, value: Any, depth: int) -> None:
    torch, name = loaded_torch(), str(value.dtype).removeprefix("torch.")
    if name not in TORCH_DTYPES or value.layout is not torch.strided or value.device.type == "meta":
        return out.value(out.swap(value), depth)
    flag = b"g" if value.requires_grad else b"-"
    # methods of the base, which is compiled: those of torch.Tensor can be replaced by the student's code
    own = torch._C.TensorBase
    plain = own.contiguous(own.resolve_neg(own.resolve_conj(own.cpu(own.detach(value)))))
    plain = own.view(plain, torch.int16) if name == "bfloat16" else plain  # numpy knows no bfloat16; same bits
    return _write_array(out, b"x", own.numpy(plain), name, flag)


def _write_named(tag: bytes) -> Callable[[_Writer, Any, int], None]:
    def write(out: _Writer, value: Any, depth: int) -> None:
        out.raw(tag)
        out.sized(str(value).removeprefix("torch.").encode())

    return write


def _write_size(out: _Writer, value: Any, depth: int) -> None:
    out.raw(b"z")
    out.value([int(n) for n in value], depth + 1)


def _write_slice(out: _Writer, value: slice, depth: int) -> None:
    out.raw(b"e")
    out.value([value.start, value.stop, value.step], depth + 1)


def _write_handle(out: _Writer, value: Handle, depth: int) -> None:
    out.raw(b"h" + struct.pack(">Q", value.number))
    out.sized(value.kind.encode("utf-8", "replace")[:200])


def _write_generator(out: _Writer, value: Generator, depth: int) -> None:
    out.raw(b"r")
    out.value([value.key, value.flavour, value.state], depth + 1)


def _write_record(out: _Writer, value: Any, depth: int) -> None:
    cls = type(value)
    out.raw(b"q")
    out.value([cls.__module__, cls.__name__, [getattr(value, name) for name in record_fields(cls) or []]], depth + 1)


_WRITERS: dict[type, Callable[[_Writer, Any, int], None]] = {
    type(None): _write_none,
    bool: _write_bool,
    int: _write_int,
    float: _write_float,
    complex: _write_complex,
    str: _write_str,
    bytes: _write_bytes,
    list: _write_list,
    tuple: _write_list,
    dict: _write_dict,
    OrderedDict: _write_dict,
    slice: _write_slice,
    np.ndarray: _write_ndarray,
    Handle: _write_handle,
    Generator: _write_generator,
}


def _torch_writer(value: Any) -> Callable[[_Writer, Any, int], None] | None:
    """The writer for torch's own types, not for subclasses, which can give false shapes and contents."""
    torch = loaded_torch()
    if torch is None or not hasattr(torch, "Size"):
        return None
    if type(value) in (torch.Tensor, torch.nn.Parameter):
        return _write_tensor
    if type(value) is torch.Size:
        return _write_size
    named = {torch.dtype: b"y", torch.device: b"v"}.get(type(value))
    return _write_named(named) if named else None


def _no_swap(value: Any) -> Any:
    raise WireError(f"a {type(value).__name__} cannot be sent")


def encode(
    value: Any, swap: Callable[[Any], Any] = _no_swap, limit: int = LIMIT_BYTES, *, records: bool = False
) -> bytes:
    """The bytes of ``value``.

    Args:
        value: a plain value, nested at most ``LIMIT_DEPTH`` deep.
        swap: called for a value that is not plain; returns a plain one (a ``Handle``, a ``Generator``) in its place.
        limit: largest number of bytes.
        records: also send course_utils' own dataclasses and named tuples (to the kernel, which rebuilds them).

    Raises:
        WireError: the value is too large, too deep, or of a kind that cannot be sent.
    """
    out = _Writer(swap, limit, records=records)
    out.value(value)
    return b"".join(out.parts)
