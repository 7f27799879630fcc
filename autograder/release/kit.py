"""What judging one assignment needs on a machine that has Python's packages and nothing of ours: grader, course, checks' data.

It holds hidden answers of this assignment. It does not hold the term's seed, a gradebook, or other assignments' answers.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ZIP_DATE = (2000, 1, 1, 0, 0, 0)  # a fixed date, so that the same release gives the same bytes
# PyTorch's own index of builds without CUDA. pip takes the newest version, and there "2.x+cpu" is newer than "2.x".
CPU_BUILD = "--extra-index-url https://download.pytorch.org/whl/cpu"
COURSE = "course"  # folder of students' files and hidden files in a kit
CODE = ("autograder", "course_utils", "solutions/reference")  # hidden checks compare with the references
PLAIN = 0o644
Part = tuple[str, int, bytes]  # name, mode, content


def code_parts() -> Iterator[Part]:
    """The grader's own files, in order."""
    yield "solutions/__init__.py", PLAIN, (ROOT / "solutions" / "__init__.py").read_bytes()
    for folder in CODE:
        yield from folder_parts(ROOT / folder, folder)


def course_parts(public: Path, private: Path, assignment: str) -> Iterator[Part]:
    """Students' files and the hidden files of an assignment, in order."""
    yield from folder_parts(public, f"{COURSE}/student")
    yield from folder_parts(private, f"{COURSE}/private/{assignment}")


def folder_parts(folder: Path, name: str) -> Iterator[Part]:
    """The regular files of a folder, below ``name``."""
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        if path.is_file() and not path.is_symlink() and "__pycache__" not in inner.parts:
            yield f"{name}/{inner.as_posix()}", PLAIN, path.read_bytes()


def public_of(root: Path) -> Path:
    """The students' folder in an unpacked kit."""
    return root / COURSE / "student"


def private_of(root: Path, assignment: str) -> Path:
    """The hidden files of an assignment in an unpacked kit."""
    return root / COURSE / "private" / assignment


def zipped(parts: Iterable[Part]) -> bytes:
    """The parts as a zip with a fixed date: equal parts give equal bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, mode, data in parts:
            entry = zipfile.ZipInfo(name, ZIP_DATE)
            entry.external_attr = mode << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return target.getvalue()
