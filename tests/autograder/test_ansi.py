"""Escape sequences in outputs: no page ends or stalls because of them, colours stay, and nothing else reaches a terminal."""

from __future__ import annotations

import random
import re
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbconvert.filters import ansi
from nbconvert.filters.ansi import ansi2html
from traitlets.config import Config

from autograder.pages import export
from autograder.pages.ansi import MAX_COLOURS, inert_ansi
from autograder.pages.colour import code_cell_html
from autograder.pages.export import FILTERS, StaticHTML, ansi_html, configure_pages
from autograder.pages.inert import inert_output, inert_text
from autograder.reports.feedback import code_html
from autograder.sandbox.outputs import clean

BROKEN = {
    "extended colour without operands": "\x1b[38mred",
    "extended colour without a number": "\x1b[38;5mred",
    "background without operands": "\x1b[1;48mred",
    "extended colour after a complete one": "\x1b[38;5;1;48mred",
    "red and green only": "\x1b[38;2;1;2mred",
    "many parameters": "\x1b[" + ";" * 1_000_000 + "m",
    "many sequences": "\x1b[0mx" * 200_000,
    "digits": "\x1b[" + "9" * 5000 + "m",
    "other digits": "\x1b[\u0663\u0668m",
}
PIECES = ["\x1b", "\x1b[", "\x9b", "\x1b]0;title", "\x07", "38", "48", ";", "5", "2", "255", "256", ":", "m", "J", "[", "?25l",
          "\n", " ", "x", "<b>", "é", "\x1b[31m", "\x1b[0m", "\x1b(B", "\x90", "\x9c", "\x1b\\"]  # fmt: skip
PARTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=40).map("".join)


def outputs_of(text: str) -> list[dict[str, Any]]:
    return [
        {"output_type": "stream", "name": "stdout", "text": text},
        {"output_type": "error", "ename": text, "evalue": text, "traceback": [text, text]},
        {"output_type": "display_data", "data": {"text/plain": text}, "metadata": {}},
        {"output_type": "execute_result", "data": {"text/plain": text}, "metadata": {}, "execution_count": None},
    ]


def texts_in(output: dict[str, Any]) -> list[str]:
    found = [output.get("text", ""), output.get("ename", ""), output.get("evalue", ""), *output.get("traceback", [])]
    return [text for text in [*found, output.get("data", {}).get("text/plain", "")] if text]


def steps(text: str) -> int:
    """The characters that nbconvert copies to colour a text: at each sequence what is left of it, and all parameters."""
    return sum(len(text) - found.end() + found.group().count(";") ** 2 for found in ansi._ANSI_RE.finditer(text))


@pytest.mark.parametrize("name", BROKEN)
def test_no_output_breaks_or_stalls_a_page(name: str) -> None:
    for output in outputs_of(BROKEN[name]):
        for made in (*clean([output])[0], inert_output(output)):
            for text in texts_in(made):
                assert steps(text) <= (MAX_COLOURS + 1) * len(text)
                ansi2html(text)  # must not raise
    ansi_html(BROKEN[name])


@pytest.mark.parametrize("name", BROKEN)
def test_a_page_is_made_of_a_notebook_with_such_outputs(name: str) -> None:
    cell = nbformat.v4.new_code_cell(
        "x", outputs=[nbformat.from_dict(one) for one in outputs_of(BROKEN[name] + "shown")]
    )
    page, _ = StaticHTML().from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
    assert "shown" in page


def test_the_pages_of_nbgrader_use_a_filter_that_never_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    configuration = Config()
    configure_pages(configuration)
    assert FILTERS["ansi2html"] is ansi_html
    assert configuration.HTMLExporter.filters["ansi2html"] == "autograder.pages.export.ansi_html"
    monkeypatch.setattr(export, "ansi2html", lambda text: 1 / 0)
    assert ansi_html("\x1b[31m<b>red\x1b[0m\x1b[38m") == "&lt;b&gt;red"


