"""Random procedures held to their joint law: two samples, the student's and the oracle's, compared column by column.

A view turns each result into rows of features, one row per independent draw. Compared are the features, all pairs of them
(as products, so that dependence shows) and consecutive rows: for each, the shares of draws below a few points of the
oracle's sample. Chernoff's bound exp(-n KL(q || p)) (Hoeffding 1963, theorem 1) holds for the student's share, and for the
oracle's order statistics, whose shares are as uncertain. The false-alarm bound is divided evenly among all comparisons, so
that the bound of a check holds exactly, for every number of draws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from course_utils.checks.compare import CheckFailed
from course_utils.errors import CourseError

TAIL = (0.002, 0.005, 0.01, 0.02)
LEVELS = (
    *TAIL,
    *(k / 25 for k in range(1, 25)),
    *(1 - x for x in reversed(TAIL)),
)  # shares at which samples are compared
POINTS = len(LEVELS)
MOST = 12  # features of a row
TINY = 1e-9


def least_deviation(n: int, m: int, features: int, alpha: float) -> float:
    """The deviation of a share beyond which a law is surely refused, for n draws against m, by Hoeffding's bound."""
    log = _log(features, alpha)
    return 2 * (math.sqrt(log / (n // 2 * 2)) + math.sqrt(log / (m // 2 * 2)))


def require_power(n: int, m: int, features: int, alpha: float, finds: float) -> None:
    """Raise CourseError when n draws against m do not surely find a deviation of ``finds``."""
    if (least := least_deviation(n, m, features, alpha)) > finds:
        raise CourseError(f"{n} draws find a deviation of {least:.2f}, not of {finds:g}: draw more.")


def _log(features: int, alpha: float) -> float:
    """Logarithm of the inverse level of one comparison: two samples, two sides, all columns and points."""
    return math.log(4 * len(columns_of(features)) * POINTS / alpha)


def divergence(q: Tensor, p: Tensor) -> Tensor:
    """KL(q || p) of two shares, elementwise."""
    p = p.clamp(1e-300, 1 - 1e-16)
    return torch.special.xlogy(q, q / p) + torch.special.xlogy(1 - q, (1 - q) / (1 - p))


def reach(share: Tensor, n: Tensor, log: float, *, upwards: bool) -> Tensor:
    """The farthest true share, on one side, with which an observed ``share`` of n draws is still credible."""
    near, far = share.clone(), torch.full_like(share, float(upwards))
    for _ in range(40):
        middle = (near + far) / 2
        credible = n * divergence(share, middle) <= log
        near, far = torch.where(credible, middle, near), torch.where(credible, far, middle)
    return near


def columns_of(features: int) -> list[tuple[int, ...]]:
    """What is compared: (i,) a feature, (i, j) a pair, (i, -1) a feature in consecutive rows, (i, -2) in both halves."""
    pairs = [(i, j) for i in range(features) for j in range(i)]
    return [*((i,) for i in range(features)), *pairs, *((i, k) for k in (-1, -2) for i in range(features))]


def table(rows: Tensor) -> dict[str, Any]:
    """The oracle's sample as it is kept: location and scale of each feature, points and shares of each column.

    Args:
        rows: (n, F).
    """
    rows = checked(rows)
    centre, scale = rows.mean(0), rows.std(0).clamp_min(TINY)
    found: dict[str, Any] = {
        "n": len(rows),
        "centre": centre.tolist(),
        "scale": scale.tolist(),
        "points": [],
        "shares": [],
    }
    ordered = _columns(rows, centre, scale)
    levels = torch.tensor(LEVELS, dtype=torch.float64)
    for values in ordered:
        points = torch.unique(values[(levels * (len(values) - 1)).long()].float()).double()
        found["points"].append([float(f"{x:.6g}") for x in points.tolist()])
        found["shares"].append([round(share, 5) for share in _shares(values, found["points"][-1]).tolist()])
    return found


def deviations(rows: Tensor, want: dict[str, Any], alpha: float) -> list[tuple[float, float, float, float]]:
    """For each column the largest excess over what chance allows, with the point, the share there, and the oracle's."""
    rows = checked(rows)
    if rows.shape[1] != len(want["centre"]):
        raise CheckFailed("the result does not have the form that the text asks for")
    centre, scale = (torch.tensor(want[key], dtype=torch.float64) for key in ("centre", "scale"))
    log, ordered = _log(rows.shape[1], alpha), _columns(rows, centre, scale)[: len(want["points"])]
    width = max(map(len, want["points"]))
    shares = torch.stack([_wide(_shares(*pair), width) for pair in zip(ordered, want["points"], strict=True)])  # (C, W)
    theirs = torch.stack([_wide(torch.tensor(one, dtype=torch.float64), width) for one in want["shares"]])
    columns = columns_of(rows.shape[1])[: len(ordered)]
    size = torch.tensor([want["n"] // (2 if one[-1] < 0 else 1) for one in columns]).double()[:, None]
    low, high = (reach(theirs, size, log, upwards=upwards) for upwards in (False, True))
    count = torch.tensor([len(values) for values in ordered]).double()[:, None]
    excess = count * divergence(shares, torch.minimum(torch.maximum(shares, low), high)) - log
    worst = excess.argmax(1).tolist()
    points = [one[min(at, len(one) - 1)] for one, at in zip(want["points"], worst, strict=True)]
    numbers = (part.gather(1, excess.argmax(1)[:, None])[:, 0].tolist() for part in (excess, shares, theirs))
    return [(a, point, b, c) for point, a, b, c in zip(points, *numbers, strict=True)]


def _wide(values: Tensor, width: int) -> Tensor:
    """The shares of one column, filled up with its last one, which changes no maximum."""
    return torch.cat([values, values[-1:].expand(width - len(values))])


def halves(rows: Tensor, want: dict[str, Any]) -> list[float]:
    """Mean deviation of the shares at the lower and at the upper points, column by column."""
    centre, scale = (torch.tensor(want[key], dtype=torch.float64) for key in ("centre", "scale"))
    found: list[float] = []
    for values, points, theirs in zip(
        _columns(checked(rows), centre, scale), want["points"], want["shares"], strict=True
    ):
        gaps = _shares(values, points) - torch.tensor(theirs, dtype=torch.float64)
        found += [float(part.mean()) if len(part) else 0.0 for part in gaps.tensor_split(2)]
    return found


def violated(rows: Tensor, want: dict[str, Any], alpha: float) -> tuple[int, str] | None:
    """The column that deviates most, if one deviates by more than chance allows, and where it does."""
    found = deviations(rows, want, alpha)
    worst = max(range(len(found)), key=lambda number: found[number][0])
    excess, point, share, theirs = found[worst]
    if excess <= 0:
        return None
    return worst, f"{share:.3f} of the draws are at most {point:.4g}, where {theirs:.3f} are expected"


def named(column: int, features: int, names: Sequence[str]) -> str:
    """What a column is, in words."""
    names = [*names, *(f"feature {n + 1}" for n in range(len(names), features))]
    place = columns_of(features)[column]
    if len(place) == 1:
        return f"the distribution of {names[place[0]]} is another one"
    if place[1] == -2:
        return f"{names[place[0]]} of early and of late draws do not go together as they must (standardised product)"
    if place[1] == -1:
        return f"{names[place[0]]} of one draw and of the next do not go together as they must (standardised product)"
    return f"{names[place[0]]} and {names[place[1]]} do not go together as they must (standardised product)"


def checked(rows: Any) -> Tensor:
    """Rows (n, F) as float64. Raises CheckFailed."""
    if not isinstance(rows, Tensor) or rows.dim() != 2 or not 0 < rows.shape[1] <= MOST or len(rows) < 2:
        raise CheckFailed("the result does not have the form that the text asks for")
    if not bool(rows.double().isfinite().all()):
        raise CheckFailed("the result contains NaN or infinity")
    return rows.detach().double()


def _columns(rows: Tensor, centre: Tensor, scale: Tensor) -> list[Tensor]:
    """All columns of ``columns_of``, each sorted."""
    standard, features = (rows - centre) / scale, rows.shape[1]
    pairs = [(i, j) for i in range(features) for j in range(i)]
    products = [standard[:, i] * standard[:, j] for i, j in pairs]
    whole = torch.stack([*rows.T, *products]).sort(1).values  # (columns, n)
    couples = standard[: len(rows) // 2 * 2].unflatten(0, (-1, 2))  # disjoint neighbours are independent of one another
    following = (couples[:, 0] * couples[:, 1]).T.contiguous().sort(1).values  # (F, n / 2)
    half = len(rows) // 2
    apart = (standard[:half] * standard[half : 2 * half]).T.contiguous().sort(1).values  # (F, n / 2)
    return [*whole, *following, *apart]


def _shares(values: Tensor, points: Sequence[float]) -> Tensor:
    """Share of the sorted values that are at most each point; values a rounding above it count as at most it."""
    edges = torch.tensor(points, dtype=torch.float64)
    return torch.searchsorted(values, edges + 1e-6 * (1 + edges.abs()), right=True).double() / len(values)
