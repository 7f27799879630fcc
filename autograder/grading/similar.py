"""Equal work within a class: pairs and larger groups of students, with what is equal.

A pair is named for a person to look at; it is not a verdict. Evidence adds up. Right answers of few lines are equal in many
honest classes, so answers count only if they are long, differ from the given stub, and are shared by few. Mistakes count
more than right answers. Weights and files that the release itself contains do not count.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

from autograder.grading.models import ENOUGH, MOST_BYTES, Evidence, equal_weights, few
from autograder.intake.rebuild import MAX_CODE, MAX_CODE_CELL, source_of
from course_utils.checks.forbidden import parsed

LONG_RIGHT, LONG_WRONG = 60, 30  # nodes of a syntax tree from which on an equal answer says something
SEVERAL = 3  # long answers that a larger group must share
DEVIATIONS = 5  # lines of a file that two share and most of the class does not have
# Students choose what is in their files: what is read of them is bounded as the judge bounds it
MOST_TEXT, MOST_LINES = 16 * 2**20, 100_000
MOST_READ = 4_000_000  # lines of all files together: a class of 2,000 with 500 predictions each has a quarter of it
COURSE = "course_utils"  # files below it are the course's own
MOST_EFFORT = 1_000_000  # of translating IPython's own lines in one text: characters times such lines
MOST_ADDED = 200  # definitions outside of the answer cells that are looked at


@dataclass
class Work:
    """One student's work.

    Attributes:
        answers: text of the answer cells by exercise.
        right: exercises with all their points.
        files: the folder of handed-in files.
        added: definitions outside of the answer cells, see :func:`added_code`.
    """

    answers: Mapping[str, str]
    right: set[str] = field(default_factory=set)
    files: Path | None = None
    added: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Likeness:
    """Two students, or a larger group, and what is equal; ``weight`` orders them."""

    students: tuple[str, ...]
    weight: float
    evidence: tuple[str, ...]


def similar(works: Mapping[str, Work], stubs: Mapping[str, str], public: Path | None = None) -> list[Likeness]:
    """Students whose equal work is more than honest work usually has in common, the strongest first.

    Args:
        works: by student.
        stubs: text of the answer cells as students get them.
        public: the release's ``student`` folder, whose files everybody has.
    """
    found: dict[tuple[str, ...], list[tuple[float, str]]] = defaultdict(list)
    files = {student: _files(work.files) for student, work in works.items()}
    given = set(_files(public).values()) if public else set()
    for students, weight, words in _all(works, stubs, files, given):
        found[students].append((weight, words))
    alike = [
        Likeness(students, sum(weight for weight, _ in parts), tuple(words for _, words in parts))
        for students, parts in found.items()
    ]
    flagged = [one for one in alike if one.weight >= ENOUGH]
    return sorted(flagged, key=lambda one: (-one.weight, one.students))


def _all(
    works: Mapping[str, Work], stubs: Mapping[str, str], files: Mapping[str, dict[str, str]], given: set[str]
) -> Iterable[Evidence]:
    yield from equal_answers(works, stubs)
    yield from equal_notebooks(works, stubs)
    yield from equal_weights({student: work.files for student, work in works.items()}, files, given)
    yield from equal_lines(works, files, given)


# ---- answers ---------------------------------------------------------------------------------------------------------


class _Plain(ast.NodeTransformer):
    """Without what does nothing; with local names numbered in the order in which they appear."""

    def __init__(self, *, rename: bool) -> None:
        self.rename = rename
        self.names: dict[str, str] = {}
        self.read: set[str] = set()

    def _number(self, name: str) -> str:
        return self.names.setdefault(name, f"v{len(self.names)}") if self.rename else name

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """An argument's name, without its annotation."""
        return ast.arg(self._number(node.arg))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A name that is local if it was an argument or is assigned."""
        local = isinstance(node.ctx, ast.Store) or node.id in self.names
        return ast.Name(self._number(node.id) if local else node.id, node.ctx)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """A statement that is only a text, a number or a name says nothing."""
        return None if isinstance(node.value, ast.Constant | ast.Name) else self.generic_visit(node)

    def visit_Pass(self, node: ast.Pass) -> None:
        """It does nothing."""

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        """What is imported shows where it is used."""

    visit_ImportFrom = visit_Import

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        """A name that nothing reads says nothing."""
        named = [target.id for target in node.targets if isinstance(target, ast.Name)]
        if len(named) == len(node.targets) and isinstance(node.value, ast.Constant) and not self.read & set(named):
            return None
        return self.generic_visit(node)

    def plain(self, tree: ast.Module) -> ast.Module:
        """The whole text."""
        self.read = {
            node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        return ast.Module([kept for node in tree.body if (kept := self.visit(node)) is not None], [])


@lru_cache(maxsize=2**17)  # of a class of thousands every answer is asked for twice; kept is a hash, not the tree
def normal(source: str, *, rename: bool = True) -> tuple[str, int]:
    """A hash of an answer without comments, layout, annotations of arguments and what does nothing, and its size in nodes.

    IPython's own lines are left out. Text that is no Python stands for itself, in words.
    """
    text = "\n".join(line for line in source.split("\n") if not line.lstrip().startswith(("%", "!")))
    found = parsed(text, MOST_EFFORT)
    try:
        if found is not None:
            tree = _Plain(rename=rename).plain(found)
            return _hash(ast.dump(tree)), sum(1 for _ in ast.walk(tree))
    except (ValueError, RecursionError, MemoryError):
        pass
    words = source.split()
    return _hash(" ".join(words)), len(words)


def _hash(form: str) -> str:
    return hashlib.sha256(form.encode("utf-8", "surrogatepass")).hexdigest()


def equal_answers(works: Mapping[str, Work], stubs: Mapping[str, str]) -> Iterable[Evidence]:
    """Long answers that few share: mistakes in any names, right answers with the same names."""
    texts = {student: {**work.answers, **work.added} for student, work in works.items()}
    for exercise in sorted({name for found in texts.values() for name in found}):
        stub = normal(stubs.get(exercise, ""))[0]
        groups: dict[tuple[str, bool], list[str]] = defaultdict(list)
        for student, work in works.items():
            right = exercise in work.right or exercise in work.added
            form, size = normal(texts[student].get(exercise, ""))
            if form == stub or size < (LONG_RIGHT if right else LONG_WRONG):
                continue
            key = normal(texts[student][exercise], rename=False)[0] if right else form
            groups[key, right].append(student)
        for (_, right), students in groups.items():
            if few(len(students), len(works)):
                words = f"{exercise}: the same {'right answer with the same names' if right else 'mistaken answer'}"
                for pair in combinations(sorted(students), 2):
                    yield pair, 1.0 if right else 2.0, words


def equal_notebooks(works: Mapping[str, Work], stubs: Mapping[str, str]) -> Iterable[Evidence]:
    """Larger groups that share every long answer with the same names, and at least three of them."""
    known = {normal(stub, rename=False)[0] for stub in stubs.values()}
    groups: dict[tuple[tuple[str, str], ...], list[str]] = defaultdict(list)
    for student, work in works.items():
        forms = {exercise: normal(text, rename=False) for exercise, text in sorted(work.answers.items())}
        long = tuple((name, f) for name, (f, size) in forms.items() if size >= LONG_RIGHT and f not in known)
        if len(long) >= SEVERAL:
            groups[long].append(student)
    for shared, students in groups.items():
        if len(students) > 1 and not few(len(students), len(works)):
            words = f"all {len(shared)} long answers of {len(students)} submissions are the same, with the same names"
            yield tuple(sorted(students)), ENOUGH, words


# ---- files ------------------------------------------------------------------------------------------------------------


def _files(folder: Path | None) -> dict[str, str]:
    """SHA-256 by name of the regular files of a folder; files too large to read are left out."""
    if folder is None or not folder.is_dir():
        return {}
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    return {str(path.relative_to(folder)): _digest(path) for path in paths if 0 < path.stat().st_size <= MOST_BYTES}


def _digest(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


# ---- predictions and other files -------------------------------------------------------------------------------------


def equal_lines(works: Mapping[str, Work], files: Mapping[str, dict[str, str]], given: set[str]) -> Iterable[Evidence]:
    """Text files, such as predictions, in which two share lines that most of the class does not have."""
    held = Counter(name for one in files.values() for name in one)
    left = MOST_READ
    for name in sorted(held, key=lambda name: (-held[name], name)):  # what many hand in first, for the bound's sake
        if name.endswith((".safetensors", ".npy", ".npz", ".png")):
            continue
        if left <= 0:
            break
        holders = [student for student in sorted(works) if files[student].get(name, "") not in ("", *given)]
        texts = {student: _lines(works[student].files, name) for student in holders}
        left -= sum(map(len, texts.values()))
        for length in {len(text) for text in texts.values()}:
            same = {student: text for student, text in texts.items() if len(text) == length}
            if length >= DEVIATIONS and len(same) > 3:  # of two or three nobody can say what most have
                yield from _unlike(name, same)


def _lines(folder: Path | None, name: str) -> list[str]:
    """The lines of a text file; none if it is no text, or larger than a text that an exercise asks for."""
    try:
        if folder is None or (folder / name).stat().st_size > MOST_TEXT:
            return []
        text = (folder / name).read_text(encoding="utf-8")
        return text.splitlines() if text.count("\n") <= MOST_LINES else []
    except (OSError, UnicodeDecodeError):
        return []


def _unlike(name: str, texts: Mapping[str, list[str]]) -> Iterable[Evidence]:
    usual = [Counter(column).most_common(1)[0] for column in zip(*texts.values(), strict=True)]
    agreed = [line if count > len(texts) / 2 else None for line, count in usual]
    own = {
        student: {n: line for n, line in enumerate(lines) if agreed[n] is not None and line != agreed[n]}
        for student, lines in texts.items()
    }
    for first, second in combinations(sorted(texts), 2):
        both = sum(own[second].get(n) == line for n, line in own[first].items())
        either = len(own[first].keys() | own[second].keys())
        if both >= DEVIATIONS and both >= 0.9 * either:
            words = f"{name}: {both} of {either} lines that are unlike most of the class's are the same"
            yield (first, second), ENOUGH, words


# ---- from the records ------------------------------------------------------------------------------------------------


def work_of(stored: Any) -> Work:
    """A student's work from the stored result (``store.Stored``), with what is defined outside of the answer cells."""
    right = {v.exercise for v in stored.result.verdicts if v.points >= v.max_points}
    files = Path(stored.intake.files)
    return Work(answers_of(stored.intake.notebook), right, files, added_code(stored.intake.notebook, files))


