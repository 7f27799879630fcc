"""``python -m tests.faults --count 300 --json FILE``: kills and other faults, each followed by one more run.

After that run nothing may be lost, doubled or changed, and nothing may still run.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from tests.faults.kinds import KILLS, KINDS
from tests.faults.office import Books, Office

COUNTS = ("lost", "doubled", "changed", "left_running", "crashes")


def plan(kills: int, others: int, rng: random.Random) -> list[str]:
    """Names of the faults in random order: so many kills, and so many of each other kind."""
    names = [KILLS[n % len(KILLS)] for n in range(kills)] + [name for name in KINDS if name not in KILLS] * others
    rng.shuffle(names)
    return names


def campaign(
    base: Path, names: Sequence[str], seed: int, *, always: dict[str, Any] | None = None
) -> Iterator[tuple[str, Books]]:
    """Play the faults one after the other on one release; yields each with what was wrong after it."""
    rng = random.Random(seed)
    with Office(base, seed, always=always) as office:
        office.new_work()
        started = time.monotonic()
        office.grade()
        span = min(30.0, time.monotonic() - started)  # what a run takes here and now
        for name in names:
            yield name, KINDS[name](office, rng, span)


def summary(found: Sequence[tuple[str, Books]]) -> dict[str, Any]:
    """The figures, in all and by kind."""
    total = sum((books for _, books in found), Books())
    kinds: dict[str, dict[str, int]] = {}
    for name, books in found:
        row = kinds.setdefault(name, dict.fromkeys(("faults", *COUNTS), 0))
        row["faults"] += 1
        for key in COUNTS:
            row[key] += getattr(books, key)
    kills = sum(name in KILLS for name, _ in found)
    return {"faults": len(found), "kills": kills, **{key: getattr(total, key) for key in COUNTS}, "kinds": kinds}


def main(argv: Sequence[str] | None = None) -> int:
    """Play the faults and print the figures; 0 if nothing was lost, doubled, changed or left running."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="kills at random moments (300)")
    parser.add_argument("--others", type=int, default=10, help="of each other kind (10)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, help="only these, --count of them in turn")
    parser.add_argument("--json", metavar="FILE", nargs="?", const="-", help="write the figures as JSON (- for stdout)")
    options = parser.parse_args(argv)
    names = plan(options.count, options.others, random.Random(options.seed))
    if options.kinds:
        names = [options.kinds[n % len(options.kinds)] for n in range(options.count)]
    found = []
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        for name, books in tqdm(campaign(Path(folder), names, options.seed), total=len(names), unit="fault"):
            found.append((name, books))
            if not books.fine:
                tqdm.write(f"{name}: {books}", file=sys.stderr)
    figures = summary(found)
    text = json.dumps(figures, indent=1)
    if options.json and options.json != "-":
        Path(options.json).write_text(text + "\n")
    print(text)
    return 0 if all(figures[key] == 0 for key in COUNTS) else 1


if __name__ == "__main__":
    sys.exit(main())
