"""Do the quick tests notice a grader that was weakened? ``python -m autograder.quality.grader_mutation``

One important line at a time, of the grader or of what checks are made of, is changed in a temporary copy of the tree, and
the quick tests of that part run there: they must fail. The same tests must pass on the unchanged copy, or their failing
would say nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("autograder", "course_utils", "solutions", "tests", "benchmarks", "data", "pyproject.toml")
LIMIT = 900.0  # seconds for the tests of one change; tests that hang have noticed it too
JUDGE, FILTER = "tests/autograder/judge/test_judge.py", "tests/autograder/sandbox/test_seccomp.py"
WIRE, LEDGER = "tests/autograder/sandbox/test_wire.py", "tests/autograder/grading/test_ledger.py"
INTAKE = "tests/autograder/intake/test_intake.py"
PROMISES, FAR = "tests/course_utils/checks/test_promises.py", "tests/course_utils/checks/test_far.py"
STEADY = "tests/course_utils/checks/test_steady.py"
PROMISED, AGREE = "tests/autograder/judge/test_promised.py", "tests/course_utils/checks/test_agree.py"


@dataclass(frozen=True)
class Change:
    """One weakened line.

    Attributes:
        name: what no longer holds.
        path: file, relative to the tree.
        old: text of the line (or of a part of it), which stands exactly once in the file.
        new: what it becomes.
        tests: file of the quick tests that must notice.
        only: pytest's ``-k`` expression that picks the tests of this part; empty for the whole file.
    """

    name: str
    path: str
    old: str
    new: str
    tests: str
    only: str = ""


CHANGES = (
    Change(
        "a check's time limit is not handed to the kernel",
        "autograder/judge/run_check.py",
        "kernel.deadline = started + check.timeout",
        'kernel.deadline = float("inf")',
        JUDGE,
        "slow or never_ends",
    ),
    Change(
        "a check that decided nothing passes",
        "autograder/judge/run_check.py",
        " or not self.checker.decisions",
        "",
        JUDGE,
        "silence",
    ),
    Change(
        "in a check written by hand a comparison that fails costs nothing",
        "autograder/judge/run_check.py",
        "        super().close(got, want, hint, atol, rtol)\n",
        "",
        JUDGE,
        "wrong_work or exceptions",
    ),
    Change(
        "in a check written by hand the share of the points is not held to 0 … 1",
        "autograder/judge/run_check.py",
        "min(max(fraction, 0.0), 1.0) if fraction == fraction else 0.0",
        "fraction",
        JUDGE,
        "partial_credit",
    ),
    Change(
        "forbidden names are not looked for",
        "autograder/judge/run_check.py",
        "raise CheckFailed(refusal(found))",
        "pass",
        JUDGE,
        "forbidden",
    ),
    Change(
        "an entry's hash is not compared with its content",
        "autograder/grading/ledger.py",
        "sound = entry.hash == digest(entry.n, entry.time, entry.kind, entry.data, entry.prev)",
        "sound = True",
        LEDGER,
        "changed_byte or found",
    ),
    Change(
        "the chain of the ledger's hashes is not followed",
        "autograder/grading/ledger.py",
        "if entry.prev != prev or entry.n != number:",
        "if False:",
        LEDGER,
        "found",
    ),
    Change(
        "an archive's entry may point outside",
        "autograder/intake/archive.py",
        'if name.is_absolute() or ".." in name.parts or ',
        "if ",
        INTAKE,
        "hostile or leaves_the_folder",
    ),
    Change(
        "kinds of sockets that are not listed are allowed",
        "autograder/sandbox/seccomp.py",
        "_op(RETURN, ERRNO | EAFNOSUPPORT)",
        "_op(RETURN, ALLOW)",
        FILTER,
        "refused_calls or filter or every_call",
    ),
    Change(
        "a message may have any size",
        "autograder/sandbox/wire/decode.py",
        "if len(data) > LIMIT_BYTES:",
        "if False:",
        WIRE,
        "beyond_the_limit",
    ),
    Change(
        "fresh trials are not asked",
        "autograder/judge/promised.py",
        "answers += _fresh(entry, declared.trials(number, seed), student, lost, at)",
        "answers += []",
        PROMISED,
        "nothing_more or rule_for_all",
    ),
    Change(
        "a part that a fresh trial breaks is not lost",
        "autograder/judge/promised.py",
        "            lost.add(part)",
        "            pass",
        PROMISED,
        "nothing_more or rule_for_all",
    ),
    Change(
        "a broken promise passes",
        "autograder/judge/promised.py",
        "    if not broken(answers):\n        return CheckOutcome",
        "    if True:\n        return CheckOutcome",
        PROMISED,
        "nothing_more or rule_for_all",
    ),
    Change(
        "what came and what is expected are exchanged",
        "course_utils/checks/agree.py",
        "self._entries(self.seen(case, got), self.seen(case, want), bounds, list(names))",
        "self._entries(self.seen(case, want), self.seen(case, got), bounds, list(names))",
        PROMISES,
    ),
    Change(
        "types of numbers are not compared where they decide",
        "course_utils/checks/agree.py",
        "if self.types and (text := _other_type(got, want)):",
        "if self.types and (text := _other_type(want, want)):",
        AGREE,
    ),
    Change(
        "a tolerance is a million times as wide",
        "course_utils/checks/agree.py",
        "return max(self.atol, coarse), max(self.rtol, coarse)",
        "return 1e6 * max(self.atol, coarse), 1e6 * max(self.rtol, coarse)",
        PROMISES,
    ),
    Change(
        "a random sample is not compared",
        "course_utils/checks/agree.py",
        "return different(got, want, self.counts)",
        "return None",
        "tests/course_utils/checks/test_counts.py",
    ),
    Change(
        "arrays of other shapes are compared",
        "course_utils/checks/compare.py",
        "if tuple(got.shape) != tuple(want.shape):",
        "if False:",
        PROMISES,
    ),
    Change(
        "whole numbers may stand for others",
        "course_utils/checks/compare.py",
        "if kinds[0] != kinds[1]:",
        "if False:",
        AGREE,
    ),
    Change(
        "values that are not plain are compared as they are",
        "course_utils/checks/compare.py",
        "    return other(value)\n\n\ndef is_record",
        "    return value\n\n\ndef is_record",
        PROMISES,
    ),
    Change(
        "of several options one alone is drawn",
        "course_utils/checks/draws.py",
        "return options[order[place]]",
        "return options[0]",
        PROMISES,
    ),
    Change(
        "no size is far beyond its range",
        "course_utils/checks/draws.py",
        "bounds[name] = self._far(far, ranges[name][1]) if self.edge[1] else (ranges[name][0],) * 2",
        "bounds[name] = (ranges[name][0],) * 2",
        FAR,
    ),
    Change(
        "one case stands for all of a promise",
        "course_utils/checks/promises.py",
        "return [self._case(one, own, 0, small=small) if one.steady else zero, *rest]",
        "return [zero]",
        AGREE,
    ),
    Change(
        "a case that hangs on the last digits is not drawn again",
        "course_utils/checks/promises.py",
        "draws = range(AGAIN + 1 if one.steady and not small else 1)",
        "draws = range(1)",
        STEADY,
    ),
    Change(
        "equality is never unsteady",
        "course_utils/checks/steady.py",
        "SETTLED = close(1e-6, 1e-6)",
        "SETTLED = close(1e6, 1e6)",
        STEADY,
    ),
    Change(
        "arguments are not looked at after the call",
        "course_utils/checks/trouble.py",
        "_fields(student.fetch(kept), sent) for sent, kept",
        "_fields(sent, sent) for sent, kept",
        PROMISES,
    ),
)


@dataclass(frozen=True)
class Found:
    """What became of one change: whether the tests noticed it, in how many seconds, and the last line they said."""

    name: str
    path: str
    noticed: bool
    seconds: float
    said: str


def copied_tree(root: Path, target: Path) -> Path:
    """A copy of everything that the quick tests need, without caches."""
    for part in PARTS:
        if (root / part).is_dir():
            shutil.copytree(root / part, target / part, ignore=shutil.ignore_patterns("__pycache__"))
        elif (root / part).is_file():
            shutil.copy(root / part, target / part)
    return target


def weakened(text: str, change: Change) -> str:
    """The file's text with the one line changed.

    Raises:
        CourseError: the line is gone, or there are several like it.
    """
    count = text.count(change.old)
    if count != 1:
        raise CourseError(
            f"{change.path}: the line {change.old.strip()!r} is there {count} times, not once; "
            f"name the line that now does this in CHANGES ({change.name})"
        )
    return text.replace(change.old, change.new)


def pytest_in(tree: Path, change: Change) -> tuple[int, str]:
    """Run a change's tests in a tree; exit code (124 for tests that do not end) and the last line that they printed."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow"]
    command += ["-k", change.only] if change.only else []
    try:
        done = subprocess.run(
            [*command, change.tests],
            cwd=tree,
            env=os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return 124, f"the tests did not end within {LIMIT:g} s"
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return done.returncode, lines[-1] if lines else ""


def try_changes(
    root: Path,
    changes: Sequence[Change],
    run: Callable[[Path, Change], tuple[int, str]] = pytest_in,
) -> Iterator[Found]:
    """Every change in turn, in a copy of ``root``.

    Raises:
        CourseError: a line is gone, or the tests of a change do not pass on the unchanged copy.
    """
    for change in changes:  # all of them first: a run takes minutes
        weakened((root / change.path).read_text(encoding="utf-8"), change)
    with tempfile.TemporaryDirectory(prefix="grader-mutation-") as scratch:
        tree, sound = copied_tree(root, Path(scratch)), set()
        for change in changes:
            if change.tests not in sound:
                code, said = run(tree, together([one for one in changes if one.tests == change.tests]))
                if code != 0:
                    raise CourseError(f"{change.tests}: does not pass on the unchanged tree ({said}); mend that first")
                sound.add(change.tests)
            yield _tried(tree, change, run)


def together(changes: Sequence[Change]) -> Change:
    """A change with the tests of all these, which are of one file: on the unchanged tree they run at once."""
    picked = "" if any(not one.only for one in changes) else " or ".join(one.only for one in changes)
    return replace(changes[0], only=picked)


def _tried(tree: Path, change: Change, run: Callable[[Path, Change], tuple[int, str]]) -> Found:
    path, started = tree / change.path, time.monotonic()
    before = path.read_text(encoding="utf-8")
    try:
        path.write_text(weakened(before, change), encoding="utf-8")
        code, said = run(tree, change)
    finally:
        path.write_text(before, encoding="utf-8")
    if code not in (0, 1, 124):  # no tests, or tests that could not be read: nobody noticed the change itself
        raise CourseError(f"{change.tests}: could not be run with the change '{change.name}' ({said})")
    return Found(change.name, change.path, code != 0, round(time.monotonic() - started, 1), said)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line: 0 if every change was noticed, 1 if one was not, 2 if a line is gone or tests fail unchanged."""
    parser = argparse.ArgumentParser(
        prog="python -m autograder.quality.grader_mutation", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("words", nargs="*", help="only changes whose name contains one of these words")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table as JSON")
    options = parser.parse_args(argv)
    chosen = [one for one in CHANGES if not options.words or any(word in one.name for word in options.words)]
    found: list[Found] = []
    try:
        for one in try_changes(ROOT, chosen):
            found.append(one)
            print(f"{'✓ noticed' if one.noticed else '✗ NOT noticed'}  {one.name} ({one.seconds:.0f} s: {one.said})")
            if options.json:
                write_atomically(options.json, json.dumps([asdict(row) for row in found], indent=1) + "\n")
    except CourseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    noticed = sum(one.noticed for one in found)
    print(f"{noticed} of {len(found)} changes noticed")
    return 0 if found and noticed == len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
