"""Measure what the notebooks state, and keep it: ``python -m benchmarks.claims.measure 01 [02 …]``.

With ``--part NAME`` only this part of one notebook's results is measured again; the others stay as they are on file.
"""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.claims import measure
from benchmarks.paths import RESULTS
from benchmarks.speed.measure import machine
from course_utils.device import set_threads
from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

OUT = RESULTS / "claims"


def modules() -> dict[str, str]:
    """Number of a notebook -> name of the module that measures it."""
    names = [info.name for info in pkgutil.iter_modules(measure.__path__)]
    return {name[1:3]: name for name in names if name.startswith("n")}


def rounded(value: Any, digits: int = 5) -> Any:
    """The same results with every number to ``digits`` significant digits."""
    if isinstance(value, dict):
        return {key: rounded(inner, digits) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(inner, digits) for inner in value]
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; writes ``benchmarks/results/claims/NN_name.json``."""
    known = modules()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.claims.measure", description=__doc__.split(":")[0])
    parser.add_argument("notebooks", nargs="+", help=f"numbers: {', '.join(known)}")
    parser.add_argument("--part", help="only this part, one of the module's PARTS")
    options = parser.parse_args(arguments)
    for number in options.notebooks:
        if number not in known:
            raise CourseError(f"no module measures notebook {number}; there are {', '.join(known)}")
        path = OUT / f"{known[number][1:]}.json"
        set_threads(1)
        begin = time.process_time()
        found = measured(importlib.import_module(f"benchmarks.claims.measure.{known[number]}"), options.part)
        about = {"machine": machine(torch.device("cpu")), "cpu_seconds": round(time.process_time() - begin)}
        kept = {**about, **rounded(found)} if options.part is None else joined(path, options.part, about, found)
        write_atomically(path, (json.dumps(kept, indent=1) + "\n").encode())
        print(f"{known[number]}: {about['cpu_seconds']} CPU seconds, {path}")
    return 0


def measured(module: Any, part: str | None) -> dict[str, Any]:
    """All results of a module, or those of one of its parts."""
    if part is None:
        return module.measure()
    parts = getattr(module, "PARTS", {})
    if part not in parts:
        there = ", ".join(parts) or "no parts that can be measured alone"
        raise CourseError(f"{module.__name__} has no part {part}; there are {there}")
    return {part: parts[part]()}


def joined(path: Path, part: str, about: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """The results on file with one part exchanged, which says itself where and how long it was measured."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {**kept, **rounded(found), "parts": {**kept.get("parts", {}), part: about}}


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except CourseError as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
