"""Functions for a notebook's first and last cells: find the course's files, save answers as a module, hand in one zip."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import platform
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from course_utils.checks import selfcheck
from course_utils.checks.answers import answer_module, namespace
from course_utils.config import PROFILES, Profile, detect_profile
from course_utils.config import profile as profile_named
from course_utils.device import pick_device
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError
from course_utils.notebook.missing import explain_names, sentence

EMPTY_ANSWER = "*Write your answer here.*"
SIGNS = {"passed": "✓", "partial": "✓", "failed": "✗", "unsolved": "…"}
ZIP_DATE = (2000, 1, 1, 0, 0, 0)  # the same work gives the same bytes


class NotebookError(CourseError):
    """A CourseError that a notebook shows as its one sentence, without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


@dataclass(frozen=True)
class Course:
    """Where a notebook finds things.

    Attributes:
        notebook: the notebook's name, e.g. ``"07_knowledge"``.
        data: the course's data folder.
        work: ``work/<notebook>/`` beside the notebook, for what the notebook writes and hands in.
        profile: the settings for this machine.
        device: where models train.
    """

    notebook: str
    data: Path
    work: Path
    profile: Profile
    device: torch.device


_current: list[Course] = []


def start(notebook: str, profile: str | None = None) -> Course:
    """Find the data, make the work folder, pick profile and device, and print a short report.

    Args:
        profile: a profile's name; None picks it by the machine (or by ``COURSE_PROFILE``).

    Raises:
        CourseError: no data folder, a work folder that cannot be written, or no such profile.
    """
    settings = profile_named(profile) if profile else detect_profile()
    data = _data_folder()
    course = Course(notebook, data, _work_folder(notebook, data), settings, pick_device("auto"))
    _current[:] = [course]
    selfcheck.handin.folder = course.work
    selfcheck.place.data, selfcheck.place.notebook = course.data, notebook
    if "IPython" in sys.modules and (shell := sys.modules["IPython"].get_ipython()) is not None:
        explain_names(shell, _where_made)
    chip = (
        torch.cuda.get_device_name(course.device)
        if course.device.type == "cuda"
        else f"{torch.get_num_threads()} threads"
    )
    print(f"{notebook} · profile {settings.name} (of {', '.join(PROFILES)}) · {course.device.type}, {chip}")
    print(f"data: {course.data} · your work: {course.work}")
    return course


def _data_folder() -> Path:
    """The data folder: in COURSE_DIR, else beside the first ``course_utils`` upwards from here, else beside this package."""
    here = Path.cwd()
    named = os.environ.get("COURSE_DIR")
    beside = Path(__file__).resolve().parents[2]
    upwards = [place for place in (here, *here.parents) if (place / "course_utils").is_dir()]
    for place in [Path(named)] if named else [*upwards, beside]:
        if (place / "data").is_dir():
            return (place / "data").resolve()
    where = f"in {named} (COURSE_DIR)" if named else f"in {here} or above"
    raise NotebookError(f"The course's data folder is not {where}: unpack student.zip and open the notebook inside it.")


def _home(notebook: str, data: Path) -> Path:
    """Where the notebook's files lie: the course's notebooks folder if the notebook is there, else the working folder.

    Editors start kernels in different folders (JupyterLab beside the notebook, VS Code as it is set), and trainings of
    one must be found by the other. The grader's sandbox has its files in the working folder.
    """
    beside = data.parent / "notebooks"
    graded = being_graded() or os.environ.get("NBGRADER_EXECUTION") == "autograde"
    return beside if not graded and (beside / f"{notebook}.ipynb").is_file() else Path.cwd()


def _work_folder(notebook: str, data: Path) -> Path:
    folder = _home(notebook, data) / "work" / notebook
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise NotebookError(
            f"The folder {folder} cannot be written ({error.strerror}): move the course to a folder of your own."
        ) from error
    return folder


def _course(notebook: str | None = None) -> Course:
    if not _current or (notebook and _current[0].notebook != notebook):
        raise NotebookError(f"Run the notebook's first cell{f' (of {notebook})' if notebook else ''} before this one.")
    return _current[0]


