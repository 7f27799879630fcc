"""Plain values and their comparison, for checks: what a checker looks at is a copy whose exact type it knows.

A result may lie (a float subclass that equals everything), so nothing is compared before :func:`plain` has copied it
into one of a few exact types. The sentences here name what differs in kind, never the expected value.
"""

from __future__ import annotations

import copy
import dataclasses
import math
import sys
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

ATOMS = frozenset({type(None), bool, int, float, complex, str, bytes, torch.dtype, torch.device, torch.Size})
MAPPINGS = frozenset({dict, OrderedDict, Counter, defaultdict})
NUMPY_SCALARS = frozenset(np.dtype(code).type for code in np.typecodes["AllInteger"] + np.typecodes["AllFloat"] + "?U")
KINDS = {
    "b": "booleans",
    "i": "whole numbers",
    "f": "floating-point numbers",
    "c": "complex numbers",
    "U": "text",
    "S": "bytes",
}
MAX_DEPTH = 32


class CheckFailed(AssertionError):
    """A check's verdict: the text is one sentence for the student."""


def require_finite(*results: Any) -> None:
    """Raise CheckFailed where a tensor holds NaN or an infinite number, before sizes are compared: NaN > x is false."""
    if not all(bool(torch.isfinite(one).all()) for one in results if isinstance(one, torch.Tensor)):
        raise CheckFailed("a result holds NaN or an infinite number")


def refuse(value: object) -> Any:
    """Default for what is not plain: say so."""
    raise CheckFailed(f"a value of type {type(value).__name__} came back, which a check cannot compare")


def plain(value: Any, other: Callable[[Any], Any] = refuse, depth: int = 0) -> Any:
    """A copy of ``value`` in exact built-in types, tensors and arrays, as the judge's wire would deliver it.

    Tensors come detached, contiguous and on the CPU (still saying whether they require a gradient); parameters become
    tensors, numpy scalars Python numbers, ordered dictionaries dictionaries; the course's own records stay records.
    What is none of these (a subclass, a module, a sparse tensor) goes through ``other``.

    Raises:
        CheckFailed: nested deeper than 32 levels, or not plain and ``other`` was not given.
    """
    kind = type(value)
    if kind in ATOMS:
        return value
    if depth > MAX_DEPTH:
        raise CheckFailed(f"the value is nested more than {MAX_DEPTH} levels deep")
    if kind in (list, tuple):
        return kind(plain(item, other, depth + 1) for item in value)
    if kind in MAPPINGS:
        return {plain(key, other, depth + 1): plain(item, other, depth + 1) for key, item in value.items()}
    if kind in (torch.Tensor, torch.nn.Parameter) and value.layout == torch.strided and value.device.type != "meta":
        return value.detach().cpu().contiguous().clone().requires_grad_(value.requires_grad)
    if kind is np.ndarray and value.dtype.kind in "biufcUS":
        return np.array(value, order="C")
    if kind in NUMPY_SCALARS:
        return float(value) if kind is np.longdouble else value.item()
    if is_record(value):
        return _plain_record(value, other, depth)
    return other(value)


