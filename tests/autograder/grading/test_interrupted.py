"""Ctrl-C in a terminal reaches all processes of a grader; only the grader itself answers it, in whatever phase."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tests.paths import ROOT

SLOW = """
    import signal
    import time
    from pathlib import Path
    base = Path(__file__).parent
    (base / "imports").touch()
    time.sleep({import_seconds})

    def execute(job):
        (base / "judges").write_text(str(signal.getsignal(signal.SIGINT) is signal.default_int_handler))
        time.sleep(60)
"""
GO = """
    from pathlib import Path
    from autograder.grading.pipeline import grade
    from autograder.grading.settings import Settings
    from slow_judge import execute
    from tests.autograder.tiny_course import NAME, hand_in, make_release
    if __name__ == "__main__":
        base = Path(__file__).parent
        (base / "imports").unlink()  # the grader's own
        hand_in(base / "subs" / "ann")
        how = Settings(workers=1, progress=False, execute=execute)
        found = grade(base / "subs", make_release(base / "release"), base / "out", NAME, how)
        print("left", found.left)
        raise SystemExit(found.exit_code)
"""


@pytest.mark.parametrize(("phase", "import_seconds"), [("imports", 3), ("judges", 0)])
def test_ctrl_c_shows_no_traceback(tmp_path: Path, phase: str, import_seconds: int) -> None:
    (tmp_path / "slow_judge.py").write_text(textwrap.dedent(SLOW).format(import_seconds=import_seconds))
    (tmp_path / "go.py").write_text(textwrap.dedent(GO))
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    # a suite that was started in the background ignores Ctrl-C, and its children would too
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    grader = subprocess.Popen(
        [sys.executable, tmp_path / "go.py"], env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=heed, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not ((tmp_path / "release").exists() and (tmp_path / phase).exists()):
        time.sleep(0.05)
    time.sleep(0.5)
    os.killpg(grader.pid, signal.SIGINT)
    said, errors = grader.communicate(timeout=60)
    assert (tmp_path / phase).exists(), "it was interrupted where it should be"
    assert grader.returncode == 130 and "left ['ann']" in said and "Traceback" not in errors, errors
    if phase == "judges":
        assert (tmp_path / "judges").read_text() == "True", "a judge and what it starts hear an interrupt as before"
