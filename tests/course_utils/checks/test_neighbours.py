"""What is kept under a part of the arguments, what a later call overwrites in a way of its own, a mode that a call changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from course_utils.checks.asking import WAYS, Ask, opened
from course_utils.checks.draws import Case, Draw
from course_utils.checks.neighbours import neighbours
from course_utils.checks.promises import Promises, call, gradients, module, promise, promises, repeatable
from course_utils.checks.selfcheck import Student

KEPT: dict[Any, Any] = {}


def area(width: int, height: int, deep: int = 1) -> int:
    return width * height * deep


def scaled(x: Tensor, k: int) -> Tensor:
    return x * torch.arange(1.0, 1 + len(x), dtype=x.dtype)[:, None] + k


def sides(d: Draw) -> tuple[int, ...]:
    return d.sizes(width=(1, 9), height=(1, 9), deep=(1, 9))


def numbers(d: Draw) -> tuple[Tensor, int]:
    return d.normal(*d.sizes(n=(2, 4), m=(1, 4))), d.whole(1, 9)


def broken(declared: Promises, **names: Any) -> set[str]:
    """The sentences that an answer of these names breaks in grading."""
    student, sentences = Student(lambda: names), [one.sentence for one in declared.listed()]
    trials = [trial for n in range(len(sentences)) for trial in declared.trials(n, 3)]
    return {sentences[trial.promise] for trial in trials if not trial.run(student).kept}


def kept_by(function: Callable[..., Any], key: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its results kept under a key."""
    kept: dict[Any, Any] = {}

    def keeping(*args: Any) -> Any:
        found = kept.setdefault(key(*args), function(*args))
        return found.clone() if isinstance(found, Tensor) else found

    return keeping


AREAS = promises(
    reference={"area": area}, always=(repeatable,), kept=[promise("the area", "area", sides, ask=call("area"))]
)
SCALED = promises(reference={"scaled": scaled}, always=(repeatable,), kept=[promise("scaled", "scaled", numbers)])


@pytest.mark.parametrize("left_out", [0, 1, 2])
def test_what_is_kept_without_one_of_the_numbers_is_seen(left_out: int) -> None:
    wrong = kept_by(area, lambda *sizes: (*sizes[:left_out], *sizes[left_out + 1 :]))
    assert repeatable.rule in broken(AREAS, area=wrong)
    assert broken(AREAS, area=kept_by(area, lambda *sizes: sizes)) == set(), "kept under all of them it is right"


def test_what_is_kept_by_form_and_sum_is_seen() -> None:
    wrong = kept_by(scaled, lambda x, k: (x.shape, round(float(x.double().sum()), 6), k))
    assert broken(SCALED, scaled=wrong) == {repeatable.rule}
    assert (
        broken(SCALED, scaled=kept_by(scaled, lambda x, k: (tuple(x.flatten().tolist()), x.shape, x.dtype, k))) == set()
    )


def test_a_single_result_kept_without_the_number_is_seen() -> None:
    """The call before the last one alone counts for it."""
    last: list[Any] = []

    def of_the_last(x: Tensor, k: int) -> Tensor:
        if not last or not torch.equal(last[0], x):
            last[:] = [x.clone(), scaled(x, k)]
        return last[1].clone()

    assert broken(SCALED, scaled=of_the_last) == {repeatable.rule}


def test_what_is_kept_without_one_of_two_tensors_is_seen() -> None:
    def added(x: Tensor, y: Tensor) -> Tensor:
        return x + 2 * y

    def two(d: Draw) -> tuple[Tensor, Tensor]:
        n, m = d.sizes(n=(2, 4), m=(1, 4))
        return d.normal(n, m), d.normal(n, m)

    declared = promises(reference={"added": added}, always=(repeatable,), kept=[promise("x + 2y", "sum", two)])
    assert broken(declared, added=added) == set()
    assert broken(declared, added=kept_by(added, lambda x, y: tuple(x.flatten().tolist()))) == {repeatable.rule}


