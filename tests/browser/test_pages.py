"""Chromium opens what an instructor opens: nothing that a student wrote acts there, and in an uncleaned page it does."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.pages.export import StaticHTML
from autograder.reports.feedback import feedback_page
from tests.autograder.tiny_course import FakeRelease, fake_execute, solved, taken
from tests.browser.pages import run_controls, run_pages
from tests.browser.payloads import PAYLOADS
from tests.browser.site import HONEST, as_notebook
from tests.browser.watch import chromium, watching

pytestmark = pytest.mark.skipif(not chromium(), reason="no chromium here: apt-get install chromium")


def test_pages_of_all_payloads_do_nothing_and_some_controls_do(tmp_path: Path) -> None:
    """The quick part: one feedback page and one page of a notebook hold every payload."""
    from autograder.grading.gradebook import make_job

    release = FakeRelease(tmp_path)
    texts = "\n\n".join(one.text for one in PAYLOADS)
    intake = taken(release, tmp_path, "ann", solved(why=f"{HONEST}\n\n{texts}"))
    (tmp_path / "feedback.html").write_text(feedback_page(fake_execute(make_job(release, intake)), intake, {}))
    (tmp_path / "notebook.html").write_text(StaticHTML().from_notebook_node(as_notebook(PAYLOADS))[0])
    with watching() as watch:
        for name in ("feedback", "notebook"):
            seen = watch.visit((tmp_path / f"{name}.html").as_uri())
            assert not seen.count, (name, seen)
            assert watch.page.locator("math msqrt").count(), "the honest formula is drawn"
            assert watch.page.locator("table td").count() and "if a<" in watch.page.inner_text("body")
        some = PAYLOADS[::16]
        assert run_controls(watch, some) == [one.name for one in some if one.bare]


@pytest.mark.slow
def test_every_page_in_a_real_jupyterlab_does_nothing() -> None:
    found = run_pages()
    assert found["payloads"] >= 90 and found["controls_run"] == sum(one.bare for one in PAYLOADS) >= 80
    assert found["pages"] >= 80 and not found["bad"] and found["scripts_run"] == 0, found["bad"]
    assert found["formulas"] and found["pictures"], "the formgrader still shows formulas and figures"
    assert found["marked"] == 1.0, "a mark that is given in the formgrader is saved"
