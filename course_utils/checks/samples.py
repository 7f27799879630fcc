"""Two samples compared: counts of categories, with an exact bound on how often equal laws are called different.

A *sample* is a dictionary: feature -> [[category, count], …], the units of one feature being independent of each other and
of one law if the procedure is right. Under that law, given how often a category comes in both samples together, its count
in one of them is hypergeometric (Fisher's exact test), so the bound needs no approximation and no large numbers. Each
category is tested, and each "at most this category"; the bound is shared out over all these tests.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course_utils.checks.occasions import SINGLE, layer_of, told

NEVER, SURE = "never", 100.0  # the test that a layer has numbers, and its ratio
SCARCE = 0.1  # of the numbers that another program has: so few are none, or a stray one would hide the rest
LEAST = 200  # numbers, however few all layers have
MANY = 0.05  # of the numbers of the largest layer: one with more of them cannot be missing by chance
CLEAR = 1.5  # times the bound's logarithm: what another program with the same mistake shows too

Sample = dict[str, list[list[int]]]


def counted(features: Mapping[str, Tensor]) -> Sample:
    """Counts of each feature's categories (whole numbers), in their order."""
    found = ((name, np.unique(values.long().numpy(), return_counts=True)) for name, values in features.items())
    return {name: [[int(k), int(n)] for k, n in zip(kinds, counts, strict=True)] for name, (kinds, counts) in found}


def is_sample(value: Any) -> bool:
    """Whether this is a sample."""
    rows = value.values() if type(value) is dict else [None]
    return all(type(row) is list and all(type(pair) is list and len(pair) == 2 for pair in row) for row in rows)


def deviations(got: Sample, want: Sample, alarm: float) -> list[tuple[str, str, float]]:
    """What differs: (feature, test, ratio of the logarithm of its p-value to that of the bound), the surest one first.

    Args:
        alarm: largest probability of any difference at all where both samples have one law.

    Tests are named ``"=3"`` and ``"<=3"`` by category, followed by ``"+"`` where ``got`` has more and ``"-"`` for less.
    Single numbers of which ``want`` has many and ``got`` almost none differ, too, by the test ``"never"``.
    """
    if missing := [(feature, NEVER, SURE) for feature in sorted(set(got) & set(want)) if _missing(got, want, feature)]:
        return missing
    names, rows = [], []
    for feature in sorted(set(got) & set(want)):
        for test, x, n, y, m in _tests(got[feature], want[feature]):
            names.append((feature, test))
            rows.append((x, n, y, m))
    if not rows:
        return []
    x, n, y, m = np.array(rows, dtype=np.float64).T
    logs = two_sided(x, n, y, m)
    bound = math.log(alarm / len(rows))
    sign = np.where(x * m > y * n, "+", "-")
    found = [(names[i][0], names[i][1] + str(sign[i]), logs[i] / bound) for i in np.flatnonzero(logs < bound)]
    return sorted(found, key=lambda one: -one[2])


def _missing(got: Sample, want: Sample, feature: str) -> bool:
    """Whether a layer has almost no number, though it has many in the other sample: what it hangs on never comes."""
    if not feature.endswith(SINGLE):
        return False
    sizes = {name: _size(rows) for name, rows in want.items() if name.endswith(SINGLE)}
    many = sizes[feature] > max(LEAST, MANY * max(sizes.values()))
    return many and _size(got[feature]) < SCARCE * sizes[feature]


def _size(rows: Sequence[Sequence[int]]) -> int:
    """The number of units of a feature."""
    return sum(count for _, count in rows)


def different(got: Any, want: Sample, alarm: float) -> str | None:
    """A sentence on what surely differs, without numbers; None if nothing does."""
    if not is_sample(got):
        return "the results cannot be counted"
    found = deviations(got, want, alarm)
    return f"chance has another law than promised: {found[0][0]}" if found else None


def said(got: Sample, want: Sample, alarm: float) -> str:
    """What differs far beyond the bound, for recognising a mistake again in other draws.

    Per layer the tests of single numbers, which explain all else; where these are right, the names of other features.
    """
    found = deviations(got, want, alarm)
    clear = [one for one in found if one[2] > CLEAR] or found
    alone = {layer_of(feature): None for feature, _, _ in clear if feature.endswith(SINGLE)}
    single = {f"{feature} {test}" for feature, test, _ in clear if feature.endswith(SINGLE)}
    others = {feature for feature, _, _ in clear if layer_of(feature) not in alone}
    return "; ".join(sorted(single | others))


