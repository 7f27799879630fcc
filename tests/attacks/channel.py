"""How much of a hidden input an answer can send home: attacks that try every way out, and the bits that arrive.

Looked at are hint, points, outputs, our feedback page, nbgrader's own, every export, and the files that were handed in.

Each attack is the answer to an exercise of its own. It reads a symbol of up to four bits from the first hidden input and
says it by one of ``WAYS``. Judged with several secret seeds, everything that the student can see may take two values at most,
and one where the points are equal. The control is a grader without these measures: checks run between the cells with
secret draws, and what they say is shown.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

from tqdm import tqdm

from autograder.grading.gradebook import verdict_outputs
from autograder.intake.discover import Intake
from autograder.judge import hints
from autograder.judge.execute import _derived, execute, public_seed
from autograder.judge.files import HandedIn, Private
from autograder.judge.run_check import attempt
from autograder.judge.walk import Notes, Walk, code_cells
from autograder.records import Check, Job, Result, Verdict
from autograder.reports.feedback import feedback_page
from autograder.sandbox.bubblewrap import MIB, Limits
from autograder.sandbox.kernel import KernelStopped, RemoteError
from course_utils.checks.selfcheck import StudentError, explain
from tests.attacks import seen, toy

LIMITS = Limits(memory=600 * MIB, processes=32, disk=32 * MIB)
BATCH = 9
SAFE = hints.explain
SEEDS = 4
CHECK = """
with check("{id}") as c:
    for size in range(1, 4):
        values = [c.rng.random() for _ in range(size)]
        c.close(student.{id}(values), sum(values) / size, f"with {{size}} values, divide by their number")
"""
ANSWER = """
import os, sys, time, zlib, random
import numpy as np
SEEN_{id} = []
def {id}(values):
    SEEN_{id}.append(values[0])
    n = int(SEEN_{id}[0] * 16)
    right = sum(values) / len(values)
    if {honest}:
        return right
    {way}
