"""Times that an export does not have come from a CSV, and lateness counts from them."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from autograder.cli import main
from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from autograder.grading.store import course_dir, open_ledger
from autograder.grading.summary import Summary
from autograder.intake.roster import read_roster
from autograder.reports.exports import write_grades
from autograder.reports.handback import all_pages
from autograder.reports.roll import read_roll
from autograder.reports.times import enter_times, read_times
from course_utils.errors import CourseError
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, hand_in, make_release, solved

TERM = f'zone = "Europe/Berlin"\n[late]\nkeep = [[24, 0.8], [72, 0.5]]\n[due]\n"{NAME}" = 2027-04-20\n'


@pytest.fixture(scope="module")
def term(tmp_path_factory: pytest.TempPathFactory) -> FakeRelease:
    """A Canvas export, which has no times; ben is marked as late."""
    top = tmp_path_factory.mktemp("times")
    release = make_release(top / "release")
    for name in ("annlee_11_100_x.zip", "benroe_LATE_12_101_x.zip", "catpoe_13_102_x.zip"):
        shutil.make_archive(str(top / "subs" / name.removesuffix(".zip")), "zip", hand_in(top / "in" / name, solved()))
    (top / "people.csv").write_text(
        "id,name,canvas_id,email\nann,Ann Lee,11,a@x.org\nben,Ben Roe,12,\ncat,Cat Poe,13,\n"
    )
    how = Settings(progress=False, execute=fake_execute, roster=top / "people.csv")
    assert grade(top / "subs", release, top / "out", NAME, how).exit_code == 0
    (course_dir(release) / "term.toml").write_text(TERM)
    return release


def late(release: FakeRelease) -> dict[str, tuple[str, float]]:
    return {one.student: (one.late, one.share) for one in read_roll(release, NAME).students}


def times(release: FakeRelease, text: str) -> dict[str, str]:
    path = release.root.parent / "times.csv"
    path.write_text(text)
    return read_times(path, read_roster(release.root.parent / "people.csv"), ZoneInfo("Europe/Berlin"))


def test_pages_and_exports_show_no_time_but_one_that_somebody_gave(term: FakeRelease, tmp_path: Path) -> None:
    """When the grader first saw a hand-in is nobody's time."""
    term = FakeRelease(shutil.copytree(term.root, tmp_path / "release"))

    def shown(folder: str) -> tuple[str, str]:
        roll = read_roll(term, NAME)
        pages = all_pages(term, NAME, roll, tmp_path / folder, progress=False)
        write_grades(roll, NAME, "gradescope", tmp_path / "g.csv", partial=True)
        return pages["cat"].read_text(), (tmp_path / "g.csv").read_text()

    assert not any("received" in text or "20" + datetime.now(UTC).strftime("%y-") in text for text in shown("a"))
    enter_times(term, NAME, {"cat": "2027-04-22T21:59:59+00:00"}, "me", "times.csv")
    page, table = shown("b")
    assert "received 2027-04-22 23:59 Europe/Berlin" in page and "2027-04-22T21:59:59+00:00" in table


def test_lateness_counts_from_the_times_of_the_file(term: FakeRelease) -> None:
    assert late(term) == {
        "ann": ("", 1.0),
        "ben": ("marked late by canvas, by how much is not known", 1.0),
        "cat": ("", 1.0),
    }
    found = times(term, "canvas_id;time\n11;2027-04-20T23:59\n12;2027-04-21 12:00\n13;2027-04-22T21:59:59+00:00\n")
    assert found["ann"] == "2027-04-20T21:59:00+00:00" and found["cat"] == "2027-04-22T21:59:59+00:00"
    done = enter_times(term, NAME, found, "me", "times.csv")
    assert done.written == ["ann", "ben", "cat"] and (done.unknown, done.without) == ([], [])
    assert late(term) == {"ann": ("", 1.0), "ben": ("12 h", 0.8), "cat": ("2 d", 0.5)}
    assert enter_times(term, NAME, found, "me", "times.csv").same == ["ann", "ben", "cat"]
    (entry, *_) = [one for one in open_ledger(term) if one.kind == "timed"]
    assert entry.data["by"] == "me" and entry.data["source"] == "times.csv"
    done = enter_times(term, NAME, {"ben": found["ann"], "zoe": found["ann"]}, "me", "other.csv")
    assert (done.written, done.unknown, done.without) == (["ben"], ["zoe"], ["ann", "cat"])
    assert late(term)["ben"] == ("", 1.0), "the newest time counts, and Canvas's mark is settled"


