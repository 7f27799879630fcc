"""The plain records that travel between intake, judge, pipeline and gradebook. They pickle, and hold no open resources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

DECLARED = "__promises__"  # function of a check's hidden part that gives the declaration; only the judge calls it
VISIBILITIES = ("visible", "after_due_date", "after_published", "hidden")  # of a test's result on Gradescope
Status = Literal["passed", "partial", "failed", "unsolved", "error", "timeout", "dead", "missing"]


def in_points(number: float) -> str:
    """A number of points in words: ``1 point``, ``2.5 points``."""
    return f"{number:g} point" if number == 1 else f"{number:g} points"


@dataclass(frozen=True)
class Check:
    """One graded check as the instructor's release records it (never as the submission claims it).

    Attributes:
        id: exercise id, e.g. ``"london"``.
        source: full text of the check cell, hidden part included.
        visible: text of the check cell as students see it.
        points: points of the exercise.
        timeout: wall-clock limit of the whole check, in seconds.
    """

    id: str
    source: str
    visible: str
    points: float
    timeout: float = 60.0


@dataclass(frozen=True)
class Job:
    """Everything ``judge.execute`` needs for one submission of one assignment.

    Attributes:
        student: the student's id.
        assignment: e.g. ``"07_knowledge"``.
        notebook: nbformat 4 JSON, rebuilt by intake from the release's skeleton.
        files: folder of handed-in files (regular files only), seen in the sandbox as ``work/<assignment>/``.
        checks: the release's checks by exercise id.
        public: the release's ``student/`` folder (course_utils, data); mounted read-only as ``/course``.
        private: the release's ``private/<assignment>/`` folder; read by the judge, never mounted.
        seed: seed from which every check derives its own; None draws a fresh one.
        told: file in which the judge notes the check it is at (id, number, count, with tabs between), for people who
            wait; outside of the sandbox.
        only: exercises that are judged, all others get no verdict; empty for all.
    """

    student: str
    assignment: str
    notebook: dict[str, Any]
    files: Path
    checks: Mapping[str, Check]
    public: Path
    private: Path
    seed: int | None = None
    told: Path | None = None
    only: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Shown:
    """All that a student is told about one check. For a given hand-in it takes two values at most, whatever was drawn.

    Attributes:
        status: from the run with public draws, or ``passed``, or ``failed``.
        points: all of them, or those of the run with public draws, or none.
        hint: from the run with public draws, or one of the two sentences of ``judge.hints``, or empty.

    Beside it a student sees the points of the exercises (``max_points``, the same for everybody), the outputs of the cells
    from a run in which no check had been made, the own answers, the notes of intake, and the comments of the person who
    marks. Not shown: ``seconds``, ``detail``, ``seed``, and the notes of the judge.
    """

    status: Status
    points: float
    hint: str


@dataclass(frozen=True)
class Verdict:
    """The outcome of one check. A student may be told :attr:`shown`; all else is for the instructor only.

    Attributes:
        detail: how each pass ended, with whatever the student's code said.
        seconds: wall time of the check with secret draws.
        seed: what ``c.seed`` was there, so that a failure can be drawn again.
    """

    exercise: str
    status: Status
    points: float
    max_points: float
    hint: str = ""
    detail: str = ""
    seconds: float = 0.0
    seed: int = 0

    @property
    def shown(self) -> Shown:
        """What the student is told."""
        return Shown(self.status, self.points, self.hint)


@dataclass
class Result:
    """All verdicts of one submission.

    Attributes:
        verdicts: one per check of the release, in notebook order; a check that did not run is there with status ``missing``.
        outputs: nbformat outputs by cell id, for every code cell that ran (bounded in size), from before the first check.
        notes: sentences for the instructor (kernel died in cell …, output cut …), each once, at most a hundred.
    """

    student: str
    assignment: str
    verdicts: list[Verdict] = field(default_factory=list)
    outputs: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def points(self) -> float:
        """Sum of the points earned."""
        return sum(v.points for v in self.verdicts)

    @property
    def max_points(self) -> float:
        """Sum of the points of all checks."""
        return sum(v.max_points for v in self.verdicts)

    def to_json(self) -> dict[str, Any]:
        """The record as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Result:
        """Inverse of :meth:`to_json`."""
        return cls(**{**data, "verdicts": [Verdict(**v) for v in data["verdicts"]]})
