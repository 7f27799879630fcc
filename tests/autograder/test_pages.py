"""Student text, outputs and names that reach a page: nothing in them may act, and what is honest stays as it was."""

from __future__ import annotations

import re
import time
import unicodedata
from html.parser import HTMLParser

import nbformat
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nbconvert.filters.markdown_mistune import markdown2html_mistune

from autograder.pages.export import StaticHTML
from autograder.pages.inert import inert_name, inert_output, inert_text
from autograder.pages.markup import MATH, PROSE, clean_html
from autograder.pages.policy import formgrader_policy, hashed, inline_scripts, page_policy, static_page
from autograder.pages.prose import prose_html
from autograder.pages.server import policy_for
from autograder.reports.feedback import code_html
from autograder.reports.feedback import prose_html as feedback_html
from autograder.sandbox.outputs import clean
from tests.browser.payloads import PAYLOADS, Payload, in_outputs

LINKS = {"href", "src", "srcset", "data", "poster", "background", "action", "formaction", "ping", "xlink:href"}


class Tags(HTMLParser):
    """Every tag and attribute that a browser could see."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.other: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, {name: value or "" for name, value in attrs}))

    def handle_comment(self, data: str) -> None:
        self.other.append(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def harmless(html: str, *, links: bool = True) -> None:
    """Tags of the closed list, no handler, no style, links to https and pictures in the page alone."""
    page = Tags(html)
    assert not page.other, page.other
    for tag, attributes in page.seen:
        assert tag in PROSE | MATH | ({"a", "img"} if links else set()), tag
        for name, value in attributes.items():
            assert not name.startswith("on") and name not in ("style", "id", "name", "target"), (tag, name)
            if name in LINKS:
                pattern = r"data:image/(png|jpeg|gif|svg\+xml);base64,.*" if tag == "img" else r"https://.*|#.*"
                assert links and re.fullmatch(pattern, value, re.S), (tag, name, value)


def carriers(text: str) -> list[str]:
    """A text where Markdown may hold it."""
    return [
        text,
        f"> {text}",
        f"- a\n\n    {text}",
        f"a\n{text}\nb",
        f"`{text}`",
        f"${text}$",
        f"```\n{text}\n```",
        f"| {text} |\n|-|",
    ]


@pytest.mark.parametrize("one", PAYLOADS, ids=lambda one: one.name)
def test_a_payload_in_a_written_answer_is_inert_for_every_renderer(one: Payload) -> None:
    for text in carriers(one.text):
        harmless(prose_html(text))  # cleaned when it is drawn
        harmless(prose_html(inert_text(text)))
        harmless(str(feedback_html(text)), links=False)
        # nbconvert cleans nothing: the source alone must give it nothing to draw
        harmless(re.sub(r"</?(input|section)\b[^>]*>|<a class=.anchor-link.*?</a>| id=\"[^\"]*\"| style=\"text-align:\w+\"", "",
                        markdown2html_mistune(inert_text(text))))  # fmt: skip


@pytest.mark.parametrize("one", PAYLOADS, ids=lambda one: one.name)
def test_a_payload_in_an_output_is_inert(one: Payload) -> None:
    for output in in_outputs(one):
        for made in (*clean([output])[0], inert_output(output)):
            data = made.get("data", {})
            assert set(data) <= {"text/plain", "text/html", "image/png", "image/jpeg"}
            harmless(data.get("text/html", ""))
            assert "<" not in "".join(data.get(kind, "") for kind in ("image/png", "image/jpeg"))
            assert "<" not in str(made.get("metadata", ""))


@pytest.mark.parametrize("one", PAYLOADS, ids=lambda one: one.name)
def test_a_payload_as_a_name_has_no_markup(one: Payload) -> None:
    assert not re.search('[<>"&`\n]', inert_name(one.text))
    assert inert_name("Zoë \u202eO'Neil  Müller-Ø") == "Zoë O'Neil Müller-Ø"
    assert inert_name("Zoë\u2028Müller") == "Zoë Müller"


def test_names_that_look_alike_are_one_name() -> None:
    """Unicode's default-ignorable characters, by its own property where Python knows it as a format character, and others."""
    signs = [chr(n) for n in range(0x110000) if unicodedata.category(chr(n)) == "Cf" and not 0x600 <= n <= 0x8E2]
    drawn = {
        "\U000110bd",
        "\U000110cd",
        *map(chr, range(0x13430, 0x13440)),
    }  # have a form
    for sign in {*signs, *"\u034f\u115f\u1160\u17b4\u180b\u2800\u3164\ufe0f\uffa0\U000e0101"} - drawn:
        assert inert_name(f"Zoë{sign} Müller") == "Zoë Müller", ascii(sign)


