"""Bounds on chance that hold for every number of draws, so that a test may state how often it errs.

Each answers: can this still be luck? They are exact inequalities, not the usual approximations for large samples.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from course_utils.errors import CourseError

STAKES = (0.01, 0.03, 0.07, 0.13, 0.25, 0.5, 0.9)  # shares of the largest stake


def improbable(hits: int, n: int, p: float, alpha: float) -> bool:
    """Whether ``hits`` in ``n`` independent tries, or still further from n·p on that side, has probability below alpha.

    Chernoff's bound exp(-n KL(hits/n || p)), Hoeffding 1963, theorem 1. Raises CourseError unless 0 < p < 1 <= n.
    """
    if not 0 < p < 1 or n < 1:
        raise CourseError(f"A share needs 0 < p < 1 and at least one try, not p={p}, n={n}.")
    q = hits / n
    divergence = sum(a * math.log(a / b) for a, b in ((q, p), (1 - q, 1 - p)) if a > 0)
    return -n * divergence < math.log(alpha)


def far_from_uniform(values: Sequence[float], alpha: float, cells: int | None = None) -> bool:
    """Whether the values' distribution is surely not uniform, on (0, 1) or on k/cells for k = 1..cells.

    The Dvoretzky-Kiefer-Wolfowitz inequality with Massart's constant (1990): P(sup|F_n - F| > e) <= 2 exp(-2 n e²).
    """
    if not values:
        return False
    u = torch.tensor(values, dtype=torch.float64).sort().values  # (n,)
    n = len(u)
    if cells is None:
        above = torch.arange(1, n + 1, dtype=torch.float64) / n
        distance = max(float((above - u).max()), float((u - above).max()) + 1 / n)
    else:  # both functions are steps, so comparing at the steps is enough
        marks = torch.arange(1, cells + 1, dtype=torch.float64) / cells
        distance = float((torch.searchsorted(u, marks + 1e-9) / n - marks).abs().max())
    return distance > math.sqrt(math.log(2 / alpha) / (2 * n))


def surely_above(values: Tensor, alpha: float, least: float) -> bool:
    """Whether independent values (n,), none below ``least`` < 0, would have been drawn with means of at most 0 with
    probability below alpha.

    By betting (Waudby-Smith and Ramdas 2024): a capital of 1 becomes prod(1 + s·value), which has a mean of at most 1 for
    each stake s < -1/least, and so has the mean of such capitals; by Markov's inequality it reaches 1/alpha with probability
    of at most alpha. It is nearly as sharp as the normal approximation, and holds for every n.
    """
    if not len(values):
        return False
    if least >= 0 or float(values.min()) < least - 1e-9:
        raise CourseError(f"The values must be at least {least}, a number below 0.")
    stakes = torch.tensor(STAKES, dtype=torch.float64) / -least
    capital = torch.log1p(stakes[:, None] * values.double()).sum(1)  # (S, 1) * (n,) -> (S, n) -> (S,)
    return float(capital.logsumexp(0)) - math.log(len(STAKES)) >= -math.log(alpha)


def mean_radius(values: Tensor, alpha: float, width: float = 1.0) -> float:
    """How far the mean of values (n,) may lie from the true one: the empirical Bernstein bound, one-sided, at level alpha.

    Maurer and Pontil 2009, theorem 4, for independent values within an interval of ``width``; infinite below two values.
    """
    n, log = len(values), math.log(2 / alpha)
    if n < 2:
        return math.inf
    return math.sqrt(2 * float(values.var()) * log / n) + 7 * width * log / (3 * (n - 1))
