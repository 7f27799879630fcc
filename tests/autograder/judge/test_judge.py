"""The judge: right work gets its points, everything else a status and one sentence, and nothing costs another exercise."""

from __future__ import annotations

import dataclasses
import json
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save

from autograder.judge import preload
from autograder.judge.execute import execute
from autograder.judge.files import HandedIn, read_safetensors
from autograder.judge.hints import NO_PYTHON
from autograder.judge.run_check import deterministic
from autograder.records import Result, Verdict
from autograder.sandbox.bubblewrap import MIB, Limits
from course_utils.checks.forbidden import refusal
from course_utils.checks.selfcheck import HandinError, StudentError
from course_utils.errors import CourseError
from tests.attacks import toy

LIMITS = Limits(memory=600 * MIB, processes=24, disk=32 * MIB)


def judged(folder: Path, answers: dict[str, str], before: str = "", timeout: float = 20.0, **rest: Any) -> Result:
    """The toy course, judged on these answers; ``rest`` holds other check texts."""
    checks = toy.checks(timeout, **rest)
    return execute(
        toy.job(folder, toy.notebook(answers, before), checks), LIMITS, cell_seconds=3.0, notebook_seconds=60.0
    )


def by_name(result: Result) -> dict[str, Verdict]:
    return {verdict.exercise: verdict for verdict in result.verdicts}


def test_right_work_gets_everything_and_the_record_is_plain(tmp_path: Path) -> None:
    result = judged(tmp_path, toy.RIGHT)
    assert (result.points, result.max_points, result.notes) == (8.0, 8.0, [])
    assert [v.exercise for v in result.verdicts] == list(toy.RIGHT)
    assert len({v.seed for v in result.verdicts}) == 3
    assert Result.from_json(json.loads(json.dumps(result.to_json()))) == result


def test_who_waits_is_told_the_check_that_is_judged(tmp_path: Path) -> None:
    class Told(type(tmp_path)):  # type: ignore[misc]
        seen: ClassVar[list[str]] = []

        def write_text(self, data: str, **more: Any) -> int:
            self.seen.append(data)
            return super().write_text(data, **more)

    answers = {**toy.RIGHT, "mean": toy.WRONG["mean"]}
    job = dataclasses.replace(
        toy.job(tmp_path, toy.notebook(answers, ""), toy.checks(20.0)), told=Told(tmp_path / "now")
    )
    execute(job, LIMITS, cell_seconds=3.0, notebook_seconds=60.0)
    names, count = list(toy.RIGHT), len(toy.RIGHT)
    assert Told.seen[:count] == [f"{name}\t{number}\t{count}" for number, name in enumerate(names, start=1)]
    later = Told.seen[count:]  # the passes that find out what to tell
    assert f"mean\t{count}\t{count}" in later and all(note.endswith(f"\t{count}\t{count}") for note in later)
    # where it cannot be written, all is judged the same
    assert execute(dataclasses.replace(job, told=tmp_path / "no" / "folder"), LIMITS).verdicts


def test_a_check_has_one_thread_and_leaves_torch_as_it_was() -> None:
    """Judges run side by side; with two threads each, they wait for each other (benchmarks/LOG.md has the seconds)."""
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        with deterministic(0):
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
        with pytest.raises(ValueError), deterministic(0):
            raise ValueError
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_wrong_work_gets_the_hint_and_unwritten_work_is_called_so(tmp_path: Path) -> None:
    found = by_name(
        judged(
            tmp_path, {"mean": toy.WRONG["mean"], "double": "def double(v):\n    return [2 * n for n in v if n > 0]"}
        )
    )
    assert (found["mean"].status, found["mean"].points, found["mean"].hint) == (
        "failed",
        0.0,
        "divide by the number of values",
    )
    assert found["softmax"].status == "unsolved"
    assert found["double"].status in ("failed", "partial") and found["double"].points < 3


