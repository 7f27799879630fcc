"""A notebook's first and last cells: where the course is, what a hand-in holds, and one sentence for each mishap."""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
from types import ModuleType

import pytest

from course_utils.checks import selfcheck
from course_utils.errors import CourseError
from course_utils.notebook import session as notebook

NAME = "07_sample"


def cell(role: str, exercise: str, text: str = "") -> dict:
    return {"cell_type": "code", "source": [text], "metadata": {"course": {"role": role, "exercise": exercise}}}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A course folder with data, and its notebooks folder as the current one with a saved notebook in it."""
    root = tmp_path / "course"
    (root / "course_utils").mkdir(parents=True)
    (root / "data").mkdir()
    (root / "notebooks").mkdir()
    cells = [cell("check", "london"), cell("check", "span"), cell("written", "why", notebook.EMPTY_ANSWER)]
    content = {"metadata": {"course": {"notebook": NAME}}, "cells": cells, "nbformat": 4}
    (root / "notebooks" / f"{NAME}.ipynb").write_text(json.dumps(content))
    monkeypatch.chdir(root / "notebooks")
    for name in ("COURSE_DIR", "COURSE_PROFILE", "JPY_SESSION_NAME", "NBGRADER_EXECUTION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(selfcheck, "_statuses", {"london": "passed"})
    monkeypatch.setattr(selfcheck.handin, "folder", None)
    monkeypatch.setattr(notebook, "_current", [])
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    return root


def test_start_finds_data_upwards_and_makes_the_work_folder(place, capsys):
    course = notebook.start(NAME, profile="laptop")
    assert course.data == place / "data"
    assert course.work == place / "notebooks" / "work" / NAME and course.work.is_dir()
    assert course.profile.name == "laptop" and selfcheck.handin.folder == course.work
    report = capsys.readouterr().out
    assert "laptop" in report and "cpu" in report and len(report.splitlines()) == 2


def test_start_obeys_course_dir_and_profile_settings(place, tmp_path, monkeypatch):
    (tmp_path / "elsewhere" / "data").mkdir(parents=True)
    monkeypatch.setenv("COURSE_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("COURSE_PROFILE", "handout")
    course = notebook.start(NAME)
    assert course.data == tmp_path / "elsewhere" / "data" and course.profile.name == "handout"
    monkeypatch.setenv("COURSE_DIR", str(tmp_path / "nowhere"))
    with pytest.raises(CourseError, match="nowhere"):
        notebook.start(NAME)
    with pytest.raises(CourseError, match="no profile 'gpu'"):
        notebook.start(NAME, profile="gpu")


@pytest.mark.parametrize("where", [".", "..", "../notebooks/work"])
def test_work_and_hand_in_lie_beside_the_notebook_wherever_the_kernel_was_started(place, monkeypatch, where):
    (place / "notebooks" / "work").mkdir()
    monkeypatch.chdir(place / "notebooks" / where)
    course = notebook.start(NAME)
    notebook.hand_in(NAME)
    assert course.work == place / "notebooks" / "work" / NAME
    assert (place / "notebooks" / f"{NAME}.zip").is_file()


def test_in_grading_and_for_a_copy_elsewhere_work_lies_in_the_working_folder(place, tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "mine")
    monkeypatch.setenv("COURSE_DIR", str(place))
    (place / "notebooks" / f"{NAME}.ipynb").rename(tmp_path / "mine" / f"{NAME}.ipynb")
    assert notebook.start(NAME).work == tmp_path / "mine" / "work" / NAME
    (tmp_path / "mine" / f"{NAME}.ipynb").rename(place / "notebooks" / f"{NAME}.ipynb")
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert notebook.start(NAME).work == tmp_path / "mine" / "work" / NAME


def test_what_is_not_there_is_named_and_the_rest_is_packed(place, capsys):
    course = notebook.start(NAME)
    (course.work / "out.txt").write_text("Oslo\n")
    notebook.hand_in(NAME, files=["net.safetensors", "out.txt"])
    with zipfile.ZipFile(place / "notebooks" / f"{NAME}.zip") as archive:
        assert archive.namelist() == [f"{NAME}.ipynb", f"work/{NAME}/out.txt", "manifest.json"]
    assert "net.safetensors is not packed" in capsys.readouterr().out


def test_a_work_folder_that_cannot_be_written_is_one_sentence(place):
    (place / "notebooks" / "work").write_text("a file in the way")
    with pytest.raises(CourseError, match="cannot be written"):
        notebook.start(NAME)


def test_a_hand_in_holds_notebook_files_and_manifest(place, capsys):
    course = notebook.start(NAME)
    (course.work / "out.txt").write_text("Oslo\n")
    (course.work / "net.safetensors").write_bytes(b"\0" * 1000)
    capsys.readouterr()
    notebook.hand_in(NAME, files=["out.txt", "net.safetensors"])
    target = place / "notebooks" / f"{NAME}.zip"
    with zipfile.ZipFile(target) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    assert list(held) == [f"{NAME}.ipynb", f"work/{NAME}/out.txt", f"work/{NAME}/net.safetensors", "manifest.json"]
    manifest = json.loads(held.pop("manifest.json"))
    assert {n: hashlib.sha256(d).hexdigest() for n, d in held.items()} == {
        n: f["sha256"] for n, f in manifest["files"].items()
    }
    assert manifest["checks"] == {"london": "passed"} and "torch" in manifest["versions"]
    assert capsys.readouterr().out.splitlines()[:3] == [
        "✓ london: passed",
        "– span: its check was not run since the kernel started",
        "… why: not written yet",
    ]
    first = target.read_bytes()
    notebook.hand_in(NAME, files=["out.txt", "net.safetensors"])
    assert target.read_bytes() == first


def test_a_hand_in_that_cannot_be_complete_keeps_the_earlier_one(place):
    with pytest.raises(CourseError, match="first cell"):
        notebook.hand_in(NAME)
    course = notebook.start(NAME)
    notebook.hand_in(NAME)
    before = (place / "notebooks" / f"{NAME}.zip").read_bytes()
    (course.work / "link.txt").symlink_to("/etc/hostname")
    (place / "secret.txt").write_text("x")
    for name, words in [("link.txt", "link"), ("../../secret.txt", "another folder")]:
        with pytest.raises(CourseError, match=words) as caught:
            notebook.hand_in(NAME, files=[name])
        assert caught.value._render_traceback_() == [str(caught.value)]  # type: ignore[attr-defined]
    assert (place / "notebooks" / f"{NAME}.zip").read_bytes() == before
    assert sorted(path.name for path in (place / "notebooks").iterdir()) == [f"{NAME}.ipynb", f"{NAME}.zip", "work"]


def test_the_notebook_is_found_under_another_name_but_no_other_notebook_is_taken(place, monkeypatch):
    notebook.start(NAME)
    here = place / "notebooks"
    (here / f"{NAME}.ipynb").rename(here / "mine (1).ipynb")
    with pytest.raises(CourseError, match="save the notebook there"):
        notebook.hand_in(NAME)
    monkeypatch.setenv("JPY_SESSION_NAME", str(here / "mine (1).ipynb"))
    assert notebook._notebook_file(NAME, here).name == "mine (1).ipynb"
    other = here / "08_other.ipynb"
    other.write_text(json.dumps({"metadata": {"course": {"notebook": "08_other"}}, "cells": []}))
    monkeypatch.setenv("JPY_SESSION_NAME", str(other))
    with pytest.raises(CourseError):
        notebook._notebook_file(NAME, here)
    vars(sys.modules["__main__"])["__vsc_ipynb_file__"] = str(here / "mine (1).ipynb")
    assert notebook._notebook_file(NAME, here).name == "mine (1).ipynb"
    (here / f"{NAME}.ipynb").write_text('{"cells": [')
    vars(sys.modules["__main__"]).clear()
    with pytest.raises(CourseError, match="not a complete notebook"):
        notebook._notebook_file(NAME, here)


@pytest.fixture
def colab(place, monkeypatch):
    """Colab: the zip is unpacked below the working folder, the notebook is open in the browser and in no file."""
    content = place.parent / "content"
    content.mkdir()
    place = place.rename(content / "student")
    monkeypatch.chdir(content)
    monkeypatch.setattr("sys.path", [str(place), *sys.path])
    monkeypatch.setenv("COURSE_DIR", str(place))
    page = {"ipynb": {"metadata": {"course": {"notebook": NAME}}, "cells": [cell("written", "why", "Mine.")]}}
    downloads: list[str] = []
    modules = {name: ModuleType(name) for name in ("google.colab", "google.colab._message", "google.colab.files")}
    vars(modules["google.colab._message"])["blocking_request"] = lambda what, request, timeout_sec: {"get_ipynb": page}[
        what
    ]
    vars(modules["google.colab.files"])["download"] = downloads.append
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return content, page, downloads, modules


def test_on_colab_the_open_notebook_is_packed_and_downloaded(colab, capsys):
    content, _, downloads, _ = colab
    notebook.start(NAME)
    notebook.hand_in(NAME)
    (zipped,) = downloads
    assert zipped == str(content / "student" / "notebooks" / f"{NAME}.zip")
    with zipfile.ZipFile(zipped) as archive:
        packed = json.loads(archive.read(f"{NAME}.ipynb"))
    assert packed["cells"][0]["source"] == ["Mine."], "not the empty notebook of student.zip"
    out = capsys.readouterr().out
    assert "open in this tab" in out and "downloads it now" in out and "✎ why" in out


def test_on_colab_the_empty_notebook_of_the_zip_is_never_handed_in(colab, capsys):
    content, page, downloads, modules = colab
    notebook.start(NAME)
    for broken in ({}, {"ipynb": {"metadata": {"course": {"notebook": "01_other"}}, "cells": [1]}}):
        page.clear()
        page.update(broken)
        with pytest.raises(CourseError, match="Download"):
            notebook.hand_in(NAME)
    (content / f"{NAME}.ipynb").write_text((content / "student" / "notebooks" / f"{NAME}.ipynb").read_text())
    del vars(modules["google.colab.files"])["download"]
    notebook.hand_in(NAME)  # the file that the student uploaded as the sentence says
    out = capsys.readouterr().out
    assert not downloads and "three dots" in out and f"Taken from {NAME}.ipynb" in out


def test_grading_does_not_hand_in(place, monkeypatch):
    notebook.start(NAME)
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    notebook.hand_in(NAME)
    assert not (place / "notebooks" / f"{NAME}.zip").exists()


def test_saved_answers_are_a_module_in_the_work_folder(place):
    vars(sys.modules["__main__"])["In"] = ["import math\nSTEP = 2\n", "def grow(x):\n    return math.floor(x) + STEP\n"]
    course = notebook.start(NAME)
    path = notebook.save_answers("my_answers.py", ["grow"])
    assert path == course.work / "my_answers.py"
    names: dict = {}
    exec(path.read_text(), names)
    assert names["grow"](1.5) == 3
    for bad in ("../my_answers.py", "answers.txt"):
        with pytest.raises(CourseError, match="plain file name"):
            notebook.save_answers(bad, ["grow"])
    with pytest.raises(CourseError, match="shrink is not defined"):
        notebook.save_answers("my_answers.py", ["shrink"])


def test_waits_for_is_silent_only_when_all_is_well(capsys: pytest.CaptureFixture[str]) -> None:
    with notebook.waits_for("attention"):
        raise NotImplementedError
    assert "solved attention" in capsys.readouterr().out
    with notebook.waits_for("attention"):
        raise ValueError("odd")
    assert "ValueError: odd" in capsys.readouterr().out
    with notebook.waits_for("attention"):
        pass
    assert capsys.readouterr().out == ""


def test_a_cell_without_its_model_says_what_it_waits_for(capsys: pytest.CaptureFixture[str]) -> None:
    with notebook.waits_for("generate"):
        notebook.required(3, "text")
    assert capsys.readouterr().out == ""
    with notebook.waits_for("generate"):
        notebook.required(3, None)
    told = (
        "(This cell runs once you have solved generate and the cells above that train or measure with it have run.)\n"
    )
    assert capsys.readouterr().out == told