def shown(got: Sample, want: Sample, alarm: float) -> list[str]:
    """Two lines for people on one difference: how often it came, and how often it should.

    One category of single numbers if they differ, which explain all else, or of another feature; the surest of these.
    """
    found = deviations(got, want, alarm)
    exact = [one for one in found if one[1].startswith("=")]
    single = [one for one in exact if one[0].endswith(SINGLE) and one[2] > CLEAR]
    feature, test, _ = (single or exact or found)[0]
    if test == NEVER:
        few = _size(got[feature])
        often = "never" if few == 0 else f"{few:,} times" if few > 1 else "once"
        return [f"yours     {layer_of(feature)}: {often}", f"expected  about {_size(want[feature]):,} times"]
    (x, n), (y, m) = (_share(sample[feature], test) for sample in (got, want))
    return [
        f"yours     {told(feature, test)}: {x:,} of {n:,} ({x / n:.2%})",
        f"expected  about {y / m * n:,.0f} of {n:,} ({y / m:.2%})",
    ]


def _share(rows: Sequence[Sequence[int]], test: str) -> tuple[int, int]:
    kind = int(test.strip("<=+-"))
    hits = (count for k, count in rows if (k <= kind if test.startswith("<") else k == kind))
    return sum(hits), sum(count for _, count in rows)


def _tests(got: Sequence[Sequence[int]], want: Sequence[Sequence[int]]) -> Iterable[tuple[str, int, int, int, int]]:
    """Per test its name, and hits and size of both samples; none where a sample has no unit."""
    a, b = ({int(k): int(count) for k, count in rows} for rows in (got, want))
    n, m = sum(a.values()), sum(b.values())
    kinds = sorted(set(a) | set(b))
    if not n or not m:
        return
    low = high = 0
    for k in kinds:
        x, y = a.get(k, 0), b.get(k, 0)
        low, high = low + x, high + y
        yield f"={k}", x, n, y, m
        if len(kinds) > 2 and k != kinds[-1]:
            yield f"<={k}", low, n, high, m


def two_sided(x: np.ndarray, n: np.ndarray, y: np.ndarray, m: np.ndarray) -> np.ndarray:
    """Logarithms of upper bounds of two-sided p-values: x of n against y of m, given x + y; all of one shape.

    A hypergeometric probability falls ever faster away from its mode, so a tail is at most its first term times 1/(1 - r)
    with r the ratio of its first two terms. Twice the smaller tail, at most 1.
    """
    first, second = _upper(x, n, x + y, n + m), _upper(n - x, n, n + m - x - y, n + m)
    return np.minimum(0.0, np.minimum(first, second) + math.log(2))


def _upper(x: np.ndarray, n: np.ndarray, hits: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Logarithm of a bound of P(X >= x), X the hits among n drawn from ``total`` of which ``hits`` are such."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (hits - x) * (n - x) / ((x + 1) * (total - hits - n + x + 1))
        term = _choose(hits, x) + _choose(total - hits, n - x) - _choose(total, n)
        bound = term - np.log1p(-np.minimum(ratio, 1.0))
    return np.where(ratio < 1, np.minimum(bound, 0.0), 0.0)


def _choose(n: np.ndarray, k: np.ndarray) -> np.ndarray:
    gamma = [torch.lgamma(torch.from_numpy(np.asarray(value) + 1.0)).numpy() for value in (n, k, n - k)]
    return gamma[0] - gamma[1] - gamma[2]


def units_needed(p: float, q: float, alarm: float, tests: int = 100, power: float = 0.99) -> int:
    """Units per sample with which a share q instead of p is found with probability ``power``, by the normal approximation."""
    level, rest = (_quantile(1 - x) for x in (alarm / tests / 2, 1 - power))
    mean = (p + q) / 2
    spread = level * math.sqrt(2 * mean * (1 - mean)) + rest * math.sqrt(p * (1 - p) + q * (1 - q))
    return math.ceil((spread / (p - q)) ** 2)


def _quantile(level: float) -> float:
    return float(torch.special.ndtri(torch.tensor(level, dtype=torch.float64)))
