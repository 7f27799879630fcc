"""nbgrader's own exchange: what it hands out works by itself, and what it collects is graded."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from nbclient import NotebookClient
from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import (
    ExchangeCollect,
    ExchangeFetchAssignment,
    ExchangeReleaseAssignment,
    ExchangeSubmit,
)
from traitlets.config import Config

from autograder import cli
from autograder.release.make import make_release
from autograder.release.nbgrader_db import configure_course
from autograder.source.build import notebook_bytes, source_notebook, student_notebook
from autograder.source.percent import read_source
from tests.paths import SAMPLE_COURSE

NAME = "97_sample"
WORLD = {"n_people": 60, "n_never": 10}


def exchanged(kind: type, tmp: Path, course: Path | None, student: str = "") -> None:
    """One step of the exchange, as nbgrader's command of this name does it."""
    config = Config()
    if course is not None:
        configure_course(config, course)
    config.Exchange.root, config.Exchange.cache = str(tmp / "exchange"), str(tmp / "cache")
    config.Exchange.assignment_dir = str(tmp / "home")
    config.CourseDirectory.course_id, config.CourseDirectory.assignment_id = "nlp", NAME
    config.CourseDirectory.root = str(course or tmp / "home")
    if student:
        config.CourseDirectory.student_id = student
    kind(coursedir=CourseDirectory(config=config), authenticator=Authenticator(config=config), config=config).start()


def answered() -> bytes:
    """The student's notebook with the course's own answers."""
    source = read_source(SAMPLE_COURSE / f"{NAME}.py")
    solved, given = source_notebook(source), student_notebook(source)
    for cell, answer in zip(given.cells, solved.cells, strict=True):
        if cell.metadata.get("course", {}).get("role") in ("answer", "written"):
            cell.source = answer.source
    return notebook_bytes(given)


def test_release_fetch_submit_collect_and_grade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    release = make_release(tmp_path / "term", 7, source_dir=SAMPLE_COURSE, world=WORLD)
    course, home = release / "instructor", tmp_path / "home"
    home.mkdir()
    assert cli.main(["exchange", "--release", str(release), "--assignment", NAME]) == 0
    exchanged(ExchangeReleaseAssignment, tmp_path, course)
    exchanged(ExchangeFetchAssignment, tmp_path, None)

    fetched = home / NAME
    needed = {"course_utils", "data", f"{NAME}.ipynb", "requirements.txt", "environment.yml"}
    assert needed <= {path.name for path in fetched.iterdir()}
    given = (fetched / f"{NAME}.ipynb").read_text()
    assert "BEGIN SOLUTION" not in given and "BEGIN HIDDEN" not in given
    (fetched / f"{NAME}.ipynb").write_bytes(answered())
    for name in ("PYTHONPATH", "COURSE_DIR"):
        monkeypatch.delenv(name, raising=False)
    run_it(fetched)
    exchanged(ExchangeSubmit, tmp_path, None, "ada")
    exchanged(ExchangeCollect, tmp_path, course, "ada")

    submitted = course / "submitted"
    assert (submitted / "ada" / NAME / "timestamp.txt").is_file()
    capsys.readouterr()
    options = ["--release", str(release), "--assignment", NAME, "--from", "nbgrader", "--quiet"]
    code = cli.main(["grade", str(submitted), *options])
    out = capsys.readouterr().out
    assert code == 0 and "ada: 4.5 of 6.5, 2 to be marked" in out, out


def run_it(folder: Path) -> None:
    """Run the notebook where it was fetched to, in a kernel, and save it; every check must pass."""
    import nbformat

    path = folder / f"{NAME}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    said = json.dumps([cell.get("outputs", []) for cell in notebook.cells], ensure_ascii=False)
    assert "✓ baseline" in said and str(folder / "data") in said
    path.write_text(nbformat.writes(notebook), encoding="utf-8")


def test_exchange_again_replaces_and_refuses_what_is_not_there(tmp_path: Path) -> None:
    release = make_release(tmp_path / "term", 7, source_dir=SAMPLE_COURSE, world=WORLD)
    target = release / "instructor" / "release" / NAME
    arguments = ["exchange", "--release", str(release), "--assignment"]
    assert cli.main([*arguments, NAME]) == 0
    (target / "left.txt").write_text("old")
    assert cli.main([*arguments, NAME]) == 0
    assert not (target / "left.txt").exists() and os.access(target, os.R_OK)
    assert stat.S_IMODE(target.stat().st_mode) == 0o755
    assert cli.main([*arguments, "98_other"]) == 2
