"""kill -9 of a grader or of a judge leaves no judge, no sandbox and no orphan of theirs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.autograder.tiny_course import hand_in, make_release
from tests.paths import ROOT

PATIENCE = 40.0


def marked(token: str) -> dict[int, str]:
    """Process ids and command lines of all that were started with this token in their environment."""
    found = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit() and token.encode() in (entry / "environ").read_bytes():
                found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    return {pid: words for pid, words in found.items() if words}  # a zombie has none


def awaited(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return condition()


@pytest.mark.parametrize("whom", ["grader", pytest.param("judge", marks=pytest.mark.slow)])
def test_nobody_is_left(tmp_path: Path, whom: str) -> None:
    make_release(tmp_path / "release")
    hand_in(tmp_path / "subs" / "ann")
    token = uuid.uuid4().hex
    env = {**os.environ, "PYTHONPATH": str(ROOT), "DEATH_TOKEN": token}
    command = [sys.executable, "-m", "tests.autograder.grading.strays", str(tmp_path)]
    grader = subprocess.Popen(command, env=env, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        assert awaited((tmp_path / "release" / "ready").exists)
        assert any("sleep 300" in words for words in marked(token).values())
        if whom == "grader":
            grader.kill()
        else:
            os.kill(judge_of(grader.pid, token), signal.SIGKILL)
        grader.wait(timeout=PATIENCE)
        assert awaited(lambda: not marked(token)), marked(token)
    finally:
        for pid in marked(token):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def judge_of(grader: int, token: str) -> int:
    """The judge: a child of the fork server, which is a child of the grader."""
    parents = {pid: int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1]) for pid in marked(token)}
    servers = {pid for pid, parent in parents.items() if parent == grader}
    (judge,) = [
        pid for pid, parent in parents.items() if parent in servers and "forkserver" in marked(token).get(pid, "")
    ]
    return judge
