"""``gradescope`` makes a Gradescope autograder from a release; run as a module, this is that autograder.

In the image: ``python -m autograder.cli.gradescope /autograder``. It judges ``submission/`` and writes
``results/results.json``. A fault of the machine or of the grader leaves no such file: then Gradescope gives no score.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.cli.common import add, emit
from autograder.records import VISIBILITIES
from course_utils.errors import CourseError

if TYPE_CHECKING:
    from autograder.release.gradescope import Packed

NO_SCORE = "Nothing was judged, and no score is given."


def add_commands(commands: Any) -> None:
    """Add this group's command and its options."""
    one = add(commands, "gradescope", gradescope, "an assignment's autograder for Gradescope, as a zip to be uploaded")
    one.add_argument("--release", type=Path, required=True, metavar="DIR", help="made by the release command")
    one.add_argument("--assignment", required=True, metavar="NAME", help="e.g. 07_knowledge")
    one.add_argument("--out", type=Path, required=True, metavar="FILE.zip")
    one.add_argument(
        "--visibility", default="after_due_date", choices=VISIBILITIES, help="when students see points and hints"
    )


def gradescope(options: argparse.Namespace) -> int:
    """``gradescope``: write the zip."""
    from autograder.release.gradescope import pack_gradescope
    from autograder.release.read import load_release

    path = pack_gradescope(load_release(options.release), options.assignment, options.out, options.visibility)
    words = (
        f"autograder written: {path} ({path.stat().st_size / 1e6:.1f} MB)\n"
        "It holds hidden tests and answers of this assignment: upload it to Gradescope only, and keep it private."
    )
    emit(options, {"zip": str(path)}, words)
    return 0


# ---------------------------------------------------------------- in the image


def judge_one(root: Path) -> str:
    """Judge what is in ``submission/``, write ``results/results.json``, and return a line for the instructor.

    Raises:
        CourseError: no sandbox, or a fault of the grader; ``results.json`` is then not there.
    """
    from autograder.release.gradescope import read_packed
    from autograder.release.kit import COURSE
    from autograder.reports.gradescope import refused_json, results_json

    results = root / "results" / "results.json"
    results.unlink(missing_ok=True)  # an earlier one would be taken for this submission's
    packed = read_packed(root / "source" / COURSE)
    _require_sandbox()
    answer = _answer(root, packed)
    if "result" in answer:
        from autograder.records import Result

        found = Result.from_json(answer["result"])
        data = results_json(found, packed.written, answer["intake"]["notes"], packed.visibility)
        said = [f"{found.points:g} of {found.max_points:g}, release {packed.release}", *found.notes]
        said += [f"{one.exercise}: {one.status}, seed {one.seed}" for one in found.verdicts]
    elif answer["state"] == "refused":
        data = refused_json(answer["reason"], sum(check.points for check in packed.checks.values()))
        said = [f"refused: {answer['reason']}"]
    else:
        raise CourseError(f"{answer['state']}: {answer['reason']}; run the autograder again for this submission")
    _write(results, data)
    return "\n".join(said)


def _require_sandbox() -> None:
    """Raise CourseError with the layers that are missing and their remedies, before a submission is opened."""
    from autograder.sandbox.doctor import examine

    missing = [layer for layer in examine() if not layer.well]
    if missing:
        told = "; ".join(f"{layer.name}: {layer.found}" for layer in missing[:3])
        raise CourseError(f"the sandbox cannot be built in this container ({told}); see docs/lms.md, Gradescope")


def _answer(root: Path, packed: Packed) -> dict[str, Any]:
    """The judge's answer, as ``grade`` has it."""
    from autograder.grading.settings import Settings
    from autograder.grading.worker import Pool, Task
    from autograder.intake.discover import Found
    from autograder.records import Job
    from autograder.release.kit import private_of, public_of
    from autograder.release.read import read_json

    source, name, checks = root / "source", packed.assignment, packed.checks
    skeleton = read_json(public_of(source) / "notebooks" / f"{name}.ipynb")
    student, now = _student(root), datetime.now(UTC).isoformat(timespec="seconds")
    with tempfile.TemporaryDirectory() as scratch:
        dest, answer = Path(scratch) / "intake", Path(scratch) / "answer.json"
        job = Job(student, name, {}, dest, checks, public_of(source), private_of(source, name))
        found = Found(student, root / "submission")
        task = Task(found, name, skeleton, job, dest, answer, "", Settings().memory, now)
        ((_, text),) = Pool.of(checks.values()).run([task], 1)  # Gradescope's own limit is shorter
    return dict(json.loads(text))


def _student(root: Path) -> str:
    """A name for this submission: Gradescope's number of it, or "submission" where there is none (a trial by hand)."""
    try:
        number = json.loads((root / "submission_metadata.json").read_text(encoding="utf-8"))["id"]
        return f"submission_{int(number)}"
    except (OSError, ValueError, KeyError, TypeError):
        return "submission"


def _write(path: Path, data: dict[str, Any]) -> None:
    from autograder.grading.store import write_atomic

    write_atomic(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def main(arguments: list[str]) -> int:
    """Run in the image; 2 and a sentence if nothing could be judged."""
    root = Path(arguments[0] if arguments else "/autograder")
    try:
        print(judge_one(root))
    except (CourseError, OSError) as error:
        print(f"error: {error}. {NO_SCORE}")  # Gradescope shows instructors what is printed
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
