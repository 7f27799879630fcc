"""Fresh trials that all answers on file of an exercise share."""

from __future__ import annotations

from course_utils.checks.promises import Promises
from course_utils.checks.trials import Trial


class SharedTrials:
    """Fresh trials with the oracle's answers, drawn once per seed: drawing them takes about half of the judge's time.

    Only for checks that open no file: what is handed in differs from answer to answer, and trials may hold it.
    """

    def __init__(self) -> None:
        self.spared: tuple[str, ...] = ()  # parts that need no fresh trials: right answers show that these accept them
        self.declared: Promises | None = None
        self.drawn: dict[tuple[int, int], list[Trial]] = {}

    def of(self, declared: Promises) -> SharedTrials:
        """What gives the trials of this declaration, which is the same one in every judgement of an exercise."""
        self.declared = declared
        return self

    def trials(self, number: int, seed: int) -> list[Trial]:
        """The trials of one promise, as a declaration has them."""
        assert self.declared is not None
        if self.declared.listed()[number].part in self.spared:
            return []
        if (number, seed) not in self.drawn:
            self.drawn[number, seed] = self.declared.trials(number, seed)
        return [trial for trial in self.drawn[number, seed] if trial.part not in self.spared]
