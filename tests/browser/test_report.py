"""The report as a reader meets it: narrow and wide, light and dark, on paper, by keyboard, and by axe-core's rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.grading.gradebook import make_job
from autograder.reports.class_report import report_page
from autograder.reports.feedback import feedback_page
from autograder.reports.handback import refused_page
from autograder.reports.roll import StudentRow
from tests.autograder.tiny_course import NAME, FakeRelease, fake_execute, solved, taken
from tests.browser.class_of import EXERCISES, made_up_class
from tests.browser.watch import chromium

pytestmark = pytest.mark.skipif(not chromium(), reason="no chromium here: apt-get install chromium")
LONG = "a long line of code, " * 5
PROSE = f"Some **bold** words, `code`, $x^2$, a list:\n\n- one\n- two\n\n> and a quotation\n\n```\n{LONG}\n```"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Addresses of the report, of a feedback page and of a refused student's page."""
    folder = tmp_path_factory.mktemp("pages")
    similar = [{"students": ["s01", "s02"], "evidence": ["a.safetensors: equal weights"]}]
    links = {f"s{number:02}": f"s{number:02}.html" for number in range(40)}
    release = FakeRelease(folder)
    answer = "return x + 0.5  # a comment\n    for i in range(3):\n        print(f'{i}', None is not True)"
    intake = taken(release, folder, "ann", solved(london=answer, why=PROSE))
    texts = {
        "report": report_page(made_up_class(), "Class report · 01 Attention", "abc", links=links, similar=similar),
        "feedback": feedback_page(fake_execute(make_job(release, intake)), intake, {}),
        "refused": refused_page(
            NAME, StudentRow("lou", told="lou.zip: not a sound zip archive; pack it again as .zip")
        ),
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text)
    return {name: (folder / f"{name}.html").as_uri() for name in texts}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tool:
        found = tool.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield found
        found.close()


def opened(browser: Any, address: str, width: int = 1200, **options: Any) -> Any:
    page = browser.new_page(viewport={"width": width, "height": 900}, **options)
    page.goto(address)
    return page


MOST = [(name, width, scheme) for name in ("report", "feedback", "refused") for width in (1200, 390)
        for scheme in ("light", "dark")]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    [pytest.param(*one, marks=() if one in (MOST[0], MOST[7]) else pytest.mark.slow) for one in MOST],
)
def test_axe_finds_no_violation(browser: Any, pages: dict[str, str], name: str, width: int, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    # the page's own policy would forbid the checker
    page = opened(browser, pages[name], width, color_scheme=scheme, bypass_csp=True)
    found = Axe().run(page).response
    page.close()
    wrong = [
        (one["id"], node["html"][:160], node["failureSummary"]) for one in found["violations"] for node in one["nodes"]
    ]
    assert wrong == [] and len(found["passes"]) > 10


def test_axe_sees_what_is_wrong(browser: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = browser.new_page()
    page.set_content("<html><body><img src='x.png'><p style='color:#ccc'>pale</p></body></html>")
    found = {one["id"] for one in Axe().run(page).response["violations"]}
    page.close()
    assert {"image-alt", "color-contrast", "html-has-lang"} <= found


def test_the_class_table_is_whole_at_1200_pixels(browser: Any, pages: dict[str, str]) -> None:
    page = opened(browser, pages["report"])
    wide = page.evaluate(
        "(() => { const s = document.querySelector('.scroll'); return [s.scrollWidth, s.clientWidth]; })()"
    )
    across = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    page.close()
    assert wide[0] <= wide[1] and across[0] <= across[1], "nothing has to be scrolled to"


def test_names_stay_while_a_phone_scrolls(browser: Any, pages: dict[str, str]) -> None:
    page = opened(browser, pages["report"], 390)
    place = "document.querySelector('.class tbody th').getBoundingClientRect().left"
    before = page.evaluate(place)
    page.evaluate("document.querySelector('.scroll').scrollLeft = 400")
    scrolled = page.evaluate("document.querySelector('.scroll').scrollLeft")
    after, across = page.evaluate(place), page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    page.close()
    assert scrolled > 100 and abs(after - before) <= 2 and across[0] <= across[1]


def test_a_heading_sorts_by_mouse_and_keyboard(browser: Any, pages: dict[str, str]) -> None:
    page = opened(browser, pages["report"])
    column = "[...document.querySelectorAll('.class tbody tr')].map(r => r.cells[1].dataset.value)"
    button = page.locator(".class thead th:nth-child(2) button")
    button.click()
    rising = page.evaluate(column)
    button.focus()
    page.keyboard.press("Enter")
    falling = page.evaluate(column)
    said = (
        page.locator("#sorted").text_content(),
        page.locator(".class thead th:nth-child(2)").get_attribute("aria-sort"),
    )
    page.keyboard.press("Tab")
    after = page.evaluate("document.activeElement.closest('th').cellIndex")
    page.close()
    points = [float(one) for one in rising if one]
    assert points == sorted(points) and rising[-3:] == ["", "", ""], "who has no points stands last"
    assert [float(one) for one in falling if one] == points[::-1] and falling[-3:] == ["", "", ""]
    assert said == ("sorted by Points, descending", "descending") and after == 2


def test_names_and_exercises_are_sorted_too(browser: Any, pages: dict[str, str]) -> None:
    page = opened(browser, pages["report"])
    page.locator(".class thead th:first-child button").click()
    names = page.evaluate("[...document.querySelectorAll('.class tbody tr')].map(r => r.cells[0].textContent.trim())")
    table = page.locator("table.sortable").nth(1)
    table.locator("thead th").nth(4).locator("button").click()
    reached = [
        float(one) for one in table.locator("tbody tr td:nth-child(5)").evaluate_all("a => a.map(c => c.dataset.value)")
    ]
    fixed = table.locator("thead th").nth(6).locator("button").count()
    page.close()
    assert names[0] == "Ada Adeyemi" and names.index("Dora Dvořák") < names.index("Emil Ek")
    assert reached == sorted(reached) and len(reached) == len(EXERCISES) and fixed == 0


@pytest.mark.parametrize("media", ["print"])
def test_paper_shows_every_column(browser: Any, pages: dict[str, str], media: str, tmp_path: Path) -> None:
    """A4 across is 1032 CSS pixels between these margins; also somebody with a dark screen prints on white."""
    page = opened(browser, pages["report"], 1032, color_scheme="dark")
    page.emulate_media(media=media)
    wide = page.evaluate(
        "(() => { const t = document.querySelector('.class'); return [t.offsetWidth, document.body.clientWidth]; })()"
    )
    notes = page.evaluate(
        "[...document.querySelectorAll('.class details ul')].map(u => u.getBoundingClientRect().height)"
    )
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.pdf(path=tmp_path / "report.pdf", prefer_css_page_size=True)
    page.close()
    assert notes and min(notes) > 5, "what is folded away on a screen is printed"
    assert wide[0] <= wide[1] and paper == "rgb(255, 255, 255)" and (tmp_path / "report.pdf").stat().st_size > 10_000


def test_without_scripts_nothing_is_missing_but_sorting(browser: Any, pages: dict[str, str]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages["report"])
    counts = page.locator(".class tbody tr").count(), page.locator("thead button").count()
    context.close()
    assert counts == (43, 0)
