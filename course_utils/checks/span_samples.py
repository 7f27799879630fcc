"""Reading draws of span corruption backwards, and saying what is wrong where they cannot be read.

Documents of distinct characters leave one way only in which a sequence can have come about.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import torch
from torch import Tensor

from course_utils.checks.fetch import fetches
from course_utils.vocab import Vocabulary

SHORTEST = 4  # characters that are kept at least


class Violation(Exception):
    """A property does not hold; the text is the hint."""


@dataclass(frozen=True)
class Span:
    """One draw, read backwards: which document, how much was kept, where the content stood and how long it was."""

    document: int
    kept: int
    start: int
    length: int

    @property
    def places(self) -> int:
        """How many starts were possible."""
        return self.kept - self.length + 1


@fetches("thousands of items, each a call of the student's dataset, come in one message")
def draws(dataset: Any, items: Sequence[int]) -> Any:
    """Many items in one go: ``(X, Y)``, each (N, T), or, where items differ in form, the first and some that differ."""
    rows = [dataset[i] for i in items]
    forms = [_form(row) for row in rows]
    odd = [row for row, form in zip(rows, forms, strict=True) if form != forms[0]]
    if odd or forms[0] is None:
        return [rows[0], *odd[:20]]
    return tuple(torch.stack(list(column)) for column in zip(*rows, strict=True))  # N of (T,) -> (N, T)


def _form(row: Any) -> tuple[int, torch.dtype] | None:
    """Length and type of a pair of equal vectors, else None."""
    if type(row) not in (tuple, list) or len(row) != 2 or any(type(v) is not Tensor or v.dim() != 1 for v in row):
        return None
    forms = {(len(v), v.dtype) for v in row}
    return forms.pop() if len(forms) == 1 else None


Take = Callable[[list[int]], Any]
Opened = tuple[Take, Callable[[int], Any]]
Open = Callable[[list[str], Vocabulary, int, int], Opened]


class Reader:
    """Draws from documents, read backwards.

    Args:
        ids: of the documents.
        block_size: T.
    """

    def __init__(self, ids: Sequence[list[int]], block_size: int) -> None:
        self.ids, self.T = list(ids), block_size

    def spans_of(self, X: Tensor, Y: Tensor, items: Sequence[int]) -> list[Span]:
        """The spans behind X and Y, (N, T) each, which come from these documents. Raises Violation."""
        _shifted_by_one(X, Y)
        S = torch.cat([X, Y[:, -1:]], 1).tolist()  # (N, T), (N, 1) -> (N, T+1)
        spans, hints = [], Counter[str]()
        for s, i in zip(S, items, strict=True):
            try:
                spans.append(self.read(s, i))
            except Violation as violation:  # some draws look like another mistake: the commonest is the likeliest
                hints[str(violation)] += 1
                if hints.total() == 200:
                    break
        if hints:
            raise Violation(hints.most_common(1)[0][0])
        return spans

    def read(self, s: list[int], i: int) -> Span:
        """The span that turned document i into s (T+1 ids)."""
        before, after, content = _pieces(s)
        text = before + content + after
        if not content and len(text) >= SHORTEST:
            raise Violation(EMPTY)
        if text != self.ids[i][: len(text)]:
            raise Violation(self.why_not(before, after, content, i))
        return Span(i, len(text), len(before), len(content))

    def why_not(self, before: list[int], after: list[int], content: list[int], i: int) -> str:
        """The likeliest mistake behind pieces that do not make document i."""
        if any(self.begins(j, before + content + after) for j in range(len(self.ids)) if j != i):
            return "item i must come from document i: another document was used, so look at the index"
        if self.begins(i, before + content[::-1] + after):
            return "the content stands there backwards: cut it out with [start : start + length] and leave it as it is"
        if any(self.begins(i, [*a, *b, *c]) for a, b, c in permutations((before, after, content))):
            return "the pieces are in the wrong order: prefix MASK suffix MASK content, so the content comes last"
        text = before + content + after
        if any(self.ids[i][k : k + len(text)] == text for k in range(1, len(self.ids[i]))):
            return "keep the beginning of the document, a prefix: yours is a window from its middle"
        return (
            "prefix, content and suffix put together again must be the kept text: characters were lost, doubled or "
            "changed on the way, so look at the three slices"
        )

    def begins(self, j: int, text: list[int]) -> bool:
        """Whether document j begins with the text."""
        return self.ids[j][: len(text)] == text


class Bench(Reader):
    """A dataset over documents of distinct characters, and the reading of what it gives."""

    def __init__(self, opened: Open, rng: random.Random, lengths: Sequence[int], block_size: int) -> None:
        characters = [chr(0x4E00 + k) for k in rng.sample(range(8000), 400)]
        self.documents = ["".join(rng.sample(characters, length)) for length in lengths]
        self.vocab = Vocabulary.from_text("".join(characters))
        super().__init__([self.vocab.encode(text) for text in self.documents], block_size)
        self.opened, self.seed = opened, rng.randrange(2**31)
        self.take, self.reseed = opened(self.documents, self.vocab, block_size, self.seed)

    def spans(self, n: int) -> list[Span]:
        """About ``n`` draws, every document equally often."""
        items = list(range(len(self.ids))) * max(1, n // len(self.ids))
        X, Y = pairs(self.take(items), len(items), self.T)
        return self.spans_of(X, Y, items)


EMPTY = (
    "the content is empty: at least one of the characters that are cut out must follow the second MASK, and its "
    "length is taken from the text that was really kept, which may be shorter than the number drawn"
)


def pairs(taken: Any, n: int, T: int) -> tuple[Tensor, Tensor]:
    """X and Y, (N, T) each, or the sentence about what the items are instead."""
    if isinstance(taken, tuple) and len(taken) == 2 and all(type(v) is Tensor and v.dim() == 2 for v in taken):
        X, Y = taken
        _item_form(X[0], Y[0], T)
        if X.shape == Y.shape == (n, T):
            return X, Y
    for row in taken if isinstance(taken, list) else []:
        if type(row) not in (tuple, list) or len(row) != 2:
            raise Violation("__getitem__ must return a pair: return x, y")
        _item_form(row[0], row[1], T)
    raise Violation("all items must be pairs of int64 tensors of shape (T,)")


def _item_form(x: Any, y: Any, T: int) -> None:
    for name, v in (("x", x), ("y", y)):
        if type(v) is not Tensor:
            raise Violation(f"{name} must be a tensor: torch.tensor(ids, dtype=torch.long)")
        if v.dtype != torch.int64:
            raise Violation(f"{name} must be int64 (torch.long), which embeddings and losses ask for, not {v.dtype}")
        if tuple(v.shape) != (T,):
            why = "fill the sequence with PAD up to T+1 entries before you cut x and y out of it"
            if v.dim() == 1 and len(v) > T:
                why = "prefix, suffix, content, two MASKs and PAD are T+1 entries in all, so look what is doubled"
            raise Violation(f"{name} has shape {tuple(v.shape)}, but (T,) = ({T},) is needed: {why}")


def _shifted_by_one(X: Tensor, Y: Tensor) -> None:
    wrong = (Y[:, :-1] != X[:, 1:]).any(1)  # (N, T-1) -> (N,)
    if not wrong.any():
        return
    x, y = X[wrong][0], Y[wrong][0]
    differs = y[:-1] != x[1:]
    if torch.equal(x, y):
        raise Violation("y equals x: y is one place further on, x = s[:-1] and y = s[1:]")
    if torch.equal(y[:-2], x[2:]):
        raise Violation("y is two places ahead of x: one is right, x = s[:-1] and y = s[1:]")
    if torch.equal(y[1:], x[:-1]):
        raise Violation("y lags behind x: x = s[:-1] and y = s[1:], not the other way round")
    if (y[:-1][differs] == 0).all():
        raise Violation("y hides part of the text behind PAD: in pretraining the loss is on everything, y = s[1:]")
    raise Violation("y must be the same sequence one place further on: x = s[:-1] and y = s[1:]")


def _pieces(s: list[int]) -> tuple[list[int], list[int], list[int]]:
    """What stands before the first MASK, between the two, and after the second one up to the padding."""
    end = s.index(0) if 0 in s else len(s)
    if any(s[end:]):
        raise Violation("PAD may stand at the end alone, and nothing after it: check the order of the pieces")
    masks = [k for k, v in enumerate(s[:end]) if v == 1]
    if len(masks) < 2:
        raise Violation(
            f"there must be two MASKs, one where the content was cut out and one in front of the content; "
            f"one is missing here ({len(masks)} found), or the end of the sequence was cut off"
        )
    if len(masks) > 2:
        raise Violation("there are more than two MASKs: none stands behind the content, PAD follows it at once")
    return s[: masks[0]], s[masks[0] + 1 : masks[1]], s[masks[1] + 1 : end]
