"""The loop of every fuzzer: draw a case, give it to the target, tell refusals from crashes, watch the memory."""

from __future__ import annotations

import collections
import random
import time
import traceback
from pathlib import Path
from typing import Any, Protocol

PAGES_PER_MIB = 256  # of 4 KiB
WARM_UP = 0.1  # of all cases: modules are imported and pools filled before memory is read for the first time
KEPT = 20


class Target(Protocol):
    """What is fuzzed.

    Attributes:
        refusal: the documented exceptions; any other is a crash.
    """

    refusal: tuple[type[BaseException], ...]

    def draw(self, rng: random.Random) -> Any:
        """One case."""

    def take(self, case: Any) -> str:
        """Give it to the code under test; returns one word for what came of it."""


def memory_mib() -> float:
    """Resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) / PAGES_PER_MIB


def attempt(target: Target, case: Any) -> tuple[str, str]:
    """What came of one case: its word (``refused``, ``crash`` or the target's own), and the crash's last lines."""
    try:
        return target.take(case), ""
    except target.refusal:
        return "refused", ""
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # whatever it is, it would have ended the grader
        return "crash", "".join(traceback.format_exc(limit=-4))[-1500:]


def run(target: Target, count: int, seed: int) -> dict[str, Any]:
    """Give ``count`` cases to the target. Case number n is drawn from ``random.Random(f"{seed}-{n}")``, so it can be drawn again.

    Returns:
        count, crashes, the numbers of the first of them with their last lines, outcomes, seconds, cases per second, resident
        memory in MiB after the warm-up, at its highest and at the end.
    """
    outcomes: collections.Counter[str] = collections.Counter()
    failed: list[dict[str, Any]] = []
    begin, first, highest = time.monotonic(), memory_mib(), 0.0
    for number in range(count):
        word, what = attempt(target, target.draw(random.Random(f"{seed}-{number}")))
        outcomes[word] += 1
        if word == "crash" and len(failed) < KEPT:
            failed.append({"number": number, "what": what})
        if number == int(count * WARM_UP):
            first = memory_mib()
        if number % 1000 == 0:
            highest = max(highest, memory_mib())
    seconds = time.monotonic() - begin
    return {
        "count": count,
        "seed": seed,
        "crashes": outcomes["crash"],
        "failed": failed,
        "outcomes": dict(outcomes.most_common()),
        "seconds": round(seconds, 1),
        "per_second": round(count / max(seconds, 1e-9)),
        "memory_mib_start": round(first, 1),
        "memory_mib_highest": round(highest, 1),
        "memory_mib_end": round(memory_mib(), 1),
    }
