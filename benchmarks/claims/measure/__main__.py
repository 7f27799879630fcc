"""Measure what the notebooks state, and keep it: ``python -m benchmarks.claims.measure 01 [02 …]``."""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import sys
import time
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


def main() -> int:
    """The command; writes ``benchmarks/results/claims/NN_name.json``."""
    known = modules()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.claims.measure", description=__doc__.split(":")[0])
    parser.add_argument("notebooks", nargs="+", help=f"numbers: {', '.join(known)}")
    for number in parser.parse_args().notebooks:
        if number not in known:
            raise CourseError(f"no module measures notebook {number}; there are {', '.join(known)}")
        set_threads(1)
        begin = time.process_time()
        found = importlib.import_module(f"benchmarks.claims.measure.{known[number]}").measure()
        kept = {
            "machine": machine(torch.device("cpu")),
            "cpu_seconds": round(time.process_time() - begin),
            **rounded(found),
        }
        write_atomically(OUT / f"{known[number][1:]}.json", (json.dumps(kept, indent=1) + "\n").encode())
        print(f"{known[number]}: {kept['cpu_seconds']} CPU seconds, {OUT / known[number][1:]}.json")
    return 0


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except CourseError as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
