"""Feedback and report: everything a student should see, nothing else, readable by everybody."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from autograder.grading.entering import collect_marks
from autograder.grading.gradebook import Mark, make_job
from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from autograder.records import Verdict
from autograder.release.nbgrader_db import open_book
from autograder.reports.class_report import Figure, class_report, collect
from autograder.reports.feedback import feedback_page, prose_html, rows_of, write_feedback
from course_utils.errors import CourseError
from tests.autograder.tiny_course import NAME, SECRET, FakeRelease, fake_execute, hand_in, make_release, solved, taken

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
EVIL = (
    "<script>alert(1)</script>\n\n<img src=x onerror=alert(2)>\n\n"
    "[go](javascript:alert(3)) ![p](http://evil.test/p.png) **bold**"
)


class Page(HTMLParser):
    """Collects tags and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def named(self, *names: str) -> list[dict[str, str | None]]:
        return [attrs for tag, attrs in self.tags if tag in names]


def accessible(text: str, scripts: int = 0) -> None:
    """What can be checked without eyes: language, one h1, no heading level skipped, captions, header cells, alt text."""
    page = Page(text)
    assert page.named("html")[0]["lang"] == "en" and len(page.named("h1")) == 1
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels)), levels
    assert len(page.named("caption")) == len(page.named("table"))
    assert all("scope" in attrs for attrs in page.named("th")) and all(attrs.get("alt") for attrs in page.named("img"))
    assert all(not str(a.get("src", "")).startswith("http") for a in page.named("img", "script", "iframe"))
    assert len(page.named("script")) == scripts and not page.named("link", "iframe")


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[FakeRelease, Path, dict]:
    tmp_path = tmp_path_factory.mktemp("class")
    release = make_release(tmp_path / "release")
    hand_in(tmp_path / "subs" / "ann")
    hand_in(tmp_path / "subs" / "ben", solved("return x  # <b>&", "return x + 0.5", EVIL))
    hand_in(tmp_path / "subs" / "cat", solved("return x", "pass"))
    (tmp_path / "subs" / "zip.zip").write_bytes(b"no zip")
    summary = grade(tmp_path / "subs", release, tmp_path / "out", NAME, Settings(progress=False, execute=fake_execute))
    return release, tmp_path, summary.to_json()


def test_pages_hold_points_hints_and_answers_and_nothing_hidden(graded: tuple[FakeRelease, Path, dict]) -> None:
    release, tmp_path, _ = graded
    pages = write_feedback(release, NAME, tmp_path / "fb", progress=False)
    assert sorted(pages) == ["ann", "ben", "cat"]
    ben = pages["ben"].read_text()
    accessible(ben)
    assert "1.5 of 6 points" in ben and "london: add one, not something else" in ben and "1 more to be marked" in ben
    for word in (
        SECRET,
        "HIDDEN",
        "hidden hint",
        "Traceback",
        "ann",
        "<script",
        "<img",
        "<b>&",
    ):
        assert word not in ben, word
    assert all(str(attrs.get("href", "#")).startswith("#") and "src" not in attrs for _, attrs in Page(ben).tags)
    assert "&lt;b&gt;&amp;" in ben and "<strong>bold</strong>" in ben
    assert "✓" in pages["ann"].read_text() and "partly right" in ben


def test_marks_and_comments_of_a_person_are_shown(tmp_path: Path) -> None:
    release = FakeRelease(tmp_path)
    intake = taken(release, tmp_path, "ann", solved("return x"))
    result = fake_execute(make_job(release, intake))
    marks = {
        "written-why": Mark(0.5, 1.0, "Say <why>.", False),
        "check-london": Mark(1.0, 2.0, "", False),
        "check-paris": Mark(3.0, 3.0, "", False),
    }
    page = feedback_page(replace(result, notes=["secret of the instructor"]), intake, marks, ["For you."])
    assert "Say &lt;why&gt;." in page and "4.5 of 6 points" in page and "set by a person" in page
    assert "For you." in page and "secret of the instructor" not in page


def test_an_untouched_written_answer_is_not_called_marked(tmp_path: Path) -> None:
    from autograder.grading.gradebook import marks, record

    release = make_release(tmp_path / "release")
    blank = solved()
    blank["cells"][-1]["source"] = release.skeleton(NAME)["cells"][-1]["source"]
    intake = taken(release, tmp_path, "ann", blank)
    result = fake_execute(make_job(release, intake))
    record(release, result, intake)
    why = rows_of(result, intake.notebook, marks(release, NAME, "ann"))[-1]
    assert (why.exercise, why.words, why.points) == ("why", "not solved", "0")


