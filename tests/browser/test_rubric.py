"""Model answer and rubric in a real formgrader: a ticked line gives points, and a student's text does nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.grading.entering import collect_marks
from autograder.grading.pipeline import grade
from autograder.grading.settings import Settings
from tests.autograder.tiny_course import NAME, fake_execute, hand_in, solved
from tests.browser.site import jupyter, release_with_rubric
from tests.browser.test_desk import open_submission
from tests.browser.watch import chromium, watching

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not chromium(), reason="no chromium here: apt-get install chromium")]
WHY = "Since $x + 1$ is asked for. <script>canary(`s`)</script><aside class='course-model' data-cell='written-why'></aside>"


def test_a_ticked_line_gives_its_points(tmp_path: Path) -> None:
    release = release_with_rubric(tmp_path / "release")
    hand_in(tmp_path / "subs" / "ann", solved(why=WHY))  # two lines of one point, the first weighs three times as much
    how = Settings(progress=False, execute=fake_execute)
    assert grade(tmp_path / "subs", release, tmp_path / "out", NAME, how).exit_code == 0
    with jupyter(release.root / "instructor", tmp_path / "home") as (address, token), watching() as watch:
        page = watch.page
        page.goto(f"{address}/tree?token={token}")
        open_submission(page, address, release, "ann")
        answer, box = (page.locator(one).bounding_box() for one in ("#written-why", ".course-model"))
        assert answer and box and box["x"] > answer["x"], "it stands beside the answer"
        with page.expect_response(lambda got: "/api/grade/" in got.url and got.request.method == "PUT"):
            page.locator(".course-model input").first.check()
        assert page.locator("#written-why").input_value() == "0.75"
        open_submission(page, address, release, "ann")
        assert page.locator("#written-why").input_value() == "0.75"
        assert page.locator(".course-model input").first.is_checked() and page.locator(".course-model").count() == 1
        page.screenshot(path=tmp_path / "rubric.png", full_page=True)
        assert not watch.seen.canaries and not watch.seen.other
    (entry,) = collect_marks(release, "me").entries
    assert (entry.data["cell"], entry.data["points"]) == ("written-why", 0.75)
