"""Exports in which one student's hand-in is named so that it would be taken for another's, or would hide others.

``SPOOFS`` holds pairs (name, build). ``build(folder)`` writes an export and returns a :class:`Case`. Every hand-in says whose
it is (``# by anna``), so that :func:`played` can tell under which id whose work would be graded.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.intake.discover import survey, take_in
from course_utils.errors import CourseError

NAME = "01_attention"
EVE = "eve"  # whoever spoofs
ANSWER = "def attention(x):\n    return x"


@dataclass
class Case:
    """An export and what honest reading makes of it.

    Attributes:
        path: the export.
        honest: ids under which work must be graded, with the person whose work it is. No other person's may stand there.
        entries: how many outcomes there must be: hand-ins and entries that were not understood.
        platform: what ``--from`` says.
        roster: what ``--roster`` says.
        forbidden: ids that no work of Eve's may be graded under, in addition to ``honest``.
    """

    path: Path
    honest: dict[str, str]
    entries: int
    platform: str = ""
    roster: Path | None = None
    forbidden: set[str] = field(default_factory=set)


def notebook(owner: str, metadata: Mapping[str, Any] | None = None) -> bytes:
    """A notebook whose answer says who wrote it."""
    mark = {"grade_id": "answer-attention", "solution": True, "grade": False, "locked": False, "schema_version": 3}
    cell = {"cell_type": "code", "id": "answer-attention", "metadata": {"nbgrader": mark}, "outputs": []}
    cell |= {"execution_count": None, "source": f"{ANSWER}  # by {owner}"}
    whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": dict(metadata or {}), "cells": [cell]}
    return json.dumps(whole).encode()


def packed(files: Mapping[str, bytes]) -> bytes:
    """A zip archive of these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def handin(owner: str, name: str = f"{NAME}.ipynb", metadata: Mapping[str, Any] | None = None) -> bytes:
    """A student's zip."""
    return packed({name: notebook(owner, metadata)})


def export(folder: Path, items: Mapping[str, str | bytes]) -> Path:
    """A folder with an entry per item: zips, notebooks, folders (a name that ends with ``/``); text is the owner's name."""
    top = folder / "export"
    top.mkdir(parents=True)
    for name, what in items.items():
        if name.endswith("/"):
            (top / name).mkdir(parents=True)
            (top / name / f"{NAME}.ipynb").write_bytes(notebook(str(what)))
            continue
        owner = what if isinstance(what, str) else ""
        data = what if isinstance(what, bytes) else notebook(owner) if name.endswith(".ipynb") else handin(owner)
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(data)
    return top


def roster(folder: Path, text: str) -> Path:
    """A class list."""
    path = folder / "roster.csv"
    path.write_text(text, encoding="utf-8")
    return path


def played(case: Case, dest: Path) -> tuple[dict[str, str], int]:
    """Whose work each id would be graded with, and the number of outcomes. A refusal of the whole export counts as none."""
    skeleton = json.loads(notebook("nobody"))
    skeleton["cells"][0]["source"] = "def attention(x):\n    raise NotImplementedError"
    try:
        handins = survey(case.path, case.platform, case.roster, NAME)
    except CourseError:
        return {}, case.entries
    whose = {}
    for number, one in enumerate(handins.found):
        try:
            taken = take_in(one, NAME, skeleton, dest / str(number))
        except CourseError:
            continue
        whose[one.student] = taken.notebook["cells"][0]["source"].rpartition("# by ")[2]
    entries = sum(1 + len(one.more) for one in handins.found) + len(handins.refused)
    return whose, entries


Build = Callable[[Path], Case]
SPOOFS: list[tuple[str, Build]] = []


def spoof(name: str) -> Callable[[Build], Build]:
    """Enter a builder in ``SPOOFS``."""

    def enter(build: Build) -> Build:
        SPOOFS.append((name, build))
        return build

    return enter


def simple(
    name: str,
    items: Mapping[str, str | bytes],
    honest: Mapping[str, str],
    platform: str = "",
    people: str = "",
    forbidden: tuple[str, ...] = (),
) -> None:
    """Enter a spoof that is told by the names of an export alone."""

    @spoof(name)
    def build(folder: Path) -> Case:
        path = export(folder, items)
        known = roster(folder, people) if people else None
        return Case(
            path, dict(honest), len({item.partition("/")[0] for item in items}), platform, known, set(forbidden)
        )


