"""What an instructor met in a term: a release made again, a class list given late, two people of one name."""

from __future__ import annotations

import csv
import io
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from autograder.cli.regrade import _told
from autograder.grading.regrade import Decision, Regraded
from autograder.grading.store import course_dir, open_ledger
from autograder.release import read
from autograder.reports.carry import carry_over
from autograder.reports.class_report import report_page, shown_names
from autograder.reports.exports import FORMATS, Table
from autograder.reports.items import exercise_rows
from autograder.reports.roll import Roll, StudentRow, read_roll, roster_path, term_list
from autograder.reports.term import read_term, term_path, term_text
from autograder.source.build import read_sources
from course_utils.errors import CourseError
from tests.autograder.reports.test_desk_faults import Run, listed, run
from tests.autograder.reports.test_exports import row
from tests.autograder.tiny_course import NAME, FakeRelease, graded_class, hand_in, make_release, solved
from tests.paths import ROOT

__all__ = ["run"]


@pytest.fixture
def term(tmp_path: Path) -> FakeRelease:
    return graded_class(tmp_path / "a term")


# ---- a release that is made again ----------------------------------------------------------------------------------------


def earlier(folder: Path, due: str = NAME, roster: str = "id,extension\nann,+1d\n") -> Path:
    (folder / "instructor").mkdir(parents=True)
    (folder / "instructor" / "term.toml").write_text(term_text("T", "Europe/Berlin", [due], {due: "2027-03-27"}))
    (folder / "instructor" / "roster.csv").write_text(roster)
    return folder


def test_a_release_made_again_keeps_dates_and_class_list(tmp_path: Path) -> None:
    made, old = make_release(tmp_path / "r"), earlier(tmp_path / "r.before-1")
    told = carry_over(made, old)
    assert [words.split(" taken over")[0] for words in told] == ["dates", "class list"]
    assert read_term(made).due and roster_path(made).read_text() == "id,extension\nann,+1d\n"


def test_a_release_without_dates_or_class_list_has_nothing_to_say(tmp_path: Path) -> None:
    (tmp_path / "old" / "instructor").mkdir(parents=True)
    assert carry_over(make_release(tmp_path / "r"), tmp_path / "old") == []


def test_what_does_not_fit_the_new_release_is_named_with_the_command(tmp_path: Path) -> None:
    made = make_release(tmp_path / "my r")
    old = earlier(tmp_path / "my r.before-1", "08_other", "id,extension\nann,08_other=+1d\n")
    dates, people = carry_over(made, old)
    assert not term_path(made).exists() and not roster_path(made).exists()
    assert "'08_other', which is no assignment" in dates and f"'{old}/instructor/term.toml'" in dates
    command = shlex.split(people.partition("to do it: ")[2])
    assert command[3:] == ["term", "roster", str(old / "instructor" / "roster.csv"), "--release", str(made.root)]


def test_another_term_takes_nothing_over_by_itself(tmp_path: Path) -> None:
    told = carry_over(made := make_release(tmp_path / "r"), earlier(tmp_path / "old"), same_term=False)
    assert len(told) == 2 and all("of another term" in words for words in told) and not term_path(made).exists()


