"""Names of people and files: which may serve as an id, how they are shown, and when two of them look alike."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from course_utils.errors import CourseError

# Letters of other alphabets that are drawn like a Latin one. Names in one alphabet are fine; that two ids look alike is not.
_DRAWN_ALIKE = str.maketrans(
    "авеіјкмнорсѕтухһԁԛԝԍɡαεικνορτυχϲγ" + "ıɩℓ0",
    "abeijkmhopcstyxhdqwggaeikvoptuxcy" + "iilo",
)
ID_BYTES = 160
MOST_BYTES = 240  # of an id that a platform made of name and number; files get endings of their own
# Letters and marks that nothing is drawn for (Unicode: Default_Ignorable_Code_Point), though Python calls them printable
_UNSEEN = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
# Thai and Lao letters that everybody writes, though Unicode calls them other forms of two letters
_ORDINARY = str.maketrans("", "", "\u0e33\u0eb3\u0edc\u0edd")
_POINTED = (
    "ARABIC",
    "HEBREW",
    "SYRIAC",
)  # scripts whose vowel points are mostly left out: with and without is one name
_DOTTED = "\u0307"  # what is left of a Turkish capital i after casefold
ALPHABETS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE")


def is_mark(char: str) -> bool:
    """Whether a character is a sign on a letter, such as the vowels of Devanagari, Tamil or Thai: a part of the name."""
    return unicodedata.category(char) in ("Mn", "Mc") and not _UNSEEN.match(char)


def bare(name: str) -> str:
    """A name's letters, digits and the signs on them in the form of :func:`exact`, without blanks and punctuation.

    Vowel points that Arabic, Hebrew and Syriac leave out as they like are left out.
    """
    return "".join(
        char
        for char in exact(name).replace("i" + _DOTTED, "i")
        if char.isalnum() or (is_mark(char) and not unicodedata.name(char, "").startswith(_POINTED))
    )


def student_id(name: str, most: int = ID_BYTES) -> str:
    """A name as an id that is safe in paths, URLs and nbgrader: ``Müller, Jr`` becomes ``Müller_Jr``.

    Signs stay with their letters, since ids without them would be other people's (the vowels of राम and रीम).

    Args:
        name: of a person, file or folder.
        most: bytes of UTF-8 that the id may have; file systems allow 255 for a name, its endings included.
    """
    text = _UNSEEN.sub("_", unicodedata.normalize("NFC", name).strip())
    text = re.sub("\0+", "_", _fit_for_ids(text)).strip("._")[:80]
    text = text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")
    return text or "student_" + hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]


def is_id(text: str) -> bool:
    """Whether a text has the form of an id, as :func:`student_id` and the platforms' rules make them.

    It is a name of one file or folder: neither empty nor ``.`` or ``..``, without separators, and no hidden file.
    """
    plain = unicodedata.normalize("NFC", text) == text and not _UNSEEN.search(text)
    return plain and text[:1] not in ("", ".", "_") and _fit_for_ids(text) == text and _fits_names(text)


def _fits_names(text: str) -> bool:
    return "\0" not in text and len(text.encode("utf-8", "replace")) <= MOST_BYTES


def require_id(text: str) -> str:
    """The text, if it has the form of an id. Raises CourseError: names of files are made of ids, so no other text is one."""
    if not is_id(text):
        raise CourseError(
            f"{shown(text)!r} is no id of a student; ids hold letters, digits and . _ @ + - only; give it as the report has it"
        )
    return text


def _fit_for_ids(text: str) -> str:
    """The text with NUL for each character that no id has; a sign without a letter below it is one of them."""
    found: list[str] = []
    for char in text:
        carried = bool(found) and (found[-1].isalnum() or is_mark(found[-1]))
        found.append(char if re.match(r"[\w.@+-]", char) or (carried and is_mark(char)) else "\0")
    return "".join(found)


def shown(name: str) -> str:
    """A name for messages and pages: at most 80 characters, none of which moves the cursor or turns the line round."""
    return "".join(char if char.isprintable() else "?" for char in _UNSEEN.sub("?", name))[:80]


def first_last(name: str) -> tuple[str, str]:
    """First and family name. Behind a comma stands the first name, else the last word is the family name."""
    last, comma, first = (part.strip() for part in name.partition(","))
    if comma and first:
        return first, last
    first, _, last = name.rpartition(" ")
    return first, last


def exact(name: str) -> str:
    """One form for names that are the same text: composed letters, no difference of capital and small ones."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def look(name: str) -> str:
    """One form for ids that people would take for the same: case, compatible forms and letters that are drawn alike."""
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return text.replace(_DOTTED, "").translate(_DRAWN_ALIKE)


def unfit(name: str) -> str:
    """Why a name that people chose cannot be an id, as the end of a sentence; an empty string if it can."""
    if any(not char.isprintable() for char in name) or _UNSEEN.search(name):
        return "its name holds characters that cannot be seen"
    if name != name.strip(" .") or not name:
        return "its name begins or ends with a blank or a dot"
    if "/" in name or "\\" in name or ".." in name:
        return "its name reads like a path"
    plain = name.translate(_ORDINARY)
    if unicodedata.normalize("NFKC", plain) != unicodedata.normalize("NFC", plain):
        return "its name holds letters that only look like ordinary ones"
    if len(_alphabets(name)) > 1:
        return "its name mixes letters of several alphabets"
    return ""


def _alphabets(name: str) -> set[str]:
    words = {unicodedata.name(char, "").split(" ")[0] for char in name if char.isalpha()}
    return words & set(ALPHABETS)
