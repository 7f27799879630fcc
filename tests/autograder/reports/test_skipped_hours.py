"""An hour that the clocks skip is refused wherever a time is typed, and every other time is read as before."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from autograder import cli
from autograder.grading.store import course_dir
from autograder.intake.roster import read_roster
from autograder.release import read
from autograder.reports.carry import carry_over
from autograder.reports.roll import term_list, term_roster
from autograder.reports.term import require_entries
from autograder.reports.times import read_times
from course_utils.errors import CourseError
from tests.autograder.tiny_course import NAME, make_release

BERLIN = ZoneInfo("Europe/Berlin")
SKIPPED = [
    ("Europe/Berlin", "2027-03-28T02:30"),
    ("Europe/Berlin", "2027-03-28T02:00:00"),
    ("America/New_York", "2027-03-14T02:59"),
    ("America/St_Johns", "2027-03-14T02:01"),
    ("Australia/Lord_Howe", "2027-10-03T02:15"),
]
TWO = "2027-10-31T02:30"  # comes twice


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.parametrize(("zone", "text"), SKIPPED)
def test_a_skipped_hour_is_no_time_of_a_hand_in_or_of_an_extension(tmp_path: Path, zone: str, text: str) -> None:
    times = written(tmp_path / "times.csv", f"id,time\nada,2027-03-20T10:00\nbob,{text}\n")
    with pytest.raises(CourseError, match=rf"times\.csv, line 3: .* does not exist in {zone}"):
        read_times(times, None, ZoneInfo(zone))
    assert len(read_times(times, None, UTC)) == 2
    for entry in (text, f"{NAME}={text}", f"+1d;{NAME}={text}"):
        roster = read_roster(written(tmp_path / "list.csv", f"id,extension\nada,\nbob,{entry}\n"))
        with pytest.raises(CourseError, match=rf"the extension of bob in the class list: .* does not exist in {zone}"):
            require_entries(roster, ZoneInfo(zone))
        assert require_entries(roster) is roster


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        (TWO, "2027-10-31T00:30:00+00:00"),
        ("2027-03-28T01:59", "2027-03-28T00:59:00+00:00"),
        ("2027-03-28T03:00", "2027-03-28T01:00:00+00:00"),
        ("2027-03-28T02:30+01:00", "2027-03-28T01:30:00+00:00"),
    ],
)
def test_other_hours_are_read_and_of_a_doubled_one_the_earlier_counts(tmp_path: Path, text: str, utc: str) -> None:
    assert read_times(written(tmp_path / "t.csv", f"id,time\nada,{text}\n"), None, BERLIN) == {"ada": utc}


def test_every_way_in_for_a_class_list_looks_at_the_terms_clocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    release: Any = make_release(tmp_path / "release")
    release.assignments, release.term = [NAME], "spring"
    monkeypatch.setattr(read, "load_release", lambda *_, **__: release)
    people = written(tmp_path / "list.csv", "id,extension\nada,2027-03-28T02:30\n")
    new = ["term", "new", "--release", str(release.root), "--zone", "Europe/Berlin", "--due", f"{NAME}=2027-03-20"]
    assert cli.main([*new, "--roster", str(people)]) == 2
    assert "does not exist in Europe/Berlin" in capsys.readouterr().err
    assert not (course_dir(release) / "term.toml").exists() and not (course_dir(release) / "roster.csv").exists()
    term_list(release, people)  # without dates all clocks are those of UTC
    assert cli.main(new) == 2 and "does not exist" in capsys.readouterr().err
    written(course_dir(release) / "term.toml", 'zone = "Europe/Berlin"\n')
    for use in (lambda: term_roster(release), lambda: term_list(release, people)):
        with pytest.raises(CourseError, match="does not exist"):
            use()
    again = make_release(tmp_path / "again")
    (line,) = [one for one in carry_over(again, release.root) if "class list" in one]
    assert "not taken over" in line and "does not exist in Europe/Berlin" in line
    written(course_dir(release) / "term.toml", "zone = 3\n")  # what is wrong there is said where the dates are needed
    assert term_roster(release) is not None