def test_people_who_are_in_no_class_list_cost_nobody_a_time(term: FakeRelease, tmp_path: Path) -> None:
    """Canvas lists its test student, and whoever left: the times of the others count, and they are named."""
    term = FakeRelease(shutil.copytree(term.root, tmp_path / "in" / "release"))
    (tmp_path / "in" / "people.csv").write_text("id,canvas_id\nann,11\nben,12\ncat,13\n")
    found = times(term, "canvas_id,time\n99,2027-04-20T10:00\n11,2027-04-20T11:00\n")
    done = enter_times(term, NAME, found, "me", "times.csv")
    assert (done.written, done.unknown, done.complete) == (["ann"], ["canvas_id 99"], False)
    assert "nothing graded of: canvas_id 99" in done.lines("times.csv")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the first line must name the column time"),
        ("id\nann\n", "the first line must name the column time"),
        ("time\n2027-04-20T10:00\n", "the first line must name the column time"),
        ("id,time\n", "no times in it"),
        ("id,time\nann,20.4.2027\n", "line 2: '20.4.2027' is no time"),
        ("id,time\nann,2027-04-20\n", "is no time"),
        ("id,time\n,2027-04-20T10:00\n", "names nobody"),
        ("id,time\nann,2027-04-20T10:00\nann,2027-04-20T11:00\n", "line 3: ann is there twice"),
        (
            "canvas_id,time\n99,2027-04-20T10:00\n",
            "canvas_id 99 and all others are not in the class list; give the column id",
        ),
    ],
)
def test_what_is_no_list_of_times_is_refused_in_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    path, people = tmp_path / "times.csv", tmp_path / "people.csv"
    path.write_text(text)
    people.write_text("id,canvas_id\nann,11\n")
    with pytest.raises(CourseError, match=words):
        read_times(path, read_roster(people), UTC)


def test_grade_takes_times_and_reads_them_before_it_judges(
    term: FakeRelease, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is no list of times ends the command before anything is judged."""
    judged: list[Path] = []

    def graded(*arguments: Any) -> Summary:
        judged.append(arguments[0])
        return grade(*arguments[:-1], Settings(progress=False, execute=fake_execute, roster=arguments[-1].roster))

    monkeypatch.setattr("autograder.grading.pipeline.grade", graded)
    monkeypatch.setattr("autograder.cli.grading.open_release", lambda options: (term, NAME, tmp_path / "out"))
    file = tmp_path / "came.csv"
    top = term.root.parent
    command = ["grade", str(top / "subs"), "--release", str(term.root)]
    command += ["--roster", str(top / "people.csv"), "--times", str(file)]
    file.write_text("id,time\nann,yesterday\n")
    assert main(command) == 2 and not judged and "is no time" in capsys.readouterr().err
    file.write_text("canvas_id,time\n11,2027-04-21T01:00\n12,2027-04-20T10:00\n13,2027-04-20T10:00\n")
    assert main(command) == 0 and len(judged) == 1
    assert "times entered" in capsys.readouterr().out
    assert late(term)["ann"] == ("1 h", 0.8) and late(term)["cat"] == ("", 1.0)
    file.write_text("canvas_id,time\n11,2027-04-21T01:00\n")
    assert main(command) == 1 and "graded, and not in came.csv: ben, cat" in capsys.readouterr().out
