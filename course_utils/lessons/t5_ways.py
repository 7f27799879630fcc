"""How the check of sentinel spans reads source and target, and what it asks of many draws (notebook 06)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor
from typing import Any

from course_utils.checks.asking import sent
from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case

RATE, MEAN = 0.15, 3.0  # of the text, where a case does not give them
UNCLEAR = 0.01  # distance from a half, below which rounding could go either way
FOREIGN = "the target holds ids that are neither words of the text nor sentinels of the list: take the i-th of the list"
TEXT = "putting the spans back does not give the text: something is lost, doubled or out of order"


def _require(condition: object, sentence: str) -> None:
    if not condition:
        raise CheckFailed(sentence)


def counts(n: int, S: int, rate: float = RATE, mean: float = MEAN) -> tuple[int, int] | None:
    """m and k as the text says; None where rounding could go either way."""
    m = min(max(round(rate * n), 1), n - 1)
    unclear = min(abs(rate * n % 1 - 0.5), abs(m / mean % 1 - 0.5)) < UNCLEAR
    return None if unclear else (m, min(max(round(m / mean), 1), n - m + 1, S - 1))


# ------------------------------------------------------------------------------------------------------------- views


def span_rules(case: Case, result: Any) -> bool:
    """Whether source and target are such as may come. Raises CheckFailed with what is wrong."""
    _spans(case.args, result)
    return True


def each_by_rules(case: Case, results: Any) -> bool:
    """The same for the results of several calls."""
    return all(span_rules(case, result) for result in results)


def fair(case: Case, results: Any) -> bool:
    """Whether every word goes in some of many calls, and every span's length varies. Raises CheckFailed."""
    found = [_spans(case.args, result) for result in results]
    ids = case.args[0]
    gone = {token for spans in found for span in spans for token in span}
    ends = "the first or the last word of a text is never removed: the outer gaps may be empty"
    _require(len({str(spans) for spans in found}) > 1, "every draw gives the same spans: draw them from rng")
    _require(ids[0] in gone and ids[-1] in gone, ends)
    _require(gone == set(ids), "some words are never removed: every word needs a chance")
    lengths = [set(map(len, column)) for column in zip(*found, strict=True)]
    _require(any(len(one) > 1 for one in lengths), "the spans have the same lengths every time: draw them")
    _require(all(len(one) > 1 for one in lengths), "one of the spans has the same length every time: draw it")
    return True