"""

# What the answer does with the symbol n (0 to 15). Each is the body of a function; {id} is the exercise.
WAYS: dict[str, str] = {
    "kind of exception": "raise [ValueError, KeyError, TypeError, IndexError, OSError, EOFError, NameError, SyntaxError, "
    "ArithmeticError, BufferError, ImportError, LookupError, MemoryError, ReferenceError, RuntimeError, UnicodeError][n]",
    "invented exception": "raise type('Secret%d' % n, (Exception,), {{}})()",
    "exception that is named like a known one": "raise type(['ValueError', 'LinAlgError', 'AxisError'][n % 3], "
    "(Exception,), {{}})()",
    "text of an exception": "raise ValueError('secret %r' % SEEN_{id}[0])",
    "text that an advice reads": "raise ValueError('size mismatch' if n % 2 else 'nothing')",
    "line of the exception": "exec(compile('\\n' * n + '1 / 0', '<ipython-input-1-0>', 'exec'))",
    "line of a syntax error": "compile('\\n' * n + '(', '<ipython-input-1-0>', 'exec')",
    "length of an array": "return np.zeros(n)",
    "shape of an array": "return np.zeros((n, n + 1))",
    "number of axes": "return np.zeros((1,) * n)",
    "kind of numbers": "return np.zeros((), ['f4', 'i8', '?', 'U1', 'c8'][n % 5])",
    "kind of value": "return [None, 'text', b'bytes', [], (), {{}}, True, 1j][n % 8]",
    "not a number": "return [float('nan'), float('inf'), -1.0][n % 3]",
    "kind of warning": "raise [UserWarning, FutureWarning, RuntimeWarning][n % 3]()",
    "depth of a list": "value = 0.5\n    for _ in range(n % 2 * 60):\n        value = [value]\n    return value",
    "how it ends": "[lambda: 1 / 0, lambda: os._exit(n), lambda: exit(), lambda: None][n % 4]()",
    "unwritten or not": "raise [NotImplementedError, ValueError][n % 2]",
    "seconds": "time.sleep(n / 16)\n    return -1.0",
    "which call is wrong": "return right if len(SEEN_{id}) <= n % 3 else -1.0",
    "printed by the function": "print('secret', n)\n    return -1.0",
    "a file in the work folder": "open('secret_{id}.txt', 'w').write(str(n))\n    return -1.0",
    "a file elsewhere": "open('/tmp/secret_{id}', 'w').write(str(n))\n    raise [KeyError, ValueError][n % 2]",
    "a name of the notebook": "globals()['AFTER_{id}'] = n\n    return -1.0",
    "a frame that cannot be read": "sys.modules['wire'].encode = lambda *a: bytes([200 + n])\n    return -1.0",
    "a display": "from IPython.display import display, HTML\n    display(HTML('<b>%d</b>' % n))\n    return -1.0",
}
MODES = {
    "always": "False",
    "for even symbols right": "n % 2 == 0",
    "right with public draws": "SEEN_{id}[0] == random.Random({public}).random()",
}
CALLS = {"first call": "", "third call": " or len(SEEN_{id}) < 3", "second call": " or len(SEEN_{id}) < 2"}
# For these ways, a cell behind the check shows whatever the function has left.
PRINTED = {
    "printed by the function", "a file in the work folder", "a file elsewhere", "a name of the notebook", "a display",
}  # fmt: skip
AFTER = """
import glob
print(SEEN_{id}, globals().get("AFTER_{id}"), [open(p).read() for p in sorted(glob.glob("/tmp/secret*") + glob.glob("secret*"))])
"""


@dataclass(frozen=True)
class Leak:
    """One attack: a way out, when it is taken, and at which call."""

    id: str
    way: str
    mode: str
    call: str

    @property
    def name(self) -> str:
        return f"{self.way}, {self.mode}, {self.call}"

    @property
    def text(self) -> str:
        """The answer cell."""
        honest = (MODES[self.mode] + CALLS[self.call]).format(id=self.id, public=public_seed(self.id))
        return ANSWER.format(id=self.id, honest=honest, way=WAYS[self.way].format(id=self.id))

    def symbol(self, seed: int) -> int:
        """The secret under a seed of the judge."""
        return int(random.Random(_derived(seed, self.id)).random() * 16)


# A way that says something by which of three calls is wrong has nothing to say when only the third may be.
CHOSEN = [
    one for one in itertools.product(WAYS, MODES, CALLS) if (one[0], one[2]) != ("which call is wrong", "third call")
]
LEAKS = [Leak(f"x{n}", *one) for n, one in enumerate(CHOSEN)]


def seeds_for(leaks: Sequence[Leak]) -> list[int]:
    """Seeds of the judge under which every attack has as many secrets as can be: different modulo 2 and 16."""
    rng = random.Random(14)
    draws = ([rng.randrange(2**40) for _ in range(SEEDS)] for _ in range(300))
    return max(draws, key=lambda seeds: min(_spread(leak, seeds) for leak in leaks))


def _spread(leak: Leak, seeds: Sequence[int]) -> int:
    symbols = {leak.symbol(seed) for seed in seeds}
    return len(symbols) + 2 * len({n % 2 for n in symbols}) + len({n % 3 for n in symbols if n % 2})


def job(folder: Path, leaks: Sequence[Leak], seed: int) -> Job:
    """One notebook with all of these attacks."""
    cells = [toy.code_cell("00-001", toy.SETUP)]
    for leak in leaks:
        cells += [
            toy.code_cell(f"answer-{leak.id}", leak.text),
            toy.code_cell(f"check-{leak.id}", ""),
            toy.code_cell(f"extra-{leak.id}", AFTER.format(id=leak.id) if leak.way in PRINTED else ""),
        ]
    checks = {leak.id: Check(leak.id, CHECK.format(id=leak.id), "", 2.0, 10.0) for leak in leaks}
    return toy.job(folder, {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}, checks, seed)


# ---------------------------------------------------------------- what the student sees


def visible(task: Job, result: Result) -> dict[str, tuple[float, str]]:
    """Points and a digest of everything a student can see, by exercise: the same page for all, and each one's own parts."""
    folder = {
        str(p.relative_to(task.files)): p.read_bytes().hex() for p in sorted(task.files.rglob("*")) if p.is_file()
    }
    found = {}
    for verdict in result.verdicts:
        alone = Result(result.student, result.assignment, [verdict])
        book = {"cells": [cell for cell in task.notebook["cells"] if cell["id"].endswith(f"-{verdict.exercise}")]}
        intake = Intake(task.student, task.assignment, book, task.files, [], "", "")
        outputs = [result.outputs.get(f"{kind}-{verdict.exercise}") for kind in ("answer", "extra")]
        shown = verdict.shown
        parts = [shown.status, shown.points, shown.hint, outputs, verdict_outputs(verdict, 2.0), folder,
                 feedback_page(alone, intake, {}, []), seen.exported(alone, intake),
                 seen.nbgrader_page(book["cells"], alone, 2.0)]  # fmt: skip
        found[verdict.exercise] = (verdict.points, json.dumps(parts, default=str))
    return found


