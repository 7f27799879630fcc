"""Nobody's work is graded under another's id, nobody vanishes, and an id never depends on who else is in the batch."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.intake import discover as module
from autograder.intake.discover import survey
from autograder.intake.platforms import PLATFORMS
from autograder.intake.roster import Roster, read_roster
from course_utils.errors import CourseError
from tests.autograder.intake.spoofs import (
    CANVAS,
    FOLDERS,
    LIST,
    MOODLE,
    NAME,
    SPOOFS,
    Case,
    export,
    handin,
    notebook,
    packed,
    played,
    roster,
)

OF = {"canvas": CANVAS, "moodle": MOODLE, "folders": FOLDERS}


def wrong(case: Case, whose: dict[str, str]) -> list[str]:
    """Ids that are graded with work that is not their owner's."""
    named = [who for who, owner in whose.items() if who in case.honest and owner != case.honest[who]]
    return named + [who for who in whose if who in case.forbidden and who not in case.honest]


@pytest.mark.parametrize(("name", "build"), SPOOFS, ids=[name for name, _ in SPOOFS])
def test_spoofs(name: str, build: Callable[[Path], Case], tmp_path: Path) -> None:
    case = build(tmp_path / "in")
    whose, entries = played(case, tmp_path / "dest")
    assert wrong(case, whose) == [] and entries == case.entries
    assert set(case.honest) <= set(whose)


def test_spoofs_have_names_of_their_own() -> None:
    assert len({name for name, _ in SPOOFS}) == len(SPOOFS) >= 50


