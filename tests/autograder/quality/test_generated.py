"""Mistakes made by rule: valid Python, none equal to the answer, at least half of the domain; and they are judged."""

from __future__ import annotations

import ast

import pytest

from autograder.quality.generated import judge_exercise
from autograder.quality.rules import RULES, generated
from course_utils.errors import CourseError
from tests.paths import ROOT

ANSWER = '''
def scores(q: torch.Tensor, mask: torch.Tensor | None, n: int, beta: float, rng: torch.Generator) -> torch.Tensor:
    """Text."""
    if mask is None:
        mask = torch.ones(n, 2)
    x = torch.softmax(-q - 1, dim=-1) * mask / len(q)
    return x + torch.randn(n, 2, generator=rng)
'''


def test_mutants_are_python_and_no_two_are_alike() -> None:
    found = generated(ANSWER)
    assert len({one.text for one in found}) == len(found) > 60
    assert ast.unparse(ast.parse(ANSWER)) not in {one.text for one in found}
    assert sum(one.domain for one in found) > len(found) / 2
    for one in found:
        ast.parse(one.text)


def test_every_rule_makes_something_somewhere() -> None:
    body = "return nn.Dropout(0.5)(x) if self.training and 1 < x else x.max()"
    more = f"class M:\n    def forward(self, x: Tensor):\n        {body}"
    found = {one.rule for text in (ANSWER, more) for one in generated(text)}
    assert found == {rule for rule, _, _ in RULES}


@pytest.mark.parametrize(
    "line",
    ["mask = None", "q = q[:-1]", "rng = torch.Generator().manual_seed(0)", "beta = min(beta, 20.0)", "n = min(n, 5)"],
)
def test_arguments_are_taken_otherwise(line: str) -> None:
    assert any(f"    {line}\n" in one.text for one in generated(ANSWER))


@pytest.mark.slow
def test_the_promises_of_copying_refuse_what_rules_make() -> None:
    found = judge_exercise(ROOT / "solutions" / "01_attention.py", "copying")
    assert found["survived"] == [] and found["killed"] > 100
    assert found["generated"] == found["killed"] + found["equivalent"]


def test_an_exercise_that_is_not_there_is_named() -> None:
    from autograder.quality import generated as module

    with pytest.raises(CourseError, match="nothing"):
        module.run(exercise="nothing")
