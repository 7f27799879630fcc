"""Numbers that documents state are those of the code: each entry fails if its sentence is gone, or if a number differs."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.paths import ROOT

WORDS = {"one": 1, "two": 2, "twice": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10, "half": 0.5}
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def default(function: str, name: str) -> Callable[[], Any]:
    """What an argument of a function is where it is not given."""
    return lambda: inspect.signature(pkgutil.resolve_name(function)).parameters[name].default


def bits(name: str) -> Callable[[], int]:
    return lambda: pkgutil.resolve_name(name).bit_length() - 1


CHECKS, SIMILAR = "course_utils.checks.", "autograder.grading.similar"
# A document, a pattern with one group for each number (a space stands for any white space), and where the numbers are.
STATED: list[tuple[str, str, list[str | Callable[[], Any]]]] = [
    ("docs/promises.md", r"A promise has (\S+) visible cases and (\S+) fresh ones",
     [CHECKS + "promises:VISIBLE", CHECKS + "promises:FRESH"]),
    ("docs/promises.md", r"far beyond its range \((\d+) to (\d+)\)", [CHECKS + "draws:FAR.0", CHECKS + "draws:FAR.1"]),
    ("docs/promises.md", r"at (\d+) to (\d+) if the case has at most ([\d,]+) numbers",
     [CHECKS + "draws:FAR_SHOWN.0", CHECKS + "draws:FAR_SHOWN.1", CHECKS + "promises:SHOWN"]),
    ("docs/promises.md", r"one per independent draw, at most (\d+) features", [CHECKS + "laws:MOST"]),
    ("docs/promises.md", r"a false alarm is below (\S+) in every trial", [CHECKS + "promises:ALARM"]),
    ("docs/promises.md", r"a right answer with probability below (\S+) \(Fisher", [CHECKS + "counts:ALARM"]),
    ("docs/promises.md", r"above (\S+) the declaration is refused", [CHECKS + "promises:RARE"]),
    ("docs/promises.md", r"(\w+) parts at most", [CHECKS + "whole:STEPS"]),
    ("docs/promises.md", r"made from its first (\w+) right answers", ["autograder.quality.generated:SOME"]),
    ("SECURITY.md", r"has ended the kernel, for (\d+) s in all", ["autograder.judge.limits:NOTEBOOK_SECONDS"]),
    ("SECURITY.md", r"long \((\d+) nodes of the syntax tree\)", [SIMILAR + ":LONG_SHAPE"]),
    ("SECURITY.md", r"shorter code, from (\d+) nodes on", [SIMILAR + "_code:LONG_RIGHT"]),
    ("SECURITY.md", r"right answers below (\d+) nodes", [SIMILAR + "_code:LONG_RIGHT"]),
    ("SECURITY.md", r"all but the longest (\d+)", [SIMILAR + "_code:MOST_ADDED"]),
    ("SECURITY.md", r"the smallest, ([\d,]+) characters for each student", ["autograder.intake.rebuild:MAX_CODE"]),
    ("SECURITY.md", r"killed after (\d+) seconds for an answer and (\d+) for a student",
     [SIMILAR + "_apart:PIECE", SIMILAR + "_apart:ALL"]),
    ("SECURITY.md", r"bars count as a table in (\d+) lines, and (\d+) marks of emphasis",
     ["autograder.pages.inert:MOST_ROWS", "autograder.pages.inert:MOST_MARKS"]),
    ("SECURITY.md", r"`release` draws (\d+) bits", [bits("autograder.release.make:LEAST_SEED")]),
    ("docs/architecture.md", r"optional `timeout=(\d+)`, seconds", ["autograder.release.read:DEFAULT_TIMEOUT"]),
    ("docs/architecture.md", r"`c\.close\(got, want, hint, atol=(\S+), rtol=(\S+)\)`",
     [default(CHECKS + "selfcheck:Checker.close", "atol"), default(CHECKS + "selfcheck:Checker.close", "rtol")]),
    ("docs/architecture.md", r"run once more without it, at most (\w+),", ["autograder.judge.limits:STOPS"]),
    ("docs/teaching.md", r"may need help \(less than (\w+) of the points", ["autograder.reports.mistakes:FEW"]),
    ("README.md", r"of notebook 07 has (\d+) fictional people", [default("course_utils.corpora.world:generate", "n_people")]),
    ("README.md", r"trains on (\w+) fresh worlds", ["autograder.demo.run:WORLDS"]),
    ("README.md", r"make and Python ≥ (\d+)\.(\d+):",
     ["autograder.sandbox.doctor:OLDEST_PYTHON.0", "autograder.sandbox.doctor:OLDEST_PYTHON.1"]),
    ("course_utils/config.py", r"cuts the norm of the whole gradient to `clip` \((\w+) by default\)",
     [default("course_utils.config:TrainConfig", "clip")]),
]  # fmt: skip


def number(text: str) -> float:
    """A number as documents write it: in figures, as 10⁻⁷, or as a word."""
    if text.startswith("10") and text[2:].translate(RAISED) != text[2:]:
        return float(f"1e{text[2:].translate(RAISED)}")
    return float(WORDS[text.lower()] if text.lower() in WORDS else text.replace(",", ""))


def held(place: str | Callable[[], Any]) -> Any:
    """The number in the code: ``module:NAME``, or ``module:NAME.0`` for a tuple's entry."""
    if callable(place):
        return place()
    name, _, entry = place.partition(":")[2].partition(".")
    value = pkgutil.resolve_name(f"{place.partition(':')[0]}:{name}")
    return value[int(entry)] if entry else value


@pytest.mark.parametrize(
    ("document", "pattern", "places"), STATED, ids=lambda value: value if type(value) is str else ""
)
def test_the_number_of_a_document_is_that_of_the_code(document: str, pattern: str, places: list[Any]) -> None:
    text = " ".join((ROOT / document).read_text(encoding="utf-8").split())
    found = re.findall(pattern, text)
    assert found, f"{document} no longer says this; change the entry with the sentence"
    told = [[number(part) for part in ([one] if type(one) is str else one)] for one in found]
    assert told == [[pytest.approx(held(place), rel=1e-12) for place in places]] * len(found), document


def test_numbers_are_read_as_they_are_written() -> None:
    assert [number(text) for text in ("1,500", "10⁻⁷", "100", "Three", "1e-6", "half")] == [
        1500,
        1e-7,
        100,
        3,
        1e-6,
        0.5,
    ]
    assert len(STATED) >= 15 and len({document for document, *_ in STATED}) >= 5