def test_the_test_sees_a_wrong_identity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Control: a reader that believes the last number of a name, as the first version did, is caught."""
    import re

    from autograder.intake import platforms

    greedy = re.compile(r"(.+)_(?P<id>\d+)_assignsubmission_[a-z]+_?(?P<file>.*)")
    monkeypatch.setitem(platforms._PATTERNS, "moodle", greedy)
    monkeypatch.setattr(platforms, "_MOODLE_MARK", "never")
    build = dict(SPOOFS)["Moodle flat, file named like the download of one who handed in nothing"]
    case = build(tmp_path / "in")
    assert wrong(case, played(case, tmp_path / "dest")[0]) == ["Eve_14_assignsubmission_file_Carl_15"]


PARTS = st.sampled_from(
    ["anna", "bob", "12", "13", "007", "LATE", "assignsubmission", "file", "a.zip", "submission", " ", "é"]
)
NAMES = st.lists(PARTS, min_size=1, max_size=9).map("_".join).map(lambda name: name.removesuffix(".zip") + ".zip")


@given(st.sets(NAMES, min_size=1, max_size=6), st.data(), st.sampled_from(["", *PLATFORMS[:2], "folders"]))
@settings(max_examples=150, deadline=None)
def test_an_id_never_depends_on_the_batch(names: set[str], data: st.DataObject, platform: str) -> None:
    part = data.draw(st.sets(st.sampled_from(sorted(names)), min_size=1))
    with tempfile.TemporaryDirectory() as folder:
        whole = ids(Path(folder) / "whole", names, platform)
        some = ids(Path(folder) / "part", part, platform)
    both = set(whole) & set(some)
    assert {name: whole[name] for name in both} == {name: some[name] for name in both}
    if platform and whole:
        assert set(whole) & part <= set(some)  # fewer neighbours never cost anybody the identity


def ids(folder: Path, names: set[str], platform: str, people: Roster | None = None) -> dict[str, str]:
    """File names to ids; nothing where the export is refused as a whole."""
    folder.mkdir()
    for name in names:
        (folder / name).write_bytes(b"")
    try:
        handins = survey(folder, platform, people)
    except CourseError:
        return {}
    found = {path.name: one.student for one in handins.found for path in (one.path, *(p for p, _ in one.more))}
    dropped = {one.item for one in handins.refused}
    assert not dropped & set(found) and len(dropped | set(found)) == len(names)
    return found


PEOPLE = {"anna": ("Anna Lee", 12), "bob": ("Bob Roe", 13), "cy": ("Cy", 1), "dee": ("Dee Roe", 2)}
NAMED = {
    "canvas": "{word}_{number}_7_a.zip",
    "moodle": "{name}_{number}_assignsubmission_file_a.zip",
    "folders": "{name}.zip",
}


@given(st.sampled_from(sorted(NAMED)), st.booleans(), st.sets(st.sampled_from(sorted(PEOPLE)), min_size=1), NAMES)
@settings(max_examples=80, deadline=None)
def test_the_class_list_says_the_same_for_any_part_of_a_class(
    platform: str, numbers: bool, part: set[str], stray: str
) -> None:
    """With numbers or by name; a stray file of any name changes nobody's id."""
    column = f",{platform}_id" if numbers and platform != "folders" else ""
    lines = [f"{who},{name}{f',{number}' if column else ''}" for who, (name, number) in PEOPLE.items()]
    called = {
        NAMED[platform].format(name=name, number=number, word="".join(reversed(name.lower().split()))): who
        for who, (name, number) in PEOPLE.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        people = read_roster(roster(Path(folder), "\n".join([f"id,name{column}", *lines])))
        names = {name for name, who in called.items() if who in part}
        alone = ids(Path(folder) / "alone", names, platform, people)
        more = ids(Path(folder) / "more", names | {stray}, platform, people)
    assert alone == {name: who for name, who in called.items() if who in part}
    assert set(more.items()) <= set(alone.items()) | {(stray, more.get(stray))}


@pytest.mark.parametrize("platform", OF)
def test_one_alone_has_the_id_it_has_among_all(platform: str, tmp_path: Path) -> None:
    folder = export(tmp_path, OF[platform])
    among = {one.path.name: one.student for one in survey(folder).found}
    assert survey(folder).platform == platform
    for name, student in among.items():
        assert [one.student for one in survey(folder / name, assignment=NAME).found] == [student]


def test_a_platforms_one_big_zip(tmp_path: Path) -> None:
    """Moodle's folders, and Gradescope's folder in a folder, zipped; the zip's own name is of no weight."""
    moodle = {f"{name[:-4]}/hw.zip": handin(who) for name, who in MOODLE.items()}
    scope = {f"assignment_5_export/submission_{n}/{NAME}.ipynb": notebook("x") for n in (1, 2)}
    for name, files, expected in (
        ("CS1-Assignment-77.zip", moodle, ["Anna_Lee_12", "Bob_Roe_13"]),
        ("submission_9.zip", scope, ["submission_1", "submission_2"]),
    ):
        (tmp_path / name).write_bytes(packed(files))
        for platform in ("", "moodle" if files is moodle else "gradescope"):
            assert [one.student for one in survey(tmp_path / name, platform).found] == expected
    (tmp_path / "class.zip").write_bytes(packed({name: handin(who) for name, who in FOLDERS.items()}))
    with pytest.raises(CourseError, match="may be a class or one student's hand-in"):
        survey(tmp_path / "class.zip")
    assert [one.student for one in survey(tmp_path / "class.zip", "folders").found] == ["anna", "bob"]


def test_mixed_exports_name_items_and_the_remedy(tmp_path: Path) -> None:
    folder = export(tmp_path, {**CANVAS, "notes.txt": b""})
    with pytest.raises(CourseError, match=r"annalee_12.* has the form of canvas, notes\.txt has not.*--from canvas"):
        survey(folder)
    handins = survey(folder, "canvas")
    assert [one.student for one in handins.found] == ["annalee_12", "roebob_13"]
    assert [str(one) for one in handins.refused] == ["notes.txt is not named as canvas names its downloads"]


def test_as_many_outcomes_as_items(tmp_path: Path) -> None:
    items = {"alice.zip": "alice", "bob.zip": "bob", "carol.ipynb": "carol", "plan.pdf": b"", "submitted/": "eve"}
    handins = survey(export(tmp_path, items), assignment=NAME)
    assert [one.student for one in handins.found] == ["alice", "bob", "carol"]
    assert [one.item for one in handins.refused] == ["plan.pdf", "submitted"]
    with pytest.raises(CourseError, match=r"plan\.pdf is neither"):
        module.discover(tmp_path / "export")


def test_canvas_counts_the_newest_upload_of_a_file(tmp_path: Path) -> None:
    items = {"lee_12_34_a.zip": "old", "lee_12_40_a-1.zip": "new", "lee_12_41_p-2.txt": b"", "lee_12_42_p-1.txt": b""}
    (found,) = survey(export(tmp_path, items)).found
    names = {found.own, *(name for _, name in found.more)}
    assert names == {"a-1.zip", "p-1.txt", "p-2.txt"} and found.student == "lee_12"


def test_canvas_says_late_and_nbgrader_when(tmp_path: Path) -> None:
    found = survey(export(tmp_path, {"lee_LATE_12_34_a.zip": "lee", "roe_13_35_a.zip": "roe"})).found
    assert [one.late for one in found] == [True, False]
    folder = tmp_path / "submitted" / "ann" / NAME
    folder.mkdir(parents=True)
    (folder / "timestamp.txt").write_text("2027-01-02 03:04:05.000006 UTC\n")
    (one,) = survey(tmp_path / "submitted", assignment=NAME).found
    assert (one.student, one.time, one.path) == ("ann", "2027-01-02T03:04:05+00:00", folder)


@pytest.mark.parametrize(
    ("said", "time"),
    [
        ("2027-01-02 03:04:05.000000000 Z", "2027-01-02T03:04:05+00:00"),
        ("2027-01-02 03:04:05.6 -0800", "2027-01-02T11:04:05+00:00"),
        ("2027-01-02T03:04:05+01:00", "2027-01-02T02:04:05+00:00"),
        ("0001-01-01 00:00:00 +0900", ""),
        ("2027-13-02 03:04:05 UTC", ""),
        ("yesterday", ""),
    ],
)
def test_gradescope_says_when(said: str, time: str, tmp_path: Path) -> None:
    folder = export(tmp_path, {"submission_1/": "anna"})
    (folder / "submission_metadata.yml").write_text(f"submission_1:\n  :created_at: {said}\n  :submitters: null\n")
    (found,) = survey(folder).found
    assert (found.student, found.time) == ("submission_1", time)


def test_gradescopes_rows_without_a_folder_are_listed(tmp_path: Path) -> None:
    folder = export(tmp_path, {"submission_1/": "anna"})
    rows = "".join(f"submission_{n}:\n  :submitters: null\n" for n in (1, 2))
    (folder / "submission_metadata.yml").write_text(rows)
    handins = survey(folder)
    assert [one.student for one in handins.found] == ["submission_1"]
    assert [str(one) for one in handins.refused] == [
        "submission_2 is in submission_metadata.yml, but there is no such folder"
    ]
    handins = survey(export(tmp_path / "other", {**FOLDERS, "submission_metadata.yml": rows.encode()}))
    assert [one.item for one in handins.refused] == ["submission_metadata.yml"] and len(handins.found) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "submission_1:\n  :submitters: null\nsubmission_1:\n  :submitters: null\n",
            "line 3: submission_1 is there twice",
        ),
        ("submission_1:\n  :submitters:\n  - :sid: S1\n    :sid: S2\n", "line 4: :sid is there twice"),
        ("submission_1: [:\n", "not readable as YAML"),
        ("- submission_1\n", "no table"),
    ],
)
def test_a_broken_gradescope_table_grades_nobody(text: str, words: str, tmp_path: Path) -> None:
    folder = export(tmp_path, {"submission_1/": "anna"})
    (folder / "submission_metadata.yml").write_text(text)
    with pytest.raises(CourseError, match=words):
        survey(folder)


