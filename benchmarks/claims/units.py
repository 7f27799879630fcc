"""The sentences and figures of the notebooks' sources, and which of them must be entered in the table of claims."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from autograder.source.percent import Cell, Source, python, read_source, source_paths
from course_utils.lessons.figures import FIGURES

_WORD = "(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred|\\d[\\d,]*)"
NUMBERED = re.compile(
    r"\d[\d,.]*\s?(?:\\?%|percent|points? |times\b|-fold|(?:CPU |GPU )?(?:seconds?|minutes?|hours?|ms|s)\b|nats?\b|seeds?\b"
    r"|runs?\b|trainings?\b|draws?\b|worlds?\b|corpora\b|people\b)|\d\.\d"
    rf"|\b{_WORD} (?:thirds|quarters|fifths|sixths|eighths|tenths)\b|\bnine (?:dots )?in ten\b|\bfactors? of \d"
    r"|\b(?:an?|one) (?:third|quarter|fifth|sixth|seventh|eighth|ninth|tenth|hundredth|thousandth)\b"
    rf"|\b{_WORD} (?:of|in|out of) {_WORD}\b|\babout \d|\bjust as (?:well|good|many|much|fast)\b"
    r"|\b(?:twice|half) (?:as|of)\b|\btimes as\b",
    re.IGNORECASE,
)
RESULT = re.compile(
    r"\b(?:better|worse|best|worst|higher|highest|lower|lowest|faster|fastest|slower|slowest|steadier|surer|cheaper"
    r"|weaker|stronger|harder|easier|learn(?:s|ed|t)|fails?|failed|helps?|helped|hurts?|beats?|outperforms?"
    r"|improv(?:es|ed)|gain(?:s|ed)|los(?:es|t)|reach(?:es|ed)?|ends? (?:at|near|with)|ended|falls?|fell|rises?|rose"
    r"|grows?|grew|shrinks?|vanish(?:es|ed)?|explodes?|overflows?|always|never|hardly|barely|mostly|usually|often"
    r"|rarely|seldom|nearly|almost|in practice|measured|found|showed|shows|turned out|survives?|suffers?|worked|works"
    r"|decides?|matters?|causes?|because of|thanks to|useless|useful|enough|impossible|most)\b",
    re.IGNORECASE,
)
ITEM = re.compile(r"\s*(?:[-*] |\d+\. |<li>|\|)")
SENTENCE = re.compile(r"(?<=[.!?])[*\"”')]*\s+(?=[A-Z*(\[\"“$`_])")
HINT = re.compile(r"<summary>\s*(?:<b>)?Hint", re.IGNORECASE)


@dataclass(frozen=True)
class Unit:
    """A paragraph, list item, table row, hint or figure's description, with white space as single spaces.

    Attributes:
        kind: "text", "hint", "figure" or "printed" (what a cell prints, and its comments).
        line: where its cell begins in the source.
    """

    notebook: str
    cell: str
    line: int
    kind: str
    text: str

    @cached_property
    def sentences(self) -> list[str]:
        """Its sentences; a figure's description is one."""
        return [self.text] if self.kind == "figure" else [part for part in SENTENCE.split(self.text) if part]

    def to_enter(self) -> list[str]:
        """The sentences that look like a result, and every figure: each must be in the table."""
        if self.kind == "figure":
            return [self.text]
        seen = (NUMBERED, RESULT) if self.kind == "text" else (NUMBERED,)
        return [one for one in self.sentences if any(pattern.search(bare(one)) for pattern in seen)]


def bare(sentence: str) -> str:
    """A sentence without formulas, code, links and HTML tags."""
    return re.sub(r"\$[^$]*\$|`[^`]*`|\]\([^)]*\)|</?[a-zA-Z][^<>]*>", " ", sentence)


def plain(text: str) -> str:
    """The text with every run of white space as one space."""
    return " ".join(text.split())


def units_of(source: Source) -> list[Unit]:
    """All units of one source, in order."""
    return [Unit(source.name, cell.id, cell.line, kind, text) for cell in source.cells for kind, text in _parts(cell)]


def read_units(folder: Path) -> dict[str, list[Unit]]:
    """The units of every notebook source in a folder."""
    return {path.stem: units_of(read_source(path)) for path in source_paths(folder)}


def _parts(cell: Cell) -> Iterator[tuple[str, str]]:
    if not cell.is_code:
        yield from _paragraphs(cell.text)
    elif cell.role == "code":
        yield from (("figure", plain(text)) for text in _descriptions(cell.text))
        yield from (("printed", plain(text)) for text in [*_printed(cell.text), *_comments(cell.text)])


def _paragraphs(text: str) -> Iterator[tuple[str, str]]:
    """Paragraphs and items of a Markdown text; display formulas, comments, headings and fenced code are left out."""
    kept = re.sub(r"<!--.*?-->|\$\$.*?\$\$|^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    hint = False
    for block in re.split(
        r"\n\s*\n", kept.replace("</summary>", "</summary>\n\n").replace("<details>", "\n\n<details>")
    ):
        hint = bool(HINT.search(block)) or (hint and "<details>" not in block)
        for part in _items(block):
            words = plain(re.sub(r"</?details>|<summary>.*?</summary>", " ", part))
            if words and not words.startswith("#"):
                yield ("hint" if hint else "text"), words
        hint = hint and "</details>" not in block


def _items(block: str) -> list[str]:
    parts: list[str] = []
    for line in block.split("\n"):
        if not parts or ITEM.match(line) or line.startswith("#") or parts[-1].startswith("#"):
            parts.append(line)
        else:
            parts[-1] += "\n" + line
    return parts


def _descriptions(code: str) -> list[str]:
    """The alt texts of the figures that a cell shows; a formatted value is written as {…}."""
    tree = python(code)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree else []
    return [_string(word.value) for call in calls for word in call.keywords if word.arg == "alt"]


def _printed(code: str) -> list[str]:
    """The texts that a cell prints; a formatted value is written as {…}."""
    tree = python(code)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree else []
    return [
        _string(text) for call in calls if ast.unparse(call.func) == "print" for text in call.args if _is_text(text)
    ]


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr | ast.BinOp) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _comments(code: str) -> list[str]:
    """The comments of a cell, without their signs."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):  # a cell with a line magic
        return []
    return [token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT]


def _string(node: ast.expr) -> str:
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "alt_text" and isinstance(node.args[0], ast.Constant):
        return re.sub(r"\{\w+[^}]*\}", "{…}", FIGURES.get(str(node.args[0].value), ""))
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{…}" for part in node.values)
    if isinstance(node, ast.BinOp):
        return _string(node.left) + _string(node.right)
    return "{…}"
