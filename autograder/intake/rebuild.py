"""The notebook that is graded: the release's own cells, with the text of the student's answers put into them."""

from __future__ import annotations

import ast
import copy
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from autograder.pages.inert import inert_text
from course_utils.errors import CourseError

OWN = "autograder"  # in metadata of notebooks and cells: what the grader wrote there
PICTURES = "pictures"  # in that of a rebuilt cell: the hash of what was attached
MAX_CELLS = 2_000
# Characters. A syntax tree takes a thousand times the memory of its text; the longest notebook of the course has 90,000.
MAX_CODE_CELL, MAX_CODE = 200_000, 600_000
MAX_TEXT_CELL = 2_000_000  # of a text cell, into which some people paste pictures
MAX_WRITTEN = 20_000  # of a written answer: what shows Markdown can take the square of its length


@dataclass
class Cell:
    """What is believed of a submitted cell: its type and its text. Ids are only clues to where it belongs."""

    kind: str
    text: str
    clues: tuple[str, ...] = ()
    pictures: str = ""  # hash of what is attached


@dataclass
class Found:
    """Where the submitted cells belong: texts by skeleton cell id, extras by the id of the cell they follow."""

    texts: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    extras: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    pictures: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    notes: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def source_of(cell: Mapping[str, Any]) -> str:
    """A cell's source as one string, valid UTF-8, whatever form it was stored in."""
    source = cell.get("source", "")
    text = "".join(part for part in source if isinstance(part, str)) if isinstance(source, list) else source
    text = text if isinstance(text, str) else ""
    # lone surrogates cannot be written to a file: they become question marks
    return text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n")


def grade_id(cell: Mapping[str, Any]) -> str:
    """The id nbgrader gave a cell, or an empty string."""
    metadata = cell.get("metadata")
    mark = metadata.get("nbgrader") if isinstance(metadata, Mapping) else None
    value = mark.get("grade_id") if isinstance(mark, Mapping) else None
    return value if isinstance(value, str) else ""


def read_notebook(data: bytes, name: str) -> list[Cell]:
    """The cells of a submitted notebook.

    Raises:
        CourseError: not JSON, not nbformat 4, too many cells, or more text in them than anybody writes.
    """
    try:
        notebook = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise CourseError(
            f"{name}: not a notebook (it is not valid JSON); save it in JupyterLab and hand in again"
        ) from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or notebook.get("nbformat") != 4:
        raise CourseError(f"{name}: not a notebook of format 4; open and save it in JupyterLab, then hand in again")
    if len(cells) > MAX_CELLS:
        raise CourseError(f"{name}: {len(cells):,} cells, the limit is {MAX_CELLS:,}; delete what was not asked for")
    found = [_cell(cell) for cell in cells if isinstance(cell, dict)]
    require_written(
        (cell.text for cell in found if cell.kind != "code"), name, MAX_TEXT_CELL, MAX_CELLS * MAX_TEXT_CELL
    )
    require_written((cell.text for cell in found if cell.kind == "code"), name)
    return found


def require_written(texts: Iterable[str], name: str, most: int = MAX_CODE_CELL, most_in_all: int = MAX_CODE) -> None:
    """Raise CourseError where the text of cells is longer than what people write: reading it would take the memory."""
    total = 0
    for text in texts:
        total += len(text)
        if len(text) > most:
            raise CourseError(
                f"{name}: a cell of {len(text):,} characters, the limit is {most:,}; put data into a file beside it"
            )
    if total > most_in_all:
        raise CourseError(
            f"{name}: {total:,} characters of code, the limit is {most_in_all:,}; delete what was not asked for"
        )


def _cell(cell: Mapping[str, Any]) -> Cell:
    clues = tuple(clue for clue in (cell.get("id"), grade_id(cell)) if isinstance(clue, str) and clue)
    return Cell(str(cell.get("cell_type")), source_of(cell), clues, _attached(cell))


