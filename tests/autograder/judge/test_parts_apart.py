"""What stops one part of an exercise, or is forbidden in it, costs that part alone."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.judge.apart import apart
from autograder.judge.execute import execute
from autograder.judge.limits import NOTEBOOK_SECONDS, STOPS, longest
from autograder.judge.walk import code_cells
from autograder.quality.cells import setup_cells
from autograder.quality.misconceptions import check_of, public_folder
from autograder.records import Check, Job, Verdict
from autograder.source.percent import read_source, strip_markers
from course_utils.checks.casefile import from_json
from course_utils.checks.forbidden import forbidden_names, without_forbidden
from tests.attacks.toy import code_cell
from tests.paths import ROOT

sandboxed = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
FLOPS = """
def flops_per_token(N, L, D, T):
    return 3 * (2 * N + 4 * L * T * D)


def step_seconds(block_seconds, product_rate, B, T, V, D, L):
    {step}
"""
STEP = """tokens = B * T
    rate = tokens * (72 * D**2 + 12 * D * T) / block_seconds
    return L * block_seconds + tokens * 6 * V * D / rate"""
LOOP, END = "while True:\n        pass", "import os\n    os._exit(0)"
LIBRARY = """
class {name}Layer(nn.Transformer{name}Layer):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__(d_model, n_heads, d_ff, 0.0, batch_first=True)
"""


def right(notebook: str, exercise: str) -> str:
    """The course's own answer."""
    cells = read_source(ROOT / "solutions" / f"{notebook}.py").cells
    return next(strip_markers(c.text) for c in cells if (c.role, c.exercise) == ("answer", exercise))


def job_of(folder: Path, notebook: str, exercise: str, text: str, seconds: float = 60.0, more: str = "") -> Job:
    """An answer among the cells that it needs; ``more`` is a further cell of the student's."""
    source = read_source(ROOT / "solutions" / f"{notebook}.py")
    before, after = setup_cells(source, exercise)
    cells = [(f"cell-{n}", cell) for n, cell in enumerate(before)] + [(f"answer-{exercise}", text)]
    cells += [(f"after-{n}", cell) for n, cell in enumerate(after)] + [(f"check-{exercise}", ""), ("extra-1", more)]
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [code_cell(*cell) for cell in cells]}
    check = check_of(next(c for c in source.cells if (c.role, c.exercise) == ("check", exercise)))
    files, private = folder / "files", folder / "private"
    files.mkdir()
    private.mkdir()
    public = public_folder(folder)
    return Job("ada", notebook, book, files, {exercise: replace(check, timeout=seconds)}, public, private, seed=5)


def judged(folder: Path, notebook: str, exercise: str, text: str, seconds: float = 60.0) -> Verdict:
    """The verdict by all passes of the judge."""
    return execute(job_of(folder, notebook, exercise, text, seconds)).verdicts[0]


@sandboxed
@pytest.mark.parametrize(
    ("step", "share", "said"),
    [
        (STEP, 1.0, ""),
        (LOOP, 0.5, "step_seconds: your code took too long"),
        (END, 0.5, "step_seconds: "),
        ("raise SystemExit", 0.5, ""),
    ],
)
def test_a_part_that_does_not_end_is_lost_alone(tmp_path: Path, step: str, share: float, said: str) -> None:
    found = judged(tmp_path, "04_counting", "flops", FLOPS.format(step=step), 8.0)
    assert found.points == pytest.approx(share * found.max_points), found
    assert said in found.hint


@sandboxed
@pytest.mark.slow
def test_where_both_parts_stop_nothing_is_given(tmp_path: Path) -> None:
    text = FLOPS.format(step=LOOP).replace("    return 3 * (2 * N + 4 * L * T * D)", f"    {LOOP}")
    found = judged(tmp_path, "04_counting", "flops", text, 5.0)
    assert (found.status in ("timeout", "failed"), found.points) == (True, 0) and "took too long" in found.hint


