"""What is recorded while forbidden calls are counted."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.judge import trace
from autograder.judge.trace import operators
from autograder.sandbox.bubblewrap import Paths
from autograder.sandbox.kernel import BETWEEN, Kernel, Student
from course_utils.checks.forbidden import forms

NAMES = ("torch.nn.functional.scaled_dot_product_attention",)
CELL = """
import torch
ready = torch.ops.aten.scaled_dot_product_attention
x = torch.ones(1, 1, 2, 2)
def forbidden():
    return float(ready(x, x, x).sum())
def allowed():
    return float(sum(x[..., 0, 0] for _ in range(9)))
"""


@pytest.mark.parametrize(
    ("name", "recorded"),
    [("scaled_dot_product_attention", True), ("torch.einsum", True), ("MultiheadAttention", True), ("cuda", False)],
)
def test_the_dispatcher_is_asked_only_for_names_that_it_knows(name, recorded):
    assert operators([forms(name)]) is recorded


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    folder = tmp_path_factory.mktemp("trace")
    for name in ("public", "files"):
        (folder / name).mkdir()
    with Kernel(Paths(Path(folder / "public"), folder / "files", "01_attention")) as kernel:
        assert kernel.run_cell(CELL).status == "ok"
        yield kernel


def called(kernel: Kernel, *functions: str) -> list[str] | None:
    assert trace.start(kernel, NAMES)
    student = Student(kernel)
    for name in functions:
        getattr(student, name)()
    return trace.stop(kernel, NAMES)


THREADS = """
import queue, threading
asked, answers = queue.Queue(), queue.Queue()
def work():
    while (function := asked.get()) is not None:
        answers.put(function())
def new():
    done = []
    thread = threading.Thread(target=lambda: done.append(forbidden()))
    thread.start()
    thread.join()
    return done[0]
def old():
    asked.put(forbidden)
    return answers.get()
worker = threading.Thread(target=work)
worker.start()
"""
LEAVE = "asked.put(None)\nworker.join()"


@pytest.mark.parametrize("thread", ["new", "old"])
def test_a_call_in_another_thread_is_found(kernel: Kernel, thread: str) -> None:
    assert kernel.run_cell(THREADS).status == "ok"
    assert called(kernel, thread) == [*NAMES]
    kernel.run_cell(LEAVE)  # with another thread the record of the tests below would be another


MANY = ["allowed"] * (2 * BETWEEN)


@pytest.mark.parametrize("where", ["first", "last", "alone"])
def test_a_call_is_found_however_often_the_record_is_taken(kernel: Kernel, where: str) -> None:
    """The record is taken now and then, since that of a long loop would need gigabytes."""
    calls = {"first": ["forbidden", *MANY], "last": [*MANY, "forbidden"], "alone": ["forbidden"]}[where]
    assert called(kernel, *calls) == [*NAMES]


def test_without_a_call_none_is_found(kernel: Kernel) -> None:
    assert called(kernel, *MANY) == []


@pytest.mark.parametrize("end", ["_disable_profiler_legacy", "_disable_profiler"], ids=["one thread", "all threads"])
def test_a_record_that_cannot_be_taken_is_no_count(kernel: Kernel, end: str) -> None:
    kernel.run_cell(THREADS)
    if end == "_disable_profiler_legacy":  # the record of one thread, since there is no other one then
        kernel.run_cell(LEAVE)
    kernel.run_cell(f"def spoil():\n    torch._C._autograd.{end}()\n    return 0")
    assert called(kernel, "spoil", *MANY, "forbidden") is None
    kernel.run_cell(LEAVE)


def test_the_record_stays_small(kernel: Kernel) -> None:
    kernel.run_cell("""
import resource
def loop():
    y = x
    for _ in range(5000):
        y = y + 1
    return 0
def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
""")
    before = Student(kernel).most()
    assert called(kernel, *["loop"] * 40) == []
    assert Student(kernel).most() - before < 400  # MiB; at the end alone it would be 900


def test_the_record_of_few_long_calls_stays_small(kernel: Kernel) -> None:
    kernel.run_cell("""
import resource
def loop():
    y = x
    for _ in range(40000):
        y = y + 1
    return 0
def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
""")
    before = Student(kernel).most()
    assert called(kernel, *["loop"] * 8) == []
    assert Student(kernel).most() - before < 600  # MiB; by the number of calls alone it would be more than 1,400
