"""What a test of counts counted, in words: ``counts`` gives features their codes, and here they are read.

A layer's name may end with the names of its numbers from 0 on: ``"word (not chosen | MASK | as it was | another word)"``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

SINGLE = "one by one"  # the feature of single numbers
RADIX = 1_000_000  # of the code of a pair: above all numbers, so that a rare one in one sample moves no other code
TOTALS = 10_000  # of the code of a total and of how many numbers there are: above all totals


def layer_of(feature: str) -> str:
    """The layer that a feature was made of."""
    return feature.partition(",")[0]


def told(feature: str, test: str) -> str:
    """What a test of a feature counts, such as ``word = MASK at place 3``; the feature where its code has no words."""
    layer, _, kind = feature.partition(", ")
    name, _, given = layer.partition(" (")
    names, code = given.rstrip(")").split(" | ") if given else [], int(test.strip("<=+-"))

    def value(number: int) -> str:
        return names[number] if 0 <= number < len(names) else str(number)

    if kind == SINGLE:
        named = " or ".join(map(value, range(code + 1))) if names else f"at most {code}"
        return f"{name} = {value(code)}" if test.startswith("=") else f"{name} = {named}"
    found = _of_one(name, kind, code, value) if test.startswith("=") else None
    return found or f"{layer}, {kind}"


def _of_one(name: str, kind: str, code: int, say: Callable[[int], str]) -> str | None:
    """A category of a feature other than single numbers."""
    high, low = divmod(code, RADIX)
    if place := re.fullmatch(r"by (place|row)", kind):
        return f"{name} = {say(low)} in {place[1]} {high}"
    if pairs := re.fullmatch(r"(?:pairs|neighbours) (alike )?in (a row|a column|other calls)", kind):
        where = (
            "one call and the next, at one place" if pairs[2] == "other calls" else f"{pairs[2]}, one behind the other"
        )
        both = ("different" if code == 0 else "alike") if pairs[1] else f"{say(high)}, then {say(low)}"
        return f"{name} = {both}, two in {where}"
    if totals := re.fullmatch(r"number of (\d+) per (row|call)", kind):
        size, hits = divmod(code, TOTALS)
        return f"{totals[2]}s of {size} in which {name} = {say(int(totals[1]))} comes {hits} times"
    return None
