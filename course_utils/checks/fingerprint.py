"""Fingerprints of answers: enough to find a known mistake again, and nothing from which an answer could be read.

A fingerprint has the form of the answer and two mixtures of its numbers. Two programs that make the same mistake differ
in the last digits, so fingerprints are compared with a tolerance.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course_utils.checks.asking import is_handle
from course_utils.checks.compare import CheckFailed
from course_utils.checks.handed import LOOKED
from course_utils.checks.samples import said
from course_utils.checks.trials import Answer

Print = list[Any]  # [form, number, number …]; where a view is compared, six entries: of what it shows, of what came
DIGITS = 9
LONGEST = 48  # letters of a form that is kept whole; of a longer one its beginning and a hash
NEAR = 1e-6
COARSE = 1e-3  # what a mixture of many numbers of 32 bits keeps
STEPS = (1e-5, 1e-4, COARSE)  # another processor's rounding first: nearly always it is far smaller
FAR = 10
LAW_NEAR = 0.05  # what is left of chance in a mean of shares


def fingerprint(answer: Answer) -> Print:
    """Form and two mixtures of the numbers of what came; of an exception its kind and a hash of its text."""
    if answer.trial.ask.way == LOOKED:  # a missing file says nothing of a mistake in the code
        return ["files", 0.0, 0.0]
    if answer.error is not None:
        # torch words a forbidden change in place in several ways, and the sandbox hands over other views
        text = "in place" if re.search("in-?place", answer.error.text) else answer.error.text
        return [f"!{answer.error.kind} {_hash(text)}", 0.0, 0.0]
    if answer.refused:
        return [f"!{_hash(answer.problem or '')}", 0.0, 0.0]
    if alarm := answer.trial.agree.counts:
        return [f"counts {_hash(said(answer.got, answer.trial.want, alarm))}", 0.0, 0.0]
    if answer.trial.agree.law:
        return _of_law(answer)
    seen = _mixed(_seen(answer), exact=answer.trial.agree.types)
    return seen + _mixed(answer.got) if answer.trial.agree.view else seen


def _mixed(value: Any, *, exact: bool = False) -> Print:
    """Form and two mixtures of the numbers of one value; ``exact``: with the number types, which decide."""
    numbers: list[np.ndarray] = []
    form = _form(value, numbers, exact=exact)
    flat = np.concatenate([*numbers, np.zeros(0)])
    form = form if len(form) <= LONGEST else f"{form[: LONGEST // 2]}… {_hash(form)}"
    wild = ~np.isfinite(flat)
    form += f" {_hash(wild.tobytes())}" if wild.any() else ""
    flat = np.clip(np.where(wild, 0.0, flat), -1e100, 1e100)
    places = np.arange(len(flat), dtype=np.float64)
    return [form, *(_rounded(float(flat @ np.cos(turn * places + 0.4))) for turn in (1.0, 2.3))]


def _seen(answer: Answer) -> Any:
    """What is compared of the answer: of random results, what is no chance; where the view refuses it, the reason."""
    try:
        return answer.trial.agree.seen(answer.trial.case, answer.got) if answer.trial.agree.view else answer.got
    except CheckFailed as error:
        return str(error)


def _of_law(answer: Answer) -> Print:
    """Where the samples differ, coarsely: other programs with the same mistake draw other numbers."""
    if answer.kept:
        return ["law"]
    try:
        found = answer.trial.agree.halves(answer.trial.case, answer.got, answer.trial.want)
        return ["broken law", *(round(value, 3) for value in found)]
    except CheckFailed as error:
        return [f"law {error}"]


def alike(one: Sequence[Print], two: Sequence[Print], *, seen: bool = False, near: float = NEAR) -> bool:
    """Whether all fingerprints are the same; ``seen``: in what the views show, since what came may be chance."""
    pairs = zip(one, two, strict=False)
    return len(one) == len(two) and all(_near(a[:3], b[:3], near) if seen else _near(a, b, near) for a, b in pairs)


def beyond_rounding(answers: Sequence[Answer]) -> bool:
    """Whether some broken answer differs from the oracle's by more than the rounding of 32 bits."""
    lost = [one for one in answers if not one.kept]
    right = [fingerprint(Answer(one.trial, one.trial.want)) for one in lost]
    return any(not _near(fingerprint(one), own, FAR * COARSE) for one, own in zip(lost, right, strict=True))


def _near(one: Print, two: Print, near: float = NEAR) -> bool:
    near = LAW_NEAR if one[0] == "broken law" else near
    return len(one) == len(two) and all(
        a == b if isinstance(a, str) or isinstance(b, str) else math.isclose(a, b, rel_tol=near, abs_tol=near)
        for a, b in zip(one, two, strict=True)
    )


def _form(value: Any, numbers: list[np.ndarray], *, exact: bool = False) -> str:
    """Kinds and shapes; numbers are collected on the way. Lists and tuples are alike, and so are types of one kind,
    unless they are asked for exactly.
    """
    if isinstance(value, list | tuple):
        return "(" + ",".join(_form(item, numbers, exact=exact) for item in value) + ")"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_form(item, numbers, exact=exact)}" for key, item in value.items()) + "}"
    if isinstance(value, np.ndarray) and value.dtype.kind in "bif":
        value = torch.from_numpy(value)
    if isinstance(value, Tensor) and not value.is_complex():
        numbers.append(value.detach().double().reshape(-1).numpy())
        kind = "f" if value.is_floating_point() else "b" if value.dtype == torch.bool else "i"
        kind = f"{value.dtype} ".removeprefix("torch.") if exact else kind
        return kind + "x".join(map(str, value.shape))
    if isinstance(value, bool | int | float):
        numbers.append(np.array([_float(value)]))
        return "b" if isinstance(value, bool) else "i" if isinstance(value, int) else "f"
    if is_handle(value):
        return "?"
    return f"{type(value).__name__} {_hash(repr(value))}"


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all floats
        return math.inf


def _hash(text: str | bytes) -> str:
    return blake2b(text.encode("utf-8", "replace") if isinstance(text, str) else text, digest_size=4).hexdigest()


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
