"""Copies in which names, places or what does nothing were changed are named; other answers to the same question are not."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest

from autograder.grading.similar import LONG_RIGHT, LONG_SHAPE, Work, added_code, normal, similar

ROOT = Path(__file__).resolve().parents[3]
COUNT = '''
def {name}(V, D, L, H, T, variant, m):
    """Count."""
    d = D // H
    sizes = [4 * (D**2 + D) for layer in range(L)]
    table = {{"relative": H * T, "synthesizer": D * T + H * T, "shared": (d + 1) * (T - 1)}}.get(variant, 0)
    positions = 0 if variant in ("rope", "relative") else T * D
    latents = m * D if variant == "perceiver" else 0
    try:
        total = sum(size * {number} for size in sizes) + table * L
    except TypeError as error:
        raise ValueError("whole numbers") from error
    return 2 * V * D + positions + total + L * (8 * D**2 + 9 * D) + 2 * D + latents
'''
NAMES = ("one", "two", "three", "four")
ANSWERS = {name: COUNT.format(name=name, number=number) for number, name in enumerate(NAMES, 3)}
WHOLE = "\n".join(ANSWERS.values())
Change = Callable[[str], str]


def answered(change: Change) -> Work:
    """The four answers, changed."""
    return Work({name: change(text) for name, text in ANSWERS.items()}, set(ANSWERS))


def beside(text: str) -> Work:
    """Code in a cell that the student added."""
    return Work({}, set(), None, added_code({"cells": [{"id": "extra-001", "source": text}]}))


def named(mine: Work, theirs: Work) -> bool:
    """Whether the two are named in a class of a dozen others."""
    others = {f"s{n}": Work({}, set()) for n in range(12)}
    return ("ann", "eve") in [one.students for one in similar({**others, "ann": mine, "eve": theirs}, {})]


CHANGES: dict[str, Change] = {
    "a local name": lambda text: text.replace("latents", "mine"),
    "an argument": lambda text: text.replace("variant", "kind"),
    "the name in a comprehension": lambda text: text.replace("size * ", "s * ").replace("for size in", "for s in"),
    "the name of an error": lambda text: text.replace("error", "e"),
    "a name in one of two functions": lambda text: text + "\ndef help(d):\n    return d\n",
    "an argument that nobody reads": lambda text: text.replace("m):", "m, more=0):"),
    "arguments that nobody reads": lambda text: text.replace("m):", "m, *rest, more=0, **others):"),
    "annotations": lambda text: text.replace("m):", "m: int) -> int:").replace("d = D", "d: int = D"),
    "a docstring": lambda text: text.replace("Count.", "All weights."),
    "an import under another name": lambda text: "import math as m_a\n" + text.replace("sum(", "m_a.fsum("),
}
BEFORE: dict[str, Change] = {
    "a name in one of two functions": lambda text: text + "\ndef help(x):\n    return x\n",
    "an import under another name": lambda text: "import math as q\n" + text.replace("sum(", "q.fsum("),
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_answer_with_other_names_is_a_copy(change: str) -> None:
    mine, theirs = CHANGES[change], BEFORE.get(change, str)
    assert all(mine(text) != theirs(text) for text in ANSWERS.values())
    assert named(answered(mine), answered(theirs))


@pytest.mark.parametrize("number", ["D // H", "8 * D**2", "T * D", "(d + 1)"])
def test_an_answer_with_other_operations_is_none(number: str) -> None:
    assert not named(answered(lambda text: text.replace(number, "(D - 3)")), answered(str))


def test_names_that_are_not_local_tell_answers_apart() -> None:
    """Functions of a library and methods: who calls another one wrote another answer."""
    first = "class Block(Module):\n    def forward(self, x):\n        return self.norm(x) + softmax(x)\n"
    for other in ("self.drop(x)", "self.norm(x, x)"):
        assert normal(first) != normal(first.replace("self.norm(x)", other))
    assert normal(first) != normal(first.replace("softmax", "sigmoid"))
    assert normal(first) != normal(first.replace("forward", "backward"))
    kept = "class A:\n    def __init__(self, n):\n        self.{0} = n\n    def get(self):\n        return self.{0}\n"
    assert normal(kept.format("size")) == normal(kept.format("width"))
    call = "def f(x, {0}=1):\n    return x + {0}\ny = f(2, {0}=3) + g(2, {1}=3)\n"
    assert normal(call.format("a", "n")) == normal(call.format("b", "n")) != normal(call.format("a", "m"))


PLACES: dict[str, Callable[[str], str]] = {
    "as it is": lambda who: WHOLE,
    "behind small ones": lambda who: "\n".join([f"def u{who}{n}(): pass" for n in range(300)] + [*ANSWERS.values()]),
    "under other names": lambda who: WHOLE.replace("def ", f"def {who}_"),
    "under if": lambda who: "if True:\n" + WHOLE.replace("\n", "\n    "),
    "in a function": lambda who: f"def {who}():\n    x = 1" + WHOLE.replace("\n", "\n    "),
    "in a class": lambda who: f"class {who.title()}:\n    x = 1" + WHOLE.replace("\n", "\n    "),
    "in a text": lambda who: f"# {who}\nexec({WHOLE!r})",
    "in a try": lambda who: "try:\n    1" + WHOLE.replace("\n", "\n    ") + "\nfinally:\n    1",
    "as lambdas": lambda who: "\n".join(
        f"{who}{n} = lambda V, D: [{', '.join(f'V * {k + n} + D' for k in range(20))}]" for n in range(4)
    ),
    "a name overwritten": lambda who: "\n".join([*ANSWERS.values(), *(f"def {name}(): pass" for name in NAMES)]),
}


@pytest.mark.parametrize("place", PLACES)
def test_code_beside_the_answers_is_found_wherever_it_stands(place: str) -> None:
    assert named(beside(PLACES[place]("ann")), beside(PLACES[place]("eve")))
    assert not named(beside(PLACES[place]("ann")), beside("x = 1"))


@pytest.mark.parametrize("change", ["a local name", "an argument that nobody reads"])
def test_code_beside_the_answers_is_found_in_the_answers_of_another(change: str) -> None:
    moved = "\n".join(map(CHANGES[change], ANSWERS.values())).replace("def ", "def my_")
    assert named(beside(moved), answered(str))


def test_code_that_was_given_and_code_that_many_share_is_not_named() -> None:
    text = WHOLE.replace("def ", "def my_")
    works = {f"s{n}": beside(text) for n in range(2)} | {f"t{n}": Work({}) for n in range(12)}
    given = added_code({"cells": [{"source": WHOLE}]}, given=True)
    assert similar(works, {}) and similar(works, given) == []
    assert similar({f"s{n}": beside(text) for n in range(5)} | {f"t{n}": Work({}) for n in range(9)}, {}) == []


def test_a_ring_in_which_each_has_names_of_their_own_is_a_group() -> None:
    def named_by(number: int) -> Change:
        return lambda text: text.replace("latents", f"l{number}")

    works = {f"s{n}": answered(named_by(n)) for n in range(4)}
    works |= {f"t{n}": Work({}) for n in range(8)}
    (group,) = similar(works, {})
    assert group.students == ("s0", "s1", "s2", "s3") and "local names" in group.evidence[0]


def test_right_answers_on_file_of_different_people_are_never_equal() -> None:
    """They were written by different people, so each pair that is equal would be named falsely."""
    equal, pairs = [], 0
    for folder in sorted((ROOT / "tests" / "misconceptions").glob("*/*/")):
        texts = [path.read_text("utf-8") for path in sorted(folder.glob("*.py"))]
        forms = [(normal(text), normal(text, rename=False)) for text in texts if "# expect: accept" in text]
        for one, other in combinations(forms, 2):
            pairs += 1
            lengths = zip(one, other, (LONG_SHAPE, LONG_RIGHT), strict=True)
            if any(mine == theirs and mine[1] >= length for mine, theirs, length in lengths):
                equal.append(folder)
    assert pairs > 1000 and not equal
