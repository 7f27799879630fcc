"""Attacks on the grader's machine: the same code in a cell of a hand-in, and as a plain process for the control.

Each prints HARM when it has succeeded. {pid} is a grader's process, {port} a server of its machine, {folder} its folder.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path

from autograder.records import Result
from autograder.sandbox.bubblewrap import MIB, Limits
from tests.attacks import grading, toy
from tests.attacks.containment import HARM, TOKEN, surroundings
from tests.attacks.reach import ESCAPE, EXHAUST, OUTWARD, SECRETS, WRITES
from tests.attacks.record import Attack, Goal, Trace, Wall

LIMITS = Limits(memory=320 * MIB, processes=32, disk=24 * MIB, file_size=16 * MIB)
SECONDS = 5.0


def bounded() -> None:
    """Limits of a control: it may do harm, but only so much."""
    resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (30, 30))


def printed(result: Result) -> str:
    """Everything that a hand-in sends back: outputs, hints, notes."""
    items = [item for outputs in result.outputs.values() for item in outputs]
    shown = [str(item.get("text") or item.get("data", {}).get("text/plain", "")) for item in items]
    return "\n".join([*shown, *(v.hint for v in result.verdicts), *result.notes])


def strike(folder: Path, wall: Wall, code: str) -> Trace:
    """Run the code in a cell of a hand-in with wrong answers."""
    with surroundings(folder) as known:
        before, os.environ["WALL_TEST_TOKEN"] = os.environ.get("WALL_TEST_TOKEN"), TOKEN["WALL_TEST_TOKEN"]
        cheat = grading.Cheat("machine", fill(code, known))
        try:
            result, notes = grading.judged(folder, cheat, wall, LIMITS, SECONDS)
        finally:
            os.environ.pop("WALL_TEST_TOKEN") if before is None else None
    reached = float(HARM in printed(result).split())
    return Trace(max(reached, result.points), len(result.verdicts), len(toy.RIGHT), bool(notes))


def control(folder: Path, code: str) -> float:
    """Run the code as a plain process of this machine."""
    with surroundings(folder) as known:
        try:
            plain = subprocess.run(
                [sys.executable, "-c", fill(code, known)], capture_output=True, text=True, timeout=40,
                env={**os.environ, **TOKEN}, cwd=folder, preexec_fn=bounded, errors="replace",
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            return float(HARM.encode() in (error.stdout or b"").split())
    return float(HARM in plain.stdout.split())


def fill(code: str, known: dict[str, object]) -> str:
    """The code with what an attacker could know of this machine."""
    for name, value in known.items():
        code = code.replace("{" + name + "}", str(value))
    return code


def attacks_of(family: str, goal: Goal, codes: dict[str, str]) -> list[Attack]:
    """Records of one family; a name that starts with * is one of the first attackers' findings."""
    return [
        Attack(
            name.lstrip("*"), family, goal, partial(strike, code=code), partial(control, code=code),
            name.startswith("*"), slow="sleep" in code or family == "exhaustion",
            layers=("sandbox", "filter"),
        )
        for name, code in codes.items()
    ]  # fmt: skip


ATTACKS = [
    *attacks_of("escape from the sandbox", "host", ESCAPE),
    *attacks_of("network and sockets", "host", OUTWARD),
    *attacks_of("exhaustion", "host", EXHAUST),
    *attacks_of("secrets of the grader's machine", "secret", SECRETS),
    *attacks_of("writing to the grader's folders", "host", WRITES),
]
