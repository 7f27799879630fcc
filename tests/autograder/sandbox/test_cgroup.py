"""Control groups on machines that this one is not: a fake tree that answers as the kernel does, and a fake systemd-run."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.judge.execute import execute
from autograder.records import Job
from autograder.sandbox import cgroup, layers
from autograder.sandbox.bubblewrap import Paths
from autograder.sandbox.cgroup import Bounds, Machine
from autograder.sandbox.kernel import Kernel
from tests.autograder.sandbox.conftest import SMALL, shown

BOUNDS = Bounds(256 * 2**20, 100, 1.0)
FILES = {
    "memory": ("memory.max", "memory.swap.max", "memory.oom.group", "memory.events", "memory.peak"),
    "pids": ("pids.max",),
    "cpu": ("cpu.max", "cpu.weight"),
}
ALWAYS = ("cgroup.procs", "cgroup.kill", "cgroup.controllers", "cgroup.subtree_control")


class Tree:
    """A cgroup v2 file system in a folder: new groups get the files of their parent's controllers, processes move."""

    def __init__(self, top: Path, patch: pytest.MonkeyPatch) -> None:
        self.top, self.mkdir, self.rmdir, self.write = top, Path.mkdir, Path.rmdir, Path.write_text
        for name, fake in (("mkdir", self.make), ("rmdir", self.remove), ("write_text", self.put)):
            patch.setattr(Path, name, lambda path, *a, fake=fake, **k: fake(path, *a, **k))
        self.make(top)

    def make(self, path: Path, *rest: object, **options: bool) -> None:
        self.mkdir(path, *rest, **options)  # type: ignore[arg-type]
        if not path.is_relative_to(self.top) or (path / "cgroup.procs").exists():
            return
        given = (path.parent / "cgroup.subtree_control").read_text().split() if path != self.top else list(FILES)
        for name in [*ALWAYS, *(file for controller in given for file in FILES[controller])]:
            self.write(path / name, "")
        self.write(path / "cgroup.controllers", " ".join(given))

    def remove(self, path: Path) -> None:
        if path.is_relative_to(self.top) and not (path / "cgroup.procs").read_text().strip():
            for file in [entry for entry in path.iterdir() if entry.is_file()]:
                file.unlink()
        self.rmdir(path)

    def put(self, path: Path, text: str, *rest: object, **options: str) -> int:
        if path.is_relative_to(self.top) and not path.exists():
            raise FileNotFoundError(path)
        if path.name == "cgroup.procs":
            for other in self.top.rglob("cgroup.procs"):
                self.write(other, " ".join(pid for pid in other.read_text().split() if pid != text))
            text = f"{path.read_text()} {text}"
        if path.name == "cgroup.subtree_control":
            if (path.parent / "cgroup.procs").read_text().strip():
                raise OSError(16, "Device or resource busy")  # no processes beside groups
            text = f"{path.read_text()} {text.removeprefix('+')}"
        return self.write(path, text, *rest, **options)  # type: ignore[arg-type]

    def group(self, path: str, controllers: str = "", pids: str = "") -> Path:
        """A group as systemd has left it."""
        folder = self.top
        for part in Path(path).parts:
            folder /= part
            if not folder.exists():
                self.make(folder)
        self.write(folder / "cgroup.subtree_control", controllers)
        self.write(folder / "cgroup.procs", pids)
        return folder

    def machine(self, path: str) -> Machine:
        return Machine(f"30 23 0:26 / {self.top} rw,nosuid - cgroup2 cgroup2 rw\n", f"0::/{path}\n")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tree]:
    monkeypatch.setattr(cgroup, "_systemd_works", lambda: False)
    yield Tree(tmp_path / "cgroup", monkeypatch)


def test_a_group_beside_ours_in_a_delegated_slice(tree: Tree) -> None:
    """A desktop: the terminal's scope lies in app.slice, which belongs to the user."""
    tree.group("", "memory pids cpu")
    tree.group("user.slice", "memory pids")
    tree.group("user.slice/app.slice", "memory pids")
    tree.group("user.slice/app.slice/terminal.scope", pids=f"{os.getpid()}")
    group = cgroup.make(BOUNDS, tree.machine("user.slice/app.slice/terminal.scope"))
    assert group is not None and group.kind == "cgroup v2" and group.bounded == ["memory", "pids"]  # no cpu there
    folder = group.folders[""]
    assert folder.parent == tree.top / "user.slice/app.slice"
    values = {
        name: (folder / name).read_text() for name in ("memory.max", "memory.swap.max", "memory.oom.group", "pids.max")
    }
    assert list(values.values()) == [str(256 * 2**20), "0", "1", "100"]
    group.add(12345)
    assert group.holds(12345) and not group.holds(os.getpid()) and not group.exceeded()
    tree.write(folder / "memory.events", "low 0\noom 2\noom_kill 1\n")
    assert group.exceeded()
    tree.write(folder / "cgroup.procs", "")
    group.remove()
    assert not folder.exists()


