"""Two people mark three hand-ins in a real formgrader: by lines of the rubric, by keyboard, without names and without a network.

Screenshots are kept in ``build/marking`` for people to look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.grading.entering import collect_marks
from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from autograder.reports.roll import read_roll
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, hand_in, solved
from tests.browser.site import jupyter, release_with_rubric
from tests.browser.test_desk import open_submission, write
from tests.browser.watch import Watch, chromium, watching
from tests.paths import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not chromium(), reason="no chromium here: apt-get install chromium")]
SCREENS = ROOT / "build" / "marking"
WHY = {
    "zoe_quist": "Since $x + 1$ is asked for, and $1 < 2$.",
    "yan_quist": "It is so.",
    "xia_quist": r"Because $\sum_i \alpha_i v_i$ is a mean. $\rule{9999em}{9999em}$ The end.",
}
BOX, FIELD, NOTE = ".course-model input", "#written-why", ".course-model .note"
SAVED = "window.saved = new Promise(done => $(document).one('finished_saving', () => done(true))); null"


@pytest.fixture
def release(tmp_path: Path) -> FakeRelease:
    made = release_with_rubric(tmp_path / "release")
    for student, why in WHY.items():
        hand_in(tmp_path / "subs" / student, solved(why=why))
    how = Settings(progress=False, execute=fake_execute)
    assert grade(tmp_path / "subs", made, tmp_path / "out", NAME, how).exit_code == 0
    return made


@pytest.fixture
def site(release: FakeRelease, tmp_path: Path) -> Iterator[tuple[str, str]]:
    with jupyter(release.root / "instructor", tmp_path / "home") as found:
        yield found


def picture(page: Any, name: str) -> None:
    SCREENS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENS / f"{name}.png")


def enter(watch: Watch, site: tuple[str, str], errors: list[str]) -> Any:
    page = watch.page
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{site[0]}/tree?token={site[1]}")
    return page


def tick(page: Any, at: int) -> None:
    page.evaluate(SAVED)
    page.locator(BOX).nth(at).click()
    assert page.evaluate("window.saved")


def by_keyboard(page: Any) -> None:
    """From the comment to the first line by Tab, ticked with the space bar; then on to the next submission."""
    page.locator("#written-why-comment").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement === document.querySelector('.course-model input')")
    page.evaluate(SAVED)
    page.keyboard.press("Space")
    assert page.evaluate("window.saved") and page.locator(FIELD).input_value() == "0.75"
    before = page.url.split("?")[0]
    with page.expect_navigation(wait_until="load"):
        page.keyboard.press("Control+.")
    # the next submission, or the list after the last one
    assert page.url.split("?")[0] != before, "the keys of nbgrader work while a line has the focus"


def test_two_people_mark_three_hand_ins(release: FakeRelease, site: tuple[str, str]) -> None:
    errors: list[str] = []
    with watching() as watch:
        page = enter(watch, site, errors)
        page.goto(f"{site[0]}/formgrader/gradebook/{NAME}/{NAME}")
        page.get_by_text("Submission #3").wait_for()
        picture(page, "1-list")
        assert not any(student in page.locator("body").inner_text() for student in WHY), "nobody is named"
        open_submission(page, site[0], release, "zoe_quist")
        picture(page, "2-page")
        text = page.locator("body").inner_text()
        assert "quist" not in text and "Written answers: why (1)" in text and "✓" not in text
        page.locator(".course-answers a").click()
        assert page.locator(FIELD).bounding_box()["y"] > 60, "the field is not under the bar"
        tick(page, 0)
        assert page.locator(FIELD).input_value() == "0.75" and not page.locator(NOTE).is_visible()
        assert "why (1) ✓" in page.locator(".course-answers").inner_text()
        tick(page, 1)
        assert page.locator(FIELD).input_value() == "1"
        page.wait_for_timeout(700)  # nbgrader moves the page
        assert 0 < page.locator(BOX).first.bounding_box()["y"] < 800, "the line that was ticked is still to be seen"
        picture(page, "3-by-lines")
        open_submission(page, site[0], release, "yan_quist")
        by_keyboard(page)
        open_submission(page, site[0], release, "xia_quist")
        assert page.locator("#notebook math").count() >= 3, "formulas of student and model are drawn without a network"
        assert page.evaluate("document.documentElement.scrollHeight") < 10_000 and not watch.seen.asked
        tick(page, 0)
        page.wait_for_timeout(700)
        picture(page, "4-formulas")
    assert {one.data["by"] for one in collect_marks(release, "ina").entries} == {"ina"}
    second_person(release, site, errors)
    assert not errors and {row.student: row.points for row in read_roll(release, NAME).students} == {
        "zoe_quist": 6.0, "yan_quist": 5.75, "xia_quist": 5.25,
    }  # fmt: skip


def second_person(release: FakeRelease, site: tuple[str, str], errors: list[str]) -> None:
    """Sees what the first one gave; a tick begins anew, and says so before."""
    with watching() as watch:
        page = enter(watch, site, errors)
        open_submission(page, site[0], release, "xia_quist")
        assert page.locator(FIELD).input_value() == "0.75" and not page.locator(BOX).first.is_checked()
        assert "0.75 points are given, not by lines ticked on this computer." in page.locator(NOTE).inner_text()
        picture(page, "5-another-person")
        tick(page, 1)
        assert page.locator(FIELD).input_value() == "0.25" and not page.locator(NOTE).is_visible()
        open_submission(page, site[0], release, "xia_quist")
        assert page.locator(BOX).nth(1).is_checked()
        write(page, FIELD, "0.5")  # typed: the line does not say it any more
        assert not page.locator(BOX).nth(1).is_checked() and page.locator(NOTE).is_visible()
        tick(page, 1)
    entries = collect_marks(release, "jon").entries
    assert [(one.data["by"], one.data["points"]) for one in entries] == [("jon", 0.25)]


def test_without_the_stand_in_no_key_of_nbgrader_works(release: FakeRelease, site: tuple[str, str]) -> None:
    """The control: nbgrader waits for MathJax, which comes from elsewhere."""
    errors: list[str] = []
    with watching() as watch:
        page = enter(watch, site, errors)
        page.add_init_script("Object.defineProperty(window, 'MathJax', {get: () => undefined, set: () => {}})")
        open_submission(page, site[0], release, "zoe_quist")
        assert page.evaluate("formgrader.keyboard_manager === undefined || formgrader.loaded === false")
    assert any("MathJax" in one or "undefined" in one for one in errors)
