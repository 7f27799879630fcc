"""Draws that come again: numbers that are promised to be independent are held apart at every distance at once.

Two samples compare neighbours, rows and calls. A table of draws that is read again after 64 rows, or 1,000 places, shows in
none of these. Here each number is multiplied with the one a distance later, for all distances by one Fourier transform, and
the sums are held to what independent numbers allow.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

ALARM = 1e-12  # of all distances of one sequence together
LEAST = 64  # numbers of a sequence
FEW = 5  # categories that are looked at one by one


def distance(values: Tensor) -> int | None:
    """The distance at which a sequence of independent numbers repeats itself, or None.

    A sum of products of centred independent numbers, each at most c in size and of variance v in all, exceeds
    sqrt(2 v l) + 2 c l / 3 with probability below exp(-l) (Freedman 1975). The centres are the means of the numbers at hand,
    and the variance is that of the sample: both are allowed for by a fifth.

    Args:
        values: (N, L) whole numbers, N calls of L places; -1 where there is none.
    """
    there = values >= 0
    if int(there.sum()) < LEAST:
        return None
    for part in _parts(values, there):
        if (found := _of(_centred(part, there).flatten())) is not None:
            return found
    return None


def _parts(values: Tensor, there: Tensor) -> list[Tensor]:
    """For each of a few categories whether a number is this one, which for two says the same twice; else the numbers."""
    kinds = values[there].unique()
    return [(values == k).double() for k in kinds[len(kinds) == 2 :]] if len(kinds) <= FEW else [values.double()]


def _centred(values: Tensor, there: Tensor) -> Tensor:
    """Numbers without the mean of their place in a call, where the calls are many, else of all; 0 where there is none.

    A mean of N numbers takes 1 in N of each product away: under a million numbers this is far below the bound.
    """
    among = there.double()
    axes = (0,) if len(values) >= LEAST else (0, 1)
    count = among.sum(axes, keepdim=True).clamp_min(1)  # (N, L) -> (1, L) or (1, 1)
    mean = (values * among).sum(axes, keepdim=True) / count
    return (values - mean) * among


def _of(z: Tensor) -> int | None:
    """The distance whose sum of products lies farthest above the bound; z (n,) is centred."""
    n = len(z)
    size = 2 ** math.ceil(math.log2(2 * n))  # padded with zeros, so that the end does not meet the beginning
    single = z.float()  # twice as fast, and its rounding is far below the fifth that is allowed
    sums, squares = (
        torch.fft.irfft(torch.fft.rfft(a, size).abs() ** 2, size)[1:n] for a in (single, single * single)
    )  # (n - 1,)
    log = math.log(2 * n / ALARM)
    most = float(z.abs().max()) ** 2
    excess = sums.abs() - 1.2 * ((2 * squares.clamp_min(0) * log).sqrt() + 2 * most * log / 3)
    at = int(excess.argmax())
    return at + 1 if float(excess[at]) > 0 else None