@given(PARTS)
def test_any_escape_sequences_are_read_by_nbconvert(text: str) -> None:
    once = inert_ansi(text)
    ansi2html(once)
    assert inert_ansi(once) == once
    assert not re.search(r"[\x1b\x90\x98\x9b\x9d-\x9f]", re.sub(r"\x1b\[[0-9;]*m", "", once))
    assert ansi_html(text) == ansi2html(once)


def test_the_time_grows_with_the_length_only() -> None:
    chance = random.Random(0)
    for pieces in (PIECES, ["\x1b[", ";", "3"], ["\x1b]", "x"], ["\x1b[31m", "x"], ["\x1b", " "], ["\x1b[3", "8;5;"]):
        short, long = ("".join(chance.choices(pieces, k=size)) for size in (10_000, 100_000))
        few, many = steps(inert_ansi(short)), steps(inert_ansi(long))
        assert many <= MAX_COLOURS * len(long)
        assert many <= 40 * few or few < len(short)


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[31mred\x1b[0m", "\x1b[mplain", "\x1b[1;31m\x1b[39;49;00m", "\x1b[01massert\x1b[39;00m",
        "\x1b[96;4mx", "no colour [31m \t\r\n", "a\r\r\n",
    ],
)  # fmt: skip
def test_colours_stay(text: str) -> None:
    assert inert_ansi(text) == text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a\x1b[2Jb", "ab"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]8;;https://x.y\x1b\\b", "ab"),
        ("a\x1b]0;never ended\nb", "a\nb"),
        ("a\x1b[38:5:1mb", "ab"),
        ("a\x1b[38;5;256mb", "ab"),
        ("a\x1b[38;5;231mb", "ab"),
        ("a\x1b[38;2;255;255;255mb", "ab"),
        ("a\x1b[1;38;5;28;03massert\x1b[39m", "a\x1b[1;3massert\x1b[39m"),
        ("a\x1b[31;41mb\x1b[7mc\x1b[8md\x1b[2me", "a\x1b[31mbcde"),
        ("a\x1b[1;38mb\x1b[38;2;1mc\x1b[48;9;31md", "a\x1b[1mbc\x1b[31md"),
        ("wrong\b\b\b\b\bright\x00\x7f", "wrongright"),
        ("10 %\r50 %\r100 %\ndone\r\n", "100 %\ndone\r\n"),
        ("hidden\r\x1b[2Kshown", "shown"),
        ("a\x9b31mb", "ab"),
        ("a\x1b\x1b[0J[31mb", "a[31mb"),
        ("a\x1bcb\x1b(B\x1b", "ab"),
        ("a\x1b[3", "a"),
        ("a\x1b[" + "0;" * 15 + "0mb", "a\x1b[" + "0;" * 15 + "0mb"),
        ("a\x1b[" + "0;" * 16 + "0mb", "ab"),
    ],
)
def test_all_else_is_removed(text: str, plain: str) -> None:
    assert inert_ansi(text) == plain


def test_colours_beyond_a_number_are_removed() -> None:
    assert inert_ansi("\x1b[31mx" * (MAX_COLOURS + 5)).endswith("\x1b[31mxxxxxx")


@pytest.mark.parametrize("sign", ["\u202e", "\u200b", "\u2028", "\u2060", "\u3164", "\U000e0041"], ids=ascii)
def test_no_character_deceives_the_reader_unseen(sign: str) -> None:
    """It would turn the order of others, end a line in some programs alone, or not be drawn."""
    told = f"a {sign})1 ,0( nruter"
    for page in (inert_ansi(told), code_cell_html(told), str(code_html(told)), inert_text(told)):
        assert sign not in page and f"[U+{ord(sign):04X}]" in re.sub("<[^>]*>", "", page)
    assert inert_text(inert_text(told)) == inert_text(told)


def test_what_scripts_and_emoji_need_stays() -> None:
    text = "نمی\u200cدانم 👩\u200d💻 ❤\ufe0f"
    assert inert_text(text) == text and inert_ansi(text) == text
