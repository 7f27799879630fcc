"""Colours in the text of an output: what a terminal would obey is removed, except colours in which a text can be read."""

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
# Weight, the 16 colours of letters, and back to the page's own. A background, an exchange of the two and any other colour
# could be the colour of the letters or of the page: then what stands there is not seen.
READABLE = frozenset({0, 1, 3, 4, *range(22, 25), *range(30, 38), 39, 49, *range(90, 98)})
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]")
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
    """A text without escape sequences, except the first ``colours`` that set a readable colour as nbconvert can take it.

    Of a line that was written over, as progress bars do, the last state is kept, and no other control characters. A text
    that has passed is not changed again.
    """
    left = colours

    def kept(found: re.Match[str]) -> str:
        nonlocal left
        sequence = readable(found["body"]) if left > 0 and found.group().startswith("\x1b[") else ""
        left -= bool(sequence)
        return sequence

    plain = CONTROLS.sub("", SEQUENCE.sub(kept, text))
    return seen("\n".join(map(last_state, plain.split("\n"))))


def last_state(line: str) -> str:
    """What a line says after its last return, at which a terminal goes back and writes over it; returns at its end stay."""
    body = line.rstrip("\r")
    return body.rpartition("\r")[2] + line[len(body) :]


def readable(body: str) -> str:
    """The sequence of what follows ``ESC [``, with the numbers that leave every text readable; empty where there is none."""
    if len(body) > 4 * MAX_PARAMETERS or not COLOUR.fullmatch(body):
        return ""
    numbers = [int(number or 0) for number in body[:-1].split(";")]
    if len(numbers) > MAX_PARAMETERS or max(numbers) > 255:
        return ""
    rest, kept = iter(numbers), []
    for number in rest:
        if number in (38, 48):
            for _ in range(EXTENDED.get(next(rest, -1), 0)):
                next(rest, None)
        elif number in READABLE:
            kept.append(number)
    if kept == numbers:
        return f"\x1b[{body}"
    return f"\x1b[{';'.join(map(str, kept))}m" if kept else ""
