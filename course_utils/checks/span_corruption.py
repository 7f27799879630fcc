"""What span corruption promises, as a suite of properties that a notebook and the judge share.

The suite knows the promise, not how to keep it: it looks at thousands of draws and never makes one. Documents of distinct
characters let every draw be read backwards into (kept length L, start, content length n), and each property is tested
alone, so that each failure has a sentence of its own.

Why a right answer is not rejected by bad luck. Every decision that depends on chance uses a bound that holds for every
number of draws, no approximation for large ones:

- a share of draws against its probability: Chernoff's bound exp(-N KL(k/N || p)) (Hoeffding 1963, theorem 1);
- a distribution against the uniform one: P(sup|F_N - F| > e) <= 2 exp(-2 N e²) (Massart 1990), also for discrete F;
- a mean of numbers in an interval: the empirical Bernstein bound (Maurer and Pontil 2009, theorem 4);
- something possible that never happens: the product of the probabilities that it does not.

Each decision is made at level ALPHA = 1e-5/64, divided by the number of cells where several are looked at; the suite makes
at most 24 decisions, a check runs it at most twice, so a right answer fails with probability below 48/64 · 1e-5.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import torch

from course_utils.checks.bounds import far_from_uniform, improbable, mean_radius
from course_utils.checks.span_samples import SHORTEST, Bench, Open, Opened, Span, Take, Violation, draws, pairs
from course_utils.checks.student import StudentError
from course_utils.errors import CourseError
from course_utils.vocab import Vocabulary

__all__ = ["draws", "first_violation", "through"]

ALPHA = 1e-5 / 64
SMALLEST_TESTED = 16  # below, rounding to whole characters hides the content's share
LEAST_SHARE = 1 / 20  # of the contents are below 3/16 of the kept length, and as many above 5/16
TOLERANCE = 0.02


def opened_by(student: Any) -> Open:
    """The notebook's ``CharCorruptionDataset`` as :func:`first_violation` wants it."""

    def opened(documents: list[str], vocab: Vocabulary, block_size: int, seed: int) -> Opened:
        dataset = student.CharCorruptionDataset(documents, vocab, block_size, seed)
        take = student.tool("course_utils.checks.span_samples.draws")
        return (lambda items: take(dataset, items)), dataset.reseed

    return opened


def through(student: Any) -> Open:
    """As :func:`opened_by`, for releases of version 0.1, whose notebook imports ``draws`` itself."""

    def opened(documents: list[str], vocab: Vocabulary, block_size: int, seed: int) -> Opened:
        dataset = student.CharCorruptionDataset(documents, vocab, block_size, seed)
        return (lambda items: student.draws(dataset, items)), dataset.reseed

    return opened


