"""A Gradescope autograder, made from a release and run as Gradescope runs it: in a folder of its layout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from autograder import cli
from autograder.cli import gradescope
from autograder.release.make import make_release
from autograder.release.read import load_release
from autograder.source.build import notebook_bytes, source_notebook, student_notebook
from autograder.source.percent import read_source
from tests.autograder.intake.test_damaged import damaged
from tests.paths import SAMPLE_COURSE

NAME, SEED = "97_sample", 2**61 + 777
WORLD = {"n_people": 60, "n_never": 10}
# Fields and values of Gradescope's specification (docs/lms.md), as far as we write them.
TOP = {"output", "output_format", "stdout_visibility", "tests"}
TEST = {"name", "score", "max_score", "status", "output", "output_format", "visibility"}
METADATA = {
    "id": 123456,
    "created_at": "2018-07-01T14:22:32.365935-07:00",
    "assignment": {
        "id": 25828,
        "title": "Sample",
        "total_points": "6.5",
        "due_date": "2018-07-31T23:00:00.000000-07:00",
    },
    "submission_method": "upload",
    "users": [{"email": "student@example.com", "id": 1234, "name": "Student User"}],
    "previous_submissions": [],
}


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zip, made by the command."""
    base = tmp_path_factory.mktemp("gradescope")
    release = make_release(base / "term", SEED, source_dir=SAMPLE_COURSE, world=WORLD)
    arguments = ["gradescope", "--release", str(release), "--assignment", NAME, "--out", str(base / "a.zip")]
    assert cli.main(arguments) == 0
    return base / "a.zip"


def answered(**changes: str) -> bytes:
    """The student's notebook with the course's own answers, some of them changed: cell id to text."""
    source = read_source(SAMPLE_COURSE / f"{NAME}.py")
    solved, given = source_notebook(source), student_notebook(source)
    for cell, answer in zip(given.cells, solved.cells, strict=True):
        if cell.metadata.get("course", {}).get("role") == "answer":
            cell.source = changes.get(cell.metadata["course"]["exercise"], answer.source)
    return notebook_bytes(given)


def layout(root: Path, packed: Path) -> Path:
    """``/autograder`` as Gradescope makes it, with this environment in place of the one that ``setup.sh`` installs."""
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(root / "source")
    shutil.copyfile(root / "source" / "run_autograder", root / "run_autograder")
    (root / "run_autograder").chmod(0o755)
    for name in ("submission", "results", "venv/bin"):
        (root / name).mkdir(parents=True)
    python = root / "venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (root / "submission_metadata.json").write_text(json.dumps(METADATA))
    return root


def submit(root: Path, notebook: bytes) -> None:
    """What Gradescope leaves of an uploaded hand-in: it unpacks zips."""
    (root / "submission" / f"{NAME}.ipynb").write_bytes(notebook)
    work = root / "submission" / "work" / NAME
    work.mkdir(parents=True)
    (work / "shout.txt").write_text("OSLO\nROME\n")


def run(root: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the autograder in the layout's folder, with nothing of this checkout on its path."""
    bare = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "COURSE_DIR")}
    command = [str(root / "run_autograder")]
    return subprocess.run(command, cwd=root, env=bare | more, capture_output=True, text=True, timeout=500)


def results(root: Path) -> dict[str, Any]:
    """The file that Gradescope reads."""
    return dict(json.loads((root / "results" / "results.json").read_text(encoding="utf-8")))


