"""How the check of span corruption asks a dataset for draws, and the laws that these must follow.

Every draw is read backwards (``span_samples.Reader``): what stands before the first MASK, between the two, and behind the
second one. What the text fixes is then tested by itself, length by length, with bounds that hold for every number of draws:
``checks.bounds``, and Fisher's exact test of ``checks.samples``. What breaks a law raises CheckFailed with its sentence. A
right answer breaks one with probability below :data:`ALARM` in a trial.

What is found. With the 450 draws of a length that ``content`` has, a content length that never varies, or one whose mean is
off by 0.1 L and the tolerance (``span_means`` finds less). Kept lengths and starts: a share that is half of what it must
be, where 280 draws are expected, or twice that, where 100 are.

Letters: T block size, L kept length, n length of the content, N draws.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from course_utils.checks.asking import sent
from course_utils.checks.bounds import far_from_uniform, improbable
from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case
from course_utils.checks.fetch import fetches
from course_utils.checks.samples import two_sided
from course_utils.checks.span_samples import SHORTEST, Reader, Span, Violation, draws, pairs
from course_utils.lessons.span_means import off_quarter

ALARM = 1e-7  # of one trial
LEAST_SHARE = 0.05
FEW = 60  # draws, below which a length is looked at together with others alone
PLACES = 12  # starts up to which each is looked at by itself
HERE = "course_utils.lessons.span_laws."
EVEN = "; every start where the content fits must be equally likely, the first and the last included"
SHORT = (
    "a document shorter than the drawn length must be kept as a whole, its last character too: draw from 4 to 7 T // 8, "
    "whatever the document's length; yours is kept as a whole too "
)
KEPT = "every length from 4 to 7 T // 8 must be equally likely, both ends included"


# ------------------------------------------------------------------------------------------------------------ asking


@fetches("thousands of items, each a call of the student's dataset, come in one message")
def trimmed(dataset: Any, places: Sequence[int]) -> Any:
    """The items at these places: (X, Y, T), X and Y (N, t) without columns that are 0 everywhere; else as ``draws``."""
    found = draws(dataset, places)
    if not isinstance(found, tuple):
        return found
    X, Y = found
    used = ((X != 0) | (Y != 0)).any(0).nonzero()  # (t, 1)
    width = int(used.max()) + 1 if len(used) else 1
    return X[:, :width].contiguous(), Y[:, :width].contiguous(), X.shape[1]


def sample(dataset: Any, student: Any, case: Case, places: Sequence[int]) -> list[Span]:
    """Draws of a dataset, read backwards. Raises CheckFailed for what can be no draw."""
    documents, vocab, T, *_ = case.args
    documents = documents if type(documents) is list else student.fetch(documents)  # what a trouble keeps there
    reader = Reader([vocab.encode(text) for text in documents], T)
    found = student.tool(HERE + "trimmed")(dataset, list(places))
    try:
        if isinstance(found, tuple) and len(found) == 3:
            X, Y = pairs(tuple(_widened(part, found[2], T) for part in found[:2]), len(places), T)
        else:
            X, Y = pairs(found, len(places), T)
        return reader.spans_of(X, Y, places)
    except Violation as violation:
        raise CheckFailed(str(violation)) from None


def _widened(part: Any, width: Any, T: int) -> Any:
    """The columns of 0 put back. Raises CheckFailed where the items have not T entries."""
    if (
        type(part) is not torch.Tensor
        or part.dim() != 2
        or type(width) is not int
        or not part.shape[1] <= width < 10**5
    ):
        raise CheckFailed("all items must be pairs of int64 tensors of shape (T,)")
    return torch.nn.functional.pad(part, (0, width - part.shape[1]))


def lawful(student: Any, case: Case, name: str, law: str) -> bool:
    """Ask for the case's items, ``times`` each, and raise CheckFailed where they break the law of this name."""
    dataset = getattr(student, name)(*(sent(student, value) for value in case.args))
    if len(dataset) != len(case.setup["lengths"]):
        raise CheckFailed("len(dataset) must be the number of documents")
    places = list(case.setup["items"]) * case.setup["times"]
    LAWS[law](case, sample(dataset, student, case, places))
    return True


def require(holds: bool, sentence: str) -> None:  # noqa: FBT001
    """Raise CheckFailed with the sentence unless something holds."""
    if not holds:
        raise CheckFailed(sentence)


