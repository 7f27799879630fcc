"""Trials of all answers on file: shared by seed; parts that an answer keeps are not tried again; its points are exact."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from autograder.quality import misconceptions
from autograder.quality.filed import Mutant
from autograder.quality.misconceptions import Bench
from autograder.quality.shared_trials import SharedTrials
from autograder.records import Verdict
from course_utils.errors import CourseError


class Declared:
    """Two promises, of the parts a and b, and a rule with a trial of each."""

    def __init__(self) -> None:
        self.drawn: list[tuple[int, int]] = []

    def listed(self) -> list[Any]:
        return [SimpleNamespace(part=part) for part in ("a", "b", "")]

    def trials(self, number: int, seed: int) -> list[Any]:
        self.drawn.append((number, seed))
        return [SimpleNamespace(number=number, seed=seed, part=part) for part in (("a", "b") if number == 2 else ("",))]


def test_answers_with_one_seed_share_their_trials_and_no_others() -> None:
    declared: Any = Declared()
    shared = SharedTrials().of(declared)
    found = [shared.trials(*which) for which in ((0, 1), (0, 1), (1, 1), (0, 2), (0, 1))]
    assert [(one.number, one.seed) for (one,) in found] == [(0, 1), (0, 1), (1, 1), (0, 2), (0, 1)]
    assert declared.drawn == [(0, 1), (1, 1), (0, 2)]


def test_a_part_that_an_answer_keeps_is_not_tried_with_fresh_trials() -> None:
    declared: Any = Declared()
    shared = SharedTrials().of(declared)
    shared.spared = ("b",)
    assert [[one.part for one in shared.trials(number, 1)] for number in range(3)] == [[""], [], ["a"]]
    shared.spared = ()
    assert [one.part for one in shared.trials(2, 1)] == ["a", "b"], "what is shared stays whole"
    assert declared.drawn == [(0, 1), (2, 1)]


@pytest.mark.parametrize(
    ("keeps", "points", "good"),
    [(("a",), 1.0, True), ((), 1.0, False), (("a",), 0.0, False), (("b",), 1.0, False), ((), 0.0, True)],
)
def test_a_wrong_answer_has_exactly_the_points_of_the_parts_that_it_keeps(
    keeps: tuple[str, ...], points: float, good: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    bench: Any = Bench.__new__(Bench)
    bench.public, bench.source, bench.check = tmp_path, SimpleNamespace(name="97_sample"), SimpleNamespace(id="x")
    monkeypatch.setattr(misconceptions, "find", lambda *_: SimpleNamespace(shares={"a": 0.25, "b": 0.75}))
    verdict = Verdict("x", "partial" if points else "failed", points, 4.0, "the cause", "", 0.1, 1)
    found = bench.outcome(Mutant("x", "one", "", True, "cause", {}, keeps), verdict)
    assert found.good is good and ("of the points, and not" in found.said) is not good


def test_a_part_that_the_exercise_has_not_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    bench: Any = Bench.__new__(Bench)
    bench.public, bench.source, bench.check = tmp_path, SimpleNamespace(name="97_sample"), SimpleNamespace(id="x")
    monkeypatch.setattr(misconceptions, "find", lambda *_: None)
    with pytest.raises(CourseError, match="keeps"):
        bench.outcome(
            Mutant("x", "one", "", True, "cause", {}, ("c",)), Verdict("x", "failed", 0.0, 4.0, "", "", 0.1, 1)
        )
