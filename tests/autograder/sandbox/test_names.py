"""Nothing inside names the host: its folders, its machine, its people."""

from __future__ import annotations

import compileall
import getpass
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.sandbox import bubblewrap, layers, mounts, neutral
from autograder.sandbox.bubblewrap import Paths
from autograder.sandbox.kernel import Kernel
from tests.autograder.sandbox.conftest import SMALL, shown

READ_ALL = """
import os, stat, sys
found = []
def look(text, where):
    found.extend((word, where) for word in {words!r} if word in text)
def read(path):
    try:
        if stat.S_ISREG(os.stat(path).st_mode):
            fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            with open(fd, "rb", buffering=0) as file:
                look(file.read(2**20).decode("utf-8", "replace"), path)
    except OSError:
        pass
for top in ("/proc", "/sys", "/etc", "/dev", "/run", "/tmp", "/home", "/agent", "/course", "/handin", "/work"):
    for folder, names, files in os.walk(top):
        if folder.startswith("/proc/sys") or folder.count("/") > 6:
            names.clear()
        look(folder, folder)
        for name in [*names, *files]:
            path = os.path.join(folder, name)
            look(path, path)
            try:
                look(os.readlink(path), "link " + path)
            except OSError:
                pass
        for name in files:
            read(os.path.join(folder, name))
look(repr(dict(os.environ)), "environment")
look(repr(os.uname()), "uname")
look(repr((sys.path, sys.prefix, sys.base_prefix, sys.executable, sys.argv, sys.orig_argv)), "Python")
look(repr([m.__file__ for m in sys.modules.values() if getattr(m, "__file__", None)]), "modules")
look(os.path.expanduser("~") + os.getcwd(), "home")
import numpy, site, sysconfig, pwd
look(repr(pwd.getpwall()) + repr(sys.path) + numpy.__file__, "accounts")
import json
print(json.dumps(found[:50]))
"""


@pytest.fixture(scope="module")
def hidden(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Paths]]:
    """A folder with a random name above the release and the hand-in, as a person's or a course's own may be."""
    word = f"person{secrets.token_hex(8)}"
    folder = tmp_path_factory.mktemp(word) / "release"
    for name in ("public", "files"):
        (folder / name).mkdir(parents=True)
        (folder / name / "one.txt").write_text("something")
    yield word, Paths(folder / "public", folder / "files", "07_knowledge")


def secret_words(word: str) -> list[str]:
    """Names that must not be seen; short ones of this machine would be found anywhere."""
    of_machine = [os.uname().nodename, getpass.getuser(), str(Path.home()), str(Path(sys.prefix).parent)]
    return [word, *(one for one in of_machine if len(one) > 4)]


def seen(hidden: tuple[str, Paths], *off: str) -> list[list[str]]:
    with layers.without(*off), Kernel(hidden[1], SMALL) as kernel:
        result = kernel.run_cell(READ_ALL.format(words=secret_words(hidden[0])), 60)
    return json.loads(shown(result))


