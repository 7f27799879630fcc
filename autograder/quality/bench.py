"""One exercise's declared check, and the cells around its answer, for thousands of answers in one process.

All trials are drawn and answered by the oracle before the first answer runs: an answer that enters itself under the oracle's
name (``@registered``), or changes what both use, cannot change what is expected of the next.
"""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Generator, Iterator, Sequence
from typing import Any, Literal

from autograder.judge import promised
from autograder.judge.hints import CheckTimeout
from autograder.judge.run_check import alarm, deterministic
from autograder.quality.casebook import names_of, settings_put_back
from autograder.quality.cells import setup_cells
from autograder.quality.probes import probes
from autograder.source.covered import declaration, exercise_text
from autograder.source.percent import Source
from autograder.source.visible import declared
from course_utils.checks.student import Student, StudentError
from course_utils.checks.trials import Trial

SECONDS = 20.0  # for one judgement
SEED = 1  # of the fresh trials
Ending = Literal["kept", "broken", "stopped"]


class Bench:
    """A declaration with its trials and probes.

    Raises:
        CourseError: there are no visible cases, or the declaration cannot be used.
    """

    def __init__(self, source: Source, exercise: str) -> None:
        cell = next(cell for cell in declared(source) if cell.exercise == exercise)
        self.declared = declaration(cell)
        self.entry = promised.entry_for(source.path.parents[1], source.name, exercise)
        self.before, self.after = setup_cells(source, exercise)
        listed = self.declared.listed()
        with settings_put_back(), deterministic(SEED):
            self.fresh = [self.declared.trials(number, SEED) for number in range(len(listed))]
            self.probes = probes(self.declared, exercise_text(source, exercise))
        self.seconds = SECONDS
        self.compared = 3 * SECONDS  # for all probes
        self.sentences = [one.sentence for one in listed]

    def trials(self, number: int, seed: int) -> list[Trial]:
        """The fresh trials of one promise, as a declaration has them; of :data:`SEED` alone."""
        return self.fresh[number]

    def judge(self, text: str) -> Ending:
        """How the check of a hand-in ends: all promises kept, one broken, or stopped for time or memory."""
        started = time.monotonic()
        try:
            with self._names(text, self.seconds) as student:
                outcome, _ = promised.judge(self, self.entry, student, SEED, 0)
                if outcome.fraction == 1:
                    return "kept"
        except MemoryError:
            return "stopped"
        except (CheckTimeout, StudentError, SystemExit):
            pass
        return "broken" if time.monotonic() - started < self.seconds else "stopped"

    def outside(self, text: str) -> list[int]:
        """Numbers of the probes on which an answer differs from the oracle."""
        return [number for number, _ in self._differing(text)]

    def difference(self, text: str) -> str:
        """The first difference between an answer and the oracle on the probes; "" if there is none."""
        with contextlib.closing(self._differing(text)) as found:
            return next((sentence for _, sentence in found), "")

    def keep(self, numbers: Sequence[int]) -> None:
        """Leave out all other probes."""
        self.probes = [self.probes[number] for number in numbers]

    def _differing(self, text: str) -> Generator[tuple[int, str]]:
        number = 0  # of the probe that is asked
        try:
            with self._names(text, self.compared) as student:
                for number, trial in enumerate(self.probes):
                    if (answer := trial.run(student)).problem is not None:
                        yield number, f"{trial.ask.way}, {self.sentences[trial.promise]}: {answer.problem}"
        except (CheckTimeout, MemoryError, SystemExit) as error:
            yield number, f"ended by {type(error).__name__}"

    @contextlib.contextmanager
    def _names(self, text: str, seconds: float) -> Iterator[Student]:
        with settings_put_back(), contextlib.redirect_stdout(io.StringIO()), alarm(seconds), deterministic(SEED):
            names: dict[str, Any] = names_of([*self.before, text, *self.after])
            yield Student(lambda: names)
