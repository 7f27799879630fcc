"""A real cluster of Dask grades a class: workers under their nannies, with nothing of ours on their path or disk."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.grading import launch
from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from autograder.grading.store import open_ledger
from autograder.grading.worker import work
from autograder.release.kit import zipped
from tests.autograder.grading.judges import on_a_worker
from tests.autograder.tiny_course import NAME, fake_execute, hand_in, make_release, solved

CLASS = {
    "ann": solved(),
    "ben": solved("return x", "return x + 0.5"),
    "die": solved("die"),
    "err": solved("raise ValueError"),
    "fay": solved("return x + 1  # the worker is lost"),
    "gus": solved("return x + 1", "return x"),
    "hal": solved("return x", "return x"),
}


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Three workers as other machines have them: Python, no path to us, a folder of their own for what comes."""
    from distributed import LocalCluster

    (tmp_path / "elsewhere").mkdir()
    with monkeypatch.context() as bare:
        bare.delenv("PYTHONPATH", raising=False)
        bare.setenv("TMPDIR", str(tmp_path / "elsewhere"))
        bare.chdir(tmp_path / "elsewhere")
        made = LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None, processes=True)
    with made:
        yield made


@pytest.mark.slow
def test_three_default_workers_grade_a_class_and_one_dies(tmp_path: Path, cluster: Any) -> None:
    release = make_release(tmp_path / "release")
    (release.root / "private" / NAME / "secret.txt").write_text("hidden")
    for student, filled in CLASS.items():
        hand_in(tmp_path / "subs" / student, filled)
    how = Settings(progress=False, execute=on_a_worker, scheduler=cluster.scheduler_address)
    before = {one.pid for one in cluster.workers.values()}
    summary = grade(tmp_path / "subs", release, tmp_path / "out", NAME, how)
    found = {one.student: (one.state, one.points) for one in summary.outcomes}
    assert found == {
        "ann": ("graded", 5.0), "ben": ("graded", 1.5), "die": ("dead", 0.0), "err": ("error", 0.0),
        "fay": ("graded", 5.0), "gus": ("graded", 2.0), "hal": ("graded", 0.0),
    }  # fmt: skip
    assert len(summary.outcomes) == len(CLASS), "nothing lost, nothing doubled"
    assert "also when judged by itself" in {one.student: one.reason for one in summary.outcomes}["die"]
    verdicts = Counter(e.data["student"] for e in open_ledger(release) if e.kind == "verdict")
    assert verdicts == dict.fromkeys(("ann", "ben", "fay", "gus", "hal"), 1)
    (kit,) = (tmp_path / "elsewhere").glob("course-*-*")
    assert (
        kit / "course" / "private" / NAME / "secret.txt"
    ).read_text() == "hidden" and kit.stat().st_mode & 0o077 == 0
    assert (kit / "lost-worker").exists() and not before <= {one.pid for one in cluster.workers.values()}
    assert not list((tmp_path / "elsewhere").glob("judge-*")), "what was handed in does not stay on the workers"


def test_a_kit_is_unpacked_once_and_never_taken_from_another_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    kit = zipped([("a/b.txt", 0o644, b"one")])
    place = launch.unpacked(kit)
    (place / "mark").touch()
    assert (
        launch.unpacked(kit) == place and (place / "mark").exists() and (place / "a" / "b.txt").read_bytes() == b"one"
    )
    assert list(tmp_path.iterdir()) == [place], "nothing is left beside it"
    place.chmod(0o777)  # as a folder that somebody else could have filled
    answer = json.loads(launch.judged(kit, [], b"", 1.0))
    assert answer["state"] == "error" and "belongs to somebody else" in answer["reason"]


def test_what_a_killed_worker_had_in_hand_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    gone = subprocess.Popen(["true"])
    gone.wait()
    node = os.uname().nodename
    names = {f"judge-{node}-{gone.pid}-a", f"judge-{node}-{os.getpid()}-b", f"judge-elsewhere-{gone.pid}-c"}
    for name in names:
        (tmp_path / name).mkdir()
    launch.sweep()
    assert {path.name for path in tmp_path.iterdir()} == names - {f"judge-{node}-{gone.pid}-a"}


def test_a_kit_that_lost_a_file_is_unpacked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    kit = zipped([("a/b.txt", 0o644, b"one"), ("a/c.txt", 0o644, b"two")])
    first = launch.unpacked(kit)
    for harm in (Path.unlink, lambda path: path.write_bytes(b"other")):
        harm(first / "a" / "b.txt")
        again = launch.unpacked(kit)
        assert again != first and (again / "a" / "b.txt").read_bytes() == b"one"
        assert launch.unpacked(kit) == again and first.exists(), "others may work in it still"
    assert json.loads(launch.judged(kit[:40], [], b"", 1.0))["state"] == "error"


ANSWERS = {
    "cut off": lambda text: text[: len(text) // 2],
    "empty": lambda _: "",
    "a list": lambda _: "[]",
    "a number": lambda _: "7",
    "nested": lambda _: "[" * 100_000,
    "graded without a result": lambda _: '{"state": "graded"}',
    "a state that is none": lambda _: '{"state": [1]}',
    "no state": lambda _: "{}",
    "a reason that is none": lambda _: '{"state": "refused", "reason": 7}',
    "another student's": lambda text: text.replace('"ben"', '"ann"'),
    "half a result": lambda _: '{"result": {}, "intake": {}, "notebook": {}}',
}


@pytest.mark.parametrize("how", ANSWERS)
def test_an_answer_that_is_none_costs_one_student_and_not_the_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    release = make_release(tmp_path / "release")
    for student in ("ann", "ben", "cyd"):
        hand_in(tmp_path / "subs" / student)

    def worker(tasks: Any, *_: Any) -> Iterator[Any]:
        for task in tasks:
            work(replace(task, memory=2**62), fake_execute)
            text = task.answer.read_text()
            yield task, ANSWERS[how](text) if task.found.student == "ben" else text

    monkeypatch.setattr("autograder.grading.dask.over_dask", worker)
    monkeypatch.setattr("autograder.grading.worker.die_with_grader", lambda: None)
    monkeypatch.setattr("autograder.grading.worker.bound_memory", lambda _: None)
    monkeypatch.setattr("os.setsid", lambda: None)
    summary = grade(
        tmp_path / "subs", release, tmp_path / "out", NAME, Settings(progress=False, scheduler="tcp://nowhere:1")
    )
    found = {one.student: (one.state, one.points) for one in summary.outcomes}
    assert found == {"ann": ("graded", 5.0), "ben": ("dead", 0.0), "cyd": ("graded", 5.0)} and summary.exit_code == 1
    assert "cannot be used" in next(one.reason for one in summary.outcomes if one.student == "ben")
    assert not [e for e in open_ledger(release) if e.kind == "verdict" and e.data["student"] == "ben"]
