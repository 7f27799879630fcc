"""Opens every page that an instructor opens, with payloads in all that a student can write, and counts what acts."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.autograder.tiny_course import NAME
from tests.browser.payloads import PAYLOADS, Payload
from tests.browser.site import control, graded_class, jupyter, live_addresses, plant_files, split, static_pages
from tests.browser.watch import Watch, settled, watching


def run_controls(watch: Watch, payloads: Sequence[Payload]) -> list[str]:
    """Names of the payloads that act in a page which nobody has cleaned."""
    return [one.name for one in payloads if one.bare and watch.runs(one.name, control(one))]


def run_addresses(watch: Watch, addresses: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What acted, by address; pages where nothing did are not in it."""
    bad = {}
    for address in addresses:
        seen = watch.visit(address)
        if seen.count:
            bad[address] = {"canaries": sorted(seen.canaries), "asked": sorted(seen.asked), "other": seen.other}
    return bad


def open_notebook(watch: Watch, address: str, token: str, student: str) -> dict[str, dict[str, Any]]:
    """The autograded notebook in JupyterLab, which does not trust it; it has to be shown."""
    place = f"{address}/lab/tree/autograded/{student}/{NAME}/{NAME}.ipynb?token={token}"
    seen = watch.visit(place, wait=0.5)
    watch.page.wait_for_selector(".jp-Notebook .jp-OutputArea-output", state="attached")
    watch.page.wait_for_timeout(1500)
    found = {"canaries": sorted(seen.canaries), "asked": sorted(seen.asked), "other": seen.other}
    return {place: found} if seen.count else {}


def mark_one(watch: Watch, address: str) -> dict[str, Any]:
    """What a marker sees and does in the formgrader: formulas, figures, full credit for the written answer."""
    page = watch.page
    page.goto(address)
    shown = {"formulas": page.locator("#notebook math msqrt").count(), "pictures": 0}
    pictures = page.locator("#notebook img[src^='data:image/png']")
    shown["pictures"] = sum(
        pictures.nth(number).evaluate("one => one.naturalWidth > 1") for number in range(pictures.count())
    )
    marked = 0.0
    for seconds in (1, 2, 4, 8, 16):  # nothing says that a mark is saved
        page.locator("#written-why").wait_for()
        settled(page)
        page.locator(".nbgrader_cell", has=page.locator("#written-why")).locator(".full-credit").click()
        page.wait_for_timeout(1000 * seconds)
        page.goto(address)
        settled(page)
        if marked := float(page.locator("#written-why").input_value() or 0):
            break
    return {**shown, "marked": marked}


def run_pages(students: int = 12, *, live: bool = True, payloads: Sequence[Payload] = PAYLOADS) -> dict[str, Any]:
    """Play it through; ``scripts_run`` and what is in ``bad`` must be 0 and empty, ``controls_run`` large.

    Args:
        students: how many share the payloads; fewer are faster, more keep payloads from hiding one another.
        live: with a real JupyterLab and its formgrader.
    """
    with tempfile.TemporaryDirectory(prefix="pages-") as folder, watching() as watch:
        root, people = Path(folder), split(payloads, students)
        release, seen = graded_class(root, people), {}
        addresses = [page.as_uri() for page in static_pages(root, release, people)]
        bad = run_addresses(watch, addresses)
        if live:
            plant_files(release, list(people))
            with jupyter(release.root / "instructor", root / "home") as (address, token):
                watch.visit(f"{address}/tree?token={token}")  # log in
                served = [address + page for page in live_addresses(release, list(people))]
                bad |= run_addresses(watch, served)
                seen = mark_one(watch, next(page for page in reversed(served) if page.endswith("/")))
                for student in people:
                    bad |= open_notebook(watch, address, token, student)
                addresses += [*served, *people]
        controls = run_controls(watch, payloads)
    acted = sum(len(page["canaries"]) + len(page["asked"]) + len(page["other"]) for page in bad.values())
    return {
        "pages": len(addresses),
        "payloads": len(payloads),
        "scripts_run": acted,
        "controls_run": len(controls),
        **seen,
        "bad": bad,
    }


if __name__ == "__main__":
    print(json.dumps(run_pages(), indent=1))
    sys.exit(0)
