"""A check is mended in the sources, taken into a release in use, and judged again where it matters."""

from __future__ import annotations

import json
import shutil
import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest

from autograder import cli
from autograder.grading.mend import mend
from autograder.grading.pipeline import grade
from autograder.grading.regrade import Decision, Wish, regrade
from autograder.grading.repair import changed_checks, changed_marks
from autograder.grading.settings import Settings
from autograder.grading.store import course_dir, open_ledger
from autograder.release import make as maker
from autograder.release.gradebook import make_again
from autograder.release.prints import fingerprints, own
from autograder.release.read import Release, load_release
from autograder.source.build import source_notebook
from autograder.source.percent import read_source
from course_utils.checks.casefile import folder_of, read, text_of
from course_utils.errors import CourseError
from tests.paths import ROOT, SAMPLE_COURSE

NAME = "97_sample"
WHY = Decision("c.close asked for too much", "A. Teacher")
WORLD = {"n_people": 60, "n_never": 10}
STRICT = 'c.close(student.baseline(towns), share, "count'
MENDED = 'c.close(student.baseline(towns), share, "count all: count'


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the sample course."""
    return maker.make_release(tmp_path_factory.mktemp("made") / "release", 5, source_dir=SAMPLE_COURSE, world=WORLD)


@pytest.fixture
def term(made: Path, tmp_path: Path) -> tuple[Release, Path]:
    """The release, and the sources to be mended."""
    shutil.copytree(made, tmp_path / "release")
    shutil.copytree(SAMPLE_COURSE, tmp_path / "course" / "sources")
    return load_release(tmp_path / "release"), tmp_path / "course" / "sources"


def edit(sources: Path, before: str, after: str) -> None:
    path = sources / f"{NAME}.py"
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after))


def test_equal_sources_change_nothing(term: tuple[Release, Path]) -> None:
    release, sources = term
    assert mend(release, NAME, sources) == {} and mend(release, NAME, sources, decision=WHY) == {}
    assert not (course_dir(release) / "ledger.jsonl").exists()


def test_a_mended_check_is_shown_then_taken_everywhere(term: tuple[Release, Path]) -> None:
    release, sources = term
    edit(sources, STRICT, MENDED)
    edit(sources, "timeout=20", "timeout=25")
    edit(sources, '"multiply each element by the factor"', '"multiply every element by the factor"')
    files = {path: path.read_bytes() for path in release.root.rglob("*") if path.is_file()}
    found = mend(release, NAME, sources)
    assert found == {"baseline": ["text"], "scaler": ["text", "time limit", "text that students see"]}
    assert {p: p.read_bytes() for p in release.root.rglob("*") if p.is_file() and p in files} == files
    before = fingerprints(release, NAME)
    assert mend(release, NAME, sources, decision=WHY) == found
    now = load_release(release.root)
    assert (
        now.id == release.id
        and MENDED in now.checks(NAME)["baseline"].source
        and now.checks(NAME)["scaler"].timeout == 25
    )
    after = fingerprints(now, NAME)
    assert {name for name in after if own(after[name]) != own(before[name])} == {"baseline", "scaler"}
    assert changed_checks(now) == [] and mend(now, NAME, sources) == {}
    make_again(course_dir(now))  # the record's hashes are those of the new files
    assert MENDED in now.checks(NAME)["baseline"].source
    with zipfile.ZipFile(now.root / "student.zip") as archive:
        shown = archive.read(f"student/notebooks/{NAME}.ipynb").decode()
    assert "multiply every element" in shown and "count all" not in shown and "HIDDEN" not in shown
    assert stat.S_IMODE((now.root / "release.json").stat().st_mode) == 0o600
    (entry,) = [e for e in open_ledger(now) if e.kind == "mended"]
    assert entry.data == {"assignment": NAME, "exercises": ["baseline", "scaler"], "reason": WHY.reason, "by": WHY.by}


def test_an_interruption_is_completed_by_the_same_command(
    term: tuple[Release, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    release, sources = term
    edit(sources, '"multiply each element by the factor"', '"multiply every element by the factor"')
    from autograder.release import mend as module

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    for step in ("enter_source", "zip_folder"):
        with monkeypatch.context() as patch:
            patch.setattr(module, step, stop)
            with pytest.raises(KeyboardInterrupt):
                mend(release, NAME, sources, decision=WHY)
    assert mend(release, NAME, sources) == {} and module.unfinished(release.root, NAME)
    mend(release, NAME, sources, decision=WHY)
    assert changed_checks(load_release(release.root)) == [] and mend(release, NAME, sources) == {}
    assert not module.unfinished(release.root, NAME)
    record = json.loads((release.root / "release.json").read_text())
    assert record["hashes"]["student.zip"] == maker.file_sha256(release.root / "student.zip")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("points=1.5", "points=2.5", "scaler: is worth 2.5 points in the sources and 1.5 in the release"),
        ('"scaler"', '"scale"', "a release keeps its exercises"),
    ],
)
def test_points_and_exercises_stay(term: tuple[Release, Path], before: str, after: str, words: str) -> None:
    release, sources = term
    edit(sources, before, after)
    with pytest.raises(CourseError, match=words):
        mend(release, NAME, sources, decision=WHY)


def test_an_exercise_can_be_taken_by_itself_and_must_differ(term: tuple[Release, Path]) -> None:
    release, sources = term
    edit(sources, STRICT, MENDED)
    edit(sources, "timeout=20", "timeout=25")
    assert mend(release, NAME, sources, ["scaler"], WHY) == {"scaler": ["time limit"]}
    assert mend(release, NAME, sources) == {"baseline": ["text"]}
    with pytest.raises(CourseError, match="lines: its check is the same"):
        mend(release, NAME, sources, ["lines"])


def test_the_command_needs_a_reason_to_write(term: tuple[Release, Path], capsys: pytest.CaptureFixture[str]) -> None:
    release, sources = term
    edit(sources, STRICT, MENDED)
    rest = ["mend", "--release", str(release.root), "--sources", str(sources)]
    assert cli.main(rest) == 0
    assert "baseline: text" in capsys.readouterr().out and not (course_dir(release) / "ledger.jsonl").exists()
    assert cli.main([*rest, "--apply"]) == 2 and "needs a reason" in capsys.readouterr().err
    assert cli.main([*rest, "--apply", "--reason", "too strict", "--by", "me"]) == 0
    assert "python -m autograder regrade" in capsys.readouterr().out
    assert cli.main(rest) == 0 and "as in the sources" in capsys.readouterr().out


def solved(release: Release, folder: Path, answers: dict[str, str]) -> None:
    """A hand-in with the answers of the sources, some of them others."""
    texts = {cell.id: cell.source for cell in source_notebook(read_source(SAMPLE_COURSE / f"{NAME}.py")).cells}
    notebook = release.skeleton(NAME)
    for cell in notebook["cells"]:
        if cell["id"].startswith("answer-"):
            cell["source"] = answers.get(cell["id"], texts[cell["id"]])
    folder.mkdir(parents=True)
    (folder / f"{NAME}.ipynb").write_text(json.dumps(notebook))


@pytest.mark.slow
def test_the_whole_way_in_the_sandbox(term: tuple[Release, Path], tmp_path: Path) -> None:
    """A check refuses what is right (a percentage is not asked for: here a rounded share); mended, it takes it."""
    release, sources = term
    rounded = "def baseline(answers):\n    return round(max(answers.count(a) for a in answers) / len(answers), 3)"
    solved(release, tmp_path / "subs" / "ann", {})
    solved(release, tmp_path / "subs" / "ben", {"answer-baseline": rounded})
    how = Settings(progress=False)
    first = grade(tmp_path / "subs", release, tmp_path / "out", NAME, how)
    points = {one.student: one.points for one in first.outcomes}
    assert points["ann"] == points["ben"] + 2.0
    for line in ('2 / 3, "divide by the number of answers"', 'share, "count every answer, not the first ones only"'):
        edit(sources, f"{line})", f"{line}, atol=1e-3)")
    assert list(mend(release, NAME, sources, decision=WHY)) == ["baseline"]
    release = load_release(release.root)
    done = regrade(release, tmp_path / "out", NAME, how, Wish(), WHY)
    assert done.exercises == {"baseline": ["ann", "ben"]} and done.failed == {}
    assert [(d.student, d.before, d.after) for d in done.differences] == [("ben", 0.0, 2.0)]
    assert changed_marks(release) == []
    last = grade(tmp_path / "subs", release, tmp_path / "out", NAME, how)
    assert {one.student: one.points for one in last.outcomes} == {"ann": points["ann"], "ben": points["ann"]}
    assert {one.state for one in last.outcomes} == {"unchanged"}


def test_visible_cases_are_taken_too(tmp_path: Path) -> None:
    name = "04_counting"
    out = maker.make_release(tmp_path / "release", 5, assignments=[name], world=WORLD)
    path = folder_of(out / "student" / "data") / f"{name}.json"
    old = read(path)
    exercise = next(iter(old))
    old[exercise]["promises"][0][0] = "a sentence of an earlier version"
    path.write_text(text_of(name, old))
    release = load_release(out)
    before = fingerprints(release, name)
    assert mend(release, name, ROOT / "solutions", decision=WHY) == {exercise: ["visible cases"]}
    assert path.read_bytes() == (folder_of(ROOT / "data") / f"{name}.json").read_bytes()
    after = fingerprints(release, name)
    assert [one for one in after if after[one] != before[one]] == [exercise]
