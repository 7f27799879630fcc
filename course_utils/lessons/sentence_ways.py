"""How the check of next-sentence pairs reads pairs and asks for verdicts on them (notebook 06)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from course_utils.checks.asking import Ask
from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case
from course_utils.lessons.pretraining_probes import fitting, learned_side, unlike_slopes

VERDICT = "course_utils.lessons.pretraining_probes.verdict"
ROWS = 16  # rows on which one looks whether verdicts move
NOWHERE = "a negative's B must be a sentence of another document"
LEFT_OUT = "sentences of other documents never became B in hundreds of draws, one of them"
UNREAD = "no gradient reaches the reader, so it would not be trained along: leave out detach and no_grad"
KEPT = "the verdict on a pair changes with the pairs that came before: keep nothing from call to call"

Documents = Sequence[Sequence[list[int]]]


def _require(condition: object, sentence: str) -> None:
    if not condition:
        raise CheckFailed(sentence)


# ------------------------------------------------------------------------------------------------------------- pairs


def pair_rules(case: Case, result: Any) -> int:
    """The number of pairs, each of which is one that may come. Raises CheckFailed with what is wrong with them."""
    return len(_read(case.args, result))


def _read(args: Sequence[Any], result: Any) -> list[tuple[int, list[int]]]:
    """Label and B of every pair, in order. Raises CheckFailed."""
    documents, cls, sep = args[:3]
    places = [(d, i) for d, document in enumerate(documents) for i in range(len(document) - 1)]
    _require(type(result) in (list, tuple), "return a list of pairs (ids, segments, label)")
    _require(len(result) == len(places), "there must be one pair for every two neighbouring sentences of a document")
    found = [_one(pair, documents[d][i], cls, sep) for pair, (d, i) in zip(result, places, strict=True)]
    _require_labels(found, documents, places)
    return found


def _one(pair: Any, a: list[int], cls: int, sep: int) -> tuple[int, list[int]]:
    """Label and B of a pair. Raises CheckFailed for another layout."""
    _require(type(pair) in (tuple, list) and len(pair) == 3, "each pair has three parts: ids, segments, label")
    ids, segments, label = pair
    head = [cls, *a, sep]
    _require(type(ids) is list and type(segments) is list, "ids and segments must be lists")
    _require(ids[:1] == [cls], "a pair begins with the id `cls` that is given")
    _require(ids[: len(head)] == head, "the first part must be [CLS] A [SEP], with the ids that are given")
    b = ids[len(head) : -1]
    _require(len(ids) > len(head) and ids[-1] == sep and sep not in b, "the second part must be B [SEP]")
    _require(len(segments) == len(ids), "there must be one segment id for every id, the special ones included")
    sides = [0] * len(head) + [1] * (len(ids) - len(head))
    _require(segments == sides, "segments are 0 up to and including the first [SEP], and 1 from B on")
    _require(label in (0, 1), "the label must be 1 (B follows A) or 0")
    return int(label), b


def _require_labels(
    found: Sequence[tuple[int, list[int]]], documents: Documents, places: Sequence[tuple[int, int]]
) -> None:
    """Whether labels say what the pairs are, and negatives come from other documents."""
    rows = list(zip(found, places, strict=True))
    follows = [b == documents[d][i + 1] for (_, b), (d, i) in rows]
    wrong = [label for (label, _), is_next in zip(found, follows, strict=True) if is_next != (label == 1)]
    _require(len(wrong) < len(found) or len(found) < 3, "are the labels turned around? 1 where B follows A, else 0")
    _require(1 not in wrong, "a pair with label 1 does not hold the sentence that follows A")
    _require(0 not in wrong, "a pair with label 0 holds the very words that follow A")
    for (label, b), (d, _) in rows:
        _require(label == 1 or any(b in other for k, other in enumerate(documents) if k != d), NOWHERE)


def reached(case: Case, results: Any) -> list[list[int]]:
    """All sentences that stood as B in a negative of several calls, sorted. Raises CheckFailed as ``pair_rules``."""
    drawn = [one for result in results for one in _read(case.args, result)]
    return [list(one) for one in sorted({tuple(b) for label, b in drawn if label == 0})]


def reach(student: Any, case: Case, inner: Ask, calls: int) -> bool:
    """Whether each sentence that may become B did so in one of several calls: behind each A's document and follower.

    Raises CheckFailed with how one that never came is like the follower, and as ``pair_rules``.
    """
    documents, results = case.args[0], Ask("drawn", (inner, calls))(student, case)
    places = [(d, tuple(follows)) for d, document in enumerate(documents) for follows in document[1:]]
    came: dict[tuple[int, tuple[int, ...]], set[tuple[int, ...]]] = {place: set() for place in places}
    for result in results:
        for (label, b), place in zip(_read(case.args, result), places, strict=True):
            came[place] |= set() if label else {tuple(b)}
    for (d, follows), found in came.items():
        may = {tuple(b) for k, other in enumerate(documents) if k != d for b in other} - {follows}
        if lost := sorted(may - found):
            like = _likeness(list(lost[0]), list(follows), documents[d])
            raise CheckFailed(f"{len(lost)} of {len(may)} {LEFT_OUT} {like}")
    return True


def _likeness(b: list[int], follows: list[int], own: Sequence[list[int]]) -> str:
    """How a sentence is like the one that follows A, in words."""
    if b in own:
        return "stands in A's document too"
    if sorted(b) == sorted(follows):
        return "has the words of the one that follows A in another order"
    if set(b) == set(follows):
        return "has another number of the same words as the one that follows A"
    if follows == b[: len(follows)]:
        return "goes on where the one that follows A ends"
    if b == follows[: len(b)]:
        return "is only the beginning of the one that follows A"
    return (
        "only shares some words with the one that follows A"
        if set(b) & set(follows)
        else "has no word of the one that follows A"
    )


def lots(args: Sequence[Any], result: Any) -> dict[str, Tensor]:
    """Per pair (documents, neighbours): its label; of a negative how far on B's document is, B's place in it, and both.

    All sentences are different, and all documents equally long. Raises CheckFailed as ``pair_rules``.
    """
    documents = args[0]
    homes = {tuple(b): (d, i) for d, document in enumerate(documents) for i, b in enumerate(document)}
    n, size = len(documents), len(documents[0])
    found = [(label, *homes[tuple(b)]) for label, b in _read(args, result)]
    table = torch.tensor(found).view(n, size - 1, 3)  # label, document and place of B
    negative = table[..., 0] == 0
    document = (table[..., 1] - torch.arange(n)[:, None]) % n - 1  # (n, S-1) against (n, 1)
    layers = {"document": document, "place": table[..., 2], "sentence": document * size + table[..., 2]}
    return {"label": table[..., 0]} | {name: layer.where(negative, -1) for name, layer in layers.items()}


def eighths(args: Sequence[Any], result: Any) -> dict[str, Tensor]:
    """Per negative in which eighth of the documents B stands, in one row. Raises CheckFailed as ``pair_rules``."""
    documents = args[0]
    homes = {tuple(b): 8 * d // len(documents) for d, document in enumerate(documents) for b in document}
    return {
        "eighth of the documents": torch.tensor(
            [[-1 if label else homes[tuple(b)] for label, b in _read(args, result)]]
        )
    }


def lengths_alike(args: Sequence[Any], result: Any) -> dict[str, Tensor]:
    """Per negative whether B is as long as the sentence that follows A, in one row. Raises CheckFailed as ``pair_rules``."""
    documents = args[0]
    follows = [b for document in documents for b in document[1:]]
    found = zip(_read(args, result), follows, strict=True)
    alike = [-1 if label else int(len(b) == len(right)) for (label, b), right in found]
    return {"length of B (not that of the right one | that of the right one)": torch.tensor([alike])}


def coins(args: Sequence[Any], result: Any) -> dict[str, Tensor]:
    """The label of every pair, in one row; sentences may be alike. Raises CheckFailed as ``pair_rules``."""
    return {"label": torch.tensor([[label for label, _ in _read(args, result)]])}


# ---------------------------------------------------------------------------------------------------------- verdicts


def calm(T: int) -> float:
    """A factor of words and mixing: the state at [CLS], a sum over T places, is as large in long rows as in rows of nine.

    Without it a classifier's tanh would be at its ends there, and its slopes too small to be measured.
    """
    return min(1.0, 3 / T**0.5) ** 0.5


class _Classifier:
    """The student's classifier over readers that are drawn here, its own parameters drawn too.

    Args:
        case: ``(tables, ids, segments)``, with the seed of all other draws in its setup.
    """

    def __init__(self, student: Any, case: Case, name: str) -> None:
        self.tool, self.make = student.tool(VERDICT), getattr(student, name)
        self.tables, self.ids, self.segments = case.args
        self.rng = torch.Generator().manual_seed(case.setup["seed"])
        own = self.tool(self.make, self.tables, None, self.ids, self.segments)["head"]
        _require(type(own) is dict and own, "the classifier has no parameters of its own: it needs a linear layer")
        self.head = {key: self._drawn(value.shape) for key, value in own.items()}

    def _drawn(self, shape: torch.Size) -> Tensor:
        """A parameter; a matrix keeps the size of what it is given, so that no tanh behind it is at its ends."""
        drawn = torch.randn(shape, generator=self.rng)
        return drawn / shape[-1] ** 0.5 if len(shape) > 1 else drawn

    def over_another_head(self, ids: Tensor, segments: Tensor) -> Tensor:
        """Logits (B, 2) with other parameters of the classifier's own, so large that logits leave any bounds."""
        self.head = {key: 30 * self._drawn(value.shape) for key, value in self.head.items()}
        mixing = self.tables["mixing"]
        return self(ids, segments, mixing=3 * mixing / mixing[0].norm())  # the state at [CLS] is not near 0

    def __call__(self, ids: Tensor, segments: Tensor, **tables: Tensor) -> Tensor:
        """Logits (B, 2), with other tables perhaps. Raises CheckFailed for another shape, and for what is kept."""
        found = self.tool(self.make, {**self.tables, **tables}, self.head, ids, segments)
        logits = found["logits"]
        again = found.get("again", logits)  # a release of before has no such calls
        right = all(type(one) is Tensor and tuple(one.shape) == (len(ids), 2) for one in (logits, again))
        _require(right, "the verdict must be two logits per pair, shape (B, 2)")
        _require(bool(torch.isclose(again, logits, 1e-4, 1e-4, equal_nan=True).all()), KEPT)
        return logits.detach()


