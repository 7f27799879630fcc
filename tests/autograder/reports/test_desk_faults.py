"""What an honest instructor may do wrongly at the desk: nothing is lost without a word, and each sentence is true."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder import cli
from autograder.cli.grading import NOTES, _line
from autograder.grading import pipeline, worker
from autograder.grading.removal import remove_strays
from autograder.grading.store import open_ledger
from autograder.grading.summary import SubmissionOutcome
from autograder.intake import archive
from autograder.intake.discover import survey
from autograder.intake.roster import read_roster
from autograder.release import read
from autograder.reports.exports import Table
from autograder.reports.lms import fill
from autograder.reports.roll import UNTIMED, read_roll, term_list, term_roster
from autograder.reports.term import close_term, read_term, term_path
from autograder.reports.term_table import read_table
from course_utils.errors import CourseError
from tests.autograder.reports.test_lms import student, worksheet
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, graded_class, hand_in

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def term(tmp_path: Path) -> FakeRelease:
    return graded_class(tmp_path)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line with the fake judge: exit code, and what was printed."""
    monkeypatch.setattr(read, "load_release", lambda path, **_: FakeRelease(Path(path)))
    monkeypatch.setattr(read.Release, "assignments", [NAME], raising=False)
    monkeypatch.setattr(FakeRelease, "assignments", (NAME,), raising=False)
    monkeypatch.setattr(FakeRelease, "term", "T", raising=False)
    judged = pipeline.grade

    def grade(subs: Path, release: Any, out: Path, name: str, settings: Any) -> Any:
        return judged(subs, release, out, name, pipeline.replace(settings, execute=fake_execute, progress=False))

    monkeypatch.setattr(pipeline, "grade", grade)

    def one(*args: object) -> tuple[int, str]:
        code = cli.main([str(arg) for arg in args])
        told = capsys.readouterr()
        return code, told.out + told.err

    return one


