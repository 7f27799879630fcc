"""Accuracy, confidence intervals, and model FLOPs utilisation (the share of a machine's peak speed that is used)."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan, cos, inf, pi, sin, sqrt
from statistics import NormalDist, fmean, stdev

from course_utils.errors import CourseError


def exact_match(predictions: Sequence[str], answers: Sequence[str | None]) -> float:
    """Share of predictions that equal their answer, character by character; 0..1.

    Raises:
        CourseError: no answers, an answer that is not known, or lengths that differ.
    """
    return count_correct(predictions, answers) / len(answers)


def count_correct(predictions: Sequence[str], answers: Sequence[str | None]) -> int:
    """Number of predictions that equal their answer; raises like :func:`exact_match`."""
    if len(predictions) != len(answers):
        raise CourseError(f"There are {len(predictions)} predictions for {len(answers)} answers; give one for each.")
    if not answers:
        raise CourseError("Accuracy needs at least one answer; the list is empty.")
    if None in answers:
        i = list(answers).index(None)
        raise CourseError(f"Question {i + 1} has no answer, so accuracy is unknown; read a file that has the answers.")
    return sum(p == a for p, a in zip(predictions, answers, strict=True))


def wilson_interval(k: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Confidence interval (low, high) for a probability: ``k`` successes in ``n`` independent trials.

    Unlike p ± 1.96·√(p(1-p)/n) it stays within 0..1 and keeps its coverage near both ends (Wilson 1927, JASA 22, 209-212).

    Raises:
        CourseError: not 0 <= k <= n, or n = 0, or a confidence outside (0, 1).
    """
    if n < 1 or not 0 <= k <= n:
        raise CourseError(f"{k} of {n} is not a share; 0 <= k <= n and n >= 1 are needed.")
    z = NormalDist().inv_cdf(_upper(confidence))
    p, shrink = k / n, 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / shrink
    # at the ends the formula gives exactly 0 and 1, but rounding gives errors of 1e-17
    return (0.0 if k == 0 else centre - half), (1.0 if k == n else centre + half)


def mean_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float, float]:
    """Mean of independent runs with Student's confidence interval: (mean, low, high), in the unit of the values.

    One value alone gives no estimate of the spread: its interval is (-inf, inf).

    Raises:
        CourseError: no values, or a confidence outside (0, 1).
    """
    if not values:
        raise CourseError("A mean needs at least one value; the list is empty.")
    mean, n, upper = fmean(values), len(values), _upper(confidence)
    if n == 1:
        return mean, -inf, inf
    half = t_quantile(upper, n - 1) * stdev(values) / sqrt(n)
    return mean, mean - half, mean + half


def t_quantile(p: float, df: int) -> float:
    """The quantile ``p`` of Student's t distribution with ``df`` degrees of freedom, by bisection."""
    if not 0 < p < 1 or df < 1:
        raise CourseError(f"A t quantile needs 0 < p < 1 and df >= 1, not p={p}, df={df}.")
    if p < 0.5:
        return -t_quantile(1 - p, df)
    low, high = 0.0, 1.0
    while _t_cdf(high, df) < p:
        high *= 2
    for _ in range(100):  # halving: far below float precision
        middle = (low + high) / 2
        low, high = (middle, high) if _t_cdf(middle, df) < p else (low, middle)
    return high


def _t_cdf(t: float, df: int) -> float:
    """P(T <= t) for t >= 0: the finite sums of Abramowitz & Stegun 26.7.3 (odd) and 26.7.4 (even)."""
    if df > 1000:  # the sums get long, and the normal approximation 26.7.8 is good to 1e-7 here
        return NormalDist().cdf((t * (1 - 1 / (4 * df))) / sqrt(1 + t * t / (2 * df)))
    theta = atan(t / sqrt(df))
    if df == 1:
        return 0.5 + theta / pi
    odd = df % 2
    term, total = (cos(theta), cos(theta)) if odd else (1.0, 1.0)
    for k in range(2 + odd, df - 1, 2):
        term *= cos(theta) ** 2 * (k - 1) / k
        total += term
    inside = (2 / pi) * (theta + sin(theta) * total) if odd else sin(theta) * total
    return 0.5 + inside / 2


def _upper(confidence: float) -> float:
    """The probability below the upper end of a two-sided interval."""
    if not 0 < confidence < 1:
        raise CourseError(f"A confidence lies between 0 and 1, e.g. 0.95; got {confidence}.")
    return (1 + confidence) / 2


def mfu(tokens_per_second: float, flops_per_token: float, peak_flops: float) -> float:
    """Model FLOPs utilisation: the share (0..1) of the machine's peak that went into the model's own arithmetic.

    Source: Chowdhery et al. 2022, PaLM, section 4.1. ``peak_flops`` is in operations per second, for the number
    format used; above 1 one of the three numbers is wrong.
    """
    if min(tokens_per_second, flops_per_token, peak_flops) <= 0:
        raise CourseError("MFU needs tokens per second, FLOPs per token and peak FLOPs per second, all above 0.")
    return tokens_per_second * flops_per_token / peak_flops
