"""The words that name a person, looked for in texts: those that are this person's wherever they stand, and common ones."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cached_property
from urllib.parse import unquote

from autograder.grading.person import Person, joined
from autograder.intake.names import bare

ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
CONTROL = ("\\n", "\\r", "\\t", "\\b", "\\f", '\\"', "\\/")  # in JSON a line ends in a backslash and a letter
PERCENT = re.compile(r"%[0-9a-fA-F]{2}(?:%[0-9a-fA-F]{2})*")  # in addresses of pages; a sign first is found faster
SHORT = 3  # letters of an id that may stand in any sentence
AROUND = 500  # characters beside a part of a name in which the rest of it must stand; names and ids are shorter
NUMBERED = ("canvas", "moodle")  # platforms that write a person's number behind the name
LONG = 6  # letters of a name that are looked for inside other words, too
MARKED = 0x0300, 0x1E95B  # where signs on letters stand in Unicode
WITHOUT_BLANKS = (
    "CJK",
    "HIRAGANA",
    "KATAKANA",
    "HANGUL",
    "THAI",
    "LAO",
    "KHMER",
    "MYANMAR",
    "TIBETAN",
)  # or with endings


def _marks() -> str:
    """Signs on letters, for a class of characters: ``\\w`` has none of the vowels of Devanagari or Thai."""
    codes = [code for code in range(*MARKED) if unicodedata.category(chr(code)) in ("Mn", "Mc")]
    first = [code for code, before in zip(codes, [0, *codes], strict=False) if code != before + 1]
    last = [code for code, after in zip(codes, [*codes[1:], 0], strict=True) if code + 1 != after]
    return "".join(f"{chr(one)}-{chr(end)}" for one, end in zip(first, last, strict=True))


MARKS = _marks()
LETTER = rf"(?:[^\W_]|[{MARKS}])"  # digits, too
BETWEEN = rf"(?:[^\w{MARKS}]|_){{0,4}}"  # the words of a name
START, END = rf"(?<![^\W\d_])(?<![{MARKS}])", rf"(?![^\W\d_]|[{MARKS}])"  # beside a name there is no letter


def folded(text: str) -> str:
    """One form for texts that differ in capitals, or in how letters are composed."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def unescaped(text: str) -> str:
    """A text in which letters stand that JSON, HTML and addresses of pages write otherwise, in the form of :func:`folded`."""
    if "\\" in text:
        for sign in CONTROL:
            text = text.replace(sign, " ")
        if "\\u" in text:
            text = ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if "&" in text:
        text = html.unescape(text)
    if "%" in text:
        text = PERCENT.sub(lambda found: unquote(found[0], errors="replace"), text)
    return folded(text)


def distinctive(word: str) -> bool:
    """Whether an id or number names one person wherever it stands. Short ones, and plain words or numbers, may be anything."""
    parts = [part for part in re.split(r"[\W_]+", word) if part]
    letters, digits = any(map(str.isalpha, word)), sum(map(str.isdigit, word))
    joined = len(parts) > 1 and letters and len(word) >= 8
    return "@" in word or joined or digits >= 6 or (letters and digits > 0 and len(word) >= 5)


def _id(word: str) -> str:
    """An id that is no part of a longer word or address; ``-``, ``_`` and dots may stand beside it."""
    return rf"(?<![^\W_])(?<![@+]){re.escape(folded(word))}(?![^\W_]|[@+])"


def _mail(word: str) -> str:
    return rf"(?<![\w.+-]){re.escape(folded(word))}(?![\w-]|\.\w)"


def _spelt(name: str) -> list[str]:
    """A name in each order of its words, with blanks, commas, ``_`` or nothing between them."""
    words = [re.findall(f"{LETTER}+", folded(word)) for word in name.replace(",", " ").replace("_", " ").split()]
    spelt = [r"[\W_]{0,3}?".join(map(re.escape, parts)) for parts in words if parts]
    return [BETWEEN.join(spelt[at:] + spelt[:at]) for at in range(len(spelt))]


def _name(name: str) -> str:
    return f"{START}(?:{'|'.join(_spelt(name))}){END}"


def _inside(name: str) -> str:
    return "|".join(_spelt(name))


def _parts(name: str) -> tuple[str, ...]:
    """The words of a name, each of which stands in a text that has the name."""
    return tuple(re.findall(f"{LETTER}+", folded(name)))


def _run_together(name: str) -> bool:
    """Whether a name is in a script in which words follow each other, or get endings, without a blank."""
    letters = bare(name)
    return len(letters) > 1 and unicodedata.name(letters[0], "").startswith(WITHOUT_BLANKS)


def whole(name: str) -> bool:
    """Whether a name has several words, or as many letters of a script without blanks: it is no word of any text."""
    return len(joined(name)) > 0 or (_run_together(name) and len(bare(name)) > 2)


