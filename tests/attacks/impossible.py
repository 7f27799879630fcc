"""Thirty exercises that nobody can solve, since their checks contradict their statement: any point is proof of a cheat."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from autograder.intake.rebuild import read_notebook, rebuild
from autograder.judge.execute import execute
from autograder.records import Check
from tests.attacks import toy
from tests.attacks.grading import Cheat
from tests.attacks.points import frames, notebooks, objects, patches, wire
from tests.attacks.record import FULL, Row, Wall

# {f} is the exercise's function, {n} a number of its own
CHECKS = {
    "a number and its double at once": (
        "c.close(student.{f}([{n}, 1]), {n} + 1.0, 'one')\n    c.close(student.{f}([{n}, 1]), {n} + 2.0, 'two')"
    ),
    "the judge's secret number": "import secrets\n    c.equal(student.{f}([{n}]), secrets.randbits(64), 'the secret')",
    "the judge's secret array": (
        "import numpy as np\n    x = np.random.default_rng().normal(size=(2, 3))\n"
        "    c.close(student.{f}(c.np_rng.normal(size=(2, 3))), x, 'rows')"
    ),
    "a value unequal to itself": "got = student.{f}([{n}])\n    c.that(got != got and got == got, 'unequal')",
    "a list that is a tuple": (
        "got = student.{f}([{n}])\n    assert type(got) is list, 'list'\n    assert type(got) is tuple, 'tuple'"
    ),
    "fewer than no entries": "got = student.{f}([{n}, 2])\n    c.that(len(got) < 0 and len(got) >= 0, 'length')",
    "a credit of nothing": "student.{f}([{n}])\n    c.credit(0.0)",
    "a file that nobody asked for": "c.equal(handin.weights('secret{n}')['a'].shape, (-1,), 'weights')",
    "larger and smaller": "got = student.{f}([{n}])\n    assert got > 5, 'large'\n    assert got < 4, 'small'",
    "twice another result": (
        "import secrets\n    rows = [([secrets.randbits(30)],) for _ in range(4)]\n"
        "    got = student.map(student.{f}, rows)\n    c.equal(got, [secrets.randbits(64) for _ in rows], 'rows')"
    ),
}  # fmt: skip
NAMES = [f"ex{number:02d}" for number in range(30)]
POINTS = 1.0


def check_text(number: int) -> str:
    """The check of one exercise."""
    kinds = list(CHECKS.values())
    body = kinds[number % len(kinds)].replace("{f}", NAMES[number]).replace("{n}", str(number))
    return f"with check({NAMES[number]!r}) as c:\n    {body}\n"


def checks() -> dict[str, Check]:
    """The release's checks."""
    return {name: Check(name, check_text(number), "", POINTS, 10.0) for number, name in enumerate(NAMES)}


def _cells(answers: dict[str, str], before: str, tags: tuple[str, ...]) -> dict[str, Any]:
    cells = [toy.code_cell("00-001", toy.SETUP), toy.code_cell("extra-1", before)]
    for name in NAMES:
        cells.append(toy.code_cell(f"answer-{name}", answers[name]))
        cells.append(toy.code_cell(f"check-{name}", f"with check({name!r}) as c:\n    pass", tags))
    return toy.marked({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


def stubs() -> dict[str, str]:
    """Answers that are not written."""
    return {name: f"def {name}(*args):\n    raise NotImplementedError('write {name}')" for name in NAMES}


def skeleton() -> dict[str, Any]:
    """The released notebook."""
    book = _cells(stubs(), "", ())
    book["cells"] = [cell for cell in book["cells"] if cell["id"] != "extra-1"]
    return book


def hand_in(cheat: Cheat) -> dict[str, Any]:
    """The cheat's three answers, in turn under the thirty names."""
    answers = stubs()
    toys = list(cheat.answers)
    for number, name in enumerate(NAMES if toys else []):
        toy_name = toys[number % len(toys)]
        answers[name] = re.sub(rf"\bdef {toy_name}\(", f"def {name}(", cheat.answers[toy_name])
    book = _cells(answers, cheat.before, cheat.tags)
    if cheat.edit:
        cheat.edit(book)
    return book


def general() -> list[tuple[str, Cheat]]:
    """Every cheat that aims at points, with its family."""
    groups = {
        "lying objects": objects.OBJECTS, "caller-dependent answers": objects.CALLERS, "frame inspection": frames.STOLEN,
        "stolen inputs and replay": frames.INPUTS, **patches.GROUPS, "forged frames": wire.FRAMES,
        "wire forgery": wire.WORDS, "notebook tricks": notebooks.CHEATS, "saved outputs": notebooks.OUTPUTS,
    }  # fmt: skip
    return [(family, cheat) for family, cheats in groups.items() for cheat in cheats]


def run_one(name: str, wall: Wall = FULL, *, controls: bool = False) -> Row:
    """One cheat against the thirty exercises; there is no control, since nothing right can be handed in."""
    family, cheat = next(pair for pair in general() if pair[1].name == name)
    folder = Path(tempfile.mkdtemp(prefix="impossible-"))
    try:
        book, notes = rebuild(skeleton(), read_notebook(json.dumps(hand_in(cheat)).encode(), "x.ipynb"), "x.ipynb")
        job = toy.job(folder, book, checks(), seed=None)
        for place, data in cheat.files.items():
            (job.files / place).parent.mkdir(parents=True, exist_ok=True)
            (job.files / place).write_bytes(data)
        result = execute(job, cheat.limits, cell_seconds=20.0)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    flagged = bool(notes or result.notes)
    return Row(name, family, "points", result.points, 0.0, len(result.verdicts), len(NAMES), flagged, result.seconds)


def numbers(rows: list[Row]) -> dict[str, float]:
    """What the cheats came to."""
    return {
        "exercises": len(NAMES),
        "attacks": len(rows),
        "families": len({row.family for row in rows}),
        "points_gained": sum(row.gain for row in rows),
        "verdicts": sum(row.verdicts for row in rows),
        "flagged": sum(row.flagged for row in rows),
    }
