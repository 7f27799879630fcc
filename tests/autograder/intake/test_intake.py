"""Intake: every export is understood, nothing hostile gets in, and a mangled notebook keeps the points of what is sound."""

from __future__ import annotations

import copy
import json
import os
import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.intake.archive import Limits, Meter, safe_name, unzip
from autograder.intake.discover import discover, student_id, take_in
from autograder.intake.rebuild import Cell, notebook_sha, read_notebook, rebuild
from course_utils.errors import CourseError

STUB = 'def {0}(x):\n    raise NotImplementedError("write {0}")'
WRITTEN = "**Your answer · why**\n\n*Write your answer here.*"


def cell(kind: str, key: str, source: str, **mark: Any) -> dict[str, Any]:
    """One nbformat cell with nbgrader's metadata."""
    metadata = {"nbgrader": {"grade_id": key, "schema_version": 3, **mark}} if mark else {}
    extra = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "id": key, "metadata": metadata, "source": source, **extra}


def skeleton() -> dict[str, Any]:
    """A released notebook of two code exercises and a written one."""
    cells = [cell("markdown", "07-001", "# Knowledge"), cell("code", "07-002", "import math")]
    for name in ("london", "paris"):
        cells.append(cell("code", f"answer-{name}", STUB.format(name), grade=False, solution=True, locked=False))
        check = f'with check("{name}") as c:\n    c.equal(student.{name}(1), 2, "add one")'
        cells.append(cell("code", f"check-{name}", check, grade=True, solution=False, locked=True, points=2))
    cells.append(cell("markdown", "written-why", WRITTEN, grade=True, solution=True, locked=False, points=1))
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"name": "python3"}}, "cells": cells}


def solved() -> dict[str, Any]:
    """The same, filled in."""
    notebook = skeleton()
    for one in notebook["cells"]:
        if one["id"].startswith("answer-"):
            one["source"] = f"def {one['id'][7:]}(x):\n    return x + 1"
        if one["id"] == "written-why":
            one["source"] = "**Your answer · why**\n\nBecause."
    return notebook


def by_id(notebook: dict[str, Any]) -> dict[str, str]:
    return {one["id"]: one["source"] for one in notebook["cells"]}


def mend(notebook: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    return rebuild(skeleton(), read_notebook(json.dumps(notebook).encode(), "n.ipynb"), "n.ipynb")


def put(folder: Path, notebook: dict[str, Any] | None = None, name: str = "07_knowledge") -> Path:
    """A hand-in as a folder: notebook and one file in work/."""
    (folder / "work" / name).mkdir(parents=True)
    (folder / f"{name}.ipynb").write_text(json.dumps(notebook or solved()))
    (folder / "work" / name / "p.txt").write_text("Rome\n")
    return folder


def pack(folder: Path, target: Path) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder))
    return target


def take(path: Path, tmp_path: Path, **more: Any) -> Any:
    (found,) = discover(path)
    return take_in(found, "07_knowledge", skeleton(), tmp_path / "dest", **more)


# ---- discovery -------------------------------------------------------------------------------------------------------


def test_folder_of_zips_and_folders(tmp_path: Path) -> None:
    subs = tmp_path / "subs"
    put(subs / "bob")
    pack(put(tmp_path / "a"), subs / "alice.zip")
    assert [f.student for f in discover(subs)] == ["alice", "bob"]


def test_canvas_export_in_one_zip_with_late_and_namesakes(tmp_path: Path) -> None:
    inner = pack(put(tmp_path / "a"), tmp_path / "a.zip").read_bytes()
    names = ["doejane_12_34_07_knowledge.zip", "roe_LATE_9_8_07_knowledge-1.zip", "doejane_77_35_07_knowledge.zip"]
    with zipfile.ZipFile(tmp_path / "submissions.zip", "w") as archive:
        for name in names:
            archive.writestr(name, inner)
    found = discover(tmp_path / "submissions.zip")
    assert [(f.student, f.lms_id) for f in found] == [("doejane_12", "12"), ("doejane_77", "77"), ("roe_9", "9")]
    assert take_in(found[0], "07_knowledge", skeleton(), tmp_path / "d").files.joinpath("p.txt").read_text() == "Rome\n"