@pytest.mark.parametrize(
    "text", ["def double(v:\n    return v", "%matplotlib inline\ndef double(v:\n    return v", "x = " + "(" * 500]
)
def test_a_cell_that_is_no_python_is_not_called_unwritten(text: str, tmp_path: Path) -> None:
    found = by_name(judged(tmp_path, {"double": text}))
    assert (found["double"].status, found["double"].hint) == ("error", NO_PYTHON)
    assert found["mean"].status == "unsolved" and found["mean"].hint != NO_PYTHON


def test_partial_credit_and_its_bounds(tmp_path: Path) -> None:
    texts = {
        "mean": 'with check("mean") as c:\n    c.that(True, "x")\n    c.credit(0.25)',
        "softmax": 'with check("softmax") as c:\n    c.credit(float("nan"))',
        "double": 'with check("double") as c:\n    c.credit(7)',
    }
    found = by_name(judged(tmp_path, toy.STUB, **texts))
    assert [(v.status, v.points) for v in found.values()] == [("partial", 0.5), ("failed", 0.0), ("passed", 3.0)]


@pytest.mark.parametrize(
    "text",
    ["pass", "x = student.mean([1.0])", 'with check("mean") as c:\n    student.mean([1.0])', 'c = check("mean")'],
)
def test_silence_is_never_a_pass(tmp_path: Path, text: str) -> None:
    result = judged(tmp_path, toy.RIGHT, mean=text)
    verdict = by_name(result)["mean"]
    assert (verdict.status, verdict.points) == ("error", 0.0) and "decided nothing" in verdict.hint
    assert "check mean" in result.notes[0] and result.points == 6.0


def test_a_bug_of_ours_is_an_error_with_a_note(tmp_path: Path) -> None:
    result = judged(tmp_path, toy.RIGHT, mean='with check("mean") as c:\n    c.that(True, "")\n    {}["hidden answer"]')
    verdict = by_name(result)["mean"]
    assert (verdict.status, verdict.points) == ("error", 0.0)
    assert (
        "hidden answer" not in verdict.hint and "KeyError: 'hidden answer'" in verdict.detail and len(result.notes) == 1
    )


def test_a_check_that_names_another_exercise_or_imports_the_notebooks_check(tmp_path: Path) -> None:
    other = 'with check("softmax") as c:\n    c.that(True, "")'
    local = "from course_utils.checks.selfcheck import check\nwith check('softmax') as c:\n    c.that(True, '')"
    found = by_name(judged(tmp_path, toy.RIGHT, mean=other, softmax=local))
    assert [found[n].points for n in ("mean", "softmax")] == [0.0, 0.0]


def test_student_exceptions_show_kind_and_line_but_not_text(tmp_path: Path) -> None:
    answers = {
        "mean": "def mean(v):\n    x = 1\n    raise ValueError(f'secret {v} of shapes cannot be multiplied')",
        "softmax": "def softmax(x):\n    raise SystemExit",
        "double": "def double(v):\n    return undefined_name",
    }
    found = by_name(judged(tmp_path, answers))
    assert found["mean"].status == "error"
    assert (
        found["mean"].hint
        == "your code raised ValueError in line 3" + StudentError("ValueError", "size mismatch").advice
    )
    assert "secret" in found["mean"].detail
    assert found["softmax"].hint == "your code raised SystemExit in line 2"
    assert found["double"].hint == "your code raised NameError in line 2"


def test_forbidden_names_are_looked_for_in_the_answer(tmp_path: Path) -> None:
    cheat = "from statistics import fmean\ndef mean(values):\n    return fmean(values)"
    found = by_name(judged(tmp_path, {**toy.RIGHT, "mean": cheat}))
    assert found["mean"].hint == refusal(["fmean"]) and found["double"].points == 3


