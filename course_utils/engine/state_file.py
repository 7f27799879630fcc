"""The state of an unfinished training on disk: replaced atomically, with the previous one kept."""

from __future__ import annotations

import glob
import hashlib
import io
from pathlib import Path
from typing import Any

import torch

from course_utils.engine.files import write_atomically
from course_utils.errors import CourseError

StatePath = str | Path


def save_state(path: StatePath, state: dict[str, Any]) -> None:
    """Write a training's state, and keep the one before as `<path>.previous`; each file starts with its SHA-256."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    content = io.BytesIO()
    torch.save(state, content)
    aside = path.with_name(path.name + ".new")
    write_atomically(aside, hashlib.sha256(content.getbuffer()).digest() + content.getvalue())
    if _read_whole(path) is not None:  # a damaged file must not replace an undamaged previous one
        path.replace(_previous(path))
    aside.replace(path)


def load_state(path: StatePath, device: str | torch.device = "cpu") -> dict[str, Any] | None:
    """The newest undamaged state: of `path`, else of `<path>.previous`, else None.

    Raises CourseError if there are files but all are damaged.
    """
    candidates = [p for p in (Path(path), _previous(Path(path))) if p.is_file()]
    for candidate in candidates:
        if (content := _read_whole(candidate)) is not None:
            return torch.load(io.BytesIO(content), map_location=device, weights_only=True)
    if candidates:
        raise CourseError(f"{path} is damaged and so is the state before it; delete both to train from the start.")
    return None


def _read_whole(path: Path) -> bytes | None:
    """The bytes behind the SHA-256 that a state file starts with, or None if the file is missing or damaged."""
    content = path.read_bytes() if path.is_file() else b""
    return content[32:] if content and hashlib.sha256(content[32:]).digest() == content[:32] else None


def remove_state(path: StatePath) -> None:
    """Remove a state, the one before it, and the temporary files of an interrupted write."""
    path = Path(path)
    aside = path.with_name(path.name + ".new")
    for p in (path, _previous(path), aside, *path.parent.glob(f".{glob.escape(aside.name)}.*")):
        p.unlink(missing_ok=True)


def _previous(path: Path) -> Path:
    """Where the state before the newest is kept."""
    return path.with_name(path.name + ".previous")
