"""Marks of work that is left: a skeleton carries them, and lint refuses a course that still has one."""

from __future__ import annotations

import re
from collections.abc import Iterator

TODO = re.compile(r"TODO\(([a-z0-9_]+)\):?[ \t]*(.*)")


def todos(text: str) -> Iterator[tuple[int, str, str]]:
    """Line (from 1), exercise and words of every mark in a text."""
    for number, line in enumerate(text.split("\n"), 1):
        if found := TODO.search(line):
            yield number, found[1], found[2].strip().rstrip("\"')")
