"""Facts of notebook 03: its numbers, its rotary attention inside a GPT, and its checks on fresh seeds.

Seeds: 103 for random inputs; the checkers' seeds are drawn from it.
"""

from __future__ import annotations

import contextlib
import io
import math
import random
from dataclasses import replace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.judge import promised
from autograder.source.covered import declaration, is_declared
from autograder.source.percent import read_source
from course_utils.attention import attention_class
from course_utils.checks.selfcheck import StudentError, check, results, student
from course_utils.config import ModelConfig
from course_utils.errors import CourseError
from course_utils.lessons.attention import slider
from course_utils.lessons.positions import _measurable
from course_utils.model import GPT
from solutions.reference import positions, rope
from tests.paths import ROOT

SOURCE = ROOT / "solutions" / "03_positions.py"
CELLS = read_source(SOURCE).cells
CHECKS = {cell.exercise: cell for cell in CELLS if cell.role == "check"}


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """The names that the source's answer cells and given functions define."""
    names: dict[str, Any] = {"math": math, "torch": torch, "F": F, "Tensor": Tensor}
    for cell in CELLS:
        if cell.role == "answer" or (cell.role == "code" and cell.text.lstrip().startswith("def ")):
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(cell.text, f"<{cell.exercise}>", "exec"), names)
    return names


def run_check(exercise: str, seed: int) -> tuple[bool, str]:
    """Run the whole check, hidden part included, and return its verdict and what it printed."""
    if is_declared(CHECKS[exercise]):
        entry = promised.entry_for(ROOT, "03_positions", exercise)
        try:
            outcome, _ = promised.judge(declaration(CHECKS[exercise]), entry, student, seed, 0)
        except StudentError as error:
            return False, str(error)
        return outcome.fraction == 1, outcome.hint
    text = CHECKS[exercise].text.replace(f'check("{exercise}"', f'check("{exercise}", seed={seed}')
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(text, f"<check {exercise}>", "exec"), {"check": check, "student": student})
    return results()[exercise], printed.getvalue()


