"""Notebooks that nobody's editor wrote, through reading and rebuilding."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

from autograder.intake.rebuild import notebook_sha, read_notebook, rebuild
from course_utils.errors import CourseError

HUGE = "9" * 5000
WORDS = (
    "london",
    "paris",
    "answer-london",
    "check-paris",
    "written-why",
    "",
    "\0",
    "\ud800",
    "\u202e",
    "a" * 3000,
    "é\u0301",
)
CODE = (
    "def london(x):\n    return x + 1",
    "def london(x):\n    return (x +",
    "class paris:\n    def f(self): pass",
    'with check("london") as c:\n    pass',
    "async def paris(): ...",
    "@" * 200 + "\ndef london(): pass",
    "(" * 500,
    "-" * 3000 + "1",
    "x = " + "[" * 90 + "]" * 90,
    "f'{" + "{" * 150,
    "\\\n" * 50,
    "def london(x): return '\ud800'",
    "\x0c\tdef paris(): pass",
    "a." * 1500 + "b",
    "not " * 2000 + "x",
    "london = lambda: 0; paris: int = 1; import os.path as p",
    "\r\n%%bash\r\nrm -rf x",
    "0o9 + 1_ + 0xg",
    "**Your answer · why**\n\nBecause.",
    "é = '" + "\\N{DOES NOT EXIST}" + "'",
    "x" + "=x" * 800,
    "if x:\n" + "".join(" " * n + "if x:\n" for n in range(1, 110)),
)


def cell(kind: str, key: str, source: str, **mark: Any) -> dict[str, Any]:
    """One nbformat cell with nbgrader's metadata."""
    metadata = {"nbgrader": {"grade_id": key, "schema_version": 3, **mark}} if mark else {}
    extra = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "id": key, "metadata": metadata, "source": source, **extra}


def released() -> dict[str, Any]:
    """A released notebook of two code exercises and a written one."""
    cells = [cell("markdown", "07-001", "# Knowledge"), cell("code", "07-002", "import math")]
    for name in ("london", "paris"):
        stub = f'def {name}(x):\n    raise NotImplementedError("write {name}")'
        cells.append(cell("code", f"answer-{name}", stub, grade=False, solution=True, locked=False))
        check = f'with check("{name}") as c:\n    c.equal(student.{name}(1), 2, "add one")'
        cells.append(cell("code", f"check-{name}", check, grade=True, solution=False, locked=True, points=2))
    text = "**Your answer · why**\n\n*Write your answer here.*"
    cells.append(cell("markdown", "written-why", text, grade=True, solution=True, locked=False, points=1))
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}


SKELETON = released()


def odd(rng: random.Random, depth: int = 0) -> Any:
    """A value of any JSON type, at any place."""
    pick = rng.randrange(12)
    if pick < 3 and depth < 3:
        return [odd(rng, depth + 1) for _ in range(rng.randrange(4))]
    if pick < 5 and depth < 3:
        return {rng.choice(WORDS): odd(rng, depth + 1) for _ in range(rng.randrange(4))}
    plain = (None, True, -1, 4, 10**30, 1.5, float("nan"), float("inf"), -0.0, rng.choice(WORDS), rng.choice(CODE))
    return rng.choice(plain)


