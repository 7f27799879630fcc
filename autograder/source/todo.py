"""Marks ``TODO(ID)`` of unfinished exercises: a skeleton contains them, and lint refuses a course that has one."""

from __future__ import annotations

import re
from collections.abc import Iterator

TODO = re.compile(r"TODO\(([a-z0-9_]+)\):?[ \t]*(.*)")


def todos(text: str) -> Iterator[tuple[int, str, str]]:
    """The line number (from 1), exercise and text of every mark."""
    for number, line in enumerate(text.split("\n"), 1):
        if found := TODO.search(line):
            yield number, found[1], found[2].strip().rstrip("\"',)")