def test_slow_deadly_and_lying_answers_cost_only_themselves(tmp_path: Path) -> None:
    answers = {
        **toy.RIGHT,
        "mean": "def mean(v):\n    while True: pass",
        "softmax": "def softmax(x):\n    import os; os._exit(1)",
    }
    result = judged(tmp_path, answers, timeout=3.0)
    found = by_name(result)
    assert [found[n].status for n in toy.RIGHT] == ["timeout", "dead", "passed"]
    assert result.points == 3.0 and any("softmax" in note for note in result.notes)
    detail = found["mean"].detail
    assert "KernelStopped: your code took too long" in detail, "the kernel ends it, before the judge's alarm rings"
    assert found["mean"].seconds < 30  # ten times its limit, on a machine that does much else


def test_a_check_that_never_ends_is_ended(tmp_path: Path) -> None:
    body = "while True:\n        try:\n            c.that(True, '')\n        except Exception:\n            pass"
    text = f'with check("mean") as c:\n    {body}'
    verdict = by_name(judged(tmp_path, toy.RIGHT, mean=text, timeout=2.0))["mean"]
    assert (verdict.status, verdict.points) == ("timeout", 0.0) and verdict.seconds < 50  # its alarm rings after 5


def test_a_deadly_cell_is_left_out_of_the_replay(tmp_path: Path) -> None:
    result = judged(tmp_path, toy.RIGHT, before="kept = 1\nimport os\nos._exit(1)")
    assert result.points == 8.0 and any("extra-1" in note for note in result.notes)
    assert any("started again" in note for note in result.notes)


def test_a_kernel_that_always_dies_ends_with_its_time(tmp_path: Path) -> None:
    dead = {name: f"def {name}(x):\n    import os; os._exit(1)" for name in toy.RIGHT}
    book = toy.notebook(dead)
    more = 200  # more than a machine can start in the second that replays have
    book["cells"] += [toy.code_cell(f"end-{n}", "import os; os._exit(1)") for n in range(more)]
    result = execute(toy.job(tmp_path, book), LIMITS, cell_seconds=3.0, notebook_seconds=1.0)
    assert result.points == 0 and any("died too often" in note for note in result.notes)
    assert len(result.verdicts) == 3 and len(result.notes) == len(set(result.notes))


def test_endless_cells_use_up_their_time_and_no_more(tmp_path: Path) -> None:
    result = judged(tmp_path, toy.RIGHT, before="while True: pass")
    assert result.points == 8.0 and any("extra-1" in note and "too long" in note for note in result.notes)


def test_deleted_and_duplicated_check_cells(tmp_path: Path) -> None:
    book = toy.notebook(toy.RIGHT)
    book["cells"] = [cell for cell in book["cells"] if cell["id"] != "check-mean"]
    book["cells"] += [dict(cell) for cell in book["cells"] if cell["id"] == "check-double"]
    result = execute(toy.job(tmp_path, book), LIMITS)
    assert result.points == 8.0 and sorted(v.exercise for v in result.verdicts) == sorted(toy.RIGHT)
    assert result.notes == ["the check of mean was not in the notebook; it was run after the last cell"]


def test_check_text_comes_from_the_job_alone(tmp_path: Path) -> None:
    book = toy.notebook(toy.WRONG)
    for cell in book["cells"]:
        if cell["id"].startswith("check-"):
            cell["source"] = (
                f"with check({cell['id'][6:]!r}) as c:\n    c.that(True, '')\nopen('/tmp/executed-in-judge', 'w')"
            )
    assert execute(toy.job(tmp_path, book), LIMITS).points == 0
    assert not Path("/tmp/executed-in-judge").exists()


def test_seeds_repeat_and_differ(tmp_path: Path) -> None:
    text = 'with check("mean") as c:\n    c.fails(f"{c.rng.random()} {c.np_rng.random()} {c.seed}")'
    jobs = [toy.job(tmp_path, toy.notebook({}), toy.checks(mean=text), seed) for seed in (1, 1, 2, None, None)]
    found = [by_name(execute(job, LIMITS))["mean"] for job in jobs]
    details = [verdict.detail for verdict in found]
    assert details[0] == details[1] and len(set(details)) == 4
    assert len({verdict.hint for verdict in found}) == 1, "what the student sees comes from the public draws alone"


