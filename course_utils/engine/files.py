"""Files replaced atomically, and UTF-8 text read line by line."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from course_utils.errors import CourseError

Held = TypeVar("Held")


@contextmanager
def first_error(thing: AbstractContextManager[Held]) -> Iterator[Held]:
    """Hold ``thing`` while the block runs; a failure on the way out never replaces the error that ended the block.

    On a full disk closing a file fails too, and its error says less than the one that is on its way.
    """
    held = thing.__enter__()
    try:
        yield held
    except BaseException as error:
        with suppress(Exception):
            thing.__exit__(type(error), error, error.__traceback__)
        raise
    thing.__exit__(None, None, None)


def write_atomically(path: str | Path, content: str | bytes) -> None:
    """Replace a file atomically: written beside it, flushed to disk, then renamed. Text is UTF-8 with ``\\n``.

    What UTF-8 cannot hold, such as a name of a file that is no text, becomes a question mark.

    Raises:
        CourseError: the folder is missing or cannot be written to.
    """
    path = Path(path)
    aside: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            aside = Path(file.name)
            file.write(content.encode("utf-8", "replace") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        aside.chmod(0o666 & ~_umask())  # temporary files are private, results are not
        aside.replace(path)
    except OSError as error:
        raise CourseError(f"Cannot write {path}: {error.strerror}. Choose a folder you may write to.") from None
    finally:
        if aside is not None:
            with suppress(OSError):
                aside.unlink(missing_ok=True)


def _umask() -> int:
    """The process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def read_lines(path: Path, what: str) -> list[str]:
    """The lines of a UTF-8 file. Only ``\\n`` and ``\\r\\n`` end a line: characters like U+2028 belong to the text."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise CourseError(f"Cannot read {path}: {error.strerror}. A {what} is needed there.") from None
    try:
        text = raw.decode("utf-8-sig")  # editors on Windows may write a byte order mark
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise CourseError(f"{path}, line {line} is not UTF-8; save the file as UTF-8.") from None
    lines = text.removesuffix("\n").split("\n")
    if not any(lines):
        raise CourseError(f"{path} is empty; a {what} is needed.")
    return [line.removesuffix("\r") for line in lines]


def free_name(path: Path) -> Path:
    """A name beside a file or folder that nothing has yet, for setting it aside: ``NAME.before-1`` and so on."""
    names = (path.with_name(f"{path.name}.before-{n}") for n in range(1, 10_000))
    return next(name for name in names if not name.exists())
