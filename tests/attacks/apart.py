"""Attacks without the sandbox. They write where they like, so they run over folders of their own that go when they end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

from tests.attacks.record import FULL, Row, Wall
from tests.paths import ROOT

PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/home")


def command(*words: str) -> list[str]:
    """``words`` over empty folders in place of the machine's shared ones; what is in them goes when the command ends."""
    needed = {str(Path(path).resolve()) for path in (ROOT, sys.prefix, sys.base_prefix)}
    fresh = [part for place in PLACES if Path(place).is_dir() for part in ("--tmpfs", place)]
    kept = [part for path in sorted(needed) if _covered(path) for part in ("--bind", path, path)]
    return ["bwrap", "--dev-bind", "/", "/", *fresh, *kept, "--die-with-parent", *words]


def _covered(path: str) -> bool:
    return any(Path(path).is_relative_to(place) for place in PLACES)


def results(names: Sequence[str], wall: Wall, *, label: str) -> list[Row]:
    """Rows of these attacks against ``wall``, each in the order given; controls are not repeated."""
    gone = [layer for layer, stands in asdict(wall).items() if not stands]
    words = [sys.executable, "-m", "tests.attacks.apart", json.dumps([list(names), gone, label])]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": "/tmp"}
    done = subprocess.run(command(*words), stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT, env=environment)
    return [Row(**row) for row in json.loads(done.stdout)]


def main() -> None:
    """The inner process: run the attacks and print their rows."""
    from tests.attacks import suite

    names, gone, label = json.loads(sys.argv[1])
    wall = FULL
    for layer in gone:
        wall = wall.without(layer)
    rows = suite.pooled(names, partial(suite.run_one, wall=wall, controls=False), progress=True, label=label)
    print(json.dumps([asdict(row) for row in rows]))


if __name__ == "__main__":
    main()