def test_no_name_of_the_host_can_be_read(hidden: tuple[str, Paths], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_FOLDER", f"/srv/{hidden[0]}")
    assert seen(hidden) == []


READ_PYTHON = """
import os
found, seen = [], 0
for top in ("/python", "/site"):
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            try:
                if os.path.getsize(path) < 2**25:
                    seen += 1
                    with open(path, "rb") as file:
                        data = file.read()
                    found.extend((word, path) for word in {words!r} if word.encode() in data)
            except OSError:
                pass
import json
print(json.dumps([seen, found[:20]]))
"""


def told_by_python(hidden: tuple[str, Paths], *off: str) -> tuple[int, list[list[str]]]:
    words = [sys.prefix, sys.base_prefix]
    with layers.without(*off), Kernel(hidden[1], SMALL) as kernel:
        seen, found = json.loads(shown(kernel.run_cell(READ_PYTHON.format(words=words), 120)))
    return seen, found


def test_bytecode_is_rewritten_and_runs_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lengths stay, and a traceback names the source where it lies: Python puts the real path in when it loads."""
    folder = tmp_path / "pérson" / "packages"
    folder.mkdir(parents=True)
    (folder / "fails.py").write_text("def fail():\n    raise ValueError\n")
    assert compileall.compile_dir(folder, quiet=1)
    (path,) = folder.rglob("*.pyc")
    word, size = os.fsencode(folder.parent), path.stat().st_size
    assert word in path.read_bytes()
    monkeypatch.setattr(neutral, "spellings", lambda: ((word, b"/".ljust(len(word), b"-")),))
    assert neutral.rewrite_bytecode(folder) == []
    assert word not in path.read_bytes() and path.stat().st_size == size
    before = path.stat().st_mtime_ns
    done = subprocess.run(
        [sys.executable, "-c", "import fails\nfails.fail()"], cwd=folder, env={}, capture_output=True, check=False
    )
    assert os.fsencode(folder / "fails.py") in done.stderr and path.stat().st_mtime_ns == before


@pytest.mark.slow
def test_python_and_its_packages_do_not_name_their_folders(hidden: tuple[str, Paths]) -> None:
    neutral.bytecode(thorough=True)
    seen, found = told_by_python(hidden)
    assert seen > 1000 and found == []


def test_bytecode_of_the_checkout_is_not_inside(hidden: tuple[str, Paths]) -> None:
    """Python writes it beside the agent's source, unless a variable of the environment forbids that."""
    assert compileall.compile_dir(bubblewrap.HERE / "wire", quiet=1)
    with Kernel(hidden[1], SMALL) as kernel:
        names = shown(
            kernel.run_cell("import os\nprint([n for _, *two in os.walk('/agent') for ns in two for n in ns])")
        )
    assert "agent.py" in names and "wire" in names and "pyc" not in names


def test_without_the_layer_the_mounts_tell(hidden: tuple[str, Paths]) -> None:
    found = seen(hidden, "neutral_mounts")
    assert any(word == hidden[0] and where.endswith("mountinfo") for word, where in found), found


def test_only_what_python_needs_of_the_system(hidden: tuple[str, Paths]) -> None:
    code = "import os\nprint(sorted(os.listdir('/usr')), len(os.listdir('/bin/')), os.path.exists('/usr/bin/gcc'))"
    with Kernel(hidden[1], SMALL) as kernel:
        text = shown(kernel.run_cell(code))
        time = shown(kernel.run_cell("import zoneinfo\nprint(zoneinfo.ZoneInfo('Europe/Vienna'))"))
    folders, rest = text.rsplit("]", 1)
    assert set(eval(folders + "]")) <= {"bin", "lib", "lib64", "share", "local"}
    assert int(rest.split()[0]) <= len(mounts.PROGRAMS.split()) and rest.split()[1] == "False"
    assert time == "Europe/Vienna\n" or not Path("/usr/share/zoneinfo").exists()


def test_files_that_name_the_checkout_are_closed(hidden: tuple[str, Paths]) -> None:
    """An editable install leaves the course's own folder in the packages."""
    told = [(folder, path) for folder in mounts.site_folders() for path in folder.glob("*.dist-info/direct_url.json")]
    code = "import glob\nfor path in glob.glob('/site/*/*.dist-info/direct_url.json'): open(path)"
    with Kernel(hidden[1], SMALL) as kernel:
        result = kernel.run_cell(code)
    assert not told or (result.error is not None and result.error[0] == "PermissionError")


def test_fonts_of_a_person_are_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import matplotlib

    fonts = [{"fname": name} for name in ("/home/ada/.fonts/a.ttf", "/usr/share/fonts/b.ttf", "fonts/ttf/c.ttf")]
    (tmp_path / "fontlist-v1.json").write_text(json.dumps({"ttflist": fonts, "afmlist": [], "_version": "1"}))
    monkeypatch.setattr(matplotlib, "get_cachedir", lambda: str(tmp_path))
    mounts._fonts.cache_clear()
    name, data = mounts._fonts()[0]
    mounts._fonts.cache_clear()
    assert name == "fontlist-v1.json" and b"ada" not in data and b"b.ttf" in data and b"c.ttf" in data