CANVAS = {"annalee_12_34_01_attention.zip": "anna", "roebob_13_35_hw.zip": "bob"}
CANVAS_IDS = {"annalee_12": "anna", "roebob_13": "bob"}
MOODLE = {"Anna Lee_12_assignsubmission_file_01.zip": "anna", "Bob Roe_13_assignsubmission_file_hw.zip": "bob"}
MOODLE_IDS = {"Anna_Lee_12": "anna", "Bob_Roe_13": "bob"}
FOLDERS = {"anna.zip": "anna", "bob.zip": "bob"}
FOLDER_IDS = {"anna": "anna", "bob": "bob"}

# ---- W4: a file named like another platform's, or like another student's, download -------------------------------------

simple(
    "Canvas upload named like Moodle's",
    {**CANVAS, "eve_14_36_x_12_assignsubmission_file_01.zip": EVE},
    {**CANVAS_IDS, "eve_14": EVE},
    forbidden=("x_12", "eve_14_36_x_12"),
)
simple("that upload graded by itself", {"eve_14_36_x_12_assignsubmission_file_01.zip": EVE}, {})
simple(
    "Canvas upload named like another Canvas upload",
    {**CANVAS, "eve_14_36_annalee_12_34_01_attention.zip": EVE},
    {**CANVAS_IDS, "eve_14": EVE},
)
simple(
    "Moodle flat, file named like another's download",
    {**MOODLE, "Eve_14_assignsubmission_file_Anna Lee_12_assignsubmission_file_01.zip": EVE},
    MOODLE_IDS,
    forbidden=("Anna_Lee_12", "Eve_14_assignsubmission_file_Anna_Lee_12"),
)
simple(
    "Moodle flat, file named like the download of one who handed in nothing",
    {**MOODLE, "Eve_14_assignsubmission_file_Carl_15_assignsubmission_file_01.zip": EVE},
    MOODLE_IDS,
    forbidden=("Carl_15", "Eve_14_assignsubmission_file_Carl_15"),
)
simple(
    "Moodle flat, file named like Canvas's",
    {**MOODLE, "Eve_14_assignsubmission_file_annalee_12_34_01.zip": EVE},
    {**MOODLE_IDS, "Eve_14": EVE},
)
simple(
    "Moodle folders, inner file named like another's download",
    {f"{name[:-4]}/": owner for name, owner in MOODLE.items()}
    | {"Eve_14_assignsubmission_file_/Anna Lee_12_assignsubmission_file_01.zip": EVE},
    {**MOODLE_IDS, "Eve_14": EVE},
)
simple("Canvas and Moodle in one folder", {**CANVAS, **MOODLE}, {})
simple("Canvas and Moodle in one folder, said to be Canvas", {**CANVAS, **MOODLE}, CANVAS_IDS, "canvas")

# ---- W5: items that hide others, ids that depend on the batch ----------------------------------------------------------

simple("zips and one loose notebook", {**FOLDERS, "carol.ipynb": "carol"}, {**FOLDER_IDS, "carol": "carol"})
simple("one loose notebook named like the assignment", {**FOLDERS, f"{NAME}.ipynb": EVE}, FOLDER_IDS)
simple("a copy of it", {**FOLDERS, f"{NAME} (1).ipynb": EVE}, FOLDER_IDS, forbidden=(f"{NAME}_1",))
simple("a folder called submitted", {**FOLDERS, "submitted/": EVE}, FOLDER_IDS)
simple("a folder called submitted among folders", {"anna/": "anna", "submitted/": EVE}, {"anna": "anna"})
simple("a zip and a folder of one name", {**FOLDERS, "anna/": EVE}, {"bob": "bob"}, forbidden=("anna", "anna_2"))
simple(
    "a name that a batch would have made",
    {"annalee_12_34_a.zip": "anna", "annalee_13_35_a.zip": "bob", "annalee_12_14_36_a.zip": EVE},
    {"annalee_13": "bob"},
    "canvas",
    forbidden=("annalee_12",),
)
simple("a stray file among Canvas downloads", {**CANVAS, "notes.txt": b"x"}, CANVAS_IDS, "canvas")
simple("zz_honest_2", {"zz_honest.zip": "anna", "zz honest.zip": EVE, "bob.zip": "bob"}, {"bob": "bob"})
simple("a class inside a student's folder", {**FOLDERS, "eve/anna.zip": EVE, "eve/bob.zip": EVE}, FOLDER_IDS)
simple("a folder of an assignment", {**FOLDERS, f"{NAME}/": EVE}, FOLDER_IDS)
simple("Gradescope's top folder among zips", {**FOLDERS, "assignment_5_export/submission_1.zip": EVE}, FOLDER_IDS)


@spoof("one student's folder of nbgrader's submitted")
def inside_submitted(folder: Path) -> Case:
    """``grade submitted/root``: the student's assignments may not become students."""
    path = folder / "submitted" / "root" / NAME
    path.mkdir(parents=True)
    (path / f"{NAME}.ipynb").write_bytes(notebook("root"))
    return Case(path.parent, {}, 1, forbidden={NAME, "root"})


