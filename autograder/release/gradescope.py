"""An assignment's autograder for Gradescope: one zip with the grader, its checks and its hidden files, made from a release.

The zip follows Gradescope's specification (docs/lms.md). It holds what judging this one assignment needs and no more: not
the term's seed, which gives the answers of all assignments, no gradebook, no ledger, no other assignment's hidden files.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from autograder.records import VISIBILITIES, Check
from autograder.release.kit import COURSE, CPU_BUILD, PLAIN, ROOT, Part, code_parts, course_parts, zipped
from autograder.release.read import Release, read_json
from course_utils.errors import CourseError

RECORD = "assignment.json"
PROGRAM = 0o755
SETUP = """\
#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image.
set -euo pipefail
source="$(cd "$(dirname "$0")" && pwd)"
root="$(dirname "$source")"
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends bubblewrap python3 python3-venv
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "error: Python 3.11 or newer is needed; choose a newer base image, such as Ubuntu 24.04" >&2; exit 1; }
python3 -c 'import re, subprocess as s, sys
said = s.run(["bwrap", "--version"], capture_output=True, text=True).stdout
sys.exit(tuple(map(int, re.findall(r"[0-9]+", said)[:2])) < (0, 8))' || {
    echo "error: bubblewrap 0.8 or newer is needed; choose a newer base image, such as Ubuntu 24.04" >&2; exit 1; }
python3 -m venv "$root/venv"
"$root/venv/bin/python" -m pip install --no-cache-dir -c "$source/constraints.txt" -r "$source/requirements.txt"
"""
RUN = """\
#!/usr/bin/env bash
# Gradescope runs this for every submission. Without results/results.json there is no score.
root="$(cd "$(dirname "$0")" && pwd)"
cd "$root/source" || exit 2
export OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
# A container has no control group of its own to give away. It judges one submission, and Gradescope bounds it as a whole.
export AUTOGRADER_WITHOUT=cgroup
exec "$root/venv/bin/python" -m autograder.cli.gradescope "$root"
"""
DOCKERFILE = """\
# For "Manual Docker Configuration". Keep the repository private: the image holds hidden tests and answers.
ARG BASE_REPO=gradescope/autograder-base
ARG TAG=latest
FROM ${BASE_REPO}:${TAG}
COPY . /autograder/source
RUN cp /autograder/source/run_autograder /autograder/run_autograder && chmod +x /autograder/run_autograder \\
    && bash /autograder/source/setup.sh && rm -rf /var/lib/apt/lists/*
"""


@dataclass(frozen=True)
class Packed:
    """What the image knows of an assignment.

    Attributes:
        release: id of the release that it was made from.
        visibility: when students see the tests, one of VISIBILITIES.
        written: points of the written answers, which a person marks, by exercise.
    """

    assignment: str
    release: str
    visibility: str
    checks: Mapping[str, Check]
    written: Mapping[str, float]


def pack_gradescope(release: Release, assignment: str, out: Path, visibility: str = "after_due_date") -> Path:
    """Write the zip for *Configure Autograder* and return its path. The same release gives the same bytes.

    Raises:
        CourseError: no such assignment or visibility, an incomplete release, or the file cannot be written.
    """
    if visibility not in VISIBILITIES:
        raise CourseError(f"{visibility}: no visibility of Gradescope; give one of {', '.join(VISIBILITIES)}")
    out.parent.mkdir(parents=True, exist_ok=True)
    aside = out.with_name(f".{out.name}.part")
    try:
        aside.touch(mode=0o600)  # whoever reads it has the hidden tests
        aside.write_bytes(zipped(_parts(release, assignment, visibility)))
        aside.replace(out)
    finally:
        aside.unlink(missing_ok=True)
    return out


def _parts(release: Release, assignment: str, visibility: str) -> Iterator[Part]:
    """Name, mode and content of each file of the zip, in order."""
    record = Packed(
        assignment, release.id, visibility, release.checks(assignment), written_points(release.skeleton(assignment))
    )
    needs = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [CPU_BUILD, *needs["dependencies"], *needs["optional-dependencies"]["grader"]]
    yield "setup.sh", PROGRAM, SETUP.encode()
    yield "run_autograder", PROGRAM, RUN.encode()
    yield "Dockerfile", PLAIN, DOCKERFILE.encode()
    yield "requirements.txt", PLAIN, ("\n".join(wanted) + "\n").encode()
    yield "constraints.txt", PLAIN, (ROOT / "constraints.txt").read_bytes()
    yield from code_parts()
    yield f"{COURSE}/{RECORD}", PLAIN, (json.dumps(asdict(record), indent=1, ensure_ascii=False) + "\n").encode()
    yield from course_parts(release.public, release.private(assignment), assignment)


def written_points(skeleton: Mapping[str, Any]) -> dict[str, float]:
    """Points of the written answers of a notebook, by exercise."""
    found = {}
    for cell in skeleton["cells"]:
        about = cell["metadata"].get("nbgrader", {})
        if about.get("grade") and about.get("solution") and cell["cell_type"] == "markdown":
            found[str(about["grade_id"]).removeprefix("written-")] = float(about["points"])
    return found


def read_packed(folder: Path) -> Packed:
    """What :func:`pack_gradescope` wrote, in the image. Raises CourseError if it is not there or damaged."""
    data = read_json(folder / RECORD)
    try:
        checks = {key: Check(**one) for key, one in data["checks"].items()}
        return Packed(**{**data, "checks": checks})
    except (KeyError, TypeError, AttributeError) as error:
        raise CourseError(f"{folder / RECORD}: not as this grader writes it ({error}); make the zip again") from error
