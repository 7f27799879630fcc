"""The corpus of notebook 06: short documents by a small grammar, with exact probabilities, and five probes.

A document says what a person owns and wants, then has two or three sentences, each of a different sort:

    anna owns a lamp . anna wants a cup . two facts
    anna still wants the cup .            recall: must agree with the facts
    anna saw the bank by the river .      sense: a later word tells which bank, bat or crane it was
    the baker lifts boxes .               pair: the verb is fixed by subject and object together, by neither alone
    the snail goes bit by bit uphill .    phrase: one to four words, fixed by the words on both sides

Every document can be derived in one way only, so its probability is a product, and the entropy is known exactly. The mean
loss of a causal model that does not see its targets cannot be lower.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from course_utils.errors import CourseError

PAD, CLS, SEP, MASK = range(4)
SENTINELS = list(range(4, 12))
SPECIAL = list(range(12))
FIRST_WORD = len(SPECIAL)
LONGEST = 64

NAMES = ("anna", "ben", "clara", "david", "emma", "felix", "greta", "hugo")
ITEMS = ("lamp", "cup", "kite", "drum", "coat", "bell", "boat", "chair")
AMBIGUOUS = ("bank", "bat", "crane")
KINDS = ("nature", "town")
SENSES = {"nature": ("shore", "owl", "heron", *AMBIGUOUS), "town": ("shop", "racket", "digger", *AMBIGUOUS)}
CUES = {"nature": ("river", "forest", "pond"), "town": ("street", "yard", "hall")}
SUBJECTS = ("farmer", "baker", "sailor")
VERBS = ("lifts", "sells", "hides")
OBJECTS = ("boxes", "ropes", "coins")
USUAL, UNUSUAL = 5, 2  # relative frequency of a subject with its usual object, and with each of the others
PHRASES = {
    ("snail", "home"): "slowly",
    ("snail", "uphill"): "bit by bit",
    ("snail", "abroad"): "for days and days",
    ("snail", "inland"): "at leisure",
    ("hare", "home"): "in one go",
    ("hare", "uphill"): "as if it flew",
    ("hare", "abroad"): "in haste",
    ("hare", "inland"): "swiftly",
}
MORE = (2, 3)  # sentences after the two facts
SORTS = ("recall", "sense", "pair", "phrase")
TASKS = ("kind", "who")  # words for tasks given as text; like the names of the kinds, they are in no document


def _vocabulary() -> tuple[str, ...]:
    """Special names, then all words of the grammar in a fixed order."""
    special = ["[PAD]", "[CLS]", "[SEP]", "[MASK]", *(f"<{k}>" for k in range(len(SENTINELS)))]
    words = [*NAMES, "owns", "wants", "a", "still", "the", "saw", "by", "goes", ".", *ITEMS, *AMBIGUOUS]
    words += [word for kind in KINDS for word in (*SENSES[kind][:3], *CUES[kind])]
    words += [*SUBJECTS, *VERBS, *OBJECTS]
    words += [word for (who, where), text in PHRASES.items() for word in (who, where, *text.split())]
    return (*special, *dict.fromkeys([*words, *TASKS, *KINDS]))


TOKENS = _vocabulary()
VOCAB = len(TOKENS)
_IDS = {token: number for number, token in enumerate(TOKENS)}

Document = list[list[int]]
Facts = tuple[str, str, str]  # name, the item owned, the item wanted


# ------------------------------------------------------------------------------------------------------ words and ids


def encode(text: str) -> list[int]:
    """Ids of words separated by blanks. Raises CourseError that names a word which the grammar lacks."""
    try:
        return [_IDS[word] for word in text.split()]
    except KeyError as error:
        raise CourseError(f"The corpus has no word {error.args[0]!r}; TOKENS lists all {VOCAB}.") from None


def decode(ids: Sequence[int]) -> str:
    """Words and names of special ids, separated by blanks; PAD is left out."""
    return " ".join(TOKENS[i] for i in ids if i != PAD)


def flat(document: Document) -> list[int]:
    """All words of a document in a row."""
    return [word for sentence in document for word in sentence]


def as_line(document: Document) -> list[int]:
    """``[CLS] words [SEP]``: a document as models read it, at most LONGEST ids."""
    return [CLS, *flat(document), SEP]


# ------------------------------------------------------------------------------------------------------------ writing


def fact_sentences(facts: Facts) -> list[str]:
    """The two sentences that every document begins with."""
    name, owned, wanted = facts
    return [f"{name} owns a {owned} .", f"{name} wants a {wanted} ."]


def draw_facts(rng: random.Random) -> Facts:
    """A random name and two different items."""
    return (rng.choice(NAMES), *rng.sample(ITEMS, 2))  # type: ignore[return-value]


def pairs() -> list[tuple[str, str]]:
    """Subjects and objects of the pair sort, repeated by frequency: USUAL times the usual object, UNUSUAL times another."""
    both = [(who, thing) for who in SUBJECTS for thing in OBJECTS]
    return [pair for pair in both for _ in range(USUAL if _usual(*pair) else UNUSUAL)]


def _usual(subject: str, thing: str) -> bool:
    return SUBJECTS.index(subject) == OBJECTS.index(thing)


def verb(subject: str, thing: str) -> str:
    """The verb, from a Latin square: every subject and every object occur once with each verb, so neither alone fixes it."""
    return VERBS[(SUBJECTS.index(subject) + OBJECTS.index(thing)) % len(VERBS)]


def draw_sentence(sort: str, facts: Facts, rng: random.Random) -> str:
    """One sentence of a sort in SORTS, uniform over its choices."""
    name, owned, wanted = facts
    if sort == "recall":
        return rng.choice([f"{name} still owns the {owned} .", f"{name} still wants the {wanted} ."])
    if sort == "sense":
        kind = rng.choice(KINDS)
        return f"{name} saw the {rng.choice(SENSES[kind])} by the {rng.choice(CUES[kind])} ."
    if sort == "pair":
        subject, thing = rng.choice(pairs())
        return f"the {subject} {verb(subject, thing)} {thing} ."
    who, where = rng.choice(list(PHRASES))
    return f"the {who} goes {PHRASES[who, where]} {where} ."


def _draw(rng: random.Random, last: str = "") -> tuple[list[str], Facts]:
    """Sentences of one document and its facts; the last one of the given sort, if any."""
    facts = draw_facts(rng)
    sorts = rng.sample([sort for sort in SORTS if sort != last], rng.choice(MORE) - bool(last)) + [last] * bool(last)
    return fact_sentences(facts) + [draw_sentence(sort, facts, rng) for sort in sorts], facts


def corpus(seed: int | str, n: int) -> list[Document]:
    """n documents, each a list of sentences of word ids; the same for the same seed. Other seeds are held-out text."""
    rng = random.Random(f"four ways {seed}")
    return [[encode(sentence) for sentence in _draw(rng)[0]] for _ in range(n)]


# ------------------------------------------------------------------------------------------------- exact probabilities


_START = math.log(len(NAMES) * len(ITEMS) * (len(ITEMS) - 1) * len(MORE))  # facts, number of sentences


def possible(facts: Facts) -> dict[str, dict[str, float]]:
    """For each sort, the sentences that it can write after these facts, with their probabilities given the sort."""
    name, owned, wanted = facts
    found = {
        "recall": [f"{name} still owns the {owned} .", f"{name} still wants the {wanted} ."],
        "sense": [
            f"{name} saw the {word} by the {cue} ." for kind in KINDS for word in SENSES[kind] for cue in CUES[kind]
        ],
        "pair": [f"the {who} {verb(who, thing)} {thing} ." for who, thing in pairs()],
        "phrase": [f"the {who} goes {text} {where} ." for (who, where), text in PHRASES.items()],
    }
    return {sort: {text: texts.count(text) / len(texts) for text in texts} for sort, texts in found.items()}


def sentences_of(line: Sequence[int]) -> list[str]:
    """The sentences of ``[CLS] words …`` as text, without special ids and without words after the last full stop."""
    text = decode([i for i in line if i >= FIRST_WORD])
    return [f"{part.strip()} ." for part in text.split(" .")[:-1]]


def read_facts(sentences: Sequence[str]) -> Facts | None:
    """The facts that the first two sentences state, or None if they state none."""
    first, second = (text.split() for text in [*sentences[:2], ". .", ". ."][:2])
    if min(len(first), len(second)) < 2:  # a full stop alone, as a poorly trained model may write
        return None
    facts = first[0], first[-2], second[-2]
    known = facts[0] in NAMES and facts[1] in ITEMS and facts[2] in ITEMS and facts[1] != facts[2]
    return facts if known and fact_sentences(facts) == list(sentences[:2]) else None


def true_nats(line: Sequence[int]) -> float:
    """-ln of the grammar's probability of ``[CLS] words [SEP]``, in nats (natural logarithm); ``inf`` if it is 0."""
    whole = len(line) > 2 and line[0] == CLS and line[-2:] == [encode(".")[0], SEP] and min(line[1:-1]) >= FIRST_WORD
    sentences = sentences_of(line)
    facts = read_facts(sentences)
    if not whole or facts is None or len(sentences) - 2 not in MORE:
        return math.inf
    nats, left = _START, possible(facts)
    for text in sentences[2:]:
        sort = next((sort for sort, texts in left.items() if text in texts), None)
        if sort is None:  # not of the grammar, or a second one of its sort
            return math.inf
        nats += math.log(len(left)) - math.log(left.pop(sort)[text])
    return nats


