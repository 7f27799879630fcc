"""Tables of the instructor: nobody is swallowed by a quotation mark, and no time ends a command."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from autograder.intake.platforms import stamp
from autograder.intake.roster import read_roster
from autograder.reports.lms import read_sheet
from autograder.reports.term import Term
from autograder.reports.times import read_times
from course_utils.errors import CourseError

SWALLOWED = {
    "a mark that is never closed": 'ada,"Ada\nbob,Bob',
    "a mark that the next line closes": 'ada,"Ada\nbob,Bob"',
    "a mark inside": 'ada,"Ada"s\nbob,Bob',
    "a field of 200 kB": f"ada,{'x' * 200_000}\nbob,Bob",
    "a value too many": "ada,Ada,A\nbob,Bob",
}
WEST, EAST = timezone(timedelta(hours=-12)), timezone(timedelta(hours=14))


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.parametrize("text", SWALLOWED.values(), ids=list(SWALLOWED))
def test_a_class_list_that_swallows_lines_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(CourseError, match=r"list\.csv, line \d"):
        read_roster(written(tmp_path / "list.csv", f"id,name\n{text}\n"))
    with pytest.raises(CourseError, match=r"list\.csv, line \d"):
        read_times(written(tmp_path / "list.csv", f"id,time\n{text}\n"), None, UTC)


def test_a_class_list_as_spreadsheets_write_it_is_read(tmp_path: Path) -> None:
    text = '\ufeffID;Name ;\r\nada;"Lee, ""Ada""";\r\n;;\r\nbob;Bob\r\n'
    assert read_roster(written(tmp_path / "list.csv", text)).names == {"ada": 'Lee, "Ada"', "bob": "Bob"}


def test_a_time_whose_columns_name_two_students_is_nobodys(tmp_path: Path) -> None:
    roster = read_roster(written(tmp_path / "list.csv", "id,sid\nada,1\nbob,2\n"))
    both = written(tmp_path / "times.csv", "id,sid,time\nada,1,2027-04-21T09:30\n")
    assert read_times(both, roster, UTC) == {"ada": "2027-04-21T09:30:00+00:00"}
    with pytest.raises(CourseError, match=r"line 2: its columns name ada and bob"):
        read_times(written(tmp_path / "times.csv", "id,sid,time\nada,2,2027-04-21T09:30\n"), roster, UTC)


@pytest.mark.parametrize("hint", ["sep=,", "sep=;", "SEP=\t", '"sep=;"'])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("code", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_first_line_that_names_the_separator_is_none_of_the_table(
    tmp_path: Path, hint: str, end: str, code: str
) -> None:
    mark = hint.strip('"')[-1]
    rows = [
        hint,
        f"id{mark}name{mark}email",
        f"ada{mark}Lee; A{mark}ada@x.org" if mark != ";" else "ada;Lee, A;ada@x.org",
    ]
    path = tmp_path / "list.csv"
    path.write_bytes(end.join([*rows, ""]).encode(code))
    assert read_roster(path).rows["ada"]["email"] == "ada@x.org"
    assert read_sheet(path).head == ["id", "name", "email"]
    path.write_bytes(end.join([*rows, "bob" + mark * 5]).encode(code))
    with pytest.raises(CourseError, match=r"line 4: more values than columns"):
        read_roster(path)


@pytest.mark.parametrize("text", ["0001-01-01T00:00+14:00", "9999-12-31T23:59-12:00"])
def test_times_at_the_ends_of_the_calendar_end_no_command(tmp_path: Path, text: str) -> None:
    came = read_times(written(tmp_path / "times.csv", f"id,time\nada,{text}\n"), None, UTC)["ada"]
    assert abs(datetime.fromisoformat(came) - datetime.fromisoformat(text)) <= timedelta(hours=14)
    for zone in (WEST, EAST):
        term = Term(zone, {"a": datetime(2027, 1, 1, tzinfo=zone)})
        assert term.lateness(came, term.deadline("a", "9999-12-31")) <= timedelta(hours=14)
        assert (term.lateness(came, term.deadline("a")) > timedelta()) == text.startswith("9999")


def test_an_extension_beyond_the_calendar_is_one_sentence() -> None:
    term = Term(due={"a": datetime(9999, 12, 31, tzinfo=UTC)})
    for extension in ("+999d", "+9999h"):
        with pytest.raises(CourseError, match="after the year 9999"):
            term.deadline("a", extension)


@pytest.mark.parametrize("text", ["0001-01-01 00:00:00 UTC", "9999-12-31 23:59:59 UTC", "1970-01-01 00:00:00 UTC"])
def test_a_time_that_no_course_can_mean_is_none(tmp_path: Path, text: str) -> None:
    written(tmp_path / "timestamp.txt", text)
    assert stamp(tmp_path) == ""
    written(tmp_path / "timestamp.txt", "2027-04-20 10:00:00 UTC")
    assert stamp(tmp_path) == "2027-04-20T10:00:00+00:00"


CLASS = "id;name;email\nada;Ada Müller;a@x.org\nbob;Béla Nový;b@x.org\n"
UNIX, WINDOWS = CLASS, CLASS.replace("\n", "\r\n")
READ = ["utf-8", "utf-8-sig", "utf-16"]


@pytest.mark.parametrize("text", [UNIX, WINDOWS, WINDOWS.replace(";", "\t"), UNIX.replace(";", ",")])
@pytest.mark.parametrize("code", [*READ, "big"])
def test_a_list_is_read_in_what_says_its_letters(tmp_path: Path, text: str, code: str) -> None:
    data = b"\xfe\xff" + text.encode("utf-16-be") if code == "big" else text.encode(code)
    (tmp_path / "list.csv").write_bytes(data)
    assert read_roster(tmp_path / "list.csv").names == {"ada": "Ada Müller", "bob": "Béla Nový"}


@pytest.mark.parametrize("code", ["cp1252", "mac-roman", "utf-16-le", "utf-16-be", "utf-32", "iso8859-2"])
def test_a_list_in_other_letters_says_what_helps(tmp_path: Path, code: str) -> None:
    text = WINDOWS.replace("é", "e").replace("ý", "y")
    (tmp_path / "list.csv").write_bytes(text.encode(code))
    for read in (read_roster, lambda path: read_times(path, None, UTC), read_sheet):
        with pytest.raises(CourseError, match='save it as "CSV UTF-8"') as told:
            read(tmp_path / "list.csv")
        assert "codec" not in str(told.value) and "download" not in str(told.value)