@sandboxed
@pytest.mark.slow
@pytest.mark.parametrize("ways", [(LOOP, LOOP), (LOOP, END)])
def test_of_three_parts_the_one_that_ends_is_kept(tmp_path: Path, ways: tuple[str, str]) -> None:
    text = right("02_blocks", "complexity")
    for name, way in zip(("encoder_self_flops", "decoder_self_flops"), ways, strict=True):
        text += f"\n\ndef {name}(*sizes):\n    {way}\n"
    found = judged(tmp_path, "02_blocks", "complexity", text, 8.0)
    assert found.points == pytest.approx(0.4 * found.max_points), found
    assert "encoder_self_flops" in found.hint


@sandboxed
@pytest.mark.slow
def test_a_part_that_ends_with_the_visible_inputs_alone_is_lost_alone(tmp_path: Path) -> None:
    """It stops with numbers that are drawn while it is judged, which are public ones in the explaining pass."""
    entry = from_json(json.loads((ROOT / "data/promises/04_counting.json").read_text())["exercises"]["flops"])
    seen = sum(1 for trial in entry.trials if entry.part_of(trial) == "step_seconds")
    step = f"COUNT.append(0)\n    if len(COUNT) > {3 * seen}:\n        {LOOP.replace('    ', '        ')}\n    {STEP}"
    found = judged(tmp_path, "04_counting", "flops", "COUNT = []\n" + FLOPS.format(step=step), 8.0)
    assert found.points == pytest.approx(0.5 * found.max_points), found
    assert "step_seconds: your code took too long" in found.hint


def test_the_longest_judging_is_longer_than_its_passes() -> None:
    """Three times explained, each time twice, and two runs with secret draws."""
    check = Check("x", "", "", 1.0, 50.0)
    assert longest([check, check]) - longest([check]) == (2 + 2 * (STOPS + 1)) * 50.0
    assert longest([replace(check, source="forbid shares")]) - longest([]) > 2 * (longest([check]) - longest([]))
    assert longest([]) >= (2 + STOPS + 1) * 2 * NOTEBOOK_SECONDS


@sandboxed
@pytest.mark.slow
@pytest.mark.parametrize("name", ["Encoder", "Decoder"])
def test_a_forbidden_name_costs_the_part_that_uses_it(tmp_path: Path, name: str) -> None:
    found = judged(
        tmp_path, "02_blocks", "encoder_decoder", right("02_blocks", "encoder_decoder") + LIBRARY.format(name=name)
    )
    assert found.points == pytest.approx(0.5 * found.max_points), found
    assert found.hint.startswith(f"{name}Layer: write it yourself, without Transformer{name}Layer")


@sandboxed
@pytest.mark.slow
def test_a_name_that_is_a_value_costs_its_part(tmp_path: Path) -> None:
    found = judged(tmp_path, "03_positions", "rope", right("03_positions", "rope") + "\napply_rotary = 5\n")
    assert found.points == pytest.approx(0.4 * found.max_points), found
    assert "apply_rotary is a value" in found.hint


BOX = """
class Box:
    kept = []
    def __class_getitem__(cls, one):
        cls.kept.append(one)
        return Tensor


def one_big_matrix(small: Box[nn.TransformerEncoderLayer.forward]):
    return torch.cat(small, dim=0)


class Block(nn.Module):
    def __init__(self, *sizes):
        super().__init__()
        assert Box.kept

    def forward(self, x, mask=None):
        return Box.kept[0](self, x)
"""
USING = """
def one_big_matrix(small, dim=-1):
    nn.TransformerEncoderLayer(4, 1)
    return torch.cat(small, dim=0)

print(getattr(one_big_matrix, "__name__"))
"""


@sandboxed
@pytest.mark.slow
@pytest.mark.parametrize(("more", "share"), [(BOX, 0.0), (USING, 0.8)])
def test_what_uses_something_forbidden_is_not_run_where_the_rest_is_judged(
    tmp_path: Path, more: str, share: float
) -> None:
    """The first hands the forbidden function over while its own definition is made. The second is an honest half."""
    found = judged(tmp_path, "02_blocks", "residual_block", right("02_blocks", "residual_block") + more)
    assert found.points == pytest.approx(share * found.max_points), found
    assert found.hint.startswith("one_big_matrix: write it yourself, without TransformerEncoderLayer")
    assert ("AssertionError" in found.hint) == (more is BOX)


