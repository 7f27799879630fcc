"""Equal work within a class: pairs and larger groups of students, with what is equal.

A pair is named for a person to look at; it is not a verdict. Evidence adds up. Right answers of few lines are equal in many
honest classes, so answers count only if they are long, differ from the given stub, and are shared by few. Mistakes count
more than right answers. Weights and files that the release itself contains do not count.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from autograder.grading.models import ENOUGH, MOST_BYTES, Evidence, equal_weights, few
from autograder.grading.similar_code import ELSEWHERE, LONG_RIGHT, Form, Formed, added_code, answers_of, formed, normal

__all__ = ["Likeness", "Work", "added_code", "alike", "answers_of", "given_forms", "normal", "similar"]
LONG_WRONG = 30  # nodes of a syntax tree from which on an equal mistake says something
LONG_SHAPE = 120  # nodes from which on right code says something that is equal but for its names
SAME_NAMES, OTHER_NAMES = "with the same names", "but for local names"
SEVERAL = 3  # long answers that a larger group must share
DEVIATIONS = 5  # lines of a file that two share and most of the class does not have
# Students choose what is in their files: what is read of them is bounded as the judge bounds it
MOST_TEXT, MOST_LINES = 16 * 2**20, 100_000
MOST_READ = 4_000_000  # lines of all files together: a class of 2,000 with 500 predictions each has a quarter of it


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
    """As :func:`alike`, of texts that are read in this process; see there.

    Args:
        works: by student.
        stubs: text of the answer cells, and of :func:`added_code`, as students get them.
        public: the release's ``student`` folder, whose files everybody has.
    """
    return alike(
        {student: (work, formed(work.answers, work.added)) for student, work in works.items()},
        given_forms(stubs),
        public,
    )


def given_forms(stubs: Mapping[str, str]) -> Formed:
    """The forms of what everybody has, by exercise or by name of :func:`added_code`."""
    inside = {name: text for name, text in stubs.items() if ELSEWHERE not in name}
    return formed(inside, {name: text for name, text in stubs.items() if name not in inside})


def alike(works: Mapping[str, tuple[Work, Formed]], stubs: Formed, public: Path | None = None) -> list[Likeness]:
    """Students whose equal work is more than honest work usually has in common, the strongest first.

    Args:
        works: by student, with the forms of the texts; the texts themselves are not read.
        stubs: the forms of what everybody has.
        public: the release's ``student`` folder, whose files everybody has.
    """
    found: dict[tuple[str, ...], list[tuple[float, str]]] = defaultdict(list)
    for students, weight, words in _all(works, stubs, public):
        found[students].append((weight, words))
    likely = [
        Likeness(students, sum(weight for weight, _ in parts), tuple(words for _, words in parts))
        for students, parts in found.items()
    ]
    flagged = [one for one in likely if one.weight >= ENOUGH]
    return sorted(flagged, key=lambda one: (-one.weight, one.students))


def _all(works: Mapping[str, tuple[Work, Formed]], stubs: Formed, public: Path | None) -> Iterable[Evidence]:
    forms = {student: code for student, (_, code) in works.items()}
    folders = {student: work.files for student, (work, _) in works.items()}
    files = {student: _files(folder) for student, folder in folders.items()}
    given = set(_files(public).values()) if public else set()
    yield from equal_answers(forms, {student: work.right for student, (work, _) in works.items()}, stubs)
    yield from equal_units(forms, stubs)
    yield from equal_notebooks(forms, stubs)
    yield from equal_weights(folders, files, given)
    yield from equal_lines(folders, files, given)


# ---- answers ---------------------------------------------------------------------------------------------------------


def equal_answers(works: Mapping[str, Formed], rights: Mapping[str, set[str]], stubs: Formed) -> Iterable[Evidence]:
    """Long answers that few share: mistakes in any names, right answers with the same names, very long ones in any."""
    for exercise in sorted({name for work in works.values() for name in work.answers}):
        given = stubs.answers.get(exercise)
        mine = {student: work.answers[exercise] for student, work in works.items() if exercise in work.answers}
        mine = {student: one for student, one in mine.items() if given is None or one.shape != given.shape}
        right = {student: one for student, one in mine.items() if exercise in rights[student]}
        for pair, names in _pairs(right, len(works)).items():
            yield pair, 1.0, f"{exercise}: the same right answer {names}"
        wrong = {student: one for student, one in mine.items() if student not in right and one.size >= LONG_WRONG}
        for students in _groups({student: one.shape for student, one in wrong.items()}, len(works)):
            for pair in combinations(students, 2):
                yield pair, 2.0, f"{exercise}: the same mistaken answer"


def _pairs(forms: Mapping[str, Form], size: int) -> dict[tuple[str, ...], str]:
    """Pairs with the same long code that few share, and in which names."""
    found: dict[tuple[str, ...], str] = {}
    shapes = {student: one.shape for student, one in forms.items() if one.size >= LONG_SHAPE}
    named = {student: one.named for student, one in forms.items() if one.size >= LONG_RIGHT}
    for keys, words in ((shapes, OTHER_NAMES), (named, SAME_NAMES)):
        for students in _groups(keys, size):
            found |= dict.fromkeys(combinations(students, 2), words)
    return found


def _groups(keys: Mapping[str, str], size: int) -> list[list[str]]:
    """Groups of few students with the same key."""
    groups: dict[str, list[str]] = defaultdict(list)
    for student, key in sorted(keys.items()):
        groups[key].append(student)
    return [students for students in groups.values() if few(len(students), size)]


def equal_units(works: Mapping[str, Formed], stubs: Formed) -> Iterable[Evidence]:
    """Long definitions under whatever names that few share, where one of the two has it outside of the answers."""
    known = {one.shape for one in stubs.units.values()}
    used: set[tuple[tuple[str, ...], str, str]] = set()  # by pair, what of whom counts already
    for key, length, names in (("named", LONG_RIGHT, SAME_NAMES), ("shape", LONG_SHAPE, OTHER_NAMES)):
        for labels in _held(works, key, length, known):
            for pair in combinations(sorted(labels), 2) if few(len(labels), len(works)) else ():
                free = [[label for label in labels[one] if (pair, one, label) not in used] for one in pair]
                for both in zip(*free, strict=False):
                    words = " and ".join(dict.fromkeys(both))
                    if ELSEWHERE in words:
                        used |= {(pair, one, label) for one, label in zip(pair, both, strict=True)}
                        yield pair, 1.0, f"{words}: the same code {names}"


def _held(works: Mapping[str, Formed], key: str, length: int, known: set[str]) -> Iterable[dict[str, list[str]]]:
    """For each form of a long definition, what it is called by student; those outside of the answers first."""
    held: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for student, work in works.items():
        for label, one in sorted(work.units.items(), key=lambda item: (ELSEWHERE not in item[0], item[0])):
            if one.size >= length and one.shape not in known:
                held[getattr(one, key)][student].append(label)
    return held.values()


def equal_notebooks(works: Mapping[str, Formed], stubs: Formed) -> Iterable[Evidence]:
    """Larger groups that share every long answer, and at least three of them: with the same names, or very long in any."""
    for key, length, names in (("named", LONG_RIGHT, SAME_NAMES), ("shape", LONG_SHAPE, OTHER_NAMES)):
        known = {getattr(one, key) for one in stubs.answers.values()}
        groups: dict[tuple[tuple[str, str], ...], list[str]] = defaultdict(list)
        for student, work in works.items():
            forms = {exercise: (getattr(one, key), one.size) for exercise, one in sorted(work.answers.items())}
            long = tuple((name, f) for name, (f, size) in forms.items() if size >= length and f not in known)
            if len(long) >= SEVERAL:
                groups[long].append(student)
        for shared, students in groups.items():
            if len(students) > 1 and not few(len(students), len(works)):
                words = f"all {len(shared)} long answers of {len(students)} submissions are the same, {names}"
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


def equal_lines(
    folders: Mapping[str, Path | None], files: Mapping[str, dict[str, str]], given: set[str]
) -> Iterable[Evidence]:
    """Text files, such as predictions, in which two share lines that most of the class does not have."""
    held = Counter(name for one in files.values() for name in one)
    left = MOST_READ
    for name in sorted(held, key=lambda name: (-held[name], name)):  # what many hand in first, for the bound's sake
        if name.endswith((".safetensors", ".npy", ".npz", ".png")):
            continue
        if left <= 0:
            break
        holders = [student for student in sorted(folders) if files[student].get(name, "") not in ("", *given)]
        texts = {student: _lines(folders[student], name) for student in holders}
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