def valid(line: Sequence[int]) -> bool:
    """Whether the grammar can write ``[CLS] words [SEP]``; recall sentences must agree with the facts."""
    return math.isfinite(true_nats(line))


def entropy_per_token() -> float:
    """The grammar's entropy in nats divided by its mean number of predicted tokens (words and SEP); exact.

    The mean loss of a causal model that does not see its targets cannot be lower (cross-entropy >= entropy).
    """
    known = possible((NAMES[0], ITEMS[0], ITEMS[1]))
    content = -sum(p * math.log(p) for texts in known.values() for p in texts.values()) / len(SORTS)
    length = sum(p * len(text.split()) for texts in known.values() for text, p in texts.items()) / len(SORTS)
    more, n = sum(MORE) / len(MORE), len(SORTS)
    order = sum(math.log(n - k) for count in MORE for k in range(count)) / len(MORE)  # sorts without repetition
    return (_START + order + more * content) / (2 * 5 + more * length + 1)  # two facts of 5 words, and SEP


# ------------------------------------------------------------------------------------------------------------- probes


@dataclass(frozen=True)
class Gap:
    """A document with words missing in one place.

    Attributes:
        left, right: ids before and after the gap, CLS and SEP included.
        answer: the missing ids, at least one.
    """

    left: list[int]
    right: list[int]
    answer: list[int]


