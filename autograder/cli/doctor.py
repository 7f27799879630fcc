"""``doctor``: every layer of the sandbox, tried on this machine; 1 if one that matters is missing."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Sequence
from dataclasses import asdict

from autograder.sandbox.doctor import Layer, examine
from autograder.sandbox.layers import OVERRIDE

WIDTH = 100


def main(argv: Sequence[str]) -> int:
    """Print the table, or with ``--json`` one object, and return the exit code."""
    options = argparse.ArgumentParser(prog="python -m autograder doctor", description=__doc__)
    options.add_argument(
        "--json", nargs="?", const="-", metavar="FILE", help="write the result as JSON (default stdout)"
    )
    chosen = options.parse_args(list(argv))
    found = examine()
    data = {"ready": all(layer.well for layer in found), "layers": [asdict(layer) for layer in found]}
    text = json.dumps(data, indent=1, ensure_ascii=False)
    if chosen.json == "-":
        print(text)
    else:
        print(table(found))
    if chosen.json not in (None, "-"):
        from course_utils.engine.files import write_atomically

        write_atomically(chosen.json, (text + "\n").encode())
    return 0 if data["ready"] else 1


def table(found: list[Layer]) -> str:
    """One line for each layer that is on, several for each that is off, and a last sentence."""
    lines = [f"     {'layer':20} what it stops", *(part for layer in found for part in _lines(layer))]
    missing = [layer.name for layer in found if not layer.well]
    weak = [layer.name for layer in found if layer.well and not layer.on]
    lines.append("")
    lines.append(
        f"Not ready: {', '.join(missing)}. Nothing of students is run until this is mended."
        if missing
        else "Ready: student code can be run."
    )
    if weak:
        lines.append(f"Weaker than it could be: {', '.join(weak)}.")
    return "\n".join(lines)


def _lines(layer: Layer) -> list[str]:
    sign = "on " if layer.on else "OFF" if not layer.well else "off"
    first = f"{sign}  {layer.name:20} {layer.stops}"
    if layer.on:
        return [first]
    note = f"accepted by {OVERRIDE}" if layer.accepted else "" if layer.matters else "grading goes on without it"
    rest = [f"tried: {layer.found}", *([note] if note else []), *layer.remedy.split(" · ")]
    return [
        first,
        *(
            line
            for part in rest
            for line in textwrap.wrap(part, WIDTH, initial_indent=" " * 9, subsequent_indent=" " * 11)
        ),
    ]