WORDS = ("javascript:", "script", "href", "https://", "mermaid", "<b>", "\\\\")
MARKUP = st.lists(st.sampled_from([*"<>/!?[]():#`~$\\\"'= \n\t&;abjsx-", *WORDS])).map("".join)


@given(MARKUP)
@example("<<b>a")
def test_any_text_becomes_inert_and_stays_as_it_is_then(text: str) -> None:
    once = inert_text(text)
    assert inert_text(once) == once
    harmless(prose_html(text))
    assert not re.search(r"<[A-Za-z/!?]", re.sub(r"</?b ?/?>", " ", once))


@pytest.mark.parametrize("fence", ["```", "~~~~", "````"])
@pytest.mark.parametrize(
    "word", ["mermaid", " MERMAID", "\u00a0mermaid", "\u3000{.mermaid}", "\t{mermaid}", "x mermaid"]
)
def test_no_fence_draws_a_diagram(fence: str, word: str) -> None:
    assert inert_text(f"{fence}{word}\ngraph TD\n{fence}").startswith(fence + "text ")


def test_honest_answers_stay_as_they_are() -> None:
    honest = [
        r"A formula $\sqrt{x_i} < y$, five $n$; $$\sum_i \alpha_i v_i$$ and \\(x\\).",
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n**bold** *it* ~~no~~ `x[1:] < y` 3 < 4 & 5 > 2",
        "```python\nif a < b: print(x[0])\n```\n\n1. one\n2. two\n\n> quote",
        "[a link](https://example.org/a_(b)) and https://example.org, x<sup>2</sup>, a<br>b, H<sub>2</sub>O, mean ± 0.1 %",
        "[r][1]\n\n[1]: https://example.org",
    ]
    for text in honest:
        assert inert_text(text) == text
    page = prose_html("\n\n".join(honest))
    for part in (
        "<msqrt>",
        "<mo>&lt;</mo>",
        "<munder>",
        "<table>",
        "<strong>",
        "<sup>2</sup>",
        "3 &lt; 4 &amp; 5 &gt; 2",
    ):
        assert part in page, part
    assert 'href="https://example.org/a_(b)" rel="noopener noreferrer nofollow"' in page
    assert '<span class="k">if</span>' in page and "<msub>" in feedback_html("$x_i$")


def test_a_formula_that_cannot_be_read_shows_its_source() -> None:
    assert prose_html("$\\frac{a$").startswith("<p>")
    assert "too_long" in prose_html("$" + "too_long " * 1000 + "$") and "<math" not in prose_html(
        "$" + "x " * 9000 + "$"
    )
    deep = "> " * 3000 + "deep"
    assert "deep" in prose_html(deep)


def test_html_of_outputs_keeps_tables_and_pictures_that_are_in_the_page() -> None:
    html = '<table><tr><th colspan="2">a</th></tr></table><img src="data:image/png;base64,iVBORw0KGgo=" alt="plot">'
    assert clean_html(html).replace("<tbody>", "").replace("</tbody>", "") == html
    svg = {"output_type": "display_data", "data": {"image/svg+xml": "<svg/>"}, "metadata": {}}
    assert inert_output(svg)["data"]["text/html"].startswith('<img src="data:image/svg+xml;base64,')