def test_private_files_and_missing_ones(tmp_path: Path) -> None:
    text = 'with check("mean") as c:\n    c.equal(private.lines("birth.tsv"), ["Ada\\tLondon", ""], "x")'
    job = toy.job(tmp_path, toy.notebook({}), toy.checks(mean=text))
    missing = execute(job, LIMITS)
    assert by_name(missing)["mean"].points == 0 and "birth.tsv is missing" in by_name(missing)["mean"].detail
    assert any("check mean" in note for note in missing.notes), "an incomplete release is the instructor's to know"
    (job.private / "birth.tsv").write_text("Ada\tLondon\n\n")
    assert by_name(execute(job, LIMITS))["mean"].status == "passed"
    look = "glob.glob('/[chwt]*/**/birth*', recursive=True)"
    answers = {"mean": f"def mean(v):\n    import glob\n    return sum(open(p).read() for p in {look})"}
    assert by_name(execute(toy.job(tmp_path, toy.notebook(answers)), LIMITS))["mean"].points == 0


def test_outputs_are_kept_by_cell_and_bounded(tmp_path: Path) -> None:
    result = judged(tmp_path, toy.RIGHT, before="print('x' * 2**22)\n1 / 0")
    assert len(json.dumps(result.outputs["extra-1"])) < 1.1 * MIB
    assert any("cut" in note for note in result.notes)
    small = judged(tmp_path, toy.RIGHT, before="print('seen')\n1 / 0")
    assert [item["output_type"] for item in small.outputs["extra-1"]] == ["stream", "error"]


def test_threads_are_refused(tmp_path: Path) -> None:
    caught: list[BaseException] = []

    def body() -> None:
        try:
            execute(toy.job(tmp_path, toy.notebook({})), LIMITS)
        except CourseError as error:
            caught.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    assert "main thread" in str(caught[0])


# ---------------------------------------------------------------- handed-in files


def test_weights_travel_exactly(tmp_path: Path) -> None:
    rows = {
        "a.weight": torch.randn(3, 4),
        "b": torch.arange(5),
        "empty": torch.zeros(0, 3),
        "half": torch.randn(2).bfloat16(),
    }
    rows |= {"flags": torch.tensor([True, False]), "scalar": torch.tensor(2.5, dtype=torch.float64)}
    (tmp_path / "finetuned.safetensors").write_bytes(save(rows, {"format": "pt"}))
    got = HandedIn(tmp_path, "07_knowledge").weights("finetuned")
    assert got.keys() == rows.keys()
    assert all(torch.equal(got[k], rows[k]) and got[k].dtype == rows[k].dtype for k in rows)


def packed(header: Any, body: bytes = b"", raw: bytes | None = None) -> bytes:
    text = json.dumps(header).encode() if raw is None else raw
    return struct.pack("<Q", len(text)) + text + body


