"""Colours in the text of an output: what a terminal would obey is removed, except colours that nbconvert can read."""

from __future__ import annotations

import re

MAX_PARAMETERS = 16
# nbconvert copies the rest of the text at each sequence, so what it takes grows with their number times the length
MAX_COLOURS = 2_000
# A sequence with parameters; a text for the terminal, up to the end of its line; one with a single character; a lone one.
# What each of them takes is never read again, so that the time grows with the length only.
SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)(?P<body>[0-?]*+[ -/]*+[@-~]?)"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*+(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*+[0-~]?"
)
COLOUR = re.compile(r"(?:[0-9]{0,3};)*+[0-9]{0,3}m")
EXTENDED = {5: 1, 2: 3}  # the numbers that follow 38;5 and 38;2
# Turn the order of letters; end a line for some readers only; take no room, and no script or emoji needs them.
DECEIVING = (
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    r"\u2028\u2029\u115f\u1160\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\U000e0000-\U000e0fff"
)
DECEIVES = re.compile(f"[{DECEIVING}]")


def seen(text: str) -> str:
    """The text with the names of characters that would turn others or are not drawn: what is read is what stands there."""
    return DECEIVES.sub(lambda found: f"[U+{ord(found.group()):04X}]", text)


def inert_ansi(text: str, colours: int = MAX_COLOURS) -> str:
    """A text without escape sequences, except the first ``colours`` that set a colour in a form that nbconvert can read.

    A text that has passed is not changed again.
    """
    left = colours

    def kept(found: re.Match[str]) -> str:
        nonlocal left
        if left <= 0 or not found.group().startswith("\x1b[") or not is_colour(found["body"]):
            return ""
        left -= 1
        return found.group()

    return seen(SEQUENCE.sub(kept, text))


def is_colour(body: str) -> bool:
    """Whether what follows ``ESC [`` sets colours or weight, with every extended colour complete."""
    if len(body) > 4 * MAX_PARAMETERS or not COLOUR.fullmatch(body):
        return False
    numbers = [int(number or 0) for number in body[:-1].split(";")]
    if len(numbers) > MAX_PARAMETERS or max(numbers) > 255:
        return False
    rest = iter(numbers)
    for number in rest:
        if number in (38, 48):
            parts = EXTENDED.get(next(rest, -1))
            if parts is None or any(next(rest, None) is None for _ in range(parts)):
                return False
    return True