def first_violation(opened: Open, rng: random.Random, n: int = 3000) -> str | None:
    """The hint of the first property that does not hold, or None.

    Args:
        opened: ``(documents, vocab, block_size, seed) -> (take, reseed)``, where ``take(items)`` gives what
            :func:`draws` gives, and ``reseed(seed)`` starts the draws anew.
        rng: of the documents, block sizes and seeds.
        n: draws from long documents, at least 3,000; half as many from short ones.
    """
    if n < 3000:
        raise CourseError(f"{n} draws are too few for the stated rate of false alarms; take 3,000 or more.")
    try:
        _long_documents(opened, rng, n)
        _short_documents(opened, rng, n // 2)
        _tiny_documents(opened, rng)
        _generator(opened, rng)
    except Violation as violation:
        return str(violation)
    return None


# ----------------------------------------------------------------------------------------------------- the settings


def _long_documents(opened: Open, rng: random.Random, n: int) -> None:
    """Documents that every draw of the kept length cuts: its distribution can be seen as it is."""
    T = rng.randint(96, 128)
    longest = 7 * T // 8
    bench = Bench(opened, rng, [longest, longest + 1, T, T + 1, *(rng.randint(T, 3 * T) for _ in range(4))], T)
    spans = bench.spans(n)
    _new_at_every_call(spans)
    _kept_uniform([s.kept for s in spans], longest)
    large, third = _large(spans), (longest - SMALLEST_TESTED) // 3
    low, high = [s for s in large if s.kept <= SMALLEST_TESTED + third], [s for s in large if s.kept >= longest - third]
    _follows_kept_length(low, high)
    _content(large, "")
    _starts(spans, rng)


def _short_documents(opened: Open, rng: random.Random, n: int) -> None:
    """Documents shorter than most draws of the kept length: what follows must go by what is really there."""
    lengths = [rng.randint(SMALLEST_TESTED, 20) for _ in range(4)]
    bench, spans = _survived(opened, rng, lengths, rng.randint(100, 140), n)
    _kept_of_short(bench, spans)
    _content(
        _large(spans), ", for short documents too: use the length of the text that was really kept, not the drawn one"
    )
    _starts(spans, rng)


def _tiny_documents(opened: Open, rng: random.Random) -> None:
    """Documents of 0 to 7 characters, 80 draws of each: three in four of the whole would be missed with 1e-10."""
    for length in range(8):
        bench, spans = _survived(opened, rng, [length, length], rng.randint(16, 40), 160)
        _kept_of_short(bench, spans)


def _survived(opened: Open, rng: random.Random, lengths: list[int], T: int, n: int) -> tuple[Bench, list[Span]]:
    """A bench and its draws, or the sentence about a crash."""
    try:
        bench = Bench(opened, rng, lengths, T)
        return bench, bench.spans(n)
    except StudentError as error:
        if error.unsolved:
            raise
        raise Violation(
            f"a document of {min(lengths)} characters raised {error.kind}: documents of 0 to 5 characters occur and must "
            f"not crash, and what is drawn later must fit the text that was really kept"
        ) from error


def _generator(opened: Open, rng: random.Random) -> None:
    """All draws come from the dataset's own generator, which ``seed`` and ``reseed`` set."""
    bench = Bench(opened, rng, [90] * 12, 64)
    other, _ = opened(bench.documents, bench.vocab, bench.T, bench.seed + 1)
    twin, _ = opened(bench.documents, bench.vocab, bench.T, bench.seed)
    first = _twelve(bench.take)
    hint = "draw from self.rng alone, not from the global random, numpy or torch generators: "
    if _twelve(twin) != first:
        raise Violation(hint + "two datasets with one seed must give the same")
    if _twelve(other) == first:
        raise Violation(hint + "datasets with different seeds must give different draws")
    runs = []
    for seed in (bench.seed, bench.seed, bench.seed + 1):
        bench.reseed(seed)
        runs.append(_twelve(bench.take))
    if runs[0] != runs[1]:
        raise Violation(hint + "after reseed(seed) the same draws must come again")
    if runs[0] == runs[2]:
        raise Violation(hint + "reseed with another seed must give other draws, or all workers draw the same")


def _twelve(take: Take) -> list[list[int]]:
    X, _ = pairs(take(list(range(12))), 12, 64)
    return X.tolist()


# ------------------------------------------------------------------------------------------------------- the chances


def _large(spans: Sequence[Span]) -> list[Span]:
    return [s for s in spans if s.kept >= SMALLEST_TESTED]


def _new_at_every_call(spans: Sequence[Span]) -> None:
    kinds = Counter(s.document for s in set(spans))
    if min(kinds.values()) == 1:
        raise Violation("the same item is corrupted in the same way every time: make a new draw at every call")


def _kept_uniform(kept: list[int], longest: int) -> None:
    """Uniform on 4..longest, both ends included."""
    counts, cells, n = Counter(kept), longest - SHORTEST + 1, len(kept)
    low, high = min(kept), max(kept)
    even = "every length from 4 to int(T * 7/8) must be equally likely, both ends included"
    for broken, hint in (
        (low == high, f"the kept length is always the same: {even}"),
        (low < SHORTEST, f"the kept length goes down to {low}: at least {SHORTEST} characters must be kept"),
        (high > longest, "more is kept than int(T * 7/8) characters: that is the upper end, whatever fits into T"),
        (len(counts) < high - low + 1, f"some kept lengths never occur: {even}"),
        (low > SHORTEST, f"the shortest kept length never occurs: it is {SHORTEST}, yours begins at {low}"),
        (_far(counts, cells), f"the kept length is not uniform: {even}"),
        (high < longest, f"the longest kept length never occurs: {even} (range and torch.randint leave out their end)"),
        (_uneven(counts, n, cells), f"the kept length is not uniform: {even}"),
    ):
        if broken:
            raise Violation(hint)


def _far(counts: Counter[int], cells: int) -> bool:
    """Whether the lengths up to some value are surely too frequent or too rare."""
    return far_from_uniform([(k - SHORTEST + 1) / cells for k in counts.elements()], ALPHA, cells)


def _uneven(counts: Counter[int], n: int, cells: int) -> bool:
    """Whether a single length is surely too frequent or too rare."""
    return any(improbable(counts[k], n, 1 / cells, ALPHA / (2 * cells)) for k in range(SHORTEST, SHORTEST + cells))


def _kept_of_short(bench: Bench, spans: Sequence[Span]) -> None:
    """Between 4 and the whole document; the whole one, where a draw is larger, must occur."""
    lengths = [len(ids) for ids in bench.ids]
    if any(s.kept < min(SHORTEST, lengths[s.document]) for s in spans):
        raise Violation(f"of a short document, the whole or at least {SHORTEST} characters must be kept")
    whole = {s.document for s in spans if s.kept == lengths[s.document]}
    if len(whole) < len(lengths):
        raise Violation("a document shorter than the drawn length must be kept as a whole, its last character too")


def _follows_kept_length(low: Sequence[Span], high: Sequence[Span]) -> None:
    """The content is the same share of small kept lengths as of large ones, each 1/4 ± 0.02."""
    if _share(low)[0] - _share(high)[1] > 2 * TOLERANCE or _share(high)[0] - _share(low)[1] > 2 * TOLERANCE:
        raise Violation("the content length does not follow the kept length: it must be about a quarter of it")


def _content(spans: Sequence[Span], addition: str) -> None:
    """Mean a quarter of the kept length, and well spread around it."""
    least, most = _share(spans)
    if least > 0.25 + TOLERANCE or most < 0.25 - TOLERANCE:
        way = "longer" if least > 0.25 else "shorter"
        raise Violation(f"the content is {way} than a quarter of the kept length on average{addition}")
    for what, hits in (
        ("below 3/16", sum(16 * s.length <= 3 * s.kept for s in spans)),
        ("above 5/16", sum(16 * s.length >= 5 * s.kept for s in spans)),
    ):
        if hits < LEAST_SHARE * len(spans) and improbable(hits, len(spans), LEAST_SHARE, ALPHA):
            raise Violation(
                f"the content length hardly varies: it is random, with a quarter of the kept length as its mean, and "
                f"must often be {what} of it{addition}"
            )


def _share(spans: Sequence[Span]) -> tuple[float, float]:
    """Between which values the mean share of the content surely lies, rounding to whole characters left out of account.

    For a right answer |E[n/L | L] - 1/4| <= 0.02 + 1/(2L), since rounding moves n by up to half a character.
    """
    if not spans:
        return -math.inf, math.inf
    shares = torch.tensor([s.length / s.kept for s in spans], dtype=torch.float64)
    half = torch.tensor([0.5 / s.kept for s in spans], dtype=torch.float64)
    low, high = shares - half, shares + half
    width = 1 + 0.5 / SMALLEST_TESTED
    return float(low.mean()) - mean_radius(low, ALPHA), float(high.mean()) + mean_radius(high, ALPHA, width)


def _starts(spans: Sequence[Span], rng: random.Random) -> None:
    """Uniform over all places where the content fits, whatever its length and that of the text."""
    free = [s for s in spans if s.places > 1]
    last = [s.start == s.places - 1 for s in free]
    first = [s.start == 0 for s in free]
    end = "; every start where the content fits must be equally likely, the first and the last included"
    if all(first) or all(last):
        raise Violation(f"the content is always cut out at the {'beginning' if all(first) else 'end'}{end}")
    if all(abs(2 * s.start - (s.places - 1)) <= 2 for s in free):
        raise Violation(f"the content is always cut out of the middle{end}")
    never = sum(math.log1p(-1 / s.places) for s in free) < math.log(ALPHA)
    if never and not any(last):
        raise Violation(f"the last possible start, len(kept) - length, never occurs{end}")
    if never and not any(first):
        raise Violation(f"the first possible start, 0, never occurs{end}")
    if far_from_uniform([(s.start + rng.random()) / s.places for s in free], ALPHA):
        raise Violation(f"the start is not uniform{end}")
