"""Student text, names and outputs without active content, made so before they are stored, for any program that shows them.

The rules for Markdown ignore its context (code, formula, quotation), because renderers disagree where a context ends. A
space is added to what could begin a tag, a link to a script, an external picture or a command of a formula; the text stays
readable. A rule does not change a text to which it was applied before.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from autograder.pages.ansi import DECEIVING, inert_ansi, seen
from autograder.pages.markup import clean_html, svg_picture

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# All that Unicode lets a program leave undrawn, and a letter of Braille without a dot: two names would look alike.
INVISIBLE = re.compile(
    rf"[{DECEIVING}\u00ad\u034f\u17b4\u17b5\u180b-\u180f\u200c\u200d\u2800\ufe00-\ufe0f\ufff0-\ufffc"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]"
)
HARMLESS = r"/?(?:b|i|em|strong|u|s|sub|sup|br)[ ]?/?>"  # tags without attributes that only change the type
TAG = re.compile(rf"<(?=[A-Za-z/!?])(?!{HARMLESS})", re.I)
TEX = re.compile(
    r"\\(?=(?:href|url|unicode|style|class|cssId|require|html\w*|data|bbox|mmlToken|action|texttip|tooltip|toggle|mathtip"
    r"|includegraphics|image|newcommand|renewcommand|newenvironment|renewenvironment|def|let|csname|input|include"
    r"|begingroup|Newextarrow|definecolor|verb|breakAlign|unicode)(?![A-Za-z]))"
)
PICTURE = re.compile(r"!(?=\[)")
LINK = re.compile(r"\](?=\((?!https://)(?!#[\w.-]*\)))")
REFERENCE = re.compile(r"\](?=:(?![ \t]*https://))")
RUN = re.compile(r"(?<![`~])[`~]{3,}+(?!text )")
# Only these languages are coloured: for many others the time that it takes grows with the square of the text
COLOURED = ("python", "python3", "py", "text", "json")
FENCE = re.compile(
    r"^(?P<before>(?:[^`~\n]|`(?!``)|~(?!~~))*+)(?P<fence>`{3,}+(?=[^`\n]*$)|~{3,}+)"
    rf"(?!\s*(?:{'|'.join(COLOURED)})(?:\s|$))(?=[^\S\n]*[^\s`~])",
    re.M,
)
# What shows Markdown takes a time that grows with the cube of lines that could be rows of a table, because each could be
# the head of a table of all lines below it, and with the cube and more of marks of emphasis in one paragraph.
MOST_ROWS, MOST_BARS, MOST_MARKS = 60, 1_200, 600
MARK = re.compile(r"[*_\[]")
WIDE_MARKS = str.maketrans("*_[", "＊＿［")
BLANKS = re.compile(r"[^\S\n]{200}[^\S\n]+")  # readers of Markdown go back over a run of blanks from each of them
SAFE_TYPES = ("text/plain", "image/png", "image/jpeg", "text/html", "image/svg+xml")


def inert_text(text: str) -> str:
    """A student's Markdown without active content in any renderer; what would be active becomes visible text."""
    text = few_marks(seen(BLANKS.sub(" " * 200, CONTROLS.sub("", text))))
    text = TEX.sub(r"\\ ", text)
    for rule in (PICTURE, LINK, REFERENCE):
        text = rule.sub(lambda found: found.group() + " ", text)
    lines = FENCE.sub(r"\g<0>text ", text).split("\n")  # a fence's first word is its language
    # some readers draw what others do not take for a fence; blanks of any alphabet may stand between
    drawn = (RUN.sub(r"\g<0>text ", line) if "mermaid" in line.casefold() else line for line in lines)
    text = "\n".join(drawn)
    return TAG.sub("< ", text)


