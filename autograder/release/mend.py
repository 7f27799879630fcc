"""Mended checks taken from the sources into a release in use; its id, its data and what students handed in stay."""

from __future__ import annotations

import copy
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nbformat.notebooknode import NotebookNode, from_dict

from autograder.records import in_points
from autograder.release.gradebook import enter_source
from autograder.release.make import file_sha256, zip_folder
from autograder.release.nbgrader_db import quiet_nbgrader
from autograder.release.read import graded_cells, read_json
from autograder.source.after_restart import unremarked
from autograder.source.build import notebook_bytes, source_notebook, student_notebook
from autograder.source.percent import Source
from autograder.source.visible import entries, problems
from course_utils.checks.casefile import folder_of, text_of
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError


def changed_in_sources(root: Path, source: Source) -> dict[str, list[str]]:
    """Exercises whose check in the sources is another one than in the release, with what differs.

    Args:
        root: the release folder.
        source: the notebook's source as it is now.

    Raises:
        CourseError: exercises came or went, or points changed: these a release in use cannot take; stale visible cases.
    """
    mine, course = _checks(source_notebook(source)), root / "instructor"
    theirs = _checks(read_json(_source_path(root, source.name)))
    texts, points = graded_cells(course, source.name)
    seen = _checks(read_json(root / "student" / "notebooks" / f"{source.name}.ipynb"))
    shown, old, new = _checks(student_notebook(source)), *_cases(root, source)
    _require_same_exercises(mine, theirs, points)
    found: dict[str, list[str]] = {}
    for name, cell in mine.items():
        before = theirs[name]
        parts = {
            "text": {_bare(before), unremarked(texts[f"check-{name}"])} != {_bare(cell)},
            "time limit": before["metadata"]["course"].get("timeout") != cell["metadata"]["course"].get("timeout"),
            "text that students see": _bare(seen[name]) != _bare(shown[name]),
            "visible cases": _kept(old.get(name)) != _kept(new.get(name)),
        }
        if any(parts.values()):
            found[name] = [words for words, differs in parts.items() if differs]
    return found


def take_from_sources(root: Path, source: Source, names: Iterable[str]) -> None:
    """Put the checks of these exercises into the release: gradebook, notebooks, visible cases, students' zip, record.

    Every file is replaced atomically; after an interruption the same call does the rest.

    Raises:
        CourseError: a file cannot be written, or nbgrader refuses the notebook.
    """
    wanted = set(names)
    path = _source_path(root, source.name)
    _replace_checks(path, source_notebook(source), wanted)
    with quiet_nbgrader():
        enter_source(root / "instructor", source.name)
    _replace_checks(root / "student" / "notebooks" / f"{source.name}.ipynb", student_notebook(source), wanted)
    old, new = _cases(root, source)
    fresh = {name: new[name] for name in wanted if name in new}
    if fresh:
        target = folder_of(root / "student" / "data") / f"{source.name}.json"
        write_atomically(target, text_of(source.name, {**old, **fresh}))
    complete(root, source.name)


def unfinished(root: Path, name: str) -> bool:
    """Whether students' zip or the record are not those of the release's files: an interruption left them."""
    part = _source_path(root, name)
    noted = read_json(root / "release.json")["hashes"]
    paths = (root / "student" / "notebooks" / f"{name}.ipynb", folder_of(root / "student" / "data") / f"{name}.json")
    there = [path for path in paths if path.is_file()]
    with zipfile.ZipFile(root / "student.zip") as archive:
        same = all(archive.read(path.relative_to(root).as_posix()) == path.read_bytes() for path in there)
    parts = (part, root / "student.zip")
    return not same or any(noted.get(one.relative_to(root).as_posix()) != file_sha256(one) for one in parts)


def complete(root: Path, name: str) -> None:
    """Make students' zip and the record those of the release's files."""
    aside = root / ".student.zip.next"
    zip_folder(root / "student", aside)
    aside.replace(root / "student.zip")
    _update_record(root, ["student.zip", _source_path(root, name).relative_to(root).as_posix()])


def _source_path(root: Path, name: str) -> Path:
    return root / "instructor" / "source" / name / f"{name}.ipynb"


def _checks(notebook: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The check cells by exercise."""
    cells = [cell for cell in notebook["cells"] if cell["metadata"].get("course", {}).get("role") == "check"]
    return {cell["metadata"]["course"]["exercise"]: cell for cell in cells}


def _text(cell: Mapping[str, Any]) -> str:
    return cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])


def _bare(cell: Mapping[str, Any]) -> str:
    """The cell's text without the remark on restarts, which older releases do not have."""
    return unremarked(_text(cell))


def _cases(root: Path, source: Source) -> tuple[dict[str, Any], dict[str, Any]]:
    """Entries of visible cases, of the release and of the sources."""
    given = source.path.absolute().parents[1] / "data"
    if found := list(problems([source], given)):
        raise CourseError(f"{found[0]}; run python -m autograder build")
    paths = (folder_of(folder) / f"{source.name}.json" for folder in (root / "student" / "data", given))
    old, new = map(entries, paths)
    return old, new


def _kept(entry: Mapping[str, Any] | None) -> dict[str, Any]:
    """An entry without the hash of what it was made from, which changes with code that no case depends on."""
    return {key: value for key, value in (entry or {}).items() if key != "made_from"}


def _require_same_exercises(mine: Mapping[str, Any], theirs: Mapping[str, Any], points: Mapping[str, float]) -> None:
    other = sorted(mine.keys() ^ theirs.keys())
    if other:
        raise CourseError(
            f"{other[0]}: is in the sources or in the release, and not in both; a release keeps its exercises, "
            "so make a new one"
        )
    for name, cell in mine.items():
        now = float(cell["metadata"]["nbgrader"]["points"])
        if now != points.get(f"check-{name}"):
            raise CourseError(
                f"{name}: is worth {in_points(now)} in the sources and {points.get(f'check-{name}', 0):g} in the release; "
                "a release in use keeps its points, so put them back in the sources"
            )


def _replace_checks(path: Path, fresh: NotebookNode, wanted: set[str]) -> None:
    """Write the check cells of these exercises anew; everything else in the notebook stays."""
    notebook, cells = copy.deepcopy(read_json(path)), _checks(fresh)
    notebook["cells"] = [
        {**cell, "source": _text(cells[name]), "metadata": dict(cells[name]["metadata"])}
        if (name := _exercise(cell)) in wanted
        else cell
        for cell in notebook["cells"]
    ]
    write_atomically(path, notebook_bytes(from_dict(notebook)))


def _exercise(cell: Mapping[str, Any]) -> str:
    about = cell["metadata"].get("course", {})
    return str(about["exercise"]) if about.get("role") == "check" else ""


def _update_record(root: Path, parts: Iterable[str]) -> None:
    """Note the new hashes; the release's id names it for the ledger, so it stays."""
    path, aside = root / "release.json", root / ".release.json.next"
    record = read_json(path)
    record["hashes"] |= {part: file_sha256(root / part) for part in parts}
    aside.unlink(missing_ok=True)
    aside.touch(mode=0o600)  # whoever knows the seed can make the answers
    aside.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    aside.replace(path)
