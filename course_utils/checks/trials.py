"""One case of one promise with the oracle's answer, and what came of it when a student was asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from course_utils.checks.agree import Agree
from course_utils.checks.asking import Ask
from course_utils.checks.compare import CheckFailed
from course_utils.checks.draws import Case
from course_utils.checks.student import StudentError


@dataclass(frozen=True)
class Trial:
    """One case of one promise, with the answer of the oracle.

    Attributes:
        promise: number of the promise in the list of all.
        ask: the way to ask.
        agree: the way to compare.
        names: of the parts of the result, for sentences.
    """

    promise: int
    case: Case
    ask: Ask
    agree: Agree
    want: Any
    names: tuple[str, ...] = ()

    def run(self, student: Any) -> Answer:
        """Ask the student, and compare."""
        try:
            got = self.ask(student, self.case)
        except StudentError as error:
            return Answer(self, error=error, problem=str(error))
        except CheckFailed as error:
            return Answer(self, problem=str(error), refused=True)
        return Answer(self, got, self.agree.problem(self.case, got, self.want, self.names))


@dataclass(frozen=True)
class Answer:
    """What came of a trial: a value or an exception, and how it differs from what is promised (None if it does not).

    Attributes:
        refused: whether there is no value because the way to ask could not go on, for the reason in ``problem``.
        asked: False for a file that was not looked at, since something else is broken or a training is still to come.
    """

    trial: Trial
    got: Any = None
    problem: str | None = None
    error: StudentError | None = None
    refused: bool = False
    asked: bool = True

    @property
    def kept(self) -> bool:
        """Whether the promise holds in this case."""
        return self.problem is None


@dataclass(frozen=True)
class Kept:
    """A promise as it is listed: its sentence, and the part of the points that it belongs to."""

    sentence: str
    part: str = ""
    note: str = ""
