"""A result that a function keeps: changed by a later call, or by whoever changes what was returned before."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from course_utils.checks.draws import Draw
from course_utils.checks.fetch import overwritten
from course_utils.checks.promises import call, promise, promises, repeatable
from course_utils.checks.selfcheck import Student


def table(n: int, d: int) -> Tensor:
    return torch.arange(float(n * d)).view(n, d)


def counted(ids: list[int]) -> dict[str, int]:
    return {"items": len(ids), "sum": sum(ids)}


def sized(d: Draw) -> tuple[int, ...]:
    return d.sizes(n=(1, 9), d=(1, 5))


def some_ids(d: Draw) -> tuple[list[int]]:
    return ([d.whole(0, 9) for _ in range(d.whole(1, 6))],)


DECLARED = promises(
    reference={"table": table, "counted": counted},
    always=(repeatable,),
    kept=[
        promise("n rows", "rows", sized),
        promise("a sum", "sum", some_ids, ask=call("counted")),
    ],
)
KEPT: dict[Any, Any] = {"dictionary": {}, "grown": torch.zeros(0)}


def broken(name: str, function: Callable[..., Any], *, small: bool) -> set[str]:
    """The sentences that are broken with this function in place of the right one."""
    names = {"table": table, "counted": counted, name: function}
    student, sentences = Student(lambda: names), [one.sentence for one in DECLARED.listed()]
    trials = [trial for n in range(len(sentences)) for trial in DECLARED.trials(n, 3, small=small)]
    return {sentences[trial.promise] for trial in trials if not trial.run(student).kept}


def in_one_dictionary(ids: list[int]) -> dict[str, int]:
    KEPT["dictionary"].update(counted(ids))
    return KEPT["dictionary"]


def grown(n: int, d: int) -> Tensor:
    if len(KEPT.get(d, ())) < n:
        KEPT[d] = table(max(n, 9), d)
    return KEPT[d][:n]


@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize(
    ("name", "wrong"),
    [("table", functools.cache(table)), ("table", grown), ("counted", in_one_dictionary)],
)
def test_what_a_function_of_numbers_or_lists_keeps_is_seen(name: str, wrong: Callable[..., Any], small: bool):
    assert broken(name, wrong, small=small) == {repeatable.rule}


def doubled(x: Tensor, k: int) -> Tensor:
    return 2 * x + k


def numbers(d: Draw) -> tuple[Tensor, int]:
    return d.normal(*d.sizes(n=(1, 4), m=(1, 4))), d.whole(1, 9)


def by_identity(x: Tensor, k: int) -> Tensor:
    """Keeps the argument itself, so that its number is no other tensor's, and what was made of it."""
    if id(x) not in KEPT:
        KEPT[id(x)] = (x, 2 * x)
    return KEPT[id(x)][1] + k


def test_what_is_kept_of_a_tensor_is_seen_when_its_numbers_have_changed():
    declared = promises(reference={"doubled": doubled}, always=(repeatable,), kept=[promise("twice", "twice", numbers)])
    for function, kept in ((doubled, True), (by_identity, False)):
        student = Student(lambda function=function: {"doubled": function})
        trials = [trial for n in (0, 1) for small in (True, False) for trial in declared.trials(n, 3, small=small)]
        broken_ones = {trial.promise for trial in trials if not trial.run(student).kept}
        assert broken_ones == (set() if kept else {1})


def test_functions_that_make_their_results_anew_keep_all_promises():
    kept = functools.cache(table)
    assert broken("table", lambda n, d: kept(n, d).clone(), small=False) == set()
    assert broken("counted", lambda ids: dict(in_one_dictionary(ids)), small=True) == set()


def test_a_result_is_overwritten_as_far_as_it_can_be():
    value = {"a": torch.zeros(2), "b": [torch.ones(1, dtype=torch.bool), 3]}
    tensors = value["a"], value["b"][0]
    overwritten((value, torch.zeros(1).expand(3), "text"))
    assert tensors[0].tolist() == [1, 1] and tensors[1].tolist() == [False] and value == {}
