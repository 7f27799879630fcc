"""The words that name a person, looked for in texts: those that are this person's wherever they stand, and common ones."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property
from urllib.parse import unquote

from autograder.grading.person import Person

LETTER = r"[^\W_]"
BETWEEN = r"(?:[\W_]|20){0,4}"  # the words of a name; %20 stands in addresses of pages
ENDINGS = r"(?:html|json|ipynb|zip|csv|tsv|txt|md|pdf|py|next|aside|now)\b"  # of names of files
ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
CONTROL = re.compile(r"\\[nrtbf/\"]")  # in JSON a line ends in a backslash and a letter
SHORT = 3  # letters of an id that may stand in any sentence


def folded(text: str) -> str:
    """One form for texts that differ in capitals, or in how letters are composed."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def unescaped(text: str) -> str:
    """A text in which letters stand that JSON, HTML and addresses of pages write otherwise, in the form of :func:`folded`."""
    if "\\" in text:
        text = CONTROL.sub(" ", ESCAPED.sub(lambda found: chr(int(found[1], 16)), text))
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if "&" in text:
        text = html.unescape(text)
    if "%" in text:
        text = f"{text}\n{unquote(text, errors='replace')}"
    return folded(text)


def distinctive(word: str) -> bool:
    """Whether an id or number names one person wherever it stands. Short ones, and plain words or numbers, may be anything."""
    parts = [part for part in re.split(r"[\W_]+", word) if part]
    letters, digits = any(map(str.isalpha, word)), sum(map(str.isdigit, word))
    joined = len(parts) > 1 and letters and len(word) >= 8
    return "@" in word or joined or digits >= 6 or (letters and digits > 0 and len(word) >= 5)


def _id(word: str) -> str:
    """An id that is no part of a longer one."""
    return rf"(?<![\w@+-])(?<!\w\.){re.escape(folded(word))}(?![\w@+-]|\.(?!{ENDINGS})\w)"


def _mail(word: str) -> str:
    return rf"(?<![\w.+-]){re.escape(folded(word))}(?![\w-]|\.\w)"


def _name(name: str) -> str:
    """A name in each order of its words, with blanks, commas, ``_`` or nothing between them."""
    words = [re.findall(rf"{LETTER}+", folded(word)) for word in name.replace(",", " ").replace("_", " ").split()]
    spelt = [r"[\W_]{0,3}".join(map(re.escape, parts)) for parts in words if parts]
    orders = dict.fromkeys(BETWEEN.join(spelt[at:] + spelt[:at]) for at in range(len(spelt)))
    return rf"(?<!{LETTER})(?:{'|'.join(orders)})(?!{LETTER})"


class Rules:
    """Patterns, each with a text that stands in whatever it fits: to look for that first is many times faster."""

    def __init__(self, patterns: Iterable[tuple[str, str]]) -> None:
        self.patterns = [(part, re.compile(pattern)) for part, pattern in sorted(set(patterns))]

    def search(self, plain: str) -> bool:
        """Whether one of them fits in a text of :func:`unescaped`."""
        return any(part in plain and bool(pattern.search(plain)) for part, pattern in self.patterns)


def _longest(name: str) -> str:
    return max(re.findall(rf"{LETTER}+", folded(name)), key=len, default="")


class Words:
    """What names a person in texts."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.whole = [name for name in person.names if len(re.findall(rf"{LETTER}+", name)) > 1]
        self.single = sorted(set(person.names) - set(self.whole))
        self.plain = sorted({*person.ids, *(number for _, number in person.numbers)})

    @cached_property
    def own(self) -> Rules:
        """Words that are this person's wherever they stand, for a text of :func:`unescaped`."""
        ids = [(folded(one), _id(one)) for one in self.plain if distinctive(one)]
        mails = [(folded(one), _mail(one)) for one in self.person.mails]
        return Rules([*ids, *mails, *((_longest(one), _name(one)) for one in self.whole)])

    @cached_property
    def common(self) -> Rules:
        """Ids and names that may be a word of anybody's text."""
        ids = [(folded(one), _id(one)) for one in self.plain if not distinctive(one)]
        return Rules([*ids, *((_longest(one), _name(one)) for one in self.single)])

    @property
    def common_words(self) -> list[str]:
        """Those that :attr:`common` looks for."""
        return sorted({*(one for one in self.plain if not distinctive(one)), *self.single})

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
        parts = {part for name in self.person.names for part in re.findall(rf"{LETTER}+", name)}
        long = [word for word in (*self.person.ids, *parts) if len(word) >= SHORT]
        rules = [(word, _id(word)) for word in self.person.ids if word in long]
        rules += [(mail, _mail(mail)) for mail in self.person.mails]
        rules += [(name, _name(name)) for name in (*self.person.names, *parts) if len(name) >= SHORT]
        return next((word for word, rule in rules if re.search(rule, plain)), "")
