"""What an attack is, what comes of it, and the layers of the wall that an ablation takes away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Literal

Goal = Literal["points", "secret", "host", "script", "identity"]
COLUMNS: dict[Goal, str] = {
    "points": "points_gained",
    "secret": "secrets_read",
    "host": "host_writes",  # also harm to the grader's machine: memory, processes, a grader that ends
    "script": "scripts_run",
    "identity": "wrong_identity",
}


@dataclass(frozen=True)
class Wall:
    """Which layers stand."""

    rebuild: bool = True
    sandbox: bool = True
    filter: bool = True
    wire: bool = True
    outside: bool = True
    sanitiser: bool = True

    def without(self, layer: str) -> Wall:
        """The same wall with one layer taken away."""
        return replace(self, **{layer: False})


LAYERS = {
    "rebuild": "rebuild",
    "sandbox": "sandbox",
    "filter": "filter",
    "wire checks": "wire",
    "reference outside": "outside",
    "sanitiser": "sanitiser",
}
assert set(LAYERS.values()) == {one.name for one in fields(Wall)}
FULL = Wall()


@dataclass(frozen=True)
class Trace:
    """What one attack came to.

    Attributes:
        gain: points gained, or 1.0 where it reached another goal, 0.0 where it reached nothing.
        verdicts: verdicts given; an intake that refuses gives one.
        expected: verdicts that were due.
        flagged: whether the instructor finds a note.
    """

    gain: float
    verdicts: int = 1
    expected: int = 1
    flagged: bool = False


@dataclass(frozen=True)
class Attack:
    """One attack.

    Attributes:
        strike: against our grader; a folder of its own, and the wall that stands.
        control: the same where what stops it is missing; above 0 if the attack is real.
        known: whether it is one of those that the thirteen findings of the first attackers name.
        slow: whether it takes more than a second or two.
        layers: the layers that this attack can meet at all; an ablation of another one repeats nothing.
        lacking: what keeps it from being run on this machine, as the end of a sentence; an empty string if nothing does.
    """

    name: str
    family: str
    goal: Goal
    strike: Callable[[Path, Wall], Trace]
    control: Callable[[Path], float]
    known: bool = False
    slow: bool = False
    layers: tuple[str, ...] = ("rebuild", "sandbox", "filter", "wire", "outside")
    lacking: Callable[[], str] = str


@dataclass(frozen=True)
class Row:
    """The result of one attack, plain data that travels between processes."""

    name: str
    family: str
    goal: Goal
    gain: float
    control: float
    verdicts: int
    expected: int
    flagged: bool
    seconds: float = 0.0

    @property
    def fine(self) -> bool:
        """Whether the wall held, the control showed that the attack is real, and every exercise got its verdict."""
        return self.gain == 0 < self.control and self.verdicts == self.expected
