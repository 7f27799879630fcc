"""The demo without its trainings and its judge: the class is written and taken in, and the way to the summary runs."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.demo import run
from autograder.demo.sample_class import FILES, NOTEBOOK, misconception, solutions, write_class
from autograder.intake.discover import Found, take_in
from autograder.source.build import notebook_bytes, student_notebook
from autograder.source.percent import read_source
from solutions.reference.experiment import CONDITIONS, ConditionResult, ExperimentResult
from tests.autograder.tiny_course import fake_execute, hand_in, make_release, solved
from tests.paths import ROOT


def test_every_sample_is_taken_in_with_the_answers_that_its_story_tells(tmp_path: Path) -> None:
    """The text of notebook 07 moves on; what the class changes in it must still be there."""
    skeleton = json.loads(notebook_bytes(student_notebook(read_source(ROOT / "solutions" / f"{NOTEBOOK}.py"))))
    (tmp_path / "trained").mkdir()
    for name in FILES:
        (tmp_path / "trained" / name).write_text(name)
    samples, right = write_class(skeleton, tmp_path / "trained", tmp_path / "class"), solutions()
    assert len(samples) == 10
    for sample in samples:
        found = Found(sample.student, tmp_path / "class" / f"{sample.student}.zip")
        taken = take_in(found, NOTEBOOK, skeleton, tmp_path / "taken" / sample.student)
        cells = {cell["id"]: "".join(cell["source"]) for cell in taken.notebook["cells"]}
        answered = right | {f"answer-{name}": misconception(name, file) for name, file in sample.answers.items()}
        changed = {"answer-span_corruption"} if sample.student == "ivo" else set()
        if sample.solved:
            assert [key for key in right if cells[key].strip() != answered[key].strip()] == sorted(changed), sample
            handed = {name: path.read_text() for path in taken.files.rglob("*") if (name := path.name) in FILES}
            assert handed == dict(sample.files), sample
        else:
            assert not [key for key in right if cells[key] == right[key]], "the cheat answers nothing"


def held(real: Callable[..., Any], fake: Callable[..., Any]) -> Callable[..., Any]:
    """The fake, which takes only what the real function takes."""

    def call(*args: Any, **options: Any) -> Any:
        inspect.signature(real).bind(*args, **options)
        return fake(*args, **options)

    return call


def trained(seeds: list[Any], *_: Any, **__: Any) -> ExperimentResult:
    """Accuracies as if something had been trained."""
    results = {
        name: {seed: ConditionResult(name, seed, [0.1, 0.6], 1.0, 0.6, 0.5, 1.0) for seed in seeds}
        for name in CONDITIONS
    }
    return ExperimentResult(seeds, dict.fromkeys(seeds, 0.05), results)


def two_students(skeleton: Any, trained: Path, out: Path) -> None:
    hand_in(out / "ann")
    hand_in(out / "ben", solved("return x"))


def test_the_demo_goes_from_release_to_report_and_summary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    release = make_release(tmp_path / "out" / "release")
    grade = run.grade
    fakes = {
        "make_release": lambda *_, **__: None,
        "load_release": lambda root: release,
        "run_worlds": trained,
        "write_class": two_students,
        "grade": lambda *args: grade(*args[:-1], replace(args[-1], execute=fake_execute)),
    }
    for name, fake in fakes.items():
        monkeypatch.setattr(run, name, held(getattr(run, name), fake))
    assert run.main(["--out", str(tmp_path / "out"), "--worlds", "2"]) == 0
    said = capsys.readouterr().out
    assert "5 of 6" in said and "50.0% of test people, mean of 2 worlds" in said
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert [(one["student"], one["points"]) for one in summary["class"]] == [("ann", 5.0), ("ben", 3.0)]
    assert summary["accuracy"] == {"majority": 0.05, "scratch": 0.5, "pretrained": 0.5, "other_world": 0.5}
    page = Path(summary["report"]).read_text()
    assert "Demo class" in page and "<img" in page
    assert len([*(tmp_path / "out" / "report" / "feedback").glob("*.html")]) == 2
