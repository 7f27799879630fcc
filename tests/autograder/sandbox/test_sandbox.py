"""The sandbox: what is inside, what is not, what it may use, and that nothing outlives it. Each refusal has a control outside."""

from __future__ import annotations

import os
import pwd
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.sandbox import bubblewrap as sandbox
from autograder.sandbox import cgroup, layers
from autograder.sandbox.bubblewrap import MIB, Paths
from autograder.sandbox.kernel import Kernel
from course_utils.errors import CourseError
from tests.autograder.sandbox.conftest import SMALL, shown
from tests.paths import ROOT


def test_course_files_and_packages_are_there(kernel: Kernel, paths: Paths) -> None:
    text = shown(
        kernel.run_cell("import hello, numpy, os\nprint(hello.WORD, os.getcwd(), os.getuid(), os.path.expanduser('~'))")
    )
    assert text.split() == ["hello", "/work", "1000", "/home/student"]
    result = kernel.run_cell(
        "p = 'work/07_knowledge/predictions.txt'\nopen(p, 'a').write('Rome')\nopen(p).read(), os.listdir('work/07_knowledge')"
    )
    assert "Oslo\\nRome" in shown(result) and "deep" in shown(result)
    assert (paths.files / "predictions.txt").read_text() == "Oslo\n", "the kernel wrote to the handed-in original"


def test_the_sandbox_says_that_it_grades(kernel: Kernel) -> None:
    """Otherwise every graded notebook would train again what was handed in, or in a format that depends on the processor."""
    names = ("COURSE_GRADING", "NBGRADER_EXECUTION", "COURSE_DTYPE")
    assert shown(kernel.run_cell(f"import os\n[os.environ[name] for name in {names}]")) == "['1', 'autograde', 'fp32']"


def test_magics_await_figures_and_shell(kernel: Kernel) -> None:
    assert shown(kernel.run_cell("import asyncio\nawait asyncio.sleep(0, 42)")) == "42"
    assert "loop" in shown(kernel.run_cell("%timeit -n1 -r1 1+1"))
    assert "student" in shown(kernel.run_cell("!id"))
    figure = kernel.run_cell("import matplotlib.pyplot as plt\nplt.plot([1, 2]);\nplt.show()").outputs
    assert [sorted(item["data"]) for item in figure] == [["image/png", "text/plain"]]


def test_errors_have_kind_text_and_line(kernel: Kernel) -> None:
    result = kernel.run_cell("x = 1\n\n1 / 0")
    assert result.status == "error" and result.error == ("ZeroDivisionError", "division by zero", 3)
    assert result.outputs[-1]["ename"] == "ZeroDivisionError"
    assert kernel.run_cell("def f(:").error[0] == "SyntaxError"  # type: ignore[index]


WRITE = """
import os
for path in {places!r}:
    try:
        os.close(os.open(path, os.O_WRONLY if path.startswith("/proc") else os.O_WRONLY | os.O_CREAT))
        print(path)
    except OSError:
        pass
"""


def test_only_a_few_places_can_be_written(kernel: Kernel) -> None:
    open_places = ["/tmp/x", "x", "/home/student/x", "/dev/shm/x"]
    places = [
        "/x",
        "/dev/x",
        "/etc/passwd",
        "/usr/x",
        "/course/x",
        "/agent/agent.py",
        "/handin/predictions.txt",
        "/site/0/x",
    ]
    places += [
        "/proc/sys/kernel/core_pattern",
        "/proc/sys/kernel/hostname",
        "/proc/sysrq-trigger",
        "/proc/self/oom_score_adj",
    ]
    assert shown(kernel.run_cell(WRITE.format(places=places + open_places))).split() == open_places