def reads(student: Any, case: Case, name: str) -> bool:
    """Whether verdicts depend on what they must, and on nothing else. Raises CheckFailed."""
    made = _Classifier(student, case, name)
    tables, T = made.tables, made.ids.shape[1]
    single = torch.cat([made(made.ids[k : k + 1], made.segments[k : k + 1]) for k in range(len(made.ids))])
    alone = float((single - made(made.ids, made.segments)).abs().max())
    ids = torch.randint(0, len(tables["word"]), (ROWS, T), generator=made.rng)
    segments = torch.randint(0, 2, (ROWS, T), generator=made.rng)
    logits = made(ids, segments)
    fresh = calm(T) * torch.randn(T, T, generator=made.rng)

    def gap(ids: Tensor, segments: Tensor, **other: Tensor) -> float:
        return float((made(ids, segments, **other) - logits).abs().max())

    _require(gap(ids, 1 - segments) > 1e-5, "the segments do not reach the reader: reader.states(ids, segments)")
    turned = gap(ids, 1 - segments, segment=tables["segment"].flip(0))
    _require(turned < 1e-3, "the reader gets other segments than those of the pair")
    order = torch.randperm(len(tables["word"]), generator=made.rng)
    renamed = gap(order.argsort()[ids], segments, word=tables["word"][order])
    _require(renamed < 1e-3, "the reader gets other ids than those of the pair")
    elsewhere = gap(ids, segments, mixing=torch.cat([tables["mixing"][:1], fresh[1:]]))
    _require(
        elsewhere < 1e-3, "the verdict changes with states at other places: read the one at [CLS], position 0, alone"
    )
    here = gap(ids, segments, mixing=torch.cat([fresh[:1], tables["mixing"][1:]]))
    _require(here > 1e-5, "the verdict does not change with the state at [CLS], which it must read")
    _require(alone < 1e-3, "the verdict on a pair changes with the other pairs of the batch")
    wide = torch.cat([made.over_another_head(ids, segments) for _ in range(4)])
    mode = made.tool(made.make, tables, made.head, ids, segments)["mode"]
    _require(mode is True, "the classifier changes the reader's mode: leave that to model.train() and model.eval()")
    shares, logs = bool(((wide >= 0) & (wide <= 1)).all()), bool((wide.logsumexp(1).abs() < 1e-3).all())
    _require(not shares, "these are shares between 0 and 1: return the logits, since cross-entropy takes the softmax")
    _require(
        wide.min() < -10 and (logs or wide.max() > 10),
        "these logits are cut off: a linear layer gives them, with no relu, tanh or the like behind it",
    )
    return True


