"""Model answers and rubrics stand on the page where an instructor marks, and nowhere a student could see them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbconvert.exporters import HTMLExporter
from nbgrader.server_extensions.formgrader.handlers import template_path
from traitlets.config import Config

from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from autograder.pages.export import StaticHTML, configure_pages
from autograder.pages.marking import SCRIPT, STYLE
from autograder.pages.policy import formgrader_policy, hashed
from autograder.pages.prose import Ready, prose_html
from autograder.release import nbgrader_db
from autograder.release.rubric import ModelAnswer, ModelAnswers, model_answer, model_html
from autograder.source.build import source_notebook
from autograder.source.percent import read_source, source_paths
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, hand_in, make_release, solved
from tests.paths import ROOT

MODEL = "Because one is added to $x$ & <b>not</b> taken off."
LINES = ("names the addition of $n$", "says why it is 1 < 2")
SOLUTION = f"""**Your answer · why**

### BEGIN SOLUTION
{MODEL}

Rubric: (1) {LINES[0]}; (2) {LINES[1]}.
No point for luck (1) alone.
### END SOLUTION"""
PAGE = {"submission_id": "s1", "index": 0, "total": 1, "assignment_id": NAME, "notebook_id": NAME, "student": "ann",
        "base_url": "", "notebook_path": "x", "first_name": "", "last_name": ""}  # fmt: skip


@pytest.fixture
def course(tmp_path: Path) -> FakeRelease:
    """A graded submission, and a source notebook with a rubric."""
    release = make_release(tmp_path / "release")
    path = release.root / "instructor" / "source" / NAME / f"{NAME}.ipynb"
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        if cell["id"] == "written-why":
            cell["source"] = SOLUTION
    path.write_text(json.dumps(notebook))
    evil = "Two <script>canary()</script> words. <aside class='course-model'><input type=checkbox></aside>"
    hand_in(tmp_path / "subs" / "ann", solved(why=evil))
    assert (
        grade(
            tmp_path / "subs", release, tmp_path / "out", NAME, Settings(progress=False, execute=fake_execute)
        ).exit_code
        == 0
    )
    return release


def marking_config(course: Path) -> Config:
    config = Config()
    configure_pages(config)
    config.HTMLExporter.preprocessors = [*config.HTMLExporter.preprocessors, "autograder.release.rubric.ModelAnswers"]
    config.ModelAnswers.course = str(course)
    return config


def as_formgrader(config: Config) -> Config:
    """What the formgrader sets in addition."""
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [template_path]
    return config


def converted(release: FakeRelease, resources: dict[str, Any], exporter: type[HTMLExporter] = HTMLExporter) -> str:
    course = release.root / "instructor"
    path, config = course / "autograded" / "ann" / NAME / f"{NAME}.ipynb", marking_config(course)
    config = as_formgrader(config) if exporter is HTMLExporter else config
    return exporter(config=config).from_filename(str(path), resources=resources)[0]


def test_the_parts_of_a_rubric_are_read() -> None:
    cell = {"metadata": {"nbgrader": {"grade_id": "written-why", "points": 0.5}}, "source": SOLUTION}
    found = model_answer(cell)
    assert found == ModelAnswer("written-why", 0.5, MODEL, (LINES[0], f"{LINES[1]}."), "No point for luck (1) alone.")
    assert model_answer({**cell, "source": "**Your answer**"}) is None
    assert model_answer({**cell, "source": SOLUTION.replace("### END SOLUTION", "")}) is None
    bare = model_answer({**cell, "source": "### BEGIN SOLUTION\nBecause.\n### END SOLUTION"})
    assert bare is not None and bare.lines == () and "checkbox" not in model_html(bare)


def test_a_line_may_weigh_more_than_the_others() -> None:
    text = SOLUTION.replace("(1) ", "(1) [2] ", 1)
    found = model_answer({"metadata": {"nbgrader": {"grade_id": "written-why", "points": 0.75}}, "source": text})
    assert found is not None and found.lines == (LINES[0], f"{LINES[1]}.") and found.weights == (2.0, 1.0)
    assert found.shares == pytest.approx([0.5, 0.25])
    page = model_html(found)
    assert 'data-share="0.5"' in page and "<b>0.25</b>" in page and "[2]" not in page
    assert model_html(ModelAnswer("written-why", 1.0, "x", ("one line", "another"))).count("<b>0.5</b>") == 2
    none = model_answer({"metadata": {"nbgrader": {"grade_id": "written-why", "points": 1}},
                         "source": SOLUTION.replace("(1) ", "(1) [0] ", 1).replace("(2) ", "(2) [0] ", 1)})  # fmt: skip
    assert none is not None and none.weights == () and none.shares == [0.5, 0.5]


