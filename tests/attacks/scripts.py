"""Scripts in written answers and outputs, in the pages that an instructor and a student open, tried in Chromium."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from autograder.pages import markup
from autograder.pages.export import StaticHTML
from autograder.reports.feedback import feedback_page
from tests.attacks.record import Attack, Trace, Wall
from tests.autograder.tiny_course import FakeRelease, fake_execute, solved, taken
from tests.browser.payloads import PAYLOADS, Payload
from tests.browser.site import as_notebook, control
from tests.browser.watch import chromium, watching

EVERY = 4  # the browser's own tests open all of them


class Nothing:
    """A sanitiser that lets everything pass."""

    def clean(self, text: str) -> str:
        """The text itself."""
        return text


def strike(folder: Path, wall: Wall, payload: Payload) -> Trace:
    """What acts in the feedback page and in the page of a notebook."""
    from autograder.grading.gradebook import make_job

    with pytest.MonkeyPatch.context() as patch:
        if not wall.sanitiser:
            patch.setattr(markup, "_cleaner", lambda **_: Nothing())
        release = FakeRelease(folder)
        intake = taken(release, folder, "ann", solved(why=payload.text or "Because."))
        result = fake_execute(make_job(release, intake))
        pages = {"feedback": feedback_page(result, intake, {})}
        pages["notebook"] = StaticHTML().from_notebook_node(as_notebook([payload]))[0]
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text)
    with watching() as watch:
        acted = sum(watch.visit((folder / f"{name}.html").as_uri()).count for name in pages)
    return Trace(acted, len(result.verdicts), 2)


def works(folder: Path, payload: Payload) -> float:
    """Whether it acts in the page that nbconvert makes of it by itself."""
    with watching() as watch:
        return float(watch.runs(payload.name, control(payload)))


def lacking() -> str:
    """Why no page can be opened here."""
    return "" if chromium() else "no Chromium here to open pages in; install it (apt install chromium) and run again"


ATTACKS = [
    Attack(f"page script {one.name}", "scripts in pages", "script", partial(strike, payload=one),
           partial(works, payload=one), one.name == "script", slow=True, layers=("sanitiser",), lacking=lacking)
    for one in [one for one in PAYLOADS if one.bare][:: EVERY]
]  # fmt: skip