def trains(student: Any, case: Case, name: str) -> bool:
    """Whether a step of training reaches reader and classifier as the logits' gradient says. Raises CheckFailed."""
    made = _Classifier(student, case, name)
    ids, segments, tables = made.ids, made.segments, made.tables
    upstream = torch.randn(len(ids), 2, generator=made.rng)
    made(ids, segments)
    got = made.tool(made.make, tables, made.head, ids, segments, upstream)
    after = fitting(got["tables"], tables)
    trained = any(bool((after[key] != value).any()) for key, value in tables.items())
    lost = (
        "the reader that is given is not part of the classifier: keep it itself, no copy, as an attribute in __init__"
    )
    _require(trained or got["owned"] is True, lost)
    _require(trained, UNREAD)

    def value(logits: Tensor) -> float:
        return float((logits * upstream).sum())

    steps = {key: value - after[key] for key, value in tables.items()}  # a step of rate 1 subtracts them
    false = "the gradient that reaches the reader is not that of the logits: leave out detach and no_grad"
    _require(_right(lambda other: value(made(ids, segments, **other)), tables, steps, made.rng), false)
    slopes, head = fitting(got["slopes"], made.head), made.head
    _require(any(bool(slope.any()) for slope in slopes.values()), "no gradient reaches the classifier's own parameters")

    def at(weights: Any) -> float:
        made.head = weights
        return value(made(ids, segments))

    _require(_right(at, head, slopes, made.rng), "the gradient of the classifier's parameters is wrong")
    return True


def _right(loss_of: Callable[[Any], float], at: Any, slopes: Any, rng: torch.Generator) -> bool:
    """Whether slopes are those of a loss: by a step, or by a smaller one where the loss is strongly curved."""
    return any(unlike_slopes(loss_of, at, slopes, rng, reach) < 0.2 for reach in (0.01, 0.002))


def learns(student: Any, case: Case, name: str) -> bool:
    """Whether a short training over a reader of the judge solves a task that a look at the segments solves."""
    tool, make = student.tool(VERDICT), getattr(student, name)
    accuracy = learned_side(lambda *args: tool(make, *args), case.args[0])
    _require(accuracy > 0.85, "trained on a task that a look at the segments solves, the classifier stays near chance")
    return True
