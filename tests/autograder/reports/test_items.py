"""Figures of the class: distribution, difficulty, discrimination."""

from __future__ import annotations

import random
import statistics

import pytest

from autograder.reports.feedback import by_hand, status_tag
from autograder.reports.items import discrimination, distribution, exercise_rows
from autograder.reports.roll import StudentRow
from tests.autograder.reports.test_exports import row


def student(number: int, *points: float, **more: object) -> StudentRow:
    rows = [row(f"x{at}", str(value), "2") for at, value in enumerate(points)]
    return StudentRow(f"s{number}", rows, sum(points), 2.0 * len(points), **more)  # type: ignore[arg-type]


def test_an_exercise_is_compared_with_the_others_alone() -> None:
    """Skill decides the first six, a coin the next, and the last goes to the weak."""
    draws = random.Random(3)
    people = []
    for number in range(200):
        skilled = [2.0 * (number / 199 > draws.random()) for _ in range(6)]
        people.append(student(number, *skilled, 2.0 * draws.randint(0, 1), 2.0 * (number / 199 < draws.random())))
    found = [discrimination(people, f"x{at}") or 0.0 for at in range(8)]
    assert min(found[:6]) > 0.25 and abs(found[6]) < 0.15 and found[7] < -0.25
    whole = [sum(float(one.points) for one in person.rows) for person in people]
    with_itself = statistics.correlation([float(person.rows[6].points) for person in people], whole)
    assert with_itself > found[6] + 0.1, "with itself among the others a coin would look useful"
    by = {one["exercise"]: one for one in exercise_rows(people)}
    assert by["x6"]["discrimination"] == found[6] and 40 <= by["x6"]["difficulty"] <= 60


def test_too_few_students_or_no_difference_give_no_figure() -> None:
    people = [student(n, n % 3, 2.0) for n in range(10)]
    assert discrimination(people, "x1") is None, "everybody has all points"
    assert discrimination(people, "x0") is None, "the others are all alike"
    mixed = [student(n, n % 3, n % 2) for n in range(10)]
    assert discrimination(mixed, "x0") is not None and discrimination(mixed[:9], "x0") is None
    (one, _) = exercise_rows([student(1, 1.0, 2.0)])
    assert one["difficulty"] == 50 and one["discrimination"] is None


def test_answers_that_wait_for_a_person_do_not_count() -> None:
    people = [student(n, n % 3, n % 2) for n in range(12)]
    people[0].rows[0] = row("x0", "–", "2")
    assert exercise_rows(people)[0]["count"] == 11
    people[1].rows[0] = row("x0", "–", "2")
    people[2].rows[0] = row("x0", "–", "2")
    assert discrimination(people, "x0") is None and discrimination(people, "x1") is not None


def test_the_distribution_holds_everybody_who_is_graded() -> None:
    people = [student(n, value) for n, value in enumerate((0.0, 0.19, 0.2, 1.99, 2.0, 2.0))]
    counts = [one["count"] for one in distribution([*people, StudentRow("missing")])]
    assert counts == [2, 1, 0, 0, 0, 0, 0, 0, 0, 3] and distribution([]) == []
    half = distribution([student(1, 2.0, share=0.5)])
    assert [one["count"] for one in half].index(1) == 5, "what lateness takes off is off"


@pytest.mark.parametrize(("score", "tone"), [(0.0, "failed"), (0.5, "partial"), (1.0, "passed"), (1.5, "passed")])
def test_a_mark_by_hand_is_green_for_all_points_only(score: float, tone: str) -> None:
    assert by_hand(score, 1.0).tone == tone and by_hand(score, 1.0).words == status_tag("marked").words