def test_a_delegated_scope_of_our_own_is_divided(tree: Tree) -> None:
    """``systemd-run --user --scope -p Delegate=yes``: our own processes move down, since none may stand beside a group."""
    tree.group("", "memory pids cpu")
    scope = tree.group("run-1.scope", pids=f"{os.getpid()}")
    for path in (tree.top, tree.top / "cgroup.procs"):
        path.chmod(0o500 if path.is_dir() else 0o400)
    machine = tree.machine("run-1.scope")
    found = [place for place in cgroup._divisible(machine) if place == scope]
    assert found == [scope]
    assert (scope / f"{cgroup.PREFIX}itself" / "cgroup.procs").read_text().split() == [str(os.getpid())]
    group = cgroup._v2(tree.machine(f"run-1.scope/{cgroup.PREFIX}itself"), BOUNDS)
    assert group is not None and group.folders[""].parent == scope and group.bounded == ["memory", "pids", "cpu"]
    assert (group.folders[""] / "cpu.max").read_text() == "100000 100000"


def test_a_scope_with_processes_of_others_is_left_alone(tree: Tree) -> None:
    tree.group("", "")
    scope = tree.group("session.scope", pids=f"{os.getpid()} 1")
    tree.write(scope / "cgroup.controllers", "memory pids cpu")
    assert cgroup.make(BOUNDS, tree.machine("session.scope")) is None
    assert (scope / "cgroup.procs").read_text() == f"{os.getpid()} 1" and not list(scope.glob("autograder*"))


def test_a_tree_without_controllers_gives_none(tree: Tree) -> None:
    tree.group("", "")
    assert cgroup.make(BOUNDS, tree.machine("")) is None
    assert cgroup.make(BOUNDS, Machine("", "")) is None


def test_v1_with_controllers_mounted_together_and_a_namespace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container: the mount shows a part of the tree, and cpu is mounted with cpuacct."""
    for name in ("memory/docker/x", "cpu,cpuacct", "pids"):
        (tmp_path / name).mkdir(parents=True)
    lines = [
        f"31 30 0:27 / {tmp_path}/memory rw - cgroup cgroup rw,memory",
        f"32 30 0:28 /docker/x {tmp_path}/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct",
    ]
    machine = Machine("\n".join(lines), "5:memory:/docker/x\n4:cpu,cpuacct:/docker/x\n3:pids:/\n")
    assert machine.own("memory") == (tmp_path / "memory/docker/x", tmp_path / "memory")
    assert machine.own("cpu") == (tmp_path / "cpu,cpuacct", tmp_path / "cpu,cpuacct")
    assert machine.own("pids") is None and machine.own("") is None
    assert cgroup._v1(machine, BOUNDS) is None, "folders in which no limit can be written bound nothing"
    assert not list((tmp_path / "memory/docker/x").iterdir())


FAKE = """#!/bin/sh
echo "$@" >> {log}
case "$*" in *memory.max*) {answer}; exit 0;; esac
while [ "$1" != -- ]; do shift; done
shift
exec "$@"
"""


@pytest.mark.parametrize(("answer", "works"), [("echo 268435456", True), ("echo max", False)])
def test_systemd(answer: str, works: bool, paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scope is used only if its bound was read back: a manager without the controller ignores it silently."""
    program = tmp_path / "systemd-run"
    program.write_text(FAKE.format(log=tmp_path / "log", answer=answer))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(cgroup, "WAYS", (cgroup._systemd,))
    cgroup._systemd_works.cache_clear()
    monkeypatch.setenv(layers.OVERRIDE, "cgroup")
    with Kernel(paths, SMALL) as kernel:
        assert shown(kernel.run_cell("import os\nprint(sorted(os.environ)[:1])")) != ""
        assert kernel.sandbox is not None and (kernel.sandbox.group is not None) is works
        assert kernel.sandbox.weaknesses == (
            [] if works else ["graded without a control group (AUTOGRADER_WITHOUT=cgroup)"]
        )
        assert not kernel.sandbox.group or kernel.sandbox.group.folders == {}, (
            "the folder of other processes is never taken"
        )
    cgroup._systemd_works.cache_clear()
    calls = (tmp_path / "log").read_text()
    assert (
        "--scope --quiet --collect --unit=autograder-" in calls and "-p MemoryMax=268435456 -p MemorySwapMax=0" in calls
    )
    assert (f"-p MemoryMax={SMALL.memory}" in calls and "/env -i /" in calls) is works


def test_grading_without_a_group_is_recorded(paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The instructor's leave stands with the result; where there is a group, nothing is said."""
    notebook = {"cells": [{"cell_type": "code", "id": "one", "source": "x = 1"}]}
    job = Job("ada", "07_knowledge", notebook, paths.files, {}, paths.public, tmp_path)
    if (group := cgroup.make(BOUNDS)) is not None:
        group.remove()
        assert execute(job, SMALL).notes == []
    monkeypatch.setattr(cgroup, "WAYS", ())
    monkeypatch.setenv(layers.OVERRIDE, "cgroup")
    assert execute(job, SMALL).notes == ["graded without a control group (AUTOGRADER_WITHOUT=cgroup)"]
