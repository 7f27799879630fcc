"""One case of one promise with the oracle's answer, and what came of it when a student was asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from course_utils.checks.agree import Agree
from course_utils.checks.asking import Ask, is_handle
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
        part: of the points, where the promise is a rule for all that is asked and so belongs to no part itself.
    """

    promise: int
    case: Case
    ask: Ask
    agree: Agree
    want: Any
    names: tuple[str, ...] = ()
    part: str = ""

    def run(self, student: Any) -> Answer:
        """Ask the student, and compare."""
        try:
            got = self.ask(student, self.case)
        except StudentError as error:
            return Answer(self, error=error, problem=str(error))
        except CheckFailed as error:
            return self.refused(str(error))
        except (TypeError, AttributeError):
            asked = (
                self.ask.name,
                *getattr(student, "_touched", ()),
            )  # a lesson's way names no function in its options
            if not (plain := next((name for name in asked if _is_plain(student, name)), "")):
                raise  # a mistake of the check's own
            return self.refused(f"{plain} is a value, no function or class")
        return Answer(self, got, self.agree.problem(self.case, got, self.want, self.names))

    def refused(self, reason: str) -> Answer:
        """The answer of a student who is not asked, or cannot be, for this reason."""
        return Answer(self, problem=reason, refused=True)


def _is_plain(student: Any, name: str) -> bool:
    """Whether a name of the notebook stands for a value that cannot be called."""
    try:
        return bool(name) and not is_handle(getattr(student, name))
    except StudentError:
        return False


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
