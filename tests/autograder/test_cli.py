"""The command line: one sentence per error, exit codes as documented, the whole way from a hand-in to the exports."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder import cli
from autograder.grading import gradebook, pipeline, regrade, store
from autograder.release import read
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, hand_in, make_release, solved
from tests.paths import ROOT


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release and two submissions; the judge is the fake one."""
    made = make_release(tmp_path / "release")
    made.assignments = [NAME]  # type: ignore[attr-defined]
    monkeypatch.setattr(read, "load_release", lambda root, **_: made if Path(root) == made.root else _nothing(root))
    real = pipeline.grade
    monkeypatch.setattr(pipeline, "grade", lambda *a: real(*a[:-1], replace(a[-1], execute=fake_execute)))
    again = regrade.regrade
    monkeypatch.setattr(regrade, "regrade", lambda *a: again(*a[:3], replace(a[3], execute=fake_execute), *a[4:]))
    hand_in(tmp_path / "subs" / "ann")
    hand_in(tmp_path / "subs" / "ben", solved("return x"))
    return tmp_path


def _nothing(root: Any) -> FakeRelease:
    raise cli.CourseError(f"{root}: not a release")


def run(*args: Any) -> int:
    return cli.main([str(arg) for arg in args])


def test_the_whole_way(office: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rest = ("--release", office / "release", "--out", office / "out")
    assert run("grade", office / "subs", *rest, "--quiet", "--json", office / "s.json") == 0
    assert "ben: 3 of 6, 1 to be marked" in capsys.readouterr().out
    summary = json.loads((office / "s.json").read_text())
    assert [one["points"] for one in summary["outcomes"]] == [5.0, 3.0] and summary["exit_code"] == 0
    assert run("override", "ben", "london", "1.5", *rest, "--reason", "idea is right", "--by", "me") == 0
    assert run("report", *rest, "--title", "T") == 0 and run("feedback", *rest) == 0
    assert "4.5 of 6" in (office / "out" / "report" / "index.html").read_text()
    for layout in ("csv", "canvas", "moodle", "gradescope", "json"):
        assert run("export", *rest, "--format", layout, "--file", office / f"g.{layout}") == 1
        said = capsys.readouterr()
        assert "answers to be marked: ann, ben" in said.out and "give --partial" in said.err
        assert run("export", *rest, "--format", layout, "--file", office / f"g.{layout}", "--partial") == 0
    assert "4.5" in (office / "g.csv").read_text()
    capsys.readouterr()
    theirs = office / "canvas.csv"  # ben is not on it
    theirs.write_text(f'Student,ID,Section,{NAME} (5)\n    Points Possible,,,6\n"Lee, Ann",11,,EX\nCy,12,,\n')
    people = office / "numbers.csv"
    people.write_text("id,name,canvas_id\nann,Ann,11\nben,Ben,14\ncy,Cy,12\n")
    assert run("grade", office / "subs", *rest, "--quiet", "--roster", people) == 0
    into = ("--format", "canvas", "--into", theirs, "--file", office / "up.csv", "--partial")
    assert run("export", *rest, *into) == 1
    said = capsys.readouterr().out
    assert f"with a grade, and not in {theirs.name}: ben" in said
    assert "excused on the platform, and left so: ann" in said
    with pytest.raises(SystemExit) as ended:
        run("override", "ben", "london", "0,5", *rest, "--reason", "r")
    assert ended.value.code == 2 and "'0,5' is no number of points; write it with a point" in capsys.readouterr().err
    assert run("ledger", "verify", *rest, "--json", "-") == 0
    head = json.loads(capsys.readouterr().out)["head"]
    assert run("regrade", office / "subs", *rest, "--reason", "mended", "--students", "ann", "--quiet") == 0
    kinds = [e.kind for e in store.open_ledger(FakeRelease(office / "release"))]
    assert kinds.count("verdict") == 3 and kinds.count("regrade") == 1
    assert run("ledger", "verify", *rest, "--head", head) == 0 and run("ledger", "rebuild", *rest) == 0


def test_regrade_shows_first_and_applies_when_told(office: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rest = ("--release", office / "release", "--out", office / "out", "--quiet")
    assert run("grade", office / "subs", *rest) == 0
    capsys.readouterr()
    assert run("regrade", *rest) == 0 and "nothing to do" in capsys.readouterr().out
    path = store.result_path(office / "release" / "instructor", NAME, "ben")
    stored = json.loads(path.read_text())
    stored["result"]["verdicts"][0] |= {"points": 1.0, "status": "partial"}  # as an earlier check judged it
    old = store.stored_of({**stored, "sha256": None})
    gradebook.enter(FakeRelease(office / "release"), store.stored_json(old.result, old.intake), seed=3)
    before = (office / "release" / "instructor" / "ledger.jsonl").read_bytes()
    assert run("regrade", *rest, "--students", "ben", "--json", office / "r.json") == 0
    said = capsys.readouterr().out
    assert "ben      london    1       0      2   was partial" in said and "nothing was written" in said
    assert json.loads((office / "r.json").read_text())["differences"][0]["after"] == 0.0
    assert (office / "release" / "instructor" / "ledger.jsonl").read_bytes() == before
    assert run("regrade", *rest, "--apply") == 2 and "give --reason\n" in capsys.readouterr().err
    assert run("regrade", *rest, "--apply", "--reason", "mended", "--by", "me") == 0
    assert "entered in ledger and gradebook" in capsys.readouterr().out
    assert run("regrade", *rest) == 0 and "nothing to do" in capsys.readouterr().out


def test_merge_and_undo(office: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rest = ("--release", office / "release", "--out", office / "out")
    assert run("grade", office / "subs", *rest, "--quiet") == 0 and run("feedback", *rest) == 0
    ids = ("merge", "ann", "ben", *rest, "--reason", "two accounts", "--by", "me")
    assert run(*ids) == 2 and f"--keep {NAME}=ann, or =ben" in capsys.readouterr().err
    assert run(*ids, "--keep", "ben") == 2 and "--keep takes ASSIGNMENT=ID" in capsys.readouterr().err
    assert run(*ids, "--keep", f"{NAME}=ben") == 0
    assert "that of ben counts, that of ann stays in the ledger" in capsys.readouterr().out
    assert not (office / "out" / "feedback" / "ben.html").exists()
    assert (
        run("export", *rest, "--partial", "--file", office / "g.csv") == 0
        and "ben" not in (office / "g.csv").read_text()
    )
    assert run(*ids, "--undo") == 0 and run("ledger", "verify", *rest) == 0


def test_a_changed_ledger_is_a_negative_result(office: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rest = ("--release", office / "release", "--out", office / "out")
    assert run("grade", office / "subs", *rest, "--quiet") == 0
    path = office / "release" / "instructor" / "ledger.jsonl"
    path.write_text(path.read_text().replace('"points": 0.0', '"points": 2.0', 1))
    assert run("ledger", "verify", *rest) == 1
    assert "was changed after it was written" in capsys.readouterr().err
    assert run("grade", office / "subs", *rest, "--quiet") == 2


def test_some_not_graded_is_one(office: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (office / "subs" / "zoe.zip").write_bytes(b"?")
    assert run("grade", office / "subs", "--release", office / "release", "--out", office / "out", "--quiet") == 1
    assert "zoe: not graded (refused): zoe.zip: not a sound zip archive" in capsys.readouterr().out


@pytest.mark.parametrize(
    "args",
    [
        ["grade", "{}/nowhere", "--release", "{}/release"],
        ["grade", "{}/subs", "--release", "{}/nowhere"],
        ["grade", "{}/subs", "--release", "{}/release", "--assignment", "08_other"],
        ["feedback", "--release", "{}/release"],
        ["export", "--release", "{}/release"],
        ["override", "ann", "london", "1", "--release", "{}/release", "--reason", "x"],
        ["regrade", "{}/subs", "--release", "{}/release", "--reason", "x", "--students", "nobody"],
        ["regrade", "{}/subs", "--release", "{}/release"],
        ["regrade", "{}/subs", "--release", "{}/release", "--reason", "x", "--exercises", "london"],
        ["regrade", "--release", "{}/release", "--exercises", "rome"],
        ["regrade", "--release", "{}/release", "--students", "", "--all"],
        ["ledger", "rebuild", "--release", "{}/release", "--assignment", "08_other"],
        ["ledger", "rebuild", "--release", "{}/release", "--assignment", ""],
        ["remove", "", "--release", "{}/release", "--reason", "x"],
        ["remove", " ", "--release", "{}/release", "--reason", "x"],
    ],
)
def test_bad_input_is_one_sentence_and_two(office: Path, args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*[arg.format(office) for arg in args]) == 2
    error = capsys.readouterr().err.strip()
    assert error.startswith("error: ") and "\n" not in error and "Traceback" not in error


def test_without_a_sandbox_nothing_is_graded(
    office: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(read, "load_release", lambda root, **_: FakeRelease(Path(root)))
    FakeRelease.assignments = [NAME]  # type: ignore[attr-defined]
    try:
        assert run("grade", office / "subs", "--release", office / "release") == 2
    finally:
        del FakeRelease.assignments  # type: ignore[attr-defined]
    assert "install bubblewrap" in capsys.readouterr().err


def test_rooms_of_others_get_their_arguments(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = type(sys)("room")
    module.main = lambda argv: len(argv)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "autograder.quality.misconceptions", module)
    assert run("mutants", "--a", "b", "c") == 3
    monkeypatch.setitem(sys.modules, "autograder.quality.misconceptions", None)
    assert run("mutants") == 2 and "not part of this installation" in capsys.readouterr().err


def test_sources_commands_reach_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "01_bad.py").write_text('# %% answer="x"\nx = 1\n')
    assert run("lint", "--sources", tmp_path / "sources") == 1
    assert "01_bad.py" in capsys.readouterr().out
    assert run("build", "--sources", tmp_path / "sources", "--out", tmp_path / "nb") == 2
    assert not (tmp_path / "nb").exists()


@pytest.mark.parametrize(
    "names", [("/x", "y"), ("..", "y"), ("", "y"), ("03", ""), ("03", "/x"), ("03", "../rope"), ("0*", "rope")]
)
def test_a_notebook_or_exercise_that_reads_like_a_path_is_one_sentence(
    names: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["exercise", "check", *names]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_help_documents_the_exit_codes_and_is_quick() -> None:
    """Importing the command line must not import torch or nbgrader."""
    code = "import sys, autograder.cli as a; print(a.parser().format_help(), {'torch', 'nbgrader'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert "exit codes: 0" in done.stdout and "set()" in done.stdout
    wrong = subprocess.run([sys.executable, "-m", "autograder", "nonsense"], capture_output=True, text=True, cwd=ROOT)
    assert wrong.returncode == 2 and "Traceback" not in wrong.stderr


@pytest.mark.parametrize(
    "args",
    [
        ["grade", "y" * 300, "--release", "r"],
        ["ledger", "verify", "--release", "r" * 300],
        ["release", "--out", "q" * 300],
    ],
)
def test_names_that_the_system_does_not_take_are_one_sentence(
    args: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(args) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and said.count("\n") == 1 and "Traceback" not in said
