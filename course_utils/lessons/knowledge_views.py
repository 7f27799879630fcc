"""Ways to ask, and what is compared in place of an answer, for the checks of notebook 07."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from course_utils.checks.asking import opened, sent
from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case
from course_utils.checks.fetch import fetches
from course_utils.errors import CourseError
from course_utils.vocab import Vocabulary

TAKEN = "course_utils.lessons.knowledge_views.taken"


def one_of(case: Case, result: Any) -> tuple[bool, float]:
    """Whether the first thing that came is among the case's, and how far the second is from the one that belongs to it."""
    name, number = result
    either = case.setup["either"]
    return name in either, number - either.get(name, 0.0)


@fetches("a dataset's items are made where it stands; many of them come in one message")
def taken(dataset: Any, places: Sequence[int]) -> list[Any]:
    """The items at these places, in this order."""
    return [dataset[place] for place in places]


def items(student: Any, case: Case, name: str) -> list[Any]:
    """Ask a dataset of questions for its length and for the items at the case's places, each as a pair of texts."""
    dataset = getattr(student, name)(*(sent(student, value) for value in case.args))
    rows = opened(student.tool(TAKEN)(dataset, case.setup["items"]))
    return [len(dataset), *(_texts(row, case.args[1]) for row in rows)]


def without_verdict(case: Case, result: Any) -> tuple[Any, ...]:
    """Mean and interval of an effect, without what is said of them. Raises CheckFailed."""
    if type(result) not in (tuple, list) or len(result) != 4:
        raise CheckFailed("return four things, `return mean, low, high, verdict`")
    return tuple(result[:3])


def _texts(row: Any, vocab: Vocabulary) -> list[str]:
    """x and y as texts. Raises CheckFailed for what is no pair of int64 vectors of ids."""
    if type(row) not in (tuple, list) or len(row) != 2:
        raise CheckFailed("__getitem__ must return a pair: return x, y")
    for part in row:
        if type(part) is not Tensor or part.dim() != 1:
            raise CheckFailed("x and y must be tensors of shape (T,): torch.tensor(ids)")
        if part.dtype != torch.int64:
            raise CheckFailed("x and y must be int64 (torch.long), the type of token ids")
    try:
        return [vocab.decode(part.tolist()) for part in row]
    except CourseError as error:
        raise CheckFailed("x or y holds an id that the vocabulary does not have") from error