class Rules:
    """Patterns, each of which is tried only around texts that stand in whatever it fits.

    Args:
        mine: such texts and their patterns.
        theirs: patterns of longer words of others. Where one of them fits, it is not the person who is named.
    """

    def __init__(self, mine: Iterable[tuple[tuple[str, ...], str]], theirs: Iterable[str] = ()) -> None:
        first = "".join(f"{one}|" for one in sorted(theirs, key=len, reverse=True))
        self.patterns = [(parts, re.compile(f"{first}(?P<mine>{one})")) for parts, one in sorted({*mine}) if parts]

    def near(self, plain: str) -> bool:
        """Whether the texts of one of them stand in a text of :func:`unescaped`."""
        return any(all(part in plain for part in parts) for parts, _ in self.patterns)

    def search(self, plain: str) -> bool:
        """Whether one of them fits in a text of :func:`unescaped`."""
        for parts, pattern in self.patterns:
            if all(part in plain for part in parts):
                for start, end in _windows(plain, max(parts, key=len), AROUND):
                    if any(found["mine"] is not None for found in pattern.finditer(plain, start, end)):
                        return True
        return False


def _windows(plain: str, part: str, around: int) -> Iterator[tuple[int, int]]:
    """Where a part stands in a text, with what is around it; those that meet are one."""
    at = plain.find(part)
    while at >= 0:
        start, end = max(0, at - around), at + len(part) + around
        while 0 <= (at := plain.find(part, at + len(part))) <= end:
            end = at + len(part) + around
        yield start, end


class Words:
    """What names a person in texts."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.whole = [name for name in person.names if whole(name)]
        self.single = sorted(set(person.names) - set(self.whole))
        numbers = {number for _, number, _ in person.numbers}
        theirs = {number for _, number, _ in person.others.numbers}
        self.plain = sorted({*person.ids, *numbers})
        self.sure = {one for one in self.plain if distinctive(one) and (one in person.ids or one not in theirs)}
        self.shared = (
            sorted(one for one in person.shared if "@" in one),
            sorted(one for one in person.shared if "@" not in one),
        )

    @cached_property
    def _longer(self) -> list[str]:
        """Ids, addresses and names of others in which a word of the person stands."""
        small = [folded(one) for one in self.plain]
        ids = [one for one in self.person.others.ids if any(part in folded(one) for part in small)]
        mails = [one for one in self.person.others.mails if any(part in folded(one) for part in small)]
        mine = {form for name in self.person.names for form in joined(name) or {bare(name)}}
        names = [one for one in self.person.others.names if any(form in bare(one) for form in mine)]
        return [*map(_id, ids), *map(_mail, mails), *map(_name, names)]

    @cached_property
    def _namesakes(self) -> list[str]:
        """The person's names as platforms write them, with a number that is another one."""
        mine = sorted(re.escape(number) for kind, number, _ in self.person.numbers if kind in NUMBERED)
        other = rf"_(?:late_)?(?!(?:{'|'.join(mine)})_)[1-9][0-9]*_"
        return [f"{START}(?:{_inside(name)}){other}" for name in self.whole] if mine else []

    @cached_property
    def own(self) -> Rules:
        """Words that are this person's wherever they stand, for a text of :func:`unescaped`."""
        ids = [((folded(one),), _id(one)) for one in self.sure]
        mails = [((folded(one),), _mail(one)) for one in self.person.mails]
        return Rules(
            [*ids, *mails, *((_parts(one), _name(one)) for one in self.whole)], [*self._longer, *self._namesakes]
        )

    @cached_property
    def common(self) -> Rules:
        """Ids and names that may be a word of anybody's text or somebody else's, too, and names inside of longer words."""
        ids = [((folded(one),), _id(one)) for one in self.plain if one not in self.sure]
        mails, names = self.shared
        inside = [one for one in self.whole if len(bare(one)) >= LONG]
        inside += [one for one in (*self.person.names, *names) if _run_together(one)]
        return Rules(
            [
                *ids,
                *(((folded(one),), _mail(one)) for one in mails),
                *((_parts(one), _name(one)) for one in (*self.single, *names, *self.whole)),
                *((_parts(one), _inside(one)) for one in inside),
            ],
            self._longer,
        )

    @property
    def common_words(self) -> list[str]:
        """Those that :attr:`common` looks for, but for parts of words."""
        return sorted({*(one for one in self.plain if one not in self.sure), *self.single, *self.person.shared})

    def near(self, plain: str) -> bool:
        """Whether a text of :func:`unescaped` may name the person at all; a table has the words of a name in several cells."""
        return self.own.near(plain) or self.common.near(plain)

    def own_in(self, text: str) -> bool:
        """Whether such a word stands in a text."""
        return self.own.search(unescaped(text))

    def anywhere(self, text: str) -> bool:
        """Whether any word stands in a text, also a common one."""
        plain = unescaped(text)
        return self.own.search(plain) or self.common.search(plain)

    def told_in(self, text: str) -> str:
        """The id, address, name or part of a name that a sentence holds; an empty string if none."""
        plain = unescaped(text)
        names = {one for one in (*self.person.names, *self.person.shared) if "@" not in one}
        parts = {part for name in names for part in re.findall(f"{LETTER}+", name)}
        rules = [(word, _id(word)) for word in self.person.ids if len(word) >= SHORT]
        rules += [(mail, _mail(mail)) for mail in (*self.person.mails, *self.shared[0])]
        rules += [(name, _name(name)) for name in (*names, *parts) if len(name) >= SHORT or _run_together(name)]
        return next((word for word, rule in rules if re.search(rule, plain)), "")