def _attached(cell: Mapping[str, Any]) -> str:
    """Hash of what is attached to a cell, such as pictures; an empty string where nothing is."""
    found = cell.get("attachments")
    if not found:
        return ""
    # a long text may stand there as one or as its lines
    joined = [
        [name, kind, "".join(map(str, data)) if isinstance(data, list) else data]
        for name, kinds in (sorted(found.items()) if isinstance(found, Mapping) else [("", found)])
        for kind, data in (sorted(kinds.items()) if isinstance(kinds, Mapping) else [("", kinds)])
    ]
    try:
        return hashlib.sha256(json.dumps(joined, sort_keys=True).encode()).hexdigest()[:16]
    except RecursionError:  # no picture
        return "nested"


def pictures_of(cell: Mapping[str, Any]) -> str:
    """Hash of what is, or in a rebuilt notebook was, attached to a cell; an empty string where nothing was."""
    about = cell.get("metadata")
    own = about.get(OWN) if isinstance(about, Mapping) else None
    return _attached(cell) or str(own.get(PICTURES, "") if isinstance(own, Mapping) else "")


def defined_names(text: str) -> set[str]:
    """Functions and classes that a code cell defines at its top level, also when it does not parse."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set(re.findall(r"^(?:async\s+def|def|class)\s+(\w+)", text, re.MULTILINE))
    return {node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}


def assigned_names(text: str) -> set[str]:
    """Every name that a code cell binds at its top level; all of them are counted as unknown if it does not parse."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {"?"}
    names = defined_names(text)
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            names |= {
                part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            }
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Expr):
            names.add("?")
    return names


def first_line(text: str) -> str:
    """The first line that is not blank, in one normal form."""
    return next((" ".join(line.split()).casefold() for line in text.splitlines() if line.strip()), "")


def normal(text: str) -> str:
    """A text without differences of trailing space, for telling copies from changes."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


class Skeleton:
    """The released notebook, indexed by everything that a student's cell can be recognised by.

    Attributes:
        cells: skeleton cells by id, in order.
    """

    def __init__(self, notebook: Mapping[str, Any]) -> None:
        self.notebook = notebook
        self.cells: dict[str, dict[str, Any]] = {}
        for number, cell in enumerate(notebook["cells"]):
            self.cells[str(cell.get("id") or grade_id(cell) or f"cell-{number:03d}")] = cell
        self.code = [key for key, cell in self.cells.items() if cell["cell_type"] == "code"]
        self.by_clue = {key: key for key in self.cells} | {
            grade_id(cell): key for key, cell in self.cells.items() if grade_id(cell)
        }
        self.by_text = {normal(source_of(cell)): key for key, cell in self.cells.items() if self.role(key) == "other"}
        self.names = self._unique(key for key in self.cells if self.role(key) == "answer")
        self.leads = {first_line(source_of(self.cells[key])): key for key in self.cells if self.role(key) == "written"}

    def role(self, key: str) -> str:
        """``answer``, ``written``, ``check`` or ``other``, from the release's own metadata."""
        cell = self.cells[key]
        mark = cell.get("metadata", {}).get("nbgrader", {})
        if mark.get("solution"):
            return "answer" if cell["cell_type"] == "code" else "written"
        return "check" if mark.get("grade") and cell["cell_type"] == "code" else "other"

    def _unique(self, keys: Iterable[str]) -> dict[str, str]:
        owners: dict[str, list[str]] = defaultdict(list)
        for key in keys:
            for name in defined_names(source_of(self.cells[key])):
                owners[name].append(key)
        return {name: found[0] for name, found in owners.items() if len(found) == 1}

    def find(self, cell: Cell) -> str:
        """The id of the skeleton cell that a submitted cell is, or an empty string."""
        for clue in cell.clues:
            if clue in self.by_clue:
                return self.by_clue[clue]
        if cell.kind == "code":
            call = re.search(r"^with check\(\s*[\"'](\w+)[\"']", cell.text, re.MULTILINE)
            if call and f"check-{call[1]}" in self.by_clue:
                return self.by_clue[f"check-{call[1]}"]
            owner = next((self.names[name] for name in sorted(defined_names(cell.text)) if name in self.names), "")
        else:
            owner = self.leads.get(first_line(cell.text), "")
        return owner or self.by_text.get(normal(cell.text), "")