def test_no_host_file_process_variable_or_repository(
    kernel: Kernel, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, repository = paths.public.parent / "secret.txt", ROOT
    code = "import os\n[os.path.exists(p) for p in {!r}], os.environ.get('HOME'), [p for p in os.listdir('/proc') if p.isdigit()]"
    text = shown(
        kernel.run_cell(code.format([str(secret), str(repository), f"/proc/{os.getpid()}/environ", "/etc/shadow"]))
    )
    assert secret.exists() and repository.exists() and Path("/etc/shadow").exists()
    assert text == "([False, False, False, False], '/home/student', [])"
    code = "try:\n    import autograder\n    print('found')\nexcept ImportError:\n    print('none')"
    assert shown(kernel.run_cell(code)) == "none\n"


DESCRIPTORS = """
import os
for process in (1, 2):
    for number in os.listdir(f"/proc/{process}/fd"):
        try:
            print(os.readlink(f"/proc/{process}/fd/{number}"))
        except OSError:
            pass
"""


def test_environment_is_empty(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_TOKEN", "secret")
    outside = subprocess.run(
        [sys.executable, "-c", "import os; print(dict(os.environ))"], capture_output=True, text=True
    )
    assert "GRADER_TOKEN" in outside.stdout
    with layers.without("neutral_mounts"), Kernel(paths, SMALL) as kernel:  # with it there is no /proc at all
        seen = shown(
            kernel.run_cell(
                "import os\ndict(os.environ), [open(f'/proc/{p}/{n}').read() for p in (1, 2) for n in ('environ', 'cmdline')]"
            )
        )
        assert "OMP_NUM_THREADS" in seen and "agent.py" in seen
        assert "GRADER_TOKEN" not in seen and str(paths.files) not in seen
        links = shown(kernel.run_cell(DESCRIPTORS)).split()
        assert links and all(
            link.startswith(("/dev/null", "socket:", "pipe:", "anon_inode:", "/proc/")) for link in links
        ), links


CONNECT = """
import socket
s = socket.socket()
s.settimeout(2)
print("in" if s.connect_ex(("127.0.0.1", {port})) == 0 else "no")
"""


def test_no_network(paths: Paths) -> None:
    """The namespace alone holds; the filter does not even give a socket."""
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        layers.without("seccomp"),
        Kernel(paths, SMALL) as kernel,
    ):
        code = CONNECT.format(port=server.getsockname()[1])
        assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "in\n"
        assert shown(kernel.run_cell(code)) == "no\n"


def test_no_user_namespaces_inside(kernel: Kernel) -> None:
    code = "import ctypes\nprint(ctypes.CDLL(None).unshare(0x10000000))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "0\n"
    assert shown(kernel.run_cell(code)) == "-1\n"


# ---------------------------------------------------------------- bounds


FOUR = """
import os, time
for _ in range(4):
    if os.fork() == 0:
        x = b"1" * (150 * 2**20)
        time.sleep(20)
time.sleep(20)
"""
FILL = """
def fill(path, size):
    try:
        with open(path, "wb") as f:
            for _ in range(size):
                f.write(bytes(2**20))
        print("all")
    except OSError as error:
        print(error.strerror)
"""


def test_memory_is_bounded_over_all_processes(kernel: Kernel) -> None:
    result = kernel.run_cell(FOUR)
    assert result.status == "dead" and "400 MiB of memory" in result.note


def test_one_large_allocation_within_bounds_is_fine_and_beyond_is_not(kernel: Kernel) -> None:
    assert kernel.run_cell("x = b'1' * (100 * 2**20)\ndel x").status == "ok"
    assert kernel.run_cell("x = b'1' * (13 * 2**30)").error[0] == "MemoryError"  # type: ignore[index]
    result = kernel.run_cell("x = b'1' * (600 * 2**20)\nimport time; time.sleep(5)")
    assert result.status == "dead" and "memory" in result.note


def test_forks_are_bounded(kernel: Kernel) -> None:
    assert (
        kernel.run_cell(
            "import os, time\nfor _ in range(8):\n    if os.fork() == 0:\n        time.sleep(.3); os._exit(0)"
        ).status
        == "ok"
    )
    result = kernel.run_cell("while True:\n    os.fork()")
    assert result.status == "dead" and "processes" in result.note


def test_disk_is_bounded(kernel: Kernel) -> None:
    kernel.run_cell(FILL)
    assert shown(kernel.run_cell("fill('/tmp/a', 4)")) == "all\n"
    assert shown(kernel.run_cell("fill('/tmp/b', 9)")) == "File too large\n"
    assert shown(kernel.run_cell("fill('/tmp/c', 7); fill('/tmp/d', 7)")).endswith("No space left on device\n")


def test_descriptors_are_bounded(kernel: Kernel) -> None:
    result = kernel.run_cell("fs = []\nwhile True:\n    fs.append(open('/dev/null'))")
    assert result.error is not None and result.error[0] == "OSError"


@pytest.mark.parametrize("code", ["import os; os._exit(7)", "import os; os.kill(os.getpid(), 9)"])
def test_death_is_noticed_at_once(kernel: Kernel, code: str) -> None:
    started = time.monotonic()
    assert kernel.run_cell(code).status == "dead"
    assert time.monotonic() - started < 5


def tagged(mark: str) -> list[int]:
    """Processes of this machine with ``mark`` in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


DAEMON = """
import subprocess, sys, time
for _ in range(3):
    subprocess.Popen(["sh", "-c", "trap '' TERM HUP INT; while :; do sleep 1; done; : {mark}"], start_new_session=True)
time.sleep(.3)
"""


@pytest.mark.parametrize("how", ["close", "exit"])
def test_nothing_outlives_the_box(paths: Paths, how: str) -> None:
    mark = f"outlive-{how}-{os.getpid()}"
    with Kernel(paths, SMALL) as kernel:
        assert kernel.run_cell(DAEMON.format(mark=mark)).status == "ok"
        assert len(tagged(mark)) >= 3, "the control: they do run, and would go on"
        if how == "exit":
            assert kernel.run_cell("import os; os._exit(0)").status == "dead"
    assert tagged(mark) == []


def test_sandbox_dies_with_the_judge(paths: Paths) -> None:
    mark = f"orphan-{os.getpid()}"
    code = (
        "import os, sys; from pathlib import Path; from autograder.sandbox.kernel import *\n"
        f"k = Kernel(Paths(Path({str(paths.public)!r}), Path({str(paths.files)!r}), 'a')); k.start()\n"
        f"k.run_cell({DAEMON.format(mark=mark)!r}); print('up', flush=True); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "up\n", done.stderr
    deadline = time.monotonic() + 5
    while tagged(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert tagged(mark) == []


def test_loops_are_interrupted_and_the_deaf_are_killed(kernel: Kernel) -> None:
    kernel.run_cell("kept = 5")
    assert kernel.run_cell("while True: pass", seconds=0.5).status == "timeout"
    assert shown(kernel.run_cell("kept")) == "5", "an interrupt leaves the names alone"
    deaf = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: time.sleep(1)"
    assert kernel.run_cell(deaf, seconds=0.5).status == "timeout"
    assert not kernel.alive


def test_output_is_bounded(kernel: Kernel) -> None:
    result = kernel.run_cell("for _ in range(200):\n    print('x' * 2**20)")
    assert result.status == "ok" and len(shown(result)) <= MIB and "cut" in result.note
    assert kernel.run_cell("import os\nos.write(1, b'x' * 2**20) and None").outputs == []


# ---------------------------------------------------------------- no sandbox, no run


def test_missing_bubblewrap(paths: Paths, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    sandbox.bubblewrap.cache_clear()
    with pytest.raises(CourseError, match="bubblewrap is missing, and student code never runs without it: install it"):
        Kernel(paths).start()
    old = tmp_path / "bwrap"
    old.write_text("#!/bin/sh\necho bubblewrap 0.6.1\n")
    old.chmod(0o755)
    with pytest.raises(CourseError, match=r"0\.6\.1 is too old"):
        Kernel(paths).start()
    monkeypatch.undo()
    sandbox.bubblewrap.cache_clear()


def test_no_namespaces(paths: Paths, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake = tmp_path / "bwrap"
    fake.write_text(
        "#!/bin/sh\ncase $1 in --version) echo bubblewrap 0.9.0;; "
        "*) echo 'bwrap: No permissions to create new namespace' >&2; exit 1;; esac\n"
    )
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    sandbox.bubblewrap.cache_clear()
    with pytest.raises(CourseError, match=r"nothing was run .*No permissions.*allow user namespaces"):
        Kernel(paths).start()
    monkeypatch.undo()
    sandbox.bubblewrap.cache_clear()


def test_no_control_group(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused by default; the instructor may say otherwise for this layer and for no other."""
    monkeypatch.setattr(cgroup, "WAYS", ())
    monkeypatch.delenv(layers.OVERRIDE, raising=False)
    with pytest.raises(CourseError, match=r"nothing was run: `python -m autograder doctor`"):
        Kernel(paths).start()
    monkeypatch.setenv(layers.OVERRIDE, "cgroup")
    with Kernel(paths, SMALL) as kernel:
        assert kernel.run_cell("1").status == "ok" and kernel.sandbox is not None and kernel.sandbox.group is None
    monkeypatch.setenv(layers.OVERRIDE, "seccomp")
    with pytest.raises(CourseError, match="student code never runs without that; only cgroup can be named"):
        Kernel(paths).start()


def test_missing_folder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="could not be built") as caught:
        Kernel(Paths(tmp_path / "nowhere", tmp_path, "a")).start()
    assert "\n" not in str(caught.value)