def test_the_zip_has_what_gradescope_wants_and_not_the_terms_secret(packed: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        names = archive.namelist()
        modes = {one.filename: one.external_attr >> 16 & 0o777 for one in archive.infolist()}
        every = b"".join(archive.read(name) for name in names)
    assert {"setup.sh", "run_autograder", "Dockerfile", "solutions/reference/by_hand.py"} <= set(names)
    assert modes["run_autograder"] == modes["setup.sh"] == 0o755 and packed.stat().st_mode & 0o077 == 0
    assert str(SEED).encode() not in every, "the seed gives the answers of every assignment"
    assert (
        not [n for n in names if "gradebook" in Path(n).name and n.startswith("course")] and "release.json" not in names
    )
    assert not [n for n in names if n.startswith("solutions/") and n.count("/") == 1 and n != "solutions/__init__.py"]
    for script in ("setup.sh", "run_autograder"):
        with zipfile.ZipFile(packed) as archive:
            assert subprocess.run(["bash", "-n"], input=archive.read(script)).returncode == 0


def test_the_same_release_gives_the_same_bytes_and_a_wrong_name_is_a_sentence(
    packed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = packed.with_name("b.zip")
    arguments = ["gradescope", "--release", str(packed.parent / "term"), "--out", str(again), "--assignment"]
    assert cli.main([*arguments, NAME]) == 0 and again.read_bytes() == packed.read_bytes()
    assert cli.main([*arguments, "98_other"]) == 2 and "98_other: not in this release" in capsys.readouterr().err
    assert again.read_bytes() == packed.read_bytes() and not list(packed.parent.glob(".*"))


def test_a_submission_is_judged_in_gradescopes_layout(packed: Path, tmp_path: Path) -> None:
    root = layout(tmp_path / "autograder", packed)
    own = "def baseline(answers):\n    print('MINE')\n    return 2 / 3"  # right for the visible case alone
    submit(root, answered(baseline=own))
    done = run(root)
    assert done.returncode == 0, done.stdout + done.stderr
    found = results(root)
    assert (
        set(found) == TOP
        and found["stdout_visibility"] == "hidden"
        and "2 points for written answers" in found["output"]
    )
    tests = {one["name"]: one for one in found["tests"]}
    assert {name: (one["score"], one["max_score"]) for name, one in tests.items()} == {
        "baseline": (0.0, 2.0), "scaler": (1.5, 1.5), "lines": (1.0, 1.0),
    }  # fmt: skip
    assert all(set(one) == TEST and one["visibility"] == "after_due_date" for one in tests.values())
    assert [tests[name]["status"] for name in ("baseline", "scaler")] == ["failed", "passed"]
    assert (
        tests["baseline"]["output"] == "not right yet: count every answer, not the first ones only"
    )  # as feedback has it
    release = load_release(packed.parent / "term")
    secret = (release.private(NAME) / "birth_test.tsv").read_text().split("\t")[1].splitlines()[0]
    whole = (root / "results" / "results.json").read_text()
    assert secret not in whole and "Traceback" not in whole and "c.rng" not in whole and "MINE" not in whole
    assert "baseline: failed, seed" in done.stdout


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("notes.txt", b"I forgot the notebook", "notebook"),
        ("work.zip", damaged(zipfile.ZIP_LZMA), "not a sound zip archive"),  # Gradescope unpacks the outer zip alone
    ],
    ids=["no notebook", "a damaged zip"],
)
def test_what_cannot_be_judged_has_no_points_and_a_sentence(
    name: str, data: bytes, words: str, packed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = layout(tmp_path / "autograder", packed)
    (root / "submission" / name).write_bytes(data)
    (root / "submission_metadata.json").unlink()  # as when it is tried by hand
    assert gradescope.main([str(root)]) == 0, capsys.readouterr().out
    (test,) = results(root)["tests"]
    assert (test["score"], test["max_score"], test["visibility"]) == (0.0, 4.5, "visible")
    assert "was not judged" in test["output"] and words in test["output"]


def test_without_a_sandbox_there_is_no_score_at_all(packed: Path, tmp_path: Path) -> None:
    root = layout(tmp_path / "autograder", packed)
    submit(root, answered())
    (root / "results" / "results.json").write_text('{"score": 100}')
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("bash", "sh", "dirname", "env"):
        (tools / name).symlink_to(shutil.which(name) or "")
    done = run(root, PATH=str(tools))
    assert done.returncode == 2 and not (root / "results" / "results.json").exists()
    assert done.stdout.startswith("error: the sandbox cannot be built") and "docs/lms.md" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