def test_the_class_list_binds_numbers_names_and_mail(tmp_path: Path) -> None:
    people = roster(tmp_path, LIST)
    for number, items in enumerate(
        [
            CANVAS,
            {name.replace("_12_", "_112_").replace("_13_", "_113_"): who for name, who in MOODLE.items()},
            FOLDERS,
            {"anna@x.org.zip": "anna", "Bob Roe.zip": "bob"},
        ]
    ):
        handins = survey(export(tmp_path / str(number), items), "", people)
        assert [one.student for one in handins.found] == ["anna", "bob"] and not handins.refused
    handins = survey(export(tmp_path / "some", {"anna.zip": "anna", "zed.zip": "zed"}), "", people)
    assert handins.missing == ["bob"] and str(handins.refused[0]) == "zed.zip is of nobody in roster.csv ('zed')"


def test_canvas_names_are_looked_up_where_the_list_has_no_numbers(tmp_path: Path) -> None:
    people = roster(tmp_path, "id;name\nanna;Lee, Anna\nzoe;Zoë van der Berg\n")
    folder = export(tmp_path, {"leeanna_5_6_a.zip": "anna", "vanderbergzoë_7_8_a.zip": "zoe", "berg_9_9_a.zip": "x"})
    handins = survey(folder, "", people)
    assert [one.student for one in handins.found] == ["anna", "zoe"] and len(handins.refused) == 1
    (note,) = handins.notes
    assert "no column canvas_id" in note and "by their names" in note


