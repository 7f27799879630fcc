"""Colours of code on pages, for code that a person may have written: for other texts the lexer takes minutes."""

from __future__ import annotations

import functools
import html
import re
from typing import Any

from nbconvert.filters.highlight import Highlight2HTML

from autograder.pages.ansi import seen

MOST = 20_000  # characters; for some texts the time grows with their square
# Blank lines, too: from each of them Pygments reads to the end of the run, several times
BLANK = re.compile(r"\s{200}")


def can_be_coloured(source: str) -> bool:
    """Whether a lexer reads this code in a short time."""
    return len(source) <= MOST and not BLANK.search(source)


def code_cell_html(source: str, language: str | None = None, metadata: Any = None) -> str:
    """A cell's code as nbconvert's templates show it, without colours where these would take long."""
    source = seen(source)
    if can_be_coloured(source):
        return str(_colours()(source, language, metadata))
    return f'<div class="highlight"><pre>{html.escape(source, quote=False)}</pre></div>'


@functools.cache
def _colours() -> Highlight2HTML:
    return Highlight2HTML(pygments_lexer="python")
