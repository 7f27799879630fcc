"""A class whose every hand-in carries payloads, graded as an instructor grades, and the pages that come of it."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.grading.pipeline import Settings, grade
from autograder.grading.store import open_ledger
from autograder.pages.export import StaticHTML
from autograder.records import Job, Result
from autograder.release.make import CONFIG
from autograder.release.nbgrader_db import open_api, open_book
from autograder.reports.class_report import class_report
from autograder.reports.feedback import write_feedback
from tests.autograder.release.test_rubric import SOLUTION
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, hand_in, make_release, solved
from tests.browser.payloads import Payload, in_outputs
from tests.paths import ROOT

HONEST = r"""A formula $\sqrt{x_i} < y$, five $n$ and 3 < 4.

$$\sum_{i=1}^n \alpha_i v_i$$

| a | b |
|---|---|
| 1 | 2 |

[a link](https://example.org/honest)

```python
if a<b: print("code")
```"""
PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAIAAADYYG7QAAAARUlEQVR42u3OMQ0AAAgDsPlXhimEoYJjBEhdQJM+9apCQkJCQkJCQkJCQkJC"
    "QkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCdwsHJ2FBN1yFUAAAAABJRU5ErkJggg=="
)


def split(payloads: Sequence[Payload], students: int) -> dict[str, list[Payload]]:
    """Students by id, with the payloads that each hands in."""
    return {f"student{number:02d}": list(payloads[number::students]) for number in range(students)}


def _notebook(payloads: Sequence[Payload]) -> dict[str, Any]:
    """A hand-in whose written answer, and whose text outside of any answer, holds payloads."""
    texts = "\n\n".join(one.text for one in payloads if one.text)
    filled = solved(why=f"{HONEST}\n\n{texts}")
    filled["metadata"]["title"] = filled["metadata"]["kernelspec"]["display_name"] = (
        "<script>canary(`metadata`)</script>"
    )
    filled["metadata"]["widgets"] = {
        "application/vnd.jupyter.widget-state+json": {"state": "</script><script>canary()"}
    }
    for cell in filled["cells"]:
        cell["metadata"]["tags"] = ['"><script>canary(`tags`)</script>']
    return filled


def hand_in_all(folder: Path, people: dict[str, list[Payload]]) -> None:
    """One folder per student; names and handed-in files carry markup too."""
    evil = "<script>canary(`file`)</script><img src=x onerror=canary(`file`)>"
    for student, payloads in people.items():
        place = hand_in(folder / student, _notebook(payloads))
        work = place / "work" / NAME
        for name in ("evil.html", "<img src=x onerror=canary`name`>.txt", 'a"><svg onload=canary`name`>.py'):
            (work / name).write_text(evil)


class Outputs:
    """A judge whose student code prints payloads."""

    def __init__(self, people: dict[str, list[Payload]]) -> None:
        self.people = people

    def __call__(self, job: Job) -> Result:
        result = fake_execute(job)
        shown: list[dict[str, Any]] = [output for one in self.people[job.student] for output in in_outputs(one)]
        picture = {
            "output_type": "display_data",
            "data": {"image/png": PICTURE, "text/plain": "figure"},
            "metadata": {},
        }
        result.outputs["answer-london"] = [picture, *shown]
        return result


def graded_class(root: Path, people: dict[str, list[Payload]]) -> FakeRelease:
    """The release with everybody graded, names with markup in the gradebook, and files beside the autograded notebooks."""
    release = make_release(root / "release")
    course = release.root / "instructor"
    (course / "nbgrader_config.py").write_text(CONFIG.format(root=str(ROOT)))
    hand_in_all(root / "subs", people)
    done = grade(root / "subs", release, root / "out", NAME, Settings(progress=False, execute=Outputs(people)))
    assert done.exit_code == 0, [(one.student, one.reason) for one in done.outcomes]
    with open_book(course) as book:
        for student in people:
            name = f"<img src=x onerror=canary(`name`)>{student}"
            book.update_or_create_student(
                student, first_name=name, last_name=f'"><script>canary(`name`)</script>{student}'
            )
    return release


def plant_files(release: FakeRelease, people: Sequence[str]) -> None:
    """Handed-in files beside the autograded notebooks, as nbgrader's own autograde would copy them."""
    text = "<svg xmlns='http://www.w3.org/2000/svg'><script>canary('file')</script></svg>"
    for student in people:
        for name in ("evil.html", "evil.svg"):
            place = release.root / "instructor" / "autograded" / student / NAME / name
            place.write_text(text if name.endswith("svg") else f"<html>{text}")


def static_pages(root: Path, release: FakeRelease, people: dict[str, list[Payload]]) -> list[Path]:
    """Feedback, class report, nbgrader's own feedback, the autograded notebooks as pages, a solution page."""
    pages = list(write_feedback(release, NAME, root / "feedback", progress=False).values())
    ledger, evil = open_ledger(release), "<script>canary(`name`)</script>"
    ledger.append(
        "refused", student="<img src=x onerror=canary(`name`)>", assignment=NAME, state="refused", reason=evil
    )
    ledger.append("refused", item="<img src=x onerror=canary(`item`)>", assignment=NAME, reason=evil, source="")
    named = {page.stem: page for page in pages}
    pages.append(class_report(release, NAME, root / "report", feedback=named, title="<script>canary(`t`)</script>"))
    course = release.root / "instructor"
    answer = open_api(course).generate_feedback(NAME, force=True)
    assert answer["success"], answer
    pages += sorted((course / "feedback").rglob("*.html"))
    for student, payloads in people.items():
        texts = {"autograded": course / "autograded" / student / NAME / f"{NAME}.ipynb"}
        bare = as_notebook(payloads)
        for kind, notebook in (("nbconvert", nbformat.read(texts["autograded"], 4)), ("solution", bare)):
            page, _ = StaticHTML().from_notebook_node(notebook)
            pages.append(root / f"{kind}-{student}.html")
            pages[-1].write_text(page)
    return pages


def as_notebook(payloads: Sequence[Payload]) -> Any:
    """A notebook with the payloads in Markdown and in outputs, as nobody has cleaned it."""
    made = new_notebook(cells=[new_markdown_cell(HONEST)])
    for one in payloads:
        made.cells += [new_markdown_cell(one.text)] if one.text else []
        made.cells.append(new_code_cell("0", outputs=[nbformat.from_dict(out) for out in in_outputs(one)]))
    return made


def control(payload: Payload) -> str:
    """The page that nbconvert makes of one payload by itself: where it acts without us."""
    made = as_notebook([payload])
    jquery = "data:text/javascript,$=function(){}"
    stock = HTMLExporter(template_name="classic", mathjax_url="", require_js_url="", jquery_url=jquery)
    return stock.from_notebook_node(made)[0]


@contextmanager
def jupyter(course: Path, home: Path, *more: str) -> Iterator[tuple[str, str]]:
    """A real JupyterLab started in the course folder as the README says; yields its address and token.

    Args:
        more: further options of Jupyter's command line.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token, scripts = secrets.token_hex(16), str(Path(sys.executable).parent)
    home.mkdir(parents=True, exist_ok=True)
    places = {
        name: str(home / name)
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    }
    env = {**os.environ, **places, "HOME": str(home), "PATH": os.pathsep.join((scripts, os.environ.get("PATH", "")))}
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", f"--port={port}",
               "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}", *more]  # fmt: skip
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=course, env=env, stdout=log, stderr=log)
    try:
        _await(f"http://127.0.0.1:{port}/api?token={token}", server, home / "log")
        yield f"http://127.0.0.1:{port}", token
    finally:
        server.terminate()
        server.wait(180)


def _await(url: str, server: subprocess.Popen[bytes], log: Path, seconds: float = 300) -> None:
    """Wait until the server answers."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    raise RuntimeError(f"JupyterLab does not answer: {log.read_text()[-2000:]}")


def release_with_rubric(folder: Path) -> FakeRelease:
    """A release for formgrader whose written answer is marked by two lines; the first weighs three times as much."""
    release = make_release(folder)
    course = release.root / "instructor"
    (course / "nbgrader_config.py").write_text(CONFIG.format(root=str(ROOT)))
    path = course / "source" / NAME / f"{NAME}.ipynb"
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        cell["source"] = SOLUTION.replace("(1) ", "(1) [3] ", 1) if cell["id"] == "written-why" else cell["source"]
    path.write_text(json.dumps(notebook))
    return release


def live_addresses(release: FakeRelease, people: Sequence[str]) -> list[str]:
    """Pages of the formgrader and files that it serves, below the server's address."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{release.root / 'instructor' / 'gradebook.db'}") as book:
        ids = [book.find_submission_notebook(NAME, NAME, student).id for student in people]
    fixed = [
        "manage_assignments",
        f"manage_submissions/{NAME}",
        "gradebook",
        f"gradebook/{NAME}",
        f"gradebook/{NAME}/{NAME}",
    ]
    fixed += ["manage_students", f"manage_students/{people[0]}", f"manage_students/{people[0]}/{NAME}"]
    reflected = (
        '";canary(`reflected`);"</script><script>canary(`reflected`)</script><img src=x onerror=canary(`reflected`)>'
    )
    fixed.append(f"manage_students/{urllib.request.quote(reflected, safe='')}")
    pages = [f"/formgrader/{page}" for page in fixed] + [f"/formgrader/submissions/{one}/" for one in ids]
    folder = f"autograded/{people[0]}/{NAME}"
    files = [f"/files/{folder}/evil.{kind}" for kind in ("html", "svg")]
    files += [f"/formgrader/submissions/{ids[0]}/evil.{kind}" for kind in ("html", "svg")]
    return [*pages, *files, f"/nbconvert/html/{folder}/{NAME}.ipynb"]
