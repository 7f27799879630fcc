"""No written answer takes more than seconds on a page, whatever its marks are, and for any program that shows Markdown."""

from __future__ import annotations

import itertools
import random
import time

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbconvert.filters.markdown_mistune import markdown2html_mistune

from autograder.intake.rebuild import MAX_WRITTEN
from autograder.pages.export import StaticHTML
from autograder.pages.inert import MOST_MARKS, MOST_ROWS, inert_text
from autograder.reports.feedback import prose_html

SECONDS = 8  # of the processor for one text; most take a tenth of one
ROOM = MAX_WRITTEN - 100
UNLUCKY = 25
UNITS = (
    "- a\n", "  - ", "1. a\n", "> ", "> - a\n", "*a ", "**a ", "*a* ", "*a**b", "_a_", "[a](", "[", "[a](b) ", "[a]: b\n",
    "[a][b] ", "[^a]: b\n", "[^a]:\n    b\n", "<a>", "<a ", "<!--", "<div>\n", "$a$ ", "$a", "$$\n", "\\(a\\)", "\\[",
    "\\begin{a}\n", "`a` ", "``", "```\na\n```\n", "a\n===\n", "# a\n", "a\n: b\n", "|a|b|\n|-|-|\n", "a|b\n", "|", "~~a",
    "&", "\\", "\n\n", "    a\n", "- [ ] a\n", "<http://a> ", "![a](b) ",
)  # fmt: skip


def mixed(parts: tuple[str, ...], seed: int) -> str:
    """Parts in an order of chance."""
    draws = random.Random(seed)
    return "".join(draws.choice(parts) for _ in range(ROOM))[:ROOM]


def cpu(text: str) -> float:
    """Seconds of the processor for the student's page."""
    began = time.process_time()
    prose_html(text)
    return time.process_time() - began


TABLES = {
    "rows of one cell": "-|\n" * (ROOM // 3) + "-|-|-\n",
    "rows of two cells": "-|-\n" * (ROOM // 4) + "-|-|-\n",
    "indented rows": "   -|\n" * (ROOM // 6) + "-|-|-\n",
    "in a list": "- a\n" + "  -|\n" * (ROOM // 5) + "  -|-|-\n",
    "in a quotation": "> -|\n" * (ROOM // 5) + "> -|-|-\n",
    "wide rows": ("-|" * 100 + "\n") * (ROOM // 210) + "-|-|-\n",
    "rows of other lines between": "-|\na\n" * (ROOM // 5) + "-|-|-\n",
}
EMPHASIS = {f"{parts}, {seed}": mixed(parts, seed) for parts in (("***", "*a"), ("_", "*a")) for seed in (0, UNLUCKY)}


@pytest.mark.parametrize("text", [*TABLES.values(), *EMPHASIS.values()], ids=[*TABLES, *EMPHASIS])
def test_what_grows_with_the_cube_is_bounded_for_every_renderer(text: str) -> None:
    began = time.process_time()
    prose_html(text)
    markdown2html_mistune(inert_text(text))  # nbconvert's own, which knows none of our bounds
    mark = {"nbgrader": {"grade_id": "written-a", "solution": True, "grade": True}}
    cell = nbformat.v4.new_markdown_cell(text, metadata=mark)
    StaticHTML().from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
    assert time.process_time() - began < 3 * SECONDS


def test_an_unlucky_order_of_stars_is_bounded() -> None:
    """One of the few orders, of some hundred, that took eleven seconds and more; most take one."""
    assert cpu(mixed(("***", "*a"), UNLUCKY)) < SECONDS


@pytest.mark.parametrize("unit", UNITS)
def test_one_construct_again_and_again_takes_seconds(unit: str) -> None:
    assert cpu((unit * ROOM)[:ROOM]) < SECONDS


@pytest.mark.parametrize("seed", range(6))
def test_constructs_in_any_order_take_seconds(seed: int) -> None:
    draws = random.Random(seed)
    assert cpu(mixed(tuple(draws.sample(UNITS, 3)), seed)) < SECONDS


@given(st.lists(st.sampled_from(["|", "*", "_", "[", "\n", "\n\n", " \n", "a", "-"]), max_size=60), st.integers(1, 60))
def test_a_text_that_was_bounded_stays_as_it_is(parts: list[str], times: int) -> None:
    once = inert_text("".join(parts) * times)
    assert inert_text(once) == once
    lines = once.split("\n")
    assert sum("|" in line for line in lines) <= MOST_ROWS
    paragraphs = [
        "\n".join(group) for full, group in itertools.groupby(lines, lambda line: bool(line.strip(" \t"))) if full
    ]
    assert all(sum(map(text.count, "*_[")) <= MOST_MARKS for text in paragraphs)


def test_what_people_write_stays() -> None:
    table = "| model | loss |\n|:--|--:|\n" + "| a_1 | *0.5* |\n" * 50
    prose = "\n\n".join("**Bold** and $x_i * |y_j|$ in [a list](https://a.org) of _words_." for _ in range(40))
    assert inert_text(table) == table and "<td" in prose_html(table)
    assert "＊" not in prose_html(prose) and prose_html(prose).count("<strong>") == 40
    assert "﹣｜" not in inert_text(table) and "-｜" in inert_text(TABLES["rows of one cell"]), (
        "it is still read as it was"
    )