def places(node: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a JSON tree."""
    found, waiting = [], [node]
    while waiting:
        here = waiting.pop()
        keys = list(here) if isinstance(here, dict) else range(len(here)) if isinstance(here, list) else ()
        for key in keys:
            found.append((here, key))
            waiting.append(here[key])
    return found


def retype(rng: random.Random, notebook: dict[str, Any]) -> None:
    """Another value, of any type, at one place of the tree."""
    holder, key = rng.choice(places(notebook))
    holder[key] = odd(rng)


def rewrite(rng: random.Random, notebook: dict[str, Any]) -> None:
    """Another text in one cell, as a string or as a list of lines."""
    one = rng.choice(_cells(notebook))
    text = rng.choice(CODE)
    one["source"] = text if rng.random() < 0.6 else text.splitlines(keepends=True)


def drop(rng: random.Random, notebook: dict[str, Any]) -> None:
    """One place less."""
    holder, key = rng.choice(places(notebook))
    del holder[key]


def repeat(rng: random.Random, notebook: dict[str, Any]) -> None:
    """Cells that stand there several times, with their ids."""
    cells = _cells(notebook)
    cells[rng.randrange(len(cells)) : 0] = [dict(rng.choice(cells)) for _ in range(rng.randrange(1, 30))]


def shuffle(rng: random.Random, notebook: dict[str, Any]) -> None:
    """Another order."""
    rng.shuffle(_cells(notebook))


def rename(rng: random.Random, notebook: dict[str, Any]) -> None:
    """Ids and grade ids that are another cell's, or nobody's."""
    one = rng.choice(_cells(notebook))
    one["id"] = rng.choice(WORDS)
    one["metadata"] = {"nbgrader": {"grade_id": rng.choice((*WORDS, 7, None)), "points": float("nan")}}


def nest(rng: random.Random, notebook: dict[str, Any]) -> None:
    """A tree of many levels at one place."""
    value: Any = odd(rng)
    for _ in range(rng.randrange(10, 100)):
        value = [value] if rng.random() < 0.5 else {"source": value}
    holder, key = rng.choice(places(notebook))
    holder[key] = value


def extend(rng: random.Random, notebook: dict[str, Any]) -> None:
    """Cells of every kind that nobody asked for."""
    kinds = ("code", "markdown", "raw", "", 3)
    new = [
        {"cell_type": rng.choice(kinds), "source": odd(rng), "attachments": odd(rng)}
        for _ in range(rng.randrange(1, 8))
    ]
    _cells(notebook).extend(new)


def _cells(notebook: dict[str, Any]) -> list[Any]:
    found = notebook.get("cells")
    usable = isinstance(found, list) and found and all(isinstance(one, dict) for one in found)
    return found if usable else [dict(SKELETON["cells"][2])]  # type: ignore[return-value]


def flip(rng: random.Random, data: bytes) -> bytes:
    """Some bytes changed."""
    raw = bytearray(data)
    for _ in range(rng.randrange(1, 20)):
        raw[rng.randrange(len(raw))] = rng.randrange(256)
    return bytes(raw)


def cut(rng: random.Random, data: bytes) -> bytes:
    """The end, the beginning or a part within is gone."""
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return rng.choice((data[:a], data[a:], data[:a] + data[b:]))


def recode(rng: random.Random, data: bytes) -> bytes:
    """Another encoding, or a mark of one."""
    text = data.decode("utf-8", "replace")
    marks = (
        b"\xef\xbb\xbf" + data,
        b"\xff\xfe" + data,
        data.replace(b'"', b"\x00"),
        data + b"\0" * 9,
        b"\xc0\x80" + data,
    )
    codes = (text.encode("utf-16"), text.encode("utf-32"), text.encode("latin-1", "replace"), text.encode("utf-7"))
    return rng.choice((*marks, *codes))


def rewrite_json(rng: random.Random, data: bytes) -> bytes:
    """What a JSON reader may stumble over: huge numbers, keys twice, deep brackets, lone surrogates."""
    pairs = (
        (b": 4", b": " + HUGE.encode()),
        (b'"cells"', b'"cells": [], "cells"'),
        (b"[]", b"[" * 5000),
        (b'"code"', b'"\\ud800"'),
        (b"null", b"NaN"),
        (b": 4,", b": 4.0000000000000001e0,"),
        (b"null", b"1e999999"),
        (b"{", b'{"\\u0000": -Infinity,'),
    )
    old, new = rng.choice(pairs)
    return data.replace(old, new, rng.randrange(1, 4))


TREE: tuple[Callable[[random.Random, dict[str, Any]], None], ...] = (
    retype, retype, rewrite, rewrite, drop, repeat, shuffle, rename, nest, extend,
)  # fmt: skip
BYTES: tuple[Callable[[random.Random, bytes], bytes], ...] = (flip, cut, recode, rewrite_json)


class Notebooks:
    """Draws mutated notebooks and takes them in, in memory."""

    refusal = (CourseError,)

    def draw(self, rng: random.Random) -> bytes:
        """One to eight changes of the released notebook's tree, in every third case changes of the bytes, too."""
        notebook = copy.deepcopy(SKELETON)
        for _ in range(rng.randrange(1, 9)):
            if isinstance(notebook, dict) and places(notebook):
                rng.choice(TREE)(rng, notebook)
        data = json.dumps(notebook, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
        for _ in range(rng.choice((0, 0, 1, 2)) if data else 0):
            data = rng.choice(BYTES)(rng, data or b"{}")
        return data

    def take(self, case: bytes) -> str:
        """Read, rebuild, hash, and write the result; what is locked in the release must be as it was."""
        notebook, notes = rebuild(SKELETON, read_notebook(case, "n.ipynb"), "n.ipynb")
        notebook_sha(notebook)
        json.dumps(notebook, ensure_ascii=False).encode("utf-8")
        "\n".join(notes).encode("utf-8")
        kept = {one["id"]: one["source"] for one in notebook["cells"] if not one["id"].startswith("extra-")}
        locked = [one for one in SKELETON["cells"] if one["id"].startswith(("check-", "07-"))]
        if list(kept) != [one["id"] for one in SKELETON["cells"]] or any(kept[o["id"]] != o["source"] for o in locked):
            raise AssertionError("the released cells are not what was released")
        return "rebuilt"
