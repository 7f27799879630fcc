"""Equal work is named where it is rare and long; honest classes, common answers and given material are not."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from autograder.grading import similar as comparing
from autograder.grading.similar import Likeness, Work, added_code, normal, similar
from autograder.intake.rebuild import MAX_CODE
from tests.autograder.tiny_course import LONG as RIGHT

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


def test_files_of_a_few_do_not_keep_the_report_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    works = honest(12, tmp_path)
    lines = (tmp_path / "s4" / "predictions.txt").read_text()
    (tmp_path / "s9" / "predictions.txt").write_text(lines)
    for student in ("s1", "s2", "s5", "s6"):
        for number in range(40):
            (tmp_path / student / f"{number:03}.txt").write_text("x\n" * 1000)
    read: set[str] = set()
    really = comparing._lines

    def lines(folder: Path | None, name: str) -> list[str]:
        read.add(name)
        return really(folder, name)

    monkeypatch.setattr(comparing, "_lines", lines)
    monkeypatch.setattr(comparing, "MOST_READ", 2000)
    assert ("s4", "s9") in names(similar(works, {})), "what all hand in is compared first"
    assert read == {"predictions.txt", "000.txt"}


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


@pytest.mark.parametrize(
    "more", ["", "pass\n", "import math\n", "%matplotlib inline\n", "%%time\n", "unused = 3\n", "4\n"]
)
def test_what_does_nothing_makes_no_other_answer(more: str) -> None:
    assert normal(more + RIGHT) == normal(RIGHT)


@pytest.mark.parametrize("changed", [("** 0.5", "** 0.25"), ("weights @ values", "values"), ("~mask", "mask")])
def test_another_answer_is_another(changed: tuple[str, str]) -> None:
    assert normal(RIGHT.replace(*changed))[0] != normal(RIGHT)[0]


def test_code_outside_of_the_answers_counts_and_the_course_s_own_does_not(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "code", "id": "07-003", "source": RIGHT.replace("attention", "shown")},
        {"cell_type": "code", "id": "extra-001", "source": RIGHT},
    ]
    for place in ("mine.py", "course_utils/theirs.py"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(WRONG.replace("scale", Path(place).stem))
    found = added_code({"cells": cells}, tmp_path)
    assert sorted(name.partition(",")[0] for name in found) == ["attention", "mine"]
    works = honest(12)
    for n in (3, 7, 9):
        works[f"s{n}"].added = {f"{k}, outside of the answers": RIGHT.replace("attention", k) for k in ("a", "b", "c")}
    given = {"a, outside of the answers": RIGHT.replace("attention", "a")}
    assert similar(works, {"scale": STUB}) == []  # three of twelve share them: that is usual
    works["s9"].added = {}
    assert names(similar(works, {"scale": STUB})) == [("s3", "s7")]
    assert similar(works, {"scale": STUB} | given) == [], "one of the three stands in the notebook as it is given"


def test_models_of_other_numbers_and_more_tensors_are_compared_by_what_they_share(tmp_path: Path) -> None:
    works = honest(12, tmp_path)
    whole = {f"w{k}": np.random.default_rng(k).normal(size=(30, 20)).astype(np.float32) for k in range(3)}
    other = {name: value.astype(np.float16) for name, value in whole.items()} | {"more": np.ones(30, np.float32)}
    for who, model in (("s3", whole), ("s7", other)):
        save_file(model, tmp_path / who / "model.safetensors")
    found = similar(works, {"scale": STUB})
    assert names(found) == [("s3", "s7")] and "weights" in found[0].evidence[0]
    save_file({"w0": whole["w0"], "w1": -whole["w1"], "w2": whole["w1"]}, tmp_path / "s7" / "model.safetensors")
    assert similar(works, {"scale": STUB}) == []


def test_what_a_student_hands_in_cannot_stall_the_report(tmp_path: Path) -> None:
    long = "x = 1\n" * 20_000
    began = time.process_time()
    assert normal(long + "a = !ls\n" * 400)[1] > 60_000, "lines for IPython are left out, the others are compared"
    assert normal(long + "x?\r" * 400)[1] > 0
    for number in range(300):
        (tmp_path / f"{number}.py").write_text("x = 1\n" * 20_000 + f"def f{number}():\n    return 1\n")
    (tmp_path / "z_small.py").write_text("def mine():\n    return 1\n")
    found = added_code({}, tmp_path)
    assert "mine, outside of the answers" in found and len(found) <= 1 + MAX_CODE // len(long)
    assert time.process_time() - began < 30
    few = normal("y = 1\nfiles = !ls\nfor name in files:\n    print(name)\n")
    assert few == normal("z = 1\nnames = !ls\nfor one in names:\n    print(one)\n"), (
        "a few of them are read as IPython reads"
    )


@pytest.mark.parametrize("number", ["0x" + "f" * 5000, "0o" + "7" * 6000, "0b" + "1" * 16000])
def test_a_number_that_python_does_not_write_ends_nothing_and_is_compared(tmp_path: Path, number: str) -> None:
    text = f"def mask(x):\n    return x & {number}\n"
    (tmp_path / "mine.py").write_text("import math\n" + text.replace("mask", "other"))
    found = added_code({"cells": [{"cell_type": "code", "id": "extra-001", "source": text}]}, tmp_path)
    assert found == {
        "mask, outside of the answers": text.rstrip("\n"),
        "other, outside of the answers": text.replace("mask", "other").rstrip("\n"),
    }
