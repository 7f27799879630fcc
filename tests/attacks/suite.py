"""All attacks, run in processes of their own, and what they came to in numbers."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from pathlib import Path

from tqdm import tqdm

from tests.attacks.record import COLUMNS, FULL, Attack, Row, Wall

MODULES = (
    "points.objects",
    "points.frames",
    "points.patches",
    "points.wire",
    "points.notebooks",
    "machine",
    "containment",
    "archives",
    "persistence",
    "identity",
    "scripts",
)
WORKERS = 2


def all_attacks() -> list[Attack]:
    """Every attack; names are unique."""
    modules = [importlib.import_module(f"tests.attacks.{name}") for name in MODULES]
    found = [one for module in modules for one in module.ATTACKS]
    assert len({one.name for one in found}) == len(found), "two attacks of one name"
    return found


def sample(per_family: int) -> list[Attack]:
    """The first attacks of each family, fast ones before those that load torch."""
    counts: Counter[str] = Counter()
    chosen = []
    for one in all_attacks():
        if counts[one.family] < per_family and not one.slow:
            counts[one.family] += 1
            chosen.append(one)
    return chosen


def run_one(name: str, wall: Wall = FULL, *, controls: bool = True) -> Row:
    """One attack against the wall and, unless told otherwise, against its control."""
    found = next(one for one in all_attacks() if one.name == name)
    folder, start = Path(tempfile.mkdtemp(prefix="attack-")), time.monotonic()
    try:
        trace = found.strike(folder / "ours", wall)
        control = found.control(folder / "control") if controls else 0.0
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Row(
        name, found.family, found.goal, trace.gain, control, trace.verdicts, trace.expected, trace.flagged,
        round(time.monotonic() - start, 2),
    )  # fmt: skip


def results(
    attacks: Sequence[Attack],
    wall: Wall = FULL,
    *,
    controls: bool = True,
    progress: bool = True,
    label: str = "attacks",
) -> list[Row]:
    """Rows in the order of the attacks, two at a time."""
    task = partial(run_one, wall=wall, controls=controls)
    return pooled([one.name for one in attacks], task, progress=progress, label=label)


def pooled(names: Sequence[str], task: Callable[[str], Row], *, progress: bool, label: str) -> list[Row]:
    """``task`` of every name, two at a time, in the order of the names."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("AUTOGRADER_WITHOUT", "cgroup")
    rows = {row.name: row for row in _pooled(names, task, progress, label)}
    return [rows[name] for name in names]


def _pooled(names: Sequence[str], task: Callable[[str], Row], progress: bool, label: str) -> Iterator[Row]:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch", "tests.attacks.suite", "autograder.judge.execute"])
    with ProcessPoolExecutor(WORKERS, mp_context=context) as pool:
        waiting = {pool.submit(task, name): name for name in names}
        bar = tqdm(
            as_completed(waiting), total=len(waiting), desc=label, unit="attack", disable=None if progress else True
        )
        for done in bar:
            yield done.result()


def numbers(rows: Sequence[Row]) -> dict[str, float]:
    """The counts of one run; every column of a goal is 0 where the wall held."""
    gains: Counter[str] = Counter()
    for row in rows:
        gains[COLUMNS[row.goal]] += row.gain  # type: ignore[assignment]
    return {
        "attacks": len(rows),
        "families": len({row.family for row in rows}),
        "controls_succeeded": sum(row.control > 0 for row in rows),
        **{column: round(gains[column], 6) if gains[column] % 1 else int(gains[column]) for column in COLUMNS.values()},
        "verdicts": sum(row.verdicts for row in rows),
        "flagged": sum(row.flagged for row in rows),
    }


def table(rows: Sequence[Row]) -> str:
    """Families with what they came to, and every attack that is not as it should be."""
    lines = [f"{'family':44}{'attacks':>9}{'controls':>10}{'reached':>9}{'verdicts':>10}{'flagged':>9}"]
    for family in dict.fromkeys(row.family for row in rows):
        mine = [row for row in rows if row.family == family]
        worked, reached = sum(row.control > 0 for row in mine), sum(row.gain > 0 for row in mine)
        given, flagged = sum(row.verdicts for row in mine), sum(row.flagged for row in mine)
        lines.append(f"{family:44}{len(mine):9}{worked:10}{reached:9}{given:10}{flagged:9}")
    for row in rows:
        if not row.fine:
            lines.append(
                f"NOT AS IT SHOULD BE: {row.family}, {row.name}: gain {row.gain:g}, control {row.control:g}, "
                f"verdicts {row.verdicts} of {row.expected}"
            )
    return "\n".join(lines)


def held(rows: Sequence[Row]) -> bool:
    """Whether no attack reached its goal, every control did, and every exercise has its verdict."""
    return all(row.fine for row in rows)
