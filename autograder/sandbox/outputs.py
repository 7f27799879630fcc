"""Conversion of the outputs that a kernel reports to nbformat outputs of bounded size. The input may be any plain value."""

from __future__ import annotations

import json
from typing import Any

from autograder.pages.inert import SAFE_TYPES, inert_about, inert_data, inert_output

CELL_BYTES = 2**20
PARTS = 500
STREAMS = ("stdout", "stderr")


def text(value: Any, limit: int = CELL_BYTES) -> str:
    """A text that can be written as UTF-8, cut at ``limit`` characters; anything else is empty."""
    return value[:limit].encode("utf-8", "replace").decode() if type(value) is str else ""


def _bundle(value: Any) -> dict[str, str]:
    """The allowed representations of a display, without active content (see autograder.pages.inert)."""
    if type(value) is not dict:
        return {}
    return inert_data({name: text(value[name]) for name in SAFE_TYPES if type(value.get(name)) is str})


def _one(item: Any) -> dict[str, Any] | None:
    """One output, or None if ``item`` is not one."""
    if type(item) is not dict:
        return None
    kind, name = text(item.get("output_type"), 100), text(item.get("name"), 100)  # an array would be compared by entry
    if kind == "stream":
        name = name if name in STREAMS else "stdout"
        return inert_output({"output_type": "stream", "name": name, "text": text(item.get("text"))})
    if kind == "error":
        lines: list[Any] = found if type(found := item.get("traceback")) is list else []
        trace = [text(line, 20_000) for line in lines[:100]]
        words = {"ename": text(item.get("ename"), 100), "evalue": text(item.get("evalue"), 2000)}
        return inert_output({"output_type": "error", **words, "traceback": trace})
    if kind not in ("display_data", "execute_result"):
        return None
    made: dict[str, Any] = {"output_type": kind, "data": _bundle(item.get("data")), "metadata": inert_about(item)}
    if kind == "execute_result":
        count = item.get("execution_count")
        made["execution_count"] = count if type(count) is int and 0 <= count < 10**6 else None
    return made


def clean(value: Any, room: int = CELL_BYTES) -> tuple[list[dict[str, Any]], bool]:
    """The outputs in ``value``, and whether some were left out because of the limit (``room`` bytes of JSON)."""
    kept: list[dict[str, Any]] = []
    found = value if type(value) is list else []
    for item in found[:PARTS]:
        made = _one(item)
        size = len(json.dumps(made))
        if made is None:
            continue
        if size > room:
            return kept, True
        kept.append(made)
        room -= size
    return kept, len(found) > PARTS
