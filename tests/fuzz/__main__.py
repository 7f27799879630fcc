"""``python -m tests.fuzz notebooks --count 50000 --seed 1``: JSON on stdout; 1 if anything but a documented refusal came."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from tests.fuzz import archives, messages, notebooks
from tests.fuzz.running import run

KINDS = {"notebooks": notebooks.Notebooks, "messages": messages.Messages, "archives": archives.Archives}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one kind of fuzzing and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    found = run(KINDS[options.kind](), options.count, options.seed)
    print(json.dumps(found, indent=1))
    return 1 if found["crashes"] else 0


if __name__ == "__main__":
    sys.exit(main())