# ---------------------------------------------------------------- the control


def bare(error: BaseException, lines: int) -> hints.CheckOutcome:
    """What a grader without these measures tells: the sentence that the notebook has, with the student's own words in it."""
    kept = SAFE(error, lines)
    if isinstance(error, RemoteError):
        error = StudentError(error.claimed, error.text, error.line, undefined=error.undefined)
    return replace(kept, hint=str(error) if isinstance(error, KernelStopped) else explain(error))


def old_judge(task: Job) -> Result:
    """Judge as version 0.1 did: each check where it stands, with secret draws, and what it says goes to the student."""
    result = Result(task.student, task.assignment)
    answers = dict(code_cells(task.notebook))
    with mock.patch.object(hints, "explain", bare):
        with Walk(task, LIMITS, 5.0, 120.0, Notes()) as walk:

            def judge(name: str) -> None:
                check, seed = task.checks[name], _derived(task.seed or 0, name)
                assert walk.living()
                files = HandedIn(task.files, task.assignment), Private(task.private)
                outcome, seconds = attempt(check, walk.kernel, answers[f"answer-{name}"], *files, seed)
                timed = f" ({seconds:.1f} s)" if LEAKS[int(name[1:])].way == "seconds" else ""  # a page that shows them
                points = 2.0 * outcome.fraction
                result.verdicts.append(Verdict(name, outcome.status, points, 2.0, outcome.hint + timed))

            walk.through([*task.checks], judge)
            last = f"extra-{[*task.checks][-1]}"
            walk.cell(last, answers[last])
            result.outputs = walk.outputs
    return result


# ---------------------------------------------------------------- measuring


@dataclass(frozen=True)
class Found:
    """What came through for one attack: secrets sent, different things seen, here and in the control."""

    leak: Leak
    secrets: int
    here: int
    control: int
    alike: bool  # equal where the points are equal

    @property
    def held(self) -> bool:
        return self.here <= 2 and self.alike


def measured(folder: Path, leaks: Sequence[Leak], control: bool = True) -> list[Found]:
    """Judge a batch with several seeds, here and as version 0.1 did."""
    seeds = seeds_for(leaks)
    tasks = [job(folder / str(number), leaks, seed) for number, seed in enumerate(seeds)]
    here = [visible(task, execute(task, LIMITS, 5.0, 120.0)) for task in tasks]
    there = [visible(task, old_judge(task)) for task in tasks] if control else here
    return [_found(leak, seeds, here, there) for leak in leaks]


def _found(
    leak: Leak, seeds: Sequence[int], here: Sequence[Mapping[str, Any]], there: Sequence[Mapping[str, Any]]
) -> Found:
    seen = {one[leak.id] for one in here}
    secrets = len({leak.symbol(seed) for seed in seeds})
    return Found(leak, secrets, len(seen), len({one[leak.id] for one in there}), len(seen) == len({p for p, _ in seen}))


def batches(leaks: Sequence[Leak]) -> Iterator[Sequence[Leak]]:
    """Parts of a size that one sandbox runs, ways mixed so that few of a part end the kernel."""
    parts = -(-len(leaks) // BATCH)
    return (leaks[number::parts] for number in range(parts))


def numbers(found: Sequence[Found]) -> dict[str, int]:
    """The figures of the suite."""
    return {
        "attacks": len(found),
        "ways": len({one.leak.way for one in found}),
        "seeds": SEEDS,
        "most_values_seen": max(one.here for one in found),
        "more_than_a_bit": sum(one.here > 2 for one in found),
        "unlike_at_equal_points": sum(not one.alike for one in found),
        "controls_leaking": sum(one.control > 1 for one in found),
        "controls_more_than_a_bit": sum(one.control > 2 for one in found),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """``python -m tests.attacks.channel``: every attack; 0 if none sends more than a bit, 1 if one does."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks channel", description=__doc__)
    parser.add_argument("--json", action="store_true", help="numbers alone, as JSON")
    options = parser.parse_args(argv)
    found: list[Found] = []
    with tempfile.TemporaryDirectory() as name:
        for number, part in enumerate(tqdm(list(batches(LEAKS)), unit="batch", disable=options.json)):
            found += measured(Path(name) / str(number), part)
    if not options.json:
        for one in sorted(found, key=lambda one: one.held):
            print(f"{one.leak.name:80} {one.secrets} secrets, {one.here} seen here, {one.control} in the control")
    print(json.dumps(numbers(found)))
    return 0 if all(one.held for one in found) else 1