# -------------------------------------------------------------------------------------------------- single draws, kept


def form(case: Case, spans: Sequence[Span]) -> None:
    """Every single draw: from 4 to 7 T // 8 characters are kept, or the whole of a shorter document."""
    lengths, T = case.setup["lengths"], case.args[2]
    for s in spans:
        whole = lengths[s.document]
        require(
            s.kept >= min(SHORTEST, whole),
            f"the kept length goes down to {s.kept}: at least {SHORTEST} characters must be kept, or all of a document",
        )
        require(
            s.kept <= 7 * T // 8, "more is kept than 7 T // 8 characters: that is the upper end, whatever fits into T"
        )


def kept(case: Case, spans: Sequence[Span]) -> None:
    """The exact law of the kept length: uniform on 4 … 7 T // 8, what lies above the document's length at that length."""
    form(case, spans)
    lengths, T = case.setup["lengths"], case.args[2]
    cells, groups = 7 * T // 8 - SHORTEST + 1, _grouped(spans, lambda s: min(lengths[s.document], 7 * T // 8))
    for length, group in groups.items():
        if length <= SHORTEST:
            continue
        counts, level = Counter(s.kept for s in group), ALARM / (4 * (cells + 1) * len(groups))
        whole, cut = (7 * T // 8 - length + 1) / cells, length < 7 * T // 8
        if not cut:
            require(len(counts) > 1, f"the kept length is always the same: {KEPT}")
            _both_ends(counts, len(group), length, cells, level)
            _below(counts, len(group), length, cells, level)
        _lowest(counts, len(group), cells, level)
        _whole(counts[length], len(group), whole, level, cut=cut)
        _below(counts, len(group), length, cells, level)


def _whole(hits: int, n: int, p: float, level: float, *, cut: bool) -> None:
    """The share of draws that keep all that may be kept."""
    if p < 1 and improbable(hits, n, p, level):
        sentence = f"the longest kept length occurs too {'seldom' if hits < n * p else 'often'}: {KEPT}"
        if not hits:
            sentence = f"the longest kept length never occurs: {KEPT} (range and torch.randint leave out their end)"
        if cut:
            sentence = SHORT + ("seldom" if hits < n * p else "often")
        raise CheckFailed(sentence)


def _both_ends(counts: Counter[int], n: int, length: int, cells: int, level: float) -> None:
    """Whether both ends surely come too seldom, though they come: so it is where a fraction is rounded."""
    few = [0 < counts[k] < n / cells and improbable(counts[k], n, 1 / cells, level) for k in (SHORTEST, length)]
    if cells > 2 and all(few):
        raise CheckFailed(
            f"the shortest and the longest kept length come too seldom: {KEPT} (rounding a fraction gives the ends half of "
            "their share: draw a whole number)"
        )


def _lowest(counts: Counter[int], n: int, cells: int, level: float) -> None:
    """Whether the shortest length surely never occurs."""
    low = min(counts)
    never = low > SHORTEST and cells > 1 and improbable(0, n, 1 / cells, level)
    require(not never, f"the shortest kept length never occurs: it is {SHORTEST}, yours begins at {low}")


def _below(counts: Counter[int], n: int, length: int, cells: int, level: float) -> None:
    """The lengths below the largest one, each and up to each."""
    total = 0
    for k in range(SHORTEST, length):
        total += counts[k]
        both = ((counts[k], 1 / cells), (total, (k - SHORTEST + 1) / cells))
        if any(p < 1 and improbable(hits, n, p, level) for hits, p in both):
            missing = len(range(min(counts), max(counts) + 1)) > len(counts) and n > 40 * cells
            require(not missing, f"some kept lengths never occur: {KEPT}")
            raise CheckFailed(f"the kept length is not uniform: {KEPT}")


# ----------------------------------------------------------------------------------------------------------- content


def content(case: Case, spans: Sequence[Span]) -> None:
    """Mean L/4 and a good spread, for every length by itself and for neighbouring lengths together."""
    lengths = case.setup["lengths"]
    groups = {f"L = {k}": group for k, group in _grouped(spans, lambda s: s.kept).items() if k >= SHORTEST}
    groups = {name: group for name, group in groups.items() if len(group) >= FEW}
    pooled = _grouped((s for s in spans if s.kept >= SHORTEST), lambda s: int(2 * math.log2(s.kept)))
    groups |= {f"L = {_range(s.kept for s in group)}": group for group in pooled.values()}
    level = ALARM / (6 * len(groups))
    real = any(lengths[s.document] == s.kept for s in spans)
    for name, group in groups.items():
        _mean(name, group, level, real=real)
    for name, group in groups.items():
        if group[-1].kept >= 8:
            _spread(name, [s for s in group if s.kept >= 8], level)
    _forgets(spans, ALARM / 6)


def _mean(name: str, group: Sequence[Span], level: float, *, real: bool) -> None:
    kept_of, n = (torch.tensor([getattr(s, part) for s in group], dtype=torch.float64) for part in ("kept", "length"))
    if way := off_quarter(kept_of, n, level):
        rest = ": go by the length of the text that was really kept" if real else ""
        raise CheckFailed(f"the content is {way} than a quarter of the kept length on average ({name}){rest}")


def _spread(name: str, group: Sequence[Span], level: float) -> None:
    low = sum(16 * s.length < 3 * s.kept + 8 for s in group)
    high = sum(16 * s.length > 5 * s.kept - 8 for s in group)
    for what, hits in (("below 3/16", low), ("above 5/16", high)):
        if hits < LEAST_SHARE * len(group) and improbable(hits, len(group), LEAST_SHARE, level):
            raise CheckFailed(
                f"the content length hardly varies ({name}): it is random, with a quarter of the kept length as its mean, "
                f"and must often be {what} of it"
            )


def _forgets(spans: Sequence[Span], level: float) -> None:
    """Whether the content was long does not depend on whether that of the draw before it was.

    Each kept length by itself: how often a content is long differs from length to length, where it is rounded.
    """
    long = [(s.kept, 4 * s.length > s.kept) for s in spans]
    tables: dict[int, Counter[tuple[bool, bool]]] = defaultdict(Counter)
    for a, b in zip(long[::3], long[1::3], strict=False):  # disjoint, and of both parities
        if a[0] >= 8 and b[0] == a[0]:
            tables[a[0]][a[1], b[1]] += 1
    for table in tables.values():
        n, m = (sum(table[first, second] for second in (False, True)) for first in (False, True))
        if n and m:
            arrays = [np.array([float(v)]) for v in (table[False, True], n, table[True, True], m)]
            surely = float(two_sided(*arrays)[0]) < math.log(level / len(tables))
            require(
                not surely, "the content's length depends on that of the draw before: make a new draw at every call"
            )


# ------------------------------------------------------------------------------------------------------------- starts


def start(case: Case, spans: Sequence[Span]) -> None:
    """Uniform over all places where the content fits, whatever its length and that of the text, and whatever came before."""
    rng = random.Random(case.setup["seed"])
    free = [s for s in spans if s.places > 1]
    _always(free)
    by_places = {p: group for p, group in _grouped(free, lambda s: s.places).items() if p <= PLACES}
    level = ALARM / (2 * sum(by_places) + 88)
    for p, group in by_places.items():
        counts = Counter(s.start for s in group)
        require(
            not any(improbable(counts[k], len(group), 1 / p, level) for k in range(p)),
            _edge(free, level) or f"the start is not uniform{EVEN}",
        )
    if sentence := _edge(free, level):
        raise CheckFailed(sentence)
    for sentence, hits, chance in _ends(free):
        if chance and improbable(hits, len(free), chance, level):
            raise CheckFailed(f"{sentence}{EVEN}")
    for m in (2, 3, 4, 5):  # where their number is a multiple of m, places leave every rest equally often
        group = [s for s in free if s.places % m == 0]
        rests = Counter(s.start % m for s in group)
        require(
            not any(improbable(rests[k], len(group), 1 / m, level) for k in range(m)), f"the start is not uniform{EVEN}"
        )
    u = [(s.start + rng.random()) / s.places for s in free]
    parts = [
        u,
        [v for v, s in zip(u, free, strict=True) if 4 * s.length > s.kept],
        [v for v, s in zip(u, free, strict=True) if 4 * s.length <= s.kept],
    ]
    parts += [
        [v for v, s in zip(u, free, strict=True) if low <= s.kept < high]
        for low, high in ((0, 12), (12, 32), (32, 10**6))
    ]
    require(not any(far_from_uniform(part, level) for part in parts), f"the start is not uniform{EVEN}")
    if len(free) == len(spans):
        cells = Counter((int(3 * a), int(3 * b)) for a, b in zip(u[::2], u[1::2], strict=False))
        dependent = any(improbable(cells[i, j], len(u) // 2, 1 / 9, level) for i in range(3) for j in range(3))
        require(not dependent, "the start depends on that of the draw before: make a new draw at every call")


def _always(free: Sequence[Span]) -> None:
    require(not all(s.start == 0 for s in free), f"the content is always cut out at the beginning{EVEN}")
    require(not all(s.start == s.places - 1 for s in free), f"the content is always cut out at the end{EVEN}")
    require(
        not all(abs(2 * s.start - (s.places - 1)) <= 2 for s in free),
        f"the content is always cut out of the middle{EVEN}",
    )


def _ends(free: Sequence[Span]) -> Iterator[tuple[str, int, float]]:
    """How often the first and the last place, and those beside them, are taken in all draws together, and their mean chance.

    Chernoff's bound holds for the sum of tries of different chances, with their mean (Hoeffding 1963, theorem 1).
    """
    wide = [s for s in free if s.places >= 4]
    chance = sum(1 / s.places for s in wide) / max(len(free), 1)
    for name, place in (("first", 0), ("second", 1), ("last but one", -2), ("last", -1)):
        hits = sum(s.start == place % s.places for s in wide)
        yield f"the {name} start is taken too {'seldom' if hits < chance * len(free) else 'often'}", hits, chance


def _edge(free: Sequence[Span], level: float) -> str:
    """A sentence if the first or the last place surely never occurs."""
    if sum(math.log1p(-1 / s.places) for s in free) >= math.log(level):
        return ""
    if not any(s.start == s.places - 1 for s in free):
        return f"the last possible start, len(kept) - length, never occurs{EVEN}"
    return "" if any(s.start == 0 for s in free) else f"the first possible start, 0, never occurs{EVEN}"


# -------------------------------------------------------------------------------------------------------------- draws


def fresh(case: Case, spans: Sequence[Span]) -> None:
    """Draws of long documents: a kept length says nothing about the next one, nor about where the content starts."""
    rng, longest = random.Random(case.setup["seed"]), 7 * case.args[2] // 8
    v = [(s.kept - SHORTEST + rng.random()) / (longest - SHORTEST + 1) for s in spans]
    u = [(s.start + rng.random()) / s.places for s in spans]
    require(
        len(set(spans)) > len(spans) // 4,
        "the same item is corrupted in the same way every time: make a new draw at every call",
    )
    level, half = ALARM / 74, len(v) // 2
    again = sum(a.kept == b.kept for a, b in pairwise(spans))  # equal neighbours are independent of each other
    require(
        not improbable(again, len(spans) - 1, 1 / (longest - SHORTEST + 1), level),
        "the kept length equals that of the draw before too seldom or too often: draw it without looking at other draws",
    )
    for name, rows in (
        ("the kept length depends on that of the draw before", list(zip(v[::2], v[1::2], strict=False))),
        ("the kept length depends on an earlier draw", list(zip(v[:half], v[half : 2 * half], strict=True))),
        ("the start depends on the kept length", list(zip(v, u, strict=True))),
        ("the start depends on the draw before", list(zip(v[::2], u[1::2], strict=False))),
    ):
        cells = Counter((int(3 * a), int(3 * b)) for a, b in rows)
        dependent = any(improbable(cells[i, j], len(rows), 1 / 9, level) for i in range(3) for j in range(3))
        require(not dependent, f"{name}: make a new draw at every call")


LAWS: dict[str, Callable[[Case, Sequence[Span]], None]] = {
    "form": form, "kept": kept, "content": content, "start": start, "fresh": fresh,
}  # fmt: skip


def _grouped(spans: Iterable[Span], key: Callable[[Span], int]) -> dict[int, list[Span]]:
    found: dict[int, list[Span]] = defaultdict(list)
    for s in spans:
        found[key(s)].append(s)
    return dict(sorted(found.items()))


def _range(numbers: Iterable[int]) -> str:
    there = sorted(set(numbers))
    return f"{there[0]} to {there[-1]}"