def added_code(notebook: Mapping[str, Any], files: Path | None = None, *, given: bool = False) -> dict[str, str]:
    """Definitions in cells that the student added and in Python files beside the notebook, by a name for the report.

    An answer may stand there as well as in its own cell. They are compared as right answers are, by their names too.

    Args:
        given: of all cells, which is for the notebook as students get it.
    """
    cells = notebook.get("cells", [])
    texts = [source_of(cell) for cell in cells if given or str(cell.get("id", "")).startswith("extra-")]
    if files is not None and files.is_dir():
        paths = [path for path in sorted(files.rglob("*.py")) if path.is_file() and not path.is_symlink()]
        own = [path for path in paths if COURSE not in path.parts and path.stat().st_size <= MAX_CODE_CELL]
        texts += [path.read_text("utf-8", "replace") for path in _affordable(own)]
    found: dict[str, str] = {}
    for text in texts:
        text = text[:MAX_CODE_CELL]
        tree = parsed(text, MOST_EFFORT)
        for node in tree.body if tree is not None else ():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and len(found) < MOST_ADDED:
                found[f"{node.name}, outside of the answers"] = _written(node, text)
    return found


def _written(node: ast.stmt, text: str) -> str:
    """A definition in Python's usual layout; as it stands where Python cannot write it, such as 5,000 hexadecimal digits."""
    try:
        return ast.unparse(node)
    except (RecursionError, ValueError, MemoryError):
        return "\n".join(text.split("\n")[node.lineno - 1 : node.end_lineno])


def _affordable(paths: Iterable[Path]) -> Iterable[Path]:
    """The smallest files, as many as have together no more than a notebook's code may have."""
    total = 0
    for path in sorted(paths, key=lambda one: (one.stat().st_size, one)):
        total += path.stat().st_size
        if total > MAX_CODE:
            return
        yield path


def answers_of(notebook: Mapping[str, Any]) -> dict[str, str]:
    """Texts of the answer cells by exercise."""
    cells = {str(cell.get("id", "")): cell.get("source", "") for cell in notebook.get("cells", [])}
    return {
        name.removeprefix("answer-"): "".join(text) if isinstance(text, list) else str(text)
        for name, text in cells.items()
        if name.startswith("answer-")
    }
