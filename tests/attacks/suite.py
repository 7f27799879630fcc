"""All attacks, run in processes of their own, and what they came to in numbers."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType

from tqdm import tqdm

from autograder.judge import preload
from tests.attacks import apart
from tests.attacks.record import COLUMNS, FULL, Attack, Row, Wall

MODULES = (
    "points.objects",
    "points.frames",
    "points.patches",
    "points.wire",
    "points.notebooks",
    "points.rules",
    "machine",
    "containment",
    "archives",
    "persistence",
    "identity",
    "scripts",
    "desk",
    "office",
    "report",
    "between",
    "claims",
    "exports",
)
WORKERS = 2


@cache
def all_attacks() -> tuple[Attack, ...]:
    """Every attack; names are unique."""
    modules = [importlib.import_module(f"tests.attacks.{name}") for name in MODULES]
    found = [one for module in modules for one in module.ATTACKS]
    assert len({one.name for one in found}) == len(found), "two attacks of one name"
    return tuple(found)


def sample(per_family: int) -> list[Attack]:
    """The first attacks of each family, fast ones before those that load torch."""
    counts: Counter[str] = Counter()
    chosen = []
    for one in all_attacks():
        if counts[one.family] < per_family and not one.slow:
            counts[one.family] += 1
            chosen.append(one)
    return chosen


def unrun(attacks: Sequence[Attack]) -> dict[str, tuple[int, str]]:
    """By family: how many attacks cannot be run on this machine, and why. They are no proof of anything."""
    found: dict[str, tuple[int, str]] = {}
    for one in attacks:
        reason = one.lacking()
        if reason:
            found[one.family] = (found.get(one.family, (0, ""))[0] + 1, reason)
    return found


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
    """Rows of the attacks that can be run here, in their order, two at a time."""
    names = [one.name for one in attacks if not one.lacking()]
    if not names:
        return []
    if not wall.sandbox:
        return apart.results(names, wall, label=label)
    return pooled(names, partial(run_one, wall=wall, controls=controls), progress=progress, label=label)


def pooled(names: Sequence[str], task: Callable[[str], Row], *, progress: bool, label: str) -> list[Row]:
    """``task`` of every name, two at a time, in the order of the names."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("AUTOGRADER_WITHOUT", "cgroup")
    rows = {row.name: row for row in _pooled(names, task, progress, label)}
    return [rows[name] for name in names]


def _pooled(names: Sequence[str], task: Callable[[str], Row], progress: bool, label: str) -> Iterator[Row]:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*preload.MODULES, "tests.attacks.suite"])
    with ProcessPoolExecutor(WORKERS, mp_context=context) as pool:
        waiting = {pool.submit(task, name): name for name in names}
        bar = tqdm(
            as_completed(waiting), total=len(waiting), desc=label, unit="attack", disable=None if progress else True
        )
        for done in bar:
            yield done.result()


def numbers(rows: Sequence[Row], lacking: Mapping[str, tuple[int, str]] = MappingProxyType({})) -> dict[str, float]:
    """The counts of one run; every column of a goal is 0 where the wall held, and ``not_run`` where all could be tried."""
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
        "not_run": sum(count for count, _ in lacking.values()),
    }


def table(rows: Sequence[Row], lacking: Mapping[str, tuple[int, str]] = MappingProxyType({})) -> str:
    """Families with what they came to, those that were not run, and every attack that is not as it should be."""
    lines = [f"{'family':44}{'attacks':>9}{'controls':>10}{'reached':>9}{'verdicts':>10}{'flagged':>9}"]
    for family in dict.fromkeys(row.family for row in rows):
        mine = [row for row in rows if row.family == family]
        worked, reached = sum(row.control > 0 for row in mine), sum(row.gain > 0 for row in mine)
        given, flagged = sum(row.verdicts for row in mine), sum(row.flagged for row in mine)
        lines.append(f"{family:44}{len(mine):9}{worked:10}{reached:9}{given:10}{flagged:9}")
    lines += [f"NOT RUN: {family}, {count} attacks: {why}" for family, (count, why) in lacking.items()]
    return "\n".join([*lines, *not_fine(rows)])


def not_fine(rows: Sequence[Row]) -> list[str]:
    """A line for every attack that reached its goal, whose control did not, or whose verdicts are not all there."""
    return [
        f"NOT AS IT SHOULD BE: {row.family}, {row.name}: gain {row.gain:g}, control {row.control:g}, "
        f"verdicts {row.verdicts} of {row.expected}"
        for row in rows
        if not row.fine
    ]


def held(rows: Sequence[Row], lacking: Mapping[str, tuple[int, str]] = MappingProxyType({})) -> bool:
    """Whether every attack was run, none reached its goal, every control did, and every exercise has its verdict."""
    return not lacking and all(row.fine for row in rows)
