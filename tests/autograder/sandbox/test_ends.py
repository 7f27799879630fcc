"""``kill -9`` of a judge at any moment leaves no process and no control group with a process."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autograder.sandbox import cgroup, processes
from autograder.sandbox.bubblewrap import Paths
from tests.autograder.sandbox.test_sandbox import tagged
from tests.paths import ROOT

JUDGE = """
import sys
from pathlib import Path
from autograder.sandbox.bubblewrap import Limits, Paths
from autograder.sandbox.kernel import Kernel
print("begun", flush=True)
for _ in range(50):
    with Kernel(Paths(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])) as kernel:
        kernel.run_cell("import os, time")
        kernel.run_cell('''
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        while True:
            time.sleep(1)
''')
        kernel.run_cell("time.sleep(.2)")
"""


def below(pid: int) -> set[int]:
    return set(processes.tree(pid)) - {pid}


def living(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def groups_of(pid: int) -> list[Path]:
    """Processes in groups that this grader has made."""
    machine, places = cgroup.Machine.this(), []
    for controller in ("", *cgroup.CONTROLLERS):
        if found := machine.own(controller):
            places += [
                path for above in (found[0], *found[0].parents) for path in above.glob(f"{cgroup.PREFIX}{pid}-*")
            ]
    return [place for place in places if cgroup._read(place / "cgroup.procs").strip()]


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 8))])
def test_a_killed_judge_leaves_nothing(paths: Paths, seed: int) -> None:
    """Moments are drawn over building, running and closing a sandbox."""
    mark = f"ends-{os.getpid()}-{seed}"
    judge = subprocess.Popen(
        [sys.executable, "-c", JUDGE, str(paths.public), str(paths.files), mark], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert judge.stdout is not None and judge.stdout.readline() == b"begun\n"
    end, known = time.monotonic() + random.Random(seed).uniform(0.0, 3.0), set[int]()
    while time.monotonic() < end or not known:
        known |= below(judge.pid)
        time.sleep(0.005)
    known |= below(judge.pid)
    judge.kill()
    judge.wait()
    judge.stdout.close()
    end = time.monotonic() + 10
    while any(map(living, known)) and time.monotonic() < end:
        time.sleep(0.05)
    assert known and not [pid for pid in known if living(pid)] and not tagged(mark)
    assert not groups_of(judge.pid)


def test_groups_of_graders_that_are_gone_are_swept(tmp_path: Path) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    (tmp_path / f"{cgroup.PREFIX}{dead.pid}-0").mkdir()
    (tmp_path / f"{cgroup.PREFIX}{os.getpid()}-0").mkdir()
    (tmp_path / f"{cgroup.PREFIX}itself").mkdir()
    cgroup.sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"{cgroup.PREFIX}{os.getpid()}-0",
        f"{cgroup.PREFIX}itself",
    ]