def test_canvas_loose_files_of_one_student_belong_together(tmp_path: Path) -> None:
    subs = tmp_path / "subs"
    subs.mkdir()
    for student in ("doe_1", "roe_2"):
        (subs / f"{student}_10_07_knowledge.ipynb").write_text(json.dumps(solved()))
        (subs / f"{student}_11_p.txt").write_text(student)
    found = discover(subs)
    assert [f.student for f in found] == ["doe_1", "roe_2"]
    intake = take_in(found[1], "07_knowledge", skeleton(), tmp_path / "d")
    assert (intake.files / "p.txt").read_text() == "roe_2"


def test_moodle_and_nbgrader_and_gradescope(tmp_path: Path) -> None:
    moodle = tmp_path / "moodle" / "Zoë Müller_123_assignsubmission_file_"
    moodle.mkdir(parents=True)
    pack(put(tmp_path / "a"), moodle / "07_knowledge.zip")
    intake = take(tmp_path / "moodle", tmp_path)
    assert (intake.student, intake.name, intake.lms_id) == ("Zoë_Müller_123", "Zoë Müller", "123")
    put(tmp_path / "submitted" / "carol" / "07_knowledge")
    put(tmp_path / "submitted" / "carol" / "08_other", name="08_other")
    assert take(tmp_path / "submitted", tmp_path).student == "carol"
    scope = tmp_path / "scope" / "assignment_5_export"
    put(scope / "submission_42")
    put(scope / "submission_43")
    entry = (
        "submission_42:\n  :submitters:\n  - :name: Müller, Jr\n    :sid: '7'\n"
        "  :created_at: 2027-01-02 03:04:05.6 -0800\n"
    )
    (scope / "submission_metadata.yml").write_text(entry)
    assert [(f.student, f.name, f.time) for f in discover(tmp_path / "scope")] == [
        ("Müller_Jr_7", "Müller, Jr", "2027-01-02T11:04:05+00:00"),
        ("submission_43", "submission_43", ""),
    ]


def test_one_handin_as_folder_zip_and_notebook(tmp_path: Path) -> None:
    folder = put(tmp_path / "dora")
    assert [f.student for f in discover(folder)] == ["dora"]
    assert [f.student for f in discover(pack(folder, tmp_path / "dora.zip"))] == ["dora"]
    assert [f.student for f in discover(folder / "07_knowledge.ipynb")] == ["07_knowledge"]