@pytest.mark.parametrize("exercise", CHECKS)
def test_answer_passes_with_a_fresh_seed(
    exercise: str, answers: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With 1,000 seeds: ``make seed-sweep``."""
    monkeypatch.setattr("course_utils.checks.student.namespace", lambda: answers)
    passed, printed = run_check(exercise, random.Random(103).getrandbits(48))
    assert passed, printed


@pytest.mark.parametrize("exercise", CHECKS)
def test_check_can_fail(exercise: str, answers: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    broken = {name: (lambda *_: None) if callable(value) else value for name, value in answers.items()}
    monkeypatch.setattr("course_utils.checks.student.namespace", lambda: broken)
    assert not run_check(exercise, 1)[0]


def test_float32_angles_are_within_the_tolerance(answers: dict[str, Any]) -> None:
    for d in (8, 32, 64):
        exact = torch.outer(torch.arange(2001, dtype=torch.float64), positions.frequencies(d, 1e4))
        for angles in (answers["rotary_angles"](2001, d), rope.rotary_angles(2001, d)):
            assert (angles.double() - exact).abs().max() < 1e-4


def test_bfloat16_cannot_hold_the_angle_300() -> None:
    assert max(abs(x - float(torch.tensor(float(x)).bfloat16())) for x in range(256, 512)) == 1.0


def test_rotary_scores_depend_on_the_offset_alone() -> None:
    rng = torch.Generator().manual_seed(103)
    q, k = torch.randn(2, 1, 2, 1, 16, generator=rng).expand(-1, -1, -1, 50, -1)
    angles = rope.rotary_angles(50, 16)
    scores = rope.apply_rotary(q, angles) @ rope.apply_rotary(k, angles).mT
    assert torch.allclose(scores[..., 1:, 1:], scores[..., :-1, :-1], atol=1e-4)
    assert not torch.allclose(scores[..., 1:], scores[..., :-1], atol=0.1)


def test_odd_width_is_refused() -> None:
    with pytest.raises(CourseError, match="even"):
        rope.rotary_angles(4, 5)


@pytest.fixture
def gpt() -> GPT:
    """A small GPT with rotary attention and weights far from zero."""
    torch.manual_seed(103)
    config = ModelConfig(
        vocab_size=11, block_size=24, n_layer=2, n_head=2, n_embd=16, attention="rope", position="none"
    )
    model = GPT(config).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.3 * torch.randn_like(weight))
    return model


def test_rope_is_registered() -> None:
    assert attention_class("rope") is rope.RotaryCausalSelfAttention
    assert rope.RotaryCausalSelfAttention.position == "none"


def test_rope_gpt_is_causal_and_knows_the_order(gpt: GPT) -> None:
    ids = torch.randint(0, 11, (3, 20), generator=torch.Generator().manual_seed(103))
    later = ids.clone()
    later[:, 12:] = (later[:, 12:] + 1) % 11
    with torch.no_grad():
        assert torch.allclose(gpt(ids)[:, :12], gpt(later)[:, :12], atol=1e-5)
        swapped = ids.clone()
        swapped[:, 0], swapped[:, 1] = 3, 7
        other = swapped.clone()
        other[:, 0], other[:, 1] = 7, 3
        assert (gpt(swapped)[:, -1] - gpt(other)[:, -1]).abs().max() > 1e-3


def test_rope_cache_gives_the_same_outputs(gpt: GPT) -> None:
    layer: Any = gpt.blocks[0].attention
    x = torch.randn(2, 20, 16, generator=torch.Generator().manual_seed(103))
    cache = layer.new_cache(2, 24)
    with torch.no_grad():
        pieces = [layer.decode_step(x[:, a:b], cache, torch.arange(a, b)) for a, b in ((0, 7), (7, 8), (8, 20))]
        assert torch.allclose(torch.cat(pieces, 1), layer(x), atol=1e-5)


def test_rope_gpt_has_no_position_parameters(gpt: GPT) -> None:
    vanilla = GPT(replace(gpt.config, attention="vanilla", position="learned"))
    assert vanilla.n_params() - gpt.n_params() == 24 * 16


@pytest.mark.parametrize(("row", "count"), [((10, 3, 2, False, None), 114), ((10, 3, 2, True, None), 60)])
def test_bias_counts_of_the_text(row: tuple[Any, ...], count: int) -> None:
    assert positions.bias_count(*row) == count
    offsets = {i - j for i in range(10) for j in range(10) if not row[3] or i >= j}
    assert count == len(offsets) * 6


def test_products_of_positions_are_no_ruler() -> None:
    p = positions.sinusoid(60, 32, 10000.0)
    products = p @ p[0]
    assert products[6] > products[4]  # nearer, and yet less alike


def test_unnormalised_output_with_own_value_ignores_all_other_words() -> None:
    rng = torch.Generator().manual_seed(103)
    q, k, v = torch.randn(3, 4, 6, generator=rng)
    output = (q @ k.T).exp().sum(1, keepdim=True) * v
    assert torch.allclose(F.cosine_similarity(output, v), torch.ones(4))


def test_slider_draws_whatever_the_parameter_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    ipywidgets = pytest.importorskip("ipywidgets")
    handles, drawn = [], []
    interact = ipywidgets.interact
    monkeypatch.setattr(ipywidgets, "interact", lambda f, **k: (handles.extend(k.values()), interact(f, **k)))

    def hands(offset: float) -> None:
        drawn.append(offset)

    slider(hands, 0.0, 256.0, 12.0, "offset", step=1.0)
    assert isinstance(handles[0], ipywidgets.FloatSlider)
    handles[0].value = 40.0
    assert drawn == [12.0, 40.0]


@pytest.mark.parametrize(("widths", "lost", "kept"), [([1, 1], 2, 198), ([1, 1], 3, 200), ([2, 5], 2, 200)])
def test_a_run_that_drew_a_vector_of_norm_0_is_left_out(widths: list[int], lost: int, kept: int) -> None:
    """Only at width 1, where 1 run in some 10,000 draws one, and never more than 1 in 100 runs."""
    rows = torch.ones(200, 2, 2)  # (runs, unit and raw, widths)
    rows[:lost, 0, 1] = math.nan
    assert len(_measurable(rows, widths)) == kept
