"""A student's way on Colab: a lone notebook, student.zip beside it, no ipywidgets; and the hand-in is graded."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from autograder.intake.discover import Found, take_in
from autograder.intake.rebuild import source_of
from autograder.release.make import make_release
from autograder.release.read import load_release
from tests.autograder.release.test_gradescope import answered
from tests.paths import SAMPLE_COURSE

NAME = "97_sample"
# Colab's kernel as far as the course meets it: the page gives the open notebook, a download is asked of the page.
KERNEL = """
import json, sys, types
sys.modules["ipywidgets"] = None  # not installed
for name in ("google", "google.colab", "google.colab._message", "google.colab.files"):
    sys.modules[name] = types.ModuleType(name)
page = json.load(open(sys.argv[1]))
sys.modules["google.colab._message"].blocking_request = lambda what, request="", timeout_sec=5: {"ipynb": page}
sys.modules["google.colab.files"].download = lambda path: print("DOWNLOAD", path)
In, names = [], vars(sys.modules["__main__"])
for cell in page["cells"]:
    if cell["cell_type"] == "code":
        text = "".join(cell["source"])
        In.append(text)
        exec(compile(text, "<cell>", "exec"), names)
"""


def test_from_the_uploaded_zip_to_the_download(tmp_path: Path) -> None:
    release = load_release(
        make_release(tmp_path / "term", 7, source_dir=SAMPLE_COURSE, world={"n_people": 60, "n_never": 10})
    )
    content = tmp_path / "content"
    content.mkdir()
    shutil.copyfile(release.root / "student.zip", content / "student.zip")
    (tmp_path / "page.json").write_bytes(answered())
    bare = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "COURSE_DIR", "JPY_SESSION_NAME")}
    command = [sys.executable, "-P", "-c", f"import sys; sys.path[:0] = ['']\n{KERNEL}", str(tmp_path / "page.json")]
    done = subprocess.run(command, cwd=content, env=bare, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    target = content / "student" / "notebooks" / f"{NAME}.zip"
    assert f"DOWNLOAD {target}" in done.stdout and "✓ baseline: passed" in done.stdout, done.stdout
    assert sorted(path.name for path in content.iterdir()) == ["student", "student.zip"]
    with zipfile.ZipFile(target) as archive:
        assert {f"{NAME}.ipynb", f"work/{NAME}/shout.txt", "manifest.json"} == set(archive.namelist())
    taken = take_in(Found("ann", target), NAME, release.skeleton(NAME), tmp_path / "in")
    texts = {cell["id"]: source_of(cell) for cell in taken.notebook["cells"]}
    mine = {cell["id"]: source_of(cell) for cell in json.loads(answered())["cells"]}
    assert (
        texts["answer-baseline"]
        == mine["answer-baseline"]
        != source_of(next(cell for cell in release.skeleton(NAME)["cells"] if cell["id"] == "answer-baseline"))
    )