def test_every_written_answer_of_the_course_has_lines_with_points() -> None:
    """Two at least, and what is between the numbers is not lost."""
    count = 0
    for source in map(read_source, source_paths(ROOT / "solutions")):
        for cell in source_notebook(source).cells:
            if str(cell.metadata.get("nbgrader", {}).get("grade_id", "")).startswith("written-"):
                found = model_answer(cell)
                assert found and len(found.lines) >= 2 and found.points > 0 and found.text, cell.id
                assert all(len(line.split()) > 2 for line in found.lines), found.lines
                count += 1
    assert count > 10


def test_it_is_on_the_page_of_a_submission_behind_the_answer(course: FakeRelease) -> None:
    page = converted(course, PAGE)
    box = page[page.index("<aside") :]
    assert page.index("Two ") < page.index(box[:40]) and page.count("<aside") == 1
    assert "Rubric: 2 lines, 1 point" in box and len(re.findall(r"<input [^>]*checkbox[^>]*>", page)) == 2
    assert box.count('data-share="0.5"') == 2
    assert box.count("<b>0.5</b>") == 2 and "<math" in box and "No point for luck" in box
    assert (
        STYLE in page and f"<script>{SCRIPT}</script>" in page and hashed(SCRIPT) in formgrader_policy(page, "http://x")
    )
    assert "canary()</script>" not in page and "&amp; <b>not</b>" in box


def test_it_is_on_no_other_page(course: FakeRelease) -> None:
    for page in (converted(course, {**PAGE, "submission_id": ""}), converted(course, PAGE, StaticHTML)):
        assert "Two " in page and "<aside" not in page and "names the addition" not in page


def test_feedback_made_in_the_same_server_has_none(course: FakeRelease, monkeypatch: pytest.MonkeyPatch) -> None:
    """The button of the formgrader runs nbgrader with the configuration of the marking page."""
    api = nbgrader_db.open_api(course.root / "instructor")
    api.config.merge(marking_config(course.root / "instructor"))
    assert "ModelAnswers" in str(api.config.HTMLExporter.preprocessors)
    answer = api.generate_feedback(NAME, force=True)
    assert answer["success"], answer
    (page,) = (course.root / "instructor" / "feedback").rglob("*.html")
    text = page.read_text()
    assert "Two " in text and "names the addition" not in text and "<aside" not in text


def test_only_a_server_is_configured_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for running in (False, True):
        config = Config()
        monkeypatch.setattr(nbgrader_db, "guard_server", lambda on=running: on)
        nbgrader_db.configure_course(config, tmp_path)
        assert ("ModelAnswers" in str(config.HTMLExporter.preprocessors)) == running


def test_a_students_text_is_never_taken_for_ours() -> None:
    evil = "<script>canary()</script>"
    assert prose_html(Ready(evil)) == evil
    notebook = nbformat.reads(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": evil}]}), 4)  # fmt: skip
    assert not isinstance(notebook.cells[0].source, Ready) and "<script" not in prose_html(notebook.cells[0].source)


def test_an_unknown_assignment_and_a_missing_source_have_none(course: FakeRelease) -> None:
    step = ModelAnswers(course=str(course.root / "instructor"))
    for name in ("../07_knowledge", "", "08_other"):
        assert step._models(name) == {}
    assert not re.search("names the addition", converted(course, {**PAGE, "assignment_id": "08_other"}))


def test_a_number_in_a_formula_begins_no_line() -> None:
    text = SOLUTION.replace(LINES[0], "says that f(2) is more than f(1)").replace(LINES[1], "and that $P (3) = 1$")
    found = model_answer({"metadata": {"nbgrader": {"grade_id": "written-why", "points": 1}}, "source": text})
    assert found is not None and found.lines == ("says that f(2) is more than f(1)", "and that $P (3) = 1$.")


def test_a_formula_cannot_push_the_rest_off_the_page() -> None:
    for tex in (r"\rule{9999em}{9999em}", r"\hspace{-400em}", r"\hspace{9999em}"):
        page = prose_html(f"Before. ${tex}$ After.")
        assert "<mspace" in page and "00em" not in page and "99em" not in page and "After." in page
    assert 'width="2em"' in prose_html(r"$\rule{2em}{1pt}\quad x$") and 'minsize="2.047em"' in prose_html(r"$\bigg(x$")
