"""A class's one big zip: every upload has an outcome, and what is hostile in one costs nobody else."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.intake.archive import CLASS_LIMITS
from autograder.intake.discover import Handins, survey
from course_utils.errors import CourseError
from tests.autograder.intake.spoofs import EVE, NAME, Case, export, handin, notebook, packed, played

MOODLE = "{}_assignsubmission_file_/hw.zip"
HONEST = {MOODLE.format("Anna Lee_12"): handin("anna"), MOODLE.format("Bob Roe_13"): handin("bob")}
IDS = {"Anna_Lee_12": "anna", "Bob_Roe_13": "bob"}
EVES = "Eve_14_assignsubmission_file_"


def zipped(folder: Path, files: Mapping[str, bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "class.zip").write_bytes(packed(files))
    return folder / "class.zip"


def refused(handins: Handins) -> list[str]:
    return [one.item for one in handins.refused]


# ---- nothing vanishes ------------------------------------------------------------------------------------------------

CANVAS_NAMES = ("hw.ipynb~", "hw.pyc", "x~", "._hw.zip", "venv", "node_modules.zip")


@pytest.mark.parametrize("name", CANVAS_NAMES)
@pytest.mark.parametrize("platform", ["", "canvas"])
def test_a_canvas_upload_never_vanishes(name: str, platform: str, tmp_path: Path) -> None:
    files = {"annalee_12_34_hw.zip": handin("anna"), f"eve_14_36_{name}": handin(EVE)}
    handins = survey(zipped(tmp_path, files), platform)
    assert [one.student for one in handins.found] == ["annalee_12", "eve_14"] and not handins.refused


@pytest.mark.parametrize("who", ["._Eve_14", "Eve~_14", "venv_14", ".git_14", "Eve.pyc_14", "__pycache___14"])
@pytest.mark.parametrize("form", ["{}_assignsubmission_file_/hw.zip", "{}_assignsubmission_file_hw.zip"])
@pytest.mark.parametrize("as_zip", [True, False])
def test_a_moodle_name_never_vanishes(who: str, form: str, as_zip: bool, tmp_path: Path) -> None:
    files = {**HONEST, form.format(who): handin(EVE)}
    handins = survey(zipped(tmp_path, files) if as_zip else export(tmp_path, files), "moodle")
    students = [one.student for one in handins.found]
    assert set(IDS) <= set(students) and len(students) + len(handins.refused) == 3


@pytest.mark.parametrize("name", ["venv", ".git", ".venv", "node_modules", "._carl", "carl~", "x.pyc", "__pycache__"])
@pytest.mark.parametrize("as_zip", [True, False])
def test_a_students_folder_never_vanishes(name: str, as_zip: bool, tmp_path: Path) -> None:
    files = {f"{who}/{NAME}.ipynb": notebook(who) for who in ("anna", "bob", name)}
    case = Case(
        zipped(tmp_path, files) if as_zip else export(tmp_path, files), {"anna": "anna", "bob": "bob"}, 3, "folders"
    )
    whose, entries = played(case, tmp_path / "dest")
    assert entries == 3 and {"anna": "anna", "bob": "bob"}.items() <= whose.items()


def test_what_is_nobodys_is_not_listed(tmp_path: Path) -> None:
    double = b"\x00\x05\x16\x07" + bytes(80)
    names = ["__MACOSX/._x.zip", ".DS_Store", "Thumbs.db", "desktop.ini", ".git/HEAD"]
    files = {**HONEST, **dict.fromkeys(names, b"x"), "._Anna Lee_12_assignsubmission_file_": double}
    for path in (zipped(tmp_path, files), export(tmp_path, files)):
        handins = survey(path, "moodle")
        assert {one.student for one in handins.found} == set(IDS) and not handins.refused


def test_junk_inside_of_a_handin_is_ignored(tmp_path: Path) -> None:
    many = {f"{EVES}/venv/{n}.py": b"" for n in range(2_100)}  # more files than a hand-in may have
    files = {**HONEST, f"{EVES}/hw.zip": handin(EVE), f"{EVES}/hw.zip~": b"", f"{EVES}/.git/../x": b"", **many}
    whose, entries = played(Case(zipped(tmp_path, files), IDS, 3), tmp_path / "dest")
    assert whose == {**IDS, "Eve_14": EVE} and entries == 3


# ---- one student's entry costs one student ---------------------------------------------------------------------------

HOSTILE = {
    "equal but for case": {f"{EVES}/hw.zip": handin(EVE), f"{EVES}/HW.zip": handin(EVE)},
    "a long name": {f"{EVES}/{'x' * 210}.zip": handin(EVE)},
    "a very long name": {f"{EVES}/{'x' * 300}.zip": handin(EVE)},
    "a backslash and ..": {f"{EVES}/a\\..\\..\\Bob Roe_13_assignsubmission_file_\\hw.zip": handin(EVE)},
    "..": {f"{EVES}/../Bob Roe_13_assignsubmission_file_/hw2.zip": handin(EVE)},
    "beside a sound one": {f"{EVES}/hw.zip": handin(EVE), f"{EVES}/../x": b"x"},
    "a file and a folder of one name": {f"{EVES}/a": b"x", f"{EVES}/a/b": b"x", f"{EVES}/hw.zip": handin(EVE)},
    "a bomb": {f"{EVES}/big": bytes(40 * 2**20)},
    "many files": {f"{EVES}/{n}": b"" for n in range(2_100)},
    "deep": {f"{EVES}/{'a/' * 30}x": b""},
}


def hostile_zip(folder: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(folder / "class.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {**HONEST, **files}.items():
            archive.writestr(name, data)
    return folder / "class.zip"


@pytest.mark.parametrize("platform", ["", "moodle"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_entry_costs_its_own_student(kind: str, platform: str, tmp_path: Path) -> None:
    path = hostile_zip(tmp_path, HOSTILE[kind])
    handins = survey(path, platform)
    assert refused(handins) == [EVES] and "cannot be graded as Eve_14" in str(handins.refused[0])
    whose, _ = played(Case(path, IDS, 3, platform), tmp_path / "dest")
    assert whose == IDS


def test_a_student_called_b_colon(tmp_path: Path) -> None:
    name = "B: Smith_14_assignsubmission_file_"
    handins = survey(hostile_zip(tmp_path, {f"{name}/hw.zip": handin(EVE)}))
    assert refused(handins) == [name] and {one.student for one in handins.found} == set(IDS)


def test_links_and_damage_cost_one_student(tmp_path: Path) -> None:
    path = hostile_zip(tmp_path, {})
    with zipfile.ZipFile(path, "a") as archive:
        link = zipfile.ZipInfo(f"{EVES}/hw.ipynb")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "../Bob Roe_13_assignsubmission_file_/hw.zip")
        archive.writestr("Carl_15_assignsubmission_file_/hw.txt", b"carl's own words")
    path.write_bytes(path.read_bytes().replace(b"carl's own words", b"carl's lost words"[:16]))
    handins = survey(path)
    assert refused(handins) == ["Carl_15_assignsubmission_file_", EVES]
    assert {one.student for one in handins.found} == set(IDS)


def test_one_bad_upload_costs_all_of_its_students(tmp_path: Path) -> None:
    """The file that cannot be read may be the one that counts."""
    files = {"annalee_12_34_hw.zip": handin("anna"), "eve_14_36_hw.zip": handin(EVE), "eve_14_37_a\\..\\x.zip": b"x"}
    handins = survey(zipped(tmp_path, files))
    assert [one.student for one in handins.found] == ["annalee_12"]
    assert refused(handins) == ["eve_14_36_hw.zip", "eve_14_37_a"]


def test_folders_and_gradescope_too(tmp_path: Path) -> None:
    scope = {f"assignment_5_export/submission_{n}/{NAME}.ipynb": notebook("x") for n in (1, 2)}
    handins = survey(zipped(tmp_path / "a", {**scope, "assignment_5_export/submission_3/a\\..\\..\\b": b"x"}))
    assert [one.student for one in handins.found] == ["submission_1", "submission_2"]
    assert refused(handins) == ["submission_3"]
    folders = {f"{who}/{NAME}.ipynb": notebook(who) for who in ("anna", "bob")}
    handins = survey(zipped(tmp_path / "b", {**folders, f"eve/{NAME}.ipynb": b"x", "eve/../anna/x": b"x"}), "folders")
    assert [one.student for one in handins.found] == ["anna", "bob"] and refused(handins) == ["eve"]


def test_an_entry_of_nobody_is_listed(tmp_path: Path) -> None:
    handins = survey(zipped(tmp_path, {**HONEST, "../x.zip": b"x"}))
    assert {one.student for one in handins.found} == set(IDS) and refused(handins) == ["../x.zip"]
    long = f"Carl_15_assignsubmission_file_{'x' * 300}.zip"
    handins = survey(zipped(tmp_path, {**HONEST, long: b"x"}))
    assert len(handins.found) == 2 and handins.refused[0].item == long[:80]


def test_a_students_own_hostile_zip_stays_one_handin(tmp_path: Path) -> None:
    (tmp_path / "eve.zip").write_bytes(packed({f"{NAME}.ipynb": notebook(EVE), "../x": b"x"}))
    whose, entries = played(Case(tmp_path / "eve.zip", {}, 1), tmp_path / "dest")
    assert whose == {} and entries == 1
    (tmp_path / "no.zip").write_bytes(b"no zip")
    with pytest.raises(CourseError, match="not a sound zip"):
        survey(tmp_path / "no.zip", "moodle")


# ---- a class of one ----------------------------------------------------------------------------------------------------

ONE = {
    "an archive": ({"anna.zip": handin("anna")}, "anna"),
    "an archive and what systems leave": ({"anna.zip": handin("anna"), ".DS_Store": b"x"}, "anna"),
    "an archive in the class's own folder": ({"class/anna.zip": handin("anna")}, "anna"),
    "a folder": ({f"anna/{NAME}.ipynb": notebook("anna")}, "anna"),
    "a folder in the class's own folder": ({f"class/anna/{NAME}.ipynb": notebook("anna")}, "anna"),
    "a notebook": ({"anna.ipynb": notebook("anna")}, "anna"),
    "the assignment's own notebook": ({f"{NAME}.ipynb": notebook("anna")}, "class"),
    "the assignment's own notebook in a folder": ({f"class/{NAME}.ipynb": notebook("anna")}, "class"),
}


@pytest.mark.parametrize("kind", ONE)
def test_a_class_of_one_is_a_class_where_it_is_said_to_be_one(kind: str, tmp_path: Path) -> None:
    files, student = ONE[kind]
    whose, entries = played(Case(zipped(tmp_path, files), {}, 1, "folders"), tmp_path / "dest")
    assert whose == {student: "anna"} and entries == 1


def test_two_notebooks_are_two_students_in_a_class(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"anna.ipynb": notebook("anna"), "bob.ipynb": notebook("bob")})
    whose, _ = played(Case(path, {}, 2, "folders"), tmp_path / "dest")
    assert whose == {"anna": "anna", "bob": "bob"}


# ---- names that the system does not take ------------------------------------------------------------------------------

LONG = {
    "letters of one byte": "x" * 245,
    "letters of three bytes": "漢" * 80,
    "an assignment's number in front": "01_" + "x" * 248,
}


@pytest.mark.parametrize("name", LONG.values(), ids=LONG)
@pytest.mark.parametrize("platform", ["folders", "nbgrader"])
def test_the_longest_names_have_an_outcome(name: str, platform: str, tmp_path: Path) -> None:
    """The id is so short that every file made from it has a name that the system takes."""
    path = export(tmp_path, {f"{name}/": "eve", "anna/": "anna"})
    handins = survey(path, platform, assignment=NAME)
    assert len(handins.found) + len(handins.refused) == 2 and "anna" in [one.student for one in handins.found]
    assert all(len(f"{one.student}.json.next.tmp".encode()) < 200 for one in handins.found)


def test_gradescopes_longest_names_make_short_ids(tmp_path: Path) -> None:
    path = export(tmp_path, {"submission_1/": "eve"})
    (path / "submission_metadata.yml").write_text(
        f"submission_1:\n  :submitters:\n  - :name: {'漢' * 90}\n    :email: {'é' * 90}@x.org\n", encoding="utf-8"
    )
    (found,) = survey(path).found
    assert len(found.student.encode()) < 200


@pytest.mark.parametrize("platform", ["", "folders", "canvas", "nbgrader"])
def test_a_path_that_the_system_does_not_take_is_one_sentence(platform: str, tmp_path: Path) -> None:
    with pytest.raises(CourseError, match=r"cannot be read \(File name too long\)"):
        survey(tmp_path / ("y" * 300), platform)


@pytest.mark.parametrize("top", ["", "assignment_5_export/"])
def test_many_files_of_one_student_cost_nobody_else(top: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.intake.classzip.CLASS_LIMITS", replace(CLASS_LIMITS, files=3000))
    scope = {f"{top}submission_{n}/{NAME}.ipynb": notebook("x") for n in (1, 2, 3)}
    many = {f"{top}submission_3/f{n}": b"" for n in range(4000)}
    handins = survey(zipped(tmp_path, {**scope, **many}))
    assert [one.student for one in handins.found] == ["submission_1", "submission_2"]
    assert refused(handins) == ["submission_3"] and "more than 2,000 files" in handins.refused[0].reason