def few_marks(text: str) -> str:
    """A text with as many marks of Markdown as people write; beyond that they are of full width, which mean nothing to it.

    Counted are lines with bars and bars in all of the text, and marks of emphasis and links in each paragraph.
    """
    rows = bars = marks = 0
    lines = text.split("\n")
    for number, line in enumerate(lines):
        rows += "|" in line
        bars += line.count("|")
        if rows > MOST_ROWS or bars > MOST_BARS:
            line = line.replace("|", "｜")
        marks = marks if line.strip(" \t") else 0
        places = [found.start() for found in MARK.finditer(line)]
        for first in places[max(0, MOST_MARKS - marks) :][:1]:
            line = line[:first] + line[first:].translate(WIDE_MARKS)
        marks += len(places)
        lines[number] = line
    return "\n".join(lines)


def inert_name(text: str, limit: int = 200) -> str:
    """A name of a person or file for any page: no markup, no control or invisible characters, one line.

    Characters of markup are replaced by similar characters of full width, so that different names stay different.
    """
    plain = CONTROLS.sub("", unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode()))
    plain = " ".join(INVISIBLE.sub("", " ".join(plain.split())).split())  # an end of a line is a blank first
    return plain.translate({ord("<"): "＜", ord(">"): "＞", ord('"'): "＂", ord("`"): "｀", ord("&"): "＆"})[:limit]


def _joined(value: Any) -> str:
    text = "".join(map(str, value)) if isinstance(value, list) else str(value or "")
    return text.encode("utf-8", "replace").decode()


def is_base64(text: str) -> bool:
    """Whether a text is base64 and nothing else, as an image must be."""
    try:
        base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def inert_data(data: Mapping[str, Any]) -> dict[str, str]:
    """The allowed representations of a display: text, pictures, HTML with harmless tags."""
    kept = {kind: _joined(data[kind]) for kind in SAFE_TYPES if kind in data}
    for kind in ("image/png", "image/jpeg"):
        if kind in kept and not is_base64(kept[kind]):
            del kept[kind]
    if "text/plain" in kept:
        kept["text/plain"] = inert_ansi(kept["text/plain"])
    drawing = kept.pop("image/svg+xml", "")
    if "text/html" in kept:
        kept["text/html"] = clean_html(kept["text/html"])
    elif drawing and "image/png" not in kept:
        kept["text/html"] = svg_picture(drawing)
    return kept


def inert_output(output: Mapping[str, Any]) -> dict[str, Any]:
    """One output of a cell without active content; of its metadata only a picture's description is kept."""
    kind = output.get("output_type")
    if kind == "stream":
        name = "stderr" if output.get("name") == "stderr" else "stdout"
        return {"output_type": kind, "name": name, "text": inert_ansi(_joined(output.get("text")))}
    if kind == "error":
        lines = output.get("traceback")
        trace = [inert_ansi(_joined(line)) for line in lines] if isinstance(lines, list) else []
        ename, evalue = (inert_ansi(_joined(output.get(key))) for key in ("ename", "evalue"))
        return {"output_type": kind, "ename": ename, "evalue": evalue, "traceback": trace}
    known = kind if kind == "execute_result" else "display_data"
    shown = {"output_type": known, "data": inert_data(_table(output, "data")), "metadata": inert_about(output)}
    number = output.get("execution_count")
    count = {"execution_count": number if type(number) is int else None}
    return shown | (count if known == "execute_result" else {})


def inert_about(output: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata of a display, reduced to a picture's description."""
    words = _table(_table(output, "metadata"), "image/png").get("alt")
    return {"image/png": {"alt": inert_name(words)}} if isinstance(words, str) else {}


def _table(of: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = of.get(key)
    return value if isinstance(value, Mapping) else {}


def is_theirs(cell: Mapping[str, Any]) -> bool:
    """Whether a cell is an answer, written by the student; all other cells come from the release."""
    return bool(_table(_table(cell, "metadata"), "nbgrader").get("solution"))


def inert_cell(cell: Any) -> None:
    """Make a written answer or a raw cell inert, in place; code is unchanged, because every page shows it as text."""
    if cell["cell_type"] == "code":
        return
    if cell["cell_type"] == "raw" or is_theirs(cell):
        cell["source"] = inert_text(_joined(cell.get("source")))
        cell.pop("attachments", None)
