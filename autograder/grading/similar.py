"""Equal work within a class: pairs and larger groups of students, with what is equal.

A pair is named for a person to look at; it is not a verdict. Evidence adds up. Right answers of few lines are equal in many
honest classes, so answers count only if they are long, differ from the given stub, and are shared by few. Mistakes count
more than right answers. Weights and files that the release itself contains do not count.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np

LONG_RIGHT, LONG_WRONG = 60, 30  # nodes of a syntax tree from which on an equal answer says something
ENOUGH = 3.0
SEVERAL = 3  # long answers that a larger group must share
SKETCH = 4096
NEAR = 0.9999  # cosine of two models' weights: noise of one percent leaves more
DEVIATIONS = 5  # lines of a file that two share and most of the class does not have
MOST_BYTES = 512 * 2**20
# Students choose what is in their files: what is read of them is bounded as the judge bounds it
MOST_HEADER, MOST_TENSORS, MOST_TEXT, MOST_LINES = 4 * 2**20, 10_000, 16 * 2**20, 100_000


@dataclass
class Work:
    """One student's work.

    Attributes:
        answers: text of the answer cells by exercise.
        right: exercises with all their points.
        files: the folder of handed-in files.
    """

    answers: Mapping[str, str]
    right: set[str] = field(default_factory=set)
    files: Path | None = None


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


Evidence = tuple[tuple[str, ...], float, str]


def _all(
    works: Mapping[str, Work], stubs: Mapping[str, str], files: Mapping[str, dict[str, str]], given: set[str]
) -> Iterable[Evidence]:
    yield from equal_answers(works, stubs)
    yield from equal_notebooks(works, stubs)
    yield from equal_weights(works, files, given)
    yield from equal_lines(works, files, given)


def _few(count: int, size: int) -> bool:
    """Whether so many of a class of this size are few."""
    return 2 <= count <= max(2, size // 10)


# ---- answers ---------------------------------------------------------------------------------------------------------


class _Plain(ast.NodeTransformer):
    """Without docstrings; with local names numbered in the order in which they appear."""

    def __init__(self, *, rename: bool) -> None:
        self.rename = rename
        self.names: dict[str, str] = {}

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
        """A statement that is only a text says nothing."""
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return None
        return self.generic_visit(node)


def normal(source: str, *, rename: bool = True) -> tuple[str, int]:
    """An answer's form without comments, layout, docstrings and annotations of arguments, and its size in nodes.

    Text that is no Python stands for itself, in words.
    """
    try:
        tree = _Plain(rename=rename).visit(ast.parse(source))
        return ast.dump(tree), sum(1 for _ in ast.walk(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        words = source.split()
        return " ".join(words), len(words)


def equal_answers(works: Mapping[str, Work], stubs: Mapping[str, str]) -> Iterable[Evidence]:
    """Long answers that few share: mistakes in any names, right answers with the same names."""
    for exercise in sorted({name for work in works.values() for name in work.answers}):
        stub = normal(stubs.get(exercise, ""))[0]
        groups: dict[tuple[str, bool], list[str]] = defaultdict(list)
        for student, work in works.items():
            right = exercise in work.right
            form, size = normal(work.answers.get(exercise, ""))
            if form == stub or size < (LONG_RIGHT if right else LONG_WRONG):
                continue
            key = normal(work.answers[exercise], rename=False)[0] if right else form
            groups[key, right].append(student)
        for (_, right), students in groups.items():
            if _few(len(students), len(works)):
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
        if len(students) > 1 and not _few(len(students), len(works)):
            words = f"all {len(shared)} long answers of {len(students)} submissions are the same, with the same names"
            yield tuple(sorted(students)), ENOUGH, words


# ---- weights ---------------------------------------------------------------------------------------------------------


def _files(folder: Path | None) -> dict[str, str]:
    """SHA-256 by name of the regular files of a folder; files too large to read are left out."""
    if folder is None or not folder.is_dir():
        return {}
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    return {str(path.relative_to(folder)): _digest(path) for path in paths if 0 < path.stat().st_size <= MOST_BYTES}


def _digest(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def sketch(path: Path) -> tuple[str, np.ndarray] | None:
    """Shapes and a fixed sample of the float32 weights of a safetensors file; None if it is none.

    The sample's places depend on the shapes alone, so two models of one shape are compared at the same places.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        data = memoryview(path.read_bytes())
        size = int.from_bytes(data[:8], "little")
        if size > MOST_HEADER:
            return None
        header = json.loads(bytes(data[8 : 8 + size]))
        tensors = {name: one for name, one in header.items() if name != "__metadata__" and one["dtype"] == "F32"}
        shapes = json.dumps({name: one["shape"] for name, one in sorted(tensors.items())})
        places = [tensors[name]["data_offsets"] for name in sorted(tensors)]
        if not _apart(places):
            return None
        parts = [_values(data[8 + size :], place) for place in places]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return None
    values = np.concatenate([np.zeros(0, np.float32), *parts])
    if len(values) < 16 or not np.isfinite(values).all():
        return None
    draws = np.random.default_rng(len(values)).integers(0, len(values), SKETCH)
    return hashlib.sha256(shapes.encode()).hexdigest(), values[draws].astype(np.float64)


