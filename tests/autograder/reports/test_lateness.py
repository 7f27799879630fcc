"""Who is late, who became late by a run of ``grade``, and whose time nobody knows: all are named, and nothing is guessed."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from autograder.grading.store import open_ledger
from autograder.reports.lateness import LATE_UNKNOWN, UNKNOWN, Lateness, changed, lateness, remarks
from autograder.reports.roll import arrivals, read_roll
from autograder.reports.term import Term
from tests.autograder.intake.test_own_copies import DUE, Desk, desk
from tests.autograder.tiny_course import NAME, hand_in, solved

__all__ = ["desk"]
TERM = Term(UTC, {NAME: datetime(2027, 4, 20, tzinfo=UTC)}, timedelta(minutes=15), ((24, 0.9),))
UNTOLD = f"{UNKNOWN}: ann, lukasz; give their times with python -m autograder times"


@pytest.mark.parametrize(
    ("came", "late", "unknown"),
    [
        ({"timed": True, "received": "2027-04-20T00:15:01+00:00"}, "15 min 1 s; 90 % count", False),
        ({"timed": True, "received": "2027-04-20T00:15:00+00:00"}, "", False),
        ({"received": "2027-04-20T00:15:00+00:00", "platform": "moodle"}, "", False),  # seen before: it came before
        ({"received": "2027-04-20T00:16:00+00:00", "platform": "moodle"}, "", True),
        ({"platform": "folders"}, "", True),
        ({"late": True, "platform": "canvas"}, f"marked late by canvas, {LATE_UNKNOWN}", False),
    ],
)
def test_lateness_of_one(came: dict[str, object], late: str, unknown: bool) -> None:
    found = lateness(came, TERM.due[NAME], TERM)
    assert (str(found), found.unknown) == (late, unknown)
    assert not lateness({**came, "late": False}, None, TERM).unknown


def test_where_canvas_marks_the_late_ones_the_others_came_in_time() -> None:
    ann, ben = Lateness(unknown=True, platform="canvas"), Lateness("x", marked=True, platform="canvas")
    cat = Lateness(unknown=True, platform="moodle")
    assert [one.split(":")[1] for one in remarks({"ann": ann, "cat": cat})] == [
        " ann, cat; give their times with python -m autograder times"
    ]
    assert "ann" not in remarks({"ann": ann, "ben": ben, "cat": cat})[0]
    assert remarks({"ann": ann, "ben": ben}) == [] == remarks({})


def test_what_a_run_changed() -> None:
    late, later = Lateness("2 h", 0.5), Lateness("3 h", 0.5)
    assert changed({}, {"ann": Lateness()}) == []
    assert changed({"ann": Lateness()}, {"ann": late}) == ["late: 1; by this run: ann (2 h; 50 % count)"]
    assert changed({"ann": late}, {"ann": later}) == ["late: 1; by this run: ann (3 h; 50 % count)"]
    assert changed({"ann": late}, {"ann": late}) == ["late: 1; by this run nobody"]
    assert changed({"ann": late}, {"ann": Lateness()}) == ["no longer late: ann"]
    assert changed(None, {"ann": late}) == ["late: 1"]
    many = {f"s{n:02}": Lateness(unknown=True) for n in range(25)}
    assert "s19 and 5 more; give" in changed({}, many)[0]


def test_unknown_times_are_named_wherever_one_looks(desk: Desk) -> None:
    for who in ("ann", "lukasz"):
        hand_in(desk.top / "subs" / who)
    code, said = desk.grade(desk.top / "subs", "--json", desk.top / "g.json")
    assert code == 0 and UNTOLD in said, "it is a remark: the work is graded"
    assert json.loads((desk.top / "g.json").read_text())["unknown_time"] == ["ann", "lukasz"]
    assert f"{NAME}: {UNTOLD}" in desk.run("term", "status")[1]
    assert UNTOLD in desk.run("export", "--partial")[1]
    assert desk.run("report")[0] == 0 and UNKNOWN in (desk.top / "out" / "report" / "index.html").read_text()
    (desk.top / "t.csv").write_text(
        f"id,time\nann,{DUE.isoformat()}\nlukasz,{(DUE + timedelta(hours=3)).isoformat()}\n"
    )
    code, said = desk.grade(desk.top / "subs", "--times", desk.top / "t.csv")
    assert code == 0 and "late: 1; by this run: lukasz (3 h; 50 % count)" in said and UNKNOWN not in said
    assert UNKNOWN not in desk.run("term", "status")[1]


def test_without_a_due_date_and_before_it_nobody_is_named(desk: Desk) -> None:
    hand_in(desk.top / "subs" / "ann")
    path = desk.course / "term.toml"
    path.write_text(path.read_text().replace(str(DUE.year), str(DUE.year + 1)))
    assert UNKNOWN not in desk.grade(desk.top / "subs")[1]
    path.unlink()
    assert UNKNOWN not in desk.grade(desk.top / "subs")[1]


def test_who_has_longer_or_is_excused_is_not_named(desk: Desk) -> None:
    (desk.top / "p.csv").write_text("id,extension,excused\nann,,\nben,+3d,\ncat,,all\n")
    for who in ("ann", "ben", "cat"):
        hand_in(desk.top / "subs" / who)
    said = desk.grade(desk.top / "subs", "--roster", desk.top / "p.csv")[1]
    assert f"{UNKNOWN}: ann; give" in said


def test_a_later_hand_in_is_named_though_the_earlier_one_had_a_time(desk: Desk) -> None:
    """lukasz's first one was refused; the times were given before the second one came."""
    (desk.top / "one" / "lukasz").mkdir(parents=True)
    (desk.top / "one" / "lukasz" / "notes.txt").write_text("x")
    hand_in(desk.top / "one" / "ann")
    (desk.top / "t.csv").write_text(f"id,time\nann,{DUE.isoformat()}\nlukasz,{DUE.isoformat()}\n")
    desk.grade(desk.top / "one", "--times", desk.top / "t.csv")
    hand_in(desk.top / "two" / "lukasz")
    assert f"{UNKNOWN}: lukasz; give" in desk.grade(desk.top / "two")[1]


