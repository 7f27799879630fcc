"""A class list in which addresses or numbers became others, as spreadsheets make them, is taken and named."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.intake.roster import read_roster
from autograder.reports.renamed import other_values
from autograder.reports.roll import term_list
from tests.autograder.tiny_course import make_release

OLD = "id,name,email,sid,moodle_id\nann,Ann,ann@x.org,00017,a=1\nben,Ben,ben@x.org,00270,a=2\ncat,Cat,,S3,\n"


def told(base: Path, new: str) -> list[str]:
    for name, text in (("old.csv", OLD), ("new.csv", new)):
        (base / name).write_text(text)
    return other_values(read_roster(base / "old.csv"), read_roster(base / "new.csv"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("00017", "17"), "sid has lost zeros at the front for 1 student on the new class list: ann; give that column"),
        (
            ("00270", "0270"),
            "sid has lost zeros at the front for 1 student on the new class list: ben; give that column",
        ),
        (("00270", "S9"), "sid is another one for 1 student on the new class list: ben"),
        (("ben@x.org", "b@y.org"), "email is another one for 1 student on the new class list: ben"),
        (("ann@x.org", ""), "email is gone for 1 student on the new class list: ann"),
        (("a=1", "a=7"), "moodle_id is another one for 1 student on the new class list: ann"),
        (("ann@x.org", "Ann@X.org"), ""),
        (("a=1", "a=1;b=4"), ""),
        (("S3,", "S3,a=3"), ""),
        (("Ann,", "Ann Lee,"), ""),
        (("cat,Cat,,", "cat,Cat,c@x.org,"), ""),
        (("ben,Ben,ben@x.org,00270,a=2\n", ""), ""),
    ],
)
def test_each_kind_of_change_is_one_sentence(change: tuple[str, str], words: str, tmp_path: Path) -> None:
    said = told(tmp_path, OLD.replace(*change))
    assert len(said) == bool(words) and all(one.startswith(words) for one in said)


def test_a_column_of_a_large_class_is_one_line(tmp_path: Path) -> None:
    rows = [(f"s{n:02}", f"{n:05}") for n in range(1, 31)]
    for name, form in (("old.csv", "{0},{1}\n"), ("new.csv", "{0},{2}\n")):
        (tmp_path / name).write_text("id,sid\n" + "".join(form.format(who, sid, int(sid)) for who, sid in rows))
    (line,) = other_values(read_roster(tmp_path / "old.csv"), read_roster(tmp_path / "new.csv"))
    assert line.startswith("sid has lost zeros at the front for 30 students") and "s10 and 20 more" in line


def test_the_earlier_list_stays_and_is_named(tmp_path: Path) -> None:
    release, said = make_release(tmp_path / "release"), list[str]()
    for name, text in (("old.csv", OLD), ("new.csv", OLD.replace("00017", "17"))):
        (tmp_path / name).write_text(text)
        said.clear()
        term_list(release, tmp_path / name, said)
    (line,) = said
    aside = release.root.resolve() / "instructor" / "roster.csv.before-1"
    assert line.endswith(f"; the earlier list is {aside}") and aside.read_text() == OLD