def test_the_command_release_says_what_it_took_over(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Making is another test's; here the release that stood there is set aside as ``make_release`` does it."""
    from autograder.release import make

    out = earlier(tmp_path / "r")
    (out / "release.json").write_text(json.dumps({"term": "Spring", "seed": 12345}))

    def made(path: Path, *_: Any) -> Path:
        path.rename(path.with_name("r.before-1"))
        return make_release(path).root

    monkeypatch.setattr(make, "make_release", made)
    code, said = run("release", "--out", out)
    assert code == 0 and "dates taken over from the earlier release" in said and "class list taken over" in said
    assert roster_path(FakeRelease(out)).exists()


def test_a_misspelt_assignment_is_refused_before_all_sources_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.source.build.read_source", lambda path: pytest.fail("it reads"))
    with pytest.raises(CourseError, match=r"no source 03_position\.py; the notebooks are 0"):
        read_sources(ROOT / "solutions", ["03_position"])


# ---- dates and class list ------------------------------------------------------------------------------------------------


def test_a_new_term_says_when_everything_is_due_and_on_which_clocks(run: Run, tmp_path: Path) -> None:
    made = make_release(tmp_path / "r")
    new = ("term", "new", "--release", made.root)
    code, said = run(*new, "--due", f"{NAME}=2027-04-20")
    assert code == 0 and f"{NAME}: due 2027-04-20 23:59 UTC\n" in said and "no --zone was given" in said
    term_path(made).unlink()
    code, said = run(*new, "--zone", "Europe/Berlin", "--due", f"{NAME}=2027-04-20T22:00+00:00")
    assert f"{NAME}: due 2027-04-21 00:00 Europe/Berlin\n" in said and "no --zone" not in said
    term_path(made).unlink()
    code, said = run(*new, "--zone", "Europe/Berlin")
    assert code == 0 and f"no due date, so that nobody is late: {NAME}" in said


@pytest.mark.parametrize("due", ["25.11.2026", "+3d", "tomorrow", "2027-02-30", ""])
def test_what_is_no_due_time_is_refused_as_such(due: str, run: Run, tmp_path: Path) -> None:
    made = make_release(tmp_path / "r")
    code, said = run("term", "new", "--release", made.root, "--due", f"{NAME}={due}")
    assert code == 2 and f"{NAME}: {due!r} is no due time; write a day" in said and "NAME=" not in said
    assert not term_path(made).exists()


def test_a_day_lasts_until_its_end_however_it_is_written() -> None:
    for day in ("2027-05-01", "20270501"):
        assert f'"{NAME}" = 2027-05-01\n' in term_text("", "UTC", [NAME], {NAME: day})


def test_a_due_time_that_does_not_exist_is_refused_before_anything_is_written(run: Run, tmp_path: Path) -> None:
    made = make_release(tmp_path / "r")
    due = ("--zone", "Europe/Berlin", "--due", f"{NAME}=2027-03-28T02:30")
    code, said = run("term", "new", "--release", made.root, *due)
    assert code == 2 and "does not exist in Europe/Berlin" in said and not term_path(made).exists()


def test_a_class_list_can_be_given_without_grading(term: FakeRelease, run: Run, tmp_path: Path) -> None:
    first = listed(tmp_path, "id,name,extension\nann,Ann,\nben,Ben,\n", "first.csv")
    code, said = run("term", "roster", first, "--release", term.root)
    assert code == 0 and "class list taken: 2 students" in said
    code, said = run("term", "roster", listed(tmp_path, "id,extension\nann,+1d\n"), "--release", term.root)
    assert code == 0 and "no longer on the class list: ben" in said and "another one on the new class list: ann" in said
    assert roster_path(term).with_name("roster.csv.before-1").read_text() == first.read_text()
    code, said = run("term", "roster", listed(tmp_path, "id,extension\nann,07=+1d\n"), "--release", term.root)
    assert code == 2 and "no assignment of this release" in said
    code, said = run("term", "roster", roster_path(term), "--release", term.root)
    assert code == 2 and "is the term's class list already" in said
    code, said = run("term", "roster", "--release", term.root)
    assert code == 2 and "say which file" in said


@pytest.mark.parametrize("command", ["report", "export", "feedback", "term status", "term close", "times x.csv"])
@pytest.mark.parametrize("form", ["--roster FILE", "--roster=FILE"])
def test_a_class_list_that_a_command_cannot_use_is_refused(
    command: str, form: str, term: FakeRelease, run: Run, tmp_path: Path
) -> None:
    path = listed(tmp_path, "id\nann\n", "my class.csv")
    words = [word.replace("FILE", str(path)) for word in form.split()]
    code, said = run(*command.split(), "--release", term.root, *words)
    assert code == 2 and "takes no class list" in said
    given = shlex.split(said.partition("give it with: python -m autograder ")[2])
    assert given == ["term", "roster", str(path), "--release", str(term.root)] and run(*given)[0] == 0


def test_the_class_list_is_the_file_behind_the_option_though_a_name_follows(term: FakeRelease, run: Run) -> None:
    code, said = run("remove", "--roster", "class.csv", "ann", "--reason", "x", "--release", term.root)
    assert code == 2 and f"term roster class.csv --release {shlex.quote(str(term.root))}" in said


@pytest.mark.parametrize(
    "words", [("status", "--zone", "UTC"), ("roster", "x", "--partial"), ("close", "--due", "a=b")]
)
def test_options_of_another_action_are_refused(words: tuple[str, ...], term: FakeRelease, run: Run) -> None:
    code, said = run("term", *words, "--release", term.root)
    assert code == 2 and "is an option of term" in said


def test_an_unknown_option_is_still_an_error_of_usage(term: FakeRelease, run: Run) -> None:
    with pytest.raises(SystemExit) as ended:
        run("report", "--release", term.root, "--rooster", "x")
    assert ended.value.code == 2


def test_a_new_id_of_the_same_person_is_told_with_the_command(term: FakeRelease, run: Run, tmp_path: Path) -> None:
    term_list(term, listed(tmp_path, "id,name,email\nann,Ann,a@x.org\nben,Ben,\ncy,Cy,\n"))
    told: list[str] = []
    term_list(term, listed(tmp_path, "id,name,email\nann2,Anna,A@x.org\nben,Ben,\ncy2,Cy,\n"), told)
    (line,) = [words for words in told if "seems to be" in words]  # nothing of cy was graded
    command = shlex.split(line.partition("python -m autograder ")[2])
    assert command[:3] == ["merge", "ann2", "ann"] and run(*command, "--by", "me")[0] == 0
    assert [one.student for one in read_roll(term, NAME).of("missing")] == ["cy2"]
    told.clear()
    term_list(term, listed(tmp_path, "id,name\nben,Ben\ndora,Dora\n"), told)
    assert not any("seems to be" in words for words in told)


# ---- tables and exports --------------------------------------------------------------------------------------------------


def person(who: str, name: str, points: str = "1", **more: Any) -> StudentRow:
    return StudentRow(who, [row("london", points, "2", "add one")], float(points), 2.0, name=name, **more)


def test_two_people_of_one_name_are_told_apart_in_every_table() -> None:
    people = [person("anna1", "Anna Schmidt"), person("anna2", "anna  schmidt"), person("bo", "Bo Lee")]
    assert shown_names(people)["bo"] == "Bo Lee" and shown_names([StudentRow("x", name="x")]) == {"x": "x"}
    similar = [{"students": ["anna1", "bo"], "evidence": ["london"]}]
    page = report_page(Roll(people, [], True), "T", "r", links={"anna1": "a.html"}, similar=similar)
    table = page[page.index("Class table") : page.index("<h2>Exercises")]
    assert "Anna Schmidt (anna1)</a>" in table and "anna schmidt (anna2)</th>" in table and "Bo Lee</th>" in table
    mistakes, alike = page[page.index("Most frequent mistakes") :].split("<h2>Equal work")
    assert "Anna Schmidt (anna1), anna schmidt (anna2), Bo Lee<" in mistakes
    assert "<strong>Anna Schmidt (anna1)</strong> and <strong>Bo Lee (bo)</strong>" in alike


def test_zeros_hold_in_every_format() -> None:
    people = [person("ann", "Ann"), StudentRow("kim"), StudentRow("lost", reason="x"), person("ex", "Ex", excused=True)]
    table, without = Table(NAME, people, zeros=True), Table(NAME, people)
    rows = {one["student"]: one for one in csv.DictReader(io.StringIO(FORMATS["csv"](table)))}
    assert [rows["kim"][key] for key in ("state", "points", "max_points", "counts")] == ["missing", "0", "2", "0"]
    assert rows["lost"]["counts"] == "" and rows["ex"]["points"] == "1"
    whole = {one["student"]: one for one in json.loads(FORMATS["json"](table))["students"]}
    assert [whole["kim"][key] for key in ("points", "max_points", "counts")] == [0.0, 2.0, 0.0]
    assert whole["lost"]["counts"] is None and json.loads(FORMATS["json"](without))["students"][1]["points"] is None
    for layout in ("canvas", "moodle", "gradescope"):
        assert "kim" in FORMATS[layout](table) and "kim" not in FORMATS[layout](without)
        assert "lost" not in FORMATS[layout](table)


@pytest.mark.parametrize("layout", [*FORMATS])
def test_export_names_who_has_zero_points_and_says_that_the_file_is_there(
    layout: str, term: FakeRelease, run: Run, tmp_path: Path
) -> None:
    term_list(term, listed(tmp_path, "id\nann\nben\nkim\n"))
    export = ("export", "--release", term.root, "--format", layout)
    code, said = run(*export, "--zeros", "--partial")
    assert code == 0 and "0 points, since they handed in nothing: kim" in said
    code, said = run(*export)
    assert code == 1 and "is written, and is not complete" in said and "nothing handed in: kim" in said


def test_feedback_shows_both_times_on_the_clocks_of_the_term(term: FakeRelease, run: Run, tmp_path: Path) -> None:
    term_path(term).write_text(term_text("", "Europe/Berlin", [NAME], {NAME: "2027-03-27T23:59"}))
    term_list(term, listed(tmp_path, "id,extension\nann,\nben,+2d\n"))
    times = listed(tmp_path, "id,time\nann,2027-03-27T21:00+00:00\nben,2027-03-29T23:30\n", "times.csv")
    assert run("times", times, "--release", term.root)[0] == 0
    out = tmp_path / "out"
    assert run("feedback", "--release", term.root, "--out", out)[0] == 0
    ann, ben = ((out / "feedback" / f"{who}.html").read_text() for who in ("ann", "ben"))
    assert "received 2027-03-27 22:00 Europe/Berlin · due 2027-03-27 23:59 Europe/Berlin" in ann
    assert "received 2027-03-29 23:30 Europe/Berlin · due 2027-03-29 23:59 Europe/Berlin" in ben and "UTC" not in ben


def test_figures_wait_where_most_answers_wait_for_a_mark() -> None:
    def people(*points: str) -> list[StudentRow]:
        return [StudentRow(f"s{at}", [row("why", one, "1")], 0, 1) for at, one in enumerate(points)]

    (few,) = exercise_rows(people("0", *["–"] * 6))
    assert (few["passed"], few["count"], few["waiting"], few["telling"]) == (0, 1, 6, False)
    page = report_page(Roll(people("0", *["–"] * 6), [], True), "T", "r")
    exercises = page[page.index("Exercise table") :]
    assert "0 of 1, 6 to be marked" in exercises and "0 %" not in exercises
    page = report_page(Roll(people("0", "1", "1", "–"), [], True), "T", "r")
    assert "2 of 3, 1 to be marked" in page and "67 %" in page


def test_points_of_the_excused_are_told(term: FakeRelease, run: Run, tmp_path: Path) -> None:
    term_list(term, listed(tmp_path, "id,excused\nann,all\nben,\n"))
    words = f"{NAME}: excused, so that the points of their hand-in do not count: ann (5)"
    assert words in run("term", "status", "--release", term.root)[1]
    assert words in run("term", "close", "--partial", "--release", term.root)[1]
    page = report_page(read_roll(term, NAME), "T", "r")
    assert "5 of 6 points were handed in and do not count" in page


# ---- changes by hand -----------------------------------------------------------------------------------------------------


def test_points_for_somebody_who_was_refused_or_handed_in_nothing(term: FakeRelease, run: Run, tmp_path: Path) -> None:
    term_list(term, listed(tmp_path, "id\nann\nben\nlu\nkim\n"))
    wrong = tmp_path / "more" / "lu"
    wrong.mkdir(parents=True)
    (wrong / f"{NAME}.ipynb").write_text("no notebook")
    assert run("grade", wrong.parent, "--release", term.root, "--from", "folders", "--quiet")[0] == 1
    given = ("london", 1, "--release", term.root, "--by", "A", "--reason", "x")
    count = len(list(open_ledger(term)))
    code, said = run("override", "lu", *given)
    assert code == 2 and f"lu was not graded in {NAME} (" in said and "grade a notebook of lu that can be read" in said
    code, said = run("override", "kim", *given)
    assert code == 2 and f"kim is on the class list and handed in nothing for {NAME}" in said
    code, said = run("override", "zoe", *given)
    assert code == 2 and "zoe is unknown" in said and len(list(open_ledger(term))) == count
    hand_in(tmp_path / "again" / "lu", solved("return x"))
    assert run("grade", tmp_path / "again", "--release", term.root, "--from", "folders", "--quiet")[0] == 0
    assert run("override", "lu", *given)[0] == 0, "the remedy holds"


def test_a_decision_says_which_of_the_two_is_lacking() -> None:
    with pytest.raises(CourseError, match=r"needs a reason; give --reason$"):
        Decision(" ", "me")
    with pytest.raises(CourseError, match=r"needs the name of a person; give --by$"):
        Decision("why", "")


def test_an_interrupted_regrade_says_who_was_entered() -> None:
    assert _told(Regraded(NAME, True, left=["ann", "ben"], interrupted=True))[-1] == "nothing was entered"
    half = Regraded(NAME, True, exercises={"london": ["ann"]}, left=["ben"], interrupted=True)
    assert _told(half)[-1] == "entered in ledger and gradebook: ann"
    assert _told(Regraded(NAME, True, exercises={"london": ["ann"]}))[-1] == "entered in ledger and gradebook"
    assert _told(Regraded(NAME, True, exercises={"london": ["ann"]}, failed={"ann": "x"}))[-1] == "nothing was entered"


def test_remove_asks_for_the_report_only_where_it_names_the_student(
    term: FakeRelease, run: Run, tmp_path: Path
) -> None:
    place = ("--release", term.root, "--out", tmp_path / "out")
    report = tmp_path / "out" / "report" / "index.html"
    report.parent.mkdir(parents=True)
    report.write_text('<a href="feedback/ben.html">of another assignment</a>')
    assert "give report again" not in run("remove", "ben", *place, "--reason", "left")[1]
    assert run("report", *place, "--title", "Monday")[0] == 0
    assert "give report again" in run("remove", "ann", *place, "--reason", "left")[1]


def test_commands_in_messages_can_be_copied(tmp_path: Path) -> None:
    root = tmp_path / "term spring" / "rel"
    for part in ("student", f"instructor/source/{NAME}"):
        (root / part).mkdir(parents=True)
    (root / "instructor" / "source" / NAME / f"{NAME}.ipynb").write_text("{}")
    (root / "release.json").write_text(json.dumps({"id": "1", "term": "", "seed": 1, "assignments": [NAME]}))
    with pytest.raises(CourseError) as lost:
        read.Release.load(root)
    (course_dir(FakeRelease(root)) / "gradebook.db").write_text("damaged")
    with pytest.raises(CourseError) as damaged:
        read.graded_cells(root / "instructor", NAME)
    for error in (lost, damaged):
        command = shlex.split(str(error.value).rpartition(": ")[2])
        assert command[3:] == ["ledger", "rebuild", "--release", str(root)]


def test_the_formgrader_tells_two_people_of_one_name_apart(term: FakeRelease, run: Run, tmp_path: Path) -> None:
    from autograder.release.nbgrader_db import open_book

    term_list(term, listed(tmp_path, "id,name\nann,Anna Schmidt\nben,Ben Lee\ncy,anna schmidt\n"))
    assert run("ledger", "rebuild", "--release", term.root, "--assignment", NAME)[0] == 0
    with open_book(course_dir(term)) as book:
        names = {who: book.find_student(who).last_name for who in ("ann", "ben")}
    assert names == {"ann": "Schmidt (ann)", "ben": "Lee"}