def test_times_that_a_person_gave_survive_again(desk: Desk) -> None:
    for who in ("ann", "ben"):
        hand_in(desk.top / "subs" / who)
    late = (DUE + timedelta(hours=3)).isoformat()
    (desk.top / "t.csv").write_text(f"id,time\nann,{late}\nben,{DUE.isoformat()}\n")
    desk.grade(desk.top / "subs", "--times", desk.top / "t.csv")
    before = desk.stands("ann"), desk.stands("ben")
    assert before[0][2] == "3 h"
    for args in ((desk.top / "subs", "--again"), (desk.submitted, "--again"), (desk.submitted,), (desk.top / "subs",)):
        code, said = desk.grade(*args)
        assert code == 0 and (desk.stands("ann"), desk.stands("ben")) == before
        assert "late: 1; by this run nobody" in said and UNKNOWN not in said
    hand_in(desk.top / "new" / "ann", solved("return x"))
    assert f"no longer late: ann\n{UNKNOWN}: ann; give" in desk.grade(desk.top / "new")[1], (
        "the new one has no time yet"
    )
    assert desk.grade(desk.top / "subs", "--again")[0] == 0 and desk.stands("ann")[2] == "3 h"


def test_again_enters_no_time_of_grading_as_the_platforms(desk: Desk) -> None:
    """Work that came by e-mail, and then with a time: that time counts, and of two such the earlier one."""
    early, late = DUE - timedelta(hours=5), DUE + timedelta(hours=5)
    hand_in(desk.top / "subs" / "ann")
    desk.grade(desk.top / "subs")
    for time, received in ((late, late), (early, early), (late, early)):
        folder = desk.top / f"{time:%d%H}" / "submitted" / "ann" / NAME
        shutil.rmtree(folder, ignore_errors=True)
        (hand_in(folder) / "timestamp.txt").write_text(f"{time:%Y-%m-%d %H:%M:%S} UTC")
        assert desk.grade(folder.parent.parent, "--again")[0] == 0
        assert desk.of("ann").received == received.isoformat(timespec="seconds") and desk.of("ann").attempts == 1


def test_the_short_way_says_the_same_as_the_roll(desk: Desk, tmp_path: Path) -> None:
    hand_in(desk.top / "subs" / "ann")
    desk.grade(desk.top / "subs")
    desk.collected("ben", DUE + timedelta(hours=1), london="return x")
    desk.nbgrader()
    found = arrivals(desk.release, NAME)
    assert found == read_roll(desk.release, NAME).arrivals()
    assert found["ann"].unknown and found["ben"].late == "1 h" and len(found) == 2
    assert list(open_ledger(desk.release)) and desk.run("ledger", "verify")[0] == 0
