"""How the checks of notebook 06 ask for choices, pairs of texts and scores, and what they compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case
from course_utils.checks.samples import two_sided

SIXTHS, ALARM = 6, 1e-8  # parts of a long mixture, and the chance that a right one is called badly mixed

# ---------------------------------------------------------------------------------------------------- choices


def choices(student: Any, case: Case, name: str) -> dict[str, bool]:
    """The form of all answers: the case is (questions, allowed answers)."""
    questions, allowed = case.args
    found = student.map(getattr(student, name), [(question,) for question in questions])
    named = [one for one in found if type(one) is str]
    return {
        "each is one of the kinds, spelled as in the text": len(named) == len(found) and set(named) <= set(allowed),
        "not all are the same": len(set(named)) > 1,
    }


def chosen(student: Any, case: Case, name: str) -> Any:
    """One answer: the case is (question, {wrong answer: what speaks against it}). Raises CheckFailed with that."""
    question, against = case.args
    answer = getattr(student, name)(question)
    if type(answer) is str and answer in against:
        raise CheckFailed(against[answer])
    return answer


# ----------------------------------------------------------------------------------------------- pairs of texts


def two_lists(case: Case, value: Any) -> Any:
    """The two lists of a result. Raises CheckFailed for another form."""
    if type(value) not in (tuple, list) or len(value) != 2 or any(type(part) is not list for part in value):
        raise CheckFailed("return two lists of ids: source, target")
    return value


def sorted_pairs(case: Case, value: Any) -> list[Any]:
    """All pairs of a mixture, in an order that has nothing to do with chance."""
    return sorted(_pairs(value))


def _pairs(value: Any) -> list[tuple[list[int], list[int]]]:
    if value is None:
        raise CheckFailed("nothing came (None): return the list of pairs")
    if type(value) not in (tuple, list):
        raise CheckFailed("return a list of pairs (source, target)")
    return [tuple(map(list, two_lists(Case(), one))) for one in value]  # type: ignore[misc]


def well_mixed(case: Case, value: Any) -> bool:
    """Whether each part of a long list, and each task, is spread over the whole mixture; equal sentences stand side by side.

    In an order that is drawn from all orders, how many pairs of a part come to a part of the places is hypergeometric.
    Raises CheckFailed.
    """
    sentences, pairs = [tuple(one) for one in case.args[0]], _pairs(value)
    part = {one: SIXTHS * sentences.index(one) // len(sentences) for one in {*sentences}}
    if len(pairs) != 2 * len(sentences) or any(tuple(source[2:-1]) not in part for source, _ in pairs):
        raise CheckFailed("every sentence must come once for every task")
    place = np.arange(len(pairs)) * SIXTHS // len(pairs)
    columns = {
        "sentences that are near each other in the list are near each other in the mixture": [
            part[tuple(source[2:-1])] for source, _ in pairs
        ],
        "in some part of the mixture one task comes more often than the other": [source[1] for source, _ in pairs],
    }
    for sentence, column in columns.items():
        kinds = np.array(column)
        rows = [
            [((kinds == kind) & here).sum(), here.sum(), ((kinds == kind) & ~here).sum(), (~here).sum()]
            for kind in np.unique(kinds)
            for here in (place == k for k in range(SIXTHS))
        ]
        if two_sided(*np.array(rows, dtype=np.float64).T).min() < np.log(ALARM / (2 * len(rows))):
            raise CheckFailed(f"{sentence}: shuffle the whole list of pairs at once")
    return True


def row_numbers(case: Case, value: Any) -> Any:
    """The numbers of rows as they came. Raises CheckFailed where one of them is no whole number."""
    if type(value) in (tuple, list) and any(type(one) in (float, bool, str) for one in value):
        raise CheckFailed("row numbers are whole numbers: a float such as 3.0 picks no row of a list")
    return value


def orders(args: Sequence[Any], result: Any) -> dict[str, Tensor]:
    """For each place the number of its pair and of its task, how often the task changes, and the whole order of few pairs.

    Numbers count the pairs in alphabetical order, which puts those of one task together. Raises CheckFailed for a mixture
    whose pairs are not twice as many as the sentences, all different.
    """
    found, n = _pairs(result), len(args[0])
    ranks = {str(pair): number for number, pair in enumerate(sorted(found))}
    if len(found) != 2 * n or len(ranks) != 2 * n:
        raise CheckFailed("every sentence must come once for every task")
    places = torch.tensor([ranks[str(pair)] for pair in found])
    task, sentence = places // n, places % n
    layers = {"pair": places, "task": task, "changes of task": (task[1:] != task[:-1]).sum()}
    layers["sentence twice in a row"] = (sentence[1:] == sentence[:-1]).sum()
    if n == 2:
        layers["order"] = (places * torch.tensor([64, 16, 4, 1])).sum()
    return layers