@spoof("a student's zip that holds an export")
def export_inside(folder: Path) -> Case:
    """The zip is given by itself; its content is the student's."""
    inner = packed({name: handin(EVE) for name in CANVAS})
    path = export(folder, {"eve_14_36_hw.zip": inner}) / "eve_14_36_hw.zip"
    return Case(path, {}, 1, forbidden=set(CANVAS_IDS))


# ---- look-alikes and odd characters ------------------------------------------------------------------------------------

simple("a Cyrillic letter", {**FOLDERS, "\u0430nna.zip": EVE}, FOLDER_IDS, forbidden=("\u0430nna",))
simple(
    "all letters Cyrillic, the same look",
    {"coca.zip": "anna", "\u0441\u043e\u0441\u0430.zip": EVE, "bob.zip": "bob"},
    {"bob": "bob"},
)
simple("full-width letters", {**FOLDERS, "\uff41nna.zip": EVE}, FOLDER_IDS)
simple("another case", {**FOLDERS, "ANNA.zip": EVE}, {"bob": "bob"}, forbidden=("ANNA", "anna"))
simple(
    "another case by casefold alone", {"strasse.zip": "anna", "straße.zip": EVE}, {}, forbidden=("straße", "strasse")
)
simple("a decomposed letter", {"zo\u00eb.zip": "anna", "zoe\u0308.zip": EVE, "bob.zip": "bob"}, {"bob": "bob"})
simple("a trailing blank", {**FOLDERS, "anna .zip": EVE}, FOLDER_IDS)
simple("a trailing dot", {**FOLDERS, "anna..zip": EVE}, FOLDER_IDS)
simple("a blank in front", {**FOLDERS, " anna.zip": EVE}, FOLDER_IDS)
simple("dots in a name", {**FOLDERS, "..anna.zip": EVE}, FOLDER_IDS)
simple("a character of no width", {**FOLDERS, "an\u200bna.zip": EVE}, FOLDER_IDS)
simple("a right-to-left mark", {**FOLDERS, "\u202eanna.zip": EVE}, FOLDER_IDS)
simple("a new line", {**FOLDERS, "anna\n.zip": EVE}, FOLDER_IDS)
simple("another case of the ending", {**FOLDERS, "anna.ZIP": EVE}, {"bob": "bob"}, forbidden=("anna",))
simple("a number with a leading zero", {**CANVAS, "eve_012_36_a.zip": EVE}, CANVAS_IDS, "canvas")
simple("digits of another script", {**CANVAS, "eve_\u0661\u0662_36_a.zip": EVE}, CANVAS_IDS, "canvas")
simple("a number of no end", {**CANVAS, f"eve_{'9' * 40}_36_a.zip": EVE}, CANVAS_IDS, "canvas")
simple("the number 0", {**MOODLE, "Eve_0_assignsubmission_file_a.zip": EVE}, MOODLE_IDS, "moodle")
simple(
    "one number, two names",
    {**CANVAS, "eve_12_36_a.zip": EVE},
    {"roebob_13": "bob"},
    forbidden=("eve_12", "annalee_12"),
)
simple("another's upload by a late mark", {**CANVAS, "eve_LATE_14_36_12_34_a.zip": EVE}, {**CANVAS_IDS, "eve_14": EVE})
simple(
    "a notebook that claims another student",
    {**FOLDERS, "eve.zip": handin(EVE, metadata={"student": "anna", "nbgrader": {"student_id": "anna"}})},
    {**FOLDER_IDS, "eve": EVE},
)
simple(
    "an inner file that carries another's name",
    {**FOLDERS, "eve.zip": handin(EVE, f"anna_12_34_{NAME}.ipynb")},
    {**FOLDER_IDS, "eve": EVE},
)
simple(
    "an inner folder called submitted",
    {**FOLDERS, "eve.zip": handin(EVE, f"submitted/anna/{NAME}/{NAME}.ipynb")},
    {**FOLDER_IDS, "eve": EVE},
)


@spoof("entries with NUL and .. in a class's zip")
def hostile_entries(folder: Path) -> Case:
    """Python cuts a name at NUL; ``..`` would leave the folder. Neither costs anna her grade."""
    data = packed({"anna.zip": handin("anna"), "anna.zip@.txt": handin(EVE), "../anna.zip": handin(EVE)})
    data = data.replace(b"anna.zip@.txt", b"anna.zip\0.txt")
    path = folder / "class.zip"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return Case(path, {"anna": "anna"}, 3, "folders")


# ---- against a class list ----------------------------------------------------------------------------------------------

