"""Equal work is named where it is rare and long; honest classes, common answers and given material are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from autograder.grading.similar import Likeness, Work, normal, similar

RIGHT = """
def attention(queries, keys, values, mask=None):
    scores = queries @ keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1)
    return weights @ values, weights
"""
WRONG = """
def scale(products):
    total = 0
    for row in products:
        total = total + row.var() * 3
    return total / (len(products) + 2)
"""
STUB = 'def scale(products):\n    raise NotImplementedError("write scale")'


def other_names(text: str, number: int) -> str:
    """The same answer, thought out by somebody else: other names for what is local."""
    for name in ("queries", "keys", "scores", "mask", "weights", "values", "products", "total", "row"):
        text = text.replace(name, f"{name}_{number}")
    return text


def honest(count: int, folder: Path | None = None) -> dict[str, Work]:
    """A class that solves everything alike, each in names of their own, with models and mistakes of their own."""
    works = {}
    for n in range(count):
        rng = np.random.default_rng(n)
        answers = {"attention": other_names(RIGHT, n), "double": "def double(x):\n    return 2 * x"}
        answers["scale"] = other_names(WRONG, n).replace("* 3", f"* {n + 5}")
        work = Work(answers, {"attention", "double"})
        if folder is not None:
            work.files = folder / f"s{n}"
            work.files.mkdir(parents=True)
            save_file({"w": rng.normal(size=(50, 40)).astype(np.float32)}, work.files / "model.safetensors")
            towns = [f"town {i}" if rng.random() < 0.8 else f"wrong {n} {i}" for i in range(100)]
            (work.files / "predictions.txt").write_text("\n".join(towns))
        works[f"s{n}"] = work
    return works


def names(alike: list[Likeness]) -> list[tuple[str, ...]]:
    return [one.students for one in alike]


def test_an_honest_class_has_no_pairs(tmp_path: Path) -> None:
    assert similar(honest(12, tmp_path), {"scale": STUB}) == []


def test_two_equal_mistakes_are_a_pair_whatever_the_names() -> None:
    works = honest(12)
    works["s3"].answers = works["s3"].answers | {"scale": WRONG, "why": WRONG.replace("scale", "why")}
    works["s7"].answers = works["s7"].answers | {
        "scale": "# mine\n" + other_names(WRONG, 99),
        "why": other_names(WRONG.replace("scale", "why"), 7),
    }
    assert names(similar(works, {"scale": STUB})) == [("s3", "s7")]


@pytest.mark.parametrize("who", ["one mistake", "everybody", "stub", "short", "one right answer"])
def test_what_honest_classes_share_is_no_pair(who: str) -> None:
    works = honest(20)
    for n in (3, 7) if who != "everybody" else range(20):
        mine = dict(works[f"s{n}"].answers)
        if who in ("one mistake", "everybody"):
            mine["scale"] = WRONG
        if who == "everybody":
            mine |= {f"more{k}": WRONG for k in range(5)}
        if who == "stub":
            mine["scale"] = STUB
        if who == "short":
            mine |= {f"more{k}": "def f(x):\n    return x + 1" for k in range(5)}
        if who == "one right answer":
            mine["attention"] = RIGHT
        works[f"s{n}"].answers = mine
    assert similar(works, {"scale": STUB}) == []


@pytest.mark.parametrize("change", ["copy", "noise", "scaled", "other metadata"])
def test_copied_weights_are_a_pair(tmp_path: Path, change: str) -> None:
    works = honest(12, tmp_path)
    w = np.random.default_rng(2).normal(size=(50, 40)).astype(np.float32)
    noise = np.random.default_rng(99).normal(size=w.shape).astype(np.float32)
    mine = {"copy": w, "noise": w + 1e-3 * noise, "scaled": 2 * w, "other metadata": w}[change]
    metadata = {"mine": "yes"} if change == "other metadata" else None
    save_file({"w": mine}, tmp_path / "s5" / "model.safetensors", metadata)
    (pair,) = similar(works, {})
    assert pair.students == ("s2", "s5") and "equal weights" in pair.evidence[0]


def test_weights_that_many_have_are_one_group_and_given_ones_count_for_nothing(tmp_path: Path) -> None:
    works = honest(12, tmp_path / "class")
    given = {"w": np.ones((50, 40), np.float32)}
    for n in range(6):
        save_file(given, tmp_path / "class" / f"s{n}" / "model.safetensors")
    (group,) = similar(works, {})
    assert group.students == tuple(f"s{n}" for n in range(6)) and "6 submissions" in group.evidence[0]
    for n in range(2, 6):
        (tmp_path / "class" / f"s{n}" / "model.safetensors").unlink()
    assert names(similar(works, {})) == [("s0", "s1")]
    (tmp_path / "public").mkdir()
    save_file(given, tmp_path / "public" / "given.safetensors")
    assert similar(works, {}, tmp_path / "public") == []


@pytest.mark.parametrize("changed", [0, 1])
def test_the_same_errors_in_predictions_are_a_pair(tmp_path: Path, changed: int) -> None:
    works = honest(12, tmp_path)
    lines = (tmp_path / "s4" / "predictions.txt").read_text().splitlines()
    lines[:changed] = ["something else"] * changed
    (tmp_path / "s9" / "predictions.txt").write_text("\n".join(lines))
    assert names(similar(works, {})) == [("s4", "s9")]


def test_equal_right_predictions_are_no_pair(tmp_path: Path) -> None:
    works = honest(12, tmp_path)
    for n in (4, 9):
        (tmp_path / f"s{n}" / "predictions.txt").write_text("\n".join(f"town {i}" for i in range(100)))
    assert similar(works, {}) == []


@pytest.mark.parametrize("data", [b"", b"\xff" * 40, b"\x08" + b"\0" * 7 + b'{"a": 1}', b"\x02" + b"\0" * 7 + b"[]"])
def test_files_that_are_no_weights_disturb_nothing(tmp_path: Path, data: bytes) -> None:
    works = honest(4, tmp_path)
    for n in (1, 2):
        (tmp_path / f"s{n}" / "model.safetensors").write_bytes(data)
    assert similar(works, {}) == []


@pytest.mark.parametrize("ring", [3, 5, 12])
def test_a_ring_that_hands_in_one_notebook_is_a_group(ring: int) -> None:
    works = honest(12)
    more = {f"more{k}": RIGHT.replace("attention", f"f{k}") for k in range(3)}
    for n in range(ring):
        works[f"s{n}"].answers = works["s0"].answers | more
    assert tuple(sorted(f"s{n}" for n in range(ring))) in names(similar(works, {}))


def test_a_textbook_that_many_follow_in_one_long_answer_is_no_group() -> None:
    works = honest(12)
    for n in range(5):
        works[f"s{n}"].answers = dict(works[f"s{n}"].answers) | {"attention": RIGHT}
    assert similar(works, {}) == []


def test_answers_that_are_no_python_are_compared_as_words() -> None:
    assert normal("def f(:  x\n  y") == normal("def f(: x y") and normal("def f(: x")[1] == 3
    assert normal("((" * 5000)[1] >= 1