ENTRY = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "not a complete"),
        (struct.pack("<Q", 2**60) + b"{}", "not a complete"),
        (packed({}, raw=b"{" * 50), "not a proper"),
        (packed({}, raw=b"[" * 100_000), "not a proper"),
        (packed([1]), "not a proper"),
        (packed({"a": 1}), "not a proper"),
        (packed({}, raw=b'{"a": {}, "a": {}}'), "not a proper"),
        (packed({"a": ENTRY}, bytes(7)), "truncated"),
        (packed({"a": ENTRY}, bytes(9)), "belong to no tensor"),
        (packed({"a": {**ENTRY, "shape": [2**30, 2**30]}}, bytes(8)), "impossible shape"),
        (packed({"a": {**ENTRY, "shape": [0, 2**39, 2**39]}}, bytes(8)), "impossible shape"),
        (packed({"a": {**ENTRY, "shape": [-2]}}, bytes(8)), "impossible shape"),
        (packed({"a": {**ENTRY, "shape": [True, 2]}}, bytes(8)), "impossible shape"),
        (packed({"a": {**ENTRY, "dtype": "F8_E5M2"}}, bytes(8)), "save the weights as float32"),
        (packed({"a": ENTRY, "b": ENTRY}, bytes(8)), "truncated"),
        (packed({"a": {**ENTRY, "data_offsets": [0, 2**50]}}, bytes(8)), "not a proper"),
    ],
)
def test_broken_weights_are_one_sentence(data: bytes, sentence: str) -> None:
    with pytest.raises(HandinError, match=sentence) as caught:
        read_safetensors(data, "finetuned.safetensors")
    assert str(caught.value).startswith("finetuned.safetensors") and "\n" not in str(caught.value)


@given(st.binary(max_size=300), st.integers(0, 400), st.integers(0, 255))
def test_damaged_weights_never_escape(noise: bytes, at: int, byte: int) -> None:
    damaged = bytearray(save({"a": torch.ones(3, 2), "b": torch.arange(4)}))
    damaged[at % len(damaged)] = byte
    for data in (noise, bytes(damaged), packed({}, raw=noise)):
        try:
            read_safetensors(data, "w.safetensors")
        except HandinError:
            continue


def test_files_must_be_regular_small_and_proper(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (tmp_path / "other.txt").write_text("someone else's")
    (folder / "link.txt").symlink_to(tmp_path / "other.txt")
    (folder / "folder.txt").mkdir()
    (folder / "latin.txt").write_bytes("Zoë".encode("latin-1"))
    (folder / "broken.json").write_text('{"a": ')
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "fine.txt").write_text("a\r\n\nb\n")
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(17 * MIB)
    handin = HandedIn(folder, "07_knowledge")
    assert handin.lines("fine.txt") == ["a", "", "b"]
    rows = {
        "link.txt": "not a link",
        "folder.txt": "plain file",
        "latin.txt": "not UTF-8",
        "huge.txt": "larger than 16",
    }
    for name, sentence in {
        **rows,
        "../other.txt": "not in another folder",
        "none.txt": "missing in work/07_knowledge",
    }.items():
        with pytest.raises(HandinError, match=sentence):
            handin.lines(name)
    for name in ("broken.json", "deep.json"):
        with pytest.raises(HandinError, match="not valid JSON"):
            handin.json(name)


def test_a_broken_hand_in_fails_its_check_alone(tmp_path: Path) -> None:
    text = 'with check("mean") as c:\n    c.that(bool(handin.weights("finetuned")), "x")'
    job = toy.job(tmp_path, toy.notebook(toy.RIGHT), toy.checks(mean=text))
    missing = execute(job, LIMITS)
    assert by_name(missing)["mean"].hint.startswith("finetuned.safetensors is missing in work/00_toy")
    np.savez(job.files / "finetuned", a=np.zeros(10))
    (job.files / "finetuned.npz").rename(job.files / "finetuned.safetensors")
    zipped = execute(dataclasses.replace(job), LIMITS)
    assert by_name(zipped)["mean"].status == "failed" and zipped.points == 6.0


@pytest.mark.slow
def test_an_optimizer_costs_a_judge_no_import() -> None:
    """Judges are forked from a process that has imported these modules: what it has, no submission waits for."""
    count = "len(sys.modules); torch.optim.Adam([torch.nn.Parameter(torch.zeros(2))]); print(len(sys.modules) - before)"
    added = {}
    for first in ("torch", ", ".join(preload.MODULES)):
        line = [sys.executable, "-c", f"import sys, torch, {first}; before = {count}"]
        added[first] = int(subprocess.run(line, capture_output=True, text=True, check=True).stdout)
    assert added["torch"] > 100 and added[", ".join(preload.MODULES)] < 10