ROTARY = "def rotary_angles(T, d): return torch.zeros(T, device='cuda')\n"


@pytest.mark.parametrize(
    ("text", "more", "apart_from"),
    [
        (ROTARY, "", True),
        (ROTARY + "b = 1\n" * 3000, "a = b + 1\n" * 20_000, False),
        (ROTARY + f"b = {'-' * 4000}1\n", "", False),
        (ROTARY + f"b = a{'.a' * 4000}\n", "", False),
        (ROTARY + f"b = {'(' * 150}1{')' * 150}\n", "", True),
        (ROTARY + "\0", "", False),
        (ROTARY + "\ud800", "", False),
    ],
)
def test_text_that_breaks_its_reader_is_judged_whole(tmp_path: Path, text: str, more: str, *, apart_from: bool) -> None:
    """Reading it takes no longer than a check may, and what goes wrong there ends no judge."""
    job, begun = job_of(tmp_path, "03_positions", "rope", text, 2.0, more), time.monotonic()
    found = apart(job, job.checks.values())
    assert time.monotonic() - begun < 60, "the limit and what a slow machine adds"
    assert bool(found) is apart_from or "cuda" not in dict(code_cells(found["rope"][0].notebook))["answer-rope"]


@sandboxed
@pytest.mark.slow
def test_two_such_answers_cost_each_other_nothing(tmp_path: Path) -> None:
    """The helper of the one reads the class that is taken out there, and the other one calls the helper."""
    decoder = """
class Own(nn.TransformerDecoderLayer):
    pass


def mlp(block, z):
    assert not isinstance(block, Own)
    return block.linear2(F.relu(block.linear1(z)))


class DecoderLayer(Own):
    pass
"""
    job = job_of(tmp_path, "02_blocks", "residual_block", right("02_blocks", "residual_block") + USING)
    text = right("02_blocks", "encoder_decoder") + decoder
    book = {
        **job.notebook,
        "cells": [code_cell("answer-encoder_decoder", text), code_cell("check-encoder_decoder", "")],
    }
    source = read_source(ROOT / "solutions" / "02_blocks.py")
    check = check_of(next(c for c in source.cells if (c.role, c.exercise) == ("check", "encoder_decoder")))
    block = right("02_blocks", "residual_block").replace(
        "    def forward(self, x", "    checked = mlp\n\n    def forward(self, x", 1
    )
    first = [one for one in job.notebook["cells"] if one["id"].startswith("cell-")]
    last = [code_cell("answer-residual_block", block + USING), code_cell("check-residual_block", "")]
    both = replace(
        job,
        notebook={**book, "cells": [*first, *book["cells"], *last]},
        checks={**job.checks, "encoder_decoder": replace(check, timeout=60.0)},
    )
    found = {one.exercise: one.points / one.max_points for one in execute(both).verdicts}
    alone = execute(replace(both, only=frozenset({"residual_block"}))).verdicts[0]
    assert found == pytest.approx({"encoder_decoder": 0.5, "residual_block": 0.8})
    assert alone.points / alone.max_points == pytest.approx(0.8)


