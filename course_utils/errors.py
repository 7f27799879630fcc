"""Errors meant for people: one sentence that names the thing and the remedy."""


class CourseError(Exception):
    """Bad input (missing file, wrong shape, truncated archive …). Command lines print it as one line and exit with 2.

    Such sentences contain names of files, which people choose: control characters are shown as question marks.
    """

    def __init__(self, *words: object) -> None:
        super().__init__(*(visible(word) if isinstance(word, str) else word for word in words))


class MachineError(CourseError):
    """What the machine could not do, so that no work is to blame: it is tried again, or mended and tried again."""


def visible(text: str) -> str:
    """The text without characters that move a cursor, colour a terminal or reverse a line; line ends and tabs stay."""
    return "".join(char if char.isprintable() or char in "\n\t" else "?" for char in text)