def place(skeleton: Skeleton, cells: Iterable[Cell]) -> Found:
    """Sort the submitted cells to the skeleton's cells; what belongs to none is an extra after its predecessor."""
    found, last, dropped = Found(), "", 0
    for cell in cells:
        key = skeleton.find(cell)
        if key:
            _known(skeleton, found, key, cell)
            last = key
        elif cell.kind == "code" and cell.text.strip():
            found.extras[last].append(cell.text)
        elif cell.text.strip():
            dropped += 1
    if found.lost:
        names = ", ".join(dict.fromkeys(found.lost))
        found.notes.append(f"these cells lost their metadata and were recognised by their content: {names}")
    if dropped:
        found.notes.append(f"{dropped} added text cell{'s' * (dropped > 1)} left out: only answer cells and code count")
    return found


def _known(skeleton: Skeleton, found: Found, key: str, cell: Cell) -> None:
    role = skeleton.role(key)
    changed = normal(cell.text) != normal(source_of(skeleton.cells[key]))
    found.texts[key].append(cell.text)
    if cell.pictures:
        found.pictures[key].append(cell.pictures)
        found.notes.append(f"pictures attached to {key} were left out: see the original hand-in")
    if role == "check" and changed:
        found.notes.append(f"{key} was changed: the released text was put back")
    elif role == "other" and changed and cell.kind == "code":
        # an edit may define helpers that the answers need: the released cell runs, then the edit
        found.extras[key].append(cell.text)
        found.notes.append(f"{key} was changed: the released cell runs first, then the changed text")
    if role in ("answer", "written") and not any(clue in skeleton.by_clue for clue in cell.clues):
        found.lost.append(key)


def choose(key: str, texts: list[str], stub: str, notes: list[str]) -> tuple[str, list[str]]:
    """The answer among several cells of the same id, and earlier ones that define something it does not.

    Identical copies count once; else the last that differs from the stub is the answer.
    """
    distinct = list({normal(text): text for text in texts}.values())
    if len(texts) > 1 and len(distinct) == 1:
        notes.append(f"{key} stood there {len(texts)} times, all the same: counted once")
    written = [text for text in texts if normal(text) != normal(stub)]
    if not written:
        return stub, []
    answer = written[-1]
    if len(distinct) > 1:
        notes.append(
            f"{key} stood there {len(texts)} times with different text: the last one that was filled in counts"
        )
    bound = assigned_names(answer)
    others = {normal(text): text for text in written[:-1] if normal(text) != normal(answer)}
    return answer, [text for text in others.values() if not assigned_names(text) <= bound]


def cut_out(names: set[str], texts: Iterable[str]) -> str:
    """The definitions of ``names`` among other cells (students merge cells), or an empty string."""
    for text in texts:
        if not names & defined_names(text):
            continue
        try:
            nodes = [node for node in ast.parse(text).body if getattr(node, "name", None) in names]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        lines = text.splitlines()
        return "\n\n".join("\n".join(lines[_start(node) - 1 : node.end_lineno]) for node in nodes)
    return ""


def _start(node: ast.stmt) -> int:
    """Line of a definition, decorators included, counted from 1."""
    return min([node.lineno, *(part.lineno for part in getattr(node, "decorator_list", []))])


