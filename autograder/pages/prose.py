"""Rendering of Markdown and formulas as sanitised HTML without scripts."""

from __future__ import annotations

import html

from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from autograder.pages.colour import can_be_coloured
from autograder.pages.inert import BLANKS, COLOURED
from autograder.pages.markup import clean_html

LONGEST = 20_000  # characters of one text that are rendered; the rest is cut
FORMULA = 4_000  # characters of one formula; a longer one is shown as its source


def formula(tex: str, *, block: bool = False) -> str:
    """A formula as MathML, which a browser draws without a script; its source text if it cannot be converted."""
    from latex2mathml.converter import convert

    try:
        if len(tex) > FORMULA:
            raise ValueError("too long")
        drawn = convert(tex, display="block" if block else "inline")
    except Exception:  # the library's errors have no common base class
        mark = "$$" if block else "$"
        return f"<code>{html.escape(mark + tex + mark)}</code>"
    return clean_html(drawn, links=False)


class Ready(str):
    """HTML that the course made and sanitised itself. Text that is read from a file is never of this type."""


class _Prose(IPythonRenderer):
    """nbconvert's dialect of Markdown, with formulas as MathML and nothing that needs a script."""

    def inline_math(self, body: str) -> str:
        return formula(body)

    def block_math(self, body: str) -> str:
        return formula(body, block=True)

    def latex_environment(self, name: str, body: str) -> str:
        return formula(f"\\begin{{{name}}}{body}\\end{{{name}}}", block=True)

    def block_code(self, code: str, info: str | None = None) -> str:
        words = (info or "").split()
        try:
            lexer = get_lexer_by_name(words[0]) if words and words[0].lower() in COLOURED else None
        except ClassNotFound:
            lexer = None
        ready = lexer and can_be_coloured(code)
        return highlight(code, lexer, HtmlFormatter()) if ready else f"<pre><code>{html.escape(code)}</code></pre>\n"

    def image(self, text: str, url: str, title: str | None = None) -> str:
        return f'<img src="{html.escape(url)}" alt="{html.escape(text)}">'


def prose_html(text: str, *, links: bool = True) -> str:
    """Markdown as sanitised HTML (see :func:`clean_html`), formulas included; a text nested too deeply is shown plain."""
    if isinstance(text, Ready):
        return text
    text = BLANKS.sub(" " * 200, text[:LONGEST])
    try:
        raw = MarkdownWithMath(renderer=_Prose(escape=False, exclude_anchor_links=True)).render(text)
    except RecursionError:  # a thousand nested quotes
        raw = f"<pre>{html.escape(text)}</pre>"
    return clean_html(raw, links=links, made=True)
