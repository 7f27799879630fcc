"""Sanitising of students' HTML: no script, no form, nothing loaded from elsewhere."""

from __future__ import annotations

import base64
import functools
import html
import re
from collections import Counter
from typing import Any

import nh3
from pygments.token import STANDARD_TYPES

PROSE = {
    *("p", "em", "strong", "b", "i", "u", "s", "sub", "sup", "code", "pre", "kbd", "ul", "ol", "li", "dl", "dt", "dd"),
    *("blockquote", "br", "hr", "del", "table", "caption", "thead", "tbody", "tr", "th", "td"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "details", "summary", "span", "div"),
}
MATH = {
    *("math", "mrow", "mi", "mo", "mn", "ms", "mtext", "mspace", "mfrac", "msqrt", "mroot", "mstyle", "mpadded"),
    *("mphantom", "menclose", "merror", "msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts"),
    *("mtable", "mtr", "mlabeledtr", "mtd", "mfenced", "mprescripts", "none"),
}
MATH_ATTRIBUTES = {
    *("display", "displaystyle", "scriptlevel", "mathvariant", "stretchy", "fence", "form", "separator", "symmetric"),
    *("lspace", "rspace", "minsize", "maxsize", "accent", "accentunder", "largeop", "movablelimits", "linethickness"),
    *("columnalign", "rowalign", "columnspacing", "rowspacing", "columnlines", "rowlines", "width", "height", "depth"),
    *("notation", "open", "close", "separators"),
}
COLOURS = {*STANDARD_TYPES.values(), "highlight"} - {""}  # classes that colour code; others could restyle the page
ATTRIBUTES: dict[str, set[str]] = {
    **dict.fromkeys(MATH, MATH_ATTRIBUTES),
    **{"a": {"href"}, "img": {"src", "alt", "width", "height"}, "span": {"class"}, "div": {"class"}},
    **{"th": {"colspan", "rowspan"}, "td": {"colspan", "rowspan"}, "ol": {"start"}, "details": {"open"}},
}
LINK = re.compile(r"https://[^\s<>\"'\\]+|#[\w.-]*", re.I)
PICTURE = re.compile(r"data:image/(png|jpeg|gif|svg\+xml);base64,[A-Za-z0-9+/=\s]*")
SIZE = re.compile(r"\d{1,4}(\.\d+)?%?")
# of a blank in a formula: a longer one would push what follows off the page, or over the text of others
LENGTH = re.compile(r"-?(\d{1,2}|100(?=%)|(?=\.))(\.\d+)?[a-z%]{0,4}|[a-z]{5,24}")
LENGTHS = {"width", "height", "depth", "lspace", "rspace", "minsize", "maxsize", "columnspacing", "rowspacing"}
# The reader's time grows with the square of the depth, and of the number of a tag's attributes
MOST_HTML, MOST_MADE, MOST_TAGS, MOST_DEPTH = 200_000, 2_000_000, 50_000, 200
OPENED = re.compile(r"<(/?)([A-Za-z][^\s/>]{0,30})")
DRAWN = re.compile(r'<img src="data:image/svg\+xml;base64,[A-Za-z0-9+/=]*" alt="drawing">\s*')
SHOWN = 2_000  # characters of the source of HTML that is not read
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


def _attribute(tag: str, name: str, value: str) -> str | None:
    """The value that an attribute may keep, or None. A picture must be in the page itself."""
    if tag not in MATH and name in ("width", "height", "colspan", "rowspan", "start"):
        return value if SIZE.fullmatch(value) else None
    if name in LENGTHS:
        return value if all(map(LENGTH.fullmatch, value.split())) else None
    if name == "class":
        return value if value in COLOURS else None
    if name in ("href", "src"):
        pattern = PICTURE if name == "src" else LINK
        return value if pattern.fullmatch(value) else None
    return value


@functools.cache
def _cleaner(*, links: bool) -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=PROSE | MATH | ({"a", "img"} if links else set()),
        attributes=ATTRIBUTES,
        attribute_filter=_attribute,
        url_schemes={"https", "data"},
        link_rel="noopener noreferrer nofollow",
        strip_comments=True,
    )


def clean_html(text: Any, *, links: bool = True, made: bool = False) -> str:
    """HTML with tags and attributes of a closed list; the beginning of its source where reading it would take long.

    Args:
        links: keep https links and pictures that are in the text itself; else only their words.
        made: it was made from Markdown, whose formulas become long.
    """
    text = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    if not readable(text, MOST_MADE if made else MOST_HTML):
        text = f"<pre>{html.escape(text[:SHOWN], quote=False)}</pre>"
    return _cleaner(links=links).clean(text)


def readable(text: str, most: int = MOST_HTML) -> bool:
    """Whether HTML can be read in a short time: no more than ``most`` characters, nor very many tags, nor nested deeply."""
    if DRAWN.fullmatch(text):
        return True
    if len(text) > most or text.count("<") > MOST_TAGS:
        return False
    depth: Counter[str] = Counter()
    deepest = open_now = 0
    for closing, name in OPENED.findall(text):
        name = name.lower()
        if name in VOID or (closing and not depth[name]):
            continue  # an end that ends nothing does not make room for another beginning
        depth[name] += -1 if closing else 1
        open_now += -1 if closing else 1
        deepest = max(deepest, open_now)
    return deepest <= MOST_DEPTH


def svg_picture(text: str) -> str:
    """An SVG as an ``img`` element, in which a browser runs no script and loads nothing."""
    return f'<img src="data:image/svg+xml;base64,{base64.b64encode(text.encode("utf-8", "replace")).decode()}" alt="drawing">'
