"""Folders of generated data: their manifest, and a command line that writes test answers to a separate folder."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from course_utils.errors import CourseError


class Publishable(Protocol):
    """Generated data that can be written to a folder and described in one line."""

    def write(self, folder: Path, hidden: Path | None) -> None:
        """Write public files to ``folder``, answers only to ``hidden``."""

    def describe(self) -> str:
        """One line about the data."""


def ensure_dir(folder: str | Path) -> Path:
    """Make the folder if it does not exist, and return it. Raises CourseError if it cannot be made."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CourseError(f"Cannot make the folder {folder}: {error.strerror}. Choose another place.") from None
    return Path(folder)


def manifest(folder: Path, names: Sequence[str], description: str) -> str:
    """JSON that lists files of ``folder`` with their sizes in bytes and SHA-256."""
    entries = {}
    for name in names:
        content = (folder / name).read_bytes()
        entries[name] = {"bytes": len(content), "sha256": sha256(content).hexdigest()}
    return json.dumps({"description": description, "licence": "CC0-1.0", "files": entries}, indent=2) + "\n"


def command_line(
    module: str, what: str, generate: Callable[[str], Publishable], arguments: Sequence[str] | None = None
) -> int:
    """``python -m course_utils.<module> --seed S --out DIR [--hidden DIR]``; exit code 0, or 2 for bad input."""
    parser = argparse.ArgumentParser(prog=f"python -m course_utils.{module}", description=f"Generate {what}.")
    parser.add_argument("--seed", required=True, help="any text or number; long and secret if answers are to stay so")
    parser.add_argument("--out", required=True, type=Path, help="folder for the student's files")
    parser.add_argument("--hidden", type=Path, help="folder for the answers of the test")
    options = parser.parse_args(arguments)
    try:
        made_of_it = generate(options.seed)
        made_of_it.write(options.out, options.hidden)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{made_of_it.describe()} Written to {options.out}.")
    return 0