PARTS = {"one": {"one"}, "two": {"two", "also_two"}}
TWO = "def two(): return 2"
CONTESTED = [
    f"def one(): return sum([])\n{TWO}",
    f"def one(): return added()\ndef added(): return sum([])\n{TWO}",
    f"@sum\ndef one(): return 1\n{TWO}",
    f"def one(f=vars.update(made=sum)): return 1\n{TWO}",
    f"def one(x: (made := sum)): return 1\n{TWO}",
    f"def one(x: box[sum]): return 1\n{TWO}",
    f"def one(x: box | sum): return 1\n{TWO}",
    f"class one(Registered):\n    at = sum\n{TWO}",
    f"def one(x=(1, -2)):\n    return sum([])\nprint(one(1))\n{TWO}",
    "def one():\n    return sum([])\n\n\ndef two():\n    return getattr(2, 'real')",
    "class one(list):\n    def own(self): return sum(self)\nclass two(list): pass",
    "def one(): return 1\none = sum\ndef two(): return 2",
    f"def one(): return sum([])\none()\n{TWO}",
    f"def one(): return sum([])\ndef show(x: one) -> None: print(x)\n{TWO}",
    f"def one(): return sum([])\nmade = one()\nprint(made)\ndel made\n{TWO}",
    f"def one(): return sum([])\nmade = one()\nmade += 1\n{TWO}",
    "def one(at=sum): return at([])\ndevice = one()\ndef two(x, *made, **more): return x.device, x.one, made",
    "from builtins import len, sum\ndef one(): return sum([])\ndef two(): return len([])",
    "def one(*sizes): return sum(sizes)\nsizes = one()\ndef two(*sizes): return sizes",
]


@pytest.mark.parametrize("source", CONTESTED)
@pytest.mark.parametrize("others", [[], ["%matplotlib inline", "print(sorted(globals()))", "TOOLS.append(one)"]])
def test_one_part_is_lost_and_the_rest_has_nothing_forbidden(source: str, others: list[str]) -> None:
    text, lost = without_forbidden(source, ["sum"], PARTS, others)
    assert lost == {"one": ["sum"]} and "sum" not in text
    names: dict[str, Any] = {"Registered": object}
    exec(text, names)  # an honest second part is there
    assert "two" in names
    assert text.count("\n") == source.count("\n") and text.split("\n")[-1] == source.split("\n")[-1]
    assert without_forbidden(source, ["sum"], {}, others) == (source, {"": ["sum"]})


@pytest.mark.parametrize(
    "source",
    [
        "def one(): return sum([])\nclass two: at = sum",
        "def one(): return sum([])\ndef two(): return sum([])",
        "class one:\n    global made\n    made = sum\ndef two(): return made([])",
        "def one():\n    global made\n    made = sum\ndef two(): return made([])",
        "class one(list):\n    def own(self): return sum(self)\nclass two(one): pass",
        "def one(): return sum([])\ndef two(): return one()",
        "one = sum; two = 2",
        "added = sum([1])\ndef one(): return 1\ndef two(): return 2",
        "A, B = 'su', 'm'\ndef one(): return sum([])\ndef two(): return getattr(builtins, A + B)([])",
        "def one(): return sum([])\ndef two(): return eval(A + B)",
        "def one(): return sum([)",
        "%time\ndef one(): return sum([])\ndef two(): return 2",
    ],
)
def test_what_cannot_be_told_apart_is_lost_whole(source: str) -> None:
    others = ["A, B = 'su', 'm'"]
    assert without_forbidden(source, ["sum"], PARTS, others) == (source, {"": ["sum"]})


@pytest.mark.parametrize("kind", ["x: held", "*x: held", "**x: held", "*, x: held", "x, /, y: held"])
def test_an_annotation_reads_what_another_cell_binds(kind: str) -> None:
    for source in (
        f"def one({kind}): pass",
        "def one() -> held: pass",
        f"class one:\n    def __call__(self, {kind}): pass",
    ):
        assert forbidden_names(source, ["sum"], ["held = sum"]) == ["sum"]
        assert forbidden_names(source, ["sum"], ["other = sum"]) == []


def test_nothing_forbidden_nothing_lost_and_a_helper_elsewhere_counts() -> None:
    source = "def one(): return 1\ndef two(): return 2"
    assert without_forbidden(source, ["sum"], PARTS) == (source, {})
    source, others = "def one(): return added()\ndef two(): return 2", ["def added(): return sum([])"]
    assert without_forbidden(source, ["sum"], PARTS, others) == ("\ndef two(): return 2", {"one": ["sum"]})
    assert without_forbidden("def two(): return 1\ndef also_two(): return sum([])", ["sum"], PARTS)[1] == {
        "two": ["sum"]
    }