ORDINARY = """
import sys
from pathlib import Path
from autograder.sandbox import bubblewrap as sandbox
from autograder.sandbox.bubblewrap import Limits, Paths, Sandbox
sandbox = Sandbox(Paths(Path({public!r}), Path({files!r}), "a"), Limits())
sandbox.channel.settimeout(30)
print(sandbox.channel.recv(8) or sandbox.process.stderr.read(), sandbox.alive, __import__("os").getuid())
sandbox.close()
"""


def pythons() -> Iterator[Path]:
    """This Python, and the system's own one of the same version (it reads the same packages)."""
    yield Path(sys.executable)
    yield Path(f"/usr/bin/python3.{sys.version_info.minor}")


def test_as_an_ordinary_user(paths: Paths, tmp_path_factory: pytest.TempPathFactory) -> None:
    """As root, once more under nobody's account; as an ordinary user every other test was this one."""
    if os.getuid():
        pytest.skip("this whole file has just run as an ordinary user")
    able = [p for p in pythons() if p.exists() and all(q.stat().st_mode & 0o001 for q in p.resolve().parents)]
    if not able:
        pytest.skip("there is no Python that an ordinary user can read")
    nobody = pwd.getpwnam("nobody")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        code = ORDINARY.format(public=folder, files=folder)
        path = os.pathsep.join([str(ROOT), *map(str, sandbox.site_folders())])
        done = subprocess.run(
            [able[0], "-c", code], capture_output=True, text=True, user=nobody.pw_uid, group=nobody.pw_gid, cwd="/",
            env={"PATH": os.environ["PATH"], "HOME": "/tmp", "PYTHONPATH": path, "AUTOGRADER_WITHOUT": "cgroup"}, extra_groups=[],
        )  # fmt: skip
    assert done.stdout.split("'")[0] == "b" and done.stdout.endswith("True 65534\n"), done.stdout + done.stderr
