"""The line on the terminal while a class is graded: who is judged, at which exercise, since when, and how long it may take."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

SHOWN = 4  # submissions that are named in the line
FORMAT = "{desc}: {n_fmt} of {total_fmt} |{bar:16}|{postfix}"


@dataclass(frozen=True)
class Running:
    """A submission that is being judged. ``told`` is the file in which the judge notes what it is at."""

    student: str
    seconds: float
    told: Path

    def stage(self) -> tuple[str, float]:
        """The exercise in words, and the share of the checks that is behind; nothing is known before the first note."""
        with suppress(OSError, ValueError):
            name, number, count = self.told.read_text(encoding="utf-8").split("\t")
            return f"{name}, {number} of {count}", (int(number) - 1) / int(count)
        return "the notebook's cells", 0.0

    def words(self) -> str:
        """Student, exercise and time."""
        return f"{self.student}: {self.stage()[0]}, {self.seconds:.0f} s"


def seconds_left(running: Sequence[Running], waiting: int, mean: float, workers: int) -> float | None:
    """How long judging may take still; None while nothing is known.

    Args:
        waiting: submissions that no process works on yet.
        mean: seconds of a submission, of those that are judged; 0 before the first.

    A submission that takes longer than the others is expected to go on as slowly as it has until now, so the estimate
    grows while it does not come further.
    """
    shares = [one.stage()[1] for one in running]
    if not mean:
        begun = [one.seconds / share for one, share in zip(running, shares, strict=True) if share > 0]
        if not begun:
            return None
        mean = sum(begun) / len(begun)
    each = [max(mean - one.seconds, (1 - share) * one.seconds) for one, share in zip(running, shares, strict=True)]
    return max([(sum(each) + waiting * mean) / max(workers, 1), *each])


def spoken(seconds: float | None) -> str:
    """A time as people say it; rounded, since it is an estimate."""
    if seconds is None:
        return "time left not known yet"
    if seconds < 90:
        return f"about {max(seconds, 1):.0f} s left"
    return f"about {seconds / 60:.0f} min left" if seconds < 5400 else f"about {seconds / 3600:.1f} h left"


class Live:
    """The line. It is written once a second to a terminal, once a minute to anything else."""

    def __init__(self, what: str, total: int, workers: int, *, quiet: bool) -> None:
        self.workers, self.times, self.last = workers, [0.0, 0.0], 0.0
        self.every = 1.0 if sys.stderr.isatty() else 60.0
        self.bar = tqdm(total=total, desc=what, disable=quiet or not total, bar_format=FORMAT, mininterval=self.every)

    def show(self, running: Iterable[Running]) -> None:
        """Write the line anew, if it is time to."""
        if self.bar.disable or time.monotonic() - self.last < self.every:
            return
        self.last = time.monotonic()
        self.bar.set_postfix_str(self.words(list(running)), refresh=False)
        self.bar.refresh()

    def words(self, running: Sequence[Running]) -> str:
        """What stands behind the bar."""
        waiting = int(self.bar.total - self.bar.n) - len(running)
        count, total = self.times
        left = seconds_left(running, max(waiting, 0), total / count if count else 0.0, self.workers)
        slowest = sorted(running, key=lambda one: -one.seconds)
        names = [one.words() for one in slowest[:SHOWN]] + [f"and {len(slowest) - SHOWN} more"] * (len(slowest) > SHOWN)
        return "; ".join([spoken(left), *names])

    def done(self, seconds: float = 0.0) -> None:
        """One more is finished; ``seconds`` of judging, 0 where nothing was judged."""
        if seconds:
            self.times = [self.times[0] + 1, self.times[1] + seconds]
        self.bar.update()

    def close(self) -> None:
        """End the line."""
        with suppress(OSError, ValueError):  # no terminal any more, or a log on a full disk
            self.bar.set_postfix_str("", refresh=False)
            self.bar.close()
