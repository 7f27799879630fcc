"""A real cluster of Dask grades a class: workers under their nannies, without our packages on their path."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from tests.autograder.tiny_course import NAME, fake_execute, hand_in, make_release, solved

pytestmark = pytest.mark.slow


def test_default_workers_grade_a_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import LocalCluster

    release = make_release(tmp_path / "release")
    hand_in(tmp_path / "subs" / "ann")
    hand_in(tmp_path / "subs" / "ben", solved("return x", "return x + 0.5"))
    hand_in(tmp_path / "subs" / "die", solved("die"))
    hand_in(tmp_path / "subs" / "err", solved("raise ValueError"))
    (tmp_path / "elsewhere").mkdir()
    with monkeypatch.context() as bare:  # what workers on other machines have: Python, and no path to us
        bare.delenv("PYTHONPATH", raising=False)
        bare.chdir(tmp_path / "elsewhere")
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, processes=True)
    with cluster:
        how = Settings(progress=False, execute=fake_execute, scheduler=cluster.scheduler_address)
        summary = grade(tmp_path / "subs", release, tmp_path / "out", NAME, how)
    found = {one.student: (one.state, one.points) for one in summary.outcomes}
    assert found == {"ann": ("graded", 5.0), "ben": ("graded", 1.5), "die": ("dead", 0.0), "err": ("error", 0.0)}
    assert "also when judged by itself" in {one.student: one.reason for one in summary.outcomes}["die"]


def test_a_checkout_that_workers_do_not_see_is_a_sentence() -> None:
    from autograder.grading.launch import judged

    assert "make the course visible there" in judged("/nowhere/at/all", [], b"", 1.0)