def save_answers(path: str, names: Iterable[str]) -> Path:
    """Write the notebook's classes and functions of these names, with what they need, to ``work/<notebook>/<path>``.

    The module can then be imported without the notebook, for example by ``course_utils.cli``. Returns its path.

    Raises:
        CourseError: a name is not defined, or needs a notebook variable that is no plain constant.
    """
    course, names = _course(), list(names)
    if Path(path).name != path or not path.endswith(".py"):
        raise NotebookError(f"{path}: give a plain file name that ends in .py, without a folder")
    try:
        text = answer_module(names)
    except CourseError as error:
        raise NotebookError(str(error)) from None
    write_atomically(course.work / path, f'"""Saved from {course.notebook}: {", ".join(names)}."""\n\n{text}')
    print(f"{', '.join(names)} saved to {course.work / path}")
    return course.work / path


def hand_in(notebook: str, files: Sequence[str] = ()) -> None:
    """Print the table of checks and write ``<notebook>.zip``: the notebook as last saved, and files of the work folder.

    On Colab it is the notebook that is open in the browser, and the zip is downloaded.

    Nothing is run again. The zip holds ``<notebook>.ipynb``, ``work/<notebook>/<file>`` and ``manifest.json`` with
    sizes, SHA-256 and versions. Files that are not there are left out and named: the other exercises still count.

    Raises:
        CourseError: the notebook is missing, or a file is a link.
    """
    course = _course(notebook)
    home = _home(notebook, course.data)
    target = home / f"{notebook}.zip"
    if os.environ.get("NBGRADER_EXECUTION") == "autograde":
        print("Handing in is left out while a submission is graded.")
        return
    content, taken = _saved(notebook, home)
    found = {name: _part(course.work, name) for name in files}
    there = {f"work/{notebook}/{name}": data for name, data in found.items() if data is not None}
    parts = {f"{notebook}.ipynb": content} | there
    parts["manifest.json"] = _manifest(notebook, parts)
    _write_zip(target, parts)
    print("\n".join(_table(json.loads(content))))
    for name in (name for name, data in found.items() if data is None):
        print(
            f"{name} is not packed, since it is not in {course.work}: run the cell that writes it, then this one again."
        )
    print(taken)
    print(f"Hand in this one file: {target} ({target.stat().st_size / 1e6:.1f} MB)")
    if _on_colab():
        _download(target)


def _on_colab() -> bool:
    return "google.colab" in sys.modules


def _saved(notebook: str, home: Path) -> tuple[bytes, str]:
    """The notebook with the student's answers, and a sentence on where it was taken from."""
    if _on_colab() and (shown := _open_on_colab(notebook)) is not None:
        return shown, "Taken from the notebook as it is open in this tab."
    source = _notebook_file(notebook, home)
    words = (
        f"Taken from {source.name} as you last saved it. If you changed it since: save (Ctrl-S), run this cell again."
    )
    return source.read_bytes(), words


def _open_on_colab(notebook: str) -> bytes | None:
    """The notebook that is open in the browser, which Colab's page gives; None if it gives none or another one.

    Colab has no file of it: what lies in the course's notebooks folder is the empty notebook of student.zip.
    """
    try:
        message = importlib.import_module("google.colab._message")
        content = message.blocking_request("get_ipynb", request="", timeout_sec=30)["ipynb"]
        if content["metadata"].get("course", {}).get("notebook", notebook) != notebook or not content["cells"]:
            return None
        return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()
    except Exception:  # not a documented interface: without it the student downloads the notebook, as is said then
        return None


def _download(target: Path) -> None:
    """Let the browser download the hand-in; say where it is if that fails."""
    try:
        importlib.import_module("google.colab.files").download(str(target))
        print("Your browser downloads it now. If it asks, allow it.")
    except Exception:  # in Colab's own words, which name no remedy
        print("Download it: folder symbol on the left, the three dots beside the file, Download.")


def _notebook_file(notebook: str, home: Path) -> Path:
    """The file of this notebook: as VS Code or JupyterLab names it, else by its name in its home or here."""
    named = [namespace().get("__vsc_ipynb_file__"), os.environ.get("JPY_SESSION_NAME")]
    folders = (Path.cwd(),) if _on_colab() else (home, Path.cwd())  # on Colab the one in home is that of student.zip
    named += [str(folder / f"{notebook}.ipynb") for folder in folders]
    for name in named:
        if isinstance(name, str) and name.endswith(".ipynb") and _is_notebook(Path(name), notebook):
            return Path(name)
    if _on_colab():
        raise NotebookError(
            "On Colab: choose File > Download > Download .ipynb, upload that file here (folder symbol on the left) "
            f"as {notebook}.ipynb, and run this cell again."
        )
    raise NotebookError(f"{notebook}.ipynb is not in {home}: save the notebook there under this name.")