def all_over(case: Case, results: Any) -> bool:
    """Whether words of each tenth of the text go in some of many calls. Raises CheckFailed."""
    ids = case.args[0]
    gone = {token for result in results for span in _spans(case.args, result) for token in span}
    tenths = {10 * place // len(ids) for place, token in enumerate(ids) if token in gone}
    _require(len(tenths) == 10, "some part of a long text is never removed: every word needs a chance")
    return True


def anywhere(case: Case, results: Any) -> bool:
    """Whether a single span begins at each place of some of many calls. Raises CheckFailed."""
    found = [_spans(case.args, result) for result in results]
    ids, length = case.args[0], len(found[0][0])
    starts = {ids.index(spans[0][0]) for spans in found}
    _require(
        starts == set(range(len(ids) - length + 1)), "a single span must be able to begin at every place where it fits"
    )
    return True


def restored(student: Any, case: Case, name: str) -> Any:
    """What ``name`` makes of a source and a target of ``t5_spans``."""
    parts = student.t5_spans(*(sent(student, value) for value in case.args))
    right = type(parts) in (tuple, list) and len(parts) == 2
    _require(right, "return two lists: source, target")
    return getattr(student, name)(*parts, sent(student, case.args[1]))


# ----------------------------------------------------------------------------------------------------------- reading


def _spans(args: Sequence[Any], result: Any) -> list[list[int]]:
    """The spans that were taken out, in order. Raises CheckFailed."""
    ids, sentinels = args[:2]
    two = type(result) in (tuple, list) and len(result) == 2 and all(type(part) is list for part in result)
    _require(two, "return two lists: source, target")
    source, target = result
    if len(ids) < 2:
        short = "a text of fewer than two words stays whole: source = text, target = the first sentinel"
        _require(source == ids and target == sentinels[:1], short)
        return []
    expected = counts(len(ids), len(sentinels), *args[3:])
    order = [token for token in source if token in sentinels]
    _require(order, "nothing was taken out: the source has no sentinel")
    _require_order(order, sentinels, "source")
    spans = _of_target(target, sentinels, ids)
    _require(
        len(spans) == len(order), "source and target have different numbers of spans; one sentinel more ends the target"
    )
    _require_text(source, spans, sentinels, ids, one_word=expected is not None and len(spans) > expected[1])
    if expected:
        _require_counts(spans, len(ids), len(sentinels), expected, *args[3:])
    return spans


def _require_order(order: Sequence[int], sentinels: Sequence[int], where: str) -> None:
    _require(len(set(order)) == len(order), f"a sentinel occurs twice in the {where}: each span has its own")
    right = list(order) == list(sentinels[: len(order)])
    _require(right, f"the sentinels in the {where} are not in their order: the i-th span has the i-th of the list")


def _of_target(target: Sequence[int], sentinels: Sequence[int], ids: Sequence[int]) -> list[list[int]]:
    """The spans of a target, which must follow the sentinels in their order."""
    known = {*sentinels, *ids}
    _require(all(isinstance(token, int | float) and token in known for token in target), FOREIGN)
    _require(list(target[:1]) == list(sentinels[:1]), "the target begins with the first sentinel")
    _require_order([token for token in target if token in sentinels], sentinels, "target")
    _require(target[-1] in sentinels, "the target must end with one sentinel more, which closes it")
    spans: list[list[int]] = []
    for token in target[:-1]:
        if token in sentinels:
            spans.append([])
        else:
            spans[-1].append(token)
    return spans


def _require_text(
    source: Sequence[int], spans: Sequence[list[int]], sentinels: Sequence[int], ids: Sequence[int], *, one_word: bool
) -> None:
    """Whether the spans are whole ones, and give the text again."""
    _require(all(spans), "a span is empty: a sentinel must stand for at least one word")
    single = one_word and all(len(span) == 1 for span in spans)
    _require(not single, "every removed word has a sentinel of its own: a span of several words shares one")
    marked = [token in sentinels for token in source]
    touching = any(a and b for a, b in pairwise(marked))
    _require(not touching, "two spans touch: at least one word must stay between them")
    pieces = (spans[sentinels.index(x)] if mark else [x] for x, mark in zip(source, marked, strict=True))
    text = [word for piece in pieces for word in piece]
    _require(text == ids, TEXT)


def _require_counts(
    spans: Sequence[list[int]], n: int, S: int, expected: tuple[int, int], rate: float = RATE, mean: float = MEAN
) -> None:
    """Whether m words are taken out in k spans; how another number may have come about is said."""
    m, k = expected
    removed = sum(map(len, spans))
    _require(removed != n - m or 2 * m == n, "the words that stay and those that go are mixed up")
    for rounded, how in ((floor(rate * n), "int() cuts off"), (ceil(rate * n), "ceil() always goes up")):
        other = min(max(rounded, 1), n - 1)
        _require(removed == m or removed != other, f"the number of removed words is round(rate · n): {how}")
    _require(removed == m, "the number of removed words is not m of the text: round(rate · n), within its bounds")
    for rounded, how in ((floor(m / mean), "int() and // cut off"), (ceil(m / mean), "ceil() always goes up")):
        other = min(max(rounded, 1), n - m + 1, S - 1)
        _require(len(spans) == k or len(spans) != other, f"the number of spans is round(m / mean_length): {how}")
    _require(len(spans) == k, "the number of spans is not k of the text: round(m / mean_length), within its bounds")
