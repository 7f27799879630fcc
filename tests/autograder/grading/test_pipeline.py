"""A class is graded whatever single submissions do; a run can be interrupted and goes on without doing work twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import types
from pathlib import Path
from typing import Any

import pytest

from autograder.grading import pipeline, store
from autograder.grading.entering import rebuild_gradebook
from autograder.grading.gradebook import marks
from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from autograder.grading.summary import Summary
from course_utils.errors import CourseError
from tests.autograder.grading.judges import eat
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, hand_in, make_release, solved
from tests.paths import ROOT


def run(release: FakeRelease, subs: Path, out: Path, **more: Any) -> Summary:
    return grade(subs, release, out, NAME, Settings(progress=False, execute=fake_execute, **more))


def states(summary: Summary) -> dict[str, str]:
    return {one.student: one.state for one in summary.outcomes}


def points(summary: Summary) -> dict[str, float]:
    return {one.student: one.points for one in summary.outcomes}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[FakeRelease, Path, Path, Summary]:
    """A class with a right one, a half right one, one that kills the judge, one that hangs, broken and hostile ones."""
    tmp_path = tmp_path_factory.mktemp("class")
    release, subs = make_release(tmp_path / "release"), tmp_path / "subs"
    hand_in(subs / "ann")
    hand_in(subs / "ben", solved("return x", "return x + 0.5"))
    hand_in(subs / "die", solved("die"))
    hand_in(subs / "err", solved("raise ValueError"))
    hand_in(subs / "hang", solved("hang"))
    (subs / "zip.zip").write_bytes(b"no zip")
    (hand_in(subs / "link") / "x.txt").symlink_to("/etc/hostname")
    return release, subs, tmp_path / "out", run(release, subs, tmp_path / "out", wall=6.0, workers=3)


def test_one_bad_submission_never_stops_the_others(graded: tuple[FakeRelease, Path, Path, Summary]) -> None:
    release, _, out, summary = graded
    assert states(summary) == {
        "ann": "graded", "ben": "graded", "die": "dead", "err": "error", "hang": "timeout", "link": "refused",
        "zip": "refused",
    }  # fmt: skip
    assert (points(summary)["ann"], points(summary)["ben"]) == (5.0, 1.5) and summary.exit_code == 1
    assert all(one.reason for one in summary.outcomes if not one.ok)
    assert json.loads((out / f"{NAME}.json").read_text())["exit_code"] == 1
    assert marks(release, NAME, "ben")["check-paris"].score == 1.5
    assert marks(release, NAME, "die") == {}


def test_resuming_grades_only_what_is_new_or_changed(graded: tuple[FakeRelease, Path, Path, Summary]) -> None:
    release, subs, out, _ = graded
    for name in ("die", "err", "hang", "link"):
        __import__("shutil").rmtree(subs / name)
    (subs / "zip.zip").unlink()
    hand_in(subs / "eva")
    before = [e for e in store.open_ledger(release) if e.kind == "verdict"]
    summary = run(release, subs, out)
    assert states(summary) == {"ann": "unchanged", "ben": "unchanged", "eva": "graded"} and summary.exit_code == 0
    assert points(summary) == {"ann": 5.0, "ben": 1.5, "eva": 5.0}
    new = [e.data["student"] for e in store.open_ledger(release) if e.kind == "verdict"][len(before) :]
    assert new == ["eva"]
    store.open_ledger(release).append("regrade", student="ben", assignment=NAME, reason="check mended")
    assert states(run(release, subs, out))["ben"] == "graded"
    (subs / "ann" / "work" / NAME / "predictions.txt").write_text("Oslo\n")
    assert states(run(release, subs, out)) == {"ann": "graded", "ben": "unchanged", "eva": "unchanged"}
    assert states(run(release, subs, out, resume=False)) == {"ann": "graded", "ben": "graded", "eva": "graded"}


@pytest.mark.parametrize(("broken", "mended"), [("1 + \\ \n    1", "1 + \\\n    1"), ("1 # \u2028 + 1", "1 # \n + 1")])
def test_a_change_of_space_alone_is_judged_too(tmp_path: Path, broken: str, mended: str) -> None:
    release, subs, out = make_release(tmp_path / "release"), tmp_path / "subs", tmp_path / "out"
    hand_in(subs / "ann", solved(f"return x + {broken}"))
    assert states(run(release, subs, out)) == {"ann": "graded"}
    assert states(run(release, subs, out)) == {"ann": "unchanged"}
    (subs / "ann" / f"{NAME}.ipynb").write_text(json.dumps(solved(f"return x + {mended}")))
    assert states(run(release, subs, out)) == {"ann": "graded"}
    stored = store.find_stored(release.root / "instructor", NAME, "ann")
    assert stored is not None and mended in str([one["source"] for one in stored.intake.notebook["cells"]][2])
    assert states(run(release, subs, out)) == {"ann": "unchanged"}


def test_an_override_reaches_the_gradebook_on_the_next_run(tmp_path: Path) -> None:
    release = make_release(tmp_path / "release")
    hand_in(tmp_path / "subs" / "ben", solved("return x"))
    assert points(run(release, tmp_path / "subs", tmp_path / "out")) == {"ben": 3.0}
    store.open_ledger(release).override(NAME, "ben", "london", 1.0, "idea is right", "me")
    assert points(run(release, tmp_path / "subs", tmp_path / "out")) == {"ben": 4.0}
    assert marks(release, NAME, "ben")["check-london"].score == 1.0
    (tmp_path / "release" / "instructor" / "autograded").rename(tmp_path / "gone")
    assert rebuild_gradebook(release, NAME, progress=False) == []
    assert marks(release, NAME, "ben")["check-london"].score == 1.0
    store.result_path(store.course_dir(release), NAME, "ben").unlink()
    with pytest.raises(CourseError, match="grade again"):
        rebuild_gradebook(release, NAME, progress=False)


def test_ctrl_c_ends_cleanly_and_the_next_run_goes_on(tmp_path: Path) -> None:
    release = make_release(tmp_path / "release")
    hand_in(tmp_path / "subs" / "ann")
    hand_in(tmp_path / "subs" / "zoe", solved("hang"))
    script = textwrap.dedent(
        f"""
        if __name__ == "__main__":  # all of it, since each judge's process imports this file
            from pathlib import Path
            from tests.autograder.tiny_course import FakeRelease, fake_execute
            from autograder.grading.pipeline import grade
            from autograder.grading.settings import Settings
            base = Path({str(tmp_path)!r})
            s = grade(base / "subs", FakeRelease(base / "release"), base / "out", {NAME!r},
                      Settings(workers=1, progress=False, execute=fake_execute))
            raise SystemExit(s.exit_code)
        """
    )
    (tmp_path / "go.py").write_text(script)
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    # a suite that was started in the background ignores Ctrl-C, and its children would too
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    command = [sys.executable, tmp_path / "go.py"]
    process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True, preexec_fn=heed)
    ledger = store.course_dir(release) / "ledger.jsonl"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (ledger.exists() and '"verdict"' in ledger.read_text()):
        time.sleep(0.1)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130 and "Traceback" not in errors, errors
    assert store.open_ledger(release).verify()[0] == 2
    told = json.loads((tmp_path / "out" / f"{NAME}.json").read_text())
    (ann,) = told["outcomes"]
    assert (ann["student"], ann["points"], ann["max_points"], ann["to_mark"]) == ("ann", 5.0, 6.0, 1.0)
    assert ann["notes"] == ["not in the gradebook yet"] and told["left"] == ["zoe"] and told["interrupted"]
    hand_in_again = tmp_path / "subs" / "zoe" / f"{NAME}.ipynb"
    hand_in_again.write_text(json.dumps(solved()))
    summary = run(release, tmp_path / "subs", tmp_path / "out")
    assert states(summary) == {"ann": "unchanged", "zoe": "graded"} and points(summary) == {"ann": 5.0, "zoe": 5.0}
    assert marks(release, NAME, "ann")["check-london"].score == 2.0


def test_a_judge_that_eats_memory_is_one_submission(tmp_path: Path) -> None:
    release = make_release(tmp_path / "release")
    hand_in(tmp_path / "subs" / "big")
    how = Settings(progress=False, execute=eat, memory=512 * 2**20, wall=30.0)
    summary = grade(tmp_path / "subs", release, tmp_path / "out", NAME, how)
    assert states(summary) == {"big": "error"} and "memory" in summary.outcomes[0].reason


def test_dask_maps_the_same_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a stand-in with Dask's calls: parcels pickle, answers come back, bad hand-ins stay single."""
    import pickle

    class Future:
        def __init__(self, call: Any, *args: Any) -> None:
            call, args = pickle.loads(pickle.dumps((call, args)))
            self.answer, self.error = None, None
            try:
                self.answer = call(*args)
            except Exception as error:
                self.error = error

        def exception(self) -> Any:
            return self.error

        def result(self) -> Any:
            return self.answer

    class Client:
        def __init__(self, address: str) -> None:
            assert address == "tcp://here:1"

        def __enter__(self) -> Client:
            return self

        def __exit__(self, *_: Any) -> None:
            return None

        def submit(self, call: Any, *args: Any, pure: bool = True) -> Future:
            return Future(call, *(one.result() if isinstance(one, Future) else one for one in args))

    module = types.ModuleType("distributed")
    module.Client, module.as_completed = Client, iter  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "distributed", module)
    release = make_release(tmp_path / "release")
    hand_in(tmp_path / "subs" / "ann")
    hand_in(tmp_path / "subs" / "die", solved("die"))
    (tmp_path / "subs" / "eve.zip").symlink_to("/etc/hostname")
    summary = run(release, tmp_path / "subs", tmp_path / "out", scheduler="tcp://here:1")
    assert states(summary) == {"ann": "graded", "die": "dead", "eve": "refused"} and points(summary)["ann"] == 5.0


def test_without_dask_a_scheduler_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    release = make_release(tmp_path / "release")
    hand_in(tmp_path / "subs" / "ann")
    with pytest.raises(CourseError, match="Dask is not installed"):
        run(release, tmp_path / "subs", tmp_path / "out", scheduler="tcp://here:1")


def test_an_unwritable_out_is_one_sentence(tmp_path: Path) -> None:
    release = make_release(tmp_path / "release")
    hand_in(tmp_path / "subs" / "ann")
    (tmp_path / "file").write_text("x")
    with pytest.raises(CourseError, match="--out"):
        run(release, tmp_path / "subs", tmp_path / "file" / "out")
    with pytest.raises(CourseError, match="no release is here"):
        pipeline.grade(tmp_path / "subs", tmp_path, tmp_path / "out", NAME)


@pytest.mark.parametrize("wrong", [{"workers": 0}, {"workers": -2}, {"memory": 0}, {"wall": 0.0}])
def test_settings_that_no_run_can_be_made_of_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(CourseError):
        Settings(**wrong)