def _where_made(name: str) -> str:
    """Which cell of the current notebook makes a name; "" if that is not known, and while a submission is graded."""
    if not _current or being_graded() or os.environ.get("NBGRADER_EXECUTION"):
        return ""
    course = _current[0]
    try:
        path = _notebook_file(course.notebook, _home(course.notebook, course.data))
    except NotebookError:  # Colab has no file of the notebook, but the course's own
        path = course.data.parent / "notebooks" / f"{course.notebook}.ipynb"
    return sentence(name, path)


def _is_notebook(path: Path, notebook: str) -> bool:
    """Whether the file is this course notebook; a kernel may inherit another notebook's name from its environment."""
    if path.is_symlink() or not path.is_file():
        return False
    try:
        content = json.loads(path.read_bytes())
        return content["metadata"].get("course", {}).get("notebook", path.stem) == notebook
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise NotebookError(f"{path} is not a complete notebook: save it again.") from None


def _part(folder: Path, name: str) -> bytes | None:
    """A file's bytes; None if it is not there."""
    path = folder / name
    if Path(name).name != name or path.is_symlink():
        raise NotebookError(f"{name} is a link or lies in another folder: hand in plain files of {folder} only.")
    return path.read_bytes() if path.is_file() else None


def _manifest(notebook: str, parts: dict[str, bytes]) -> bytes:
    files = {name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in parts.items()}
    versions = {"python": platform.python_version(), "torch": torch.__version__, "course": _course_version()}
    record = {"notebook": notebook, "files": files, "versions": versions, "checks": selfcheck.statuses()}
    return (json.dumps(record, indent=2, sort_keys=True) + "\n").encode()


def _course_version() -> str:
    try:
        return version("transformers-by-building")
    except PackageNotFoundError:
        return "unpacked"  # not installed: run from the folder that the student unpacked


def _write_zip(target: Path, parts: dict[str, bytes]) -> None:
    """Write all parts into one zip and replace the target atomically."""
    aside = target.with_name(f".{target.name}.part")
    try:
        with aside.open("wb") as file:
            with zipfile.ZipFile(file, "w") as archive:
                for name, data in parts.items():
                    # trained weights do not compress
                    method = zipfile.ZIP_STORED if name.endswith(".safetensors") else zipfile.ZIP_DEFLATED
                    archive.writestr(zipfile.ZipInfo(name, ZIP_DATE), data, method)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(target)
    except OSError as error:
        raise NotebookError(
            f"{target} cannot be written ({error.strerror}): free some space or move the course."
        ) from error
    finally:
        aside.unlink(missing_ok=True)


def _table(content: dict[str, Any]) -> Iterator[str]:
    """One line per exercise of the notebook: the status of its visible check, or whether a written answer is there."""
    done = selfcheck.statuses()
    for cell in content.get("cells", []):
        about = cell.get("metadata", {}).get("course", {})
        exercise, role = about.get("exercise", ""), about.get("role")
        if role == "check":
            status = done.get(exercise, "")
            yield f"{SIGNS.get(status, '–')} {exercise}: {status or 'its check was not run since the kernel started'}"
        elif role == "written":
            empty = EMPTY_ANSWER in "".join(cell.get("source", ""))
            yield f"{'…' if empty else '✎'} {exercise}: {'not written yet' if empty else 'written, marked by hand'}"


@contextmanager
def waits_for(*exercises: str) -> Iterator[None]:
    """Run a demonstration that calls the student's answers; while one is missing or broken, say so in one line."""
    names = " and ".join(exercises)
    try:
        yield
    except NotMade as missing:
        print(f"(This cell runs once you have solved {names} and {missing}.)")
    except NotImplementedError:
        print(f"(This cell runs once you have solved {names}.)")
    except Exception as error:  # an incorrect answer may fail in any way, and the notebook must run on
        told = _where_made(error.name or "") if type(error) is NameError else ""
        advice = told or f"Look at the check of {names} first."
        print(f"(This cell stopped with {type(error).__name__}: {error}. {advice})")


class NotMade(NotImplementedError):
    """What a cell shows is not there yet, since no cell above has trained, measured or read it."""


def required(*made: object) -> None:
    """Raise NotMade, which :func:`waits_for` reports, if one of these is None."""
    if any(one is None for one in made):
        raise NotMade("the cells above that train or measure with it have run")


def being_graded() -> bool:
    """Whether a grader runs the notebook; then submitted files are loaded and nothing is trained."""
    return os.environ.get("COURSE_GRADING") == "1"