def test_neighbours_differ_in_one_argument_or_in_the_order_alone() -> None:
    x = torch.arange(4.0).view(2, 2)
    found = [*neighbours(Case((x, 3, x + 1), {"names": ["a", "b"]}))]
    back = x.flip(0, 1)
    assert [torch.equal(one.args[0], back) for one in found] == [True, False, False, False, False, True]
    assert [one.args[1] for one in found] == [3, 4, 9, 3, 3, 3]
    assert [torch.equal(one.args[2], back + 1) for one in found] == [False, False, False, True, False, True]
    assert [one.kwargs["names"] for one in found] == 4 * [["a", "b"]] + [["b", "a"], ["a", "b"]]
    assert [*neighbours(Case((True, "text", None)))] == []


def both_halves(student: Any, case: Case) -> list[Any]:
    """A way of its own: two calls, each with half of the rows."""
    x, k = case.args
    return [opened(student.scaled(part, k)) for part in x.tensor_split(2)]


IN_HALVES = promises(
    reference={"scaled": scaled},
    ask=Ask("in_halves_of_a_test"),
    always=(repeatable,),
    kept=[promise("scaled", "scaled", numbers)],
)


@pytest.mark.parametrize("gradients_alone", [False, True])
def test_a_result_that_later_calls_overwrite_is_seen_in_a_way_of_its_own(
    monkeypatch: pytest.MonkeyPatch, gradients_alone: bool
) -> None:
    monkeypatch.setitem(WAYS, IN_HALVES.ask.way, both_halves)

    def in_a_buffer(x: Tensor, k: int) -> Tensor:
        if gradients_alone and torch.is_grad_enabled():
            return scaled(x, k)
        kept = KEPT.setdefault((x.shape, x.dtype), torch.empty_like(x))
        return kept.copy_(scaled(x, k).detach())

    assert broken(IN_HALVES, scaled=scaled) == set()
    assert broken(IN_HALVES, scaled=in_a_buffer) == {repeatable.rule}


class Twice(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        return 2 * x * self.weight


class Evaluating(Twice):
    def forward(self, x: Tensor) -> Tensor:
        self.eval()
        return super().forward(x)


def weighed(d: Draw) -> Case:
    n, width = d.sizes(n=(1, 4), width=(1, 4))
    setup = {"sizes": (width,), "weights": d.weights(Twice(width))}
    return Case((d.normal(n, width, dtype=torch.float32),), setup=setup)


def test_a_call_that_changes_the_mode_is_named() -> None:
    declared = promises(
        reference={"Twice": Twice}, ask=module("Twice"), always=(repeatable,), kept=[promise("2xw", "2xw", weighed)]
    )
    assert broken(declared, Twice=Twice) == set()
    assert broken(declared, Twice=Evaluating) == {repeatable.rule}
    trials = [trial for trial in declared.trials(1, 3) if trial.ask.way == "again"]
    answer = trials[0].run(Student(lambda: {"Twice": Evaluating}))
    assert answer.problem is not None and "between training and evaluation" in answer.problem


def cut_at_one_row(x: Tensor, k: int) -> Tensor:
    return scaled(x.detach() if len(x) == 1 else x, k)


@pytest.mark.parametrize("asked", [False, ("gradients",)])
def test_gradients_are_asked_at_sizes_of_a_promise_that_names_them(asked: Any) -> None:
    def narrow(d: Draw) -> tuple[Tensor, int]:
        return d.normal(1, d.whole(1, 4)), 1

    declared = promises(
        reference={"scaled": scaled}, always=(gradients(0),),
        kept=[promise("scaled", "scaled", numbers, far=False), promise("one row", "one", narrow, trouble=asked, far=False)],
    )  # fmt: skip
    found = broken(declared, scaled=cut_at_one_row)
    assert found == ({declared.listed()[-1].sentence} if asked else set())


@pytest.mark.parametrize("value", [5, torch.zeros(2), "text"], ids=["number", "tensor", "text"])
def test_a_value_in_place_of_a_function_is_the_answers_mistake(value: Any) -> None:
    assert broken(SCALED, scaled=value) == {one.sentence for one in SCALED.listed()}
    found = SCALED.trials(0, 3)[0].run(Student(lambda: {"scaled": value}))
    assert found.refused and found.problem == "scaled is a value, no function or class"


def test_a_type_error_of_a_check_is_no_answers_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    def confused(student: Any, case: Case, name: str) -> Any:
        return len(5)  # type: ignore[arg-type]

    trial = SCALED.trials(0, 3)[0]
    monkeypatch.setitem(WAYS, trial.ask.way, confused)
    with pytest.raises(TypeError):
        trial.run(Student(lambda: {"scaled": scaled}))