def test_policies_name_what_may_run_and_nothing_else() -> None:
    policy = page_policy(["b { }"], ["go()"])
    assert policy.startswith("default-src 'none'") and hashed("b { }") in policy and hashed("go()") in policy
    assert "script-src 'none'" in page_policy() and "unsafe-inline" not in page_policy().replace(
        "style-src-attr 'unsafe-inline'", ""
    )
    page = static_page("<html><head><script>x()</script></head><body><script src='//e'></script>text</body></html>")
    assert "<script" not in page and page.index("Content-Security-Policy") < page.index("<body")


def test_the_formgrader_runs_the_scripts_of_its_own_templates_once() -> None:
    own = '\nvar assignment_id = "07_knowledge";\n'
    second = '\nvar assignment_id = "https://evil.test";\n'
    evil = '\nvar assignment_id = "";canary("x");"";\n'
    page = (
        f"<head><script>{own}</script></head><script>{second}</script><script>{evil}</script><script>canary()</script>"
    )
    policy = formgrader_policy(page, "http://localhost/formgrader")
    assert hashed(own) in policy and hashed(second) not in policy
    assert hashed(evil) not in policy and hashed("canary()") not in policy
    assert "http://localhost/formgrader/static/" in policy and "'self' 'unsafe-inline'" not in policy


@pytest.mark.parametrize(
    "path", ["files/a.html", "nbconvert/html/a.ipynb", "formgrader/submissions/0123/a/b.html", "files/lab"]
)
def test_a_handed_in_file_gets_no_script_and_an_origin_of_its_own(path: str) -> None:
    policy = policy_for(path, "<script>x()</script>", "http://localhost/")
    assert (
        policy.startswith("sandbox; default-src 'none'") and "script-src" not in policy and hashed("x()") not in policy
    )


def test_an_unknown_page_of_the_server_runs_no_inline_script() -> None:
    assert hashed("x()") not in policy_for("hub/other", "<script>x()</script>", "http://localhost/")
    assert inline_scripts(
        '<script type="application/json">{}</script><script src="a"></script><script>x()</script>'
    ) == ["x()"]


def test_code_of_few_languages_is_coloured_and_nothing_takes_the_square_of_its_length() -> None:
    assert inert_text("```python\nx\n```\ntext ```a b``` more") == "```python\nx\n```\ntext ```a b``` more"
    assert inert_text("> ```c\n> x") == "> ```text c\n> x" and "<pre><code>" in prose_html("```c\nx = 1\n```")
    since = time.process_time()
    for text in ("`" * 60_000, "~" * 60_000, "```a " * 12_000, "```mermaid " * 6_000, "a" + " " * 60_000 + "b"):
        inert_text(text)
    prose_html("a" + " " * 90_000 + "b")
    assert time.process_time() - since < 5


BLANKS = {"blank lines": " \n" * 9_000, "lines of tabs": "\t\n" * 9_000, "a long cell": "x = '\\\\'\n" * 20_000}


@pytest.mark.parametrize("text", BLANKS.values(), ids=list(BLANKS))
def test_code_that_a_lexer_reads_for_minutes_is_shown_without_colours(text: str) -> None:
    source = f"x = 1\n{text}y = '<b>'\n"
    cell = nbformat.v4.new_code_cell(source, metadata={"nbgrader": {"grade_id": "answer-a", "solution": True}})
    began = time.process_time()
    page, _ = StaticHTML().from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
    pages = [page, str(code_html(source)), prose_html(f"```python\n{source[:15_000]}\n```")]
    assert time.process_time() - began < 20
    assert (
        all("x = 1" in re.sub("<[^>]+>", "", one) for one in pages)
        and "&lt;b&gt;" in pages[1]
        and "<b>" not in pages[0]
    )
    short, _ = StaticHTML().from_notebook_node(
        nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("def f(): pass")])
    )
    assert '<span class="k">def</span>' in short
