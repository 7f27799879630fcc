"""A real cluster of Dask grades a class: workers under their nannies, with nothing of ours on their path or disk."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.grading import launch
from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from autograder.grading.store import open_ledger
from autograder.release.kit import zipped
from tests.autograder.grading.judges import on_a_worker
from tests.autograder.tiny_course import NAME, hand_in, make_release, solved

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
