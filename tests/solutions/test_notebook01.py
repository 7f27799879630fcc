"""Facts of notebook 01 that its text states as numbers, from the source's own answers and the judge's reference.

Seeds: 101 for the simulations; the checkers' seeds are drawn from it.
"""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
import torch

from autograder.judge import promised
from autograder.source.covered import declaration
from autograder.source.percent import read_source
from course_utils.checks.compare import CheckFailed
from course_utils.checks.helpers import number, parts
from course_utils.checks.selfcheck import StudentError, student
from course_utils.lessons.attention import jitter, orthonormal, weight_bars
from solutions.reference import by_hand
from tests.paths import ROOT

SOURCE = ROOT / "solutions" / "01_attention.py"
CHECKS = {cell.exercise: cell for cell in read_source(SOURCE).cells if cell.role == "check"}
EXERCISES = tuple(CHECKS)


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """The names that the source's answer cells define."""
    names: dict[str, Any] = {"math": math, "torch": torch}
    for cell in read_source(SOURCE).cells:
        if cell.role == "answer":
            exec(compile(cell.text, f"<{cell.exercise}>", "exec"), names)
    return names


@pytest.fixture
def in_notebook(answers: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets ``student`` find the answers as it would find a notebook's."""
    monkeypatch.setattr("course_utils.checks.student.namespace", lambda: answers)


def run_check(exercise: str, seed: int) -> tuple[bool, str]:
    """Run the whole check, with fresh cases, and return its verdict and its sentence."""
    entry = promised.entry_for(ROOT, "01_attention", exercise)
    try:
        outcome, _ = promised.judge(declaration(CHECKS[exercise]), entry, student, seed, 0)
    except StudentError as error:
        return False, str(error)
    return outcome.fraction == 1, outcome.hint


@pytest.mark.parametrize("exercise", EXERCISES)
def test_reference_passes_with_a_fresh_seed(exercise: str, in_notebook: None) -> None:
    """With 1,000 seeds: ``make seed-sweep``."""
    passed, printed = run_check(exercise, random.Random(101).getrandbits(48))
    assert passed, printed


@pytest.mark.parametrize("exercise", EXERCISES)
def test_check_can_fail(exercise: str, answers: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    broken = {name: (lambda *_: None) if callable(value) else value for name, value in answers.items()}
    monkeypatch.setattr("course_utils.checks.student.namespace", lambda: broken)
    assert not run_check(exercise, 1)[0]


def noisy_keys(answers: dict[str, Any], n: int, trials: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    rng = torch.Generator().manual_seed(101)
    mu = orthonormal(n, n + 2, rng)
    keys = answers["sample_keys"](mu, 0, 1e-6, trials, rng)
    return mu, keys, keys[:, 0] @ mu[0]  # (trials, n, d) -> gamma (trials,)


def test_gamma_has_variance_one_half(answers: dict[str, Any]) -> None:
    gamma = noisy_keys(answers, 3, 200_000)[2]
    assert abs(gamma.var() - 0.5) < 0.01
    assert abs((gamma < 0).double().mean() - 0.0786) < 0.004
    assert abs(0.5 * math.erfc(1) - 0.0786) < 5e-5  # Phi(-sqrt 2), as the text says
    assert abs(0.5 * math.erfc(2 / math.sqrt(2)) - 0.0228) < 5e-5  # were one half the standard deviation
    for beta, variance in ((5.0, 0.149), (100.0, 0.244)):
        assert abs(answers["weight_of_gamma"](gamma, beta).var() - variance) < 0.002


def test_two_heads_are_five_times_steadier(answers: dict[str, Any]) -> None:
    for n in (3, 10):
        mu, keys, gamma = noisy_keys(answers, n, 3000)
        keys = keys[gamma > 0]
        one, two = (answers[name](mu, keys, mu, 0, 1, 20.0)[0] for name in ("single_head", "multi_head"))
        assert (one.var(0).sum() / two.var(0).sum()).sqrt() > 5


def test_two_heads_fail_for_negative_gamma(answers: dict[str, Any]) -> None:
    mu, keys, gamma = noisy_keys(answers, 5, 3000)
    off = (answers["multi_head"](mu, keys, mu, 0, 1, 20.0)[0] - (mu[0] + mu[1]) / 2).norm(dim=-1)
    assert off[gamma < 0].mean() > 0.4
    assert off[gamma > 0.4].mean() < 0.01


@pytest.mark.parametrize(("n", "beta"), [(2, 3.0), (10, 5.0), (1000, 20.0)])
def test_floor_of_the_average(n: int, beta: float) -> None:
    floor = (n - 2) / (2 * math.exp(beta) + n - 2)
    assert math.isclose(1 - 2 * by_hand.average_weight(n, beta), floor, abs_tol=1e-12)


def test_error_falls_with_the_noise(answers: dict[str, Any]) -> None:
    rng = torch.Generator().manual_seed(101)
    mu = orthonormal(10, 10, rng)
    target = torch.tensor([0.5, 0.5] + [0.0] * 8)
    errors = []
    for variance in (1e-4, 1e-6, 1e-8):
        alpha = answers["single_head"](mu, jitter(mu, variance, 2000, rng), mu, 0, 1, 20.0)[1]
        errors.append((alpha - target).abs().sum(-1).mean().item() / 2)
    slope = (math.log(errors[0]) - math.log(errors[2])) / math.log(1e4)
    assert abs(slope - 0.5) < 0.02  # beta * sqrt(variance)


def test_score_five_among_a_thousand_earns_13_percent() -> None:
    scores = torch.zeros(1000, 1)
    scores[0] = 5.0
    assert round(by_hand.attention(torch.ones(1), scores, scores)[1][0].item(), 2) == 0.13


def test_no_amount_brings_u_b(answers: dict[str, Any]) -> None:
    frame = 5.0 * orthonormal(4, 6, torch.Generator().manual_seed(101))
    amounts = [x / 4 for x in range(-20, 21)]
    assert max(answers["no_projections"](frame, s, t)[1][1].item() for s in amounts for t in amounts) < 1e-4


@pytest.mark.parametrize("wrong", [None, "text", True, torch.tensor([True]), torch.tensor([1j])])
def test_number_names_what_came_instead(wrong: Any) -> None:
    with pytest.raises(CheckFailed, match="the query"):
        number(wrong, "the query")


def test_parts_asks_for_the_missing_result() -> None:
    with pytest.raises(CheckFailed, match="return c, alpha"):
        parts(torch.zeros(3), ("c", "alpha"))


def test_parts_says_how_many_came() -> None:
    with pytest.raises(CheckFailed, match=r"return 3 things.*a tuple of length 2"):
        parts((torch.zeros(3), torch.zeros(3)), ("Q", "K", "V"))


def test_weight_bars_show_every_weight_on_one_scale() -> None:
    panels = {"few": torch.tensor([0.2, 0.8]), "many": torch.full((10,), 0.1)}
    axes = weight_bars(panels).axes
    assert [ax.get_title() for ax in axes] == list(panels)
    for ax, weights in zip(axes, panels.values(), strict=True):
        assert [bar.get_height() for bar in ax.patches] == pytest.approx(weights.tolist())
        assert ax.get_ylim() == (0, 1.02)


def test_static_figure_stands_beside_the_slider() -> None:
    cell = next(cell.text for cell in read_source(SOURCE).cells if cell.role == "code" and "slider(draw" in cell.text)
    assert cell.index("plots.show(") < cell.index("def draw_weights") < cell.index("slider(draw")
