"""The whole story in a browser: release, a student solves and hands in, grading, marking, feedback, the student reads it.

Screenshots of every station are kept in ``build/story`` for people to look at.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from autograder import cli
from autograder.release.nbgrader_db import open_book
from autograder.source.percent import read_source, strip_markers
from tests.browser.site import jupyter
from tests.browser.test_desk import write
from tests.browser.watch import chromium, settled, watching
from tests.paths import ROOT, SAMPLE_COURSE

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not chromium(), reason="no chromium here: apt-get install chromium")]
NAME = "97_sample"
SCREENS = ROOT / "build" / "story"
WHY = "**Your answer · why**\n\nIt knows nothing of the person: with $n$ towns it is right in $1/n$ of the cases at least."
COMMENT = "Right. An example would have given the second point."
RUN = "async ([command, options]) => { await window.jupyterapp.commands.execute(command, options); }"
PANEL = "window.jupyterapp.shell.currentWidget"
SAID = f"""() => {PANEL}.content.widgets.map(cell => cell.model.type === 'code'
  ? cell.model.outputs.toJSON().map(one => one.text || (one.data || {{}})['text/plain'] || one.evalue || '').flat().join('')
  : '')"""


def picture(page: Any, name: str, *, full: bool = False) -> None:
    SCREENS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENS / f"{name}.png", full_page=full)


def answers() -> dict[str, str]:
    """The course's own answers by cell id, and a written one."""
    cells = read_source(SAMPLE_COURSE / f"{NAME}.py").cells
    own = {cell.id: strip_markers(cell.text) for cell in cells if cell.role == "answer"}
    own["answer-scaler"] = own["answer-scaler"].replace("return self.factor * x", "return x + x")  # right for 2 alone
    return own | {"written-why": WHY}


def type_into(page: Any, cell: str, text: str) -> None:
    """Write an answer as a person does: go to the cell, take out what is there, type."""
    page.evaluate(
        f"""async (name) => {{ const book = {PANEL}.content;
        book.activeCellIndex = book.widgets.findIndex(one => one.model.sharedModel.getId() === name);
        await book.scrollToItem(book.activeCellIndex); book.mode = 'edit'; }}""",
        cell,
    )
    editor = page.locator(".jp-Notebook .jp-Cell.jp-mod-active .cm-content")
    editor.wait_for()
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def solve(student: Path, home: Path) -> Path:
    """A student in JupyterLab: first cell, answers, checks, hand-in. Returns the zip that the last cell wrote."""
    with jupyter(student, home, "--LabApp.expose_app_in_browser=True") as (address, token), watching() as watch:
        page = watch.page
        page.goto(f"{address}/lab/tree/notebooks/{NAME}.ipynb?token={token}")
        page.wait_for_function(f"window.jupyterapp && {PANEL} && {PANEL}.sessionContext")
        page.evaluate(f"async () => {{ await {PANEL}.context.ready; await {PANEL}.sessionContext.ready; }}")
        page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        picture(page, "1-opened")
        for cell, text in answers().items():
            type_into(page, cell, text)
        page.evaluate(RUN, ["notebook:run-all-cells", {}])
        page.evaluate(RUN, ["docmanager:save", {}])
        page.evaluate(f"() => {{ const b = {PANEL}.content; b.activeCellIndex = b.widgets.length - 1; }}")
        page.evaluate(RUN, ["notebook:run-cell", {}])
        said = "\n".join(page.evaluate(SAID))
        picture(page, "2-handed-in")
        assert "✓ baseline" in said and "✓ scaler" in said and "✎ why: written" in said, said
        assert "Hand in this one file:" in said, said
    return student / "notebooks" / f"{NAME}.zip"


def mark(release: Path, home: Path) -> None:
    """A teacher in the formgrader: the list of students, one answer, points and a comment."""
    course = release / "instructor"
    with jupyter(course, home) as (address, token), watching() as watch:
        page = watch.page
        page.goto(f"{address}/tree?token={token}")
        page.goto(f"{address}/formgrader/manage_submissions/{NAME}")
        page.get_by_text("Ånström, Ann").wait_for()
        picture(page, "3-submissions")
        with open_book(course) as book:
            key = book.find_submission_notebook(NAME, NAME, "ann").id
        page.goto(f"{address}/formgrader/submissions/{key}/")
        page.locator("#written-why").wait_for()
        settled(page)
        write(page, "#written-why", "1")
        write(page, "#written-why-comment", COMMENT)
        page.locator("#written-why").scroll_into_view_if_needed()
        picture(page, "4-marking")
        picture(page, "4-marking-whole-page", full=True)


def test_from_the_release_to_what_the_student_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release = tmp_path / "spring"
    sources = ["--sources", str(SAMPLE_COURSE)]
    assert cli.main(["release", "--out", str(release), "--term", "Spring", "--seed", str(2**63 + 7), *sources]) == 0
    with zipfile.ZipFile(release / "student.zip") as archive:
        archive.extractall(tmp_path / "laptop")
    zipped = solve(tmp_path / "laptop" / "student", tmp_path / "home-student")

    (tmp_path / "subs").mkdir()
    shutil.copyfile(zipped, tmp_path / "subs" / "ann.zip")
    (tmp_path / "subs" / "ben").mkdir()
    shutil.copyfile(release / "student" / "notebooks" / f"{NAME}.ipynb", tmp_path / "subs" / "ben" / f"{NAME}.ipynb")
    (tmp_path / "class.csv").write_text("id,name\nann,Ann Ånström\nben,Ben Blank\ncyd,Cyd Absent\n", encoding="utf-8")
    these = ["--release", str(release), "--assignment", NAME]
    grading = ["grade", str(tmp_path / "subs"), *these, "--roster", str(tmp_path / "class.csv"), "--quiet"]
    assert cli.main(grading) == 0
    out = capsys.readouterr().out
    assert "ann: 3 of 6.5, 2 to be marked" in out and "nothing handed in: cyd" in out, out

    mark(release, tmp_path / "home-teacher")
    assert cli.main(["report", *these]) == 0
    report = release / "grading" / "report"
    read(report)
    entries = [json.loads(line) for line in (release / "instructor" / "ledger.jsonl").read_text().splitlines()]
    assert sum(entry["kind"] == "mark" for entry in entries) == 1


def read(report: Path) -> None:
    """Teacher and student read what was written."""
    with watching() as watch:
        page = watch.page
        page.goto((report / "index.html").as_uri())
        text = page.locator("body").inner_text()
        assert "Cyd Absent" in text and "may need help" in text and "Most frequent mistakes" in text
        picture(page, "5-report", full=True)
        page.get_by_role("link", name="Ann Ånström").click()
        page.get_by_text(COMMENT).first.wait_for()  # in the table and beside the answer
        text = page.locator("body").inner_text()
        assert (
            "4 of 6.5" in text
            and "Ann Ånström" in text
            and "received" not in text  # no platform said when: the time at which we saw it is nobody's concern
            and "the factor may be negative, and any shape may come" in text
        )
        assert page.locator("math").count() == 2, "formulas are drawn"
        picture(page, "6-feedback", full=True)
        page.set_viewport_size({"width": 390, "height": 800})
        picture(page, "7-feedback-on-a-phone", full=True)
        assert not watch.seen.canaries and not watch.seen.other