@pytest.mark.parametrize(("points", "tone"), [(0.0, "failed"), (0.5, "partial"), (1.0, "passed")])
def test_a_blank_answer_that_a_person_marked_is_marked(tmp_path: Path, points: float, tone: str) -> None:
    release = make_release(tmp_path / "release")
    blank = solved()
    blank["cells"][-1]["source"] = release.skeleton(NAME)["cells"][-1]["source"]
    hand_in(tmp_path / "subs" / "ann", blank)
    grade(tmp_path / "subs", release, tmp_path / "out", NAME, Settings(progress=False, execute=fake_execute))
    with open_book(release.root / "instructor") as book:
        why = book.find_grade("written-why", NAME, NAME, "ann")
        why.manual_score, why.needs_manual_grade = points, False
        book.db.commit()
    collect_marks(release, "tutor")
    row = collect(release, NAME)[0].rows[-1]
    assert (row.symbol, row.words, row.tone, row.comment) == ("✎", "marked by hand", tone, "")


def test_every_status_has_words_and_a_symbol_of_its_own(tmp_path: Path) -> None:
    from autograder.reports.feedback import STATUS

    intake = taken(FakeRelease(tmp_path), tmp_path, "ann")
    result = fake_execute(make_job(FakeRelease(tmp_path), intake))
    for status in ("passed", "partial", "failed", "unsolved", "error", "timeout", "dead", "missing"):
        result.verdicts = [Verdict("london", status, 0.0, 2.0)]  # type: ignore[arg-type]
        (row, *_) = rows_of(result, intake.notebook, {})
        assert row.words == STATUS[status].words
    assert len({tag.symbol for tag in STATUS.values()}) == len(STATUS)


@pytest.mark.parametrize(
    "text", [EVIL, "<svg/onload=alert(1)>", "`<script>`", "[a]: javascript:x\n[a]", "> " * 3000 + "x"]
)
def test_student_markdown_becomes_harmless(text: str) -> None:
    page = Page(str(prose_html(text)))
    allowed = {"div", "p", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote"}
    assert {tag for tag, _ in page.tags} <= allowed
    assert [attrs for tag, attrs in page.tags if tag != "div" and attrs] == []


def test_report_shows_class_exercises_hints_figures_and_links(graded: tuple[FakeRelease, Path, dict]) -> None:
    release, tmp_path, _ = graded
    (tmp_path / "fig.png").write_bytes(PNG)
    pages = write_feedback(release, NAME, tmp_path / "fb", progress=False)
    figure = Figure(
        tmp_path / "fig.png", "Accuracy against epoch: pretrained rises to 97 %, scratch stays at 4 %.", "Fig."
    )
    path = class_report(release, NAME, tmp_path / "report", [figure], pages, "Sample class")
    text = path.read_text()
    accessible(text, scripts=1)
    page = Page(text)
    links = [attrs["href"] for attrs in page.named("a")]
    assert links == ["../fb/ann.html", "../fb/ben.html", "../fb/cat.html"]
    assert all((path.parent / str(link)).exists() for link in links)
    assert "2 × london: add one" in text and "zip.zip: not a sound zip archive" in text
    assert "data:image/png;base64," in text and "Accuracy against epoch" in text
    assert re.search(r"1 of 3</td>\s*<td data-label=\"Share\" data-value=\"33\">33 %", text) and SECRET not in text


def test_a_figure_needs_alt_text(graded: tuple[FakeRelease, Path, dict]) -> None:
    release, tmp_path, _ = graded
    with pytest.raises(CourseError, match="alt text"):
        class_report(release, NAME, tmp_path / "r2", figures=[Figure(tmp_path / "fig.png", " ")])
    with pytest.raises(CourseError, match="cannot be read"):
        class_report(release, NAME, tmp_path / "r2", figures=[Figure(tmp_path / "none.png", "x")])


def test_before_grading_there_is_nothing_to_write(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="nothing is graded yet"):
        write_feedback(FakeRelease(tmp_path), NAME, tmp_path / "fb", progress=False)
    assert collect(FakeRelease(tmp_path), NAME) == []