def listed(folder: Path, text: str, name: str = "people.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


# ---- the class list ----------------------------------------------------------------------------------------------------


def test_a_new_class_list_loses_nothing_without_a_word(term: FakeRelease, tmp_path: Path) -> None:
    first = "id,extension,excused\nann,+3d,\nben,,all\ncy,,\n"
    term_list(term, listed(tmp_path, first))
    told: list[str] = []
    term_list(term, listed(tmp_path, "id\nann\nben\n"), told)
    kept = tmp_path / "release" / "instructor" / "roster.csv"
    assert kept.with_name("roster.csv.before-1").read_text() == first
    assert told[0].startswith("no longer on the class list: cy;")
    assert told[1].startswith("extension or excuse is another one on the new class list: ann, ben;")
    with pytest.raises(CourseError, match="nobody of this term's class list is on it"):
        term_list(term, listed(tmp_path, "id\nzoe\n"))
    assert kept.read_text() == "id\nann\nben\n"
    told.clear()
    term_list(term, listed(tmp_path, "id,name\nann,Ann\nben,Ben\ndan,Dan\n"), told)
    assert not told and len(list(kept.parent.glob("roster.csv.before-*"))) == 1  # nothing was lost


def test_a_class_list_with_a_misspelt_name_is_refused(term: FakeRelease, run: Run, tmp_path: Path) -> None:
    grade = ("grade", tmp_path / "subs", "--release", term.root, "--out", tmp_path / "out", "--quiet")
    code, said = run(*grade, "--roster", listed(tmp_path, "id,extension\nann,07_knowlege=+3d\nben,\n"))
    assert code == 2 and "the extension of ann is for '07_knowlege', no assignment of this release" in said
    code, said = run(*grade, "--roster", listed(tmp_path, f"id,extension,excused\nann,,\nben,+1d; {NAME}=+2d,yes\n"))
    assert code == 2 and "the excuse of ben is for 'yes'" in said and NAME in said
    assert not (tmp_path / "release" / "instructor" / "roster.csv").exists()
    code, said = run(*grade, "--roster", listed(tmp_path, "id,extention\nann,+3d\nben,\n"))
    assert code == 2 and "the column 'extention' is not known; write 'extension'" in said
    code, said = run(*grade, "--roster", tmp_path / "nothing.csv")
    assert code == 2 and f"there is no file {tmp_path / 'nothing.csv'}\n" in said and "CSV" not in said
    sheet = tmp_path / "people.xlsx"
    sheet.write_bytes(b"PK\x03\x04" + bytes(100))
    code, said = run(*grade, "--roster", sheet)
    assert code == 2 and "save it as CSV" in said
    term_path(term).write_text('[due]\n"07_knowlege" = 2027-04-20\n')
    with pytest.raises(CourseError, match="a due date is given for '07_knowlege', which is no assignment"):
        read_term(term)


@pytest.mark.parametrize("value", ["7.0", "007", "4.711E+3", "x", "12 13"])
def test_a_number_that_a_spreadsheet_changed_is_refused(value: str, tmp_path: Path) -> None:
    with pytest.raises(CourseError, match=r"line 2: the canvas_id .* is no number"):
        read_roster(listed(tmp_path, f"id,canvas_id\nann,{value}\n"))
    with pytest.raises(CourseError, match="is no number"):
        read_roster(listed(tmp_path, f"id,moodle_id\nann,{NAME}={value}\n"))


def test_who_handed_in_earlier_is_not_said_to_be_missing(term: FakeRelease, run: Run, tmp_path: Path) -> None:
    people = listed(tmp_path, "id\nann\nben\ncy\n")
    shutil.rmtree(tmp_path / "subs" / "ann")
    code, said = run(
        "grade", tmp_path / "subs", "--release", term.root, "--out", tmp_path / "out", "--quiet", "--roster", people
    )
    assert code == 0 and "nothing handed in: cy\n" in said


# ---- Moodle ------------------------------------------------------------------------------------------------------------


def moodle(folder: Path, *people: tuple[str, int]) -> Path:
    for name, number in people:
        hand_in(folder / f"{name}_{number}_assignsubmission_file")
    return folder


def test_moodles_numbers_are_of_one_assignment(tmp_path: Path) -> None:
    text = f"id,name,moodle_id\nann,Ann Lee,01_other=501;{NAME}=701\nben,Ben Roe,{NAME}=702;01_other=701\n"
    roster = read_roster(listed(tmp_path, text))
    found = survey(moodle(tmp_path / "a", ("Ann Lee", 701), ("Ben Roe", 702)), "", roster, NAME)
    assert {one.student: one.lms_id for one in found.found} == {"ann": "701", "ben": "702"} and not found.notes
    other = survey(moodle(tmp_path / "b", ("X", 701), ("Ann Lee", 501)), "", roster, "01_other")
    assert {one.student: one.lms_id for one in other.found} == {"ben": "701", "ann": "501"}
    third = survey(tmp_path / "b", "", roster, "02_third")  # no number is known there: by name, and it is said
    assert [one.student for one in third.found] == ["ann"] and "01_attention=901" in third.notes[0]
    bare = read_roster(listed(tmp_path, "id,name,moodle_id\nann,Ann Lee,501\n"))
    refused = survey(tmp_path / "a", "", bare, NAME).refused
    assert f"write {NAME}=701 into moodle_id" in refused[0].reason
    with pytest.raises(CourseError, match="the moodle_id 701 is ann and ben's in 01_other"):
        survey(tmp_path / "b", "", read_roster(listed(tmp_path, text.replace("501", "701"))), "01_other")
    assert "several ids" in survey(tmp_path / "a", "", None, NAME).notes[0]


def test_a_worksheet_of_another_assignment_is_refused(tmp_path: Path) -> None:
    path = worksheet(tmp_path, "en")
    here = {"platform": "moodle", "given": {}}
    number = next(line for line in path.read_text().splitlines() if "@" in line).split(",")[0].split()[-1].strip('"')
    mail = next(part for part in path.read_text().split(",") if "@" in part)
    assert fill(Table(NAME, [student("ann", number, email=mail, lms_id=number, **here)]), "moodle", path).filled
    with pytest.raises(CourseError, match="another assignment's worksheet"):
        fill(Table(NAME, [student("ann", number, email=mail, lms_id="4", **here)]), "moodle", path)


def test_a_gradescope_assignment_may_have_a_dash_in_its_name(tmp_path: Path) -> None:
    title = "HW 1 - Attention"
    path = tmp_path / "g.csv"
    path.write_text(f"First Name,Last Name,SID,Email,{title},{title} - Max Points\nAnn,Lee,S11,a@x.org,,3\n")
    filled = fill(Table(NAME, [student("ann", "11")]), "gradescope", path, title)
    assert filled.filled == ["ann"] and "S11,a@x.org,1.5,3" in filled.text


# ---- dates -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ['due = "x"', "late = 3", "closed = false", "due = 2027-04-20", "late = []"])
def test_dates_of_a_wrong_form_are_one_sentence(text: str, term: FakeRelease) -> None:
    term_path(term).write_text(text)
    with pytest.raises(CourseError, match=r"term\.toml"):
        read_term(term)


@pytest.mark.parametrize(
    "line", ['"closed" = ""', "'closed'=''", '\ufeffclosed = ""', "# nothing", '  closed = ""  # open']
)
def test_closing_leaves_a_file_that_can_be_read(line: str, term: FakeRelease) -> None:
    term_path(term).write_text(f'{line}\n[due]\n"{NAME}" = 2027-04-20\n')
    day = close_term(term)
    assert read_term(term).closed == day and NAME in read_term(term).due


def test_an_assignment_that_was_never_collected_keeps_a_term_open(tmp_path: Path) -> None:
    from tests.autograder.tiny_course import make_release

    release = make_release(tmp_path / "release")
    term_path(release).write_text(f'[due]\n"{NAME}" = 2020-01-01\n')
    assert read_table(release, [NAME]).problems() == [f"{NAME}: nothing was collected, and the due date is past"]
    term_path(release).write_text(f'[due]\n"{NAME}" = 2099-01-01\n')
    assert not read_table(release, [NAME]).problems()


@pytest.mark.parametrize("stamp", ["9999-99-99 10:00", "2027-04-25 10:00:00 CEST", "", "1999-01-01 00:00:00 UTC"])
def test_a_time_that_cannot_be_read_is_named(stamp: str, term: FakeRelease, tmp_path: Path) -> None:
    at = tmp_path / "n" / "submitted" / "cy" / NAME
    (hand_in(at) / "timestamp.txt").write_text(stamp)
    settings = pipeline.Settings(progress=False, execute=fake_execute)
    pipeline.grade(at.parent.parent, term, tmp_path / "out", NAME, settings)
    assert not any(UNTIMED in one for one in read_roll(term, NAME).problems())  # nothing is due
    term_path(term).write_text(f'[due]\n"{NAME}" = 2027-04-20\n')
    assert any(one.startswith(f"{UNTIMED}: cy;") for one in read_roll(term, NAME).problems())


# ---- the machine -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.EIO])
def test_a_full_disk_is_not_the_students_fault(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "ann.zip", "w") as packed:
        packed.writestr("x.txt", "x")

    def full(*_: object) -> None:
        raise OSError(number, "no room")

    with monkeypatch.context() as patch:
        patch.setattr(archive, "pour", full)
        with pytest.raises(OSError, match="no room") as raised:
            archive.unzip(tmp_path / "ann.zip", tmp_path / "out")
    assert "the hand-in is not at fault" in worker._failed(raised.value)
    with monkeypatch.context() as patch:
        patch.setattr(archive.os, "open", full)
        with pytest.raises(OSError, match="no room"):
            archive.regular(tmp_path / "ann.zip", "ann", "ann.zip")


def test_many_notes_of_one_student_do_not_hide_the_others() -> None:
    line = _line(SubmissionOutcome("ann", "graded", 1, 2, notes=[f"note {n}." for n in range(100)]))
    assert len(line) < 200 and f"and {100 - NOTES} more" in line


@pytest.mark.parametrize("command", ["override ann london 1", "merge ann ben", "remove ann", "marks", "times x.csv"])
def test_who_decides_has_a_name(command: str, term: FakeRelease, run: Run) -> None:
    reason = ["--reason", "r"] if command.split()[0] in ("override", "merge", "remove") else []
    with pytest.raises(SystemExit) as ended:
        run(*command.split(), "--release", term.root, *reason, "--by", " ")
    assert ended.value.code == 2


def test_the_term_list_in_use_is_the_one_of_the_assignment(term: FakeRelease, tmp_path: Path) -> None:
    term_list(term, listed(tmp_path, f"id,moodle_id\nann,01_other=5;{NAME}=7\n"))
    found = term_roster(term, NAME)
    assert found is not None and found.value("ann", "moodle_id") == "7"
    assert json.dumps(read_roll(term, NAME).students[0].given["moodle_id"]) == '"7"'


# ---- entered by mistake ------------------------------------------------------------------------------------------------


def settings() -> pipeline.Settings:
    return pipeline.Settings(progress=False, execute=fake_execute)


def test_a_wrong_folder_can_be_taken_out_again(term: FakeRelease, run: Run, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    (wrong / "pictures").mkdir(parents=True)
    for name in ("a.txt", "b.pdf"):
        (wrong / name).write_text("x")
    before = read_roll(term, NAME)
    assert pipeline.grade(wrong, term, tmp_path / "out", NAME, settings()).exit_code == 1
    *_, remedy = problems = read_roll(term, NAME).problems()
    assert len(problems) == len(before.problems()) + 4 and f"python -m autograder remove {wrong}" in remedy
    taken_out = ("remove", "--release", term.root, "--out", tmp_path / "out", "--reason", "wrong folder")
    code, said = run(*taken_out, "a.txt")
    assert code == 0 and "1 taken out: a.txt" in said
    code, said = run(*taken_out, wrong)
    assert code == 0 and "2 taken out: b.pdf, pictures" in said
    assert read_roll(term, NAME) == before
    code, said = run(*taken_out, tmp_path / "subs")  # what was judged stays
    assert code == 2 and read_roll(term, NAME) == before


def test_a_wrong_folder_takes_nobody_out_who_has_more(term: FakeRelease, tmp_path: Path) -> None:
    ledger, wrong, right = open_ledger(term), str(tmp_path / "wrong"), str(tmp_path / "right")

    def refuse(student: str, assignment: str, source: str) -> None:
        ledger.append(
            "refused", student=student, assignment=assignment, state="refused", reason="no file", source=source
        )

    refuse("only", NAME, wrong)
    refuse("again", NAME, wrong)
    refuse("again", NAME, right)
    refuse("other", "another_assignment", wrong)
    refuse("other", NAME, right)
    refuse("ann", NAME, wrong)
    assert remove_strays(term, NAME, wrong, "wrong folder", "T") == ["only"]
    left = {who for name, who in open_ledger(term).standings() if name == NAME}
    assert {"again", "other", "ann"} <= left and "only" not in left


def test_marks_that_count_no_more_are_named(term: FakeRelease, run: Run, tmp_path: Path) -> None:
    where = ("--release", term.root, "--out", tmp_path / "out", "--reason", "a mistake")
    assert run("override", "ben", "london", "1", *where)[0] == 0
    code, said = run("remove", "ben", *where)
    assert code == 0 and "no longer counted even if the same work is entered again: london" in said
    assert "by hand" not in run("remove", "ann", *where)[1]


def test_another_spelling_of_an_id_is_not_another_person(term: FakeRelease, tmp_path: Path) -> None:
    shutil.move(tmp_path / "subs" / "ann", tmp_path / "subs" / "Ann")
    found = pipeline.grade(tmp_path / "subs", term, tmp_path / "out", NAME, settings())
    assert {one.student: one.ok for one in found.outcomes} == {"Ann": False, "ben": True}
    assert "Ann reads like ann, who was graded before" in found.outcomes[0].reason