def test_folders_are_named_by_people_in_either_order(tmp_path: Path) -> None:
    people = roster(
        tmp_path, 'id,name\nbo,"Lee, Bo"\nsean,"O\'Brien, Séan"\nm1,"Müller, Anna"\nm2,Anna Müller\nbl,Bol Ee\n'
    )
    named = {"Bo Lee/": "bo", "Séan O'Brien/": "sean", "Anna Müller/": "m1", "Lee/": "x"}
    handins = survey(export(tmp_path, named), "", people)
    assert [one.student for one in handins.found] == ["bo", "sean"]
    told = sorted(str(one) for one in handins.refused)
    assert told[0] == "Anna Müller fits m1 and m2 in roster.csv; name it by the id, e.g. m1"
    assert told[1].startswith("Lee is of nobody")


def test_columns_that_mean_nothing_are_named(tmp_path: Path) -> None:
    folder = export(tmp_path, FOLDERS)
    handins = survey(folder, "", roster(tmp_path, "id,remark,name,phone,\nanna,+2d,Anna,1,\nbob,,Bob,2,\n"))
    (note,) = handins.notes
    assert "not used are the columns remark, phone; used are id" in note and "extension" in note
    assert survey(folder, "", roster(tmp_path, "id,extension\nanna,+2d\nbob,\n")).notes == []


def test_where_two_students_could_share_a_name_the_column_is_asked_for(tmp_path: Path) -> None:
    people = roster(tmp_path, "id,name\nanna,Anna Lee\nann2,Lee Anna\nbob,Bob Roe\n")
    folder = export(tmp_path, {"leeanna_5_6_a.zip": "anna", "roebob_7_8_a.zip": "bob"})
    handins = survey(folder, "", people)
    assert [one.student for one in handins.found] == ["bob"]
    assert "fits ann2 and anna in roster.csv; add the column canvas_id" in str(handins.refused[0])
    known = roster(tmp_path, "id,name,canvas_id\nanna,Anna Lee,5\nann2,Lee Anna,6\nbob,Bob Roe,7\n")
    handins = survey(folder, "", known)
    assert [one.student for one in handins.found] == ["anna", "bob"] and not handins.notes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id,name\nanna,A\nANNA,B\n", "line 3: the id ANNA looks like anna, another one"),
        ("id,email\nanna,a@x\nbob,A@x\n", "line 3: the email A@x is anna's already"),
        ("id,canvas_id\nanna,7\nbob,7\n", "the canvas_id 7 is anna's already"),
        ("name,email\nAnna,a@x\n", "must name the columns"),
        ("id,id\nanna,b\n", "must name the columns"),
        ("id,name\n../x,Anna\n", "may hold letters"),
        ("id,name\nanna,Lee, Anna\n", "more values than columns"),
        ("id,name\n", "no students"),
    ],
)
def test_errors_of_a_class_list_are_one_sentence(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(CourseError, match=words):
        read_roster(roster(tmp_path, text))
    with pytest.raises(CourseError, match="there is no file"):
        read_roster(tmp_path / "nowhere.csv")


def test_wrong_folders_are_named(tmp_path: Path) -> None:
    course = tmp_path / "instructor"
    work = course / "submitted" / "root" / NAME
    work.mkdir(parents=True)
    (work / f"{NAME}.ipynb").write_text("{}")
    (course / "gradebook.db").write_text("")
    for path, words in (
        (work.parent, "is one student's folder"),
        (work, "is one student's folder"),
        (course, "is an nbgrader course; give"),
    ):
        with pytest.raises(CourseError, match=words):
            survey(path)
    assert [one.student for one in survey(course, "nbgrader").found] == ["root"]
    kept = export(tmp_path / "submitted", CANVAS)  # somebody keeps exports in a folder of that name
    assert len(survey(kept, "canvas").found) == 2
    inside = tmp_path / "Anna Lee_12_assignsubmission_file_"
    inside.mkdir()
    (inside / "hw.zip").write_bytes(b"")
    with pytest.raises(CourseError, match="lies in Anna Lee_12"):
        survey(inside / "hw.zip")
    with pytest.raises(CourseError, match="no such platform"):
        survey(course, "blackboard")