@dataclass(frozen=True)
class Tag:
    """A line ``[CLS] words [SEP]``, the index ``place`` of the word to be tagged, and its label: 0 nature, 1 town."""

    line: list[int]
    place: int
    label: int


def _cut(sentences: Sequence[str], start: int, length: int) -> Gap:
    """Take ``length`` words out of the last sentence, from its word ``start`` on."""
    before = [CLS, *encode(" ".join(sentences[:-1]))]
    last = encode(sentences[-1])
    return Gap([*before, *last[:start]], [*last[start + length :], SEP], last[start : start + length])


def blanks(seed: int | str, n: int) -> list[Gap]:
    """n documents whose last sentence lacks its verb, which subject and object fix together."""
    rng = random.Random(f"blanks {seed}")
    return [_cut(_draw(rng, "pair")[0], 2, 1) for _ in range(n)]


def gaps(seed: int | str, n: int) -> list[Gap]:
    """n documents whose last sentence lacks its phrase of one to four words; both sides together fix it."""
    rng = random.Random(f"gaps {seed}")
    found = []
    for _ in range(n):
        sentences, _ = _draw(rng, "phrase")
        found.append(_cut(sentences, 3, len(sentences[-1].split()) - 5))
    return found


def tags(seed: int | str, n: int, words: Sequence[str] = AMBIGUOUS) -> list[Tag]:
    """n documents whose last sentence has one of these words (default: the ambiguous ones), with a cue three words later."""
    rng = random.Random(f"tags {seed}")
    found: list[Tag] = []
    while len(found) < n:
        sentences, _ = _draw(rng, "sense")
        last = sentences[-1].split()
        if last[3] in words:
            before = len(" ".join(sentences[:-1]).split())
            label = int(last[6] in CUES["town"])
            found.append(Tag([CLS, *encode(" ".join(sentences)), SEP], 1 + before + 3, label))
    return found


def prompts(seed: int | str, n: int) -> list[list[int]]:
    """n beginnings of documents: CLS and two facts."""
    rng = random.Random(f"prompts {seed}")
    return [[CLS, *encode(" ".join(fact_sentences(draw_facts(rng))))] for _ in range(n)]


def senses(seed: int | str, n: int) -> list[list[int]]:
    """n sentences of the sense sort, as in ``anna saw the bank by the river .``"""
    rng = random.Random(f"senses {seed}")
    return [encode(draw_sentence("sense", draw_facts(rng), rng)) for _ in range(n)]


def answer_of(task: str, sentence: Sequence[int]) -> str:
    """The answer to a task of TASKS for a sentence of the sense sort: its kind (nature or town), or who saw something.

    Raises CourseError for another task.
    """
    words = decode(sentence).split()
    if task not in TASKS:
        raise CourseError(f"{task!r} is no task; there are {' and '.join(TASKS)}.")
    return words[0] if task == "who" else KINDS[words[6] in CUES["town"]]


def classes(seed: int | str, n: int) -> tuple[list[list[int]], list[int]]:
    """n lines ``[CLS] sentence [SEP]`` of the sense sort, and their kinds: 0 nature, 1 town."""
    found = senses(f"classes {seed}", n)
    return [[CLS, *s, SEP] for s in found], [KINDS.index(answer_of("kind", s)) for s in found]