def test_nothing_there_is_one_sentence(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(CourseError):
            discover(path)


@given(st.text(min_size=1, max_size=200))
@settings(max_examples=200, deadline=None)
def test_student_ids_are_safe_in_paths(name: str) -> None:
    found = student_id(name)
    assert found and not set("/\\*?[]'\" \n\0") & set(found) and not found.startswith(".")


# ---- hostile archives ------------------------------------------------------------------------------------------------


def archive_with(path: Path, name: str, data: bytes = b"x", mode: int = 0) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("07_knowledge.ipynb", json.dumps(solved()))
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(info, data)
    return path


@pytest.mark.parametrize(
    ("name", "mode", "word"),
    [
        ("../evil.txt", 0, "outside"),
        ("/etc/evil", 0, "outside"),
        ("C:\\evil", 0, "outside"),
        ("a\\..\\..\\evil", 0, "outside"),
        ("link.txt", stat.S_IFLNK | 0o777, "link"),
        ("pipe", stat.S_IFIFO | 0o600, "device"),
        ("07_knowledge.ipynb", 0, "twice"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_hostile_entries_are_refused_and_leave_nothing(tmp_path: Path, name: str, mode: int, word: str) -> None:
    path = archive_with(tmp_path / "eve.zip", name, mode=mode)
    with pytest.raises(CourseError, match=word):
        take(path, tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["eve.zip"]


def test_bombs_are_stopped_by_what_really_comes(tmp_path: Path) -> None:
    bomb = archive_with(tmp_path / "bomb.zip", "big.bin", b"\0" * (40 * 2**20))
    with pytest.raises(CourseError, match="times its size"):
        take(bomb, tmp_path)
    with pytest.raises(CourseError, match="more than 1 files"):
        take(archive_with(tmp_path / "many.zip", "a.txt"), tmp_path, limits=Limits(files=1))
    with pytest.raises(CourseError, match=r"the limit is 10 bytes"):
        take(archive_with(tmp_path / "one.zip", "a.txt", b"12345678901"), tmp_path, limits=Limits(single=10))
    meter = Meter("x", Limits(single=10))
    with pytest.raises(CourseError):  # a header that lies: 5 bytes are claimed, 11 come
        meter.open("a", 5)
        meter.check("a", 11)


def test_a_notebook_of_two_gigabytes_is_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "subs" / "big"
    folder.mkdir(parents=True)
    with (folder / "07_knowledge.ipynb").open("wb") as handle:
        handle.truncate(2 * 2**30)  # sparse: no disk is used
    with pytest.raises(CourseError, match=r"2\.0 GB, the limit is 20\.0 MB; clear its outputs"):
        take(tmp_path / "subs", tmp_path)
    assert not (tmp_path / "dest").exists()


def test_links_in_folders_are_refused(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("another student's work")
    for number, name in enumerate(("work/07_knowledge/p2.txt", "07_knowledge.ipynb", "folder")):
        handin = put(tmp_path / f"subs{number}" / "eve")
        (handin / name).unlink(missing_ok=True)
        (handin / name).symlink_to(tmp_path if name == "folder" else secret)
        with pytest.raises(CourseError, match="link"):
            take(handin.parent, tmp_path)
    pipe = put(tmp_path / "subs9" / "eve")
    os.mkfifo(pipe / "pipe")
    with pytest.raises(CourseError, match="not a regular file"):
        take(pipe.parent, tmp_path)


@pytest.mark.parametrize("name", ["eve.zip", "eve.ipynb", "doejane_4711_900_eve.zip"])
def test_a_pipe_in_place_of_a_hand_in_is_refused_at_once(tmp_path: Path, name: str) -> None:
    (tmp_path / "subs").mkdir()
    os.mkfifo(tmp_path / "subs" / name)
    with pytest.raises(CourseError, match="not a regular file"):
        take(tmp_path / "subs", tmp_path)


def test_broken_archives_are_one_sentence(tmp_path: Path) -> None:
    good = pack(put(tmp_path / "a"), tmp_path / "good.zip").read_bytes()
    broken = {
        "empty.zip": b"",
        "text.zip": b"hello",
        "cut.zip": good[:-40],
        "bits.zip": good[:60] + b"\xff" * 40 + good[100:],
    }
    for name, data in broken.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(CourseError, match=name):
            take(tmp_path / name, tmp_path)
    (tmp_path / "x.rar").write_bytes(b"Rar!")
    with pytest.raises(CourseError, match=r"as \.zip"):
        take(tmp_path / "x.rar", tmp_path)


@given(st.text(max_size=40))
@settings(max_examples=300, deadline=None)
def test_no_name_leaves_the_folder(raw: str) -> None:
    try:
        name = safe_name(raw, "z")
    except CourseError:
        return
    assert (Path("/base") / name).resolve().is_relative_to("/base")


@given(st.binary(max_size=300))
@settings(max_examples=60, deadline=None)
def test_random_bytes_never_crash_unzip(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("z")
    (folder / "a.zip").write_bytes(data)
    with pytest.raises(CourseError):
        unzip(folder / "a.zip", folder / "out")


# ---- rebuilding ------------------------------------------------------------------------------------------------------


def test_a_sound_notebook_comes_through_unchanged_and_without_notes() -> None:
    notebook, notes = mend(solved())
    assert by_id(notebook) == by_id(solved()) and notes == []
    assert [one["metadata"] for one in notebook["cells"]] == [one["metadata"] for one in skeleton()["cells"]]


def test_metadata_and_ids_stripped() -> None:
    damaged = solved()
    for one in damaged["cells"]:
        one["metadata"] = {}
        del one["id"]
    notebook, notes = mend(damaged)
    assert by_id(notebook) == by_id(solved())
    assert any("lost their metadata" in note for note in notes)


def test_forged_metadata_is_dropped() -> None:
    forged = solved()
    for one in forged["cells"]:
        one["metadata"] = {
            **one["metadata"],
            "tags": ["skip-execution"],
            "nbgrader": {"grade_id": one["id"], "points": 99},
        }
    forged["metadata"] = {"kernelspec": {"name": "evil"}}
    notebook, _ = mend(forged)
    assert "skip-execution" not in json.dumps(notebook) and "evil" not in json.dumps(notebook)
    assert [one["metadata"] for one in notebook["cells"]] == [one["metadata"] for one in skeleton()["cells"]]


def test_check_cells_deleted_changed_or_doubled_are_restored() -> None:
    damaged = solved()
    cells = {one["id"]: one for one in damaged["cells"]}
    cells["check-london"]["source"] = "pass"
    damaged["cells"] = [one for one in damaged["cells"] if one["id"] != "check-paris"] + [
        copy.deepcopy(cells["check-london"])
    ]
    loose = copy.deepcopy(cells["check-london"]) | {
        "id": "zz",
        "metadata": {},
        "source": 'with check("london") as c:\n    1',
    }
    damaged["cells"].append(loose)
    notebook, notes = mend(damaged)
    assert by_id(notebook) == by_id(solved())
    assert any("check-paris was deleted" in n for n in notes) and any("check-london was changed" in n for n in notes)


def test_duplicates_the_last_filled_in_counts() -> None:
    base = solved()
    twin = copy.deepcopy(base["cells"][2])
    notebook, notes = mend({**base, "cells": [*base["cells"][:3], twin, *base["cells"][3:]]})
    assert by_id(notebook) == by_id(base) and "all the same" in notes[0]
    other = {**twin, "source": "def london(x):\n    return 1 + x"}
    stub = {**twin, "source": STUB.format("london") + "  \n"}
    notebook, notes = mend({**base, "cells": [*base["cells"][:3], other, stub, *base["cells"][3:]]})
    assert by_id(notebook)["answer-london"] == other["source"] and "last one" in notes[0]
    assert not any(key.startswith("extra") for key in by_id(notebook))


def test_an_earlier_copy_with_a_helper_is_kept_before_the_answer() -> None:
    base = solved()
    first = {**base["cells"][2], "source": "def helper():\n    return 1\ndef london(x):\n    return 0"}
    later = {**base["cells"][2], "source": "def london(x):\n    return x + helper()"}
    notebook, _ = mend({**base, "cells": [*base["cells"][:2], first, later, *base["cells"][3:]]})
    order = [one["id"] for one in notebook["cells"]]
    assert order.index("extra-001") == order.index("answer-london") - 1
    assert by_id(notebook)["extra-001"] == first["source"]


def test_extra_code_stays_at_its_place_and_extra_text_goes() -> None:
    base = solved()
    helper = cell("code", "helper", "def inner(x):\n    return x")
    prose = cell("markdown", "prose", "<script>alert(1)</script>")
    base["cells"][2:2] = [helper, prose]
    notebook, notes = mend(base)
    order = [one["id"] for one in notebook["cells"]]
    assert order[:4] == ["07-001", "07-002", "extra-001", "answer-london"]
    assert notebook["cells"][2]["metadata"] == {} and "script" not in json.dumps(notebook)
    assert any("1 added text cell left out" in note for note in notes)


def test_merged_split_and_deleted_answers() -> None:
    base = solved()
    cells = {one["id"]: one for one in base["cells"]}
    cells["answer-london"]["source"] += "\n\n\n@staticmethod\ndef paris(x):\n    return x + 1"
    base["cells"] = [one for one in base["cells"] if one["id"] != "answer-paris"]
    notebook, notes = mend(base)
    assert by_id(notebook)["answer-paris"] == "@staticmethod\ndef paris(x):\n    return x + 1"
    assert any("merged" in note for note in notes)
    gone = solved()
    gone["cells"] = [one for one in gone["cells"] if one["id"] != "answer-paris"]
    notebook, notes = mend(gone)
    assert by_id(notebook)["answer-paris"] == STUB.format("paris") and "answer-paris was deleted" in notes


def test_an_edited_plain_cell_runs_after_the_released_one() -> None:
    base = solved()
    base["cells"][1]["source"] = "import math\nHELP = 1"
    notebook, notes = mend(base)
    assert [one["source"] for one in notebook["cells"][1:3]] == ["import math", "import math\nHELP = 1"]
    assert any("07-002 was changed" in note for note in notes)


def test_answers_that_do_not_parse_are_still_found() -> None:
    base = solved()
    base["cells"][2].update(id="x", metadata={}, source="def london(x):\n    return (x +")
    notebook, _ = mend(base)
    assert by_id(notebook)["answer-london"].endswith("(x +")


@pytest.mark.parametrize(
    "data",
    [b"", b"\xff\xfe", b"[1]", b'{"cells": []}', b'{"nbformat": 3, "worksheets": []}', b'{"cells": 1, "nbformat": 4}'],
)
def test_not_a_notebook_is_one_sentence(data: bytes) -> None:
    with pytest.raises(CourseError, match="not a notebook"):
        read_notebook(data, "n.ipynb")


def test_deep_json_and_too_many_cells_are_one_sentence() -> None:
    with pytest.raises(CourseError, match="not valid JSON"):
        read_notebook(b"[" * 200_000, "n.ipynb")
    many = json.dumps({"nbformat": 4, "cells": [{}] * 2_001}).encode()
    with pytest.raises(CourseError, match="cells"):
        read_notebook(many, "n.ipynb")


def test_the_wrong_notebook_is_one_sentence() -> None:
    wrong = {"nbformat": 4, "cells": [cell("code", "q", "print(1)")]}
    with pytest.raises(CourseError, match="another notebook"):
        mend(wrong)


def test_odd_cells_do_not_crash() -> None:
    odd = [
        {"cell_type": 3, "source": {"a": 1}, "metadata": []},
        {"source": ["a", 1]},
        {"cell_type": "code", "source": "-" * 99_999},
    ]
    surrogate = {"cell_type": "code", "id": "s", "source": "x = '\ud800'", "metadata": {"nbgrader": 7}}
    base = solved()
    base["cells"] += [*odd, surrogate, 5, None]
    notebook, _ = mend(base)
    json.dumps(notebook, ensure_ascii=False).encode("utf-8")
    assert by_id(notebook)["answer-london"] == by_id(solved())["answer-london"]


@given(st.lists(st.builds(Cell, st.sampled_from(["code", "markdown", "raw"]), st.text(max_size=60)), max_size=8))
@settings(max_examples=100, deadline=None)
def test_whatever_is_added_checks_and_metadata_are_the_releases(cells: list[Cell]) -> None:
    mine = read_notebook(json.dumps(solved()).encode(), "n")
    notebook, _ = rebuild(skeleton(), [*cells, *mine], "n")
    kept = [one for one in notebook["cells"] if not one["id"].startswith("extra-")]
    assert [one["metadata"] for one in kept] == [one["metadata"] for one in skeleton()["cells"]]
    assert by_id(notebook)["check-london"] == by_id(skeleton())["check-london"]


# ---- the whole way ---------------------------------------------------------------------------------------------------


def test_take_in_zip_with_wrapper_folder_and_files(tmp_path: Path) -> None:
    put(tmp_path / "pack" / "my homework")
    (tmp_path / "pack" / "__MACOSX").mkdir()
    (tmp_path / "pack" / "__MACOSX" / "._x.ipynb").write_text("junk")
    intake = take(pack(tmp_path / "pack", tmp_path / "dora.zip"), tmp_path)
    assert sorted(p.name for p in intake.files.rglob("*")) == ["p.txt"]
    assert intake.notebook["cells"][2]["source"].startswith("def london")
    assert intake.received.endswith("+00:00") and intake.archive_time and not (tmp_path / "dest" / "raw").exists()


def test_the_hash_names_the_students_part_only(tmp_path: Path) -> None:
    one = take(put(tmp_path / "s1" / "a").parent, tmp_path)
    dressed = solved()
    dressed["cells"][3]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x"}]
    dressed["metadata"] = {"signature": "x"}
    assert take(put(tmp_path / "s2" / "a", dressed).parent, tmp_path).sha256 == one.sha256
    other = solved()
    other["cells"][2]["source"] += "  # changed"
    assert take(put(tmp_path / "s3" / "a", other).parent, tmp_path).sha256 != one.sha256
    handin = put(tmp_path / "s4" / "a")
    (handin / "work" / "07_knowledge" / "p.txt").write_text("Oslo\n")
    changed = take(handin.parent, tmp_path)
    assert changed.sha256 != one.sha256 and changed.notebook_sha == one.notebook_sha
    hidden = copy.deepcopy(one.notebook)
    hidden["cells"][3]["source"] = "hidden tests stand here after nbgrader's own sanitising"
    assert notebook_sha(hidden) == one.notebook_sha


def test_several_notebooks_take_the_one_of_the_assignment(tmp_path: Path) -> None:
    handin = put(tmp_path / "subs" / "a")
    other = solved()
    other["cells"][2]["source"] = "def london(x):\n    return 'scratch'"
    (handin / "scratch.ipynb").write_text(json.dumps(other))
    intake = take(handin.parent, tmp_path)
    assert "scratch" not in json.dumps(intake.notebook)
    renamed = put(tmp_path / "subs2" / "b")
    (renamed / "07_knowledge.ipynb").rename(renamed / "07_knowledge (1).ipynb")
    assert take(renamed.parent, tmp_path).student == "b"


def test_no_notebook_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "subs" / "a").mkdir(parents=True)
    (tmp_path / "subs" / "a" / "readme.txt").write_text("sorry")
    with pytest.raises(CourseError, match=r"no notebook in the hand-in; expected 07_knowledge\.ipynb"):
        take(tmp_path / "subs", tmp_path)


def test_more_text_than_anybody_writes_is_refused_or_cut() -> None:
    for kind, sizes in (("code", [250_000]), ("code", [150_000] * 5), ("markdown", [3_000_000])):
        cells = [{"cell_type": kind, "source": "a\n" * (size // 2)} for size in sizes]
        with pytest.raises(CourseError, match="the limit is"):
            read_notebook(json.dumps({"nbformat": 4, "cells": cells}).encode(), "x.ipynb")
    mark = {"grade_id": "written-why", "solution": True, "grade": True, "locked": False}
    cell = {"cell_type": "markdown", "id": "written-why", "source": "stub", "metadata": {"nbgrader": mark}}
    book, notes = rebuild({"cells": [cell]}, [Cell("markdown", "a" * 30_000, ("written-why",))], "x.ipynb")
    assert len(book["cells"][0]["source"]) == 20_000 and notes == [
        "written-why is longer than 20,000 characters: the rest was left out"
    ]


@pytest.mark.parametrize("kind", ["markdown", "raw", "code"])
def test_the_limit_of_code_holds_where_code_is_read_whatever_a_cell_calls_itself(kind: str) -> None:
    book = solved()
    answer = next(one for one in book["cells"] if one["id"] == "answer-paris")
    answer.update(cell_type=kind, source="x = 1\n" * 50_000)
    with pytest.raises(CourseError, match="the limit is 200,000"):
        mend(book)
    answer.update(source="")
    book["cells"] = [one for one in book["cells"] if one["id"] != "answer-london"]
    book["cells"][0]["source"] = "def london(x):\n    return 41\n" + "x = 1\n" * 50_000
    fixed, notes = mend(book)
    assert "return 41" not in json.dumps(fixed), "a long text cell is not searched for a lost answer"
    assert "answer-london was deleted" in notes