def is_record(value: object) -> bool:
    """Whether ``value`` is one of ``course_utils``' own dataclasses or named tuples (a student's class never is)."""
    kind = type(value)
    known = getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is kind
    ours = kind.__module__.startswith("course_utils.") and known
    return ours and (dataclasses.is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields")))


def field_names(record: Any) -> list[str]:
    """Names of the fields of one of the course's own records."""
    return [f.name for f in dataclasses.fields(record)] if dataclasses.is_dataclass(record) else list(record._fields)


def _plain_record(value: Any, other: Callable[[Any], Any], depth: int) -> Any:
    items = {name: plain(getattr(value, name), other, depth + 1) for name in field_names(value)}
    if isinstance(value, tuple):
        return tuple.__new__(type(value), items.values())
    twin = copy.copy(value)
    for name, item in items.items():
        object.__setattr__(twin, name, item)  # frozen records too
    return twin


def truth(condition: Any) -> bool:
    """The condition as a bool. Raises TypeError for what is not exactly one yes or no (an object may answer both)."""
    if type(condition) in (bool, np.bool_):
        return bool(condition)
    if type(condition) is torch.Tensor and condition.dtype == torch.bool and condition.dim() == 0:
        return bool(condition.item())
    raise TypeError(f"a condition must be True or False, not {describe(condition)}")


def describe(value: object) -> str:
    """What a value is, without saying its content: for sentences such as 'a list came where …'."""
    if value is None:
        return "nothing (None)"
    names = {torch.Tensor: "a tensor", np.ndarray: "an array", int: "a number", float: "a number", str: "text"}
    kind = type(value)
    return names.get(kind, f"{'an' if kind.__name__[0] in 'aeiou' else 'a'} {kind.__name__}")


def difference(
    got: Any, want: Any, tolerance: tuple[float, float] | None = None, where: str = "the result"
) -> str | None:
    """How ``got`` differs from ``want`` (both plain): None if it does not, ``""`` if only in value, else a sentence.

    Args:
        tolerance: ``(atol, rtol)`` as in ``|got - want| <= atol + rtol·|want|``; None asks for equality.
    """
    if type(want) is dict:
        return _mappings(got, want, tolerance, where)
    if is_record(want):
        same = type(got) is type(want)
        return _mappings(_as_dict(got), _as_dict(want), tolerance, where) if same else _wrong_kind(got, want, where)
    if type(want) in (list, tuple, torch.Size):
        return _sequences(got, want, tolerance, where)
    if type(want) in (torch.Tensor, np.ndarray):
        return _arrays(got, want, tolerance, where)
    if type(want) in (int, float):
        return _numbers(got, want, tolerance, where)
    if type(want) is bool and type(got) is torch.Tensor and got.dim() == 0 and got.dtype == torch.bool:
        got = bool(got)
    if type(got) is not type(want):
        return _wrong_kind(got, want, where)
    return None if got == want else ""


def _as_dict(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in field_names(record)}


def _wrong_kind(got: Any, want: Any, where: str) -> str:
    if got is None:
        advice = "; without a `return` a function gives None" if where == "the result" else ""
        return f"{where} is None, where {describe(want)} is expected{advice}"
    return f"{where} is {describe(got)}, where {describe(want)} is expected"


def _mappings(got: Any, want: dict, tolerance: tuple[float, float] | None, where: str) -> str | None:
    if type(got) is not dict:
        return _wrong_kind(got, want, where)
    if got.keys() != want.keys():
        return f"{where} has other keys than expected"
    return _first(difference(got[key], want[key], tolerance, f"entry {key!r} of {where}") for key in want)


def _sequences(got: Any, want: Any, tolerance: tuple[float, float] | None, where: str) -> str | None:
    if type(got) not in (list, tuple, torch.Size):
        return _wrong_kind(got, want, where)
    if len(got) != len(want):
        return f"{where} has {len(got)} entries instead of {len(want)}"
    rows = enumerate(zip(got, want, strict=True))
    return _first(difference(a, b, tolerance, f"entry {i} of {where}") for i, (a, b) in rows)


def _first(differences: Any) -> str | None:
    return next((text for text in differences if text is not None), None)


def _numbers(got: Any, want: float, tolerance: tuple[float, float] | None, where: str) -> str | None:
    if type(got) in (torch.Tensor, np.ndarray):
        if tuple(got.shape):
            return f"{where} has shape {tuple(got.shape)}, where a single number is expected"
        got = got.item()  # a 0-dimensional tensor is a number to everybody but the type system
    if type(got) not in (int, float):
        return _wrong_kind(got, want, where)
    if tolerance is None:
        return None if got == want or (_is_nan(got) and _is_nan(want)) else _not_finite(got, want, where)
    return _floats(_as_float(got), _as_float(want), tolerance, where)


def _as_float(value: float) -> np.float64:
    """A number as a float; a whole number beyond all floats is infinite."""
    try:
        return np.float64(value)
    except OverflowError:
        return np.float64(math.inf if value > 0 else -math.inf)


def _is_nan(value: float) -> bool:
    """Whether a number is NaN; a whole number, which may be beyond all floats, is not."""
    return type(value) is float and math.isnan(value)


def _is_finite(value: float) -> bool:
    return type(value) is int or math.isfinite(value)


def _not_finite(got: float, want: float, where: str) -> str:
    if _is_finite(got) or not _is_finite(want):
        return ""
    return f"{where} is {'NaN' if _is_nan(got) else 'infinite'}"


def _arrays(got: Any, want: Any, tolerance: tuple[float, float] | None, where: str) -> str | None:
    if type(got) not in (torch.Tensor, np.ndarray):
        return _wrong_kind(got, want, where)
    if tuple(got.shape) != tuple(want.shape):
        return f"{where} has shape {tuple(got.shape)} instead of {tuple(want.shape)}"
    a, b = as_numpy(got), as_numpy(want)
    kinds = [array.dtype.kind.replace("u", "i") for array in (a, b)]
    if kinds[0] != kinds[1]:
        return f"{where} holds {KINDS[kinds[0]]} ({got.dtype}), where {KINDS[kinds[1]]} are expected"
    if kinds[0] in "biUS":
        return _integers(a, b, tolerance)
    return _floats(a, b, tolerance or (0.0, 0.0), where)


def _integers(got: np.ndarray, want: np.ndarray, tolerance: tuple[float, float] | None) -> str | None:
    if tolerance is None or got.dtype.kind in "bUS":
        return None if np.array_equal(got, want) else ""
    return None if np.allclose(got, want, atol=tolerance[0], rtol=tolerance[1]) else ""


def as_numpy(value: torch.Tensor | np.ndarray) -> np.ndarray:
    """Same shape as a numpy array; bfloat16 and float16, which numpy lacks or computes badly, become float32."""
    if isinstance(value, np.ndarray):
        return value
    value = value.detach()
    half = value.dtype.is_floating_point and value.dtype.itemsize < 4
    return (value.float() if half else value).resolve_conj().resolve_neg().numpy()


def _floats(got: Any, want: Any, tolerance: tuple[float, float], where: str) -> str | None:
    wide = np.complex128 if np.iscomplexobj(want) or np.iscomplexobj(got) else np.float64
    a, b = np.asarray(got, dtype=wide), np.asarray(want, dtype=wide)
    if np.any(np.isnan(a) & ~np.isnan(b)):
        return f"{where} contains NaN"
    if np.any(np.isinf(a) & np.isfinite(b)):
        return f"{where} contains infinity"
    return None if np.allclose(a, b, atol=tolerance[0], rtol=tolerance[1], equal_nan=True) else ""