LIST = "id,name,email,canvas_id,moodle_id,sid\nanna,Anna Lee,anna@x.org,12,112,S1\nbob,Bob Roe,bob@x.org,13,113,S2\n"
PLAIN = "id,name\nanna,Anna Lee\nbob,Bob Roe\n"
simple(
    "Canvas number on the class list, file name another's", {**CANVAS, "eve_14_36_anna.zip": EVE}, FOLDER_IDS, "", LIST
)
simple("a hand-in named by another's number", {**FOLDERS, "12.zip": EVE}, FOLDER_IDS, "", LIST)
simple("a hand-in named by another's e-mail", {**FOLDERS, "anna@x.org.zip": EVE}, {"bob": "bob"}, "", LIST, ("anna",))
simple("a hand-in named by another's full name", {**FOLDERS, "Anna Lee.zip": EVE}, {"bob": "bob"}, "", LIST, ("anna",))
simple("a name equal to another's id", {"anna.zip": EVE}, {}, "", "id,name\nbob,anna\nanna,Eve\n", ("anna", "bob"))
simple("a look-alike of the class list", {**FOLDERS, "b\u043eb2.zip": EVE, "bo\u042c.zip": EVE}, FOLDER_IDS, "", PLAIN)
simple("a Canvas name of two people", {"leeanna_14_36_a.zip": EVE}, {}, "", "id,name\nanna,Anna Lee\nann2,Lee Anna\n")
simple("a Moodle number of Canvas", {"Eve_12_assignsubmission_file_a.zip": EVE}, {}, "", LIST, ("anna",))


@spoof("Gradescope's table names two people for one hand-in")
def two_submitters(folder: Path) -> Case:
    """One of them may be an innocent; nobody is graded until it is said who."""
    path = export(folder, {"submission_1/": "anna", "submission_2/": EVE})
    person = "  - :name: {0}\n    :sid: {1}\n    :email: {0}@x.org\n"
    rows = {1: [("anna", "S1")], 2: [("eve", "S3"), ("anna", "S1")]}
    text = "".join(f"submission_{n}:\n  :submitters:\n" + "".join(person.format(*p) for p in rows[n]) for n in rows)
    (path / "submission_metadata.yml").write_text(text)
    return Case(path, {"anna": "anna"}, 2, "", roster(folder, LIST))


@spoof("a Gradescope e-mail of another student")
def crossed_email(folder: Path) -> Case:
    """School id and e-mail that belong to two people fit nobody."""
    path = export(folder, {"submission_1/": EVE})
    text = "submission_1:\n  :submitters:\n  - :name: eve\n    :sid: S1\n    :email: bob@x.org\n"
    (path / "submission_metadata.yml").write_text(text)
    return Case(path, {}, 1, "", roster(folder, LIST), {"anna", "bob"})


@spoof("a school id that YAML would read as another number")
def octal_number(folder: Path) -> Case:
    """0123 is 83 to YAML, and 1_2 is 12."""
    path = export(folder, {"submission_1/": EVE, "submission_2/": EVE, "submission_3/": "anna"})
    rows = ((1, "0123"), (2, "8_3"), (3, "83"))
    text = "".join(f"submission_{n}:\n  :submitters:\n  - :name: x\n    :sid: {sid}\n" for n, sid in rows)
    (path / "submission_metadata.yml").write_text(text)
    return Case(path, {"anna": "anna"}, 3, "", roster(folder, "id,sid\nanna,83\n"))


@spoof("a school id that is another's id, number or e-mail")
def crossed_sid(folder: Path) -> Case:
    """``:sid:`` is compared with the column sid alone."""
    path = export(folder, {f"submission_{n}/": EVE for n in (1, 2, 3)} | {"submission_4/": "bob"})
    sids = {1: "anna", 2: "12", 3: "anna@x.org", 4: "s2"}
    text = "".join(f"submission_{n}:\n  :submitters:\n  - :name: x\n    :sid: {sid}\n" for n, sid in sids.items())
    (path / "submission_metadata.yml").write_text(text)
    people = "id,email,gradescope_id,sid\nanna,anna@x.org,12,S1\nbob,bob@x.org,13,S2\n"
    return Case(path, {"bob": "bob"}, 4, "", roster(folder, people), {"anna"})


@spoof("an e-mail of one whose school id is another")
def other_sid(folder: Path) -> Case:
    """The class list says S1 of anna, the platform S7."""
    path = export(folder, {"submission_1/": EVE})
    text = "submission_1:\n  :submitters:\n  - :name: anna\n    :sid: S7\n    :email: anna@x.org\n"
    (path / "submission_metadata.yml").write_text(text)
    return Case(path, {}, 1, "", roster(folder, LIST), {"anna"})