def _apart(places: Sequence[Sequence[int]]) -> bool:
    """Whether no two tensors claim the same bytes, else a small file would be a large model."""
    found = sorted((start, stop) for start, stop in places)
    ordered = all(0 <= start <= stop for start, stop in found)
    return len(found) <= MOST_TENSORS and ordered and all(a[1] <= b[0] for a, b in pairwise(found))


def _values(data: memoryview, place: Sequence[int]) -> np.ndarray:
    return np.frombuffer(data[place[0] : place[1]], np.float32)


def equal_weights(
    works: Mapping[str, Work], files: Mapping[str, dict[str, str]], given: set[str]
) -> Iterable[Evidence]:
    """Models whose weights are equal to the last bit, or so close that one is the other with noise."""
    models: dict[tuple[str, str], list[tuple[str, str, np.ndarray]]] = defaultdict(list)
    for student, work in works.items():
        for name, digest in files[student].items():
            if name.endswith(".safetensors") and digest not in given and work.files is not None:
                found = sketch(work.files / name)
                if found is not None:
                    models[name, found[0]].append((student, digest, found[1]))
    for (name, _), same in models.items():
        yield from _close(name, same, len(works))


def _close(name: str, models: Sequence[tuple[str, str, np.ndarray]], size: int) -> Iterable[Evidence]:
    """Pairs of one file's models. A larger group is named as one, because it often has a common cause, such as a seed."""
    sample = np.stack([values / max(float(np.linalg.norm(values)), 1e-30) for *_, values in models])
    cosines = sample @ sample.T
    groups = set()
    for row, (student, digest, _) in enumerate(models):
        close = np.flatnonzero(cosines[row] >= NEAR)
        if len(close) > 1 and not _few(len(close), size):
            groups.add(tuple(sorted(models[int(column)][0] for column in close)))
            continue
        for column in close[close > row]:
            other, theirs, _ = models[int(column)]
            equal = digest == theirs or cosines[row, column] >= 1 - 1e-12
            words = "equal weights" if equal else f"nearly equal weights (cosine {cosines[row, column]:.6f})"
            yield _ordered(student, other), ENOUGH, f"{name}: {words}"
    for group in sorted(groups):
        yield group, ENOUGH, f"{name}: {len(group)} submissions have the same or nearly the same weights"


def _ordered(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)


# ---- predictions and other files -------------------------------------------------------------------------------------


def equal_lines(works: Mapping[str, Work], files: Mapping[str, dict[str, str]], given: set[str]) -> Iterable[Evidence]:
    """Text files, such as predictions, in which two share lines that most of the class does not have."""
    for name in sorted({name for one in files.values() for name in one}):
        if name.endswith((".safetensors", ".npy", ".npz", ".png")):
            continue
        holders = [student for student in sorted(works) if files[student].get(name, "") not in ("", *given)]
        texts = {student: _lines(works[student].files, name) for student in holders}
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
    """A student's work from the stored result (``store.Stored``)."""
    right = {v.exercise for v in stored.result.verdicts if v.points >= v.max_points}
    return Work(answers_of(stored.intake.notebook), right, Path(stored.intake.files))


def answers_of(notebook: Mapping[str, Any]) -> dict[str, str]:
    """Texts of the answer cells by exercise."""
    cells = {str(cell.get("id", "")): cell.get("source", "") for cell in notebook.get("cells", [])}
    return {
        name.removeprefix("answer-"): "".join(text) if isinstance(text, list) else str(text)
        for name, text in cells.items()
        if name.startswith("answer-")
    }