def rebuild(notebook: Mapping[str, Any], cells: list[Cell], name: str) -> tuple[dict[str, Any], list[str]]:
    """The released notebook with the student's answers, and notes about what had to be mended.

    Args:
        notebook: the release's student version (nbformat 4 JSON).
        cells: what :func:`read_notebook` returned.
        name: file name, for messages.

    Raises:
        CourseError: none of the release's answer cells is in it: another notebook.
    """
    skeleton = Skeleton(notebook)
    found = place(skeleton, cells)
    # a text cell with the id of an answer stands where code is read: what counts is the place, not what the cell says of itself
    require_written((text for key in skeleton.code for text in found.texts.get(key, ())), name)
    mine = [key for key in skeleton.cells if skeleton.role(key) in ("answer", "written")]
    if mine and not any(found.texts.get(key) for key in mine):
        raise CourseError(
            f"{name}: another notebook (none of the {len(mine)} answer cells is in it); hand in the right one"
        )
    built: list[dict[str, Any]] = [_extra(text) for text in found.extras.pop("", [])]
    for key, cell in skeleton.cells.items():
        built += _filled(skeleton, found, key, cell)
        built += [_extra(text) for text in found.extras.pop(key, [])]
    _note_missing(skeleton, found)
    _number(built)
    return {**copy.deepcopy({k: v for k, v in notebook.items() if k != "cells"}), "cells": built}, found.notes


def _filled(skeleton: Skeleton, found: Found, key: str, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
    fresh = copy.deepcopy(dict(cell))
    fresh["source"] = stub = source_of(cell)
    if cell["cell_type"] == "code":
        fresh.update(outputs=[], execution_count=None)
    if skeleton.role(key) not in ("answer", "written"):
        return [fresh]
    texts = list(found.texts.get(key, []))
    if not texts and skeleton.role(key) == "answer":
        merged = cut_out(defined_names(stub), [text for one in skeleton.code for text in found.texts.get(one, ())])
        texts = [merged] if merged else []
        found.notes.append(f"{key} was {'merged into another cell: taken from there' if merged else 'deleted'}")
    elif not texts:
        found.notes.append(f"{key} was deleted")
    if cell["cell_type"] != "code":  # every page that shows the answer gets it like this
        if any(len(text) > MAX_WRITTEN for text in texts):
            found.notes.append(f"{key} is longer than {MAX_WRITTEN:,} characters: the rest was left out")
        texts = [inert_text(text[:MAX_WRITTEN]) for text in texts]
        if pictures := found.pictures.get(key):
            # the pictures are left out; that they are others makes another hand-in
            fresh["metadata"] = {**fresh.get("metadata", {}), OWN: {PICTURES: " ".join(pictures)}}
    fresh["source"], before = choose(key, texts, stub, found.notes)
    return [*(_extra(text) for text in before), fresh]


def _note_missing(skeleton: Skeleton, found: Found) -> None:
    for key in skeleton.cells:
        if skeleton.role(key) == "check" and key not in found.texts:
            found.notes.append(f"{key} was deleted: put back from the release")
        elif skeleton.role(key) == "check" and len(found.texts[key]) > 1:
            found.notes.append(f"{key} stood there {len(found.texts[key])} times: counted once")


def _extra(text: str) -> dict[str, Any]:
    return {"cell_type": "code", "id": "", "metadata": {}, "source": text, "outputs": [], "execution_count": None}


def _number(cells: list[dict[str, Any]]) -> None:
    for number, cell in enumerate((cell for cell in cells if not cell.get("id")), start=1):
        cell["id"] = f"extra-{number:03d}"


def notebook_sha(notebook: Mapping[str, Any]) -> str:
    """Hash of everything in a rebuilt notebook that is the student's: the cells that are not locked, in order.

    Code counts letter by letter: blanks can stand in a text, and IPython reads indented lines otherwise than Python does.
    In text cells trailing space does not count, and what is attached counts.

    nbgrader puts its own text (hidden tests included) into locked cells, so those may not count.
    """
    digest = hashlib.sha256()
    for cell in notebook["cells"]:
        mark = cell.get("metadata", {}).get("nbgrader", {})
        if not mark.get("locked") or mark.get("solution"):
            text = source_of(cell) if cell["cell_type"] == "code" else normal(source_of(cell))
            pictures = [one] if (one := pictures_of(cell)) and cell["cell_type"] != "code" else []
            digest.update(json.dumps([cell["cell_type"], text, *pictures]).encode())
    return digest.hexdigest()
